# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Runs the commands of doc/first-spend.md, as a reader who pastes them."""

import os
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
STAND_IN = Path(__file__).resolve().parent / "stand_in.py"
PAGE = ROOT / "doc" / "first-spend.md"


def commands() -> list[str]:
    """The content of its blocks marked as sh, in their order."""
    return re.findall(r"^```sh\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)


def run_page(folder: Path, path: Sequence[Path], blocks: Sequence[str] | None = None, expected: int = 0) -> str:
    """Run these commands, the page's if none are given, in a folder and with these folders before the others in PATH.
    Their output, each after the lines that caused it."""
    script = "set -euo pipefail\nset -v\n" + "".join(blocks or commands())
    environment = {**os.environ, "PATH": os.pathsep.join([*map(str, path), os.environ["PATH"]])}
    result = subprocess.run(["bash", "-c", script], cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, timeout=600)
    assert result.returncode == expected, result.stdout
    return result.stdout


def check_page(folder: Path, output: str) -> None:
    """Check that the page keeps its promises."""
    assert re.search(r"^bcrt1z", output, re.MULTILINE)
    # The reward, and the amount sent
    assert output.count('"type": "witness_v2_p2mr"') == 3
    assert '"value": 50.00000000' in output or '"value": 50.0' in output
    assert '"value": 10.00000000' in output or '"value": 10.0' in output
    assert "at least 10 blocks (nSequence 10)" not in output  # Alice's leaf has no lock time
    assert "(2.0 per virtual byte)" in output
    assert "10 OP_CHECKSEQUENCEVERIFY" in output or "OP_10 OP_CHECKSEQUENCEVERIFY" in output
    for name in ("spend.json", "recovered.json", "small.json"):
        assert f"{name}: valid" in output
        assert (folder / "first-spend" / name).exists()
