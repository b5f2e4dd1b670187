# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""slhtool spend: what a transaction costs, when it can be spent, where it goes; and what would cost coins is refused."""

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


def test_fee_that_is_not_relayed(spend, addresses, tmp_path):
    out = tmp_path / "spend.json"
    for options in [["--to", addresses["regtest"] + "=99000"], ["--to", addresses["regtest"], "--fee", 1000], ["--to", addresses["regtest"], "--feerate", "0.999"],
                    ["--to", addresses["regtest"] + "=100000"]]:
        bad(*spend(*options, "--out", out), says=["the fee, ", "is less than 1 per virtual byte; many nodes do not relay it", "--any-fee"])
        assert not out.exists()
        ok(*spend(*options, "--out", out, "--any-fee"))
        out.unlink()
    vsize = ok_json(*spend("--to", addresses["regtest"], "--dry-run"))["vsize"]
    ok(*spend("--to", f"{addresses['regtest']}={100_000 - vsize}"))
    bad(*spend("--to", f"{addresses['regtest']}={100_001 - vsize}"), says=f"the fee, {vsize - 1} satoshis for {vsize} virtual bytes, is less than 1")


def test_transactions_that_are_not_relayed(files, spend, addresses, tmp_path):
    """Dust, and too much weight; whatever the fee."""
    out = tmp_path / "spend.json"
    dust = spend("--to", addresses["regtest"] + "=329", "--to", addresses["regtest"], "--out", out)
    bad(*dust, says=["output 0: gets 329 satoshis; less than 330 is dust, which nodes do not relay", "--nonstandard"])
    bad(*dust, "--any-fee", says="is dust")
    assert not out.exists()
    ok(*dust, "--nonstandard")
    ok(*spend("--to", addresses["regtest"] + "=330", "--to", addresses["regtest"], "--out", tmp_path / "enough.json"))

    coins = [{"txid": f"{n:064x}", "vout": 0, "amount": 100_000, "tree": f"{{pk_slhdsa({files.pub['alice']}),OP_RETURN}}", "leaf": 0} for n in range(1, 52)]
    path = tmp_path / "spec.json"
    path.write_text(json.dumps({"inputs": coins, "outputs": [{"address": addresses["regtest"]}]}))
    large = ["spend", path, "--key", files.key("alice"), "--dry-run"]
    bad(*large, "--json", says=["weight: is 4", "nodes relay no transaction of more than 400000", "--nonstandard"])
    ok(*large, "--nonstandard")


def outputs_in_spec(path, *outputs):
    """A SPEC file that spends a coin of 200,000 satoshis."""
    coin = {"txid": TXID, "vout": 0, "amount": 200_000, "tree": "{OP_1,OP_2}"}
    path.write_text(json.dumps({"inputs": [coin], "outputs": outputs}))


@pytest.mark.parametrize("script", ["6a04deadbeef", "51" * 10_001], ids=["OP_RETURN", "too long"])
def test_an_amount_that_nobody_can_ever_spend(addresses, tmp_path, script):
    """A data output whose amount was forgotten would get the change."""
    path, commands = tmp_path / "spec.json", [["spend"], ["spend", "--dry-run", "--json"]]
    pays = {"address": addresses["regtest"]}
    for outputs, says in [([{**pays, "amount": 50_000}, {"script_pubkey": script}], "output 1: has no amount, so it gets what is left, 1"),
                          ([pays, {"script_pubkey": script, "amount": 1}], "output 1: gets 1 satoshi, but nobody")]:
        outputs_in_spec(path, *outputs)
        for command in commands:
            bad(*command, path, "--any-fee", "--nonstandard", says=[says, "nobody can ever spend it (--allow-burn accepts it)\n"])
            burnt = run(*command, path, "--allow-burn")
            assert burnt.returncode == 0 and "output 1: its 1" in burnt.stdout + burnt.stderr and "nobody can ever spend it" in burnt.stdout + burnt.stderr
        assert f"satoshis to {addresses['regtest']}" in run("spend", path, "--dry-run").stdout  # people see what is refused
    outputs_in_spec(path, pays, {"script_pubkey": script, "amount": 0})
    for command in commands:
        ok(*command, path)


