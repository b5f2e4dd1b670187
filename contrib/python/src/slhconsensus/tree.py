# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Script trees (BIP 341) and P2MR outputs (BIP 360; called P2TSH before its version 0.11)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Union, cast

from . import _library
from ._library import Buffer, as_bytes, check, ffi, instance, lib, view
from .address import Network, encode_address
from .errors import ArgumentError, OneLeafTreeError
from .opcodes import OP_1
from .script import CScript

__all__ = [
    "LEAF_VERSION_TAPSCRIPT", "NUMS_KEY", "Leaf", "ScriptTree", "TaprootOutput", "TreeLeaf", "TreeSpec", "p2mr_script_pubkey",
    "tapbranch_hash", "tapleaf_hash",
]

#: The leaf version whose scripts are tapscript (BIP 342).
LEAF_VERSION_TAPSCRIPT = 0xC0
#: Levels that a tree may have below its root.
MAX_TREE_DEPTH = 128
#: The first byte of an annex.
ANNEX_TAG = 0x50
#: The witness version of P2MR.
P2MR_VERSION = 2


def tapleaf_hash(script: Buffer, version: int = LEAF_VERSION_TAPSCRIPT) -> bytes:
    """TapLeaf hash of a script. Raises ArgumentError if the version is odd."""
    script = as_bytes(script, "script")
    out = ffi.new("unsigned char[32]")
    check(lib.slhc_tapleaf_hash(_library.integer(version, "leaf version", 32), view(script), out))
    return bytes(out)


def tapbranch_hash(a: Buffer, b: Buffer) -> bytes:
    """TapBranch hash of two nodes, in any order."""
    out = ffi.new("unsigned char[32]")
    check(lib.slhc_tapbranch_hash(as_bytes(a, "a", 32), as_bytes(b, "b", 32), out))
    return bytes(out)


def p2mr_script_pubkey(root: Buffer) -> CScript:
    """The output script for a tree with this root. Whether the tree has one leaf cannot be seen here: prefer
    ScriptTree.script_pubkey(), which refuses such a tree."""
    return CScript(bytes([0x50 + P2MR_VERSION, 32]) + as_bytes(root, "root", 32))


#: BIP 341's point of which nobody knows the secret key: as internal key, it leaves the scripts alone to spend an output.
NUMS_KEY = bytes.fromhex("50929b74c1a04954b78b4b6035e97a5e078a5a0f28ec96d547bfee9ace803ac0")


def _with_annex(stack: Sequence[bytes], annex: bytes | None) -> list[bytes]:
    if annex is None:
        return list(stack)
    if annex[:1] != bytes([ANNEX_TAG]):
        raise ArgumentError("annex does not begin with 0x50")
    return [*stack, annex]


@dataclass(frozen=True)
class Leaf:
    """A leaf to be put into a tree."""

    script: bytes
    version: int = LEAF_VERSION_TAPSCRIPT


#: A tree as it is written down: a leaf, a script (a leaf of version 0xc0), or a pair of trees.
TreeSpec = Union[Leaf, bytes, Sequence["TreeSpec"]]


@dataclass(frozen=True)
class TreeLeaf:
    """A leaf in its tree, with what it takes to spend it."""

    script: CScript
    version: int
    hash: bytes  #: TapLeaf hash
    path: tuple[bytes, ...] = field(default=())  #: siblings, from the leaf up

    @property
    def control_block(self) -> bytes:
        """The last element of the witness that spends this leaf of a P2MR output."""
        return bytes([self.version | 1]) + b"".join(self.path)

    def witness(self, stack: Sequence[bytes], annex: bytes | None = None) -> list[bytes]:
        """The whole witness stack: the script's arguments (the top one last), script, control block and annex."""
        return _with_annex([*stack, bytes(self.script), self.control_block], annex)


@dataclass(frozen=True)
class TaprootOutput:
    """A P2TR output (BIP 341) with a script tree below an internal key."""

    internal_key: bytes
    output_key: bytes
    parity: int

    @classmethod
    def make(cls, root: Buffer | None, internal_key: Buffer = NUMS_KEY) -> TaprootOutput:
        """root: of the script tree; None: an output without scripts. Raises ArgumentError if the key is no point."""
        internal = as_bytes(internal_key, "internal key", 32)
        out, parity = ffi.new("unsigned char[32]"), ffi.new("int *")
        check(lib.slhc_p2tr_output_key(internal, ffi.NULL if root is None else as_bytes(root, "root", 32), out, parity))
        return cls(internal, bytes(out), parity[0])

    def script_pubkey(self) -> CScript:
        """The output script."""
        return CScript([OP_1, self.output_key])

    def address(self, network: Network | str) -> str:
        """The P2TR address."""
        return encode_address(network, 1, self.output_key)

    def control_block(self, leaf: TreeLeaf) -> bytes:
        """The last element of the witness that spends this leaf. Raises ArgumentError for leaf version 0x50, which
        BIP 341 leaves out: an even control block would be taken for an annex."""
        if instance(leaf, TreeLeaf, "leaf").version == ANNEX_TAG:
            raise ArgumentError("leaf version 0x50 cannot be used in a P2TR output: its control block looks like an annex")
        return bytes([leaf.version | self.parity]) + self.internal_key + b"".join(leaf.path)

    def witness(self, leaf: TreeLeaf, stack: Sequence[bytes], annex: bytes | None = None) -> list[bytes]:
        """The whole witness stack: the script's arguments (the top one last), script, control block and annex."""
        return _with_annex([*stack, bytes(instance(leaf, TreeLeaf, "leaf").script), self.control_block(leaf)], annex)


