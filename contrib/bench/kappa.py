#!/usr/bin/env python3
# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Measures kappa: the compressions of SHA-256 that each engine does in the time of one BIP 340 verification, one signature at a time and in
batches. It turns the hashes of any hash-based scheme into verifications of what Bitcoin has.

    contrib/bench/kappa.py                 builds the benchmark and prints tables
    contrib/bench/kappa.py --json          the same numbers
    contrib/bench/kappa.py --write         the tables go into doc/worst-case.md, its plot and the README's into doc/

All are measured in turns on one core, over distinct signatures, by bench_slhconsensus. A verification of SLH-DSA-SHA2-128s is taken as its
mean of compressions, and whatever else it does (digits, sorting, copying) counts as part of them. The parameter sets that the library has are
measured too, beside what kappa says."""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import time

import cost_model
import plot
import prepare
from report import machine

ROOT = pathlib.Path(__file__).resolve().parents[2]
PLACE = {1: "one at a time", 512: "batch of 512"}
# Sets of the library, by their names in cost_model.py
MEASURED = {"SLH-DSA-SHA2-128s": "128s", "SLH-DSA-SHA2-128f": "128f", "SLH-DSA-SHA2-128-24": "128-24", "SHRINCS, stateless part": "128-q40"}


def measure(program: pathlib.Path, rounds: int, seconds: float) -> dict:
    """{"reference", "compiler", "bip340_us", "engines": {engine: {batch: {"kappa", "us", "sets": {set: us}}}}}. Each time is the least of the rounds: other load on
    the machine, which hits scalar and vector code differently, only adds to it."""
    core = max(os.sched_getaffinity(0))
    command = [str(program), f"--benchmark_filter=^verify/[^/]+/(set:[^/]+/)?batch:({'|'.join(map(str, PLACE))})/", f"--benchmark_repetitions={rounds}",
               f"--benchmark_min_time={seconds}", "--benchmark_enable_random_interleaving=true", "--benchmark_format=json"]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, preexec_fn=lambda: os.sched_setaffinity(0, {core}))
    if done.returncode != 0:
        raise SystemExit(f"kappa.py: {program} ended with status {done.returncode}")
    data = json.loads(done.stdout)
    rows = [row for row in data["benchmarks"] if row["run_type"] == "iteration"]
    bip340 = min(row["bip340_us"] for row in rows)
    engines: dict[str, dict[int, dict]] = {}
    for row in rows:
        parts = dict(part.split(":") for part in row["name"].split("/") if ":" in part)
        found = engines.setdefault(row["name"].split("/")[1], {}).setdefault(int(parts["batch"]), {"sets": {}})
        name = parts.get("set", "128s")
        found["sets"][name] = min(found["sets"].get(name, row["us"]), row["us"])
    for found in (found for batches in engines.values() for found in batches.values()):
        found["us"] = found["sets"]["128s"]
        found["kappa"] = bip340 / found["us"] * machine.MEAN_COMPRESSIONS
    return {"reference": f"libsecp256k1 {data['context']['libsecp256k1']}", "compiler": data["context"]["compiler"], "bip340_us": bip340, "engines": engines}


def engine_table(engines: dict) -> str:
    """kappa and times of each engine, the fastest first."""
    rows = [[f"`{engine}`", *(f"{found[batch]['kappa']:,.0f} ({found[batch]['us']:.1f})" for batch in PLACE)]
            for engine, found in sorted(engines.items(), key=lambda item: -item[1][512]["kappa"])]
    return cost_model.table(["engine", *(f"{place} (us a signature)" for place in PLACE.values())], rows)


def in_bip340(p, found: dict, bip340_us: float) -> tuple:
    """A verification of a set in verifications of BIP 340: as measured (None if it was not), and by kappa."""
    us = found["sets"].get(MEASURED.get(p.name))
    return (us / bip340_us if us else None), p.mean_verification.sha256 / found["kappa"]


def fastest_engine(engines: dict) -> str:
    return max(engines, key=lambda engine: engines[engine][512]["kappa"])


def set_table(engines: dict, bip340_us: float) -> str:
    """The sets that hash with SHA-256 alone, in verifications of BIP 340: by the fastest engine, and by the portable one."""
    fastest = fastest_engine(engines)
    columns = [(fastest, 512), (fastest, 1), ("portable", 512)]
    rows = []
    for p in cost_model.SETS:
        if not p.mean_verification.sha512:
            each = [in_bip340(p, engines[engine][batch], bip340_us) for engine, batch in columns]
            cells = [f"({computed:.2f})" if measured is None else f"{measured:.2f} ({computed:.2f})" for measured, computed in each]
            rows.append([p.name, f"{p.signature_size:,}", f"{p.mean_verification.sha256:,.0f}", *cells, f"{p.block_verifications * (each[0][0] or each[0][1]):,.0f}"])
    return cost_model.table(["set", "bytes", "compressions", *(f"`{engine}`, {PLACE[batch]}" for engine, batch in columns), f"a block of them, `{fastest}`"], rows)


def set_plot(engines: dict, bip340_us: float) -> str:
    """What a choice costs: bytes against time."""
    fastest = fastest_engine(engines)
    points = [("BIP 340", 64, 1.0, True)]
    for p in cost_model.SETS:
        if not p.mean_verification.sha512:
            measured, computed = in_bip340(p, engines[fastest][512], bip340_us)
            points.append((MEASURED.get(p.name, p.name.removeprefix("SLH-DSA-SHA2-")), p.signature_size, measured or computed, measured is not None))
    return plot.scatter(points, f"A signature's bytes, and its verification in verifications of BIP 340 ({fastest}, batch of 512)", "bytes of a signature")


def engine_plot(found: dict, caption: str) -> str:
    """How many verifications a second: BIP 340, then each engine, the fastest first."""
    rows = [("BIP 340", [1e6 / found["bip340_us"]], True)]
    for engine, batches in sorted(found["engines"].items(), key=lambda item: -item[1][512]["kappa"]):
        rows += [(f"{engine}, {place}", [1e6 / batches[batch]["us"]], False) for batch, place in reversed(PLACE.items())]
    return plot.bars(rows, "Verifications a second on one core: BIP 340, and SLH-DSA-SHA2-128s by engine", caption)


def main() -> int:
    """Measure, then print or write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release", help="build folder (default: build/release)")
    parser.add_argument("--no-build", action="store_true", help="measure what is there")
    parser.add_argument("--rounds", type=int, default=15, help="repetitions, of which the least counts (default: 15)")
    parser.add_argument("--seconds", type=float, default=0.2, help="least time of a measurement (default: 0.2)")
    parser.add_argument("--json", action="store_true", help="print the numbers")
    parser.add_argument("--write", action="store_true", help="put tables and plots into doc/")
    args = parser.parse_args()
    if not args.no_build:
        prepare.build(args.build.resolve(), ["bench_slhconsensus"], ROOT / "build/bench-build.log")
    about = machine.describe()
    found = measure(args.build / "src/bench/bench_slhconsensus", args.rounds, args.seconds)
    if args.json:
        print(json.dumps({"machine": about, "commit": machine.commit(), **found}, indent=1))
        return 0
    name = about["core"] or about["processor"]
    setting = f"{name} (family {about['family']}, model {about['model']}), {found['compiler']}, {found['reference']}, {time.strftime('%Y-%m-%d', time.gmtime())}, least of {args.rounds} rounds"
    tables = {"kappa": f"{setting}; BIP 340 takes {found['bip340_us']:.1f} us:\n\n{engine_table(found['engines'])}",
              "kappa of sets": set_table(found["engines"], found["bip340_us"])}
    if args.write:
        cost_model.put_into_page(tables)
        (ROOT / "doc/verifications.svg").write_text(engine_plot(found, setting), encoding="utf-8")
        (ROOT / "doc/worst-case-sets.svg").write_text(set_plot(found["engines"], found["bip340_us"]), encoding="utf-8")
    print("\n\n".join(tables.values()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
