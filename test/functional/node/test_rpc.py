# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""The node's interface for P2MR: names, addresses, deployment, the module's state; and the options that it takes and refuses."""

from pathlib import Path

import pytest
from slhconsensus import OP_CHECKSIGADDSLHDSA, CScript, SigHash, decode_address

from framework.chain import Chain
from framework.node import ALWAYS, FAR_AWAY, Nodes, Options
from framework.rpc import RpcError
from framework.spends import fund_and_sign, pub, single_key

TYPE = "witness_v2_p2mr"
# That of the public signet: OP_1 and two keys
DEFAULT_SIGNET_CHALLENGE = ("512103ad5e0edad18cb1f0fc0d28a3d4f1f3e445640337489abb10404f2d1e086be430210359ef5021964fe22d6f8e05b2463c9540ce96883fe3b278"
                            "760f048f5189f2e6c452ae")


def test_decodescript(chain: Chain) -> None:
    tree = single_key().tree
    decoded = chain.node.rpc.decodescript(tree.script_pubkey().hex())
    assert decoded["type"] == TYPE
    assert decoded["asm"] == f"2 {tree.root.hex()}"
    assert decoded["address"] == tree.address("regtest")
    assert chain.node.rpc.decodescript("5220" + "00" * 32)["type"] == TYPE
    for other in "521f" + "00" * 31, "5221" + "00" * 33, "5320" + "00" * 32:
        assert chain.node.rpc.decodescript(other)["type"] == "witness_unknown"


def test_decodescript_of_a_leaf(chain: Chain) -> None:
    """The opcodes have their names as a leaf and those of older scripts otherwise, and the leaf is one of a descriptor."""
    leaf = single_key().tree.leaves[0]
    decoded = chain.node.rpc.decodescript(leaf.script.hex())
    assert decoded["asm"] == f"{pub(0).hex()} OP_SUBSTR"
    assert decoded["p2mr_leaf"] == {"asm": f"{pub(0).hex()} OP_CHECKSIGSLHDSA", "desc": f"pk_slhdsa({pub(0).hex()})", "leaf_hash": leaf.hash.hex()}
    decoded = chain.node.rpc.decodescript(CScript([0, pub(0), OP_CHECKSIGADDSLHDSA]).hex())
    assert decoded["asm"] == f"0 {pub(0).hex()} OP_LEFT"
    assert decoded["p2mr_leaf"]["asm"] == f"0 {pub(0).hex()} OP_CHECKSIGADDSLHDSA"


def test_descriptor(chain: Chain) -> None:
    """mr() with the tree of a spend: its address, and its coins. A tree of one leaf, which anyone can spend, is refused."""
    how = single_key(1)
    descriptor = chain.node.rpc.getdescriptorinfo(f"mr({{pk_slhdsa({pub(1).hex()}),rawleaf(6a)}})")["descriptor"]
    assert chain.node.rpc.deriveaddresses(descriptor) == [how.tree.address("regtest")]
    assert "never send coins to such an address" in chain.node.rpc.help("deriveaddresses")
    (coin,) = chain.fund([how.script_pubkey])
    found = chain.node.rpc.scantxoutset("start", [descriptor])["unspents"]
    assert [(one["txid"], one["vout"], one["desc"]) for one in found if one["txid"] == coin.outpoint.hash[::-1].hex()] == [
        (coin.outpoint.hash[::-1].hex(), coin.outpoint.n, descriptor)]
    with pytest.raises(RpcError, match="anyone can spend"):
        chain.node.rpc.getdescriptorinfo(f"mr(pk_slhdsa({pub(1).hex()}))")


def test_witness_of_a_spend(chain: Chain) -> None:
    """Verbose transactions say how a leaf was spent: its script, the way to the root, the signatures."""
    txs = fund_and_sign(chain, [single_key(stack=lambda signer: [signer.slhdsa(0, SigHash.ALL)]), single_key(p2tr=True)])
    block = chain.mine(txs)
    spends = [chain.node.rpc.getrawtransaction(tx.txid_hex, 2, block.hash_hex)["vin"][0] for tx in txs]
    leaf = single_key().tree.leaves[0]
    for spend, tx in zip(spends, txs):
        path = spend["script_path"]
        assert path["leaf_asm"] == f"{pub(0).hex()} OP_CHECKSIGSLHDSA"
        assert (path["leaf_version"], path["leaf_hash"]) == (leaf.version, leaf.hash.hex())
        assert path["control_block"]["path_length"] == 1
        assert path["control_block"]["merkle_root"] == single_key().tree.root.hex()
        assert ("internal_key" in path["control_block"]) == (tx is txs[1])
        sighash = "ALL" if tx is txs[0] else "DEFAULT"
        assert path["slhdsa_signatures"] == [{"index": 0, "size": len(tx.witness(0)[0]), "set": "128s", "sighash": sighash}]
    assert [tx["vin"][0].get("script_path") for tx in chain.node.rpc.getblock(block.hash_hex, 3)["tx"][1:]] == [spend["script_path"] for spend in spends]


