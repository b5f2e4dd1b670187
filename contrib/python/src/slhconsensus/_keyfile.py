# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""The key files of slhtool: {"type": "slh-dsa-sha2-SET", "secret_key": HEX, "public_key": HEX}, or a line of hex alone."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import NoReturn, Union

from .errors import DataError

#: Where a file is.
PathLike = Union[str, "os.PathLike[str]"]

#: Before the name of a parameter set
TYPE_PREFIX = "slh-dsa-sha2-"
SCHNORR_TYPE = "schnorr-bip340"
_MEMBERS = ("type", "secret_key", "public_key")
_MAX_SIZE = 4096


class _Broken(Exception):
    """The fault of a file; no digit of a secret is in the message."""


def _members(pairs: list[tuple[str, object]]) -> dict[str, str]:
    """The members of the object."""
    members: dict[str, str] = {}
    for name, value in pairs:
        if name not in _MEMBERS:
            raise _Broken(f"unknown member {name!r}")
        if name in members:
            raise _Broken(f"duplicate key {name!r}")
        if not isinstance(value, str):
            raise _Broken(f"{name}: not a string")
        members[name] = value
    return members


def _parse(text: str, secret_digits: int, public_digits: int, sets: Iterable[str]) -> tuple[str, dict[str, str]]:
    """secret_digits, public_digits: how many a line of hex alone has. A lone Schnorr secret has as many as a public key."""
    text = text.strip()
    if not text.startswith("{"):
        if len(text) not in (secret_digits, public_digits):
            raise _Broken(f"neither a key file's JSON object nor a line of {secret_digits} hex digits (secret) or {public_digits} (public)")
        return "128s", {"secret_key" if len(text) == secret_digits else "public_key": text}
    try:
        members: dict[str, str] = json.loads(text, object_pairs_hook=_members)
    except (json.JSONDecodeError, RecursionError) as error:
        raise _Broken(f"malformed key file: {error}") from None
    if "type" not in members:
        raise _Broken("no member 'type'")
    for parameter_set in sets:
        if members["type"] == TYPE_PREFIX + parameter_set:
            return parameter_set, members
    known = members["type"] == SCHNORR_TYPE
    raise _Broken(f"holds a key of type {SCHNORR_TYPE}, not {TYPE_PREFIX}SET" if known else
                  f"type: neither {TYPE_PREFIX}SET ({', '.join(sets)}) nor {SCHNORR_TYPE}")


def _hex(members: dict[str, str], name: str, size: int) -> bytes | None:
    if name not in members:
        return None
    digits = members[name]
    try:
        data = bytes.fromhex(digits) if len(digits) == 2 * size and digits.isalnum() else b""
    except ValueError:
        data = b""
    if len(data) != size:
        raise _Broken(f"{name}: not {2 * size} hex digits")
    return data


def read(path: PathLike, secret_size: int, public_size: int, sets: Iterable[str]) -> tuple[str, bytes | None, bytes | None]:
    """The parameter set, the secret key and the public key that a file has. Raises DataError for what is no key file, and OSError."""
    with open(path, "rb") as file:
        content = file.read(_MAX_SIZE + 1)
    try:
        if len(content) > _MAX_SIZE:
            raise _Broken(f"larger than the limit of {_MAX_SIZE} bytes")
        parameter_set, members = _parse(content.decode("utf-8", "replace"), 2 * secret_size, 2 * public_size, sets)
        return parameter_set, _hex(members, "secret_key", secret_size), _hex(members, "public_key", public_size)
    except _Broken as error:
        fail(path, str(error))


def fail(path: PathLike, why: str) -> NoReturn:
    """Raise a DataError that names the file. What led to it is left out: it may have quoted a secret."""
    raise DataError(f"{os.fspath(path)}: {why}") from None


def _text(parameter_set: str, members: dict[str, bytes]) -> str:
    return json.dumps({"type": TYPE_PREFIX + parameter_set, **{name: data.hex() for name, data in members.items()}}, indent=2) + "\n"


def write_new(path: PathLike, content: str, mode: int = 0o666) -> None:
    """Write a file, all of it or none. Raises FileExistsError if there is one: it may hold what cannot be made again."""
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    try:
        with open(fd, "w", encoding="utf-8") as file:
            file.write(content)
            file.flush()
            os.fsync(fd)
    except BaseException:
        Path(path).unlink(missing_ok=True)
        raise


def write_secret(path: PathLike, parameter_set: str, secret_key: bytes, public_key: bytes) -> None:
    """Write a file that only its owner can read. Raises FileExistsError."""
    write_new(path, _text(parameter_set, {"secret_key": secret_key, "public_key": public_key}), 0o600)


def write_public(path: PathLike, parameter_set: str, public_key: bytes) -> None:
    """Write a file that anyone may read. Raises FileExistsError."""
    write_new(path, _text(parameter_set, {"public_key": public_key}))
