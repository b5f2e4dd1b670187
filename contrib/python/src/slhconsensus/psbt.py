# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Partially signed transactions (BIP 174, 370, 371) for inputs that spend a leaf of a P2MR (P2TSH) or P2TR output.

doc/psbt.md describes the field that SLH-DSA signatures have.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from ._library import CONSTANTS, Buffer, as_bytes, check, ffi, instance, integer, lib, raise_last_error, struct, text, view
from ._serialize import Reader
from .context import Context
from .errors import ArgumentError, DataError
from .keys import PublicKey, SecretKey, set_number
from .script import CScript
from .spend import SigHash, with_hash_type
from .transaction import COutPoint, CTransaction, CTxOut
from .tree import ScriptTree, TaprootOutput, TreeLeaf
from .verify import KEY_VERSION_SLHDSA, PrecomputedTransaction

__all__ = ["Psbt", "PsbtLeaf"]

_MAGIC_SIZE = 5
_GLOBAL, _INPUT, _OUTPUT = (CONSTANTS[f"SLHC_PSBT_{name}"] for name in ("GLOBAL", "INPUT", "OUTPUT"))
_GLOBAL_VERSION, _WITNESS_UTXO = b"\xfb", b"\x01"  # keys: PSBT_GLOBAL_VERSION, PSBT_IN_WITNESS_UTXO
_SCHNORR_SIZES = (64, 65)


def _key_type(key: PublicKey) -> int:
    """What stands for the type of the key in C. Raises ArgumentError if no script knows such keys."""
    _ = key.element
    return CONSTANTS["SLHC_KEY_SLHDSA"] if key.parameter_set == "128s" else CONSTANTS["SLHC_KEY_SLHDSA_SETS"] + set_number(key.parameter_set)


@dataclass(frozen=True)
class PsbtLeaf:
    """A leaf that an input may spend."""

    script: CScript
    version: int
    control_block: bytes
    hash: bytes  #: TapLeaf hash


