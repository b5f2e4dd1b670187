# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""slhtool under a careless hand or a hostile one: nothing that is there gets lost, nothing is done that was not asked for."""

import os
import resource
import stat
import subprocess

import pytest

from tool import TOOL, bad, ok, run, spend_args, tampered

ENDLESS = ["/dev/zero", "/dev/full"]
MAX_MEMORY_KIB = 1 << 20  # with room for what sanitizers add


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A working directory of its own."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


# Secret keys that other output would replace


def test_public_key_over_the_secret_one(folder):
    for public in ["a.key", "./a.key", f"{folder}/a.key"]:
        bad("keygen", "a.key", "--public", public, says=["--public", "the file of the secret key"])
        assert not (folder / "a.key").exists()


def test_output_over_a_key(files, folder):
    key = folder / "a.key"
    key.write_text(files.key("alice").read_text())
    (folder / "link").symlink_to(key)
    before = key.read_text()
    for out in ["a.key", "link"]:
        bad("sign", "--key", key, "--message", "00", "--out", out, says=[out, "holds a secret key"])
        bad("sign", "--key", files.key("dave"), "--message", "00", "--out", out, says=[out, "holds a secret key"])
        bad("keygen", "b.key", "--force", "--public", out, says=[out, "holds a secret key"])
        assert not (folder / "b.key").exists()
        bad(*spend_args(files), "--out", out, says=[out, "holds a secret key"])
        assert key.read_text() == before
    # Of a damaged one, too: what is left of it may be worth something.
    key.write_text(before.replace('"public_key"', '"public"'))
    damaged = key.read_text()
    bad("sign", "--key", files.key("dave"), "--message", "00", "--out", "a.key", "--json", says="a.key")
    assert key.read_text() == damaged


def test_keys_named_twice(folder):
    for args in [["a.key", "a.key"], ["a.key", "./a.key"], ["a.key", f"{folder}/a.key"]]:
        bad("keygen", *args, "--force", says="is given twice")
    (folder / "b.key").write_text("mine")
    bad("keygen", "a.key", "b.key", says="b.key: already exists")
    assert os.listdir(folder) == ["b.key"], "no key is made if another cannot be"
    bad("keygen", "-", says="standard output")
    bad("keygen", "c.key", "d.key", "--seed-file", "seed", says="--seed-file: works with a single FILE only")
    bad("keygen", "c.key", "d.key", "--public", "pub", says="--public: works with a single FILE only")
    assert os.listdir(folder) == ["b.key"]


def test_many_keys(folder):
    lines = ok("keygen", "a.key", "b.key", "c.key").splitlines()
    for line, name in zip(lines, ["a.key", "b.key", "c.key"], strict=True):
        public, shown = line.split("  ")
        assert shown == name
        assert ok("pubkey", name).strip() == public
        assert stat.S_IMODE((folder / name).stat().st_mode) == 0o600


def test_forced_key_is_not_written_through_a_link(folder):
    (folder / "target").write_text("mine")
    (folder / "link").symlink_to("target")
    os.chmod(folder / "target", 0o666)
    ok("keygen", "--force", "link")
    assert (folder / "target").read_text() == "mine"
    assert not (folder / "link").is_symlink() and stat.S_IMODE((folder / "link").stat().st_mode) == 0o600
    bad("keygen", "--force", folder, says="directory")
    assert sorted(os.listdir(folder)) == ["link", "target"], "something is left behind"


# Folders that the demo would clear


def test_demo_does_not_clear_a_folder_that_is_not_its_own(folder):
    (folder / "keys").mkdir()
    (folder / "keys" / "mine").write_text("mine")
    bad("demo", "--dir", "", "--transactions", "1", says="--dir")
    bad("demo", "--dir", ".", "--transactions", "1", says="not from an earlier demo")
    for text in ["", "my project", "Made by slhtool"]:
        (folder / "README.txt").write_text(text)
        bad("demo", "--dir", ".", "--transactions", "1", says="not from an earlier demo")
    assert (folder / "keys" / "mine").read_text() == "mine"
    ok("demo", "--dir", "new", "--transactions", "1")
    ok("demo", "--dir", "new", "--transactions", "2")
    assert len(os.listdir(folder / "new" / "spends")) == 2


# Values that are empty, because a variable was not set


@pytest.mark.parametrize("args", [
    ["sign", "--key", "KEY", "--message-file", ""],
    ["sign", "--key", "", "--message", "00"],
    ["keygen", "a.key", "--seed-file", ""],
    ["keygen", "a.key", "--public", ""],
    ["keygen", ""],
    ["verify-tx", ""],
    ["verify-tx", "SPEND", "--flags", ""],
    ["verify-block", ""],
    ["debug", "SPEND", "--input", ""],
    ["spend", ""],
    ["address", "--tree", ""],
    ["bench", "--batch", ""],
])
def test_empty_values(files, folder, args):
    bad(*[{"KEY": files.key("alice"), "SPEND": files.single}.get(arg, arg) for arg in args], says=["empty value", "--help"])
    assert os.listdir(folder) == []


