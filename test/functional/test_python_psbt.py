# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""The Python package's partially signed transactions: several signers, and what slhtool makes of the same bytes. The roles are the library's, whose own
tests have the BIPs' vectors and what is refused."""

import base64
import hashlib
import json
import os
import subprocess

import pytest

import slhconsensus as slhc
from conftest import DATA
from slhconsensus import (OP_CHECKSEQUENCEVERIFY, OP_CHECKSIG, OP_CHECKSIGADDSLHDSA, OP_CHECKSIGSLHDSA, OP_DROP, OP_EQUALVERIFY, OP_NUMEQUAL, OP_RETURN,
                          OP_SHA256, OP_VERIFY, CScript, Psbt)
from slhconsensus.testing import ExperimentSigner

ROLES = json.loads((DATA / "bip_psbt.json").read_text())["roles"]
TOOL = os.environ.get("SLHTOOL")


def raw(text):
    return base64.b64decode(text)


def two_of_three(keys):
    names = ["alice", "bob", "carol"]
    public = [bytes(keys[name].public_key) for name in names]
    multi = CScript([public[0], OP_CHECKSIGSLHDSA, public[1], OP_CHECKSIGADDSLHDSA, public[2], OP_CHECKSIGADDSLHDSA, 2, OP_NUMEQUAL])
    return slhc.ScriptTree([multi, CScript([OP_RETURN])])


def start(tree, version=0, taproot=None, leaf=0, pays_to=CScript([OP_RETURN])):
    tx = slhc.CTransaction([slhc.CTxIn(slhc.COutPoint(b"\x11" * 32, 0), b"", 144)], [slhc.CTxOut(90_000, pays_to)], 500)
    psbt = Psbt(tx, version)
    psbt.set_spent_output(0, slhc.CTxOut(100_000, (taproot or tree).script_pubkey()))
    psbt.add_leaf(0, tree, tree.leaves[leaf], taproot)
    return psbt


def test_roles():
    roles = {name: Psbt.from_base64(text) for name, text in ROLES.items() if name != "extracted"}
    assert Psbt(roles["created"].unsigned_tx()).serialize() == raw(ROLES["created"])
    assert roles["signed_a"].combine([roles["signed_b"]]).maps() == roles["combined"].maps()
    assert roles["unknown_a"].combine([roles["unknown_b"]]).serialize() == raw(ROLES["unknown_combined"])
    assert roles["finalized"].extract().serialize().hex() == ROLES["extracted"]
    with pytest.raises(slhc.DataError, match="input 0: not final"):
        roles["combined"].extract()


def test_slhdsa_field():
    """doc/psbt.md's field, of two signers: what is written is the same to the byte, and valid."""
    def digest(data):
        return hashlib.sha256(data).hexdigest()
    for vector in json.loads((DATA / "psbt_slhdsa.json").read_text()):
        combined = Psbt.from_base64(vector["signed_a"]).combine([Psbt.from_base64(vector["signed_b"])])
        assert digest(combined.serialize()) == vector["combined_sha256"]
        assert combined.finalize() == [] and digest(combined.serialize()) == vector["finalized_sha256"]
        tx = combined.extract()
        assert digest(tx.serialize()) == vector["transaction_sha256"] and tx.txid_hex == vector["txid"]


@pytest.mark.parametrize("version", [0, 2])
@pytest.mark.parametrize("taproot", [False, True])
def test_two_of_three(keys, version, taproot):
    tree = two_of_three(keys)
    output = tree.taproot() if taproot else None
    psbt = start(tree, version, output)
    assert psbt.version == version and psbt.fee() == 10_000 and psbt.outpoint(0) == slhc.COutPoint(b"\x11" * 32, 0)
    (leaf,) = psbt.leaves(0)
    assert leaf.script == tree.leaves[0].script and leaf.hash == tree.leaves[0].hash
    assert leaf.control_block == (output.control_block(tree.leaves[0]) if output else tree.leaves[0].control_block)
    alice, carol = Psbt.from_base64(psbt.to_base64()), Psbt.from_base64(psbt.to_base64())
    assert alice.sign(keys["alice"]) == 1 and alice.sign(keys["alice"]) == 0 and carol.sign(keys["carol"]) == 1
    assert alice.finalize() == ["input 0: needs 2 signatures, but has 1"] and not alice.is_final(0)
    both = carol.combine([alice])
    assert both.finalize() == [] and both.is_final(0)
    tx = both.extract()
    assert tx.nLockTime == 500 and tx.vin[0].nSequence == 144
    assert [len(element) for element in tx.witness(0)[:3]] == [7856, 0, 7856]
    assert both.spent_output(0) == psbt.spent_output(0)


