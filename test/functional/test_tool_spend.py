# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""slhtool spend: what a transaction costs, when it can be spent, where it goes."""

import json

import pytest

from tool import TXID, bad, check_valid, ok, ok_json, run

AGE_TYPE_TIME = 1 << 22


@pytest.fixture
def spend(files):
    """Arguments of slhtool spend for a coin of 100000 satoshis with these leaves."""
    def made(*options, leaves=("pk_slhdsa({alice})", "OP_RETURN"), key="alice", amount=100_000):
        tree, _ = files.tree(*(leaf.format(**files.pub) for leaf in leaves))
        return ["spend", "--outpoint", f"{TXID}:0", "--amount", amount, "--tree", f"@{tree}", "--key", files.key(key), *options]
    return made


@pytest.fixture
def addresses(files):
    return files.tree("OP_1", "OP_RETURN")[1]["addresses"]


def decoded(spend_json):
    return ok_json("decode", "tx", spend_json["tx"])


# Fees


def test_fee_by_rate(spend, addresses):
    """By default 2 satoshis for each virtual byte, of the size that the transaction has in the end."""
    for options, rate in [([], 2), (["--feerate", "1"], 1), (["--feerate", "7.5"], 7.5), (["--feerate", "1.001"], 1.001), (["--feerate", "1.5"], 1.5)]:
        planned = ok_json(*spend("--to", addresses["regtest"], *options, "--dry-run"))
        made = json.loads(ok(*spend("--to", addresses["regtest"], *options)))
        weight = decoded(made)["weight"]
        assert planned["weight"] == weight == made["weight"]
        assert planned["vsize"] == -(-weight // 4)
        assert planned["fee"] == 100_000 - decoded(made)["outputs"][0]["amount"] == -(-planned["vsize"] * round(1000 * rate) // 1000)
        assert planned["txid"] == made["txid"]


@pytest.mark.parametrize("leaf, key, options", [
    ("pk_slhdsa({alice})", "alice", ["--sighash", "ALL"]),
    ("pk_slhdsa({alice})", "alice", ["--annex", "50" + "00" * 300]),
    ("pk_schnorr({dave})", "dave", []),
    ("multi_slhdsa(1,{alice},{bob},{carol})", "carol", []),
    ("OP_IF pk_slhdsa({alice}) OP_ELSE OP_RETURN OP_ENDIF", "alice", ["--witness", "sig({keys}/alice.key,SINGLE)", "--witness", "<01>"]),
])
def test_planned_size(files, spend, addresses, tmp_path, leaf, key, options):
    """It is known before anything is signed."""
    args = spend("--to", addresses["regtest"], *[option.format(keys=files.folder) for option in options], leaves=(leaf, "OP_RETURN"), key=key)
    planned = ok_json(*args, "--dry-run")
    summary = ok_json(*args, "--out", tmp_path / "spend.json")
    assert {**planned, "file": str(tmp_path / "spend.json")} == summary
    assert decoded(json.loads((tmp_path / "spend.json").read_text()))["weight"] == planned["weight"]


def test_what_a_node_would_not_relay(files, spend, addresses, tmp_path):
    """Any fee, dust, and any weight, as a test may want them."""
    address = addresses["regtest"]
    for options, fee in [(["--to", f"{address}=100000"], 0), (["--to", address, "--fee", 1], 1), (["--to", address, "--fee", 100_000], 100_000),
                         (["--to", f"{address}=1"], 99_999)]:
        assert ok_json(*spend(*options, "--dry-run"))["fee"] == fee
    coins = [{"txid": f"{n:064x}", "vout": 0, "amount": 100_000, "tree": f"{{pk_slhdsa({files.pub['alice']}),OP_RETURN}}", "leaf": 0} for n in range(1, 52)]
    path = tmp_path / "spec.json"
    path.write_text(json.dumps({"inputs": coins, "outputs": [{"address": address}]}))
    assert ok_json("spend", path, "--key", files.key("alice"), "--dry-run")["weight"] > 400_000


def test_an_output_with_an_empty_script(tmp_path):
    """Anyone can spend it, and nobody should overlook it."""
    path = tmp_path / "spec.json"
    path.write_text(json.dumps({"inputs": [{"txid": TXID, "vout": 0, "amount": 200_000, "tree": "{OP_1,OP_2}"}],
                                "outputs": [{"script_pubkey": "51"}, {"script_pubkey": "", "amount": 5000}]}))
    assert "5000 satoshis to (empty script)\n" in ok("spend", path, "--dry-run")


@pytest.mark.parametrize("options, says", [
    (["--to", "{}=95000", "--fee", "5000"], ["--fee", "every output has an amount"]),
    (["--to", "{}=95000", "--feerate", "2"], ["--feerate", "every output has an amount"]),
    (["--to", "{}", "--feerate", "2", "--fee", "5000"], "cannot be combined with --feerate"),
    (["--to", "{}", "--to", "{}"], "a second address without an amount"),
    (["--to", "{}", "--feerate", "x"], ["--feerate", "'x' is not a fee rate, such as 2 or 1.5"]),
    (["--to", "{}", "--feerate", "-1"], ["--feerate", "'-1' is not a fee rate, such as 2 or 1.5"]),
    (["--to", "{}", "--feerate", "1."], ["--feerate", "'1.' is not a fee rate, such as 2 or 1.5"]),
    (["--to", "{}", "--feerate", ".5"], ["--feerate", "'.5' is not a fee rate, such as 2 or 1.5"]),
    (["--to", "{}", "--feerate", "1.x"], ["--feerate", "'1.x' is not a fee rate, such as 2 or 1.5"]),
    (["--to", "{}", "--feerate", "1.0001"], ["--feerate", "more than three decimals"]),
    (["--to", "{}", "--feerate", "1000001"], ["--feerate", "more than 1000000"]),
    (["--to", "{}", "--to", "{}=100000"], ["the inputs have 100000 satoshis; the other outputs (100000) and the fee (", ") take more"]),
    (["--to", "{}", "--fee", "100001"], "the inputs have 100000 satoshis; the other outputs (0) and the fee (100001) take more"),
    (["--to", "{}=95000", "--hex", "--json"], ["--hex", "cannot be combined with --json"]),
    (["--to", "{}=95000", "--hex", "--dry-run"], ["--dry-run", "cannot be combined with --hex or --out"]),
    (["--to", "{}=95000", "--out", "x", "--dry-run"], ["--dry-run", "cannot be combined with --hex or --out"]),
])
def test_fee_errors(spend, addresses, options, says):
    bad(*spend(*[option.format(addresses["regtest"]) for option in options]), says=says)


@pytest.mark.parametrize("members, fee", [
    ({}, lambda vsize: 2 * vsize), ({"feerate": 3}, lambda vsize: 3 * vsize), ({"feerate": "1.5"}, lambda vsize: -(-3 * vsize // 2)), ({"feerate": 1.5}, lambda vsize: -(-3 * vsize // 2)),
    ({"feerate": 1.005}, lambda vsize: -(-1005 * vsize // 1000)), ({"feerate": 2.0}, lambda vsize: 2 * vsize), ({"fee": 1234}, lambda vsize: 1234),
])
def test_fee_of_a_spec(addresses, tmp_path, members, fee):
    path = tmp_path / "spec.json"
    path.write_text(json.dumps({
        "inputs": [{"txid": TXID, "vout": i, "amount": 10_000, "tree": "{OP_1,OP_2}"} for i in range(2)],
        "outputs": [{"address": addresses["regtest"]}, {"script_pubkey": "51", "amount": 5000}], **members}))
    made = ok_json("spend", path, "--dry-run")
    assert made["fee"] == fee(made["vsize"])
    assert [output["amount"] for output in made["outputs"]] == [15_000 - made["fee"], 5000]


@pytest.mark.parametrize("members, says", [
    ({"fee": 1000}, ["fee", "every output has an amount"]),
    ({"feerate": 2}, ["feerate", "every output has an amount"]),
    ({"fee": 1000, "feerate": 2}, ["fee", "cannot be combined with 'feerate'"]),
    ({"outputs": [{"script_pubkey": "51"}, {"script_pubkey": "52"}]}, ["outputs[1]", "a second output without an amount"]),
    ({"outputs": [{"script_pubkey": "51", "amount": 5}, {"script_pubkey": "6a0101"}]}, ["outputs[1]: without an amount", "nobody could ever spend"]),
    ({"outputs": [{"script_pubkey": "61" * 10_001}]}, ["outputs[0]: without an amount", "nobody could ever spend"]),
    ({"outputs": [{"script_pubkey": "51"}], "feerate": -1}, ["feerate", "'-1' is not a fee rate, such as 2 or 1.5"]),
    ({"outputs": [{"script_pubkey": "51"}], "feerate": 1.0005}, ["feerate", "'1.0005' has more than three decimals"]),
    ({"outputs": [{"script_pubkey": "51"}], "feerate": 1e30}, ["feerate", "'1e+30' is not a fee rate, such as 2 or 1.5"]),
    ({"outputs": [{"script_pubkey": "51"}], "feerate": 1000001}, ["feerate", "'1000001' is more than 1000000"]),
    ({"outputs": [{"script_pubkey": "51"}], "feerate": [2]}, ["feerate", "not a string"]),
    ({"outputs": [{"script_pubkey": "51"}], "feerate": "x"}, ["feerate", "'x' is not a fee rate, such as 2 or 1.5"]),
    ({"outputs": [{"amount": 9000}]}, ["outputs[0]", "no member 'address' or 'script_pubkey'"]),
    ({"network": "moon"}, ["network", "'moon' is not one of mainnet, testnet, signet, regtest"]),
    ({"inputs": [{"txid": TXID, "vout": 0, "amount": 9000, "tree": "{OP_1,OP_2}"}] * 2}, ["input 1", "spends the same coin as an earlier input"]),
    ({"inputs": [{"txid": TXID, "vout": n, "amount": 1_500_000_000_000_000, "tree": "{OP_1,OP_2}"} for n in range(2)]}, "inputs or outputs of more than 21,000,000 bitcoin"),
    ({"outputs": [{"amount": 1_500_000_000_000_000, "script_pubkey": "51"}] * 2}, "inputs or outputs of more than 21,000,000 bitcoin"),
])
def test_spec_errors(tmp_path, members, says):
    path = tmp_path / "spec.json"
    path.write_text(json.dumps({"inputs": [{"txid": TXID, "vout": 0, "amount": 10_000, "tree": "{OP_1,OP_2}"}], "outputs": [{"amount": 9000, "script_pubkey": "51"}], **members}))
    bad("spend", path, says=says)


# Addresses


def test_address_of_another_network(spend, addresses, tmp_path):
    for network, of in [("mainnet", "mainnet"), ("signet", "testnet and signet"), ("testnet", "testnet and signet")]:
        bad(*spend("--to", addresses[network]), says=["--to", f"is an address on {of}, but the network is regtest", "--network"])
        ok(*spend("--to", addresses[network], "--network", network))
        bad(*spend("--to", addresses["regtest"], "--network", network), says=f"is an address on regtest, but the network is {network}")
    ok(*spend("--to", addresses["testnet"], "--network", "signet"))  # they share a prefix
    bad(*spend("--to", addresses["regtest"], "--network", "moon"), says="--network")
    path = tmp_path / "spec.json"
    spec = {"inputs": [{"txid": TXID, "vout": 0, "amount": 10_000, "tree": "{OP_1,OP_2}"}], "outputs": [{"address": addresses["signet"], "amount": 9000}]}
    path.write_text(json.dumps(spec))
    bad("spend", path, says=["outputs[0].address", "but the network is regtest"])
    path.write_text(json.dumps({**spec, "network": "signet"}))
    assert ok_json("spend", path, "--dry-run")["outputs"][0]["address"] == addresses["signet"]


@pytest.mark.parametrize("address", ["mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn", "", "1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2", "ltc1qw508d6qejxtdg4y5r3zarvary0c5xw7kgmn4n9", "bcrt"])
def test_what_is_no_segwit_address(spend, tmp_path, address):
    """A SPEC file pays to any output."""
    says = [f"'{address}' is not a segwit address (bc1..., tb1..., bcrt1...)", "script_pubkey in a SPEC file"]
    bad(*spend("--to", f"{address}=5000"), says=["--to", *says])
    path = tmp_path / "spec.json"
    path.write_text(json.dumps({"inputs": [{"txid": TXID, "vout": 0, "amount": 10_000, "tree": "{OP_1,OP_2}"}], "outputs": [{"address": address, "amount": 9000}]}))
    bad("spend", path, says=["outputs[0].address", *says])


def test_a_wrong_segwit_address(spend, addresses):
    bad(*spend("--to", addresses["regtest"][:-1] + "=5000"), says=["--to", "checksum does not match"])
    bad(*spend("--to", "BCRT1" + addresses["regtest"][5:] + "=5000"), says=["--to", "upper and lower case mixed"])


# Lock times


@pytest.mark.parametrize("leaf, sequence, locktime", [
    ("older(10)", 10, 0),
    (f"older({AGE_TYPE_TIME + 169})", AGE_TYPE_TIME + 169, 0),
    ("after(500)", 0xFFFFFFFE, 500),
    ("after(1700000000)", 0xFFFFFFFE, 1_700_000_000),
    ("after(500) older(3) older(7)", 7, 500),
    ("", 0xFFFFFFFE, 0),
])
def test_lock_times_of_the_leaf(spend, addresses, tmp_path, leaf, sequence, locktime):
    """The leaf says what it waits for; nobody has to say it again."""
    args = spend("--to", addresses["regtest"], leaves=("pk_slhdsa({bob})", leaf + " pk_schnorr({dave})"), key="dave")
    made = ok_json(*args, "--dry-run")
    assert (made["inputs"][0]["leaf"], made["inputs"][0]["sequence"], made["locktime"]) == (1, sequence, locktime)
    ok(*args, "--out", tmp_path / "spend.json")
    check_valid(tmp_path / "spend.json")
    # A value that is given is taken as it is.
    made = ok_json(*args, "--dry-run", "--sequence", 1, "--locktime", 2)
    assert (made["inputs"][0]["sequence"], made["locktime"]) == (1, 2)
    if leaf:
        result = run(*args, "--sequence", 1, "--locktime", 2)
        assert result.returncode == 1 and "SCRIPT_ERR_UNSATISFIED_LOCKTIME" in result.stdout


def test_lock_time_with_a_witness_by_hand(files, spend, addresses):
    """Demands of every branch are known; those of one branch have to be said."""
    leaf = "older(5) OP_IF after(100) OP_ENDIF pk_schnorr({dave})"
    args = spend("--to", addresses["regtest"], "--witness", f"sig({files.key('dave')})", "--witness", "<>", leaves=(leaf, "OP_RETURN"), key="dave")
    made = ok_json(*args, "--dry-run")
    assert (made["inputs"][0]["sequence"], made["locktime"]) == (5, 0)
    ok(*args)


def test_lock_time_before_an_op_success(files, spend, addresses, tmp_path):
    """The script succeeds whatever the lock time says."""
    leaf = "OP_1NEGATE OP_CHECKLOCKTIMEVERIFY OP_DROP OP_RESERVED"
    args = spend("--to", addresses["regtest"], "--witness", "51", leaves=(leaf, "OP_RETURN"))
    out = tmp_path / "success.json"
    ok(*args, "--out", out)
    assert ok_json("verify-tx", out)["valid"] is True


def test_lock_times_of_several_leaves(addresses, tmp_path):
    path = tmp_path / "spec.json"

    def spec(*leaves, **members):
        path.write_text(json.dumps({
            "inputs": [{"txid": TXID, "vout": i, "amount": 10_000, "tree": f"{{{leaf} OP_1,OP_RETURN}}", "leaf": 0} for i, leaf in enumerate(leaves)],
            "outputs": [{"address": addresses["regtest"]}], **members}))
        return path

    made = ok_json("spend", spec("after(7)", "older(3)", "after(9)", "after(8)"), "--dry-run")
    assert made["locktime"] == 9
    assert [each["sequence"] for each in made["inputs"]] == [0xFFFFFFFE, 3, 0xFFFFFFFE, 0xFFFFFFFE]
    bad("spend", spec("after(7)", "after(500000000)"), says=["input 1", "requires a block height and a time"])
    assert ok_json("spend", spec("after(7)", "after(500000000)", locktime=5), "--dry-run")["locktime"] == 5
    bad("spend", spec(f"older(7) older({AGE_TYPE_TIME + 1})"), says=["input 0", "requires an age in blocks and one in time"])


# Output


def test_hex(spend, addresses, tmp_path):
    args = spend("--to", addresses["regtest"])
    text = ok(*args, "--hex")
    assert text.count("\n") == 1 and len(text) > 2 * 7856
    txid = ok_json("decode", "tx", text.strip())["txid"]
    out = tmp_path / "spend.json"
    text = ok(*args, "--hex", "--out", out)
    made = json.loads(out.read_text())
    assert made["tx"] + "\n" == text and made["txid"] == txid
    check_valid(out)
    # An invalid spend is not printed, either.
    result = run(*args, "--hex", "--flags", "P2SH,WITNESS,DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM")
    assert result.returncode == 1 and "Not written" in result.stdout


def test_dry_run(files, spend, addresses, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    args = spend("--to", addresses["regtest"] + "=50000", "--to", addresses["regtest"], "--dry-run")
    made = ok_json(*args)
    assert made["inputs"] == [{"txid": TXID, "vout": 0, "amount": 100_000, "leaf": 0, "leaf_script": f"<{files.pub['alice']}> OP_CHECKSIGSLHDSA",
                               "leaf_hash": made["inputs"][0]["leaf_hash"], "leaf_script_hex": f"20{files.pub['alice']}7f", "sighash": "DEFAULT", "sequence": 0xFFFFFFFE}]
    assert [output["amount"] for output in made["outputs"]] == [50_000, 50_000 - made["fee"]]
    assert made["outputs"][0]["address"] == addresses["regtest"]
    text = ok(*args)
    for part in [f"100000 satoshis of {TXID}:0", "OP_CHECKSIGSLHDSA", f"50000 satoshis to {addresses['regtest']}", f"({made['vsize']} virtual bytes)",
                 f"{made['fee']} satoshis (2.0 per virtual byte)", made["txid"]]:
        assert part in text
    assert list(tmp_path.iterdir()) == []
