# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""slhtool with keys of another parameter set than 128s, as scripts have them: the number of the set, and the key."""

import json
import stat
import subprocess
import sys

import pytest
from conftest import ROOT
from tool import TXID, bad, check_valid, ok, ok_json, run, spend_args, tampered

SETS = "consensus,SLHDSA_SETS"
KNOWN = "(18: 128-24, 28: 128-q40)"


@pytest.fixture(scope="module")
def fast(files):
    """A key of 128f, whose signatures are too large for a script."""
    path = files.folder / "fast.key"
    ok("keygen", "--set", "128f", path)
    return path


def test_spend(files, tmp_path):
    spend = files.of_another_set
    assert json.loads(spend.read_text())["flags"] == SETS
    check_valid(spend)
    changed = tampered(spend, tmp_path / "changed.json", 5776)
    for mode in [[], ["--batch"]]:
        assert "SCRIPT_ERR_SLHDSA_SIG" in run("verify-tx", *mode, changed).stdout
        # Where the rules do not have the flag, the key is of an unknown type.
        ok("verify-tx", *mode, "--flags", "consensus", changed)
    assert "DISCOURAGE_UPGRADABLE_PUBKEYTYPE" in run("verify-tx", "--flags", "standard", spend).stdout


def test_the_rules_of_a_spend(files):
    """SLHDSA_SETS is among them if the leaf has such a key, or if somebody says so."""
    tree, data = files.tree(f"pk_slhdsa({files.pub['erin']})", f"pk_slhdsa({files.pub['alice']})")
    made = ["spend", "--outpoint", f"{TXID}:0", "--amount", "100000", "--tree", f"@{tree}", "--to", data["addresses"]["regtest"]]
    both = ["--key", files.key("erin"), "--key", files.key("alice")]
    assert ok_json(*made, *both, "--leaf", "0")["flags"] == SETS
    assert ok_json(*made, *both, "--leaf", "1")["flags"] == "consensus"
    for flags in (SETS, "consensus"):
        assert ok_json(*made, *both, "--leaf", "0", "--flags", flags)["flags"] == flags
    plan = ok_json(*made, *both, "--leaf", "0", "--dry-run")
    spent = ok_json(*made, *both, "--leaf", "0")
    assert plan["weight"] == spent["weight"]
    assert 5776 < plan["weight"] < 5776 + 500


def test_signatures_by_others(files, tmp_path):
    """What is signed, and its size, follow from the key."""
    tree, data = files.tree(f"multi_slhdsa(2,{files.pub['erin']},{files.pub['alice']})", "OP_RETURN")
    made = ["--outpoint", f"{TXID}:0", "--amount", "100000", "--tree", f"@{tree}", "--to", data["addresses"]["regtest"]]
    hashes = {signer["type"]: signer["hash"] for signer in ok_json("sighash", *made)["hashes"][0]["signers"]}
    assert set(hashes) == {"slh-dsa-sha2-128s", "slh-dsa-sha2-128-q40"} and len(set(hashes.values())) == 2
    signature = tmp_path / "signature"
    ok("sign", "--key", files.key("erin"), "--message", hashes["slh-dsa-sha2-128-q40"], "--out", signature)
    ok("spend", *made, "--key", files.key("alice"), "--signature", f"@{files.key('erin')}=@{signature}")
    bad("spend", *made, "--key", files.key("alice"), "--signature", f"{files.pub['erin']}={'00' * 7856}",
        says="has 7856 bytes, not 5776 (128-q40), or one more with a hash type")


def test_debug(files, tmp_path):
    checks = [step["signature"] for step in ok_json("debug", files.of_another_set)["scripts"][-1]["steps"] if "signature" in step]
    assert [(check["public_key"], check["size"], check["note"]) for check in checks] == [(files.pub["erin"], 5776, "a key of 128-q40")]
    without = "a key of 128-q40, which is of an unknown type without the flag SLHDSA_SETS"
    assert without in ok("debug", "--flags", "consensus", files.of_another_set)
    assert "note" not in json.dumps(ok_json("debug", files.single)["scripts"])


