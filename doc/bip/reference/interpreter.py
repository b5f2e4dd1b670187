# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Execution of a script: tapscript wholly, and of older scripts everything but ECDSA signatures."""

from hashlib import sha1, sha256

import bip340
import slhdsa
from ripemd160 import ripemd160
from script import (CODES, DISABLED, MAX_ELEMENT_SIZE, MAX_OPS, MAX_SCRIPT_SIZE, MAX_STACK_SIZE, NAMES, OPERANDS, VALIDATION_WEIGHT_PER_SIGOP_PASSED,
                    NotModelled, ScriptError, decode, decode_number, encode_number, instruction_name, is_minimal_push, is_true, require)
from transaction import signature_hash, signature_message

BASE, WITNESS_V0, TAPSCRIPT = "base", "witness_v0", "tapscript"
TRUE, FALSE = b"\x01", b""
KEY_VERSION_BIP340, KEY_VERSION_SLHDSA, KEY_VERSION_SLHDSA_SETS = 0x00, 0x02, 0x03
SET_NUMBERS = {24: slhdsa.SETS["128-24"], 40: slhdsa.SETS["128-q40"]}  # ../parameter-sets.md, as all whose names begin with sets-
CODESEP_NONE = 0xFFFFFFFF


class Input:
    """An input with all that its signatures commit to: the transaction, the outputs that it spends, the annex."""

    def __init__(self, tx, spent, index, flags, trace=None):
        self.tx, self.spent, self.index, self.flags, self.trace = tx, spent, index, flags, trace
        self.annex = None
        self.tapleaf_hash = None
        self.budget = None

    def note(self, **values):
        if self.trace is not None:
            self.trace.append(values)

    def message(self, hash_type, extension):
        """The signature message hash, or None."""
        msg = signature_message(self.tx, self.spent, self.index, hash_type, self.annex, extension)
        if msg is None:
            return None
        self.note(step="message", hash_type=hash_type, msg=msg.hex(), hash=signature_hash(msg).hex())
        return signature_hash(msg)


def check_schnorr(this, signature, key, extension):
    """Signature validation of BIP 341 (key path) and BIP 342."""
    require(len(signature) in (64, 65), "SCHNORR_SIG_SIZE")
    hash_type = 0
    if len(signature) == 65:
        hash_type = signature[64]
        require(hash_type != 0, "SCHNORR_SIG_HASHTYPE")
    message = this.message(hash_type, extension)
    require(message is not None, "SCHNORR_SIG_HASHTYPE")
    valid = bip340.verify(message, key, signature[:64])
    this.note(step="bip340", public_key=key.hex(), valid=valid)
    require(valid, "SCHNORR_SIG")


def check_slhdsa(this, signature, key, extension):
    """opcode-sig-size, opcode-hashtype, opcode-verify, sets-sig-size, sets-verify"""
    params = slhdsa.SLH_DSA_SHA2_128S if len(key) == 32 else SET_NUMBERS[key[0]]
    size = params.signature_size
    require(len(signature) in (size, size + 1), "SLHDSA_SIG_SIZE")
    hash_type = 0
    if len(signature) == size + 1:
        hash_type = signature[-1]
        require(hash_type != 0, "SLHDSA_SIG_HASHTYPE")
    message = this.message(hash_type, extension)
    require(message is not None, "SLHDSA_SIG_HASHTYPE")
    trace = None if this.trace is None else {}
    valid = slhdsa.slh_verify(message, signature[:size], b"", key[-32:], trace, params)  # message-verify
    this.note(step="slhdsa", public_key=key.hex(), **(trace or {}), valid=valid)
    require(valid, "SLHDSA_SIG")


def check_signature(this, signature, key, codesep, key_version):
    """The common part of tapscript's signature opcodes: budget, key types, the empty signature. Returns the result, 0 or 1."""
    if signature:
        this.budget -= VALIDATION_WEIGHT_PER_SIGOP_PASSED  # opcode-budget
        require(this.budget >= 0, "TAPSCRIPT_VALIDATION_WEIGHT")
    require(key, "TAPSCRIPT_EMPTY_PUBKEY")  # opcode-key-empty
    if key_version == KEY_VERSION_SLHDSA and "SLHDSA_SETS" in this.flags and len(key) == 33 and key[0] in SET_NUMBERS:  # sets-flag, sets-key
        key_version = KEY_VERSION_SLHDSA_SETS  # sets-message
    elif len(key) != 32:  # opcode-key-unknown, policy-pubkey
        require("DISCOURAGE_UPGRADABLE_PUBKEYTYPE" not in this.flags, "DISCOURAGE_UPGRADABLE_PUBKEYTYPE")
        return 1 if signature else 0
    if signature:
        extension = this.tapleaf_hash + bytes([key_version]) + codesep.to_bytes(4, "little")  # message-fields
        (check_schnorr if key_version == KEY_VERSION_BIP340 else check_slhdsa)(this, signature, key, extension)
    return 1 if signature else 0  # opcode-sig-empty


