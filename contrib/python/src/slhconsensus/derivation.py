# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Keys from one secret, as slhtool derive makes them: an experiment, see doc/derivation.md.

BIP 32 leads along hardened steps to a secret k and a chain code c. A BIP 340 key is k; SK.seed || SK.prf || PK.seed of an
SLH-DSA key are the first 48 bytes of HMAC-SHA512(DERIVATION_TAG, k || c). Written with Python's own modules, so that it
shares no code with slhtool; arithmetic with Python's integers takes a time that depends on them: for experiments alone.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import unicodedata
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ._keyfile import SCHNORR_TYPE, TYPE, PathLike, write_new
from ._library import instance
from ._ripemd160 import ripemd160
from .descriptor import KeyTable, key_type_number
from .errors import ArgumentError, DataError, quoted, shown
from .keys import SEED_SIZE, SecretKey

__all__ = ["DERIVATION_TAG", "ExtendedKey", "parse_hardened_path", "read_key_table", "seed_from_phrase", "write_key_table"]

DERIVATION_TAG = b"slhconsensus/SLH-DSA-SHA2-128s/seed/0"
_HARDENED = 1 << 31
_MAX_STEP_DIGITS = len(str(_HARDENED))

# secp256k1 (SEC 2)
_P = 2**256 - 2**32 - 977
_N = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
_G = (0x79BE667EF9DCBBAC55A06295CE870B07029BFCDB2DCE28D959F2815B16F81798, 0x483ADA7726A3C4655DA4FBFC0E1108A8FD17B448A68554199C47D08FFB10D4B8)

_Point = tuple[int, int]


def _add(a: _Point | None, b: _Point | None) -> _Point | None:
    if a is None or b is None:
        return a or b
    if a[0] == b[0] and (a[1] + b[1]) % _P == 0:
        return None
    slope = (3 * a[0] * a[0] * pow(2 * a[1], -1, _P) if a == b else (b[1] - a[1]) * pow(b[0] - a[0], -1, _P)) % _P
    x = (slope * slope - a[0] - b[0]) % _P
    return x, (slope * (a[0] - x) - a[1]) % _P


def _public_key(secret: int) -> bytes:
    """Compressed."""
    point: _Point | None = None
    power: _Point | None = _G
    while secret:
        if secret & 1:
            point = _add(point, power)
        power, secret = _add(power, power), secret >> 1
    assert point is not None
    return bytes([2 + (point[1] & 1)]) + point[0].to_bytes(32, "big")


def _hmac(key: bytes, message: bytes) -> bytes:
    return hmac.digest(key, message, "sha512")


_BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"


def _base58_check(text: str) -> bytes:
    number = 0
    if len(text) > 112:  # digits that 82 bytes take
        raise DataError("the extended key is too long")
    for digit in text:
        if digit not in _BASE58:
            raise DataError("the extended key has a character that is not a Base58 digit")
        number = number * 58 + _BASE58.index(digit)
    if number >= 1 << 8 * 82:
        raise DataError("the extended key is too long")
    data = number.to_bytes(82, "big")
    if hashlib.sha256(hashlib.sha256(data[:-4]).digest()).digest()[:4] != data[-4:]:
        raise DataError("the extended key's checksum does not match: it has a typing error")
    return data[:-4]


def parse_hardened_path(path: str) -> list[int]:
    """"m/360h/1h" as [360, 1]. Raises ArgumentError if a step is not hardened."""
    root, *steps = instance(path, str, "path").split("/")
    if root != "m":
        raise ArgumentError(f"path {quoted(path)} does not begin with m/")
    for step in steps:
        number = step[:-1]
        is_number = number.isascii() and number.isdigit() and len(number) <= _MAX_STEP_DIGITS  # int() refuses thousands of digits
        if step[-1:] not in ("h", "'") or not is_number or int(number) >= _HARDENED or number != str(int(number)):
            raise ArgumentError(f"step {quoted(step)} of path {quoted(path)} is not a number below 2^31 with h after it: every step must be hardened")
    return [int(step[:-1]) for step in steps]


