# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""The readable script language of slhtool: scripts as people write and read them.

A script is a row of items:

    OP_CHECKSIGSLHDSA          an opcode by name
    <00ff>, <@alice>           a push of these bytes, or of a key by name, with the shortest length prefix; <> is OP_0
    OP_PUSHDATA1<00ff>         the same with a given prefix
    144, -1                    a push of a number: OP_0, OP_1NEGATE, OP_1 to OP_16, or its bytes
    0x51ff                     raw bytes of script, whatever they mean

and shorthands, where KEY is 64 hex digits, 66 of an SLH-DSA key with the number of its parameter set in front, or @NAME:

    pk_slhdsa(KEY)             <KEY> OP_CHECKSIGSLHDSA
    pk_schnorr(KEY)            <KEY> OP_CHECKSIG
    multi_slhdsa(k,KEY,...)    k signatures of these keys, all different, with OP_CHECKSIGADDSLHDSA
    multi_schnorr(k,KEY,...)   k signatures of these keys, all different, with OP_CHECKSIGADD
    hybrid(KEY,KEY)            an SLH-DSA and a Schnorr signature, of these keys in this order
    after(n)                   not before this height (1 to 499999999) or time (500000000 to 4294967294, seconds
                               since 1970): n OP_CHECKLOCKTIMEVERIFY OP_DROP
    older(n)                   not before the coin is this old: 1 to 65535 blocks, or 4194304 plus 1 to 65535 units
                               of 512 seconds: n OP_CHECKSEQUENCEVERIFY OP_DROP
    sha256(H)                  the preimage of H: OP_SHA256 <H> OP_EQUALVERIFY

A shorthand that would not do what it says is refused; the same written in opcodes is a script like any other.
Where slhtool has @FILE, there is @NAME here, of a key that the caller names.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from .errors import DataError, counted, quoted
from .keys import PublicKey
from .opcodes import (OP_CHECKLOCKTIMEVERIFY, OP_CHECKSEQUENCEVERIFY, OP_CHECKSIG, OP_CHECKSIGADD, OP_CHECKSIGADDSLHDSA,
                      OP_CHECKSIGSLHDSA, OP_DROP, OP_EQUALVERIFY, OP_INVALIDOPCODE, OP_NUMEQUAL, OP_PUSHDATA1, OP_PUSHDATA4, OP_SHA256,
                      OP_VERIFY, OPCODE_NAMES, OPCODES_BY_NAME, CScriptOp)
from .script import CScript, ScriptItem, push, push_number, script_number
from .transaction import SEQUENCE_LOCKTIME_DISABLE_FLAG, SEQUENCE_LOCKTIME_TYPE_FLAG
from .verify import LeafFeatures, scan_leaf

__all__ = ["Keys", "format_script", "parse_hex", "parse_script"]

#: What keys are looked up in: by name, without the @. An SLH-DSA key is as a script has it (PublicKey.element).
Keys = Mapping[str, bytes]

_KEY_SIZE = 32
_HASH_SIZE = 32
_MAX_TEXT = 8 << 20
_MAX_MULTI_KEYS = 999  # the initial stack holds 1000 elements at most
_MAX_NUMBER = (1 << 39) - 1  # beyond this a script cannot read it back as a number
_MAX_LOCK_TIME_SIZE = 5
_LOCKTIME_THRESHOLD = 500_000_000  # nLockTime below it is a height, else a time
_MAX_LOCK_TIME = 0xFFFFFFFE  # a block's time has 32 bits and must lie behind it
_SEQUENCE_LOCKTIME_MASK = 0xFFFF
_SECP256K1_P = 2**256 - 2**32 - 977

_SPACES = " \t\r\n"  # Python's strip() takes more for white space than slhtool does
_SPACE = re.compile(f"[{_SPACES}]*")
_WORD = re.compile(r"-?[A-Za-z0-9_]+")
_NUMBER = re.compile(r"-?[0-9]+")
_PUSHDATA = {f"OP_PUSHDATA{1 << i}": (OP_PUSHDATA1 + i, 1 << i) for i in range(3)}
_NAMES = {name: opcode for name, opcode in OPCODES_BY_NAME.items()
          if opcode not in range(OP_PUSHDATA1, OP_PUSHDATA4 + 1) and opcode != OP_INVALIDOPCODE}
