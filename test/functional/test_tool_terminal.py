# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""slhtool on a terminal and off it: colours, and progress of long work."""

import os
import pty
import re
import subprocess
import termios
import threading

import pytest

from test_tool import TOOL, files, ok, run, tampered  # noqa: F401 (files is a fixture)

ESCAPE = "\x1b["


def on_terminal(*args, stream="stdout", columns=100, **env):
    """Run with one of the standard streams on a terminal. Returns the exit status and what both said."""
    master, slave = pty.openpty()
    termios.tcsetwinsize(slave, (25, columns))
    shown = []

    def read():
        while True:
            try:
                data = os.read(master, 65536)
            except OSError:  # nobody has the other end open any more
                return
            if not data:
                return
            shown.append(data)

    reader = threading.Thread(target=read)
    reader.start()
    environment = {**os.environ, "TERM": "xterm", **env}
    if "NO_COLOR" not in env:
        environment.pop("NO_COLOR", None)
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, stream: slave}
    with subprocess.Popen([TOOL, *map(str, args)], stdin=subprocess.DEVNULL, env=environment, **streams) as process:
        os.close(slave)
        said = dict(zip(["stdout", "stderr"], process.communicate(timeout=300)))
    reader.join()
    os.close(master)
    said[stream] = b"".join(shown)
    return process.returncode, {name: text.decode() for name, text in said.items()}


@pytest.fixture
def commands(files, tmp_path):  # noqa: F811
    """Command lines whose text has a verdict in it, each with its exit status."""
    bad_spend = tampered(files.single, tmp_path / "tampered.json")
    verify = ["verify", "--type", "schnorr", "--public-key", files.pub["dave"], "--message", "00", "--signature"]
    good = ok("sign", "--key", files.key("dave"), "--message", "00").strip()
    return [(["verify-tx", files.single], 0), (["verify-tx", bad_spend], 1), (["debug", files.single], 0), (["debug", bad_spend], 1),
            ([*verify, good], 0), ([*verify, "00"], 1), (["demo", "--dir", tmp_path / "demo", "--transactions", "1"], 0)]


def test_colours_on_a_terminal(commands):
    for args, status in commands:
        returned, said = on_terminal(*args)
        assert returned == status
        assert (f"{ESCAPE}31m" if status else f"{ESCAPE}32m") in said["stdout"], args
        assert said["stdout"].count(f"{ESCAPE}0m") == len(re.findall(r"\x1b\[[1-9]\d*m", said["stdout"]))
        assert said["stderr"] == ""


def test_no_colours_elsewhere(commands):
    for args, status in commands:
        result = run(*args)
        assert (result.returncode, ESCAPE in result.stdout) == (status, False), args
        assert ESCAPE not in run(*args, "--color", "auto").stdout
        assert ESCAPE in run(*args, "--color", "always").stdout
        for more, env in [((), {"NO_COLOR": "1"}), ((), {"TERM": "dumb"}), (("--color", "never"), {}), (("--json",), {}), (("--json", "--color=always"), {})]:
            returned, said = on_terminal(*args, *more, **env)
            assert (returned, ESCAPE in said["stdout"]) == (status, False), (args, more, env)
        assert ESCAPE in on_terminal(*args, NO_COLOR="")[1]["stdout"]  # empty is as if it were not set


def test_colours_change_nothing_else(commands):
    for args, _ in commands[4:6]:  # the others print times
        assert re.sub(r"\x1b\[\d+m", "", run(*args, "--color=always").stdout) == run(*args).stdout


def test_wrong_colour(files):  # noqa: F811
    result = run("verify-tx", files.single, "--color", "blue")
    assert (result.returncode, result.stdout) == (2, "")
    assert "blue" in result.stderr


BENCH = ["bench", "--backend", "cpu", "--batch", "1", "--milliseconds", "400"]


def test_progress_on_a_terminal():
    status, said = on_terminal(*BENCH, stream="stderr")
    assert status == 0
    assert re.search(r"measuring \[[#.]{24}\] \d of 3", said["stderr"])
    assert said["stderr"].endswith("\r\x1b[K"), "the line is not wiped at the end"
    assert "\n" not in said["stderr"]
    assert ESCAPE not in said["stdout"] and "measuring" not in said["stdout"]


def test_progress_on_a_narrow_terminal():
    _, said = on_terminal(*BENCH, stream="stderr", columns=20)
    lines = re.split(r"\r\x1b\[K", said["stderr"])
    assert max(map(len, lines)) == 19


def test_no_progress_elsewhere():
    shorter = [*BENCH[:-1], "200"]
    assert run(*shorter).stderr == ""
    assert on_terminal(*shorter, "--json", stream="stderr")[1]["stderr"] == ""
    assert on_terminal(*shorter, stream="stderr", TERM="dumb")[1]["stderr"] == ""


def test_short_work_shows_no_progress(files):  # noqa: F811
    assert on_terminal("pubkey", files.key("alice"), stream="stderr") == (0, {"stdout": files.pub["alice"] + "\n", "stderr": ""})


def test_error_after_progress(tmp_path):
    """An error has a line of its own."""
    keys = [tmp_path / f"{i}.key" for i in range(3)]
    status, said = on_terminal("keygen", *keys, tmp_path / "no" / "such.key", stream="stderr")
    assert status == 2
    assert re.fullmatch(r"(.*\r\x1b\[K)?slhtool keygen: [^\r\n]*such.key: No such file or directory\r\n", said["stderr"], re.S)
