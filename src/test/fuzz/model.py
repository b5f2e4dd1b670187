#!/usr/bin/env python3
# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""The reference model's side of the fuzz target `model`: reads a spend in each line, as slhtool reads it, and answers with a line that has,
for each input, VALID, the name of the script error, or NOT_MODELLED. SLH-DSA signatures are those of QuickSLHDSA (slhdsa_scheme.h)."""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "doc/bip/reference"))

import slhdsa
import verify
from bip340 import tagged_hash
from interpreter import SET_NUMBERS

N = slhdsa.N
ROOT_AT = N
NUMBERS = {params: number for number, params in SET_NUMBERS.items()}


def quick_verify(message, signature, ctx, public_key, trace=None, p=slhdsa.SLH_DSA_SHA2_128S):
    """In place of slhdsa.slh_verify: everything but FORS and the hypertree."""
    if len(signature) != p.signature_size:
        return False
    pk_seed, pk_root = public_key[:N], public_key[N:]
    digest = slhdsa.h_msg(p, signature[:N], pk_seed, pk_root, slhdsa.m_prime(message, ctx))
    _, idx_tree, idx_leaf = slhdsa._split(p, digest)
    mask = tagged_hash("QuickSLHDSA", pk_seed + digest[:(p.k * p.a + 7) // 8] + idx_tree.to_bytes(8, "little") + idx_leaf.to_bytes(4, "little")
                       + bytes([NUMBERS.get(p, 0)]) + signature[ROOT_AT + N:])
    return bytes(a ^ b for a, b in zip(signature[ROOT_AT:ROOT_AT + N], mask)) == pk_root


def main():
    slhdsa.slh_verify = quick_verify
    for line in sys.stdin:
        try:
            inputs = verify.verify_file("", json.loads(line))["inputs"]
            answer = " ".join({True: "VALID", False: one.get("error"), None: "NOT_MODELLED"}[one["valid"]] for one in inputs)
        except verify.BadInput as error:
            answer = f"refused: {error}"
        print(answer, flush=True)


if __name__ == "__main__":
    main()
