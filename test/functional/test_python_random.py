# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""The Python package on a system whose random generator fails: no key and no hedged signature comes out.

SLHC_NO_RANDOM names a library for LD_PRELOAD that makes it fail.
"""

import errno
import os
import subprocess
import sys

import pytest

from tool import preloaded

LIBRARY = os.environ.get("SLHC_NO_RANDOM")
pytestmark = pytest.mark.skipif(not LIBRARY, reason="SLHC_NO_RANDOM names no library that makes getrandom() fail")

# Python itself and the context take random bytes first; the generator fails from then on.
PROGRAM = """
import os
import slhconsensus as slhc

key = slhc.SecretKey.from_seed(bytes(range(48)))
with slhc.Context(backend="cpu") as context:
    assert key.sign(b"message", deterministic=True, context=context) == key.sign(b"message", addrnd=bytes(key)[32:48], context=context)
    os.putenv("SLHC_TEST_RANDOM_BELOW", "0")
    for make in [lambda: key.sign(b"message", context=context), slhc.SecretKey.generate]:
        try:
            print("made:", make())
        except OSError as error:
            print(type(error).__name__, error)
"""


@pytest.mark.parametrize("refusal", [None, errno.ENOSYS, errno.EPERM], ids=["no generator", "no system call", "forbidden"])
def test_nothing_is_made(refusal):
    env = {**os.environ, **preloaded(LIBRARY), "SLHC_TEST_RANDOM_BELOW": "1000"}
    if refusal is not None:
        env["SLHC_TEST_RANDOM_REFUSAL"] = str(refusal)
    result = subprocess.run([sys.executable, "-c", PROGRAM], env=env, capture_output=True, text=True, timeout=120, check=False)
    number = refusal or errno.EIO
    error = f"{type(OSError(number, '')).__name__} [Errno {number}] getrandom: {os.strerror(number)}\n"
    assert (result.returncode, result.stdout) == (0, 2 * error), result.stderr
