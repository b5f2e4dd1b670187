#!/usr/bin/env python3
# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Measures kappa: the compressions of SHA-256 that each engine does in the time of one BIP 340 verification, one signature at a time and in
batches. It turns the hashes of any hash-based scheme into verifications of what Bitcoin has.

    contrib/bench/kappa.py                 builds the benchmark and prints tables
    contrib/bench/kappa.py --json          the same numbers
    contrib/bench/kappa.py --write         the tables go into doc/worst-case.md

Both sides are measured in turns on one core, over distinct signatures, by bench_slhconsensus. A verification of SLH-DSA-SHA2-128s is taken
as its mean of compressions, and whatever else it does (digits, sorting, copying) counts as part of them."""

import argparse
import json
import os
import pathlib
import subprocess
import sys

import cost_model
import prepare
from report import machine

ROOT = pathlib.Path(__file__).resolve().parents[2]
PLACE = {1: "one at a time", 512: "batch of 512"}


def measure(program: pathlib.Path, rounds: int, seconds: float) -> dict:
    """{"reference", "compiler", "bip340_us", "engines": {engine: {batch: {"kappa", "us"}}}}. Each time is the least of the rounds: other load on
    the machine, which hits scalar and vector code differently, only adds to it."""
    core = max(os.sched_getaffinity(0))
    command = [str(program), f"--benchmark_filter=^verify/[^/]+/batch:({'|'.join(map(str, PLACE))})/", f"--benchmark_repetitions={rounds}",
               f"--benchmark_min_time={seconds}", "--benchmark_enable_random_interleaving=true", "--benchmark_format=json"]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, preexec_fn=lambda: os.sched_setaffinity(0, {core}))
    if done.returncode != 0:
        raise SystemExit(f"kappa.py: {program} ended with status {done.returncode}")
    data = json.loads(done.stdout)
    rows = [row for row in data["benchmarks"] if row["run_type"] == "iteration"]
    bip340 = min(row["bip340_us"] for row in rows)
    engines: dict[str, dict[int, dict]] = {}
    for row in rows:
        _, engine, batch, *_ = row["name"].split("/")
        least = engines.setdefault(engine, {}).setdefault(int(batch.removeprefix("batch:")), {"us": row["us"]})
        least["us"] = min(least["us"], row["us"])
        least["kappa"] = bip340 / least["us"] * machine.MEAN_COMPRESSIONS
    return {"reference": f"libsecp256k1 {data['context']['libsecp256k1']}", "compiler": data["context"]["compiler"], "bip340_us": bip340, "engines": engines}


def engine_table(engines: dict) -> str:
    """kappa and times of each engine, the fastest first."""
    rows = [[f"`{engine}`", *(f"{found[batch]['kappa']:,.0f} ({found[batch]['us']:.1f})" for batch in PLACE)]
            for engine, found in sorted(engines.items(), key=lambda item: -item[1][512]["kappa"])]
    return cost_model.table(["engine", *(f"{place} (us a signature)" for place in PLACE.values())], rows)


def set_table(engines: dict) -> str:
    """The sets that hash with SHA-256 alone, in verifications of BIP 340: by the fastest engine, and by the portable one."""
    fastest = max(engines, key=lambda engine: engines[engine][512]["kappa"])
    columns = [(fastest, 512), (fastest, 1), ("portable", 512)]
    rows = []
    for p in cost_model.SETS:
        mean = p.mean_verification
        if not mean.sha512:
            each = [mean.sha256 / engines[engine][batch]["kappa"] for engine, batch in columns]
            rows.append([p.name, f"{p.signature_size:,}", f"{mean.sha256:,.0f}", *(f"{value:.2f}" for value in each), f"{p.block_verifications * each[0]:,.0f}"])
    return cost_model.table(["set", "bytes", "compressions", *(f"`{engine}`, {PLACE[batch]}" for engine, batch in columns), f"a block of them, `{fastest}`"], rows)


def main() -> int:
    """Measure, then print or write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release", help="build folder (default: build/release)")
    parser.add_argument("--no-build", action="store_true", help="measure what is there")
    parser.add_argument("--rounds", type=int, default=15, help="repetitions, of which the least counts (default: 15)")
    parser.add_argument("--seconds", type=float, default=0.2, help="least time of a measurement (default: 0.2)")
    parser.add_argument("--json", action="store_true", help="print the numbers")
    parser.add_argument("--write", action="store_true", help="put the tables into doc/worst-case.md")
    args = parser.parse_args()
    if not args.no_build:
        prepare.build(args.build.resolve(), ["bench_slhconsensus"], ROOT / "build/bench-build.log")
    about = machine.describe()
    found = measure(args.build / "src/bench/bench_slhconsensus", args.rounds, args.seconds)
    if args.json:
        print(json.dumps({"machine": about, "commit": machine.commit(), **found}, indent=1))
        return 0
    name = about["core"] or about["processor"]
    tables = {"kappa": f"{name} (family {about['family']}, model {about['model']}), {found['compiler']}, {found['reference']}, which takes {found['bip340_us']:.1f} us:\n\n{engine_table(found['engines'])}",
              "kappa of sets": set_table(found["engines"])}
    if args.write:
        cost_model.put_into_page(tables)
    print("\n\n".join(tables.values()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
