# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Partially signed transactions (BIP 174, 370, 371) for inputs that spend a leaf of a P2MR (P2TSH) or P2TR output.

Their bytes are handled here, in Python; hashes, signatures and verdicts come from the library. doc/psbt.md describes the
field that SLH-DSA signatures have.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from . import _psbt_fields as fields
from ._library import Buffer, as_bytes
from ._psbt_fields import key
from ._serialize import Reader, ser_compact_size, ser_i64, ser_u32
from .context import Context
from .errors import ArgumentError, DataError, StateError
from .keys import SecretKey
from .opcodes import (OP_1, OP_16, OP_CHECKLOCKTIMEVERIFY, OP_CHECKSEQUENCEVERIFY, OP_CHECKSIG, OP_CHECKSIGADD, OP_CHECKSIGADDSLHDSA, OP_CHECKSIGSLHDSA,
                      OP_CHECKSIGVERIFY, OP_DROP, OP_EQUAL, OP_EQUALVERIFY, OP_NUMEQUAL, OP_NUMEQUALVERIFY, OP_SHA256, OP_SIZE, OP_VERIFY, CScriptOp)
from .script import CScript, script_number
from .spend import SigHash, with_hash_type
from .transaction import SEQUENCE_FINAL, COutPoint, CTransaction, CTxIn, CTxInWitness, CTxOut
from .tree import LEAF_VERSION_TAPSCRIPT, ScriptTree, TaprootOutput, TreeLeaf, tapbranch_hash, tapleaf_hash
from .verify import KEY_VERSION_BIP340, KEY_VERSION_SLHDSA, PrecomputedTransaction, verify_input

__all__ = ["Psbt", "PsbtLeaf"]

_MAGIC = b"psbt\xff"
_SIGNATURE_SIZE = {KEY_VERSION_BIP340: 64, KEY_VERSION_SLHDSA: 7856}
_CHECKS = {OP_CHECKSIG: KEY_VERSION_BIP340, OP_CHECKSIGVERIFY: KEY_VERSION_BIP340, OP_CHECKSIGADD: KEY_VERSION_BIP340,
           OP_CHECKSIGSLHDSA: KEY_VERSION_SLHDSA, OP_CHECKSIGADDSLHDSA: KEY_VERSION_SLHDSA}
#: What a final input keeps, beside fields of unknown types.
_KEPT = {fields.IN_NON_WITNESS_UTXO, fields.IN_WITNESS_UTXO, 0x09, fields.IN_FINAL_SCRIPTSIG, fields.IN_FINAL_SCRIPTWITNESS, fields.IN_PREVIOUS_TXID,
         fields.IN_OUTPUT_INDEX, fields.IN_SEQUENCE, fields.IN_REQUIRED_TIME_LOCKTIME, fields.IN_REQUIRED_HEIGHT_LOCKTIME}
_LAST_KNOWN_TYPE = 0x18


@dataclass(frozen=True)
class PsbtLeaf:
    """A leaf that an input may spend."""

    script: CScript
    version: int
    control_block: bytes

    @property
    def hash(self) -> bytes:
        """TapLeaf hash."""
        return tapleaf_hash(self.script, self.version)


