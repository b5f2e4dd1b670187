#!/usr/bin/env python3
# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Ask other implementations of SLH-DSA-SHA2-128s about random keys, signatures and changed signatures, and
write what they answered to src/test/data/slhdsa_differential.json, which slhdsa_differential_tests reproduces.

All peers must give the same answers; this project's own code is not asked. Install them with
setup_peers.sh --all first.

    make_fixed_set.py [--seed 1] [--keys 20] [--signatures 60] [--changes 64]
"""

import argparse
import hashlib
import json
import pathlib
import random
import sys

import cases
import peers


def agreed(answers, what):
    """The answers of all peers; ends the program where they differ."""
    names = list(answers)
    for i, row in enumerate(zip(*answers.values())):
        if len(set(row)) != 1:
            sys.exit(f"{what} {i}: " + ", ".join(f"{name} says {value[:40]}" for name, value in zip(names, row)))
    return answers[names[0]]


def main():
    parser = argparse.ArgumentParser(description="Write the fixed set of differential test cases.")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keys", type=int, default=20)
    parser.add_argument("--signatures", type=int, default=60)
    parser.add_argument("--changes", type=int, default=64, help="for each signature")
    parser.add_argument("--peers", type=pathlib.Path, default=peers.DEFAULT_FOLDER)
    parser.add_argument("--output", type=pathlib.Path, default=peers.HERE.parents[1] / "src/test/data/slhdsa_differential.json")
    args = parser.parse_args()

    processes, missing = peers.start_peers(args.peers)
    if missing:
        sys.exit(f"not installed in {args.peers}: {', '.join(missing)} (see setup_peers.sh --all)")
    rng = random.Random(args.seed)

    def ask(questions, what):
        return agreed(peers.ask_in_parallel({process: questions for process in processes}), what)

    seeds = [rng.randbytes(3 * cases.N) for _ in range(args.keys)]
    public_keys = [bytes.fromhex(answer) for answer in ask([f"keygen {seed.hex()}" for seed in seeds], "key")]
    secret_keys = [seed + pk[cases.N:] for seed, pk in zip(seeds, public_keys)]

    requests = [cases.random_request(rng, args.keys) for _ in range(args.signatures)]
    answers = ask([cases.sign_question(request, secret_keys) for request in requests], "signature")
    signatures = [bytes.fromhex(answer) for answer in answers]

    changes = [[cases.random_change(rng, request, args.keys, args.signatures) for _ in range(args.changes)] for request in requests]
    questions = [cases.verify_question(request, change, i, public_keys, signatures)
                 for i, request in enumerate(requests) for change in changes[i]]
    verdicts = ask(questions, "verdict")
    print(f"{len(public_keys)} keys, {len(signatures)} signatures, {len(verdicts)} verdicts, {verdicts.count('1')} of them valid")

    def record(i):
        request = requests[i]
        fields = {"key": request["key"], "interface": request["interface"], "msg": request["msg"].hex(), "ctx": request["ctx"].hex(),
                  "rnd": request["rnd"].hex(), "sig_sha256": hashlib.sha256(signatures[i]).hexdigest(), "changes": changes[i],
                  "verdicts": "".join(verdicts[i * args.changes:(i + 1) * args.changes])}
        return json.dumps(fields, separators=(",", ":"))

    keys = [json.dumps({"seed": seed.hex(), "pk": pk.hex()}, separators=(",", ":")) for seed, pk in zip(seeds, public_keys)]
    with open(args.output, "w", encoding="utf-8") as file:
        file.write('{"seed":%d,"peers":%s,\n"keys":[\n%s\n],\n"signatures":[\n%s\n]}\n' % (
            args.seed, json.dumps([process.name for process in processes]), ",\n".join(keys), ",\n".join(map(record, range(len(requests))))))
    for process in processes:
        process.close()


if __name__ == "__main__":
    main()