def check_locktime(tx, this_input, locktime):
    """BIP 65"""
    return ((tx.locktime < 500_000_000) == (locktime < 500_000_000) and locktime <= tx.locktime and this_input.sequence != 0xFFFFFFFF)


def check_sequence(tx, this_input, sequence):
    """BIP 112"""
    disable, by_time, mask = 1 << 31, 1 << 22, (1 << 22) | 0xFFFF
    if tx.version < 2 or this_input.sequence & disable:
        return False
    required, actual = sequence & mask, this_input.sequence & mask
    return (required < by_time) == (actual < by_time) and required <= actual


def hash160(data):
    return ripemd160(sha256(data).digest())


UNARY = {
    "OP_1ADD": lambda a: a + 1, "OP_1SUB": lambda a: a - 1, "OP_NEGATE": lambda a: -a, "OP_ABS": abs, "OP_NOT": lambda a: a == 0,
    "OP_0NOTEQUAL": lambda a: a != 0,
}
BINARY = {
    "OP_ADD": lambda a, b: a + b, "OP_SUB": lambda a, b: a - b, "OP_BOOLAND": lambda a, b: a != 0 and b != 0, "OP_BOOLOR": lambda a, b: a != 0 or b != 0,
    "OP_NUMEQUAL": lambda a, b: a == b, "OP_NUMEQUALVERIFY": lambda a, b: a == b, "OP_NUMNOTEQUAL": lambda a, b: a != b,
    "OP_LESSTHAN": lambda a, b: a < b, "OP_GREATERTHAN": lambda a, b: a > b, "OP_LESSTHANOREQUAL": lambda a, b: a <= b,
    "OP_GREATERTHANOREQUAL": lambda a, b: a >= b, "OP_MIN": min, "OP_MAX": max,
}
HASHES = {
    "OP_RIPEMD160": ripemd160, "OP_SHA1": lambda x: sha1(x).digest(), "OP_SHA256": lambda x: sha256(x).digest(), "OP_HASH160": hash160,
    "OP_HASH256": lambda x: sha256(sha256(x).digest()).digest(),
}
# Opcodes that move, drop, copy or leave elements: the operands on the left become the elements on the right, x1 being the first (deepest)
# operand.
STACK_OPS = {
    "OP_2DROP": "1 2 >", "OP_2DUP": "1 2 > 1 2 1 2", "OP_3DUP": "1 2 3 > 1 2 3 1 2 3", "OP_2OVER": "1 2 3 4 > 1 2 3 4 1 2",
    "OP_2ROT": "1 2 3 4 5 6 > 3 4 5 6 1 2", "OP_2SWAP": "1 2 3 4 > 3 4 1 2", "OP_DROP": "1 >", "OP_DUP": "1 > 1 1", "OP_NIP": "1 2 > 2",
    "OP_OVER": "1 2 > 1 2 1", "OP_ROT": "1 2 3 > 2 3 1", "OP_SWAP": "1 2 > 2 1", "OP_TUCK": "1 2 > 2 1 2",
}


