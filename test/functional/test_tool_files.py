# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Files that slhtool writes: what they may replace, and that nothing is lost when writing fails."""

import base64
import errno
import json
import os
import resource
import signal
import stat
import subprocess
import time

import pytest

from tool import SEED, TOOL, TXID, XPRV, bad, ok, ok_json, preloaded, run

A, B = "11" * 32, "22" * 32
DESCRIPTOR = f"mr({{pk_slhdsa({A}),pk_slhdsa({B})}})"
EXISTS = "already exists (--force replaces it)"
RENAME_FAULTS = os.environ.get("SLHC_RENAME_FAULTS")


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
        "table": [json.dumps({"type": "slh-dsa-sha2-128s", "origin": "d34db33f/1h", "first": 0, "public_keys": [A]})],
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
    assert "already exists (--force replaces it if nothing of it is lost)" in problem or "which would be lost: move it away first" in problem
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


@pytest.mark.parametrize("kind", ["key", "master", "encrypted", "backup", "descriptor", "table"])
def test_what_cannot_be_made_again(files, writers, tmp_path, kind):
    """Secrets, backups and descriptors are not even replaced with --force, and not by another file of the same kind either."""
    if not (files.folder / "carol.enc").exists():
        ok("encrypt", files.key("carol"), files.folder / "carol.enc", "--passphrase-file", "passphrase")
    for n, content in enumerate(contents(files)[kind]):
        content = content if isinstance(content, bytes) else content.encode()
        for name, args in writers.items():
            if n > 0 and name in ("encrypt", "decrypt"):
                continue  # a passphrase takes time
            check(args, tmp_path / "out", content, replaced=False)


def phrases():
    """A phrase as people write it down."""
    words = ["abandon"] * 11 + ["about"]
    yield from (", ".join(words), ",".join(words), "; ".join(words), " ".join(words[:11]), " ".join(words[:6]) + "\n\n" + " ".join(words[6:]))
    yield from ("my wallet\n" + " ".join(words), "Made at home, on a Sunday:\n\n" + " ".join(words) + "\nhidden in the cellar.", "Seed: " + " ".join(words))
    yield "- " + "\n- ".join(words)
    for separator in " ", "\n", "\r\n\r\n", ", ":
        for dot in ". ", ") ", ": ", " ", ".":
            yield separator.join(f"{i}{dot}{word}" for i, word in enumerate(words, 1))


def test_forms_of_secrets(writers, tmp_path):
    """Secrets that other programs made, in the forms in which people keep them."""
    wif = "L3p8oAcQTtuokSCRHQ7i4MhjWc9zornvpJLfmg62sYpLRJF9woSu"
    for content in [*phrases(), wif + "\n", f"wpkh({wif})", "main account\n" + wif[:-1] + "x", "0x" + SEED, " ".join(SEED[i:i + 4] for i in range(0, 32, 4)),
                    f"{A}\n{B}\n", SEED[:16] + "\n" + SEED[16:], f"# my seed\n{SEED}\r\n"]:
        check(writers["psbt update"], tmp_path / "out", content.encode(), replaced=False)


def test_what_is_no_secret(writers, tmp_path):
    """It has the words of a phrase or hex of a secret's size, but in other company."""
    words = "They have eleven words that could well stand there, and which nobody took from the list"
    for content in (words + ".", "a " + words, f"{A}:0\n", f'{{"txid": "{A}"}}', "ab" * 65, "ab" * 15, f"<{A}> OP_CHECKSIG"):
        check(writers["psbt update"], tmp_path / "out", content.encode(), replaced=True)


def again(args, path):
    """--force may write what is there already, and only --force."""
    bad(*args, path, says="already exists (--force replaces it if nothing of it is lost)" if args[0] != "decrypt" else "which would be lost")
    ok(*args, path, "--force")


def keeps(args, path, says=None):
    """Not even --force replaces this file."""
    content = path.read_bytes()
    bad(*args, path, "--force", says=says or [str(path), "holds ", "which would be lost: move it away first"])
    assert path.read_bytes() == content


