#!/usr/bin/env python3
# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Write src/test/data/slhdsa_sets.json: keys and signatures of sets that NIST's vectors do not have, by the PyPI package slh-dsa, which takes any
parameters (https://pypi.org/project/slh-dsa, 0.2.5). Signatures are deterministic, by the internal interface.

A key of 128-24 needs 2^22 one-time keys. Its tree has one leaf here instead, and siblings and FORS values that nobody chose: R is tried until the
digest leads to that leaf. Such a signature is kept whole."""

import argparse
import hashlib
import json
import pathlib

from slhdsa.lowlevel import slhdsa
from slhdsa.lowlevel.addresses import Address, FORSTreeAddress, WOTSHashAddress
from slhdsa.lowlevel.fors import FORS
from slhdsa.lowlevel.parameters import Sha2_1Parameter
from slhdsa.lowlevel.xmss import XMSS

N = 16
# h, d, a, k, lg_w as in parameter_sets.def and test_sets.h, and how many signatures
SETS = [((45, 5, 13, 10, 4), 2), ((68, 17, 9, 35, 4), 2), ((4, 2, 2, 2, 4), 12), ((3, 1, 3, 3, 2), 12), ((3, 3, 1, 3, 8), 12)]
WITH_ONE_LEAF = ((22, 1, 24, 6, 2), (0x2b3c4d, 0x3fffff))


def parameter(h, d, a, k, lg_w):
    m = -(-k * a // 8) + -(-(h - h // d) // 8) + -(-(h // d) // 8)
    return Sha2_1Parameter(0, N, h, d, h // d, a, k, lg_w, m)


def seeded(what, size):
    return hashlib.shake_256(f"slhconsensus {what}".encode()).digest(size)


def signatures(numbers, count):
    par = parameter(*numbers)
    sk_seed, sk_prf, pk_seed = (seeded(f"{numbers} {part}", N) for part in ("SK.seed", "SK.prf", "PK.seed"))
    root = XMSS(par).node(sk_seed, 0, par.h_m, pk_seed, Address(par.d - 1, 0))
    for i in range(count):
        message = seeded(f"{numbers} message {i}", 3 * i)
        signature = slhdsa.sign(message, (sk_seed, sk_prf, pk_seed, root), par)
        assert slhdsa.verify(message, signature, (pk_seed, root), par)
        yield {"set": numbers, "sk": (sk_seed + sk_prf + pk_seed + root).hex(), "msg": message.hex(),
               "sig_sha256": hashlib.sha256(signature).hexdigest()}


def signature_with_one_leaf(numbers, leaf):
    par = parameter(*numbers)
    xmss, fors = XMSS(par), FORS(par)
    sk_seed, pk_seed = (seeded(f"{numbers} {leaf} {part}", N) for part in ("SK.seed", "PK.seed"))
    message, path = seeded(f"{numbers} {leaf} message", 34), seeded(f"{numbers} {leaf} path", par.h_m * N)
    fors_signature = seeded(f"{numbers} {leaf} FORS", par.k * (par.a + 1) * N)

    def sign(signed):
        part = bytearray(N * xmss.wots.wots_parameter.len)
        address = WOTSHashAddress(0, 0)
        address.keypair = leaf
        xmss.wots.sign(signed, sk_seed, pk_seed, address, memoryview(part))
        return bytes(part) + path

    root = xmss.public_key_from_sign(leaf, memoryview(sign(bytes(N))), bytes(N), pk_seed, Address(0, 0))
    md_size = par.k * par.a // 8
    for number in range(1 << 32):
        r = number.to_bytes(N, "big")
        digest = par.Hmsg(r, pk_seed, root, message)
        if int.from_bytes(digest[md_size:], "big") % (1 << par.h_m) == leaf:
            break
    address = FORSTreeAddress(0, 0)
    address.keypair = leaf
    fors_key = fors.publickey_from_sign(memoryview(fors_signature), digest[:md_size], pk_seed, address)
    signature = r + fors_signature + sign(fors_key)
    assert slhdsa.verify(message, signature, (pk_seed, root), par)
    return {"set": numbers, "pk": (pk_seed + root).hex(), "msg": message.hex(), "sig": signature.hex()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parents[2] / "src/test/data/slhdsa_sets.json")
    args = parser.parse_args()
    made = [case for numbers, count in SETS for case in signatures(numbers, count)]
    made += [signature_with_one_leaf(WITH_ONE_LEAF[0], leaf) for leaf in WITH_ONE_LEAF[1]]
    args.output.write_text("[\n" + ",\n".join(json.dumps(case, separators=(",", ":")) for case in made) + "\n]\n")
    print(f"{args.output}: {len(made)} signatures, {args.output.stat().st_size} bytes")


if __name__ == "__main__":
    main()
