# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""One Vulkan device: the tests of the backend, all 100,000 comparisons with the scalar code among them; batches, how fast the CPU fills what
is uploaded, start-up with empty and with filled caches; and if build/node holds a node, blocks on it (contrib/bitcoin-core/regtest.py)."""

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
        raise SystemExit("bench.py: " + "; ".join(failed))
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
                raise SystemExit(f"bench.py: {device}: {row['fault']}")
            found[state] = row["ready_after_ms"] + row["one_signature_us"] / 1000
    return found


def main(args: argparse.Namespace) -> int:
    """Build, test, measure, print."""
    build = args.build or ROOT / "build/release"
    if not args.no_build:
        prepare.build(build, ["bench_slhconsensus", "slhtool", *([] if args.no_tests else ["test_slhconsensus"])])
    known = devices(build)
    if not known:
        print("skipped: no Vulkan device here")
        return SKIPPED
    device = args.device or known[0]
    if device not in known:
        raise SystemExit(f"bench.py: no device '{device}' here; there are {', '.join(known)}")
    environment = dict(os.environ, SLHC_BACKEND=device)
    if args.int_ops:
        environment["SLHC_BENCH_INT_OPS"] = str(args.int_ops)
    if not args.no_tests:
        subprocess.run([str(build / "src/test/test_slhconsensus"), f"--run_test={SUITES}", "--log_level=test_suite"], env=environment, check=True)
    sizes = "|".join(args.sizes.split(","))
    bench(build, [f"--benchmark_filter=^({device}/(batch:({sizes})/|open)|device/fill)", f"--benchmark_out={args.out}", "--benchmark_out_format=json"], env=environment)
    results = json.loads(args.out.read_text())
    results["start_up_ms"] = start_up(build, device)
    args.out.write_text(json.dumps(results, indent=1) + "\n")
    print(table(results, device))
    print(f"Until the first verdict: {results['start_up_ms']['cold']:.0f} ms with empty caches, {results['start_up_ms']['warm']:.0f} ms with filled ones.\n", flush=True)
    if NODE.exists():
        subprocess.run([sys.executable, str(ROOT / "contrib/bitcoin-core/regtest.py"), "--bitcoind", str(NODE), "--device", device], check=True)
    else:
        print("no blocks: there is no node (contrib/bitcoin-core/regtest.py builds it)")
    return 0
