# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Hash types that leave a part of the transaction open: used only if the command line names them, and never without a warning."""

import json

import pytest

from psbt_files import TWO_OF_THREE, addresses, files  # noqa: F401
from tool import TXID, bad, check_valid, ok, ok_json, run

OPEN = [("NONE", "commits to no output: anyone who has the signature can send the coins anywhere"),
        ("SINGLE", "commits to no output but number 0: anyone can change where the others go"),
        ("ALL|ANYONECANPAY", "commits to no other input: anyone can add, remove or replace them"),
        ("NONE|ANYONECANPAY", "can send the coins anywhere, and to no other input")]


@pytest.fixture
def coin(files, addresses):
    tree, _ = files.tree(TWO_OF_THREE.format(**files.pub), "OP_RETURN")
    return ["--outpoint", f"{TXID}:0", "--amount", 100_000, "--tree", f"@{tree}", "--to", addresses["regtest"]]


@pytest.fixture
def keys(files):
    return ["--key", files.key("alice"), "--key", files.key("bob")]


@pytest.fixture
def spec(files, addresses, tmp_path):
    def made(*inputs):
        tree, _ = files.tree(TWO_OF_THREE.format(**files.pub), "OP_RETURN")
        path = tmp_path / "spec.json"
        path.write_text(json.dumps({
            "inputs": [{"txid": TXID, "vout": n, "amount": 100_000, "tree": f"@{tree}", **members} for n, members in enumerate(inputs)],
            "outputs": [{"address": addresses["regtest"]}]}))
        return path
    return made


def warned(args, warning):
    """Every form of the answer says it: text on standard output or standard error, and JSON where it is a summary."""
    result = run(*args)
    assert result.returncode == 0, result.stderr
    (line,) = [line for line in (result.stdout + result.stderr).splitlines() if line.startswith("WARNING:")]
    assert warning in line


@pytest.mark.parametrize("hash_type, warning", OPEN)
def test_spend(coin, keys, tmp_path, hash_type, warning):
    args = ["spend", *coin, *keys, "--sighash", hash_type]
    out = ["--out", tmp_path / "spend.json", "--force"]
    for form in [[], ["--hex"], ["--dry-run"], out, ["--hex", *out]]:
        warned([*args, *form], warning)
    check_valid(tmp_path / "spend.json")
    warned([*args, "--json"], warning)  # the transaction
    for form in [["--dry-run"], out]:
        told = ok_json(*args, *form)
        assert len(told["warnings"]) == 1 and warning in told["warnings"][0] and told["inputs"][0]["sighash"] == hash_type


def test_nothing_to_warn_of(coin, keys, tmp_path):
    for hash_type in ["DEFAULT", "ALL"]:
        result = run("spend", *coin, *keys, "--sighash", hash_type, "--out", tmp_path / "spend.json", "--force")
        assert result.returncode == 0 and "WARNING" not in result.stdout + result.stderr
        assert ok_json("spend", *coin, *keys, "--sighash", hash_type, "--dry-run")["warnings"] == []
    bad("spend", *coin, *keys, "--sighash", "ALL", "--sighash", "NONE", says=["--sighash", "give only one hash type for a single input"])


@pytest.mark.parametrize("hash_type, warning", OPEN)
def test_spec_file(spec, keys, tmp_path, hash_type, warning):
    """A file cannot choose what is left open."""
    path = spec({"sighash": hash_type})
    for form in [[], ["--dry-run"], ["--json"], ["--unchecked"]]:
        args = ["spend", path, *keys, *form]
        bad(*args, says=["input 0", f"the SPEC file asks for hash type {hash_type}", warning, "--sighash"])
        bad(*args, "--sighash", "ALL", says=f"the SPEC file asks for hash type {hash_type}")
        warned([*args, "--sighash", hash_type], warning)
    bad("sighash", path, says=["input 0", warning])
    warned(["sighash", path, "--sighash", hash_type], warning)
    assert warning in ok_json("sighash", path, "--sighash", hash_type)["warnings"][0]


def test_spec_file_with_several(files, spec, keys, tmp_path):
    """--sighash names what a SPEC file may have; it does not set it."""
    path = spec({}, {"sighash": "NONE"}, {"sighash": "ALL"}, {"sighash": "SINGLE|ANYONECANPAY"})
    bad("spend", path, *keys, "--sighash", "NONE", says=["input 3", "SINGLE|ANYONECANPAY"])
    named = ["--sighash", "NONE", "--sighash", "SINGLE|ANYONECANPAY"]
    bad("spend", path, *keys, *named, "--dry-run", "--sighash", "SINGLE", says=["--sighash", "no input in the SPEC file has hash type SINGLE"])
    made = ok_json("spend", path, *keys, *named, "--dry-run")
    assert [each["sighash"] for each in made["inputs"]] == ["DEFAULT", "NONE", "ALL", "SINGLE|ANYONECANPAY"] and len(made["warnings"]) == 2
    # A witness by hand has hash types of its own.
    by_hand = [f"sig({files.key(name)},NONE)" for name in ["bob", "alice"]]
    path = spec({"witness": ["<>", *by_hand]})
    bad("spend", path, says=["input 0", "the SPEC file asks for hash type NONE"])
    warned(["spend", path, "--sighash", "NONE"], "commits to no output")


def test_witness_by_hand(files, coin):
    witness = [arg for element in ["<>", f"sig({files.key('bob')},NONE)", f"sig({files.key('alice')})"] for arg in ("--witness", element)]
    warned(["spend", *coin, *witness], "commits to no output")


def test_signature_from_a_file(files, coin, keys, tmp_path):
    """Taking a signature that leaves something open takes an option that says so."""
    hashes = ok_json("sighash", *coin, "--sighash", "NONE")
    assert "commits to no output" in hashes["warnings"][0]
    warned(["sighash", *coin, "--sighash", "NONE"], "commits to no output")
    hash_of = {signer["public_key"]: signer["hash"] for signer in hashes["hashes"][0]["signers"]}
    signature = ok("sign", "--key", files.key("carol"), "--message", hash_of[files.pub["carol"]]).strip() + "02"
    (tmp_path / "carol.sig").write_text(signature)
    given = ["--signature", f"{files.pub['carol']}=@{tmp_path}/carol.sig"]

    says = ["input 0", f"the signature by {files.pub['carol']} has hash type NONE", "commits to no output", "--sighash"]
    spend = ["spend", *coin, *keys[:2], *given]
    for form in [[], ["--dry-run"]]:
        bad(*spend, *form, says=says)
        warned([*spend, *form, "--sighash", "NONE"], "commits to no output")