def test_an_output_with_an_empty_script(tmp_path):
    """Anyone can spend it, and nobody should overlook it."""
    path = tmp_path / "spec.json"
    outputs_in_spec(path, {"script_pubkey": "51"}, {"script_pubkey": "", "amount": 5000})
    assert "5000 satoshis to (empty script)\n" in ok("spend", path, "--dry-run")


def test_fee_of_most_of_the_coin(spend, addresses, tmp_path):
    """Somebody who forgets the change would pay it all as a fee."""
    out = tmp_path / "spend.json"
    for options in [["--to", addresses["regtest"] + "=10000"], ["--to", addresses["regtest"], "--fee", 90_000], ["--to", addresses["regtest"], "--feerate", 40],
                    ["--to", addresses["regtest"] + "=74999"]]:
        bad(*spend(*options, "--out", out), says=["is more than a quarter of the 100000 being spent; is the change missing?", "--any-fee"])
        assert not out.exists()
        ok(*spend(*options, "--any-fee", "--out", out))
        out.unlink()
    ok(*spend("--to", addresses["regtest"] + "=75000"))
    path = tmp_path / "spec.json"
    spec = {"inputs": [{"txid": TXID, "vout": 0, "amount": 100_000, "tree": "{OP_1,OP_2}"}], "outputs": [{"address": addresses["regtest"], "amount": 10_000}]}
    path.write_text(json.dumps(spec))
    bad("spend", path, says="more than a quarter")
    assert json.loads(ok("spend", path, "--any-fee"))["txid"]


def test_dry_run_shows_a_fee_that_is_refused(spend, addresses):
    result = run(*spend("--to", addresses["regtest"] + "=10000", "--dry-run"))
    assert result.returncode == 2
    assert "90000 satoshis" in result.stdout and result.stderr.count("\n") == 1 and "more than a quarter" in result.stderr


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
    (["--to", "{}", "--fee", "99700"], ["leave 300", "less than 330 is dust"]),
    (["--to", "{}", "--fee", "100001"], "the inputs have 100000 satoshis; the other outputs (0) and the fee (100001) take more"),
    (["--to", "{}", "--fee", "100000"], ["leave 0 ", "less than 330 is dust"]),
    (["--to", "{}=95000", "--hex", "--json"], ["--hex", "cannot be combined with --json"]),
    (["--to", "{}=95000", "--hex", "--dry-run"], ["--dry-run", "cannot be combined with --hex or --out"]),
    (["--to", "{}=95000", "--out", "x", "--dry-run"], ["--dry-run", "cannot be combined with --hex or --out"]),
])
def test_fee_errors(spend, addresses, options, says):
    bad(*spend(*[option.format(addresses["regtest"]) for option in options]), says=says)


@pytest.mark.parametrize("script, threshold", [("5220" + "01" * 32, 330), ("5120" + "01" * 32, 330), ("0014" + "01" * 20, 294), ("76a914" + "01" * 20 + "88ac", 546), ("6a", 0)])
def test_a_rest_below_the_dust_threshold_is_refused(tmp_path, script, threshold):
    """43 bytes of output and 67 of input for P2MR as for P2TR, 31 and 67 for P2WPKH, 34 and 148 for P2PKH, at 3 satoshis a byte"""
    path = tmp_path / "spec.json"
    for rest in threshold, threshold - 1:
        path.write_text(json.dumps({"inputs": [{"txid": TXID, "vout": 0, "amount": 100_000, "tree": "{OP_1,OP_2}"}],
                                    "outputs": [{"script_pubkey": script}, {"script_pubkey": "51", "amount": 99_000 - rest}], "fee": 1000}))
        if rest == threshold:
            assert ok_json("spend", path, "--dry-run")["outputs"][0]["amount"] == threshold
        else:
            bad("spend", path, "--dry-run", says=[f"leave {rest} ", f"less than {threshold} is dust"] if rest >= 0 else "take more")


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
    # What is given is taken as it is.
    made = ok_json(*args, "--dry-run", "--sequence", 1, "--locktime", 2)
    assert (made["inputs"][0]["sequence"], made["locktime"]) == (1, 2)
    if leaf:
        result = run(*args, "--sequence", 1, "--locktime", 2)
        assert result.returncode == 1 and "SCRIPT_ERR_UNSATISFIED_LOCKTIME" in result.stdout


def test_lock_time_with_a_witness_by_hand(files, spend, addresses):
    """What holds in every branch is known; what a branch demands has to be said."""
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


# What is printed


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
    # What is not valid is not printed, either.
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
