# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Randomness in a test follows from a number and the test's name, so that one that failed can be repeated, alone or with others.

SLHC_TEST_SEED      the number (default: 1), which a failure prints
SLHC_SEEDED_RANDOM  a library for LD_PRELOAD that gives slhtool its random bytes; without it, they are the system's

A conftest.py imports pytest's hooks from here.
"""

from __future__ import annotations

import contextlib
import os
import random
from collections.abc import Generator
from typing import Any

import pytest

SEED = os.environ.get("SLHC_TEST_SEED", "1")
LIBRARY = os.environ.get("SLHC_SEEDED_RANDOM")


class _Stream:
    def __init__(self, name: str):
        self.name, self.programs, self.random = name, 0, random.Random(f"{SEED} {name}")


_stream = _Stream("")


@contextlib.contextmanager
def of(name: str) -> Generator[None, None, None]:
    """Inside, randomness is that of this test, or of this fixture that tests share."""
    global _stream
    before, _stream = _stream, _Stream(name)
    try:
        yield
    finally:
        _stream = before


def generator() -> random.Random:
    return _stream.random


def getrandom(size: int, flags: int = 0) -> bytes:
    return _stream.random.randbytes(size)


os.getrandom = getrandom  # from which the Python package has its random bytes


def variables(name: str | None = None) -> dict[str, str]:
    """For the library. name: what the program's random bytes follow from beside the seed; by default the test, and how many programs came before."""
    if name is None:
        _stream.programs += 1
        name = f"{_stream.name} {_stream.programs}"
    return {"SLHC_TEST_RANDOM": f"{SEED} {name}"}


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, None, None]:
    with of(f"{item.path.name} {item.name}"):
        yield


@pytest.hookimpl(hookwrapper=True)
def pytest_fixture_setup(fixturedef: pytest.FixtureDef[Any]) -> Generator[None, None, None]:
    with of(fixturedef.argname) if fixturedef.scope != "function" else contextlib.nullcontext():
        yield


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport() -> Generator[None, Any, None]:
    report = (yield).get_result()
    if report.failed:
        report.sections.append(("seed", f"SLHC_TEST_SEED={SEED}"))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    terminalreporter.write_line(f"SLHC_TEST_SEED={SEED}")
