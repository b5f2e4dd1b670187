# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Script: opcodes, decoding, numbers, errors, and which operands each opcode reads."""

from contextlib import contextmanager

MAX_ELEMENT_SIZE = 520
MAX_LARGE_ELEMENT_SIZE = 7857  # limit-element
MAX_STACK_SIZE = 1000
MAX_OPS = 201
MAX_SCRIPT_SIZE = 10000

VALIDATION_WEIGHT_OFFSET = 50  # p2mr-budget
VALIDATION_WEIGHT_PER_SIGOP_PASSED = 50  # opcode-budget

OP_CHECKSIGSLHDSA, OP_CHECKSIGADDSLHDSA = SLHDSA_OPCODES = 0x7F, 0x80

_NAMES = """
4c OP_PUSHDATA1 OP_PUSHDATA2 OP_PUSHDATA4 OP_1NEGATE
61 OP_NOP
63 OP_IF OP_NOTIF OP_VERIF OP_VERNOTIF OP_ELSE OP_ENDIF OP_VERIFY OP_RETURN
6b OP_TOALTSTACK OP_FROMALTSTACK OP_2DROP OP_2DUP OP_3DUP OP_2OVER OP_2ROT OP_2SWAP OP_IFDUP OP_DEPTH OP_DROP OP_DUP OP_NIP
78 OP_OVER OP_PICK OP_ROLL OP_ROT OP_SWAP OP_TUCK
82 OP_SIZE
87 OP_EQUAL OP_EQUALVERIFY
8b OP_1ADD OP_1SUB
8f OP_NEGATE OP_ABS OP_NOT OP_0NOTEQUAL OP_ADD OP_SUB
9a OP_BOOLAND OP_BOOLOR OP_NUMEQUAL OP_NUMEQUALVERIFY OP_NUMNOTEQUAL OP_LESSTHAN OP_GREATERTHAN OP_LESSTHANOREQUAL OP_GREATERTHANOREQUAL
a3 OP_MIN OP_MAX OP_WITHIN OP_RIPEMD160 OP_SHA1 OP_SHA256 OP_HASH160 OP_HASH256 OP_CODESEPARATOR OP_CHECKSIG OP_CHECKSIGVERIFY
ae OP_CHECKMULTISIG OP_CHECKMULTISIGVERIFY OP_NOP1 OP_CHECKLOCKTIMEVERIFY OP_CHECKSEQUENCEVERIFY OP_NOP4 OP_NOP5 OP_NOP6 OP_NOP7 OP_NOP8
b8 OP_NOP9 OP_NOP10 OP_CHECKSIGADD
"""
NAMES = {0: "OP_0", **{0x50 + i: f"OP_{i}" for i in range(1, 17)}}
for _line in _NAMES.split("\n")[1:-1]:
    _first, *_rest = _line.split()
    NAMES.update({int(_first, 16) + i: name for i, name in enumerate(_rest)})
NAMES.update({OP_CHECKSIGSLHDSA: "OP_CHECKSIGSLHDSA", OP_CHECKSIGADDSLHDSA: "OP_CHECKSIGADDSLHDSA"})
CODES = {name: code for code, name in NAMES.items()}

# BIP 342's list; the two opcodes leave it where this document's rules are in force.
OP_SUCCESS = {80, 98, *range(126, 130), *range(131, 135), 137, 138, 141, 142, *range(149, 154), *range(187, 255)}
# Disabled in scripts that are not tapscript, executed or not (scope-legacy).
DISABLED = {*range(0x7E, 0x82), *range(0x83, 0x87), 0x8D, 0x8E, *range(0x95, 0x9A)}

# large-operands: how many operands an opcode has, and which of them it reads (copies, or looks at their bytes), counted from the top of the stack.
# All others are moved, left in place, or signatures. This is the table "Large elements" of the specification; test_reference.py compares the two.
OPERANDS = {
    "OP_IF": (1, {1}), "OP_NOTIF": (1, {1}), "OP_VERIFY": (1, {1}),
    "OP_TOALTSTACK": (1, set()), "OP_2DROP": (2, set()), "OP_2DUP": (2, {1, 2}), "OP_3DUP": (3, {1, 2, 3}),
    "OP_2OVER": (4, {3, 4}), "OP_2ROT": (6, set()), "OP_2SWAP": (4, set()), "OP_IFDUP": (1, {1}), "OP_DROP": (1, set()), "OP_DUP": (1, {1}),
    "OP_NIP": (2, set()), "OP_OVER": (2, {2}), "OP_PICK": (2, {1}), "OP_ROLL": (2, {1}), "OP_ROT": (3, set()), "OP_SWAP": (2, set()),
    "OP_TUCK": (2, {1}), "OP_SIZE": (1, set()), "OP_EQUAL": (2, {1, 2}), "OP_EQUALVERIFY": (2, {1, 2}),
    **{f"OP_{name}": (1, {1}) for name in "1ADD 1SUB NEGATE ABS NOT 0NOTEQUAL".split()},
    **{f"OP_{name}": (2, {1, 2}) for name in "ADD SUB BOOLAND BOOLOR NUMEQUAL NUMEQUALVERIFY NUMNOTEQUAL LESSTHAN GREATERTHAN "
       "LESSTHANOREQUAL GREATERTHANOREQUAL MIN MAX".split()},
    "OP_WITHIN": (3, {1, 2, 3}),
    **{f"OP_{name}": (1, {1}) for name in "RIPEMD160 SHA1 SHA256 HASH160 HASH256 CHECKLOCKTIMEVERIFY CHECKSEQUENCEVERIFY".split()},
    "OP_CHECKSIG": (2, {1, 2}), "OP_CHECKSIGVERIFY": (2, {1, 2}), "OP_CHECKSIGADD": (3, {1, 2, 3}),
    "OP_CHECKSIGSLHDSA": (2, {1}), "OP_CHECKSIGADDSLHDSA": (3, {1, 2}),
}

