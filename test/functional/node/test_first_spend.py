# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""doc/first-spend.md with a node: its commands as they are, but for ports that nobody else has."""

import contextlib
import os
import random
import signal
import socket
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from conftest import BITCOIND
from framework.node import PORTS

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "first_spend"))
from first_spend import check_page, run_page  # noqa: E402

SLHTOOL = os.environ.get("SLHTOOL")


def free_port() -> int:
    """A port that nobody listens on."""
    for port in random.sample(PORTS, 20):
        with contextlib.suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port
    raise RuntimeError("none of 20 ports is free")


@pytest.fixture
def path(tmp_path: Path) -> Iterator[list[Path]]:
    """A folder with slhtool, and with bitcoind and bitcoin-cli that use a port of their own."""
    if not SLHTOOL:
        pytest.skip("SLHTOOL names no slhtool")
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "slhtool").symlink_to(Path(SLHTOOL).resolve())
    port = free_port()
    for name in ("bitcoind", "bitcoin-cli"):
        program = folder / name
        program.write_text(f'#!/bin/sh\nexec "{BITCOIND.resolve().parent / name}" -rpcport={port} "$@"\n')
        program.chmod(0o755)
    yield [folder]
    for pid in tmp_path.glob("first-spend/node/regtest/bitcoind.pid"):  # gone if the page stopped it
        with contextlib.suppress(ProcessLookupError, ValueError):
            os.kill(int(pid.read_text()), signal.SIGKILL)


def test_page(tmp_path: Path, path: list[Path]) -> None:
    check_page(tmp_path, run_page(tmp_path, path))