class Execution:
    """One script on one stack."""

    def __init__(self, stack, script, this, sigversion):
        self.stack, self.script, self.this, self.sigversion = stack, script, this, sigversion
        self.altstack = []
        self.branches = []  # whether each open OP_IF executes
        self.codesep = CODESEP_NONE
        self.minimal = "MINIMALDATA" in this.flags

    def run(self):
        if self.sigversion != TAPSCRIPT:
            require(len(self.script) <= MAX_SCRIPT_SIZE, "SCRIPT_SIZE")
        ops, position, opcode, data = 0, 0, None, None
        try:
            for opcode, data in decode(self.script):
                require(data is None or len(data) <= MAX_ELEMENT_SIZE, "PUSH_SIZE")  # limit-push
                if self.sigversion != TAPSCRIPT:
                    ops += opcode > CODES["OP_16"]
                    require(ops <= MAX_OPS, "OP_COUNT")
                    require(opcode not in DISABLED, "DISABLED_OPCODE")  # scope-legacy
                if opcode == CODES["OP_CODESEPARATOR"] and self.sigversion == BASE:
                    require("CONST_SCRIPTCODE" not in self.this.flags, "OP_CODESEPARATOR")
                executing = all(self.branches)
                if data is not None:
                    if executing:
                        require(not self.minimal or is_minimal_push(opcode, data), "MINIMALDATA")  # policy-minimaldata
                        self.stack.append(data)
                elif executing or CODES["OP_IF"] <= opcode <= CODES["OP_ENDIF"]:  # opcode-unexecuted
                    self.execute(opcode, position, executing)
                require(len(self.stack) + len(self.altstack) <= MAX_STACK_SIZE, "STACK_SIZE")  # limit-stack
                position, opcode = position + 1, None
        except ScriptError as error:
            error.position, error.instruction = position, "OP_INVALIDOPCODE" if opcode is None else instruction_name(opcode, data)
            raise
        require(not self.branches, "UNBALANCED_CONDITIONAL")

    def pop(self):
        return self.stack.pop()

    def push(self, element):
        self.stack.append(element)

    def push_number(self, value):
        self.stack.append(encode_number(int(value)))

    def number(self, element, max_size=4):
        return decode_number(element, self.minimal, max_size)

    def operands(self, name):
        """large-order: their number first, then whether one that is read is large."""
        count, read = OPERANDS.get(name, (0, ()))
        require(len(self.stack) >= count, "INVALID_STACK_OPERATION")  # opcode-depth
        if name != "OP_CHECKSIGADDSLHDSA":  # which has an order of its own
            require(all(len(self.stack[-i]) <= MAX_ELEMENT_SIZE for i in read), "PUSH_SIZE")
        return count

    def execute(self, opcode, position, executing):
        name, stack, flags = NAMES.get(opcode), self.stack, self.this.flags
        if 0x51 <= opcode <= 0x60:
            return self.push_number(opcode - 0x50)
        if name in ("OP_CHECKLOCKTIMEVERIFY", "OP_CHECKSEQUENCEVERIFY") and name[3:] not in flags:
            return None
        if name in ("OP_IF", "OP_NOTIF") and not executing:
            return self.branches.append(False)
        if self.sigversion != TAPSCRIPT and name == "OP_CHECKSIGADD":
            raise ScriptError("BAD_OPCODE")
        count = self.operands(name)

        if name == "OP_1NEGATE":
            self.push_number(-1)
        elif name == "OP_NOP":
            pass
        elif name in ("OP_NOP1", "OP_NOP4", "OP_NOP5", "OP_NOP6", "OP_NOP7", "OP_NOP8", "OP_NOP9", "OP_NOP10"):
            require("DISCOURAGE_UPGRADABLE_NOPS" not in flags, "DISCOURAGE_UPGRADABLE_NOPS")
        elif name in ("OP_IF", "OP_NOTIF"):
            if self.sigversion == TAPSCRIPT:
                require(stack[-1] in (FALSE, TRUE), "TAPSCRIPT_MINIMALIF")
            elif self.sigversion == WITNESS_V0 and "MINIMALIF" in flags:
                require(stack[-1] in (FALSE, TRUE), "MINIMALIF")
            self.branches.append(is_true(self.pop()) == (name == "OP_IF"))
        elif name == "OP_ELSE":
            require(self.branches, "UNBALANCED_CONDITIONAL")
            self.branches[-1] = not self.branches[-1]
        elif name == "OP_ENDIF":
            require(self.branches, "UNBALANCED_CONDITIONAL")
            self.branches.pop()
        elif name == "OP_VERIFY":
            require(is_true(self.pop()), "VERIFY")
        elif name == "OP_RETURN":
            raise ScriptError("OP_RETURN")
        elif name == "OP_CHECKLOCKTIMEVERIFY":
            locktime = self.number(stack[-1], 5)
            require(locktime >= 0, "NEGATIVE_LOCKTIME")
            require(check_locktime(self.this.tx, self.this.tx.inputs[self.this.index], locktime), "UNSATISFIED_LOCKTIME")
        elif name == "OP_CHECKSEQUENCEVERIFY":
            sequence = self.number(stack[-1], 5)
            require(sequence >= 0, "NEGATIVE_LOCKTIME")
            require(sequence & (1 << 31) or check_sequence(self.this.tx, self.this.tx.inputs[self.this.index], sequence), "UNSATISFIED_LOCKTIME")

        elif name == "OP_TOALTSTACK":
            self.altstack.append(self.pop())
        elif name == "OP_FROMALTSTACK":
            require(self.altstack, "INVALID_ALTSTACK_OPERATION")
            self.push(self.altstack.pop())
        elif name in STACK_OPS:
            operands = stack[len(stack) - count:]
            stack[len(stack) - count:] = [operands[int(i) - 1] for i in STACK_OPS[name].split(">")[1].split()]
        elif name == "OP_IFDUP":
            if is_true(stack[-1]):
                self.push(stack[-1])
        elif name == "OP_DEPTH":
            self.push_number(len(stack))
        elif name in ("OP_PICK", "OP_ROLL"):  # large-pick-roll
            n = self.number(self.pop())
            require(0 <= n < len(stack), "INVALID_STACK_OPERATION")
            if name == "OP_PICK":
                require(len(stack[-n - 1]) <= MAX_ELEMENT_SIZE, "PUSH_SIZE")
                self.push(stack[-n - 1])
            else:
                self.push(stack.pop(-n - 1))
        elif name == "OP_SIZE":
            self.push_number(len(stack[-1]))

        elif name in ("OP_EQUAL", "OP_EQUALVERIFY"):
            equal = self.pop() == self.pop()
            if name == "OP_EQUAL":
                self.push_number(equal)
            else:
                require(equal, "EQUALVERIFY")
        elif name in UNARY:
            value = self.number(stack[-1])
            self.pop()
            self.push_number(UNARY[name](value))
        elif name in BINARY:
            a, b = self.number(stack[-2]), self.number(stack[-1])
            del stack[-2:]
            if name == "OP_NUMEQUALVERIFY":
                require(a == b, "NUMEQUALVERIFY")
            else:
                self.push_number(BINARY[name](a, b))
        elif name == "OP_WITHIN":
            value, low, high = (self.number(element) for element in stack[-3:])
            del stack[-3:]
            self.push_number(low <= value < high)

        elif name in HASHES:
            self.push(HASHES[name](self.pop()))
        elif name == "OP_CODESEPARATOR":
            self.codesep = position
        elif self.sigversion == TAPSCRIPT and name in ("OP_CHECKSIG", "OP_CHECKSIGVERIFY", "OP_CHECKSIGADD"):
            self.signature_opcode(name, KEY_VERSION_BIP340)
        elif self.sigversion == TAPSCRIPT and name in ("OP_CHECKSIGSLHDSA", "OP_CHECKSIGADDSLHDSA"):
            self.signature_opcode(name, KEY_VERSION_SLHDSA)
        elif name in ("OP_CHECKSIG", "OP_CHECKSIGVERIFY", "OP_CHECKMULTISIG", "OP_CHECKMULTISIGVERIFY"):
            require(self.sigversion != TAPSCRIPT, "TAPSCRIPT_CHECKMULTISIG")
            raise NotModelled(f"{name} outside of tapscript")
        else:
            raise ScriptError("BAD_OPCODE")
        return None

    def signature_opcode(self, name, key_version):
        stack = self.stack
        key = stack[-1]
        if name in ("OP_CHECKSIGADD", "OP_CHECKSIGADDSLHDSA"):
            require(len(stack[-2]) <= MAX_ELEMENT_SIZE, "PUSH_SIZE")  # opcode-num
            signature, number = stack[-3], self.number(stack[-2])
            require(len(key) <= MAX_ELEMENT_SIZE, "PUSH_SIZE")  # opcode-key-large
            result = check_signature(self.this, signature, key, self.codesep, key_version)
            del stack[-3:]
            return self.push_number(number + result)  # opcode-result
        result = check_signature(self.this, stack[-2], key, self.codesep, key_version)
        del stack[-2:]
        if name == "OP_CHECKSIGVERIFY":
            return require(result, "CHECKSIGVERIFY")
        return self.push_number(result)


def execute(stack, script, this, sigversion):
    """Executes a script; the stack is changed. ScriptError if it fails."""
    Execution(stack, script, this, sigversion).run()