# Bits of script verification flags, in Bitcoin Core's order, and the two of this document
FLAG_NAMES = ("P2SH STRICTENC DERSIG LOW_S NULLDUMMY SIGPUSHONLY MINIMALDATA DISCOURAGE_UPGRADABLE_NOPS CLEANSTACK CHECKLOCKTIMEVERIFY "
              "CHECKSEQUENCEVERIFY WITNESS DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM MINIMALIF NULLFAIL WITNESS_PUBKEYTYPE CONST_SCRIPTCODE TAPROOT "
              "DISCOURAGE_UPGRADABLE_TAPROOT_VERSION DISCOURAGE_OP_SUCCESS DISCOURAGE_UPGRADABLE_PUBKEYTYPE P2MR SLHDSA SLHDSA_SETS").split()
CONSENSUS_FLAGS = frozenset("P2SH DERSIG NULLDUMMY CHECKLOCKTIMEVERIFY CHECKSEQUENCEVERIFY WITNESS TAPROOT P2MR SLHDSA".split())
STANDARD_FLAGS = frozenset(FLAG_NAMES) - {"SIGPUSHONLY", "SLHDSA_SETS"}


class ScriptError(Exception):
    """The input is invalid. name: Bitcoin Core's, without SCRIPT_ERR_; script: the one that fails, if any does; position, instruction: where in it, if an
    instruction is to blame."""

    def __init__(self, name):
        super().__init__(name)
        self.name, self.script, self.position, self.instruction = name, None, None, None


@contextmanager
def blaming(script):
    """Errors in here are those of this script."""
    try:
        yield
    except ScriptError as error:
        error.script = error.script or script
        raise


class NotModelled(Exception):
    """Something that this model has no rule for: ECDSA signatures, and with them most outputs other than witness programs of version 1 or
    more."""


def require(condition, error):
    if not condition:
        raise ScriptError(error)


def decode(script):
    """The instructions of a script, one by one: opcode, pushed data (None if it pushes none). ScriptError BAD_OPCODE where one cannot be decoded."""
    at = 0
    while at < len(script):
        opcode = script[at]
        at += 1
        if opcode > 0x4E:
            yield opcode, None
            continue
        size = opcode
        if opcode > 0x4B:
            width = 1 << (opcode - 0x4C)
            require(at + width <= len(script), "BAD_OPCODE")
            size = int.from_bytes(script[at:at + width], "little")
            at += width
        require(at + size <= len(script), "BAD_OPCODE")
        yield opcode, script[at:at + size]
        at += size


def instruction_name(opcode, data):
    """As slhtool prints it: data in angle brackets, after the opcode if that is not the shortest one; long data shortened."""
    if data is None or opcode == 0:
        return NAMES.get(opcode) or (f"OP_SUCCESS{opcode}" if opcode in OP_SUCCESS else f"0x{opcode:02x}")
    if len(data) > 64:
        return f"<{data[:6].hex()}..{data[-4:].hex()} {len(data)} bytes>"
    return ("" if opcode == push(data)[0] else NAMES[opcode]) + f"<{data.hex()}>"


def is_minimal_push(opcode, data):
    if len(data) == 0:
        return opcode == 0
    if len(data) == 1 and (1 <= data[0] <= 16 or data[0] == 0x81):
        return False  # OP_1 to OP_16, OP_1NEGATE
    if len(data) <= 75:
        return opcode == len(data)
    return opcode == (0x4C if len(data) < 256 else 0x4D)


def push(data):
    """The script that pushes data, as Bitcoin Core's CScript writes it: never OP_1 to OP_16."""
    if len(data) < 0x4C:
        return bytes([len(data)]) + data
    width = 1 if len(data) < 1 << 8 else 2 if len(data) < 1 << 16 else 4
    return bytes([{1: 0x4C, 2: 0x4D, 4: 0x4E}[width]]) + len(data).to_bytes(width, "little") + data


def encode_number(value):
    if value == 0:
        return b""
    size = abs(value).bit_length() // 8 + 1  # with room for the sign
    return (abs(value) | (0x80 << (8 * (size - 1)) if value < 0 else 0)).to_bytes(size, "little")


def decode_number(element, minimal, max_size=4):
    require(len(element) <= max_size, "SCRIPTNUM")
    if minimal and element:
        require(element[-1] & 0x7F or (len(element) > 1 and element[-2] & 0x80), "SCRIPTNUM")
    value = int.from_bytes(element, "little")
    sign = 1 << (8 * len(element) - 1) if element else 0
    return -(value ^ sign) if value & sign else value


def is_true(element):
    """False: nothing but zero bytes, or those and a last byte 0x80."""
    return any(element[:-1]) or (len(element) > 0 and element[-1] not in (0, 0x80))


def witness_program(script_pubkey):
    """Version and program, or None."""
    if 4 <= len(script_pubkey) <= 42 and script_pubkey[1] == len(script_pubkey) - 2 and (script_pubkey[0] == 0 or 0x51 <= script_pubkey[0] <= 0x60):
        return (script_pubkey[0] - 0x50 if script_pubkey[0] else 0), script_pubkey[2:]
    return None
