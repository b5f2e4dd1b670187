# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""slhtool's backup, and the descriptors that it takes: back from a backup to a spend."""

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

from tool import FINGERPRINT, LIMIT, TOOL, TXID, bad, ok, ok_json, run

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
    at = ok_json("descriptor", "addresses", f"@{backup}", "--keys", backup, "--range", "3")["addresses"][0]
    assert at["address"] == saved["addresses"][3]["address"]
    ok("derive", tmp_path / "restored.txt", "--range", "3", "--out", tmp_path / "3.key")
    spend = ok("spend", "--outpoint", f"{TXID}:0", "--amount", "100000", "--tree", at["descriptor"], "--key", tmp_path / "3.key", "--to", at["address"],
               "--json")
    (tmp_path / "spend.json").write_text(spend)
    assert json.loads(spend)["spent_outputs"][0]["script_pubkey"] == at["script_pubkey"]
    ok("verify-tx", tmp_path / "spend.json")


def test_backup_check(tmp_path, master, backup):
    """What is missing is named, and what does not agree."""
    assert ok_json("backup", "check", backup, "--master", master)["good"] is True
    without = ok_json("backup", "check", backup)
    assert without["keys_checked"] is False and without["good"] is None, "the keys may be anybody's"
    other = tmp_path / "other.txt"
    other.write_text("ff" * 16)

    def fails(*options):
        result = run("backup", "check", backup, *options, "--json")
        assert result.returncode == 1, (result.stdout, result.stderr)
        return json.loads(result.stdout)

    checked = fails("--master", other)
    assert not checked["good"] and not checked["outputs"][0]["spendable"]
    x, y = (ok("pubkey", tmp_path / name).strip() for name in ("x.key", "y.key"))
    first = json.loads((tmp_path / "table.json").read_text())["public_keys"][0]
    assert [leaf["missing"] for leaf in checked["outputs"][0]["leaves"]] == [f"the key {first}", f"the keys {x}, {y}"]
    assert fails("--key", tmp_path / "x.key")["outputs"][0]["leaves"][1]["missing"] == f"the key {y}"
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
    # And the address that belongs to that key: only the secret can tell.
    (tmp_path / "changed.json").write_text(json.dumps(changed["key_tables"][0]))
    address = ok_json("descriptor", "addresses", saved["descriptor"], "--keys", tmp_path / "changed.json", "--range", "1")["addresses"][0]["address"]
    changed["addresses"][1]["address"] = address
    backup.write_text(json.dumps(changed))
    assert ok_json("backup", "check", backup)["good"] is None
    assert fails("--master", master)["good"] is False

    for change, message in (({"descriptor": saved["descriptor"].partition("#")[0]}, "descriptor: has no checksum"),
                            ({"descriptor": saved["descriptor"].replace("older(10)", "older(11)")}, "descriptor: column "),
                            ({"birth_height": -1}, "birth_height: not a whole number"), ({"network": "nowhere"}, "network: "),
                            ({"addresses": []}, "addresses: is empty"),
                            ({"addresses": [saved["addresses"][1], saved["addresses"][1]]}, "addresses[1].index: is there already"),
                            ({"addresses": [{"index": n, "address": "x"} for n in range(10_001)]}, "addresses: more than 10000"), ({"backup": 2}, "backup: a version other than 1"),
                            ({"key_tables": []}, "no table has the SLH-DSA key"), ({"more": 1}, "unknown member 'more'"),
                            ({"tree": "{OP_1,OP_2}"}, "tree: cannot stand beside 'descriptor'"),
                            ({"key_tables": [{**saved["key_tables"][0], "type": "rsa"}]}, "key_tables[0].type: 'rsa' is neither"),
                            ({"key_tables": [{**saved["key_tables"][0], "origin": "x"}]}, "key_tables[0].origin: column 1"),
                            ({"key_tables": [{**saved["key_tables"][0], "public_keys": ["00"]}]}, "key_tables[0].public_keys[0]"),
                            ({"key_tables": [{**saved["key_tables"][0], "public_keys": []}]}, "key_tables[0].public_keys: is empty"),
                            ({"key_tables": [{**saved["key_tables"][0], "public_keys": [A, B, A]}]}, f"key_tables[0]: a table has the key {A} at two indexes"),
                            ({"key_tables": [{**saved["key_tables"][0], "first": 2**31 - 1}]}, "keys beyond the last index")):
        backup.write_text(json.dumps({**saved, **change}))
        bad("backup", "check", backup, says=message)
    ok("keygen", tmp_path / "a.key")
    bad("backup", "check", tmp_path / "a.key", says="a.key: not a backup (no member 'backup')\n")