def seed_from_phrase(phrase: str, passphrase: str = "", *, check: bool = True) -> bytes:
    """The 64-byte seed of a BIP 39 phrase. Its words and its checksum are checked with the package `mnemonic`, against the English list;
    check=False does without. Raises DataError for a phrase that is wrong."""
    words = unicodedata.normalize("NFKD", phrase).split()
    if len(words) not in (12, 15, 18, 21, 24):
        raise DataError(f"a phrase has 12, 15, 18, 21 or 24 words, not {len(words)}")
    sentence = " ".join(words)
    if check:
        try:
            # Not there for everyone who checks types either
            from mnemonic import Mnemonic  # type: ignore[import-not-found,unused-ignore]  # pylint: disable=import-outside-toplevel
        except ImportError:
            raise ArgumentError("checking a phrase takes the package mnemonic: pip install mnemonic, or check=False") from None
        english = Mnemonic("english")
        for number, word in enumerate(words, 1):
            if word not in english.wordlist:
                raise DataError(f"not a phrase from the English list: word {number} is not there (check=False takes phrases of other languages)")
        if not english.check(sentence):
            raise DataError("the phrase's checksum does not match: a word is wrong, or two are swapped")
    salt = "mnemonic" + unicodedata.normalize("NFKD", passphrase)
    return hashlib.pbkdf2_hmac("sha512", sentence.encode(), salt.encode(), 2048)


class ExtendedKey:
    """A secret of BIP 32 with its chain code.

    >>> from slhconsensus import ExtendedKey
    >>> master = ExtendedKey.from_seed(bytes(range(16)))
    >>> master.fingerprint.hex()
    '3442193e'
    """

    def __init__(self, secret: bytes, chain_code: bytes) -> None:
        """Raises DataError if the secret is none of secp256k1's."""
        if len(secret) != 32 or len(chain_code) != 32:
            raise ArgumentError("secret and chain code have 32 bytes each")
        if not 0 < int.from_bytes(secret, "big") < _N:
            raise DataError("the secret is zero, or not below the order of secp256k1's group")
        self._secret, self._chain_code = bytes(secret), bytes(chain_code)

    def __repr__(self) -> str:
        return f"ExtendedKey(of {self.fingerprint.hex()})"

    @classmethod
    def from_seed(cls, seed: bytes) -> ExtendedKey:
        """The root that a BIP 32 seed of 16 to 64 bytes gives."""
        if not 16 <= len(seed) <= 64:
            raise ArgumentError(f"a BIP 32 seed has 16 to 64 bytes, not {len(seed)}")
        node = _hmac(b"Bitcoin seed", seed)
        return cls(node[:32], node[32:])

    @classmethod
    def from_phrase(cls, phrase: str, passphrase: str = "", *, check: bool = True) -> ExtendedKey:
        """The root that a BIP 39 phrase gives, see seed_from_phrase(), which needs the package `mnemonic` unless check is False."""
        return cls.from_seed(seed_from_phrase(phrase, passphrase, check=check))

    @classmethod
    def from_xprv(cls, text: str) -> ExtendedKey:
        """One in Base58Check, xprv or tprv. Raises DataError."""
        data = _base58_check(text)
        if data[:4] not in (bytes.fromhex("0488ade4"), bytes.fromhex("04358394")) or data[45] != 0:
            raise DataError("not an extended private key (xprv, tprv)")
        if data[4] == 0 and any(data[5:13]):
            raise DataError("the extended key says that it is a root, and also that it has a parent")
        return cls(data[46:], data[13:45])

    def child(self, index: int) -> ExtendedKey:
        """The hardened child."""
        if not 0 <= index < _HARDENED:
            raise ArgumentError(f"index {shown(index)} is not below 2^31")
        node = _hmac(self._chain_code, b"\0" + self._secret + (index | _HARDENED).to_bytes(4, "big"))
        tweak = int.from_bytes(node[:32], "big")
        secret = (tweak + int.from_bytes(self._secret, "big")) % _N
        if tweak >= _N or secret == 0:
            raise DataError(f"BIP 32 gives no key at index {index}: use another")
        return ExtendedKey(secret.to_bytes(32, "big"), node[32:])

    def derive(self, path: str | Sequence[int]) -> ExtendedKey:
        """The key at the end of hardened steps: "m/360h/1h/0h", or their numbers."""
        key = self
        for index in parse_hardened_path(path) if isinstance(path, str) else path:
            key = key.child(index)
        return key

    @property
    def fingerprint(self) -> bytes:
        """The first four bytes of the hash of the public key."""
        return ripemd160(hashlib.sha256(_public_key(int.from_bytes(self._secret, "big"))).digest())[:4]

    def slhdsa_seed(self) -> bytes:
        """SK.seed || SK.prf || PK.seed of this node's SLH-DSA key."""
        return _hmac(DERIVATION_TAG, self._secret + self._chain_code)[:SEED_SIZE]

    def slhdsa_key(self) -> SecretKey:
        """This node's SLH-DSA key."""
        return SecretKey.from_seed(self.slhdsa_seed())

    def schnorr_secret(self) -> bytes:
        """This node's BIP 340 secret key."""
        return self._secret

    def schnorr_public_key(self) -> bytes:
        """This node's BIP 340 public key."""
        return _public_key(int.from_bytes(self._secret, "big"))[1:]

    def key_table(self, path: str, count: int, first: int = 0, key_type: str = TYPE) -> KeyTable:
        """The public keys of hardened children below a path, for ranged descriptors and watch-only use. Raises ArgumentError for an
        unknown key_type, or if count or first leads to no key."""
        key_type_number(key_type)
        if count < 1 or not 0 <= first <= _HARDENED - count:
            raise ArgumentError(f"{shown(count)} keys from index {shown(first)}: a table has 1 or more, with indexes below 2^31")
        steps = parse_hardened_path(path)
        parent = self.derive(steps)
        nodes = (parent.child(index) for index in range(first, first + count))
        keys = [node.schnorr_public_key() if key_type == SCHNORR_TYPE else bytes(node.slhdsa_key().public_key) for node in nodes]
        return KeyTable("/".join([self.fingerprint.hex(), *(f"{step}h" for step in steps)]), keys, first, key_type)


