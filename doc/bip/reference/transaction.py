# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Transactions, as BIP 144 serializes them, and the signature message of BIP 341 and 342."""

from collections import namedtuple
from hashlib import sha256

from bip340 import tagged_hash

TxIn = namedtuple("TxIn", "prevout script_sig sequence witness")
TxOut = namedtuple("TxOut", "amount script_pubkey")
Tx = namedtuple("Tx", "version inputs outputs locktime")

SIGHASH_DEFAULT, SIGHASH_ALL, SIGHASH_NONE, SIGHASH_SINGLE, SIGHASH_ANYONECANPAY = 0, 1, 2, 3, 0x80
HASH_TYPES = (0x00, 0x01, 0x02, 0x03, 0x81, 0x82, 0x83)


def compact_size(n):
    if n < 253:
        return n.to_bytes(1, "little")
    for prefix, size in ((b"\xfd", 2), (b"\xfe", 4)):
        if n < 1 << (8 * size):
            return prefix + n.to_bytes(size, "little")
    return b"\xff" + n.to_bytes(8, "little")


def ser_bytes(data):
    """A script or a witness element with its compact size."""
    return compact_size(len(data)) + data


def ser_witness(witness):
    return compact_size(len(witness)) + b"".join(map(ser_bytes, witness))


def ser_output(output):
    return output.amount.to_bytes(8, "little", signed=True) + ser_bytes(output.script_pubkey)


def _ser_inputs(tx):
    return compact_size(len(tx.inputs)) + b"".join(i.prevout + ser_bytes(i.script_sig) + i.sequence.to_bytes(4, "little") for i in tx.inputs)


def _ser_outputs(tx):
    return compact_size(len(tx.outputs)) + b"".join(map(ser_output, tx.outputs))


def ser_tx(tx):
    """With witnesses, if there are any."""
    has_witness = any(i.witness for i in tx.inputs)
    return (tx.version.to_bytes(4, "little") + (b"\x00\x01" if has_witness else b"") + _ser_inputs(tx) + _ser_outputs(tx)
            + (b"".join(ser_witness(i.witness) for i in tx.inputs) if has_witness else b"") + tx.locktime.to_bytes(4, "little"))


def _ser_stripped(tx):
    return tx.version.to_bytes(4, "little") + _ser_inputs(tx) + _ser_outputs(tx) + tx.locktime.to_bytes(4, "little")


def txid(tx):
    """As people write it: last byte first."""
    return sha256(sha256(_ser_stripped(tx)).digest()).digest()[::-1].hex()


def weight(tx):
    """As BIP 141 has it."""
    return 3 * len(_ser_stripped(tx)) + len(ser_tx(tx))


class _Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def bytes(self, n):
        if self.at + n > len(self.data):
            raise ValueError(f"ends at byte {len(self.data)}, where {self.at + n - len(self.data)} more are expected")
        self.at += n
        return self.data[self.at - n:self.at]

    def int(self, n, signed=False):
        return int.from_bytes(self.bytes(n), "little", signed=signed)

    def size(self):
        first = self.int(1)
        if first < 253:
            return first
        width = {253: 2, 254: 4, 255: 8}[first]
        value = self.int(width)
        if value < (253, 1 << 16, 1 << 32)[first - 253]:
            raise ValueError(f"compact size at byte {self.at - width - 1} is longer than it needs to be")
        return value

    def vector(self):
        return self.bytes(self.size())


def parse_tx(data):
    """A transaction from its bytes; ValueError says what is wrong."""
    read = _Reader(data)
    version = read.int(4)
    has_witness = data[4:6] == b"\x00\x01"
    if has_witness:
        read.at += 2
    inputs = [TxIn(read.bytes(36), read.vector(), read.int(4), []) for _ in range(read.size())]
    outputs = [TxOut(read.int(8, signed=True), read.vector()) for _ in range(read.size())]
    if has_witness:
        inputs = [i._replace(witness=[read.vector() for _ in range(read.size())]) for i in inputs]
        if not any(i.witness for i in inputs):
            raise ValueError("a witness marker, and no witness")
    locktime = read.int(4)
    if read.at != len(data):
        raise ValueError(f"{len(data) - read.at} bytes follow the transaction")
    return Tx(version, inputs, outputs, locktime)


def signature_message(tx, spent, index, hash_type, annex, extension=None):
    """msg, in the order of the specification's table; None if there is none for this hash type.

    extension: None for the key path, else tapleaf_hash || key_version || codesep_pos."""
    if hash_type not in HASH_TYPES:
        return None
    anyone_can_pay, selection = hash_type & SIGHASH_ANYONECANPAY, hash_type & 3
    if selection == SIGHASH_SINGLE and index >= len(tx.outputs):
        return None
    this = tx.inputs[index]
    msg = b"\x00" + bytes([hash_type]) + tx.version.to_bytes(4, "little") + tx.locktime.to_bytes(4, "little")
    if not anyone_can_pay:
        msg += sha256(b"".join(i.prevout for i in tx.inputs)).digest()
        msg += sha256(b"".join(o.amount.to_bytes(8, "little", signed=True) for o in spent)).digest()
        msg += sha256(b"".join(ser_bytes(o.script_pubkey) for o in spent)).digest()
        msg += sha256(b"".join(i.sequence.to_bytes(4, "little") for i in tx.inputs)).digest()
    if selection not in (SIGHASH_NONE, SIGHASH_SINGLE):
        msg += sha256(b"".join(map(ser_output, tx.outputs))).digest()
    msg += bytes([(0 if extension is None else 2) + (annex is not None)])
    if anyone_can_pay:
        msg += this.prevout + ser_output(spent[index]) + this.sequence.to_bytes(4, "little")
    else:
        msg += index.to_bytes(4, "little")
    if annex is not None:
        msg += sha256(ser_bytes(annex)).digest()
    if selection == SIGHASH_SINGLE:
        msg += sha256(ser_output(tx.outputs[index])).digest()
    return msg + (extension or b"")


def signature_hash(msg):
    return tagged_hash("TapSighash", msg)


def tapleaf_hash(version, script):
    return tagged_hash("TapLeaf", bytes([version]) + ser_bytes(script))


def tapbranch_hash(a, b):
    return tagged_hash("TapBranch", min(a, b) + max(a, b))
