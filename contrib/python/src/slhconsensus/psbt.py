# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Partially signed transactions (BIP 174, 370, 371) for inputs that spend a leaf of a P2MR (P2TSH) or P2TR output.

Their bytes are handled here, in Python; hashes, signatures, verdicts, and what is combined and finalized come from the library.
doc/psbt.md describes the field that SLH-DSA signatures have.
"""

from __future__ import annotations

import base64
import functools
import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from . import _psbt_fields as fields
from ._library import CONSTANTS, Buffer, as_bytes, check, ffi, instance, lib, raise_last_error, struct, text, view
from ._psbt_fields import key
from ._serialize import Reader, ser_compact_size, ser_i64, ser_u32
from .context import Context
from .errors import ArgumentError, DataError, StateError, counted, shown
from .keys import SecretKey
from .opcodes import OP_CHECKSIG, OP_CHECKSIGADD, OP_CHECKSIGADDSLHDSA, OP_CHECKSIGSLHDSA, OP_CHECKSIGVERIFY, OP_CODESEPARATOR
from .script import CScript
from .spend import SigHash, with_hash_type
from .transaction import SEQUENCE_FINAL, COutPoint, CTransaction, CTxIn, CTxInWitness, CTxOut
from .tree import LEAF_VERSION_TAPSCRIPT, ScriptTree, TaprootOutput, TreeLeaf, tapbranch_hash, tapleaf_hash
from .verify import KEY_VERSION_BIP340, KEY_VERSION_SLHDSA, PrecomputedTransaction, verify_input

__all__ = ["Finalized", "Psbt", "PsbtLeaf", "WrongField"]

_MAX_SCRIPT_ELEMENT_SIZE = 520
_CHECKS = {OP_CHECKSIG: KEY_VERSION_BIP340, OP_CHECKSIGVERIFY: KEY_VERSION_BIP340, OP_CHECKSIGADD: KEY_VERSION_BIP340,
           OP_CHECKSIGSLHDSA: KEY_VERSION_SLHDSA, OP_CHECKSIGADDSLHDSA: KEY_VERSION_SLHDSA}
_WRONG, _MISSING, _NEVER, _WRONG_OUTPUT, _ANYONE_CAN_SPEND = (
    CONSTANTS[f"SLHC_PSBT_{kind}"] for kind in ("WRONG", "MISSING", "NEVER", "WRONG_OUTPUT", "ANYONE_CAN_SPEND"))


@dataclass(frozen=True)
class WrongField:
    """A field of an input that is not valid for the transaction, or of an output that contradicts it."""

    n_in: int  #: which input, or which output
    field: bytes  #: its key
    why: str
    of_output: bool = False

    def __str__(self) -> str:
        return f"{'output' if self.of_output else 'input'} {self.n_in}: {self.why}"


class Finalized(NamedTuple):
    """What came of Psbt.finalize()."""

    missing: list[str]  #: why an input is not final, a line each, and that there are no inputs or no outputs; none: all is there
    left_out: list[WrongField]  #: signatures and other fields that were not used


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
            raise ArgumentError(f"PSBTs have version 0 or 2, not {shown(version)}")
        if any(not 0 <= txout.nValue <= fields.MAX_MONEY for txout in instance(tx, CTransaction, "tx").vout):
            raise ArgumentError(f"an output's amount is not between 0 and {fields.MAX_MONEY} satoshis")
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
        if reader.take(min(len(fields.MAGIC), len(as_bytes(data, "data"))), "magic") != fields.MAGIC:
            raise DataError("not a PSBT: it does not begin with 70736274ff")
        made = cls(CTransaction())
        made.globals = fields.read_map(reader, "global map")
        stated = made.globals.get(key(fields.GLOBAL_VERSION), b"")
        made.version = int.from_bytes(stated, "little") if len(stated) == 4 else 0
        fields.check_map("global", made.version, "global map", made.globals)
        for scope, count, maps in made._maps():
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
            data = base64.b64decode(instance(text, str, "text").strip(), validate=True)
        except ValueError as error:
            raise DataError(f"not base64: {error}") from None
        return cls.from_bytes(data)

    def serialize(self) -> bytes:
        """Its bytes."""
        return fields.MAGIC + b"".join(map(fields.write_map, [self.globals, *self.inputs, *self.outputs]))

    def to_base64(self) -> str:
        """As it travels."""
        return base64.b64encode(self.serialize()).decode()

    # What it says

    def unsigned_tx(self) -> CTransaction:
        """The transaction without scriptSigs and witnesses. Raises DataError if no lock time suits all inputs (BIP 370), or if somebody put
        something into the dictionaries, or took something out, so that they are no PSBT."""
        self._check_maps()
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
        try:
            if self.version == 0:
                return COutPoint(*_outpoints(self.globals[key(fields.GLOBAL_UNSIGNED_TX)])[n_in])
            return COutPoint(found[key(fields.IN_PREVIOUS_TXID)], _u32(found, fields.IN_OUTPUT_INDEX, 0))
        except (KeyError, IndexError):
            self._check_maps()  # says what is missing
            raise

    def spent_output(self, n_in: int) -> CTxOut | None:
        """What an input spends; None if the PSBT does not say."""
        found = self._input(n_in)
        if key(fields.IN_WITNESS_UTXO) in found:
            return CTxOut.from_bytes(found[key(fields.IN_WITNESS_UTXO)])
        if key(fields.IN_NON_WITNESS_UTXO) in found:
            try:
                return CTransaction.from_bytes(found[key(fields.IN_NON_WITNESS_UTXO)]).vout[self.outpoint(n_in).n]
            except IndexError:
                self._check_spent_output(n_in)  # says why
                raise
        return None

    def leaves(self, n_in: int) -> list[PsbtLeaf]:
        """The leaves that an input may spend. Raises DataError for one that is not of the output that is spent."""
        found, spent = [], None
        for whole, value in sorted(self._input(n_in).items()):
            if whole[:1] != key(fields.IN_TAP_LEAF_SCRIPT):
                continue
            fields.check_field("input", self.version, f"input {n_in}", whole, value)
            leaf = PsbtLeaf(CScript(value[:-1]), value[-1], whole[1:])
            spent = spent or self.spent_output(n_in)
            if spent is None:
                raise DataError(f"input {n_in}: what it spends is not known")
            if (leaf.control_block[0] & 0xFE) != leaf.version or not _leads_to(spent.scriptPubKey, leaf):
                raise DataError(f"input {n_in}: the leaf with the control block {leaf.control_block.hex()[:72]}... is not one of the output that is spent")
            found.append(leaf)
        return found

    def fee(self) -> int | None:
        """What the inputs have and the outputs do not get; None if a spent output is not known."""
        self._check_maps()
        spent = [self.spent_output(n_in) for n_in in range(len(self.inputs))]
        return None if None in spent else sum(output.nValue for output in spent if output) - sum(output.nValue for output in self.unsigned_tx().vout)

    def is_final(self, n_in: int) -> bool:
        """Whether an input has its witness or scriptSig."""
        return any(key(field) in self._input(n_in) for field in (fields.IN_FINAL_SCRIPTWITNESS, fields.IN_FINAL_SCRIPTSIG))

    # What should not be there

    def wrong_fields(self) -> list[WrongField]:
        """Signatures for leaves and for P2TR's key path that are not valid, final witnesses that do not spend, and leaves, merkle roots and
        internal keys that the spent output contradicts, a requested hash type that a signature does not have, and trees that the outputs
        do not have. ECDSA signatures, and those for leaves with an OP_CODESEPARATOR, are not checked; if any spent output is unknown, no
        signature is."""
        handle, count = self._handle(), ffi.new("size_t *")
        check(lib.slhc_psbt_check(handle, count))
        return [found for kind, found in _findings(handle, count[0]) if kind in (_WRONG, _WRONG_OUTPUT)]

    def drop_invalid(self) -> list[WrongField]:
        """Remove wrong_fields(), and return what was removed."""
        handle, count = self._handle(), ffi.new("size_t *")
        check(lib.slhc_psbt_drop_invalid(handle, count))
        dropped = [found for _, found in _findings(handle, count[0])]
        self._take(handle)
        return dropped

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
        instance(output, CTxOut, "output")
        known = self.spent_output(n_in)
        if known is not None and known != output:
            raise DataError(f"input {n_in}: the PSBT says that it spends another output")
        self.set_field(n_in, fields.IN_WITNESS_UTXO, output.serialize())

    def add_leaf(self, n_in: int, tree: ScriptTree, leaf: TreeLeaf, taproot: TaprootOutput | None = None) -> None:
        """Say how a leaf of a tree is spent. taproot: the output, if it is P2TR; None: it is P2MR. Raises DataError if the input's
        output does not have this tree."""
        instance(tree, ScriptTree, "tree")
        if taproot is not None:
            instance(taproot, TaprootOutput, "taproot")
        instance(leaf, TreeLeaf, "leaf")
        spent = self.spent_output(n_in)
        if spent is None or spent.scriptPubKey != (taproot.script_pubkey() if taproot else tree.script_pubkey()):
            raise DataError(f"input {n_in}: what it spends {'is not known' if spent is None else 'does not have this tree'}")
        said = {fields.IN_TAP_MERKLE_ROOT: tree.root, **({fields.IN_TAP_INTERNAL_KEY: taproot.internal_key} if taproot else {})}
        if any(self._input(n_in).get(key(field), value) != value for field, value in said.items()):
            raise DataError(f"input {n_in}: the PSBT has another merkle root or internal key than the output that is spent")
        block = taproot.control_block(leaf) if taproot else leaf.control_block
        self.set_field(n_in, fields.IN_TAP_LEAF_SCRIPT, bytes(leaf.script) + bytes([leaf.version]), block)
        for field, value in said.items():
            self.set_field(n_in, field, value)

    def add_preimage(self, n_in: int, preimage: Buffer) -> None:
        """The preimage of a SHA-256 hash in a leaf. Raises DataError if no leaf of the input has the hash, or if it is too long for a script."""
        preimage = as_bytes(preimage, "preimage")
        if len(preimage) > _MAX_SCRIPT_ELEMENT_SIZE:
            raise DataError(f"input {n_in}: the preimage has more than the {_MAX_SCRIPT_ELEMENT_SIZE} bytes that a script can read")
        digest = hashlib.sha256(preimage).digest()
        if not any(data == digest for leaf in self.leaves(n_in) for data in _pushes(leaf.script)):
            raise DataError(f"input {n_in}: no leaf in the PSBT asks for the preimage of {digest.hex()}")
        self.set_field(n_in, fields.IN_SHA256, preimage, digest)

    # Signer

    def signature_hash(self, n_in: int, leaf_hash: Buffer, key_version: int = KEY_VERSION_SLHDSA, hash_type: int = SigHash.DEFAULT) -> bytes:
        """What a signature for a leaf signs. Raises DataError if a spent output is not known."""
        return self._precomputed(self.unsigned_tx()).signature_hash(n_in, hash_type, leaf_hash=leaf_hash, key_version=key_version)

    def add_signature(self, n_in: int, leaf_hash: Buffer, public_key: Buffer, signature: Buffer) -> None:
        """Add a signature, whose size says which kind it is. It is not verified. Raises DataError if the input has no such leaf, or the
        leaf asks for no signature by this key."""
        public_key, leaf_hash, signature = as_bytes(public_key, "public_key", 32), as_bytes(leaf_hash, "leaf_hash", 32), as_bytes(signature, "signature")
        version = KEY_VERSION_BIP340 if len(signature) in (64, 65) else KEY_VERSION_SLHDSA
        if not any(leaf.hash == leaf_hash and (public_key, version) in _checked_keys(leaf) for leaf in self.leaves(n_in)):
            raise DataError(f"input {n_in}: no leaf {leaf_hash.hex()} that checks a signature of this kind by {public_key.hex()}")
        whole = _signature_key(public_key, version, leaf_hash)
        fields.check_field("input", self.version, f"input {n_in}", whole, signature)
        self._input(n_in)[whole] = signature
        if (flags := self.globals.get(key(fields.GLOBAL_TX_MODIFIABLE))) is not None:
            hash_type = signature[-1] if len(signature) % 8 else SigHash.DEFAULT  # sizes without a hash type are multiples of 8
            allowed = flags[0] & (0xFF if hash_type & SigHash.ANYONECANPAY else ~1) & (0xFF if hash_type & 3 == SigHash.NONE else ~2)
            self.globals[key(fields.GLOBAL_TX_MODIFIABLE)] = bytes([allowed | (4 if hash_type & 3 == SigHash.SINGLE else 0)])

    def sign(self, secret: SecretKey, *, hash_type: int | None = None, leaf_hash: Buffer | None = None, despite_invalid: bool = False,
             context: Context | None = None) -> int:
        """Sign every leaf that asks for this key, that the transaction can spend by its lock times, and that lacks a valid signature by it.
        Look at unsigned_tx(), spent_output(), leaves() and fee() first.

        hash_type: None signs for DEFAULT, or for ALL if the PSBT asks for it, which commits to as much. leaf_hash: only this leaf,
        which some input must have.
        Returns the number of signatures made. Raises DataError if the PSBT asks for another hash type, if the transaction can never be
        valid, if anyone can spend a P2MR output because its tree, which the PSBT says, has a single leaf, or if a field is wrong, which is
        what a signature looks like after which an output was changed; with despite_invalid, a wrong signature is no reason, and one by this
        key is replaced. In larger trees of outputs, leaves that ask for no signature are not looked for; `slhtool psbt` warns of them.
        """
        if leaf_hash is not None:
            leaf_hash = as_bytes(leaf_hash, "leaf_hash", 32)
            if not any(leaf.hash == leaf_hash for n_in in range(len(self.inputs)) for leaf in self.leaves(n_in)):
                raise DataError(f"no input has a leaf {leaf_hash.hex()}")
        public, made, handle = bytes(instance(secret, SecretKey, "secret").public_key), 0, self._handle()
        wrong = self._check_before_signing(handle, despite_invalid)
        precomputed = None
        for n_in, found in enumerate(self.inputs):
            if self.is_final(n_in):
                continue
            for leaf in self.leaves(n_in):
                whole = _signature_key(public, KEY_VERSION_SLHDSA, leaf.hash)
                if (public, KEY_VERSION_SLHDSA) not in _checked_keys(leaf) or (whole in found and (n_in, whole) not in wrong):
                    continue
                script = bytes(leaf.script)
                if leaf_hash not in (None, leaf.hash) or not check(lib.slhc_psbt_check_lock_times(handle, n_in, view(script), ffi.NULL)):
                    continue
                used = self._hash_type(n_in, hash_type)
                if precomputed is None:
                    precomputed = self._precomputed(self.unsigned_tx())
                message = precomputed.signature_hash(n_in, used, leaf_hash=leaf.hash, key_version=KEY_VERSION_SLHDSA)
                signature = secret.sign(message, context=context)
                self.add_signature(n_in, leaf.hash, public, with_hash_type(signature, used))
                made += 1
        return made

    def _check_before_signing(self, handle: Any, despite_invalid: bool) -> set[tuple[int, bytes]]:
        """Raise DataError if nothing may be signed. Returns the fields that are wrong."""
        count = ffi.new("size_t *")
        check(lib.slhc_psbt_check(handle, count))
        findings = [finding for finding in _findings(handle, count[0]) if finding[0] != _WRONG_OUTPUT]  # no signature depends on these
        for kind, found in sorted(findings, key=lambda each: each[0] not in (_NEVER, _ANYONE_CAN_SPEND)):
            if kind in (_NEVER, _ANYONE_CAN_SPEND):
                raise DataError(f"not signed: {found.why if kind == _NEVER else found}")
            if not despite_invalid:
                raise DataError(f"{found}; somebody damaged the PSBT, or changed what is paid after a signature was made; drop_invalid() removes this "
                                "field, and despite_invalid signs all the same")
        return {(found.n_in, found.field) for _, found in findings}

    def _hash_type(self, n_in: int, named: int | None) -> int:
        """What to sign an input with. Raises DataError if the PSBT asks for something else."""
        found = self.inputs[n_in]
        asked = _u32(found, fields.IN_SIGHASH_TYPE, SigHash.DEFAULT)
        wanted = named if named is not None else SigHash.ALL if asked == SigHash.ALL else SigHash.DEFAULT
        if key(fields.IN_SIGHASH_TYPE) in found and asked != wanted:
            raise DataError(f"input {n_in}: the PSBT asks for hash type {asked}, not {shown(int(wanted))}")
        return wanted

    # Combiner, Finalizer, Extractor

    def combine(self, others: Iterable[Psbt]) -> Psbt:
        """All that these and this say. Of two signatures by one key for one leaf, and of two final witnesses, the first that is valid
        stays; of fields that nothing here uses, and of a previous transaction with and without its witnesses, the first. Raises DataError
        if they are of different transactions or versions, or any other field has two values.

        In version 2, one PSBT may have what another lacks and what signatures sign, such as PSBT_IN_SEQUENCE. It is taken, and
        signatures that were valid no longer are: keep the parts until wrong_fields() has found nothing in the result. Messages call this
        PSBT 0, and the first of the others PSBT 1.
        """
        handle = self._handle()
        for number, other in enumerate(others, 1):
            theirs = instance(other, Psbt, f"others[{number - 1}]")._handle()
            try:
                check(lib.slhc_psbt_combine(handle, theirs))
            except DataError as error:  # the library knows of two alone
                raise DataError(str(error).replace("PSBT 1", f"PSBT {number}", 1)) from None
        return Psbt.from_bytes(_serialized(handle))

    def finalize(self) -> Finalized:
        """Make the witness of every input that has a valid signature for P2TR's key path, or else a leaf for which the valid signatures
        suffice and whose lock times the transaction meets. A final witness that does not spend is replaced. An input that does not
        become final keeps what it has. Raises DataError if a spent output is not known."""
        handle, count = self._handle(), ffi.new("size_t *")
        check(lib.slhc_psbt_finalize(handle, count))
        findings = _findings(handle, count[0])
        self._take(handle)
        missing = [found.why if kind == _NEVER else str(found) for kind, found in findings if kind in (_MISSING, _NEVER)]
        return Finalized(missing, [found for kind, found in findings if kind == _WRONG])

    def extract(self, *, verify: bool = True) -> CTransaction:
        """The signed transaction. Raises StateError if an input is not final, or is not valid by the consensus rules, or if the outputs get
        more than the inputs have, or the transaction has no inputs or no outputs, or can never be valid for another reason."""
        tx = self.unsigned_tx()
        for n_in, found in enumerate(self.inputs):
            if not self.is_final(n_in):
                raise StateError(f"input {n_in} is not final")
            tx.vin[n_in].scriptSig = found.get(key(fields.IN_FINAL_SCRIPTSIG), b"")
            if key(fields.IN_FINAL_SCRIPTWITNESS) in found:
                tx.witness(n_in)[:] = CTxInWitness.read(Reader(found[key(fields.IN_FINAL_SCRIPTWITNESS)])).scriptWitness.stack
        if verify:
            if not self.inputs or not self.outputs:
                raise StateError(f"the transaction has no {'outputs' if self.inputs else 'inputs'}")
            precomputed = self._precomputed(tx)
            handle, count = self._handle(), ffi.new("size_t *")
            check(lib.slhc_psbt_check(handle, count))
            for kind, finding in _findings(handle, count[0]):
                if kind == _NEVER:
                    raise StateError(finding.why)
            for n_in in range(len(self.inputs)):
                if not (result := verify_input(precomputed, n_in)):
                    raise StateError(f"input {n_in} is not valid: {result.script_error}")
        return tx

    # Helpers

    def _maps(self) -> list[tuple[str, int, list[dict[bytes, bytes]]]]:
        """The inputs' and the outputs' maps, and how many of them the global map asks for, which has been checked."""
        if self.version == 0:
            tx = CTransaction.read_without_witness(Reader(self.globals[key(fields.GLOBAL_UNSIGNED_TX)]))
            counts = [len(tx.vin), len(tx.vout)]
        else:
            counts = [Reader(self.globals[key(field)]).compact_size("count") for field in (fields.GLOBAL_INPUT_COUNT, fields.GLOBAL_OUTPUT_COUNT)]
        return [("input", counts[0], self.inputs), ("output", counts[1], self.outputs)]

    def _check_maps(self) -> None:
        """Raise DataError if the dictionaries have what from_bytes() would refuse."""
        fields.check_map("global", self.version, "global map", self.globals)
        for scope, count, maps in self._maps():
            if len(maps) != count:
                raise DataError(f"the transaction has {counted(count, scope)}, but the PSBT has {counted(len(maps), 'map')} for them")
            for index, found in enumerate(maps):
                fields.check_map(scope, self.version, f"{scope} {index}", found)

    def _handle(self) -> Any:
        """The library's view of this."""
        data = self.serialize()
        handle = lib.slhc_psbt_parse(view(data), ffi.NULL)
        if handle == ffi.NULL:
            raise_last_error()
        return ffi.gc(handle, lib.slhc_psbt_destroy)

    def _take(self, handle: Any) -> None:
        """Become what the library has made of this."""
        made = Psbt.from_bytes(_serialized(handle))
        self.globals = made.globals
        for mine, theirs in zip(self.inputs + self.outputs, made.inputs + made.outputs):
            mine.clear()
            mine.update(theirs)

    def _input(self, n_in: int) -> dict[bytes, bytes]:
        if not 0 <= n_in < len(self.inputs):
            raise ArgumentError(f"there is no input {shown(n_in)}")
        return self.inputs[n_in]

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


