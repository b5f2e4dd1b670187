#!/usr/bin/env python3
# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Writes the test vectors, spends.json, parameter-sets.json and slhdsa.json, and clauses.md, the table of which rule is shown by which vector.

Everything is made by the reference model from a seed (spends.py), by functions here and by the recipes of the folder spends (recipes.py); it takes some minutes, as each signature takes seconds.

  make_vectors.py [--check]     --check: compare with the files instead of writing them (exit status 1 if they differ)

It names each vector that the model judges otherwise than it was made for, and then writes nothing (exit status 2)."""

import argparse
import json
import re
import sys
from itertools import count
from pathlib import Path

from spends import LARGE, MENTION, SchnorrKey, Sign, SlhKey, asm, cached_sign, derive, spend, unchecked, with_zeros

import bip340
import recipes
import slhdsa
import verify
from interpreter import HASHES, KEY_VERSION_SLHDSA, SET_NUMBERS, hash160
from script import CODES, CONSENSUS_FLAGS, FLAG_NAMES, OPERANDS, OP_SUCCESS, SLHDSA_OPCODES, STANDARD_FLAGS, decode, encode_number, push
from transaction import ser_witness, tapbranch_hash, tapleaf_hash

HERE = Path(__file__).resolve().parent
TEXT, SETS_TEXT = HERE.parent / "bip-slhdsa-tapscript.mediawiki", HERE.parent / "parameter-sets.md"
WITH_SETS, STANDARD_WITH_SETS = (",".join(name for name in FLAG_NAMES if name in flags | {"SLHDSA_SETS"}) for flags in (CONSENSUS_FLAGS, STANDARD_FLAGS))
ALICE, BOB, CAROL = SlhKey("alice"), SlhKey("bob"), SlhKey("carol")
DAVE = SchnorrKey("dave")
SIG = slhdsa.SIGNATURE_SIZE
CHECK = asm("$key CHECKSIGSLHDSA", key=ALICE.public)
BIG = bytes([1]) * LARGE
BOTH = ("p2mr", "p2tr")
vectors = []
wrong = []  # what the model says of a vector, if that is not what it was made for


def add(clauses, name, expected, script, stack, comment="", at=None, coins=None, **options):
    """A vector; expected: None for valid, or the script error. at: the instruction that fails, if one does, by its position, counted from the end if
    negative; by default the first one that is no push of a constant."""
    name = f"{clauses.split()[0]}/{name}"
    script = asm(script) if isinstance(script, str) else script
    data = spend(coins or name, script, stack, **options)
    tx, spent, flags = verify.load(data)
    result = verify.verify_one(tx, spent, data["input"], flags, True)
    error = result.get("error", "").replace("SCRIPT_ERR_", "") or None
    if result["valid"] is None or error != expected:
        wrong.append(f"{name}: expected {expected or 'VALID'}, the model says {error or 'VALID' if result['valid'] is not None else 'nothing'}")
        return
    if at is None and "opcode_pos" in result:
        at = next(i for i, (opcode, _) in enumerate(decode(script)) if opcode > CODES["OP_16"])
    elif at is not None and at < 0:
        at += sum(1 for _ in decode(script))
    if result.get("opcode_pos") != at:
        wrong.append(f"{name}: made for instruction {at}, fails at {result.get('opcode_pos')}")
    vector = {"name": name, "clauses": clauses.split(), **({"comment": comment} if comment else {}), **data,
              "error": "SCRIPT_ERR_" + error if error else None}
    if "opcode_pos" in result:
        vector["opcode_pos"] = result["opcode_pos"]
    vector["trace"] = result["trace"]
    vectors.append(vector)


def budgeted(left, script, stack, output="p2mr", annex=None, charge="1 <02> CHECKSIGSLHDSA DROP ", **options):
    """Script and stack: as few checks that are charged and do nothing else as will do, then the script, and at the bottom of the stack a filler by which so
    many units are left for the script."""
    script = asm(script) if isinstance(script, str) else script
    above = [element if isinstance(element, bytes) else bytes(element.size) for element in stack]
    below = [bytes(33 if output == "p2mr" else 65)] + ([] if annex is None else [annex])
    for n in count():
        whole = asm(charge) * n + script
        missing = left + 50 * n - 50 - len(ser_witness([b"", *above, whole, *below]))
        size = missing if missing < 253 else missing - 2
        if 0 <= size <= 520 and missing not in (253, 254):
            return {"script": whole, "stack": [bytes(size), *stack], "output": output, "annex": annex, **options}


def flip(at, bit=1):
    """An edit of a byte string: one bit."""
    return lambda data: data[:at] + bytes([data[at] ^ bit]) + data[at + 1:]


def where_the_rules_apply():
    for output in BOTH:
        add("scope-tapscript message-fields message-verify opcode-sig-size opcode-verify opcode-result", output, None, CHECK, [Sign(ALICE)], output=output)
        add("scope-tapscript opcode-verify", f"{output}-wrong-key", "SLHDSA_SIG", CHECK, [Sign(BOB)], output=output)
        add("scope-leaf-version", output, None, CHECK, [b""], output=output, leaf_version=0xC2)
        add("policy-leaf-version", f"{output}-c0", None, "1", [], output=output, flags="standard")
        add("policy-leaf-version", output, "DISCOURAGE_UPGRADABLE_TAPROOT_VERSION", CHECK, [b""], output=output, leaf_version=0xC2, flags="standard")
        for name, script, stack in (("undecodable", "0x4c", []), ("element-of-7858-bytes", "0", [bytes(7858)]), ("1001-elements", "0", [b""] * 1001)):
            add("scope-leaf-version", f"{output}-{name}", None, script, stack, output=output, leaf_version=0xC2)
    add("scope-tapscript", "p2tr-no-element", "WITNESS_PROGRAM_WITNESS_EMPTY", "1", [], output="p2tr", edit_witness=lambda _: [])
    for name, expected, signature, options in (("", None, Sign(DAVE), {}), ("-83", None, Sign(DAVE, 0x83), {}), ("-with-annex", None, Sign(DAVE), {"annex": b"\x50"}),
                                               ("-wrong", "SCHNORR_SIG", Sign(DAVE, edit=flip(40)), {}), ("-as-slhdsa", "SCHNORR_SIG_SIZE", bytes(SIG), {}), ("-empty", "SCHNORR_SIG_SIZE", b"", {}), ("-like-an-annex", "SCHNORR_SIG", b"\x50" * 64, {})):
        add("scope-tapscript", "p2tr-key-path" + name, expected, b"", [signature], output="key", key=DAVE, **options)
    for depth, script, expected in ((0, "1", None), (0, "0", "EVAL_FALSE"), (1, "1", None)):
        add("scope-tapscript", f"p2tr-depth-{depth}-{'true' if expected is None else 'false'}", expected, script, [], output="p2tr", depth=depth)
    add("scope-tapscript", "p2tr-annex-and-no-other-element", None, "1", [], output="p2tr", annex=b"\x50")
    mismatch = "WITNESS_PROGRAM_MISMATCH"
    for name, edit in (("parity", flip(0)), ("internal-key", flip(1)), ("path", flip(33)), ("leaf-version", flip(0, 2))):
        add("scope-tapscript", f"p2tr-other-{name}", mismatch, "1", [], output="p2tr", edit_control=edit)
    for size in (32, 34):
        add("scope-tapscript", f"p2tr-control-block-of-{size}-bytes", "TAPROOT_WRONG_CONTROL_SIZE", "1", [], output="p2tr", edit_control=lambda c, size=size: c[:size])
    for name in ("CHECKSIGSLHDSA", "CHECKSIGADDSLHDSA"):
        opcode = bytes([CODES["OP_" + name]])
        for where, script, at in (("executed", b"\x51" + opcode, 1), ("unexecuted", asm("0 IF") + opcode + asm("ENDIF 1"), 2)):
            add("scope-legacy", f"{name}-bare-{where}", "DISABLED_OPCODE", b"", [], output=script, at=at)
            add("scope-legacy", f"{name}-v0-{where}", "DISABLED_OPCODE", b"", [script], output=b"\x00\x20" + slhdsa.sha256(script).digest(), at=at)
            add("scope-legacy", f"{name}-p2sh-{where}", "DISABLED_OPCODE", b"", [], output=b"\xa9\x14" + hash160(script) + b"\x87", script_sig=push(script), edit_witness=lambda _: [], at=at)
        add("scope-legacy", f"{name}-after-return", "OP_RETURN", b"", [], output=b"\x6a" + opcode, at=0, comment="it is not reached")
    program = b"\x52\x20" + derive("wrapped")
    add("scope-p2mr", "wrapped-in-p2sh", None, b"", [b""], output=b"\xa9\x14" + hash160(program) + b"\x87", script_sig=push(program))
    taproot = b"\x51\x20" + derive("wrapped")
    add("scope-tapscript", "p2tr-wrapped-in-p2sh", None, b"", [b""], output=b"\xa9\x14" + hash160(taproot) + b"\x87", script_sig=push(taproot))
    add("scope-p2mr", "wrapped-in-p2sh-discouraged", "DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM", b"", [b""], output=b"\xa9\x14" + hash160(program) + b"\x87",
        script_sig=push(program), flags="standard")
    for size in (2, 20, 31, 33, 40):
        add("scope-p2mr", f"program-of-{size}-bytes", None, b"", [], output=b"\x52" + push(b"\x01" * size))
    add("scope-p2mr", "program-of-31-bytes-discouraged", "DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM", b"", [], output=b"\x52" + push(b"\x01" * 31), flags="standard")
    anchor = b"\x51\x02\x4e\x73"
    for name, output in (("version-1-of-31-bytes", b"\x51" + push(b"\x01" * 31)), ("version-2-of-2-bytes", b"\x52" + push(b"\x01" * 2)), ("version-2-of-40-bytes", b"\x52" + push(b"\x01" * 40)),
                         ("version-16-of-32-bytes", b"\x60" + push(b"\x01" * 32)), ("version-1-of-4e74", b"\x51\x02\x4e\x74"), ("version-2-of-4e73", b"\x52\x02\x4e\x73")):
        add("policy-unknown-program", name, "DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM", b"", [], output=output, flags="standard")
    add("policy-unknown-program", "pay-to-anchor-wrapped-in-p2sh", "DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM", b"", [b""], output=b"\xa9\x14" + hash160(anchor) + b"\x87",
        script_sig=push(anchor), flags="standard")
    add("policy-unknown-program", "pay-to-anchor", None, b"", [], output=anchor, flags="standard")
    add("policy-unknown-program", "version-1-without-taproot", None, b"", [], output=b"\x51" + push(b"\x01" * 32), flags="P2SH,WITNESS,P2MR,SLHDSA,DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM")
    for size in (1, 41):
        add("scope-p2mr", f"a-push-of-{size}-bytes", "WITNESS_UNEXPECTED", b"", [b""], output=b"\x52" + push(b"\x01" * size), comment="no witness program")
    add("scope-p2mr", "a-program-and-an-opcode", "WITNESS_UNEXPECTED", b"", [b""], output=program + b"\x61")
    for version, clause in ((2, "scope-p2mr"), (1, "scope-tapscript")):
        by_pushdata = bytes([0x50 + version]) + b"\x4c" + program[1:]
        add(clause, f"op-{version}-and-a-pushdata1", None, b"", [], output=by_pushdata, comment="no witness program")
        add(clause, f"op-{version}-and-a-pushdata1-with-a-witness", "WITNESS_UNEXPECTED", b"", [b""], output=by_pushdata)
    add("scope-p2mr", "a-pushdata1-of-the-root", "WITNESS_UNEXPECTED", "1", [], edit_output=lambda output: b"\x52\x4c" + output[1:])
    add("scope-p2mr", "a-nop-and-a-push", "WITNESS_UNEXPECTED", b"", [b""], output=b"\x61\x20" + b"\x01" * 32, comment="no witness program")
    add("scope-p2mr", "version-3", None, b"", [], output=b"\x53\x20" + b"\x01" * 32)
    without_p2mr = "P2SH,WITNESS,TAPROOT,SLHDSA"
    add("flag-p2mr", "off", None, "0", [], flags=without_p2mr)
    add("flag-p2mr p2mr-outer", "off-program-of-zeros", "EVAL_FALSE", "1", [], edit_output=lambda _: b"\x52\x20" + bytes(32), flags=without_p2mr)
    add("flag-p2mr", "on-without-witness", None, "0", [], script_sig=b"\x51", flags="P2SH,TAPROOT,P2MR,SLHDSA")
    add("flag-p2mr", "on", "EVAL_FALSE", "0", [], flags="P2SH,WITNESS,TAPROOT,P2MR,SLHDSA")
    add("flag-p2mr", "off-discouraged", "DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM", "1", [], flags=without_p2mr + ",DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM")
    add("flag-p2mr", "on-without-taproot", "EVAL_FALSE", "0", [], flags="P2SH,WITNESS,P2MR,SLHDSA")
    add("flag-opcodes", "on-without-taproot", "SLHDSA_SIG", CHECK, [Sign(BOB)], flags="P2SH,WITNESS,P2MR,SLHDSA")
    for output in BOTH:
        for opcode in ("7f", "80"):
            add("flag-opcodes", f"{output}-{opcode}-off", None, f"0x{opcode}", [BIG], output=output, flags="P2SH,WITNESS,TAPROOT,P2MR")
            add("flag-opcodes", f"{output}-{opcode}-on", "PUSH_SIZE" if opcode == "7f" else "INVALID_STACK_OPERATION", f"0x{opcode}",
                [b"", BIG], output=output)
    add("flag-opcodes flag-p2mr", "p2tr-without-p2mr-limit", None, b"\x75" + MENTION + b"\x51", [BIG], output="p2tr", flags=without_p2mr)
    add("flag-opcodes flag-p2mr", "p2tr-without-p2mr-7f", "PUSH_SIZE", "0x7f", [b"", BIG], output="p2tr", flags=without_p2mr)
    add("flag-opcodes", "off-limit", "PUSH_SIZE", "DROP 1", [BIG], flags="P2SH,WITNESS,TAPROOT,P2MR")


def p2mr():
    def keep(n):
        return lambda witness: witness[len(witness) - n:]

    add("p2mr-count", "no-element", "WITNESS_PROGRAM_WITNESS_EMPTY", "1", [], edit_witness=lambda _: [])
    add("p2mr-count", "one-element", "WITNESS_PROGRAM_WITNESS_EMPTY", "1", [], edit_witness=keep(1))
    add("p2mr-count", "annex-for-control-block", "WITNESS_PROGRAM_WITNESS_EMPTY", "1", [], edit_witness=lambda w: [w[0], b"\x50" + w[1][1:]])
    add("p2mr-count", "annex-alone-of-two", "WITNESS_PROGRAM_WITNESS_EMPTY", "1", [], edit_witness=lambda w: [w[0], b"\x50"])
    add("p2mr-count", "two-elements", None, "1", [])
    add("p2mr-outer", "scriptsig", "WITNESS_MALLEATED", "1", [], script_sig=b"\x51")
    add("p2mr-outer", "scriptsig-and-other-root", "WITNESS_MALLEATED", "1", [], script_sig=b"\x51", edit_control=flip(32))
    add("p2mr-outer", "scriptsig-fails", "OP_RETURN", "1", [], script_sig=b"\x6a", at=0)
    add("p2mr-outer", "scriptsig-of-998-elements", "WITNESS_MALLEATED", "1", [], script_sig=b"\x51" * 998)
    add("p2mr-outer", "scriptsig-of-999-elements", "STACK_SIZE", "1", [], script_sig=b"\x51" * 999, at=1, comment="the scriptPubKey pushes two more")
    add("p2mr-outer", "scriptsig-and-program-of-zeros", "EVAL_FALSE", "1", [], script_sig=b"\x51", edit_output=lambda _: b"\x52\x20" + bytes(32))
    add("p2mr-outer", "program-of-zeros", "EVAL_FALSE", "1", [], edit_output=lambda _: b"\x52\x20" + bytes(32))
    add("p2mr-outer", "program-of-negative-zero", "EVAL_FALSE", "1", [], edit_output=lambda _: b"\x52\x20" + bytes(31) + b"\x80")
    add("p2mr-outer", "program-of-zeros-but-one", "WITNESS_PROGRAM_MISMATCH", "1", [], edit_output=lambda _: b"\x52\x20" + b"\x01" + bytes(31))
    add("p2mr-annex", "of-one-byte", None, "1", [], annex=b"\x50")
    add("p2mr-annex", "of-8000-bytes", None, "1", [], annex=b"\x50" + bytes(7999))
    add("p2mr-annex message-fields", "of-one-byte-signed", None, CHECK, [Sign(ALICE)], annex=b"\x50")
    add("p2mr-annex", "of-four-bytes-signed", None, CHECK, [Sign(ALICE)], annex=b"\x50abc")
    add("p2mr-annex message-fields", "of-521-bytes-signed", None, CHECK, [Sign(ALICE)], annex=b"\x50" + bytes(520))
    add("p2mr-annex", "added-after-signing", "SLHDSA_SIG", CHECK, [Sign(ALICE)], edit_witness=lambda w: w + [b"\x50abc"])
    add("p2mr-annex", "changed-after-signing", "SLHDSA_SIG", CHECK, [Sign(ALICE)], annex=b"\x50abc", edit_witness=lambda w: w[:-1] + [b"\x50abd"])
    add("p2mr-annex", "with-a-script-of-521-bytes", None, b"\x61" * 520 + b"\x51", [], annex=b"\x50")
    add("p2mr-annex", "not-0x50", "TAPROOT_WRONG_CONTROL_SIZE", "1", [], annex=b"\x51abc")
    add("p2mr-annex", "empty-last-element", "TAPROOT_WRONG_CONTROL_SIZE", "1", [], annex=b"")
    add("p2mr-annex", "then-a-second", "TAPROOT_WRONG_CONTROL_SIZE", "1", [], annex=b"\x50", edit_witness=lambda w: w[:-1] + [b"\x50\x01", w[-1]])
    add("p2mr-control", "path-of-128", None, "1", [], depth=128)
    add("p2mr-control", "path-of-129", "TAPROOT_WRONG_CONTROL_SIZE", "1", [], depth=129)
    add("p2mr-control", "empty", "TAPROOT_WRONG_CONTROL_SIZE", "1", [], edit_control=lambda c: b"")
    for size in (2, 32, 34, 64):
        add("p2mr-control", f"of-{size}-bytes", "TAPROOT_WRONG_CONTROL_SIZE", "1", [], edit_control=lambda c, size=size: (c + c)[:size])
    add("p2mr-control", "low-bit-0", "WITNESS_PROGRAM_MISMATCH", "1", [], edit_control=flip(0))
    add("p2mr-control", "low-bit-0-path-of-2", "WITNESS_PROGRAM_MISMATCH", "1", [], depth=2, edit_control=flip(0))
    add("p2mr-control", "low-bit-0-wrong-size", "TAPROOT_WRONG_CONTROL_SIZE", "1", [], edit_control=lambda c: flip(0)(c)[:-1])
    add("p2mr-control", "low-bit-0-depth-zero", "WITNESS_PROGRAM_MISMATCH", "1", [], depth=0, edit_control=flip(0))
    for depth in (1, 2, 3, 8):
        add("p2mr-root", f"depth-{depth}", None, "1", [], depth=depth)
    leaf = tapleaf_hash(0xC0, asm("1"))
    add("p2mr-root", "branch-of-equal-hashes", None, "1", [], edit_control=lambda c: c[:1] + leaf, edit_output=lambda _: b"\x52\x20" + tapbranch_hash(leaf, leaf))
    add("p2mr-root", "path-changed", "WITNESS_PROGRAM_MISMATCH", "1", [], edit_control=flip(32))
    add("p2mr-root", "script-changed", "WITNESS_PROGRAM_MISMATCH", "1", [], edit_witness=lambda w: [b"\x52", *w[1:]])
    add("p2mr-root", "leaf-version-changed", "WITNESS_PROGRAM_MISMATCH", "1", [], edit_control=flip(0, 2))
    add("p2mr-root", "p2tr-control-block", "WITNESS_PROGRAM_MISMATCH", "1", [], edit_control=lambda c: c[:1] + derive("key") + c[1:])
    add("p2mr-control p2mr-execute", "leaf-version-50", None, "0", [], leaf_version=0x50, comment="the control block begins with 0x51, so it is no annex")
    for size in (65535, 65536):
        add("p2mr-root", f"script-of-{size}-bytes", None, b"\x61" * (size - 1) + b"\x51", [])
    add("p2mr-root", "long-script", None, b"\x61" * 300 + b"\x51", [])
    for script, what in ((b"\x00", "false"), (asm("RETURN"), "return"), (b"\x4c", "undecodable"), (b"", "empty")):
        add("p2mr-depth-zero", what, None, script, [], depth=0, comment="nothing is executed: anyone can spend")
    add("p2mr-depth-zero", "with-annex", None, "0", [], depth=0, annex=b"\x50")
    add("p2mr-depth-zero", "1001-elements", None, "0", [b""] * 1001, depth=0)
    add("p2mr-depth-zero", "element-of-7858-bytes", None, "0", [bytes(7858)], depth=0)
    add("p2mr-depth-zero", "other-leaf-version", None, "0", [], depth=0, leaf_version=0xC2,
        flags="P2SH,WITNESS,TAPROOT,P2MR,DISCOURAGE_UPGRADABLE_TAPROOT_VERSION")
    add("p2mr-depth-zero policy-success", "op-success", None, "0x50", [], depth=0, flags="P2SH,WITNESS,TAPROOT,P2MR,DISCOURAGE_OP_SUCCESS")
    add("p2mr-depth-zero", "root-differs", "WITNESS_PROGRAM_MISMATCH", "0", [], depth=0, edit_witness=lambda w: [b"\x51", w[1]])
    add("policy-depth-zero", "refused", "DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM", "1", [], depth=0, flags="standard")
    add("policy-depth-zero", "root-differs", "WITNESS_PROGRAM_MISMATCH", "1", [], depth=0, edit_witness=lambda w: [b"\x52", w[1]], flags="standard")
    add("policy-depth-zero", "depth-one", None, "1", [], flags="standard")
    add("p2mr-execute", "true", None, "1", [])
    add("p2mr-execute", "false", "EVAL_FALSE", "0", [])
    add("p2mr-execute", "empty-script", None, b"", [b"\x01"])
    add("p2mr-execute", "empty-script-false", "EVAL_FALSE", b"", [b""])
    add("p2mr-execute", "script-of-10001-bytes", None, b"\x61" * 10000 + b"\x51", [])
    add("p2mr-execute", "initial-stack", None, "<02> EQUALVERIFY <01> EQUAL", [b"\x01", b"\x02"], annex=b"\x50")
    add("p2mr-execute", "initial-stack-order", "EQUALVERIFY", "<02> EQUALVERIFY <01> EQUAL", [b"\x02", b"\x01"])
    # The leaf is tapscript: rules of BIP 342 and of what it takes over.
    for name, expected, script, stack in (
            ("minimalif-01", None, "IF 1 ENDIF", [b"\x01"]), ("minimalif-02", "TAPSCRIPT_MINIMALIF", "IF 1 ENDIF", [b"\x02"]),
            ("minimalif-0100", "TAPSCRIPT_MINIMALIF", "IF 1 ENDIF", [b"\x01\x00"]), ("minimalif-notif-00", "TAPSCRIPT_MINIMALIF", "NOTIF 1 ENDIF", [b"\x00"]),
            ("minimalif-notif-0100", "TAPSCRIPT_MINIMALIF", "NOTIF ELSE 1 ENDIF", [b"\x01\x00"]),
            ("if-without-element", "INVALID_STACK_OPERATION", "IF 1 ENDIF", []), ("notif-without-element", "INVALID_STACK_OPERATION", "NOTIF 1 ENDIF", []),
            ("if-nested", None, "1 IF 0 IF RETURN ELSE 0 NOTIF 0 IF RETURN ELSE 1 ENDIF ELSE RETURN ENDIF ENDIF ELSE RETURN ENDIF", []),
            ("if-nested-unexecuted", None, "0 IF 1 IF RETURN ELSE RETURN ENDIF RETURN ELSE 1 ENDIF", []),
            ("if-nested-else-unexecuted", None, "0 IF IF ELSE IF ELSE RETURN ENDIF ENDIF ENDIF 1", []),
            ("if-nested-20-deep", None, "0 IF RETURN ELSE " * 20 + "1 " + "ENDIF " * 20, []),
            ("if-without-endif", "UNBALANCED_CONDITIONAL", "1 1 IF", []), ("else-without-if", "UNBALANCED_CONDITIONAL", "1 ELSE", []),
            ("endif-without-if", "UNBALANCED_CONDITIONAL", "1 ENDIF", []), ("else-twice", None, "1 IF 1 ELSE 0 ELSE ENDIF", []),
            ("numequalverify", None, "1 1 NUMEQUALVERIFY 1", []), ("numequalverify-unequal", "NUMEQUALVERIFY", "1 2 NUMEQUALVERIFY 1", []),
            ("within-low", None, "1 1 3 WITHIN", []), ("within-high", "EVAL_FALSE", "3 1 3 WITHIN", []), ("within-below", "EVAL_FALSE", "0 1 3 WITHIN", []),
            ("checkmultisig", "TAPSCRIPT_CHECKMULTISIG", "0 0 0 CHECKMULTISIG", []), ("checkmultisigverify", "TAPSCRIPT_CHECKMULTISIG", "0 0 0 CHECKMULTISIGVERIFY 1", []),
            ("return", "OP_RETURN", "1 RETURN", []), ("equalverify-unequal", "EQUALVERIFY", "1 2 EQUALVERIFY 1", []),
            ("opcode-ff", "BAD_OPCODE", "1 0xff", []), ("no-element-left", "CLEANSTACK", "NOP", [])):
        add("p2mr-execute", name, expected, script, stack)
    for name, script in (("", "CODESEPARATOR 1"), ("-unexecuted", "0 IF CODESEPARATOR ENDIF 1")):
        add("p2mr-execute", f"codeseparator{name}-standard", None, script, [], flags="standard", comment="refused by policy in older scripts alone")
    check_verify = asm("$key CHECKSIGVERIFY 1", key=DAVE.public)
    add("p2mr-execute", "checksigverify", None, check_verify, [Sign(DAVE)])
    add("p2mr-execute", "checksigverify-empty", "CHECKSIGVERIFY", check_verify, [b""])
    late, by_time = "UNSATISFIED_LOCKTIME", 500_000_000
    for name, expected, locktime, wanted, sequence in (
            ("reached", None, 100, 100, 0), ("not-reached", late, 99, 100, 0), ("final-input", late, 100, 100, 0xFFFFFFFF),
            ("time-reached", None, by_time, by_time, 0), ("time-not-reached", late, by_time, by_time + 1, 0),
            ("time-for-height", late, by_time, 100, 0), ("height-for-time", late, by_time - 1, by_time, 0), ("negative", "NEGATIVE_LOCKTIME", 100, -1, 0),
            ("zero", None, 0, 0, 0), ("last-height", None, by_time - 1, by_time - 1, 0), ("time-for-last-height", late, by_time, by_time - 1, 0)):
        add("p2mr-execute", f"cltv-{name}", expected, push(encode_number(wanted)) + asm("CHECKLOCKTIMEVERIFY DROP"), [b"\x01"], locktime=locktime, sequence=sequence)
    def other_sequence(sequence):
        return lambda tx, spent: (tx._replace(inputs=[tx.inputs[0]._replace(sequence=sequence), *tx.inputs[1:]]), spent)

    add("p2mr-execute", "cltv-sequence-fffffffe", None, "100 CHECKLOCKTIMEVERIFY DROP 1", [], locktime=100, sequence=0xFFFFFFFE)
    for name, expected, opcode, sequence, other in (
            ("cltv-other-input-final", None, "CHECKLOCKTIMEVERIFY", 0, 0xFFFFFFFF), ("cltv-other-input-not-final", late, "CHECKLOCKTIMEVERIFY", 0xFFFFFFFF, 0),
            ("csv-other-input-too-early", None, "CHECKSEQUENCEVERIFY", 100, 99), ("csv-other-input-reached", late, "CHECKSEQUENCEVERIFY", 99, 100)):
        add("p2mr-execute", name, expected, f"100 {opcode} DROP 1", [], at=expected and 1, locktime=100, sequence=sequence, inputs=2, index=1, edit_tx=other_sequence(other))
    unit, disabled = 1 << 22, 1 << 31
    for name, expected, sequence, wanted, version in (
            ("reached", None, 100, 100, 2), ("not-reached", late, 99, 100, 2), ("version-1", late, 100, 100, 1), ("disabled-in-input", late, disabled | 100, 100, 2),
            ("disabled-in-script", None, 0, disabled | 100, 1), ("time-reached", None, unit | 5, unit | 5, 2), ("time-not-reached", late, unit | 4, unit | 5, 2),
            ("time-for-height", late, unit | 100, 100, 2), ("height-for-time", late, 0xFFFF, unit, 2), ("other-bits", None, 0x10000 | 100, 0x20000 | 100, 2),
            ("negative", "NEGATIVE_LOCKTIME", 100, -1, 2), ("zero", None, 0, 0, 2), ("time-zero", None, unit | 5, unit, 2), ("time-zero-reached", None, unit, unit, 2),
            ("time-other-bits-in-input", late, 0x7FFF0000 | 99, unit | 100, 2)):
        add("p2mr-execute", f"csv-{name}", expected, push(encode_number(wanted)) + asm("CHECKSEQUENCEVERIFY DROP"), [b"\x01"], sequence=sequence, version=version)
    for version in (0x00, 0x52, 0xBE, 0xC2, 0xFE):
        add("p2mr-execute", f"leaf-version-{version:02x}", None, "0", [], leaf_version=version)
    # The last check is 50 units or, where it fails, 49.
    less = {"expected": "TAPSCRIPT_VALIDATION_WEIGHT", "at": -4}
    for output in BOTH:
        add("p2mr-budget opcode-budget", f"{output}-enough", None, **budgeted(0, "DROP 1", [], output))
        add("p2mr-budget opcode-budget", f"{output}-one-less", **budgeted(-1, "DROP 1", [], output), **less)
        # 253 elements or more: their number is serialized in three bytes.
        for name, left, expected in (("enough", 0, None), ("one-less", -1, "TAPSCRIPT_VALIDATION_WEIGHT")):
            add("p2mr-budget", f"{output}-many-elements-{name}", expected, at=expected and -130, **budgeted(left, "2DROP " * 126 + "DROP 1", [b""] * 252, output))
        add("p2mr-budget opcode-budget", f"{output}-other-inputs-do-not-count", **budgeted(-1, "DROP 1", [], output, inputs=2), **less,
            other_script=b"\x53\x02\x01\x01", other_witness=[bytes(2000)], comment="the other input spends an unknown program, which anyone can")
        add("p2mr-budget opcode-budget", f"{output}-an-input-before-does-not-count", **budgeted(-1, "DROP 1", [], output, inputs=2, index=1), **less,
            other_script=b"\x53\x02\x01\x01", other_witness=[bytes(2000)])
        for name, left in (("annex-counts", 0), ("annex-one-less", -1)):
            case = budgeted(left, "DROP 1", [], output, annex=b"\x50" + bytes(300))
            add("p2mr-budget", f"{output}-{name}", **case, **(less if left else {"expected": None}))


def before_execution():
    for opcode in sorted(OP_SUCCESS - set(SLHDSA_OPCODES)):
        add("scan-success", f"{opcode:02x}", None, bytes([opcode]), [])
    for name, script in (("before", "0x50 CHECKSIGSLHDSA"), ("after", "CHECKSIGSLHDSA 0x50"), ("unexecuted", "CHECKSIGADDSLHDSA 0 IF 0xbb ENDIF"),
                         ("before-undecodable", "0x50 0x4c"), ("after-large-push", "0x4d0902" + "00" * 521 + " 0xfe"), ("after-unbalanced", "ENDIF 0x7e")):
        add("scan-success" + (" scan-decode" if "undecodable" in name else ""), name, None, script, [b"", BIG])
        add("policy-success", name, "DISCOURAGE_OP_SUCCESS", script, [b""], flags="P2SH,WITNESS,TAPROOT,P2MR,SLHDSA,DISCOURAGE_OP_SUCCESS")
    add("scan-success", "element-of-7858-bytes", None, "CHECKSIGSLHDSA 0x50", [bytes(7858)])
    add("scan-success", "after-10000-bytes", None, asm("RETURN") + b"\x61" * 10000 + b"\x50", [])
    add("scan-success", "element-of-7858-bytes-alone", None, "0x50", [bytes(7858)])
    add("scan-success", "1001-elements-alone", None, "0x50", [b""] * 1001)
    add("scan-success", "1001-elements", None, "CHECKSIGSLHDSA 0x50", [b""] * 1001)
    add("scan-success limit-push", "in-a-push", "CLEANSTACK", "<50> <bb> CHECKSIGSLHDSA", [bytes(0), b"\x02"], comment="pushed bytes are not instructions")
    add("policy-success", "new-opcodes", None, "0 <02> CHECKSIGSLHDSA NOT", [], flags="P2SH,WITNESS,TAPROOT,P2MR,SLHDSA,DISCOURAGE_OP_SUCCESS")
    for name, script in (("pushdata1", "1 0x4c"), ("push", "0x0201"), ("pushdata2", "1 0x4dff"), ("pushdata4", "1 0x4effffffff"), ("pushdata4-beyond-32-bits", "0x4effffffff01"), ("after-opcode", "0 <02> CHECKSIGSLHDSA NOT 0x4c"),
                         ("in-unexecuted-branch", "0 IF 0x4c05"), ("before-success", "0x0250"), ("after-return", "RETURN 0x4c")):
        add("scan-decode", name, "BAD_OPCODE", script, [])
    add("scan-decode", "after-opcode-1001-elements", "BAD_OPCODE", "CHECKSIGSLHDSA 0x4c", [b""] * 1001)
    add("scan-decode", "whole-push", None, "0x0150", [])
    for output in BOTH:
        for name in ("CHECKSIGSLHDSA", "CHECKSIGADDSLHDSA"):
            add("scan-contains", f"{output}-{name}-unexecuted", None, f"DROP 0 IF {name} ENDIF 1", [BIG], output=output)
            add("scan-contains", f"{output}-{name}-in-a-push", "PUSH_SIZE", f"DROP <{CODES['OP_' + name]:02x}> DROP 1", [BIG], output=output)
        add("scan-contains", f"{output}-none", "PUSH_SIZE", "DROP 1", [BIG], output=output)
        add("scan-contains", f"{output}-after-return", "OP_RETURN", "DROP RETURN CHECKSIGSLHDSA", [BIG], output=output, at=1)
    add("scan-contains", "in-the-witness", "PUSH_SIZE", "DROP DROP 1", [b"\x7f", BIG])
    add("limit-count", "1000", None, b"\x6d" * 499 + b"\x75\x75\x51", [b""] * 1000)
    add("limit-count", "1001", "STACK_SIZE", b"\x6d" * 500 + b"\x75\x51", [b""] * 1001)
    add("limit-count", "1001-and-too-large", "STACK_SIZE", "1", [b""] * 1000 + [BIG])
    add("limit-count", "1001-before-execution", "STACK_SIZE", "RETURN", [b""] * 1001)
    for output in BOTH:
        for size, plain, mention in ((520, None, None), (521, "PUSH_SIZE", None), (7857, "PUSH_SIZE", None), (7858, "PUSH_SIZE", "PUSH_SIZE")):
            add("limit-element", f"{output}-{size}-plain", plain, "DROP 1", [bytes(size)], output=output)
            add("limit-element", f"{output}-{size}", mention, b"\x75" + MENTION + b"\x51", [bytes(size)], output=output)

    def version_0(script, *elements):
        return {"script": b"", "stack": [*elements, script], "output": b"\x00\x20" + slhdsa.sha256(script).digest()}

    for name, script in (("", b"\x75\x51"), ("-with-7f-in-a-push", asm("<7f> 2DROP 1"))):
        for size, expected in ((520, None), (521, "PUSH_SIZE")):
            add("limit-element", f"v0-{size}{name}", expected, **version_0(script, bytes(size)))
    for opcode in SLHDSA_OPCODES:
        script = b"\x75\x51" + bytes([opcode])
        add("limit-element", f"v0-520-with-{opcode:02x}", "DISABLED_OPCODE", at=2, **version_0(script, bytes(520)))
        add("limit-element", f"v0-521-with-{opcode:02x}", "PUSH_SIZE", comment="the size counts first", **version_0(script, bytes(521)))
    add("limit-element", "v0-521-of-two", "PUSH_SIZE", **version_0(b"\x6d\x51", bytes(521), b""))
    add("limit-element", "every-element", "PUSH_SIZE", MENTION + asm("2DROP 1"), [bytes(7858), b""])
    add("limit-element", "before-execution", "PUSH_SIZE", asm("RETURN") + MENTION, [bytes(7858)])
    for where, script, at in (("executed", "{} DROP 1", 0), ("unexecuted", "0 IF {} ENDIF 1", 2), ("with-opcode", "0 IF CHECKSIGSLHDSA ENDIF {} DROP 1", 4), ("after-return", "RETURN {}", 0)):
        for size in (520, 521):
            expected = "OP_RETURN" if where == "after-return" else None if size == 520 else "PUSH_SIZE"
            add("limit-push", f"{where}-{size}", expected, script.format("0x4d" + size.to_bytes(2, "little").hex() + "00" * size), [], at=expected and at)
    for size, expected in ((520, None), (521, "PUSH_SIZE")):
        add("limit-push", f"pushdata4-{size}", expected, f"0x4e{size.to_bytes(4, 'little').hex()}" + "01" * size + " DROP 1", [], at=expected and 0)
    add("limit-stack", "1000", None, MENTION + b"\x76" * 999 + b"\x6d" * 499 + b"\x75", [b"\x01"])
    add("limit-stack", "1001", "STACK_SIZE", MENTION + b"\x76" * 1000 + b"\x6d" * 500, [b"\x01"], at=1003)
    add("limit-stack", "with-altstack-1000", None, MENTION + b"\x6b" + b"\x51" * 999 + b"\x75" * 998, [b"\x01"])
    add("limit-stack", "with-altstack", "STACK_SIZE", MENTION + b"\x6b" + b"\x51" * 1000 + b"\x75" * 999, [b"\x01"], at=1004)
    add("limit-stack", "after-the-opcode", None, b"\x00\x01\x02" + b"\x7f" + b"\x6d" * 499 + b"\x75\x51", [b""] * 998)


def opcodes():
    key = ALICE.public
    add("opcode-unexecuted", "executed", "INVALID_STACK_OPERATION", "1 IF CHECKSIGSLHDSA ENDIF 1", [], at=2)
    for clause, name, expected, script in (
            ("opcode-unexecuted", "CHECKSIGSLHDSA", None, "0 IF CHECKSIGSLHDSA ENDIF 1"), ("opcode-unexecuted", "CHECKSIGADDSLHDSA", None, "0 IF CHECKSIGADDSLHDSA ENDIF 1"),
            ("opcode-depth", "sig-0-elements", "INVALID_STACK_OPERATION", "CHECKSIGSLHDSA"), ("opcode-depth", "sig-1-element", "INVALID_STACK_OPERATION", "0 CHECKSIGSLHDSA"),
            ("opcode-depth", "add-0-elements", "INVALID_STACK_OPERATION", "CHECKSIGADDSLHDSA"), ("opcode-depth", "add-2-elements", "INVALID_STACK_OPERATION", "0 0 CHECKSIGADDSLHDSA"),
            ("opcode-depth", "sig-2-elements", None, "0 <02> CHECKSIGSLHDSA NOT"), ("opcode-depth", "add-3-elements", None, "0 1 <02> CHECKSIGADDSLHDSA")):
        add(clause, name, expected, script, [])
    big, bad = b"\x01" * LARGE, b"\x01" * 5
    for name, expected, stack in (("5-bytes", "SCRIPTNUM", [b"", bad, key]), ("520-bytes", "SCRIPTNUM", [b"", big[:520], key]),
                                  ("large", "PUSH_SIZE", [b"", big, key]), ("5-bytes-large-key", "SCRIPTNUM", [b"", bad, big]),
                                  ("5-bytes-empty-key", "SCRIPTNUM", [b"", bad, b""]), ("4-bytes", None, [b"", b"\xff\xff\xff\x7f", key]), ("not-minimal", None, [b"", b"\x01\x00", key])):
        add("opcode-num", name, expected, "CHECKSIGADDSLHDSA", stack)
    add("opcode-num", "above-a-large-signature-and-two-elements", None, "CHECKSIGADDSLHDSA NIP NIP", [b"", b"", BIG, b"\x01", b"\x02"])
    add("policy-minimaldata", "num", "SCRIPTNUM", "CHECKSIGADDSLHDSA", [b"", b"\x01\x00", key], flags="P2SH,WITNESS,TAPROOT,P2MR,SLHDSA,MINIMALDATA")
    add("policy-minimaldata", "push", "MINIMALDATA", "0x0101 " + MENTION.hex().join(("0x", "")), [], flags="P2SH,WITNESS,TAPROOT,P2MR,SLHDSA,MINIMALDATA", at=0)
    minimal = "P2SH,WITNESS,TAPROOT,P2MR,SLHDSA,MINIMALDATA"
    pushes = [b"", b"\x00", b"\x11", b"\x80", b"\x82", b"\x01\x02", *(bytes(size) for size in (75, 76, 255, 256, 520))]
    add("policy-minimaldata", "pushes", None, b"".join(push(data) + b"\x75" for data in pushes) + b"\x51", [], flags=minimal)
    for data in ("4c00", "0110", "0181", "4c4b" + "00" * 75, "4dff00" + "00" * 255, "4e00010000" + "00" * 256):
        add("policy-minimaldata", f"push-{data[:6]}", "MINIMALDATA", f"0x{data} DROP 1", [], at=0, flags=minimal)
    add("policy-minimaldata", "push-unexecuted", None, "0 IF 0x0101 ENDIF 1", [], flags=minimal)
    add("policy-minimaldata", "numbers", None, "1ADD 256 EQUALVERIFY 1ADD -254 EQUALVERIFY NOT", [b"", b"\xff\x80", b"\xff\x00"], flags=minimal)
    for number in ("00", "80", "7f00", "7f80", "ff0000"):
        add("policy-minimaldata", f"number-{number}", "SCRIPTNUM", "1ADD DROP 1", [bytes.fromhex(number)], flags=minimal)
    for name, operands in (("ADD", 2), ("WITHIN", 3), ("PICK", 1), ("CHECKLOCKTIMEVERIFY", 1), ("CHECKSEQUENCEVERIFY", 1)):
        for which in range(operands):
            stack = [b"\x01", *(b"\x01\x00" if i == which else b"\x01" for i in range(operands))]
            add("policy-minimaldata", f"number-of-{name}-{which + 1}", "SCRIPTNUM", name, stack, flags="P2SH,CHECKLOCKTIMEVERIFY,CHECKSEQUENCEVERIFY,WITNESS,TAPROOT,P2MR,SLHDSA,MINIMALDATA")
    add("policy-minimaldata", "off", None, "0x0101 " + MENTION.hex().join(("0x", "")), [])
    for name, opcode, number in (("sig", "CHECKSIGSLHDSA", []), ("add", "CHECKSIGADDSLHDSA", [b"\x01"])):
        add("opcode-key-large", f"{name}-521", "PUSH_SIZE", opcode, [b"\x01", *number, big])
        add("opcode-key-large opcode-key-unknown", f"{name}-520", None, opcode, [b"\x01", *number, big[:520]])
        add("opcode-key-empty", name, "TAPSCRIPT_EMPTY_PUBKEY", opcode, [b"", *number, b""])
        add("opcode-key-empty", f"{name}-with-signature", "TAPSCRIPT_EMPTY_PUBKEY", opcode, [b"\x01", *number, b""])
        for size in (1, 31, 33, 64, 520):
            add("opcode-key-unknown", f"{name}-{size}-bytes", None, opcode + " <01> EQUAL" if name == "sig" else opcode + " 2 EQUAL", [b"\x01", *number, big[:size]])
            add("opcode-key-unknown opcode-sig-empty", f"{name}-{size}-bytes-empty-signature", None, opcode + (" 0 EQUAL" if name == "sig" else " 1 EQUAL"), [b"", *number, big[:size]])
        for size in (1, 520, 521, 7857):
            add("opcode-key-unknown", f"{name}-signature-of-{size}", None, opcode, [bytes(size), *number, b"\x02"])
        for sig in (b"", b"\x01"):
            add("policy-pubkey", f"{name}-{len(sig)}", "DISCOURAGE_UPGRADABLE_PUBKEYTYPE", opcode, [sig, *number, b"\x02"],
                flags="P2SH,WITNESS,TAPROOT,P2MR,SLHDSA,DISCOURAGE_UPGRADABLE_PUBKEYTYPE")
        add("policy-pubkey", f"{name}-of-32-bytes", None, opcode + (" NOT" if name == "sig" else ""), [b"", *number, key], flags="standard")
        add("opcode-sig-empty opcode-result", f"{name}-result", None, opcode + (" 0 EQUAL" if name == "sig" else " 1 EQUAL"), [b"", *number, key])
        for size in (1, 64, 520, 521, SIG - 1):
            add("opcode-sig-size opcode-key-unknown", f"{name}-{size}", "SLHDSA_SIG_SIZE", opcode, [b"\x01" * size, *number, key])
        add("opcode-sig-size", f"{name}-of-bip340", "SLHDSA_SIG_SIZE", opcode, [Sign(DAVE), *number, key])
    add("opcode-sig-size", "7856-cut-to-7855", "SLHDSA_SIG_SIZE", CHECK, [Sign(ALICE, edit=lambda s: s[:-1])])
    add("opcode-sig-empty", "false", "EVAL_FALSE", CHECK, [b""])
    # The budget, when 49 units are left for the opcode, or 50: the order of checks, and what is charged
    weight = "TAPSCRIPT_VALIDATION_WEIGHT"
    for name, opcode , number in (("sig", "CHECKSIGSLHDSA NIP", []), ("add", "CHECKSIGADDSLHDSA NIP", [b""])):
        for clauses, what, expected, left, operands in (
                ("opcode-key-large", "521-before-budget", "PUSH_SIZE", 49, [b"\x01", *number, big]),
                ("opcode-budget", "before-empty-key", weight, 49, [b"\x01", *number, b""]), ("opcode-key-empty", "in-budget", "TAPSCRIPT_EMPTY_PUBKEY", 50, [b"\x01", *number, b""]),
                ("opcode-budget", "unknown-key-one-less", weight, 49, [b"\x01", *number, b"\x02"]), ("opcode-budget", "unknown-key-enough", None, 50, [b"\x01", *number, b"\x02"]),
                ("opcode-budget", "before-signature-size", weight, 49, [b"\x01", *number, key]), ("opcode-sig-size", "in-budget", "SLHDSA_SIG_SIZE", 50, [b"\x01", *number, key]),
                ("opcode-budget", "before-hash-type", weight, 49, [bytes(SIG + 1), *number, key]), ("opcode-budget", "before-verification", weight, 49, [bytes(SIG), *number, key]),
                ("opcode-budget", "signature-one-less", weight, 49, [Sign(ALICE), *number, key]), ("opcode-budget", "signature-enough", None, 50, [Sign(ALICE), *number, key])):
            add(clauses, f"{name}-{what}", expected, at=expected and -2, **budgeted(left, opcode, operands))
        add("opcode-budget", f"{name}-empty-signature", None, **budgeted(0, opcode + " NOT", [b"", *number, key]))
    add("opcode-num", "5-bytes-before-budget", "SCRIPTNUM", at=-1, **budgeted(49, "CHECKSIGADDSLHDSA", [b"\x01", bad, key]))
    add("opcode-budget", "shared-with-checksig", weight, at=-2, **budgeted(99, "1 <02> CHECKSIG DROP 1 <02> CHECKSIGSLHDSA NIP", []))
    add("opcode-budget", "shared-with-checksigadd", weight, at=-2, **budgeted(99, "1 <02> CHECKSIGSLHDSA DROP 1 0 <02> CHECKSIGADD NIP", []))
    for what, left, expected in (("before-discouraging", 49, weight), ("discouraged-in-budget", 50, "DISCOURAGE_UPGRADABLE_PUBKEYTYPE")):
        add("policy-pubkey opcode-budget", what, expected, at=-1, flags="standard", **budgeted(left, "2DROP 1 2 CHECKSIGSLHDSA", [Sign(DAVE), DAVE.public], charge="2DUP CHECKSIGVERIFY "))

    # Hash types
    for hash_type in (0x01, 0x02, 0x03, 0x81, 0x82, 0x83):
        add("opcode-hashtype opcode-sig-size message-fields", f"{hash_type:02x}", None, CHECK, [Sign(ALICE, hash_type)], inputs=2, index=1, outputs=2)
    zero = Sign(ALICE, edit=lambda s: s + b"\x00")
    add("opcode-hashtype", "00-written-out", "SLHDSA_SIG_HASHTYPE", CHECK, [zero])
    for hash_type in (0x04, 0x22, 0x41, 0x63, 0x80, 0x84):
        add("opcode-hashtype", f"{hash_type:02x}-signed", "SLHDSA_SIG_HASHTYPE", CHECK, [Sign(ALICE, hash_type, message=unchecked)], inputs=2, index=1, outputs=2,
            comment="a signature of what the bits of the hash type would mean")
    for hash_type in (0x50, 0xC1, 0xFF):
        add("opcode-hashtype", f"{hash_type:02x}", "SLHDSA_SIG_HASHTYPE", CHECK, [b"\x01" * SIG + bytes([hash_type])])
    for hash_type in (0x03, 0x83):
        add("opcode-hashtype", f"{hash_type:02x}-no-output", "SLHDSA_SIG_HASHTYPE", CHECK, [Sign(ALICE, hash_type, message=unchecked)], inputs=2, index=1,
            comment="a signature of the message without sha_single_output")
        add("opcode-hashtype", f"{hash_type:02x}-no-output-zeros", "SLHDSA_SIG_HASHTYPE", CHECK, [Sign(ALICE, hash_type, message=with_zeros)], inputs=2, index=1,
            comment="a signature of the message with a sha_single_output of zeros")
    add("opcode-hashtype", "03-fewer-outputs-than-inputs", None, CHECK, [Sign(ALICE, 0x03)], inputs=2)
    add("opcode-hashtype", "03-last-output", "SLHDSA_SIG", CHECK, [b"\x01" * SIG + b"\x03"], inputs=2, index=1, outputs=2)

    # An invalid signature fails the script, whatever follows.
    broken = Sign(ALICE, edit=flip(5000))
    add("opcode-verify opcode-key-unknown", "key-of-zeros", "SLHDSA_SIG", asm("$k CHECKSIGSLHDSA", k=bytes(32)), [bytes(SIG)])
    add("opcode-verify", "not-false", "SLHDSA_SIG", CHECK + asm("NOT"), [broken])
    add("opcode-verify", "in-front-of-return", "SLHDSA_SIG", CHECK + asm("RETURN"), [broken], comment="deferred or not, the signature's error comes first")
    add("opcode-verify", "valid-in-front-of-return", "OP_RETURN", CHECK + asm("RETURN"), [Sign(ALICE)], at=-1)
    add("opcode-verify large-result", "in-front-of-cleanstack", "SLHDSA_SIG", CHECK, [b"\x01", broken])
    add("opcode-verify", "in-front-of-false", "SLHDSA_SIG", CHECK + asm("DROP 0"), [broken])
    add("opcode-verify", "in-front-of-unbalanced", "SLHDSA_SIG", CHECK + asm("IF"), [broken])
    twice = asm("$k CHECKSIGSLHDSA VERIFY $k CHECKSIGSLHDSA", k=key)
    add("opcode-verify", "two-invalid", "SLHDSA_SIG", twice, [broken, broken])
    add("opcode-verify", "the-second-of-two-invalid", "SLHDSA_SIG", twice, [broken, Sign(ALICE)], at=-1)
    add("opcode-verify", "in-front-of-a-wrong-size", "SLHDSA_SIG", twice, [b"\x01", broken])
    add("opcode-verify", "in-front-of-bip340", "SLHDSA_SIG", CHECK + asm("VERIFY $s CHECKSIG", s=DAVE.public), [Sign(DAVE, edit=flip(5)), broken])
    add("opcode-verify", "same-signature-twice", None, twice, [Sign(ALICE), Sign(ALICE)])
    around = asm("$k CHECKSIGSLHDSA VERIFY CODESEPARATOR $k CHECKSIGSLHDSA", k=key)
    add("opcode-verify message-fields", "same-signature-around-codeseparator", "SLHDSA_SIG", around, [Sign(ALICE), Sign(ALICE)], at=-1,
        comment="the first is valid, and may be in a cache; the second is of another message")
    both = asm("$a CHECKSIGSLHDSA VERIFY $b CHECKSIGSLHDSA", a=key, b=BOB.public)
    add("opcode-verify", "same-signature-two-keys", "SLHDSA_SIG", both, [Sign(ALICE), Sign(ALICE)], at=-1)
    add("opcode-verify", "dropped-result", "SLHDSA_SIG", CHECK + asm("DROP 1"), [broken])
    three = asm("$a CHECKSIGSLHDSA $b CHECKSIGADDSLHDSA $c CHECKSIGADDSLHDSA 2 NUMEQUAL", a=ALICE.public, b=BOB.public, c=CAROL.public)
    add("opcode-result", "two-of-three", None, three, [Sign(CAROL), b"", Sign(ALICE)])
    add("opcode-result", "one-of-three", "EVAL_FALSE", three, [b"", b"", Sign(ALICE)])
    add("opcode-result opcode-verify", "two-of-three-wrong-order", "SLHDSA_SIG", three, [b"", Sign(CAROL), Sign(ALICE)], at=3)
    for number, result in ((-1, 0), (0, 1), (1, 2), (127, 128), (2**31 - 1, 2**31), (-2**31 + 1, -2**31 + 2)):
        add("opcode-result", f"add-to-{number}", None, asm("<02> CHECKSIGADDSLHDSA $r EQUAL", r=encode_number(result)), [b"\x01", encode_number(number)])
    for number, result in (("0100", "<01>"), ("80", "0"), ("0080", "0"), ("ffffff80", "<ffffff80>"), ("010080", "<81>")):
        add("opcode-result opcode-sig-empty", f"add-empty-to-{number}", None, asm(f"$k CHECKSIGADDSLHDSA {result} EQUAL", k=key), [b"", bytes.fromhex(number)],
            comment="num is encoded anew")
    add("opcode-result", "add-to-80", None, "<02> CHECKSIGADDSLHDSA <01> EQUAL", [b"\x01", b"\x80"])
    add("opcode-result", "five-bytes-are-no-operand", "SCRIPTNUM", "<02> CHECKSIGADDSLHDSA 1ADD", [b"\x01", b"\xff\xff\xff\x7f"], at=-1)
    each_its_own = asm("$a CHECKSIGSLHDSA VERIFY CODESEPARATOR $b CHECKSIGSLHDSA", a=ALICE.public, b=BOB.public)
    add("opcode-verify message-fields", "each-its-own-message", None, each_its_own, [Sign(BOB, 0x81, codesep=3), Sign(ALICE, 0x03)], inputs=2, outputs=2,
        comment="two hash types and two positions of OP_CODESEPARATOR in one input")
    add("opcode-result", "true-is-01", None, CHECK + asm("<01> EQUAL"), [Sign(ALICE)])
    add("opcode-result", "hybrid", None, asm("$s CHECKSIGVERIFY $k CHECKSIGSLHDSA", s=DAVE.public, k=key), [Sign(ALICE), Sign(DAVE)])
    add("opcode-result", "operands-removed", None, asm("$k CHECKSIGSLHDSA VERIFY 9 EQUAL", k=key), [b"\x09", Sign(ALICE)])


def message():
    def change_tx(**changes):
        return lambda tx, spent: (tx._replace(**changes), spent)

    def change_input(index, **changes):
        return lambda tx, spent: (tx._replace(inputs=[one._replace(**changes) if i == index else one for i, one in enumerate(tx.inputs)]), spent)

    def change_output(index, **changes):
        return lambda tx, spent: (tx._replace(outputs=[one._replace(**changes) if i == index else one for i, one in enumerate(tx.outputs)]), spent)

    def change_spent(index, **changes):
        return lambda tx, spent: (tx, [one._replace(**changes) if i == index else one for i, one in enumerate(spent)])

    def drop_other(tx, spent):
        return tx._replace(inputs=tx.inputs[:1]), spent[:1]

    edits = {
        "version": change_tx(version=3), "locktime": change_tx(locktime=1), "outpoint": change_input(0, prevout=derive("x", 36)), "sequence": change_input(0, sequence=0),
        "other-outpoint": change_input(1, prevout=derive("x", 36)), "other-sequence": change_input(1, sequence=0), "amount": change_spent(0, amount=5),
        "other-amount": change_spent(1, amount=5), "other-script": change_spent(1, script_pubkey=b"\x52"), "output": change_output(0, amount=5),
        "other-output": change_output(1, amount=5), "other-input-removed": drop_other,
    }
    # By hash type, what can be changed without the signature's being invalid
    free = {0x00: set(), 0x02: {"output", "other-output"}, 0x03: {"other-output"},
            0x83: {"other-output", "other-outpoint", "other-sequence", "other-amount", "other-script", "other-input-removed"}}
    for hash_type, allowed in free.items():
        for name in edits if hash_type == 0 else sorted(allowed):
            signature = Sign(ALICE, hash_type or None)
            add("message-fields", f"{hash_type:02x}-{name}", None if name in allowed else "SLHDSA_SIG", CHECK, [signature], inputs=2, outputs=2, edit_tx=edits[name])
    add("message-fields", "00-three-outputs-and-final-inputs", None, CHECK, [Sign(ALICE)], inputs=3, index=2, outputs=3, sequence=0xFFFFFFFF)
    add("message-fields", "03-output", "SLHDSA_SIG", CHECK, [Sign(ALICE, 0x03)], inputs=2, outputs=2, edit_tx=edits["output"])
    add("message-fields", "83-sequence", "SLHDSA_SIG", CHECK, [Sign(ALICE, 0x83)], inputs=2, outputs=2, edit_tx=edits["sequence"])
    add("message-fields", "hash-type-changed", "SLHDSA_SIG", CHECK, [Sign(ALICE, 0x01, edit=lambda s: s[:-1] + b"\x81")])
    add("message-fields", "01-is-not-default", "SLHDSA_SIG", CHECK, [Sign(ALICE, 0x01, edit=lambda s: s[:-1])])
    for version in (0x00, 0x01):
        add("message-fields", f"key-version-{version:02x}", "SLHDSA_SIG", CHECK, [Sign(ALICE, key_version=version)])
    add("message-fields", "bip340-with-key-version-02", "SCHNORR_SIG", asm("$k CHECKSIG", k=DAVE.public), [Sign(DAVE, key_version=2)])
    add("message-fields", "other-leaf", "SLHDSA_SIG", CHECK, [Sign(ALICE, leaf=derive("leaf"))])
    separated = asm("NOP CODESEPARATOR 0 IF CODESEPARATOR ENDIF $k CHECKSIGSLHDSA", k=ALICE.public)
    add("message-fields", "codeseparator", None, separated, [Sign(ALICE, codesep=1)])
    add("message-fields", "codeseparator-not-signed", "SLHDSA_SIG", separated, [Sign(ALICE)], at=-1)
    add("message-fields", "codeseparator-in-unexecuted-branch", "SLHDSA_SIG", separated, [Sign(ALICE, codesep=4)], at=-1)
    counted = asm("0 IF 1 ELSE CODESEPARATOR ENDIF $k CHECKSIGSLHDSA", k=ALICE.public)
    add("message-fields", "codeseparator-counts-unexecuted", None, counted, [Sign(ALICE, codesep=4)])
    after_a_push = asm("<000000> DROP CODESEPARATOR $k CHECKSIGSLHDSA", k=ALICE.public)
    add("message-fields", "codeseparator-counts-instructions", None, after_a_push, [Sign(ALICE, codesep=2)])
    add("message-fields", "codeseparator-counts-no-bytes", "SLHDSA_SIG", after_a_push, [Sign(ALICE, codesep=5)], at=-1)
    add("message-fields", "codeseparator-last-of-two", None, asm("CODESEPARATOR CODESEPARATOR $k CHECKSIGSLHDSA", k=ALICE.public), [Sign(ALICE, codesep=1)])
    add("message-fields", "codeseparator-last-of-two-apart", None, asm("CODESEPARATOR NOP CODESEPARATOR $k CHECKSIGSLHDSA", k=ALICE.public), [Sign(ALICE, codesep=2)])
    for hash_type in (0x01, 0x02, 0x03, 0x81, 0x82, 0x83):
        add("message-fields", f"{hash_type:02x}-annex", None, CHECK, [Sign(ALICE, hash_type)], annex=b"\x50" + derive("annex"), inputs=2, index=1, outputs=2)
    for hash_type in (0x00, 0x83):
        add("message-fields", f"{hash_type:02x}-wide-fields", None, CHECK, [Sign(ALICE, hash_type or None)], inputs=2, index=1, outputs=2, version=0xFFFFFFFE,
            locktime=0x12345678, sequence=0x9ABCDEF0, amount=2**33 + 5, other_script=asm("0x4cff" + "00" * 255 + " DROP 1"))
    add("message-fields", "p2tr-annex", None, CHECK, [Sign(ALICE)], output="p2tr", annex=b"\x50" + bytes(300))
    add("message-verify", "context", "SLHDSA_SIG", CHECK, [Sign(ALICE, m_prime=lambda m: slhdsa.m_prime(m, b"Bitcoin"))])
    add("message-verify", "no-prefix", "SLHDSA_SIG", CHECK, [Sign(ALICE, m_prime=bytes)])
    add("message-verify", "pre-hash", "SLHDSA_SIG", CHECK, [Sign(ALICE, m_prime=lambda m: b"\x01\x00" + bytes.fromhex("0609608648016503040201") + slhdsa.sha256(m).digest())],
        comment="HashSLH-DSA with SHA-256")
    add("message-verify", "hedged", None, CHECK, [Sign(ALICE, addrnd=derive("addrnd", 16))])
    parts = {"r": 0, "fors-secret": 16, "fors-path": 16 + 16 * 5, "wots-lowest": 16 + 2912, "path-lowest": 16 + 2912 + 560, "wots-highest": SIG - 704, "path-highest": SIG - 1}
    for name, at in parts.items():
        add("message-verify", f"flipped-{name}", "SLHDSA_SIG", CHECK, [Sign(ALICE, edit=flip(at))])


def large_elements():
    """Each operand of each opcode large in turn, by the table; after the opcode, every element that is left is checked."""
    small = {"num": b"\x01", "n": b"\x01", "pubkey": b"\x02", "sig": b"\x01"}
    # operands, what is read; and the stack afterwards, in terms of the operands, where it is not what arithmetic makes
    rows = {
        "TOALTSTACK FROMALTSTACK": ("x1", "", "x1"), "2DROP": ("x1 x2", "", ""), "2DUP": ("x1 x2", "x1 x2", "x1 x2 x1 x2"), "3DUP": ("x1 x2 x3", "x1 x2 x3", "x1 x2 x3 x1 x2 x3"),
        "2OVER": ("x1 x2 x3 x4", "x1 x2", "x1 x2 x3 x4 x1 x2"), "2ROT": ("x1 x2 x3 x4 x5 x6", "", "x3 x4 x5 x6 x1 x2"), "2SWAP": ("x1 x2 x3 x4", "", "x3 x4 x1 x2"),
        "IFDUP": ("x1", "x1", "x1 x1"), "DROP": ("x1", "", ""), "DUP": ("x1", "x1", "x1 x1"), "NIP": ("x1 x2", "", "x2"), "OVER": ("x1 x2", "x1", "x1 x2 x1"),
        "ROT": ("x1 x2 x3", "", "x2 x3 x1"), "SWAP": ("x1 x2", "", "x2 x1"), "TUCK": ("x1 x2", "x2", "x2 x1 x2"), "SIZE": ("x1", "", None),
        "1 PICK": ("x1 x2", "x1", "x1 x2 x1"), "2 PICK": ("x1 x2 x3", "x1", "x1 x2 x3 x1"), "0 PICK": ("x1", "x1", "x1 x1"), "1 ROLL": ("x1 x2", "", "x2 x1"),
        "2 ROLL": ("x1 x2 x3", "", "x2 x3 x1"), "0 ROLL": ("x1", "", "x1"), "NOP": ("x1", "", "x1"), "DEPTH DROP": ("x1", "", "x1"), "CODESEPARATOR": ("x1", "", "x1"),
        "TOALTSTACK": ("x1", "", ""),
    }
    for opcodes_, (operands, read, after) in rows.items():
        operands = operands.split()
        for which in (*operands, "none"):
            stack = {name: BIG if name == which else bytes([0x10 + i]) for i, name in enumerate(operands)}
            check = ""
            for name in reversed(after.split() if after is not None else []):
                check += f" SIZE {LARGE} EQUALVERIFY DROP" if name == which else f" <{stack[name].hex()}> EQUALVERIFY"
            if opcodes_ == "SIZE":
                check = f" {len(stack['x1'])} EQUALVERIFY DROP"
            clauses = "large-operands" + (" large-pick-roll" if "PICK" in opcodes_ or "ROLL" in opcodes_ else "")
            add(clauses, f"{opcodes_.replace(' ', '-')}-{which}", "PUSH_SIZE" if which in read.split() else None, asm(opcodes_ + check) + MENTION + asm("9 EQUAL"), [b"\x09", *stack.values()])
        left = 2 if after is None else len(after.split())
        add("large-order", f"{opcodes_.replace(' ', '-')}-depth-suffices", None, f"{opcodes_} {'DROP ' * left}1", [b"\x01"] * len(operands))
    add("large-operands", "SIZE-of-7857", None, asm("SIZE 7857 EQUALVERIFY DROP 1") + MENTION, [bytes(7857)])
    add("large-operands", "IFDUP-false", "PUSH_SIZE", asm("IFDUP DROP 1") + MENTION, [bytes(LARGE)], comment="it reads what it does not copy")
    # Everything else reads all its operands.
    readers = {
        1: "IF NOTIF VERIFY CHECKLOCKTIMEVERIFY CHECKSEQUENCEVERIFY 1ADD 1SUB NEGATE ABS NOT 0NOTEQUAL RIPEMD160 SHA1 SHA256 HASH160 HASH256",
        2: "EQUAL EQUALVERIFY ADD SUB BOOLAND BOOLOR NUMEQUAL NUMEQUALVERIFY NUMNOTEQUAL LESSTHAN GREATERTHAN LESSTHANOREQUAL GREATERTHANOREQUAL MIN MAX CHECKSIG CHECKSIGVERIFY "
           "PICK ROLL",
        3: "WITHIN CHECKSIGADD",
    }
    for count_, names in readers.items():
        for name in names.split():
            for which in range(count_):
                if name in ("PICK", "ROLL") and which == 0:
                    continue  # the element, not n
                stack = [BIG if i == which else b"\x01" for i in range(count_)]
                after = " ENDIF" if name.endswith("IF") else "" if name in ("VERIFY", "EQUALVERIFY", "NUMEQUALVERIFY", "CHECKSIGVERIFY") else " DROP"
                add("large-operands", f"{name}-{which + 1}", "PUSH_SIZE", asm(f"{name}{after} 1") + MENTION, stack)
    for name, after in (("EQUAL", ""), ("EQUALVERIFY", " 1")):
        add("large-operands", f"{name}-both", "PUSH_SIZE", asm(name + after) + MENTION, [BIG, BIG])
    above = ("1 IF ENDIF 0 NOTIF ENDIF 1 VERIFY 0 CHECKLOCKTIMEVERIFY DROP 0 CHECKSEQUENCEVERIFY DROP 5 IFDUP 2DROP 1 DUP 2DROP 1 2 2DUP 2DROP 2DROP 1 2 OVER 2DROP DROP 1 2 TUCK 2DROP DROP "
             "1 2 3 3DUP 2DROP 2DROP 2DROP 1 2 3 4 2OVER 2DROP 2DROP 2DROP 1 0 PICK 2DROP 1 0 ROLL DROP 0 <02> CHECKSIG DROP 0 <02> CHECKSIGSLHDSA DROP 1 <02> CHECKSIGVERIFY "
             f"0 0 <02> CHECKSIGADD DROP 0 0 <02> CHECKSIGADDSLHDSA DROP SIZE {LARGE} EQUALVERIFY DROP 1")
    add("large-operands", "readers-above-a-large-element", None, above, [BIG], sequence=0)
    add("large-operands", "PICK-element-of-520", None, asm("0 PICK EQUAL") + MENTION, [BIG[:520]])
    add("large-operands", "CHECKSIGSLHDSA-sig", None, "CHECKSIGSLHDSA", [BIG, b"\x02"])
    add("large-operands", "CHECKSIGADDSLHDSA-sig", None, "CHECKSIGADDSLHDSA", [BIG, b"", b"\x02"])
    for name, pos in (("CHECKSIGSLHDSA", 1), ("CHECKSIGADDSLHDSA", 1), ("CHECKSIGADDSLHDSA", 2)):
        stack = [b"\x01", b"\x01", b"\x02"][:2 if name == "CHECKSIGSLHDSA" else 3]
        stack[pos] = BIG
        add("large-operands", f"{name}-{pos + 1}", "PUSH_SIZE", name, stack)
    for name in ("CHECKLOCKTIMEVERIFY", "CHECKSEQUENCEVERIFY"):
        add("large-operands large-order", f"{name}-not-in-force", None, asm(name + " DROP 1") + MENTION, [BIG], flags="P2SH,WITNESS,TAPROOT,P2MR,SLHDSA")
    add("large-operands opcode-verify", "a-signature-moved", None, asm("TOALTSTACK 5 FROMALTSTACK SWAP DROP SIZE 7856 EQUALVERIFY $k CHECKSIGSLHDSA", k=ALICE.public), [Sign(ALICE)])

    bad = b"\x01" * 5
    for name, expected, script, stack in (
            ("IF-before-minimalif", "PUSH_SIZE", "IF ENDIF 1", [BIG]), ("NOTIF-before-minimalif", "PUSH_SIZE", "NOTIF ENDIF 1", [BIG]), ("ADD-before-number", "PUSH_SIZE", "ADD", [BIG, bad]), ("ADD-before-the-first-number", "PUSH_SIZE", "ADD", [bad, BIG]),
            ("WITHIN-before-number", "PUSH_SIZE", "WITHIN", [bad, bad, BIG]), ("CHECKSIG-before-empty-key", "PUSH_SIZE", "CHECKSIG", [BIG, b""]),
            ("CHECKSIGADD-before-number", "PUSH_SIZE", "CHECKSIGADD", [BIG, bad, b""]), ("CHECKSIGADD-key-before-number", "PUSH_SIZE", "CHECKSIGADD", [b"", bad, BIG]),
            ("CHECKSIGADDSLHDSA-number-before-key", "SCRIPTNUM", "CHECKSIGADDSLHDSA", [b"", bad, BIG]),
            ("CHECKMULTISIG", "TAPSCRIPT_CHECKMULTISIG", "CHECKMULTISIG", [BIG]), ("RETURN", "OP_RETURN", "RETURN", [BIG]),
            ("RESERVED", "BAD_OPCODE", "VERIF", [BIG])):
        add("large-order", name, expected, asm(script) + MENTION, stack)
    for name, (count_, _) in OPERANDS.items():
        add("large-order", f"{name[3:]}-depth-first", "INVALID_STACK_OPERATION", asm(name[3:] + " 1") + MENTION, [BIG] * (count_ - 1))
    add("large-order", "FROMALTSTACK-depth-first", "INVALID_ALTSTACK_OPERATION", asm("FROMALTSTACK") + MENTION, [BIG])
    for name, script, stack in (("readers", "0 IF DUP SHA256 EQUAL ENDIF DROP DROP 1", [BIG, BIG]), ("IF-NOTIF", "0 IF IF ENDIF NOTIF ENDIF ENDIF DROP 1", [BIG]),
                                ("IF-without-elements", "0 IF IF ELSE ENDIF ENDIF 1", [])):
        add("large-order opcode-unexecuted", f"unexecuted-{name}", None, asm(script) + MENTION, stack)
    for name, expected, script, stack in (
            ("PICK-large-n", "PUSH_SIZE", "PICK", [b"\x01", BIG]), ("ROLL-large-n", "PUSH_SIZE", "ROLL", [b"\x01", BIG]), ("PICK-out-of-range", "INVALID_STACK_OPERATION", "1 PICK", [BIG]),
            ("PICK-negative", "INVALID_STACK_OPERATION", "-1 PICK", [BIG]), ("ROLL-negative", "INVALID_STACK_OPERATION", "-1 ROLL", [BIG]),
            ("ROLL-out-of-range", "INVALID_STACK_OPERATION", "1 ROLL", [BIG]),
            ("PICK-bad-n", "SCRIPTNUM", "PICK", [BIG, bad]), ("ROLL-bad-n", "SCRIPTNUM", "ROLL", [BIG, bad])):
        add("large-pick-roll", name, expected, asm(script) + MENTION, stack)
    add("large-result", "large", "PUSH_SIZE", MENTION, [BIG])
    add("large-result", "large-zeros", "PUSH_SIZE", MENTION, [bytes(LARGE)])
    add("large-result", "520", None, MENTION, [BIG[:520]])
    add("large-result", "520-zeros", "EVAL_FALSE", MENTION, [bytes(520)])
    add("large-result", "two-large", "CLEANSTACK", MENTION, [BIG, BIG])
    add("large-result", "large-and-small", "CLEANSTACK", MENTION + asm("1"), [BIG])
    add("large-result", "on-the-altstack", None, MENTION + asm("TOALTSTACK 1"), [BIG])


def boundaries_of_the_message():
    """Positions of OP_CODESEPARATOR, fields whose high bytes are zero in all other vectors, and lengths where the compact size grows."""
    separated = asm("CODESEPARATOR $k CHECKSIGSLHDSA", k=ALICE.public)
    add("message-fields", "codeseparator-first", None, separated, [Sign(ALICE, codesep=0)])
    add("message-fields", "codeseparator-first-not-signed", "SLHDSA_SIG", separated, [Sign(ALICE)], at=-1)
    add("message-fields", "codeseparator-at-300", None, b"\x61" * 300 + separated, [Sign(ALICE, codesep=300)])
    add("message-fields", "codeseparator-annex", None, asm("NOP") + separated, [Sign(ALICE, codesep=1)], annex=b"\x50")
    add("message-fields", "codeseparator-bip340", None, asm("NOP CODESEPARATOR $k CHECKSIG", k=DAVE.public), [Sign(DAVE, codesep=1)])
    # A script of 65,536 bytes or more is serialized with five bytes for its size, which count in the budget, of which the signature takes the rest.
    long, signature = b"\x61" * 65536 + separated + asm("NIP"), Sign(ALICE)
    case = budgeted(50, long, [signature])
    signature.codesep = sum(1 for _ in decode(case["script"])) - sum(1 for _ in decode(separated)) - 1
    add("message-fields p2mr-root p2mr-budget", "codeseparator-beyond-65536", None, **case)
    add("message-fields", "00-last-of-257-inputs", None, CHECK, [Sign(ALICE)], inputs=257, index=256)
    add("message-fields opcode-hashtype", "03-last-of-257-inputs", None, CHECK, [Sign(ALICE, 0x03)], inputs=257, index=256, outputs=257, output_script=b"\x51")
    for hash_type in (0x00, 0x83):
        signature = Sign(ALICE, hash_type or None)
        add("message-fields", f"{hash_type:02x}-wide-outpoint", None, CHECK, [signature], inputs=2, index=1, outputs=2, prevout_n=0x01020304)
        for size in (252, 253):
            add("message-fields", f"{hash_type:02x}-annex-and-scripts-of-{size}-bytes", None, CHECK, [signature], inputs=2, index=1, outputs=2, annex=b"\x50" + bytes(size - 1),
                output_script=bytes(size), other_script=asm(f"0x4c{size - 4:02x}" + "00" * (size - 4) + " DROP 1"))


def boundaries_of_the_leaf():
    """Lengths where the compact size grows, a large element among many, paths of P2TR leaves, and what the search for OP_SUCCESSx has to leave alone."""
    for size in (252, 253):
        add("p2mr-root", f"script-of-{size}-bytes", None, b"\x61" * (size - 1) + b"\x51", [])
        rest, drops = [b""] * (size - 4) + [bytes(size)], "DROP " * (size % 2) + "2DROP " * (size // 2 - 1) + "1"
        for name, left, expected in (("enough", 0, None), ("one-less", -1, "TAPSCRIPT_VALIDATION_WEIGHT")):
            at = expected and -len(asm("CHECKSIGSLHDSA DROP " + drops))
            add("p2mr-budget", f"{size}-elements-one-of-{size}-bytes-{name}", expected, at=at, **budgeted(left, drops, rest))
    add("limit-element", "521-among-1000", None, b"\x6d" * 500 + MENTION + b"\x51", [b""] * 999 + [BIG])
    for depth, expected in ((2, None), (128, None), (129, "TAPROOT_WRONG_CONTROL_SIZE")):
        add("scope-tapscript", f"p2tr-path-of-{depth}", expected, "1", [], output="p2tr", depth=depth)
    conditionals = range(CODES["OP_IF"], CODES["OP_VERIFY"])
    others = bytes(code for code in range(0x4F, 0x100) if code not in OP_SUCCESS - set(SLHDSA_OPCODES) and code not in conditionals)
    add("scan-success", "no-other-opcode", "EVAL_FALSE", asm("0 IF IF ELSE ENDIF NOTIF ENDIF") + others + asm("ENDIF 0"), [],
        comment="each opcode from 0x4f that is none of OP_SUCCESSx, unexecuted")
    for opcode in ("65", "66"):
        add("scan-success", f"not-{opcode}", "BAD_OPCODE", f"0 IF 0x{opcode} ENDIF 1", [], at=2, comment="fails even if it is not executed")
    for name, expected, script in (("pushdata1-whole", None, "0x4c0101"), ("pushdata2-whole", None, "0x4d010001"), ("pushdata4-whole", None, "0x4e0100000001"),
                                   ("pushdata1-empty", "EVAL_FALSE", "0x4c00"), ("push-of-75", None, "0x4b" + "01" * 75), ("pushdata1-of-76", None, "0x4c4c" + "01" * 76),
                                   ("pushdata4-length-cut", "BAD_OPCODE", "1 0x4e000000"), ("pushdata4-of-65537-cut", "BAD_OPCODE", "0x4e0100010001")):
        add("scan-decode", name, expected, script, [])


def opcodes_of_tapscript():
    """The rules that a P2MR leaf takes over from tapscript, opcode by opcode: operands, and the result, which is compared."""
    cases = {
        "1ADD": "-1 0, 0 1, 127 128, 32767 32768, 65535 65536, 8388607 8388608, 2147483647 2147483648",
        "1SUB": "0 -1, 1 0, 128 127, -127 -128, -32767 -32768, -8388607 -8388608, -2147483647 -2147483648", "NEGATE": "0 0, 5 -5, -5 5",
        "ABS": "0 0, 5 5, -5 5, -2147483647 2147483647", "NOT": "0 1, 1 0, 2 0, -1 0, <80> 1", "0NOTEQUAL": "0 0, 1 1, 2 1, -1 1, <80> 0",
        "ADD": "1 2 3, -1 1 0, 2147483647 2147483647 4294967294", "SUB": "1 2 -1, 2 1 1, -2147483647 2147483647 -4294967294",
        "BOOLAND": "0 0 0, 0 1 0, 1 0 0, 1 1 1, 2 1 1, 1 2 1, -1 1 1", "BOOLOR": "0 0 0, 0 1 1, 1 0 1, 1 1 1, 2 1 1, 0 2 1, -1 1 1",
        "NUMEQUAL": "1 1 1, 1 2 0, 2 1 0, 1 -1 0, <80> 0 1", "NUMNOTEQUAL": "1 1 0, 1 2 1, 2 1 1, 1 -1 1, <80> 0 0",
        "LESSTHAN": "1 2 1, 2 1 0, 1 1 0, -1 0 1, -1 -2 0", "GREATERTHAN": "1 2 0, 2 1 1, 1 1 0, -1 0 0, -1 -2 1",
        "LESSTHANOREQUAL": "1 2 1, 2 1 0, 1 1 1, -1 0 1, -1 -2 0", "GREATERTHANOREQUAL": "1 2 0, 2 1 1, 1 1 1, -1 0 0, -1 -2 1",
        "MIN": "1 2 1, 2 1 1, -2 1 -2, 1 -2 -2", "MAX": "1 2 2, 2 1 2, -2 1 1, 1 -2 1", "WITHIN": "-1 -1 1 1, 0 -1 1 1, 1 -1 1 0, -2 -1 1 0, 0 1 -1 0",
        "EQUAL": "1 1 1, 1 2 0, <01> <0100> 0, 0 <80> 0",
        "RIPEMD160": "<616263> <8eb208f7e05d987a9b044a8e98c6b087f15a0bfc>", "SHA1": "<616263> <a9993e364706816aba3e25717850c26c9cd0d89d>",
        "SHA256": "<616263> <ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad>", "HASH160": "<616263> <bb1be98c142444d7a56aa3981c3942a978e4dc33>",
        "HASH256": "<616263> <4f8b42c22dd3729b519ba6f68d2da7cc5b2d606d05daed5ad5128cc03e6c6358>",
    }
    for name, rows in cases.items():
        rows = (row.rsplit(" ", 1) for row in rows.split(", "))
        script = "".join(f"{operands} {name} {result} EQUALVERIFY " for operands, result in rows) + f"SIZE {LARGE} EQUALVERIFY DROP 1"
        add("p2mr-execute large-operands", name, None, asm(script) + MENTION, [BIG], comment="with a large element below the operands")
    hashes = b"".join(push(data) + b"".join(asm(f"DUP {name[3:]} $hash EQUALVERIFY", hash=function(data)) for name, function in HASHES.items()) + asm("DROP")
                      for data in (derive("hashed", size) for size in (0, 55, 56, 64, 119, 120, 520))) + asm("1")
    for name, expected, script, stack in (
            ("numbers", None, " ".join(f"{i} <{i:02x}> EQUALVERIFY" for i in range(1, 17)) + " -1 <81> EQUALVERIFY 0 0x4c00 EQUAL", []),
            ("nops", None, "NOP NOP1 NOP4 NOP5 NOP6 NOP7 NOP8 NOP9 NOP10 1", []),
            ("NOPs-unexecuted-not-discouraged", None, "0 IF NOP1 NOP10 ENDIF 1", []),
            *((f"{name}-discouraged", "DISCOURAGE_UPGRADABLE_NOPS", f"1 {name}", []) for name in ("NOP1", "NOP4", "NOP10")),
            ("1ADD-not-minimal", None, "<0100> 1ADD 2 EQUAL", []), ("1ADD-5-bytes", "SCRIPTNUM", "<0100000000> 1ADD", []),
            *((f"{name}-{which + 1}-5-bytes", "SCRIPTNUM", name, [bytes([1]) + bytes(4 * (i == which)) for i in range(n)])
              for name, n in (("ADD", 2), ("NUMEQUALVERIFY", 2), ("WITHIN", 3)) for which in range(n)),
            ("VERIFY", None, "1 VERIFY <000100> VERIFY <8000> VERIFY 1", []),
            ("VERIFY-negative-zero", "VERIFY", "<0080> VERIFY 1", []),
            ("IFDUP", None, "7 6 5 IFDUP 5 EQUALVERIFY 5 EQUALVERIFY 0 IFDUP DEPTH 3 EQUALVERIFY DROP <80> IFDUP DEPTH 3 EQUALVERIFY <80> EQUALVERIFY 6 EQUALVERIFY 7 EQUAL", []),
            ("SIZE", None, "0 SIZE 0 EQUALVERIFY DROP <0000> SIZE 2 EQUALVERIFY <0000> EQUAL", []),
            ("PICK", None, "1 2 3 4 5 3 PICK 2 EQUALVERIFY DEPTH 5 EQUALVERIFY 5 EQUALVERIFY 4 EQUALVERIFY 3 EQUALVERIFY 2 EQUALVERIFY 1 EQUAL", []),
            ("ROLL", None, "1 2 3 4 5 3 ROLL 2 EQUALVERIFY DEPTH 4 EQUALVERIFY 5 EQUALVERIFY 4 EQUALVERIFY 3 EQUALVERIFY 1 EQUAL", []),
            ("PICK-and-ROLL-299", None, "299 PICK 7 EQUALVERIFY 299 ROLL 7 EQUALVERIFY DEPTH 299 EQUALVERIFY DROP " + "2DROP " * 149 + "1", [b"\x07"] + [b""] * 299),
            ("DEPTH", None, "DEPTH 300 EQUALVERIFY " + "2DROP " * 86 + "DEPTH 128 EQUALVERIFY DROP DEPTH 127 EQUALVERIFY DROP " + "2DROP " * 63 + "DEPTH 0 EQUAL",
             [b""] * 300),
            ("ROLL-998", None, "998 ROLL 7 EQUALVERIFY DEPTH 998 EQUALVERIFY " + "2DROP " * 499 + "1", [b"\x07"] + [b""] * 998),
            ("altstack-order", None, "1 TOALTSTACK 2 TOALTSTACK FROMALTSTACK 2 EQUALVERIFY FROMALTSTACK 1 EQUAL", []),
            ("DEPTH-without-altstack", None, "7 TOALTSTACK DEPTH 0 EQUAL", []),
            ("hashes-of-long-elements", None, hashes, [])):
        add("p2mr-execute" + (" large-pick-roll" if "PICK" in name or "ROLL" in name else ""), name, expected, script, stack,
            flags="standard" if "discouraged" in name else "consensus")
    add("p2mr-execute", "NOP10-in-a-branch-discouraged", "DISCOURAGE_UPGRADABLE_NOPS", "1 IF NOP10 ENDIF 1", [], at=2, flags="standard")
    add("p2mr-execute", "altstack-is-no-operand", "INVALID_STACK_OPERATION", "1 TOALTSTACK DROP 1", [], at=2)
    for name, expected in (("0001", None), ("000100", None), ("010000", None), ("8000", None), ("00", "EVAL_FALSE"), ("80", "EVAL_FALSE"), ("0000", "EVAL_FALSE"), ("0080", "EVAL_FALSE")):
        add("p2mr-execute large-result", f"result-{name}", expected, f"<{name}>", [])
    add("p2mr-execute", "checksig", None, asm("$k CHECKSIG", k=DAVE.public), [Sign(DAVE)])
    add("p2mr-execute", "checksig-empty", None, asm("$k CHECKSIG 0 EQUAL", k=DAVE.public), [b""])
    for name, x in (("too-large", 2**256 - 1), ("not-on-the-curve", next(x for x in count(1) if bip340.lift_x(x) is None))):
        add("p2mr-execute", f"checksig-key-{name}", "SCHNORR_SIG", asm("$k CHECKSIG", k=x.to_bytes(32, "big")), [bytes(64)])
    check = asm("$k CHECKSIG", k=DAVE.public)
    for hash_type in (0x01, 0x02, 0x03, 0x81, 0x82, 0x83):
        add("p2mr-execute", f"checksig-{hash_type:02x}", None, check, [Sign(DAVE, hash_type)], inputs=2, index=1, outputs=2)
    for name, expected, signature in (
            ("00-written-out", "SCHNORR_SIG_HASHTYPE", Sign(DAVE, edit=lambda s: s + b"\x00")), ("04", "SCHNORR_SIG_HASHTYPE", Sign(DAVE, 0x04, message=unchecked)),
            ("03-no-output", "SCHNORR_SIG_HASHTYPE", Sign(DAVE, 0x03, message=unchecked)),
            ("03-no-output-zeros", "SCHNORR_SIG_HASHTYPE", Sign(DAVE, 0x03, message=with_zeros)), ("wrong", "SCHNORR_SIG", Sign(DAVE, edit=flip(40))),
            ("other-hash-type", "SCHNORR_SIG", Sign(DAVE, 0x01, edit=lambda s: s[:-1] + b"\x02")),
            ("63-bytes", "SCHNORR_SIG_SIZE", Sign(DAVE, edit=lambda s: s[:-1])), ("66-bytes", "SCHNORR_SIG_SIZE", Sign(DAVE, edit=lambda s: s + b"\x01\x01"))):
        add("p2mr-execute", f"checksig-{name}", expected, check, [signature], inputs=2, index=1)
    for hash_type in (0x22, 0x41, 0x63, 0x80, 0x84):
        add("p2mr-execute", f"checksig-{hash_type:02x}", "SCHNORR_SIG_HASHTYPE", check, [Sign(DAVE, hash_type, message=unchecked)], inputs=2, index=1, outputs=2)
    add("p2mr-execute", "checksigadd", None, asm("$k CHECKSIGADD 6 EQUAL", k=DAVE.public), [Sign(DAVE), b"\x05"])
    add("p2mr-execute", "checksigadd-to--1", None, asm("$k CHECKSIGADD 0 EQUAL", k=DAVE.public), [Sign(DAVE), b"\x81"])
    for name, number in (("CHECKSIG", []), ("CHECKSIGVERIFY", []), ("CHECKSIGADD", [b""])):
        for signature in (b"", b"\x01"):
            add("p2mr-execute", f"{name}-empty-key-{len(signature)}", "TAPSCRIPT_EMPTY_PUBKEY", name, [signature, *number, b""])
        after = " DROP 1" if name == "CHECKSIGVERIFY" else " NIP"
        add("opcode-budget", f"{name}-one-less", "TAPSCRIPT_VALIDATION_WEIGHT", at=-len(after.split()) - 1, **budgeted(49, asm(f"$k {name}{after}", k=DAVE.public), [Sign(DAVE), *number]))
    add("p2mr-execute", "checksigadd-empty", None, asm("$k CHECKSIGADD 5 EQUAL", k=DAVE.public), [b"", b"\x05"])
    for opcode, name, expected, wanted, options in (
            ("CHECKLOCKTIMEVERIFY", "cltv-5-bytes", None, "4294967295", {"locktime": 2**32 - 1, "sequence": 0}),
            ("CHECKLOCKTIMEVERIFY", "cltv-6-bytes", "SCRIPTNUM", "<640000000000>", {"locktime": 100, "sequence": 0}),
            ("CHECKLOCKTIMEVERIFY", "cltv-33-bits", "UNSATISFIED_LOCKTIME", str(2**32 + 500_000_000), {"locktime": 500_000_000, "sequence": 0}),
            ("CHECKSEQUENCEVERIFY", "csv-33-bits", None, str(2**32 | 100), {"sequence": 100}),
            ("CHECKSEQUENCEVERIFY", "csv-33-bits-not-reached", "UNSATISFIED_LOCKTIME", str(2**32 | 100), {"sequence": 99}),
            ("CHECKSEQUENCEVERIFY", "csv-6-bytes", "SCRIPTNUM", "<640000000000>", {"sequence": 100}),
            ("CHECKSEQUENCEVERIFY", "csv-16-bits", "UNSATISFIED_LOCKTIME", "32768", {"sequence": 0x7FFF}),
            ("CHECKSEQUENCEVERIFY", "csv-other-bits-in-script", None, str(0x7FBF0000 | 100), {"sequence": 100}),
            ("CHECKSEQUENCEVERIFY", "csv-other-bits-in-input", "UNSATISFIED_LOCKTIME", "100", {"sequence": 0x7FBF0000 | 99}),
            ("CHECKSEQUENCEVERIFY", "csv-version-ffffffff", None, "100", {"sequence": 100, "version": 2**32 - 1})):
        add("p2mr-execute", name, expected, f"{wanted} {opcode} DROP 1", [], **options)


def recipes_of_spends():
    """Those that are data: the YAML files of the folder spends."""
    for path in sorted((HERE / "spends").glob("*.yaml")):
        for case, left in recipes.read(path):
            add(**case if left is None else {**case, **budgeted(left, case["script"], case["stack"], case["output"], case.get("annex"))})


def slhdsa_vectors():
    """Signatures with all intermediate values; changed ones are described by the change, to save space."""
    found = []

    def one(name, key, m, signature, of=None, at=None, mask=None, comment=None):
        trace = {}
        valid = slhdsa.slh_verify_internal(m, signature, key, trace)
        case = {"name": name, "public_key": key.hex(), "m_prime": m.hex()}
        case.update({"signature": signature.hex()} if of is None else {"signature_of": of, **({"xor_byte": at, "xor_value": mask} if at is not None else {})})
        found.append({**case, **({"comment": comment} if comment else {}), "valid": valid, **{k: v for k, v in trace.items() if k != "m_prime"}})

    for key, context, random in ((ALICE, b"", None), (BOB, b"", derive("rnd", 16)), (CAROL, b"Bitcoin", None)):
        # Messages 21969 and 148941: idx_leaf 0 and 511, with a FORS index 0 and one of 4095, and idx_tree beyond what a double holds exactly
        for i in (0, 1, 21969, 148941) if key is ALICE else (0,):
            message = derive(f"message {i} of {key.name}")
            m = slhdsa.m_prime(message, context)
            name = f"{key.name}-{i}"
            signature = cached_sign(m, key, random)
            one(name, key.public, m, signature, comment=f"M {message.hex()}, context {context.hex() or 'empty'}, {'hedged' if random else 'deterministic'}, seed {key.seed.hex()}")
            if i or key is not ALICE:
                continue
            layer = 16 * 44
            start = 16 + 2912
            places = {"r": 0, "first-fors-secret": 16, "last-fors-path": start - 1}
            for j in range(7):
                places[f"layer-{j}-first-chain"] = start + layer * j
                places[f"layer-{j}-checksum-chain"] = start + layer * j + 16 * 34
                places[f"layer-{j}-path"] = start + layer * (j + 1) - 1
            for place, at in places.items():
                one(f"{name}-{place}", key.public, m, flip(at, 0x80)(signature), name, at, 0x80)
            one(f"{name}-message", key.public, flip(20)(m), signature, name)
            one(f"{name}-context-length", key.public, flip(1)(m), signature, name, comment="as if the context had a byte")
            one(f"{name}-prehash-separator", key.public, flip(0)(m), signature, name, comment="the separator of the pre-hash version")
            one(f"{name}-without-prefix", key.public, m[2:], signature, name, comment="the internal interface")
            one(f"{name}-pk-seed", flip(0)(key.public), m, signature, name)
            one(f"{name}-pk-root", flip(31)(key.public), m, signature, name)
    return found


def parameter_sets():
    """Spends by the rules of parameter-sets.md."""
    keys = {p.name: SlhKey(f"key of {p.name}", p) for p in SET_NUMBERS.values()}
    unknown = "CHECKSIGSLHDSA"
    for set_name, key in keys.items():
        params, other = key.params, keys[next(name for name in keys if name != set_name)]
        script, size = asm("$key CHECKSIGSLHDSA", key=key.public), key.params.signature_size
        fors, layer = 16 * (1 + params.k * (1 + params.a)), 16 * (params.len + params.h_prime)

        def case(clauses, name, expected, stack, script=script, flags=WITH_SETS, set_name=set_name, **options):
            add(clauses, f"{set_name}-{name}", expected, script, stack, flags=flags, **options)

        for output in BOTH:
            case("sets-key sets-sig-size sets-message sets-verify", output, None, [Sign(key)], output=output)
        case("sets-key", "standard", None, [Sign(key)], flags=STANDARD_WITH_SETS)
        case("sets-verify", "other-key", "SLHDSA_SIG", [Sign(key)], script=asm("$key CHECKSIGSLHDSA", key=flip(32)(key.public)))
        for name, at in (("r", 0), ("fors-secret", 16), ("fors-path", fors - 1), ("first-chain", fors), ("checksum-chain", fors + 16 * params.len - 1),
                         ("path", fors + layer - 1), ("end", size - 1)):
            case("sets-verify", f"flipped-{name}", "SLHDSA_SIG", [Sign(key, edit=flip(at, 0x10))])
        case("sets-message", "key-version-2", "SLHDSA_SIG", [Sign(key, key_version=KEY_VERSION_SLHDSA)])
        case("sets-message", "key-version-number-of-set", "SLHDSA_SIG", [Sign(key, key_version=key.public[0])])
        for hash_type in (0x01, 0x83):
            case("sets-sig-size", f"hash-type-{hash_type:02x}", None, [Sign(key, hash_type)])
        for hash_type in (0x00, 0x04):
            case("sets-sig-size", f"hash-type-{hash_type:02x}", "SLHDSA_SIG_HASHTYPE", [Sign(key, hash_type, message=unchecked)])
        case("sets-sig-size", "single-without-output", "SLHDSA_SIG_HASHTYPE", [Sign(key, 3, message=unchecked)], index=1, inputs=2)
        for wrong in sorted({64, size - 1, size + 2, SIG, SIG + 1, other.params.signature_size, other.params.signature_size + 1}):
            case("sets-sig-size", f"signature-of-{wrong}-bytes", "SLHDSA_SIG_SIZE", [bytes(wrong)])
        case("sets-sig-size", "signature-and-two-bytes", "SLHDSA_SIG_SIZE", [Sign(key, edit=lambda s: s + bytes(2))])
        case("sets-key sets-sig-size", "empty", "EVAL_FALSE", [b""])
        case("sets-key sets-sig-size", "empty-not", None, [b""], script=script + asm("NOT"))
        for left, expected in ((49, "TAPSCRIPT_VALIDATION_WEIGHT"), (50, None)):
            case("sets-key", f"budget-{left}", expected, **budgeted(left, script + asm("NIP"), [Sign(key)]), at=expected and -2)
        case("sets-key", "number-and-key-of-another-set", "SLHDSA_SIG_SIZE", [Sign(key)], script=asm("$key CHECKSIGSLHDSA", key=other.public[:1] + key.public[1:]))
        case("sets-flag", "without-flag-any-signature", None, [b"1"], flags="consensus")
        case("sets-flag", "without-flag-right-signature", None, [Sign(key)], flags="consensus")
        case("sets-flag", "without-flag-empty", "EVAL_FALSE", [b""], flags="consensus")
        case("sets-flag", "without-flag-standard", "DISCOURAGE_UPGRADABLE_PUBKEYTYPE", [Sign(key)], flags="standard")
        case("sets-flag", "with-flag-any-signature", "SLHDSA_SIG_SIZE", [b"1"])
        case("sets-flag", "without-slhdsa", None, [b"1"], flags=verify.format_flags(CONSENSUS_FLAGS - {"SLHDSA"} | {"SLHDSA_SETS"}), comment="the opcodes are OP_SUCCESSx")
        case("sets-key", "checksig", None, [b"1"], script=asm("$key CHECKSIG", key=key.public), comment="of BIP 342's opcodes such keys are of an unknown type")
        case("sets-key", "checksig-standard", "DISCOURAGE_UPGRADABLE_PUBKEYTYPE", [b"1"], script=asm("$key CHECKSIG", key=key.public), flags=STANDARD_WITH_SETS)
        for name, longer in (("34-bytes", key.public + b"\x00"), ("65-bytes", key.public[:1] + key.public[1:] * 2)):
            case("sets-key", name, None, [b"1"], script=asm(f"$key {unknown}", key=longer), comment="of an unknown type")
            case("sets-key", f"{name}-standard", "DISCOURAGE_UPGRADABLE_PUBKEYTYPE", [b"1"], script=asm(f"$key {unknown}", key=longer), flags=STANDARD_WITH_SETS)
        short = SlhKey(f"key of 32 bytes with {key.public[0]}", pk_seed=key.public[:1] + derive(set_name, 15))
        case("sets-key", "32-bytes", None, [Sign(short)], script=asm(f"$key {unknown}", key=short.public), comment="a key of 128s whose first byte is this number")
        case("sets-key", "32-bytes-wrong-size", "SLHDSA_SIG_SIZE", [bytes(size)], script=asm(f"$key {unknown}", key=short.public))
    for number in (0, 1, 2, 3, 23, 25, 39, 41, 0xF0, 0xFF):
        script = asm("$key CHECKSIGSLHDSA", key=bytes([number]) + ALICE.public)
        for name, expected, flags in (("", None, WITH_SETS), ("-standard", "DISCOURAGE_UPGRADABLE_PUBKEYTYPE", STANDARD_WITH_SETS)):
            add("sets-key", f"number-{number}{name}", expected, script, [b"1"], comment="of an unknown type", flags=flags)
    small, middle = keys.values()
    three = asm("$a CHECKSIGSLHDSA $b CHECKSIGADDSLHDSA $c CHECKSIGADDSLHDSA 2 NUMEQUAL", a=small.public, b=ALICE.public, c=middle.public)
    add("sets-key sets-verify", "two-of-three-sets", None, three, [Sign(middle), b"", Sign(small)], flags=WITH_SETS)
    add("sets-key sets-verify", "two-of-three-sets-128s", None, three, [b"", Sign(ALICE), Sign(small)], flags=WITH_SETS)
    add("sets-key", "two-of-three-sets-one-signs", "EVAL_FALSE", three, [Sign(middle), b"", b""], flags=WITH_SETS)
    add("sets-verify", "two-of-three-sets-wrong", "SLHDSA_SIG", three, [Sign(middle, edit=flip(99)), b"", Sign(small)], flags=WITH_SETS, at=-3)


def dump(items):
    """JSON with one vector a line."""
    return "[\n" + ",\n".join(json.dumps(item, separators=(",", ":")) for item in items) + "\n]\n"


# Rules that no spend can show, and what shows them
WITHOUT_VECTORS = {
    "scope-sigops": "`src/test/script_tests.cpp`",
    "policy-annex": "`test/functional/scenarios/annex.yaml`",
    "policy-element": "`test/functional/node/test_policy.py`",
    "sets-element": "`contrib/bitcoin-core/src/test/slhdsa_validation_tests.cpp`",
}


def clauses_of_text():
    """The names of the rules, in the order of the texts."""
    return (re.findall(r"'''([a-z0-9]+(?:-[a-z0-9]+)+)'''\. ", TEXT.read_text(encoding="utf-8")) +
            re.findall(r"\*\*(sets-[a-z-]+)\*\*", SETS_TEXT.read_text(encoding="utf-8")))


def together(names):
    """Names as a shell would write them, those together that differ in one part: {p2mr,p2tr}-sig."""
    rows = [((rule,), *((part,) for part in rest.split("-"))) for rule, _, rest in (name.partition("/") for name in names)]
    for place in range(max(map(len, rows)) - 1, 0, -1):
        merged = {}
        for row in rows:
            merged.setdefault((row[:place], row[place + 1:], place < len(row)), []).extend(row[place] if place < len(row) else ())
        rows = [(*before, tuple(parts), *after) if there else before for (before, after, there), parts in merged.items()]
    return [f"{rule}/" + "-".join(part[0] if len(part) == 1 else f"{{{','.join(part)}}}" for part in rest) for (rule,), *rest in rows]


def clause_table(spends):
    """Which vectors show a rule: Markdown."""
    lines = ["# Rules and their vectors", "", "Made by make_vectors.py. Each rule of the [specification](../bip-slhdsa-tapscript.mediawiki) and of [other parameter sets](../parameter-sets.md), and the vectors in spends.json and parameter-sets.json that show it.", ""]
    for clause in clauses_of_text():
        lines += [f"## {clause}", ""]
        if clause in WITHOUT_VECTORS:
            lines += [f"No spend can show it. Tests: {WITHOUT_VECTORS[clause]}.", ""]
            continue
        by_error = {}
        for vector in spends:
            if clause in vector["clauses"]:
                by_error.setdefault(vector["error"] or "valid", []).append(vector["name"])
        lines += [f"- {error}: {', '.join(together(names))}" for error, names in sorted(by_error.items(), key=lambda item: (item[0] != "valid", item[0]))] + [""]
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    for part in (where_the_rules_apply, p2mr, before_execution, opcodes, message, large_elements, boundaries_of_the_message, boundaries_of_the_leaf, opcodes_of_tapscript,
                 recipes_of_spends):
        part()
    n_spends = len(vectors)
    parameter_sets()
    names = [vector["name"] for vector in vectors]
    assert len(set(names)) == len(names), [name for name in names if names.count(name) > 1]
    if wrong:
        print("\n".join(wrong))
        return 2
    status = 0
    slhdsa_cases = slhdsa_vectors()
    spends, sets = vectors[:n_spends], vectors[n_spends:]
    for name, items, text in (("spends.json", spends, dump(spends)), ("parameter-sets.json", sets, dump(sets)), ("slhdsa.json", slhdsa_cases, dump(slhdsa_cases)),
                              ("clauses.md", clauses_of_text(), clause_table(vectors))):
        if options.check:
            same = (HERE / name).read_text(encoding="ascii") == text
            print(f"{name}: {'the same' if same else 'differs'}")
            status |= not same
        else:
            (HERE / name).write_text(text, encoding="ascii")
            print(f"{name}: {len(items)} items, {len(text)} bytes")
    return status


if __name__ == "__main__":
    sys.exit(main())
