#!/usr/bin/env python3
# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""The reference model on the test vectors; that each rule of the text has vectors; and that they notice a model that breaks the rule.

  test_vectors.py [CLASS...]       (default: all)
  test_vectors.py --disagreeing REFERENCE CLAUSE     prints a vector of that rule on which the model in that folder errs, if there is one"""

import ast
import importlib.util
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
REFERENCE = HERE.parent / "reference"


def load(name):
    return json.loads((HERE / name).read_text(encoding="ascii"))


def load_spends():
    return load("spends.json") + load("parameter-sets.json")


def judge(verify, vector, with_trace=True):
    """The model's report on a vector."""
    tx, spent, flags = verify.load(vector)
    return verify.verify_one(tx, spent, vector["input"], flags, with_trace)


def disagreeing(reference, clause):
    """The name of a vector of this rule on which the model in this folder is wrong."""
    sys.path.insert(0, reference)
    import verify
    for vector in load_spends():
        if clause in vector["clauses"]:
            try:
                if judge(verify, vector, False).get("error") != vector["error"]:
                    return vector["name"]
            except Exception as error:  # a broken model may do anything
                return f"{vector['name']} ({type(error).__name__})"
    return None


class Model(unittest.TestCase):
    """Verdict, error, position and every intermediate value."""

    @classmethod
    def setUpClass(cls):
        sys.path.insert(0, str(REFERENCE))

    def test_spends(self):
        import verify
        vectors = load_spends()
        self.assertGreater(len(vectors), 500)
        for vector in vectors:
            report = judge(verify, vector)
            self.assertEqual((report["valid"], report.get("error"), report.get("opcode_pos"), report["trace"]),
                             (vector["error"] is None, vector["error"], vector.get("opcode_pos"), vector["trace"]), vector["name"])

    def test_slhdsa(self):
        import slhdsa
        cases = load("slhdsa.json")
        signatures = {case["name"]: bytes.fromhex(case["signature"]) for case in cases if "signature" in case}
        for case in cases:
            signature = bytearray(signatures[case.get("signature_of", case["name"])])
            if "xor_byte" in case:
                signature[case["xor_byte"]] ^= case["xor_value"]
            trace = {}
            valid = slhdsa.slh_verify_internal(bytes.fromhex(case["m_prime"]), bytes(signature), bytes.fromhex(case["public_key"]), trace)
            self.assertEqual({"valid": valid, **trace}, {name: case[name] for name in ("valid", *trace)}, case["name"])
        self.assertEqual(sum(case["valid"] for case in cases), len(signatures))


needs_yaml = unittest.skipUnless(importlib.util.find_spec("yaml"), "no PyYAML")


class Rules(unittest.TestCase):
    """The table of rules, and what shows them."""

    def test_each_rule_has_vectors(self):
        from make_vectors import WITHOUT_VECTORS, clause_table, clauses_of_text
        clauses, vectors = clauses_of_text(), load_spends()
        self.assertEqual(len(set(clauses)), len(clauses))
        self.assertGreater(len(clauses), 40)
        self.assertEqual({clause for vector in vectors for clause in vector["clauses"]}, set(clauses) - set(WITHOUT_VECTORS))
        for clause, place in WITHOUT_VECTORS.items():
            self.assertIn(clause, (HERE.parents[2] / place.strip("`")).read_text(encoding="utf-8"), place)
        for clause in clauses:
            verdicts = {vector["error"] is None for vector in vectors if clause in vector["clauses"]}
            if clause not in ("scope-legacy", "scope-leaf-version", "opcode-key-empty", "p2mr-outer", *WITHOUT_VECTORS):  # which say that something always fails, or always succeeds
                self.assertEqual(verdicts, {True, False}, clause)
        self.assertEqual((HERE / "clauses.md").read_text(encoding="utf-8"), clause_table(vectors))

    @needs_yaml
    def test_recipes(self):
        """The vectors are those of the recipes. That their bytes are is make_vectors.py's to say, which signs."""
        import recipes
        made = {vector["name"]: (vector["clauses"], vector["error"], vector["flags"]) for vector in load_spends()}
        for path in (HERE / "spends").glob("*.yaml"):
            for case in recipes.read(path):
                clauses, error = case["clauses"].split(), case["expected"] and "SCRIPT_ERR_" + case["expected"]
                self.assertEqual(made.get(f"{clauses[0]}/{case['name']}"), (clauses, error, case["flags"]), f"{path.name}: {case['name']}")

    @needs_yaml
    def test_recipe_that_says_nothing(self):
        """A member or a word that fits nothing is no spend, and is named."""
        import recipes
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "one.yaml")
            for member, message in (("witnes: [<>]", "one.yaml: a: ValueError unknown: witnes"), ("place: {b: 1, c: 2}", "nothing of place is for any of a"),
                                    ("witness: [{fil: 1}]", "unknown: fil"), ("witness: [<01> <02>]", "too many"), ("script: OP_CHEKSIG", "CHEKSIG"), ("in: p2mr consensus,TAPROT", "TAPROT")):
                path.write_text(f"title: t\neach: {{x: [a]}}\ncases: [{{name: '{{x}}', rules: p2mr-root, in: p2mr consensus, expect: VALID, script: 1, {member}}}]\n", encoding="utf-8")
                with self.assertRaisesRegex(ValueError, message):
                    list(recipes.read(path))

    def test_disagreement(self):
        """make_vectors.py tells of each vector that the model judges otherwise."""
        import make_vectors
        make_vectors.add("p2mr-root", "true", "EVAL_FALSE", b"\x51", [])
        make_vectors.add("p2mr-root", "true-too", None, b"\x51", [])
        make_vectors.add("p2mr-root", "too-early", "OP_RETURN", b"\x76\x75\x6a", [b""])
        self.assertEqual(make_vectors.wrong, ["p2mr-root/true: expected EVAL_FALSE, the model says VALID", "p2mr-root/too-early: made for instruction 0, fails at 2"])

    def test_sets_of_flags(self):
        """The README lists them as the model has them."""
        from script import CONSENSUS_FLAGS, STANDARD_FLAGS
        consensus, standard = (HERE / "README.md").read_text(encoding="utf-8").split("\n- `consensus`: ")[1].split("\n\n")[0].split("- `standard`: ")
        consensus, others = (set(re.findall("`([A-Z0-9_]+)`", text)) for text in (consensus, standard.split("all that there are")[0]))
        self.assertEqual((consensus, consensus | others), (CONSENSUS_FLAGS, STANDARD_FLAGS))

    def test_each_rule_has_a_mutation(self):
        from make_vectors import WITHOUT_VECTORS, clauses_of_text
        self.assertEqual({clause for clause, *_ in MUTATIONS}, set(clauses_of_text()) - set(WITHOUT_VECTORS))


