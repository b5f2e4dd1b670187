#!/usr/bin/env python3
# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Unit tests of p2mr.py, against the BIP text's test vectors."""

from io import BytesIO
import json
from pathlib import Path
import unittest

from test_framework.messages import CTransaction, CTxOut
from test_framework.script import CScript, OP_1, OP_2, OP_RETURN, TaggedHash

import p2mr
import slhdsa

VECTORS = Path(__file__).resolve().parents[3] / "doc/bip/vectors/spends.json"


def step(vector, name):
    return next((step for step in vector["trace"] if step["step"] == name), None)


class TestP2MR(unittest.TestCase):
    def test_vectors(self):
        """Message and control block of each spend with a signature, as its trace has them."""
        count = 0
        for vector in json.loads(VECTORS.read_text(encoding="utf-8")):
            committed, message, signature = (step(vector, name) for name in ("commitment", "message", "slhdsa"))
            if not message or not signature or message["hash"] != signature["m_prime"][4:]:
                continue
            with self.subTest(vector["name"]):
                count += 1
                tx = CTransaction()
                tx.deserialize(BytesIO(bytes.fromhex(vector["tx"])))
                spent = [CTxOut(output["amount"], bytes.fromhex(output["script_pubkey"])) for output in vector["spent_outputs"]]
                witness = tx.wit.vtxinwit[vector["input"]].scriptWitness.stack
                annex = step(vector, "annex") and witness[-1]
                expected = bytes.fromhex(message["msg"])
                args = {
                    "leaf_script": bytes.fromhex(committed["script"]),
                    "leaf_ver": committed["leaf_version"],
                    "annex": annex,
                    "codeseparator_pos": int.from_bytes(expected[-4:], "little"),
                }
                self.assertEqual(p2mr.SLHDSASignatureMsg(tx, spent, message["hash_type"], vector["input"], **args), expected)
                self.assertEqual(p2mr.SLHDSASignatureHash(tx, spent, message["hash_type"], vector["input"], **args).hex(), message["hash"])
                self.assertEqual(TaggedHash("TapSighash", expected).hex(), message["hash"])
        self.assertGreater(count, 20)

    def test_tree(self):
        scripts = [("a", CScript([OP_1])), [("b", CScript([OP_2])), ("c", CScript([OP_RETURN]), 0xc2)]]
        tree = p2mr.p2mr_construct(scripts)
        self.assertEqual({name: len(leaf.merklebranch) for name, leaf in tree.leaves.items()}, {"a": 32, "b": 64, "c": 64})
        self.assertEqual(tree.scriptPubKey, b"\x52\x20" + tree.merkle_root)
        self.assertEqual(p2mr.p2mr_control_block(tree.leaves["c"]), b"\xc3" + tree.leaves["c"].merklebranch)
        self.assertEqual(p2mr.p2mr_witness(tree.leaves["a"], [b"x"], b"\x50"), [b"x", b"\x51", b"\xc1" + tree.leaves["a"].merklebranch, b"\x50"])
        # The same tree with its last leaf of version 0xc0, and its address as slhtool prints it
        scripts[1][1] = scripts[1][1][:2]
        self.assertEqual(p2mr.p2mr_address(p2mr.p2mr_construct(scripts)), "bcrt1zpdctjuwdn6xykx6kytmen29ucfjum3hcy978s7h7dxhn9lhke6ds2v3e6y")

    def test_single_leaf(self):
        for scripts in ([("a", CScript([OP_1]))], [[(None, CScript([OP_1]))]]):
            with self.assertRaisesRegex(ValueError, "anyone can spend"):
                p2mr.p2mr_construct(scripts)
        tree = p2mr.p2mr_construct([("a", CScript([OP_1]))], anyone_can_spend=True)
        self.assertEqual(tree.merkle_root, TaggedHash("TapLeaf", b"\xc0\x01\x51"))

    def test_signature(self):
        key, msg = p2mr.SLHDSAKey(bytes(range(48))), bytes(32)
        sig = key.sign(msg)
        self.assertEqual(len(sig), p2mr.SLHDSA_SIG_SIZE)
        self.assertEqual(sig, slhdsa.slh_sign(msg, b"", key._secret))
        self.assertTrue(p2mr.verify_slhdsa(key.pubkey, sig, msg))
        self.assertFalse(p2mr.verify_slhdsa(key.pubkey, sig, bytes(31) + b"\1"))


if __name__ == '__main__':
    unittest.main()
