#!/usr/bin/env python3
# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Compare the addresses of slhtool's descriptors mr(TREE) with those of another implementation of P2MR (BIP 360).

The other one, @bitgo/wasm-utxo (npm), makes outputs of one shape: three leaves, each of which takes the signatures of two of
three keys. The seed is printed. The peer is installed by setup_peers.sh; without it the exit status is 77, which ctest
calls skipped.

    run_p2mr.py SLHTOOL [--seed N] [--outputs 100] [--peers FOLDER]
"""

import argparse
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys

import peers

SKIPPED = 77
HERE = pathlib.Path(__file__).resolve().parent


def descriptor(user, backup, other):
    def both(a, b):
        return f"and_v(v:pk({a}),pk({b}))"
    return f"mr({{{both(user, other)},{{{both(user, backup)},{both(backup, other)}}}}})"


def main():
    parser = argparse.ArgumentParser(description="Compare addresses with another implementation of P2MR.")
    parser.add_argument("slhtool", type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=int(os.environ.get("SLHC_TEST_SEED", 1)))
    parser.add_argument("--outputs", type=int, default=100)
    parser.add_argument("--peers", type=pathlib.Path, default=peers.DEFAULT_FOLDER)
    args = parser.parse_args()
    if not shutil.which("node") or not (args.peers / "p2mr" / "node_modules").is_dir():
        print(f"skipped: no node, or no peer in {args.peers / 'p2mr'} (see setup_peers.sh)")
        return SKIPPED

    choices = random.Random(args.seed)
    questions = [" ".join([str(choices.choice((360, 361))), str(choices.randrange(2**31)), *(choices.randbytes(32).hex() for _ in range(3))])
                 for _ in range(args.outputs)]
    answer = subprocess.run(["node", HERE / "p2mr_peer" / "peer.mjs", args.peers / "p2mr"], input="\n".join(questions) + "\n", stdout=subprocess.PIPE,
                            text=True, check=True).stdout.splitlines()
    if len(answer) != len(questions):
        sys.exit(f"{len(answer)} answers to {len(questions)} questions")
    differences = 0
    for line in answer:
        *keys, address = line.split()
        info = subprocess.run([args.slhtool, "descriptor", "info", descriptor(*keys), "--json"], stdout=subprocess.PIPE, text=True, check=True).stdout
        ours = json.loads(info)["addresses"]["mainnet"]
        if ours != address:
            differences += 1
            print(f"{descriptor(*keys)}: we say {ours}, wasm-utxo says {address}")
    print(f"seed {args.seed}: {len(answer)} addresses compared, {differences} differ")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
