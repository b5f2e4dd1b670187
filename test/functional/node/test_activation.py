# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""From which block on the rules hold (BIP 9): before it, at it, and on both sides of a reorganization across it."""

from typing import Any

import pytest
from slhconsensus import CTransaction, CTxOut

from framework.chain import ANYONE_CAN_SPEND, COIN_AMOUNT, Chain, coins_of
from framework.node import ALWAYS, NEVER, NOT_ACTIVE, Node, Nodes, Options, deployments, wait_until
from framework.scenarios import BAD_SIGNATURE, DISCOURAGED_KEY, DISCOURAGED_SUCCESS, EITHER, MISMATCH, NONSTANDARD_WITNESS, UNKNOWN_INPUT, in_block, in_mempool
from framework.spends import Spend, break_signature, flip, fund_and_sign, key_of_set, single_key, spend_all

# Periods have 144 blocks: the deployments start with the second one, are locked in by the third, and active from the fourth on.
HEIGHT = 3 * 144
NAMES = ("p2mr", "slhdsa", "slhdsasets")


@pytest.fixture
def chain(nodes: Nodes) -> Chain:
    """A chain whose next block is three before the first with rules, on a node of its own."""
    chain = Chain(nodes.make(deployments(0, 0, 0)).start()).start()
    chain.generate(HEIGHT - 4 - chain.height)
    return chain


@pytest.fixture
def spends(chain: Chain) -> list[CTransaction]:
    """Spends of P2MR and of P2TR; they are funded by the block at HEIGHT - 3, so that the next one is the last but one without rules."""
    spends = fund_and_sign(chain, [single_key(), single_key(1), single_key(p2tr=True), single_key(1, p2tr=True)])
    assert chain.height == HEIGHT - 3
    return spends


def active(node: Node) -> dict[str, bool]:
    """For each deployment, true if its rules hold for the next block."""
    found: Any = node.rpc.getdeploymentinfo()["deployments"]
    return {name: found[name]["active"] for name in NAMES if name in found}


def wrong_path(tx: CTransaction) -> CTransaction:
    """A copy of a transaction whose tree is not the one that the output commits to."""
    copy = CTransaction.from_bytes(tx.serialize())
    copy.witness(0)[-1] = flip(copy.witness(0)[-1])
    return copy


def test_deployments(chain: Chain) -> None:
    """Deployments with signalling by blocks, as getdeploymentinfo tells."""
    assert chain.height == HEIGHT - 4
    for name in NAMES:
        found = chain.node.rpc.getdeploymentinfo()["deployments"][name]
        assert found["type"] == "bip9"
        assert found["bip9"]["status"] == "locked_in"
        assert found["bip9"]["start_time"] == 0
        assert found["active"] is False
    chain.mine_empty(3)
    assert active(chain.node) == dict.fromkeys(NAMES, True)
    for name in NAMES:
        found = chain.node.rpc.getdeploymentinfo()["deployments"][name]
        assert found["height"] == HEIGHT
        assert found["bip9"]["status_next"] == "active"


def test_boundary(chain: Chain, spends: list[CTransaction]) -> None:
    p2mr, p2mr_2, p2tr, p2tr_2 = spends
    bad_p2mr, bad_p2tr = break_signature(p2mr), break_signature(p2tr)
    small_p2tr = CTransaction.from_bytes(p2tr.serialize())
    small_p2tr.witness(0)[0] = b"\x01"
    # The block after the next one is the first with rules: policy is that of before, and signatures mean nothing.
    chain.mine()
    assert active(chain.node) == dict.fromkeys(NAMES, False)
    for tx in p2mr, bad_p2mr:
        assert chain.mempool_reason(tx) == UNKNOWN_INPUT
    for tx in p2tr, bad_p2tr:
        assert chain.mempool_reason(tx) == NONSTANDARD_WITNESS
    assert chain.mempool_reason(small_p2tr) == in_mempool(DISCOURAGED_SUCCESS)
    chain.mine([bad_p2mr, bad_p2tr])
    # The next block is the first one with rules.
    assert chain.height == HEIGHT - 1
    assert active(chain.node) == dict.fromkeys(NAMES, True)
    for tx in p2mr_2, p2tr_2:
        bad = break_signature(tx)
        assert chain.mempool_reason(bad) == in_mempool(BAD_SIGNATURE)
        chain.refuse([bad], in_block(BAD_SIGNATURE))
        chain.accept(tx)
    chain.mine([p2mr_2, p2tr_2])
    assert chain.node.rpc.getrawmempool() == []