# Rule, file of the model, text there, and what it becomes: the model without the rule, or with another one.
MUTATIONS = [
    ("scope-tapscript", "validation.py", "return verify_leaf(this, stack, version, script)\n\n\ndef verify_p2mr", "return None\n\n\ndef verify_p2mr"),
    ("scope-tapscript", "validation.py", "merkle_root(this, version, script, control[33:])", "merkle_root(this, version, script, control[33:65])"),
    ("scope-tapscript", "validation.py", "output = bip340.tweak(control[1:33], root)", "output = bip340.tweak(control[1:33], root)\n    if len(control) == 33:\n        return None"),
    ("scope-tapscript", "validation.py", "require(output == (program, control[0] & 1)", "require(output[0] == program"),
    ("scope-legacy", "interpreter.py", 'require(opcode not in DISABLED, "DISABLED_OPCODE")', 'require(opcode not in DISABLED - {127, 128}, "DISABLED_OPCODE")'),
    ("scope-legacy", "interpreter.py", 'require(opcode not in DISABLED, "DISABLED_OPCODE")', 'require(opcode not in DISABLED or not all(self.branches), "DISABLED_OPCODE")'),
    ("scope-leaf-version", "validation.py", "if version != TAPSCRIPT_VERSION:", "if version not in (TAPSCRIPT_VERSION, 0xC2):"),
    ("scope-leaf-version", "validation.py", "    if version != TAPSCRIPT_VERSION:  # scope-leaf-version, policy-leaf-version\n", "    if version != TAPSCRIPT_VERSION:  # scope-leaf-version, policy-leaf-version\n        list(decode(script))\n"),
    ("scope-leaf-version", "validation.py", "    if version != TAPSCRIPT_VERSION:  # scope-leaf-version, policy-leaf-version\n", "    require(len(stack) <= MAX_STACK_SIZE, 'STACK_SIZE')\n    if version != TAPSCRIPT_VERSION:  # scope-leaf-version, policy-leaf-version\n"),
    ("p2mr-outer", "validation.py", 'execute(stack, script_pubkey, this, BASE)\n        require(stack and is_true(stack[-1]), "EVAL_FALSE")',
     "execute(stack, script_pubkey, this, BASE)"),
    ("p2mr-outer", "validation.py", 'execute(stack, script_pubkey, this, BASE)\n        require(stack and is_true(stack[-1]), "EVAL_FALSE")',
     'execute(stack, script_pubkey, this, BASE)\n        require(stack and is_true(stack[-1][-1:]), "EVAL_FALSE")'),
    ("p2mr-outer", "validation.py", "execute(stack, script_sig, this, BASE)", "execute(stack, b'' if witness_program(script_pubkey) else script_sig, this, BASE)"),
    ("p2mr-outer", "validation.py", 'execute(stack, script_pubkey, this, BASE)\n        require(stack and is_true(stack[-1]), "EVAL_FALSE")',
     'execute(stack, script_pubkey, this, BASE)\n        require(not script_sig or not witness_program(script_pubkey), "WITNESS_MALLEATED")\n'
     '        require(stack and is_true(stack[-1]), "EVAL_FALSE")'),
    ("p2mr-outer", "validation.py", 'before = list(stack)\n', 'before = list(stack)\n    stack = [] if witness_program(script_pubkey) else stack\n'),
    ("p2mr-count", "validation.py", "len(stack) >= 2 and not (len(stack) == 2 and stack[-1][:1] == bytes([ANNEX_TAG]))", "len(stack) >= 2"),
    ("p2mr-annex", "validation.py", "if stack[-1][:1] == bytes([ANNEX_TAG]):", "if stack[-1][:1] in (b'', bytes([ANNEX_TAG])):"),
    ("p2mr-annex", "validation.py", "this.annex = stack.pop()", 'require(len(stack[-1]) <= 520, "PUSH_SIZE")\n        this.annex = stack.pop()'),
    ("p2mr-control", "validation.py", 'require(control[0] & 1, "WITNESS_PROGRAM_MISMATCH")', 'require(control[0] & 1 and control[0] != 0x51, "WITNESS_PROGRAM_MISMATCH")'),
    ("p2mr-root", "transaction.py", 'tagged_hash("TapBranch", min(a, b) + max(a, b))', 'tagged_hash("TapBranch", a + b)'),
    ("p2mr-root", "validation.py", 'require(merkle_root(this, version, script, control[1:]) == program, "WITNESS_PROGRAM_MISMATCH")', "merkle_root(this, version, script, control[1:])"),
    ("p2mr-root", "transaction.py", 'bytes([version]) + ser_bytes(script)', 'bytes([version]) + compact_size(len(script) & 0xFFFF) + script'),
    ("p2mr-depth-zero", "validation.py", "if len(control) == 1:", "if len(control) == 1 and this.annex is None:"),
    ("p2mr-depth-zero", "validation.py", "if len(control) == 1:", 'if len(control) == 1 and "DISCOURAGE_OP_SUCCESS" not in this.flags:'),
    ("p2mr-execute", "validation.py", "    contains = False\n", '    contains = False\n    require(script, "EVAL_FALSE")\n'),
    ("p2mr-execute", "interpreter.py", 'return require(result, "CHECKSIGVERIFY")', "return None"),
    ("p2mr-execute", "validation.py", "    contains = False\n", '    contains = False\n    require(len(script) <= 10000, "SCRIPT_SIZE")\n'),
    ("p2mr-execute", "interpreter.py", '"OP_1ADD": lambda a: a + 1', '"OP_1ADD": lambda a: a or 1'),
    ("p2mr-execute", "interpreter.py", '"OP_1SUB": lambda a: a - 1', '"OP_1SUB": lambda a: max(a - 1, 0)'),
    ("p2mr-execute", "interpreter.py", '"OP_NEGATE": lambda a: -a', '"OP_NEGATE": lambda a: -abs(a)'),
    ("p2mr-execute", "interpreter.py", '"OP_ABS": abs', '"OP_ABS": lambda a: a'),
    ("p2mr-execute", "interpreter.py", '"OP_NOT": lambda a: a == 0', '"OP_NOT": lambda a: a <= 0'),
    ("p2mr-execute", "interpreter.py", '"OP_0NOTEQUAL": lambda a: a != 0', '"OP_0NOTEQUAL": lambda a: a > 0'),
    ("p2mr-execute", "interpreter.py", '"OP_ADD": lambda a, b: a + b', '"OP_ADD": lambda a, b: (a + b) & 0x7FFFFFFF'),
    ("p2mr-execute", "interpreter.py", '"OP_SUB": lambda a, b: a - b', '"OP_SUB": lambda a, b: b - a'),
    ("p2mr-execute", "interpreter.py", '"OP_BOOLAND": lambda a, b: a != 0 and b != 0', '"OP_BOOLAND": lambda a, b: a & b'),
    ("p2mr-execute", "interpreter.py", '"OP_BOOLOR": lambda a, b: a != 0 or b != 0', '"OP_BOOLOR": lambda a, b: a + b != 0'),
    ("p2mr-execute", "interpreter.py", '"OP_NUMEQUAL": lambda a, b: a == b', '"OP_NUMEQUAL": lambda a, b: abs(a) == abs(b)'),
    ("p2mr-execute", "interpreter.py", '"OP_NUMNOTEQUAL": lambda a, b: a != b', '"OP_NUMNOTEQUAL": lambda a, b: a < b'),
    ("p2mr-execute", "interpreter.py", '"OP_MIN": min, "OP_MAX": max', '"OP_MIN": max, "OP_MAX": min'),
    ("p2mr-execute", "interpreter.py", '"OP_MAX": max', '"OP_MAX": lambda a, b: b'),
    ("p2mr-execute", "interpreter.py", 'equal = self.pop() == self.pop()', 'equal = is_true(self.pop()) == is_true(self.pop())'),
    ("p2mr-execute", "interpreter.py", '"OP_RIPEMD160": ripemd160', '"OP_RIPEMD160": hash160'),
    ("p2mr-execute", "interpreter.py", '"OP_SHA1": lambda x: sha1(x).digest()', '"OP_SHA1": lambda x: sha256(x).digest()[:20]'),
    ("p2mr-execute", "interpreter.py", '"OP_SHA256": lambda x: sha256(x).digest()', '"OP_SHA256": lambda x: sha256(x).digest()[::-1]'),
    ("p2mr-execute", "interpreter.py", '"OP_HASH160": hash160', '"OP_HASH160": ripemd160'),
    ("p2mr-execute", "interpreter.py", '"OP_HASH256": lambda x: sha256(sha256(x).digest()).digest()', '"OP_HASH256": lambda x: sha256(x).digest()'),
    ("p2mr-execute", "interpreter.py", "return self.push_number(opcode - 0x50)", "return self.push_number(min(opcode - 0x50, 14))"),
    ("p2mr-execute", "interpreter.py", 'require(is_true(self.pop()), "VERIFY")', 'require(self.pop(), "VERIFY")'),
    ("p2mr-execute", "interpreter.py", "if is_true(stack[-1]):\n                self.push(stack[-1])", "if stack[-1]:\n                self.push(stack[-1])"),
    ("p2mr-execute", "interpreter.py", "self.push_number(len(stack))", "self.push_number(len(stack) & 0x7F)"),
    ("p2mr-execute", "interpreter.py", "self.push_number(len(stack))", "self.push_number(len(stack) & 0xFF)"),
    ("p2mr-execute", "interpreter.py", "self.push(stack.pop(-n - 1))", "self.push(stack.pop(-min(n, 2) - 1))"),
    ("p2mr-execute", "interpreter.py", "self.push(stack[-n - 1])", "self.push(stack[-min(n, 2) - 1])"),
    ("p2mr-execute", "interpreter.py", "n = self.number(self.pop())", "n = self.number(self.pop()) & 0xFF"),
    ("p2mr-execute", "interpreter.py", "(1 << 22) | 0xFFFF", "(1 << 22) | 0x7FFF"),
    ("p2mr-execute", "interpreter.py", "(1 << 22) | 0xFFFF", "(1 << 22) | 0x1FFFF"),
    ("p2mr-execute", "interpreter.py", "(1 << 22) | 0xFFFF", "(3 << 22) | 0xFFFF"),
    ("p2mr-execute", "interpreter.py", "tx.version < 2 or", "not 2 <= tx.version < 1 << 31 or"),
    ("p2mr-execute", "script.py", "element[-1] not in (0, 0x80)", "element[-1] != 0"),
    ("p2mr-budget", "validation.py", ".witness)) + VALIDATION_WEIGHT_OFFSET", ".witness)) + VALIDATION_WEIGHT_OFFSET + 1"),
    ("p2mr-budget", "validation.py", "ser_witness(this.tx.inputs[this.index].witness)", 'b"".join(ser_witness(one.witness) for one in this.tx.inputs)'),
    ("p2mr-budget", "validation.py", ".witness)) + VALIDATION_WEIGHT_OFFSET", ".witness)) + (VALIDATION_WEIGHT_OFFSET if len(this.tx.inputs[this.index].witness) < 253 else 48)"),
    ("p2mr-budget", "validation.py", "ser_witness(this.tx.inputs[this.index].witness)", "ser_witness([w for w in this.tx.inputs[this.index].witness if w != this.annex])"),
    ("scan-success", "validation.py", "contains = contains or opcode in new", "contains = contains or opcode in new\n        if contains:\n            break"),
    *(("scan-success", "script.py", "OP_SUCCESS = {80,", f"OP_SUCCESS = {{80, {opcode},") for opcode in (0x65, 0x66, 0x68, 0xAE, 0xB0, 0xBA, 0xFF)),
    ("scan-decode", "validation.py", "contains = contains or opcode in new", "contains = contains or opcode in new\n        if contains:\n            break"),
    ("scan-decode", "validation.py", "for opcode, _ in decode(script):\n        if opcode in OP_SUCCESS", "for opcode, _ in list(decode(script)):\n        if opcode in OP_SUCCESS"),
    ("scan-decode", "script.py", "width = 1 << (opcode - 0x4C)", "width = (1, 2, 2)[opcode - 0x4C]"),
    ("scan-decode", "script.py", 'require(at + width <= len(script), "BAD_OPCODE")', "width = min(width, len(script) - at)"),
    ("scan-decode", "script.py", 'int.from_bytes(script[at:at + width], "little")', 'int.from_bytes(script[at:at + width], "little") & 0xFFFF'),
    ("scan-contains", "validation.py", "contains = False", "contains = b'\\x7f' in script or b'\\x80' in script"),
    ("scan-contains", "validation.py", "contains = contains or opcode in new", "contains = contains or opcode in new - {max(new, default=0)}"),
    ("limit-count", "validation.py", 'require(len(stack) <= MAX_STACK_SIZE, "STACK_SIZE")  # limit-count', "pass"),
    ("limit-element", "validation.py", "if contains else MAX_ELEMENT_SIZE", "if contains and len(stack) < 100 else MAX_ELEMENT_SIZE"),
    ("limit-element", "validation.py", "require(all(len(element) <= MAX_ELEMENT_SIZE for element in stack)",
     "require(b'\\x7f' in script or all(len(element) <= MAX_ELEMENT_SIZE for element in stack)"),
    ("limit-push", "interpreter.py", "require(data is None or len(data) <= MAX_ELEMENT_SIZE", "require(data is None or not all(self.branches) or len(data) <= MAX_ELEMENT_SIZE"),
    ("limit-stack", "interpreter.py", "len(self.stack) + len(self.altstack) <= MAX_STACK_SIZE", "len(self.stack) <= MAX_STACK_SIZE"),
    ("opcode-unexecuted", "interpreter.py", "elif executing or CODES", "elif executing or opcode in (127, 128) or CODES"),
    ("opcode-depth", "script.py", '"OP_CHECKSIGADDSLHDSA": (3, {1, 2})', '"OP_CHECKSIGADDSLHDSA": (2, {1, 2})'),
    ("opcode-num", "interpreter.py", "signature, number = stack[-3], self.number(stack[-2])", "signature, number = stack[-3], self.number(stack[-2], 5)"),
    ("opcode-key-large", "interpreter.py", 'require(len(key) <= MAX_ELEMENT_SIZE, "PUSH_SIZE")  # opcode-key-large', "pass"),
    ("opcode-budget", "interpreter.py", "-= VALIDATION_WEIGHT_PER_SIGOP_PASSED", "-= VALIDATION_WEIGHT_PER_SIGOP_PASSED if key_version == 0 else 0"),
    ("opcode-budget", "interpreter.py", "-= VALIDATION_WEIGHT_PER_SIGOP_PASSED", "-= VALIDATION_WEIGHT_PER_SIGOP_PASSED if len(signature) < 7856 else 0"),
    ("opcode-budget", "validation.py", ".witness)) + VALIDATION_WEIGHT_OFFSET", ".witness)) + VALIDATION_WEIGHT_OFFSET - 2 * sum(len(w) > 7000 for w in this.tx.inputs[this.index].witness)"),
    ("opcode-budget", "interpreter.py", 'if signature:\n        this.budget -= VALIDATION_WEIGHT_PER_SIGOP_PASSED  # opcode-budget\n        require(this.budget >= 0, "TAPSCRIPT_VALIDATION_WEIGHT")\n    require(key, "TAPSCRIPT_EMPTY_PUBKEY")',
     'require(key, "TAPSCRIPT_EMPTY_PUBKEY")\n    if signature:\n        this.budget -= VALIDATION_WEIGHT_PER_SIGOP_PASSED  # opcode-budget\n        require(this.budget >= 0, "TAPSCRIPT_VALIDATION_WEIGHT")'),
    ("opcode-key-empty", "interpreter.py", 'require(key, "TAPSCRIPT_EMPTY_PUBKEY")', "pass"),
    ("opcode-key-unknown", "interpreter.py", "elif len(key) != 32:", "elif len(key) not in (32, 33):"),
    ("opcode-sig-empty", "interpreter.py", "    if signature:\n        extension", "    if True:\n        extension"),
    ("opcode-sig-size", "interpreter.py", 'require(len(signature) in (size, size + 1), "SLHDSA_SIG_SIZE")', "pass"),
    ("opcode-hashtype", "interpreter.py", 'hash_type = signature[-1]\n        require(hash_type != 0, "SLHDSA_SIG_HASHTYPE")', "hash_type = signature[-1]"),
    ("opcode-verify", "interpreter.py", "    valid = slhdsa.slh_verify(message,", "    seen = this.__dict__.setdefault('seen', set())\n    if (signature, key) in seen:\n        return\n    seen.add((signature, key))\n"
     "    valid = slhdsa.slh_verify(message,"),
    ("opcode-verify", "interpreter.py", 'require(hash_type != 0, "SLHDSA_SIG_HASHTYPE")\n    message = this.message(hash_type, extension)',
     'require(hash_type != 0, "SLHDSA_SIG_HASHTYPE")\n    this.first = getattr(this, "first", hash_type)\n    message = this.message(this.first, extension)'),
    ("opcode-verify", "interpreter.py", 'require(hash_type != 0, "SLHDSA_SIG_HASHTYPE")\n    message = this.message(hash_type, extension)',
     'require(hash_type != 0, "SLHDSA_SIG_HASHTYPE")\n    this.first = getattr(this, "first", extension)\n    message = this.message(hash_type, this.first)'),
    ("opcode-result", "interpreter.py", "return self.push_number(number + result)", "return self.push_number(number + 1)"),
    ("opcode-result", "interpreter.py", "del stack[-3:]\n            return self.push_number(number + result)",
     "kept = stack[-2]\n            del stack[-3:]\n            return self.push_number(number + 1) if result else self.push(kept)"),
    ("opcode-result", "interpreter.py", "return self.push_number(number + result)", "return self.push((number + result if number + result < 1 << 31 else 0).to_bytes(4, 'little', signed=True).rstrip(b'\\0'))"),
    ("message-fields", "transaction.py", "if selection not in (SIGHASH_NONE, SIGHASH_SINGLE):", "if selection != SIGHASH_NONE:"),
    ("message-fields", "transaction.py", "    if annex is not None:\n        msg += sha256(ser_bytes(annex)).digest()\n", ""),
    ("message-fields", "transaction.py", "msg += sha256(ser_bytes(annex)).digest()", "msg += sha256(annex).digest()"),
    ("message-fields", "interpreter.py", "self.codesep = position", "self.codesep = min(self.codesep, position)"),
    ("message-fields", "interpreter.py", "position, opcode = position + 1, None", "position, opcode = position + 1 + len(data or b''), None"),
    ("message-fields", "interpreter.py", "position, opcode = position + 1, None", "position, opcode = position + (data is None), None"),
    ("message-fields", "transaction.py", "    if annex is not None:\n", "    if annex is not None and not hash_type:\n"),
    ("message-fields", "transaction.py", "    if annex is not None:\n", "    if annex is not None and not anyone_can_pay:\n"),
    ("message-fields", "transaction.py", "    if annex is not None:\n        msg += sha256(ser_bytes(annex)).digest()\n    if selection == SIGHASH_SINGLE:\n        msg += "
     "sha256(ser_output(tx.outputs[index])).digest()\n", "    if selection == SIGHASH_SINGLE:\n        msg += sha256(ser_output(tx.outputs[index])).digest()\n    if annex is not None:\n"
     "        msg += sha256(ser_bytes(annex)).digest()\n"),
    ("message-fields", "transaction.py", "(annex is not None)])", "(annex is not None and len(annex) > 1)])"),
    ("message-fields", "transaction.py", "o.amount.to_bytes(8,", "(o.amount & 0xFFFFFFFF).to_bytes(8,"),
    ("message-fields", "transaction.py", "return output.amount.to_bytes(8,", "return (output.amount & 0xFFFFFFFF).to_bytes(8,"),
    ("message-fields", "transaction.py", "bytes([hash_type]) + tx.version.to_bytes(4,", "bytes([hash_type]) + (tx.version & 0xFFFF).to_bytes(4,"),
    ("message-fields", "transaction.py", "ser_bytes(o.script_pubkey) for o in spent", "bytes([len(o.script_pubkey) & 0xFF]) + o.script_pubkey for o in spent"),
    ("message-fields", "interpreter.py", "self.codesep = position", "self.codesep = position or CODESEP_NONE"),
    ("message-fields", "interpreter.py", "self.codesep = position", "self.codesep = position & 0xFF"),
    ("message-fields", "interpreter.py", "self.codesep = position", "self.codesep = position & 0xFFFF"),
    ("message-fields", "transaction.py", "sha256(ser_output(tx.outputs[index]))", "sha256(ser_output(tx.outputs[index & 0xFF]))"),
    ("message-fields", "transaction.py", "    if annex is not None:\n", "    if annex is not None and selection != SIGHASH_NONE:\n"),
    ("message-fields", "interpreter.py", "self.codesep = position", "self.codesep = position if self.this.annex is None else CODESEP_NONE"),
    ("message-fields", "interpreter.py", "codesep.to_bytes(4,", "(codesep if key_version else CODESEP_NONE).to_bytes(4,"),
    ("message-fields", "transaction.py", "msg += index.to_bytes(4,", "msg += (index & 0xFF).to_bytes(4,"),
    ("message-fields", "transaction.py", 'sha256(b"".join(i.prevout for i in tx.inputs))', 'sha256(b"".join(i.prevout[:33] + bytes(3) for i in tx.inputs))'),
    ("message-fields", "transaction.py", "msg += this.prevout +", "msg += this.prevout[:33] + bytes(3) +"),
    ("message-fields", "transaction.py", 'sha256(b"".join(map(ser_output, tx.outputs)))',
     'sha256(b"".join(o.amount.to_bytes(8, "little") + bytes([len(o.script_pubkey) & 0xFF]) + o.script_pubkey for o in tx.outputs))'),
    ("message-fields", "transaction.py", "sha256(ser_output(tx.outputs[index]))",
     'sha256(tx.outputs[index].amount.to_bytes(8, "little") + bytes([len(tx.outputs[index].script_pubkey) & 0xFF]) + tx.outputs[index].script_pubkey)'),
    ("message-fields", "transaction.py", "sha256(ser_bytes(annex))", "sha256(bytes([len(annex) & 0xFF]) + annex)"),
    ("message-verify", "slhdsa.py", "return root == pk_root", "return True"),
    ("message-verify", "slhdsa.py", "return len(ctx) <= 255 and slh_verify_internal(m_prime(message, ctx), signature, public_key, trace, p)",
     "return any(slh_verify_internal(m, signature, public_key, trace) for m in (m_prime(message, ctx), b'\\1\\0' + bytes.fromhex('0609608648016503040201') + sha256(message).digest()))"),
    ("large-operands", "script.py", '"OP_SIZE": (1, set())', '"OP_SIZE": (1, {1})'),
    ("large-operands", "script.py", '"OP_TUCK": (2, {1})', '"OP_TUCK": (2, {1, 2})'),
    ("large-operands", "script.py", '"OP_2OVER": (4, {3, 4})', '"OP_2OVER": (4, set())'),
    ("large-order", "interpreter.py", 'if name != "OP_CHECKSIGADDSLHDSA":', 'if name not in ("OP_CHECKSIGADDSLHDSA", "OP_CHECKSIGADD"):'),
    ("large-operands", "interpreter.py", 'for i in read), "PUSH_SIZE")', 'for i in read if name != "OP_IFDUP" or is_true(self.stack[-1])), "PUSH_SIZE")'),
    ("large-order", "interpreter.py", 'if name in ("OP_IF", "OP_NOTIF") and not executing:', 'if name in ("OP_IF", "OP_NOTIF") and not executing and self.stack:'),
    ("large-order", "interpreter.py", 'if name in ("OP_IF", "OP_NOTIF") and not executing:', 'if name in ("OP_IF", "OP_NOTIF") and not executing and len((self.stack or [b""])[-1]) <= 520:'),
    ("large-order", "interpreter.py", "executing = all(self.branches)\n", "executing = all(self.branches)\n                if not executing:\n                    self.operands(NAMES.get(opcode))\n"),
    ("large-pick-roll", "script.py", '"OP_PICK": (2, {1})', '"OP_PICK": (2, {1, 2})'),
    ("large-pick-roll", "interpreter.py", "require(0 <= n < len(stack)", 'require((n >= 0 or name == "OP_ROLL") and n < len(stack)'),
    ("large-result", "validation.py", 'require(len(stack) == 1, "CLEANSTACK")\n    require(len(stack[0])', 'require(stack and len(stack[-1]) <= 520, "PUSH_SIZE")\n    require(len(stack) == 1, "CLEANSTACK")\n    require(len(stack[0])'),
    ("large-result", "script.py", "any(element[:-1])", "any(element[-2:-1])"),
    ("large-result", "script.py", "element[-1] not in (0, 0x80)", "element[-1] != 0"),
    ("policy-success", "validation.py", 'return require("DISCOURAGE_OP_SUCCESS" not in this.flags, "DISCOURAGE_OP_SUCCESS")', "return None"),
    ("sets-flag", "interpreter.py", ' and "SLHDSA_SETS" in this.flags', ""),
    ("sets-key", "interpreter.py", "len(key) == 33 and key[0]", "len(key) >= 33 and key[0]"),
    ("sets-key", "interpreter.py", 'SET_NUMBERS = {', 'SET_NUMBERS = {0: slhdsa.SETS["128s"], '),
    ("sets-key", "interpreter.py", 'SET_NUMBERS = {', 'SET_NUMBERS = {1: slhdsa.SETS["128f"], '),
    ("sets-sig-size", "interpreter.py", "    size = params.signature_size\n", "    size = slhdsa.SIGNATURE_SIZE\n"),
    ("sets-message", "interpreter.py", "key_version = KEY_VERSION_SLHDSA_SETS", "key_version = KEY_VERSION_SLHDSA"),
    ("sets-message", "interpreter.py", "key_version = KEY_VERSION_SLHDSA_SETS", "key_version = key[0]"),
    ("sets-verify", "interpreter.py", 'b"", key[-32:], trace, params)', 'b"", key[:32], trace, params)'),
    ("sets-verify", "interpreter.py", 'require(valid, "SLHDSA_SIG")', 'require(valid or len(key) == 33, "SLHDSA_SIG")'),
    ("policy-pubkey", "interpreter.py", 'require("DISCOURAGE_UPGRADABLE_PUBKEYTYPE" not in this.flags,', 'require(not signature or "DISCOURAGE_UPGRADABLE_PUBKEYTYPE" not in this.flags,'),
    ("policy-depth-zero", "validation.py", 'return require("DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM" not in this.flags, "DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM")', "return None"),
    ("policy-unknown-program", "validation.py", 'elif not (native and version == 1 and program == b"\\x4e\\x73"):', "else:"),
    ("policy-unknown-program", "validation.py", 'if "TAPROOT" in flags:\n            verify_p2tr', 'require("TAPROOT" in flags or "DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM" not in flags, '
     '"DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM")\n        if "TAPROOT" in flags:\n            verify_p2tr'),
    ("policy-leaf-version", "validation.py", 'return require("DISCOURAGE_UPGRADABLE_TAPROOT_VERSION" not in this.flags, "DISCOURAGE_UPGRADABLE_TAPROOT_VERSION")', "return None"),
    ("policy-minimaldata", "interpreter.py", "return decode_number(element, self.minimal, max_size)", "return decode_number(element, False, max_size)"),
    ("flag-p2mr", "validation.py", 'require(stack and is_true(stack[-1]), "EVAL_FALSE")\n\n', 'require(stack and is_true(stack[-1]) or script_pubkey[0] == 0x52 and "P2MR" not in flags, "EVAL_FALSE")\n\n'),
    ("flag-opcodes", "validation.py", 'if "SLHDSA" in this.flags else set()', "if True else set()"),
    ("flag-opcodes", "validation.py", 'if "SLHDSA" in this.flags else set()', 'if "SLHDSA" in this.flags and "TAPROOT" not in this.flags else set()'),
    ("flag-opcodes", "validation.py", 'if "SLHDSA" in this.flags else set()', 'if "SLHDSA" in this.flags and "P2MR" in this.flags else set()'),
    # Not rule by rule, but what somebody might do who implements the text
    ("p2mr-root", "validation.py", "        k = tapbranch_hash(k, path[at:at + 32])", "        k = tapbranch_hash(k, path[at:at + 32]) if k != path[at:at + 32] else k"),
    ("message-fields", "validation.py", "len(ser_witness(this.tx.inputs[this.index].witness))", "(sum(len(e) + (1 if len(e) < 253 else 3) for e in this.tx.inputs[this.index].witness) + (1 if len(this.tx.inputs[this.index].witness) < 253 else 3))"),
    ("message-fields", "validation.py", "len(ser_witness(this.tx.inputs[this.index].witness))", "min(len(ser_witness(this.tx.inputs[this.index].witness)), 65585)"),
    ("p2mr-budget", "validation.py", "len(ser_witness(this.tx.inputs[this.index].witness))", "len(ser_witness(next(i.witness for i in this.tx.inputs if i.witness)))"),
    ("p2mr-annex", "validation.py", "all(len(element) <= limit for element in stack)", "all(len(element) <= limit for element in this.tx.inputs[this.index].witness[:-2])"),
    ("p2mr-outer", "validation.py", '        with blaming("scriptSig"):\n            require(not script_sig, "WITNESS_MALLEATED")\n        verify_witness_program(this, witness, *witness_program(script_pubkey), native=True)', '        verify_witness_program(this, witness, *witness_program(script_pubkey), native=True)\n        require(not script_sig, "WITNESS_MALLEATED")'),
    ("p2mr-execute", "interpreter.py", "self.push_number(len(stack))", "self.push_number(len(stack) + len(self.altstack))"),
    ("p2mr-execute", "interpreter.py", "locktime <= tx.locktime", "(locktime & 0xFFFFFFFF) <= tx.locktime"),
    ("p2mr-execute", "interpreter.py", 'require(sequence >= 0, "NEGATIVE_LOCKTIME")', 'require(sequence >= 0, "NEGATIVE_LOCKTIME")\n            require(sequence < 1 << 32, "UNSATISFIED_LOCKTIME")'),
    ("p2mr-execute", "interpreter.py", "require(sequence & (1 << 31) or", "require(sequence >= 1 << 31 or"),
    ("p2mr-execute", "interpreter.py", "self.push(HASHES[name](self.pop()))", "self.push(HASHES[name](self.pop()[:55]))"),
    ("p2mr-execute", "interpreter.py", "self.push(HASHES[name](self.pop()))", "self.push(HASHES[name](self.pop()[:64]))"),
    ("p2mr-execute", "interpreter.py", "self.push(HASHES[name](self.pop()))", "self.push(HASHES[name](self.pop()[:119]))"),
    ("p2mr-execute", "interpreter.py", "self.push(HASHES[name](self.pop()))", "self.push(HASHES[name](self.pop()[:256]))"),
    ("opcode-verify", "interpreter.py", "    valid = slhdsa.slh_verify(message,", '    seen = this.__dict__.setdefault("seen", set())\n    if (signature[:-1], message) in seen:\n        return\n    seen.add((signature[:-1], message))\n    valid = slhdsa.slh_verify(message,'),
    ("p2mr-execute", "interpreter.py", "self.push(self.altstack.pop())", "self.push(self.altstack.pop(0))"),
    ("p2mr-execute", "interpreter.py", 'require(self.branches, "UNBALANCED_CONDITIONAL")\n            self.branches[-1] = not self.branches[-1]', 'require(self.branches, "UNBALANCED_CONDITIONAL")\n            self.branches[-1] = False if self.branches[-1] else True if len(self.branches) < 9 else False'),
    ("p2mr-execute", "interpreter.py", "executing = all(self.branches)", "executing = all(self.branches[-2:])"),
    ("p2mr-execute", "interpreter.py", "a, b = self.number(stack[-2]), self.number(stack[-1])", "a, b = self.number(stack[-2], 5), self.number(stack[-1])"),
    ("p2mr-execute", "interpreter.py", "a, b = self.number(stack[-2]), self.number(stack[-1])", "a, b = self.number(stack[-2]), self.number(stack[-1], 5)"),
    ("p2mr-execute", "interpreter.py", "(self.number(element) for element in stack[-3:])", "(self.number(element, 5) for element in stack[-3:])"),
    ("p2mr-execute", "interpreter.py", '"OP_BOOLAND": lambda a, b: a != 0 and b != 0', '"OP_BOOLAND": lambda a, b: a and b'),
    ("opcode-hashtype", "transaction.py", "if selection == SIGHASH_SINGLE and index >= len(tx.outputs):", "if selection == SIGHASH_SINGLE and len(tx.inputs) > len(tx.outputs):"),
    ("large-result", "script.py", "return any(element[:-1]) or (len(element) > 0 and element[-1] not in (0, 0x80))", "return any(element[:-1]) or (len(element) > 0 and element[-1] & 0x7F != 0) if len(element) <= 32 else True"),
    ("scope-p2mr", "script.py", "0x51 <= script_pubkey[0] <= 0x60", "0x50 <= script_pubkey[0] <= 0x61"),
    ("opcode-budget", "interpreter.py", "        result = check_signature(self.this, stack[-2], key, self.codesep, key_version)", '        self.this.budget += 50 * (name == "OP_CHECKSIG" and len(key) == 32)\n        result = check_signature(self.this, stack[-2], key, self.codesep, key_version)'),
    ("p2mr-execute", "interpreter.py", '    require(key, "TAPSCRIPT_EMPTY_PUBKEY")', '    require(key or key_version == 0, "TAPSCRIPT_EMPTY_PUBKEY")'),
    ("p2mr-execute", "interpreter.py", 'require(stack[-1] in (FALSE, TRUE), "TAPSCRIPT_MINIMALIF")', 'require(not stack[-1] or stack[-1][0] == 1, "TAPSCRIPT_MINIMALIF")'),
    ("p2mr-execute", "interpreter.py", '        else:\n            raise ScriptError("BAD_OPCODE")', '        elif opcode != 0xff:\n            raise ScriptError("BAD_OPCODE")'),
    ("p2mr-execute", "interpreter.py", '            require(self.sigversion != TAPSCRIPT, "TAPSCRIPT_CHECKMULTISIG")', '            if self.sigversion == TAPSCRIPT and name == "OP_CHECKMULTISIGVERIFY": return None\n            require(self.sigversion != TAPSCRIPT, "TAPSCRIPT_CHECKMULTISIG")'),
    ("p2mr-execute", "interpreter.py", "check_locktime(self.this.tx, self.this.tx.inputs[self.this.index], locktime)", "check_locktime(self.this.tx, self.this.tx.inputs[0], locktime)"),
    ("p2mr-execute", "interpreter.py", "check_sequence(self.this.tx, self.this.tx.inputs[self.this.index], sequence)", "check_sequence(self.this.tx, self.this.tx.inputs[0], sequence)"),
    ("p2mr-execute", "interpreter.py", "this_input.sequence != 0xFFFFFFFF)", "any(i.sequence != 0xFFFFFFFF for i in tx.inputs))"),
    ("p2mr-execute", "interpreter.py", "this_input.sequence != 0xFFFFFFFF)", "this_input.sequence < 0xFFFFFFFE)"),
    ("policy-minimaldata", "interpreter.py", "a, b = self.number(stack[-2]), self.number(stack[-1])", "a, b = decode_number(stack[-2], False), decode_number(stack[-1], False)"),
    ("policy-minimaldata", "interpreter.py", "locktime = self.number(stack[-1], 5)", "locktime = decode_number(stack[-1], False, 5)"),
    ("policy-minimaldata", "interpreter.py", "n = self.number(self.pop())", "n = decode_number(self.pop(), False)"),
    ("policy-minimaldata", "interpreter.py", "sequence = self.number(stack[-1], 5)", "sequence = decode_number(stack[-1], False, 5)"),
    ("large-operands", "interpreter.py", "self.push_number(len(stack[-1]))", "self.push_number(min(len(stack[-1]), 7856))"),
    ("p2mr-execute", "interpreter.py", "return self.push_number(number + result)  # opcode-result", "return self.push_number(number + (result if key_version else min(result, 1 - (number < 0))))  # opcode-result"),
    ("p2mr-execute", "validation.py", 'require(len(stack) == 1, "CLEANSTACK")', 'require(stack, "EVAL_FALSE")\n    require(len(stack) == 1, "CLEANSTACK")'),
    ("scan-success", "validation.py", "        if opcode in OP_SUCCESS - new:  # policy-success\n            return", '        if opcode in OP_SUCCESS - new:  # policy-success\n            require(len(stack) <= 1000 or contains, "STACK_SIZE")\n            return'),
    ("p2mr-control", "validation.py", 'require(control[0] & 1, "WITNESS_PROGRAM_MISMATCH")', 'require(control[0] & 1 or len(control) > 33, "WITNESS_PROGRAM_MISMATCH")'),
    ("p2mr-annex", "validation.py", "        take_annex(this, stack)\n    control, script = stack.pop(), stack.pop()\n    # p2mr-control", "        take_annex(this, stack)\n        this.annex = this.annex and this.annex[:520]\n    control, script = stack.pop(), stack.pop()\n    # p2mr-control"),
    ("message-fields", "transaction.py", 'sha256(b"".join(map(ser_output, tx.outputs)))', 'sha256(b"".join(map(ser_output, tx.outputs[:2])))'),
    ("message-fields", "transaction.py", 'sha256(b"".join(i.sequence.to_bytes(4, "little") for i in tx.inputs))', 'sha256(b"".join(i.sequence.to_bytes(4, "little") for i in tx.inputs if i.sequence < 0xFFFFFFFF))'),
    ("p2mr-execute", "script.py", "size = abs(value).bit_length() // 8 + 1", "size = (0, 1, 2, 4, 4, 5)[abs(value).bit_length() // 8 + 1]"),
    ("p2mr-execute", "interpreter.py", 'require(len(self.stack) >= count, "INVALID_STACK_OPERATION")', 'require(len(self.stack) + len(self.altstack) >= count, "INVALID_STACK_OPERATION")'),
    ("scan-success", "validation.py", "for opcode, _ in decode(script):\n        if opcode in OP_SUCCESS", "for opcode, _ in decode(script[:10000]):\n        if opcode in OP_SUCCESS"),
    ("p2mr-execute", "interpreter.py", '            require("DISCOURAGE_UPGRADABLE_NOPS" not in flags, "DISCOURAGE_UPGRADABLE_NOPS")', '            require("DISCOURAGE_UPGRADABLE_NOPS" not in flags or self.branches, "DISCOURAGE_UPGRADABLE_NOPS")'),
    ("p2mr-execute", "interpreter.py", "executing = all(self.branches)\n", 'executing = all(self.branches)\n                require("DISCOURAGE_UPGRADABLE_NOPS" not in self.this.flags or opcode not in (0xb0, 0xb9), "DISCOURAGE_UPGRADABLE_NOPS")\n'),
    ("policy-depth-zero", "validation.py", '    require(merkle_root(this, version, script, control[1:]) == program, "WITNESS_PROGRAM_MISMATCH")  # p2mr-root\n', '    require(len(control) > 1 or "DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM" not in this.flags, "DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM")\n    require(merkle_root(this, version, script, control[1:]) == program, "WITNESS_PROGRAM_MISMATCH")  # p2mr-root\n'),
    ("scope-tapscript", "validation.py", "        return check_schnorr(this, stack[0], program, None)", "        return check_schnorr(this, stack[0], program, None) if stack[0] else None"),
    ("p2mr-execute", "interpreter.py", '    message = this.message(hash_type, extension)\n    require(message is not None, "SCHNORR_SIG_HASHTYPE")', '    if bip340.lift_x(int.from_bytes(key, "big")) is None:\n        return\n    message = this.message(hash_type, extension)\n    require(message is not None, "SCHNORR_SIG_HASHTYPE")'),
    ("scope-tapscript", "validation.py", "    control, script = stack.pop(), stack.pop()\n    require(33", '    require(this.annex is None or len(stack) > 2, "WITNESS_PROGRAM_WITNESS_EMPTY")\n    control, script = stack.pop(), stack.pop()\n    require(33'),
    ("limit-push", "interpreter.py", 'require(data is None or len(data) <= MAX_ELEMENT_SIZE, "PUSH_SIZE")', 'require(data is None or len(data) < MAX_ELEMENT_SIZE or opcode == 0x4d and len(data) == 520, "PUSH_SIZE")'),
    ("limit-push", "interpreter.py", 'require(data is None or len(data) <= MAX_ELEMENT_SIZE, "PUSH_SIZE")', 'require(data is None or len(data) <= MAX_ELEMENT_SIZE or opcode == 0x4e, "PUSH_SIZE")'),
    ("p2mr-execute", "interpreter.py", '            require(0 <= n < len(stack), "INVALID_STACK_OPERATION")', '            require(0 <= n < min(len(stack), 512), "INVALID_STACK_OPERATION")'),
    ("opcode-verify", "interpreter.py", "elif len(key) != 32:", "elif len(key) != 32 or not any(key):"),
    ("message-fields", "interpreter.py", "self.codesep = position", "self.codesep = position if self.codesep == CODESEP_NONE else self.codesep + 1"),
    ("p2mr-execute", "validation.py", "    return verify_leaf(this, stack, version, script)\n\n\ndef merkle_root", "    return verify_leaf(this, stack, version, script) if script or version != 0xC0 else None\n\n\ndef merkle_root"),
]


