# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""What a PSBT may cost that somebody sends: memory, and processor time."""

import hashlib
import struct

import pytest

from tool import TXID, memory_limited, ok, ok_json, run

TOO_HEAVY = "weight units, more than a block may have: nobody can ever spend it"


def tagged_hash(tag, *parts):
    """BIP 340's."""
    prefix = hashlib.sha256(tag.encode()).digest()
    return hashlib.sha256(prefix * 2 + b"".join(parts)).digest()


def sized(data):
    """Behind its compact size."""
    size = len(data)
    return (bytes([size]) if size < 253 else b"\xfd" + struct.pack("<H", size) if size < 1 << 16 else b"\xfe" + struct.pack("<I", size)) + data


def spends(script, path):
    """A PSBT with one input, which spends a leaf."""
    other = tagged_hash("TapLeaf", b"\xc0\x01\x6a")
    root = tagged_hash("TapBranch", *sorted([tagged_hash("TapLeaf", b"\xc0", sized(script)), other]))
    tx = struct.pack("<I", 2) + b"\x01" + bytes.fromhex(TXID) + bytes(4) + b"\x00" + b"\xff" * 4 + b"\x01" + struct.pack("<q", 90_000) + b"\x01\x6a" + bytes(4)
    spent = struct.pack("<q", 100_000) + sized(b"\x52\x20" + root)
    path.write_bytes(b"psbt\xff" + b"\x01\x00" + sized(tx) + b"\x00" +
                     b"\x01\x01" + sized(spent) + sized(b"\x15\xc1" + other) + sized(script + b"\xc0") + b"\x00" + b"\x00")
    return path


@pytest.mark.parametrize("size, missing", [(3_900_000, "its stack grows beyond 1000 elements: nobody can ever spend it"), (33_000_000, TOO_HEAVY)])
def test_memory_for_a_leaf(tmp_path, size, missing):
    """Of many small instructions: each takes more to keep than the byte that it is."""
    psbt = spends(b"\x51" * size, tmp_path / "ones.psbt")
    limit = memory_limited(512)
    (leaf,) = ok_json("psbt", "show", f"@{psbt}", preexec_fn=limit)["inputs"][0]["leaves"]
    assert leaf["missing"].endswith(missing) and leaf["script"] == "51" * size
    # A script that no block has room for does not fill the screen.
    assert leaf["asm"] == " ".join(["OP_1"] * size) if size < 4_000_000 else len(leaf["asm"]) < 200_000 and leaf["asm"].endswith("...")
    assert missing in ok("psbt", "show", f"@{psbt}", preexec_fn=limit)
    result = run("psbt", "finalize", f"@{psbt}", preexec_fn=limit)
    assert result.returncode == 1 and missing in result.stdout
