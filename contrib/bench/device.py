#!/usr/bin/env python3
# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Build, test and measure on one Vulkan device, and print what was measured as tables.

    contrib/bench/device.py                               the first device
    contrib/bench/device.py --device vulkan:1 --int-ops 16700 --slhvk-lib ~/slhvk --out h200.json

The tests are those of the Vulkan backend, all 100,000 comparisons with the scalar code among them. Measured are batches, how
fast the CPU fills what is uploaded, start-up with empty and with filled caches; with two devices or more, all of them
together; with --slhvk-lib, slhvk in turns with this backend; and if build/node holds a node, blocks on it
(contrib/bitcoin-core/regtest.py). --int-ops is what the chip's integer units do at best, in 10^9 operations of 32 bits a
second; without it the table has no column for it. Without a device the exit status is 77.
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
from typing import Any

import prepare
from prepare import ROOT

NODE = ROOT / "build/node/bin/bitcoind"
SKIPPED = 77
SUITES = ("root_computer_tests:several_devices_tests:device_backend_tests:device_process_tests:vulkan_validation_tests:"
          "vulkan_tests:vulkan_several_tests:vulkan_oracle_tests")


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
    lines = ["| batch | signatures/s | ms, mean (best) | CPU us a signature | 10^9 compressions/s | chunks (overlapping) |" + (" of the bound |" if bound else ""),
             "|---|---|---|---|---|---|" + ("---|" if bound else "")]
    for row in rows:
        if found := re.search(r"/batch:(\d+)", row["name"]):
            line = (f"| {found[1]} | {1e6 / row['us']:,.0f} | {row['ms']:.3g} ({row['best_ms']:.3g}) | {row['cpu_us']:.1f} | {row['compressions']:.3g} | {row['chunks']:.0f} ({row['overlapping']:.0f}) |")
            lines.append(line + (f" {row['of_bound']:.0%} |" if bound else ""))
    lines += ["\n| threads that fill | entries/s | CPU us an entry | by workers |", "|---|---|---|---|"]
    for row in results["benchmarks"]:
        if found := re.search(r"^device/fill/threads:(\d+)", row["name"]):
            lines.append(f"| {found[1]} | {row['entries']:,.0f} | {row['cpu_us']:.2f} | {row['by_workers']:.0%} |")
    lines += [f"\nOpened in {row['real_time'] / 1e3:.0f} ms, {row['cpu_us'] / 1e3:.0f} ms of CPU time." for row in rows if "/open" in row["name"]]
    return "\n".join(lines)


def start_up(folder: pathlib.Path, device: str) -> dict[str, float]:
    """Milliseconds until a device takes work, and one signature more, in processes of their own whose caches are empty, then filled."""
    found = {}
    with tempfile.TemporaryDirectory(prefix="slhc-device-") as caches:
        environment = dict(os.environ, SLHC_CACHE_DIR=caches, MESA_SHADER_CACHE_DIR=f"{caches}/mesa", __GL_SHADER_DISK_CACHE_PATH=caches)
        for state in ("cold", "warm"):
            checked = subprocess.run([str(folder / "src/tool/slhtool"), "devices", "--check", "--json"], env=environment, text=True,
                                     stdout=subprocess.PIPE, check=False).stdout
            row = next(row for row in json.loads(checked) if row["name"] == device)
            if "fault" in row:
                raise SystemExit(f"device.py: {device}: {row['fault']}")
            found[state] = row["ready_after_ms"] + row["one_signature_us"] / 1000
    return found


def main() -> int:
    """Build, test, measure, print."""
    parser = argparse.ArgumentParser(description="Build, test and measure on one Vulkan device.")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release", metavar="FOLDER", help="default: build/release")
    parser.add_argument("--device", metavar="vulkan:INDEX", help="default: the first one")
    parser.add_argument("--sizes", default="1,8,64,508,4096,65536", metavar="N,...", help="batches, of those that the benchmark has")
    parser.add_argument("--int-ops", type=float, metavar="GIGA", help="10^9 integer operations a second of the chip, at best")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("device.json"), metavar="FILE", help="default: device.json")
    parser.add_argument("--slhvk-lib", type=pathlib.Path, metavar="DIR", help="a folder with slhvk.h and libslhvk")
    parser.add_argument("--no-build", action="store_true", help="use the programs already in the build folder, perhaps built on another machine")
    parser.add_argument("--no-tests", action="store_true", help="measure only")
    args = parser.parse_args()
    args.build = args.build.resolve()

    if not args.no_build:
        prepare.build(args.build, ["bench_slhconsensus", "slhtool", *([] if args.no_tests else ["test_slhconsensus"])])
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
    bench(args.build, [f"--benchmark_filter=^({device}/(batch:({sizes})/|open)|device/fill)", f"--benchmark_out={args.out}", "--benchmark_out_format=json"], env=environment)
    results = json.loads(args.out.read_text())
    results["start_up_ms"] = start_up(args.build, device)
    args.out.write_text(json.dumps(results, indent=1) + "\n")
    print(table(results, device))
    print(f"Until the first verdict: {results['start_up_ms']['cold']:.0f} ms with empty caches, {results['start_up_ms']['warm']:.0f} ms with filled ones.\n", flush=True)
    if len(known) > 1:
        subprocess.run([str(args.build / "src/tool/slhtool"), "bench", "--backend", device, "--backend", "vulkan:all", "--batch", "508", "--batch", "4096"], check=True)
    if args.slhvk_lib:
        subprocess.run([str(ROOT / "contrib/bench/slhvk.sh"), str(args.slhvk_lib), str(args.build)], env=environment, check=True)
    if NODE.exists():
        subprocess.run([sys.executable, str(ROOT / "contrib/bitcoin-core/regtest.py"), "--bitcoind", str(NODE), "--device", device], check=True)
    else:
        print("no blocks: there is no node (contrib/bitcoin-core/regtest.py builds it)")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except subprocess.CalledProcessError as error:
        raise SystemExit(f"device.py: {error.cmd[0]} ended with status {error.returncode}") from None
    except OSError as error:
        raise SystemExit(f"device.py: {error}") from None
