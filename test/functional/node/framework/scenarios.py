# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""The node's reasons, two spends that many tests share, and the scenario files as spends of coins on a chain."""

import re
import sys
from collections.abc import Iterable
from pathlib import Path

from conftest import BITCOIND
from slhconsensus import (OP_2, OP_CHECKSIG, OP_CHECKSIGADDSLHDSA, OP_CHECKSIGSLHDSA, OP_NUMEQUAL, SEQUENCE_FINAL, CScript, CTransaction, ScriptTree,
                          VerifyFlags)

from framework.chain import Chain, Coin, coins_of
from framework.spends import Spend, leaf, pub, schnorr_key

FOLDER = Path(__file__).resolve().parents[2] / "scenarios"
sys.path.insert(0, str(FOLDER))

import scenario as scenario  # noqa: E402  (the second name exports it)

# Reasons, as the mempool and as block validation give them.
UNKNOWN_INPUT = "bad-txns-nonstandard-inputs"
NONSTANDARD_WITNESS = "bad-witness-nonstandard"


def in_mempool(error: str) -> str:
    return f"mempool-script-verify-flag-failed ({error})"


def in_block(error: str) -> str:
    return f"block-script-verify-flag-failed ({error})"


SOURCE = BITCOIND.parents[1] / "src/src/script/script_error.cpp"
#: The node's words for script errors. Without a node there is nothing to compare with them.
ERROR_TEXTS: dict[str, str] = dict(re.findall(r'case (SCRIPT_ERR_\w+):\s+return "(.*)";', SOURCE.read_text())) if SOURCE.exists() else {}
BAD_SIGNATURE, EMPTY_WITNESS, MISMATCH, VERIFY, DISCOURAGED_KEY, DISCOURAGED_SUCCESS = (ERROR_TEXTS.get(f"SCRIPT_ERR_{name}", name) for name in (
    "SLHDSA_SIG", "WITNESS_PROGRAM_WITNESS_EMPTY", "WITNESS_PROGRAM_MISMATCH", "VERIFY", "DISCOURAGE_UPGRADABLE_PUBKEYTYPE", "DISCOURAGE_OP_SUCCESS"))

EITHER = ScriptTree([CScript([schnorr_key(0).public, OP_CHECKSIG]), CScript([pub(0), OP_CHECKSIGSLHDSA])])


def two_of_three(first: int | None, second: int | None, third: int | None) -> Spend:
    """Signatures by these keys, where the script expects keys 0, 1 and 2; None: an empty one."""
    return leaf(pub(0), OP_CHECKSIGSLHDSA, pub(1), OP_CHECKSIGADDSLHDSA, pub(2), OP_CHECKSIGADDSLHDSA, OP_2, OP_NUMEQUAL,
                stack=lambda s: [b"" if n is None else s.slhdsa(n) for n in (third, second, first)])


def cases_of(files: Iterable[Path]) -> dict[str, scenario.Case]:
    """The cases of scenario files under a block's rules, by file and name."""
    return {f"{file.stem}: {case.name}": case for file in files for case in scenario.read_scenario(file, file.name) if case.flags == VerifyFlags.CONSENSUS}


def timeless(valid: bool) -> list[scenario.Case]:
    """Those of the tree that are valid, or are not, at whatever height, and whether or not the node has the rules for keys of other sets."""
    files = sorted(set(FOLDER.glob("*.yaml")) - {FOLDER / "parameter_sets.yaml"})
    return [case for case in cases_of(files).values() if (case.expect == scenario.VALID) == valid and
            case.transaction.locktime == 0 and case.transaction.sequence == SEQUENCE_FINAL]


def fund(chain: Chain, cases: Iterable[scenario.Case]) -> list[list[Coin]]:
    """The coins that each case spends, in a block."""
    wanted = [case.transaction_and_outputs()[1] for case in cases]
    paid = chain.pay([output for outputs in wanted for output in outputs])
    chain.mine([paid])
    funded = iter(coins_of(paid))
    return [[next(funded) for _ in outputs] for outputs in wanted]


def spend(case: scenario.Case, coins: list[Coin]) -> CTransaction:
    """The case's transaction, of these coins."""
    return case.transaction_and_outputs([coin.outpoint for coin in coins])[0]
