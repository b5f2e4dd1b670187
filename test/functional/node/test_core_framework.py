# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""The test that is written for Bitcoin Core's own framework (contrib/bitcoin-core/functional), where that framework is."""

import os
import subprocess

import pytest

from conftest import BITCOIND, ROOT

CORE_FUNCTIONAL = os.environ.get("SLHC_CORE_FUNCTIONAL")


@pytest.mark.skipif(not CORE_FUNCTIONAL, reason="SLHC_CORE_FUNCTIONAL does not name the folder test/functional of a checkout of Bitcoin Core")
def test_feature_p2mr() -> None:
    command = [str(ROOT / "contrib/bitcoin-core/run_core_functional.sh"), str(CORE_FUNCTIONAL), "--node", str(BITCOIND.parents[1]), "feature_p2mr.py"]
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    assert result.returncode == 0, result.stdout
