#!/usr/bin/env python3
# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Break each rule on one side of the differential test against Bitcoin Core with the rules, and see that they disagree.

--side core takes the rules from Core's files (core_mutations.toml), --side module from this library (mutations.toml), where
those that no spend can show (no_spend says why) are left to the unit tests. Everything is built in a folder of its own that is
kept between runs. Exit status 0 if every mutation is noticed, 1 if one survives, 2 if one doesn't compile or apply, 77 without
Bitcoin Core's sources.
"""

import argparse
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import run

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
CORE_MUTATIONS = HERE / "core_mutations.toml"
# Files of the library whose rules the generated spends can reach; the others are told apart by other tests.
MODULE_FILES = ("src/script/", "src/primitives/opcodes.def", "src/pqc/check.h")


def compiler_cache(folder: Path) -> None:
    if run.shutil.which("ccache"):
        os.environ |= {"CMAKE_C_COMPILER_LAUNCHER": "ccache", "CMAKE_CXX_COMPILER_LAUNCHER": "ccache", "CCACHE_BASEDIR": str(folder),
                       "CCACHE_NOHASHDIR": "1"}


class Build:
    """A source tree that is mutated, and a target that is built from it."""

    def __init__(self, source: Path, folder: Path, target: str, jobs: str):
        self.source, self.folder, self.target, self.jobs = source, folder, target, jobs

    def configure(self, cmake_source: Path, *definitions: str) -> None:
        subprocess.run(["cmake", "-G", "Ninja", "-S", cmake_source, "-B", self.folder, *(f"-D{d}" for d in definitions)], check=True,
                       stdout=subprocess.DEVNULL)

    def build(self) -> bool:
        result = subprocess.run(["cmake", "--build", self.folder, "--target", self.target, "-j", self.jobs], capture_output=True, text=True)
        self.folder.joinpath("build.log").write_text(result.stdout + result.stderr)
        return result.returncode == 0


class Differential:
    """The test, with what it compares."""

    def __init__(self, program: Path, today: Path, with_rules: Path, cases: int, threads: int):
        self.command = [str(program), "--cases", str(cases), "--threads", str(threads)]
        self.environment = {**os.environ, "SLHC_CORE_ORACLE": str(today), "SLHC_CORE_RULES_ORACLE": str(with_rules)}

    def disagreement(self) -> str | None:
        """The difference between the two sides; None if they agree."""
        try:
            result = subprocess.run(self.command, env=self.environment, capture_output=True, text=True, errors="replace", timeout=3600)
        except subprocess.TimeoutExpired:
            return "does not end"
        if result.returncode == 0:
            return None
        for line in result.stdout.splitlines():
            if found := re.match(r"DISAGREEMENT \(--seed \d+ --round (\d+)\): (.*)", line):
                return f"round {found[1]}: {found[2][:150]}"
        last = (result.stderr + result.stdout).strip().splitlines()[-1:]
        return f"crash: {last[0][:150] if last else result.returncode}"


def attempt(mutation: dict, build: Build, test: Differential) -> tuple[str, str]:
    """'noticed', 'SURVIVED' or 'BROKEN', and why."""
    path = build.source / mutation["file"]
    original = path.read_text()
    try:
        path.write_text(original.replace(mutation["from"], mutation["to"]))
        if not build.build():
            return "BROKEN", f"does not compile, see {build.folder}/build.log"
        what = test.disagreement()
        return ("noticed", what) if what else ("SURVIVED", "")
    finally:
        path.write_text(original)
        os.utime(path)


def copy_sources(tree: Path, to: Path) -> None:
    """Make the sources of a tree of Core those of another, touching only what differs."""
    for path in (tree / "src").rglob("*"):
        there = to / path.relative_to(tree)
        if path.is_file() and (not there.is_file() or there.read_bytes() != path.read_bytes()):
            there.parent.mkdir(parents=True, exist_ok=True)
            there.write_bytes(path.read_bytes())


def core_problems(tree: Path, mutations: list[dict]) -> list[str]:
    """Reasons why mutations cannot be tried on these sources, one line each."""
    found = []
    for mutation in mutations:
        path = tree / mutation["file"]
        times = path.read_text().count(mutation["from"]) if path.is_file() else 0
        if times != 1:
            found.append(f"{mutation['rule']}: its text occurs {times} times in {mutation['file']}")
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--side", choices=("core", "module"), default="core", help="which side is broken")
    parser.add_argument("--rules", type=Path, help="a tree of Core with the rules (default: they are put into a copy of its sources)")
    parser.add_argument("--program", type=Path, help="differential_core of this checkout (--side core; default: it is built)")
    parser.add_argument("--work", type=Path, default=ROOT / "build/mutation-differential", help="folder to work in")
    parser.add_argument("--cases", type=int, default=100_000, help="of the differential test")
    parser.add_argument("--jobs", default=str(run.default_jobs()), help="compilers and test threads at a time")
    parser.add_argument("--only", default="", help="only rules that contain this text")
    parser.add_argument("--check", action="store_true", help="only see that every mutation of Core's side applies: no build, no test")
    options = parser.parse_args()

    core_mutations = tomllib.loads(CORE_MUTATIONS.read_text())["mutation"]
    if options.check and options.rules:
        found = core_problems(options.rules, core_mutations)
        print("\n".join(found) if found else f"{len(core_mutations)} mutations apply")
        return 2 if found else 0

    fetched = subprocess.run([ROOT / "contrib/core-differential/fetch_core.sh"], capture_output=True, text=True)
    core = fetched.stdout.strip()
    if not core:
        print(f"skipped: {fetched.stderr.strip()}")
        return 77
    work = options.work
    copy = run.Copy(work, options.jobs)  # before anything is written there
    rules = work / "core-with-rules"
    if options.rules:
        copy_sources(options.rules, rules)
    else:
        subprocess.run([sys.executable, "-B", ROOT / "contrib/bitcoin-core/integrate.py", core, "--to", rules, "--force"], check=True)
    found = core_problems(rules, core_mutations) + list(run.problems(run.load()))
    if found:
        print("\n".join(found))
        return 2
    if options.check:
        print(f"{len(core_mutations)} mutations apply")
        return 0

    # Both sides as they are, in a copy of the checkout.
    copy.update()
    compiler_cache(work)
    oracles = Build(rules, work / "oracle", "all", options.jobs)
    oracles.configure(copy.source / "src/test/core/oracle", f"CORE_SOURCE_DIR={core}", f"CORE_RULES_SOURCE_DIR={rules}",
                      f"SLHC_SOURCE_DIR={copy.source}/src", "CMAKE_BUILD_TYPE=None", "CORE_OPTIMIZATION=-O0")
    module = Build(copy.source, work / "module", "differential_core", options.jobs)
    program = module.folder / "src/test/core/differential_core"
    builds = [oracles]
    if options.side == "core" and options.program:
        program = options.program.resolve()
    else:
        builds.append(module)
        module.configure(copy.source, f"SLHC_CORE_SOURCE_DIR={core}", "SLHC_BUILD_CORE_ORACLE=OFF", "SLHC_BUILD_TOOL=OFF",
                         "CMAKE_BUILD_TYPE=Release", "CMAKE_CXX_FLAGS_RELEASE=-O2")
    for build in builds:
        if not build.build():
            print(f"the unchanged sources do not build, see {build.folder}/build.log")
            return 2
    test = Differential(program, oracles.folder / "libcore_oracle.so", oracles.folder / "libcore_rules_oracle.so", options.cases,
                        int(options.jobs))
    if what := test.disagreement():
        print(f"the unchanged sources disagree: {what}")
        return 2

    if options.side == "core":
        build, mutations = oracles, core_mutations
        build.target = "core_rules_oracle"
    else:
        build, mutations = module, [m for m in run.load() if m["file"].startswith(MODULE_FILES)]
    chosen = [m for m in mutations if options.only in m["rule"]]
    for mutation in chosen:
        if "no_spend" in mutation:
            print(f"no spend {mutation['rule']}: {mutation['no_spend']}", flush=True)
    return run.try_all((m for m in chosen if "no_spend" not in m), lambda mutation: attempt(mutation, build, test))


if __name__ == "__main__":
    sys.exit(main())
