# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Blocks whose signatures are verified together: what is counted, what is undone and redone, and what a restart verifies again."""

import contextlib
import re
from collections.abc import Iterator

import pytest
from slhconsensus import OP_0, OP_CHECKSIGSLHDSA, OP_VERIFY, COutPoint, CTransaction, CTxOut

from framework.blocks import subsidy
from framework.chain import COIN_AMOUNT, SINK, Chain, Coin, spend
from framework.node import Node, Nodes, Options, wait_until
from framework.scenarios import BAD_SIGNATURE, VERIFY, in_block, in_mempool, two_of_three
from framework.spends import break_signature, fund_and_sign, leaf, pub, single_key, spend_all

N_TRANSACTIONS = 24


def work(node: Node) -> dict[str, int]:
    """The node's verifications since it started: signatures in batches, and single ones. Those found in the cache are in neither."""
    info = node.rpc.getslhdsainfo()
    assert info["faults"] == info["no_verdicts"] == 0
    return {
        "batches": info["batches"]["count"],
        "invalid": info["batches"]["invalid"],
        "signatures": info["batches"]["signatures"],
        "single": info["single_signatures"],
    }


@contextlib.contextmanager
def does(node: Node, **expected: int) -> Iterator[None]:
    """Assert that the actions inside make the node verify this much and no more."""
    before = work(node)
    yield
    after = work(node)
    assert {name: after[name] - before[name] for name in after if after[name] != before[name]} == expected


@pytest.fixture(scope="module")
def transactions(chain: Chain) -> list[CTransaction]:
    """Enough for a block in which first, middle and last are far apart."""
    return fund_and_sign(chain, [single_key(n % 3) for n in range(N_TRANSACTIONS)])