def test_backup_of_more_addresses_than_can_be_checked(tmp_path):
    """What a check says of an address is far longer than the address: the number of addresses is bounded, also by make."""
    path, single = tmp_path / "b", f"mr({{pk_slhdsa({A}),pk({POINT})}})"
    ok("backup", "make", path, "--birth-height", "0", "--descriptor", single)
    saved = json.loads(path.read_text())
    (only,) = saved["addresses"]
    for addresses, message in ([only, {**only, "index": 1}], "addresses: more than one, and only a range has several"), ([{**only, "index": 1}], "addresses[0].index"):
        path.write_text(json.dumps({**saved, "addresses": addresses}))
        bad("backup", "check", path, says=message)

    keys = ",".join(f"{n:064x}" for n in range(1, 900))
    long_range = f"mr({{pk_slhdsa({ORIGIN}/*h),multi_slhdsa(1,{keys})}})"
    bad("backup", "make", tmp_path / "c", "--birth-height", "0", "--descriptor", long_range, "--range", "0-9999", says=["--range: more than 5", "so long a descriptor"])
    descriptor = ok_json("descriptor", "info", long_range)["descriptor"]
    path.write_text(json.dumps({**saved, "descriptor": descriptor, "addresses": [{"index": n, "address": "x"} for n in range(1000)]}))
    bad("backup", "check", path, says=["addresses: more than 5", "so long a descriptor"])


def test_more_tables_than_can_be_searched(tmp_path):
    """Each key is looked for in each table, at each address."""
    origins = [f"{n:08x}/360h" for n in range(100)]
    first, second = (",".join(f"[{origin}]/*h" for origin in half) for half in (origins[:50], origins[50:]))
    descriptor = ok("descriptor", "checksum", f"mr({{multi_slhdsa(2,{first}),multi_slhdsa(2,{second})}})").strip()
    table = {"type": "slh-dsa-sha2-128s", "origin": origins[0], "first": 0, "public_keys": [A]}
    saved = {"backup": 1, "descriptor": descriptor, "network": "regtest", "birth_height": 0, "key_tables": [table] * 1343,
             "addresses": [{"index": n, "address": "x"} for n in range(2000)]}
    (tmp_path / "b").write_text(json.dumps(saved))
    bad("backup", "check", tmp_path / "b", says="key_tables: more than 1342 for so many keys and addresses")
    (tmp_path / "b").write_text(json.dumps({**saved, "key_tables": [table] * 1342}))
    bad("backup", "check", tmp_path / "b", says="no table has the SLH-DSA key")


def test_gaps_between_addresses_make_no_more_tables(tmp_path):
    """A table of which every second key has an address becomes many tables of one key."""
    origins = [f"{n:08x}/360h" for n in range(8)]
    first, second = (",".join(f"[{origin}]/*h" for origin in half) for half in (origins[:4], origins[4:]))
    descriptor = f"mr({{multi_slhdsa(2,{first}),multi_slhdsa(2,{second})}})"
    tables = [{"type": "slh-dsa-sha2-128s", "origin": origin, "first": 0, "public_keys": [f"{n:08x}{i:056x}" for i in range(9000)]}
              for n, origin in enumerate(origins)]
    for n, table in enumerate(tables):
        (tmp_path / str(n)).write_text(json.dumps(table))
    keys = [option for n in range(8) for option in ("--keys", tmp_path / str(n))]
    ok("backup", "make", tmp_path / "b", "--descriptor", descriptor, *keys, "--range", "0-8999", "--birth-height", "0")
    saved = json.loads((tmp_path / "b").read_text())
    saved["addresses"] = saved["addresses"][:1000] + saved["addresses"][1001::2]
    (tmp_path / "b").write_text(json.dumps(saved))
    bad("descriptor", "addresses", f"@{tmp_path / 'b'}", "--keys", tmp_path / "b", "--range", "0-999",
        says="key_tables: more than 6710 for so many keys and addresses")


