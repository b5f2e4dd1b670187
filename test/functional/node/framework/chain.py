# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""A chain that a test builds on a node: mined blocks, and coins to spend."""

import hashlib
import time
from collections.abc import Sequence
from dataclasses import dataclass

from slhconsensus import CBlock, COutPoint, CTransaction, CTxIn, CTxOut

from framework.blocks import BLOCK_VERSION, REGTEST_BITS, coinbase, finish, subsidy
from framework.node import Node, wait_until

COINBASE_MATURITY = 100
# Pay to anchor: anyone can spend it, with nothing in the witness, and policy has no objection.
ANYONE_CAN_SPEND = bytes.fromhex("51024e73")
# P2WSH of OP_1: where the rest of a spend goes, since with an anchor as its one output it would be too small to be relayed.
SINK = bytes.fromhex("0020") + hashlib.sha256(b"\x51").digest()
SPLIT = 200  # outputs of the coinbase that the tests live on
FEE = 20_000  # ample for a transaction with two SLH-DSA signatures
COIN_AMOUNT = 400_000  # fifty of them fit into one of those coins
SEQUENCE = 0xFFFFFFFE  # nLockTime applies, and no relative lock time does


@dataclass(frozen=True)
class Coin:
    """An output that is unspent."""

    outpoint: COutPoint
    output: CTxOut

    @property
    def amount(self) -> int:
        return self.output.nValue


def coins_of(tx: CTransaction) -> list[Coin]:
    """The outputs of a transaction."""
    txid = tx.txid
    return [Coin(COutPoint(txid, n), output) for n, output in enumerate(tx.vout)]


def spend(coins: Sequence[Coin], outputs: Sequence[CTxOut] | None = None, sequence: int = SEQUENCE) -> CTransaction:
    """A transaction that spends coins, without witnesses. Without outputs: all but a fee goes to one."""
    if outputs is None:
        outputs = [CTxOut(sum(coin.amount for coin in coins) - FEE * len(coins), SINK)]
    return CTransaction(vin=[CTxIn(coin.outpoint, b"", sequence) for coin in coins], vout=list(outputs))


class Chain:
    """The active chain of a node, and coins on it that anyone can spend."""

    def __init__(self, node: Node):
        self.node = node
        self._coins: list[Coin] = []
        self._blocks_built = 0

    # Blocks

    @property
    def tip(self) -> str:
        return str(self.node.rpc.getbestblockhash())

    @property
    def height(self) -> int:
        return int(self.node.rpc.getblockcount())

    def build(self, transactions: Sequence[CTransaction] = (), previous: str | None = None, outputs: Sequence[CTxOut] = ()) -> CBlock:
        """A mined block with these transactions, on the tip or on the block that is named. Submits nothing."""
        parent = self.node.rpc.getblockheader(previous or self.tip)
        height = parent["height"] + 1
        self._blocks_built += 1
        first = coinbase(height, outputs or [CTxOut(subsidy(height), ANYONE_CAN_SPEND)], self._blocks_built.to_bytes(4, "little"))
        return finish(CBlock(nVersion=BLOCK_VERSION, hashPrevBlock=bytes.fromhex(parent["hash"])[::-1], nBits=REGTEST_BITS,
                             nTime=max(parent["mediantime"] + 1, int(time.time())), vtx=[first, *transactions]))

    def submit(self, block: CBlock) -> str | None:
        """None if the node takes it for its tip, 'inconclusive' if it is on a branch with no more work, else why it is refused."""
        reason: str | None = self.node.rpc.submitblock(block.serialize().hex())
        return reason

    def connect(self, block: CBlock) -> CBlock:
        """Submit a block that must become the tip."""
        reason = self.submit(block)
        assert reason is None, f"{self.node.name} refused the block: {reason}"
        assert self.tip == block.hash_hex
        return block

    def mine(self, transactions: Sequence[CTransaction] = ()) -> CBlock:
        """A block with these transactions, which must become the tip."""
        return self.connect(self.build(transactions))

    def mine_empty(self, count: int) -> None:
        for _ in range(count):
            self.mine()

    def generate(self, count: int) -> None:
        """Blocks that the node makes itself. Unlike those of build(), they have what the mempool holds, and signal for deployments."""
        descriptor = self.node.rpc.getdescriptorinfo(f"raw({ANYONE_CAN_SPEND.hex()})")["descriptor"]
        self.node.rpc.generatetodescriptor(count, descriptor)

    def refuse(self, transactions: Sequence[CTransaction], reason: str) -> CBlock:
        """A block with these transactions must be refused for this reason, and the tip stay."""
        tip = self.tip
        block = self.build(transactions)
        assert self.submit(block) == reason
        assert self.tip == tip
        return block

    def propose(self, block: CBlock) -> str | None:
        """The node's verdict on this block on its tip, without connecting it."""
        reason: str | None = self.node.rpc.getblocktemplate({"mode": "proposal", "data": block.serialize().hex(), "rules": ["segwit"]})
        return reason

    # Coins

    def start(self) -> "Chain":
        """Mine until there are coins."""
        amount = subsidy(self.height + 1) // SPLIT
        block = self.connect(self.build(outputs=[CTxOut(amount, ANYONE_CAN_SPEND)] * SPLIT))
        self._coins = coins_of(block.vtx[0])[:SPLIT]
        self.mine_empty(COINBASE_MATURITY)
        return self

    def coin(self) -> Coin:
        """A coin that anyone can spend, not given out before."""
        assert self._coins, "every coin has been given out: raise SPLIT"
        return self._coins.pop()

    def pay(self, outputs: Sequence[CTxOut]) -> CTransaction:
        """A transaction with these outputs, and one for the change; in no block yet."""
        coin = self.coin()
        change = coin.amount - sum(output.nValue for output in outputs) - FEE
        assert change > 0, "a coin does not pay for that many outputs"
        return spend([coin], [*outputs, CTxOut(change, ANYONE_CAN_SPEND)])

    def fund(self, scripts: Sequence[bytes], amount: int = COIN_AMOUNT) -> list[Coin]:
        """Pay to these scripts in a block of its own, and return the coins."""
        tx = self.pay([CTxOut(amount, bytes(script)) for script in scripts])
        self.mine([tx])
        return coins_of(tx)[: len(scripts)]

    # Mempool

    def accept(self, tx: CTransaction) -> None:
        """The mempool must take it."""
        assert self.node.rpc.sendrawtransaction(tx.serialize().hex()) == tx.txid_hex

    def mempool_reason(self, tx: CTransaction) -> str | None:
        """Why the mempool refuses it; None if it would take it."""
        (result,) = self.node.rpc.testmempoolaccept([tx.serialize().hex()])
        return None if result["allowed"] else result["reject-reason"]

    # More than one node

    def replay(self, other: Node) -> None:
        """Give another node this chain, block by block."""
        for height in range(other.rpc.getblockcount() + 1, self.height + 1):
            reason = other.rpc.submitblock(self.node.rpc.getblock(self.node.rpc.getblockhash(height), 0))
            assert reason is None, f"{other.name} refused block {height}: {reason}"

    def wait_for_tip(self, *others: Node, timeout: float = 120) -> None:
        """Wait until other nodes have the tip of this one."""
        tip = self.tip
        for other in others:
            wait_until(lambda: other.rpc.getbestblockhash() == tip, f"{other.name} to have block {tip}", timeout)
