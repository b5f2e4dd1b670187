# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Transactions and files that slhtool cannot read: each is named, in bounded memory."""

import json
import subprocess

import pytest

from tool import LIMIT, TOOL, TXID, bad, change, memory_limited, ok_json, time_limited


def test_truncated_transactions(files, tmp_path):
    tx = json.loads(files.schnorr.read_text())["tx"]
    path = tmp_path / "bad.json"
    for size in [0, 1, 3, 4, 5, 6, 7, 20, 42, 43, 44, len(tx) // 4, len(tx) // 2 - 1]:
        change(files.schnorr, path, tx=tx[:2 * size], txid=None)
        error = bad("verify-tx", path, says=[str(path), "tx: "])
        assert "byte" in error, error
    change(files.schnorr, path, tx=tx + "00", txid=None)
    bad("verify-tx", path, says=[str(path), "tx: ", f"byte {len(tx) // 2}"])


def test_non_minimal_compact_size(files, tmp_path):
    tx = json.loads(files.schnorr.read_text())["tx"]
    assert tx[8:14] == "000101"  # marker, flag, one input
    path = change(files.schnorr, tmp_path / "bad.json", tx=tx[:12] + "fd0100" + tx[14:], txid=None)
    bad("verify-tx", path, says=["tx: ", "compact size", "byte 6"])
    path = change(files.schnorr, tmp_path / "bad.json", tx=tx[:12] + "ffffffffffffffffff" + tx[14:], txid=None)
    bad("verify-tx", path, says=["tx: ", "byte 6"])


def test_transaction_without_inputs(files, tmp_path):
    """Every one of its inputs is valid, which says nothing."""
    empty = "02000000" + "00" + "00" + "00000000"
    path = change(files.schnorr, tmp_path / "empty.json", tx=empty, txid=None, spent_outputs=[])
    for command in [["verify-tx", path], ["verify-tx", "--tx", empty], ["debug", path]]:
        bad(*command, says="tx: the transaction has no inputs")


def test_bad_members(files, tmp_path):
    path = tmp_path / "bad.json"
    data = json.loads(files.schnorr.read_text())
    spent = data["spent_outputs"][0]
    for members, says in [
        ({"tx": data["tx"][:-1]}, ["tx", f"odd number of hex digits ({len(data['tx']) - 1})"]),
        ({"tx": "zz" + data["tx"][2:]}, ["tx", "position 0: 'z' is not a hex digit"]),
        ({"tx": 5}, ["tx", "not a string"]),
        ({"tx": None}, ["top level", "no member 'tx'"]),
        ({"txid": "00" * 32}, ["txid", "not that of the transaction"]),
        ({"spent_outputs": []}, ["spent_outputs", "0 for 1 input"]),
        ({"spent_outputs": [spent, spent]}, ["spent_outputs", "2 for 1 input"]),
        ({"spent_outputs": spent}, ["spent_outputs", "not an array"]),
        ({"spent_outputs": [7]}, ["spent_outputs[0]", "not an object"]),
        ({"spent_outputs": [{**spent, "amount": -1}]}, ["spent_outputs[0].amount", "not a whole number"]),
        ({"spent_outputs": [{**spent, "amount": "1"}]}, ["spent_outputs[0].amount", "not a whole number"]),
        ({"spent_outputs": [{**spent, "amount": 2100000000000001}]}, ["spent_outputs[0].amount", "more than 2100000000000000"]),
        ({"spent_outputs": [{**spent, "script_pubkey": "5"}]}, ["spent_outputs[0].script_pubkey", "odd number"]),
        ({"spent_outputs": [{**spent, "address": "bc1q"}]}, ["spent_outputs[0]", "both"]),
        ({"spent_outputs": [{"amount": 1, "address": "bc1q"}]}, ["spent_outputs[0].address", "too short"]),
        ({"flags": "P2SH,NOSUCH"}, ["flags", "NOSUCH"]),
        ({"flags": "CLEANSTACK"}, ["flags", "CLEANSTACK"]),
        ({"unknown": 1}, ["top level", "unknown member 'unknown'"]),
    ]:
        change(files.schnorr, path, **members)
        bad("verify-tx", path, says=[str(path), *says])


COIN = {"txid": TXID, "vout": 0, "amount": 10_000, "tree": "{OP_1,OP_2}"}
PAYMENT = {"amount": 9000, "script_pubkey": "51"}
TEXTS = {
    ("verify-tx", "{}"): [
        ({"tx": 5}, "tx"), ({"tx": "", "spent_outputs": [{"amount": 1, "script_pubkey": 5}]}, "spent_outputs[0].script_pubkey"),
        ({"tx": "", "spent_outputs": [{"amount": 1, "address": 5}]}, "spent_outputs[0].address"), ({"tx": "", "spent_outputs": [], "flags": 5}, "flags"),
        ({"tx": "", "spent_outputs": [], "description": 5}, "description"),
    ],
    ("verify-block", "{}"): [({"block": 5}, "block"), ({"block": "", "spent_outputs": [], "flags": 5}, "flags")],
    ("spend", "{}"): [
        *(({"inputs": [{**COIN, name: value}], "outputs": [PAYMENT]}, f"inputs[0].{name}{'[0]' if value == [5] else ''}")
          for name, value in [("txid", 5), ("tree", 5), ("internal_key", 5), ("keys", [5]), ("signatures", [5]), ("preimages", [5]), ("witness", [5]), ("sighash", 5), ("annex", 5)]),
        ({"inputs": [COIN], "outputs": [{"address": 5}]}, "outputs[0].address"), ({"inputs": [COIN], "outputs": [{"script_pubkey": 5}]}, "outputs[0].script_pubkey"),
        *(({"inputs": [COIN], "outputs": [{"script_pubkey": "51"}], name: True}, name) for name in ("network", "feerate", "flags", "description")),
    ],
    ("address", "--tree", "@{}"): [({"tree": 5}, "tree")],
}


@pytest.mark.parametrize("command", TEXTS, ids=" ".join)
def test_members_that_are_no_text(tmp_path, command):
    """Each is named once."""
    path = tmp_path / "file.json"
    for content, place in TEXTS[command]:
        path.write_text(json.dumps(content))
        error = bad(*(arg.format(path) for arg in command), says=f": {place}: not a string\n")
        assert f"{place}: {place}" not in error


@pytest.mark.parametrize("args", [
    ("psbt", "show", "{}"), ("descriptor", "info", "{}"), ("address", "--key", "{}"), ("address", "--tree", "{}"),
    ("address", "pk_slhdsa({})", "OP_RETURN"), ("address", "<{}> OP_CHECKSIG", "OP_RETURN"), ("decode", "tx", "{}"), ("sign", "--key", "x", "--message", "{}"),
])
def test_a_forgotten_at_sign(tmp_path, monkeypatch, args):
    """Whatever is wrong with the text, it is the name of a file."""
    monkeypatch.chdir(tmp_path)
    args = [arg.format("my.file") for arg in args]
    assert "there is a file" not in bad(*args, says="")
    (tmp_path / "my.file").mkdir()
    assert "there is a file" not in bad(*args, says="")
    (tmp_path / "my.file").rmdir()
    (tmp_path / "my.file").write_text("x")
    bad(*args, says="(there is a file of this name: write @my.file)")


def test_an_at_sign_too_many(tmp_path, monkeypatch):
    """Where FILE is expected, it is a part of the name."""
    monkeypatch.chdir(tmp_path)
    assert "takes no @" not in bad("pubkey", "@my.file", says="@my.file: No such file or directory")
    (tmp_path / "my.file").write_text("x")
    for command in ("pubkey", "verify-tx", "spend"):
        bad(command, "@my.file", says="@my.file: No such file or directory (FILE takes no @: write my.file)\n")


@pytest.mark.parametrize("text, says", [
    ("", "is empty"),
    ("{", "malformed JSON at line 1, column 2"),
    ('{"tx":\n "00",\n  oops}', "malformed JSON at line 3, column 3"),
    ('{"tx": "00"} {}', "malformed JSON at line 1, column 14"),
    ("[]", "not an object"),
    ("7", "not an object"),
    ('{"tx": "00", "tx": "00", "spent_outputs": []}', "duplicate key 'tx'"),
    ('{"tx": "00", "spent_outputs": [{"amount": 1, "amount": 2}]}', "duplicate key 'amount'"),
    ('{"tx": "\x01"}', "malformed JSON at line 1, column 9"),
    ('{"tx": "00"}\n\0{"tx": 7}', "malformed JSON at line 2, column 1 (a zero byte)"),
    ('{"tx": "00"}\0', "malformed JSON at line 1, column 13 (a zero byte)"),
    ('{"tx": 1e999}', "number that is out of range"),
    # pytest puts a test's name into the environment, which has no room for these.
    pytest.param("[" * 100000, "nested deeper than 32 levels", id="nested"),
    pytest.param("[" + "0," * 1500000 + "0]", "more than 1000000 values", id="values"),
    pytest.param("{" + ",".join(f'"{i}":0' for i in range(1000)) + "}", "more than 256 members", id="members"),
])
def test_broken_json(tmp_path, text, says):
    path = tmp_path / "bad.json"
    path.write_text(text)
    for command in ["verify-tx", "debug", "spend"]:
        bad(command, path, says=[str(path), says])


def test_nothing_follows_a_zero_byte(files, tmp_path):
    """A parser may take it for the end. Somebody who reads the file sees what follows, too."""
    tree, _ = files.tree(f"pk_slhdsa({files.pub['alice']})", "OP_RETURN")
    path = tmp_path / "with.zero"
    path.write_bytes(tree.read_bytes() + b'\0{"x":1}')
    coin = ["--outpoint", f"{TXID}:0", "--amount", "1", "--to", "x"]
    for args in (["address"], ["psbt", "create", *coin], ["spend", *coin]):
        bad(*args, "--tree", f"@{path}", says=[str(path), "(a zero byte)"])
    for command, original in (["verify-tx"], files.schnorr), (["pubkey"], files.key("alice")):
        path.write_bytes(original.read_bytes() + b"\0")
        bad(*command, path, says=str(path))


def test_not_utf8(tmp_path):
    path = tmp_path / "bad.json"
    path.write_bytes(b'{"tx": "\xff\xfe"}')
    bad("verify-tx", path, says=[str(path), "malformed JSON at line 1, column 9"])


@pytest.fixture
def huge(tmp_path):
    path = tmp_path / "huge"
    with path.open("wb") as file:
        file.truncate(100_000_000)
    return path


def test_huge_files(huge):
    """100 MB are refused before they are read, whatever they are given for."""
    limit = memory_limited(90)
    for args in [["verify-tx", huge], ["debug", huge], ["spend", huge], ["decode", "tx", f"@{huge}"], ["decode", "script", f"@{huge}"],
                 ["decode", "witness", f"@{huge}"], ["address", "--tree", f"@{huge}"],
                 ["verify", "--public-key", "00" * 32, "--signature", "00", "--message-file", huge],
                 ["verify", "--public-key", "00" * 32, "--signature", f"@{huge}", "--message", "00"]]:
        bad(*args, says=[str(huge), f"larger than the limit of {LIMIT} bytes"], preexec_fn=limit)
    for args in [["pubkey", huge], ["address", f"pk_slhdsa(@{huge})", "OP_1"]]:
        bad(*args, says=[str(huge), "larger than the limit of 4096 bytes"], preexec_fn=limit)


def test_huge_pipe(huge):
    """A pipe does not tell its size: reading ends at the limit."""
    with huge.open("rb") as source:
        result = subprocess.run([TOOL, "verify-tx", "-"], stdin=source, capture_output=True, text=True)
    assert result.returncode == 2 and "larger than the limit" in result.stderr
    cat = subprocess.Popen(["cat", str(huge)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    result = subprocess.run([TOOL, "verify-tx", "-"], stdin=cat.stdout, capture_output=True, text=True, preexec_fn=memory_limited(256))
    cat.stdout.close()
    cat.wait()
    assert result.returncode == 2
    assert result.stderr == f"slhtool verify-tx: standard input: larger than the limit of {LIMIT} bytes\n"


def test_large_json_in_bounded_memory(tmp_path):
    """The most values that fit in a file of the largest size."""
    path = tmp_path / "large.json"
    path.write_text("[" + "0," * (LIMIT // 2 - 2) + "0]")
    assert path.stat().st_size <= LIMIT
    bad("verify-tx", path, says="more than 1000000 values", preexec_fn=memory_limited(512))


def test_transaction_heavier_than_a_block(tmp_path):
    """No node would verify it, and each signature from before segwit hashes all of it."""
    def spend(size):
        script = "00" * (size - 65)
        tx = "02000000" + "01" + "11" * 32 + "00000000" + "0151" + "ffffffff" + "01" + "00" * 8 + "fe" + (len(script) // 2).to_bytes(4, "little").hex() + script + "00000000"
        assert len(tx) == 2 * size
        path = tmp_path / "heavy.json"
        path.write_text(json.dumps({"tx": tx, "spent_outputs": [{"amount": 1_000, "script_pubkey": "51"}]}))
        return path
    assert ok_json("verify-tx", spend(1_000_000))["valid"] is True
    path = spend(1_000_001)
    for command in "verify-tx", "debug":
        bad(command, path, says=[str(path), "tx: weighs 4000004 weight units; a block may have at most 4000000"])


def test_many_objects(tmp_path):
    """Quadratic time would be minutes here; a sanitizer needs seconds."""
    path = tmp_path / "many"
    path.write_text('{"tx": "00", "spent_outputs": [' + ",".join(["{}"] * 499_000) + "]}")
    bad("verify-tx", path, says="spent_outputs[0]", preexec_fn=time_limited(60))


@pytest.mark.parametrize("args", [["verify-tx", "{}"], ["debug", "{}"], ["spend", "{}"], ["pubkey", "{}"], ["decode", "tx", "@{}"],
                                  ["sign", "--message", "00", "--key", "{}"], ["address", "--tree", "@{}"]])
def test_directories_and_missing_files(tmp_path, args):
    bad(*[arg.format(tmp_path) for arg in args], says=[str(tmp_path), "is a directory"])
    bad(*[arg.format(tmp_path / "missing") for arg in args], says=["missing", "No such file or directory"])
    (tmp_path / "empty").touch()
    bad(*[arg.format(tmp_path / "empty") for arg in args], says=["empty", "is empty"])


def test_file_name_with_newline(tmp_path):
    bad("verify-tx", str(tmp_path / "a\nb"), says="a?b")