def test_backup_of_an_address(tmp_path):
    """It has nothing that a spend needs."""
    address = ok_json("address", f"pk_slhdsa({A})", f"pk_slhdsa({B})")
    says = "it has neither a tree nor an internal key"
    for descriptor in f"addr({address['addresses']['regtest']})", f"raw({address['script_pubkey']})":
        bad("backup", "make", tmp_path / "b", "--descriptor", descriptor, "--birth-height", "0", says=f"--descriptor: {says}")
        assert not (tmp_path / "b").exists()
        ok("backup", "make", tmp_path / "b", "--descriptor", address["descriptor"], "--birth-height", "0")
        saved = json.loads((tmp_path / "b").read_text())
        assert saved["addresses"] == [{"index": 0, "address": address["addresses"]["regtest"]}]
        (tmp_path / "b").write_text(json.dumps({**saved, "descriptor": ok("descriptor", "checksum", descriptor).strip()}))
        checked = run("backup", "check", tmp_path / "b", "--json")
        (output,) = json.loads(checked.stdout)["outputs"]
        assert checked.returncode == 1 and output["problem"].startswith(says)
        (tmp_path / "b").unlink()


@pytest.mark.parametrize("leaves", [1, 2])
def test_script_path_from_a_backup(tmp_path, files, leaves):
    """As the page says: slhtool spends no key path, and takes a leaf or a tree together with the internal key."""
    alice, bob, dave = (files.pub[name] for name in ("alice", "bob", "dave"))
    tree = [f"multi_slhdsa(1,{alice},{bob})", f"{{and_v(v:pk_slhdsa({alice}),older(10)),pk({POINT})}}"][leaves - 1]
    path = tmp_path / "tr.backup"
    ok("backup", "make", path, "--descriptor", f"tr({dave},{tree})", "--birth-height", "0")
    assert "can be spent by the key path, with other software\n" in ok("backup", "check", path, "--key", files.key("dave"))
    info = ok_json("descriptor", "info", f"@{path}")
    spend = ["spend", "--internal-key", info["internal_key"], "--key", files.key("alice"), "--outpoint", f"{TXID}:0", "--amount", "100000",
             "--to", info["addresses"]["regtest"], "--json", "--tree"]
    bad(*spend, f"@{path}", says="the descriptor is tr(), not mr(TREE)")
    spent = ok(*spend, info["leaves"][0]["asm"] if leaves == 1 else f"mr({tree})")
    assert json.loads(spent)["spent_outputs"][0]["script_pubkey"] == info["script_pubkey"]
    (tmp_path / "spend.json").write_text(spent)
    ok("verify-tx", tmp_path / "spend.json")


def test_large_backups(tmp_path):
    """make writes no backup that is too large to be read, and replaces the largest one by another that has all of it."""
    origins = [f"{n:08x}/360h" for n in range(44)]
    tables = []
    for n, origin in enumerate(origins):
        (tmp_path / f"{n}.json").write_text(json.dumps({"type": "slh-dsa-sha2-128s", "origin": origin, "first": 0,
                                                        "public_keys": [f"{n:08x}{i:056x}" for i in range(10_000)]}))
        tables += ["--keys", tmp_path / f"{n}.json"]
    first, second = (",".join(f"[{origin}]/*h" for origin in half) for half in (origins[:22], origins[22:]))
    make = ["backup", "make", tmp_path / "b", "--birth-height", "0", "--descriptor", f"mr({{multi_slhdsa(2,{first}),multi_slhdsa(2,{second})}})", *tables]
    bad(*make, "--range", "0-9999", says=["the backup would have ", f" bytes, and no command reads more than {LIMIT}: make several"])
    assert not (tmp_path / "b").exists()
    ok(*make, "--range", "0-2999")
    size = (tmp_path / "b").stat().st_size
    assert 8_000_000 < size < LIMIT
    bad(*make, "--range", "0-2998", "--force", says="holds a backup, which would be lost")
    ok(*make, "--range", "0-3000", "--force")
    assert (tmp_path / "b").stat().st_size > size


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
    bad(*make, ranged, "--keys", tmp_path / "table.json", says="--range: missing: the descriptor is a range")
    bad(*make, ranged, "--keys", tmp_path / "table.json", "--range", "1-2", says="no table has the SLH-DSA key")
    assert not path.exists()
    ok(*make, descriptor)
    assert ok_json("backup", "check", path)["good"] is None


