# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""slhtool --json: one JSON value on standard output from every command that prints data, and nothing at all there after an error."""

import json
import re
import subprocess
from pathlib import Path

import pytest

from tool import COMMANDS, TOOL, TXID, ok, run, tampered
from test_tool_block import Block

@pytest.fixture(scope="module")
def calls(files, tmp_path_factory):
    """By command: command lines with their exit status, on every path that prints something."""
    folder = tmp_path_factory.mktemp("json")
    alice, dave = files.key("alice"), files.key("dave")
    bad_spend = tampered(files.single, folder / "tampered.json")
    tree, data = files.tree(f"pk_slhdsa({files.pub['alice']})", "OP_RETURN")
    spend = ["--outpoint", f"{TXID}:0", "--amount", "100000", "--tree", f"@{tree}", "--key", alice, "--to", data["addresses"]["regtest"] + "=95000"]
    block, no_spent, bad_block = folder / "block.json", folder / "no_spent.json", folder / "bad_block.json"
    good = Block(files.single)
    block.write_text(good.json())
    bad_block.write_text(Block(bad_spend).json())
    broken = Block(files.single)
    broken.root_flip = 1
    no_spent.write_text(broken.json())
    signature = ok("sign", "--key", dave, "--message", "00").strip()
    verify = ["verify", "--type", "schnorr", "--public-key", files.pub["dave"], "--message", "00", "--signature"]
    leaf = data["leaves"][0]
    no_key = [arg for arg in spend if arg not in ("--key", alice)]
    start, signed, final = (folder / f"{name}.psbt" for name in ("start", "signed", "final"))
    ok("psbt", "create", *no_key, "--out", start)
    ok("psbt", "sign", f"@{start}", "--key", alice, "--out", signed)
    ok("psbt", "finalize", f"@{signed}", "--out", final)
    return {
        "keygen": [(["keygen", folder / "a.key"], 0), (["keygen", folder / "b.key", folder / "c.key"], 0), (["keygen", folder / "d.key", "--type", "schnorr", "--public", folder / "d.pub"], 0)],
        "pubkey": [(["pubkey", alice], 0), (["pubkey", dave], 0)],
        "sign": [(["sign", "--key", alice, "--message", "00"], 0), (["sign", "--key", dave, "--message", "00", "--out", folder / "sig"], 0)],
        "verify": [([*verify, signature], 0), ([*verify, "00"], 1)],
        "address": [(["address", "OP_1", "OP_2"], 0)],
        "descriptor": [(["descriptor", "info", "raw(00)"], 0), (["descriptor", "info", f"mr({{pk_slhdsa({'11' * 32}),pk_slhdsa({'22' * 32})}})"], 0),
                       (["descriptor", "checksum", "raw(00)"], 0)],
        "spend": [(["spend", *spend], 0), (["spend", *spend, "--out", folder / "spend.json"], 0), (["spend", *spend, "--witness", "<>"], 1), (["spend", *spend, "--witness", "<>", "--unchecked"], 0)],
        "psbt": [(["psbt", "create", *no_key], 0), (["psbt", "create", *no_key, "--out", folder / "a.psbt"], 0), (["psbt", "update", f"@{start}", "--sighash", "ALL"], 0),
                 (["psbt", "sign", f"@{start}", "--key", alice], 0), (["psbt", "combine", f"@{start}", f"@{signed}"], 0), (["psbt", "finalize", f"@{start}"], 1),
                 (["psbt", "finalize", f"@{signed}"], 0), (["psbt", "extract", f"@{final}"], 0), (["psbt", "show", f"@{signed}"], 0)],
        "sighash": [(["sighash", *no_key], 0)],
        "verify-tx": [(["verify-tx", files.single, files.schnorr], 0), (["verify-tx", "--batch", files.single], 0), (["verify-tx", bad_spend], 1), (["verify-tx", "--batch", bad_spend], 1)],
        "verify-block": [(["verify-block", block], 0), (["verify-block", "--scripts-only", block], 0), (["verify-block", bad_block], 1), (["verify-block", no_spent], 1)],
        "decode": [(["decode", "script", "OP_1"], 0), (["decode", "witness", "0101aa"], 0), (["decode", "control-block", leaf["control_block"]], 0),
                   (["decode", "control-block", leaf["control_block"], "--script", leaf["script"]], 0), (["decode", "tx", f"@{files.single}"], 0),
                   (["decode", "address", data["addresses"]["mainnet"]], 0)],
        "debug": [(["debug", files.single], 0), (["debug", bad_spend], 1)],
        "demo": [(["demo", "--dir", folder / "demo", "--transactions", "1"], 0)],
        "devices": [(["devices"], 0)],
    }


