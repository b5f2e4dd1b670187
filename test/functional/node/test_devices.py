# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""A Vulkan device behind the node: it verifies blocks, and when it fails in the middle of one, the verdict is the same.

The faults come from a Vulkan layer of our own between the node and its driver, see src/test/fault_layer/.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from slhconsensus import CTransaction, list_backends

from framework.chain import Chain
from framework.node import Node, Nodes, wait_until
from framework.scenarios import BAD_SIGNATURE, in_block
from framework.spends import break_signature, fund_and_sign, single_key

N_SIGNATURES = 40
FAULTS_OF_CALLS = ["lost", "late", "memory", "stuck"]
FAULTS_OF_ROOTS = ["stale", "tail"]

pytestmark = pytest.mark.skipif(not any(backend.name.startswith("vulkan") and backend.available for backend in list_backends()),
                                reason="there is no Vulkan device")


@pytest.fixture(scope="module")
def layer() -> dict[str, str]:
    """The environment that puts the layer between the node and its driver."""
    folder = os.environ.get("SLHC_FAULT_LAYER", "")
    if not (Path(folder) / "VkLayer_slhc_fault.json").is_file():
        pytest.skip("SLHC_FAULT_LAYER names no directory with the Vulkan layer that makes a device fail")
    return {"VK_LAYER_PATH": folder, "VK_INSTANCE_LAYERS": "VK_LAYER_SLHC_fault"}


@pytest.fixture(scope="module")
def transactions(chain: Chain) -> list[CTransaction]:
    """Spends on the shared chain, which is on the CPU; the tests' nodes get it block by block."""
    return fund_and_sign(chain, [single_key(n % 2) for n in range(N_SIGNATURES)])


@pytest.fixture
def device_node(nodes: Nodes, chain: Chain, transactions: list[CTransaction], tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Node]:
    """A node with the device alone for its batches, ready to work, with the chain of the shared node."""
    environment = {"SLHC_FAULT_FILE": str(tmp_path / "fault")}
    if "layer" in request.fixturenames:
        environment |= request.getfixturevalue("layer")
    node = nodes.make({"slhdsabackend": "vulkan", "debug": ["slhdsa", "validation"]}, name=f"device-{request.node.name}", environment=environment)
    node.start()
    chain.replay(node)
    wait_until(lambda: device(node)["ready"], "the device to be ready")
    yield node
    node.stop()


def device(node: Node) -> Any:
    """The node's report on its device."""
    (found,) = [backend for backend in node.rpc.getslhdsainfo()["backends"] if backend["device"]]
    return found


def test_device_verifies_blocks(device_node: Node, transactions: list[CTransaction]) -> None:
    chain = Chain(device_node)
    for position in 0, N_SIGNATURES - 1:
        block = [*transactions[:position], break_signature(transactions[position]), *transactions[position + 1:]]
        with device_node.logs(f"input 0 of {block[position].txid_hex}"):
            chain.refuse(block, in_block(BAD_SIGNATURE))
    assert device(device_node)["signatures"] == 2 * N_SIGNATURES
    chain.mine(transactions)
    after = device(device_node)
    assert after["signatures"] == 3 * N_SIGNATURES
    assert after["failed_calls"] == after["wrong_roots"] == 0
    assert not after["retired"]


@pytest.mark.parametrize("bad", [False, True], ids=["valid_block", "invalid_block"])
@pytest.mark.parametrize("fault", FAULTS_OF_CALLS + FAULTS_OF_ROOTS)
def test_fault_in_the_middle_of_a_block(layer: dict[str, str], device_node: Node, transactions: list[CTransaction], tmp_path: Path, fault: str,
                                        bad: bool) -> None:
    """The block gets its verdict from the CPU, the device gets no more work, and all of that is on record."""
    chain = Chain(device_node)
    # One batch that is as it should be, so that old results lie in the device's memory.
    chain.refuse([break_signature(tx) for tx in transactions], in_block(BAD_SIGNATURE))
    before = device(device_node)
    assert before["signatures"] == N_SIGNATURES and not before["retired"]
    (tmp_path / "fault").write_text(fault)
    with device_node.logs("slhdsa: .*(retired|fault|device)"):
        if bad:
            chain.refuse([*transactions[:-1], break_signature(transactions[-1])], in_block(BAD_SIGNATURE))
        else:
            chain.mine(transactions[:20])
    after = device(device_node)
    assert after["retired"]
    assert (after["wrong_roots"] if fault in FAULTS_OF_ROOTS else after["failed_calls"]) > 0
    assert device_node.rpc.getslhdsainfo()["faults"] > 0
    # The device comes back, and the node does not trust it; blocks go on.
    (tmp_path / "fault").unlink()
    chain.refuse([break_signature(transactions[30])], in_block(BAD_SIGNATURE))
    chain.mine(transactions[30:])
    assert device(device_node)["signatures"] == after["signatures"]


def test_fault_at_start(nodes: Nodes, chain: Chain, layer: dict[str, str], transactions: list[CTransaction], tmp_path: Path) -> None:
    """A device that fails its known answers gets no work, and the node starts all the same."""
    (tmp_path / "fault").write_text("stale")
    node = nodes.make({"slhdsabackend": "vulkan"}, environment=layer | {"SLHC_FAULT_FILE": str(tmp_path / "fault")}).start()
    chain.replay(node)
    wait_until(lambda: device(node)["retired"], "the device to be retired")
    Chain(node).refuse([break_signature(tx) for tx in transactions[:5]], in_block(BAD_SIGNATURE))
    Chain(node).mine(transactions[:5])
    node.stop()
