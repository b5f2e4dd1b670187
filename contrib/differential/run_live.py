#!/usr/bin/env python3
# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Compare this project's SLH-DSA with other implementations on random keys, signatures and changed signatures.

Every public key, a share of the signatures (all of them where a peer is fast) and every verdict must be the
same, as far as a peer's interface takes the question. The seed is printed; the same seed, options and peers
ask the same questions. Peers are installed by setup_peers.sh, and those missing are named; without any, the
exit status is 77, which ctest calls skipped.

    run_live.py DRIVER [--set 128s] [--seed N] [--signatures 120] [--changes 40] [--peers FOLDER] [--c-verifier PROGRAM]
"""

import argparse
import os
import pathlib
import random
import sys
import time

import cases
import peers

SKIPPED = 77
# Of the signatures, one in so many is also made by the peer, and of the verdicts: what each can do in about a quarter of a minute. Of tiny
# sets, all signatures are.
SHARE = {"noble": 30, "rustcrypto": 4, "openssl": 2, "botan": 1, "pypi": 60, "model": 60}
VERDICTS = {"pypi": 4, "model": 4}


class Comparison:
    """Counts what was compared, and keeps the differences."""

    def __init__(self):
        self.counts = {}
        self.differences = []

    def check(self, what, peer, questions, ours, theirs):
        key = (what, peer)
        self.counts[key] = self.counts.get(key, 0) + len(questions)
        for question, our, their in zip(questions, ours, theirs):
            if our != their:
                self.differences.append(f"{what}: we say {our[:40]}, {peer} says {their[:40]}\n  {question}")


def main():
    parser = argparse.ArgumentParser(description="Compare with other implementations of SLH-DSA.")
    parser.add_argument("driver", type=pathlib.Path, help="the program slhdsa_driver")
    parser.add_argument("--set", choices=cases.SETS, default="128s", dest="parameter_set", help="parameter set (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=int(os.environ.get("SLHC_TEST_SEED", 1)), help="of keys, messages and changes (default: $SLHC_TEST_SEED, or 1)")
    parser.add_argument("--keys", type=int, help="default: 8, or 1 if a key takes seconds")
    parser.add_argument("--signatures", type=int, help="default: 120, or 2")
    parser.add_argument("--changes", type=int, help="for each signature (default: 40, or 500)")
    parser.add_argument("--peers", type=pathlib.Path, default=peers.DEFAULT_FOLDER, metavar="DIR", help="where setup_peers.sh installed (default: build/peers)")
    parser.add_argument("--c-verifier", type=pathlib.Path, metavar="PROGRAM", help="bip_reference_c: the BIP's verifier in C (default: left out)")
    args = parser.parse_args()
    p = cases.SETS[args.parameter_set]
    for name, default in zip(("keys", "signatures", "changes"), (1, 2, 500) if peers.has_large_trees(p) else (8, 120, 40)):
        if getattr(args, name) is None:
            setattr(args, name, default)

    others, missing = peers.start_peers(args.peers, (*peers.ORACLES, *peers.WITHOUT_CONTEXT, *peers.PYTHON, *peers.VERIFIERS), p.name, args.c_verifier)
    if not others:
        print(f"skipped: no peers in {args.peers}; missing: {', '.join(missing)} (see setup_peers.sh)")
        return SKIPPED
    ours = peers.Process("slhconsensus", [str(args.driver), p.name])
    print(f"{p.name}, seed {args.seed}, peers: {', '.join(peer.name for peer in others)}" + (f"; missing: {', '.join(missing)}" if missing else ""), flush=True)

    start = time.monotonic()
    rng = random.Random(args.seed)
    comparison = Comparison()

    def compare(what, questions, shares):
        """Our answers, after those of each peer, which is asked its share of what it takes, were compared with them."""
        chosen = {peer: [i for i in range(0, len(questions), shares.get(peer.name, 1)) if peers.takes(peer.name, questions[i], p)] for peer in others}
        work = {peer: [questions[i] for i in indexes] for peer, indexes in chosen.items()}
        answers = peers.ask_in_parallel({ours: questions} | work)
        for peer in others:
            comparison.check(what, peer.name, work[peer], [answers[ours.name][i] for i in chosen[peer]], answers[peer.name])
        return answers[ours.name]

    seeds = [rng.randbytes(3 * cases.N) for _ in range(args.keys)]
    public_keys = [bytes.fromhex(answer) for answer in compare("keys", [f"keygen {seed.hex()}" for seed in seeds], {})]
    secret_keys = [seed + pk[cases.N:] for seed, pk in zip(seeds, public_keys)]

    requests = [cases.random_request(rng, args.keys) for _ in range(args.signatures)]
    signatures = [bytes.fromhex(answer) for answer in compare("signatures", [cases.sign_question(request, secret_keys) for request in requests], {} if p.h < 16 else SHARE)]

    questions = []
    for i, request in enumerate(requests):
        changes = [["none"]] + [cases.random_change(rng, request, args.keys, args.signatures, p) for _ in range(args.changes)]
        questions += [cases.verify_question(request, change, i, public_keys, signatures) for change in changes]
    valid = compare("verdicts", questions, VERDICTS).count("1")

    for process in (ours, *others):
        process.close()
    for (what, peer), count in comparison.counts.items():
        print(f"{peer}: {count} {what} compared")
    print(f"{valid} of {len(questions)} verdicts valid; {sum(comparison.counts.values())} comparisons, "
          f"{len(comparison.differences)} differences, {time.monotonic() - start:.0f} s")
    if valid < args.signatures:
        print("some of our own signatures do not verify")
        return 1
    for difference in comparison.differences[:10]:
        print(difference)
    return 1 if comparison.differences else 0


if __name__ == "__main__":
    sys.exit(main())
