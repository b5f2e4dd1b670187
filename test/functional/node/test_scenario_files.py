# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""The scenario files of test/functional/scenarios, or those that --scenario names, on a chain: each case, for which a block's rules hold, in the
mempool and in a block of its own.

The node says what the file expects, and names the input, unless the transaction is not due at that height: then it says that, and runs no script.
"""

import functools
import re

import pytest
from slhconsensus import (OP_CHECKSEQUENCEVERIFY, OP_CHECKSIGSLHDSA, OP_DROP, SEQUENCE_FINAL, SEQUENCE_LOCKTIME_DISABLE_FLAG,
                          SEQUENCE_LOCKTIME_TYPE_FLAG, CTransaction, CTxOut)

from framework.chain import ANYONE_CAN_SPEND, COIN_AMOUNT, FEE, Chain, Coin
from framework.scenarios import BAD_SIGNATURE, ERROR_TEXTS, FOLDER, cases_of, fund, in_block, in_mempool, scenario, spend, two_of_three
from framework.spends import Spend, break_signature, leaf, pub, single_key, spend_all

AGE = 144  # of the coins, in blocks: the largest that the scenarios ask for
LOCKTIME_THRESHOLD = 500_000_000  # from here on, a lock time is a time


@functools.cache
def asked_for(config: pytest.Config) -> dict[str, scenario.Case]:
    """The cases of the files that --scenario names, or of all in the tree."""
    return cases_of(config.getoption("scenario") or sorted(FOLDER.glob("*.yaml")))


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "name" in metafunc.fixturenames:
        metafunc.parametrize("name", asked_for(metafunc.config))


@pytest.fixture(scope="module")
def coins(chain: Chain, pytestconfig: pytest.Config) -> dict[str, list[Coin]]:
    """The coins that each case spends."""
    cases = asked_for(pytestconfig)
    funded = dict(zip(cases, fund(chain, cases.values())))
    chain.mine_empty(AGE - 1)
    return funded


def is_due(tx: CTransaction, height: int, mediantime: int) -> bool:
    """True if the block at this height, minutes after the coins, may have it (BIP 68, BIP 113)."""
    now = height if tx.nLockTime < LOCKTIME_THRESHOLD else mediantime
    absolute = tx.nLockTime < now or all(txin.nSequence == SEQUENCE_FINAL for txin in tx.vin)
    relative = [txin.nSequence for txin in tx.vin if tx.version >= 2 and not txin.nSequence & SEQUENCE_LOCKTIME_DISABLE_FLAG]
    # No coin is as old as one unit of 512 seconds: the tests are faster.
    return absolute and all(sequence & 0xFFFF <= (0 if sequence & SEQUENCE_LOCKTIME_TYPE_FLAG else AGE) for sequence in relative)


def mempool_says(case: scenario.Case) -> str | None:
    """What the mempool answers: None if it takes the transaction."""
    said = case.mempool or case.expect
    return None if said == scenario.VALID else in_mempool(ERROR_TEXTS[said]) if said.startswith("SCRIPT_ERR_") else said


def refused_input(reason: str, tx: CTransaction, n_in: int) -> str:
    """The log's line for an input that is the reason to refuse a block."""
    prevout = tx.vin[n_in].prevout
    return re.escape(f"{reason}, input {n_in} of {tx.txid_hex} (wtxid {tx.wtxid_hex}), spending {prevout.hash[::-1].hex()}:{prevout.n}")


def test_scenario(chain: Chain, coins: dict[str, list[Coin]], name: str, pytestconfig: pytest.Config) -> None:
    case = asked_for(pytestconfig)[name]
    tx = spend(case, coins[name])
    if not is_due(tx, chain.height + 1, chain.node.rpc.getblockheader(chain.tip)["mediantime"]):
        assert chain.mempool_reason(tx) in ("non-final", "non-BIP68-final")
        chain.refuse([tx], "bad-txns-nonfinal")
        return
    assert chain.mempool_reason(tx) == mempool_says(case)
    if case.expect == scenario.VALID:
        if mempool_says(case) is None:
            chain.accept(tx)
        chain.mine([tx])
        assert chain.node.rpc.getrawmempool() == []
    else:
        reason = in_block(ERROR_TEXTS[case.expect])
        with chain.node.logs(refused_input(reason, tx, case.transaction.input)):
            chain.refuse([tx], reason)


def test_relative_timelock_too_early(chain: Chain) -> None:
    """The mempool and the block refuse what is not due before any script runs, and take it when it is."""
    recovery = leaf(5, OP_CHECKSEQUENCEVERIFY, OP_DROP, pub(1), OP_CHECKSIGSLHDSA, stack=lambda s: [s.slhdsa(1)], sequence=5)
    (coin,) = chain.fund([recovery.script_pubkey])
    tx = spend_all([(recovery, coin)])
    chain.mine_empty(3)
    assert chain.mempool_reason(tx) == "non-BIP68-final"
    chain.refuse([tx], "bad-txns-nonfinal")
    chain.mine()
    assert chain.mempool_reason(tx) is None
    chain.mine([tx])


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
