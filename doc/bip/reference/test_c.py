#!/usr/bin/env python3
# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""The verifier in C on NIST's vectors, on this document's, and beside the reference model on each step of each spend.

  test_c.py DRIVER     the program of c/driver.c"""

import json
import subprocess
import sys
import unittest
from collections import Counter
from hashlib import sha256
from pathlib import Path
from unittest import mock

import interpreter
import validation
import verify
from script import ScriptError
from transaction import HASH_TYPES, ser_bytes, ser_output, signature_hash, signature_message, tapbranch_hash, tapleaf_hash

ROOT = Path(__file__).resolve().parents[3]
OUTCOMES = (0, 1, "TAPSCRIPT_VALIDATION_WEIGHT", "TAPSCRIPT_EMPTY_PUBKEY", "SLHDSA_SIG_SIZE", "SLHDSA_SIG_HASHTYPE",
            "SLHDSA_SIG")  # enum slh_outcome
driver = None


def ask(name, *fields):
    driver.stdin.write(" ".join([name, *(field.hex() or "-" for field in fields)]) + "\n")
    driver.stdin.flush()
    return driver.stdout.readline().rstrip("\n")


def load(path):
    return json.loads((ROOT / path).read_text(encoding="ascii"))


def integers(size, *values):
    return b"".join(value.to_bytes(size, "little") for value in values)


def message_fields(this, codesep):
    """What the driver takes for struct slh_message_fields."""
    tx, spent, index = this.tx, this.spent, this.index
    single = tx.outputs[index:index + 1]
    hashed = [b"".join(parts) for parts in (
        (i.prevout for i in tx.inputs), (integers(8, o.amount) for o in spent), (ser_bytes(o.script_pubkey) for o in spent),
        (integers(4, i.sequence) for i in tx.inputs), map(ser_output, tx.outputs))]
    return (integers(4, tx.version, tx.locktime, tx.inputs[index].sequence, index, codesep) + integers(8, spent[index].amount)
            + b"".join(sha256(data).digest() for data in hashed) + tx.inputs[index].prevout + spent[index].script_pubkey
            + bytes([this.annex is not None, len(single)]) + sha256(ser_bytes(this.annex or b"")).digest()
            + sha256(b"".join(map(ser_output, single))).digest() + this.tapleaf_hash)


def changed(data, i):
    return data[:i] + bytes([data[i] ^ 1]) + data[i + 1:]


class Signatures(unittest.TestCase):
    def test_nist(self):
        verdicts = []
        for case in load("src/test/data/slhdsa_acvp_sigver.json"):
            key, message, signature = (bytes.fromhex(case[field]) for field in ("pk", "msg", "sig"))
            if case["interface"] == "pure":
                verdicts.append(ask("verify", key, message, bytes.fromhex(case["ctx"]), signature))
            else:
                verdicts.append(ask("verify_internal", key, message, signature))
            self.assertEqual(verdicts[-1], str(int(case["valid"])), case["tc"])
        self.assertEqual(Counter(verdicts), {"0": 36, "1": 6})

    def test_vectors(self):
        cases = load("doc/bip/vectors/slhdsa.json")
        signatures = {case["name"]: bytes.fromhex(case["signature"]) for case in cases if "signature" in case}
        for case in cases:
            signature = bytearray(signatures[case.get("signature_of", case["name"])])
            if "xor_byte" in case:
                signature[case["xor_byte"]] ^= case["xor_value"]
            key, m_prime = bytes.fromhex(case["public_key"]), bytes.fromhex(case["m_prime"])
            self.assertEqual(ask("verify_internal", key, m_prime, signature), str(int(case["valid"])), case["name"])
            if m_prime[:2] == b"\0\0":
                self.assertEqual(ask("verify", key, m_prime[2:], b"", signature), str(int(case["valid"])), case["name"])


class Spends(unittest.TestCase):
    """The model judges each spend, and the verifier is asked about each step that it has, too."""

    def compare(self, step, question, expected):
        self.compared[step] += 1
        self.assertEqual(ask(*question), expected, (self.name, step))

    def test_steps(self):
        self.compared = Counter()
        judge_p2mr, root, check = validation.verify_p2mr, validation.merkle_root, interpreter.check_signature

        def verify_p2mr(this, stack, program):
            annex = len(stack) > 2 and stack[-1][:1] == b"\x50"
            script, control = [b"", b"", *stack][-2 - annex:][:2]
            result = None
            try:
                judge_p2mr(this, stack, program)
            except ScriptError as error:
                result = error.name
                raise
            finally:
                if result != "WITNESS_PROGRAM_WITNESS_EMPTY":
                    committed = result not in ("WITNESS_PROGRAM_MISMATCH", "TAPROOT_WRONG_CONTROL_SIZE")
                    self.compare("leaf", ("leaf", program, control, script), this.tapleaf_hash.hex() if committed else "none")

        def merkle_root(this, version, script, path):
            k = root(this, version, script, path)
            self.compare("root", ("branches", this.tapleaf_hash, path), k.hex())
            return k

        def check_signature(this, signature, key, codesep, key_version):
            if key_version != interpreter.KEY_VERSION_SLHDSA:
                return check(this, signature, key, codesep, key_version)
            before, result, fields = this.budget, None, message_fields(this, codesep)
            try:
                result = check(this, signature, key, codesep, key_version)
                return result
            except ScriptError as error:
                result = error.name
                raise
            finally:
                if result == "DISCOURAGE_UPGRADABLE_PUBKEYTYPE":  # policy
                    result = int(signature != b"")
                answer = f"{OUTCOMES.index(result)} {before if result == 'TAPSCRIPT_VALIDATION_WEIGHT' else this.budget}"
                self.compare(f"result {result}", ("checksig", signature, key, fields, integers(4, before)), answer)
                extension = this.tapleaf_hash + b"\x02" + integers(4, codesep)
                for hash_type in (*HASH_TYPES, 0x04, 0x40, 0x80, 0x84):
                    msg = signature_message(this.tx, this.spent, this.index, hash_type, this.annex, extension)
                    self.compare("message", ("message", fields, bytes([hash_type])), "none" if msg is None else signature_hash(msg).hex())

        with mock.patch.multiple(validation, verify_p2mr=verify_p2mr, merkle_root=merkle_root), \
                mock.patch.object(interpreter, "check_signature", check_signature):
            for vector in load("doc/bip/vectors/spends.json"):
                self.name = vector["name"]
                tx, spent, flags = verify.load(vector)
                report = verify.verify_one(tx, spent, vector["input"], flags, True)
                self.assertEqual(report.get("error"), vector["error"], self.name)
                sizes = [len(element) for element in tx.inputs[vector["input"]].witness]
                for step in report["trace"]:
                    if step["step"] == "tapscript":
                        self.compare("budget", ("budget", integers(4, *sizes)), str(step["budget"]))
        print(*(f"{count} x {step}" for step, count in self.compared.items()), sep=", ")
        self.assertEqual({f"result {result}" for result in OUTCOMES} - set(self.compared), set())

    def test_each_byte_of_a_hash(self):
        leaf_hash, e = tapleaf_hash(0xC0, b"\x51"), bytes(32)
        root = tapbranch_hash(leaf_hash, e)
        self.assertEqual(ask("leaf", root, b"\xc1" + e, b"\x51"), leaf_hash.hex())
        for i in range(32):
            self.assertEqual(ask("leaf", changed(root, i), b"\xc1" + e, b"\x51"), "none", i)
            self.assertEqual(ask("branches", changed(e, i), e), tapbranch_hash(changed(e, i), e).hex(), i)
            self.assertEqual(ask("branches", e, changed(e, i)), tapbranch_hash(changed(e, i), e).hex(), i)

    def test_budget_of_a_block(self):
        for sizes, budget in (((3_999_994,), 4_000_050), ((3_999_995,), -1), ((3_000_000, 3_000_000), -1), ((0xFFFFFFFF,), -1)):
            self.assertEqual(ask("budget", integers(4, *sizes)), str(budget), sizes)


def main():
    global driver
    driver = subprocess.Popen([sys.argv.pop(1)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    unittest.main(verbosity=2)


if __name__ == "__main__":
    main()