def test_keys_that_nothing_confirms(tmp_path, master, backup, files):
    """A key of another owner may have been replaced together with the addresses: it is named, and the keys that are given are not."""
    def unconfirmed(path, *options):
        return [set(output["unconfirmed_keys"]) for output in ok_json("backup", "check", path, *options)["outputs"]]

    own = json.loads((tmp_path / "table.json").read_text())["public_keys"]
    x, y = (ok("pubkey", tmp_path / name).strip() for name in ("x.key", "y.key"))
    xy = ["--key", tmp_path / "x.key", "--key", tmp_path / "y.key"]
    assert unconfirmed(backup, "--master", master) == [{x, y}] * 5
    assert unconfirmed(backup, *xy) == [{key} for key in own]
    assert unconfirmed(backup, "--master", master, *xy) == [set()] * 5
    assert "unconfirmed_keys" not in ok_json("backup", "check", backup)["outputs"][0], "nor are any confirmed"
    text = ok("backup", "check", backup, "--master", master)
    assert text.count("   not confirmed: ") == 5 and f"{x[:8]}..." in text and "\nKeys that are not confirmed are neither" in text
    assert "onfirmed" not in ok("backup", "check", backup, "--master", master, *xy)
    taproot = tmp_path / "tr.backup"
    ok("backup", "make", taproot, "--descriptor", f"tr({POINT},pk({files.pub['dave']}))", "--birth-height", "0")
    assert unconfirmed(taproot, "--key", files.key("dave")) == [{POINT}]


def test_backup_check_in_words(tmp_path, master, backup):
    """Short: no key is shown whole, and each output says what can spend it."""
    text = ok("backup", "check", backup, "--master", master)
    assert "good:         true\n" in text and "keys:         checked\n" in text
    assert text.count("can be spent by leaf 0\n") == 5 and text.count("leaf 1 lacks the keys ") == 5
    assert max(map(len, text.splitlines())) < 200
    text = ok("backup", "check", backup, "--key", tmp_path / "x.key", "--key", tmp_path / "y.key")
    assert text.count("can be spent by leaf 1\n") == 5 and text.count("leaf 0 lacks the key ") == 5
    text = ok("backup", "check", backup)
    assert "good:         not known\n" in text and "not checked: neither --master nor --key is given" in text
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
        assert "tree" not in json.loads(backup.read_text())
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
    """The reason is said, and a backup has the tree itself."""
    result = run("address", *leaves, "--json")
    if "can ever spend" in result.stderr:
        return
    data = json.loads(result.stdout)
    assert data["no_descriptor"].startswith(reason) and "descriptor" not in data
    assert data["no_descriptor"] in ok("address", *leaves)
    (tmp_path / "vault.tree").write_text(result.stdout)
    bad("descriptor", "info", f"@{tmp_path / 'vault.tree'}", says=["tree: cannot be written as a descriptor: ", reason])
    ok("backup", "make", tmp_path / "b", "--descriptor", f"@{tmp_path / 'vault.tree'}", "--birth-height", "7")
    assert json.loads((tmp_path / "b").read_text()) == {
        "backup": 1, "tree": data["tree"], "network": "regtest", "birth_height": 7, "key_tables": [],
        "addresses": [{"index": 0, "address": data["addresses"]["regtest"]}]}
    checked = ok_json("backup", "check", tmp_path / "b")
    assert checked["tree"] == data["tree"] and checked["outputs"] == [{"index": 0, "address": data["addresses"]["regtest"]}]
    assert ok_json("address", "--tree", f"@{tmp_path / 'b'}")["addresses"] == data["addresses"]


@pytest.fixture(name="vault")
def _vault(files, tmp_path):
    """The backup of a tree that no descriptor can say."""
    tree, _ = files.tree(f"multi_slhdsa(2,{files.pub['alice']},{files.pub['bob']},{files.pub['carol']})", f"older(10) pk_schnorr({files.pub['dave']})",
                         f"sha256({A}) pk_slhdsa({files.pub['alice']})", "OP_RETURN", f"leaf(0xfa,pk_slhdsa({B}))")
    path = tmp_path / "vault.backup"
    ok("backup", "make", path, "--descriptor", f"@{tree}", "--birth-height", "850000")
    return path


