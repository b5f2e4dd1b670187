# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""The height from which the rules hold: before it, at it, and on both sides of a reorganization across it."""

from typing import Any

import pytest
from slhconsensus import CTransaction

from framework.chain import Chain
from framework.node import Node, Nodes, wait_until
from framework.scenarios import BAD_SIGNATURE, DISCOURAGED_SUCCESS, NONSTANDARD_WITNESS, UNKNOWN_INPUT, in_block, in_mempool
from framework.spends import break_signature, fund_and_sign, single_key

HEIGHT = 110  # the first block that the rules hold for


@pytest.fixture
def chain(nodes: Nodes) -> Chain:
    """A chain whose next block is two before the rules hold, on a node of its own."""
    node = nodes.make({"testactivationheight": f"p2mr@{HEIGHT}"}).start()
    chain = Chain(node).start()
    chain.mine_empty(HEIGHT - 4 - chain.height)
    return chain


@pytest.fixture
def spends(chain: Chain) -> list[CTransaction]:
    """Spends of P2MR and of P2TR; they are funded by the block at HEIGHT - 3, so that the next one is the last but one without rules."""
    spends = fund_and_sign(chain, [single_key(), single_key(1), single_key(p2tr=True), single_key(1, p2tr=True)])
    assert chain.height == HEIGHT - 3
    return spends


def deployment(node: Node) -> Any:
    return node.rpc.getdeploymentinfo()["deployments"]["p2mr"]


def test_boundary(chain: Chain, spends: list[CTransaction]) -> None:
    p2mr, p2mr_2, p2tr, p2tr_2 = spends
    bad_p2mr, bad_p2tr = break_signature(p2mr), break_signature(p2tr)
    small_p2tr = CTransaction.from_bytes(p2tr.serialize())
    small_p2tr.witness(0)[0] = b"\x01"
    # The block after the next one is the first with rules: policy is that of before, and signatures mean nothing.
    chain.mine()
    assert deployment(chain.node) == {"type": "buried", "active": False, "height": HEIGHT}
    for tx in p2mr, bad_p2mr:
        assert chain.mempool_reason(tx) == UNKNOWN_INPUT
    for tx in p2tr, bad_p2tr:
        assert chain.mempool_reason(tx) == NONSTANDARD_WITNESS
    assert chain.mempool_reason(small_p2tr) == in_mempool(DISCOURAGED_SUCCESS)
    chain.mine([bad_p2mr, bad_p2tr])
    # The next block is the first one with rules.
    assert chain.height == HEIGHT - 1
    assert deployment(chain.node) == {"type": "buried", "active": True, "height": HEIGHT}
    for tx in p2mr_2, p2tr_2:
        bad = break_signature(tx)
        assert chain.mempool_reason(bad) == in_mempool(BAD_SIGNATURE)
        chain.refuse([bad], in_block(BAD_SIGNATURE))
        chain.accept(tx)
    chain.mine([p2mr_2, p2tr_2])
    assert chain.node.rpc.getrawmempool() == []


def test_reorganization_to_a_branch_that_uses_the_time_before(chain: Chain, spends: list[CTransaction]) -> None:
    """The rules are those of the height in the branch, not of the tip that is left."""
    p2mr, p2mr_2, p2tr, p2tr_2 = spends
    fork = chain.tip
    chain.mine_empty(2)
    chain.mine([p2mr, p2tr])  # at HEIGHT
    old_tip = chain.tip
    # A longer branch that spends the same coins before the rules hold, with signatures that are wrong.
    blocks = [chain.build([break_signature(p2mr), break_signature(p2tr)], previous=fork)]
    assert chain.submit(blocks[0]) == "inconclusive"
    for _ in range(2):
        blocks.append(chain.build(previous=blocks[-1].hash_hex))
        assert chain.submit(blocks[-1]) == "inconclusive"
    assert chain.tip == old_tip
    chain.connect(chain.build([p2mr_2, p2tr_2], previous=blocks[-1].hash_hex))
    # And back, by two more blocks on the first branch.
    chain.node.rpc.invalidateblock(blocks[0].hash_hex)
    assert chain.tip == old_tip
    chain.mine_empty(2)
    chain.node.rpc.reconsiderblock(blocks[0].hash_hex)
    assert chain.node.rpc.getblockheader(old_tip)["confirmations"] == 3