@functools.lru_cache(maxsize=16)
def _outpoints(unsigned_tx: bytes) -> list[tuple[bytes, int]]:
    return [(txin.prevout.hash, txin.prevout.n) for txin in CTransaction.read_without_witness(Reader(unsigned_tx)).vin]


def _u32(found: dict[bytes, bytes], field_type: int, default: int) -> int:
    value = found.get(key(field_type))
    return default if value is None else int.from_bytes(value, "little")


def _serialized(handle: Any) -> bytes:
    out = ffi.new("slhc_bytes *")
    check(lib.slhc_psbt_serialize(handle, out))
    return bytes(ffi.buffer(out.data, out.size))


def _findings(handle: Any, count: int) -> list[tuple[int, WrongField]]:
    """What the library found last: each with its kind; the field is empty where the kind is not _WRONG."""
    findings = []
    for index in range(count):
        found = struct("slhc_psbt_finding")
        check(lib.slhc_psbt_get_finding(handle, index, found))
        field = bytes(ffi.buffer(found.field.data, found.field.size)) if found.field.size else b""
        findings.append((found.kind, WrongField(found.input, field, text(found.why), found.kind in (_WRONG_OUTPUT, _ANYONE_CAN_SPEND))))
    return findings


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


def _pushes(script: CScript) -> Iterator[bytes]:
    """What a script pushes, up to the place where it does not decode."""
    try:
        for _, data, _ in script.raw_iter():
            yield data
    except DataError:
        return


def _checked_keys(leaf: PsbtLeaf) -> set[tuple[bytes, int]]:
    """The keys by which a leaf checks signatures before any OP_CODESEPARATOR, with their kinds; none if its script is not a tapscript, or
    cannot be decoded."""
    found: set[tuple[bytes, int]] = set()
    last = b""
    if leaf.version != LEAF_VERSION_TAPSCRIPT:
        return found
    try:
        for opcode, data, _ in leaf.script.raw_iter():
            if opcode == OP_CODESEPARATOR:
                break  # what comes after it signs another hash than signature_hash() gives
            if opcode in _CHECKS and len(last) == 32:
                found.add((last, _CHECKS[opcode]))
            last = data
    except DataError:
        return set()
    return found
