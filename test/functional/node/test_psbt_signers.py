# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""A PSBT goes from the node to several signers and back: the node's RPCs, slhtool and the Python package work on the same fields."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
import slhconsensus as slhc
from slhconsensus import OP_CHECKSIG, OP_CHECKSIGADDSLHDSA, OP_CHECKSIGSLHDSA, OP_NUMEQUAL, OP_VERIFY, CScript, Psbt

from framework.chain import COIN_AMOUNT, Chain
from framework.schnorr import SchnorrKey

SLHTOOL = os.environ.get("SLHTOOL")
AMOUNT = COIN_AMOUNT - 20_000
SCHNORR = SchnorrKey(7)
TWO_OF_THREE, HYBRID = 0, 1

#: Signs what a key can sign of a PSBT in base64.
Sign = Callable[[str, slhc.SecretKey], str]


@pytest.fixture(scope="module")
def keys() -> list[slhc.SecretKey]:
    return [slhc.SecretKey.from_seed(bytes([n]) * slhc.SEED_SIZE) for n in range(1, 4)]


@pytest.fixture(scope="module")
def tree(keys: list[slhc.SecretKey]) -> slhc.ScriptTree:
    a, b, c = (bytes(key.public_key) for key in keys)
    multi = CScript([a, OP_CHECKSIGSLHDSA, b, OP_CHECKSIGADDSLHDSA, c, OP_CHECKSIGADDSLHDSA, 2, OP_NUMEQUAL])
    hybrid = CScript([a, OP_CHECKSIGSLHDSA, OP_VERIFY, SCHNORR.public, OP_CHECKSIG])
    return slhc.ScriptTree([multi, hybrid])


@pytest.fixture(scope="module")
def descriptor(chain: Chain, keys: list[slhc.SecretKey]) -> str:
    """The same tree as the node writes it."""
    a, b, c = (key.public_key.hex() for key in keys)
    text = f"mr({{multi_slhdsa(2,{a},{b},{c}),and_v(v:pk_slhdsa({a}),pk({SCHNORR.public.hex()}))}})"
    return str(chain.node.rpc.getdescriptorinfo(text)["descriptor"])


def sign_in_python(psbt: str, key: slhc.SecretKey) -> str:
    signed = Psbt.from_base64(psbt)
    assert signed.sign(key) > 0
    return signed.to_base64()


@pytest.fixture(params=["python", "slhtool"])
def sign(request: pytest.FixtureRequest, tmp_path: Path) -> Sign:
    if request.param == "python":
        return sign_in_python
    if not SLHTOOL:
        pytest.skip("SLHTOOL names no slhtool")

    def sign_with_slhtool(psbt: str, key: slhc.SecretKey) -> str:
        file = tmp_path / f"{key.public_key.hex()[:8]}.key"
        key.to_file(file)
        return subprocess.run([SLHTOOL, "psbt", "sign", "-", "--key", str(file)], input=psbt, capture_output=True, text=True, check=True).stdout.strip()
    return sign_with_slhtool


def start(chain: Chain, descriptor: str, tree: slhc.ScriptTree) -> str:
    """The node finds a coin of the tree and makes a PSBT that spends it, with the leaves of the tree."""
    rpc = chain.node.rpc
    chain.fund([tree.script_pubkey()])
    found = rpc.scantxoutset("start", [descriptor])["unspents"]
    coin = max(found, key=lambda each: each["height"])
    assert coin["scriptPubKey"] == tree.script_pubkey().hex()
    created = rpc.createpsbt([{"txid": coin["txid"], "vout": coin["vout"]}], [{tree.address("regtest"): AMOUNT / 1e8}])
    psbt = Psbt.from_base64(rpc.utxoupdatepsbt(created, [descriptor]))
    assert psbt.spent_output(0) == slhc.CTxOut(COIN_AMOUNT, tree.script_pubkey())
    assert {leaf.control_block: leaf.script for leaf in psbt.leaves(0)} == {leaf.control_block: leaf.script for leaf in tree.leaves}
    return psbt.to_base64()


