# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""slhtool given what makes no sense: files without end, garbage, deep nesting. One line says so."""

import os
import resource
import subprocess

import pytest

from tool import TOOL, bad, ok, run, tampered

ENDLESS = ["/dev/zero", "/dev/full"]
MAX_MEMORY_KIB = 1 << 20  # with room for what sanitizers add


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A working directory of its own."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


# Options that would have no effect


def test_options_without_effect(files):
    bad("verify-tx", files.single, "--spent", "1:00", says="--spent needs --tx")
    bad("verify-block", files.single, "--spent", "1:00", says="--spent needs --block")
    bad("spend", files.single, "--amount", "1", says="--amount: cannot be combined with a SPEC file")


@pytest.mark.parametrize("args, says", [
    (["--nosuch"], "--nosuch"),
    (["keygen", "-x"], "-x"),
    (["pubkey", "a", "b"], "'b'"),
    (["decode", "nosuch"], "nosuch"),
])
def test_what_is_not_expected_is_named(args, says):
    bad(*args, says=says)


# Streams


@pytest.mark.parametrize("args", [["--help"], ["--version"], ["sign", "--help"], ["devices"], ["decode", "script", "OP_1"]])
def test_full_disk(args):
    with open("/dev/full", "w") as full:
        result = subprocess.run([TOOL, *args], stdout=full, stderr=subprocess.PIPE, text=True)
    assert result.returncode == 2
    assert result.stderr.endswith(": cannot write to standard output\n") and result.stderr.count("\n") == 1


def test_closed_pipe():
    """As every other program: quietly, or with a line if the signal is ignored."""
    script = " ".join(["OP_1"] * 20_000)
    for ignore, status in [("", 141), ("trap '' PIPE; ", 2)]:
        program = f'{ignore}{{ "$0" decode script "$1"; echo $? >&2; }} | head -c 1'
        result = subprocess.run(["bash", "-c", program, TOOL, script], capture_output=True, text=True)
        lines = result.stderr.splitlines()
        assert lines[-1] == str(status), lines  # no pipe has room for all of it
        assert len(lines) <= 2


# Files


@pytest.mark.parametrize("path", ENDLESS)
def test_endless_files(path):
    for args in [["pubkey", path], ["verify-tx", path], ["verify-block", path], ["spend", path], ["debug", path], ["decode", "tx", f"@{path}"], ["address", "--tree", f"@{path}"],
                 ["sign", "--key", path, "--message", "00"], ["keygen", "/nonexistent/a.key", "--seed-file", path]]:
        bad(*args, says=[path, "larger than the limit"])
    # All of them together: what is read is little more than the limit.
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss < MAX_MEMORY_KIB


def test_binary_garbage(folder):
    for name, content in [("random", bytes(range(256)) * 3), ("zeros", bytes(1000)), ("escapes", b"\x1b[2J\x9b\xc2\x9b" * 20), ("half", "ü".encode()[:1])]:
        path = folder / name
        path.write_bytes(content)
        for args in [["pubkey", name], ["verify-tx", name], ["verify-block", name], ["spend", name], ["debug", name], ["address", "--tree", f"@{name}"], ["address", "--key", f"@{name}", "OP_1"],
                     ["decode", "tx", f"@{name}"], ["decode", "script", f"@{name}"], ["decode", "witness", f"@{name}"], ["decode", "control-block", f"@{name}"],
                     ["sign", "--key", name, "--message", "00"], ["keygen", "a.key", "--seed-file", name], ["verify", "--public-key", "00" * 32, "--message", "00", "--signature", f"@{name}"]]:
            error = bad(*args, says=name)
            assert not any(ord(c) < 32 or 127 <= ord(c) < 160 for c in error[:-1]), "control characters"
        bad("decode", "address", f"@{name}", says="address")


def test_file_names_that_lie(files, folder):
    """A name cannot write over the verdict."""
    name = "a.json\x1b[2K\rspend.json: valid\x9b\n"
    with open(os.fsencode(name), "wb") as file:
        file.write(tampered(files.single, folder / "tampered.json").read_bytes())
    result = run("verify-tx", name)
    assert result.returncode == 1
    assert "\x1b" not in result.stdout and "\r" not in result.stdout
    assert result.stdout.count("\n") == 3
    long = "x" * 5000
    bad("pubkey", long, says="File name too long")


def test_special_files(folder):
    (folder / "loop").symlink_to("loop")
    bad("pubkey", "loop", says=["loop", "symbolic links"])
    (folder / "dangling").symlink_to("nowhere")
    bad("keygen", "/dev/null/a.key", says=["/dev/null/a.key", "Not a directory"])
    bad("pubkey", "/proc/self/mem", says="/proc/self/mem")
    (folder / "linked.key").symlink_to("real.key")
    ok("keygen", "real.key")
    assert ok("pubkey", "linked.key") == ok("pubkey", "real.key")


def test_folder_without_permission(files, folder):
    (folder / "readonly").mkdir(mode=0o555)
    (folder / "unreadable.key").write_text(files.key("alice").read_text())
    (folder / "unreadable.key").chmod(0)
    if os.geteuid() == 0:
        pytest.skip("root may do everything")
    bad("keygen", "readonly/a.key", says=["readonly/a.key", "Permission denied"])
    bad("demo", "--dir", "readonly/demo", says=["readonly/demo", "Permission denied"])
    bad("sign", "--key", files.key("dave"), "--message", "00", "--out", "readonly/sig", says=["readonly/sig", "Permission denied"])
    bad("pubkey", "unreadable.key", says=["unreadable.key", "Permission denied"])


# Nesting


@pytest.mark.parametrize("text", ["[" * 2_000_000, '{"a":' * 200_000], ids=["arrays", "objects"])
def test_deep_json(folder, text):
    (folder / "deep").write_text(text)
    for args in [["verify-tx", "deep"], ["verify-block", "deep"], ["spend", "deep"], ["debug", "deep"], ["address", "--tree", "@deep"]]:
        if args[0] == "address":
            bad(*args, says="deep")
        else:
            bad(*args, says=["deep", "deeper than 32 levels"])


@pytest.mark.parametrize("text", ["{" * 2_000_000, "{" * 50_000 + "OP_1" + ",OP_1}" * 50_000, "leaf(0xfa," * 50_000 + ")" * 50_000, "(" * 2_000_000,
                                  "multi_slhdsa(1," + ",".join(["00" * 32] * 100_000) + ")", "<" + "00" * 5_000_000 + ">"],
                         ids=["open", "closed", "leaves", "parentheses", "keys", "push"])
def test_deep_trees(folder, text):
    (folder / "deep").write_text(text)
    bad("address", "--tree", "@deep", says=["--tree", "deep"])
