# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Script trees (BIP 341) and P2MR outputs (BIP 360; called P2TSH until its version 0.11)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Union, cast

from . import _library
from ._library import Buffer, as_bytes, check, ffi, lib, view
from .address import Network, encode_address
from .errors import ArgumentError, OneLeafTreeError
from .script import CScript

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
        made = [*stack, bytes(self.script), self.control_block]
        if annex is not None:
            if annex[:1] != bytes([ANNEX_TAG]):
                raise ArgumentError("annex does not begin with 0x50")
            made.append(annex)
        return made


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
            raise ArgumentError("a tree without leaves")
        return cls(split(leaves))

    @classmethod
    def _build(cls, spec: TreeSpec, depth: int) -> tuple[bytes, tuple[TreeLeaf, ...]]:
        if depth > MAX_TREE_DEPTH:
            raise ArgumentError(f"tree deeper than {MAX_TREE_DEPTH} levels")
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
        for leaf in self.leaves:
            if leaf.script == script:
                return leaf
        raise KeyError(f"no leaf of the tree has the script {bytes(script).hex()}")

    def script_pubkey(self) -> CScript:
        """The P2MR output script. Raises OneLeafTreeError for a tree of one leaf."""
        if len(self.leaves) == 1:
            raise OneLeafTreeError(
                "a P2MR (P2TSH) output with a single leaf can be spent by anyone: the control block then has no path, and by "
                "BIP 360 such a spend succeeds without running the script; add a second leaf, for example OP_RETURN")
        return p2mr_script_pubkey(self.root)

    def address(self, network: Network | str) -> str:
        """The P2MR address. Raises OneLeafTreeError for a tree of one leaf."""
        return encode_address(network, P2MR_VERSION, self.script_pubkey()[2:])