def test_the_same_key_again(files, writers, tmp_path):
    """A key file, or any secret that comes out of a file, is replaced by itself alone."""
    out = tmp_path / "same"
    for args in writers["derive --out"], writers["decrypt"], ["keygen", "--seed-file", "seed"]:
        (tmp_path / "seed").write_text("ab" * 48)
        ok(*args, out)
        before = out.read_bytes()
        again(args, out)
        assert out.read_bytes() == before
        keeps(writers["keygen"], out)
        out.unlink()
    ok(*writers["derive --out"], out)
    keeps(["derive", "master.txt", "--range", "1", "--out"], out)
    keeps(writers["decrypt"], out)
    # Several keys: the one that must stay is found before the others are made.
    bad("keygen", tmp_path / "new.key", out, "--force", says="which would be lost")
    assert not (tmp_path / "new.key").exists()
    (tmp_path / "phrase").write_text("abandon " * 11 + "about\n")
    ok("encrypt", "phrase", "phrase.enc", "--passphrase-file", "passphrase")
    again(["decrypt", "phrase.enc", "--passphrase-file", "passphrase"], tmp_path / "phrase")
    (tmp_path / "phrase").write_text("abandon " * 11 + "agent\n")
    keeps(["decrypt", "phrase.enc", "--passphrase-file", "passphrase"], tmp_path / "phrase")


def test_the_same_content_encrypted_again(files, writers, tmp_path):
    """An encrypted file is replaced by one with the same content and passphrase."""
    out = tmp_path / "enc"
    before = out.read_bytes()
    again(writers["encrypt"], out)
    assert out.read_bytes() != before, "salt and nonce are new"
    ok("decrypt", out, "plain", "--passphrase-file", "passphrase")
    assert (tmp_path / "plain").read_bytes() == files.key("alice").read_bytes()
    keeps(["encrypt", "--passphrase-file", "passphrase", files.key("bob")], out)
    (tmp_path / "other").write_text("another passphrase\n")
    keeps(["encrypt", "--passphrase-file", "other", files.key("alice")], out)
    out.write_bytes(before[:-1])
    keeps(writers["encrypt"], out)


