# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""doc/first-spend.md without a node: its commands, with a stand-in for bitcoind and bitcoin-cli.

node/test_first_spend.py has the same with a node.
"""

import sys
from pathlib import Path

import pytest

from tool import TOOL, seeded

sys.path.insert(0, str(Path(__file__).resolve().parent / "first_spend"))
from first_spend import ROOT, STAND_IN, check_page, commands, run_page  # noqa: E402


@pytest.fixture
def path(tmp_path, monkeypatch):
    """A folder with slhtool and the stand-ins."""
    for name, value in seeded().items():
        monkeypatch.setenv(name, value)
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "slhtool").symlink_to(Path(TOOL).resolve())
    for name in ("bitcoind", "bitcoin-cli"):
        (folder / name).symlink_to(STAND_IN)
    return [folder]


def test_page(tmp_path, path):
    check_page(tmp_path, run_page(tmp_path, path))


def test_page_is_linked():
    for page in ("README.md", "contrib/bitcoin-core/README.md"):
        assert "first-spend.md" in (ROOT / page).read_text(), page


@pytest.mark.parametrize("old, new, says", [
    ("--amount 5000000000", "--amount 4000000000", "SCRIPT_ERR_SLHDSA_SIG"),  # a signature commits to it
    ("generatetoaddress 101", "generatetoaddress 90", "bad-txns-premature-spend-of-coinbase"),
    ("--feerate 2 --out", "--feerate 0.1 --out", "min relay fee not met"),
])
def test_stand_in_refuses(tmp_path, path, old, new, says):
    """Spends that a node refuses, so that the page is not tested by something that takes anything."""
    blocks = [block.replace(old, new) for block in commands()]
    assert blocks != commands()
    assert says in run_page(tmp_path, path, blocks, expected=1)