@pytest.mark.parametrize("start", ["start", "signalling"])
def test_p2mr_alone(nodes: Nodes, start: str) -> None:
    """Without the opcodes, a P2MR output needs its tree, and a leaf with one of them succeeds at once."""
    chain = Chain(nodes.make(deployments(ALWAYS if start == "start" else 0, NEVER)).start()).start()
    if start == "signalling":
        chain.generate(HEIGHT - 1 - chain.height)
    assert active(chain.node) == {"p2mr": True}
    p2mr, p2tr = fund_and_sign(chain, [single_key(), single_key(p2tr=True)])
    chain.refuse([wrong_path(p2mr)], in_block(MISMATCH))
    small = CTransaction.from_bytes(p2mr.serialize())
    small.witness(0)[0] = b"\x01"
    assert chain.mempool_reason(small) == in_mempool(DISCOURAGED_SUCCESS)
    chain.mine([break_signature(p2mr), break_signature(p2tr)])


def test_opcodes_alone(nodes: Nodes) -> None:
    """Without P2MR, its outputs are spent by anyone, and the opcodes verify in P2TR outputs."""
    chain = Chain(nodes.make(deployments(NEVER, ALWAYS)).start()).start()
    assert active(chain.node) == {"slhdsa": True}
    p2mr, p2tr, p2tr_2 = fund_and_sign(chain, [single_key(), single_key(p2tr=True), single_key(p2tr=True)])
    assert chain.mempool_reason(p2mr) == UNKNOWN_INPUT
    assert chain.mempool_reason(break_signature(p2tr)) == in_mempool(BAD_SIGNATURE)
    chain.refuse([break_signature(p2tr)], in_block(BAD_SIGNATURE))
    chain.accept(p2tr)
    chain.mine([wrong_path(p2mr), p2tr, p2tr_2])


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
    """Blocks at HEIGHT and before are undone. As long as the next block has the rules, the mempool keeps what they judge; when it has
    not, the mempool drops that, as it would not take it, and keeps the rest."""
    p2mr, p2mr_2, p2tr, _ = spends
    plain = chain.pay([CTxOut(COIN_AMOUNT, ANYONE_CAN_SPEND)])
    chain.mine_empty(2)
    last_without = chain.tip
    chain.accept(p2mr_2)
    child = spend_all([(None, coins_of(p2mr_2)[0])])
    child.witness(0).append(b"\x51")  # of P2WSH, where the rest of a spend goes
    chain.accept(child)
    chain.accept(plain)
    chain.mine([p2mr, p2tr])
    chain.node.rpc.invalidateblock(chain.tip)
    assert chain.tip == last_without
    assert set(chain.node.rpc.getrawmempool()) == {tx.txid_hex for tx in (p2mr, p2mr_2, p2tr, child, plain)}
    chain.node.rpc.invalidateblock(last_without)
    assert chain.height == HEIGHT - 2
    assert chain.node.rpc.getrawmempool() == [plain.txid_hex]
    # Such blocks may have them all the same.
    chain.mine([p2mr, break_signature(p2mr_2), p2tr])
    chain.generate(1)
    assert chain.height == HEIGHT
    assert chain.node.rpc.getrawmempool() == []


@pytest.mark.parametrize("lapsing", NAMES[:2])
def test_mempool_when_one_deployment_lapses(nodes: Nodes, lapsing: str) -> None:
    """The first block with the rules of one deployment is undone, and those of the other one remain: the mempool keeps what only these
    judge."""
    starts = {name: 0 if name == lapsing else ALWAYS for name in NAMES[:2]}
    chain = Chain(nodes.make(deployments(**starts)).start()).start()
    chain.generate(HEIGHT - 3 - chain.height)
    spends = [Spend(EITHER, leaf=0, stack=lambda signer: [signer.schnorr()]), Spend(EITHER, leaf=1, stack=lambda signer: [signer.slhdsa()]),
              single_key(p2tr=True)]
    schnorr_in_p2mr, slhdsa_in_p2mr, slhdsa_in_p2tr = fund_and_sign(chain, spends)
    chain.mine()
    assert chain.height == HEIGHT - 1
    for tx in schnorr_in_p2mr, slhdsa_in_p2mr, slhdsa_in_p2tr:
        chain.accept(tx)
    chain.node.rpc.invalidateblock(chain.tip)
    assert active(chain.node) == {name: name != lapsing for name in NAMES[:2]}
    kept = {"p2mr": slhdsa_in_p2tr, "slhdsa": schnorr_in_p2mr}[lapsing]
    assert chain.node.rpc.getrawmempool() == [kept.txid_hex]
    chain.mine([kept])
    assert chain.node.rpc.getrawmempool() == []


