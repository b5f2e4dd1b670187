# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Verification of inputs, batches and blocks.

An invalid input is a result, not an exception. Deferred is not verified: an input whose result is DEFERRED is valid if
its batch verifies, and nothing may be concluded before that.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any

from ._library import CONSTANTS, Buffer, as_bytes, check, ffi, instance, integer, lib, struct, text, view, views
from .context import Context, Handle, chosen_context
from .errors import ArgumentError, StateError
from .keys import set_number
from .opcodes import OP_CHECKSIGSLHDSA
from .transaction import CBlock, CTransaction, CTxOut

__all__ = [
    "KEY_VERSION_BIP340", "KEY_VERSION_SLHDSA", "KEY_VERSION_SLHDSA_SETS", "SCRIPT_ERRORS", "Batch", "CacheMode", "Failure", "InputResult",
    "LeafFeatures", "PrecomputedTransaction", "Result", "SignatureCache", "Verdict", "VerifyFlags", "scan_leaf", "script_error_name",
    "verify_block_scripts", "verify_input",
]

#: As Failure.opcode_pos of the library: the script ran to its end, or did not begin.
NO_OPCODE = CONSTANTS["SLHC_NO_OPCODE"]

#: key_version of a Schnorr signature (BIP 340) in BIP 342's signature message.
KEY_VERSION_BIP340 = CONSTANTS["SLHC_KEY_VERSION_BIP340"]
#: key_version of an SLH-DSA signature.
KEY_VERSION_SLHDSA = CONSTANTS["SLHC_KEY_VERSION_SLHDSA"]
#: key_version of an SLH-DSA signature of another parameter set than 128s.
KEY_VERSION_SLHDSA_SETS = CONSTANTS["SLHC_KEY_VERSION_SLHDSA_SETS"]