class Psbt:
    """A transaction on its way from one signer to the next. What the library does not know of it passes through."""

    def __init__(self, tx: CTransaction, version: int = 0) -> None:
        """The PSBT that a Creator makes of a transaction, whose scriptSigs and witnesses do not matter. version: 0 or 2."""
        data = instance(tx, CTransaction, "tx").serialize_without_witness()
        self._set(lib.slhc_psbt_create(view(data), integer(version, "version", 32)))

    def _set(self, handle: Any) -> None:
        if handle == ffi.NULL:
            raise_last_error()
        self._handle = ffi.gc(handle, lib.slhc_psbt_destroy)

    # Bytes

    @classmethod
    def from_bytes(cls, data: Buffer) -> Psbt:
        """Parse one. Raises DataError, which names the byte and the field."""
        made = cls.__new__(cls)
        kept = as_bytes(data, "data")
        made._set(lib.slhc_psbt_parse(view(kept)))
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
        return self._bytes(lib.slhc_psbt_serialize)

    def to_base64(self) -> str:
        """As it travels."""
        return base64.b64encode(self.serialize()).decode()

    def _bytes(self, function: Any) -> bytes:
        out = ffi.new("slhc_bytes *")
        check(function(self._handle, out))
        return bytes(ffi.buffer(out.data, out.size))

    # Its contents

    def maps(self) -> list[dict[bytes, bytes]]:
        """A copy of its fields: the global ones, those of each input, those of each output. set_field() changes them."""
        reader = Reader(self.serialize())
        reader.take(_MAGIC_SIZE, "magic")
        found: list[dict[bytes, bytes]] = []
        while reader.peek(1):
            found.append({})
            while key := reader.string("key"):
                found[-1][key] = reader.string("value")
        return found

    @property
    def version(self) -> int:
        """0 or 2."""
        return int.from_bytes(self.maps()[0].get(_GLOBAL_VERSION, b""), "little")

    def unsigned_tx(self) -> CTransaction:
        """The transaction without scriptSigs and witnesses. Raises DataError if no lock time suits all inputs (BIP 370)."""
        return CTransaction.read_without_witness(Reader(self._bytes(lib.slhc_psbt_unsigned_tx)))

    def outpoint(self, n_in: int) -> COutPoint:
        """Which output an input spends."""
        found = self._input(n_in)
        return COutPoint(bytes(found.previous_txid), found.previous_index)

    def spent_output(self, n_in: int) -> CTxOut | None:
        """The output that an input spends; None if the PSBT does not say."""
        found = self._input(n_in)
        return CTxOut(found.amount, bytes(ffi.buffer(found.script_pubkey.data, found.script_pubkey.size))) if found.has_spent_output else None

    def leaves(self, n_in: int) -> list[PsbtLeaf]:
        """The leaves that an input may spend; one that is not of the output that is spent is left out."""
        found = []
        for index in range(self._input(n_in).n_leaves):
            leaf = struct("slhc_psbt_leaf")
            check(lib.slhc_psbt_get_leaf(self._handle, index, leaf))
            script, control_block = (bytes(ffi.buffer(each.data, each.size)) if each.size else b"" for each in (leaf.script, leaf.control_block))
            found.append(PsbtLeaf(CScript(script), leaf.leaf_version, control_block, bytes(leaf.leaf_hash)))
        return found

    def is_final(self, n_in: int) -> bool:
        """True if an input has its witness or scriptSig."""
        return bool(self._input(n_in).is_final)

    def fee(self) -> int | None:
        """The inputs' amounts less the outputs'; None if a spent output is not known."""
        tx = self.unsigned_tx()
        spent = [self.spent_output(n_in) for n_in in range(len(tx.vin))]
        return None if None in spent else sum(output.nValue for output in spent if output) - sum(output.nValue for output in tx.vout)

    def _input(self, n_in: int) -> Any:
        found = struct("slhc_psbt_input")
        check(lib.slhc_psbt_get_input(self._handle, integer(n_in, "n_in", 32), found))
        return found

    # Updater

    def set_field(self, key: Buffer, value: Buffer | None, *, n_in: int | None = None, n_out: int | None = None) -> None:
        """Add or replace a field of an input, of an output, or of the global map; None removes it. key: type and key data. Raises DataError
        if a PSBT of this version cannot have it; the PSBT is then as it was."""
        if n_in is not None and n_out is not None:
            raise ArgumentError("a field is one of an input or of an output")
        scope, index = (_INPUT, n_in) if n_in is not None else (_OUTPUT, n_out) if n_out is not None else (_GLOBAL, 0)
        key = as_bytes(key, "key")
        kept = None if value is None else as_bytes(value, "value")
        pointer = ffi.NULL if kept is None else ffi.new("slhc_bytes *", view(kept))
        check(lib.slhc_psbt_set_field(self._handle, scope, integer(index or 0, "index", 32), view(key), pointer))

    def set_spent_output(self, n_in: int, output: CTxOut) -> None:
        """Say what an input spends. Raises DataError if the PSBT says something else."""
        known = self.spent_output(n_in)
        if known is not None and known != instance(output, CTxOut, "output"):
            raise DataError(f"input {n_in}: the PSBT says that it spends another output")
        self.set_field(_WITNESS_UTXO, instance(output, CTxOut, "output").serialize(), n_in=n_in)

    def add_leaf(self, n_in: int, tree: ScriptTree, leaf: TreeLeaf, taproot: TaprootOutput | None = None) -> None:
        """Say how a leaf of a tree is spent. taproot: the output, if it is P2TR; None: it is P2MR. Raises DataError if the input's
        output does not have this leaf."""
        instance(tree, ScriptTree, "tree")
        instance(leaf, TreeLeaf, "leaf")
        block = instance(taproot, TaprootOutput, "taproot").control_block(leaf) if taproot is not None else leaf.control_block
        script = bytes(leaf.script)
        check(lib.slhc_psbt_add_leaf(self._handle, integer(n_in, "n_in", 32), view(block), leaf.version, view(script)))

    def add_preimage(self, n_in: int, preimage: Buffer) -> None:
        """The preimage of a SHA-256 hash in a leaf. Raises DataError if no leaf of the input asks for it."""
        preimage = as_bytes(preimage, "preimage")
        check(lib.slhc_psbt_add_preimage(self._handle, integer(n_in, "n_in", 32), view(preimage)))

    # Signer

    def signature_hash(self, n_in: int, leaf_hash: Buffer, key_version: int = KEY_VERSION_SLHDSA, hash_type: int = SigHash.DEFAULT) -> bytes:
        """The message of a signature for a leaf. Raises DataError if a spent output is not known."""
        tx = self.unsigned_tx()
        spent = [self.spent_output(each) for each in range(len(tx.vin))]
        if None in spent:
            raise DataError(f"input {spent.index(None)}: what it spends is not known, and signatures commit to it")
        precomputed = PrecomputedTransaction(tx, [output for output in spent if output])
        return precomputed.signature_hash(n_in, hash_type, leaf_hash=leaf_hash, key_version=key_version)

    def add_signature(self, n_in: int, leaf_hash: Buffer, public_key: Buffer, signature: Buffer) -> None:
        """Add a signature, whose size says which kind it is. public_key: as the leaf has it. It is not verified. Raises DataError if the input has no such leaf, or the
        leaf asks for no signature by this key."""
        leaf_hash, signature = as_bytes(leaf_hash, "leaf_hash", 32), as_bytes(signature, "signature")
        if len(signature) in _SCHNORR_SIZES:
            kind, data = CONSTANTS["SLHC_KEY_SCHNORR"], as_bytes(public_key, "public_key", 32)
        else:
            key = PublicKey.from_element(public_key)
            kind, data = _key_type(key), key.data
        check(lib.slhc_psbt_add_signature(self._handle, integer(n_in, "n_in", 32), leaf_hash, kind, data, view(signature)))

    def sign(self, secret: SecretKey, *, hash_type: int | None = None, leaf_hash: Buffer | None = None, context: Context | None = None) -> int:
        """Sign every leaf that asks for this key, that the transaction can spend by its lock times, and that lacks a valid signature by it.

        hash_type: None signs for what the PSBT asks for, or DEFAULT. leaf_hash: only this leaf. Returns the number of signatures made.
        Raises DataError if a spent output is not known, or if there is nothing to sign but inputs that cannot be signed: the PSBT asks for another hash type
        or an impossible one, or the leaf is not of the output that is spent.
        """
        public, count = instance(secret, SecretKey, "secret").public_key, ffi.new("size_t *")
        asked = CONSTANTS["SLHC_PSBT_ASKED_HASH_TYPE"] if hash_type is None else integer(hash_type, "hash_type", 8)
        only = None if leaf_hash is None else as_bytes(leaf_hash, "leaf_hash", 32)
        check(lib.slhc_psbt_find_to_sign(self._handle, _key_type(public), public.data, asked, count))
        to_sign = []
        for index in range(count[0]):
            each = struct("slhc_psbt_to_sign")
            check(lib.slhc_psbt_get_to_sign(self._handle, index, each))
            if only in (None, bytes(each.leaf_hash)):
                to_sign.append(each)
        for each in to_sign:
            signature = with_hash_type(secret.sign(bytes(each.hash), context=context), each.hash_type)
            self.add_signature(each.input, bytes(each.leaf_hash), public.element, signature)
        return len(to_sign)

    # Combiner, Finalizer, Extractor

    def combine(self, others: Iterable[Psbt]) -> Psbt:
        """All that these and this say. Of two signatures by one key for one leaf, the first that is valid stays, rather one of the hash type
        that is asked for; of any other field the first value. Raises DataError if they are of different transactions or versions."""
        combined = Psbt.from_bytes(self.serialize())
        for number, other in enumerate(others):
            check(lib.slhc_psbt_combine(combined._handle, instance(other, Psbt, f"others[{number}]")._handle))
        return combined

    def finalize(self) -> list[str]:
        """Make the witness of every input that has a leaf for which the valid signatures suffice and whose lock times the transaction
        meets. Returns what the other inputs lack, a line each; they keep what they have. Raises DataError if a spent output is not known."""
        missing = ffi.new("char **")
        check(lib.slhc_psbt_finalize(self._handle, missing))
        return text(missing[0]).splitlines()

    def extract(self) -> CTransaction:
        """The signed transaction. Raises DataError if an input is not final, or if the transaction is not valid by the consensus rules."""
        return CTransaction.from_bytes(self._bytes(lib.slhc_psbt_extract))
