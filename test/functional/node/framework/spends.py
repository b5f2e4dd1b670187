# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""How coins are locked with a script tree, and spent: signing, and every part of the witness open to change."""

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from slhconsensus import (KEY_VERSION_BIP340, OP_CHECKSIGSLHDSA, OP_RETURN, SIGNATURE_SIZE, CScript, CTransaction, CTxOut,
                          PrecomputedTransaction, ScriptTree, SecretKey, TreeLeaf, p2mr_script_pubkey, sign_input, with_hash_type)
from slhconsensus.script import ScriptItem

from framework.chain import SEQUENCE, Chain, Coin, spend
from framework.schnorr import UNSPENDABLE, SchnorrKey, taproot_output_key

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


class Signer:
    """Signs one input of a transaction."""

    def __init__(self, tx: PrecomputedTransaction, n_in: int, leaf: TreeLeaf, annex: bytes | None):
        self.tx = tx
        self.n_in = n_in
        self.leaf = leaf
        self.annex = annex

    def slhdsa(self, n: int = 0, hash_type: int = 0, codeseparator: int | None = None) -> bytes:
        """An SLH-DSA signature by key n, as a stack element."""
        return sign_input(self.tx, self.n_in, self.leaf, key(n), hash_type, annex=self.annex, codeseparator=codeseparator, deterministic=True)

    def schnorr(self, n: int = 0, hash_type: int = 0) -> bytes:
        """A Schnorr signature by Schnorr key n, as a stack element."""
        message = self.tx.signature_hash(self.n_in, hash_type, leaf_hash=self.leaf.hash, key_version=KEY_VERSION_BIP340, annex=self.annex)
        return with_hash_type(schnorr_key(n).sign(message), hash_type)


Stack = list[bytes]


@dataclass(frozen=True)
class Spend:
    """A script tree, which of its leaves is spent, and with what."""

    tree: ScriptTree
    stack: Callable[[Signer], Stack]  #: what the leaf script gets; its top comes last
    leaf: int = 0
    annex: bytes | None = None
    sequence: int = SEQUENCE
    locktime: int = 0
    p2tr: bool = False  #: the tree is in a P2TR output, whose key path is closed
    change: Callable[[Stack], Stack] = field(default=lambda witness: witness)  #: of the whole witness, after signing

    @property
    def script_pubkey(self) -> bytes:
        if self.p2tr:
            return b"\x51\x20" + taproot_output_key(self.tree.root)[0]
        return p2mr_script_pubkey(self.tree.root)

    def witness(self, tx: PrecomputedTransaction, n_in: int) -> Stack:
        """The witness of an input that spends this."""
        leaf = self.tree.leaves[self.leaf]
        stack = leaf.witness(self.stack(Signer(tx, n_in, leaf, self.annex)))
        if self.p2tr:
            parity = taproot_output_key(self.tree.root)[1]
            stack[-1] = bytes([leaf.version | parity]) + UNSPENDABLE + b"".join(leaf.path)
        return self.change(stack + ([self.annex] if self.annex is not None else []))


def sign(tx: CTransaction, spends: Sequence[Spend | None], spent: Sequence[CTxOut]) -> CTransaction:
    """Give each input its witness; None leaves it as it is."""
    signable = PrecomputedTransaction(tx, spent)
    for n_in, how in enumerate(spends):
        if how is not None:
            tx.witness(n_in)[:] = how.witness(signable, n_in)
    return tx


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


def leaf(*items: ScriptItem, **changes: Any) -> Spend:
    """A tree with this leaf, and the leaf spent; changes: fields of Spend."""
    return Spend(ScriptTree([CScript(items), CLOSED]), **changes)


def flip(data: bytes, position: int = -1) -> bytes:
    """The same with one bit changed."""
    changed = bytearray(data)
    changed[position] ^= 1
    return bytes(changed)


def break_signature(tx: CTransaction, n_in: int = 0) -> CTransaction:
    """A copy of a transaction in which the first SLH-DSA signature of an input has a wrong bit."""
    copy = CTransaction.from_bytes(tx.serialize())
    stack = copy.witness(n_in)
    position = next(i for i, element in enumerate(stack) if len(element) >= SIGNATURE_SIZE)
    stack[position] = flip(stack[position], SIGNATURE_SIZE // 2)
    return copy


def fund_and_sign(chain: Chain, spends: Sequence[Spend]) -> list[CTransaction]:
    """Fund these in one block, and make a transaction for each that spends its coin."""
    coins = chain.fund([how.script_pubkey for how in spends])
    return [spend_all([(how, coin)]) for how, coin in zip(spends, coins)]
