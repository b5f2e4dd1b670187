#!/usr/bin/env python3
# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Build, test and measure on one Vulkan device, and print the table that doc/benchmarks.md has for devices.

    contrib/bench/device.py                               the first device
    contrib/bench/device.py --device vulkan:1 --int-ops 16700 --out h200.json

The tests are those of the Vulkan backend, all 100,000 comparisons with the scalar code among them. --int-ops is what the
chip's integer units do at best, in 10^9 operations of 32 bits a second; without it the table has no column for it.
Without a device the exit status is 77.
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
from typing import Any

ROOT = pathlib.Path(__file__).resolve().parents[2]
SKIPPED = 77
SUITES = "vulkan_fault_tests:vulkan_validation_tests:vulkan_tests:vulkan_oracle_tests"


def build(folder: pathlib.Path) -> None:
    """Configure where that was not done yet, and build what is run here."""
    if not (folder / "CMakeCache.txt").exists():
        subprocess.run(["cmake", "--preset", "release", "-B", str(folder)], cwd=ROOT, check=True)
    subprocess.run(["cmake", "--build", str(folder), "--target", "test_slhconsensus", "bench_slhconsensus"], cwd=ROOT, check=True)


def bench(folder: pathlib.Path, arguments: list[str], **keywords: Any) -> subprocess.CompletedProcess[str]:
    """Run bench_slhconsensus."""
    return subprocess.run([str(folder / "src/bench/bench_slhconsensus"), *arguments], check=True, text=True, **keywords)


def devices(folder: pathlib.Path) -> list[str]:
    """The devices that the benchmark knows, e.g. vulkan:0."""
    listed = bench(folder, ["--benchmark_list_tests", "--benchmark_filter=/open"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    return [line.split("/")[0] for line in listed.splitlines() if line]


def table(results: dict[str, Any], device: str) -> str:
    """Markdown: a line for each batch, then what opening took."""
    rows = [r for r in results["benchmarks"] if r["name"].startswith(device + "/")]
    if failed := [f"{r['name']}: {r['error_message']}" for r in rows if r.get("error_occurred")]:
        raise SystemExit("device.py: " + "; ".join(failed))
    bound = any("of_bound" in r for r in rows)
    lines = ["| batch | signatures/s | ms, mean (best) | CPU us a signature | 10^9 compressions/s |" + (" of the bound |" if bound else ""),
             "|---|---|---|---|---|" + ("---|" if bound else "")]
    for row in rows:
        if found := re.search(r"/batch:(\d+)", row["name"]):
            line = (f"| {found[1]} | {1e6 / row['us']:,.0f} | {row['ms']:.3g} ({row['best_ms']:.3g}) | {row['cpu_us']:.1f} | {row['compressions']:.3g} |")
            lines.append(line + (f" {row['of_bound']:.0%} |" if bound else ""))
    lines += [f"\nOpened in {row['real_time'] / 1e3:.0f} ms, {row['cpu_us'] / 1e3:.0f} ms of CPU time." for row in rows if "/open" in row["name"]]
    return "\n".join(lines)


def main() -> int:
    """Build, test, measure, print."""
    parser = argparse.ArgumentParser(description="Build, test and measure on one Vulkan device.")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release", metavar="FOLDER", help="default: build/release")
    parser.add_argument("--device", metavar="vulkan:INDEX", help="default: the first one")
    parser.add_argument("--sizes", default="1,8,64,508,4096,65536", metavar="N,...", help="batches, of those that the benchmark has")
    parser.add_argument("--int-ops", type=float, metavar="GIGA", help="10^9 integer operations a second of the chip, at best")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("device.json"), metavar="FILE", help="default: device.json")
    parser.add_argument("--no-tests", action="store_true", help="measure only")
    args = parser.parse_args()

    build(args.build)
    known = devices(args.build)
    if not known:
        print("skipped: no Vulkan device here")
        return SKIPPED
    device = args.device or known[0]
    if device not in known:
        raise SystemExit(f"device.py: no device '{device}' here; there are {', '.join(known)}")
    environment = dict(os.environ, SLHC_BACKEND=device)
    if args.int_ops:
        environment["SLHC_BENCH_INT_OPS"] = str(args.int_ops)
    if not args.no_tests:
        subprocess.run([str(args.build / "src/test/test_slhconsensus"), f"--run_test={SUITES}", "--log_level=test_suite"], env=environment, check=True)
    sizes = "|".join(args.sizes.split(","))
    bench(args.build, [f"--benchmark_filter=^{device}/(batch:({sizes})/|open)", f"--benchmark_out={args.out}", "--benchmark_out_format=json"], env=environment)
    print(table(json.loads(args.out.read_text()), device))
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except subprocess.CalledProcessError as error:
        raise SystemExit(f"device.py: {error.cmd[0]} ended with status {error.returncode}") from None
