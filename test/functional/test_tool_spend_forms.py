# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""slhtool spends: every form of leaf and signature, and every error in what it is given."""

import json

import pytest

from tool import TXID, bad, check_valid, ok, ok_json, run, spend_args, sum_witness


def test_spend_single(files):
    data = json.loads(files.single.read_text())
    assert data["flags"] == "consensus"
    assert len(data["spent_outputs"]) == 1
    assert data["weight"] == 4 * (len(data["tx"]) // 2) - 3 * sum_witness(data["tx"])
    assert check_valid(files.single)["signatures"] == 1
    assert check_valid(files.schnorr)["signatures"] == 0


def test_spend_two_of_three_with_hash_type(files):
    keys = [files.pub[name] for name in ("alice", "bob", "carol")]
    path = files.spend("vault", [f"multi_slhdsa(2,{','.join(keys)})", "OP_RETURN"], ["carol", "alice"], "--sighash", "SINGLE|ANYONECANPAY")
    assert check_valid(path)["signatures"] == 2
    sizes = [element["size"] for element in json.loads(ok("decode", "tx", f"@{path}", "--json"))["inputs"][0]["witness"]["elements"]]
    assert sizes[:3] == [7857, 0, 7857]  # carol, bob, alice: the first key's signature on top


def test_spend_everything_at_once(files, tmp_path):
    """Hybrid leaf with annex, time lock and preimage; a leaf of another version; an unknown key type; a witness by hand."""
    preimage = "ab" * 20
    digest = __import__("hashlib").sha256(bytes.fromhex(preimage)).hexdigest()
    hybrid, _ = files.tree(f"after(100) older(5) sha256({digest}) hybrid({files.pub['bob']},{files.pub['dave']})", "OP_RETURN")
    other, _ = files.tree("leaf(0xfa,OP_RETURN)", "<0102> OP_CHECKSIGSLHDSA", "OP_IF OP_7 OP_ELSE OP_RETURN OP_ENDIF")
    _, target = files.tree("OP_1", "OP_2")
    spec = {
        "version": 2, "locktime": 100, "description": "everything at once",
        "inputs": [
            {"txid": TXID, "vout": 0, "amount": 10000, "tree": f"@{hybrid}", "keys": [str(files.key("bob")), str(files.key("dave"))],
             "preimages": [preimage], "annex": "50aa", "sequence": 5},
            {"txid": TXID, "vout": 1, "amount": 10000, "tree": f"@{other}", "leaf": 0, "witness": []},
            {"txid": TXID, "vout": 2, "amount": 10000, "tree": f"@{other}", "leaf": 1, "witness": ["<99>"]},
            {"txid": TXID, "vout": 3, "amount": 10000, "tree": f"@{other}", "leaf": 2, "witness": ["<01>"]},
        ],
        "outputs": [{"address": target["addresses"]["regtest"], "amount": 36000}, {"script_pubkey": "6a", "amount": 0}],
    }
    path, out = tmp_path / "spec.json", tmp_path / "spend.json"
    path.write_text(json.dumps(spec))
    summary = ok_json("spend", path, "--out", out)
    assert summary["fee"] == 4000
    data = check_valid(out, inputs=4)
    assert data["signatures"] == 1
    assert data["transactions"][0]["txid"] == summary["txid"]
    # The unknown leaf version and key type are discouraged, by policy.
    result = json.loads(run("verify-tx", out, "--json", "--flags",
                            "P2SH,WITNESS,TAPROOT,CHECKLOCKTIMEVERIFY,CHECKSEQUENCEVERIFY,P2MR,SLHDSA,"
                            "DISCOURAGE_UPGRADABLE_TAPROOT_VERSION,DISCOURAGE_UPGRADABLE_PUBKEYTYPE").stdout)
    errors = [txin.get("error") for txin in result["transactions"][0]["inputs"]]
    assert errors == [None, "SCRIPT_ERR_DISCOURAGE_UPGRADABLE_TAPROOT_VERSION", "SCRIPT_ERR_DISCOURAGE_UPGRADABLE_PUBKEYTYPE", None]
    result = json.loads(run("verify-tx", out, "--json", "--flags", "standard").stdout)
    assert [txin.get("error") for txin in result["transactions"][0]["inputs"]] == errors
    # Without the time lock, nothing is written.
    path.write_text(json.dumps({**spec, "locktime": 99}))
    out.unlink()
    result = run("spend", path, "--out", out)
    assert result.returncode == 1 and "SCRIPT_ERR_UNSATISFIED_LOCKTIME" in result.stdout and not out.exists()
    ok("spend", path, "--out", out, "--unchecked")
    result = run("verify-tx", out)
    assert result.returncode == 1 and "input 0: invalid: SCRIPT_ERR_UNSATISFIED_LOCKTIME at instruction 1 (OP_CHECKLOCKTIMEVERIFY)" in result.stdout


def test_spend_with_signatures_by_hand(files, tmp_path):
    tree, data = files.tree(f"OP_IF pk_slhdsa({files.pub['alice']}) OP_ELSE pk_schnorr({files.pub['dave']}) OP_ENDIF", "OP_RETURN")
    args = ["spend", "--outpoint", f"{TXID}:0", "--amount", 5000, "--tree", f"@{tree}", "--leaf", 0, "--to", data["addresses"]["regtest"], "--fee", 1000]
    bad(*args, "--key", files.key("dave"), says=["input 0", "leaf 0", "OP_IF (instruction 0): slhtool does not know how to satisfy it", "--witness"])
    spend = json.loads(ok(*args, "--witness", f"sig({files.key('dave')},NONE)", "--witness", "<>"))
    decoded = json.loads(ok("decode", "tx", spend["tx"], "--json"))
    assert decoded["outputs"][0]["amount"] == 4000
    assert decoded["inputs"][0]["witness"]["elements"][0]["size"] == 65


@pytest.mark.parametrize("hash_type", ["DEFAULT", "ALL", "NONE", "SINGLE", "ALL|ANYONECANPAY", "NONE|ANYONECANPAY", "SINGLE|ANYONECANPAY"])
def test_hash_types(files, tmp_path, hash_type):
    """By option, in a SPEC file, and of a signature that was made elsewhere."""
    tree, data = files.tree(f"pk_schnorr({files.pub['dave']})", "OP_RETURN")
    coin = ["--outpoint", f"{TXID}:0", "--amount", 5000, "--tree", f"@{tree}", "--to", data["addresses"]["regtest"], "--sighash", hash_type]
    out = tmp_path / "spend.json"
    assert ok_json("spend", *coin, "--key", files.key("dave"), "--out", out)["inputs"][0]["sighash"] == hash_type
    check_valid(out)
    assert ok_json("debug", out)["scripts"][-1]["steps"][-1]["signature"]["hash_type"] == hash_type
    spec = tmp_path / "spec.json"
    spec.write_text(json.dumps({"inputs": [{"txid": TXID, "vout": 0, "amount": 5000, "tree": f"@{tree}", "sighash": hash_type}],
                                "outputs": [{"address": data["addresses"]["regtest"]}]}))
    (signer,) = ok_json("sighash", spec)["hashes"][0]["signers"]
    signature = ok("sign", "--key", files.key("dave"), "--message", signer["hash"]).strip()
    ok("spend", *coin, "--signature", f"{files.pub['dave']}={signature}")
    bad("spend", spec, "--sighash", hash_type, says="--sighash: cannot be combined with a SPEC file")


def test_sighash_of_a_witness_by_hand(files, tmp_path):
    """Its signatures have hash types of their own, which slhtool sighash would ignore."""
    tree, data = files.tree(f"pk_slhdsa({files.pub['alice']})", "OP_RETURN")
    coins = [{"txid": TXID, "vout": n, "amount": 5000, "tree": f"@{tree}"} for n in range(2)]
    coins[1].update(leaf=0, witness=[f"sig({files.key('alice')},ALL)"])
    path = tmp_path / "spec.json"
    path.write_text(json.dumps({"inputs": coins, "outputs": [{"address": data["addresses"]["regtest"]}]}))
    bad("sighash", path, says="input 1: slhtool sighash computes no hash for a witness given by hand")
    assert [each["input"] for each in ok_json("sighash", path, "--input", 0)["hashes"]] == [0]
    bad("sighash", path, "--input", 2, says="slhtool sighash: --input: there is no input 2\n")
    assert "  --witness " not in ok("sighash", "--help")


@pytest.mark.parametrize("options, says", [
    ({"outpoint": None}, ["--outpoint: missing (or give a SPEC file)"]),
    ({"outpoint": "00:0"}, ["--outpoint", "64 hex digits"]),
    ({"outpoint": TXID}, ["--outpoint", "TXID:INDEX"]),
    ({"outpoint": TXID + ":x"}, ["--outpoint", "'x' is not a whole number, 0 or more"]),
    ({"amount": "1.5"}, ["--amount", "'1.5' is not a whole number of satoshis (a bitcoin has 100000000)"]),
    ({"amount": "2100000000000001"}, ["--amount", "more than 2100000000000000"]),
    ({"amount": "3999"}, ["outputs", "4000 satoshis, but the inputs have 3999"]),
    ({"to": "bcrt1qqqq"}, ["--to", "'bcrt1qqqq'"]),
    ({"to": None}, ["--to: missing"]),
    ({"tree": "{OP_1"}, ["--tree", "position"]),
    ({"leaf": "2"}, ["--leaf: there is no leaf 2\n"]),
    ({"leaf": "0"}, ["input 0", "leaf 0", "needs a signature by the slh-dsa-sha2-128s key"]),
    ({"key": "/nonexistent"}, ["--key", "/nonexistent", "No such file"]),
    ({"key": None}, ["input 0", "leaf 0: needs a signature", "leaf 1: needs a signature"]),
    ({"sighash": "MOST"}, ["--sighash", "'MOST' is not a hash type"]),
    ({"annex": "51"}, ["annex", "does not begin with 50"]),
    ({"sequence": "4294967296"}, ["--sequence", "more than 4294967295"]),
    ({"witness": "sig(/nonexistent)"}, ["--witness", "/nonexistent"]),
    ({"flags": "WITNESS"}, ["--flags", "P2SH"]),
    ({"flags": "NOSUCH"}, ["--flags", "NOSUCH"]),
])
def test_spend_errors(files, options, says):
    bad(*spend_args(files, **options), says=says)


@pytest.mark.parametrize("change_spec, says", [
    ({"inputs": []}, ["inputs", "none"]),
    ({"outputs": []}, ["outputs", "none"]),
    ({"outputs": None}, ["top level", "no member 'outputs'"]),
    ({"extra": 1}, ["top level", "unknown member 'extra'"]),
    ({"locktime": -1}, ["locktime", "not a whole number"]),
    ({"outputs": [{"amount": 1.5, "script_pubkey": "51"}]}, ["outputs[0].amount", "not a whole number"]),
    ({"outputs": [{"amount": 1, "address": "tb1z"}]}, ["outputs[0].address", "too short"]),
    ({"inputs": [{"txid": "00", "vout": 0, "amount": 1, "tree": "{OP_1,OP_2}"}]}, ["inputs[0].txid", "64 hex digits"]),
    ({"inputs": [{"txid": TXID, "vout": 0, "amount": 1, "tree": "{OP_1,OP_2}", "leaf": 2}]}, ["inputs[0].leaf", "2 is more than 1"]),
    ({"inputs": [{"txid": TXID, "vout": 0, "amount": 1, "tree": "{OP_1,OP_2}", "keys": ["/nonexistent"]}]}, ["inputs[0].keys[0]", "/nonexistent"]),
])
def test_spec_errors(tmp_path, change_spec, says):
    spec = {"inputs": [{"txid": TXID, "vout": 0, "amount": 1, "tree": "{OP_1,OP_2}"}], "outputs": [{"amount": 1, "script_pubkey": "51"}]}
    path = tmp_path / "spec.json"
    path.write_text(json.dumps({name: value for name, value in {**spec, **change_spec}.items() if value is not None}))
    bad("spend", path, says=[str(path), *says] if list(change_spec) != ["inputs"] and list(change_spec) != ["outputs"] else says)
