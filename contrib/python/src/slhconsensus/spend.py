# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Spending the leaves of script trees: signatures, whole witnesses, and what makes them wrong."""

from __future__ import annotations

import enum
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol

from ._library import Buffer, as_bytes, instance, integer
from .context import Context
from .errors import ArgumentError
from .keys import PARAMETER_SETS, PublicKey, SecretKey, signature_size
from .script import CScript
from .transaction import CTransaction, CTxOut
from .tree import ScriptTree, TreeLeaf
from .verify import KEY_VERSION_BIP340, PrecomputedTransaction, as_precomputed

__all__ = ["MessageSigner", "SigHash", "Signer", "Spend", "break_signature", "flip", "sign_input", "sign_spends", "with_hash_type"]


class SigHash(enum.IntEnum):  # no flags: SINGLE is more than ALL and NONE
    """Hash types: which parts of the transaction a signature commits to.

    >>> from slhconsensus import SigHash
    >>> SigHash.SINGLE | SigHash.ANYONECANPAY
    131
    """

    DEFAULT = 0  #: as ALL, and without a byte after the signature
    ALL = 1
    NONE = 2
    SINGLE = 3
    ANYONECANPAY = 0x80  #: with ALL, NONE or SINGLE


def with_hash_type(signature: bytes, hash_type: int) -> bytes:
    """The signature as it stands in a witness: the hash type follows, unless it is DEFAULT."""
    return signature + bytes([integer(hash_type, "hash_type", 8)]) if hash_type != SigHash.DEFAULT else signature


class MessageSigner(Protocol):
    """A signer: a SecretKey, or any object of your own with a public key and sign(), such as one that asks a device."""

    @property
    def public_key(self) -> Any:
        """A PublicKey, or its bytes as a script has them."""

    def sign(self, message: bytes) -> bytes:
        """The SLH-DSA signature of a message of 32 bytes, with an empty context string."""


def sign_input(tx: PrecomputedTransaction, n_in: int, leaf: TreeLeaf, key: SecretKey | MessageSigner, hash_type: int = SigHash.DEFAULT, *,
               annex: Buffer | None = None, codeseparator: int | None = None, deterministic: bool = False,
               context: Context | None = None) -> bytes:
    """The SLH-DSA signature of an input that spends a leaf, with its hash type: a stack element of 7856 or 7857 bytes, or what the key's parameter set says.

    The transaction's witnesses do not matter, they are not signed; see PrecomputedTransaction.signature_hash() for what is.
    deterministic and context are for a SecretKey alone.
    """
    instance(leaf, TreeLeaf, "leaf")
    if not callable(getattr(key, "sign", None)) or not hasattr(key, "public_key"):
        raise TypeError(f"key must be a SecretKey, or have public_key and sign(), not {type(key).__name__}")
    public = key.public_key if isinstance(key.public_key, PublicKey) else PublicKey.from_element(key.public_key)
    _ = public.element  # which a script knows
    message = as_precomputed(tx).signature_hash(n_in, hash_type, leaf_hash=leaf.hash, key_version=public.key_version, annex=annex, codeseparator=codeseparator)
    if isinstance(key, SecretKey):
        return with_hash_type(key.sign(message, deterministic=deterministic, context=context), hash_type)
    if deterministic or context is not None:
        raise ArgumentError("deterministic and context are for a SecretKey alone")
    return with_hash_type(as_bytes(key.sign(message), "signature", signature_size(public.parameter_set)), hash_type)


class Signer:
    """Signs one input: what the function that makes the stack of a Spend gets."""

    def __init__(self, tx: PrecomputedTransaction, n_in: int, leaf: TreeLeaf, annex: bytes | None = None):
        self.tx = tx
        self.n_in = n_in
        self.leaf = leaf
        self.annex = annex

    def slhdsa(self, key: Any, hash_type: int = SigHash.DEFAULT, codeseparator: int | None = None) -> bytes:
        """An SLH-DSA signature, as a stack element; by a SecretKey, the same each time."""
        return sign_input(self.tx, self.n_in, self.leaf, key, hash_type, annex=self.annex, codeseparator=codeseparator,
                          deterministic=isinstance(key, SecretKey))

    def schnorr(self, key: Any, hash_type: int = SigHash.DEFAULT) -> bytes:
        """A Schnorr signature, as a stack element, by any object whose sign() gives 64 bytes for 32."""
        message = self.tx.signature_hash(self.n_in, hash_type, leaf_hash=self.leaf.hash, key_version=KEY_VERSION_BIP340, annex=self.annex)
        return with_hash_type(key.sign(message), hash_type)


