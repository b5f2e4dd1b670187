# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""slhtool's backup, and the descriptors that it takes: back from a backup to a spend."""

import json

import pytest

from tool import FINGERPRINT, TXID, bad, ok, ok_json, run

POINT = "50929b74c1a04954b78b4b6035e97a5e078a5a0f28ec96d547bfee9ace803ac0"
A, B = "11" * 32, "22" * 32
ORIGIN = f"[{FINGERPRINT}/360h/1h/0h/0h]"


@pytest.fixture(name="backup")
def _backup(tmp_path, master):
    """A range with two leaves: one key of the secret, and a recovery by two keys that do not come from it."""
    ok("derive", master, "--range", "0-4", "--table", tmp_path / "table.json")
    ok("keygen", tmp_path / "x.key", tmp_path / "y.key")
    x, y = (ok("pubkey", tmp_path / name).strip() for name in ("x.key", "y.key"))
    descriptor = f"mr({{pk_slhdsa({ORIGIN}/*h),and_v(v:multi_slhdsa(2,{x},{y}),older(10))}})"
    path = tmp_path / "wallet.backup"
    ok("backup", "make", path, "--descriptor", descriptor, "--keys", tmp_path / "table.json", "--range", "0-4", "--birth-height", "123")
    return path


def test_restore_and_spend(tmp_path, master, backup, passphrase):
    """All that is left is an encrypted secret and the backup: the coin at index 3 is spent, and the spend verifies."""
    ok("encrypt", master, tmp_path / "master.enc", "--passphrase-file", passphrase)
    for name in ("master.txt", "table.json", "x.key", "y.key"):
        (tmp_path / name).unlink()

    ok("decrypt", tmp_path / "master.enc", tmp_path / "restored.txt", "--passphrase-file", passphrase)
    checked = ok_json("backup", "check", backup, "--master", tmp_path / "restored.txt")
    assert checked["good"] and checked["birth_height"] == 123 and len(checked["outputs"]) == 5
    saved = json.loads(backup.read_text())
    (tmp_path / "table.json").write_text(json.dumps(saved["key_tables"][0]))
    at = ok_json("descriptor", "addresses", saved["descriptor"], "--keys", tmp_path / "table.json", "--range", "3")["addresses"][0]
    assert at["address"] == saved["addresses"][3]["address"]
    ok("derive", tmp_path / "restored.txt", "--range", "3", "--out", tmp_path / "3.key")
    spend = ok("spend", "--outpoint", f"{TXID}:0", "--amount", "100000", "--tree", at["descriptor"], "--key", tmp_path / "3.key", "--to", at["address"],
               "--json")
    (tmp_path / "spend.json").write_text(spend)
    assert json.loads(spend)["spent_outputs"][0]["script_pubkey"] == at["script_pubkey"]
    ok("verify-tx", tmp_path / "spend.json")


def test_backup_check(tmp_path, master, backup):
    """What is missing is named, and what does not agree."""
    assert ok_json("backup", "check", backup)["keys_checked"] is False
    other = tmp_path / "other.txt"
    other.write_text("ff" * 16)

    def fails(*options):
        result = run("backup", "check", backup, *options, "--json")
        assert result.returncode == 1, (result.stdout, result.stderr)
        return json.loads(result.stdout)

    checked = fails("--master", other)
    assert not checked["good"] and not checked["outputs"][0]["spendable"]
    assert "1 more of the keys of pk_slhdsa(" in checked["outputs"][0]["leaves"][0]["missing"]
    assert "1 more of the keys of multi_slhdsa(2," in fails("--key", tmp_path / "x.key")["outputs"][0]["leaves"][1]["missing"]
    assert ok_json("backup", "check", backup, "--key", tmp_path / "x.key", "--key", tmp_path / "y.key")["outputs"][0]["leaves"][1]["spendable"]

    saved = json.loads(backup.read_text())
    changed = json.loads(json.dumps(saved))
    changed["addresses"][2]["address"] = saved["addresses"][1]["address"]
    backup.write_text(json.dumps(changed))
    assert [bool(output.get("problem")) for output in fails("--master", master)["outputs"]] == [False, False, True, False, False]
    # A table with another key: the address differs, and the secret derives another key.
    changed = json.loads(json.dumps(saved))
    changed["key_tables"][0]["public_keys"][1] = A
    backup.write_text(json.dumps(changed))
    assert f"the secret derives another key at [{FINGERPRINT}/360h/1h/0h/0h/1h]" == fails("--master", master)["outputs"][1]["problem"]
    assert "the backup says" in fails()["outputs"][1]["problem"]

    for change, message in (({"descriptor": saved["descriptor"].partition("#")[0]}, "descriptor: has no checksum"),
                            ({"descriptor": saved["descriptor"].replace("older(10)", "older(11)")}, "descriptor: column "),
                            ({"birth_height": -1}, "birth_height: not a whole number"), ({"network": "nowhere"}, "network: "),
                            ({"addresses": []}, "addresses: is empty"), ({"backup": 2}, "backup: a version other than 1"),
                            ({"key_tables": []}, "no table has the SLH-DSA key"), ({"more": 1}, "unknown member 'more'"),
                            ({"key_tables": [{**saved["key_tables"][0], "type": "rsa"}]}, "key_tables[0].type: 'rsa' is neither"),
                            ({"key_tables": [{**saved["key_tables"][0], "origin": "x"}]}, "key_tables[0].origin: column 1"),
                            ({"key_tables": [{**saved["key_tables"][0], "public_keys": ["00"]}]}, "key_tables[0].public_keys[0]"),
                            ({"key_tables": [{**saved["key_tables"][0], "first": 2**31 - 1}]}, "keys beyond the last index")):
        backup.write_text(json.dumps({**saved, **change}))
        bad("backup", "check", backup, says=message)


