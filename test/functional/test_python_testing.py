# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Signatures for experiments: valid for the library, for the reference model and in a spend, and the same for the same seed."""

import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import slhconsensus as slhc
from slhconsensus import ArgumentError, CScript, PublicKey, ScriptTree, VerifyJob, verify_many
from slhconsensus.testing import ExperimentSigner

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "doc/bip/reference"))
import slhdsa as reference  # noqa: E402

SEED = bytes(range(48))


@pytest.mark.parametrize("name", slhc.PARAMETER_SETS)
def test_every_set(name, context):
    signer = ExperimentSigner(SEED, name)
    assert signer.parameter_set == name
    jobs = []
    for number in (0, 1, 2**64 - 1):
        key = signer.public_key(number)
        assert key.parameter_set == name and key.data[:16] == SEED[32:]
        signature = signer.sign(b"message", number)
        assert signature == ExperimentSigner(SEED, name).sign(b"message", number)
        jobs.append(VerifyJob(key, b"message", signature))
        assert key.verify(b"message", signature) and not key.verify(b"massage", signature)
        assert key.verify(b"message", signer.sign(b"message", number, b"ctx"), b"ctx")
    assert len({job.public_key for job in jobs}) == len({job.signature for job in jobs}) == 3
    jobs.append(VerifyJob(jobs[0].public_key, b"message", jobs[1].signature))
    assert verify_many(jobs, context) == [True, True, True, False]
    assert signer.public_key() == signer.public_key(0) and signer.sign(b"message") == signer.sign(b"message", 0)
    for other in slhc.PARAMETER_SETS:
        assert PublicKey(jobs[0].public_key.data, other).verify(b"message", jobs[0].signature) == (other == name)


def test_the_reference_model_accepts_them():
    signer = ExperimentSigner(SEED)
    for number in range(3):
        message = bytes([number]) * 32
        signature, key = signer.sign(message, number), signer.public_key(number).data
        assert reference.slh_verify_internal(reference.m_prime(message), signature, key)
        assert not reference.slh_verify_internal(reference.m_prime(message), signature, signer.public_key(number + 1).data)


def test_spend():
    signer = ExperimentSigner(SEED)
    tree = ScriptTree([CScript([signer.public_key(i).data, slhc.OP_CHECKSIGSLHDSA]) for i in range(2)])
    coins = [slhc.CTxOut(100_000, tree.script_pubkey())] * 2
    tx = slhc.CTransaction([slhc.CTxIn(slhc.COutPoint("ab" * 32, i)) for i in range(2)], [slhc.CTxOut(199_000, tree.script_pubkey())])
    for i, leaf in enumerate(tree.leaves):
        tx.witness(i)[:] = leaf.witness([slhc.sign_input(slhc.PrecomputedTransaction(tx, coins), i, leaf, signer.key(i))])
    assert all(slhc.verify_input(slhc.PrecomputedTransaction(tx, coins), i) for i in range(2))
    with pytest.raises(ArgumentError):
        slhc.sign_input(slhc.PrecomputedTransaction(tx, coins), 0, tree.leaves[0], ExperimentSigner(SEED, "128f").key())


def test_threads_share_a_signer():
    signer = ExperimentSigner(SEED, "128-24")
    messages = [bytes([i]) for i in range(64)]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(signer.sign, messages, range(64))) == [signer.sign(message, i) for i, message in enumerate(messages)]


def test_wrong_arguments():
    signer = ExperimentSigner(SEED, "128f")
    for call in (lambda: ExperimentSigner(SEED[1:]), lambda: ExperimentSigner(SEED, "tiny"), lambda: signer.public_key(-1),
                 lambda: signer.public_key(2**64), lambda: signer.sign(b"", 2**64), lambda: signer.sign(b"", 0, bytes(256))):
        with pytest.raises(ArgumentError):
            call()
    for call in (lambda: ExperimentSigner("seed"), lambda: signer.sign("message"), lambda: signer.public_key("1")):
        with pytest.raises(TypeError):
            call()