@dataclass(frozen=True)
class Spend:
    """A script tree, which of its leaves is spent, and with what: an output and its witness, every part of which is open to change.

    >>> from slhconsensus import CTxIn, COutPoint, CTxOut, CTransaction, OP_CHECKSIGSLHDSA, OP_RETURN, verify_input
    >>> key = SecretKey.from_seed(bytes(48))
    >>> how = Spend(ScriptTree([CScript([key.public_key.data, OP_CHECKSIGSLHDSA]), CScript([OP_RETURN])]), lambda signer: [signer.slhdsa(key)])
    >>> coin = CTxOut(100_000, how.script_pubkey)
    >>> tx = sign_spends(CTransaction([CTxIn(COutPoint("ab" * 32, 0))], [CTxOut(99_000, how.script_pubkey)]), [how], [coin])
    >>> [verify_input(PrecomputedTransaction(one, [coin]), 0).script_error for one in (tx, break_signature(tx))]
    [None, 'SCRIPT_ERR_SLHDSA_SIG']
    """

    #: What `stack` gets; a subclass may know keys by other names.
    signer_type: ClassVar[Any] = Signer

    tree: ScriptTree
    stack: Callable[[Any], list[bytes]]  #: the arguments of the leaf script; its top comes last
    leaf: int = 0
    annex: bytes | None = None
    sequence: int = 0xFFFFFFFE  #: nLockTime applies, and no relative lock time does
    locktime: int = 0
    p2tr: bool = False  #: the tree is in a P2TR output, whose key path is closed
    change: Callable[[list[bytes]], list[bytes]] = field(default=lambda witness: witness)  #: of the whole witness, after signing
    anyone_can_spend: bool = False  #: allows a P2MR tree of one leaf

    @property
    def script_pubkey(self) -> CScript:
        """Raises OneLeafTreeError as ScriptTree.script_pubkey() does."""
        return self.tree.taproot().script_pubkey() if self.p2tr else self.tree.script_pubkey(anyone_can_spend=self.anyone_can_spend)

    def witness(self, tx: PrecomputedTransaction, n_in: int) -> list[bytes]:
        """The witness of an input that spends this."""
        leaf = self.tree.leaves[self.leaf]
        control = self.tree.taproot().control_block(leaf) if self.p2tr else leaf.control_block
        arguments = self.stack(self.signer_type(tx, n_in, leaf, self.annex))
        return self.change([*arguments, bytes(leaf.script), control, *([] if self.annex is None else [self.annex])])


def sign_spends(tx: CTransaction, spends: Sequence[Spend | None], spent: Sequence[CTxOut]) -> CTransaction:
    """Give each input its witness; None leaves it as it is."""
    signable = PrecomputedTransaction(tx, spent)
    for n_in, how in enumerate(spends):
        if how is not None:
            tx.witness(n_in)[:] = how.witness(signable, n_in)
    return tx


def flip(data: bytes, position: int = -1) -> bytes:
    """The same with one bit changed."""
    changed = bytearray(data)
    changed[position] ^= 1
    return bytes(changed)


def break_signature(tx: CTransaction, n_in: int = 0) -> CTransaction:
    """A copy of a transaction in which the first SLH-DSA signature of an input has a wrong bit."""
    copy = CTransaction.from_bytes(tx.serialize())
    stack = copy.witness(n_in)
    sizes = {signature_size(name) + more for name in PARAMETER_SETS for more in (0, 1)}
    position = next(i for i, element in enumerate(stack) if len(element) in sizes)
    stack[position] = flip(stack[position], len(stack[position]) // 2)
    return copy
