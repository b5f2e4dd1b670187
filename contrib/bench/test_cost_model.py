#!/usr/bin/env python3
# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""The count model against verifications that are counted, against published sizes and counts, and against doc/worst-case.md."""

import hashlib
import json
import math
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

import cost_model
import kappa
from cost_model import SETS, SHA2_128S, Cost, set_of_module

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "doc/bip/vectors"))
import spends  # noqa: E402
import slhdsa  # noqa: E402  (the reference model; spends has put it in the path)


class CountingSha256:
    """hashlib's SHA-256 that counts blocks as they fill, and those of the padding; a copy does not count again what was compressed before."""

    compressions = 0

    def __init__(self, data=b""):
        self._hash, self._pending = hashlib.sha256(), 0
        self.update(data)

    def update(self, data):
        self._hash.update(data)
        self._pending += len(data)
        CountingSha256.compressions += self._pending // 64
        self._pending %= 64

    def copy(self):
        other = CountingSha256()
        other._hash, other._pending = self._hash.copy(), self._pending
        return other

    def digest(self):
        CountingSha256.compressions += 1 if self._pending + 9 <= 64 else 2
        return self._hash.digest()


def counted(run):
    """Call run: its result, and its compressions of SHA-256, with no seed block remembered from before."""
    slhdsa._states.clear()
    CountingSha256.compressions = 0
    with mock.patch.object(slhdsa, "sha256", CountingSha256):
        result = run()
    slhdsa._states.clear()
    return result, CountingSha256.compressions


def verification(m_prime, signature, public_key, p=slhdsa.SLH_DSA_SHA2_128S):
    """Verdict, compressions, and what each layer signs."""
    trace = {}
    verdict, count = counted(lambda: slhdsa.slh_verify_internal(m_prime, signature, public_key, trace, p))
    return verdict, count, [bytes.fromhex(node) for node in (trace["fors_pk"], *(layer["root"] for layer in trace["layers"][:-1]))]


