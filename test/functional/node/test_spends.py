# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Every kind of spend, in the mempool and in a block: accepted, or refused for the right reason and with the right input."""

import hashlib
import re

import pytest
from slhconsensus import OP_EQUAL, OP_HASH160, CScript, CTransaction, CTxOut

from framework.chain import ANYONE_CAN_SPEND, COIN_AMOUNT, FEE, Chain, Coin
from framework.scenarios import (BAD_HASH_TYPE, BAD_SIGNATURE, DISCOURAGED_PROGRAM, INVALID, RECOVERY_DELAY, VALID, Invalid, Valid, in_block, in_mempool,
                                 two_of_three)
from framework.spends import Spend, break_signature, fund_and_sign, sign, single_key, spend_all


@pytest.fixture(scope="module")
def coins(chain: Chain) -> dict[str, Coin]:
    """A coin for each scenario, deep enough for the timelocks."""
    scenarios: list[Valid | Invalid] = [*VALID, *INVALID]
    names = [scenario.name for scenario in scenarios]
    assert len(set(names)) == len(names)
    funded = chain.fund([scenario.spend.script_pubkey for scenario in scenarios], amount=200_000)
    chain.mine_empty(RECOVERY_DELAY - 1)
    return dict(zip(names, funded))


def refused_input(reason: str, tx: CTransaction, n_in: int) -> str:
    """The log's line for an input that is the reason to refuse a block."""
    prevout = tx.vin[n_in].prevout
    spent = f"{prevout.hash[::-1].hex()}:{prevout.n}"
    return re.escape(f"{reason}, input {n_in} of {tx.txid_hex} (wtxid {tx.wtxid_hex}), spending {spent}")


@pytest.mark.parametrize("scenario", VALID, ids=lambda scenario: scenario.name)
def test_valid(chain: Chain, coins: dict[str, Coin], scenario: Valid) -> None:
    tx = spend_all([(scenario.spend, coins[scenario.name])])
    assert chain.mempool_reason(tx) == scenario.mempool
    if scenario.mempool is None:
        chain.accept(tx)
    chain.mine([tx])
    assert chain.node.rpc.getrawmempool() == []


@pytest.mark.parametrize("scenario", INVALID, ids=lambda scenario: scenario.name)
def test_invalid(chain: Chain, coins: dict[str, Coin], scenario: Invalid) -> None:
    tx = spend_all([(scenario.spend, coins[scenario.name])])
    assert chain.mempool_reason(tx) == (scenario.mempool or in_mempool(scenario.error))
    reason = in_block(scenario.error)
    with chain.node.logs(refused_input(reason, tx, 0)):
        chain.refuse([tx], reason)


def test_relative_timelock_too_early(chain: Chain) -> None:
    """The mempool and the block refuse what is not due before any script runs, and take it when it is."""
    recovery = next(scenario.spend for scenario in VALID if scenario.name == "recovery_after_timelock")
    (coin,) = chain.fund([recovery.script_pubkey])
    tx = spend_all([(recovery, coin)])
    chain.mine_empty(RECOVERY_DELAY - 2)
    assert chain.mempool_reason(tx) == "non-BIP68-final"
    chain.refuse([tx], "bad-txns-nonfinal")
    chain.mine()
    assert chain.mempool_reason(tx) is None
    chain.mine([tx])


def test_single_without_its_output(chain: Chain) -> None:
    """Hash type SINGLE at input 1, where there is one output. The message does not exist, so no signature can be made."""
    how = single_key(stack=lambda signer: [signer.slhdsa() + b"\x03"])
    first, second = chain.fund([ANYONE_CAN_SPEND, how.script_pubkey])
    tx = spend_all([(None, first), (how, second)])
    assert chain.mempool_reason(tx) == in_mempool(BAD_HASH_TYPE)
    with chain.node.logs(refused_input(in_block(BAD_HASH_TYPE), tx, 1)):
        chain.refuse([tx], in_block(BAD_HASH_TYPE))


def test_signed_amount(chain: Chain) -> None:
    """The amounts of all inputs are signed, and not only that of the input."""
    how = single_key()
    coins = chain.fund([how.script_pubkey, ANYONE_CAN_SPEND])
    tx = spend_all([(how, coins[0]), (None, coins[1])])
    assert chain.mempool_reason(tx) is None
    lie = [coins[0].output, CTxOut(COIN_AMOUNT - 1, ANYONE_CAN_SPEND)]
    sign(tx, [how, None], lie)
    assert chain.mempool_reason(tx) == in_mempool(BAD_SIGNATURE)
    chain.refuse([tx], in_block(BAD_SIGNATURE))


def test_signed_outputs(chain: Chain) -> None:
    """A change to an output after signing breaks the signature."""
    (tx,) = fund_and_sign(chain, [single_key()])
    tx.vout[0].nValue -= 1
    assert chain.mempool_reason(tx) == in_mempool(BAD_SIGNATURE)
    chain.refuse([tx], in_block(BAD_SIGNATURE))
    tx.vout[0].nValue += 1
    assert chain.mempool_reason(tx) is None


def test_signature_of_another_input(chain: Chain) -> None:
    """Two inputs of the same key swap their signatures."""
    how = single_key()
    coins = chain.fund([how.script_pubkey] * 2)
    tx = spend_all([(how, coin) for coin in coins])
    assert chain.mempool_reason(tx) is None
    first, second = tx.witness(0), tx.witness(1)
    first[0], second[0] = second[0], first[0]
    assert chain.mempool_reason(tx) == in_mempool(BAD_SIGNATURE)
    with chain.node.logs(refused_input(in_block(BAD_SIGNATURE), tx, 0)):
        chain.refuse([tx], in_block(BAD_SIGNATURE))


def test_many_kinds_in_one_transaction(chain: Chain) -> None:
    """Inputs with and without signatures, of both output types, next to each other; then one of them is wrong."""
    spends: list[Spend | None] = [None, single_key(0), two_of_three(0, None, 2), single_key(1, p2tr=True), None]
    coins = chain.fund([how.script_pubkey if how else ANYONE_CAN_SPEND for how in spends])
    outputs = [CTxOut(COIN_AMOUNT - FEE, single_key(n).script_pubkey) for n in range(4)]
    tx = spend_all(list(zip(spends, coins)), outputs)
    for n_in in (1, 2, 3):
        bad = break_signature(tx, n_in)
        assert chain.mempool_reason(bad) == in_mempool(BAD_SIGNATURE)
        with chain.node.logs(refused_input(in_block(BAD_SIGNATURE), bad, n_in)):
            chain.refuse([bad], in_block(BAD_SIGNATURE))
    chain.accept(tx)
    chain.mine([tx])


def test_p2sh_wrapped_version_2_is_no_p2mr(chain: Chain) -> None:
    """Inside P2SH it stays an unknown program, which anyone can spend and nobody relays."""
    program = single_key().script_pubkey
    hash160 = hashlib.new("ripemd160", hashlib.sha256(program).digest()).digest()
    (coin,) = chain.fund([CScript([OP_HASH160, hash160, OP_EQUAL])])
    tx = spend_all([(None, coin)])
    tx.vin[0].scriptSig = bytes([len(program)]) + program
    assert chain.mempool_reason(tx) == in_mempool(DISCOURAGED_PROGRAM)
    chain.mine([tx])
