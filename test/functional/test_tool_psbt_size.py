# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""What slhtool says that a transaction will weigh and pay, before it is signed."""

import hashlib

import pytest

from psbt_files import INTERNAL_KEY, TWO_OF_THREE, addresses, create, files, finish, sign, with_input_field  # noqa: F401: fixtures
from tool import TXID, bad, ok, ok_json


def weight(psbt):
    """And whether it is exact."""
    shown = ok_json("psbt", "show", f"@{psbt}")
    return shown["weight"], shown["exact"]


def test_plan_says_what_is_estimated(files, addresses):
    """As `psbt show` does of the PSBT that it makes."""
    def plan(leaf, *options):
        tree, _ = files.tree(leaf.format(**files.pub), "OP_RETURN")
        command = ["--outpoint", f"{TXID}:0", "--amount", 100_000, "--tree", f"@{tree}", "--to", addresses["regtest"], *options]
        made = ok_json("psbt", "create", *command, "--json")
        out = files.folder / "planned.psbt"
        text = " ".join(ok("psbt", "create", *command, "--out", out, "--force").split())
        assert f"weight: {'' if made['exact'] else 'about '}{made['weight']} (" in text
        assert weight(out) == (made["weight"], made["exact"])
        return made["exact"], command
    assert plan("<{alice}> OP_CHECKSIGSLHDSA")[0]
    assert not plan(f"sha256({'00' * 32}) pk_slhdsa({{alice}})")[0]
    exact, command = plan("<{dave}> OP_CHECKSIG <{alice}> OP_CHECKSIGADDSLHDSA OP_1 OP_NUMEQUAL")
    assert not exact
    assert not ok_json("spend", *command, "--partial", "--json")["exact"]
    signed = ok_json("spend", *command, "--key", files.key("dave"), "--partial", "--json")
    assert signed["exact"] and signed["weight"] < 8000


@pytest.mark.parametrize("signer, largest", [("alice", True), ("dave", False)])
def test_threshold_of_both_types(files, create, tmp_path, signer, largest):
    """It is not known which of them will sign: the fee is enough for any."""
    start = create("<{dave}> OP_CHECKSIG <{alice}> OP_CHECKSIGADDSLHDSA OP_1 OP_NUMEQUAL")
    expected, known = weight(start)
    assert expected > 8000 and not known and ok_json("psbt", "show", f"@{start}")["feerate"] == pytest.approx(2.0, abs=0.01)
    signed = sign(files, start, signer, out=tmp_path / "signed.psbt")
    final = finish(signed, tmp_path)["weight"]
    assert weight(signed) == (final, True) and (final == expected) == largest


def test_key_path_signature_that_is_not_valid(files, create, tmp_path):
    """With it the transaction would be small, and its fee sufficient."""
    start = create(TWO_OF_THREE, "--internal-key", INTERNAL_KEY, "--fee", 500, "--any-fee")
    hostile = with_input_field(start, tmp_path / "hostile.psbt", b"\x13", b"\x55" * 64)  # PSBT_IN_TAP_KEY_SIG
    assert weight(hostile) == weight(start) and weight(start)[0] > 16_000
    bad("psbt", "sign", f"@{hostile}", "--key", files.key("alice"), "--despite-invalid", "--yes", says="is less than 1 per virtual byte")


def test_preimage(files, create, tmp_path):
    """Its size is not known before it is there."""
    preimage = "11" * 500
    digest = hashlib.sha256(bytes.fromhex(preimage)).hexdigest()
    start = create(f"OP_SHA256 <{digest}> OP_EQUALVERIFY <{{dave}}> OP_CHECKSIG")
    told = tmp_path / "told.psbt"
    ok("psbt", "update", f"@{start}", "--preimage", preimage, "--out", told)
    (expected, known), (final, exact) = weight(start), weight(told)
    assert not known and f"weight: about {expected} (" in " ".join(ok("psbt", "show", f"@{start}").split())
    assert exact and final == expected + 500 - 32 + 2 and f"weight: {final} (" in " ".join(ok("psbt", "show", f"@{told}").split())
    assert finish(sign(files, told, "dave", out=tmp_path / "signed.psbt", options=["--any-fee"]), tmp_path)["weight"] == final