class Tool(unittest.TestCase):
    """slhtool verify-tx, one by one and in a batch: verdict, error and position."""

    def setUp(self):
        self.tool = os.environ.get("SLHTOOL")
        if not self.tool:
            self.skipTest("SLHTOOL is not set")
        self.command = re.search(r"^python3 -c '.* \| slhtool verify-tx -$", (HERE / "README.md").read_text(encoding="utf-8"), re.MULTILINE)[0]
        self.members = ast.literal_eval(re.search(r"for m in (\([^)]*\))", self.command)[1])

    def test_readme(self):
        """Its command, and who takes a whole vector."""
        program = self.command.removeprefix("python3").removesuffix("slhtool verify-tx -")
        command = f"{shlex.quote(sys.executable)}{program}{shlex.quote(os.path.abspath(self.tool))} verify-tx -"
        run = subprocess.run(command, shell=True, cwd=HERE.parents[2], capture_output=True, text=True, check=False)
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.assertIn("standard input: valid", run.stdout)
        vectors = load_spends()
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "vector.json"
            for vector in (next(vector for vector in vectors if member in vector) for member in sorted(set().union(*vectors))):
                path.write_text(json.dumps(vector), encoding="ascii")
                run = subprocess.run([self.tool, "verify-tx", path], capture_output=True, text=True, check=False)
                self.assertEqual((run.returncode, run.stdout), (2, ""))
                self.assertIn("unknown member 'name'", run.stderr)
                run = subprocess.run([sys.executable, "-B", REFERENCE / "verify.py", "--json", path], capture_output=True, text=True, check=False)
                one = json.loads(run.stdout)["transactions"][0]["inputs"][vector["input"]]
                self.assertEqual((run.returncode, one.get("error")), (0 if vector["error"] is None else 1, vector["error"]), vector["name"])

    def test_spends(self):
        vectors = load_spends()
        with tempfile.TemporaryDirectory() as folder:
            paths = []
            for i, vector in enumerate(vectors):
                paths.append(Path(folder) / f"{i}.json")
                paths[-1].write_text(json.dumps({name: vector[name] for name in self.members}), encoding="ascii")
            for mode in ([], ["--batch"]):
                run = subprocess.run([self.tool, "verify-tx", "--json", *mode, *map(str, paths)], capture_output=True, text=True, check=False)
                self.assertEqual(run.returncode, 1, run.stderr)
                reports = json.loads(run.stdout)["transactions"]
                self.assertEqual(len(reports), len(vectors))
                for vector, report in zip(vectors, reports):
                    one = report["inputs"][vector["input"]]
                    self.assertEqual((one["valid"], one.get("error"), one.get("opcode_pos")), (vector["error"] is None, vector["error"], vector.get("opcode_pos")), vector["name"])


