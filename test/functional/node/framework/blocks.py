# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Blocks: a coinbase that commits to the transactions, and proof of work at regtest's difficulty."""

import hashlib
import struct
from collections.abc import Sequence

from slhconsensus import COIN, CBlock, COutPoint, CTransaction, CTxIn, CTxOut

BLOCK_VERSION = 0x20000000
REGTEST_BITS = 0x207FFFFF
REGTEST_TARGET = 0x7FFFFF << 8 * (0x20 - 3)
HALVING_INTERVAL = 150  # on regtest
WITNESS_RESERVED_VALUE = bytes(32)  # BIP 141
COMMITMENT_PREFIX = bytes.fromhex("6a24aa21a9ed")  # OP_RETURN, a push of 36 bytes, and BIP 141's tag


def sha256d(data: bytes) -> bytes:
    return hashlib.sha256(hashlib.sha256(data).digest()).digest()


def compact_size(number: int) -> bytes:
    """A length below 65536, as serialization has it."""
    return bytes([number]) if number < 253 else b"\xfd" + struct.pack("<H", number)


def subsidy(height: int) -> int:
    """The amount that the coinbase at this height may claim besides fees."""
    return 50 * COIN >> height // HALVING_INTERVAL


def height_push(height: int) -> bytes:
    """The beginning of a coinbase's scriptSig (BIP 34)."""
    if height <= 16:
        return bytes([0x50 + height])
    number = height.to_bytes(height.bit_length() // 8 + 1, "little")
    return bytes([len(number)]) + number


def coinbase(height: int, outputs: Sequence[CTxOut], extra: bytes) -> CTransaction:
    """A coinbase without its witness commitment. extra: 2 to 75 bytes that no other block of this height has."""
    tx = CTransaction(vin=[CTxIn(COutPoint(), height_push(height) + bytes([len(extra)]) + extra)], vout=list(outputs))
    tx.witness(0).append(WITNESS_RESERVED_VALUE)
    return tx


def finish(block: CBlock) -> CBlock:
    """Add the witness commitment (BIP 141) and the Merkle root, and mine it."""
    commitment = sha256d(block.calc_witness_merkle_root() + WITNESS_RESERVED_VALUE)
    block.vtx[0].vout.append(CTxOut(0, COMMITMENT_PREFIX + commitment))
    block.hashMerkleRoot = block.calc_merkle_root()
    return mine(block)


def mine(block: CBlock) -> CBlock:
    """Find a nonce; two attempts on average."""
    header = block.serialize_header()[:-4]
    while int.from_bytes(sha256d(header + struct.pack("<I", block.nNonce)), "little") > REGTEST_TARGET:
        block.nNonce += 1
    return block