def test_reorganization_to_a_branch_that_breaks_the_rules(chain: Chain, spends: list[CTransaction]) -> None:
    """A branch with more work that has a wrong signature at HEIGHT: the node goes there, finds it, and comes back."""
    p2mr, _, p2tr, _ = spends
    fork = chain.tip
    chain.mine_empty(2)
    chain.mine([p2mr, p2tr])
    old_tip = chain.tip
    previous = fork
    for transactions in [], [], [break_signature(p2mr), p2tr]:
        block = chain.build(transactions, previous=previous)
        assert chain.submit(block) == "inconclusive"
        previous = block.hash_hex
    longer = chain.build(previous=previous)
    with chain.node.logs(f"InvalidChainFound: invalid block={previous}", BAD_SIGNATURE):
        assert chain.submit(longer) in ("inconclusive", "bad-prevblk")
    assert chain.tip == old_tip
    states = {tip["hash"]: tip["status"] for tip in chain.node.rpc.getchaintips()}
    assert states == {old_tip: "active", longer.hash_hex: "invalid"}


def test_mempool_across_the_boundary(chain: Chain, spends: list[CTransaction]) -> None:
    """Blocks at HEIGHT and before are undone: what the mempool has got stays valid without the rules, and any block may take it."""
    p2mr, p2mr_2, p2tr, _ = spends
    mempool = {tx.txid_hex for tx in (p2mr, p2mr_2, p2tr)}
    chain.mine_empty(2)
    last_without = chain.tip
    chain.accept(p2mr_2)
    chain.mine([p2mr, p2tr])
    chain.node.rpc.invalidateblock(chain.tip)
    assert chain.tip == last_without
    assert set(chain.node.rpc.getrawmempool()) == mempool
    chain.node.rpc.invalidateblock(last_without)
    assert chain.height == HEIGHT - 2
    assert set(chain.node.rpc.getrawmempool()) == mempool
    chain.mine([p2mr, p2tr])
    assert chain.node.rpc.getrawmempool() == [p2mr_2.txid_hex]
    chain.mine([p2mr_2])
    assert chain.height == HEIGHT


def test_chain_from_before_an_earlier_activation(nodes: Nodes) -> None:
    """A chain with a bad signature, from a time without rules: a node that is told of an earlier activation, and builds
    its state anew, ends just before that block."""
    chain = Chain(nodes.make().start({"testactivationheight": "p2mr@1000000"})).start()
    good, bad = fund_and_sign(chain, [single_key(), single_key()])
    chain.mine([good])
    last_good = chain.tip
    wrong = chain.mine([break_signature(bad)])
    chain.mine()
    with chain.node.logs(BAD_SIGNATURE):
        chain.node.restart({"reindex-chainstate": 1})
        wait_until(lambda: chain.tip == last_good, "the chain to be built anew")
    assert chain.node.rpc.getblockheader(wrong.hash_hex)["confirmations"] == -1
    chain.mine([bad])


def test_never_active(nodes: Nodes) -> None:
    """With an activation that is far away the node is one without the module: what the rules forbid is in its blocks."""
    chain = Chain(nodes.make({"testactivationheight": "p2mr@1000000"}).start()).start()
    for tx in fund_and_sign(chain, [single_key(), single_key(p2tr=True)]):
        assert chain.mempool_reason(tx) is not None
        chain.mine([break_signature(tx)])
    info = chain.node.rpc.getslhdsainfo()
    assert info["height"] == 1000000
    assert info["inputs"]["verified"] == info["inputs"]["deferred"] == info["batches"]["count"] == 0
