# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""A node's operations on its chain beyond connecting blocks: pruning, -assumevalid, verifychain, blocks on demand, shutdown in a
reorganization."""

import contextlib
import signal
import threading

import pytest

from framework.chain import Chain
from framework.node import NOT_ACTIVE, Node, Nodes, wait_until
from framework.rpc import Rpc, RpcError
from framework.scenarios import BAD_SIGNATURE, in_block
from framework.spends import break_signature, fund_and_sign, single_key

TWO_WEEKS = 2016  # blocks; -assumevalid skips no scripts of a block with less work on it
MIN_BLOCKS_TO_KEEP = 288
N_SIGNATURES = 50


def signatures(node: Node) -> int:
    """How many were verified in batches since the node started."""
    return int(node.rpc.getslhdsainfo()["batches"]["signatures"])


def test_generateblock(chain: Chain) -> None:
    """A block made of what the caller names: an invalid spend makes it fail, a valid one that no mempool has seen is in it."""
    first, second = fund_and_sign(chain, [single_key(), single_key(1)])
    address = single_key().tree.address("regtest")
    tip = chain.tip
    with pytest.raises(RpcError, match=BAD_SIGNATURE):
        chain.node.rpc.generateblock(address, [first.serialize().hex(), break_signature(second).serialize().hex()])
    assert chain.tip == tip
    hash = chain.node.rpc.generateblock(address, [first.serialize().hex(), second.serialize().hex()])["hash"]
    assert chain.tip == hash
    assert [tx["txid"] for tx in chain.node.rpc.getblock(hash, 2)["tx"][1:]] == [first.txid_hex, second.txid_hex]


def test_verifychain(chain: Chain) -> None:
    """Level 4 connects the last blocks once more, signatures included; level 3 undoes and looks at none."""
    chain.mine(fund_and_sign(chain, [single_key(n) for n in range(3)]))
    before = signatures(chain.node)
    assert chain.node.rpc.verifychain(3, 2) is True
    assert signatures(chain.node) == before
    assert chain.node.rpc.verifychain(4, 2) is True
    assert signatures(chain.node) == before + 3


def test_verifychain_finds_what_breaks_the_rules(nodes: Nodes) -> None:
    """A block from a time when the node had no rules."""
    node = nodes.make().start(NOT_ACTIVE)
    chain = Chain(node).start()
    (tx,) = fund_and_sign(chain, [single_key()])
    chain.mine([break_signature(tx)])
    assert node.rpc.verifychain(4, 2) is True
    node.restart({"checkblocks": 1, "checklevel": 3})
    assert node.rpc.verifychain(3, 2) is True
    with node.logs(BAD_SIGNATURE):
        assert node.rpc.verifychain(4, 2) is False
    node.stop()


def test_assumevalid(nodes: Nodes) -> None:
    """Below the block that is assumed to be valid, no signature is verified, if there is enough work on it. Without it, a new node
    refuses the same chain."""
    miner = Chain(nodes.make(NOT_ACTIVE | {"listen": "1"}, name="miner").start()).start()
    good, bad = fund_and_sign(miner, [single_key(), single_key()])
    last_good = miner.mine([good])
    wrong = miner.mine([break_signature(bad)])
    miner.generate(TWO_WEEKS + 10)
    trusting = nodes.make(name="trusting").start({"assumevalid": wrong.hash_hex})
    trusting.connect(miner.node)
    miner.wait_for_tip(trusting)
    assert signatures(trusting) == 0
    # Later blocks are verified.
    chain = Chain(trusting)
    (tx,) = fund_and_sign(miner, [single_key()])
    miner.wait_for_tip(trusting)
    chain.refuse([break_signature(tx)], in_block(BAD_SIGNATURE))
    chain.mine([tx])
    strict = nodes.make(name="strict").start({"assumevalid": "0"})
    with strict.logs(BAD_SIGNATURE):
        strict.rpc.addconnection(f"127.0.0.1:{miner.node.p2p_port}", "outbound-full-relay", False)
        wait_until(lambda: strict.rpc.getbestblockhash() == last_good.hash_hex, "the chain up to the wrong signature")
    assert signatures(strict) == 2
    for node in trusting, strict, miner.node:
        node.stop()


def test_pruning(nodes: Nodes) -> None:
    """Blocks whose files are gone: P2MR coins of that time are spent, the last blocks undone and redone."""
    node = nodes.make({"prune": 1, "fastprune": 1}).start()
    chain = Chain(node).start()
    old, late = (fund_and_sign(chain, [single_key(n)])[0] for n in range(2))
    buried = chain.mine(fund_and_sign(chain, [single_key(n % 3) for n in range(N_SIGNATURES)]))
    height = chain.height
    chain.generate(MIN_BLOCKS_TO_KEEP + 1)
    assert node.rpc.pruneblockchain(height) >= height
    with pytest.raises(RpcError, match="pruned data"):
        node.rpc.getblock(buried.hash_hex)
    chain.refuse([break_signature(old)], in_block(BAD_SIGNATURE))
    chain.accept(old)
    chain.mine([old, late])
    tip = chain.tip
    node.rpc.invalidateblock(tip)
    assert set(node.rpc.getrawmempool()) == {old.txid_hex, late.txid_hex}
    node.rpc.reconsiderblock(tip)
    assert chain.tip == tip and node.rpc.getrawmempool() == []
    node.restart({"checklevel": 4, "checkblocks": 10})
    assert chain.tip == tip
    node.stop()


def test_shutdown_in_a_reorganization(nodes: Nodes, chain: Chain) -> None:
    """A node that is told to stop while it verifies the blocks of a better branch ends on that branch, and keeps what it undid for its
    mempool."""
    undone = fund_and_sign(chain, [single_key(n) for n in range(3)])
    many = [tx for _ in range(4) for tx in fund_and_sign(chain, [single_key(n % 3) for n in range(N_SIGNATURES)])]
    # The slowest backend, one thread: the batches take some tenths of a second.
    node = nodes.make({"slhdsabackend": "cpu:portable", "slhdsathreads": 1, "par": 1}).start()
    chain.replay(node)
    slow = Chain(node)
    fork = slow.tip
    slow.mine(undone)
    slow.mine()
    old_tip = slow.tip
    branch = fork
    for transactions in many[:len(many) // 2], many[len(many) // 2:]:
        block = slow.build(transactions, previous=branch)
        assert slow.submit(block) == "inconclusive"
        branch = block.hash_hex
    assert slow.tip == old_tip
    last = slow.build(previous=branch)

    def submit() -> None:
        with contextlib.suppress(Exception):  # the node may go while it answers
            Rpc(node.rpc_port, node.chain_folder / ".cookie").submitblock(last.serialize().hex())

    submitting = threading.Thread(target=submit)
    begin = node.log_size()
    submitting.start()
    wait_until(lambda: f"UpdateTip: new best={fork}" in node.log(begin), "the old branch to be undone")
    # It is at the fork, and the signatures of the first new block are next. How far it is then must not matter.
    node.signal(signal.SIGTERM)
    submitting.join()
    node.join()
    begin = node.log_size()
    node.start()
    assert f"Loaded best chain: hashBestChain={last.hash_hex}" in node.log(begin)
    wait_until(lambda: node.rpc.getmempoolinfo()["loaded"], "the mempool to be loaded")
    assert set(node.rpc.getrawmempool()) == {tx.txid_hex for tx in undone}
    Chain(node).mine(undone)
    node.stop()
