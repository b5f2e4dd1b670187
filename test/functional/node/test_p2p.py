# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""A peer that the test plays: spends and blocks that come over the network, valid and invalid, whole and in parts."""

import time
from collections.abc import Iterator

import pytest
from slhconsensus import CTransaction, CTxOut

from framework.chain import COIN_AMOUNT, FEE, SINK, Chain, coins_of
from framework.node import Node, Nodes
from framework.p2p import MSG_TX, Peer, witness_txid, wtxid
from framework.rpc import RpcError
from framework.scenarios import BAD_SIGNATURE, EMPTY_WITNESS
from framework.spends import break_signature, fund_and_sign, single_key, spend_all

# So that the node asks for transactions at once, and not after the delay that inbound peers get.
PREFERRED = "noban@127.0.0.1"
LONGER_THAN_REQUESTS_WAIT = 30  # seconds; a request by txid waits for 2 where other peers relay by wtxid


@pytest.fixture(scope="module")
def node(nodes: Nodes) -> Node:
    return nodes.make({"listen": "1"}, name="strict").start()


@pytest.fixture(scope="module")
def quick(nodes: Nodes, chain: Chain) -> Chain:
    """The same chain on a node that prefers its peers."""
    node = nodes.make({"listen": "1", "whitelist": PREFERRED}, name="quick").start()
    chain.replay(node)
    return Chain(node)


def fund(chain: Chain, quick: Chain, n: int) -> list[CTransaction]:
    """Spends of coins that both nodes have."""
    txs = fund_and_sign(chain, [single_key(i % 3) for i in range(n)])
    chain.replay(quick.node)
    return txs


def parent_and_child(chain: Chain, quick: Chain, parent_fee: int) -> tuple[CTransaction, CTransaction]:
    """A P2MR spend that pays to another P2MR output, and a spend of that."""
    (coin,) = chain.fund([single_key().script_pubkey])
    chain.replay(quick.node)
    parent = spend_all([(single_key(), coin)], [CTxOut(COIN_AMOUNT - parent_fee, single_key(1).script_pubkey)])
    (output,) = coins_of(parent)
    return parent, spend_all([(single_key(1), output)], [CTxOut(output.amount - 3 * FEE, SINK)])


def test_transaction(chain: Chain) -> None:
    """A valid spend is taken. An invalid one is not, and says nothing about the valid one with the same id; the peer may stay, as it
    may be of another opinion about what is valid."""
    (tx,) = fund_and_sign(chain, [single_key()])
    bad = break_signature(tx)
    with Peer(chain.node) as peer:
        with chain.node.logs(f"wtxid={bad.wtxid_hex}.* was not accepted: mempool-script-verify-flag-failed .{BAD_SIGNATURE}", never=("Misbehaving",)):
            peer.send_tx(bad)
        assert chain.node.rpc.getrawmempool() == []
        peer.send_tx(tx)
        assert chain.node.rpc.getrawmempool() == [tx.txid_hex]
    chain.mine([tx])


def test_reject_filter(chain: Chain, quick: Chain) -> None:
    """A refused transaction is not asked for again; another witness of the same transaction is."""
    (tx,) = fund(chain, quick, 1)
    bad = break_signature(tx)
    with Peer(quick.node) as peer:
        peer.announce(wtxid(bad))
        peer.wait_for_request(wtxid(bad))
        peer.send_tx(bad)
        start = len(peer.messages)
        peer.announce(wtxid(bad))
        peer.announce(wtxid(tx))
        peer.wait_for_request(wtxid(tx), start)
        assert not any(bad.wtxid in payload for payload in peer.received("getdata", start))
        peer.send_tx(tx)
        assert quick.node.rpc.getrawmempool() == [tx.txid_hex]
    quick.mine([tx])
    quick.replay(chain.node)


