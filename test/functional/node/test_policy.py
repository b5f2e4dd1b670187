# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""The mempool's rules beyond validity: outputs, dust, sizes, and elements of the witness. The scenario files have annexes and everything
reserved for later soft forks."""

from collections.abc import Sequence

import pytest
from slhconsensus import OP_2DROP, OP_CHECKSIGSLHDSA, OP_DROP, SIGNATURE_SIZE, CTransaction, CTxOut, SigHash

from framework.chain import COIN_AMOUNT, FEE, SINK, Chain, Coin, coins_of, spend
from framework.scenarios import EITHER, NONSTANDARD_WITNESS, UNKNOWN_INPUT
from framework.spends import Spend, break_signature, leaf, pub, sign, single_key, spend_all

# A P2MR output has 43 bytes, and Core takes 67 more for the input that will spend a witness program, at 3 satoshi a byte.
DUST = 3 * (8 + 1 + 34 + 67)
MAX_STANDARD_WEIGHT = 400_000
TRUC_VERSION = 3
CLUSTER_SIZE_LIMIT = 101_000  # virtual bytes of transactions in the mempool that depend on each other


def test_output_is_standard(chain: Chain) -> None:
    tx = chain.pay([CTxOut(COIN_AMOUNT, single_key().script_pubkey)])
    chain.accept(tx)
    chain.mine([tx])
    assert chain.node.rpc.gettxout(tx.txid_hex, 0)["scriptPubKey"]["type"] == "witness_v2_p2mr"


def test_dust(chain: Chain) -> None:
    script = single_key().script_pubkey
    assert chain.mempool_reason(chain.pay([CTxOut(DUST, script)] * 2)) is None
    assert chain.mempool_reason(chain.pay([CTxOut(DUST - 1, script)] * 2)) == "dust"


@pytest.mark.parametrize("script", [b"\x52\x1f" + b"\x01" * 31, b"\x52\x21" + b"\x01" * 33, b"\x53\x20" + b"\x01" * 32],
                         ids=["version_2_short", "version_2_long", "version_3"])
def test_other_programs_stay_unknown(chain: Chain, script: bytes) -> None:
    """Programs that are not P2MR: to pay to them is standard as it was, to spend them is not, and anyone can."""
    tx = chain.pay([CTxOut(COIN_AMOUNT, script)])
    chain.accept(tx)
    chain.mine([tx])
    steal = spend([coins_of(tx)[0]])
    assert chain.mempool_reason(steal) == UNKNOWN_INPUT
    steal.witness(0).append(b"anything")
    chain.mine([steal])


@pytest.mark.parametrize("size, reason", [(80, None), (81, NONSTANDARD_WITNESS), (SIGNATURE_SIZE - 1, NONSTANDARD_WITNESS), (SIGNATURE_SIZE, None),
                                          (SIGNATURE_SIZE + 1, None), (3856, NONSTANDARD_WITNESS), (5777, NONSTANDARD_WITNESS)])
def test_elements_beside_a_signature(chain: Chain, size: int, reason: str | None) -> None:
    """Up to 80 bytes, or exactly those of a signature; a block may have more."""
    how = leaf(OP_DROP, pub(0), OP_CHECKSIGSLHDSA, stack=lambda signer: [signer.slhdsa(), bytes(size)])
    (coin,) = chain.fund([how.script_pubkey])
    tx = spend_all([(how, coin)])
    assert chain.mempool_reason(tx) == reason
    chain.mine([tx])


# policy-element
def test_elements_of_p2tr_without_the_opcodes_stay_small(chain: Chain) -> None:
    how = leaf(OP_2DROP, 1, p2tr=True, stack=lambda signer: [bytes(80), bytes(81)])
    (coin,) = chain.fund([how.script_pubkey])
    tx = spend_all([(how, coin)])
    assert chain.mempool_reason(tx) == NONSTANDARD_WITNESS
    chain.mine([tx])


def test_largest_standard_transaction(chain: Chain) -> None:
    """Up to 400,000 weight units of signatures are relayed; one more input is not, but a block takes it."""
    how = single_key(stack=lambda signer: [signer.slhdsa(0, SigHash.ALL | SigHash.ANYONECANPAY)])
    coins = chain.fund([how.script_pubkey] * 50, amount=200_000)
    output = [CTxOut(5_000_000, SINK)]
    tx = spend_all([(how, coin) for coin in coins], output)
    assert tx.get_weight() > MAX_STANDARD_WEIGHT
    assert chain.mempool_reason(tx) == "tx-size"
    tx.vin.pop()
    tx.wit.vtxinwit.pop()
    assert MAX_STANDARD_WEIGHT - 8_500 < tx.get_weight() <= MAX_STANDARD_WEIGHT
    assert chain.mempool_reason(tx) is None
    larger = spend_all([(how, coins[-1]), *[(None, coin) for coin in coins[:-1]]], output)
    for n_in, witness in enumerate(tx.wit.vtxinwit):
        larger.witness(n_in + 1)[:] = witness.scriptWitness.stack
    assert chain.mempool_reason(larger) == "tx-size"
    chain.mine([larger])


def test_fee_is_by_virtual_size(chain: Chain) -> None:
    """The witness counts a quarter: a signature costs about 2,000 virtual bytes."""
    (coin,) = chain.fund([single_key().script_pubkey])
    tx = spend_all([(single_key(), coin)])
    (result,) = chain.node.rpc.testmempoolaccept([tx.serialize().hex()])
    assert result["vsize"] == tx.get_vsize()
    assert 2_000 < result["vsize"] < 2_100
    rate = chain.node.rpc.getmempoolinfo()["minrelaytxfee"] * 100_000  # satoshi a virtual byte
    tx = spend_all([(single_key(), coin)], [CTxOut(COIN_AMOUNT - int(result["vsize"] * rate) + 1, SINK)])
    assert chain.mempool_reason(tx) == "min relay fee not met"
    tx = spend_all([(single_key(), coin)], [CTxOut(COIN_AMOUNT - int(result["vsize"] * rate) - 1, SINK)])
    assert chain.mempool_reason(tx) is None


def test_replacement_and_chain(chain: Chain) -> None:
    """A spend can be replaced by one with a higher fee, and what it pays to can be spent while it waits."""
    (coin,) = chain.fund([single_key().script_pubkey])
    first, second = (spend_all([(single_key(), coin)], [CTxOut(COIN_AMOUNT - fee, single_key(1).script_pubkey)]) for fee in (20_000, 60_000))
    chain.accept(first)
    chain.accept(second)
    assert chain.node.rpc.getrawmempool() == [second.txid_hex]
    child = spend_all([(single_key(1), coins_of(second)[0])])
    chain.accept(child)
    chain.mine([second, child])


def test_truc(chain: Chain) -> None:
    """A transaction of version 3 (TRUC, BIP 431) has room for four single-key spends, and one whose parent is unconfirmed for none."""
    def version_3(inputs: Sequence[tuple[Spend, Coin]], output: Spend) -> CTransaction:
        tx = spend([coin for _, coin in inputs], [CTxOut(sum(coin.amount for _, coin in inputs) - FEE * len(inputs), output.script_pubkey)])
        tx.version = TRUC_VERSION
        return sign(tx, [how for how, _ in inputs], [coin.output for _, coin in inputs])

    def refused(tx: CTransaction) -> str | None:
        (result,) = chain.node.rpc.testmempoolaccept([tx.serialize().hex()])
        return None if result["allowed"] else result["reject-details"]

    either = Spend(EITHER, leaf=1, stack=lambda signer: [signer.slhdsa()])
    coins = chain.fund([single_key().script_pubkey] * 5)
    four, five = (version_3([(single_key(), coin) for coin in coins[:n]], either) for n in (4, 5))
    assert f"TRUC-violation, version=3 tx {five.txid_hex} (wtxid={five.wtxid_hex}) is too big" in str(refused(five))
    chain.accept(four)
    (output,) = coins_of(four)
    by_slhdsa = version_3([(either, output)], single_key())
    assert by_slhdsa.get_vsize() == 2_077
    assert f"TRUC-violation, version=3 child tx {by_slhdsa.txid_hex} (wtxid={by_slhdsa.wtxid_hex}) is too big" in str(refused(by_slhdsa))
    # It is the size: another leaf of the same output is small enough.
    assert refused(version_3([(Spend(EITHER, leaf=0, stack=lambda signer: [signer.schnorr()]), output)], single_key())) is None
    chain.mine([four])
    chain.accept(by_slhdsa)
    chain.mine([by_slhdsa])


def test_chain_of_spends(chain: Chain) -> None:
    """48 spends in a row are as many as the limit of a cluster has room for."""
    (coin,) = chain.fund([single_key().script_pubkey], amount=2_000_000)
    txs: list[CTransaction] = []
    while sum(tx.get_vsize() for tx in txs) <= CLUSTER_SIZE_LIMIT:
        txs.append(spend_all([(single_key(), coin)], [CTxOut(coin.amount - FEE, single_key().script_pubkey)]))
        (coin,) = coins_of(txs[-1])
    last = txs.pop()
    assert len(txs) == 48
    for tx in txs:
        chain.accept(tx)
    assert chain.mempool_reason(last) == "too-large-cluster"
    chain.mine(txs)
    chain.accept(last)
    chain.mine([last])


def test_package(chain: Chain) -> None:
    """A parent that pays too little, with a child that pays for both."""
    (coin,) = chain.fund([single_key().script_pubkey])
    parent = spend_all([(single_key(), coin)], [CTxOut(COIN_AMOUNT, single_key(1).script_pubkey)])
    assert chain.mempool_reason(parent) == "min relay fee not met"
    child = spend_all([(single_key(1), coins_of(parent)[0])])
    package = [tx.serialize().hex() for tx in (parent, child)]
    bad = [package[0], break_signature(child).serialize().hex()]
    assert chain.node.rpc.submitpackage(bad)["package_msg"] == "transaction failed"
    assert chain.node.rpc.submitpackage(package)["package_msg"] == "success"
    chain.mine([parent, child])