class ScriptTree:
    """A tree of leaf scripts: what a P2MR output commits to.

    >>> from slhconsensus import CScript, OP_1, OP_2, OP_RETURN, ScriptTree
    >>> tree = ScriptTree([CScript([OP_1]), [CScript([OP_2]), CScript([OP_RETURN])]])
    >>> [len(leaf.path) for leaf in tree.leaves]
    [1, 2, 2]
    >>> tree.address("regtest")
    'bcrt1zpdctjuwdn6xykx6kytmen29ucfjum3hcy978s7h7dxhn9lhke6ds2v3e6y'
    """

    def __init__(self, spec: TreeSpec) -> None:
        """spec: a leaf, a script, or a pair of such, e.g. [a, [b, c]]. Raises ArgumentError if it is no tree."""
        self.root, self.leaves = self._build(spec, 0)

    @classmethod
    def balanced(cls, leaves: Sequence[Leaf | bytes]) -> ScriptTree:
        """A balanced tree with these leaves, from left to right."""
        def split(part: Sequence[Leaf | bytes]) -> TreeSpec:
            if len(part) == 1:
                return part[0]
            half = (len(part) + 1) // 2
            return [split(part[:half]), split(part[half:])]
        if not leaves:
            raise ArgumentError("a tree needs at least one leaf")
        return cls(split(leaves))

    @classmethod
    def _build(cls, spec: TreeSpec, depth: int) -> tuple[bytes, tuple[TreeLeaf, ...]]:
        if depth > MAX_TREE_DEPTH:
            raise ArgumentError(f"the tree is deeper than {MAX_TREE_DEPTH} levels")
        if isinstance(spec, (bytes, bytearray)):
            spec = Leaf(bytes(spec))
        if isinstance(spec, Leaf):
            leaf = TreeLeaf(CScript(spec.script), spec.version, tapleaf_hash(spec.script, spec.version))
            return leaf.hash, (leaf,)
        if isinstance(spec, str) or not isinstance(spec, Sequence):
            raise TypeError(f"a tree is a Leaf, a script or a pair of trees, not {type(spec).__name__}")
        if len(spec) != 2:
            raise ArgumentError(f"a branch of a tree has two sides, not {len(spec)}")
        (left_root, left), (right_root, right) = (cls._build(side, depth + 1) for side in cast(Sequence[TreeSpec], spec))
        leaves = [TreeLeaf(leaf.script, leaf.version, leaf.hash, (*leaf.path, sibling))
                  for side, sibling in ((left, right_root), (right, left_root)) for leaf in side]
        return tapbranch_hash(left_root, right_root), tuple(leaves)

    def leaf(self, script: Buffer) -> TreeLeaf:
        """The first leaf with this script. Raises KeyError if there is none."""
        script = as_bytes(script, "script")
        for leaf in self.leaves:
            if leaf.script == script:
                return leaf
        raise KeyError(f"no leaf of the tree has the script {script.hex()}")

    def script_pubkey(self, *, anyone_can_spend: bool = False) -> CScript:
        """The P2MR output script. Raises OneLeafTreeError for a tree of one leaf, unless anyone_can_spend says that it is meant."""
        if len(self.leaves) == 1 and not anyone_can_spend:
            raise OneLeafTreeError(
                "a P2MR (P2TSH) output with a single leaf can be spent by anyone: the control block then has no path, and under "
                "BIP 360 such a spend succeeds without running the script; add a second leaf, for example OP_RETURN, or say anyone_can_spend=True")
        return p2mr_script_pubkey(self.root)

    def taproot(self, internal_key: Buffer = NUMS_KEY) -> TaprootOutput:
        """A P2TR output with this tree: the two opcodes work there too, and a tree of one leaf is nothing special."""
        return TaprootOutput.make(self.root, internal_key)

    def address(self, network: Network | str, *, anyone_can_spend: bool = False) -> str:
        """The P2MR address. Raises OneLeafTreeError as script_pubkey() does."""
        return encode_address(network, P2MR_VERSION, self.script_pubkey(anyone_can_spend=anyone_can_spend)[2:])
