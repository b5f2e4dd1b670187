# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""The test that is written for Bitcoin Core's own framework (contrib/bitcoin-core/functional)."""

import subprocess

import pytest

from conftest import BITCOIND, ROOT


def test_feature_p2mr() -> None:
    command = [str(ROOT / "contrib/bitcoin-core/run_core_functional.sh"), "--node", str(BITCOIND.parents[1]), "feature_p2mr.py"]
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if result.returncode == 77:  # a node that build.sh did not make
        pytest.skip(result.stdout.strip())
    assert result.returncode == 0, result.stdout
