# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Fixtures of the node tests, and the programs they run.

SLHC_BITCOIND        bitcoind with the module inside (default: build/node/bin/bitcoind of this source tree)
SLHC_PLAIN_BITCOIND  bitcoind without the module, of the same version (default: build/node/plain/bin/bitcoind)
SLHC_KEEP_NODES      if set, the nodes' directories are kept
"""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "contrib" / "python" / "src"), str(ROOT / "test" / "functional")]

from framework.chain import Chain  # noqa: E402
from framework.node import Node, Nodes  # noqa: E402
from seed import pytest_fixture_setup, pytest_runtest_makereport, pytest_runtest_protocol, pytest_terminal_summary  # noqa: E402, F401

BITCOIND = Path(os.environ.get("SLHC_BITCOIND") or ROOT / "build" / "node" / "bin" / "bitcoind")
PLAIN_BITCOIND = Path(os.environ.get("SLHC_PLAIN_BITCOIND") or ROOT / "build" / "node" / "plain" / "bin" / "bitcoind")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--scenario", action="append", type=Path, metavar="FILE", help="for test_scenario_files.py: this scenario file instead of all of the tree's")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Without the node there is nothing to test: every test is skipped, and says what is missing."""
    if not BITCOIND.exists():
        missing = pytest.mark.skip(reason=f"there is no bitcoind with the module at {BITCOIND} (SLHC_BITCOIND names another)")
        for item in items:
            item.add_marker(missing)


@pytest.fixture(scope="module")
def nodes() -> Iterator[Nodes]:
    """Makes nodes that live as long as the tests of one file."""
    made = Nodes(BITCOIND)
    yield made
    made.close(keep="SLHC_KEEP_NODES" in os.environ)


@pytest.fixture(scope="module")
def node(nodes: Nodes) -> Node:
    """A node that the tests of one file share."""
    return nodes.make(name="shared").start()


@pytest.fixture(scope="module")
def chain(node: Node) -> Chain:
    """The chain of the shared node, with coins to spend."""
    return Chain(node).start()


@pytest.fixture(scope="session")
def plain_bitcoind() -> Path:
    """Bitcoin Core without the module."""
    if not PLAIN_BITCOIND.exists():
        pytest.skip(f"there is no bitcoind without the module at {PLAIN_BITCOIND} (contrib/bitcoin-core/build.sh --plain makes it)")
    return PLAIN_BITCOIND
