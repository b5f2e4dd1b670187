#!/usr/bin/env python3
# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Write src/test/data/hash_lengths.json: what the hash opcodes of Script give for messages of every length around the
borders of blocks, by Python's hashlib (which is OpenSSL; RIPEMD-160 may need its legacy provider).

    make_hash_lengths.py > src/test/data/hash_lengths.json
"""

import hashlib
import json
import sys

# Every length of up to four blocks, and those around the 520 bytes of a stack element.
LENGTHS = [*range(0, 257), *range(503, 585)]


def message(length):
    return bytes((7 * i + 1) & 0xFF for i in range(length))


def sha256(data):
    return hashlib.sha256(data).digest()


def ripemd160(data):
    return hashlib.new("ripemd160", data).digest()


HASHES = {
    "RIPEMD160": ripemd160,
    "SHA1": lambda data: hashlib.sha1(data).digest(),
    "SHA256": sha256,
    "HASH160": lambda data: ripemd160(sha256(data)),
    "HASH256": lambda data: sha256(sha256(data)),
}

rows = ({"length": n, **{name: function(message(n)).hex() for name, function in HASHES.items()}} for n in LENGTHS)
sys.stdout.write("[\n" + ",\n".join(json.dumps(row) for row in rows) + "\n]\n")
