# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Files that slhtool writes: what they may replace, and that nothing is lost when writing fails."""

import base64
import json
import os
import resource
import signal
import stat
import subprocess

import pytest

from tool import SEED, TOOL, TXID, bad, ok, ok_json, run

XPRV = "xprv9s21ZrQH143K3QTDL4LXw2F7HEK3wJUD2nW2nRk4stbPy6cq3jPPqjiChkVvvNKmPGJxWUtg6LnF5kejMRNNU3TGtRBeJgk33yuGBxrMPHi"
A, B = "11" * 32, "22" * 32
DESCRIPTOR = f"mr({{pk_slhdsa({A}),pk_slhdsa({B})}})"
EXISTS = "already exists (--force replaces it)"


@pytest.fixture(name="writers")
def _writers(files, tmp_path, monkeypatch):
    """Every way in which slhtool writes a file, as arguments that the file's name and --force follow."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "master.txt").write_text(SEED)
    (tmp_path / "passphrase").write_text("correct horse\n")
    tree, data = files.tree(f"pk_slhdsa({files.pub['alice']})", f"pk_schnorr({files.pub['dave']})")
    coin = ["--outpoint", f"{TXID}:0", "--amount", "100000", "--tree", f"@{tree}", "--leaf", "1", "--to", data["addresses"]["regtest"]]
    ok("psbt", "create", *coin, "--out", "start")
    ok("psbt", "sign", "@start", "--key", files.key("dave"), "--yes", "--out", "signed")
    ok("psbt", "finalize", "@signed", "--out", "final")
    ok("encrypt", files.key("alice"), "enc", "--passphrase-file", "passphrase")
    return {
        "keygen": ["keygen"],
        "keygen --public": ["keygen", "new.key", "--public"],
        "derive --out": ["derive", "master.txt", "--out"],
        "derive --table": ["derive", "master.txt", "--table"],
        "sign": ["sign", "--key", files.key("dave"), "--message", "00", "--out"],
        "spend": ["spend", *coin, "--key", files.key("dave"), "--out"],
        "spend --partial": ["spend", *coin, "--partial", "--out"],
        "psbt create": ["psbt", "create", *coin, "--out"],
        "psbt update": ["psbt", "update", "@start", "--out"],
        "psbt sign": ["psbt", "sign", "@start", "--key", files.key("dave"), "--yes", "--out"],
        "psbt combine": ["psbt", "combine", "@start", "@signed", "--out"],
        "psbt finalize": ["psbt", "finalize", "@signed", "--out"],
        "psbt extract": ["psbt", "extract", "@final", "--out"],
        "backup make": ["backup", "make", "--descriptor", DESCRIPTOR, "--birth-height", "0"],
        "encrypt": ["encrypt", "--passphrase-file", "passphrase", files.key("alice")],
        "decrypt": ["decrypt", "--passphrase-file", "passphrase", "enc"],
    }


#: What each kind of file is written by, so that --force may replace it
OF_ITS_KIND = {
    "key": {"keygen", "derive --out", "decrypt"},
    "encrypted": {"encrypt"},
    "backup": {"backup make"},
}


def contents(files):
    """Of files that cannot be made again, by kind."""
    key = files.key("carol").read_text()
    backup = {"backup": 1, "descriptor": DESCRIPTOR}
    return {
        "key": [key, key.replace('"public_key"', '"public')],
        "master": ["abandon " * 11 + "about\n", "abandon\n" * 10 + "about", "Ábaco " * 24, XPRV + "\n", f"wpkh({XPRV}/0/*)", XPRV[:80], SEED + "\n", "AB" * 64],
        "encrypted": [(files.folder / "carol.enc").read_bytes()],
        "backup": [json.dumps(backup), json.dumps(backup, indent=2)[:-2]],
        "descriptor": [DESCRIPTOR, f"wsh(pk(02{A}))#00000000\n", f"{{pk_slhdsa({A}),OP_RETURN}}\n", ok("address", "--key", A, "OP_RETURN", "--json"),
                       ok("descriptor", "addresses", DESCRIPTOR, "--json")],
    }


def check(args, path, content, replaced):
    """Without --force, the file stays; with it, it is replaced or stays."""
    path.write_bytes(content)
    before = sorted(os.listdir(path.parent))
    problem = bad(*args, path, says=[str(path)])
    assert path.read_bytes() == content
    if replaced:
        assert EXISTS in problem or args[0] == "decrypt"  # which does not know yet what it will write
        ok(*args, path, "--force")
        assert path.read_bytes() != content
        return
    assert EXISTS in problem or "which would be lost: move it away first" in problem
    bad(*args, path, "--force", says=[str(path), "holds ", "which would be lost: move it away first"])
    assert path.read_bytes() == content
    assert sorted(os.listdir(path.parent)) == before, "something was made, or left behind"


def test_nothing_is_replaced_without_force(files, writers, tmp_path):
    """Whatever the file holds."""
    for name, args in writers.items():
        out = tmp_path / "out"
        for content in b"something else", b"", b"\0" * 5_000_000, base64.b64encode(b"psbt\xff" + bytes(300)):
            check(args, out, content, replaced=True)
            (tmp_path / "new.key").unlink(missing_ok=True)
        assert name != "psbt update" or ok_json("psbt", "show", f"@{out}")


@pytest.mark.parametrize("kind", ["key", "master", "encrypted", "backup", "descriptor"])
def test_what_cannot_be_made_again(files, writers, tmp_path, kind):
    """Secrets, backups and descriptors are not even replaced with --force, but by a command that is about such files."""
    if not (files.folder / "carol.enc").exists():
        ok("encrypt", files.key("carol"), files.folder / "carol.enc", "--passphrase-file", "passphrase")
    for n, content in enumerate(contents(files)[kind]):
        content = content if isinstance(content, bytes) else content.encode()
        for name, args in writers.items():
            if n > 0 and name in ("encrypt", "decrypt"):
                continue  # a passphrase takes time
            check(args, tmp_path / "out", content, replaced=name in OF_ITS_KIND.get(kind, ()))


def test_links(writers, tmp_path):
    """What a link leads to is never written; a link to a secret stays, too."""
    (tmp_path / "mine").write_text("mine")
    for name, args in writers.items():
        link = tmp_path / "link"
        link.symlink_to("mine")
        bad(*args, link, says=EXISTS)
        ok(*args, link, "--force")
        assert (tmp_path / "mine").read_text() == "mine" and not link.is_symlink()
        link.unlink()
        link.symlink_to("master.txt")
        bad(*args, link, "--force", says="which would be lost")
        link.unlink()
        link.symlink_to("nowhere")
        bad(*args, link, says=EXISTS)
        assert not (tmp_path / "nowhere").exists(), name
        link.unlink()
        (tmp_path / "new.key").unlink(missing_ok=True)


def test_folders_and_devices(writers, tmp_path):
    """A secret is written to files alone; other things also to a device, which stays one."""
    (tmp_path / "folder").mkdir()
    for name, args in writers.items():
        bad(*args, tmp_path / "folder", "--force", says="is a directory")
        if name in ("keygen", "derive --out", "encrypt", "decrypt"):
            bad(*args, "/dev/null", "--force", says="a secret is written to nothing else")
        else:
            ok(*args, "/dev/null")
            (tmp_path / "new.key").unlink(missing_ok=True)
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)
    with open(tmp_path / "redirected", "w", encoding="utf-8") as stdout:
        subprocess.run([TOOL, *map(str, writers["psbt update"]), "/dev/stdout"], stdout=stdout, check=True)
    assert (tmp_path / "redirected").read_text().startswith("cHNidP8") and os.path.islink("/dev/stdout")


def test_full_disk(files, writers, tmp_path):
    """A file that grows beyond a limit stands for a full disk: the old one stays as it was, and nothing is left behind."""
    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (32, 32))

    def fails(*args):
        result = run(*args, preexec_fn=limit)
        assert result.returncode == 2 and "out: File too large" in result.stderr

    for name, args in writers.items():
        if name == "keygen --public":
            continue  # its key is what does not fit
        out, before = tmp_path / "out", sorted(os.listdir(tmp_path))
        fails(*args, out)
        assert sorted(os.listdir(tmp_path)) == before
        out.write_text("something else")
        fails(*args, out, "--force")
        assert out.read_text() == "something else"
        out.unlink()
    # In place
    out.write_bytes(files.key("alice").read_bytes())
    fails("encrypt", "--passphrase-file", "passphrase", out, out, "--force")
    assert out.read_bytes() == files.key("alice").read_bytes()


def test_permissions(writers, tmp_path):
    """A file that replaces another has its permissions, but a secret is its owner's alone."""
    for name, args in writers.items():
        out = tmp_path / "out"
        secret = name in ("keygen", "derive --out", "encrypt", "decrypt")
        ok(*args, out, umask=0o027)
        (tmp_path / "new.key").unlink(missing_ok=True)
        assert stat.S_IMODE(out.stat().st_mode) == (0o600 if secret else 0o640), name
        out.write_text("something else")
        out.chmod(0o604)
        ok(*args, out, "--force", umask=0o027)
        (tmp_path / "new.key").unlink(missing_ok=True)
        assert stat.S_IMODE(out.stat().st_mode) == (0o600 if secret else 0o604), name
        out.unlink()


def test_unreadable(files, tmp_path):
    """Nobody can tell what is in it."""
    out = tmp_path / "out"
    out.write_text(SEED)
    out.chmod(0)
    if os.geteuid() == 0:
        pytest.skip("root may do everything")
    bad("sign", "--key", files.key("dave"), "--message", "00", "--out", out, "--force", says="cannot be read, so nobody can tell what would be lost")


def test_two_files_of_one_command(tmp_path):
    """One must not replace the other."""
    (tmp_path / "master.txt").write_text(SEED)
    for table in tmp_path / "a.key", tmp_path / "." / "x" / ".." / "a.key":
        bad("derive", tmp_path / "master.txt", "--out", tmp_path / "a.key", "--table", table, "--force", says="--table: names the file of --out")
    assert os.listdir(tmp_path) == ["master.txt"]
