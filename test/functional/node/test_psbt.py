# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Raw transactions and PSBTs with P2MR spends: the RPCs keep and combine the witnesses, and say whether they are complete."""

from dataclasses import dataclass

import pytest
from slhconsensus import SIGNATURE_SIZE, CTransaction, CTxOut, PrecomputedTransaction, SigHash

from framework import psbt
from framework.chain import COIN_AMOUNT, FEE, SINK, Chain, Coin
from framework.rpc import RpcError
from framework.scenarios import two_of_three
from framework.spends import Signer, Spend, break_signature, flip, pub, single_key, spend_all

# The secret key 1 in WIF for regtest, and the P2WPKH output of its public key
WIF = "cMahea7zqjxrtgAbB7LSGbcQUr1uX1ojuat9jZodMN87JcbXMTcA"
P2WPKH = bytes.fromhex("0014751e76e8199196d454941c45d1b3a323f1433bd6")
P2MR_INPUTS = 2
HOWS: list[Spend | None] = [single_key(), single_key(1), None]


@dataclass(frozen=True)
class Spending:
    """A transaction that spends two P2MR coins, both signed, and one for an ECDSA key, which is not."""

    tx: CTransaction
    coins: list[Coin]

    @property
    def spent(self) -> list[CTxOut]:
        return [coin.output for coin in self.coins]

    @property
    def prevouts(self) -> list[dict[str, object]]:
        """The argument of signrawtransactionwithkey."""
        return [{"txid": coin.outpoint.hash[::-1].hex(), "vout": coin.outpoint.n, "scriptPubKey": coin.output.scriptPubKey.hex(),
                 "amount": f"{coin.amount / 10**8:.8f}"} for coin in self.coins]

    def with_inputs(self, inputs: list[int]) -> CTransaction:
        """A copy in which these inputs alone have a witness."""
        copy = CTransaction.from_bytes(self.tx.serialize())
        for n in range(len(copy.vin)):
            if n not in inputs:
                copy.witness(n).clear()
        return copy


@pytest.fixture
def spending(chain: Chain) -> Spending:
    coins = chain.fund([how.script_pubkey if how else P2WPKH for how in HOWS])
    return Spending(spend_all(list(zip(HOWS, coins)), [CTxOut(len(coins) * (COIN_AMOUNT - FEE), SINK)]), coins)


@pytest.fixture
def p2mr_only(chain: Chain) -> Spending:
    coins = chain.fund([how.script_pubkey for how in HOWS if how])
    return Spending(spend_all(list(zip(HOWS, coins)), [CTxOut(len(coins) * (COIN_AMOUNT - FEE), SINK)]), coins)


def witnesses(text: str) -> list[list[bytes]]:
    tx = CTransaction.from_hex(text)
    return [list(tx.witness(n)) for n in range(len(tx.vin))]


@pytest.mark.parametrize("told", [False, True], ids=["outputs_of_the_chain", "outputs_by_the_caller"])
def test_signrawtransactionwithkey(chain: Chain, spending: Spending, told: bool) -> None:
    """The missing signature is added, the others stay, and the transaction is complete."""
    args = [spending.prevouts] if told else []
    signed = chain.node.rpc.signrawtransactionwithkey(spending.tx.serialize().hex(), [WIF], *args)
    assert signed["complete"] is True and "errors" not in signed
    assert witnesses(signed["hex"])[:P2MR_INPUTS] == witnesses(spending.tx.serialize().hex())[:P2MR_INPUTS]
    assert chain.mempool_reason(CTransaction.from_hex(signed["hex"])) is None
    chain.mine([CTransaction.from_hex(signed["hex"])])


def test_signrawtransactionwithkey_tells_what_is_missing(chain: Chain, spending: Spending) -> None:
    """An input without its signature, and one with a wrong one: both are named."""
    bad = break_signature(spending.with_inputs([1]), 1)
    signed = chain.node.rpc.signrawtransactionwithkey(bad.serialize().hex(), [WIF])
    assert signed["complete"] is False
    wrong = {(error["txid"], error["vout"]) for error in signed["errors"]}
    assert wrong == {(coin.outpoint.hash[::-1].hex(), coin.outpoint.n) for coin in spending.coins[:P2MR_INPUTS]}
    assert len(witnesses(signed["hex"])[2]) == 2


def test_combinerawtransaction(chain: Chain, spending: Spending) -> None:
    """Each signer has signed one input; in any order, the result has all of it."""
    ecdsa = chain.node.rpc.signrawtransactionwithkey(spending.with_inputs([]).serialize().hex(), [WIF])["hex"]
    parts = [spending.with_inputs([0]).serialize().hex(), spending.with_inputs([1]).serialize().hex(), ecdsa]
    for order in parts, parts[::-1], [parts[1], parts[2], parts[0]]:
        combined = chain.node.rpc.combinerawtransaction(order)
        assert [len(stack) for stack in witnesses(combined)] == [3, 3, 2]
        assert witnesses(combined)[:P2MR_INPUTS] == witnesses(spending.tx.serialize().hex())[:P2MR_INPUTS]
        assert chain.mempool_reason(CTransaction.from_hex(combined)) is None
    chain.mine([CTransaction.from_hex(combined)])


def test_combinerawtransaction_prefers_what_is_valid(chain: Chain, p2mr_only: Spending) -> None:
    """Of two witnesses for one input, the one that verifies is taken."""
    good, bad = p2mr_only.tx, break_signature(p2mr_only.tx, 0)
    for order in [good, bad], [bad, good]:
        assert chain.node.rpc.combinerawtransaction([tx.serialize().hex() for tx in order]) == good.serialize().hex()


