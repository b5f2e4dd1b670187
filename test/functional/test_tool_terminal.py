# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""slhtool on a terminal and off it: colours, and the steps of long work."""

import os
import pty
import re
import resource
import select
import signal
import subprocess
import termios
import threading
import time

import pytest

from tool import TOOL, ok, run, tampered

ESCAPE = "\x1b["


def on_terminal(*args, stream="stdout", **env):
    """Run with one of the standard streams on a terminal. Returns the exit status and what both said."""
    master, slave = pty.openpty()
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
def commands(files, tmp_path):
    """Command lines whose text has a verdict in it, each with its exit status."""
    bad_spend = tampered(files.single, tmp_path / "tampered.json")
    verify = ["verify", "--type", "schnorr", "--public-key", files.pub["dave"], "--message", "00", "--signature"]
    good = ok("sign", "--key", files.key("dave"), "--message", "00").strip()
    return [(["verify-tx", files.single], 0), (["verify-tx", bad_spend], 1), (["debug", files.single], 0), (["debug", bad_spend], 1),
            ([*verify, good], 0), ([*verify, "00"], 1), (["demo", "--dir", tmp_path / "demo", "--transactions", "1"], 0)]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_at_the_passphrase_leaves_the_terminal_as_it_was(files, tmp_path, number):
    pid, terminal = pty.fork()
    if pid == 0:
        os.execv(TOOL, [TOOL, "encrypt", str(files.key("alice")), str(tmp_path / "out")])

    def echoes():
        return bool(termios.tcgetattr(terminal)[3] & termios.ECHO)
    assert b"assphrase" in os.read(terminal, 1000) and not echoes()
    if number == signal.SIGINT:
        os.write(terminal, b"\x03")
    else:
        os.kill(pid, number)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == -number
    assert echoes() and not (tmp_path / "out").exists()
    os.close(terminal)


def until(terminal, text):
    """What is shown before that text, and the text."""
    shown = b""
    while text not in shown:
        assert select.select([terminal], [], [], 60)[0], shown
        shown += os.read(terminal, 1000)
    return shown


def test_a_passphrase_that_the_terminal_would_cut(files, tmp_path):
    """It keeps 4095 bytes of a line, so nobody can tell a line of 4095 bytes from a longer one."""
    out = tmp_path / "out"
    for size, prompts in [(4094, 2), (4095, 1), (6000, 1)]:
        pid, terminal = pty.fork()
        if pid == 0:
            os.execv(TOOL, [TOOL, "encrypt", str(files.key("alice")), str(out)])
        for prompt in [b"Passphrase: ", b"Again: "][:prompts]:
            until(terminal, prompt)
            typed = b"x" * size + b"\n"
            while typed:
                typed = typed[os.write(terminal, typed[:1000]):]
        if prompts == 2:
            until(terminal, b"\n")
        else:
            until(terminal, b"slhtool encrypt: the passphrase is too long for a terminal: give --passphrase-file\r\n")
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == (0 if prompts == 2 else 2)
        assert out.exists() == (prompts == 2)
        out.unlink(missing_ok=True)
        os.close(terminal)


def in_front(group):
    """Make that group of processes the one that the terminal belongs to, from one to which it may not belong."""
    signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    os.tcsetpgrp(0, group)


def test_a_stop_at_the_passphrase_shows_nothing(files, tmp_path):
    """As Ctrl-Z and fg: meanwhile the shell has its echo on."""
    out = tmp_path / "out"
    pid, terminal = pty.fork()
    if pid == 0:
        os.execv(TOOL, [TOOL, "encrypt", str(files.key("alice")), str(out)])

    until(terminal, b"Passphrase: ")
    os.kill(pid, signal.SIGTSTP)  # stops no process that has no shell: it asks again
    until(terminal, b"Passphrase: ")
    assert not termios.tcgetattr(terminal)[3] & termios.ECHO
    os.kill(pid, signal.SIGSTOP)
    assert os.WIFSTOPPED(os.waitpid(pid, os.WUNTRACED)[1])
    modes = termios.tcgetattr(terminal)
    modes[3] |= termios.ECHO
    termios.tcsetattr(terminal, termios.TCSANOW, modes)
    os.kill(pid, signal.SIGCONT)
    until(terminal, b"Passphrase: ")
    os.write(terminal, b"hunter2\n")
    assert b"hunter2" not in until(terminal, b"Again: ")
    os.write(terminal, b"hunter2\n")
    assert b"hunter2" not in until(terminal, b"\n")
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0 and out.exists()
    os.close(terminal)


def test_a_job_that_was_stopped_at_the_passphrase_can_be_ended(files, tmp_path):
    pid, terminal = pty.fork()
    if pid == 0:  # a shell
        job = os.fork()
        if job == 0:
            os.setpgid(0, 0)
            in_front(os.getpid())
            signal.signal(signal.SIGTTOU, signal.SIG_DFL)
            os.execv(TOOL, [TOOL, "encrypt", str(files.key("alice")), str(tmp_path / "out")])
        os.waitpid(job, os.WUNTRACED)
        echoes = termios.tcgetattr(0)[3] & termios.ECHO
        in_front(os.getpid())  # the job is in the background
        os.killpg(job, signal.SIGTERM)
        os.killpg(job, signal.SIGCONT)
        status = os.waitpid(job, os.WUNTRACED)[1]
        os.killpg(job, signal.SIGKILL) if os.WIFSTOPPED(status) else None
        os._exit(0 if echoes and os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGTERM else 1)
    assert b"assphrase" in os.read(terminal, 1000)
    os.write(terminal, b"\x1a")
    assert os.waitpid(pid, 0)[1] == 0
    os.close(terminal)