#: What tapscript calls the opcodes that are left to soft forks; the library knows which these are.
_SUCCESS_NAMES = {byte: f"OP_SUCCESS{byte}" for byte in range(256) if scan_leaf(bytes([byte])) & LeafFeatures.OP_SUCCESS}
_NAMES.update({name: CScriptOp(byte) for byte, name in _SUCCESS_NAMES.items()})


def parse_hex(text: str, size: int | None = None) -> bytes:
    """Bytes in hex, without spaces. Raises DataError."""
    if len(text) % 2 or not re.fullmatch(r"[0-9a-fA-F]*", text):  # a group that is repeated takes memory for each repetition
        raise DataError(f"{quoted(text)} is not hex")
    if size is not None and len(text) != 2 * size:
        raise DataError(f"{quoted(text)} has {counted(len(text) // 2, 'byte')}, not {size}")
    return bytes.fromhex(text)


def _number(text: str, maximum: int) -> int:
    if not re.fullmatch(r"[0-9]+", text) or len(text) > 20:
        raise DataError(f"{quoted(text)} is not a whole number, 0 or more")
    if int(text) > maximum:
        raise DataError(f"{quoted(text)} is more than {maximum}")
    return int(text)


def _after(text: str) -> int:
    """A height or time that a coin can wait for."""
    number = _number(text, 2**64 - 1)
    if not 1 <= number <= _MAX_LOCK_TIME:
        raise DataError(f"after({number}): {'would wait forever' if number else 'would not wait at all'}; it takes a height, 1 to {_LOCKTIME_THRESHOLD - 1}, or a time in "
                        f"seconds since 1970, {_LOCKTIME_THRESHOLD} to {_MAX_LOCK_TIME}")
    return number


def _older(text: str) -> int:
    """An age that BIP 68 knows. It looks at 17 bits: 65536 would be no wait at all, and 70000 one of 4464 blocks."""
    number = _number(text, 2**64 - 1)
    amount = number & _SEQUENCE_LOCKTIME_MASK
    if amount == 0 or number & ~(SEQUENCE_LOCKTIME_TYPE_FLAG | _SEQUENCE_LOCKTIME_MASK):
        plural = "" if amount == 1 else "s"
        meaning = f"{amount} unit{plural} of 512 s" if number & SEQUENCE_LOCKTIME_TYPE_FLAG else f"{amount} block{plural}"
        if amount == 0 or number & SEQUENCE_LOCKTIME_DISABLE_FLAG:
            meaning = "no wait at all"
        raise DataError(f"older({number}): under BIP 68 this is {meaning}; it takes 1 to "
                        f"{_SEQUENCE_LOCKTIME_MASK} blocks, or a time: {SEQUENCE_LOCKTIME_TYPE_FLAG} plus 1 to {_SEQUENCE_LOCKTIME_MASK} units of 512 s")
    return number


