# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Output script descriptors (BIP 380, 385, 386, 387) with SLH-DSA keys: mr(TREE) for P2MR, tr(KEY,TREE), raw(), addr()."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ._keyfile import SCHNORR_TYPE, TYPE_PREFIX
from ._library import CONSTANTS, check, encoded, ffi, lib, raise_last_error, struct, text
from .address import Network, network_name
from .keys import PARAMETER_SETS, PublicKey
from .script import CScript

__all__ = ["Descriptor", "DescriptorKey", "DescriptorLeaf", "descriptor_checksum"]

_SET_NAMES = {CONSTANTS["SLHC_KEY_SLHDSA_SETS"] + number: name for name, number in PARAMETER_SETS.items()} | {CONSTANTS["SLHC_KEY_SLHDSA"]: "128s"}


@dataclass(frozen=True)
class DescriptorKey:
    """A key of a descriptor."""

    type: str  #: "slh-dsa-sha2-128s", or of another parameter set, or "schnorr-bip340"
    public_key: bytes  #: as a script has it
    origin: str | None  #: "d34db33f/360h/1h": fingerprint of the master key, and path


@dataclass(frozen=True)
class DescriptorLeaf:
    """A leaf of a descriptor's tree, with what it takes to spend it."""

    text: str  #: as the descriptor writes it
    script: CScript
    version: int
    hash: bytes  #: TapLeaf hash
    control_block: bytes

    def witness(self, stack: Sequence[bytes]) -> list[bytes]:
        """The whole witness stack: the script's arguments (the top one last), script and control block."""
        return [*stack, bytes(self.script), self.control_block]


def descriptor_checksum(descriptor: str) -> str:
    """The checksum of a descriptor without one (BIP 380), which need not be one of those known here. Raises DataError.

    >>> from slhconsensus import descriptor_checksum
    >>> descriptor_checksum("raw(deadbeef)")
    '89f8spxm'
    """
    out = ffi.new("char[]", CONSTANTS["SLHC_DESCRIPTOR_CHECKSUM_SIZE"])
    check(lib.slhc_descriptor_checksum(encoded(descriptor, "descriptor"), out))
    return text(out)


class Descriptor:
    """A descriptor.

    >>> from slhconsensus import Descriptor
    >>> tree = "{pk_slhdsa(%s),and_v(v:pk_slhdsa(%s),older(144))}" % ("11" * 32, "22" * 32)
    >>> descriptor = Descriptor(f"mr({tree})")
    >>> str(descriptor)[-9:]
    '#ze5pwpgn'
    >>> descriptor.address("regtest")[:6], descriptor.leaves[1].text[:18]
    ('bcrt1z', 'and_v(v:pk_slhdsa(')
    """

    type: str  #: "mr", "tr", "raw" or "addr"
    keys: tuple[DescriptorKey, ...]  #: in the order in which they are written
    leaves: tuple[DescriptorLeaf, ...]  #: from left to right

    def __init__(self, descriptor: str, *, require_checksum: bool = False) -> None:
        """White space around it, such as the end of a line, is ignored. Raises DataError, which gives the column and the reason, for a
        descriptor that is malformed or that nobody wants.
        """
        handle = lib.slhc_descriptor_parse(encoded(descriptor, "descriptor").strip(), int(bool(require_checksum)))
        if handle == ffi.NULL:
            raise_last_error()
        self._handle = ffi.gc(handle, lib.slhc_descriptor_destroy)
        info = struct("slhc_descriptor_info")
        check(lib.slhc_descriptor_get_info(self._handle, info))
        self._text = text(info.text)
        self._script_pubkey = bytes(ffi.buffer(info.script_pubkey.data, info.script_pubkey.size)) if info.script_pubkey.size else b""
        self.type = text(info.type)
        self.merkle_root = bytes(info.merkle_root) if info.has_tree else None
        self.internal_key = bytes(info.internal_key) if info.has_internal_key else None
        self.keys = tuple(self._key(i) for i in range(info.n_keys))
        self.leaves = tuple(self._leaf(i) for i in range(info.n_leaves))

    def _key(self, index: int) -> DescriptorKey:
        key = struct("slhc_descriptor_key")
        check(lib.slhc_descriptor_get_key(self._handle, index, key))
        origin = None if key.origin == ffi.NULL else text(key.origin)
        if key.type == CONSTANTS["SLHC_KEY_SCHNORR"]:
            return DescriptorKey(SCHNORR_TYPE, bytes(key.public_key), origin)
        public = PublicKey(bytes(key.public_key), _SET_NAMES[key.type])
        return DescriptorKey(TYPE_PREFIX + public.parameter_set, public.element, origin)

    def _leaf(self, index: int) -> DescriptorLeaf:
        leaf = struct("slhc_descriptor_leaf")
        check(lib.slhc_descriptor_get_leaf(self._handle, index, leaf))
        return DescriptorLeaf(text(leaf.text), CScript(ffi.buffer(leaf.script.data, leaf.script.size)[:]), leaf.leaf_version,
                              bytes(leaf.leaf_hash), ffi.buffer(leaf.control_block.data, leaf.control_block.size)[:])

    def __str__(self) -> str:
        """In its normal form: hex in lower case, h for hardened steps, the checksum at the end."""
        return self._text

    def __repr__(self) -> str:
        return f"Descriptor({self._text!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Descriptor) and self._text == other._text

    def __hash__(self) -> int:
        return hash(self._text)

    def script_pubkey(self) -> CScript:
        """The output script."""
        return CScript(self._script_pubkey)

    def address(self, network: Network | str) -> str:
        """The output's address. Raises DataError for a script without one."""
        out = ffi.new("char[]", CONSTANTS["SLHC_ADDRESS_SIZE"])
        check(lib.slhc_descriptor_address(self._handle, network_name(network), out))
        return text(out)