@pytest.mark.parametrize("args, says", [
    (["psbt", "create", "--to", "--out", "a.psbt"], "--to: expected a value, found '--out'"),
    (["sign", "--key", "--message", "00"], "--key: expected a value, found '--message'"),
    (["spend", "--key=--to=x"], "--key: expected a value, found '--to'"),
    (["keygen", "k", "--type", "--json"], "--type: expected a value, found '--json'"),
])
def test_options_as_values(folder, args, says):
    """A variable that is not set may be no argument at all."""
    bad(*args, says=[says, "--help"])
    assert os.listdir(folder) == []


def test_a_text_that_begins_like_an_option(files):
    assert ok("sign", "--key", files.key("dave"), "--message-text", "--out") != ""


def test_empty_bytes_are_a_value(files):
    assert ok("sign", "--key", files.key("dave"), "--message", "") != ""
    assert run("verify", "--public-key", files.pub["alice"], "--message", "", "--signature", "").returncode == 1


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
    (["verify-tx", "[a]"], "[a]"),
])
def test_what_is_not_expected_is_named(args, says):
    bad(*args, says=says)


# Streams


def test_closed_streams(files, folder):
    """A file that is opened does not take the place of a stream that the caller closed."""
    def call(redirection, *args, **env):
        return subprocess.run(["sh", "-c", f'"$@" {redirection}', "sh", TOOL, *map(str, args)],
                              capture_output=True, text=True, env={**os.environ, **env})

    result = call(">&-", "pubkey", files.key("alice"))
    assert (result.returncode, result.stderr) == (2, "slhtool pubkey: cannot write to standard output\n")
    result = call(">&-", "keygen", "a.key")
    assert (result.returncode, result.stderr) == (2, "slhtool keygen: a.key is written; cannot write to standard output "
                                                     "(slhtool pubkey a.key prints the public key)\n")
    assert ok("pubkey", "a.key") and "secret_key" in (folder / "a.key").read_text()
    assert call("2>&-", "keygen", "b.key", SLHC_LOG="debug").returncode == 0
    assert (folder / "b.key").read_text().startswith("{")
    assert call("2>&-", "sign", "--key", "b.key", "--message", "00", "--out", "sig", SLHC_LOG="debug").returncode == 0
    assert len((folder / "sig").read_text()) == 2 * 7856 + 1
    result = call("<&-", "pubkey", "-")
    assert result.returncode == 2 and "standard input" in result.stderr
    assert call("<&- >&- 2>&-", "pubkey", files.key("alice")).returncode == 2


@pytest.mark.parametrize("args", [["--help"], ["--version"], ["--help-all"], ["sign", "--help"], ["manual"], ["devices"], ["decode", "script", "OP_1"]])
def test_full_disk(args):
    with open("/dev/full", "w") as full:
        result = subprocess.run([TOOL, *args], stdout=full, stderr=subprocess.PIPE, text=True)
    assert result.returncode == 2
    assert result.stderr.endswith(": cannot write to standard output\n") and result.stderr.count("\n") == 1


def test_keys_that_are_written_are_named(folder):
    """Whatever went wrong after that."""
    with open("/dev/full", "w") as full:
        result = subprocess.run([TOOL, "keygen", "1.key", "2.key"], stdout=full, stderr=subprocess.PIPE, text=True)
    assert result.returncode == 2
    assert result.stderr == "slhtool keygen: 1.key, 2.key are written; cannot write to standard output (slhtool pubkey FILE prints the public key)\n"
    bad("keygen", "3.key", "4.key", "missing/5.key", "6.key", says="slhtool keygen: 3.key, 4.key are written; missing/5.key: No such file or directory\n")
    assert sorted(os.listdir(folder)) == ["1.key", "2.key", "3.key", "4.key"]


def test_every_command_names_what_it_has_written(folder, files):
    (folder / "seed").write_text("00" * 16 + "\n")
    for args, written in [(["derive", "seed", "--out", "4.key", "--table", "table"], "4.key, table are written"),
                          (["sign", "--key", files.key("alice"), "--message", "00", "--out", "sig", "--json"], "sig is written")]:
        with open("/dev/full", "w") as full:
            result = subprocess.run([TOOL, *map(str, args)], stdout=full, stderr=subprocess.PIPE, text=True)
        assert (result.returncode, result.stderr) == (2, f"slhtool {args[0]}: {written}; cannot write to standard output\n")
    bad("derive", "seed", "--out", "5.key", "--table", "/dev/full", says="slhtool derive: 5.key is written; /dev/full: No space left on device\n")


def test_full_disk_for_a_file(files):
    bad("sign", "--key", files.key("dave"), "--message", "00", "--out", "/dev/full", says=["/dev/full", "No space left"])


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
    bad("keygen", "dangling", says="already exists")
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