class VerifyFlags(enum.IntFlag):
    """Which rules apply: Bitcoin Core's SCRIPT_VERIFY_* flags, P2MR and SLHDSA."""

    NONE = CONSTANTS["SLHC_VERIFY_NONE"]
    # Begin: made from src/script/verify_flags.def by contrib/lint/check_lists.py
    P2SH = CONSTANTS["SLHC_VERIFY_P2SH"]  #: BIP 16
    STRICTENC = CONSTANTS["SLHC_VERIFY_STRICTENC"]  #: strict DER, defined hash types and key formats (policy)
    DERSIG = CONSTANTS["SLHC_VERIFY_DERSIG"]  #: strict DER signatures, BIP 66
    LOW_S = CONSTANTS["SLHC_VERIFY_LOW_S"]  #: S is at most half the order (policy)
    NULLDUMMY = CONSTANTS["SLHC_VERIFY_NULLDUMMY"]  #: CHECKMULTISIG's extra element is empty, BIP 147
    SIGPUSHONLY = CONSTANTS["SLHC_VERIFY_SIGPUSHONLY"]  #: scriptSig has only pushes (policy)
    MINIMALDATA = CONSTANTS["SLHC_VERIFY_MINIMALDATA"]  #: shortest pushes and numbers (policy)
    DISCOURAGE_UPGRADABLE_NOPS = CONSTANTS["SLHC_VERIFY_DISCOURAGE_UPGRADABLE_NOPS"]  #: executed NOP1, NOP4 to NOP10 fail (policy)
    CLEANSTACK = CONSTANTS["SLHC_VERIFY_CLEANSTACK"]  #: one element is left; needs P2SH and WITNESS (policy)
    CHECKLOCKTIMEVERIFY = CONSTANTS["SLHC_VERIFY_CHECKLOCKTIMEVERIFY"]  #: BIP 65
    CHECKSEQUENCEVERIFY = CONSTANTS["SLHC_VERIFY_CHECKSEQUENCEVERIFY"]  #: BIP 112
    WITNESS = CONSTANTS["SLHC_VERIFY_WITNESS"]  #: BIP 141 and 143; needs P2SH
    DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM = CONSTANTS["SLHC_VERIFY_DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM"]  #: unknown witness programs fail (policy)
    MINIMALIF = CONSTANTS["SLHC_VERIFY_MINIMALIF"]  #: version 0: IF's argument is empty or 0x01 (policy)
    NULLFAIL = CONSTANTS["SLHC_VERIFY_NULLFAIL"]  #: a failed ECDSA check needs an empty signature (policy)
    WITNESS_PUBKEYTYPE = CONSTANTS["SLHC_VERIFY_WITNESS_PUBKEYTYPE"]  #: version 0: compressed keys (policy)
    CONST_SCRIPTCODE = CONSTANTS["SLHC_VERIFY_CONST_SCRIPTCODE"]  #: legacy: no OP_CODESEPARATOR, no signature in scriptCode (policy)
    TAPROOT = CONSTANTS["SLHC_VERIFY_TAPROOT"]  #: BIP 341 and 342
    DISCOURAGE_UPGRADABLE_TAPROOT_VERSION = CONSTANTS["SLHC_VERIFY_DISCOURAGE_UPGRADABLE_TAPROOT_VERSION"]  #: unknown leaf versions fail (policy)
    DISCOURAGE_OP_SUCCESS = CONSTANTS["SLHC_VERIFY_DISCOURAGE_OP_SUCCESS"]  #: OP_SUCCESSx fails (policy)
    DISCOURAGE_UPGRADABLE_PUBKEYTYPE = CONSTANTS["SLHC_VERIFY_DISCOURAGE_UPGRADABLE_PUBKEYTYPE"]  #: tapscript: unknown key types fail (policy)
    P2MR = CONSTANTS["SLHC_VERIFY_P2MR"]  #: BIP 360: witness version 2, 32 bytes (P2MR, formerly P2TSH)
    SLHDSA = CONSTANTS["SLHC_VERIFY_SLHDSA"]  #: OP_CHECKSIGSLHDSA and OP_CHECKSIGADDSLHDSA in tapscript
    SLHDSA_SETS = CONSTANTS["SLHC_VERIFY_SLHDSA_SETS"]  #: their keys of 33 bytes: other parameter sets (doc/bip/parameter-sets.md)
    # End: src/script/verify_flags.def

    #: The rules for blocks where P2MR and the opcodes are active: all consensus flags, no policy flags.
    CONSENSUS = CONSTANTS["SLHC_VERIFY_CONSENSUS"]


class Verdict(enum.Enum):
    """The state of an input's verdict."""

    INVALID = CONSTANTS["SLHC_INVALID"]
    VALID = CONSTANTS["SLHC_VALID"]
    DEFERRED = CONSTANTS["SLHC_DEFERRED"]  #: valid if the batch verifies


class CacheMode(enum.IntEnum):
    """The use that the verification of a block makes of a cache."""

    STORE = CONSTANTS["SLHC_CACHE_STORE"]  #: asks, and stores what was verified
    ERASE_ON_HIT = CONSTANTS["SLHC_CACHE_ERASE_ON_HIT"]  #: asks, and lets go of what was found: later ones may take its place


class SignatureCache:
    """Signatures that were found valid. Any number of threads may use it at once."""

    def __init__(self, size: int = 0) -> None:
        """size: the most bytes that it takes; 0: 16 MiB."""
        size = integer(size, "size", 8 * ffi.sizeof("size_t"))
        self._handle = Handle(lib.slhc_signature_cache_create(size), lib.slhc_signature_cache_destroy)

    @property
    def handle(self) -> Any:
        """The library's pointer."""
        return self._handle.get("cache")


def _cache_handle(cache: SignatureCache | None) -> Any:
    return ffi.NULL if cache is None else instance(cache, SignatureCache, "cache").handle


def script_error_name(number: int) -> str:
    """Name of a script error, e.g. "SCRIPT_ERR_EVAL_FALSE"; "SCRIPT_ERR_UNKNOWN_ERROR" for a number that is none."""
    return text(lib.slhc_script_error_string(number if -1 << 31 <= number < 1 << 31 else -1))