class Psbt:
    """A transaction on its way from one signer to the next.

    Fields are in dictionaries of keys and values: `globals`, and one of `inputs` and `outputs` for each. What this module does
    not know stays there.
    """

    def __init__(self, tx: CTransaction, version: int = 0) -> None:
        """What a Creator makes of a transaction, whose scriptSigs and witnesses do not matter. version: 0 or 2."""
        if version not in (0, 2):
            raise ArgumentError(f"PSBTs have version 0 or 2, not {version}")
        self.version = version
        self.inputs: list[dict[bytes, bytes]] = [{} for _ in tx.vin]
        self.outputs: list[dict[bytes, bytes]] = [{} for _ in tx.vout]
        if version == 0:
            bare = CTransaction([CTxIn(txin.prevout, b"", txin.nSequence) for txin in tx.vin], tx.vout, tx.nLockTime, tx.version)
            self.globals = {key(fields.GLOBAL_UNSIGNED_TX): bare.serialize_without_witness()}
            return
        self.globals = {
            key(fields.GLOBAL_VERSION): ser_u32(2, "version"),
            key(fields.GLOBAL_TX_VERSION): ser_u32(tx.version, "version"),
            key(fields.GLOBAL_FALLBACK_LOCKTIME): ser_u32(tx.nLockTime, "nLockTime"),
            key(fields.GLOBAL_INPUT_COUNT): ser_compact_size(len(tx.vin)),
            key(fields.GLOBAL_OUTPUT_COUNT): ser_compact_size(len(tx.vout)),
        }
        for txin, found in zip(tx.vin, self.inputs):
            found[key(fields.IN_PREVIOUS_TXID)] = txin.prevout.hash
            found[key(fields.IN_OUTPUT_INDEX)] = ser_u32(txin.prevout.n, "index")
            found[key(fields.IN_SEQUENCE)] = ser_u32(txin.nSequence, "nSequence")
        for txout, found in zip(tx.vout, self.outputs):
            found[key(fields.OUT_AMOUNT)] = ser_i64(txout.nValue, "nValue")
            found[key(fields.OUT_SCRIPT)] = txout.scriptPubKey

    # Bytes

    @classmethod
    def from_bytes(cls, data: Buffer) -> Psbt:
        """Parse one. Raises DataError, which names the map and the field."""
        reader = Reader(data)
        if reader.take(min(len(_MAGIC), len(as_bytes(data, "data"))), "magic") != _MAGIC:
            raise DataError("not a PSBT: it does not begin with 70736274ff")
        made = cls(CTransaction())
        made.globals = fields.read_map(reader, "global map")
        stated = made.globals.get(key(fields.GLOBAL_VERSION), b"")
        made.version = int.from_bytes(stated, "little") if len(stated) == 4 else 0
        fields.check_map("global", made.version, "global map", made.globals)
        if made.version == 0:
            tx = CTransaction.read_without_witness(Reader(made.globals[key(fields.GLOBAL_UNSIGNED_TX)]))
            counts = len(tx.vin), len(tx.vout)
        else:
            n_inputs, n_outputs = (Reader(made.globals[key(field)]).compact_size("count") for field in (fields.GLOBAL_INPUT_COUNT, fields.GLOBAL_OUTPUT_COUNT))
            counts = n_inputs, n_outputs
        for scope, count, maps in (("input", counts[0], made.inputs), ("output", counts[1], made.outputs)):
            for index in range(count):
                maps.append(fields.read_map(reader, f"{scope} {index}"))
                fields.check_map(scope, made.version, f"{scope} {index}", maps[-1])
        reader.finish("PSBT")
        for index in range(len(made.inputs)):
            made._check_spent_output(index)
        return made

    @classmethod
    def from_base64(cls, text: str) -> Psbt:
        """Parse one in base64. Raises DataError."""
        try:
            return cls.from_bytes(base64.b64decode(text.strip(), validate=True))
        except binascii.Error as error:
            raise DataError(f"not base64: {error}") from None

    def serialize(self) -> bytes:
        """Its bytes."""
        return _MAGIC + b"".join(map(fields.write_map, [self.globals, *self.inputs, *self.outputs]))

    def to_base64(self) -> str:
        """As it travels."""
        return base64.b64encode(self.serialize()).decode()

    # What it says

    def unsigned_tx(self) -> CTransaction:
        """The transaction without scriptSigs and witnesses. Raises DataError if no lock time suits all inputs (BIP 370)."""
        if self.version == 0:
            return CTransaction.read_without_witness(Reader(self.globals[key(fields.GLOBAL_UNSIGNED_TX)]))
        vin = [CTxIn(COutPoint(found[key(fields.IN_PREVIOUS_TXID)], _u32(found, fields.IN_OUTPUT_INDEX, 0)), b"", _u32(found, fields.IN_SEQUENCE, SEQUENCE_FINAL))
               for found in self.inputs]
        vout = [CTxOut(int.from_bytes(found[key(fields.OUT_AMOUNT)], "little"), found[key(fields.OUT_SCRIPT)]) for found in self.outputs]
        return CTransaction(vin, vout, self._lock_time(), _u32(self.globals, fields.GLOBAL_TX_VERSION, 0))

    def _lock_time(self) -> int:
        wanted = [[_u32(found, field, 0) for found in self.inputs] for field in (fields.IN_REQUIRED_HEIGHT_LOCKTIME, fields.IN_REQUIRED_TIME_LOCKTIME)]
        if not any(map(any, wanted)):
            return _u32(self.globals, fields.GLOBAL_FALLBACK_LOCKTIME, 0)
        for mine, others in (wanted, wanted[::-1]):
            if all(own or not other for own, other in zip(mine, others)):
                return max(mine)
        raise DataError("one input requires a block height and another one a time, and no nLockTime can express both")

    def outpoint(self, n_in: int) -> COutPoint:
        """Which output an input spends."""
        found = self._input(n_in)
        if self.version == 0:
            return self.unsigned_tx().vin[n_in].prevout
        return COutPoint(found[key(fields.IN_PREVIOUS_TXID)], _u32(found, fields.IN_OUTPUT_INDEX, 0))

    def spent_output(self, n_in: int) -> CTxOut | None:
        """What an input spends; None if the PSBT does not say."""
        found = self._input(n_in)
        if key(fields.IN_WITNESS_UTXO) in found:
            return CTxOut.from_bytes(found[key(fields.IN_WITNESS_UTXO)])
        if key(fields.IN_NON_WITNESS_UTXO) in found:
            return CTransaction.from_bytes(found[key(fields.IN_NON_WITNESS_UTXO)]).vout[self.outpoint(n_in).n]
        return None

    def leaves(self, n_in: int) -> list[PsbtLeaf]:
        """The leaves that an input may spend. Raises DataError for one that is not of the output that is spent."""
        found = []
        for whole, value in sorted(self._input(n_in).items()):
            if whole[:1] != key(fields.IN_TAP_LEAF_SCRIPT):
                continue
            leaf = PsbtLeaf(CScript(value[:-1]), value[-1], whole[1:])
            spent = self.spent_output(n_in)
            if spent is None:
                raise DataError(f"input {n_in}: what it spends is not known")
            if (leaf.control_block[0] & 0xFE) != leaf.version or not _leads_to(spent.scriptPubKey, leaf):
                raise DataError(f"input {n_in}: leaf {leaf.hash.hex()} is not one of the output that is spent")
            found.append(leaf)
        return found

    def fee(self) -> int | None:
        """What the inputs have and the outputs do not get; None if a spent output is not known."""
        spent = [self.spent_output(n_in) for n_in in range(len(self.inputs))]
        return None if None in spent else sum(output.nValue for output in spent if output) - sum(output.nValue for output in self.unsigned_tx().vout)

    def is_final(self, n_in: int) -> bool:
        """Whether an input has its witness or scriptSig."""
        return any(key(field) in self._input(n_in) for field in (fields.IN_FINAL_SCRIPTWITNESS, fields.IN_FINAL_SCRIPTSIG))

    # Updater

    def set_field(self, n_in: int, field_type: int, value: Buffer, key_data: bytes = b"") -> None:
        """Give an input a field. Raises DataError if a PSBT of this version cannot have it; the PSBT is then as it was."""
        found, whole = self._input(n_in), key(field_type, key_data)
        fields.check_field("input", self.version, f"input {n_in}", whole, as_bytes(value, "value"))
        before = dict(found)
        found[whole] = as_bytes(value, "value")
        try:
            self._check_spent_output(n_in)
        except DataError:
            found.clear()
            found.update(before)
            raise

    def set_spent_output(self, n_in: int, output: CTxOut) -> None:
        """Say what an input spends. Raises DataError if the PSBT says something else."""
        known = self.spent_output(n_in)
        if known is not None and known != output:
            raise DataError(f"input {n_in}: the PSBT says that it spends another output")
        self.set_field(n_in, fields.IN_WITNESS_UTXO, output.serialize())

    def add_leaf(self, n_in: int, tree: ScriptTree, leaf: TreeLeaf, taproot: TaprootOutput | None = None) -> None:
        """Say how a leaf of a tree is spent. taproot: the output, if it is P2TR; None: it is P2MR. Raises DataError if the input's
        output does not have this tree."""
        spent = self.spent_output(n_in)
        if spent is None or spent.scriptPubKey != (taproot.script_pubkey() if taproot else tree.script_pubkey()):
            raise DataError(f"input {n_in}: what it spends {'is not known' if spent is None else 'does not have this tree'}")
        block = taproot.control_block(leaf) if taproot else leaf.control_block
        self.set_field(n_in, fields.IN_TAP_LEAF_SCRIPT, bytes(leaf.script) + bytes([leaf.version]), block)
        self.set_field(n_in, fields.IN_TAP_MERKLE_ROOT, tree.root)
        if taproot:
            self.set_field(n_in, fields.IN_TAP_INTERNAL_KEY, taproot.internal_key)

    def add_preimage(self, n_in: int, preimage: Buffer) -> None:
        """The preimage of a SHA-256 hash in a leaf."""
        preimage = as_bytes(preimage, "preimage")
        self.set_field(n_in, fields.IN_SHA256, preimage, hashlib.sha256(preimage).digest())

    # Signer

    def signature_hash(self, n_in: int, leaf_hash: Buffer, key_version: int = KEY_VERSION_SLHDSA, hash_type: int = SigHash.DEFAULT) -> bytes:
        """What a signature for a leaf signs. Raises DataError if a spent output is not known."""
        return self._precomputed(self.unsigned_tx()).signature_hash(n_in, hash_type, leaf_hash=leaf_hash, key_version=key_version)

    def add_signature(self, n_in: int, leaf_hash: Buffer, public_key: Buffer, signature: Buffer) -> None:
        """Add a signature, whose size says which kind it is. It is not verified. Raises DataError if the input has no such leaf, or the
        leaf asks for no signature by this key."""
        public_key, leaf_hash, signature = as_bytes(public_key, "public_key", 32), as_bytes(leaf_hash, "leaf_hash", 32), as_bytes(signature, "signature")
        version = KEY_VERSION_BIP340 if len(signature) in (64, 65) else KEY_VERSION_SLHDSA
        if not any(leaf.hash == leaf_hash and (public_key, version) in _checked_keys(leaf.script) for leaf in self.leaves(n_in)):
            raise DataError(f"input {n_in}: no leaf {leaf_hash.hex()} that checks a signature of this kind by {public_key.hex()}")
        whole = _signature_key(public_key, version, leaf_hash)
        fields.check_field("input", self.version, f"input {n_in}", whole, signature)
        self._input(n_in)[whole] = signature

    def sign(self, secret: SecretKey, *, hash_type: int = SigHash.DEFAULT, context: Context | None = None) -> int:
        """Sign every leaf that asks for this key and lacks its signature. Look at unsigned_tx(), spent_output() and fee() first.

        Returns the number of signatures made. Raises DataError if the PSBT asks for another hash type.
        """
        public, made = bytes(secret.public_key), 0
        for n_in, found in enumerate(self.inputs):
            if self.is_final(n_in):
                continue
            for leaf in self.leaves(n_in):
                if (public, KEY_VERSION_SLHDSA) not in _checked_keys(leaf.script) or _signature_key(public, KEY_VERSION_SLHDSA, leaf.hash) in found:
                    continue
                if _u32(found, fields.IN_SIGHASH_TYPE, hash_type) != hash_type:
                    raise DataError(f"input {n_in}: the PSBT asks for hash type {_u32(found, fields.IN_SIGHASH_TYPE, 0)}, not {int(hash_type)}")
                signature = secret.sign(self.signature_hash(n_in, leaf.hash, KEY_VERSION_SLHDSA, hash_type), context=context)
                self.add_signature(n_in, leaf.hash, public, with_hash_type(signature, hash_type))
                made += 1
        return made

    # Combiner, Finalizer, Extractor

    def combine(self, others: Iterable[Psbt]) -> Psbt:
        """All that these and this say. Raises DataError if they are of different transactions, or a field that is no signature has two
        values."""
        made = Psbt.from_bytes(self.serialize())
        for other in others:
            if other.version != made.version or other._identity() != made._identity():
                raise DataError("PSBTs of different transactions, or of different versions, cannot be combined")
            for place, mine, theirs in [("global map", made.globals, other.globals),
                                        *((f"input {n}", made.inputs[n], found) for n, found in enumerate(other.inputs)),
                                        *((f"output {n}", made.outputs[n], found) for n, found in enumerate(other.outputs))]:
                for whole, value in theirs.items():
                    if mine.setdefault(whole, value) != value and not (place.startswith("input") and _is_signature(whole)):
                        raise DataError(f"{place}: two values for key {whole.hex()}")
        return made

    def finalize(self) -> list[str]:
        """Make the witness of every input that has a leaf with all it takes. Returns what the other inputs lack, a line each."""
        missing = []
        for n_in, found in enumerate(self.inputs):
            if self.is_final(n_in):
                continue
            why = "no leaf script"
            for leaf in self.leaves(n_in):
                try:
                    stack = _satisfy(leaf, found)
                except StateError as error:
                    why = str(error)
                    continue
                witness = CTxInWitness.of([*stack, bytes(leaf.script), leaf.control_block])
                for whole in [whole for whole in found if whole.startswith(fields.IN_SLHDSA_SIG) or (whole[0] <= _LAST_KNOWN_TYPE and whole[0] not in _KEPT)]:
                    del found[whole]
                found[key(fields.IN_FINAL_SCRIPTWITNESS)] = witness.serialize()
                break
            else:
                missing.append(f"input {n_in}: {why}")
        return missing

    def extract(self, *, verify: bool = True) -> CTransaction:
        """The signed transaction. Raises StateError if an input is not final, or is not valid by the consensus rules."""
        tx = self.unsigned_tx()
        for n_in, found in enumerate(self.inputs):
            if not self.is_final(n_in):
                raise StateError(f"input {n_in} is not final")
            tx.vin[n_in].scriptSig = found.get(key(fields.IN_FINAL_SCRIPTSIG), b"")
            if key(fields.IN_FINAL_SCRIPTWITNESS) in found:
                tx.witness(n_in)[:] = CTxInWitness.read(Reader(found[key(fields.IN_FINAL_SCRIPTWITNESS)])).scriptWitness.stack
        if verify:
            precomputed = self._precomputed(tx)
            for n_in in range(len(self.inputs)):
                if not (result := verify_input(precomputed, n_in)):
                    raise StateError(f"input {n_in} is not valid: {result.script_error}")
        return tx

    # Helpers

    def _input(self, n_in: int) -> dict[bytes, bytes]:
        if not 0 <= n_in < len(self.inputs):
            raise ArgumentError(f"there is no input {n_in}")
        return self.inputs[n_in]

    def _identity(self) -> bytes:
        tx = self.unsigned_tx()
        if self.version != 0:
            for txin in tx.vin:
                txin.nSequence = 0
        return tx.txid

    def _precomputed(self, tx: CTransaction) -> PrecomputedTransaction:
        spent = [self.spent_output(n_in) for n_in in range(len(self.inputs))]
        if None in spent:
            raise DataError(f"input {spent.index(None)}: what it spends is not known, and signatures commit to it")
        return PrecomputedTransaction(tx, [output for output in spent if output])

    def _check_spent_output(self, n_in: int) -> None:
        raw = self.inputs[n_in].get(key(fields.IN_NON_WITNESS_UTXO))
        if raw is None:
            return
        tx, prevout = CTransaction.from_bytes(raw), self.outpoint(n_in)
        if tx.txid != prevout.hash or prevout.n >= len(tx.vout):
            raise DataError(f"input {n_in}: PSBT_IN_NON_WITNESS_UTXO does not have what the input spends")
        witness = self.inputs[n_in].get(key(fields.IN_WITNESS_UTXO))
        if witness is not None and CTxOut.from_bytes(witness) != tx.vout[prevout.n]:
            raise DataError(f"input {n_in}: PSBT_IN_WITNESS_UTXO is not the output that PSBT_IN_NON_WITNESS_UTXO has")