def test_hybrid_with_a_preimage(keys, schnorr):
    public, preimage = bytes(keys["alice"].public_key), b"secret"
    digest = hashlib.sha256(preimage).digest()
    leaf = CScript([OP_SHA256, digest, OP_EQUALVERIFY, public, OP_CHECKSIGSLHDSA, OP_VERIFY, schnorr.public, OP_CHECKSIG])
    psbt = start(slhc.ScriptTree([leaf, CScript([OP_RETURN])]))
    leaf_hash = psbt.leaves(0)[0].hash
    psbt.add_signature(0, leaf_hash, schnorr.public, schnorr.sign(psbt.signature_hash(0, leaf_hash, slhc.KEY_VERSION_BIP340)))
    psbt.sign(keys["alice"])
    assert psbt.finalize() == [f"input 0: needs the preimage of {digest.hex()}"]
    with pytest.raises(slhc.DataError, match="no leaf of input 0 asks for this preimage"):
        psbt.add_preimage(0, b"another")
    psbt.add_preimage(0, preimage)
    assert psbt.finalize() == []
    psbt.extract()


def test_recovery_after_an_age(keys):
    """The leaf whose age is not reached is not signed."""
    public = bytes(keys["alice"].public_key)
    tree = slhc.ScriptTree([CScript([age, OP_CHECKSEQUENCEVERIFY, OP_DROP, public, OP_CHECKSIGSLHDSA]) for age in (144, 145)])
    psbt = start(tree)
    psbt.add_leaf(0, tree, tree.leaves[1])
    assert psbt.combine([]).sign(keys["alice"], leaf_hash=tree.leaves[1].hash) == 0
    assert psbt.sign(keys["alice"]) == 1 and psbt.finalize() == []
    assert psbt.extract().witness(0)[1] == bytes(tree.leaves[0].script)


def test_keys_of_another_set(keys):
    """128-q40 beside 128s, and 128-24 by a signer of one's own."""
    medium, small = slhc.SecretKey.from_seed(bytes(48), "128-q40"), ExperimentSigner(bytes(48), "128-24")
    elements = [key.element for key in (keys["alice"].public_key, medium.public_key, small.public_key())]
    leaf = CScript([elements[0], OP_CHECKSIGSLHDSA, elements[1], OP_CHECKSIGADDSLHDSA, elements[2], OP_CHECKSIGADDSLHDSA, 3, OP_NUMEQUAL])
    psbt = start(slhc.ScriptTree([leaf, CScript([OP_RETURN])]))
    leaf_hash = psbt.leaves(0)[0].hash
    assert psbt.sign(medium) == 1 and psbt.sign(medium) == 0 and psbt.sign(keys["alice"]) == 1
    signature = small.sign(psbt.signature_hash(0, leaf_hash, slhc.KEY_VERSION_SLHDSA_SETS))
    with pytest.raises(slhc.DataError, match="value of 3855 bytes, not 3856 or 3857 .128-24."):
        psbt.add_signature(0, leaf_hash, elements[2], signature[1:])
    psbt.add_signature(0, leaf_hash, elements[2], signature)
    assert psbt.finalize() == []
    assert [len(element) for element in psbt.extract().witness(0)[:3]] == [3856, 5776, 7856]
    with pytest.raises(slhc.ArgumentError, match="no script knows keys of the parameter set 128f"):
        psbt.sign(slhc.SecretKey.from_seed(bytes(48), "128f"))


def test_hash_type(keys):
    psbt = start(two_of_three(keys))
    psbt.set_field(b"\x03", (2).to_bytes(4, "little"), n_in=0)
    with pytest.raises(slhc.DataError, match="asks for hash type 2, not 1"):
        psbt.sign(keys["alice"], hash_type=slhc.SigHash.ALL)
    psbt.sign(keys["alice"], hash_type=slhc.SigHash.NONE)
    psbt.sign(keys["bob"])
    assert psbt.finalize() == []
    assert psbt.extract().witness(0)[1][7856:] == b"\x02"


def test_each_input_is_judged_by_itself(keys):
    """A hash type that cannot be signed concerns its input alone, and a leaf of another output no other leaf."""
    tree, other = two_of_three(keys), slhc.ScriptTree([CScript([bytes(keys["alice"].public_key), OP_CHECKSIGSLHDSA]), CScript([OP_VERIFY])])
    coins = [slhc.CTxIn(slhc.COutPoint(b"\x11" * 32, n), b"", 144) for n in range(2)]
    psbt = Psbt(slhc.CTransaction(coins, [slhc.CTxOut(90_000, CScript([OP_RETURN]))]))
    for n_in in range(2):
        psbt.set_spent_output(n_in, slhc.CTxOut(100_000, tree.script_pubkey()))
        psbt.add_leaf(n_in, tree, tree.leaves[0])
    psbt.set_field(b"\x15" + other.leaves[0].control_block, bytes(other.leaves[0].script) + b"\xc0", n_in=0)
    psbt.set_field(b"\x03", (3).to_bytes(4, "little"), n_in=1)
    assert [leaf.hash for leaf in psbt.leaves(0)] == [tree.leaves[0].hash]
    assert psbt.sign(keys["alice"]) == 1 and psbt.sign(keys["bob"]) == 1 and psbt.is_final(0) is False
    with pytest.raises(slhc.DataError, match="input 1: hash type SINGLE, but there is no output 1"):
        psbt.sign(keys["alice"])
    (missing,) = psbt.finalize()
    assert missing.startswith("input 1: needs 2 signatures") and psbt.is_final(0)


