# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Schnorr signatures (BIP 340), and the output key of P2TR (BIP 341) whose key path is closed."""

import functools
import hashlib

from coincurve import PrivateKey, PublicKeyXOnly

# BIP 341's point of which nobody knows the discrete logarithm.
UNSPENDABLE = bytes.fromhex("50929b74c1a04954b78b4b6035e97a5e078a5a0f28ec96d547bfee9ace803ac0")


def tagged_hash(tag: str, data: bytes) -> bytes:
    prefix = hashlib.sha256(tag.encode()).digest()
    return hashlib.sha256(prefix + prefix + data).digest()


@functools.cache
def taproot_output_key(root: bytes) -> tuple[bytes, int]:
    """The output key for a script tree's root and UNSPENDABLE, and the parity bit of the control block."""
    key = PublicKeyXOnly(UNSPENDABLE)
    key.tweak_add(tagged_hash("TapTweak", UNSPENDABLE + root))
    return key.format(), int(key.parity)


class SchnorrKey:
    """A key pair."""

    def __init__(self, secret: int):
        self._key = PrivateKey.from_int(secret)
        self.public: bytes = self._key.public_key_xonly.format()

    def sign(self, message: bytes) -> bytes:
        """64 bytes, the same each time."""
        return self._key.sign_schnorr(message, aux_randomness=bytes(32))