def test_a_backup_of_the_same_wallet(tmp_path, monkeypatch):
    """It is replaced by one that has each key and address of it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "master.txt").write_text(SEED)
    key = ok_json("derive", "master.txt", "--range", "0-3", "--table", "table")["range"]
    ok("derive", "master.txt", "--range", "0-2", "--table", "short")
    ranged = f"mr({{pk_slhdsa({key}),pk_slhdsa({B})}})"

    def make(descriptor, *more, height="5"):
        return ["backup", "make", "--descriptor", descriptor, "--birth-height", height, *more]

    out = tmp_path / "b"
    ok(*make(ranged, "--keys", "table", "--range", "0-2"), out)
    again(make(ranged, "--keys", "table", "--range", "0-3", height="4"), out)
    assert json.loads(out.read_text())["birth_height"] == 4
    later = "--birth-height: 6 is above 4, that of the backup that is there: coins in between would not be found"
    keeps(make(ranged, "--keys", "table", "--range", "0-3", height="6"), out, says=later)
    for args in (make(ranged, "--keys", "table", "--range", "0-2"), make(ranged, "--keys", "short", "--range", "0-2"), make(DESCRIPTOR),
                 make(ranged, "--keys", "table", "--range", "0-3", "--network", "mainnet"),
                 make(ranged.replace(B, A), "--keys", "table", "--range", "0-3")):
        keeps(args, out)
    out.write_text(out.read_text().replace('"addresses"', '"addressees"'))
    keeps(make(ranged, "--keys", "table", "--range", "0-3"), out)
    # Fewer keys, all the addresses: make would not have written the fourth key
    out.unlink()
    ok(*make(ranged, "--keys", "table", "--range", "0-2"), out)
    again(make(ranged, "--keys", "short", "--range", "0-2", height="4"), out)
    out.write_text(json.dumps({**json.loads(out.read_text()), "key_tables": [json.loads((tmp_path / "table").read_text())]}))
    keeps(make(ranged, "--keys", "table", "--range", "0-2"), out)
    # Trees
    out.unlink()
    for name, leaf in ("one", "OP_RETURN"), ("two", "OP_1 OP_RETURN"):
        (tmp_path / name).write_text(ok("address", f"pk_slhdsa({A})", leaf, "--json"))
    ok(*make("@one"), out)
    again(make("@one", height="4"), out)
    keeps(make("@one", height="6"), out, says=later)
    keeps(make("@two"), out)


def test_a_table_of_the_same_keys(writers, tmp_path):
    """It is replaced by one that has each key of it. That of another signer cannot be made again without that signer."""
    out = tmp_path / "table"
    (tmp_path / "bob.txt").write_text("ff" * 16)

    def derive(indexes, *more, master="master.txt"):
        return ["derive", master, "--range", indexes, *more, "--table"]

    ok(*derive("2-3"), out)
    again(derive("2-3"), out)
    for args in (derive("2-3", master="bob.txt"), derive("2-3", "--path", "m/1h"), derive("2-3", "--type", "schnorr"),
                 derive("2"), derive("3-4"), derive("0-1"), derive("4-5"), derive("0-2")):
        keeps(args, out)
    again(derive("1-4"), out)
    table = json.loads(out.read_text())
    assert table["first"] == 1 and len(table["public_keys"]) == 4
    table["public_keys"][2] = A
    for text in json.dumps(table), out.read_text()[:-4]:
        out.write_text(text)
        keeps(derive("1-4"), out)
    keeps(writers["sign"], out)


def test_the_standard_output_is_not_opened_again(files, tmp_path):
    """--out /dev/stdout appends where the shell appends."""
    out = tmp_path / "appended"
    out.write_text("first\n")
    command = f"'{TOOL}' sign --key '{files.key('alice')}' --message 00 --out /dev/stdout >> '{out}'"
    assert subprocess.run(command, shell=True, check=False).returncode == 0
    assert out.read_text().startswith("first\n") and len(out.read_text()) > 2 * 7856


def test_the_largest_file_to_encrypt(tmp_path, monkeypatch):
    """What can be encrypted can be decrypted."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pw").write_text("passphrase")
    most = 4 * 1024 * 1024
    (tmp_path / "plain").write_bytes(b"\n" * most)
    ok("encrypt", "plain", "encrypted", "--passphrase-file", "pw")
    ok("decrypt", "encrypted", "again", "--passphrase-file", "pw")
    assert (tmp_path / "again").read_bytes() == b"\n" * most
    (tmp_path / "plain").write_bytes(b"\n" * (most + 1))
    bad("encrypt", "plain", "encrypted", "--force", "--passphrase-file", "pw", says=f"larger than the limit of {most} bytes")


def test_a_secret_is_not_repeated(files, tmp_path, monkeypatch):
    """Where a secret stands in place of a file's name, the error message, which may be logged, doesn't have it."""
    monkeypatch.chdir(tmp_path)
    key = files.key("alice").read_text().strip()
    (tmp_path / "file").write_text("content\n")
    for secret, args in [(SEED, ["derive", "@"]), (key, ["sign", "--message", "00", "--key", "@"]), ("abandon " * 12, ["bench", "--backend", "@"]), ("00" * 32, ["pubkey", "@"]),
                         ("correct horse", ["encrypt", "file", "out", "--passphrase-file", "@"])]:
        said = bad(*(secret if arg == "@" else arg for arg in args), says="")
        assert secret not in said and secret[:16] not in said, said


