#!/usr/bin/env python3
# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Test P2MR outputs (BIP 360), and the tapscript opcodes for SLH-DSA signatures: in the mempool, in blocks, from peers, and across activation.

The rules themselves are tested by the vectors of the specification (p2mr_vectors_tests).
README.md beside this file tells how to run it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from io import BytesIO
from typing import Any

from test_framework.blocktools import (
    add_witness_commitment,
    create_block,
    create_coinbase,
)
from test_framework.key import (
    compute_xonly_pubkey,
    sign_schnorr,
)
from test_framework.messages import (
    COutPoint,
    CTransaction,
    CTxIn,
    CTxInWitness,
    CTxOut,
    SEQUENCE_FINAL,
)
from test_framework.p2p import P2PDataStore
from test_framework.script import (
    CScript,
    LEAF_VERSION_TAPSCRIPT,
    OP_2,
    OP_CHECKSEQUENCEVERIFY,
    OP_CHECKSIGVERIFY,
    OP_CODESEPARATOR,
    OP_DROP,
    OP_NUMEQUAL,
    OP_RETURN,
    SIGHASH_ALL,
    SIGHASH_DEFAULT,
    TaggedHash,
    taproot_construct,
)
from test_framework.test_framework import (
    BitcoinTestFramework,
    SkipTest,
)
from test_framework.util import assert_equal
from test_framework.wallet import MiniWallet

from p2mr import (
    NO_CODESEPARATOR,
    OP_CHECKSIGADDSLHDSA,
    OP_CHECKSIGSLHDSA,
    SLHDSAKey,
    TapscriptSignatureMsg,
    p2mr_address,
    p2mr_construct,
    p2mr_witness,
    sign_input_slhdsa,
)

# Script errors
ERR_EVAL_FALSE = "Script evaluated without error but finished with a false/empty top stack element"
ERR_MISMATCH = "Witness program hash mismatch"
ERR_SLHDSA_SIG = "Invalid SLH-DSA signature"

# Why policy refuses what a block may have
DISCOURAGED_LEAF = "mempool-script-verify-flag-failed (Taproot version reserved for soft-fork upgrades)"
DISCOURAGED_KEY = "mempool-script-verify-flag-failed (Public key version reserved for soft-fork upgrades)"
DISCOURAGED_PROGRAM = "mempool-script-verify-flag-failed (Witness version reserved for soft-fork upgrades)"
DISCOURAGED_SUCCESS = "mempool-script-verify-flag-failed (OP_SUCCESSx reserved for soft-fork upgrades)"
NONSTANDARD_INPUT = "bad-txns-nonstandard-inputs"
NONSTANDARD_WITNESS = "bad-witness-nonstandard"

KEYS = [SLHDSAKey(bytes([i]) * 48) for i in range(3)]
PUBS = [key.pubkey for key in KEYS]
SECKEY = (1).to_bytes(32, "big")
XONLY = compute_xonly_pubkey(SECKEY)[0]

CLOSED = ("closed", CScript([OP_RETURN]))
SINGLE_KEY = CScript([PUBS[0], OP_CHECKSIGSLHDSA])
HYBRID = CScript([XONLY, OP_CHECKSIGVERIFY, PUBS[0], OP_CHECKSIGSLHDSA])
TWO_OF_THREE = CScript([PUBS[0], OP_CHECKSIGSLHDSA, PUBS[1], OP_CHECKSIGADDSLHDSA, PUBS[2], OP_CHECKSIGADDSLHDSA, OP_2, OP_NUMEQUAL])
ANNEX = b"\x50annex"
AMOUNT = 100_000
FEE = 20_000


def flip(data, position=-1):
    """The same bytes with one bit changed."""
    changed = bytearray(data)
    changed[position] ^= 1
    return bytes(changed)