def _script_errors() -> tuple[str, ...]:
    names = [script_error_name(0), script_error_name(1)]
    while (name := script_error_name(len(names))) != names[1]:
        names.append(name)
    return tuple(names)


#: The names of all script errors; the index of each is its number.
SCRIPT_ERRORS = _script_errors()


@dataclass(frozen=True)
class Failure:
    """Where an input failed: alone, or as the first of a batch or a block."""

    tag: int  #: of the transaction: as given with the input, or its index in the block
    input: int
    opcode_pos: int | None  #: counted in opcodes from 0; None: the script ran to its end, or did not begin
    script_error: str
    script: str | None = None  #: "scriptSig", "scriptPubKey", "redeem script", "witness script" or "leaf script"; None: no script is to blame
    opcode: int | None = None  #: the opcode at opcode_pos; 0xff if it does not decode

    def __str__(self) -> str:
        place = "" if self.script is None else f", {self.script}"
        place += "" if self.opcode_pos is None else f", opcode {self.opcode_pos}"
        return f"transaction {self.tag}, input {self.input}{place}: {self.script_error}"


@dataclass(frozen=True)
class InputResult:
    """The result for one input."""

    verdict: Verdict
    failure: Failure | None = None  #: where and why, if it is invalid

    @property
    def script_error(self) -> str | None:
        """Why it is invalid, e.g. "SCRIPT_ERR_SLHDSA_SIG"."""
        return None if self.failure is None else self.failure.script_error

    def __bool__(self) -> bool:
        """True if it is valid. Raises TypeError if that is not known before the batch verifies."""
        if self.verdict is Verdict.DEFERRED:
            raise TypeError("a deferred input is neither valid nor invalid before its batch is verified")
        return self.verdict is Verdict.VALID


@dataclass(frozen=True)
class Result:
    """The result for a batch, or for the scripts of a block. It is true if everything is valid."""

    failure: Failure | None = None  #: the first one, if something is invalid

    @property
    def valid(self) -> bool:
        """True if everything is valid."""
        return self.failure is None

    def __bool__(self) -> bool:
        return self.valid


#: By SLHC_SCRIPT_*.
_SCRIPTS = (None, "scriptSig", "scriptPubKey", "redeem script", "witness script", "leaf script")


def _failure(found: Any) -> Failure:
    at_opcode = found.opcode_pos != NO_OPCODE
    return Failure(found.tag, found.input, found.opcode_pos if at_opcode else None, script_error_name(found.script_error), _SCRIPTS[found.script],
                   found.opcode if at_opcode else None)


def _failure_of(tag: Any) -> Failure:
    """What a check's tag says of it, which verify_input() gave it."""
    return Failure(tag[0], tag[1], tag[2] >> 8, "SCRIPT_ERR_SLHDSA_SIG", _SCRIPTS[CONSTANTS["SLHC_SCRIPT_LEAF"]], tag[2] & 0xFF)


def _serialized(items: Sequence[CTxOut | bytes]) -> list[bytes]:
    return [item.serialize() if isinstance(item, CTxOut) else as_bytes(item, f"spent_outputs[{i}]") for i, item in enumerate(items)]