def _is_schnorr_key(key: bytes) -> bool:
    """True if it is the x coordinate of a point of secp256k1: y^2 = x^3 + 7. Half of all values are not."""
    x = int.from_bytes(key, "big")
    return x < _SECP256K1_P and pow(x**3 + 7, (_SECP256K1_P - 1) // 2, _SECP256K1_P) == 1


class _Parser:
    def __init__(self, text: str, keys: Keys) -> None:
        self._text = text
        self._keys = keys
        self._position = 0

    def parse(self) -> CScript:
        script = bytearray()
        while True:
            self._position = _SPACE.match(self._text, self._position).end()  # type: ignore[union-attr]
            if self._position == len(self._text):
                return CScript(script)
            start = self._position
            try:
                script += self._item()
            except DataError as error:
                raise DataError(f"position {start}: {error}") from None

    def _peek(self) -> str:
        return self._text[self._position:self._position + 1]

    def _item(self) -> bytes:
        if self._peek() == "<":
            return push(self._push_argument())
        match = _WORD.match(self._text, self._position)
        if match is None:
            raise DataError(f"{self._peek()!r} is not expected here")
        self._position = match.end()
        word = match[0]
        if self._peek() == "(":
            return self._shorthand(word, self._arguments())
        if self._peek() == "<":
            item = self._push_with_prefix(word, self._push_argument())
        elif word.startswith("0x"):
            item = parse_hex(word[2:])
        elif word.startswith("OP_"):
            if word not in _NAMES:
                raise DataError(f"{quoted(word)} is not an opcode")
            item = bytes([_NAMES[word]])
        else:
            item = self._pushed_number(word)
        if self._peek() not in ("", *_SPACES, "<"):
            raise DataError(f"{self._peek()!r} is not expected here")
        return item

    def _until(self, closing: str, opening: str) -> str:
        end = self._text.find(closing, self._position)
        if end < 0:
            raise DataError(f"missing {closing!r} after {opening!r}")
        taken = self._text[self._position + 1:end]
        self._position = end + 1
        return taken

    def _push_argument(self) -> bytes:
        argument = self._until(">", "<")
        return self._named_key(argument) if argument.startswith("@") else parse_hex(argument.strip(_SPACES))

    def _named_key(self, argument: str) -> bytes:
        name = argument[1:]
        if name not in self._keys:
            raise DataError(f"no key is named {quoted(name)} (known: {', '.join(self._keys) or 'none'})")
        return self._keys[name]

    def _slhdsa_key(self, argument: str) -> bytes:
        named = argument.startswith("@")
        key = self._named_key(argument) if named else parse_hex(argument) if len(argument) == 2 * _KEY_SIZE + 2 else b""
        return PublicKey.from_element(key).element if len(key) == _KEY_SIZE + 1 else self._key(argument)

    def _key(self, argument: str) -> bytes:
        key = self._named_key(argument) if argument.startswith("@") else parse_hex(argument, _KEY_SIZE)
        if len(key) != _KEY_SIZE:
            raise DataError(f"{quoted(argument)} has {counted(len(key), 'byte')}, not {_KEY_SIZE}")
        return key

    def _schnorr_key(self, argument: str) -> bytes:
        key = self._key(argument)
        if not _is_schnorr_key(key):
            raise DataError(f"{quoted(argument)} is not the x coordinate of a point on secp256k1: nobody could sign")
        return key

    def _arguments(self) -> list[str]:
        return [argument.strip(_SPACES) for argument in self._until(")", "(").split(",")]

    @staticmethod
    def _pushed_number(word: str) -> bytes:
        if not _NUMBER.fullmatch(word):
            raise DataError(f"{quoted(word)} is neither an opcode, a number nor a shorthand (bytes to push are written <00ff>)")
        if len(word) > 20 or abs(int(word)) > _MAX_NUMBER:
            raise DataError(f"{quoted(word)} does not fit into five bytes")
        return push_number(int(word))

    @staticmethod
    def _push_with_prefix(word: str, data: bytes) -> bytes:
        if word not in _PUSHDATA:
            raise DataError(f"{quoted(word)} before '<' is not OP_PUSHDATA1, 2 or 4")
        opcode, length = _PUSHDATA[word]
        if len(data) >> 8 * length:
            raise DataError(f"{word} cannot push {len(data)} bytes")
        return bytes([opcode]) + len(data).to_bytes(length, "little") + data

    def _shorthand(self, name: str, arguments: list[str]) -> bytes:
        counts = {"pk_slhdsa": 1, "pk_schnorr": 1, "hybrid": 2, "after": 1, "older": 1, "sha256": 1}
        if name in counts and len(arguments) != counts[name]:
            raise DataError(f"{name}() takes {counted(counts[name], 'argument')}, not {len(arguments)}")
        items: list[ScriptItem]
        match name:
            case "pk_slhdsa":
                items = [self._slhdsa_key(arguments[0]), OP_CHECKSIGSLHDSA]
            case "pk_schnorr":
                items = [self._schnorr_key(arguments[0]), OP_CHECKSIG]
            case "hybrid":
                slhdsa, schnorr = self._slhdsa_key(arguments[0]), self._schnorr_key(arguments[1])
                if slhdsa == schnorr:
                    raise DataError("hybrid(): both keys are the same 32 bytes; the first must be an SLH-DSA key, the second a Schnorr key")
                items = [slhdsa, OP_CHECKSIGSLHDSA, OP_VERIFY, schnorr, OP_CHECKSIG]
            case "after":
                items = [_after(arguments[0]), OP_CHECKLOCKTIMEVERIFY, OP_DROP]
            case "older":
                items = [_older(arguments[0]), OP_CHECKSEQUENCEVERIFY, OP_DROP]
            case "sha256":
                items = [OP_SHA256, parse_hex(arguments[0], _HASH_SIZE), OP_EQUALVERIFY]
            case "multi_slhdsa" | "multi_schnorr":
                items = self._multi(name, arguments[0], arguments[1:])
            case _:
                raise DataError(f"{quoted(name)} is not a shorthand (pk_slhdsa, pk_schnorr, multi_slhdsa, multi_schnorr, hybrid, after, older, sha256)")
        return CScript(items)

    def _multi(self, name: str, needed: str, keys: list[str]) -> list[ScriptItem]:
        if not 1 <= len(keys) <= _MAX_MULTI_KEYS:
            raise DataError(f"{name}() takes a number and 1 to {_MAX_MULTI_KEYS} keys")
        slhdsa = name == "multi_slhdsa"
        first, then = (OP_CHECKSIGSLHDSA, OP_CHECKSIGADDSLHDSA) if slhdsa else (OP_CHECKSIG, OP_CHECKSIGADD)
        count = _number(needed, 2**63 - 1)
        if count > len(keys):
            raise DataError(f"{name}(): {counted(count, 'signature')} of {counted(len(keys), 'key')}")
        if count == 0:
            raise DataError(f"{name}(): with 0 signatures needed, anyone could spend")
        items: list[ScriptItem] = []
        seen: dict[bytes, int] = {}
        for i, argument in enumerate(keys):
            key = self._slhdsa_key(argument) if slhdsa else self._schnorr_key(argument)
            if key in seen:
                raise DataError(f"{name}(): arguments {seen[key] + 2} and {i + 2} are the same key, so its signature would count twice")
            seen[key] = i
            items += [key, then if i else first]
        return [*items, count, OP_NUMEQUAL]


def parse_script(text: str, keys: Keys | None = None) -> CScript:
    """The script that text spells. Raises DataError that names the position of the item that is wrong.

    keys: what @NAME stands for.

    >>> from slhconsensus import parse_script
    >>> parse_script("after(500000) <@alice> OP_CHECKSIGSLHDSA", {"alice": bytes(32)}).hex()
    '0320a107b1752000000000000000000000000000000000000000000000000000000000000000007f'
    """
    if len(text) > _MAX_TEXT:
        raise DataError(f"the script has more than {_MAX_TEXT} characters")
    return _Parser(text, keys or {}).parse()


def _lock_time(opcode: CScriptOp, data: bytes, after: CScriptOp | None) -> int | None:
    """The number that a lock time's push holds; None if the number would be pushed otherwise."""
    if after not in (OP_CHECKLOCKTIMEVERIFY, OP_CHECKSEQUENCEVERIFY) or opcode >= OP_PUSHDATA1:
        return None
    if not 0 < len(data) <= _MAX_LOCK_TIME_SIZE:
        return None
    number = int.from_bytes(data[:-1] + bytes([data[-1] & 0x7F]), "little") * (-1 if data[-1] & 0x80 else 1)
    if script_number(number) != data or -1 <= number <= 16:
        return None
    return number


def format_script(script: bytes) -> str:
    """A script in this language; parse_script() reads the same bytes back. What does not decode at its end is raw bytes.

    >>> from slhconsensus import format_script
    >>> format_script(bytes.fromhex("029000b27551"))
    '144 OP_CHECKSEQUENCEVERIFY OP_DROP OP_1'
    """
    instructions: list[tuple[CScriptOp, bytes]] = []
    rest = 0
    try:
        for opcode, data, position in CScript(script).raw_iter():
            instructions.append((opcode, data))
            rest = position
    except DataError:
        pass
    items = []
    for i, (opcode, data) in enumerate(instructions):
        after = instructions[i + 1][0] if i + 1 < len(instructions) else None
        items.append(_format_instruction(opcode, data, after))
    if rest < len(script):
        items.append(f"0x{script[rest:].hex()}")
    return " ".join(items)


def _format_instruction(opcode: CScriptOp, data: bytes, after: CScriptOp | None) -> str:
    if 0 < opcode <= OP_PUSHDATA4:
        number = _lock_time(opcode, data, after)
        if number is not None:
            return str(number)
        made = f"<{data.hex()}>"
        return made if push(data)[0] == opcode else f"OP_PUSHDATA{1 << (opcode - OP_PUSHDATA1)}{made}"
    name = _SUCCESS_NAMES.get(opcode) or OPCODE_NAMES.get(opcode, "")
    return name if name in _NAMES else f"0x{int(opcode):02x}"