def test_invalid_signature(keys):
    """It is not used, nothing is lost for it, it can be replaced, and a copy with a valid one wins."""
    tree = two_of_three(keys)
    psbt = start(tree)
    alice, leaf_hash = bytes(keys["alice"].public_key), tree.leaves[0].hash
    psbt.sign(keys["bob"])
    good = psbt.combine([])
    good.sign(keys["alice"])
    psbt.add_signature(0, leaf_hash, alice, bytes(7856))
    before = psbt.serialize()
    assert psbt.finalize() == [f"input 0: needs 2 signatures, but has 1; not used: the signature by {alice.hex()} is not valid for this transaction"]
    assert psbt.serialize() == before
    for order in [(psbt, good), (good, psbt)]:
        assert order[0].combine([order[1]]).maps() == good.maps()
    assert psbt.combine([]).sign(keys["carol"]) == 1
    assert psbt.sign(keys["alice"]) == 1 and psbt.finalize() == []
    psbt.extract()


def test_fields(keys):
    psbt = start(two_of_three(keys))
    before = psbt.maps()
    assert len(before) == 3
    psbt.set_field(b"\xf0", b"global")
    psbt.set_field(b"\xf0", b"input", n_in=0)
    psbt.set_field(b"\xf0", b"output", n_out=0)
    assert [found[b"\xf0"] for found in psbt.maps()] == [b"global", b"input", b"output"]
    for place in {}, {"n_in": 0}, {"n_out": 0}:
        psbt.set_field(b"\xf0", None, **place)
    assert psbt.maps() == before
    with pytest.raises(slhc.DataError, match="value of 1 byte, not 4"):
        psbt.set_field(b"\x03", b"\x01", n_in=0)
    with pytest.raises(slhc.ArgumentError, match="of an input or of an output"):
        psbt.set_field(b"\xf0", b"", n_in=0, n_out=0)


def test_refusals(keys):
    tree = two_of_three(keys)
    psbt = start(tree)
    with pytest.raises(slhc.DataError, match="spends another output"):
        psbt.set_spent_output(0, slhc.CTxOut(1, tree.script_pubkey()))
    with pytest.raises(slhc.DataError, match="is not one of the output that is spent"):
        psbt.add_leaf(0, tree, tree.leaves[0], tree.taproot())
    with pytest.raises(slhc.DataError, match="there is no leaf"):
        psbt.add_signature(0, bytes(32), bytes(keys["alice"].public_key), bytes(7856))
    with pytest.raises(slhc.ArgumentError, match="there is no input 1"):
        psbt.leaves(1)
    with pytest.raises(slhc.ArgumentError, match="leaf_hash has 1 byte, not 32"):
        psbt.sign(keys["alice"], leaf_hash=b"1")
    with pytest.raises(slhc.ArgumentError, match="version 1 is neither 0 nor 2"):
        Psbt(slhc.CTransaction(), 1)
    for text in "\u00e9", psbt.to_base64() + "\u00e9", "cHNid", "*":
        with pytest.raises(slhc.DataError, match="not base64: "):
            Psbt.from_base64(text)
    with pytest.raises(slhc.DataError, match="magic"):
        Psbt.from_base64("")
    with pytest.raises(slhc.DataError, match="PSBT 1 has version 2, and PSBT 0 version 0"):
        psbt.combine([start(tree, 2)])


@pytest.mark.skipif(TOOL is None, reason="SLHTOOL is not set")
def test_same_as_slhtool(keys, tmp_path):
    def tool(*args):
        result = subprocess.run([TOOL, "psbt", *map(str, args)], capture_output=True, text=True, timeout=300)
        assert result.returncode == 0, result.stderr
        return result.stdout.strip()

    alice = tmp_path / "alice.key"
    keys["alice"].to_file(alice)
    for version in [0, 2]:
        psbt = start(two_of_three(keys), version)
        assert tool("update", psbt.to_base64()) == psbt.to_base64()
        shown = json.loads(tool("show", psbt.to_base64(), "--json"))
        assert shown["txid"] == psbt.unsigned_tx().txid_hex and shown["fee"] == psbt.fee()
        signed = Psbt.from_base64(tool("sign", psbt.to_base64(), "--key", alice))
        assert signed.sign(keys["alice"]) == 0 and signed.sign(keys["bob"]) == 1
        final = tool("finalize", signed.to_base64())
        assert signed.finalize() == [] and Psbt.from_base64(final).maps() == signed.maps()
        assert tool("extract", final) == signed.extract().serialize().hex()
