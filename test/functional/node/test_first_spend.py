# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""doc/first-spend.md with a node: its commands as they are, but for ports that nobody else has."""

import contextlib
import os
import random
import re
import signal
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from conftest import BITCOIND, ROOT
from framework.node import PORTS

SLHTOOL = os.environ.get("SLHTOOL")


def free_port() -> int:
    """A port that nobody listens on."""
    for port in random.sample(PORTS, 20):
        with contextlib.suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port
    raise RuntimeError("none of 20 ports is free")


@pytest.fixture
def path(tmp_path: Path) -> Iterator[str]:
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
    yield f"{folder}:{os.environ['PATH']}"
    for pid in tmp_path.glob("first-spend/node/regtest/bitcoind.pid"):  # gone if the page stopped it
        with contextlib.suppress(ProcessLookupError, ValueError):
            os.kill(int(pid.read_text()), signal.SIGKILL)


def test_page(tmp_path: Path, path: str) -> None:
    """Its blocks marked as sh, in their order, as a reader pastes them; and what it promises."""
    blocks = re.findall(r"^```sh\n(.*?)^```$", (ROOT / "doc/first-spend.md").read_text(), re.MULTILINE | re.DOTALL)
    result = subprocess.run(["bash", "-c", "set -euo pipefail\nset -v\n" + "".join(blocks)], cwd=tmp_path, env={**os.environ, "PATH": path},
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, timeout=600)
    output = result.stdout
    assert result.returncode == 0, output
    assert re.search(r"^bcrt1z", output, re.MULTILINE)
    assert output.count('"type": "witness_v2_p2mr"') == 3
    assert output.count('"amount": 10.00000000') == output.count('"amount": 5.00000000') == 1  # what the wallet sees that watches
    assert "(2.0 per virtual byte)" in output
    assert re.search(r"^3\.00000000$", output, re.MULTILINE)
    assert re.search(r'"trusted": 11\.999\d+', output)
    assert "OP_10 OP_CHECKSEQUENCEVERIFY" in output
    for name in "spend.json", "recovered.json", "small.json":
        assert f"{name}: valid" in output
