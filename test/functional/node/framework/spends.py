# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""The spends of the tests: the package's Spend, with keys that have numbers."""

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import slhconsensus
from slhconsensus import (KEY_VERSION_SLHDSA, KEY_VERSION_SLHDSA_SETS, OP_CHECKSIGSLHDSA, OP_RETURN, CScript, CTransaction, CTxOut, ScriptTree, SecretKey,
                          break_signature, flip)
from slhconsensus import sign_spends as sign
from slhconsensus.script import ScriptItem
from slhconsensus.testing import ExperimentSigner

from framework.chain import Chain, Coin, spend
from framework.schnorr import SchnorrKey

__all__ = ["CLOSED", "SETS", "Signer", "Spend", "break_signature", "flip", "fund_and_sign", "key", "key_of_set", "leaf", "pub", "schnorr_key", "sign", "single_key",
           "spend_all"]

SETS = ("128s", "128-24", "128-q40")  # whose keys scripts know

# A second leaf for a tree of one script, so that not anyone can spend it.
CLOSED = CScript([OP_RETURN])


@functools.cache
def key(n: int) -> SecretKey:
    """The SLH-DSA keys of the tests. Few, since the library keeps what the signatures of the last keys share."""
    return SecretKey.from_seed(bytes([n + 1]) * 48)


@functools.cache
def pub(n: int) -> bytes:
    return bytes(key(n).public_key)


@functools.cache
def schnorr_key(n: int) -> SchnorrKey:
    return SchnorrKey(n + 1)


class Signer(slhconsensus.Signer):
    """Signs one input of a transaction with keys of the tests, by their numbers."""

    def slhdsa(self, n: int = 0, hash_type: int = 0, codeseparator: int | None = None) -> bytes:
        return super().slhdsa(key(n), hash_type, codeseparator)

    def schnorr(self, n: int = 0, hash_type: int = 0) -> bytes:
        return super().schnorr(schnorr_key(n), hash_type)


@dataclass(frozen=True)
class Spend(slhconsensus.Spend):
    """A spend whose stack is made with such a Signer."""

    signer_type = Signer


def spend_all(inputs: Sequence[tuple[Spend | None, Coin]], outputs: Sequence[CTxOut] | None = None) -> CTransaction:
    """A transaction that spends these coins, each as it is told; None: anyone can."""
    tx = spend([coin for _, coin in inputs], outputs)
    for (how, _), txin in zip(inputs, tx.vin):
        if how is not None:
            txin.nSequence = how.sequence
    tx.nLockTime = max(how.locktime if how else 0 for how, _ in inputs)
    return sign(tx, [how for how, _ in inputs], [coin.output for _, coin in inputs])


def single_key(n: int = 0, **changes: Any) -> Spend:
    """A tree with a leaf for one key, and that leaf spent."""
    return Spend(ScriptTree([CScript([pub(n), OP_CHECKSIGSLHDSA]), CLOSED]), **{"stack": lambda signer: [signer.slhdsa(n)], **changes})


@functools.cache
def experiment_signer(name: str) -> ExperimentSigner:
    """Makes signatures of a set as fast as they are verified. Its keys protect nothing."""
    return ExperimentSigner(bytes(48), name)


def key_of_set(name: str, n: int = 0, **changes: Any) -> Spend:
    """A tree with a leaf for one key of a parameter set, and that leaf spent."""
    def stack(signer: Signer) -> list[bytes]:
        version = KEY_VERSION_SLHDSA if name == "128s" else KEY_VERSION_SLHDSA_SETS
        message = signer.tx.signature_hash(signer.n_in, leaf_hash=signer.leaf.hash, key_version=version)
        return [experiment_signer(name).sign(message, n)]

    script = CScript([experiment_signer(name).public_key(n).element, OP_CHECKSIGSLHDSA])
    return Spend(ScriptTree([script, CLOSED]), **{"stack": stack, **changes})


def leaf(*items: ScriptItem, **changes: Any) -> Spend:
    """A tree with this leaf, and the leaf spent; changes: fields of Spend."""
    return Spend(ScriptTree([CScript(items), CLOSED]), **changes)


def fund_and_sign(chain: Chain, spends: Sequence[Spend]) -> list[CTransaction]:
    """Fund these in one block, and make a transaction for each that spends its coin."""
    coins = chain.fund([how.script_pubkey for how in spends])
    return [spend_all([(how, coin)]) for how, coin in zip(spends, coins)]
