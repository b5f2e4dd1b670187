# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Valid SLH-DSA signatures for experiments and tests alone, with every parameter set in less than a millisecond.

Such a key protects nothing: its one-time keys sign many times, and who has seen a few signatures can make others.

>>> from slhconsensus.testing import ExperimentSigner
>>> signer = ExperimentSigner(bytes(48), "128-24")
>>> signature = signer.sign(b"message", number=7)
>>> signer.public_key(7).verify(b"message", signature), signer.public_key(8).verify(b"message", signature)
(True, False)
"""

from __future__ import annotations

from dataclasses import dataclass

from ._library import Buffer, as_bytes, check, ffi, integer, lib, raise_last_error, view
from .keys import PUBLIC_KEY_SIZE, SEED_SIZE, PublicKey, set_number, signature_size

__all__ = ["ExperimentKey", "ExperimentSigner"]


class ExperimentSigner:
    """Makes keys and signatures of one set. The same seed gives the same ones. Threads may share it."""

    def __init__(self, seed: Buffer, set: str = "128s") -> None:  # noqa: A002
        """seed: 48 bytes."""
        handle = lib.slhc_experiment_signer_create(set_number(set), as_bytes(seed, "seed", SEED_SIZE))
        if handle == ffi.NULL:
            raise_last_error()
        self._handle = ffi.gc(handle, lib.slhc_experiment_signer_destroy)
        self._set = set

    @property
    def parameter_set(self) -> str:
        """The name of the set."""
        return self._set

    def public_key(self, number: int = 0) -> PublicKey:
        """One of 2^64 keys, which differ in their second half."""
        out = ffi.new("unsigned char[]", PUBLIC_KEY_SIZE)
        check(lib.slhc_experiment_public_key(self._handle, integer(number, "number", 64), out))
        return PublicKey(bytes(out), self._set)

    def sign(self, message: Buffer, number: int = 0, ctx: Buffer = b"") -> bytes:
        """A signature (pure) that is valid under public_key(number)."""
        message, ctx = as_bytes(message, "message"), as_bytes(ctx, "ctx")
        out = ffi.new("unsigned char[]", signature_size(self._set))
        check(lib.slhc_experiment_sign(self._handle, integer(number, "number", 64), view(message), view(ctx), out))
        return bytes(out)

    def key(self, number: int = 0) -> ExperimentKey:
        """One key, as sign_input() and Signer take it."""
        return ExperimentKey(self, number)


@dataclass(frozen=True)
class ExperimentKey:
    """One key of a signer."""

    signer: ExperimentSigner
    number: int

    @property
    def public_key(self) -> PublicKey:
        """Its public key."""
        return self.signer.public_key(self.number)

    def sign(self, message: Buffer) -> bytes:
        """A signature of the message, with an empty context string."""
        return self.signer.sign(message, self.number)