def write_key_table(table: KeyTable, path: PathLike) -> None:
    """Write a table as slhtool derive --table does. Raises FileExistsError if there is a file."""
    write_new(path, json.dumps({"type": table.type, "origin": table.origin, "first": table.first,
                                "public_keys": [key.hex() for key in table.keys]}, indent=2) + "\n")


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("a member is there twice")
    return members


def read_key_table(path: PathLike) -> KeyTable:
    """Read what slhtool derive --table writes. Raises DataError for anything else, and OSError."""
    try:
        content = json.loads(Path(path).read_text(encoding="utf-8"), object_pairs_hook=_members)
        if set(content) != {"type", "origin", "first", "public_keys"}:
            raise ValueError("its members are not those of a table of public keys")
        keys = [bytes.fromhex(key) for key in content["public_keys"]]
        if any(len(key) != 32 for key in keys):
            raise ValueError("a key is not 32 bytes long")
        first = content["first"]
        if type(first) is not int or not 0 <= first < _HARDENED:
            raise ValueError("first is not the number of a key")
        if len(keys) > _HARDENED - first:
            raise ValueError("it has keys beyond the last index")
        if len(set(keys)) < len(keys):
            raise ValueError("it has a key at two indexes")
        if not isinstance(content["origin"], str):
            raise ValueError("its origin is no text")
        key_type_number(content["type"])
        return KeyTable(content["origin"], keys, first, content["type"])
    except (ValueError, TypeError, RecursionError) as error:
        raise DataError(f"{os.fspath(path)}: {error}") from None
