# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Nodes among themselves: relay and sync, and a node without the module beside them.

The node without the module is Bitcoin Core as it is published in the tests named [published], and one with the module whose
deployments never become active in those named [not_active].
"""

from collections.abc import Iterator
from pathlib import Path

import pytest
from slhconsensus import SIGNATURE_SIZE

from framework.chain import Chain
from framework.node import NOT_ACTIVE, Node, Nodes, Options, wait_until
from framework.scenarios import BAD_SIGNATURE, UNKNOWN_INPUT, fund, in_block, spend, timeless
from framework.spends import break_signature, fund_and_sign, single_key

LISTEN: Options = {"listen": "1"}


@pytest.fixture(scope="module")
def node(nodes: Nodes) -> Node:
    return nodes.make(LISTEN, name="first").start()


@pytest.fixture(scope="module")
def second(nodes: Nodes, node: Node, chain: Chain) -> Node:
    """A node with the module, connected to the first."""
    made = nodes.make(LISTEN, name="second").start()
    made.connect(node)
    chain.wait_for_tip(made)
    return made


@pytest.fixture(params=["published", "not_active"])
def without(request: pytest.FixtureRequest, nodes: Nodes, node: Node, chain: Chain) -> Iterator[Node]:
    """A node without the rules, connected to the first."""
    if request.param == "published":
        binary: Path = request.getfixturevalue("plain_bitcoind")
        made = nodes.make(LISTEN, binary, name=request.node.name).start()
        assert "p2mr" not in made.rpc.getdeploymentinfo()["deployments"]
    else:
        made = nodes.make(LISTEN | NOT_ACTIVE, name=request.node.name).start()
    made.connect(node)
    chain.wait_for_tip(made)
    yield made
    made.stop()


def in_mempool_of(node: Node, txid: str) -> bool:
    return txid in node.rpc.getrawmempool()


def test_transactions_and_blocks_are_relayed(chain: Chain, second: Node) -> None:
    txs = fund_and_sign(chain, [single_key(n) for n in range(4)])
    chain.wait_for_tip(second)
    for tx in txs[:3]:
        chain.accept(tx)
    wait_until(lambda: all(in_mempool_of(second, tx.txid_hex) for tx in txs[:3]), "three transactions to be relayed")
    before = second.rpc.getslhdsainfo()
    assert before["single_signatures"] == 3
    # Of the block that has a fourth one, only that one is verified.
    chain.mine(txs)
    chain.wait_for_tip(second)
    after = second.rpc.getslhdsainfo()
    assert after["single_signatures"] == 3
    assert after["batches"]["signatures"] - before["batches"]["signatures"] == 1
    assert second.rpc.getrawmempool() == []


def test_transactions_from_the_other_side(chain: Chain, second: Node) -> None:
    (tx,) = fund_and_sign(chain, [single_key()])
    chain.wait_for_tip(second)
    Chain(second).accept(tx)
    wait_until(lambda: in_mempool_of(chain.node, tx.txid_hex), "the transaction to be relayed")
    Chain(second).mine([tx])
    wait_until(lambda: chain.tip == second.rpc.getbestblockhash(), "the block to be relayed")


def test_sync_from_nothing(nodes: Nodes, chain: Chain, second: Node) -> None:
    """A new node downloads the chain, with spends of every kind in it, and verifies every signature."""
    cases = timeless(valid=True)
    txs = [spend(case, coins) for case, coins in zip(cases, fund(chain, cases))]
    chain.mine(txs)
    chain.wait_for_tip(second)
    new = nodes.make(LISTEN, name="new").start()
    new.connect(second)
    chain.wait_for_tip(new)
    assert new.rpc.gettxoutsetinfo("muhash")["muhash"] == chain.node.rpc.gettxoutsetinfo("muhash")["muhash"]
    info = new.rpc.getslhdsainfo()
    assert info["batches"]["signatures"] >= sum(len(element) >= SIGNATURE_SIZE for tx in txs for n_in in range(len(tx.vin)) for element in tx.witness(n_in))
    assert info["batches"]["invalid"] == 0
    new.stop()


def test_soft_fork(chain: Chain, without: Node) -> None:
    """A node without the rules accepts what nodes with the rules accept: it follows their chain, spends of every kind included."""
    cases = timeless(valid=True)
    txs = [spend(case, coins) for case, coins in zip(cases, fund(chain, cases))]
    chain.mine(txs)
    chain.wait_for_tip(without)
    # It relays none of them.
    (tx,) = fund_and_sign(chain, [single_key()])
    chain.wait_for_tip(without)
    assert Chain(without).mempool_reason(tx) == UNKNOWN_INPUT
    chain.mine([tx])
    chain.wait_for_tip(without)


def test_soft_fork_heals(chain: Chain, without: Node) -> None:
    """A node without the rules follows a miner who breaks them, but comes back when the others have more work."""
    good, other = fund_and_sign(chain, [single_key(), single_key()])
    chain.wait_for_tip(without)
    lost = Chain(without)
    bad = lost.build([break_signature(good)])
    tip = chain.tip
    without.disconnect_all()
    lost.connect(bad)
    assert chain.submit(bad) == in_block(BAD_SIGNATURE)
    assert chain.tip == tip
    chain.mine([good])
    chain.mine([other])
    without.connect(chain.node)
    chain.wait_for_tip(without)
    assert without.rpc.getblockheader(bad.hash_hex)["confirmations"] == -1


def status(node: Node, hash: str) -> str | None:
    """The node's status of a block that is not in its chain."""
    return next((tip["status"] for tip in node.rpc.getchaintips() if tip["hash"] == hash), None)


def test_invalid_block_is_announced(chain: Chain, without: Node) -> None:
    """A block that breaks the rules comes from a peer, as a compact block: it is refused. Peers may send these before they verify
    them, so this one may stay."""
    (tx,) = fund_and_sign(chain, [single_key()])
    chain.wait_for_tip(without)
    tip = chain.tip
    peers = len(chain.node.rpc.getpeerinfo())
    with chain.node.logs(BAD_SIGNATURE):
        bad = Chain(without).mine([break_signature(tx)])
        wait_until(lambda: status(chain.node, bad.hash_hex) == "invalid", "the block to be refused")
    assert chain.tip == tip
    assert len(chain.node.rpc.getpeerinfo()) == peers
    chain.mine([tx])
    chain.mine()
    chain.wait_for_tip(without)


def test_peer_on_an_invalid_chain(chain: Chain, without: Node) -> None:
    """A peer whose chain has more work, and breaks the rules: its block is downloaded, refused, and the peer disconnected."""
    (tx,) = fund_and_sign(chain, [single_key()])
    chain.wait_for_tip(without)
    without.disconnect_all()
    tip = chain.tip
    lost = Chain(without)
    bad = lost.mine([break_signature(tx)])
    lost.mine()
    with chain.node.logs(BAD_SIGNATURE, "Misbehaving: peer="):
        without.rpc.addconnection(f"127.0.0.1:{chain.node.p2p_port}", "outbound-full-relay", False)
        wait_until(lambda: not without.rpc.getpeerinfo(), "the peer to be disconnected")
    assert chain.node.rpc.getblockheader(bad.hash_hex)["confirmations"] == -1
    assert chain.tip == tip
