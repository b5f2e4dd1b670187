# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""slhtool on a system whose random generator fails: what needs random bytes fails, and leaves nothing.

SLHC_NO_RANDOM names a library for LD_PRELOAD that makes it fail.
"""

import os

import pytest
from tool import bad, ok, preloaded, spend_args

LIBRARY = os.environ.get("SLHC_NO_RANDOM")
pytestmark = pytest.mark.skipif(not LIBRARY, reason="SLHC_NO_RANDOM names no library that makes getrandom() fail")
NO_RANDOM = preloaded(LIBRARY) if LIBRARY else {}


COMMANDS = {
    "keygen": lambda files: ["keygen", "made"],
    "keygen-schnorr": lambda files: ["keygen", "--type", "schnorr", "made"],
    "sign": lambda files: ["sign", "--key", files.key("alice"), "--message", "00", "--out", "made"],
    "sign-to-terminal": lambda files: ["sign", "--key", files.key("alice"), "--message", "00"],
    "sign-schnorr": lambda files: ["sign", "--key", files.key("dave"), "--message", "00", "--out", "made"],
    "spend": lambda files: [*spend_args(files, key=files.key("alice")), "--out", "made"],
}


@pytest.mark.parametrize("name", COMMANDS)
def test_nothing_is_made(files, tmp_path, name):
    command = COMMANDS[name](files)
    bad(*command, cwd=tmp_path, env=NO_RANDOM, says="getrandom: Input/output error")
    assert list(tmp_path.iterdir()) == []
    # It was not for any other reason.
    ok(*command, cwd=tmp_path)
