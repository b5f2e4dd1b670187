# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""A Vulkan device behind the node: it verifies blocks, and when the process of its driver ends or hangs in the middle of one, the verdict is the same."""

import contextlib
import os
import re
import shutil
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from slhconsensus import CTransaction, list_backends

from framework.chain import Chain
from framework.node import Node, Nodes, wait_until
from framework.rpc import Rpc
from framework.scenarios import BAD_SIGNATURE, in_block
from framework.spends import break_signature, fund_and_sign, single_key

N_SIGNATURES = 40
REOPENINGS = 3
PATIENCE = 20  # seconds for a block whose device is late; the limit is a fraction of one on an idle machine

pytestmark = pytest.mark.skipif(not any(re.match("vulkan:[0-9]", backend.name) for backend in list_backends()), reason="there is no Vulkan device")


@pytest.fixture(scope="module")
def transactions(chain: Chain) -> list[CTransaction]:
    """Spends on the shared chain, which is on the CPU; the tests' nodes get it block by block."""
    return fund_and_sign(chain, [single_key(n % 2) for n in range(N_SIGNATURES)])


@pytest.fixture
def device_node(nodes: Nodes, chain: Chain, transactions: list[CTransaction], request: pytest.FixtureRequest) -> Iterator[Node]:
    """A node with the device alone for its batches, ready to work, with the chain of the shared node."""
    node = nodes.make({"slhdsabackend": "vulkan", "debug": ["slhdsa", "validation"]}, name=f"device-{request.node.name}").start()
    chain.replay(node)
    wait_until(lambda: device(node)["ready"], "the device to be ready")
    yield node
    process = device(node).get("process")
    node.stop()
    assert process is None or has_ended(process)


def device(node: Node) -> Any:
    """The node's report on its device."""
    (found,) = [backend for backend in node.rpc.getslhdsainfo()["backends"] if backend["device"]]
    return found


def has_ended(process: int) -> bool:
    return not Path(f"/proc/{process}").exists()


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
    assert after["state"] == "ready" and not after["retired"]
    assert Path(f"/proc/{after['process']}/exe").samefile(after["program"]) and Path(after["program"]).name == "slhgpu"


def is_stopped(process: int) -> bool:
    return all(" T " in stat.read_text() for stat in Path(f"/proc/{process}/task").glob("*/stat"))


def strike(node: Node, process: int, number: signal.Signals) -> None:
    """Stop the process, and once a call waits for it, send it the signal."""
    os.kill(process, signal.SIGSTOP)
    wait_until(lambda: is_stopped(process), "the process to stop")
    rpc = Rpc(node.rpc_port, node.chain_folder / ".cookie")

    def send_when_busy() -> None:
        wait_until(lambda: any(backend["state"] == "busy" or backend["failed_calls"] > before for backend in rpc.call("getslhdsainfo")["backends"]), "a call")
        with contextlib.suppress(ProcessLookupError):  # it was late
            for one in (number, signal.SIGCONT) if number == signal.SIGSEGV else (number,):
                os.kill(process, one)

    before = device(node)["failed_calls"]
    threading.Thread(target=send_when_busy).start()


@pytest.mark.parametrize("bad", [False, True], ids=["valid_block", "invalid_block"])
def test_process_that_fails_in_the_middle_of_a_block(device_node: Node, transactions: list[CTransaction], bad: bool) -> None:
    """The block gets its verdict from the CPU, and a line in the log; the device is opened again, but not for ever."""
    chain = Chain(device_node)
    for n, number in enumerate([signal.SIGKILL, signal.SIGSTOP, signal.SIGSEGV, signal.SIGKILL]):
        txs = transactions[5 * n:5 * n + 5]
        block = chain.build([*txs[:-1], break_signature(txs[-1])] if bad else txs)
        process, log_start = device(device_node)["process"], device_node.log_size()
        strike(device_node, process, number)
        begin = time.monotonic()
        verdict = chain.submit(block)
        delay = time.monotonic() - begin
        print(f"{number.name}: the block took {1000 * delay:.0f} ms")
        assert verdict == (in_block(BAD_SIGNATURE) if bad else None)
        assert delay < PATIENCE
        wait_until(lambda: device(device_node)["state"] in ("ready", "retired"), "the device to be opened again or retired")
        again = n < REOPENINGS
        (line,) = re.findall(r"slhdsa: vulkan:\S+ (?:.* )?is (opened again|retired)", device_node.log(log_start))
        assert line == ("opened again" if again else "retired")
        after = device(device_node)
        assert after["failed_calls"] == device_node.rpc.getslhdsainfo()["faults"] == n + 1
        assert after["ready"] == again and after["retired"] == (not again)
        wait_until(lambda: has_ended(process) and device(device_node).get("process") != process, "the end of the process")
        if bad:
            chain.mine(txs)
        assert (device(device_node)["signatures"] > after["signatures"]) == (bad and again)
    chain.mine(transactions[20:])
    assert device(device_node)["signatures"] == after["signatures"]


def test_process_ends_with_the_node(device_node: Node) -> None:
    process = device(device_node)["process"]
    device_node.kill()
    wait_until(lambda: has_ended(process), "the end of the process")
    device_node.start()


def test_program_that_cannot_be_used(nodes: Nodes) -> None:
    for program, says in ("/none/slhgpu", "cannot start /none/slhgpu: No such file or directory"), ("/bin/true", "/bin/true has ended"):
        error = nodes.make().start_fails({"slhdsabackend": "vulkan", "slhdsadeviceprogram": program})
        assert error.startswith("Error: ") and "-slhdsadeviceprogram: " in error and f"vulkan: {says}" in error, error


def test_program_beside_the_node(device_node: Node, nodes: Nodes, tmp_path: Path) -> None:
    """bin/ and libexec/ may go elsewhere together; without the program, the error says where it was looked for."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "libexec").mkdir()
    binary = Path(shutil.copy(device_node.binary, tmp_path / "bin"))
    error = nodes.make(binary=binary).start_fails({"slhdsabackend": "vulkan"})
    assert error.startswith("Error: ") and "-slhdsadeviceprogram: " in error, error
    assert f"vulkan: there is no program slhgpu: looked for {tmp_path}/bin/slhgpu" in error, error
    shutil.copy(device(device_node)["program"], tmp_path / "libexec")
    node = nodes.make({"slhdsabackend": "vulkan"}, binary=binary).start()
    wait_until(lambda: device(node)["ready"], "the device to be ready")
    assert Path(device(node)["program"]).samefile(tmp_path / "libexec" / "slhgpu")
    node.stop()