def test_finalizepsbt(chain: Chain, p2mr_only: Spending) -> None:
    """A PSBT whose inputs have their final witnesses is complete, and gives the transaction."""
    done = psbt.finalized(p2mr_only.tx, p2mr_only.spent, [0, 1])
    decoded = chain.node.rpc.decodepsbt(done)
    assert [len(one["final_scriptwitness"]) for one in decoded["inputs"]] == [3, 3]
    result = chain.node.rpc.finalizepsbt(done)
    assert result == {"hex": p2mr_only.tx.serialize().hex(), "complete": True}
    assert chain.node.rpc.analyzepsbt(done)["next"] == "extractor"
    chain.accept(CTransaction.from_hex(result["hex"]))
    chain.mine([p2mr_only.tx])


@pytest.mark.parametrize("case", ["missing", "wrong"])
def test_finalizepsbt_that_is_not_complete(chain: Chain, p2mr_only: Spending, case: str) -> None:
    """A signature that is missing or wrong: not complete, and what is there is kept."""
    tx = p2mr_only.tx if case == "missing" else break_signature(p2mr_only.tx, 1)
    result = chain.node.rpc.finalizepsbt(psbt.finalized(tx, p2mr_only.spent, [0] if case == "missing" else [0, 1]))
    assert result["complete"] is False and "hex" not in result
    kept = chain.node.rpc.decodepsbt(result["psbt"])["inputs"][0]["final_scriptwitness"]
    assert kept == [element.hex() for element in p2mr_only.tx.witness(0)]


def test_combinepsbt(chain: Chain, p2mr_only: Spending) -> None:
    """Two signers, each with one input: together they are complete."""
    parts = [psbt.finalized(p2mr_only.tx, p2mr_only.spent, [n]) for n in (0, 1)]
    for order in parts, parts[::-1]:
        combined = chain.node.rpc.combinepsbt(order)
        assert chain.node.rpc.finalizepsbt(combined) == {"hex": p2mr_only.tx.serialize().hex(), "complete": True}
    other = p2mr_only.with_inputs([0])
    other.nLockTime += 1
    with pytest.raises(RpcError, match="not compatible"):
        chain.node.rpc.combinepsbt([parts[0], psbt.finalized(other, p2mr_only.spent, [0])])


def test_signers_of_one_leaf(chain: Chain) -> None:
    """Two of three keys of a leaf: the PSBT learns the leaf from a descriptor, each signer adds a signature, and the finalizer makes the
    witness of what has come together."""
    how = two_of_three(0, None, 2)
    (coin,) = chain.fund([how.script_pubkey])
    descriptor = chain.node.rpc.getdescriptorinfo(f"mr({{multi_slhdsa(2,{pub(0).hex()},{pub(1).hex()},{pub(2).hex()}),rawleaf(6a)}})")["descriptor"]
    empty = chain.node.rpc.createpsbt([{"txid": coin.outpoint.hash[::-1].hex(), "vout": coin.outpoint.n}],
                                      [{single_key().tree.address("regtest"): f"{(coin.amount - FEE) / 10**8:.8f}"}])
    updated = chain.node.rpc.utxoupdatepsbt(empty, [descriptor])
    tx = psbt.unsigned_tx(updated)
    leaf = how.tree.leaves[0]
    signer = Signer(PrecomputedTransaction(tx, [coin.output]), 0, leaf, None)

    def signed(n: int, signature: bytes) -> str:
        return psbt.with_slhdsa_signature(updated, 0, pub(n), leaf.hash, signature)

    first, third = signed(0, signer.slhdsa(0)), signed(2, signer.slhdsa(2))
    for one in updated, first, third:
        assert chain.node.rpc.finalizepsbt(one)["complete"] is False
    combined = chain.node.rpc.combinepsbt([first, third])
    decoded = chain.node.rpc.decodepsbt(combined)["inputs"][0]["slhdsa_script_path_sigs"]
    assert {(one["pubkey"], one["leaf_hash"], one["sig_size"], one["sighash"]) for one in decoded} == {
        (pub(0).hex(), leaf.hash.hex(), SIGNATURE_SIZE, "DEFAULT"), (pub(2).hex(), leaf.hash.hex(), SIGNATURE_SIZE, "DEFAULT")}
    result = chain.node.rpc.finalizepsbt(combined)
    assert result["complete"] is True
    # A signature with another hash type than the PSBT asks for, and a wrong one
    other_type = chain.node.rpc.combinepsbt([first, signed(2, signer.slhdsa(2, SigHash.ALL))])
    assert chain.node.rpc.finalizepsbt(other_type)["complete"] is False
    wrong = chain.node.rpc.combinepsbt([first, signed(2, flip(signer.slhdsa(2)))])
    assert chain.node.rpc.finalizepsbt(wrong)["complete"] is False
    chain.accept(CTransaction.from_hex(result["hex"]))
    chain.mine([CTransaction.from_hex(result["hex"])])


def test_joinpsbts(chain: Chain, p2mr_only: Spending) -> None:
    """Inputs of several transactions in one: their signatures are for other transactions, and go."""
    (coin,) = chain.fund([single_key(2).script_pubkey])
    other = spend_all([(single_key(2), coin)])
    joined = chain.node.rpc.joinpsbts([psbt.finalized(p2mr_only.tx, p2mr_only.spent, [0, 1]), psbt.finalized(other, [coin.output], [0])])
    decoded = chain.node.rpc.decodepsbt(joined)
    assert len(decoded["inputs"]) == 3
    assert not any("final_scriptwitness" in one for one in decoded["inputs"])
