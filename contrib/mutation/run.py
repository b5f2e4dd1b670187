#!/usr/bin/env python3
# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Break each rule in mutations.toml, one at a time, and see that a test fails.

Works on a copy of the checkout, in a folder of its own that is kept between runs. Exit status 0 if every mutation
is noticed, 1 if one survives, 2 if one doesn't apply or doesn't compile.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# The quick ones first: the first failure ends a mutation.
SUITES = ["script_tests", "p2mr_tests", "large_element_tests", "core_vectors_tests", "primitives_tests", "policy_tests",
          "slhdsa_opcode_tests", "script_check_tests"]


def copy_checkout(work: Path) -> Path:
    """Bring work/source up to date with the checkout, touching only what differs."""
    source = work / "source"
    files = subprocess.run(["git", "ls-files"], cwd=ROOT, check=True, capture_output=True, text=True).stdout.split("\n")
    for name in filter(None, files):
        here, there = ROOT / name, source / name
        if not here.is_file():
            continue
        if not there.is_file() or there.read_bytes() != here.read_bytes():
            there.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(here, there)
    return source


def build(work: Path, jobs: str) -> bool:
    result = subprocess.run(["cmake", "--build", work / "source/build/dev", "--target", "test_slhconsensus", "-j", jobs],
                            capture_output=True, text=True)
    (work / "build.log").write_text(result.stdout + result.stderr)
    return result.returncode == 0


def first_failure(work: Path) -> str | None:
    """The first suite that fails, with its first message; None if all pass."""
    for suite in SUITES:
        try:
            result = subprocess.run([work / "source/build/dev/src/test/test_slhconsensus", f"--run_test={suite}", "--color_output=no"],
                                    capture_output=True, text=True, timeout=600)
        except subprocess.TimeoutExpired:
            return f"{suite}: does not end"
        if result.returncode != 0:
            lines = [line for line in (result.stdout + result.stderr).split("\n") if "error" in line]
            return f"{suite}: {lines[0].strip()[:150] if lines else 'crash'}"
    return None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, default=ROOT / "build/mutation", help="folder to work in")
    parser.add_argument("--core", default="", help="Bitcoin Core's sources, for its vectors (default: as cmake finds them)")
    parser.add_argument("--jobs", default="2")
    parser.add_argument("--only", default="", help="only rules that contain this text")
    options = parser.parse_args()

    mutations = tomllib.loads((Path(__file__).parent / "mutations.toml").read_text())["mutation"]
    source = copy_checkout(options.work)
    # The preset, as in the checkout itself: what a compiler cache has is of use.
    subprocess.run(["cmake", "--preset", "dev", "-DSLHC_BUILD_CORE_ORACLE=OFF", f"-DSLHC_CORE_SOURCE_DIR={options.core}",
                    "-DSLHC_WERROR=OFF"], cwd=source, check=True, stdout=subprocess.DEVNULL)
    if not build(options.work, options.jobs):
        print(f"the unchanged checkout does not build, see {options.work}/build.log")
        return 2
    if failure := first_failure(options.work):
        print(f"the unchanged checkout fails: {failure}")
        return 2

    noticed, survived, broken = 0, [], []
    for mutation in mutations:
        if options.only not in mutation["rule"]:
            continue
        path = source / mutation["file"]
        original = path.read_text()
        if original.count(mutation["from"]) != 1:
            broken.append(f"{mutation['rule']}: its text occurs {original.count(mutation['from'])} times in {mutation['file']}")
            print("BROKEN  ", broken[-1], flush=True)
            continue
        try:
            path.write_text(original.replace(mutation["from"], mutation["to"]))
            if not build(options.work, options.jobs):
                broken.append(f"{mutation['rule']}: does not compile")
                print("BROKEN  ", broken[-1], flush=True)
            elif failure := first_failure(options.work):
                noticed += 1
                print("noticed ", mutation["rule"], "--", failure, flush=True)
            else:
                survived.append(mutation["rule"])
                print("SURVIVED", mutation["rule"], flush=True)
        finally:
            path.write_text(original)
            os.utime(path)
    print(f"{noticed} noticed, {len(survived)} survived, {len(broken)} broken")
    return 2 if broken else 1 if survived else 0


if __name__ == "__main__":
    sys.exit(main())