def _u32(found: dict[bytes, bytes], field_type: int, default: int) -> int:
    value = found.get(key(field_type))
    return default if value is None else int.from_bytes(value, "little")


def _is_signature(whole: bytes) -> bool:
    return whole.startswith(fields.IN_SLHDSA_SIG) or whole[0] in (0x02, fields.IN_TAP_KEY_SIG, fields.IN_TAP_SCRIPT_SIG, fields.IN_FINAL_SCRIPTSIG,
                                                                 fields.IN_FINAL_SCRIPTWITNESS)


def _signature_key(public_key: bytes, key_version: int, leaf_hash: bytes) -> bytes:
    prefix = fields.IN_SLHDSA_SIG if key_version == KEY_VERSION_SLHDSA else key(fields.IN_TAP_SCRIPT_SIG)
    return prefix + public_key + leaf_hash


def _leads_to(script_pubkey: bytes, leaf: PsbtLeaf) -> bool:
    """Whether a control block leads from its leaf to an output."""
    is_p2tr = script_pubkey[:2] == b"\x51\x20"
    base = 33 if is_p2tr else 1
    root = leaf.hash
    for at in range(base, len(leaf.control_block), 32):
        root = tapbranch_hash(root, leaf.control_block[at:at + 32])
    if not is_p2tr:
        return leaf.control_block[0] & 1 == 1 and script_pubkey == b"\x52\x20" + root
    try:
        output = TaprootOutput.make(root, leaf.control_block[1:33])
    except ArgumentError:
        return False
    return output.parity == leaf.control_block[0] & 1 and script_pubkey == b"\x51\x20" + output.output_key