def test_validateaddress(chain: Chain) -> None:
    tree = single_key().tree
    address = tree.address("regtest")
    assert address.startswith("bcrt1z")
    answer = chain.node.rpc.validateaddress(address)
    assert answer["isvalid"] is True
    assert answer["iswitness"] is True
    assert answer["isscript"] is True
    assert answer["witness_version"] == 2
    assert answer["witness_program"] == tree.root.hex() == decode_address(address).program.hex()
    assert answer["scriptPubKey"] == tree.script_pubkey().hex()
    assert chain.node.rpc.validateaddress(address[:-1] + ("q" if address[-1] != "q" else "p"))["isvalid"] is False
    # Of another network
    assert chain.node.rpc.validateaddress(tree.address("mainnet"))["isvalid"] is False


def test_decoded_transactions(chain: Chain) -> None:
    (tx,) = fund_and_sign(chain, [single_key()])
    tx.vout[0].scriptPubKey = bytes(single_key(1).script_pubkey)
    decoded = chain.node.rpc.decoderawtransaction(tx.serialize().hex())
    assert decoded["vout"][0]["scriptPubKey"]["type"] == TYPE
    assert decoded["vout"][0]["scriptPubKey"]["address"] == single_key(1).tree.address("regtest")
    assert len(decoded["vin"][0]["txinwitness"][0]) == 2 * 7856
    with pytest.raises(RpcError, match="TX decode failed"):
        chain.node.rpc.decoderawtransaction(tx.serialize().hex()[:-2])


def test_generate_to_p2mr_address(chain: Chain) -> None:
    """Core's own block assembler, with a P2MR coinbase and a spend from the mempool."""
    (tx,) = fund_and_sign(chain, [single_key()])
    chain.accept(tx)
    (hash,) = chain.node.rpc.generatetoaddress(1, single_key().tree.address("regtest"))
    block = chain.node.rpc.getblock(hash, 2)
    assert block["tx"][0]["vout"][0]["scriptPubKey"]["type"] == TYPE
    assert block["tx"][1]["txid"] == tx.txid_hex


def test_getdeploymentinfo(chain: Chain) -> None:
    deployments = chain.node.rpc.getdeploymentinfo()["deployments"]
    for name in "p2mr", "slhdsa":
        assert (deployments[name]["type"], deployments[name]["active"], deployments[name]["height"]) == ("bip9", True, 0)


def test_getslhdsainfo(chain: Chain) -> None:
    before = chain.node.rpc.getslhdsainfo()
    assert before["enabled"] is True
    assert before["backend"] == "cpu"
    assert before["deferred"] is True
    assert before["threads"] >= 1
    (backend,) = before["backends"]  # no device is opened unless one is asked for
    assert backend["name"].startswith("cpu:")
    assert backend["device"] is False
    assert backend["ready"] is True
    assert backend["state"] == "ready" and not {"program", "process"} & backend.keys()
    assert before["faults"] == before["no_verdicts"] == 0
    txs = fund_and_sign(chain, [single_key(n % 2) for n in range(8)])
    chain.accept(txs[0])
    with chain.node.logs(r"\[slhdsa\].* 7 signatures"):
        chain.mine(txs)
    after = chain.node.rpc.getslhdsainfo()
    assert after["single_signatures"] - before["single_signatures"] == 1
    assert after["batches"]["count"] - before["batches"]["count"] == 1
    assert after["batches"]["signatures"] - before["batches"]["signatures"] == 7
    assert after["batches"]["last_signatures"] == 7
    assert after["batches"]["time"] >= after["batches"]["last_time"] > 0
    assert after["backends"][0]["signatures"] - backend["signatures"] >= 7
    assert "getslhdsainfo" in chain.node.rpc.help()


def test_log_category(chain: Chain) -> None:
    assert chain.node.rpc.logging()["slhdsa"] is True
    assert chain.node.rpc.logging([], ["slhdsa"])["slhdsa"] is False
    with chain.node.logs(never=(r"\[slhdsa\]",)):
        chain.mine(fund_and_sign(chain, [single_key()]))
    assert chain.node.rpc.logging(["slhdsa"])["slhdsa"] is True


