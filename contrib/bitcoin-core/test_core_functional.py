# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""run_core_functional.sh with a test of one's own, on stand-ins of a node and of Core's test framework."""

import json
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parent / "run_core_functional.sh"
TEST = """
import json, os, sys
import p2mr_beside, test_runner
open(sys.argv[1].split("=")[1] + ".seen", "w").write(json.dumps([sys.argv, os.environ["SLHCONSENSUS_LIBRARY"], [p for p in sys.path if p.endswith("functional")]]))
sys.exit(STATUS)
"""


@pytest.mark.parametrize("status", [0, 1])
def test_of_ones_own_needs_no_plain_node(tmp_path: Path, status: int) -> None:
    node, mine = tmp_path / "node", tmp_path / "mine"
    functional = node / "src/test/functional"
    for folder in functional, node / "core/bin", node / "core/test", node / "prefix/lib", mine:
        folder.mkdir(parents=True)
    (functional / "test_runner.py").write_text("")
    (node / "core/bin/bitcoind").write_text("#!/bin/sh\n")
    (node / "core/bin/bitcoind").chmod(0o755)
    (node / "prefix/lib/libslhconsensus.so").write_text("")
    (mine / "p2mr_beside.py").write_text("")
    (mine / "my_test.py").write_text(TEST.replace("STATUS", str(status)))
    command = [SCRIPT, "--node", node, "--timeout-factor", "2", "./my_test.py"]
    result = subprocess.run(command, cwd=mine, capture_output=True, text=True, check=False, env={"PATH": "/usr/bin:/bin"})
    assert result.returncode == status, result.stderr
    assert ("passed" in result.stdout) == (status == 0)
    config = node / "core/test/config.ini"
    arguments, library, folders = json.loads(Path(f"{config}.seen").read_text(encoding="utf-8"))
    assert arguments[0] == str(mine / "my_test.py") and arguments[1] == f"--configfile={config}" and "--timeout-factor=2" in arguments
    assert library == str(node / "prefix/lib/libslhconsensus.so")
    assert folders == [str(functional)]
    # Nothing is left where the test is, nor beside Core's.
    assert sorted(path.name for path in mine.iterdir()) == ["my_test.py", "p2mr_beside.py"]
    assert [path.name for path in functional.iterdir()] == ["test_runner.py"]