def finish(chain: Chain, psbt: str, tree: slhc.ScriptTree, leaf: int) -> None:
    """The node finalizes, as the package does, and takes the transaction."""
    rpc = chain.node.rpc
    finalized = rpc.finalizepsbt(psbt)
    assert finalized["complete"] is True
    tx = slhc.CTransaction.from_hex(finalized["hex"])
    assert tx.witness(0)[-2:] == [bytes(tree.leaves[leaf].script), tree.leaves[leaf].control_block]
    here = Psbt.from_base64(psbt)
    assert here.finalize() == [] and here.extract().serialize() == tx.serialize()
    kept = Psbt.from_base64(rpc.finalizepsbt(psbt, False)["psbt"])
    assert kept.is_final(0) and kept.extract().serialize() == tx.serialize()
    assert rpc.sendrawtransaction(finalized["hex"]) == tx.txid_hex
    chain.mine([tx])


def test_same_descriptor(chain: Chain, descriptor: str, tree: slhc.ScriptTree) -> None:
    assert chain.node.rpc.deriveaddresses(descriptor) == [tree.address("regtest")]


def test_three_signers(chain: Chain, descriptor: str, tree: slhc.ScriptTree, keys: list[slhc.SecretKey], sign: Sign) -> None:
    """Two of them sign copies at the same time; the node puts the copies together."""
    rpc = chain.node.rpc
    begun = start(chain, descriptor, tree)
    assert rpc.finalizepsbt(begun)["complete"] is False
    first, third = sign(begun, keys[0]), sign(begun, keys[2])
    assert rpc.finalizepsbt(first)["complete"] is False
    decoded = rpc.decodepsbt(first)["inputs"][0]
    assert {each["leaf_hash"] for each in decoded["slhdsa_script_path_sigs"]} == {leaf.hash.hex() for leaf in tree.leaves}  # she may sign both
    (signature,) = [each for each in decoded["slhdsa_script_path_sigs"] if each["leaf_hash"] == tree.leaves[TWO_OF_THREE].hash.hex()]
    assert signature == {"pubkey": keys[0].public_key.hex(), "leaf_hash": tree.leaves[TWO_OF_THREE].hash.hex(), "sig_size": 7856, "sighash": "DEFAULT"}
    combined = rpc.combinepsbt([third, first])
    mine = Psbt.from_base64(first).combine([Psbt.from_base64(third)])
    assert Psbt.from_base64(combined).maps() == mine.maps()
    finish(chain, combined, tree, TWO_OF_THREE)


def test_one_after_the_other(chain: Chain, descriptor: str, tree: slhc.ScriptTree, keys: list[slhc.SecretKey], sign: Sign) -> None:
    begun = start(chain, descriptor, tree)
    finish(chain, sign(sign(begun, keys[1]), keys[2]), tree, TWO_OF_THREE)


def test_hybrid(chain: Chain, descriptor: str, tree: slhc.ScriptTree, keys: list[slhc.SecretKey], sign: Sign) -> None:
    """A Schnorr and an SLH-DSA signature for one leaf."""
    psbt = Psbt.from_base64(sign(start(chain, descriptor, tree), keys[0]))
    leaf_hash = tree.leaves[HYBRID].hash
    assert chain.node.rpc.finalizepsbt(psbt.to_base64())["complete"] is False
    psbt.add_signature(0, leaf_hash, SCHNORR.public, SCHNORR.sign(psbt.signature_hash(0, leaf_hash, slhc.KEY_VERSION_BIP340)))
    finish(chain, psbt.to_base64(), tree, HYBRID)


def test_wrong_signature(chain: Chain, descriptor: str, tree: slhc.ScriptTree, keys: list[slhc.SecretKey]) -> None:
    """One bit of a signature: the node does not take what it finalizes for complete, and the package leaves it out."""
    psbt = Psbt.from_base64(start(chain, descriptor, tree))
    psbt.sign(keys[0])
    psbt.sign(keys[1])
    fields = psbt.maps()[1]
    (whole,) = [key for key in fields if key.endswith(bytes(keys[1].public_key) + tree.leaves[TWO_OF_THREE].hash)]
    changed = bytearray(fields[whole])
    changed[4000] ^= 1
    psbt.set_field(whole, bytes(changed), n_in=0)
    assert chain.node.rpc.finalizepsbt(psbt.to_base64())["complete"] is False
    (missing,) = psbt.finalize()
    assert f"needs 2 signatures, but has 1; not used: the signature by {keys[1].public_key.hex()} is not valid" in missing
    with pytest.raises(slhc.DataError, match="input 0: not final"):
        psbt.extract()
    psbt.set_field(whole, None, n_in=0)
    assert psbt.sign(keys[2]) == 1
    finish(chain, psbt.to_base64(), tree, TWO_OF_THREE)
