# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""The scenario files of test/functional/scenarios, or those that --scenario names, on a chain: each case, for which a block's rules hold, in a block of its own.

The node says what the file expects, unless the transaction is not due at that height: then it says that, and runs no script.
"""

import functools
import sys
from pathlib import Path

import pytest
from slhconsensus import SEQUENCE_FINAL, SEQUENCE_LOCKTIME_DISABLE_FLAG, SEQUENCE_LOCKTIME_TYPE_FLAG, CTransaction, VerifyFlags

from framework.chain import Chain, Coin, coins_of
from framework.scenarios import ERROR_TEXTS, in_block

FOLDER = Path(__file__).resolve().parents[1] / "scenarios"
sys.path.insert(0, str(FOLDER))

import scenario  # noqa: E402

AGE = 144  # of the coins, in blocks: the largest that the scenarios ask for
LOCKTIME_THRESHOLD = 500_000_000  # from here on, a lock time is a time


def cases(files: list[Path]) -> dict[str, scenario.Case]:
    """Each case by its file and its name."""
    return {f"{file.stem}: {case.name}": case for file in files for case in scenario.read_scenario(file, file.name) if case.flags == VerifyFlags.CONSENSUS}


@functools.cache
def asked_for(config: pytest.Config) -> dict[str, scenario.Case]:
    """The cases of the files that --scenario names, or of all in the tree."""
    return cases(config.getoption("scenario") or sorted(FOLDER.glob("*.yaml")))


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "name" in metafunc.fixturenames:
        metafunc.parametrize("name", asked_for(metafunc.config))


@pytest.fixture(scope="module")
def coins(chain: Chain, pytestconfig: pytest.Config) -> dict[str, list[Coin]]:
    """The coins that each case spends."""
    wanted = {name: case.transaction_and_outputs()[1] for name, case in asked_for(pytestconfig).items()}
    paid = chain.pay([output for outputs in wanted.values() for output in outputs])
    chain.mine([paid])
    chain.mine_empty(AGE - 1)
    funded = iter(coins_of(paid))
    return {name: [next(funded) for _ in outputs] for name, outputs in wanted.items()}


def is_due(tx: CTransaction, height: int, mediantime: int) -> bool:
    """True if the block at this height, minutes after the coins, may have it (BIP 68, BIP 113)."""
    now = height if tx.nLockTime < LOCKTIME_THRESHOLD else mediantime
    absolute = tx.nLockTime < now or all(txin.nSequence == SEQUENCE_FINAL for txin in tx.vin)
    relative = [txin.nSequence for txin in tx.vin if tx.version >= 2 and not txin.nSequence & SEQUENCE_LOCKTIME_DISABLE_FLAG]
    # No coin is as old as one unit of 512 seconds: the tests are faster.
    return absolute and all(sequence & 0xFFFF <= (0 if sequence & SEQUENCE_LOCKTIME_TYPE_FLAG else AGE) for sequence in relative)


def test_scenario(chain: Chain, coins: dict[str, list[Coin]], name: str, pytestconfig: pytest.Config) -> None:
    case = asked_for(pytestconfig)[name]
    tx, _ = case.transaction_and_outputs([coin.outpoint for coin in coins[name]])
    if not is_due(tx, chain.height + 1, chain.node.rpc.getblockheader(chain.tip)["mediantime"]):
        chain.refuse([tx], "bad-txns-nonfinal")
    elif case.expect == scenario.VALID:
        chain.mine([tx])
    else:
        chain.refuse([tx], in_block(ERROR_TEXTS[case.expect]))
