#!/usr/bin/env python3
# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Seeds for Bitcoin Core's fuzz targets, of the BIP's vectors and of PSBTs with SLH-DSA signatures:  fuzz_seeds.py FOLDER

Writes FOLDER/TARGET/seed-..., where they are not there yet."""

import base64
import hashlib
import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "doc/bip/vectors"), str(ROOT / "doc/bip/reference")]

import export  # noqa: E402
from script import FLAG_NAMES  # noqa: E402
from transaction import ser_output, ser_tx  # noqa: E402


def string(data):
    """As FuzzedDataProvider::ConsumeRandomLengthString() reads it."""
    return data.replace(b"\\", b"\\\\") + b"\\ "


def seeds():
    """(target, input)"""
    bits = {name: 1 << bit for bit, name in enumerate(FLAG_NAMES)}
    for vector, tx, spent, _, _ in export.judged(soft_fork=False):
        named = export.verify.load(vector)[2]
        flags = sum(bits[name] for name in named)
        outputs = b"".join(map(ser_output, spent))
        for changed in (0, bits["SLHDSA"], bits["P2MR"] | bits["SLHDSA"]):  # taken away from a valid one, added to an invalid one
            yield "script_flags", ser_tx(tx) + flags.to_bytes(8, "little") + changed.to_bytes(8, "little") + outputs
    for record in export.assets(soft_fork=False):
        yield "script_assets_test_minimizer", json.dumps(record).encode() + b",\n"
    for vector in json.loads((ROOT / "src/test/data/psbt_slhdsa.json").read_bytes()):
        for member in ("updated", "signed_a", "signed_b"):
            yield "psbt", string(base64.b64decode(vector[member]))


def main():
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    for target, data in seeds():
        path = Path(sys.argv[1], target, f"seed-{hashlib.sha256(data).hexdigest()[:16]}")
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            path.write_bytes(data)


if __name__ == "__main__":
    main()
