# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""slhtool descriptor."""

import re

from tool import bad, ok, ok_json

POINT = "50929b74c1a04954b78b4b6035e97a5e078a5a0f28ec96d547bfee9ace803ac0"
A, B = "11" * 32, "22" * 32
ORIGIN = "[d34db33f/360h/1h/0h/0h]"


def test_descriptor_info_is_what_address_says():
    """The same tree in slhtool's own language gives the same output."""
    own = ok_json("address", "--tree", f"{{multi_slhdsa(2,{A},{B}),{{hybrid({A},{POINT}),pk_schnorr({POINT})}}}}")
    tree = f"{{multi_slhdsa(2,{A},{B}),{{and_v(v:pk_slhdsa({A}),pk({POINT})),pk({POINT})}}}}"
    info = ok_json("descriptor", "info", f"mr({tree})")
    assert info["addresses"] == own["addresses"] and info["merkle_root"] == own["merkle_root"]
    assert [leaf["control_block"] for leaf in info["leaves"]] == [leaf["control_block"] for leaf in own["leaves"]]
    assert info["descriptor"] == ok("descriptor", "checksum", f"mr({tree})").strip()
    assert info["descriptor"] in ok("descriptor", "info", info["descriptor"])
    assert ok_json("address", "--tree", info["descriptor"])["addresses"] == own["addresses"]
    taproot = ok_json("descriptor", "info", f"tr({POINT},{tree})")
    assert taproot["merkle_root"] == own["merkle_root"] and taproot["internal_key"] == POINT
    assert ok_json("decode", "address", taproot["addresses"]["regtest"])["script_pubkey"] == taproot["script_pubkey"]


def test_descriptor_refusals(tmp_path):
    """One line with the column."""
    bad("descriptor", "info", f"mr(pk_slhdsa({A}))", says=["column 4: a P2MR (P2TSH) output with a single leaf can be spent by anyone"])
    bad("descriptor", "info", f"tr({POINT})#aaaaaaaa", says=["column 70: the checksum is 'aaaaaaaa', but that of the text before it is"])
    bad("descriptor", "checksum", "raw(00)#", says="column 9: a checksum of 0 characters, not 8")
    bad("descriptor", "checksum", "wallet.txt", says="not an output descriptor, which would end with ')': 'wallet.txt'")
    bad("descriptor", "checksum", "raw(deadbeef)#89f8spxn", says="column 15: the checksum is '89f8spxn', but that of the text before it is '89f8spxm'")
    bad("descriptor", "checksum", "raw(\x01)", says="column 5: a character that no descriptor has")
    bad("descriptor", says="")
    file = tmp_path / "wallet.txt"
    file.write_text("mr(\n")
    bad("descriptor", "info", f"@{file}", says=[str(file), "column 4: expected a leaf or '{'"])
    bad("descriptor", "addresses", "raw(00)", says="the output's script has no address")
    ranged = f"mr({{pk_slhdsa({ORIGIN}/*h),pk({POINT})}})"
    bad("descriptor", "addresses", ranged, says="the descriptor is a range")
    bad("address", "--tree", f"mr({{pk_slhdsa({ORIGIN}/*h),pk({POINT})}})", says="the descriptor is a range")
    address = ok("descriptor", "addresses", f"tr({POINT})", "--network", "mainnet").strip()
    bad("descriptor", "addresses", f"addr({address})", says="which is not that of regtest")


def test_checksum_of_any_descriptor():
    """Also of what slhtool does not know; BIP 380's vector."""
    assert ok("descriptor", "checksum", "raw(deadbeef)") == "raw(deadbeef)#89f8spxm\n"
    assert ok_json("descriptor", "checksum", "raw(deadbeef)")["checksum"] == "89f8spxm"
    assert re.fullmatch(r"wpkh\(\)#\w{8}\n", ok("descriptor", "checksum", "wpkh()"))
    assert ok("descriptor", "checksum", "-", stdin=" raw(deadbeef)#89f8spxm\n") == "raw(deadbeef)#89f8spxm\n"


def test_checksum_of_what_other_commands_take(tmp_path):
    """A tree of slhtool address, and what descriptor info printed."""
    tree, info = (tmp_path / name for name in ("a.tree", "info.json"))
    tree.write_text(ok("address", f"pk_slhdsa({A})", f"pk_slhdsa({B})", "--json"))
    info.write_text(ok("descriptor", "info", f"@{tree}", "--json"))
    wanted = ok("descriptor", "checksum", f"mr({{pk_slhdsa({A}),pk_slhdsa({B})}})")
    for file in tree, info:
        assert ok("descriptor", "checksum", f"@{file}") == wanted
        assert ok_json("descriptor", "checksum", f"@{file}") == {"descriptor": wanted.strip(), "checksum": wanted.strip()[-8:]}
    tree.write_text(ok("address", f"pk_slhdsa({A})", "OP_RETURN", "--json"))
    bad("descriptor", "checksum", f"@{tree}", says=[str(tree), "tree: cannot be written as a descriptor"])
