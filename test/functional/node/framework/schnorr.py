# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Schnorr signatures (BIP 340)."""

from coincurve import PrivateKey


class SchnorrKey:
    """A key pair."""

    def __init__(self, secret: int):
        self._key = PrivateKey.from_int(secret)
        self.public: bytes = self._key.public_key_xonly.format()

    def sign(self, message: bytes) -> bytes:
        """64 bytes, the same each time."""
        return self._key.sign_schnorr(message, aux_randomness=bytes(32))