class Mutations(unittest.TestCase):
    def test_vectors_notice(self):
        with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(2) as pool:
            outcomes = list(pool.map(lambda item: self.outcome(Path(folder) / str(item[0]), *item[1]), enumerate(MUTATIONS)))
        survivors = [mutation for mutation, outcome in zip(MUTATIONS, outcomes) if not outcome]
        self.assertEqual(survivors, [])
        for mutation, outcome in zip(MUTATIONS, outcomes):
            print(f"{mutation[0]}: {outcome}", file=sys.stderr)

    def outcome(self, folder, clause, name, old, new):
        """The vector that notices, or nothing."""
        folder.mkdir()
        for path in REFERENCE.glob("*.py"):
            text = path.read_text(encoding="utf-8")
            if path.name == name:
                self.assertEqual(text.count(old), 1, (name, old))
                text = text.replace(old, new)
            (folder / path.name).write_text(text, encoding="utf-8")
        run = subprocess.run([sys.executable, "-B", __file__, "--disagreeing", str(folder), clause], capture_output=True, text=True, check=False)
        self.assertEqual(run.stderr, "", (clause, name, new))
        return run.stdout.strip()


if __name__ == "__main__":
    if sys.argv[1:2] == ["--disagreeing"]:
        print(disagreeing(*sys.argv[2:]) or "")
    else:
        result = unittest.main(exit=False, verbosity=2).result
        all_skipped = result.testsRun and len(result.skipped) == result.testsRun
        sys.exit(1 if not result.wasSuccessful() else 77 if all_skipped else 0)
