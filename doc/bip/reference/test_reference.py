#!/usr/bin/env python3
# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Tests of the reference model against what others published, against the text, and against slhtool.

  test_reference.py [CLASS...]     (default: all)

SLHC_BIP360_VECTORS is the folder of BIP 360's vectors, SLHC_CORE_TEST_DATA that of Bitcoin Core's, SLHTOOL the program. What is not there is
skipped; the exit status is 77 if all that was asked for was skipped."""

import csv
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import bip340
import interpreter
import script
import slhdsa
import verify
from ripemd160 import ripemd160
from transaction import Tx, TxIn, TxOut, parse_tx, ser_tx, signature_hash, signature_message, tapbranch_hash, tapleaf_hash, txid, weight

ROOT = Path(__file__).resolve().parents[3]
DATA = ROOT / "src" / "test" / "data"
TEXT = ROOT / "doc" / "bip" / "bip-slhdsa-tapscript.mediawiki"


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


class SlhDsa(unittest.TestCase):
    """NIST's ACVP vectors, and those of sets that NIST has none of. This document needs neither pre-hash vectors nor their functions."""

    ACVP = {"128s": "slhdsa_acvp", "128f": "slhdsa_acvp_128f"}

    def test_sets(self):
        """They have the module's numbers, and the sizes that follow."""
        text = (ROOT / "src/pqc/slhdsa/parameter_sets.def").read_text(encoding="utf-8")
        rows = re.findall(r'^SLHC_PARAMETER_SET\(\w+, "([^"]+)", \w+, (\d+), (\d+), (\d+), (\d+), (\d+)\)', text, re.MULTILINE)
        self.assertLessEqual(slhdsa.SETS.items(), {name: slhdsa.ParameterSet(name, *map(int, numbers)) for name, *numbers in rows}.items())
        self.assertEqual({name: p.signature_size for name, p in slhdsa.SETS.items()}, {"128s": 7856, "128f": 17088, "128-24": 3856, "128-q40": 5776})
        self.assertEqual([(p.m, p.len_2) for p in slhdsa.SETS.values()], [(30, 3), (34, 3), (21, 4), (24, 3)])

    def test_key_generation(self):
        for name, file in self.ACVP.items():
            for case in load(DATA / f"{file}_keygen.json")[:4]:
                seed = bytes.fromhex(case["seed"])
                secret_key = slhdsa.slh_keygen_internal(seed[:16], seed[16:32], seed[32:], slhdsa.SETS[name])
                self.assertEqual(secret_key.hex(), case["sk"])
                self.assertEqual(secret_key[32:].hex(), case["pk"])

    def test_signing(self):
        # A signature takes seconds: one of each kind, or all.
        seen = set()
        for name, file in self.ACVP.items():
            for case in load(DATA / f"{file}_siggen.json"):
                kind = name, case["interface"], "rnd" in case
                if kind in seen and "SLHC_ALL_SIGNATURES" not in os.environ:
                    continue
                seen.add(kind)
                key, message, p = bytes.fromhex(case["sk"]), bytes.fromhex(case["msg"]), slhdsa.SETS[name]
                addrnd = bytes.fromhex(case["rnd"]) if "rnd" in case else None
                if case["interface"] == "pure":
                    signature = slhdsa.slh_sign(message, bytes.fromhex(case["ctx"]), key, addrnd, p)
                else:
                    signature = slhdsa.slh_sign_internal(message, key, addrnd, p)
                self.assertEqual(hashlib.sha256(signature).hexdigest(), case["sig_sha256"], case["tc"])
        self.assertEqual(len(seen), 8)

    def test_verification(self):
        for name, expected in (("128s", (42, 6)), ("128f", (28, 4))):
            verdicts = []
            for case in load(DATA / f"{self.ACVP[name]}_sigver.json"):
                key, message, signature = (bytes.fromhex(case[field]) for field in ("pk", "msg", "sig"))
                if case["interface"] == "pure":
                    verdict = slhdsa.slh_verify(message, signature, bytes.fromhex(case["ctx"]), key, None, slhdsa.SETS[name])
                else:
                    verdict = slhdsa.slh_verify_internal(message, signature, key, None, slhdsa.SETS[name])
                self.assertEqual(verdict, case["valid"], case["tc"])
                verdicts.append(verdict)
            self.assertEqual((len(verdicts), sum(verdicts)), expected)

    def test_other_sets(self):
        counts = {}
        for case in load(DATA / "slhdsa_sets.json"):
            p, message = slhdsa.ParameterSet("", *case["set"]), bytes.fromhex(case["msg"])
            if "sk" in case:
                secret_key = bytes.fromhex(case["sk"])
                self.assertEqual(slhdsa.slh_keygen_internal(secret_key[:16], secret_key[16:32], secret_key[32:48], p), secret_key)
                signature, key = slhdsa.slh_sign_internal(message, secret_key, None, p), secret_key[32:]
                self.assertEqual(hashlib.sha256(signature).hexdigest(), case["sig_sha256"])
            else:
                signature, key = bytes.fromhex(case["sig"]), bytes.fromhex(case["pk"])
            self.assertTrue(slhdsa.slh_verify_internal(message, signature, key, None, p))
            # After R, of which another one may serve in a small set
            for changed in (signature[:-1] + bytes([signature[-1] ^ 1]), signature[:16] + bytes([signature[16] ^ 1]) + signature[17:], signature + b"\0"):
                self.assertFalse(slhdsa.slh_verify_internal(message, changed, key, None, p))
            counts[p] = counts.get(p, 0) + 1
        self.assertEqual(sorted(counts.values()), [2, 2, 2, 12, 12, 12])

    def test_what_the_text_says_of_sizes_and_costs(self):
        self.assertEqual(slhdsa.SIGNATURE_SIZE, 16 + 2912 + 4928)
        self.assertEqual(slhdsa.SIGNATURE_SIZE // 16, 491)
        self.assertEqual(4_000_000 // (slhdsa.SIGNATURE_SIZE + 3), 508)
        # The compressions of a verification apart from the message (4) and the block of PK.seed (1): chains, by the digits of the 7 layers' messages,
        # and 319.
        case = next(case for case in load(DATA / "slhdsa_acvp_sigver.json") if case["valid"] and case["interface"] == "internal")
        key, message, signature = (bytes.fromhex(case[name]) for name in ("pk", "msg", "sig"))
        trace = {}
        before = slhdsa.compressions
        slhdsa.slh_verify_internal(message, signature, key, trace)
        signed = [trace["fors_pk"], *(layer["root"] for layer in trace["layers"][:-1])]
        steps = sum(15 - digit for node in signed for digit in slhdsa._digits(slhdsa.SLH_DSA_SHA2_128S, bytes.fromhex(node)))
        self.assertEqual(slhdsa.compressions - before, 14 * 13 + 4 + 7 * (10 + 9) + steps)


class Bip340(unittest.TestCase):
    def test_vectors(self):
        with open(DATA / "bip340.csv", encoding="ascii") as file:
            rows = list(csv.DictReader(file))
        self.assertGreaterEqual(len(rows), 15)
        for row in rows:
            key, message, signature = (bytes.fromhex(row[name]) for name in ("public key", "message", "signature"))
            self.assertEqual(bip340.verify(message, key, signature), row["valid"] == "TRUE", row)

    def test_signing(self):
        # The BIP's vectors 0 and 1 give the secret keys 3 and b7e1...
        with open(DATA / "bip340.csv", encoding="ascii") as file:
            rows = list(csv.DictReader(file))
        second = 0xB7E151628AED2A6ABF7158809CF4F3C762E7160F38B4DA56A784D9045190CFEF
        for row, secret, aux in ((rows[0], 3, bytes(32)), (rows[1], second, bytes(31) + b"\x01")):
            self.assertEqual(bip340.public_key(secret).hex(), row["public key"].lower())
            self.assertEqual(bip340.sign(bytes.fromhex(row["message"]), secret, aux).hex(), row["signature"].lower())


class Ripemd160(unittest.TestCase):
    def test_published_values(self):
        for message, digest in ((b"", "9c1185a5c5e9fc54612808977ee8f548b2258d31"), (b"abc", "8eb208f7e05d987a9b044a8e98c6b087f15a0bfc"),
                                (b"1234567890" * 8, "9b752e45573d4b39f4dbd3323cab82bf63326bfb")):
            self.assertEqual(ripemd160(message).hex(), digest)


class Text(unittest.TestCase):
    """The text and the model say the same."""

    def test_preamble(self):
        """As BIP 3 asks for it: the headers, their order, the length of the title."""
        lines = TEXT.read_text(encoding="utf-8").split("</pre>")[0].split("\n")[1:-1]
        headers = [line.split(":")[0].strip() for line in lines]
        order = ("BIP Layer Title Authors Deputies Status Type Assigned License Discussion Version Requires Replaces Proposed-Replacement").split()
        self.assertEqual(headers, [header for header in order if header in headers])
        self.assertTrue({"BIP", "Title", "Authors", "Status", "Type", "Assigned", "License"} <= set(headers))
        self.assertLessEqual(len(next(line for line in lines if "Title:" in line).split(": ")[1]), 50)

    def test_table_of_operands(self):
        text = TEXT.read_text(encoding="utf-8").replace("&ndash;", "-").replace("&hellip;", "...")
        table = text[text.index("! Opcode !! Byte !! Operands"):]
        rows = [row.strip().lstrip("|").split("||") for row in table[:table.index("\n|}")].split("|-")[1:]]
        seen = {}
        for row in rows:
            cells = [cell.strip() for cell in row] + [""] * (7 - len(row))
            codes = []
            for part in cells[1].split(", "):
                first, _, last = part.partition("-")
                codes += range(int(first, 16), int(last or first, 16) + 1)
            operands, read, moved, left, signature = (cell.split() for cell in cells[2:])
            for code in codes:
                self.assertNotIn(code, seen)
                seen[code] = operands, read, moved, left, signature
            names = re.findall(r"<code>(OP_\w+)</code>", cells[0])
            self.assertTrue({script.CODES[name] for name in names if name != "OP_INVALIDOPCODE"} <= set(codes), row)
        self.assertEqual(set(seen), set(range(256)) - script.OP_SUCCESS | set(script.SLHDSA_OPCODES))
        for code, (operands, read, moved, left, signature) in seen.items():
            name = script.NAMES.get(code)
            if name in ("OP_PICK", "OP_ROLL"):
                self.assertEqual((read, moved), (["n", "xn"], []) if name == "OP_PICK" else (["n"], ["xn"]))
                continue
            self.assertEqual(sorted(operands), sorted(read + moved + left + signature), name)
            if operands == ["y1"]:
                continue  # on the alternative stack, and moved
            count, indices = script.OPERANDS.get(name, (0, set()))
            self.assertEqual((len(operands), {len(operands) - operands.index(x) for x in read}), (count, set(indices)), name)
            if name in interpreter.STACK_OPS:
                # A copied element appears more often than before, and is read; one that disappears is moved.
                after = interpreter.STACK_OPS[name].split(">")[1].split()
                copied = {f"x{i}" for i in after if after.count(i) > 1}
                self.assertEqual(copied, set(read), name)
                self.assertTrue({x for x in operands if x[1:] not in after} <= set(moved), name)

    def test_list_of_success_opcodes(self):
        text = TEXT.read_text(encoding="utf-8").replace("&ndash;", "-")
        listed = re.search(r"that is, opcode ([0-9, -]+) or ([0-9-]+), validation", text)
        codes = set()
        for part in f"{listed[1]}, {listed[2]}".split(", "):
            first, _, last = part.partition("-")
            codes |= set(range(int(first), int(last or first) + 1))
        self.assertEqual(codes, script.OP_SUCCESS - set(script.SLHDSA_OPCODES))

    def test_numbers_of_the_rules(self):
        """The model's, wherever the text has one. That the module and Core have the model's, too, is what the vectors show."""
        texts = TEXT.read_text(encoding="utf-8"), TEXT.with_name("parameter-sets.md").read_text(encoding="utf-8")
        for number, *places in (
                (script.VALIDATION_WEIGHT_PER_SIGOP_PASSED, r"opcode-budget'''\. .* subtract (\d+) from", r"Why (\d+) units of the budget"),
                (script.VALIDATION_WEIGHT_OFFSET, r"p2mr-budget'''\. .* starts at (\d+) plus"),
                *((code, rf"<code>{name}</code> \|\| (\S+) \|\| \d+ \|\|", rf"<code>{name}</code> \|\| \S+ \|\| (\d+) \|\|")
                  for name, code in script.CODES.items() if code in script.SLHDSA_OPCODES),
                (slhdsa.SIGNATURE_SIZE, r"opcode-sig-size'''\. ''sig'' has (\d+) bytes", r"A signature of (\d+) bytes consists"),
                (script.MAX_LARGE_ELEMENT_SIZE, r"initial stack may have up to (\d+) bytes", r"limit-element'''\. .*? more than (\d+) bytes, fail; if",
                 r"opcode-sig-size'''\. .* or it has (\d+) bytes", r"''hash_type'' of a ''sig'' of (\d+) bytes", r"Why (\d+), and not 8,000"),
                (script.MAX_ELEMENT_SIZE, r"''large'' element has more than (\d+) bytes", r"limit-push'''\. .* remains (\d+) bytes"),
                (80, r"policy-element'''\. .*? more than (\d+) bytes, as today", r"7857 bytes .* opcode, and (\d+) bytes as before"),
                (script.MAX_STACK_SIZE, r"limit-count'''\. .* more than (\d+) elements", r"limit-stack'''\. The limit of (\d+) elements"),
                (interpreter.KEY_VERSION_SLHDSA, r"with ''key_version'' (0x\w+)", r"''key_version'' \|\| 1 \|\| always \|\| '''(0x\w+)'''"),
                (interpreter.KEY_VERSION_SLHDSA_SETS, r"\*key_version\* is (0x\w+) instead of"),
                (4_000_000 // (slhdsa.SIGNATURE_SIZE + 3), r"&rfloor; = (\d+) are verified in a block", r"At most (\d+) verifications a block")):
            for place in places:
                self.assertEqual([int(found, 0) for found in re.findall(place, "\n".join(texts))], [number], place)

    def test_numbers_in_the_text(self):
        text = TEXT.read_text(encoding="utf-8")
        self.assertIn(f"{len(script.OP_SUCCESS)} values are <code>OP_SUCCESSx</code>", text)
        hashed = [(size + 9 + 63) // 64 for size in (script.MAX_ELEMENT_SIZE, script.MAX_LARGE_ELEMENT_SIZE)]
        self.assertEqual(hashed, [9, 123])
        self.assertEqual(round(80_000 / 508), 157)
        self.assertIn("157 times as many", text)
        # Capacity: one input and one output, by a leaf with one key in a tree of two, or by a key path; and the blocks that were measured
        sizes = {}
        for name, witness in (("leaf", [bytes(slhdsa.SIGNATURE_SIZE), bytes(34), bytes(33)]), ("key path", [bytes(64)])):
            for output_script in (bytes(34), b"\x51"):
                spend = Tx(2, [TxIn(bytes(36), b"", 0, witness)], [TxOut(0, output_script)], 0)
                sizes[name, len(output_script)] = weight(spend)
        self.assertIn(f"weighs {sizes['leaf', 34]:,} units, {sizes['leaf', 34] / sizes['key path', 34]:.1f} times as much", text)
        self.assertIn(f"{4_000_000 // sizes['leaf', 34]} of the former fill a block, or {4_000_000 // sizes['key path', 34]:,} of the latter", text)
        self.assertIn(f"has {sizes['leaf', 34]:,} weight units, {-(-sizes['leaf', 34] // 4):,} virtual bytes", text)
        self.assertAlmostEqual(4_000_000 / sizes["key path", 1], 12_817, delta=5)


class Bip341(unittest.TestCase):
    """BIP 341's vectors for wallets, as Bitcoin Core has them."""

    @classmethod
    def setUpClass(cls):
        path = Path(os.environ.get("SLHC_CORE_TEST_DATA") or "/nonexistent") / "bip341_wallet_vectors.json"
        if not path.is_file():
            raise unittest.SkipTest("SLHC_CORE_TEST_DATA has no bip341_wallet_vectors.json")
        cls.vectors = load(path)

    def test_outputs(self):
        def root(tree, leaves):
            if isinstance(tree, dict):
                leaves.append((tree["id"], tapleaf_hash(tree["leafVersion"], bytes.fromhex(tree["script"])).hex()))
                return bytes.fromhex(leaves[-1][1])
            return tapbranch_hash(root(tree[0], leaves), root(tree[1], leaves))

        for case in self.vectors["scriptPubKey"]:
            tree, leaves = case["given"]["scriptTree"], []
            merkle_root = root(tree, leaves) if tree else b""
            if tree:
                self.assertEqual([leaf for _, leaf in sorted(leaves)], case["intermediary"]["leafHashes"])
                self.assertEqual(merkle_root.hex(), case["intermediary"]["merkleRoot"])
            key, _ = bip340.tweak(bytes.fromhex(case["given"]["internalPubkey"]), merkle_root)
            self.assertEqual((b"\x51\x20" + key).hex(), case["expected"]["scriptPubKey"])

    def test_key_path_messages(self):
        (case,) = self.vectors["keyPathSpending"]
        tx = parse_tx(bytes.fromhex(case["given"]["rawUnsignedTx"]))
        spent = [TxOut(output["amountSats"], bytes.fromhex(output["scriptPubKey"])) for output in case["given"]["utxosSpent"]]
        for one in case["inputSpending"]:
            index, hash_type = one["given"]["txinIndex"], one["given"]["hashType"]
            msg = signature_message(tx, spent, index, hash_type, None)
            self.assertEqual(msg.hex(), one["intermediary"]["sigMsg"])
            self.assertEqual(signature_hash(msg).hex(), one["intermediary"]["sigHash"])
            secret = int(one["intermediary"]["tweakedPrivkey"], 16)
            signature = bip340.sign(signature_hash(msg), secret) + (bytes([hash_type]) if hash_type else b"")
            self.assertEqual(signature.hex(), one["expected"]["witness"][0])


class Bip360(unittest.TestCase):
    """BIP 360's constructions: leaf hashes, roots, and control blocks that lead from each leaf to the root; and its spends."""

    # The flags and errors of the vectors, in Bitcoin Core's terms
    ERRORS = {
        "invalid signature": "SCHNORR_SIG", "witness program mismatch": "WITNESS_PROGRAM_MISMATCH", "invalid control byte": "WITNESS_PROGRAM_MISMATCH",
        "invalid control block size": "TAPROOT_WRONG_CONTROL_SIZE", "empty witness": "WITNESS_PROGRAM_WITNESS_EMPTY",
        "fewer than two witness elements": "WITNESS_PROGRAM_WITNESS_EMPTY", "annex with fewer than two remaining witness elements": "WITNESS_PROGRAM_WITNESS_EMPTY",
    }

    @classmethod
    def setUpClass(cls):
        folder = os.environ.get("SLHC_BIP360_VECTORS", "")
        if not os.path.isdir(folder):
            raise unittest.SkipTest("BIP 360's vectors are not there (SLHC_BIP360_VECTORS)")
        cls.folder = Path(folder)

    def judge(self, raw, utxos, index):
        """The model's report on an input, with its trace."""
        spent = [TxOut(utxo["amountSats"], bytes.fromhex(utxo["scriptPubKey"])) for utxo in utxos]
        return verify.verify_one(parse_tx(bytes.fromhex(raw)), spent, index, script.CONSENSUS_FLAGS, True)

    def test_spends(self):
        vectors = load(self.folder / "p2mr_spending.json")
        inputs = [(group, one) for group in vectors["scriptPathSpending"] for one in group["inputSpending"]]
        self.assertEqual((len(inputs), len(vectors["invalidSpending"])), (6, 9))
        for group, one in inputs:
            report = self.judge(group["auxiliary"]["fullySignedTx"], group["given"]["utxosSpent"], one["given"]["txinIndex"])
            self.assertTrue(report["valid"], one["comment"])
            steps = {step["step"]: step for step in report["trace"]}
            self.assertEqual((steps["commitment"]["leaf_hash"], steps["commitment"]["root"]), (one["intermediary"]["leafHash"], one["intermediary"]["merkleRoot"]))
            self.assertEqual(steps.get("annex", {}).get("annex"), one["given"]["annex"])
            message = steps.get("message", {})
            self.assertEqual((message.get("msg"), message.get("hash")), (one["intermediary"]["sigMsg"], one["intermediary"]["sigHash"]), one["comment"])
        for one in vectors["invalidSpending"]:
            report = self.judge(one["given"]["rawTx"], [one["given"]["utxoSpent"]], 0)
            self.assertEqual(report.get("error"), "SCRIPT_ERR_" + self.ERRORS[one["expected"]["error"]], one["id"])

    def test_constructions(self):
        checked = 0
        for name in ("p2mr_construction.json", "p2mr_pqc_construction.json"):
            for case in load(self.folder / name)["test_vectors"]:
                tree = case["given"].get("scriptTree")
                if not tree or "error" in case["expected"]:
                    continue
                leaves = []

                def collect(node):
                    if isinstance(node, dict):
                        leaves.append(node)
                    else:
                        for child in node:
                            collect(child)

                collect(tree)
                hashes = [tapleaf_hash(leaf["leafVersion"], bytes.fromhex(leaf["script"])) for leaf in leaves]
                self.assertEqual([h.hex() for h in hashes], case["intermediary"]["leafHashes"], case["id"])
                program = bytes.fromhex(case["intermediary"]["merkleRoot"])
                self.assertEqual((b"\x52\x20" + program).hex(), case["expected"]["scriptPubKey"])
                for leaf_hash, leaf, control in zip(hashes, leaves, map(bytes.fromhex, case["expected"]["scriptPathControlBlocks"])):
                    self.assertEqual(control[0], leaf["leafVersion"] | 1)
                    for at in range(1, len(control), 32):
                        leaf_hash = tapbranch_hash(leaf_hash, control[at:at + 32])
                    self.assertEqual(leaf_hash, program, case["id"])
                    checked += 1
        self.assertGreater(checked, 20)


class Tool(unittest.TestCase):
    """verify.py and slhtool verify-tx say the same."""

    @classmethod
    def setUpClass(cls):
        cls.tool = os.environ.get("SLHTOOL")
        if not cls.tool:
            raise unittest.SkipTest("SLHTOOL is not set")

    def both(self, *arguments):
        """Exit status and JSON of slhtool verify-tx and of verify.py, without times."""
        results = []
        for command in ([self.tool, "verify-tx"], [sys.executable, "-B", str(Path(verify.__file__))]):
            run = subprocess.run([*command, "--json", *map(str, arguments)], capture_output=True, text=True, check=False)
            report = json.loads(run.stdout) if run.stdout else None
            if report:
                report.pop("script_milliseconds", None)
                for one in report["transactions"]:
                    for spend in one["inputs"]:
                        spend.pop("microseconds", None)
            results.append((run.returncode, report))
        return results

    def test_demo(self):
        with tempfile.TemporaryDirectory() as folder:
            demo = Path(folder) / "demo"
            subprocess.run([self.tool, "demo", "--dir", demo, "--transactions", "6"], check=True, capture_output=True)
            spends = sorted((demo / "spends").glob("*.json"))
            self.assertEqual(len(spends), 6)
            tool, model = self.both(*spends)
            self.assertEqual(tool, model)
            self.assertEqual(model[0], 0)
            tool, model = self.both(demo / "tampered.json", *spends[:1])
            self.assertEqual(tool, model)
            self.assertEqual(model[0], 1)
            for flags in ("standard", "NONE", "SLHDSA,P2MR,WITNESS,P2SH"):
                tool, model = self.both(*spends, "--flags", flags)
                self.assertEqual(tool, model)

    def test_bad_input(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "bad.json"
            output = {"amount": 1, "script_pubkey": "51"}
            tx = "0200000001" + "11" * 36 + "00ffffffff0101000000000000000151" + "00000000"
            good = {"tx": tx, "spent_outputs": [output]}
            for content in ("", "[]", "{", "5", json.dumps({"tx": tx}), json.dumps({**good, "tx": tx[:-2]}), json.dumps({**good, "tx": tx + "00"}),
                            json.dumps({**good, "tx": "xx"}), json.dumps({**good, "tx": 5}), json.dumps({**good, "spent_outputs": []}),
                            json.dumps({**good, "spent_outputs": [{**output, "amount": -1}]}), json.dumps({**good, "spent_outputs": [5]}),
                            json.dumps({**good, "flags": "FOO"}), json.dumps({**good, "flags": "WITNESS"}), json.dumps({**good, "flags": "P2SH,CLEANSTACK"})):
                path.write_text(content, encoding="utf-8")
                tool, model = self.both(path)
                self.assertEqual((tool, model), ((2, None), (2, None)), content)
            path.write_text(json.dumps(good), encoding="utf-8")
            tool, model = self.both(path)
            self.assertEqual(tool, model)
            self.assertEqual(ser_tx(parse_tx(bytes.fromhex(tx))).hex(), tx)

    def test_same_files(self):
        """Of a file that both read, they must judge the same transaction. verify.py alone refuses addresses, slhtool alone what is too large."""
        tx = "0200000001" + "11" * 36 + "00ffffffff0101000000000000000151" + "00000000"
        heavy = "0200000001" + "11" * 36 + "00ffffffff010100000000000000fe40420f00" + "51" * 1_000_000 + "00000000"
        good = {"tx": tx, "spent_outputs": [{"amount": 1, "script_pubkey": "51"}]}
        text = json.dumps(good)

        def having(**members):
            return json.dumps({**good, **members}, ensure_ascii=False)

        def spending(**members):
            return having(spent_outputs=[{**good["spent_outputs"][0], **members}])

        def ending(more):
            return text[:-1] + more + "}"

        def nested(depth, value):
            return ending(', "weight": ' + "[" * (depth - 1) + value + "]" * (depth - 1))

        refused = {
            "twice": ['{"tx": "",' + text[1:], ending(', "flags": "NONE", "flags": "consensus"'), text.replace('"amount"', '"amount": 2, "amount"')],
            "no JSON": [ending(', "weight": NaN'), ending(', "weight": -Infinity'), text.replace('"amount": 1', '"amount": Infinity'), text + "\0", text + "{}", "\ufeff\ufeff" + text],
            "no UTF-8": [b"\xff" + text.encode(), text.encode("utf-16"), having(description="é").encode("latin-1")],
            "members": [having(flag="NONE"), spending(script="51"), spending(address="x"), having(txid="00" * 32), having(description=5), having(txid=None)],
            "numbers": [text.replace('"amount": 1', '"amount": ' + number) for number in ("-0", "-1", "1.0", "1e0", "18446744073709551616", "true")],
            "out of range": [ending(', "weight": ' + number) for number in ("1e999", "-1e999", "9" * 400, "-" + "9" * 5000)],
            "no Unicode": [ending(', "' + more) for more in (r'description": "\ud800"', r'weight": "\udc00\ud800"', r'weight": {"\ud800": 1}', r'weight": [["\ud800x"]]')],
            "deep": [nested(33, "5"), nested(33, '""'), nested(34, ""), nested(32, '{"a": 5}'), nested(100_000, "")],
            "flags": [having(flags=flags) for flags in ("P2SH,,WITNESS,", ",", "P2SH,", "P2SH, WITNESS", "NONE,P2SH", "p2sh", None)],
            "hex": [having(tx=tx[:4] + " " + tx[4:]), having(tx=tx + "\u00a0"), having(tx="0x" + tx), spending(script_pubkey="5\n1"), spending(script_pubkey="5"), spending(script_pubkey=None)],
            "transaction": [having(tx="02000000" + "0000" + "00000000", spent_outputs=[]), having(tx=heavy)],
        }
        taken = {
            "bytes": [text, "\ufeff" + text, f" \t\r\n{text}\n"], "flags": [having(flags=flags) for flags in ("", "P2SH,P2SH", "NONE", "standard")],
            "hex": [having(tx=f" {tx.upper()}\r\n\t"), spending(script_pubkey="")],
            "members": [having(txid=txid(parse_tx(bytes.fromhex(tx))), wtxid="", weight=5, description="é")],
            "numbers": [ending(', "weight": ' + number) for number in ("-0", "-5", "1e-999", "18446744073709551616", "9" * 300)] + [text.replace('"amount": 1', '"amount": 0')],
            "Unicode": [ending(r', "description": "\ud83d\ude00\u0000"')],
            "deep": [nested(32, "5"), nested(33, ""), nested(32, "{}"), nested(31, '{"a": 5}')],
        }
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "spend.json"
            for is_refused, groups in ((True, refused), (False, taken)):
                for group, contents in groups.items():
                    for i, content in enumerate(contents):
                        path.write_bytes(content if isinstance(content, bytes) else content.encode())
                        tool, model = self.both(path)
                        with self.subTest(group=group, i=i):
                            self.assertEqual(model, tool)
                            self.assertEqual(tool[0] == 2, is_refused)
        self.assertEqual([weight(parse_tx(bytes.fromhex(data))) for data in (tx, heavy)], [4 * len(tx) // 2, 4 * len(heavy) // 2])


def main():
    program = unittest.main(exit=False, verbosity=2)
    result = program.result
    if not result.wasSuccessful():
        return 1
    skipped = len(result.skipped)
    return 77 if skipped and skipped >= max(result.testsRun, 1) else 0


if __name__ == "__main__":
    sys.exit(main())