class PrecomputedTransaction:
    """A transaction with the outputs that it spends, ready to be signed and verified. It cannot change.

    A CTransaction is what travels: its fields can be read and set, and it does not know what it spends. This is made from
    one when the fields are as they should be, and holds the hashes that its signatures share: what Bitcoin Core calls
    PrecomputedTransactionData.
    """

    def __init__(self, tx: CTransaction | Buffer, spent_outputs: Sequence[CTxOut | bytes]) -> None:
        """tx: serialized with its witnesses, or an object, which is copied.

        spent_outputs: one for each input, in order.
        Raises DataError for what does not parse, ArgumentError for a wrong number of outputs.
        """
        raw = tx.serialize() if isinstance(tx, CTransaction) else as_bytes(tx, "tx")
        array, kept = views(_serialized(spent_outputs))
        self._handle = Handle(lib.slhc_tx_create(view(raw), array, len(kept)), lib.slhc_tx_destroy)

    @property
    def handle(self) -> Any:
        """The library's pointer."""
        return self._handle.get("transaction")

    def signature_hash(self, n_in: int, hash_type: int = 0, *, leaf_hash: Buffer | None = None, key_version: int = KEY_VERSION_SLHDSA,
                       annex: Buffer | None = None, codeseparator: int | None = None) -> bytes:
        """The message of a signature in a P2TR or P2MR input (BIP 341, BIP 342).

        hash_type: see SigHash
        leaf_hash: TapLeaf hash of the script; None: the key path of a P2TR output (key_version KEY_VERSION_BIP340)
        key_version: KEY_VERSION_SLHDSA, KEY_VERSION_SLHDSA_SETS, or KEY_VERSION_BIP340 for a Schnorr signature
        annex: the whole element, 0x50 first
        codeseparator: position of the last OP_CODESEPARATOR executed, counted in opcodes from 0
        """
        out = ffi.new("unsigned char[32]")
        leaf = ffi.NULL if leaf_hash is None else as_bytes(leaf_hash, "leaf_hash", 32)
        annex_bytes = b"" if annex is None else as_bytes(annex, "annex")
        if annex is not None and not annex_bytes:
            raise ArgumentError("annex does not begin with 0x50")  # the library would take it for none
        position = NO_OPCODE if codeseparator is None else integer(codeseparator, "codeseparator", 32)
        check(lib.slhc_tx_signature_hash(self.handle, integer(n_in, "n_in", 32), integer(hash_type, "hash_type", 32),
                                         integer(key_version, "key_version", 32), leaf, view(annex_bytes), position, out))
        return bytes(out)


def as_precomputed(tx: PrecomputedTransaction) -> PrecomputedTransaction:
    """tx itself. Raises TypeError, which says how to make one."""
    if not isinstance(tx, PrecomputedTransaction):
        raise TypeError(f"tx must be a PrecomputedTransaction, not {type(tx).__name__}: PrecomputedTransaction(tx, spent_outputs) makes one")
    return tx


class Batch:
    """Signature checks that were put off, to be verified together. Any number of threads may add at once."""

    def __init__(self, context: Context | None = None, *, ahead: bool = False) -> None:
        """context: whose backends and threads verify; None: default_context().

        ahead: let idle threads of the context verify checks while more are being added, so that verify() has less left to do. No result
        changes.
        """
        self._context = chosen_context(context)
        self._handle = Handle(lib.slhc_batch_create(self._context.handle, CONSTANTS["SLHC_BATCH_AHEAD"] if ahead else 0), lib.slhc_batch_destroy)
        self._callback = self._context.callback

    @property
    def handle(self) -> Any:
        """The library's pointer. Raises StateError if the batch is closed."""
        return self._handle.get_own("batch")

    def close(self) -> None:
        """Drop what the batch holds, unverified."""
        self._handle.close()

    def __enter__(self) -> Batch:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None) -> None:
        self.close()

    def __len__(self) -> int:
        return int(lib.slhc_batch_size(self.handle))

    def add(self, public_key: Buffer, message: Buffer, signature: Buffer, parameter_set: str = "128s", *, tag: int = 0, input: int = 0,
            opcode_pos: int = 0) -> None:
        """Add one check directly: a pure signature of a 32-byte message, with an empty context string.

        tag, input and opcode_pos come back if it does not verify. Raises StateError if the batch has been verified.
        """
        mark = (integer(tag, "tag", 64), integer(input, "input", 32), integer(opcode_pos, "opcode_pos", 32) << 8 | OP_CHECKSIGSLHDSA)
        signature = as_bytes(signature, "signature")
        check(lib.slhc_batch_add(self.handle, set_number(parameter_set), as_bytes(public_key, "public_key", 32),
                                 as_bytes(message, "message", 32), view(signature), mark))

    def verify(self) -> Result:
        """Verify everything in the batch, on all threads of its context and on its device if it has one.

        From here on nothing can be added. Verifying again gives the same answer at no cost.
        """
        tag = ffi.new("uint64_t[3]")
        result = check(lib.slhc_batch_verify(self.handle, tag))
        return Result() if result == CONSTANTS["SLHC_VALID"] else Result(_failure_of(tag))

    def verdicts(self) -> Iterator[tuple[Verdict, Failure]]:
        """The verdict on each check, in the order of addition, and what its failure would be, or is."""
        tag = ffi.new("uint64_t[3]")
        for index in range(len(self)):
            verdict = Verdict(check(lib.slhc_batch_verdict(self.handle, index, tag)))
            yield verdict, _failure_of(tag)


