# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""The fields of partially signed transactions (BIP 174, 370, 371, and doc/psbt.md's): their types and sizes."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass

from ._library import CONSTANTS, ffi, integer, lib, raise_last_error, view
from ._serialize import Reader, ser_compact_size, ser_string
from .errors import DataError, counted
from .transaction import CTransaction, CTxIn, CTxInWitness, CTxOut

GLOBAL_UNSIGNED_TX, GLOBAL_TX_VERSION, GLOBAL_FALLBACK_LOCKTIME, GLOBAL_INPUT_COUNT, GLOBAL_OUTPUT_COUNT = 0x00, 0x02, 0x03, 0x04, 0x05
GLOBAL_TX_MODIFIABLE, GLOBAL_VERSION = 0x06, 0xFB
IN_NON_WITNESS_UTXO, IN_WITNESS_UTXO, IN_SIGHASH_TYPE, IN_FINAL_SCRIPTSIG, IN_FINAL_SCRIPTWITNESS, IN_SHA256 = 0x00, 0x01, 0x03, 0x07, 0x08, 0x0B
IN_PREVIOUS_TXID, IN_OUTPUT_INDEX, IN_SEQUENCE, IN_REQUIRED_TIME_LOCKTIME, IN_REQUIRED_HEIGHT_LOCKTIME = 0x0E, 0x0F, 0x10, 0x11, 0x12
IN_TAP_KEY_SIG, IN_TAP_SCRIPT_SIG, IN_TAP_LEAF_SCRIPT, IN_TAP_INTERNAL_KEY, IN_TAP_MERKLE_ROOT = 0x13, 0x14, 0x15, 0x17, 0x18
OUT_AMOUNT, OUT_SCRIPT = 0x03, 0x04

#: What every PSBT begins with.
MAGIC = b"psbt\xff"
#: What a proprietary key of this project begins with.
SLHDSA_PREFIX = b"\xfc\x06slhdsa"
#: What a key of an SLH-DSA signature begins with; public key and leaf hash follow.
IN_SLHDSA_SIG = SLHDSA_PREFIX + b"\x00"

_LOCKTIME_THRESHOLD = 500_000_000
MAX_MONEY = 21_000_000 * 100_000_000
_SLHDSA_SIGNATURE_SIZES = (CONSTANTS["SLHC_SIGNATURE_SIZE"], CONSTANTS["SLHC_SIGNATURE_SIZE"] + 1)
_PROPRIETARY = 0xFC

#: Why a field's key data and value are wrong; nothing if they are not.
Check = Callable[[bytes, bytes], bool]


def key(field_type: int, data: bytes = b"") -> bytes:
    """A key: type and key data. Raises ArgumentError if there is no such type."""
    return ser_compact_size(integer(field_type, "field type", 64)) + data


def _sizes(*sizes: int) -> Check:
    return lambda _, value: len(value) in sizes


def _u32(holds: Callable[[int], bool]) -> Check:
    return lambda _, value: len(value) == 4 and holds(int.from_bytes(value, "little"))


def _anything(_: bytes, __: bytes) -> bool:
    return True


def _public_key(data: bytes) -> bool:
    return (len(data) == 33 and data[0] in (2, 3)) or (len(data) == 65 and data[0] in (4, 6, 7))


def _origin(value: bytes) -> bool:
    return len(value) >= 4 and len(value) % 4 == 0


def _tap_derivation(_: bytes, value: bytes) -> bool:
    reader = Reader(value)
    reader.take(32 * reader.compact_size("number of leaf hashes"), "leaf hashes")
    return _origin(reader.peek(len(value)))


def _unsigned_tx(_: bytes, value: bytes) -> bool:
    reader = Reader(value)
    tx = CTransaction.read_without_witness(reader)
    reader.finish("transaction")
    return not any(txin.scriptSig for txin in tx.vin) and all(0 <= txout.nValue <= MAX_MONEY for txout in tx.vout)


def _tx(_: bytes, value: bytes) -> bool:
    CTransaction.from_bytes(value)
    return True


def _witness(_: bytes, value: bytes) -> bool:
    reader = Reader(value)
    CTxInWitness.read(reader)
    reader.finish("witness")
    return True


def _count(_: bytes, value: bytes) -> bool:
    reader = Reader(value)
    reader.compact_size("count")
    reader.finish("count")
    return True


def _tap_tree(_: bytes, value: bytes) -> bool:
    reader, done = Reader(value), False
    depths: list[int] = []
    while not done or reader.peek(1):
        depth, version = reader.take(2, "leaf")
        reader.string("script")
        if done or depth > 128 or version % 2 or (depths and depth < depths[-1]):
            return False
        depths.append(depth)
        while len(depths) > 1 and depths[-1] == depths[-2]:
            depths.pop()
            depths[-1] -= 1
        done = depths == [0]
    return done


