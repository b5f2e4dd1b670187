# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Addresses of witness programs (BIP 173, BIP 350): P2WPKH, P2WSH, P2TR, P2MR (once P2TSH) and later versions."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from ._library import CONSTANTS, Buffer, as_bytes, check, encoded, ffi, integer, lib, struct, text, view
from .errors import ArgumentError
from .script import CScript, script_number_opcode

__all__ = ["DecodedAddress", "Network", "decode_address", "encode_address"]


class Network(enum.Enum):
    """A Bitcoin network."""

    MAINNET = "mainnet"
    TESTNET = "testnet"
    SIGNET = "signet"
    REGTEST = "regtest"


@dataclass(frozen=True)
class DecodedAddress:
    """The meaning of an address."""

    prefix: str  #: "bc", "tb" (testnet and signet) or "bcrt" (regtest)
    version: int  #: of the witness program
    program: bytes

    def script_pubkey(self) -> CScript:
        """The output script that the address asks for."""
        return CScript(bytes([script_number_opcode(self.version), len(self.program)]) + self.program)


def network_name(network: Network | str) -> bytes:
    """As the library takes it. Raises ArgumentError if there is no such network."""
    try:
        return Network(network).value.encode()
    except ValueError:
        raise ArgumentError(f"network {network!r} is not one of {', '.join(each.value for each in Network)}") from None


def encode_address(network: Network | str, version: int, program: Buffer) -> str:
    """The address of a witness program. For a script tree use ScriptTree.address(), which refuses trees of one leaf.

    Raises ArgumentError if there is no such network or witness program.

    >>> from slhconsensus import decode_address, encode_address
    >>> encode_address("regtest", 2, bytes(32))
    'bcrt1zqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqnv9lj9'
    """
    program = as_bytes(program, "program")
    out = ffi.new("char[]", CONSTANTS["SLHC_ADDRESS_SIZE"])
    check(lib.slhc_address_encode(network_name(network), integer(version, "witness version", 32), view(program), out))
    return text(out)


def decode_address(address: str) -> DecodedAddress:
    """Read an address of any network. Raises DataError, which says what is wrong with it."""
    decoded = struct("slhc_decoded_address")
    check(lib.slhc_address_decode(encoded(address, "address"), decoded))
    return DecodedAddress(text(decoded.prefix), decoded.version, bytes(decoded.program)[:decoded.program_size])