@dataclass
class Signer:
    """Signs one input with key number n of KEYS, or with SECKEY."""
    tx: CTransaction
    spent: list[CTxOut]
    index: int
    leaf: Any
    annex: bytes | None

    def slhdsa(self, n=0, hash_type=SIGHASH_DEFAULT, codeseparator_pos=NO_CODESEPARATOR):
        return sign_input_slhdsa(self.tx, self.index, self.spent, self.leaf, KEYS[n], hash_type, annex=self.annex, codeseparator_pos=codeseparator_pos)

    def message(self):
        """BIP 342's message as a Schnorr signature has it."""
        return TaggedHash("TapSighash", TapscriptSignatureMsg(self.tx, self.spent, SIGHASH_DEFAULT, self.index, leaf_script=self.leaf.script,
                                                              leaf_ver=self.leaf.version, annex=self.annex))

    def schnorr(self):
        return sign_schnorr(SECKEY, self.message())


@dataclass
class Spend:
    """How an output is locked with a script, and what the witness is that spends it."""
    comment: str
    script: CScript
    stack: Callable[[Signer], list[bytes]] = lambda s: [s.slhdsa()]
    error: str | None = None  # the script error; None: a block may have it
    policy: str | None = None  # why the mempool refuses it, if not for that
    version: int = LEAF_VERSION_TAPSCRIPT
    sibling: Any = CLOSED  # another script; None: the tree has one leaf
    depth: int = 1
    annex: bytes | None = None
    sequence: int = SEQUENCE_FINAL
    p2tr: bool = False  # a leaf of a P2TR output
    mutate: Callable[[list[bytes]], list[bytes]] = lambda witness: witness

    def __post_init__(self):
        scripts = [("leaf", self.script, self.version)]
        for _ in range(self.depth if self.sibling else 0):
            scripts = [scripts, self.sibling]
        self.tree = taproot_construct(XONLY, scripts) if self.p2tr else p2mr_construct(scripts, anyone_can_spend=self.sibling is None)
        self.leaf = self.tree.leaves["leaf"]

    @property
    def reject_reason(self):
        """The answer of testmempoolaccept."""
        return self.policy or (f"mempool-script-verify-flag-failed ({self.error})" if self.error else None)

    def sign(self, tx, index, spent):
        stack = self.stack(Signer(tx, spent, index, self.leaf, self.annex))
        witness = p2mr_witness(self.leaf, stack, self.annex)
        if self.p2tr:
            witness[len(stack) + 1] = bytes([self.leaf.version + self.tree.negflag]) + self.tree.internal_pubkey + self.leaf.merklebranch
        while len(tx.wit.vtxinwit) < len(tx.vin):
            tx.wit.vtxinwit.append(CTxInWitness())
        tx.wit.vtxinwit[index].scriptWitness.stack = self.mutate(witness)


SPENDS = [
    Spend("single key", SINGLE_KEY),
    Spend("signed annex", SINGLE_KEY, annex=ANNEX, policy=NONSTANDARD_WITNESS),
    Spend("annex that is not signed", SINGLE_KEY, error=ERR_SLHDSA_SIG, policy=NONSTANDARD_WITNESS, mutate=lambda w: [*w, ANNEX]),
    Spend("depth 128", SINGLE_KEY, depth=128),
    Spend("another path", SINGLE_KEY, lambda s: [], ERR_MISMATCH, mutate=lambda w: [w[0], flip(w[1])]),
    Spend("one leaf, not executed", CScript([OP_RETURN]), lambda s: [], policy=DISCOURAGED_PROGRAM, sibling=None),
    Spend("unknown leaf version", CScript([OP_RETURN]), lambda s: [], policy=DISCOURAGED_LEAF, version=0xc2),
    Spend("unknown key type", CScript([bytes(33), OP_CHECKSIGSLHDSA]), lambda s: [b"\1"], policy=DISCOURAGED_KEY),
    Spend("two of three", TWO_OF_THREE, lambda s: [s.slhdsa(2), b"", s.slhdsa(0, SIGHASH_ALL)]),
    Spend("two of three, wrong order", TWO_OF_THREE, lambda s: [b"", s.slhdsa(0), b""], ERR_SLHDSA_SIG),
    Spend("empty signature is false", SINGLE_KEY, lambda s: [b""], ERR_EVAL_FALSE),
    Spend("code separator signed", CScript([OP_CODESEPARATOR, PUBS[0], OP_CHECKSIGSLHDSA]), lambda s: [s.slhdsa(codeseparator_pos=0)]),
    Spend("both signatures in one leaf", HYBRID, lambda s: [s.slhdsa(), s.schnorr()]),
    Spend("both, wrong SLH-DSA signature", HYBRID, lambda s: [flip(s.slhdsa()), s.schnorr()], ERR_SLHDSA_SIG),
    Spend("recovery by another key, in time", CScript([5, OP_CHECKSEQUENCEVERIFY, OP_DROP, PUBS[1], OP_CHECKSIGSLHDSA]), lambda s: [s.slhdsa(1)],
          sibling=("owner", SINGLE_KEY), sequence=5),
    Spend("P2TR", SINGLE_KEY, p2tr=True),
    Spend("P2TR, wrong bit", SINGLE_KEY, lambda s: [flip(s.slhdsa(), 0)], ERR_SLHDSA_SIG, p2tr=True),
]