def test_decode(files):
    data = ok_json("decode", "tx", f"@{files.of_another_set}")
    assert data["inputs"][0]["witness"]["elements"][0]["may_be"] == "SLH-DSA signature (128-q40)"
    assert ok_json("decode", "tx", f"@{files.single}")["inputs"][0]["witness"]["elements"][0]["may_be"] == "SLH-DSA signature"
    script = ok_json("decode", "script", f"pk_slhdsa({files.pub['erin']})")
    assert script["instructions"][0]["note"] == "a key of 128-q40, where the rules have SLHDSA_SETS"
    assert "note" not in ok_json("decode", "script", f"<{files.pub['erin']}> OP_CHECKSIG")["instructions"][0]
    bad("decode", files.pub["erin"], says="a public key of 128-q40 (33 bytes)")
    for size in (3856, 3857):
        bad("decode", "fe" * size, says=f"an SLH-DSA signature of 128-24 ({size} bytes)")


def test_psbt(files, tmp_path):
    tree, data = files.tree(f"multi_slhdsa(2,{files.pub['erin']},{files.pub['alice']},{files.pub['bob']})", "OP_RETURN")
    psbt = ok("psbt", "create", "--outpoint", f"{TXID}:0", "--amount", "100000", "--tree", f"@{tree}", "--to", data["addresses"]["regtest"]).strip()
    for name in ("erin", "bob"):
        psbt = ok("psbt", "sign", psbt, "--key", files.key(name)).strip()
    shown = {key["public_key"]: (key["type"], key.get("valid")) for key in ok_json("psbt", "show", psbt)["inputs"][0]["leaves"][0]["signatures"]}
    assert shown[files.pub["erin"]] == ("slh-dsa-sha2-128-q40", True) and shown[files.pub["alice"]] == ("slh-dsa-sha2-128s", None)
    out = tmp_path / "spend.json"
    ok("psbt", "extract", ok("psbt", "finalize", psbt).strip(), "--out", out)
    assert json.loads(out.read_text())["flags"] == SETS
    check_valid(out)


def test_descriptor(files):
    text = f"mr({{pk_slhdsa({files.pub['erin']}),pk_slhdsa({files.pub['alice']})}})"
    data = ok_json("descriptor", "info", text)
    assert [(key["type"], key["public_key"]) for key in data["keys"]] == [
        ("slh-dsa-sha2-128-q40", files.pub["erin"]), ("slh-dsa-sha2-128s", files.pub["alice"])]
    assert data["script_pubkey"] == files.tree(f"pk_slhdsa({files.pub['erin']})", f"pk_slhdsa({files.pub['alice']})")[1]["script_pubkey"]
    bad("descriptor", "info", text.replace(files.pub["erin"], "29" + files.pub["erin"][2:]), says=f"{KNOWN}, not with 29")


def test_key_files_become_elements(files):
    by_file = ok_json("address", f"pk_slhdsa(@{files.key('erin')})", "OP_RETURN")
    assert by_file == ok_json("address", f"<{files.pub['erin']}> OP_CHECKSIGSLHDSA", "OP_RETURN")
    assert by_file == ok_json("address", "--key", f"@{files.key('erin')}", "OP_RETURN")


def test_sets_that_scripts_do_not_know(files, fast):
    for args in [("address", "--key", f"@{fast}", "OP_RETURN"), ("address", f"<@{fast}> OP_DROP", "OP_RETURN"),
                 spend_args(files, key=fast)]:
        bad(*args, says="no script knows keys of type slh-dsa-sha2-128f")
    bad("address", "--key", "01" + files.pub["alice"], "OP_RETURN", says=f"{KNOWN}, not with 01, 128f")