def test_check_of_a_tree(files, vault):
    """Each leaf, and whether the keys are enough."""
    def leaves(*names, status):
        result = run("backup", "check", vault, *(arg for name in names for arg in ("--key", files.key(name))), "--json")
        assert result.returncode == status, result.stderr
        data = json.loads(result.stdout)
        assert data["good"] is (status == 0) and data["keys_checked"]
        return [leaf.get("problem") or leaf["missing"] for leaf in data["outputs"][0]["leaves"]]

    alice, bob, carol, dave = (files.pub[name] for name in ("alice", "bob", "carol", "dave"))
    never = ["nobody can spend it (OP_RETURN)", "not known what it takes: its leaf version is not 0xc0"]
    assert leaves("alice", status=1) == [f"1 of the keys {bob}, {carol}", f"the key {dave}", f"the preimage of {A}", *never]
    assert leaves("alice", "carol", status=0) == ["", f"the key {dave}", f"the preimage of {A}", *never]
    assert leaves("dave", status=0) == [f"2 of the keys {alice}, {bob}, {carol}", "", f"the preimage of {A}, the key {alice}", *never]
    text = ok("backup", "check", vault, "--key", files.key("dave"))
    assert "can be spent by leaf 1\n" in text and "leaf 0 lacks 2 of the keys " in text and "leaf 3: nobody can spend it (OP_RETURN)\n" in text


def test_check_of_a_leaf_that_no_node_relays(files, tmp_path):
    """The keys are there, but 51 signatures of 7856 bytes weigh more than 400,000."""
    heavy = " ".join([f"<{files.pub['alice']}> OP_CHECKSIGSLHDSA OP_VERIFY"] * 51 + ["OP_1"])
    (tmp_path / "tree").write_text(json.dumps({"tree": f"{{{heavy},pk_schnorr({files.pub['dave']})}}"}))
    ok("backup", "make", tmp_path / "b", "--descriptor", f"@{tmp_path / 'tree'}", "--birth-height", "0")
    result = run("backup", "check", tmp_path / "b", "--key", files.key("alice"), "--json")
    leaf = json.loads(result.stdout)["outputs"][0]["leaves"][0]
    assert result.returncode == 1 and leaf["spendable"] is False and "nodes do not relay more than 400000" in leaf["problem"]
    assert ok_json("backup", "check", tmp_path / "b", "--key", files.key("dave"))["good"] is True


def test_hostile_backup_of_a_tree(tmp_path, files, vault):
    """Changed trees, and what a tree does not have."""
    saved = json.loads(vault.read_text())
    for change, message in (({"tree": saved["tree"].replace("OP_RETURN", "OP_BAD")}, "tree: leaf at position"), ({"tree": 1}, "tree: "),
                            ({"tree": "OP_1"}, "tree: "), ({"descriptor": f"mr({{pk({POINT}),pk_slhdsa({A})}})"}, "tree: cannot stand beside 'descriptor'")):
        vault.write_text(json.dumps({**saved, **change}))
        bad("backup", "check", vault, says=message)
    vault.write_text(json.dumps({**saved, "tree": saved["tree"].replace(files.pub["bob"], A)}))
    result = run("backup", "check", vault)
    assert result.returncode == 1 and "problem: the backup says" in result.stdout
    vault.write_text(json.dumps(saved))
    (tmp_path / "master.txt").write_text("ff" * 16)
    bad("backup", "check", vault, "--master", tmp_path / "master.txt", says="--master: this backup has a tree, which does not say where its keys come from")
    bad("backup", "make", tmp_path / "b", "--descriptor", f"@{vault}", "--birth-height", "0", "--range", "0-9", says="--range: belongs to a descriptor")
    bad("backup", "make", tmp_path / "b", "--descriptor", f"@{vault}", "--birth-height", "0", "--keys", vault, says="the backup has no key tables")
    (tmp_path / "single.tree").write_text(json.dumps({"tree": f"pk_slhdsa({A})"}))
    bad("backup", "make", tmp_path / "b", "--descriptor", f"@{tmp_path / 'single.tree'}", "--birth-height", "0", says="tree: ")
    ok("backup", "make", tmp_path / "b", "--descriptor", f"@{vault}", "--birth-height", "850000")
    assert (tmp_path / "b").read_text() == json.dumps(saved, indent=2) + "\n", "the backup of a backup"