def test_backup_make_options(tmp_path, master):
    """Bad usage."""
    descriptor, ranged = f"mr({{pk_slhdsa({A}),pk({POINT})}})", f"mr({{pk_slhdsa({ORIGIN}/*h),pk({POINT})}})"
    path = tmp_path / "b"
    bad("backup", "make", path, "--descriptor", descriptor, "--birth-height", "x", says="--birth-height")
    bad("backup", "make", path, "--descriptor", descriptor, says="--birth-height")
    make = ["backup", "make", path, "--birth-height", "0", "--descriptor"]
    ok("derive", master, "--range", "0-1", "--table", tmp_path / "table.json")
    bad(*make, descriptor, "--range", "0-9", says="--range: the descriptor is not a range")
    bad(*make, descriptor, "--keys", tmp_path / "table.json", says="--keys: the descriptor is not a range")
    bad(*make, ranged, "--keys", tmp_path / "table.json", says="--range: is missing")
    bad(*make, ranged, "--keys", tmp_path / "table.json", "--range", "1-2", says="no table has the SLH-DSA key")
    assert not path.exists()
    ok(*make, descriptor)
    assert ok_json("backup", "check", path)["good"]


def test_backup_check_in_words(tmp_path, master, backup):
    """Short: no key is shown whole, and each output says what can spend it."""
    text = ok("backup", "check", backup, "--master", master)
    assert "good:         true\n" in text and "keys:         checked\n" in text
    assert text.count("can be spent by leaf 0\n") == 5 and text.count("leaf 1 lacks 2 more of the keys of multi_slhdsa(2,") == 5
    assert max(map(len, text.splitlines())) < 200
    text = ok("backup", "check", backup, "--key", tmp_path / "x.key", "--key", tmp_path / "y.key")
    assert text.count("can be spent by leaf 1\n") == 5 and text.count("leaf 0 lacks 1 more of the keys of pk_slhdsa(") == 5
    assert "not checked: neither --master nor --key" in ok("backup", "check", backup)
    result = run("backup", "check", backup, "--key", tmp_path / "x.key")
    assert result.returncode == 1 and result.stdout.count("cannot be spent with these keys\n") == 5
    leaf = ok_json("backup", "check", backup, "--master", master)["outputs"][0]["leaves"][1]["leaf"]
    assert all(ok("pubkey", tmp_path / name).strip() in leaf for name in ("x.key", "y.key")), "--json has the whole leaf"


# Trees of slhtool address


