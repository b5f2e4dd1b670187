# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Validation of an input: the outer script, witness programs, and what comes before and after the execution of a tapscript."""

from hashlib import sha256

import bip340
from interpreter import BASE, TAPSCRIPT, WITNESS_V0, Input, check_schnorr, execute
from script import (MAX_ELEMENT_SIZE, MAX_LARGE_ELEMENT_SIZE, MAX_STACK_SIZE, OP_SUCCESS, SLHDSA_OPCODES, VALIDATION_WEIGHT_OFFSET, NotModelled,
                    blaming, decode, is_true, push, require, witness_program)
from transaction import ser_witness, tapbranch_hash, tapleaf_hash

ANNEX_TAG = 0x50
TAPSCRIPT_VERSION = 0xC0


def verify_input(tx, spent, index, flags, trace=None):
    """Returns if the input is valid, raises ScriptError if it is not and NotModelled if this model cannot tell. flags: a set of names."""
    this = Input(tx, spent, index, flags, trace)
    script_sig, script_pubkey, witness = tx.inputs[index].script_sig, spent[index].script_pubkey, list(tx.inputs[index].witness)
    stack = []  # p2mr-outer
    with blaming("scriptSig"):
        require("SIGPUSHONLY" not in flags or is_push_only(script_sig), "SIG_PUSHONLY")
        execute(stack, script_sig, this, BASE)
    before = list(stack)
    with blaming("scriptPubKey"):
        execute(stack, script_pubkey, this, BASE)
        require(stack and is_true(stack[-1]), "EVAL_FALSE")

    had_witness = False
    if "WITNESS" in flags and witness_program(script_pubkey):
        had_witness = True
        with blaming("scriptSig"):
            require(not script_sig, "WITNESS_MALLEATED")
        verify_witness_program(this, witness, *witness_program(script_pubkey), native=True)
        stack = stack[:1]
    if "P2SH" in flags and len(script_pubkey) == 23 and script_pubkey[:2] == b"\xa9\x14" and script_pubkey[22] == 0x87:
        with blaming("scriptSig"):
            require(is_push_only(script_sig), "SIG_PUSHONLY")
        stack, redeem_script = before[:-1], before[-1]
        with blaming("redeem script"):
            execute(stack, redeem_script, this, BASE)
            require(stack and is_true(stack[-1]), "EVAL_FALSE")
        if "WITNESS" in flags and witness_program(redeem_script):
            had_witness = True
            with blaming("scriptSig"):
                require(script_sig == push(redeem_script), "WITNESS_MALLEATED_P2SH")
            verify_witness_program(this, witness, *witness_program(redeem_script), native=False)
            stack = stack[:1]
    require("CLEANSTACK" not in flags or len(stack) == 1, "CLEANSTACK")
    require("WITNESS" not in flags or had_witness or not witness, "WITNESS_UNEXPECTED")


def is_push_only(script):
    try:
        return all(opcode <= 0x60 for opcode, _ in decode(script))
    except Exception:
        return False


def verify_witness_program(this, stack, version, program, native):
    flags = this.flags
    if version == 0 and len(program) == 32:
        require(stack, "WITNESS_PROGRAM_WITNESS_EMPTY")
        script = stack.pop()
        require(sha256(script).digest() == program, "WITNESS_PROGRAM_MISMATCH")
        with blaming("witness script"):
            require(all(len(element) <= MAX_ELEMENT_SIZE for element in stack), "PUSH_SIZE")
            execute(stack, script, this, WITNESS_V0)
            check_result(stack)
    elif version == 0 and len(program) == 20:
        require(len(stack) == 2, "WITNESS_PROGRAM_MISMATCH")
        raise NotModelled("ECDSA: a version 0 key hash")
    elif version == 0:
        require(False, "WITNESS_PROGRAM_WRONG_LENGTH")
    elif version == 1 and len(program) == 32 and native:
        if "TAPROOT" in flags:
            verify_p2tr(this, stack, program)
    elif version == 2 and len(program) == 32 and native and "P2MR" in flags:  # scope-p2mr, flag-p2mr
        verify_p2mr(this, stack, program)
    elif not (native and version == 1 and program == b"\x4e\x73"):  # policy-unknown-program, but for pay-to-anchor
        require("DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM" not in flags, "DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM")


