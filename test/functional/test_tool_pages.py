# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""slhtool's manual page and completions: that nothing is missing in them, and that shells and man take them.

What there is to be found comes from two sides: from --help, and from the calls in src/tool that declare options.
"""

import os
import pty
import re
import select
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from test_tool import COMMANDS, TOOL, bad, ok

SOURCES = Path(__file__).resolve().parents[2] / "src" / "tool"
SHELLS = ["bash", "zsh", "fish"]


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


def test_built_pages():
    """What the build leaves to be installed is what the program prints."""
    pages = Path(TOOL).resolve().parent / "pages"
    if not pages.is_dir():
        pytest.skip("slhtool is not in its build tree")
    for name, command in [("slhtool.1", ["manual"]), ("slhtool", ["completion", "bash"]), ("_slhtool", ["completion", "zsh"]), ("slhtool.fish", ["completion", "fish"])]:
        assert (pages / name).read_text() == ok(*command), name


# Completions


def test_completion_needs_a_shell():
    bad("completion", says="--help")
    bad("completion", "tcsh", says="tcsh")


@pytest.fixture
def script(request, tmp_path_factory):
    """The completions of the shell that a class is named after, in a file with the name that the shell expects."""
    shell = request.cls.__name__.removeprefix("Test").lower()
    path = tmp_path_factory.mktemp(shell) / {"bash": "slhtool", "zsh": "_slhtool", "fish": "slhtool.fish"}[shell]
    path.write_text(ok("completion", shell))
    assert subprocess.run([shell, "-n", path], capture_output=True, text=True).stderr == ""
    return path


@needs("bash")
class TestBash:
    def complete(self, script, line, cwd=None):
        """What is offered in place of the last word; bash cuts that at '='."""
        word = re.split(r"[\s=]", line)[-1]
        program = 'source "$1"; COMP_LINE=$2 COMP_POINT=${#2}; _slhtool slhtool "$3" ""; printf "%s\\n" "${COMPREPLY[@]}"'
        result = subprocess.run(["bash", "--norc", "-c", program, "bash", script, line, word], capture_output=True, text=True, cwd=cwd)
        assert result.stderr == ""
        return set(result.stdout.split())

    def test_everything(self, script):
        assert self.complete(script, "slhtool ") == set(listed_commands())
        assert self.complete(script, "slhtool --") == listed_options()
        for path in all_commands():
            assert listed_options(*path) <= self.complete(script, f"slhtool {' '.join(path)} --"), path
            assert set(listed_commands(*path)) <= self.complete(script, f"slhtool {' '.join(path)} ")

    def test_values(self, script, tmp_path):
        (tmp_path / "alice.key").touch()
        (tmp_path / "trees").mkdir()
        for line, offered in [("slhtool verify-b", {"verify-block"}),
                              ("slhtool keygen --type ", {"slhdsa", "schnorr"}),
                              ("slhtool keygen --type=sc", {"schnorr"}),
                              ("slhtool verify-tx --color ", {"auto", "always", "never"}),
                              ("slhtool completion ", set(SHELLS)),
                              ("slhtool pubkey al", {"alice.key"}),
                              ("slhtool spend --key al", {"alice.key"}),
                              ("slhtool spend --key=al", {"alice.key"}),
                              ("slhtool verify --public-key @al", {"@alice.key"}),
                              ("slhtool decode tx @tr", {"@trees/"}),
                              ("slhtool decode tx al", set()),
                              ("slhtool decode wi", {"witness"}),
                              ("slhtool decode @tr", {"@trees/"}),
                              ("slhtool demo --dir ", {"trees"}),
                              ("slhtool spend --amount ", set()),
                              ("slhtool keygen sign --ty", {"--type"})]:
            assert self.complete(script, line, tmp_path) - {""} == offered, line

    def test_interactive(self, script, tmp_path):
        (tmp_path / "alice.tree").touch()
        for typed, completed in [("slhtool verify-b", "slhtool verify-block "), ("slhtool address --tree=@al", "slhtool address --tree=@alice.tree "),
                                 ("slhtool keygen --type=sc", "slhtool keygen --type=schnorr ")]:
            shown = type_into(["bash", "--norc", "--noprofile", "-i"], f"source {script}; cd {tmp_path}", typed, completed)
            assert completed in shown, shown


@needs("zsh")
class TestZsh:
    def test_everything(self, script):
        text = script.read_text()
        for path in [(), *all_commands()]:
            name = "_".join(["_slhtool", *path]).replace("-", "_")
            body = text[text.index(f"\n{name}() {{\n"):]
            body = body[:body.index("\n}\n")]
            for option in listed_options(*path):
                assert re.search(rf"'\*?{option}=?\[", body), (path, option)
            for command in listed_commands(*path):
                assert f"'{command}:" in body

    def test_interactive(self, script, tmp_path):
        (tmp_path / "alice.tree").touch()
        sourced, found = f"source {script}", f"fpath=({script.parent} $fpath); compinit -D -u"
        for setup, typed, completed in [(found, "slhtool verify-b", "slhtool verify-block"),
                                        (found, "slhtool decode control-block --sc", "slhtool decode control-block --script"),
                                        (found, "slhtool decode @al", "slhtool decode @alice.tree"),
                                        (found, "slhtool decode wi", "slhtool decode witness"),
                                        (sourced, "slhtool address --tree @al", "slhtool address --tree @alice.tree"),
                                        (sourced, "slhtool keygen --type=sc", "slhtool keygen --type=schnorr")]:
            shown = type_into(["zsh", "-f", "-i"], f"autoload -U compinit; compinit -D -u; {setup}; cd {tmp_path}", typed, completed)
            assert completed in shown, shown


@needs("fish")
class TestFish:
    def complete(self, script, line, cwd=None):
        result = subprocess.run(["fish", "--no-config", "-c", f"source {script}; complete -C{line!r}"], capture_output=True, text=True, cwd=cwd)
        assert (result.returncode, result.stderr) == (0, "")
        return {row.split("\t")[0] for row in result.stdout.splitlines()}

    def test_everything(self, script):
        assert set(listed_commands()) <= self.complete(script, "slhtool ")
        for path in [(), *all_commands()]:
            assert listed_options(*path) <= self.complete(script, " ".join(["slhtool", *path, "--"])), path

    def test_values(self, script, tmp_path):
        (tmp_path / "alice.key").touch()
        for line, offered in [("slhtool keygen --type ", {"slhdsa", "schnorr"}), ("slhtool completion ", set(SHELLS)), ("slhtool pubkey al", {"alice.key"}),
                              ("slhtool verify --public-key @al", {"@alice.key"}), ("slhtool verify-b", {"verify-block"})]:
            assert self.complete(script, line, tmp_path) == offered, line


def type_into(shell, setup, typed, expected):
    """Type a line and a tab into a shell on a terminal of its own; return the line as the terminal then shows it: with
    what is expected, or after a time that is long enough for it."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.environ.update(PS1="> ", TERM="dumb", PATH=f"{Path(TOOL).resolve().parent}:{os.environ['PATH']}")
        os.execvp(shell[0], shell)

    def read_until(done, seconds):
        shown, end = "", time.monotonic() + seconds
        while time.monotonic() < end and not done(shown):
            if select.select([terminal], [], [], 0.05)[0]:
                shown += os.read(terminal, 65536).decode(errors="replace")
        return shown

    try:
        # The quotes keep the echo of the command from looking like its output.
        os.write(terminal, f"{setup}; echo rea''dy\n".encode())
        read_until(lambda shown: "ready" in shown, 30)
        read_until(lambda shown: False, 0.3)
        os.write(terminal, typed.encode() + b"\t")
        return as_shown(read_until(lambda shown: expected in as_shown(shown), 30))
    finally:
        os.write(terminal, b"\x03\x04")
        os.close(terminal)
        os.waitpid(pid, 0)


def as_shown(output):
    """The last line with backspaces applied and escape sequences left out."""
    line = []
    for char in re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]|[\x00\x07]", "", output):
        if char == "\x08":
            del line[-1:]
        elif char in "\r\n":
            line = []
        else:
            line.append(char)
    return "".join(line)
