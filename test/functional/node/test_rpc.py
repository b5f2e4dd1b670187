# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""What the node says about P2MR: names, addresses, deployment, the module's state; and the options it takes and refuses."""

from pathlib import Path

import pytest
from slhconsensus import decode_address

from framework.chain import Chain
from framework.node import Nodes, Options, wait_until
from framework.rpc import RpcError
from framework.spends import fund_and_sign, single_key

TYPE = "witness_v2_p2mr"


def test_decodescript(chain: Chain) -> None:
    tree = single_key().tree
    decoded = chain.node.rpc.decodescript(tree.script_pubkey().hex())
    assert decoded["type"] == TYPE
    assert decoded["asm"] == f"2 {tree.root.hex()}"
    assert decoded["address"] == tree.address("regtest")
    assert chain.node.rpc.decodescript("5220" + "00" * 32)["type"] == TYPE
    for other in "521f" + "00" * 31, "5221" + "00" * 33, "5320" + "00" * 32:
        assert chain.node.rpc.decodescript(other)["type"] == "witness_unknown"


def test_validateaddress(chain: Chain) -> None:
    tree = single_key().tree
    address = tree.address("regtest")
    assert address.startswith("bcrt1z")
    answer = chain.node.rpc.validateaddress(address)
    assert answer["isvalid"] is True
    assert answer["iswitness"] is True
    assert answer["type"] == TYPE
    assert answer["witness_version"] == 2
    assert answer["witness_program"] == tree.root.hex() == decode_address(address).program.hex()
    assert answer["scriptPubKey"] == tree.script_pubkey().hex()
    assert chain.node.rpc.validateaddress(address[:-1] + ("q" if address[-1] != "q" else "p"))["isvalid"] is False
    # Of another network
    assert chain.node.rpc.validateaddress(tree.address("mainnet"))["isvalid"] is False
    # Only P2MR is named
    assert "type" not in chain.node.rpc.validateaddress("bcrt1pqyqszqgpqyqszqgpqyqszqgpqyqszqgpqyqszqgpqyqszqgpqyqs3wf0qm")


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
    assert chain.node.rpc.getdeploymentinfo()["deployments"]["p2mr"] == {"type": "buried", "active": True, "height": 0}


def test_getslhdsainfo(chain: Chain) -> None:
    before = chain.node.rpc.getslhdsainfo()
    assert before["height"] == 0
    assert before["backend"] == "auto"
    assert before["deferred"] is True
    assert before["threads"] >= 1
    assert before["backends"][0]["name"].startswith("cpu:")
    assert before["backends"][0]["device"] is False
    assert before["backends"][0]["ready"] is True
    assert before["cache"]["capacity"] > 1000
    assert before["faults"] == before["no_verdicts"] == 0
    txs = fund_and_sign(chain, [single_key(n % 2) for n in range(8)])
    chain.accept(txs[0])
    with chain.node.logs(r"\[slhdsa\].* 7 signatures"):
        chain.mine(txs)
    after = chain.node.rpc.getslhdsainfo()
    assert after["inputs"]["verified"] > before["inputs"]["verified"]
    assert after["cache"]["misses"] - before["cache"]["misses"] == 8
    assert after["inputs"]["deferred"] - before["inputs"]["deferred"] == 7
    assert after["inputs"]["time"] > before["inputs"]["time"]
    assert after["batches"]["count"] - before["batches"]["count"] == 1
    assert after["batches"]["last_signatures"] == 7
    assert after["batches"]["time"] >= after["batches"]["last_time"] > 0
    assert sum(backend["signatures"] for backend in after["backends"]) - sum(backend["signatures"] for backend in before["backends"]) >= 7
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


def test_no_cache_folder(nodes: Nodes, tmp_path: Path) -> None:
    """Whatever the library's environment variable says, a node that is told to keep nothing keeps nothing."""
    node = nodes.make({"noslhdsacachedir": "1"}, environment={"SLHC_CACHE_DIR": str(tmp_path)}).start()
    Chain(node).start()
    assert not (node.chain_folder / "slhdsa").exists()
    assert list(tmp_path.iterdir()) == []
    node.stop()


@pytest.mark.parametrize("options, says", [
    ({"slhdsabackend": "quantum"}, "quantum"),
    ({"slhdsabackend": "cpu:z80"}, "z80"),
    ({"slhdsabackend": ""}, "unknown backend ''"),
    ({"slhdsacachedir": "/dev/null/folder"}, "-slhdsacachedir"),
    ({"slhdsathreads": 0}, "-slhdsathreads=0"),
    ({"slhdsathreads": 100_000}, "-slhdsathreads=100000"),
    ({"testactivationheight": "p2mr"}, "p2mr"),
    ({"testactivationheight": "p2mr@-1"}, "p2mr@-1"),
    ({"testactivationheight": "p2tsh@1"}, "p2tsh@1"),
], ids=str)
def test_refused_options(nodes: Nodes, options: Options, says: str) -> None:
    """One line that names what is wrong."""
    error = nodes.make().start_fails(options)
    assert error.startswith("Error: ") and says in error, error


def test_device_that_is_not_there(nodes: Nodes) -> None:
    """Asked for by name, a device has to be there; the choice of the node does without."""
    environment = {"VK_ICD_FILENAMES": "/none", "VK_DRIVER_FILES": "/none"}
    error = nodes.make(environment=environment).start_fails({"slhdsabackend": "vulkan"})
    assert error.startswith("Error: ") and "vulkan" in error, error
    node = nodes.make(environment=environment).start()
    wait_until(lambda: all(backend["retired"] for backend in node.rpc.getslhdsainfo()["backends"] if backend["device"]), "the device to be given up")
    node.stop()


@pytest.mark.parametrize("name", ["main", "test", "testnet4", "signet"])
def test_activation_is_refused_on_other_chains(nodes: Nodes, name: str) -> None:
    error = nodes.make({"chain": name}).start_fails({"testactivationheight": "p2mr@1"})
    assert "-testactivationheight" in error or "regtest" in error, error


@pytest.mark.parametrize("name", ["main", "testnet4", "signet"])
def test_never_active_on_other_chains(nodes: Nodes, name: str) -> None:
    node = nodes.make({"chain": name, "connect": "0"}).start()
    assert "p2mr" not in node.rpc.getdeploymentinfo()["deployments"]
    info = node.rpc.getslhdsainfo()
    assert "height" not in info
    assert info["backends"] == []
    node.stop()