def test_invalid_transaction_is_not_announced(chain: Chain, quick: Chain) -> None:
    """An invalid spend from the node's own user is refused, and its peers hear nothing of it. They do hear of the valid one."""
    (tx,) = fund(chain, quick, 1)
    bad = break_signature(tx)
    with Peer(quick.node) as peer:
        with pytest.raises(RpcError, match=BAD_SIGNATURE):
            quick.accept(bad)
        quick.accept(tx)
        # The node announces everything that waits at the same time: an announcement of the invalid spend would not come later than this.
        peer.wait_for("inv", lambda payload: tx.wtxid in payload)
        peer.sync()
        assert not any(bad.wtxid in payload for payload in peer.received("inv"))
    quick.mine([tx])
    quick.replay(chain.node)


def test_stripped_transaction(chain: Chain, quick: Chain) -> None:
    """A P2MR spend whose witness somebody has removed: its wtxid is the txid of the real spend. To refuse it must not keep out the real one.
    The node still asks for that by its txid, and keeps what depends on it until it comes."""
    parent, child = parent_and_child(chain, quick, FEE)
    stripped = CTransaction.from_bytes(parent.serialize_without_witness())
    assert stripped.wtxid == parent.txid != parent.wtxid
    with Peer(quick.node) as peer:
        with quick.node.logs(f"wtxid={stripped.wtxid_hex}.* was not accepted: mempool-script-verify-flag-failed .{EMPTY_WITNESS}"):
            peer.send_tx(stripped)
        peer.announce(wtxid(child))
        peer.wait_for_request(wtxid(child))
        peer.send_tx(child)
        peer.wait_for_request(witness_txid(parent))
        peer.send_tx(parent)
        assert set(quick.node.rpc.getrawmempool()) == {parent.txid_hex, child.txid_hex}
    quick.mine([parent, child])
    quick.replay(chain.node)


def test_orphan(chain: Chain, quick: Chain) -> None:
    """A spend comes before the P2MR spend that it depends on: the node asks for that one, and then takes both."""
    parent, child = parent_and_child(chain, quick, FEE)
    with Peer(quick.node) as peer:
        peer.announce(wtxid(child))
        peer.wait_for_request(wtxid(child))
        peer.send_tx(child)
        peer.wait_for_request(witness_txid(parent))
        assert quick.node.rpc.getrawmempool() == []
        # A parent that does not verify leaves the orphan where it is.
        peer.send_tx(break_signature(parent))
        assert quick.node.rpc.getrawmempool() == []
        peer.send_tx(parent)
        assert set(quick.node.rpc.getrawmempool()) == {parent.txid_hex, child.txid_hex}
    quick.mine([parent, child])
    quick.replay(chain.node)


def test_orphan_that_is_invalid(chain: Chain, quick: Chain) -> None:
    """The orphan's signature is looked at when its parent is there."""
    parent, child = parent_and_child(chain, quick, FEE)
    bad = break_signature(child)
    with Peer(quick.node) as peer:
        peer.announce(wtxid(bad))
        peer.wait_for_request(wtxid(bad))
        peer.send_tx(bad)
        peer.wait_for_request(witness_txid(parent))
        with quick.node.logs(f"wtxid={bad.wtxid_hex}.* was not accepted: mempool-script-verify-flag-failed .{BAD_SIGNATURE}"):
            peer.send_tx(parent)
        assert quick.node.rpc.getrawmempool() == [parent.txid_hex]
    quick.mine([parent, child])
    quick.replay(chain.node)


@pytest.mark.parametrize("good", [True, False], ids=["valid_child", "invalid_child"])
def test_one_parent_one_child(chain: Chain, quick: Chain, good: bool) -> None:
    """A parent that pays nothing is refused, and taken with a child that pays for both, if the child's signature is valid."""
    parent, child = parent_and_child(chain, quick, 0)
    sent = child if good else break_signature(child)
    with Peer(quick.node) as peer:
        with quick.node.logs(f"wtxid={parent.wtxid_hex}.* was not accepted: min relay fee not met"):
            peer.send_tx(parent)
        peer.announce(wtxid(sent))
        peer.wait_for_request(wtxid(sent))
        peer.send_tx(sent)
        # The child is an orphan until its parent comes again.
        start = len(peer.messages)
        if not any(parent.txid in payload for payload in peer.received("getdata")):
            peer.wait_for_request(witness_txid(parent), start)
        peer.send_tx(parent)
        assert set(quick.node.rpc.getrawmempool()) == ({parent.txid_hex, child.txid_hex} if good else set())
    quick.mine([parent, child])
    quick.replay(chain.node)