def take_annex(this, stack):
    if stack[-1][:1] == bytes([ANNEX_TAG]):
        this.annex = stack.pop()
        this.note(step="annex", annex=this.annex.hex())


def verify_p2tr(this, stack, program):
    """BIP 341"""
    require(stack, "WITNESS_PROGRAM_WITNESS_EMPTY")
    if len(stack) >= 2:
        take_annex(this, stack)
    if len(stack) == 1:
        return check_schnorr(this, stack[0], program, None)
    control, script = stack.pop(), stack.pop()
    require(33 <= len(control) <= 33 + 32 * 128 and len(control) % 32 == 1, "TAPROOT_WRONG_CONTROL_SIZE")
    version = control[0] & 0xFE
    root = merkle_root(this, version, script, control[33:])
    output = bip340.tweak(control[1:33], root)
    require(output == (program, control[0] & 1), "WITNESS_PROGRAM_MISMATCH")
    return verify_leaf(this, stack, version, script)


def verify_p2mr(this, stack, program):
    """BIP 360; the rules p2mr-..."""
    # p2mr-count
    require(len(stack) >= 2 and not (len(stack) == 2 and stack[-1][:1] == bytes([ANNEX_TAG])), "WITNESS_PROGRAM_WITNESS_EMPTY")
    if len(stack) >= 3:  # p2mr-annex
        take_annex(this, stack)
    control, script = stack.pop(), stack.pop()
    # p2mr-control
    require(1 <= len(control) <= 1 + 32 * 128 and len(control) % 32 == 1, "TAPROOT_WRONG_CONTROL_SIZE")
    require(control[0] & 1, "WITNESS_PROGRAM_MISMATCH")
    version = control[0] & 0xFE
    require(merkle_root(this, version, script, control[1:]) == program, "WITNESS_PROGRAM_MISMATCH")  # p2mr-root
    if len(control) == 1:  # p2mr-depth-zero, policy-depth-zero
        return require("DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM" not in this.flags, "DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM")
    return verify_leaf(this, stack, version, script)


def merkle_root(this, version, script, path):
    this.tapleaf_hash = k = tapleaf_hash(version, script)
    branches = []
    for at in range(0, len(path), 32):
        k = tapbranch_hash(k, path[at:at + 32])
        branches.append(k.hex())
    this.note(step="commitment", leaf_version=version, script=script.hex(), leaf_hash=this.tapleaf_hash.hex(), branches=branches, root=k.hex())
    return k


def verify_leaf(this, stack, version, script):
    """p2mr-execute, scope-tapscript"""
    if version != TAPSCRIPT_VERSION:  # scope-leaf-version, policy-leaf-version
        return require("DISCOURAGE_UPGRADABLE_TAPROOT_VERSION" not in this.flags, "DISCOURAGE_UPGRADABLE_TAPROOT_VERSION")
    this.budget = len(ser_witness(this.tx.inputs[this.index].witness)) + VALIDATION_WEIGHT_OFFSET  # p2mr-budget
    this.note(step="tapscript", budget=this.budget)
    with blaming("leaf script"):
        return execute_leaf(this, stack, script)


def execute_leaf(this, stack, script):
    # Before execution: scan-success, scan-decode, scan-contains
    new = set(SLHDSA_OPCODES) if "SLHDSA" in this.flags else set()  # flag-opcodes
    contains = False
    for opcode, _ in decode(script):
        if opcode in OP_SUCCESS - new:  # policy-success
            return require("DISCOURAGE_OP_SUCCESS" not in this.flags, "DISCOURAGE_OP_SUCCESS")
        contains = contains or opcode in new
    require(len(stack) <= MAX_STACK_SIZE, "STACK_SIZE")  # limit-count
    limit = MAX_LARGE_ELEMENT_SIZE if contains else MAX_ELEMENT_SIZE
    require(all(len(element) <= limit for element in stack), "PUSH_SIZE")  # limit-element
    execute(stack, script, this, TAPSCRIPT)
    return check_result(stack)


def check_result(stack):
    """large-result"""
    require(len(stack) == 1, "CLEANSTACK")
    require(len(stack[0]) <= MAX_ELEMENT_SIZE, "PUSH_SIZE")
    require(is_true(stack[0]), "EVAL_FALSE")
