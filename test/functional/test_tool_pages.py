# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""slhtool's help and manual page: that nothing is missing in them, and that man takes the page.

What there is to be found comes from two sides: from --help, and from the calls in src/tool that declare options.
"""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tool import COMMANDS, TOOL, ok

SOURCES = Path(__file__).resolve().parents[2] / "src" / "tool"


def needs(program):
    return pytest.mark.skipif(shutil.which(program) is None, reason=f"{program} is not installed")


def listed_commands(*path):
    """The commands that --help lists below a command."""
    found = re.search(r"^Commands:\n((?:  .*\n)+)", ok(*path, "--help"), re.M)
    return re.findall(r"^  ([a-z-]+)", found[1], re.M) if found else []


def all_commands():
    for command in listed_commands():
        yield (command,)
        for kind in listed_commands(command):
            yield (command, kind)


def listed_options(*path):
    return set(re.findall(r"^  (?:-\w, )?(--[a-z-]+)", ok(*path, "--help"), re.M))


def declared_options():
    """Every option that the sources declare."""
    declared = set()
    for source in SOURCES.glob("*.cpp"):
        declared |= set(re.findall(r"(?:\.Add|\.AddFlag|\.AddChoice|set_help_all_flag|set_version_flag)\(\"(--[a-z-]+)[ \"]", source.read_text()))
    return declared


def test_help_lists_everything():
    assert set(COMMANDS) <= set(listed_commands())
    everywhere = listed_options().union(*(listed_options(*path) for path in all_commands()))
    assert len(declared_options()) > 30
    assert declared_options() <= everywhere
    for path in all_commands():
        text = ok(*path, "--help")
        assert f"slhtool {' '.join(path)} " in text
        assert max(map(len, text.split("Examples:")[0].splitlines())) <= 120
    assert all(ok(*path, "--help") in ok("--help-all") for path in all_commands())


# The manual page


def page():
    """The manual page as a reader sees it, in lines of any length."""
    result = subprocess.run(["groff", "-man", "-Tutf8", "-ww", "-P-c", "-rLL=400n"], input=ok("manual"), capture_output=True, text=True)
    assert result.returncode == 0
    assert result.stderr == ""
    return re.sub(r"\x1b\[[0-9;]*m|.\x08", "", result.stdout)


@needs("groff")
def test_manual_has_everything():
    text = page()
    for title in ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "COMMANDS", "CONVENTIONS", "EXIT STATUS", "ENVIRONMENT"]:
        assert re.search(rf"^{title}$", text, re.M), title
    for option in declared_options():
        assert option in text, option
    for path in all_commands():
        start = text.index(f"\n   {' '.join(path)}\n")
        end = re.compile(r"^(?:   )?\S.*$", re.M).search(text, start + 2 + 3 + len(" ".join(path)))
        section = text[start:end.start() if end else None]
        for option in listed_options(*path):
            assert re.search(rf"(?<![\w-]){option}(?![\w-])", section), (path, option)
        for line in ok(*path, "--help").split("Examples:\n")[-1].splitlines():
            if line.startswith("  slhtool"):
                assert line.strip() in section


@needs("man")
def test_man_shows_it_without_warnings(tmp_path):
    path = tmp_path / "slhtool.1"
    path.write_text(ok("manual"))
    result = subprocess.run(["man", "--warnings", "-l", path], capture_output=True, text=True, env={**os.environ, "MANWIDTH": "80"})
    assert (result.returncode, result.stderr) == (0, "")
    assert "slhtool" in result.stdout
    assert subprocess.run(["man", "-l", "-", path], stdin=subprocess.DEVNULL, capture_output=True).returncode == 0


def test_built_page():
    """What the build leaves to be installed is what the program prints."""
    page = Path(TOOL).resolve().parent / "pages" / "slhtool.1"
    if not page.is_file():
        pytest.skip("slhtool is not in its build tree")
    assert page.read_text() == ok("manual")
