# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""What a PSBT may cost that somebody sends: memory, and processor time."""

import hashlib
import struct

import pytest

from psbt_files import compact_size
from tool import TXID, bad, memory_limited, ok, ok_json, run

TOO_HEAVY = "weight units, more than a block may have: nobody can ever spend it"


def tagged_hash(tag, *parts):
    """BIP 340's."""
    prefix = hashlib.sha256(tag.encode()).digest()
    return hashlib.sha256(prefix * 2 + b"".join(parts)).digest()


def sized(data):
    """Behind its compact size."""
    size = len(data)
    return (bytes([size]) if size < 253 else b"\xfd" + struct.pack("<H", size) if size < 1 << 16 else b"\xfe" + struct.pack("<I", size)) + data


def psbt_of(spent, *fields):
    """A PSBT whose inputs spend these outputs; each has these fields besides."""
    inputs = b"".join(bytes.fromhex(TXID) + struct.pack("<I", i) + b"\x00" + b"\xff" * 4 for i in range(len(spent)))
    tx = struct.pack("<I", 2) + compact_size(len(spent)) + inputs + b"\x01" + struct.pack("<q", 90_000) + b"\x01\x6a" + bytes(4)
    maps = [b"\x01\x01" + sized(struct.pack("<q", 100_000) + sized(script_pubkey)) + b"".join(fields) + b"\x00" for script_pubkey in spent]
    return b"psbt\xff" + b"\x01\x00" + sized(tx) + b"\x00" + b"".join(maps) + b"\x00"


def spends(script, path):
    """A PSBT that spends a leaf."""
    other = tagged_hash("TapLeaf", b"\xc0\x01\x6a")
    root = tagged_hash("TapBranch", *sorted([tagged_hash("TapLeaf", b"\xc0", sized(script)), other]))
    path.write_bytes(psbt_of([b"\x52\x20" + root], sized(b"\x15\xc1" + other) + sized(script + b"\xc0")))
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


def test_parts_that_no_block_has_room_for(tmp_path):
    """Each takes a hundred times its size in JSON."""
    most = 24_389  # inputs of 41 bytes, 19 bytes around them with the output, a million in all
    for inputs in most, most + 1:
        psbt = tmp_path / f"{inputs}.psbt"
        psbt.write_bytes(psbt_of([b"\x51"] * inputs))
    assert len(ok_json("psbt", "show", f"@{tmp_path / str(most)}.psbt")["inputs"]) == most
    for command in [["show"], ["update", "--sighash", "ALL"], ["combine", f"@{psbt}"], ["finalize"], ["sign", "--key", "nobody"]]:
        bad("psbt", command[0], f"@{psbt}", *command[1:], says=[str(psbt), "24390 inputs and 1 output: no block has room for the transaction"])


def test_many_unknown_fields(tmp_path):
    def fields(n):
        return b"".join(b"\x05\xe0" + struct.pack("<I", i) + b"\x01\x00" for i in range(n))
    psbt = tmp_path / "unknown.psbt"
    psbt.write_bytes(psbt_of([b"\x51"], fields(10_000)))
    (spent,) = ok_json("psbt", "show", f"@{psbt}")["inputs"]
    assert len(spent["unknown"]) == 10_000 and "unknown_left_out" not in spent
    psbt.write_bytes(psbt_of([b"\x51"] * 3, fields(6_000)))
    inputs = ok_json("psbt", "show", f"@{psbt}")["inputs"]
    assert [(len(each.get("unknown", [])), each.get("unknown_left_out", 0)) for each in inputs] == [(6_000, 0), (4_000, 2_000), (0, 6_000)]
    psbt.write_bytes(psbt_of([b"\x51"], fields(1_000_000)))
    ok("psbt", "show", f"@{psbt}", preexec_fn=memory_limited(384))
