#!/usr/bin/env python3
# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""What others make of the exported vectors:  python3 test_export.py [TEST...]

Core's own reader of script_assets_test.json is run by contrib/bitcoin-core/run_core_tests.sh."""

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from functools import cache
from pathlib import Path

import export


@cache
def load(name):
    """A file of export.py's."""
    return json.loads(dict(export.files({"soft-fork/script_verify_slhdsa.json": ("kernel",)}.get(name, ("p2mr", "wallet"))))[name])


def leaves(tree):
    return [tree] if isinstance(tree, dict) else [one for branch in tree for one in leaves(branch)]


class Kernel(unittest.TestCase):
    """libbitcoinkernel as PyPI has it, which knows neither P2MR nor the opcodes: Core's own verdict on each spend of the soft-fork view."""

    def test_soft_fork(self):
        try:
            import pbk
            from pbk.script import PrecomputedTransactionData
        except ImportError:
            self.skipTest("py-bitcoinkernel is not there")
        verdicts = {True: 0, False: 0}
        for test in load("soft-fork/script_verify_slhdsa.json")["tests"]:
            self.assertEqual(test["request"]["method"], "btck_script_pubkey_verify")
            asked = test["request"]["params"]
            flags = sum(pbk.ScriptVerificationFlags[flag.removeprefix("btck_ScriptVerificationFlags_")] for flag in asked["flags"])
            tx = pbk.Transaction(bytes.fromhex(asked["tx_to"]))
            scripts = [pbk.ScriptPubkey(bytes.fromhex(one["script_pubkey"])) for one in [asked, *asked["spent_outputs"]]]
            spent = [pbk.TransactionOutput(script, one["amount"]) for script, one in zip(scripts[1:], asked["spent_outputs"])]
            verdict = scripts[0].verify(
                asked["amount"], tx, PrecomputedTransactionData(tx, spent), asked["input_index"], flags)
            self.assertEqual({"result": verdict}, test["expected_response"], test["request"]["id"])
            verdicts[verdict] += 1
        self.assertGreater(min(verdicts.values()), 50)


class Framework(unittest.TestCase):
    """The functional framework of Bitcoin Core: transactions, trees, messages and addresses of the wallet vectors."""

    @classmethod
    def setUpClass(cls):
        folder = Path(os.environ.get("CORE_SOURCES", "")) / "test/functional"
        if not (folder / "test_framework/script.py").is_file():
            raise unittest.SkipTest("Bitcoin Core's functional framework is not there (CORE_SOURCES)")
        sys.path.insert(0, str(folder))
        from test_framework import messages, script, segwit_addr
        cls.messages, cls.script, cls.segwit_addr = messages, script, segwit_addr

    def taproot(self, given):
        def shape(tree):
            if isinstance(tree, list):
                return [shape(one) for one in tree]
            return str(tree["id"]), bytes.fromhex(tree["script"]), tree["leafVersion"]

        tree, key = shape(given["scriptTree"]), bytes.fromhex(given.get("internalPubkey", "01" * 32))
        return self.script.taproot_construct(key, tree if isinstance(tree, list) else [tree])

    def test_outputs(self):
        vectors = load("wallet_vectors.json")["scriptPubKey"]
        self.assertEqual([one for one in vectors if "internalPubkey" not in one["given"]], load("p2mr_construction.json")["test_vectors"])
        for one in vectors:
            made, expected = self.taproot(one["given"]), one["expected"]
            p2tr = "internalPubkey" in one["given"]
            self.assertEqual(one["intermediary"]["merkleRoot"], made.merkle_root.hex(), one["id"])
            program = made.output_pubkey if p2tr else made.merkle_root
            self.assertEqual(expected["scriptPubKey"], (bytes([0x51 if p2tr else 0x52, 32]) + program).hex())
            self.assertEqual(expected["bip350Address"], self.segwit_addr.encode_segwit_address("bc", 1 if p2tr else 2, program))
            if p2tr:
                self.assertEqual(one["intermediary"]["tweak"], made.tweak.hex())
            controls = [bytes([leaf.version | (made.negflag if p2tr else 1)]) + (made.internal_pubkey if p2tr else b"") + leaf.merklebranch
                        for leaf in (made.leaves[str(each["id"])] for each in leaves(one["given"]["scriptTree"]))]
            self.assertEqual(expected["scriptPathControlBlocks"], [control.hex() for control in controls])

    def test_spends(self):
        groups = load("wallet_vectors.json")["scriptPathSpending"]
        self.assertEqual(groups[:1], load("p2mr_spending.json")["scriptPathSpending"])
        for group in groups:
            tx = self.messages.tx_from_hex(group["auxiliary"]["fullySignedTx"])
            self.assertEqual(tx.serialize_without_witness().hex(), group["given"]["rawUnsignedTx"])
            spent = [self.messages.CTxOut(one["amountSats"], bytes.fromhex(one["scriptPubKey"])) for one in group["given"]["utxosSpent"]]
            for name, value in (("Prevouts", tx), ("Amounts", spent), ("ScriptPubkeys", spent), ("Sequences", tx), ("Outputs", tx)):
                self.assertEqual(group["intermediary"]["hash" + name], getattr(self.script, "BIP341_sha_" + name.lower())(value).hex())
            for one in group["inputSpending"]:
                given, index = one["given"], one["given"]["txinIndex"]
                self.assertEqual([element.hex() for element in tx.wit.vtxinwit[index].scriptWitness.stack], one["expected"]["witness"])
                message = bytearray(self.script.TaprootSignatureMsg(
                    tx, spent, given["hashType"], index, scriptpath=True,
                    leaf_script=bytes.fromhex(leaves(given["scriptTree"])[given["leafId"]]["script"]),
                    codeseparator_pos=given["codesepPos"], annex=given["annex"] and bytes.fromhex(given["annex"])))
                message[-5] = 2  # key_version, which BIP 342 has as 0
                self.assertEqual(one["intermediary"]["sigMsg"], message.hex(), one["comment"])
                self.assertEqual(one["intermediary"]["sigHash"], self.script.TaggedHash("TapSighash", message).hex())


