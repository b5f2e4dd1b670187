# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Descriptors: the node and the library take the same ones, and make the same outputs of them."""

import json
import random
from pathlib import Path
from typing import Any

import pytest
from slhconsensus import DataError, Descriptor

from framework.node import Node
from framework.rpc import RpcError

VECTORS = json.loads((Path(__file__).resolve().parents[3] / "src/test/data/descriptors.json").read_text())
POINTS = ["a34b99f22c790c4e36b2b3c2c35a36db06226e41c692fc82b8b56ac1c540c5bd", "669b8afcec803a0d323e9a17f3ea8e68e8abe5a278020a929adbec52421adbd0",
          "50929b74c1a04954b78b4b6035e97a5e078a5a0f28ec96d547bfee9ace803ac0", "79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798"]
KEYS = [f"{byte:02x}" * 32 for byte in range(1, 6)]


def in_node(node: Node, descriptor: str) -> str | None:
    """The address that the node derives; None if it refuses the descriptor."""
    try:
        normal = node.rpc.getdescriptorinfo(descriptor)["descriptor"]
    except RpcError:
        return None
    (address,) = node.rpc.deriveaddresses(normal)
    return str(address)


def in_library(descriptor: str) -> str | None:
    """The same of the library."""
    try:
        return Descriptor(descriptor).address("regtest")
    except DataError:
        return None


@pytest.mark.parametrize("vector", [vector for vector in VECTORS["valid"] if vector["leaves"]], ids=lambda vector: vector["descriptor"][:80])
def test_valid(node: Node, vector: dict[str, Any]) -> None:
    """src/test/data/descriptors.json: the same output, and the library's normal form is the node's too."""
    address = in_node(node, vector["descriptor"])
    assert address == in_library(vector["descriptor"])
    assert node.rpc.validateaddress(address)["scriptPubKey"] == vector["script_pubkey"]
    info = node.rpc.getdescriptorinfo(vector["normal"])
    assert info["descriptor"] == vector["normal"] and info["isrange"] is False and info["issolvable"] is True


@pytest.mark.parametrize("vector", VECTORS["invalid"], ids=lambda vector: vector["error"][:80])
def test_invalid(node: Node, vector: dict[str, Any]) -> None:
    """The node refuses them too, but for those that Bitcoin Core accepts without the module, in tr()."""
    descriptor = vector["descriptor"]
    if not vector.get("accepted_by_bitcoin_core"):
        with pytest.raises(RpcError, match=r"\(-5\)"):
            node.rpc.getdescriptorinfo(descriptor)
        return
    # The leaf that is refused has no SLH-DSA key: it is Bitcoin Core's.
    assert in_node(node, descriptor) is not None
    leaf = descriptor.removesuffix("})").partition("),")[2]
    assert "slhdsa" not in leaf and in_node(node, f"tr({POINTS[2]},{leaf})") is not None


class Leaves:
    """Random leaves of few keys, so that some are there twice."""

    def __init__(self, seed: int) -> None:
        self.choose = random.Random(seed)

    def keys(self, pool: list[str], unique: bool) -> str:
        count = self.choose.randint(1, 3)
        keys = self.choose.sample(pool, count) if unique else self.choose.choices(pool, k=count)
        return f"{self.choose.randint(1, count + (self.choose.random() < 0.1))},{','.join(keys)}"

    def part(self, whole: bool = False) -> str:
        """A fragment without others in it."""
        slhdsa = KEYS + POINTS[:1]
        # Of a key that is twice in a multi_a() alone, and of ages beyond BIP 68, Bitcoin Core thinks otherwise.
        return self.choose.choice([
            f"pk_slhdsa({self.choose.choice(slhdsa)})", f"pk_slhdsa({self.choose.choice(slhdsa)})", f"multi_slhdsa({self.keys(slhdsa, False)})",
            f"pk({self.choose.choice(POINTS)})", f"pk({self.choose.choice(POINTS)})", f"multi_a({self.keys(POINTS, whole)})",
            f"sortedmulti_a({self.keys(POINTS, True)})", f"older({self.choose.choice([1, 144, 65535, 4194305])})",
            f"after({self.choose.choice([1, 499999999, 500000000, 2147483647])})", f"sha256({'ab' * 32})"])

    def dropped(self, depth: int) -> str:
        """Of miniscript's type V."""
        if depth > 0 and self.choose.random() < 0.15:
            return f"and_v({self.dropped(depth - 1)},{self.dropped(depth - 1)})"
        return ("" if self.choose.random() < 0.02 else "v:") + self.expression(depth)

    def expression(self, depth: int, whole: bool = False) -> str:
        """Of miniscript's type B."""
        if depth == 0 or self.choose.random() < 0.3:
            return self.part(whole)
        return f"and_v({self.dropped(depth - 1)},{self.expression(depth - 1)})"


@pytest.mark.parametrize("seed", range(4))
def test_random(node: Node, seed: int) -> None:
    """Both refuse a descriptor, or both accept it and have the same address."""
    leaves, accepted = Leaves(seed), 0
    for _ in range(750):
        leaf = leaves.expression(3, whole=True)
        for descriptor in f"mr({{{leaf},pk_slhdsa({KEYS[0]})}})", f"tr({POINTS[2]},{leaf})":
            address = in_library(descriptor)
            assert in_node(node, descriptor) == address, descriptor
            accepted += address is not None
    assert 200 < accepted < 1300  # of 1500


@pytest.mark.parametrize(("depth", "accepted"), [(127, True), (128, False), (20_000, False)])
def test_deep(node: Node, depth: int, accepted: bool) -> None:
    """Both bound how deep expressions are within one another: a parser that calls itself ends the process at some depth."""
    descriptor = f"mr({{{'and_v(v:older(1),' * depth}pk_slhdsa({KEYS[0]}){')' * depth},pk({POINTS[0]})}})"
    address = in_node(node, descriptor)
    assert address == in_library(descriptor)
    assert (address is not None) == accepted


@pytest.mark.parametrize(("before", "elements"), [
    ("v:after(5)", 1000),
    (f"v:pk_slhdsa({KEYS[0]})", 1001),
    (f"and_v(v:pk_slhdsa({KEYS[0]}),v:pk_slhdsa({KEYS[1]}))", 1002),
], ids=["1000", "1001", "1002"])
def test_many_elements(node: Node, before: str, elements: int) -> None:
    """Both refuse a leaf that needs more elements than there can be on a stack, however many more: nobody could spend it."""
    many = ",".join(f"{key:064x}" for key in range(999))
    descriptor = f"mr({{and_v({before},multi_slhdsa(1,{many})),pk({POINTS[0]})}})"
    address = in_node(node, descriptor)
    assert address == in_library(descriptor)
    assert (address is not None) == (elements <= 1000)
    if address is None:
        with pytest.raises(RpcError, match=f"it needs {elements} elements on the stack"):
            node.rpc.getdescriptorinfo(descriptor)