@pytest.mark.parametrize("wtxid_relay", [True, False], ids=["wtxid_relay", "txid_relay"])
def test_transaction_by_id(chain: Chain, quick: Chain, wtxid_relay: bool) -> None:
    """A peer that relays by wtxid is not asked by txid: announced so, a spend is no news."""
    (tx,) = fund(chain, quick, 1)
    with Peer(quick.node, wtxid_relay) as peer:
        peer.announce((MSG_TX, tx.txid))
        peer.sync()
        quick.node.rpc.setmocktime(int(time.time()) + LONGER_THAN_REQUESTS_WAIT)
        try:
            for _ in range(2):  # The node's requests may come after its first answer.
                peer.sync()
        finally:
            quick.node.rpc.setmocktime(0)
        if wtxid_relay:
            assert not peer.received("getdata")
        else:
            peer.wait_for_request(witness_txid(tx))
    quick.mine([tx])
    quick.replay(chain.node)


def test_block(chain: Chain) -> None:
    """A whole block: with a wrong signature the node refuses it, and disconnects the peer."""
    good, bad = fund_and_sign(chain, [single_key(), single_key()])
    tip = chain.tip
    block = chain.build([good, break_signature(bad)])
    peer = Peer(chain.node)
    with chain.node.logs(rf"{BAD_SIGNATURE}.*input 0 of {bad.txid_hex}", "Misbehaving: peer="):
        peer.send_block(block)
        peer.wait_for_disconnect()
    peer.close()
    assert chain.tip == tip
    with Peer(chain.node) as peer:
        block = chain.build([good, bad])
        peer.send_block(block)
        peer.sync()
        assert chain.tip == block.hash_hex


@pytest.fixture
def announcer(chain: Chain) -> Iterator[Peer]:
    """A peer whose compact blocks the node takes unasked, since it was the first to have a block."""
    with Peer(chain.node) as peer:
        peer.send_block(chain.build())
        peer.wait_for("sendcmpct", lambda payload: payload[0] == 1)
        yield peer


def test_compact_block_with_missing_transactions(chain: Chain, announcer: Peer) -> None:
    """A compact block of which the node has no spend: it asks for them, and verifies what it gets."""
    txs = fund_and_sign(chain, [single_key(n) for n in range(3)])
    chain.accept(txs[1])
    missing = [1, 3]
    tip = chain.tip
    bad = chain.build([txs[0], txs[1], break_signature(txs[2])])
    announcer.send_compact_block(bad, missing)
    assert announcer.wait_for("getblocktxn") == bad.hash + bytes([2, 1, 1])  # two: number 1, and the next but one
    with chain.node.logs(rf"{BAD_SIGNATURE}.*input 0 of {txs[2].txid_hex}", never=("Misbehaving",)):
        announcer.send_block_transactions(bad, missing)
        announcer.sync()
    assert chain.tip == tip
    block = chain.build(txs)
    announcer.send_compact_block(block, missing)
    announcer.wait_for("getblocktxn", lambda payload: payload.startswith(block.hash))
    announcer.send_block_transactions(block, missing)
    announcer.sync()
    assert chain.tip == block.hash_hex
    assert chain.node.rpc.getrawmempool() == []


def test_compact_block_with_another_witness(chain: Chain, announcer: Peer) -> None:
    """The transactions that come for a compact block have other witnesses than the block commits to: that is the sender's fault,
    and not the block's."""
    (tx,) = fund_and_sign(chain, [single_key()])
    block = chain.build([tx])
    announcer.send_compact_block(block, [1])
    announcer.wait_for("getblocktxn")
    announcer.send("blocktxn", block.hash + b"\x01" + break_signature(tx).serialize())
    # It asks for the whole block instead.
    announcer.wait_for("getdata", lambda payload: block.hash in payload)
    announcer.send_block(block)
    announcer.sync()
    assert chain.tip == block.hash_hex
