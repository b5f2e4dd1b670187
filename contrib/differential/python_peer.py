#!/usr/bin/env python3
# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Answers questions about SLH-DSA, one a line, as peers.py describes them: with the PyPI package slh-dsa, installed in FOLDER, or with the
reference model of the BIP.

    python_peer.py pypi|model FOLDER SET
"""

import sys

import cases


class Model:
    """doc/bip/reference/slhdsa.py"""

    def __init__(self, p):
        import slhdsa
        self.p, self.slhdsa = p, slhdsa

    def keygen(self, seed):
        return self.slhdsa.slh_keygen_internal(seed[:16], seed[16:32], seed[32:], self.p)[32:]

    def sign_internal(self, key, message, rnd):
        return self.slhdsa.slh_sign_internal(message, key, rnd or None, self.p)

    def verify_internal(self, key, message, signature):
        return self.slhdsa.slh_verify_internal(message, signature, key, None, self.p)


class PyPI:
    """The package's functions below its list of sets. They are those of the internal interface."""

    def __init__(self, p, folder):
        del sys.modules["slhdsa"]  # the model, which has the package's name
        sys.path.insert(0, folder)
        from slhdsa.lowlevel import slhdsa
        from slhdsa.lowlevel.addresses import Address
        from slhdsa.lowlevel.parameters import Sha2_1Parameter
        from slhdsa.lowlevel.xmss import XMSS
        self.slhdsa, self.par = slhdsa, Sha2_1Parameter(0, 16, p.h, p.d, p.h_prime, p.a, p.k, p.lg_w, p.m)
        self.root = lambda sk_seed, pk_seed: XMSS(self.par).node(sk_seed, 0, p.h_prime, pk_seed, Address(p.d - 1, 0))

    def keygen(self, seed):
        return seed[32:] + self.root(seed[:16], seed[32:])

    def sign_internal(self, key, message, rnd):
        self.slhdsa.token_bytes = lambda size: rnd
        return self.slhdsa.sign(message, tuple(key[i:i + 16] for i in range(0, 64, 16)), self.par, bool(rnd))

    def verify_internal(self, key, message, signature):
        return self.slhdsa.verify(message, signature, (key[:16], key[16:]), self.par)


def answer(peer, name, *fields):
    if name in ("sign", "verify"):  # the pure version: line 8 of algorithm 22, 4 of algorithm 24
        key, message, ctx, last = fields
        if len(ctx) > 255:
            return "refused" if name == "sign" else False
        name, fields = f"{name}_internal", (key, bytes([0, len(ctx)]) + ctx + message, last)
    return getattr(peer, name)(*fields)


def main():
    kind, folder, name = sys.argv[1:]
    peer = PyPI(cases.SETS[name], folder) if kind == "pypi" else Model(cases.SETS[name])
    for line in sys.stdin:
        question, *fields = line.split()
        result = answer(peer, question, *(bytes.fromhex(field.strip("-")) for field in fields))
        print(result.hex() if isinstance(result, bytes) else int(result) if isinstance(result, bool) else result, flush=True)


if __name__ == "__main__":
    main()
