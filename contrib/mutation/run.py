#!/usr/bin/env python3
# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Break each rule in mutations.toml, one at a time, and see that a test fails.

Works on a copy of the checkout, in a folder of its own that is kept between runs. Exit status 0 if every mutation
is noticed, 1 if one survives, 2 if none was chosen, one doesn't compile or, before anything is built, one doesn't apply or
another run is at work in the folder, or this is no git checkout.
"""

import argparse
import fcntl
import os
import shutil
import subprocess
import sys
import time
import tomllib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TextIO

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / "contrib/python"))
from jobs import default_jobs  # noqa: E402

# The quick ones first: the first failure ends a mutation.
SUITES = ["script_tests", "p2mr_tests", "slhdsa_opcode_tests", "sighash_tests", "sigcache_tests", "core_vectors_tests", "primitives_tests",
          "script_check_tests", "bip_vectors_tests", "batch_tests", "block_scripts_tests", "device_backend_tests", "device_process_tests"]


def load() -> list[dict]:
    """The mutations: each a rule, a file, and the text in it that is replaced."""
    return tomllib.loads((HERE / "mutations.toml").read_text())["mutation"]


def problems(mutations: list[dict]) -> Iterator[str]:
    """Reasons why mutations cannot be tried on this checkout, one line each."""
    seen = set()
    for mutation in mutations:
        rule, path = mutation["rule"], ROOT / mutation["file"]
        if rule in seen:
            yield f"{rule}: another mutation has the same name"
        seen.add(rule)
        if not path.is_file():
            yield f"{rule}: there is no {mutation['file']}"
        elif (times := path.read_text().count(mutation["from"])) != 1:
            yield f"{rule}: its text occurs {times} times in {mutation['file']}"
        elif mutation["from"] == mutation["to"]:
            yield f"{rule}: changes nothing"


def alone_in(work: Path) -> TextIO:
    """Make a folder to work in, and keep other runs out of it until the file that is returned is closed.

    Raises:
        SystemExit: if there is another run in it.
    """
    work.mkdir(parents=True, exist_ok=True)
    lock = open(work / "lock", "w")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        lock.close()
        print(f"another run is at work in {work} (--work names another folder)", file=sys.stderr)
        raise SystemExit(2) from None
    return lock


def checked_out() -> list[str]:
    """The files of the checkout.

    Raises:
        SystemExit: if git cannot say.
    """
    result = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True)
    names = result.stdout.splitlines()
    if result.returncode != 0 or not names:
        why = (result.stderr.splitlines() or ["git knows no file of it"])[0]
        print(f"this needs a git checkout: {why}", file=sys.stderr)
        raise SystemExit(2)
    return names


class Copy:
    """The copy of the checkout, and its build."""

    def __init__(self, work: Path, jobs: str):
        self.lock = alone_in(work)  # what another run brings up to date may be what is mutated here
        self.work, self.jobs = work, jobs
        self.limits: dict[str, float] = {}  # seconds for each suite
        self.source = work / "source"
        self.build_dir = self.source / "build/dev"  # as in a checkout, so that a compiler cache knows the objects

    def update(self) -> None:
        """Bring it up to date with the checkout, touching only what differs."""
        for name in checked_out():
            here, there = ROOT / name, self.source / name
            if here.is_file() and (not there.is_file() or there.read_bytes() != here.read_bytes()):
                there.parent.mkdir(parents=True, exist_ok=True)
                there.write_bytes(here.read_bytes())  # with the time of now, which the build goes by
                shutil.copymode(here, there)

    def configure(self) -> None:
        core = subprocess.run([ROOT / "contrib/core-differential/fetch_core.sh"], capture_output=True, text=True).stdout.strip()
        if not core:
            print("without Bitcoin Core's test vectors")
        if shutil.which("ccache"):
            os.environ |= {"CMAKE_C_COMPILER_LAUNCHER": "ccache", "CMAKE_CXX_COMPILER_LAUNCHER": "ccache",
                           "CCACHE_BASEDIR": str(self.source), "CCACHE_NOHASHDIR": "1"}
        subprocess.run(["cmake", "-G", "Ninja", "-S", HERE, "-B", self.build_dir, f"-DSOURCE={self.source}", f"-DSUITES={';'.join(SUITES)}",
                        f"-DSLHC_CORE_SOURCE_DIR={core}",
                        "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_CXX_FLAGS_RELEASE=-O2"],
                       check=True, stdout=subprocess.DEVNULL)

    def build(self) -> bool:
        result = subprocess.run(["cmake", "--build", self.build_dir, "--target", "mutation_tests", "-j", self.jobs],
                                capture_output=True, text=True)
        (self.work / "build.log").write_text(result.stdout + result.stderr)
        return result.returncode == 0

    def first_failure(self) -> str | None:
        """The first suite that fails, with its first message; None if all pass."""
        for suite in SUITES:
            start = time.monotonic()
            try:
                result = subprocess.run([self.build_dir / "mutation_tests", f"--run_test={suite}", "--color_output=no"],
                                        capture_output=True, text=True, errors="replace", timeout=self.limits.get(suite, 600))
            except subprocess.TimeoutExpired:
                return f"{suite}: does not end"
            # A suite that takes far longer than on the unchanged checkout does not end.
            self.limits.setdefault(suite, 60 + 20 * (time.monotonic() - start))
            if result.returncode != 0:
                lines = [line for line in (result.stdout + result.stderr).splitlines() if "error" in line]
                return f"{suite}: {lines[0].strip()[-150:] if lines else 'crash'}"
        return None

    def attempt(self, mutation: dict) -> tuple[str, str]:
        """'noticed', 'SURVIVED' or 'BROKEN', and why."""
        path = self.source / mutation["file"]
        original = path.read_text()
        try:
            path.write_text(original.replace(mutation["from"], mutation["to"]))
            if not self.build():
                return "BROKEN", "does not compile"
            failure = self.first_failure()
            return ("noticed", failure) if failure else ("SURVIVED", "")
        finally:
            path.write_text(original)
            os.utime(path)


def try_all(mutations: Iterable[dict], attempt: Callable[[dict], tuple[str, str]]) -> int:
    """Try each mutation, say what became of it, and count. Returns the exit status."""
    results = {"noticed": 0, "SURVIVED": 0, "BROKEN": 0}
    for mutation in mutations:
        outcome, why = attempt(mutation)
        results[outcome] += 1
        print(f"{outcome:8} {mutation['rule']}{': ' + why if why else ''}", flush=True)
    print(", ".join(f"{count} {outcome.lower()}" for outcome, count in results.items()))
    return 2 if results["BROKEN"] or not any(results.values()) else 1 if results["SURVIVED"] else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, default=ROOT / "build/mutation", help="folder to work in")
    parser.add_argument("--jobs", default=str(default_jobs()), help="compilers at a time")
    parser.add_argument("--only", default="", help="only rules that contain this text")
    parser.add_argument("--check", action="store_true", help="only see that every mutation applies: no build, no tests")
    options = parser.parse_args()

    mutations = load()
    if found := list(problems(mutations)):
        print("\n".join(found))
        return 2
    if options.check:
        print(f"{len(mutations)} mutations apply")
        return 0

    copy = Copy(options.work, options.jobs)
    copy.update()
    copy.configure()
    if not copy.build():
        print(f"the unchanged checkout does not build, see {options.work}/build.log")
        return 2
    if failure := copy.first_failure():
        print(f"the unchanged checkout fails: {failure}")
        return 2

    return try_all((m for m in mutations if options.only in m["rule"]), copy.attempt)


if __name__ == "__main__":
    sys.exit(main())
