#!/usr/bin/env python3
# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Proves the contracts of doc/bip/reference/c, function by function, and prints a line for each: processor time, checks, and what fails."""

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
SOURCES = HERE.parents[1] / "doc/bip/reference/c"
NAMES = ("slhdsa_tapscript.c", "slhdsa_tapscript.h")
CHECKS = ("bounds", "pointer", "pointer-overflow", "pointer-primitive", "signed-overflow", "unsigned-overflow", "conversion",
          "undefined-shift", "div-by-zero")


class Failure(Exception):
    """A program says something else than a verdict."""


def call(spent, program, *arguments):
    """What a program says. Its processor time is appended to a list."""
    with subprocess.Popen([program, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        said = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    spent.append(usage.ru_utime + usage.ru_stime)
    if process.returncode not in (0, 10):  # 10: a check fails
        raise Failure(f"{program.name}: {(said.strip() or f'exit status {process.returncode}').splitlines()[-1]}")
    return said


def harness(function, given):
    """A program that calls a function with whatever its contract, and "given", let through."""
    source = (SOURCES / NAMES[0]).read_text()
    found = re.search(rf"^[\w *]*\b{function}\(([^{{;]*?)\)\n(?:__contract__|{{)", source, re.MULTILINE)
    parameters = [] if found[1] == "void" else re.split(r",\s+", re.sub(r"(\w+)\[\w+\]", r"*\1", found[1]))
    arguments = ", ".join(re.search(r"\w+$", parameter)[0] for parameter in parameters)
    return f'#include "{NAMES[0]}"\nvoid harness(void)\n{{\n{"".join(f"{p};" for p in parameters)}\n{given}\n{function}({arguments});\n}}\n'


def prove(spent, tools, folder, word, function, proof):
    """The number of checks, and a list of those that fail."""
    checks, failures = 0, []
    for given in proof.get("given", [""]):
        if "program" in proof:
            program = (HERE / proof["program"]).read_text()
            how = [option for functions in proof["replace"].items() for option in ("--replace-calls", ":".join(functions))]
            checked = ["--no-standard-checks"]  # the other proofs have them
        else:
            program = harness(function, given)
            how = ["--dfcc", "harness", "--enforce-contract", function]
            how += [option for called in proof.get("calls", []) for option in ("--replace-call-with-contract", called)]
            how += ["--malloc-may-fail", "--malloc-fail-assert"]  # that a pointer's bits have room for all of an argument is checked, too
            how += ["--apply-loop-contracts"] if "loops" in proof else []
            checked = [f"--{check}-check" for check in CHECKS if check not in proof.get("without", [])]
        (folder / "harness.c").write_text(program)
        # Freestanding: with the headers of the compiler alone, which serve words of either size
        call(spent, tools / "goto-cc", f"-m{word}", "-ffreestanding", "-include", HERE / "contracts.h", folder / "harness.c",
             "--function", "harness", "-o", folder / "program.goto")
        call(spent, tools / "goto-instrument", *how, folder / "program.goto", folder / "proof.goto")
        said = call(spent, tools / "cbmc", folder / "proof.goto", *checked, "--object-bits", str(proof.get("object_bits", 8)),
                    "--unwinding-assertions", "--unwind", str(proof.get("unwind", 9)), *proof.get("options", []))
        counted = re.search(r"^\*\* (\d+) of (\d+) failed", said, re.MULTILINE)
        failed = re.findall(r"^\[.*?\] (.*): FAILURE$", said, re.MULTILINE)
        if counted is None or int(counted[1]) != len(failed):
            raise Failure("cbmc: as many failures as it counts are not named")
        checks += int(counted[2])
        failures += failed
    return checks, failures


def main():
    parser = argparse.ArgumentParser(prog="run.sh", description=__doc__)
    parser.add_argument("tools", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("functions", nargs="*", metavar="FUNCTION", help="of proofs.toml (default: all)")
    parser.add_argument("--word", choices=("32", "64"), action="append", help="bits of a size_t (default: both)")
    parser.add_argument("--broken", action="store_true", help="with the change that each proof has to notice")
    parser.add_argument("--jobs", type=int, default=2, help="proofs at a time (default: %(default)s)")
    options = parser.parse_intermixed_args()
    proofs = tomllib.loads((HERE / "proofs.toml").read_text())
    functions = options.functions or list(proofs)
    defined = re.findall(r"^\w[\w *]*\b(\w+)\([^;{]*?\)\n(?:__contract__|{)", (SOURCES / NAMES[0]).read_text(), re.MULTILINE)
    if without := [function for function in defined if function not in proofs]:
        parser.error(f"proofs.toml has no proof of {', '.join(without)}")
    for function in functions:
        if function not in proofs:
            parser.error(f"proofs.toml has no {function}")
        if (times := (SOURCES / NAMES[0]).read_text().count(proofs[function]["from"])) != 1:
            parser.error(f"proofs.toml: the change of {function} applies {times} times")

    def line(task):
        word, function = task
        proof, spent = proofs[function], []
        with tempfile.TemporaryDirectory() as folder:
            for name in NAMES:
                text = (SOURCES / name).read_text()
                Path(folder, name).write_text(text.replace(proof["from"], proof["to"]) if options.broken else text)
            try:
                checks, failures = prove(spent, options.tools, Path(folder), word, function, proof)
                right = bool(failures) == options.broken
                result = f"{checks} checks" + (f", {len(failures)} fail: {failures[0]}" if failures else "")
            except Failure as failure:
                right, result = False, str(failure)
        print(f"{word} bits {function:20} {sum(spent):6.1f} s  {result}", flush=True)
        return right

    start = time.monotonic()
    with ThreadPoolExecutor(options.jobs) as executor:
        results = list(executor.map(line, [(word, function) for word in options.word or ("64", "32") for function in functions]))
    verdict = "notice their change" if options.broken else "hold"
    print(f"{sum(results)} of {len(results)} proofs {verdict}, {time.monotonic() - start:.0f} s")
    return not all(results)


if __name__ == "__main__":
    sys.exit(main())