def test_keys_from_a_backup(tmp_path, master, backup):
    """--keys takes a backup where it takes a table, and descriptor info gives one output, ready to be spent."""
    addresses = [each["address"] for each in json.loads(backup.read_text())["addresses"]]
    listed = ok_json("descriptor", "addresses", f"@{backup}", "--keys", backup, "--range", "0-4")["addresses"]
    assert [each["address"] for each in listed] == addresses
    info = ok_json("descriptor", "info", f"@{backup}", "--keys", backup, "--range", "3")
    assert info["descriptor"] == listed[3]["descriptor"] and info["addresses"]["regtest"] == addresses[3] and not info["is_range"]
    assert ok_json("descriptor", "info", f"@{backup}")["is_range"]
    for options, message in ((["--range", "3"], "no table has the SLH-DSA key"), (["--keys", backup, "--range", "0-1"], "--range: takes one index here"),
                             (["--keys", backup], "--range: missing"), (["--keys", backup, "--range", "5"], "no table has the SLH-DSA key")):
        bad("descriptor", "info", f"@{backup}", *options, says=message)
    ok("backup", "make", tmp_path / "again", "--descriptor", f"@{backup}", "--keys", backup, "--range", "0-4", "--birth-height", "123")
    assert (tmp_path / "again").read_text() == backup.read_text()


def test_keys_without_an_address(tmp_path, master, backup):
    """Nothing in a backup shows that such a key was replaced: make writes none, and no command takes one from a backup."""
    saved = json.loads(backup.read_text())
    ok("derive", master, "--range", "0-9", "--table", tmp_path / "long.json")
    ok("derive", master, "--range", "0-9", "--type", "schnorr", "--table", tmp_path / "other.json")
    make = ["backup", "make", tmp_path / "b", "--descriptor", saved["descriptor"], "--keys", tmp_path / "long.json", "--birth-height", "0"]
    ok(*make, "--keys", tmp_path / "other.json", "--range", "3-5")
    keys = json.loads((tmp_path / "long.json").read_text())["public_keys"]
    (table,) = json.loads((tmp_path / "b").read_text())["key_tables"]
    assert table["first"] == 3 and table["public_keys"] == keys[3:6]

    # What somebody may make of it, who can write to the file: addresses 0 and 2 are as they were.
    table = {**saved["key_tables"][0], "public_keys": [keys[0], A, keys[2], B, keys[4]]}
    tampered = {**saved, "addresses": [saved["addresses"][n] for n in (0, 2)], "key_tables": [table]}
    backup.write_text(json.dumps(tampered))
    for index in "13":
        bad("descriptor", "addresses", f"@{backup}", "--keys", backup, "--range", index, says="no table has the SLH-DSA key")
        bad("descriptor", "info", saved["descriptor"], "--keys", backup, "--range", index, says="no table has the SLH-DSA key")
    def check(status, *options):
        result = run("backup", "check", backup, *options, "--json")
        assert result.returncode == status, (result.stdout, result.stderr)
        return json.loads(result.stdout)

    xy = ["--key", tmp_path / "x.key", "--key", tmp_path / "y.key"]
    checked = check(1, "--master", master)
    assert checked["good"] is False and checked["unchecked_keys_without_address"] == 0
    assert checked["problems"] == [f"the secret derives another key at [{FINGERPRINT}/360h/1h/0h/0h/{index}h]" for index in (1, 3)]
    assert "\nproblem: the secret derives another key at" in run("backup", "check", backup, "--master", master).stdout
    checked = check(0, *xy)
    assert checked["good"] is None and checked["unchecked_keys_without_address"] == 3, "nothing vouches for them"
    assert "that stand in a table, and in no address here: 3\n" in ok("backup", "check", backup, *xy)
    backup.write_text(json.dumps({**tampered, "key_tables": saved["key_tables"]}))
    assert check(0, "--master", master)["good"] is True
    backup.write_text(json.dumps({**saved, "key_tables": [*saved["key_tables"], {**table, "origin": "11111111/1h", "public_keys": [A]}]}))
    checked = check(0, "--master", master)
    assert checked["good"] is None and checked["unchecked_keys_without_address"] == 1
    backup.write_text(json.dumps(tampered))
    for index in 0, 2:
        (found,) = ok_json("descriptor", "addresses", f"@{backup}", "--keys", backup, "--range", index)["addresses"]
        assert found["address"] == saved["addresses"][index]["address"]