def _checked_keys(script: CScript) -> set[tuple[bytes, int]]:
    """The keys by which a script checks signatures, with their kinds."""
    found, last = set(), b""
    for opcode, data, _ in script.raw_iter():
        if opcode in _CHECKS and len(last) == 32:
            found.add((last, _CHECKS[opcode]))
        last = data
    return found


def _satisfy(leaf: PsbtLeaf, found: dict[bytes, bytes]) -> list[bytes]:
    """The initial stack of a leaf made of signatures, thresholds, preimages and lock times. Raises StateError if something is missing,
    or the script is made of something else."""
    if leaf.version != LEAF_VERSION_TAPSCRIPT:
        raise StateError(f"leaf version {leaf.version} is not tapscript's")
    try:
        script = [(opcode, data) for opcode, data, _ in leaf.script.raw_iter()]
    except DataError as error:
        raise StateError(str(error)) from None
    stack: list[bytes] = []  # in the order in which the script takes its elements
    at = 0

    def here(*tests: Callable[[tuple[CScriptOp, bytes]], bool]) -> bool:
        return at + len(tests) <= len(script) and all(test(item) for test, item in zip(tests, script[at:]))

    def opcode(*which: CScriptOp) -> Callable[[tuple[CScriptOp, bytes]], bool]:
        return lambda item: item[0] in which

    def data_32(item: tuple[CScriptOp, bytes]) -> bool:
        return len(item[1]) == 32

    def number(item: tuple[CScriptOp, bytes]) -> bool:
        return OP_1 <= item[0] <= OP_16 or 0 < len(item[1]) <= 5

    while at < len(script):
        if here(data_32, opcode(*_CHECKS)):
            keys: list[tuple[bytes, int]] = []
            while here(data_32, opcode(*_CHECKS)) and (not keys or script[at + 1][0] in (OP_CHECKSIGADD, OP_CHECKSIGADDSLHDSA)):
                keys.append((script[at][1], _CHECKS[script[at + 1][0]]))
                at += 2
            needed = 1
            if len(keys) > 1:
                if not here(number, opcode(OP_NUMEQUAL, OP_NUMEQUALVERIFY)):
                    raise StateError("a count of signatures that no number and OP_NUMEQUAL follow")
                push, data = script[at]
                needed = push - OP_1 + 1 if OP_1 <= push <= OP_16 else next((n for n in range(1, len(keys) + 1) if script_number(n) == data), 0)
                at += 2
            have = 0
            for public_key, key_version in keys:
                signature = found.get(_signature_key(public_key, key_version, leaf.hash)) if have < needed else None
                have += signature is not None
                stack.append(signature or b"")
            if have < needed or needed == 0:
                raise StateError(f"needs {needed} signatures of {len(keys)}, but has {have}")
        elif here(opcode(OP_SHA256), data_32, opcode(OP_EQUAL, OP_EQUALVERIFY)):
            preimage = found.get(key(fields.IN_SHA256, script[at + 1][1]))
            if preimage is None:
                raise StateError(f"needs the preimage of {script[at + 1][1].hex()}")
            stack.append(preimage)
            at += 3
        elif here(opcode(OP_SIZE), number, opcode(OP_EQUALVERIFY), opcode(OP_SHA256)):
            at += 3  # miniscript's preimages have 32 bytes
        elif here(number, opcode(OP_CHECKLOCKTIMEVERIFY, OP_CHECKSEQUENCEVERIFY)):
            at += 3 if here(number, opcode(OP_CHECKLOCKTIMEVERIFY, OP_CHECKSEQUENCEVERIFY), opcode(OP_DROP)) else 2
        elif here(opcode(OP_VERIFY)) or OP_1 <= script[at][0] <= OP_16:
            at += 1
        else:
            raise StateError(f"{script[at][0]!r}: only another program knows how to satisfy it")
    return stack[::-1]
