# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Nodes that verify in different ways get the same blocks, and each gives the same verdict for the same reason."""

import pytest
from slhconsensus import CBlock

from framework.chain import Chain
from framework.node import ALWAYS, Nodes, Options, deployments
from framework.scenarios import BAD_SIGNATURE, ERROR_TEXTS, fund, in_block, spend, timeless
from framework.spends import SETS, break_signature, fund_and_sign, key_of_set, single_key

MODES: dict[str, Options] = {
    "eager_one_thread": {"slhdsadefer": 0, "par": 1},
    "eager_three_threads": {"slhdsadefer": 0, "par": 3},
    "deferred_one_thread": {"par": 1},
    "deferred_three_threads": {"par": 3},
    "deferred_one_thread_scripts_on_three": {"par": 3, "slhdsathreads": 1},
    "deferred_portable": {"par": 2, "slhdsabackend": "cpu:portable"},
    "no_cache": {"par": 2, "maxsigcachesize": 0},
}


class Fleet:
    """A node for each mode, each with the chain of the first."""

    def __init__(self, nodes: Nodes):
        self.chains = [Chain(nodes.make(options | deployments(slhdsasets=ALWAYS), name=name).start()) for name, options in MODES.items()]
        self.first = self.chains[0].start()
        self.follow()

    def follow(self) -> None:
        """Give every node the blocks of the first."""
        for chain in self.chains[1:]:
            self.first.replay(chain.node)

    def submit(self, block: CBlock) -> dict[str, str | None]:
        """Each node's answer."""
        return {chain.node.name: chain.submit(block) for chain in self.chains}

    def propose(self, block: CBlock) -> dict[str, str | None]:
        """The answer of each node."""
        return {chain.node.name: chain.propose(block) for chain in self.chains}

    def tips(self) -> set[str]:
        return {chain.tip for chain in self.chains}


def everywhere(answer: str | None) -> dict[str, str | None]:
    return dict.fromkeys(MODES, answer)


@pytest.fixture(scope="module")
def fleet(nodes: Nodes) -> Fleet:
    return Fleet(nodes)


def test_modes_are_what_they_say(fleet: Fleet) -> None:
    for chain, (name, options) in zip(fleet.chains, MODES.items()):
        info = chain.node.rpc.getslhdsainfo()
        assert info["deferred"] == (options.get("slhdsadefer") != 0), name
        assert info["threads"] == options.get("slhdsathreads", options["par"]), name
        assert info["backend"] == options.get("slhdsabackend", "cpu"), name


def test_one_bad_signature_among_many(fleet: Fleet) -> None:
    txs = fund_and_sign(fleet.first, [single_key(n % 2) for n in range(12)])
    fleet.follow()
    tip = fleet.first.tip
    for position in 0, 6, 11:
        block = fleet.first.build([*txs[:position], break_signature(txs[position]), *txs[position + 1:]])
        assert fleet.submit(block) == everywhere(in_block(BAD_SIGNATURE))
        assert fleet.tips() == {tip}
    block = fleet.first.build(txs)
    assert fleet.submit(block) == everywhere(None)
    assert fleet.tips() == {block.hash_hex}
    for chain in fleet.chains:
        info = chain.node.rpc.getslhdsainfo()
        assert (info["batches"]["count"] > 0) == info["deferred"]


def test_sets_in_one_block(fleet: Fleet) -> None:
    """A batch has signatures of every parameter set, and any of them may be wrong."""
    txs = fund_and_sign(fleet.first, [key_of_set(name, n) for n in range(3) for name in SETS])
    fleet.follow()
    for position in range(len(SETS)):
        block = fleet.first.build([*txs[:position], break_signature(txs[position]), *txs[position + 1:]])
        assert fleet.submit(block) == everywhere(in_block(BAD_SIGNATURE))
    assert fleet.submit(fleet.first.build(txs)) == everywhere(None)


def test_proposals(fleet: Fleet) -> None:
    """A block is judged without being connected, which is where the node remembers scripts that it has run. What was
    only put off must not be among them: a bad block stays bad, and so does each transaction of it."""
    txs = fund_and_sign(fleet.first, [single_key(n % 2) for n in range(4)])
    fleet.follow()
    bad = fleet.first.build([*txs[:2], break_signature(txs[2]), txs[3]])
    for _ in range(2):
        assert fleet.propose(bad) == everywhere(in_block(BAD_SIGNATURE))
    assert fleet.submit(bad) == everywhere(in_block(BAD_SIGNATURE))
    alone = fleet.first.build([break_signature(txs[2])])
    assert fleet.submit(alone) == everywhere(in_block(BAD_SIGNATURE))
    good = fleet.first.build(txs)
    assert fleet.propose(good) == everywhere(None)
    assert fleet.submit(good) == everywhere(None)


def test_what_a_mempool_holds_is_not_what_a_block_has(fleet: Fleet) -> None:
    """The mempools have the good spend, the block has the same transaction, by its id, with a bad signature."""
    (tx,) = fund_and_sign(fleet.first, [single_key()])
    fleet.follow()
    for chain in fleet.chains:
        chain.accept(tx)
    assert break_signature(tx).txid == tx.txid
    assert fleet.submit(fleet.first.build([break_signature(tx)])) == everywhere(in_block(BAD_SIGNATURE))
    assert fleet.submit(fleet.first.build([tx])) == everywhere(None)


def test_every_valid_spend(fleet: Fleet) -> None:
    cases = timeless(valid=True)
    coins = fund(fleet.first, cases)
    fleet.follow()
    block = fleet.first.build([spend(case, own) for case, own in zip(cases, coins)])
    assert fleet.submit(block) == everywhere(None)


def test_every_invalid_spend(fleet: Fleet) -> None:
    """Each in a block of its own, after one that is valid."""
    cases = timeless(valid=False)
    coins = fund(fleet.first, cases)
    (valid,) = fund_and_sign(fleet.first, [single_key()])
    fleet.follow()
    tip = fleet.first.tip
    for case, own in zip(cases, coins):
        block = fleet.first.build([valid, spend(case, own)])
        assert fleet.submit(block) == everywhere(in_block(ERROR_TEXTS[case.expect])), case.name
    assert fleet.tips() == {tip}


def test_reorganization(fleet: Fleet) -> None:
    """All undo a batch, redo another, fail on a third, and end on the same tip."""
    txs = fund_and_sign(fleet.first, [single_key(n % 2) for n in range(6)])
    fleet.follow()
    fork = fleet.first.tip
    assert fleet.submit(fleet.first.build(txs[:3])) == everywhere(None)
    branch = [fleet.first.build(txs[3:], previous=fork)]
    assert fleet.submit(branch[0]) == everywhere("inconclusive")
    branch.append(fleet.first.build(txs[:2], previous=branch[0].hash_hex))
    assert fleet.submit(branch[1]) == everywhere(None)
    assert fleet.tips() == {branch[1].hash_hex}
    worse = fleet.first.build([*txs[3:5], break_signature(txs[5])], previous=fork)
    previous = worse.hash_hex
    fleet.submit(worse)
    for _ in range(2):
        block = fleet.first.build(previous=previous)
        fleet.submit(block)
        previous = block.hash_hex
    assert fleet.tips() == {branch[1].hash_hex}
    for chain in fleet.chains:
        assert {"hash": previous, "status": "invalid"} in [{"hash": tip["hash"], "status": tip["status"]} for tip in chain.node.rpc.getchaintips()]