def test_every_command_is_here(calls):
    assert set(calls) == set(COMMANDS)


def without_figures(value):
    """Names, types and texts; what is measured or random differs from run to run."""
    if isinstance(value, dict):
        return {name: without_figures(member) for name, member in value.items()}
    if isinstance(value, list):
        return [without_figures(member) for member in value]
    return type(value)


def test_json_of_every_command(calls):
    for command, lines in calls.items():
        for args, status in lines:
            result = run(*args, "--json")
            assert (result.returncode, result.stderr) == (status, ""), (args, result)
            data = json.loads(result.stdout, parse_constant=lambda name: pytest.fail(f"{args}: {name} is no JSON"))
            assert isinstance(data, (dict, list)) and data
            assert result.stdout.endswith("\n") and "\x1b" not in result.stdout
            # The same the second time, as far as it can be: no member comes and goes.
            for n, arg in enumerate(args):
                if command == "keygen" or args[n - 1] == "--out":
                    Path(arg).unlink(missing_ok=True)
            again = run(*args, "--json")
            assert without_figures(json.loads(again.stdout)) == without_figures(data), args
            if isinstance(data, dict) and "valid" in data:
                assert data["valid"] is (status == 0)


def test_errors_with_json(calls, tmp_path):
    """Standard output stays empty, standard error has the line that it always has."""
    missing = tmp_path / "missing"
    wrong = {
        "keygen": ["keygen", missing / "a.key"],
        "pubkey": ["pubkey", missing],
        "sign": ["sign", "--key", missing, "--message", "00"],
        "verify": ["verify", "--public-key", f"@{missing}", "--message", "00", "--signature", "00"],
        "address": ["address", "--tree", f"@{missing}"],
        "descriptor": ["descriptor", "info", f"@{missing}"],
        "spend": ["spend", missing],
        "psbt": ["psbt", "show", f"@{missing}"],
        "sighash": ["sighash", missing],
        "verify-tx": ["verify-tx", missing],
        "verify-block": ["verify-block", missing],
        "decode": ["decode", "tx", f"@{missing}"],
        "debug": ["debug", missing],
        "demo": ["demo", "--dir", "/dev/null"],
        "devices": ["devices", "--nosuch"],
    }
    assert set(wrong) == set(calls)
    for command, args in wrong.items():
        with_json, without = run(*args, "--json"), run(*args)
        assert (with_json.returncode, with_json.stdout) == (2, ""), args
        assert with_json.stderr == without.stderr
        assert re.fullmatch(rf"slhtool {command}( [a-z]+)?: .*\n", with_json.stderr)
        assert any(word in with_json.stderr for word in ("missing", "/dev/null", "nosuch"))
    # Half-done work is no exception, and neither is a verdict that does not arrive.
    with open("/dev/full", "w") as full:
        for command in ["pubkey", "verify-tx"]:
            result = run_to(full, *calls[command][0][0], "--json")
            assert (result.returncode, result.stderr) == (2, f"slhtool {command}: cannot write to standard output\n")


def run_to(stdout, *args):
    return subprocess.run([TOOL, *map(str, args)], stdout=stdout, stderr=subprocess.PIPE, text=True)


def test_control_characters_are_escaped(tmp_path):
    """A terminal obeys DEL and U+0080 to U+009F as it obeys the others; what is read from the JSON is the same."""
    name = "a\x7f\x9b2J\xa0\u20ac\x1b.json"
    tree = f"{{pk_slhdsa({'11' * 32}),OP_1}}"
    made = ok("spend", "--outpoint", f"{'11' * 32}:0", "--amount", 100_000, "--tree", tree, "--leaf", 1, "--to",
              "bcrt1zvjt0qaul8zu8zqfmuu0w0hxw3lxucq40cnrg3t93t879mchm540qura84m", "--out", tmp_path / name, "--json")
    assert json.loads(made)["file"] == str(tmp_path / name)
    assert "\\u007f\\u009b2J\xa0\u20ac\\u001b" in made and not any(c == "\x7f" or "\x80" <= c < "\xa0" for c in made)