def test_other_sets_alone_lapse(nodes: Nodes) -> None:
    """Before slhdsasets, a key of another set is of an unknown type. When its first block is undone, the mempool drops the spends with such a
    key's signature, and keeps those of 128s."""
    chain = Chain(nodes.make(deployments(slhdsasets=0)).start()).start()
    chain.generate(HEIGHT - 3 - chain.height)
    spends = [key_of_set("128-24"), key_of_set("128-q40"), key_of_set("128-24", 1), key_of_set("128s"),
              Spend(EITHER, leaf=0, stack=lambda signer: [signer.schnorr()])]
    small, large, other, plain, schnorr = fund_and_sign(chain, spends)
    assert active(chain.node) == {"p2mr": True, "slhdsa": True, "slhdsasets": False}
    assert chain.mempool_reason(small) == NONSTANDARD_WITNESS
    one_byte = CTransaction.from_bytes(small.serialize())
    one_byte.witness(0)[0] = b"\x01"
    assert chain.mempool_reason(one_byte) == in_mempool(DISCOURAGED_KEY)
    chain.mine([break_signature(other)])
    assert chain.height == HEIGHT - 1
    assert active(chain.node) == dict.fromkeys(NAMES, True)
    for tx in small, large:
        assert chain.mempool_reason(break_signature(tx)) == in_mempool(BAD_SIGNATURE)
        chain.refuse([break_signature(tx)], in_block(BAD_SIGNATURE))
    for tx in small, large, plain, schnorr:
        chain.accept(tx)
    chain.node.rpc.invalidateblock(chain.tip)
    assert active(chain.node) == {"p2mr": True, "slhdsa": True, "slhdsasets": False}
    assert set(chain.node.rpc.getrawmempool()) == {plain.txid_hex, schnorr.txid_hex}
    chain.mine([plain, schnorr])
    for tx in small, large:
        chain.accept(tx)
    chain.mine([small, large])
    assert chain.node.rpc.getrawmempool() == []


def test_reorganization_that_keeps_the_rules(nodes: Nodes) -> None:
    """A reorganization far from activation returns what it undoes to the mempool."""
    chain = Chain(nodes.make().start()).start()
    txs = fund_and_sign(chain, [single_key(), single_key(p2tr=True)])
    chain.mine(txs)
    chain.node.rpc.invalidateblock(chain.tip)
    assert set(chain.node.rpc.getrawmempool()) == {tx.txid_hex for tx in txs}
    chain.mine(txs)


def test_chain_from_before_an_earlier_activation(nodes: Nodes) -> None:
    """A chain with a bad signature, from a time without rules: a node that is told of an earlier activation, and builds
    its state anew, ends just before that block."""
    chain = Chain(nodes.make().start(NOT_ACTIVE)).start()
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


@pytest.mark.parametrize("options", [NOT_ACTIVE, deployments(3_900_000_000, 3_900_000_000)], ids=["never", "far_away"])
def test_never_active(nodes: Nodes, options: Options) -> None:
    """Without its deployments the node is one without the module: what the rules forbid is in its blocks."""
    chain = Chain(nodes.make(options).start()).start()
    for tx in fund_and_sign(chain, [single_key(), single_key(p2tr=True)]):
        assert chain.mempool_reason(tx) is not None
        chain.mine([break_signature(tx)])
    assert not any(active(chain.node).values())
    info = chain.node.rpc.getslhdsainfo()
    assert info["enabled"] == (options is not NOT_ACTIVE)
    assert not info["enabled"] or info["batches"]["count"] == info["single_signatures"] == 0