def verify_input(tx: PrecomputedTransaction, n_in: int, flags: int = VerifyFlags.CONSENSUS, *, batch: Batch | None = None, tag: int = 0,
                 cache: SignatureCache | None = None, context: Context | None = None) -> InputResult:
    """Verify one input of a transaction.

    Without a batch everything is verified now, in this thread and on the CPU. With one, the input's SLH-DSA signatures
    join it if the script succeeds on the condition that they verify.

    flags: unknown bits, and combinations that Bitcoin Core asserts against, raise ArgumentError
    tag: a number that comes back with a failure of the batch, and orders failures
    cache: asked first; without a batch, it also keeps the valid signatures
    """
    failure = struct("slhc_failure")
    verdict = Verdict(check(lib.slhc_verify_input(
        chosen_context(context).handle, as_precomputed(tx).handle, integer(n_in, "n_in", 32), integer(flags, "flags", 64),
        _cache_handle(cache), ffi.NULL if batch is None else instance(batch, Batch, "batch").handle, integer(tag, "tag", 64), failure)))
    return InputResult(verdict, _failure(failure) if verdict is Verdict.INVALID else None)


def verify_block_scripts(block: CBlock | Buffer, spent_outputs: Sequence[CTxOut | bytes], flags: int = VerifyFlags.CONSENSUS, *,
                         cache: SignatureCache | None = None, cache_mode: CacheMode = CacheMode.STORE,
                         context: Context | None = None) -> Result:
    """Verify the scripts of every input of every transaction of a block but the coinbase.

    spent_outputs: what these inputs spend, in the order of the block.
    Of a failure, tag is the index of the transaction in the block; the coinbase is 0.
    """
    raw = block.serialize() if isinstance(block, CBlock) else as_bytes(block, "block")
    array, kept = views(_serialized(spent_outputs))
    failure = struct("slhc_failure")
    result = check(lib.slhc_verify_block_scripts(chosen_context(context).handle, view(raw), array, len(kept), integer(flags, "flags", 64),
                                                 _cache_handle(cache), integer(cache_mode, "cache_mode", 31), failure))
    return Result() if result == CONSTANTS["SLHC_VALID"] else Result(_failure(failure))


class LeafFeatures(enum.IntFlag):
    """The findings of scan_leaf()."""

    NONE = 0
    SLHDSA = CONSTANTS["SLHC_LEAF_SLHDSA"]  #: one of the two opcodes: stack elements of up to 7857 bytes are allowed
    OP_SUCCESS = CONSTANTS["SLHC_LEAF_OP_SUCCESS"]  #: an OP_SUCCESSx other than the two
    UNDECODABLE = CONSTANTS["SLHC_LEAF_UNDECODABLE"]  #: an instruction that does not decode, and no OP_SUCCESSx before it


def scan_leaf(script: Buffer) -> LeafFeatures:
    """Scan a tapscript as it is scanned before it is executed with VerifyFlags.SLHDSA set."""
    script = as_bytes(script, "script")
    found = ffi.new("unsigned *")
    check(lib.slhc_scan_leaf(view(script), found))
    return LeafFeatures(found[0])