def test_standard_input_is_no_file(tmp_path, monkeypatch):
    """A key in a file named - is not replaced by the encryption of what came from standard input."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "-").write_text(SEED)
    (tmp_path / "pw").write_text("passphrase")
    bad("encrypt", "-", "./-", "--force", "--passphrase-file", "pw", stdin="something else", says="which would be lost")
    assert (tmp_path / "-").read_text() == SEED


def test_a_dash_is_no_file(writers, tmp_path):
    """Somebody who writes - means the standard output, and would look for the file in vain."""
    for name, args in writers.items():
        before = sorted(os.listdir(tmp_path))
        for force in [], ["--force"]:
            if name == "decrypt":
                continue
            secret = name in ("keygen", "derive --out")
            says = "OUT: " if name == "encrypt" else "never written to standard output" if secret else "- does not mean standard output here; use /dev/stdout"
            bad(*args, "-", *force, says=says)
        assert sorted(os.listdir(tmp_path)) == before, name


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
        (tmp_path / "new.key").unlink(missing_ok=True)
        link.symlink_to("master.txt")
        bad(*args, link, "--force", says="which would be lost")
        link.unlink()
        link.symlink_to("nowhere")
        bad(*args, link, says=EXISTS)
        assert not (tmp_path / "nowhere").exists(), name
        link.unlink()


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
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)  # which ends a program that lets it
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


def test_interrupted(tmp_path):
    """A process that a signal ends in the middle of writing leaves no part of a secret behind, under whatever name."""
    try:
        os.close(os.open(tmp_path, os.O_TMPFILE | os.O_WRONLY))
    except OSError:
        pytest.skip("this file system has no files without a name")

    ended_before_it_is_named = with_rename_faults(SLHC_TEST_LINK_SIGNAL=str(int(signal.SIGKILL)))
    result = run("keygen", tmp_path / "new.key", env=ended_before_it_is_named)
    assert result.returncode == -signal.SIGKILL
    assert os.listdir(tmp_path) == []
    old = tmp_path / "old.backup"
    make = ["backup", "make", old, "--descriptor", DESCRIPTOR, "--birth-height", "0"]
    ok(*make)
    content = old.read_text()
    assert run(*make, "--force", env=ended_before_it_is_named).returncode == -signal.SIGKILL
    assert sorted(os.listdir(tmp_path)) == ["old.backup"] and old.read_text() == content
    ok(*make, "--force")
    assert sorted(os.listdir(tmp_path)) == ["old.backup"]


def test_two_at_once(tmp_path):
    """Each finds a file that may go, and the second one another that must not."""
    for i in range(15):
        key = tmp_path / f"{i}.key"
        key.write_text("junk")
        both = [subprocess.Popen([TOOL, "keygen", "--force", "--json", str(key)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
                for _ in range(2)]
        said = [process.communicate(timeout=300) for process in both]
        assert sorted(process.returncode for process in both) == [0, 2], said
        (winner, _), (_, loser) = sorted(said, key=lambda texts: texts[1])
        assert "holds a secret key, which would be lost" in loser
        assert json.loads(winner)["public_key"] in key.read_text()
    assert not [path for path in tmp_path.iterdir() if path.suffix != ".key"]


def with_rename_faults(**settings):
    """The environment of a program for which exchanging names fails, or is followed by a pause."""
    if not RENAME_FAULTS:
        pytest.skip("SLHC_RENAME_FAULTS names no library with faults of renameat2()")
    return {**os.environ, **preloaded(RENAME_FAULTS), **settings}


def test_many_at_once(tmp_path):
    """Slowly: while one looks at what it has taken away, others come."""
    env = with_rename_faults(SLHC_TEST_RENAME_PAUSE_MS="300")
    key = tmp_path / "1.key"
    key.write_text("junk")
    all_of_them = [subprocess.Popen([TOOL, "keygen", "--force", "--json", str(key)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env)
                   for _ in range(4)]
    said = [process.communicate(timeout=300) for process in all_of_them]
    assert sorted(process.returncode for process in all_of_them) == [0, 2, 2, 2], said
    winner = next(out for out, _ in said if out)
    assert json.loads(winner)["public_key"] in key.read_text()
    assert os.listdir(tmp_path) == ["1.key"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_interrupted_while_a_file_is_replaced(tmp_path, number):
    """Between the steps that take the old one away: nothing of it is left."""
    env = with_rename_faults(SLHC_TEST_RENAME_PAUSE_MS="1500")
    key = tmp_path / "1.key"
    ok("keygen", key)
    plain = key.read_bytes()
    process = subprocess.Popen([TOOL, "encrypt", str(key), str(key), "--force", "--passphrase-file", passphrase_file(tmp_path)], env=env)
    while key.read_bytes() == plain:
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(number)
    assert process.wait(timeout=300) == -number
    assert sorted(os.listdir(tmp_path)) == ["1.key", "passphrase"] and b"encrypted" in key.read_bytes()


@pytest.mark.parametrize("error", [errno.EINVAL, errno.ENOSYS, errno.EPERM])
def test_names_that_cannot_be_exchanged(tmp_path, error):
    env = with_rename_faults(SLHC_TEST_RENAME_ERRNO=str(error))
    out = tmp_path / "1.key"
    out.write_text("junk")
    made = subprocess.run([TOOL, "keygen", "--force", "--json", str(out)], env=env, capture_output=True, text=True, check=True, timeout=300)
    assert json.loads(made.stdout)["public_key"] in out.read_text()
    before = out.read_bytes()
    refused = subprocess.run([TOOL, "keygen", "--force", str(out)], env=env, capture_output=True, text=True, timeout=300)
    assert refused.returncode == 2 and "holds a secret key, which would be lost" in refused.stderr
    assert out.read_bytes() == before and os.listdir(tmp_path) == ["1.key"]


@pytest.mark.parametrize("error, says", [(errno.ENOENT, "already exists"), (errno.EIO, "Input/output error")])
def test_exchange_that_fails(tmp_path, error, says):
    """Somebody removed the file, and another program has made it again by now; and an error of the disk."""
    env = with_rename_faults(SLHC_TEST_RENAME_ERRNO=str(error))
    out = tmp_path / "file"
    out.write_text("junk")
    refused = subprocess.run([TOOL, "keygen", "--force", str(out)], env=env, capture_output=True, text=True, timeout=300)
    assert refused.returncode == 2 and says in refused.stderr
    assert out.read_text() == "junk" and os.listdir(tmp_path) == ["file"]


@pytest.mark.parametrize("rename", [{}, {"SLHC_TEST_RENAME_ERRNO": str(errno.EINVAL)}], ids=["with NOREPLACE", "without"])
@pytest.mark.parametrize("force", [[], ["--force"]], ids=["", "force"])
def test_a_name_that_is_taken_meanwhile(tmp_path, rename, force):
    """On a file system without second names: a file that another program makes at the last moment is not replaced, or could not be made."""
    names = dict(SLHC_TEST_LINK_ERRNO=str(errno.EPERM), **rename)
    out = tmp_path / "1.key"
    made = run("keygen", "--json", out, *force, env=with_rename_faults(**names))
    assert made.returncode == 0 and json.loads(made.stdout)["public_key"] in out.read_text()
    assert os.listdir(tmp_path) == ["1.key"]
    out.unlink()
    result = run("keygen", "--json", out, *force, env=with_rename_faults(SLHC_TEST_MAKE_MEANWHILE="1", **names))
    assert os.listdir(tmp_path) == ["1.key"]
    if "made meanwhile" in result.stderr:
        assert result.returncode == 2 and "already exists" in result.stderr and out.read_text() == "junk"
    else:
        assert result.returncode == 0 and json.loads(result.stdout)["public_key"] in out.read_text()


def passphrase_file(folder):
    path = folder / "passphrase"
    path.write_text("correct horse battery staple\n")
    return str(path)


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


def test_the_passphrase_stays(tmp_path, monkeypatch):
    """A passphrase or a word list is like any text; without it, what the same command wrote would be worth nothing."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "phrase").write_text("abandon " * 11 + "about\n")
    (tmp_path / "text").write_text("correct horse\n")
    (tmp_path / "pw").write_text("correct horse\n")
    (tmp_path / "link").symlink_to("pw")
    (tmp_path / "words").write_text("\n".join(["abandon", "about", *(f"x{i}" for i in range(2046))]))
    ok("encrypt", "text", "enc", "--passphrase-file", "pw")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    for passphrase in "pw", f"{tmp_path}/pw", "link":
        with_it = ["--passphrase-file", passphrase, "--force"]
        for args in (["encrypt", "phrase", "pw"], ["decrypt", "enc", "./pw"]):
            bad(*args, *with_it, says="OUT: names the file of --passphrase-file")
        for out in "--table", "--out":
            bad("derive", "phrase", out, "pw", *with_it, says=f"{out}: names the file of --passphrase-file")
    for out in "--table", "--out":
        bad("derive", "phrase", out, "words", "--wordlist", "words", "--force", says=f"{out}: names the file of --wordlist")
    # Encrypted under itself
    os.link("text", "hard")
    before["hard"] = before["text"]
    for passphrase in "text", "hard":
        bad("encrypt", "text", "new", "--passphrase-file", passphrase, says="--passphrase-file: names the file that the passphrase is for")
    bad("encrypt", "text", "text", "--passphrase-file", "text", "--force", says="OUT: names the file of --passphrase-file")
    bad("derive", "phrase", "--passphrase-file", "phrase", says="--passphrase-file: names the file that the passphrase is for")
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