def test_a_job_that_was_started_in_the_background_can_be_answered(files, tmp_path):
    """Shells that edit lines have the terminal in another mode until they bring the job to the front."""
    out = tmp_path / "out"
    pid, terminal = pty.fork()
    if pid == 0:  # a shell
        modes = termios.tcgetattr(0)
        editing = termios.tcgetattr(0)
        editing[0] &= ~termios.ICRNL
        editing[3] &= ~(termios.ICANON | termios.ECHO)
        termios.tcsetattr(0, termios.TCSANOW, editing)
        job = os.fork()
        if job == 0:
            os.setpgid(0, 0)
            os.execv(TOOL, [TOOL, "encrypt", str(files.key("alice")), str(out)])
        os.waitpid(job, os.WUNTRACED)
        termios.tcsetattr(0, termios.TCSANOW, modes)
        in_front(job)
        os.killpg(job, signal.SIGCONT)
        os._exit(os.waitstatus_to_exitcode(os.waitpid(job, 0)[1]))
    for prompt in b"Passphrase: ", b"Again: ":
        until(terminal, prompt)
        os.write(terminal, b"hunter2\r")
    assert b"hunter2" not in until(terminal, b"\n")
    assert os.waitpid(pid, 0)[1] == 0 and out.exists()
    os.close(terminal)


def test_no_core_is_handed_over_where_the_limit_is_0(files):
    """A process that may not raise the limit is one that only root can look into."""
    if os.geteuid() != 0:
        pytest.skip("another user's process cannot be made")

    def restrict():
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        os.setgid(65534)
        os.setuid(65534)
    try:
        waits = subprocess.Popen([TOOL, "pubkey", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, preexec_fn=restrict, text=True)
    except (PermissionError, subprocess.SubprocessError):
        pytest.skip("no other user's process can be made here, or it cannot run slhtool in this folder")
    try:
        deadline = time.monotonic() + 60
        while os.stat(f"/proc/{waits.pid}/maps").st_uid != 0:
            assert time.monotonic() < deadline
            time.sleep(0.01)
        assert "\nUid:\t65534\t" in open(f"/proc/{waits.pid}/status").read()
    finally:
        said, _ = waits.communicate(files.key("alice").read_text())
    assert files.pub["alice"] in said


def test_no_core_file_has_a_secret(files, tmp_path):
    """Ctrl-\\ at the passphrase, when the secret key has been read."""
    limit = resource.getrlimit(resource.RLIMIT_CORE)[1]
    if limit == 0:
        pytest.skip("no process makes a core file here")
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(tmp_path)
        resource.setrlimit(resource.RLIMIT_CORE, (limit, limit))
        os.execv(TOOL, [TOOL, "encrypt", str(files.key("alice")), "out"])
    assert b"assphrase" in os.read(terminal, 1000)
    os.write(terminal, b"\x1c")
    status = os.waitpid(pid, 0)[1]
    assert os.WTERMSIG(status) == signal.SIGQUIT and not os.WCOREDUMP(status) and not list(tmp_path.iterdir())
    os.close(terminal)


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


def test_wrong_colour(files):
    result = run("verify-tx", files.single, "--color", "blue")
    assert (result.returncode, result.stdout) == (2, "")
    assert "blue" in result.stderr


BENCH = ["bench", "--backend", "cpu", "--batch", "1", "--milliseconds", "20"]


def test_long_work_names_its_steps_on_a_terminal(tmp_path):
    demo = ["demo", "--dir", tmp_path, "--transactions", "2"]
    for args, steps in [(BENCH, "making 9 keys and signatures ...\r\n"), (demo, "making keys and 2 transactions ...\r\nverifying them ...\r\n")]:
        status, said = on_terminal(*args, stream="stderr")
        assert (status, said["stderr"]) == (0, steps)
        assert "..." not in said["stdout"]
        assert on_terminal(*args, stream="stderr", TERM="dumb")[1]["stderr"] == ""
        assert on_terminal(*args, "--json", stream="stderr")[1]["stderr"] == ""
        assert run(*args).stderr == ""


def test_short_work_says_nothing_of_itself(files):
    assert on_terminal("pubkey", files.key("alice"), stream="stderr") == (0, {"stdout": files.pub["alice"] + "\n", "stderr": ""})
    assert on_terminal("verify-tx", files.single, stream="stderr")[1]["stderr"] == ""


def test_rows_of_a_benchmark_appear_as_they_are_measured():
    """The first row of several is there while the others are still to come."""
    with subprocess.Popen([TOOL, "bench", "--backend", "cpu", "--batch", "1", "--milliseconds", "1500"], stdout=subprocess.PIPE, text=True) as process:
        shown = [process.stdout.readline() for _ in range(6)]
        running = process.poll() is None
        process.kill()
    assert shown[-1].startswith("verify ") and running