def _preimage(digest: Callable[[bytes], bytes]) -> Check:
    return lambda data, value: digest(value) == data


def _sha256(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()


def _ripemd160_preimage(field_type: int) -> Check:
    """The library checks a PSBT with this field alone: Python, which may have no RIPEMD-160 from OpenSSL, would take minutes for all the
    hashes, or all the bytes to be hashed, that a PSBT of some megabytes can have."""
    def check(data: bytes, value: bytes) -> bool:
        tx = CTransaction([CTxIn()]).serialize_without_witness()
        psbt = MAGIC + write_map({key(GLOBAL_UNSIGNED_TX): tx}) + write_map({key(field_type, data): value})
        handle = lib.slhc_psbt_parse(view(psbt), ffi.NULL)
        if handle != ffi.NULL:
            lib.slhc_psbt_destroy(handle)
            return True
        try:
            raise_last_error()
        except DataError:
            return False
    return check


@dataclass(frozen=True)
class Field:
    """What is known of a type."""

    name: str
    check: Check
    key_size: int | None = 0  #: of the key data; None: as `check` says
    only: int | None = None  #: the one version that has it
    required: bool = False  #: of that version; of version 2, if `only` is None


_FIELDS: dict[str, dict[int, Field]] = {
    "global": {
        GLOBAL_UNSIGNED_TX: Field("PSBT_GLOBAL_UNSIGNED_TX", _unsigned_tx, only=0, required=True),
        0x01: Field("PSBT_GLOBAL_XPUB", lambda data, value: _origin(value) and len(value) // 4 - 1 == data[4], 78),
        GLOBAL_TX_VERSION: Field("PSBT_GLOBAL_TX_VERSION", _sizes(4), only=2, required=True),
        GLOBAL_FALLBACK_LOCKTIME: Field("PSBT_GLOBAL_FALLBACK_LOCKTIME", _sizes(4), only=2),
        GLOBAL_INPUT_COUNT: Field("PSBT_GLOBAL_INPUT_COUNT", _count, only=2, required=True),
        GLOBAL_OUTPUT_COUNT: Field("PSBT_GLOBAL_OUTPUT_COUNT", _count, only=2, required=True),
        GLOBAL_TX_MODIFIABLE: Field("PSBT_GLOBAL_TX_MODIFIABLE", _sizes(1), only=2),
        GLOBAL_VERSION: Field("PSBT_GLOBAL_VERSION", _u32(lambda version: version in (0, 2)), required=True),
    },
    "input": {
        IN_NON_WITNESS_UTXO: Field("PSBT_IN_NON_WITNESS_UTXO", _tx),
        IN_WITNESS_UTXO: Field("PSBT_IN_WITNESS_UTXO", lambda _, value: 0 <= CTxOut.from_bytes(value).nValue <= MAX_MONEY),
        0x02: Field("PSBT_IN_PARTIAL_SIG", lambda data, value: _public_key(data) and 9 <= len(value) <= 73, None),
        IN_SIGHASH_TYPE: Field("PSBT_IN_SIGHASH_TYPE", _sizes(4)),
        0x04: Field("PSBT_IN_REDEEM_SCRIPT", _anything),
        0x05: Field("PSBT_IN_WITNESS_SCRIPT", _anything),
        0x06: Field("PSBT_IN_BIP32_DERIVATION", lambda data, value: _public_key(data) and _origin(value), None),
        IN_FINAL_SCRIPTSIG: Field("PSBT_IN_FINAL_SCRIPTSIG", _anything),
        IN_FINAL_SCRIPTWITNESS: Field("PSBT_IN_FINAL_SCRIPTWITNESS", _witness),
        0x09: Field("PSBT_IN_POR_COMMITMENT", _anything),
        0x0A: Field("PSBT_IN_RIPEMD160", _ripemd160_preimage(0x0A), 20),
        IN_SHA256: Field("PSBT_IN_SHA256", _preimage(_sha256), 32),
        0x0C: Field("PSBT_IN_HASH160", _ripemd160_preimage(0x0C), 20),
        0x0D: Field("PSBT_IN_HASH256", _preimage(lambda value: _sha256(_sha256(value))), 32),
        IN_PREVIOUS_TXID: Field("PSBT_IN_PREVIOUS_TXID", _sizes(32), only=2, required=True),
        IN_OUTPUT_INDEX: Field("PSBT_IN_OUTPUT_INDEX", _sizes(4), only=2, required=True),
        IN_SEQUENCE: Field("PSBT_IN_SEQUENCE", _sizes(4), only=2),
        IN_REQUIRED_TIME_LOCKTIME: Field("PSBT_IN_REQUIRED_TIME_LOCKTIME", _u32(lambda time: time >= _LOCKTIME_THRESHOLD), only=2),
        IN_REQUIRED_HEIGHT_LOCKTIME: Field("PSBT_IN_REQUIRED_HEIGHT_LOCKTIME", _u32(lambda height: 0 < height < _LOCKTIME_THRESHOLD), only=2),
        IN_TAP_KEY_SIG: Field("PSBT_IN_TAP_KEY_SIG", _sizes(64, 65)),
        IN_TAP_SCRIPT_SIG: Field("PSBT_IN_TAP_SCRIPT_SIG", _sizes(64, 65), 64),
        IN_TAP_LEAF_SCRIPT: Field("PSBT_IN_TAP_LEAF_SCRIPT", lambda data, value: 33 <= len(data) <= 33 + 32 * 128 and len(data) % 32 == 1 and bool(value), None),
        0x16: Field("PSBT_IN_TAP_BIP32_DERIVATION", _tap_derivation, 32),
        IN_TAP_INTERNAL_KEY: Field("PSBT_IN_TAP_INTERNAL_KEY", _sizes(32)),
        IN_TAP_MERKLE_ROOT: Field("PSBT_IN_TAP_MERKLE_ROOT", _sizes(32)),
    },
    "output": {
        0x00: Field("PSBT_OUT_REDEEM_SCRIPT", _anything),
        0x01: Field("PSBT_OUT_WITNESS_SCRIPT", _anything),
        0x02: Field("PSBT_OUT_BIP32_DERIVATION", lambda data, value: _public_key(data) and _origin(value), None),
        OUT_AMOUNT: Field("PSBT_OUT_AMOUNT", lambda _, value: len(value) == 8 and int.from_bytes(value, "little") <= MAX_MONEY, only=2, required=True),
        OUT_SCRIPT: Field("PSBT_OUT_SCRIPT", _anything, only=2, required=True),
        0x05: Field("PSBT_OUT_TAP_INTERNAL_KEY", _sizes(32)),
        0x06: Field("PSBT_OUT_TAP_TREE", _tap_tree),
        0x07: Field("PSBT_OUT_TAP_BIP32_DERIVATION", _tap_derivation, 32),
    },
}
_SLHDSA_SIG = Field("SLH-DSA signature", _sizes(*_SLHDSA_SIGNATURE_SIZES), 64)


def _find(scope: str, whole: bytes) -> tuple[Field | None, bytes]:
    """What is known of a key's type, and its key data."""
    if scope == "input" and whole.startswith(IN_SLHDSA_SIG):
        return _SLHDSA_SIG, whole[len(IN_SLHDSA_SIG):]
    reader = Reader(whole)
    field_type = reader.compact_size("type")
    if field_type == _PROPRIETARY:
        reader.string("identifier of a proprietary type")
        reader.compact_size("subtype of a proprietary type")
    return _FIELDS[scope].get(field_type), whole[len(ser_compact_size(field_type)):]


def read_map(reader: Reader, place: str) -> dict[bytes, bytes]:
    """A map of keys and values. Raises DataError for a key that comes twice."""
    found: dict[bytes, bytes] = {}
    while whole := reader.string(f"{place}: key"):
        value = reader.string(f"{place}: value")
        if whole in found:
            raise DataError(f"{place}: duplicate key {whole.hex()}")
        found[whole] = value
    return found


def write_map(fields: dict[bytes, bytes]) -> bytes:
    """In the order of the keys' bytes."""
    return b"".join(ser_string(whole) + ser_string(fields[whole]) for whole in sorted(fields)) + b"\x00"


def check_field(scope: str, version: int, place: str, whole: bytes, value: bytes) -> None:
    """Raise DataError if a PSBT of this version cannot have such a field. Unknown types can hold anything."""
    field, data = _find(scope, whole)
    if field is None:
        return
    if field.only is not None and field.only != version:
        raise DataError(f"{place}: {field.name} is not allowed in version {version}")
    if field.key_size is not None and len(data) != field.key_size:
        raise DataError(f"{place}: {field.name} has key data of {counted(len(data), 'byte')}, not {field.key_size}")
    try:
        right = field.check(data, value)
    except DataError as error:
        raise DataError(f"{place}: {field.name}: {error}") from None
    if not right:
        raise DataError(f"{place}: {field.name} has a wrong value")


def check_map(scope: str, version: int, place: str, fields: dict[bytes, bytes]) -> None:
    """check_field() for each, and that those are there that must be."""
    for whole, value in fields.items():
        check_field(scope, version, place, whole, value)
    for field_type, field in _FIELDS[scope].items():
        if field.required and version == (2 if field.only is None else field.only) and key(field_type) not in fields:
            raise DataError(f"{place}: {field.name} is missing")