class Verifications(unittest.TestCase):
    def test_counted_blocks(self):
        for size in (0, 1, 55, 56, 63, 64, 119, 120, 128):
            _, count = counted(lambda: slhdsa.sha256(bytes(size)).digest())
            self.assertEqual(count, (size + 9 + 63) // 64, size)

    def test_every_vector(self):
        vectors = json.loads((ROOT / "doc/bip/vectors/slhdsa.json").read_text(encoding="ascii"))
        by_name, counts = {vector["name"]: vector for vector in vectors}, []
        for vector in vectors:
            signature = bytearray.fromhex(by_name[vector["signature_of"]]["signature"] if "signature_of" in vector else vector["signature"])
            if "xor_byte" in vector:
                signature[vector["xor_byte"]] ^= vector["xor_value"]
            m_prime = bytes.fromhex(vector["m_prime"])
            verdict, count, messages = verification(m_prime, bytes(signature), bytes.fromhex(vector["public_key"]))
            self.assertEqual(verdict, vector["valid"], vector["name"])
            self.assertIn(len(m_prime), range(8, 72))  # H_msg of these takes as many blocks as that of the 34 bytes of the model
            self.assertEqual(Cost(count), SHA2_128S.verification(messages), vector["name"])
            counts.append(count)
        self.assertGreaterEqual(len(counts), 34)
        self.assertGreater(len(set(counts)), 5)

    def test_varops(self):
        """BIP 440's price of the bytes that fill the blocks of every verification of the vectors, and of a worst block of them."""
        vector = json.loads((ROOT / "doc/bip/vectors/slhdsa.json").read_text(encoding="ascii"))[0]
        filled = []

        class Filling(CountingSha256):
            def update(self, data):
                filled.append(len(data))
                super().update(data)

            def copy(self):
                other = Filling()
                other._hash, other._pending = self._hash.copy(), self._pending
                return other

            def digest(self):
                filled.append(9 + (-(self._pending + 9)) % 64)
                return super().digest()

        slhdsa._states.clear()
        with mock.patch.object(slhdsa, "sha256", Filling):
            trace = {}
            slhdsa.slh_verify_internal(bytes.fromhex(vector["m_prime"]), bytes.fromhex(vector["signature"]), bytes.fromhex(vector["public_key"]), trace)
        slhdsa._states.clear()
        messages = [bytes.fromhex(node) for node in (trace["fors_pk"], *(layer["root"] for layer in trace["layers"][:-1]))]
        self.assertEqual(50 * sum(filled), cost_model.varops(SHA2_128S.verification(messages)))
        self.assertEqual(cost_model.varops(Cost(1, 1)), 50 * (64 + 128))
        spent = cost_model.varops_verifications(SHA2_128S, 500_000) * (500_000 + 3 * 7856)
        self.assertTrue(0 <= 10_000 * 4_000_000 - spent < 500_000 + 3 * 7856)

    def test_key_generation(self):
        with mock.patch.object(slhdsa, "_trees", {}):
            _, count = counted(lambda: slhdsa.slh_keygen_internal(bytes(16), bytes(16), bytes(range(16))))
        self.assertEqual(Cost(count), SHA2_128S.key_generation)

    def test_steps_are_those_of_the_reference(self):
        generator = random.Random(12)
        for message in [bytes(16), b"\xff" * 16, *(generator.randbytes(16) for _ in range(200))]:
            self.assertEqual(SHA2_128S.steps(message), sum(15 - digit for digit in slhdsa._digits(slhdsa.SLH_DSA_SHA2_128S, message)), message.hex())


class EverySet(unittest.TestCase):
    """The scalar code's compressions, which slhdsa_driver counts, are those of the model. Of sets with large trees, a verification alone."""

    def test_scalar_code(self):
        driver = os.environ.get("SLHDSA_DRIVER")
        if not driver:
            self.skipTest("SLHDSA_DRIVER does not name slhdsa_driver")
        set_of_module("128s")  # puts the two into the path
        import cases
        import peers
        seed, message = bytes(range(48)), bytes(range(34)).hex()
        for p in cases.SETS.values():
            ours, model = peers.Process(p.name, [driver, p.name]), set_of_module(p.name)
            self.addCleanup(ours.close)

            def ask(question, ours=ours):
                answer, compressions = ours.ask([question, "compressions"])
                return bytes.fromhex(answer) if len(answer) > 1 else answer, Cost(int(compressions))

            if peers.has_large_trees(p):
                vectors = json.loads((ROOT / "src/test/data/slhdsa_sets.json").read_text(encoding="ascii"))
                vector = next(one for one in vectors if one["set"] == [p.h, p.d, p.a, p.k, p.lg_w])
                key, message, signature = bytes.fromhex(vector["pk"]), vector["msg"], bytes.fromhex(vector["sig"])
            else:
                key, generating = ask(f"keygen {seed.hex()}")
                self.assertEqual(generating, model.key_generation, p.name)
                signature, signing = ask(f"sign_internal {(seed + key[16:]).hex()} {message} {seed[32:].hex()}")
            verdict, count, messages = verification(bytes.fromhex(message), signature, key, p)
            self.assertTrue(verdict)
            if not peers.has_large_trees(p):
                self.assertEqual(signing, model.signing_of(messages[-1]), p.name)
            self.assertEqual(ask(f"verify_internal {key.hex()} {message} {signature.hex()}"), ("1", model.verification(messages)), p.name)
            self.assertEqual(Cost(count), model.verification(messages), p.name)


class CostlySignatures(unittest.TestCase):
    TRIES = 6

    def setUp(self):
        key = spends.Corner(slhdsa.SLH_DSA_SHA2_128S, b"s" * 16, b"p" * 16, height=2)
        self.public_key = key.pk_seed + key.root
        self.m_prime = slhdsa.m_prime(hashlib.sha256(b"message").digest())
        self.signature = key.sign(self.m_prime, 1 << self.TRIES)

    def test_valid_and_counted(self):
        verdict, count, messages = verification(self.m_prime, self.signature, self.public_key)
        self.assertTrue(verdict)
        self.assertEqual(Cost(count), SHA2_128S.verification(messages))
        # A generous band around what so many tries give: a search that did not search would be at the mean.
        expected = SHA2_128S.ground_verification(self.TRIES).sha256
        self.assertGreater(count, (SHA2_128S.mean_verification.sha256 + expected) / 2)
        self.assertFalse(slhdsa.slh_verify_internal(self.m_prime + b"x", self.signature, self.public_key))

    def test_the_tool_accepts_it(self):
        tool = os.environ.get("SLHTOOL")
        if not tool:
            self.skipTest("SLHTOOL does not name slhtool")
        message = hashlib.sha256(b"message").hexdigest()
        command = [tool, "verify", "--public-key", self.public_key.hex(), "--message", message, "--signature", "-"]
        for signature, status in ((self.signature, 0), (bytes(16) + self.signature[16:], 1)):
            result = subprocess.run(command, input=signature.hex(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
            self.assertEqual(result.returncode, status, result.stdout)


class Distribution(unittest.TestCase):
    def test_all_messages_of_small_sets(self):
        """The layers' distribution against every message of two bytes, for three values of w."""
        for lg_w in (2, 4, 8):
            p = cost_model.ParameterSet("small", "", 0, 2, 2, 1, 2, 2, lg_w)
            counts = {}
            for message in range(1 << 16):
                steps = p.steps(message.to_bytes(2, "big"))
                counts[steps] = counts.get(steps, 0) + 1
            self.assertEqual(counts, p.layer_steps(), lg_w)

    def test_of_the_set_in_use(self):
        steps = SHA2_128S.layer_steps()
        self.assertEqual(sum(steps.values()), 1 << 128)
        self.assertEqual((min(steps), max(steps)), (45, 510))
        self.assertEqual({count % 15 for count in steps}, {0})
        self.assertEqual((SHA2_128S.least_verification.sha256, SHA2_128S.greatest_verification.sha256), (639, 3894))
        values = cost_model.spread()
        self.assertAlmostEqual(values["mean"], SHA2_128S.mean_verification.sha256, 6)

    def test_sampled(self):
        generator = random.Random(205)
        sample = [SHA2_128S.steps(generator.randbytes(16)) for _ in range(20_000)]
        mean = sum(sample) / len(sample)
        exact = float(SHA2_128S.mean_layer_steps)
        deviation = math.sqrt(sum(count * (steps - exact) ** 2 for steps, count in SHA2_128S.layer_steps().items()) / 2**128)
        self.assertLess(abs(mean - exact), 5 * deviation / math.sqrt(len(sample)))
        rare = SHA2_128S.ground_layer(7)
        beyond = sum(steps >= rare for steps in sample) / len(sample)
        self.assertGreater(beyond, 2**-7 / 1.3)  # ground_layer takes the last value that is not rarer


class Sets(unittest.TestCase):
    PUBLISHED = [7856, 17088, 16224, 35664, 29792, 49856, 3856, 7752, 14944, 5777, 4036, 3440, 3680]
    DIGESTS = [30, 34, 39, 42, 47, 49, 21, 32, 41]

    def test_signature_sizes(self):
        self.assertEqual([p.signature_size for p in SETS], self.PUBLISHED)

    def test_digest_sizes(self):
        self.assertEqual([p.m for p in SETS[:9]], self.DIGESTS)

    def test_block_bounds(self):
        self.assertEqual(SHA2_128S.block_verifications, 508)

    def test_what_the_shrincs_draft_counts(self):
        """impl/meta.py of that draft counts without the block of PK.seed; its mean for signing recomputes WOTS+ keys on the way."""
        shrincs = next(p for p in SETS if p.name.startswith("SHRINCS"))
        self.assertEqual((shrincs.least_verification.sha256 - 1, shrincs.greatest_verification.sha256 - 1), (467, 2792))
        self.assertLess(abs(shrincs.signing.sha256 / 1_707_258 - 1), 0.005)

    def test_what_the_issue_of_sizes_says(self):
        """Ten times the hashes in a block with w = 256, a third with w = 4."""
        block = {p.name: p.mean_verification.sha256 * p.block_verifications for p in SETS}
        base = block["SLH-DSA-SHA2-128s"]
        self.assertTrue(0.25 < block["SLH-DSA-SHA2-128-24"] / base < 0.34)
        qbit = next(p for p in SETS if p.wots_searched)
        without_search = qbit.mean_verification.sha256 - float(qbit.wots_tries * qbit.d)
        self.assertTrue(9.5 < without_search * qbit.block_verifications / base < 10.5)


class Document(unittest.TestCase):
    def test_tables(self):
        text = cost_model.PAGE.read_text(encoding="utf-8")
        for name, make in cost_model.TABLES.items():
            self.assertIn(make(), text, f"{cost_model.PAGE.name} has another table than cost_model.py: {name}")

    def test_results(self):
        """What `bench.py compare --write` makes of doc/results."""
        results = [kappa.Result(path) for path in sorted((ROOT / "doc/results").glob("*.json"))]
        text = cost_model.PAGE.read_text(encoding="utf-8")
        for make in kappa.TABLES.values():
            self.assertIn(make(results), text)
        for name, make in kappa.PLOTS.items():
            self.assertEqual((ROOT / "doc" / name).read_text(encoding="utf-8"), make(results), name)
        self.assertLess(results[0].kappa("portable", "512"), results[0].kappa(results[0].engines[0], "512"))

    def test_no_results(self):
        """One line for each file that is none."""
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "a.json")
            for content in (None, b"", b"\xff", b"[]", b'{"format": "kappa 2"}', b'{"format": "kappa 1", "rounds": {"bip340": []}}', b'{"format": "kappa 1", "rounds": 5}'):
                if content is not None:
                    path.write_bytes(content)
                with self.assertRaisesRegex(SystemExit, r"^bench\.py: .*a\.json: .*$"):
                    kappa.Result(path)

    def test_plot(self):
        self.assertEqual((ROOT / "doc/worst-case-distribution.svg").read_text(encoding="utf-8"), cost_model.distribution_plot())


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[1:]])
