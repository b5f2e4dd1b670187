# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Files that slhtool writes: none is replaced without --force, and each is complete or not there."""

import json
import os
import resource
import stat
import subprocess

import pytest

from tool import TOOL, TXID, bad, ok, run

EXISTS = "already exists (--force replaces it)"


@pytest.fixture(name="writers")
def _writers(files, tmp_path, monkeypatch):
    """Ways in which slhtool writes a file, as arguments that the file's name and --force follow."""
    monkeypatch.chdir(tmp_path)
    tree, data = files.tree(f"pk_slhdsa({files.pub['alice']})", f"pk_schnorr({files.pub['dave']})")
    coin = ["--outpoint", f"{TXID}:0", "--amount", "100000", "--tree", f"@{tree}", "--leaf", "1", "--to", data["addresses"]["regtest"]]
    return {
        "keygen": ["keygen", "--type", "schnorr"],
        "keygen --public": ["keygen", "new.key", "--type", "schnorr", "--public"],
        "sign": ["sign", "--key", files.key("dave"), "--message", "00", "--out"],
        "spend": ["spend", *coin, "--key", files.key("dave"), "--out"],
    }


def test_nothing_is_replaced_without_force(writers, tmp_path):
    out = tmp_path / "out"
    for name, args in writers.items():
        out.write_text("mine")
        bad(*args, out, says=f"{out}: {EXISTS}")
        assert out.read_text() == "mine" and os.listdir(tmp_path) == ["out"], name
        ok(*args, out, "--force")
        assert out.read_text() != "mine" and set(os.listdir(tmp_path)) <= {"out", "new.key"}, name
        (tmp_path / "new.key").unlink(missing_ok=True)


def test_permissions(writers, tmp_path):
    """A key is its owner's to read, whatever stood there before; of anything else the umask decides."""
    out = tmp_path / "out"
    for name, args in writers.items():
        out.touch(0o666)
        out.chmod(0o666)
        ok(*args, out, "--force", umask=0o022)
        assert stat.S_IMODE(out.stat().st_mode) == (0o600 if name == "keygen" else 0o644)
        (tmp_path / "new.key").unlink(missing_ok=True)


def test_a_file_that_cannot_be_written(writers, tmp_path):
    """A limit on its size stands for a full disk: one line says so, the old file is as it was, and nothing is left behind."""
    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (32, 32))

    out = tmp_path / "out"
    for name, args in writers.items():
        bad(*args, tmp_path / "missing" / "out", says=f"{tmp_path}/missing/out: No such file or directory")
        (tmp_path / "new.key").unlink(missing_ok=True)
        if name == "keygen --public":
            continue  # its key is what does not fit
        bad(*args, out, says=f"{out}: File too large", preexec_fn=limit, restore_signals=False)
        assert os.listdir(tmp_path) == []
        out.write_text("mine")
        bad(*args, out, "--force", says=f"{out}: File too large", preexec_fn=limit, restore_signals=False)
        assert out.read_text() == "mine" and os.listdir(tmp_path) == ["out"]
        out.unlink()


def test_links_folders_and_streams(writers, tmp_path):
    """A link is followed; a device is written to, and stays one."""
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to("target")
    for name, args in writers.items():
        bad(*args, tmp_path / "folder", "--force", says="is a directory")
        bad(*args, "-", "--force", says="standard output")
        (tmp_path / "target").write_text("mine")
        bad(*args, tmp_path / "link", says=EXISTS)
        ok(*args, tmp_path / "link", "--force")
        assert (tmp_path / "link").is_symlink() and (tmp_path / "target").read_text() != "mine", name
        ok(*args, "/dev/null", "--force")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)
    bad(*writers["sign"], "/dev/full", says="/dev/full: No space left on device")
    piped = subprocess.run([TOOL, *map(str, writers["spend"]), "/dev/stdout", "--hex"], capture_output=True, text=True, check=True).stdout
    made, end = json.JSONDecoder().raw_decode(piped)
    assert piped[end:].strip() == made["tx"]


def test_keys_are_checked_before_the_first_is_made(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "b.key").write_text("mine")
    bad("keygen", "a.key", "b.key", says=f"b.key: {EXISTS}")
    bad("keygen", "a.key", "a.key", says="a.key: is given twice")
    bad("keygen", "a.key", "--public", "a.key", says="--public: names the file of the secret key")
    bad("keygen", "c.key", "d.key", "--seed-file", "seed", says="--seed-file: works with a single FILE only")
    assert os.listdir(tmp_path) == ["b.key"]
    lines = ok("keygen", "a.key", "c.key", "d.key").splitlines()
    assert [line.split("  ")[1] for line in lines] == ["a.key", "c.key", "d.key"]
    assert ok("pubkey", "c.key").strip() == lines[1].split("  ")[0]


@pytest.mark.parametrize("command", ["encrypt", "decrypt", "backup", "derive", "manual"])
def test_commands_that_are_gone(command, tmp_path):
    """They are named, and nothing is done."""
    assert run(command, tmp_path / "a.key", tmp_path / "b.key").stderr == f"slhtool: '{command}' is not a command (see slhtool --help)\n"