def test_damaged_backups_are_not_used(tmp_path, backup, vault):
    """Nobody is paid at an address that the backup does not have, and no coin is looked for there."""
    good, good_vault = json.loads(backup.read_text()), json.loads(vault.read_text())
    changed_key = json.loads(backup.read_text())
    changed_key["key_tables"][0]["public_keys"][3] = A
    moved = [{**good["addresses"][0], "index": 1}]
    for damaged, message in (({**good, "addresses": moved}, "addresses: at index 1 the backup says bcrt1z"),
                             (changed_key, "addresses: at index 3 the backup says bcrt1z"),
                             ({**good, "backup": 2}, "backup: a version other than 1"),
                             ({**good, "descriptor": good["descriptor"].split("#")[0]}, "descriptor: has no checksum")):
        backup.write_text(json.dumps(damaged))
        bad("descriptor", "addresses", f"@{backup}", "--keys", backup, "--range", "0", says=message)
        bad("descriptor", "addresses", good["descriptor"], "--keys", backup, "--range", "0", says=message)
        bad("descriptor", "checksum", f"@{backup}", says=message)
    assert good_vault["tree"].count("OP_10 ") == 1
    vault.write_text(json.dumps({**good_vault, "tree": good_vault["tree"].replace("OP_10 ", "OP_11 ")}))
    bad("address", "--tree", f"@{vault}", says="addresses: at index 0 the backup says bcrt1z")
    make = ["backup", "make", tmp_path / "b", "--descriptor", f"@{vault}", "--birth-height", "0"]
    bad(*make, says="addresses: at index 0 the backup says bcrt1z")


def test_commands_of_the_page(files, tmp_path):
    """doc/backup.md's commands, as they stand there, one after the other."""
    page = (Path(__file__).resolve().parents[2] / "doc" / "backup.md").read_text()
    for name in ["alice", "bob", "carol"]:
        (tmp_path / f"{name}.key").write_bytes(files.key(name).read_bytes())
        (tmp_path / f"{name}.pub").write_text(files.pub[name] + "\n")
    (tmp_path / "phrase.txt").write_text("abandon " * 11 + "about\n")
    path = ok_json("derive", tmp_path / "phrase.txt")["range"]
    (wallet,) = re.findall(r"^mr\(.*\)$", page, re.MULTILINE)
    (tmp_path / "wallet.txt").write_text(wallet.replace("[d34db33f/360h/1h/0h/0h]/*h", path).replace("RECOVERY_KEY", files.pub["carol"]) + "\n")
    address = ok_json("address", f"pk_slhdsa({files.pub['bob']})", "OP_RETURN")["addresses"]["regtest"]
    env = {**os.environ, "PATH": f"{Path(TOOL).parent}:{os.environ['PATH']}", "TXID": TXID, "ADDRESS": address}
    commands = re.findall(r"^ *(slhtool .*)$", page, re.MULTILINE)
    assert len(commands) == 12, commands
    for command in commands:
        made = subprocess.run(["sh", "-c", command], cwd=tmp_path, env=env, capture_output=True, text=True, timeout=300)
        assert made.returncode == 0 and made.stderr == "", (command, made.stdout, made.stderr)
    for spend in "spend.json", "vault.json":
        ok("verify-tx", tmp_path / spend)


def test_json_without_a_tree(tmp_path):
    """Any other JSON."""
    (tmp_path / "x").write_text('{"a": 1}')
    bad("descriptor", "info", f"@{tmp_path / 'x'}", says="has neither 'descriptor' nor 'tree'")
    bad("address", "--tree", f"@{tmp_path / 'x'}", says="tree")
    (tmp_path / "x").write_text(json.dumps({"descriptor": f"tr({POINT})"}))
    bad("address", "--tree", f"@{tmp_path / 'x'}", says="descriptor: the descriptor is tr(), not mr(TREE)")
