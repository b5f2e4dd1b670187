#!/usr/bin/env python3
# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Compare the work of verification, signing and key generation with the baseline of the last time that somebody looked.

No clock is read: compressions of the scalar code are counted, which must be those of the baseline, and valgrind counts the
instructions of the AVX2 engine, which may be 2 % more or fewer. Instructions depend on the compiler: the baseline has them for some, and for
others only compressions are compared.

    work_baseline.py BASELINE PROGRAM VALGRIND COMPILER [--only compressions|instructions] [--update]

Exit status: 0; 1 if something takes other work than in the baseline; 77 if instructions alone are asked for and cannot be compared here.
--update writes what was counted into the baseline. A change of the baseline belongs into the commit that causes it, with the reason.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

TOLERANCE = 0.02
SKIPPED = 77


def compressions(program):
    """{what: SHA-256 blocks}."""
    output = subprocess.run([program, "compressions"], check=True, capture_output=True, text=True).stdout
    return {what: int(count) for what, count in (line.split() for line in output.splitlines())}


def instructions(program, valgrind):
    """{engine and what: instructions}; empty if they cannot be counted here."""
    if not pathlib.Path(valgrind).exists():
        return {}
    counts = {}
    with tempfile.TemporaryDirectory() as folder:
        command = [valgrind, "--tool=callgrind", "--instr-atstart=no", "--dump-line=no", f"--callgrind-out-file={folder}/out", program, "instructions"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode not in (0, SKIPPED):
            raise SystemExit(f"work_baseline: {done.stderr or done.stdout}")
        for path in pathlib.Path(folder).iterdir():
            text = path.read_text()
            if trigger := re.search(r"^desc: Trigger: Client Request: (.+)$", text, re.MULTILINE):
                counts[trigger[1]] = int(re.search(r"^(?:summary|totals): (\d+)", text, re.MULTILINE)[1])
    return counts


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("baseline", type=pathlib.Path)
    parser.add_argument("program")
    parser.add_argument("valgrind")
    parser.add_argument("compiler")
    parser.add_argument("--only", choices=["compressions", "instructions"])
    parser.add_argument("--update", action="store_true")
    args = parser.parse_args()

    baseline = json.loads(args.baseline.read_text()) if args.baseline.exists() else {"compressions": {}, "instructions": {}}
    counted = {"compressions": {} if args.only == "instructions" else compressions(args.program),
               "instructions": {} if args.only == "compressions" else instructions(args.program, args.valgrind)}
    if args.update:
        baseline["compressions"] = counted["compressions"] or baseline["compressions"]
        if counted["instructions"]:
            baseline["instructions"][args.compiler] = dict(sorted(counted["instructions"].items()))
        args.baseline.write_text(json.dumps(baseline, indent=2) + "\n")
        print(f"written: {args.baseline}")
        return 0

    wrong = []
    for what, expected in baseline["compressions"].items() if args.only != "instructions" else ():
        count = counted["compressions"].get(what)
        print(f"{what:<24}{expected:>14,} compressions in the baseline,{count or 0:>14,} counted")
        if count != expected:
            wrong.append(what)
    known = baseline["instructions"].get(args.compiler)
    if args.only == "compressions":
        pass
    elif known is None or not counted["instructions"]:
        why = f"the baseline has none for {args.compiler}" if known is None else "there is no valgrind, or this machine has no AVX2"
        print(f"SKIPPED: instructions are not compared: {why}")
        if args.only:
            return SKIPPED
    else:
        for what, expected in known.items():
            count = counted["instructions"].get(what, 0)
            print(f"{what:<24}{expected:>14,} instructions in the baseline,{count:>14,} counted: {count / expected:.3f}")
            if abs(count - expected) > TOLERANCE * expected:
                wrong.append(what)
    if wrong:
        print(f"work_baseline: other work than in the baseline: {', '.join(wrong)} (--update, if that is meant)")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
