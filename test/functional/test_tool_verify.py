# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""slhtool verifies spends."""

import json
import re

from tool import bad, change, ok, ok_json, run, tampered


def test_verify_tampered(files, tmp_path):
    path = tampered(files.single, tmp_path / "tampered.json")
    for mode in [[], ["--batch"]]:
        result = run("verify-tx", path, "--json", *mode)
        assert (result.returncode, result.stderr) == (1, "")
        data = json.loads(result.stdout)
        assert data["valid"] is False
        verdict = data["transactions"][0]["inputs"][0]
        assert verdict["error"] == "SCRIPT_ERR_SLHDSA_SIG"
        assert (verdict["opcode_pos"], verdict["instruction"]) == (1, "OP_CHECKSIGSLHDSA")
        # Among good ones, the bad one alone is found.
        result = run("verify-tx", files.single, path, files.schnorr, "--json", *mode)
        assert [tx["valid"] for tx in json.loads(result.stdout)["transactions"]] == [True, False, True]
    text = run("verify-tx", path).stdout
    assert "input 0: invalid: SCRIPT_ERR_SLHDSA_SIG at instruction 1 (OP_CHECKSIGSLHDSA)" in text


def test_verify_amount_and_script_are_signed(files, tmp_path):
    data = json.loads(files.single.read_text())
    spent = data["spent_outputs"][0]
    other = change(files.single, tmp_path / "a.json", spent_outputs=[{**spent, "amount": spent["amount"] + 1}])
    assert "SCRIPT_ERR_SLHDSA_SIG" in run("verify-tx", other).stdout
    other = change(files.single, tmp_path / "b.json", spent_outputs=[{**spent, "script_pubkey": "5220" + "01" * 32}])
    assert "SCRIPT_ERR_WITNESS_PROGRAM_MISMATCH" in run("verify-tx", other).stdout


def test_verify_by_options(files):
    data = json.loads(files.single.read_text())
    spent = f"{data['spent_outputs'][0]['amount']}:{data['spent_outputs'][0]['script_pubkey']}"
    assert ok_json("verify-tx", "--tx", "-", "--spent", spent, stdin=data["tx"])["valid"] is True
    ok("verify-tx", "-", stdin=files.single.read_text())
    for args in ([], [files.single, "--tx", data["tx"], "--spent", spent]):
        bad("verify-tx", *args, says="give either FILE or --tx")
    bad("verify-tx", files.single, "--spent", spent, says="--spent needs --tx")
    for times, given in ((0, "0 times"), (2, "2 times")):
        bad("verify-tx", "--tx", data["tx"], *times * ["--spent", spent], says=f"--spent: given {given}, but the transaction has 1 input\n")
    bad("verify-tx", "--tx", "-", "--spent", "1", stdin=data["tx"], says=["--spent 0", "AMOUNT:SCRIPT"])
    bad("verify-tx", "--tx", "-", "--spent", "1:5", stdin=data["tx"], says=["--spent 0", "odd number of hex digits"])


def test_verify_without_the_rules(files, tmp_path):
    path = tampered(files.single, tmp_path / "tampered.json")
    ok("verify-tx", path, "--flags", "NONE")
    ok("verify-tx", path, "--flags", "P2SH,WITNESS,TAPROOT")
    result = run("verify-tx", path, "--flags", "P2SH,WITNESS,TAPROOT,DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM")
    assert "SCRIPT_ERR_DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM" in result.stdout


def test_rules_that_a_file_chooses(files, tmp_path):
    """Under some of them anything is valid: the verdict says by which rules it is, unless these are consensus."""
    path = tampered(files.single, tmp_path / "tampered.json")
    for flags in ["NONE", "P2MR,SLHDSA"]:
        chosen = change(path, tmp_path / "chosen.json", flags=flags)
        for named in [[chosen], [files.single, chosen, "--batch"]]:
            data = ok_json("verify-tx", *named)
            assert data["valid"] is True and [each["flags"] for each in data["transactions"]] == ["consensus"] * (len(named) > 1) + [flags]
            assert re.findall("valid .txid .*\n  verified under (.*), not under the consensus rules\n", ok("verify-tx", *named)) == [flags]
    assert "\n  verified under standard, not under the consensus rules\n" in ok("verify-tx", files.single, "--flags", "standard")
    text = run("verify-tx", chosen, "--flags", "consensus").stdout
    assert "invalid" in text and "verified under" not in text


def test_rules_that_would_have_no_effect(files, tmp_path):
    """With P2MR alone, every spend would be valid."""
    path = tampered(files.single, tmp_path / "tampered.json")
    for flags, name in [("P2MR", "P2MR"), ("P2SH,SLHDSA", "SLHDSA"), ("SLHDSA,P2MR,TAPROOT,P2SH", "TAPROOT")]:
        says = f"{name} has no effect without P2SH and WITNESS"
        for command in ("verify-tx", "debug"):
            bad(command, path, "--flags", flags, says=f"--flags: {says}")
        ok("verify-tx", change(path, tmp_path / "flags.json", flags=flags))  # as files of test vectors may say


def test_standard_is_script_flags(files):
    """No node relays an annex, which no script flag refuses: the help does not promise it."""
    path = files.spend("annex", [f"pk_slhdsa({files.pub['alice']})", "OP_RETURN"], ["alice"], "--annex", "50c0ffee")
    ok("verify-tx", path, "--flags", "standard")
    text = " ".join(ok("verify-tx", "--help").split())
    assert "standard (the script flags of relay policy; its limits on annexes and on the sizes of elements are not checked)" in text