def test_coins_of_an_address(chain: Chain) -> None:
    how = single_key(2)
    coins = chain.fund([how.script_pubkey] * 2)
    found = chain.node.rpc.scantxoutset("start", [f"addr({how.tree.address('regtest')})"])
    assert {(coin["txid"], coin["vout"]) for coin in found["unspents"]} == {(coin.outpoint.hash[::-1].hex(), coin.outpoint.n) for coin in coins}


def test_nothing_is_kept_on_disk(nodes: Nodes, tmp_path: Path) -> None:
    """Without a device there is nothing to keep, whatever the library's environment variable says; and with one, a node that is told to
    keep nothing keeps nothing."""
    options: list[Options] = [{}, {"slhdsabackend": "auto", "noslhdsacachedir": "1"}]
    for one in options:
        node = nodes.make(one, environment={"SLHC_CACHE_DIR": str(tmp_path)}).start()
        chain = Chain(node).start()
        chain.mine(fund_and_sign(chain, [single_key()]))
        assert not (node.chain_folder / "slhdsa").exists()
        assert list(tmp_path.iterdir()) == []
        node.stop()


@pytest.mark.parametrize("options, says", [
    ({"slhdsabackend": "quantum"}, "quantum"),
    ({"slhdsabackend": "cpu:z80"}, "z80"),
    ({"slhdsabackend": ""}, "unknown backend ''"),
    ({"slhdsathreads": 0}, "-slhdsathreads=0"),
    ({"slhdsathreads": 100_000}, "-slhdsathreads=100000"),
    ({"vbparams": "p2mr"}, "malformed"),
    ({"vbparams": "p2mr:0:soon"}, "soon"),
    ({"vbparams": "p2tsh:-1:0"}, "p2tsh"),
], ids=str)
def test_refused_options(nodes: Nodes, options: Options, says: str) -> None:
    """One line that names what is wrong."""
    error = nodes.make().start_fails(options)
    assert error.startswith("Error: ") and says in error, error


def test_device_that_is_not_there(nodes: Nodes) -> None:
    """A device that is named has to be there. If the node may choose, it looks for one when a block has a batch for it, and does without."""
    environment = {"VK_ICD_FILENAMES": "/none", "VK_DRIVER_FILES": "/none"}
    error = nodes.make(environment=environment).start_fails({"slhdsabackend": "vulkan"})
    assert error.startswith("Error: ") and "vulkan" in error, error
    node = nodes.make({"slhdsabackend": "auto"}, environment=environment).start()
    assert not any(backend["ready"] for backend in node.rpc.getslhdsainfo()["backends"] if backend["device"])
    node.stop()


@pytest.mark.parametrize("deployment", ["p2mr", "slhdsa", "slhdsasets"])
@pytest.mark.parametrize("options", [{"chain": "main"}, {"chain": "test"}, {"chain": "testnet4"}, {"chain": "signet"},
                                     {"chain": "signet", "signetchallenge": DEFAULT_SIGNET_CHALLENGE}],
                         ids=["main", "test", "testnet4", "signet", "signet_by_its_challenge"])
def test_activation_is_refused_on_public_chains(nodes: Nodes, options: Options, deployment: str) -> None:
    error = nodes.make(options).start_fails({"vbparams": f"{deployment}:{ALWAYS}:0"})
    assert error.startswith("Error: ") and deployment in error and "public chain" in error, error


@pytest.mark.parametrize("name", ["main", "testnet4", "signet"])
def test_never_active_on_public_chains(nodes: Nodes, name: str) -> None:
    node = nodes.make({"chain": name, "connect": "0"}).start()
    assert not {"p2mr", "slhdsa", "slhdsasets"} & set(node.rpc.getdeploymentinfo()["deployments"])
    node.stop()


def test_custom_signet(nodes: Nodes) -> None:
    """A signet with a challenge of its own has the rules if its nodes are told so."""
    node = nodes.make({"chain": "signet", "signetchallenge": "51", "connect": "0"}).start()
    assert not {"p2mr", "slhdsa", "slhdsasets"} & set(node.rpc.getdeploymentinfo()["deployments"])
    node.restart({"vbparams": [f"p2mr:{ALWAYS}:0", f"slhdsa:0:{FAR_AWAY}", f"slhdsasets:0:{FAR_AWAY}"]})
    deployments = node.rpc.getdeploymentinfo()["deployments"]
    assert deployments["p2mr"]["active"] is True
    for name in "slhdsa", "slhdsasets":
        assert deployments[name]["active"] is False and deployments[name]["bip9"]["status"] == "defined"
    node.stop()
