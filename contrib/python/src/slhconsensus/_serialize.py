# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Bitcoin's serialization: numbers, strings and lists, written and read."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Callable
from typing import TypeVar

from ._library import Buffer, as_bytes, integer, whole_number
from .errors import ArgumentError, DataError, counted, quoted, shown

_T = TypeVar("_T")


def sha256d(data: bytes) -> bytes:
    """SHA-256 of SHA-256."""
    return hashlib.sha256(hashlib.sha256(data).digest()).digest()


def hash_from_hex(text: str) -> bytes:
    """A transaction or block id as displayed, turned into the order in which it is hashed."""
    try:
        made = bytes.fromhex(text)[::-1]
    except ValueError as error:
        raise DataError(f"{quoted(text)} is not hex: {error}") from None
    if len(made) != 32:
        raise DataError(f"{quoted(text)} has {counted(len(made), 'byte')}, not the 32 of an id")
    return made


def ser_compact_size(number: int) -> bytes:
    """Bitcoin's variable-length number."""
    if number < 0xFD:
        return struct.pack("<B", number)
    if number <= 0xFFFF:
        return struct.pack("<BH", 0xFD, number)
    if number <= 0xFFFFFFFF:
        return struct.pack("<BI", 0xFE, number)
    return struct.pack("<BQ", 0xFF, number)


def ser_string(data: bytes) -> bytes:
    """Bytes with their size in front."""
    return ser_compact_size(len(data)) + data


def ser_u32(number: int, name: str) -> bytes:
    """A number of four bytes. Raises ArgumentError if it does not fit."""
    return struct.pack("<I", integer(number, name, 32))


def ser_i64(number: int, name: str) -> bytes:
    """A signed number of eight bytes. Raises ArgumentError if it does not fit."""
    if not -(1 << 63) <= whole_number(number, name) < 1 << 63:
        raise ArgumentError(f"{name} is {shown(number)}, not between -2^63 and 2^63 - 1")
    return struct.pack("<q", number)


class Reader:
    """Takes serialized data apart, and says where it is malformed."""

    def __init__(self, data: Buffer) -> None:
        self._data = as_bytes(data, "data")
        self._position = 0

    def take(self, size: int, what: str) -> bytes:
        """The next size bytes."""
        end = self._position + size
        if end > len(self._data):
            raise DataError(f"{what}: expected {size} bytes at position {self._position}, but {len(self._data) - self._position} are left")
        taken = self._data[self._position:end]
        self._position = end
        return taken

    def u32(self, what: str) -> int:
        """A number of four bytes."""
        return int.from_bytes(self.take(4, what), "little")

    def i64(self, what: str) -> int:
        """A signed number of eight bytes."""
        return int.from_bytes(self.take(8, what), "little", signed=True)

    def compact_size(self, what: str) -> int:
        """A variable-length number, which must have its shortest form."""
        position = self._position
        first = self.take(1, what)[0]
        if first < 0xFD:
            return first
        size = 1 << (first - 0xFC)
        number = int.from_bytes(self.take(size, what), "little")
        if len(ser_compact_size(number)) != 1 + size:
            raise DataError(f"{what}: the number at position {position} is longer than necessary")
        return number

    def string(self, what: str) -> bytes:
        """Bytes with their size in front."""
        return self.take(self.compact_size(what), what)

    def vector(self, read: Callable[[], _T], what: str) -> list[_T]:
        """Elements with their number in front."""
        # Each element takes a byte at least, so a number without its elements costs nothing.
        return [read() for _ in range(self.compact_size(what))]

    def peek(self, size: int) -> bytes:
        """The next bytes, which stay where they are; fewer at the end."""
        return self._data[self._position:self._position + size]

    def finish(self, what: str) -> None:
        """Raise DataError if anything is left."""
        left = len(self._data) - self._position
        if left:
            raise DataError(f"{what}: {counted(left, 'byte')} after its end")


def from_hex(text: str, what: str) -> bytes:
    """Bytes in hex. Raises DataError, which says of what."""
    try:
        return bytes.fromhex(text)
    except ValueError as error:
        raise DataError(f"{what}: not hex: {error}") from None
