# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""slhtool descriptor."""

import re

from tool import bad, ok, ok_json

POINT = "50929b74c1a04954b78b4b6035e97a5e078a5a0f28ec96d547bfee9ace803ac0"
A, B = "11" * 32, "22" * 32


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
    bad("descriptor", "checksum", "raw(deadbeef)#89f8spxn", says="column 15: the checksum is '89f8spxn', but that of the text before it is '89f8spxm'")
    bad("descriptor", "checksum", "raw(\x01)", says="column 5: a character that no descriptor has")
    bad("descriptor", says="")
    file = tmp_path / "wallet.txt"
    file.write_text("mr(\n")
    bad("descriptor", "info", f"@{file}", says=[str(file), "column 4: expected a leaf or '{'"])


def test_checksum_of_any_descriptor():
    """Also of what slhtool does not know; BIP 380's vector."""
    assert ok("descriptor", "checksum", "raw(deadbeef)") == "raw(deadbeef)#89f8spxm\n"
    assert ok_json("descriptor", "checksum", "raw(deadbeef)")["checksum"] == "89f8spxm"
    assert re.fullmatch(r"wpkh\(\)#\w{8}\n", ok("descriptor", "checksum", "wpkh()"))
    assert ok("descriptor", "checksum", "-", stdin=" raw(deadbeef)#89f8spxm\n") == "raw(deadbeef)#89f8spxm\n"