class Assets(unittest.TestCase):
    """slhtool's verdicts on the records, with the rules and without them, by the runner for other projects' files of this form."""

    def test_records(self):
        if "SLHTOOL" not in os.environ:
            self.skipTest("SLHTOOL is not set")
        runner = Path(__file__).resolve().parents[3] / "contrib/differential/run_corpora.py"
        for name, text in export.files(("assets",)):
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / "script_assets_test.json"
                path.write_text(text)
                run = subprocess.run([sys.executable, "-B", runner, f"assets={path}"], capture_output=True, text=True)
                self.assertEqual((run.stderr, run.returncode), ("", 0), name)
                self.assertIn(f"| assets | {len(export.spends())} | {len(export.spends())} |", run.stdout)


class Bip360(unittest.TestCase):
    """The members of BIP 360's own vectors, at every level, and no others but codesepPos."""

    def members(self, value):
        if isinstance(value, list):
            return [self.members(value[0])] if value else []
        if not isinstance(value, dict):
            return None
        return {name: self.members(inner) for name, inner in value.items() if name not in ("codesepPos", "scriptTree")}

    def test_schema(self):
        folder = os.environ.get("SLHC_BIP360_VECTORS", "")
        if not os.path.isdir(folder):
            self.skipTest("BIP 360's vectors are not there (SLHC_BIP360_VECTORS)")
        theirs, ours = json.loads((Path(folder) / "p2mr_spending.json").read_bytes()), load("p2mr_spending.json")
        self.assertEqual(self.members(theirs), self.members(ours))


class Companion(unittest.TestCase):
    """What a pull request to the repository of the BIPs has: whole, in small files, and good for that repository's own checks."""

    @classmethod
    def setUpClass(cls):
        cls.files = dict(export.files(("bip",)))
        cls.text = cls.files[f"{export.BIP}.mediawiki"]

    def written(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        for name, text in self.files.items():
            path = Path(folder.name) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return Path(folder.name)

    def test_files(self):
        self.assertLessEqual(max(len(text.encode()) for text in self.files.values()), export.MOST)
        vectors = [one for name, text in self.files.items() if "/spends/" in name for one in json.loads(text)]
        self.assertEqual(sorted(vectors, key=lambda one: one["name"]), sorted(export.spends(), key=lambda one: one["name"]))

    def test_links(self):
        folder = self.written()
        own = re.findall("<code>((?:reference|vectors)/[^<]*|(?:reference|vectors))</code>", self.text)
        self.assertGreater(len(own), 4)
        linked = [(folder / export.BIP, target) for target in own]
        for page in folder.rglob("*.md"):
            linked += [(page.parent, target) for target in re.findall(r"\]\(([^):]+)\)", page.read_text(encoding="utf-8"))]
        for base, target in linked:
            self.assertTrue((base / target).exists(), f"{base}: {target}")

    def test_model(self):
        """It judges the vectors without the rest of this repository."""
        folder = self.written() / export.BIP
        for name in ("opcode-verify", "p2mr-control"):
            for vector in json.loads((folder / f"vectors/spends/{name}.json").read_bytes())[:3]:
                run = subprocess.run([sys.executable, "-B", folder / "reference/verify.py", "--json", "-"],
                                     input=json.dumps(vector), capture_output=True, text=True)
                report = json.loads(run.stdout)["transactions"][0]["inputs"][vector["input"]]
                self.assertEqual(report.get("error"), vector["error"], run.stderr)

    def test_repository(self):
        repository = Path(os.environ.get("SLHC_BIPS", "/nonexistent"))
        if not (repository / "scripts/buildtable.pl").is_file():
            self.skipTest("a checkout of the BIPs is not there (SLHC_BIPS)")
        for other in re.findall(r"\[\[(?!#)([^|\]]+)", self.text):
            self.assertTrue((repository / other).is_file(), other)
        folder = self.written()
        subprocess.run([repository / "scripts/link-format-chk.sh"], cwd=folder, check=True)
        # The table has BIPs with a number alone, and each has an author with an address and a date.
        numbered = self.text
        for field, value in (("BIP", "9999"), ("Assigned", "2026-01-01"), ("Authors", "Somebody <somebody@example.com>")):
            numbered = re.sub(f"^  {field}: .*$", f"  {field}: {value}", numbered, count=1, flags=re.MULTILINE)
        (folder / "bip-9999.mediawiki").write_text(numbered, encoding="utf-8")
        run = subprocess.run(["perl", repository / "scripts/buildtable.pl"], cwd=folder, check=True, capture_output=True, text=True)
        self.assertEqual(run.stdout.splitlines()[1:], ["| [[bip-9999.mediawiki|9999]]", "| Consensus (soft fork)",
                                                       "| SLH-DSA Signatures in Tapscript", "| Somebody", "| Specification", "| Draft"])


if __name__ == "__main__":
    result = unittest.main(exit=False).result
    for test, reason in result.skipped:
        print(f"SKIPPED: {reason}")
    sys.exit(1 if not result.wasSuccessful() else 77 if len(result.skipped) >= max(result.testsRun, 1) else 0)