@pytest.mark.parametrize(("leaves", "descriptor"), [
    ([f"pk_slhdsa({A})", f"pk_schnorr({POINT})"], f"mr({{pk_slhdsa({A}),pk({POINT})}})"),
    ([f"{{{{pk_slhdsa({A}),multi_slhdsa(2,{A},{B})}},multi_schnorr(1,{POINT})}}"], f"mr({{{{pk_slhdsa({A}),multi_slhdsa(2,{A},{B})}},multi_a(1,{POINT})}})"),
    ([f"hybrid({A},{POINT})", f"144 OP_CHECKSEQUENCEVERIFY OP_VERIFY pk_slhdsa({A})"],
     f"mr({{and_v(v:pk_slhdsa({A}),pk({POINT})),and_v(v:older(144),pk_slhdsa({A}))}})"),
])
def test_descriptor_of_a_tree(tmp_path, leaves, descriptor):
    """What address --json prints has the descriptor, and the commands that take a descriptor take it; so does a backup."""
    data = ok_json("address", *leaves)
    assert data["descriptor"].partition("#")[0] == descriptor and "no_descriptor" not in data
    assert data["descriptor"] in ok("address", *leaves)
    info = ok_json("descriptor", "info", data["descriptor"])
    assert info["addresses"] == data["addresses"]
    tree, backup = tmp_path / "vault.tree", tmp_path / "vault.backup"
    without = {name: value for name, value in data.items() if name != "descriptor"}
    only = {name: value for name, value in data.items() if name != "tree"}
    for content in data, without, only, info:  # the second as older versions printed it
        tree.write_text(json.dumps(content, indent=2))
        assert ok("descriptor", "info", f"@{tree}").startswith(data["descriptor"])
        assert ok_json("address", "--tree", f"@{tree}")["addresses"] == data["addresses"]
        ok("backup", "make", backup, "--descriptor", f"@{tree}", "--birth-height", "0", "--force")
        assert ok_json("backup", "check", backup)["outputs"][0]["address"] == data["addresses"]["regtest"]
        ok("psbt", "create", "--outpoint", f"{TXID}:0", "--amount", "100000", "--tree", f"@{tree}", "--leaf", "0", "--to", data["addresses"]["regtest"])
    for change in {"descriptor": info["descriptor"].replace(A, B)}, {"tree": data["tree"].replace(A, B)}, {"descriptor": f"tr({POINT})"}:
        tree.write_text(json.dumps({**data, **change}))
        bad("backup", "make", backup, "--descriptor", f"@{tree}", "--birth-height", "0", "--force", says="descriptor: ")


@pytest.mark.parametrize(("leaves", "reason"), [
    ([f"pk_slhdsa({A})", "OP_RETURN"], "leaf 1: no expression makes its script, from OP_RETURN (instruction 0) on"),
    ([f"pk_slhdsa({A})", f"older(144) pk_slhdsa({B})"], "leaf 1: no expression makes its script, from OP_DROP"),
    ([f"pk_slhdsa({A})", f"leaf(0xfa,pk_slhdsa({B}))"], "leaf 1: its leaf version is not 0xc0"),
    ([f"<{POINT}> OP_CHECKSIG OP_VERIFY pk_slhdsa({A})", f"pk_slhdsa({A})"], "leaf 0: its script is not quite that of and_v(v:pk("),
    ([f"pk_slhdsa({A})", f"pk_slhdsa({B}) OP_VERIFY pk_slhdsa({B})"], "leaf 1: the same key as in column"),
    ([f"pk_slhdsa({A})", "OP_1"], "leaf 1: no expression makes its script"),
    ([f"pk_slhdsa({A})", f"<{A}> OP_CHECKSIGSLHDSA OP_VERIFY"], "leaf 1: no expression makes its script, from its end on"),
])
def test_trees_without_a_descriptor(tmp_path, leaves, reason):
    """The reason is said, and a backup of it is refused with it."""
    result = run("address", *leaves, "--json")
    if "can ever spend" in result.stderr:
        return
    data = json.loads(result.stdout)
    assert data["no_descriptor"].startswith(reason) and "descriptor" not in data
    assert data["no_descriptor"] in ok("address", *leaves)
    (tmp_path / "vault.tree").write_text(result.stdout)
    bad("backup", "make", tmp_path / "b", "--descriptor", f"@{tmp_path / 'vault.tree'}", "--birth-height", "0",
        says=["tree: cannot be written as a descriptor: ", reason])


def test_json_without_a_tree(tmp_path):
    """Any other JSON."""
    (tmp_path / "x").write_text('{"a": 1}')
    bad("descriptor", "info", f"@{tmp_path / 'x'}", says="has neither 'descriptor' nor 'tree'")
    bad("address", "--tree", f"@{tmp_path / 'x'}", says="tree")
    (tmp_path / "x").write_text(json.dumps({"descriptor": f"tr({POINT})"}))
    bad("address", "--tree", f"@{tmp_path / 'x'}", says="descriptor: the descriptor is tr(), not mr(TREE)")
