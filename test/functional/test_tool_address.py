# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""slhtool makes addresses, and refuses a tree of a single leaf."""

import pytest

from tool import TXID, bad, ok, ok_json


def test_address(files):
    data = ok_json("address", "--key", files.pub["alice"], "OP_RETURN")
    assert data["type"] == "p2mr" and data["also_called"] == "p2tsh"
    assert data["script_pubkey"] == "5220" + data["merkle_root"]
    assert [leaf["asm"] for leaf in data["leaves"]] == [f"<{files.pub['alice']}> OP_CHECKSIGSLHDSA", "OP_RETURN"]
    assert data["leaves"][0]["script"] == "20" + files.pub["alice"] + "7f"
    assert data["leaves"][0]["control_block"] == "c1" + data["leaves"][1]["leaf_hash"]
    for network, prefix in [("mainnet", "bc1z"), ("testnet", "tb1z"), ("signet", "tb1z"), ("regtest", "bcrt1z")]:
        assert data["addresses"][network].startswith(prefix)
    assert ok_json("address", "--tree", data["tree"]) == data
    assert ok_json("address", "--key", f"@{files.key('alice')}", "6a") == data
    text = ok("address", "--key", files.pub["alice"], "OP_RETURN")
    assert data["addresses"]["signet"] in text and data["leaves"][1]["control_block"] in text


def test_address_of_bip360():
    """The lightning contract of BIP 360's construction vectors."""
    data = ok_json("address",
                   "144 OP_CHECKSEQUENCEVERIFY OP_DROP <9997a497d964fc1a62885b05a51166a65a90df00492c8d7cf61d6accf54803be> OP_CHECKSIG",
                   "OP_SHA256 <6c60f404f8167a38fc70eaf8aa17ac351023bef86bcb9d1086a19afe95bd5333> OP_EQUALVERIFY "
                   "<4edfcf9dfe6c0b5c83d1ab3f78d1b39a46ebac6798e08e19761f5ed89ec83c10> OP_CHECKSIG")
    assert data["addresses"]["mainnet"] == "bc1zg9jxlrqlu25kmkkh74r3h387uldfs72wlrz95n60c6j4n4svna4s4lhfhe"


@pytest.mark.parametrize("args", [["--key", "00" * 32], ["OP_1"], ["--tree", "OP_1"], ["51"]])
def test_address_refuses_a_single_leaf(args):
    bad("address", *args, says=["single leaf", "spent by anyone", "BIP 360", "P2TSH"])


@pytest.mark.parametrize("leaf", ["0x", "older(10)", "<{dave}> OP_CHECKSIGVERIFY", "pk_slhdsa({alice}) OP_VERIFY"])
def test_a_leaf_without_a_result(files, leaf, tmp_path):
    """It takes an element that is true below everything else, which slhtool puts there."""
    tree, _ = files.tree(leaf.format(**files.pub), "OP_RETURN")
    keys = [option for name in ("alice", "dave") if name in leaf for option in ("--key", files.key(name))]
    out = tmp_path / "spend.json"
    ok("spend", "--outpoint", f"{TXID}:0", "--amount", 100_000, "--tree", f"@{tree}", "--leaf", 0, *keys,
       "--to", "bcrt1zvjt0qaul8zu8zqfmuu0w0hxw3lxucq40cnrg3t93t879mchm540qura84m", "--out", out)
    assert ok_json("verify-tx", out)["valid"]


def test_a_key_of_unknown_type_is_no_lock(files, tmp_path):
    """Any bytes spend such a leaf by the consensus rules."""
    tree, _ = files.tree(f"<02{files.pub['alice']}> OP_CHECKSIG", "OP_RETURN")
    out = tmp_path / "spend.json"
    ok("spend", "--outpoint", f"{TXID}:0", "--amount", 100_000, "--tree", f"@{tree}", "--leaf", 0, "--witness", "<01>",
       "--to", "bcrt1zvjt0qaul8zu8zqfmuu0w0hxw3lxucq40cnrg3t93t879mchm540qura84m", "--out", out)
    assert ok_json("verify-tx", out)["valid"]


def test_address_alone(files):
    """For a shell: address=$(slhtool address ... --network regtest)"""
    tree, data = files.tree(f"pk_slhdsa({files.pub['alice']})", "OP_RETURN")
    for network in ["regtest", "signet", "testnet", "mainnet"]:
        assert ok("address", "--tree", f"@{tree}", "--network", network) == data["addresses"][network] + "\n"
    bad("address", "OP_1", "OP_2", "--network", "regtest", "--json", says=["--network", "cannot be combined with --json"])
    bad("address", "OP_1", "OP_2", "--network", "moon", says="--network")


def test_address_of_the_main_network(files):
    """It comes last, and not without a word: a newcomer would take the first one."""
    lines = ok("address", "--key", files.pub["alice"], "OP_RETURN").splitlines()
    assert [line.split(":")[0] for line in lines[:4]] == ["regtest", "signet", "testnet", "mainnet"]
    note = "Where these rules are not in force, as on the main network, anyone can spend such an output."
    assert note in lines
    assert ok_json("address", "--key", files.pub["alice"], "OP_RETURN")["note"] == note


@pytest.mark.parametrize("leaf, says", [
    ("older(0)", "no wait at all"),
    ("older(65536)", ["no wait at all", "1 to 65535 blocks", "4194304 plus 1 to 65535 units of 512 s"]),
    ("older(70000)", "under BIP 68 this is 4464 blocks"),
    ("after(4294967295)", ["would wait forever", "500000000 to 4294967294"]),
    ("after(0)", ["would not wait at all", "1 to 499999999", "seconds since 1970, 500000000 to 4294967294"]),
    ("after(4294967295)", "would wait forever"),
    ("multi_slhdsa(2,{alice},{alice},{bob})", "arguments 2 and 3 are the same key, so its signature would count twice"),
    ("multi_slhdsa(2,@{folder}/alice.key,{alice},{bob})", "arguments 2 and 3 are the same key"),
    ("multi_schnorr(1,{dave},{dave})", "arguments 2 and 3 are the same key"),
    ("hybrid({dave},{dave})", "both keys are the same 32 bytes"),
    ("pk_schnorr(" + "00" * 32 + ")", "not the x coordinate of a point"),
])
def test_address_refuses_what_would_cost_coins(files, leaf, says):
    """Each of these locks a coin otherwise than it says."""
    text = leaf.format(**files.pub, folder=files.folder)
    for args in [[text, "OP_RETURN"], ["--tree", f"{{{text},OP_RETURN}}"]]:
        bad("address", *args, says=says)


@pytest.mark.parametrize("args, says", [
    ([], "no leaf script"),
    (["OP_1", "OP_NOSUCH"], ["leaf 1", "position 0", "'OP_NOSUCH' is not an opcode"]),
    (["OP_1", "515"], ["leaf 1", "odd number of hex digits"]),
    (["--key", "00" * 31, "OP_1"], ["leaf 0", "has 31 bytes, not 32"]),
    (["{OP_1,OP_2"], ["position 10", "missing '}'"]),
    (["--tree", "{OP_1,OP_2}", "OP_3"], ["--tree", "cannot be combined"]),
    (["--tree", "@/nonexistent"], ["/nonexistent", "No such file"]),
])
def test_address_errors(args, says):
    bad("address", *args, says=says)
