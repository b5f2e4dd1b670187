# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Signing inputs that spend a leaf of a script tree."""

from __future__ import annotations

import enum

from ._library import Buffer, instance, integer
from .context import Context
from .keys import SecretKey
from .tree import TreeLeaf
from .verify import KEY_VERSION_SLHDSA, PrecomputedTransaction, as_precomputed

__all__ = ["SigHash", "sign_input", "with_hash_type"]


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


def sign_input(tx: PrecomputedTransaction, n_in: int, leaf: TreeLeaf, key: SecretKey, hash_type: int = SigHash.DEFAULT, *,
               annex: Buffer | None = None, codeseparator: int | None = None, deterministic: bool = False,
               context: Context | None = None) -> bytes:
    """The SLH-DSA signature of an input that spends a leaf, with its hash type: a stack element of 7856 or 7857 bytes.

    The transaction's witnesses do not matter, they are not signed; see PrecomputedTransaction.signature_hash() for what is.
    """
    instance(leaf, TreeLeaf, "leaf")
    instance(key, SecretKey, "key")
    message = as_precomputed(tx).signature_hash(n_in, hash_type, leaf_hash=leaf.hash, key_version=KEY_VERSION_SLHDSA, annex=annex, codeseparator=codeseparator)
    return with_hash_type(key.sign(message, deterministic=deterministic, context=context), hash_type)
