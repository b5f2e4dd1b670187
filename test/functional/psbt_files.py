# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Shared by the tests of slhtool psbt: keys, PSBTs as files, and changes to their bytes."""

import base64
import json

import pytest

from tool import TXID, Files, check_valid, ok

INTERNAL_KEY = "79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798"  # of secp256k1's generator
TWO_OF_THREE = "multi_slhdsa(2,{alice},{bob},{carol})"
HYBRID = "hybrid({alice},{dave})"


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    return Files(tmp_path_factory.mktemp("psbt"))


@pytest.fixture
def addresses(files):
    return files.tree("OP_1", "OP_RETURN")[1]["addresses"]


@pytest.fixture
def create(files, addresses, tmp_path):
    """A PSBT that spends the first leaf of a tree, as a file."""
    def made(leaf, *options, name="start"):
        tree, _ = files.tree(leaf.format(**files.pub), "OP_RETURN")
        out = tmp_path / f"{name}.psbt"
        ok("psbt", "create", "--outpoint", f"{TXID}:0", "--amount", 100_000, "--tree", f"@{tree}", "--to", addresses["regtest"], *options, "--force", "--out", out)
        return out
    return made


def sign(files, psbt, *names, out, options=()):
    keys = [arg for name in names for arg in ("--key", files.key(name))]
    ok("psbt", "sign", f"@{psbt}", *keys, "--force", "--out", out, *options)
    return out


def finish(psbt, tmp_path, inputs=1):
    """The transaction of a PSBT that has all signatures, which is valid."""
    final, spend = tmp_path / "final.psbt", tmp_path / "spend.json"
    ok("psbt", "finalize", f"@{psbt}", "--force", "--out", final)
    ok("psbt", "extract", f"@{final}", "--force", "--out", spend)
    check_valid(spend, inputs)
    return json.loads(spend.read_text())


def raw(psbt):
    return base64.b64decode(psbt.read_text())


def write(path, data):
    path.write_text(base64.b64encode(data).decode())
    return path


def compact_size(n):
    return bytes([n]) if n < 253 else b"\xfd" + n.to_bytes(2, "little")


def maps(psbt):
    """The maps of a PSBT, each a dictionary: the global one, those of the inputs, those of the outputs."""
    data, found = raw(psbt), []
    at = 5  # behind the magic

    def take():
        nonlocal at
        size, width = (data[at], 1) if data[at] < 253 else (int.from_bytes(data[at + 1:at + 3], "little"), 3)
        at += width + size
        return data[at - size:at]
    while at < len(data):
        found.append({})
        while key := take():
            found[-1][key] = take()
    return found


def write_maps(path, psbt_maps):
    def sized(data):
        return compact_size(len(data)) + data
    return write(path, b"psbt\xff" + b"".join(b"".join(sized(key) + sized(value) for key, value in fields.items()) + b"\x00" for fields in psbt_maps))
