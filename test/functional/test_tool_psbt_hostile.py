# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""slhtool psbt with a PSBT from somebody who damages signatures, hides what is signed, or wants one for something else."""

import hashlib
import json

import pytest

from psbt_files import HYBRID, INTERNAL_KEY, TWO_OF_THREE, addresses, compact_size, create, files, finish, raw, sign, with_input_field, write  # noqa: F401
from tool import TXID, bad, ok, ok_json, run

SIGNATURE_SIZE = 7856


@pytest.fixture
def damage(files, tmp_path):
    """A copy of a PSBT whose signature by somebody has a bit flipped."""
    def damaged(psbt, name):
        data = bytearray(raw(psbt))
        at = data.index(b"slhdsa\x00" + bytes.fromhex(files.pub[name]))
        data[at + 7 + 64 + 3 + SIGNATURE_SIZE // 2] ^= 1
        return write(tmp_path / f"damaged_{psbt.stem}_{name}.psbt", bytes(data))
    return damaged


def valid(psbt):
    """Of each key of the first leaf, whether its signature is valid; None without one."""
    return [each.get("valid") for each in ok_json("psbt", "show", f"@{psbt}")["inputs"][0]["leaves"][0]["signatures"]]


# One invalid signature does not stop the others


def test_finalize_uses_the_valid_ones(files, create, damage, tmp_path):
    three = damage(sign(files, create(TWO_OF_THREE), "alice", "bob", "carol", out=tmp_path / "three.psbt"), "bob")
    final = tmp_path / "final.psbt"
    done = run("psbt", "finalize", f"@{three}", "--force", "--out", final)
    assert done.returncode == 0
    assert done.stderr == f"not used: input 0: the signature by {files.pub['bob']} is not valid for this transaction\n"
    ok("psbt", "extract", f"@{final}", "--force", "--out", tmp_path / "spend.json")
    left_out = json.loads(run("psbt", "finalize", f"@{three}", "--json").stdout)["left_out"]
    assert [(each["input"], files.pub["bob"] in each["why"]) for each in left_out] == [(0, True)]

    two = damage(sign(files, create(TWO_OF_THREE), "alice", "bob", out=tmp_path / "two.psbt"), "bob")
    assert ok_json("psbt", "show", f"@{two}")["next"] == "sign"
    refused = run("psbt", "finalize", f"@{two}", "--force", "--out", tmp_path / "never.psbt")
    assert refused.returncode == 1 and not (tmp_path / "never.psbt").exists()
    assert refused.stdout.startswith("input 0 needs 2 signatures, but has 1; not used: the signature by " + files.pub["bob"])


def test_combine_takes_the_valid_one(files, create, damage, tmp_path):
    start = create(TWO_OF_THREE)
    alice, bob = (sign(files, start, name, out=tmp_path / f"{name}.psbt") for name in ["alice", "bob"])
    both = tmp_path / "both.psbt"
    for order in [[alice, damage(bob, "bob"), bob], [damage(bob, "bob"), bob, alice], [alice, bob, damage(bob, "bob")]]:
        ok("psbt", "combine", *(f"@{path}" for path in order), "--force", "--out", both)
        assert valid(both) == [True, True, None]
        finish(both, tmp_path)
    bad("psbt", "combine", f"@{alice}", f"@{damage(bob, 'bob')}", says=["PSBT 1: input 0", files.pub["bob"], "--drop-invalid", "--unchecked"])


def test_drop_invalid(files, create, damage, tmp_path):
    start = create(TWO_OF_THREE)
    both = damage(sign(files, start, "alice", "bob", out=tmp_path / "both.psbt"), "bob")
    clean = tmp_path / "clean.psbt"
    dropped = run("psbt", "update", f"@{both}", "--drop-invalid", "--force", "--out", clean)
    assert dropped.returncode == 0
    assert dropped.stderr == f"dropped: input 0: the signature by {files.pub['bob']} is not valid for this transaction\n"
    assert valid(clean) == [True, None, None]
    finish(sign(files, clean, "carol", out=tmp_path / "2.psbt"), tmp_path)
    told = ok_json("psbt", "update", f"@{both}", "--drop-invalid")
    assert [each["input"] for each in told["dropped"]] == [0] and told["warnings"] == []
    assert ok_json("psbt", "update", f"@{clean}", "--drop-invalid")["dropped"] == []
    # Nothing is called valid that nobody can judge.
    data = raw(both)
    at = data.index(b"\x01\x01\x2b")  # PSBT_IN_WITNESS_UTXO: 43 bytes
    unknown = write(tmp_path / "unknown.psbt", data[:at] + data[at + 3 + 43:])
    bad("psbt", "update", f"@{unknown}", "--drop-invalid", says=["--drop-invalid", "what input 0 spends is not known"])
    tree, _ = files.tree(TWO_OF_THREE.format(**files.pub), "OP_RETURN")
    told = ok_json("psbt", "update", f"@{unknown}", "--drop-invalid", "--tree", f"@{tree}", "--input", 0, "--amount", 100_000)
    assert [each["input"] for each in told["dropped"]] == [0]


def test_signing_again_replaces_an_invalid_signature(files, create, damage, tmp_path):
    alice = damage(sign(files, create(TWO_OF_THREE), "alice", out=tmp_path / "alice.psbt"), "alice")
    bad("psbt", "sign", f"@{alice}", "--key", files.key("alice"), "--yes", says=["input 0", files.pub["alice"], "--despite-invalid"])
    again = sign(files, alice, "alice", "carol", out=tmp_path / "again.psbt", options=["--despite-invalid"])
    assert valid(again) == [True, None, True]
    finish(again, tmp_path)


@pytest.mark.parametrize("key, value", [
    (b"\x13", b"\x55" * 64),                                              # PSBT_IN_TAP_KEY_SIG, which P2MR does not have
    (b"\x08", b"\x01\x01\x01"),                                           # a final witness
    (b"\x15" + b"\xc1" * 33, b"\x51\xc0"),                                # a leaf of another tree
    (b"\x18", bytes(32)),                                                 # another merkle root
    (b"\x14" + bytes(64), bytes(64)),                                     # a signature by nobody for nothing
], ids=["key path", "final witness", "leaf", "root", "stray signature"])
def test_fields_that_somebody_put_in(files, create, tmp_path, key, value):
    """No signer is fooled, nothing that was there is lost, and the field can be removed."""
    start = create(TWO_OF_THREE)
    signed = sign(files, start, "alice", "bob", out=tmp_path / "signed.psbt")
    data = raw(signed)
    if key == b"\x18":
        at = data.index(b"\x01\x18\x20") + 3
        hostile = write(tmp_path / "hostile.psbt", data[:at] + value + data[at + 32:])
    else:
        hostile = with_input_field(signed, tmp_path / "hostile.psbt", key, value)
    bad("psbt", "sign", f"@{hostile}", "--key", files.key("carol"), "--yes", says="input 0")
    bad("psbt", "combine", f"@{hostile}", f"@{signed}", says="input 0") if key != b"\x18" else bad("psbt", "combine", f"@{hostile}", f"@{signed}", says="two values of PSBT_IN_TAP_MERKLE_ROOT")
    clean = tmp_path / "clean.psbt"
    assert run("psbt", "update", f"@{hostile}", "--drop-invalid", "--force", "--out", clean).returncode == 0
    if key == b"\x18":
        assert len(raw(clean)) == len(data) - 35
    else:
        assert raw(clean) == data
    finish(clean, tmp_path)


# What is signed is shown whole


def test_whole_leaf(files, create, addresses, tmp_path):
    """Of a long leaf, every key can be checked: in what create, sign, show and sighash print, and in JSON as bytes."""
    leaf = "multi_slhdsa(2,{alice},{bob},{carol}) OP_VERIFY pk_schnorr({dave})".format(**files.pub)
    tree, data = files.tree(leaf, "OP_RETURN")
    coin = ["--outpoint", f"{TXID}:0", "--amount", 100_000, "--tree", f"@{tree}", "--to", addresses["regtest"]]
    start = tmp_path / "start.psbt"
    text = data["tree"].split(",OP_RETURN")[0].lstrip("{")
    assert len(text) > 280 and all(key in text for key in files.pub.values())
    assert text in ok("psbt", "create", *coin, "--force", "--out", start)
    assert text in ok("sighash", *coin) and text in ok("psbt", "show", f"@{start}")
    assert text in ok("psbt", "sign", f"@{start}", "--key", files.key("alice"), "--yes", "--force", "--out", tmp_path / "alice.psbt")
    script = data["leaves"][0]["script"]
    for planned in [ok_json("psbt", "create", *coin), ok_json("sighash", *coin)]:
        assert planned["inputs"][0]["leaf_script"] == text and planned["inputs"][0]["leaf_script_hex"] == script
    for shown in [ok_json("psbt", "show", f"@{start}"), ok_json("psbt", "sign", f"@{start}", "--key", files.key("alice"))]:
        assert shown["inputs"][0]["leaves"][0]["asm"] == text and shown["inputs"][0]["leaves"][0]["script"] == script


# Leaves and lock times


@pytest.fixture
def two_ways(files, addresses, tmp_path):
    """A PSBT in which alice alone can spend after a while, and with bob at once."""
    tree, _ = files.tree(f"older(144) pk_slhdsa({files.pub['alice']})", f"multi_slhdsa(2,{files.pub['alice']},{files.pub['bob']})")

    def made(sequence):
        start = tmp_path / f"{sequence}.psbt"
        ok("psbt", "create", "--outpoint", f"{TXID}:0", "--amount", 100_000, "--tree", f"@{tree}", "--leaf", 1, "--sequence", sequence,
           "--to", addresses["regtest"], "--force", "--out", start)
        ok("psbt", "update", f"@{start}", "--tree", f"@{tree}", "--force", "--out", start)
        return start
    return made


def leaf_number(psbt, part):
    (number,) = [leaf["leaf"] for leaf in ok_json("psbt", "show", f"@{psbt}")["inputs"][0]["leaves"] if part in leaf["asm"]]
    return number


def test_lock_times_that_the_transaction_does_not_meet(files, two_ways, tmp_path):
    start = two_ways(0xFFFFFFFE)
    older = leaf_number(start, "OP_CHECKSEQUENCEVERIFY")
    shown = ok_json("psbt", "show", f"@{start}")["inputs"][0]["leaves"][older]
    assert shown["missing"] == "needs an age of 144 blocks, but the input's nSequence 4294967294 means none"
    signed = ok_json("psbt", "sign", f"@{start}", "--key", files.key("alice"))
    assert [each["leaf"] for each in signed["added"]] == [1 - older]
    assert signed["not_signed"] == [f"input 0, leaf {older}: {shown['missing']}"]
    assert f"leaf {1 - older} with {files.pub['alice']}" in run("psbt", "sign", f"@{start}", "--key", files.key("alice"), "--yes").stderr
    bad("psbt", "sign", f"@{start}", "--key", files.key("alice"), "--leaf", older, "--yes", says=[f"input 0, leaf {older}", "needs an age of 144 blocks"])
    # The other leaf is finalized, whatever the order of the fields is.
    finish(sign(files, start, "alice", "bob", out=tmp_path / "signed.psbt"), tmp_path)


def test_sign_one_leaf(files, two_ways, tmp_path):
    start = two_ways(144)
    older = leaf_number(start, "OP_CHECKSEQUENCEVERIFY")
    leaves = ok_json("psbt", "show", f"@{start}")["inputs"][0]["leaves"]
    args = ["psbt", "sign", f"@{start}", "--key", files.key("alice")]
    assert [each["leaf"] for each in ok_json(*args)["added"]] == [0, 1]
    for wanted in [older, leaves[older]["leaf_hash"]]:
        assert [each["leaf"] for each in ok_json(*args, "--leaf", wanted)["added"]] == [older]
    assert [each["leaf"] for each in ok_json(*args, "--leaf", 1 - older, "--input", 0)["added"]] == [1 - older]
    for wanted in [2, "00" * 32]:
        bad(*args, "--leaf", wanted, says=["none of these keys", "--leaf"])
    bad(*args, "--leaf", "x", says="--leaf")
    bad(*args, "--input", 1, says="--input")
    finish(sign(files, start, "alice", out=tmp_path / "signed.psbt", options=["--leaf", older]), tmp_path)


# Amounts and preimages


def test_outputs_of_more_than_the_inputs(files, create, tmp_path):
    start = create(HYBRID)
    data = raw(start)
    fee = ok_json("psbt", "show", f"@{start}")["fee"]
    poor = write(tmp_path / "poor.psbt", data.replace((100_000).to_bytes(8, "little"), (100_000 - fee - 1).to_bytes(8, "little")))
    args = ["psbt", "sign", f"@{poor}", "--key", files.key("alice"), "--yes"]
    for options in [[], ["--any-fee"], ["--any-fee", "--json"]]:
        bad(*args, *options, says=["not signed", "the outputs get 1 satoshis more than the inputs have"])
    assert any("can never be valid" in warning for warning in ok_json("psbt", "show", f"@{poor}")["warnings"])


def test_preimages_that_nothing_asks_for(files, create, tmp_path):
    start = create(HYBRID)
    bad("psbt", "update", f"@{start}", "--preimage", "00ff", says=["--preimage", "input 0", "no leaf in the PSBT asks for the preimage of"])
    bad("psbt", "update", f"@{start}", "--preimage", "00ff", "--input", 0, says=["--preimage", "input 0"])
    digest = hashlib.sha256(b"\x00\xff").hexdigest()
    wanted = create(f"sha256({digest}) pk_slhdsa({{alice}})", name="wanted")
    ok("psbt", "update", f"@{wanted}", "--preimage", "00ff")
    tree, data = files.tree(f"sha256({digest}) pk_slhdsa({files.pub['alice']})", "OP_RETURN")
    coin = ["--outpoint", f"{TXID}:0", "--amount", 100_000, "--tree", f"@{tree}", "--to", data["addresses"]["regtest"]]
    bad("psbt", "create", *coin, "--preimage", "01", says="asks for the preimage")
