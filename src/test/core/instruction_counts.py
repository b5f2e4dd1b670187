#!/usr/bin/env python3
# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Compare how many instructions verification of the most expensive blocks takes here and in Bitcoin Core's interpreter.

No clock is read: valgrind counts. It has no SHA instructions; SHA-256 is C++ on both sides. What is printed and bounded is
the difference between two weights, so that what a block costs once does not count.

    instruction_counts.py VALGRIND PROGRAM [--bound RATIO]
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

# Ours may take so many times as many instructions as Core's.
BOUND = 1.1
SKIPPED = 77


def run(valgrind, program, folder):
    """All counts: {(block, side, weight): instructions}."""
    command = [valgrind, "--tool=callgrind", "--dump-line=no", f"--callgrind-out-file={folder}/out", program]
    environment = {**os.environ, "SLHC_CORE_SHA256": "standard"}
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment)
    if result.returncode != 0:
        print(result.stdout, end="")
        sys.exit(result.returncode)
    counts = {}
    for path in pathlib.Path(folder).iterdir():
        text = path.read_text()
        trigger = re.search(r"^desc: Trigger: Client Request: (\S+) (\S+) (\d+)$", text, re.MULTILINE)
        if trigger:
            counts[trigger[1], trigger[2], int(trigger[3])] = int(re.search(r"^(?:summary|totals): (\d+)", text, re.MULTILINE)[1])
    return counts


def slope(counts):
    """Instructions for each weight unit between the two weights that were counted."""
    (less, count_less), (more, count_more) = sorted(counts.items())
    return (count_more - count_less) / (more - less)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("valgrind")
    parser.add_argument("program")
    parser.add_argument("--bound", type=float, default=BOUND)
    args = parser.parse_args()
    if not pathlib.Path(args.valgrind).exists():
        print("instruction_counts: skipped: there is no valgrind")
        return SKIPPED

    with tempfile.TemporaryDirectory() as folder:
        counts = run(args.valgrind, args.program, folder)
    blocks = {}
    for (name, side, weight), count in counts.items():
        blocks.setdefault(name, {}).setdefault(side, {})[weight] = count
    if not blocks:
        print("instruction_counts: valgrind counted nothing")
        return 1
    print(f"{'instructions for a weight unit':<32}{'module':>12}{'Core today':>12}{'ratio':>8}")
    above = []
    for name, sides in sorted(blocks.items()):
        ours, core = (slope(sides[side]) for side in ("module", "core"))
        ratio = ours / core
        if ratio > args.bound:
            above.append(name)
        print(f"{name:<32}{ours:>12.1f}{core:>12.1f}{ratio:>8.3f}{'  above the bound' if ratio > args.bound else ''}")
    if above:
        print(f"instruction_counts: above {args.bound} times Core's: {', '.join(above)}")
    return 1 if above else 0


if __name__ == "__main__":
    sys.exit(main())