@pytest.mark.parametrize(("name", "number", "size"), [("128s", "", 7856), ("128-24", "18", 3856)])
def test_keys_for_experiments(files, tmp_path, name, number, size):
    """spend signs with such a key, and nothing else does; what it made is valid for the model."""
    key, other, psbt, plain = (tmp_path / file for file in ("a.key", "b.key", "a.psbt", "a.pub"))
    made = ok_json("keygen", "--set", name, "--experiment", "0a:7", key, other)
    text = json.loads(key.read_text())
    assert (text["type"], text["secret_key"]) == (f"experiment-slh-dsa-sha2-{name}", "0a" + "00" * 47 + "0000000000000007")
    assert json.loads(other.read_text())["secret_key"][96:] == "0000000000000008"
    assert stat.S_IMODE(key.stat().st_mode) == 0o600 and not list(tmp_path.glob("*.tree"))
    assert ok("keygen", "--set", name, "--experiment", "0a:7", tmp_path / "again.key", "--public", plain).strip() == made[0]["public_key"] != made[1]["public_key"]
    assert ok_json("pubkey", key) == json.loads(plain.read_text()) == ok_json("pubkey", plain) == {"type": text["type"], "public_key": made[0]["public_key"]}

    tree, data = files.tree(f"multi_slhdsa(2,{number}{made[0]['public_key']},@{other})", "OP_RETURN")
    coin = ["--outpoint", f"{TXID}:0", "--amount", "100000", "--tree", f"@{tree}", "--to", data["addresses"]["regtest"]]
    keys, spend = ["--key", key, "--key", other], tmp_path / "spend.json"
    ok("spend", *coin, *keys, "--sighash", "ALL", "--out", spend)
    check_valid(spend)
    model = [sys.executable, "-B", ROOT / "doc/bip/reference/verify.py"]
    assert subprocess.run([*model, spend], check=False, capture_output=True).returncode == 0
    changed = tampered(spend, tmp_path / "changed.json", size + 1)
    assert subprocess.run([*model, changed], check=False, capture_output=True).returncode == 1
    assert "SCRIPT_ERR_SLHDSA_SIG" in run("verify-tx", changed).stdout
    signed = "a key for experiments protects nothing: slhtool spend alone signs with it"
    bad("sign", "--key", key, "--message", "00" * 32, says=signed)
    ok("psbt", "create", *coin, "--out", psbt)
    bad("psbt", "sign", f"@{psbt}", "--key", key, says=signed)
    for change, says in [({"secret_key": text["secret_key"][:-1] + "6"}, "public_key does not belong to secret_key"),
                         ({"secret_key": text["secret_key"][2:]}, "secret_key: has 55 bytes, not 56"), ({"type": "experiment-schnorr-bip340"}, "type: 'exp")]:
        key.write_text(json.dumps({**text, **change}))
        bad("spend", *coin, *keys, says=[str(key), says])


def test_no_mainnet_address_of_keys_for_experiments(files, tmp_path):
    key, public, tree = tmp_path / "1.key", tmp_path / "1.pub", tmp_path / "1.tree"
    digits = ok("keygen", "--experiment", "0a", key, "--public", public).strip()
    alice = f"pk_slhdsa({files.pub['alice']})"
    for leaf in (f"pk_slhdsa(@{public})", f"pk_slhdsa(@{key})", f"multi_slhdsa(1,@{files.key('alice')},@{public})", f"<@{public}> OP_CHECKSIGSLHDSA"):
        data = ok_json("address", leaf, alice)
        assert data["experiment"] is True and list(data["addresses"]) == ["regtest", "signet", "testnet"]
        assert "bc1z" not in ok("address", leaf, alice).replace("bcrt1z", "")
        tree.write_text(json.dumps(data))
        assert ok_json("address", "--tree", f"@{tree}") == data
        for args in [(leaf, alice), (f"{{{leaf},{alice}}}",), ("--tree", f"@{tree}")]:
            bad("address", *args, "--network", "mainnet", says="--network: no mainnet address of a tree with a key for experiments")
            assert ok("address", *args, "--network", "signet").strip() == data["addresses"]["signet"]
    assert ok_json("address", f"pk_slhdsa({digits})", alice)["addresses"]["mainnet"]  # digits do not say it


def test_bad_keys_for_experiments(tmp_path):
    for args, says in [(["00", "--type", "schnorr"], "works without"), (["00", "--seed-file", "-"], "works without"), (["00" * 49], "more than 48 bytes"),
                       (["0"], "odd number of hex digits (1)"), (["00:x"], "'x'"), (["00:18446744073709551616"], "18446744073709551615")]:
        bad("keygen", tmp_path / "key", "--experiment", *args, says=["--experiment: ", says])
    assert not (tmp_path / "key").exists()
