# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Scripts: built from opcodes, numbers and bytes, and taken apart."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Union

from ._library import whole_number
from .errors import DataError
from .opcodes import OP_0, OP_1NEGATE, OP_PUSHDATA1, OP_PUSHDATA2, OP_PUSHDATA4, OP_RESERVED, CScriptOp

__all__ = ["CScript", "ScriptItem", "push", "push_number", "script_number"]

#: What a script is made of: an opcode, a number to be pushed, or bytes to be pushed.
ScriptItem = Union[CScriptOp, int, bytes, bytearray]


def script_number(number: int) -> bytes:
    """A number as Script has it: little-endian, the sign in the highest bit, as short as it can be; 0 is nothing."""
    if whole_number(number, "number") == 0:
        return b""
    size = (abs(number).bit_length() + 8) // 8
    made = bytearray(abs(number).to_bytes(size, "little"))
    if number < 0:
        made[-1] |= 0x80
    return bytes(made)


def script_number_opcode(number: int) -> CScriptOp:
    """OP_0 or OP_1 to OP_16. Raises ValueError if there is none for the number."""
    if not 0 <= number <= 16:
        raise ValueError(f"no opcode pushes {number}")
    return CScriptOp(OP_RESERVED + number) if number else OP_0


def push(data: bytes) -> bytes:
    """A push of data with the shortest length prefix (never OP_1 and the like)."""
    size = len(data)
    if size < OP_PUSHDATA1:
        return bytes([size]) + data
    if size <= 0xFF:
        return bytes([OP_PUSHDATA1, size]) + data
    if size <= 0xFFFF:
        return bytes([OP_PUSHDATA2]) + size.to_bytes(2, "little") + data
    return bytes([OP_PUSHDATA4]) + size.to_bytes(4, "little") + data


def push_number(number: int) -> bytes:
    """The shortest push of a number: OP_0, OP_1NEGATE, OP_1 to OP_16, or its bytes."""
    if whole_number(number, "number") == -1:
        return bytes([OP_1NEGATE])
    if 0 <= number <= 16:
        return bytes([script_number_opcode(number)])
    return push(script_number(number))


class CScript(bytes):
    """A script: bytes that can be made from, and taken apart into, opcodes and pushes.

    >>> from slhconsensus import CScript, OP_CHECKSEQUENCEVERIFY, OP_DROP, OP_TRUE
    >>> script = CScript([144, OP_CHECKSEQUENCEVERIFY, OP_DROP, OP_TRUE])
    >>> script.hex()
    '029000b27551'
    >>> list(script)
    [b'\\x90\\x00', OP_CHECKSEQUENCEVERIFY, OP_DROP, OP_1]
    """

    __slots__ = ()

    def __new__(cls, value: Union[bytes, bytearray, memoryview, Iterable[ScriptItem]] = b"") -> CScript:
        """value: the script's bytes, or opcodes, numbers and bytes to push."""
        if isinstance(value, (bytes, bytearray, memoryview)):
            return super().__new__(cls, value)
        if isinstance(value, str):
            raise TypeError("a script is made from bytes or items; for text, see parse_script()")
        return super().__new__(cls, b"".join(map(cls._item, value)))

    @staticmethod
    def _item(item: ScriptItem) -> bytes:
        if isinstance(item, CScriptOp):
            return bytes([item])
        if isinstance(item, CScript):
            raise TypeError("a script cannot be an item of a script: push bytes(script), or join the two with +")
        if isinstance(item, (bytes, bytearray)):
            return push(bytes(item))
        if isinstance(item, int) and not isinstance(item, bool):
            return push_number(item)
        raise TypeError(f"a script is made of opcodes, numbers and bytes, not of {type(item).__name__}")

    def __add__(self, other: bytes) -> CScript:  # type: ignore[override]
        return CScript(super().__add__(other))

    def raw_iter(self) -> Iterator[tuple[CScriptOp, bytes, int]]:
        """Each instruction: opcode, what it pushes, and the position after it. Raises DataError where one is cut off."""
        position = 0
        while position < len(self):
            start = position
            opcode = CScriptOp(self[position])
            position += 1
            data = b""
            if opcode <= OP_PUSHDATA4:
                size = int(opcode)
                if opcode >= OP_PUSHDATA1:
                    length = 1 << (opcode - OP_PUSHDATA1)
                    size = int.from_bytes(self[position:position + length], "little")
                    if position + length > len(self):
                        raise DataError(f"the push at position {start} of the script is cut off")
                    position += length
                if position + size > len(self):
                    raise DataError(f"the push at position {start} of the script is cut off")
                data = bytes(self[position:position + size])
                position += size
            yield opcode, data, position

    def __iter__(self) -> Iterator[Union[CScriptOp, bytes]]:  # type: ignore[override]
        for opcode, data, _ in self.raw_iter():
            yield data if OP_0 < opcode <= OP_PUSHDATA4 else opcode

    def __repr__(self) -> str:
        return f"CScript(bytes.fromhex('{self.hex()}'))"
