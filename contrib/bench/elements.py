# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""What scripts can do with elements, by the limit for these and by the price of what they do: one table for doc/worst-case.md."""

import argparse
import json
import pathlib
import subprocess
from typing import Any

import cost_model
import prepare
from cost_model import MAX_BLOCK_WEIGHT, VAROPS_BOUGHT
from prepare import ROOT


def table(today: dict[str, Any], every: dict[str, Any], ours: dict[str, Any]) -> str:
    """Milliseconds of a block, and in parentheses of one of BIP 340 checks."""
    def cell(found: dict[str, Any], script: dict[str, Any], share: float = 1.0) -> str:
        milliseconds = script["ms"] * share
        return "refused" if script["refused"] else f"{milliseconds:,.0f} ({milliseconds / found['bip340_block_ms']:.2f})"

    rows = []
    for small, large, signature in zip(today["scripts"], every["scripts"], ours["scripts"], strict=True):
        share = min(1.0, MAX_BLOCK_WEIGHT * VAROPS_BOUGHT / large["varops"]) if large["varops"] else 1.0
        rows.append([f"`{small['name']}`", cell(today, small), f"{small['mib']:.1f}", cell(ours, signature), cell(every, large), f"{large['mib']:.1f}", cell(every, large, share)])
    return cost_model.table(["script", "520 bytes", "MiB", f"ours, {ours['size']:,} bytes", f"every element, {every['size']:,} bytes", "MiB", "the same with varops"], rows)


def main(options: argparse.Namespace) -> int:
    build: pathlib.Path = options.build or ROOT / "build/release"
    if not options.no_build:
        prepare.build(build, ["bench_elements", "bench_elements_6000"])

    def run(name: str, size: int) -> dict[str, Any]:
        done = subprocess.run([str(build / "src/bench" / name), str(size), str(options.rounds)], stdout=subprocess.PIPE, text=True, check=True)
        return dict(json.loads(done.stdout))

    found = run("bench_elements", 520), run("bench_elements_6000", 6000), run("bench_elements", 7856)
    print(table(*found))
    return 0