@pytest.mark.parametrize("position", [0, N_TRANSACTIONS // 2, N_TRANSACTIONS - 1])
def test_one_bad_signature(chain: Chain, transactions: list[CTransaction], position: int) -> None:
    """The block is refused for the input that is bad, wherever it is."""
    bad = break_signature(transactions[position])
    block = [*transactions[:position], bad, *transactions[position + 1:]]
    with chain.node.logs(re.escape(f"{in_block(BAD_SIGNATURE)}, input 0 of {bad.txid_hex} (wtxid {bad.wtxid_hex})")):
        with does(chain.node, batches=1, invalid=1, signatures=N_TRANSACTIONS):
            chain.refuse(block, in_block(BAD_SIGNATURE))


def test_first_of_two_bad_signatures(chain: Chain, transactions: list[CTransaction]) -> None:
    """Of two bad ones, the first is the reason."""
    block = list(transactions)
    for position in 17, 5:
        block[position] = break_signature(transactions[position])
    with chain.node.logs(f"input 0 of {block[5].txid_hex}", never=(f"input 0 of {block[17].txid_hex}",)):
        chain.refuse(block, in_block(BAD_SIGNATURE))


def test_second_input_is_bad(chain: Chain) -> None:
    """A transaction with several inputs, one of them with several signatures, of which the last is bad."""
    spends = [single_key(), two_of_three(0, 1, None), single_key()]
    coins = chain.fund([how.script_pubkey for how in spends])
    tx = spend_all(list(zip(spends, coins)))
    bad = break_signature(tx, 1)
    with chain.node.logs(f"input 1 of {bad.txid_hex}"):
        chain.refuse([bad], in_block(BAD_SIGNATURE))
    with does(chain.node, batches=1, signatures=4):
        chain.mine([tx])


def test_block_and_its_reorganization(chain: Chain, transactions: list[CTransaction]) -> None:
    """A block is verified once; undone and redone it is verified again, since a block leaves nothing in the cache."""
    fork = chain.tip
    with does(chain.node, batches=1, signatures=N_TRANSACTIONS):
        block = chain.mine(transactions)
    # A longer branch without these transactions: they return to the mempool, and are verified for that one by one.
    first = chain.build(previous=fork)
    assert chain.submit(first) == "inconclusive"
    with does(chain.node, single=N_TRANSACTIONS):
        second = chain.connect(chain.build(previous=first.hash_hex))
    assert len(chain.node.rpc.getrawmempool()) == N_TRANSACTIONS
    # Back to the first branch: everything was verified for the mempool.
    third = chain.build(previous=block.hash_hex)
    assert chain.submit(third) == "inconclusive"
    with does(chain.node):
        chain.connect(chain.build(previous=third.hash_hex))
    assert chain.node.rpc.getrawmempool() == []
    assert chain.node.rpc.getblockheader(second.hash_hex)["confirmations"] == -1


def test_mempool_then_block(chain: Chain) -> None:
    """Signatures that the mempool has verified are not verified again in a block."""
    txs = fund_and_sign(chain, [single_key(), two_of_three(0, None, 2), single_key(p2tr=True)])
    with does(chain.node, single=4):
        for tx in txs:
            chain.accept(tx)
    with does(chain.node):
        chain.mine(txs)


def test_refused_by_the_mempool_then_block(chain: Chain) -> None:
    """A signature that the mempool found to be invalid is found again in a block, and is not mistaken for the valid one in its place."""
    (tx,) = fund_and_sign(chain, [single_key()])
    bad = break_signature(tx)
    for _ in range(2):
        assert chain.mempool_reason(bad) == in_mempool(BAD_SIGNATURE)
        chain.refuse([bad], in_block(BAD_SIGNATURE))
    chain.accept(tx)
    chain.refuse([bad], in_block(BAD_SIGNATURE))
    chain.mine([tx])


def test_part_of_a_block_from_the_mempool(chain: Chain) -> None:
    """Only what the mempool did not have goes to the batch."""
    txs = fund_and_sign(chain, [single_key(n) for n in range(3)])
    chain.accept(txs[1])
    with does(chain.node, batches=1, signatures=2):
        chain.mine(txs)


def test_failure_of_a_script_beside_the_batch(chain: Chain) -> None:
    """A script that fails by itself is the reason where all signatures are good."""
    failing = leaf(pub(0), OP_CHECKSIGSLHDSA, OP_VERIFY, OP_0, OP_VERIFY, stack=lambda signer: [signer.slhdsa()])
    good, bad = fund_and_sign(chain, [single_key(), failing])
    with chain.node.logs(f"input 0 of {bad.txid_hex}"):
        chain.refuse([good, bad], in_block(VERIFY))
    chain.mine([good])


@pytest.mark.parametrize("options", [{"par": 1}, {"par": 1, "slhdsadefer": 0}], ids=["deferred", "eager"])
def test_first_failure_wins_with_one_thread(nodes: Nodes, chain: Chain, options: Options) -> None:
    """The same failure counts, be it a signature's or another, whether or not signatures are deferred."""
    failing = leaf(pub(0), OP_CHECKSIGSLHDSA, OP_VERIFY, OP_0, OP_VERIFY, stack=lambda signer: [signer.slhdsa()])
    good, other = fund_and_sign(chain, [single_key(), failing])
    bad = break_signature(good)
    node = nodes.make(options).start()
    chain.replay(node)
    single = Chain(node)
    with node.logs(f"input 0 of {bad.txid_hex}", never=(f"input 0 of {other.txid_hex}",)):
        single.refuse([bad, other], in_block(BAD_SIGNATURE))
    with node.logs(f"input 0 of {other.txid_hex}", never=(f"input 0 of {bad.txid_hex}",)):
        single.refuse([other, bad], in_block(VERIFY))
    # A failure outside of scripts
    missing = spend([Coin(COutPoint(bytes(32), 0), CTxOut(COIN_AMOUNT, SINK))])
    single.refuse([bad, missing], in_block(BAD_SIGNATURE))
    single.refuse([missing, bad], "bad-txns-inputs-missingorspent")
    greedy = [CTxOut(2 * subsidy(single.height + 1), SINK)]
    assert single.submit(single.build([bad], outputs=greedy)) == in_block(BAD_SIGNATURE)
    assert single.submit(single.build([good], outputs=greedy)) == "bad-cb-amount"
    node.stop()


def test_large_block(chain: Chain) -> None:
    """More signatures than the CPU engines take at a time; the last one bad, and then good."""
    txs = [tx for _ in range(3) for tx in fund_and_sign(chain, [single_key(n % 3) for n in range(50)])]
    n = len(txs)
    bad = break_signature(txs[-1])
    with chain.node.logs(f"input 0 of {bad.txid_hex}"):
        with does(chain.node, batches=1, invalid=1, signatures=n):
            chain.refuse([*txs[:-1], bad], in_block(BAD_SIGNATURE))
    with does(chain.node, batches=1, signatures=n):
        chain.mine(txs)


def test_mempool_survives_a_restart(nodes: Nodes, chain: Chain) -> None:
    """The mempool's signatures are verified again when the node has restarted, and not once more in a block."""
    txs = fund_and_sign(chain, [single_key(n) for n in range(3)])
    node = nodes.make().start()
    chain.replay(node)
    for tx in txs:
        Chain(node).accept(tx)
    node.restart()
    wait_until(lambda: node.rpc.getmempoolinfo()["loaded"], "the mempool to be loaded")
    assert len(node.rpc.getrawmempool()) == 3
    assert work(node) == {"batches": 0, "invalid": 0, "signatures": 0, "single": 3}
    with does(node):
        Chain(node).mine(txs)
    node.stop()


def test_restart_and_reindex(chain: Chain) -> None:
    """A restart verifies the last blocks again where it is told to, a reindex all of them, with the same tip at the end."""
    node = chain.node
    txs = fund_and_sign(chain, [single_key(n) for n in range(3)])
    chain.mine(txs)
    tip = chain.tip
    in_chain = sum(signatures_of(node, height) for height in range(1, chain.height + 1))
    assert in_chain > N_TRANSACTIONS
    node.restart()
    assert chain.tip == tip
    assert work(node)["signatures"] == 0
    node.restart({"checkblocks": 1, "checklevel": 4})  # undone and redone, to check the database
    assert chain.tip == tip
    assert (work(node)["batches"], work(node)["signatures"]) == (1, 3)
    for option in "reindex-chainstate", "reindex":
        node.restart({option: 1})
        wait_until(lambda: chain.tip == tip, f"-{option}")
        assert work(node)["signatures"] == in_chain
        assert work(node)["invalid"] == 0
    # And it goes on.
    (tx,) = fund_and_sign(chain, [single_key()])
    chain.refuse([break_signature(tx)], in_block(BAD_SIGNATURE))
    chain.mine([tx])


def signatures_of(node: Node, height: int) -> int:
    """How many witness elements of a block are SLH-DSA signatures."""
    block = node.rpc.getblock(node.rpc.getblockhash(height), 2)
    return sum(len(element) // 2 in (7856, 7857) for tx in block["tx"] for txin in tx["vin"] for element in txin.get("txinwitness", []))
