# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""The common parts of tests: keys, which take time to make, coins to spend, slhtool's files, and the seed of all randomness."""

import hashlib
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "src" / "test" / "data"

try:
    import slhconsensus as slhc
except ImportError:  # the tests of the tool do without it
    slhc = None
sys.path.insert(0, str(Path(__file__).resolve().parent))
import seed  # noqa: E402
import tool  # noqa: E402
from seed import pytest_fixture_setup, pytest_runtest_makereport, pytest_runtest_protocol, pytest_terminal_summary  # noqa: E402, F401


def pytest_ignore_collect(collection_path):
    """Without the package, its tests are left out; ctest runs them where it is."""
    needs_package = collection_path.name.startswith("test_python") or collection_path.name == "test_scenarios.py"
    return True if slhc is None and needs_package else None


@pytest.fixture
def rng():
    """A random.Random for the test alone."""
    return seed.generator()


@pytest.fixture(scope="session")
def keys():
    """Secret keys by name."""
    names = ["alice", "bob", "carol"]
    return {name: slhc.SecretKey.from_seed(hashlib.sha512(f"{seed.SEED} {name}".encode()).digest()[:slhc.SEED_SIZE]) for name in names}


@pytest.fixture(scope="session")
def context():
    """A context that remembers no signatures, so that each verification is one."""
    with slhc.Context(backend="cpu") as made:
        yield made


@pytest.fixture(scope="session")
def files(tmp_path_factory):
    """Key files, trees and spends of slhtool."""
    return tool.Files(tmp_path_factory.mktemp("files"))


class Schnorr:
    """A key of BIP 340."""

    def __init__(self, coincurve, name):
        self._key = coincurve.PrivateKey(hashlib.sha256(f"{seed.SEED} {name}".encode()).digest())
        self.public = self._key.public_key.format()[1:]

    def sign(self, message):
        """A signature of a 32-byte message."""
        return self._key.sign_schnorr(message, bytes(32))


@pytest.fixture(scope="session")
def schnorr():
    """A Schnorr key; the test is skipped where there is nothing to sign with."""
    return Schnorr(pytest.importorskip("coincurve"), "schnorr")
