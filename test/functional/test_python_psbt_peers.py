# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""PSBTs with P2MR leaves and SLH-DSA signatures in the hands of software that knows neither: embit and libwally keep, combine and
extract them, and agree on what a Schnorr signature signs."""

import pytest

from slhconsensus import (KEY_VERSION_BIP340, OP_CHECKSIG, OP_CHECKSIGSLHDSA, OP_RETURN, OP_VERIFY, COutPoint, CScript, CTransaction, CTxIn, CTxOut, Psbt,
                          ScriptTree, SigHash)

FORMS = [(version, taproot) for version in (0, 2) for taproot in (False, True)]


@pytest.fixture
def tree(keys, schnorr):
    return ScriptTree([CScript([bytes(keys["alice"].public_key), OP_CHECKSIGSLHDSA, OP_VERIFY, schnorr.public, OP_CHECKSIG]), CScript([OP_RETURN])])


def start(tree, version, taproot):
    output = tree.taproot() if taproot else None
    psbt = Psbt(CTransaction([CTxIn(COutPoint(b"\x11" * 32, 1), b"", 144)], [CTxOut(90_000, tree.script_pubkey())], 500), version)
    psbt.set_spent_output(0, CTxOut(100_000, (output or tree).script_pubkey()))
    psbt.add_leaf(0, tree, tree.leaves[0], output)
    return psbt


def copies(psbt, keys, schnorr):
    """One with each signature."""
    by_alice, by_other = Psbt.from_bytes(psbt.serialize()), Psbt.from_bytes(psbt.serialize())
    by_alice.sign(keys["alice"])
    leaf_hash = psbt.leaves(0)[0].hash
    by_other.add_signature(0, leaf_hash, schnorr.public, schnorr.sign(psbt.signature_hash(0, leaf_hash, KEY_VERSION_BIP340)))
    return by_alice, by_other


def same(psbt, other):
    return psbt.maps() == other.maps()


@pytest.mark.parametrize("version, taproot", FORMS)
def test_embit(tree, keys, schnorr, version, taproot):
    peer = pytest.importorskip("embit.psbt").PSBT
    for psbt in copies(start(tree, version, taproot), keys, schnorr):
        there = peer.from_base64(psbt.to_base64())
        assert there.tx.txid().hex() == psbt.unsigned_tx().txid_hex
        assert list(there.inputs[0].taproot_scripts) == [psbt.leaves(0)[0].control_block]
        assert same(Psbt.from_base64(there.to_base64()), psbt)


# embit 0.8.0 departs from BIP 341 in the rest: it takes in SINGLE's output and not its hash, and for ANYONECANPAY a whole input.
@pytest.mark.parametrize("hash_type", [SigHash.DEFAULT, SigHash.ALL, SigHash.NONE])
def test_schnorr_hash_as_embit_computes_it(tree, hash_type):
    embit = pytest.importorskip("embit")
    psbt = start(tree, 0, False)
    script = embit.script.Script
    there = embit.psbt.PSBT.from_base64(psbt.to_base64()).tx
    hashed = there.sighash_taproot(0, [script(psbt.spent_output(0).scriptPubKey)], [100_000], int(hash_type), ext_flag=1, script=script(bytes(tree.leaves[0].script)))
    assert hashed == psbt.signature_hash(0, tree.leaves[0].hash, KEY_VERSION_BIP340, hash_type)


@pytest.mark.parametrize("version, taproot", FORMS)
def test_libwally(tree, keys, schnorr, version, taproot):
    wally = pytest.importorskip("wallycore")
    by_alice, by_other = copies(start(tree, version, taproot), keys, schnorr)
    theirs = [wally.psbt_from_base64(psbt.to_base64(), 0) for psbt in (by_alice, by_other)]
    for there, psbt in zip(theirs, (by_alice, by_other)):
        assert same(Psbt.from_base64(wally.psbt_to_base64(there, 0)), psbt)
    wally.psbt_combine(theirs[0], theirs[1])
    combined = Psbt.from_base64(wally.psbt_to_base64(theirs[0], 0))
    assert same(combined, by_alice.combine([by_other]))
    assert combined.finalize() == []
    final = wally.psbt_from_base64(combined.to_base64(), 0)
    assert wally.tx_to_hex(wally.psbt_extract(final, 0), 1) == combined.extract().serialize().hex()