class P2MRTest(BitcoinTestFramework):
    def set_test_params(self):
        self.num_nodes = 2
        self.rpc_timeout = 120
        self.extra_args = [["-par=1"], []]

    def setup_network(self):
        # Their rules differ, and so will their chains.
        self.setup_nodes()

    # Blocks and transactions

    def fund(self, scripts):
        """Confirmed outputs that pay to these scripts: a list of (outpoint, output)."""
        tx = self.wallet.create_self_transfer()["tx"]
        change = tx.vout[0].nValue - AMOUNT * len(scripts) - FEE
        tx.vout = [CTxOut(AMOUNT, script) for script in scripts] + [CTxOut(change, self.wallet.get_output_script())]
        self.connect_block([tx])
        self.wallet.rescan_utxos()
        return [(COutPoint(tx.txid_int, i), tx.vout[i]) for i in range(len(scripts))]

    def create_spend(self, inputs, *, outputs=None):
        """A transaction that spends (Spend, coin) pairs, signed."""
        tx = CTransaction()
        tx.vin = [CTxIn(outpoint, b"", spend.sequence) for spend, (outpoint, _) in inputs]
        tx.vout = outputs or [CTxOut((AMOUNT - FEE) * len(inputs), self.wallet.get_output_script())]
        spent = [output for _, (_, output) in inputs]
        for index, (spend, _) in enumerate(inputs):
            spend.sign(tx, index, spent)
        return tx

    def create_block(self, txs):
        tip = self.node.getblockheader(self.node.getbestblockhash())
        block = create_block(int(tip["hash"], 16), create_coinbase(tip["height"] + 1), ntime=tip["mediantime"] + 1, txlist=txs)
        add_witness_commitment(block)
        block.solve()
        return block

    def connect_block(self, txs):
        """A block with these transactions becomes the tip."""
        block = self.create_block(txs)
        assert_equal(self.node.submitblock(block.serialize().hex()), None)
        assert_equal(self.node.getbestblockhash(), block.hash_hex)

    def refuse_block(self, txs, error):
        """A block with these transactions is refused for a script."""
        assert_equal(self.node.submitblock(self.create_block(txs).serialize().hex()), f"block-script-verify-flag-failed ({error})")

    def reject_reason(self, tx):
        """Why the mempool would refuse it, or None."""
        return self.node.testmempoolaccept([tx.serialize().hex()])[0].get("reject-reason")

    def test_spends(self, spends):
        self.log.info("Each of these in the mempool and in a block; then the valid ones together in one block")
        coins = self.fund([spend.tree.scriptPubKey for spend in spends])
        for _ in range(4):  # for the relative locktimes
            self.connect_block([])
        valid = []
        for spend, coin in zip(spends, coins):
            self.log.debug(spend.comment)
            tx = self.create_spend([(spend, coin)])
            assert_equal(self.reject_reason(tx), spend.reject_reason)
            if spend.error:
                self.refuse_block([tx], spend.error)
            else:
                valid.append((spend, tx))
        for spend, tx in valid[::2]:
            if spend.policy is None:
                self.node.sendrawtransaction(tx.serialize().hex(), maxfeerate=0)
        self.connect_block([tx for _, tx in valid])
        assert_equal(self.node.getrawmempool(), [])

    # Tests

    def run_test(self):
        if "p2mr" not in self.nodes[0].getdeploymentinfo()["deployments"]:
            raise SkipTest("this bitcoind has no P2MR deployment")
        self.node = self.nodes[0]
        self.wallet = MiniWallet(self.node)

        self.test_spends(SPENDS)
        self.test_what_is_signed()
        self.test_block_of_signatures()
        self.test_mempool_and_block()
        self.test_p2p()
        self.test_output()
        self.test_activation()

    def test_what_is_signed(self):
        self.log.info("Amounts, outputs and the input's index are signed")
        single = SPENDS[0]
        coins = self.fund([single.tree.scriptPubKey] * 2)
        tx = self.create_spend([(single, coin) for coin in coins])
        assert_equal(self.reject_reason(tx), None)
        tx.vout[0].nValue -= 1
        self.refuse_block([tx], ERR_SLHDSA_SIG)
        tx.vout[0].nValue += 1
        tx.wit.vtxinwit.reverse()
        self.refuse_block([tx], ERR_SLHDSA_SIG)
        tx.wit.vtxinwit.reverse()
        single.sign(tx, 0, [CTxOut(output.nValue + 1, output.scriptPubKey) for _, output in coins])
        self.refuse_block([tx], ERR_SLHDSA_SIG)

    def test_block_of_signatures(self):
        self.log.info("A block with many signatures, of which one is wrong, is refused")
        single = SPENDS[0]
        txs = [self.create_spend([(single, coin)]) for coin in self.fund([single.tree.scriptPubKey] * 6)]
        for position in (0, 3, 5):
            stack = txs[position].wit.vtxinwit[0].scriptWitness.stack
            stack[0] = flip(stack[0], 4000)
            self.refuse_block(txs, ERR_SLHDSA_SIG)
            stack[0] = flip(stack[0], 4000)
        self.connect_block(txs)

    def test_mempool_and_block(self):
        self.log.info("What the mempool has verified says nothing about another witness of the same transaction")
        single = SPENDS[0]
        (coin,) = self.fund([single.tree.scriptPubKey])
        tx = self.create_spend([(single, coin)])
        bad = CTransaction()
        bad.deserialize(BytesIO(tx.serialize()))
        bad.wit.vtxinwit[0].scriptWitness.stack[0] = flip(tx.wit.vtxinwit[0].scriptWitness.stack[0])
        self.node.sendrawtransaction(tx.serialize().hex(), maxfeerate=0)
        assert_equal(bad.txid_hex, tx.txid_hex)
        self.refuse_block([bad], ERR_SLHDSA_SIG)
        # A block that the node makes itself
        self.generate(self.node, 1, sync_fun=self.no_op)
        assert_equal(self.node.getrawmempool(), [])

    def test_p2p(self):
        self.log.info("A peer's spends are relayed or refused, and a peer that sends a block with a wrong signature is disconnected")
        single = SPENDS[0]
        coins = self.fund([single.tree.scriptPubKey] * 2)
        good, bad = (self.create_spend([(single, coin)]) for coin in coins)
        bad.wit.vtxinwit[0].scriptWitness.stack[0] = flip(bad.wit.vtxinwit[0].scriptWitness.stack[0])
        peer = self.node.add_p2p_connection(P2PDataStore())
        peer.send_txs_and_test([bad], self.node, success=False, reject_reason=f"mempool-script-verify-flag-failed ({ERR_SLHDSA_SIG})")
        peer.send_txs_and_test([good], self.node)
        peer.send_blocks_and_test([self.create_block([bad])], self.node, success=False, expect_disconnect=True,
                                  reject_reason=f"block-script-verify-flag-failed ({ERR_SLHDSA_SIG})")
        peer = self.node.add_p2p_connection(P2PDataStore())
        peer.send_blocks_and_test([self.create_block([good])], self.node)
        self.node.disconnect_p2ps()

    def test_output(self):
        self.log.info("The node names the output and its address")
        tree = SPENDS[0].tree
        info = self.node.validateaddress(p2mr_address(tree))
        assert_equal(info["isvalid"], True)
        assert_equal(info["scriptPubKey"], tree.scriptPubKey.hex())
        assert_equal(self.node.decodescript(tree.scriptPubKey.hex())["type"], "witness_v2_p2mr")

    def test_activation(self):
        self.log.info("Before activation, anyone can spend a P2MR output, and nobody relays it")
        # Both deployments start at once; the opcodes wait for block 720.
        timeout = 4_000_000_000
        self.restart_node(1, extra_args=[f"-vbparams=p2mr:0:{timeout}", f"-vbparams=slhdsa:0:{timeout}:720"])
        self.node = self.nodes[1]
        self.wallet = MiniWallet(self.node)

        def generate_to(height):
            self.generate(self.node, height - self.node.getblockcount(), sync_fun=self.no_op)

        def deployments():
            info = self.node.getdeploymentinfo()["deployments"]
            return [(info[name]["bip9"]["status_next"], info[name]["active"]) for name in ("p2mr", "slhdsa")]

        assert_equal(deployments(), [("started", False)] * 2)
        # Blocks 288 to 431 signal, and the deployments are locked in for 432 to 575.
        generate_to(431)
        assert_equal(deployments(), [("locked_in", False)] * 2)
        generate_to(560)
        spend = Spend("", SINGLE_KEY)
        in_p2tr = Spend("", SINGLE_KEY, p2tr=True)
        p2mr_coins = self.fund([spend.tree.scriptPubKey] * 4)
        p2tr_coins = self.fund([in_p2tr.tree.scriptPubKey] * 3)

        def changed(how, coin, mutate):
            tx = self.create_spend([(how, coin)])
            stack = tx.wit.vtxinwit[0].scriptWitness.stack
            stack[:] = mutate(stack)
            return tx

        def wrong_signature(stack):
            return [flip(stack[0]), *stack[1:]]

        def small(stack):
            return [b"\1", *stack[1:]]

        def wrong_path(stack):
            return [b"\1", stack[1], flip(stack[2])]

        generate_to(574)
        assert_equal(deployments(), [("locked_in", False)] * 2)
        tx = changed(spend, p2mr_coins[0], wrong_path)
        assert_equal(self.reject_reason(tx), NONSTANDARD_INPUT)
        self.connect_block([tx])

        self.log.info("From the next block on, the tree is looked at, and the opcodes still are OP_SUCCESSx")
        assert_equal(deployments(), [("active", True), ("locked_in", False)])
        tx = changed(spend, p2mr_coins[1], wrong_path)
        assert_equal(self.reject_reason(tx), f"mempool-script-verify-flag-failed ({ERR_MISMATCH})")
        self.refuse_block([tx], ERR_MISMATCH)
        txs = [changed(how, coins[1], small) for how, coins in ((spend, p2mr_coins), (in_p2tr, p2tr_coins))]
        for tx in txs:
            assert_equal(self.reject_reason(tx), DISCOURAGED_SUCCESS)
        self.connect_block(txs)
        generate_to(718)
        self.connect_block([changed(spend, p2mr_coins[2], wrong_signature), changed(in_p2tr, p2tr_coins[0], wrong_signature)])

        self.log.info("From block 720 on, the opcodes verify")
        assert_equal(deployments(), [("active", True)] * 2)
        for how, coin in ((spend, p2mr_coins[3]), (in_p2tr, p2tr_coins[2])):
            tx = changed(how, coin, wrong_signature)
            assert_equal(self.reject_reason(tx), f"mempool-script-verify-flag-failed ({ERR_SLHDSA_SIG})")
            self.refuse_block([tx], ERR_SLHDSA_SIG)
            self.connect_block([self.create_spend([(how, coin)])])


if __name__ == '__main__':
    P2MRTest(__file__).main()
