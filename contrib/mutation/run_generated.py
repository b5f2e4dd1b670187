#!/usr/bin/env python3
# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Make every standard mutation of the rules' and the verifier's sources, and see which of them no unit test notices.

One program is built that has all mutants in it, or all of the files named with --only (schemata.py); SLHC_MUTANT chooses one. A first run of each
suite records which mutants it reaches, then each mutant is shown to the suites that reach it, the likeliest to notice it first, until one fails.
Results are kept as they come: a run that was interrupted goes on where it stopped. equivalent.toml names the mutants that change nothing that
anybody could see, and why.

  contrib/mutation/run_generated.sh --sample 500 --seed 1       a sample
  contrib/mutation/run_generated.sh                             all of them: a night
  contrib/mutation/run_generated.sh --only src/script/eval      what is in these files

Exit status 0 if every mutant that was tried is noticed or listed, 1 if others survive or aren't reached, 2 if nothing could be tried, 130 if it
was interrupted.
"""

import argparse
import ctypes
import hashlib
import json
import os
import random
import re
import resource
import subprocess
import sys
import threading
import time
import tomllib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import run

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
EQUIVALENT = HERE / "equivalent.toml"
FOLDERS = ["src/primitives", "src/script", "src/consensus", "src/pqc/slhdsa", "src/pqc/device", "src/pqc/vulkan",
           "src/pqc/verifier.cpp", "src/pqc/verifier.h", "src/pqc/batch.cpp", "src/pqc/batch.h", "src/pqc/judge.cpp", "src/pqc/judge.h",
           "src/pqc/check.h", "src/pqc/backends.cpp", "src/pqc/backend.h", "src/pqc/backends.h", "src/pqc/top_tree_cache.cpp",
           "src/pqc/top_tree_cache.h", "src/wallet", "src/capi", "src/util/abandonable_thread.cpp",
           "src/util/abandonable_thread.h"]
# Those that take seconds.
SUITES = [*run.SUITES, "backend_tests", "batch_ahead_tests", "bech32_tests", "bip360_vectors_tests", "bip_vectors_tests",
          "block_check_tests", "cache_file_tests", "capi_block_tests", "capi_descriptor_tests", "capi_psbt_tests", "capi_spend_tests",
          "capi_tests", "capi_verify_tests", "checker_tests", "core_blocks_tests", "cpu_engine_tests", "descriptor_checksum_tests",
          "descriptor_inference_tests", "descriptor_tests", "dispatcher_tests", "engine_tests", "leaf_recipe_tests", "merkle_tests",
          "owner_process_tests", "psbt_estimate_tests", "psbt_hostile_tests", "psbt_tests", "pubkey_tests", "random_tests",
          "root_computer_tests", "several_devices_tests", "sig_encoding_tests", "sigcache_tests", "sighash_tests", "signing_fault_tests",
          "signing_secrets_tests", "slhdsa_acvp_tests", "slhdsa_differential_tests", "slhdsa_tests", "system_faults_tests", "tap_tree_tests",
          "threadpool_tests", "tx_check_tests", "util_tests", "vulkan_choice_tests", "vulkan_driver_tests", "vulkan_fault_tests",
          "vulkan_loader_tests", "vulkan_several_tests", "vulkan_tests"]
OUTCOMES = ("killed", "timed out", "SURVIVED", "NOT REACHED", "equivalent")


# --- what is listed

def listed(path: Path = EQUIVALENT) -> list[dict]:
    """The equivalent mutants: file, function, original, replacement, reason, and which of several (occurrence, 1 if there is one)."""
    return tomllib.loads(path.read_text()).get("equivalent", [])


def missing_sources(suites: Iterable[str] = SUITES, root: Path = ROOT) -> Iterator[str]:
    """Files that the suites use by their headers, and that CMakeLists.txt does not build with them."""
    built = {line.strip() for line in (HERE / "CMakeLists.txt").read_text().splitlines()}
    waiting, seen = [f"src/test/{suite}.cpp" for suite in suites], set()
    while waiting:
        file = waiting.pop()
        for header in re.findall(r"^#include <(test/[\w/]+)\.h>$", (root / file).read_text(), re.MULTILINE):
            for name in (f"src/{header}.h", f"src/{header}.cpp"):
                if name not in seen and (root / name).is_file():
                    seen.add(name)
                    waiting.append(name)
                    if name.endswith(".cpp") and name.replace("src/test/", "${tests}/") not in built:
                        yield f"contrib/mutation/CMakeLists.txt lacks {name}, which {file} uses"


def key_of(entry: dict) -> str:
    return json.dumps([entry["file"], entry["function"], entry["original"], entry["replacement"], entry.get("occurrence", 1)])


def definitions(text: str, name: str) -> Iterator[str]:
    """What may define a function or a class of that name, each in one line. Seen from braces alone, so it may be more, such as a call."""
    lines = text.splitlines()
    named = re.compile(rf"(?<![\w.>]){re.escape(name)}\(|\b(struct|class) {re.escape(name)}\b")
    end = -1
    for begin, line in enumerate(lines):
        # A constructor in its class has been part of it.
        if begin <= end or not named.search(line) or re.match(r" *(if|while|for|return|throw|else|//|/?\*)", line):
            continue
        depth = 0
        for end, line in enumerate(lines[begin:], begin):
            depth += line.count("{") - line.count("}")
            follows = lines[end + 1].strip() if end + 1 < len(lines) else ""
            if depth <= 0 and line.endswith((";", "}")) and not follows.startswith(("{", ",", ":")):
                break
        yield " ".join(" ".join(lines[begin:end + 1]).split())


def list_problems(entries: Iterable[dict], root: Path = ROOT) -> Iterator[str]:
    """What is wrong with the list, a line for each: seen from the files' text alone, so that this needs no clang."""
    seen = set()
    for entry in entries:
        where = f"{entry['file']}, {entry['function']}: '{entry['original']}'"
        if key_of(entry) in seen:
            yield f"{where} is listed twice"
        seen.add(key_of(entry))
        if not entry.get("reason", "").strip():
            yield f"{where} has no reason"
        path = root / entry["file"]
        if not path.is_file():
            yield f"there is no {entry['file']}"
            continue
        functions = list(definitions(path.read_text(), entry["function"].split("::")[-1]))
        places = sum(text.count(entry["original"]) for text in functions)
        if not functions:
            yield f"{where}: the file has no such function"
        elif places < entry.get("occurrence", 1):
            yield f"{where}: the function has that text {places} times"


# --- the program

LOOK = 0.25  # seconds between looks at a process
STARTING = 0.02  # seconds of the processor that the start of a program takes
LIBC = ctypes.CDLL(None)
PR_SET_PDEATHSIG = 1  # of linux/prctl.h


def runs(number: int) -> bool:
    """Whether a thread of a process, or of those that it started, runs, or would if a processor were free."""
    for task in Path(f"/proc/{number}/task").glob("*"):
        try:
            if (task / "stat").read_text().rpartition(")")[2].split()[0] in ("R", "D"):
                return True
            if any(runs(int(child)) for child in (task / "children").read_text().split()):
                return True
        except OSError:
            continue  # it has ended
    return False


class Program:
    """A program of suites that obeys --list_content and --run_test=, as Boost.Test's do. patience: seconds that it may spend on waiting for
    anything but a processor. cases: those of its cases that need a process and an environment of their own, as suite/case; they stand for
    the suites that they are in."""

    def __init__(self, path: Path, environment: dict[str, str] | None = None, patience: float = 20,
                 cases: dict[str, dict[str, str]] | None = None):
        self.path, self.patience, self.cases = path, patience, cases or {}
        self.environment = {**os.environ, **(environment or {})}

    def suites(self) -> list[str]:
        result = subprocess.run([self.path, "--list_content"], capture_output=True, text=True, check=True, env=self.environment)
        names = [name[0] for line in (result.stdout + result.stderr).splitlines() if (name := re.match(r"\w+", line))]
        own = {name: [case for case in self.cases if case.startswith(f"{name}/")] for name in names}
        return [suite for name in names for suite in own[name] or [name]]

    def run(self, suite: str, cpu: float, variables: dict[str, str], memory: int = 16 << 30) -> tuple[str, float]:
        """'passed', 'skipped' if any of it was, 'failed' or 'timed out', and the seconds of the processor that it took. The first message of
        a failure ends it."""
        def limit() -> None:
            LIBC.prctl(PR_SET_PDEATHSIG, 9)  # a driver that is killed leaves nothing behind
            os.setpgid(0, 0)
            resource.setrlimit(resource.RLIMIT_CPU, (int(cpu) + 1, int(cpu) + 2))
            resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

        process = subprocess.Popen([self.path, f"--run_test={suite}", "--color_output=no", "--log_level=test_suite",
                                    "--catch_system_errors=no"],
                                   env={**self.environment, **self.cases.get(suite, {}), **variables}, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", preexec_fn=limit)
        ended = threading.Event()
        stuck = threading.Event()

        def end() -> None:
            try:
                os.killpg(process.pid, 9)
            except ProcessLookupError:
                pass

        def watch() -> None:
            # Waiting takes no time of a processor. What would run if only there were a processor for it does not wait: how busy the
            # machine is must not matter.
            waited = 0.0
            while not ended.wait(LOOK):
                waited += 0.0 if runs(process.pid) else LOOK
                if waited >= self.patience:
                    stuck.set()
                    return end()

        watcher = threading.Thread(target=watch)
        watcher.start()
        failed = skipped = False
        try:
            assert process.stdout
            for line in process.stdout:
                skipped |= " is skipped because " in line and "because disabled" not in line  # as all other suites are
                if "error: in " in line:
                    failed = True
                    break
            if failed:
                end()
            process.stdout.close()
            os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        finally:
            ended.set()
            watcher.join()  # before another process may have the number
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        seconds = usage.ru_utime + usage.ru_stime
        if failed:
            return "failed", seconds
        if stuck.is_set() or process.returncode == -24 or seconds > cpu:  # SIGXCPU
            return "timed out", seconds
        if process.returncode != 0:
            return "failed", seconds
        return ("skipped" if skipped else "passed"), seconds


class Trial:
    """A program with mutants in it, what its suites reach, and what became of each mutant. folder: where results are kept."""

    def __init__(self, program: Program, n_mutants: int, folder: Path, slowest: float, say: Callable[[str], None] = print):
        self.program, self.n_mutants, self.folder, self.slowest, self.say = program, n_mutants, folder, slowest, say
        self.seconds: dict[str, float] = {}
        self.reached: dict[str, set[int]] = {}
        self.partial: set[str] = set()  # suites of which this machine skips a part
        self.shown: Counter = Counter()  # mutants of a file, by file and suite
        self.noticed: Counter = Counter()

    def record(self) -> None:
        """Run each suite once as it is, and record what it reaches. One that fails, or takes longer than the slowest allowed, is left out."""
        stamp = hashlib.sha256(self.program.path.read_bytes()).hexdigest()
        path = self.folder / "reached.json"
        known = json.loads(path.read_text()) if path.is_file() else {}
        if known.get("program") != stamp:
            known = {"program": stamp, "suites": {}}
        for suite in self.program.suites():
            suite_known = known["suites"].get(suite)
            if suite_known is None or (suite_known["outcome"] == "timed out" and suite_known["seconds"] < self.slowest):
                marks = self.folder / "reached"
                marks.write_bytes(bytes(self.n_mutants + 1))
                outcome, seconds = self.program.run(suite, self.slowest, {"SLHC_MUTANTS_REACHED": str(marks)})
                numbers = [i for i, mark in enumerate(marks.read_bytes()) if mark]
                suite_known = known["suites"][suite] = {"outcome": outcome, "seconds": seconds, "reached": numbers}
                path.write_text(json.dumps(known))
            if suite_known["outcome"] == "timed out" or suite_known["seconds"] > self.slowest:
                self.say(f"left out: {suite} takes too long")
            elif suite_known["outcome"] == "failed":
                self.say(f"left out: {suite} fails as it is")
            else:
                self.seconds[suite] = suite_known["seconds"]
                self.reached[suite] = set(suite_known["reached"])
                if suite_known["outcome"] == "skipped":
                    self.partial.add(suite)
        self.say(f"{len(self.seconds)} suites, {sum(self.seconds.values()):.0f} s together, reach "
                 f"{len(set().union(*self.reached.values()))} of {self.n_mutants} mutants")

    def suites_for(self, number: int, file: str) -> list[str]:
        """The suites that reach a mutant of a file. A suite that often noticed the file's other mutants comes early, a slow one late."""
        def price(suite: str) -> float:
            return (STARTING + self.seconds[suite]) * (self.shown[file, suite] + 1) / (self.noticed[file, suite] + 0.5)

        return sorted((s for s in self.seconds if number in self.reached[s]), key=price)

    def attempt(self, number: int, file: str) -> dict:
        """What becomes of a mutant of a file: outcome, the suite that noticed it, and the seconds of the processor that it took."""
        spent = 0.0
        suites = self.suites_for(number, file)
        for suite in suites:
            outcome, seconds = self.program.run(suite, 2 + 5 * self.seconds[suite], {"SLHC_MUTANT": str(number)})
            spent += seconds
            self.shown[file, suite] += 1
            if outcome == "passed" or (outcome == "skipped" and suite in self.partial):
                continue
            self.noticed[file, suite] += 1
            return {"outcome": "timed out" if outcome == "timed out" else "killed", "suite": suite, "seconds": spent}
        return {"outcome": "SURVIVED" if suites else "NOT REACHED", "suite": "", "seconds": spent}


class Results:
    """What became of mutants, by their keys, a line each in a file. A file that was changed makes its mutants' results void."""

    def __init__(self, path: Path):
        self.path = path
        self.known: dict[str, dict] = {}
        self.lock = threading.Lock()
        if path.is_file():
            for line in path.read_text().splitlines():
                try:
                    entry = json.loads(line)
                except ValueError:
                    continue  # cut off in the middle
                self.known[entry["key"]] = entry

    def get(self, key: str, stamp: str) -> dict | None:
        entry = self.known.get(key)
        return entry if entry and entry["stamp"] == stamp else None

    def put(self, key: str, stamp: str, result: dict) -> None:
        entry = {"key": key, "stamp": stamp, **result}
        with self.lock:
            self.known[key] = entry
            with self.path.open("a") as file:
                file.write(json.dumps(entry) + "\n")


def try_all(trial: Trial, chosen: list, results: Results, stamps: dict[str, str], jobs: int) -> None:
    """Try those mutants that have no result yet; say how far it is and how long it takes."""
    open_ones = [m for m in chosen if results.get(m.key, stamps[m.file]) is None]
    start = last = time.monotonic()
    counts: Counter = Counter()
    trial.say(f"{len(chosen)} mutants chosen, {len(chosen) - len(open_ones)} of them tried before")

    def one(mutant) -> str:
        result = trial.attempt(mutant.id, mutant.file)
        results.put(mutant.key, stamps[mutant.file], result)
        return result["outcome"]

    with ThreadPoolExecutor(jobs) as pool:
        try:
            for done, outcome in enumerate(pool.map(one, open_ones), 1):
                counts[outcome] += 1
                now = time.monotonic()
                if now - last > 15 or done == len(open_ones):
                    left = (now - start) / done * (len(open_ones) - done)
                    trial.say(f"{done} of {len(open_ones)}: " + ", ".join(f"{counts[o]} {o.lower()}" for o in OUTCOMES if counts[o]) +
                              f"; {left / 60:.0f} min left")
                    last = now
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


# --- the report

def folder_of(file: str) -> str:
    return str(Path(file).parent)


def table(title: str, rows: dict[str, Counter]) -> list[str]:
    lines = [f"| {title} | mutants | killed | timed out | equivalent | survived | not reached |", "|---|---|---|---|---|---|---|"]
    total: Counter = Counter()
    for name in sorted(rows):
        total += rows[name]
    for name, counts in [*sorted(rows.items()), ("all", total)]:
        lines.append(f"| {name} | {sum(counts.values())} | {counts['killed']} | {counts['timed out']} | {counts['equivalent']} | "
                     f"{counts['SURVIVED']} | {counts['NOT REACHED']} |")
    return lines


def difference(mutant, text: str) -> list[str]:
    """The lines of a mutant, before and after."""
    begin = text.rfind("\n", 0, mutant.start) + 1
    end = text.find("\n", mutant.end)
    before = text[begin:end]
    after = text[begin:mutant.start] + mutant.replacement + text[mutant.end:end]
    return [*(f"-{line}" for line in before.split("\n")), *(f"+{line}" for line in after.split("\n") if line.strip())]


def report(tried: list[tuple], left_out: Counter, n_all: int, root: Path) -> str:
    """tried: mutants, each with its result. Markdown."""
    by_folder: dict[str, Counter] = defaultdict(Counter)
    by_operator: dict[str, Counter] = defaultdict(Counter)
    for mutant, result in tried:
        by_folder[folder_of(mutant.file)][result["outcome"]] += 1
        by_operator[mutant.operator][result["outcome"]] += 1
    lines = ["# Generated mutants", "", f"{len(tried)} of {n_all} mutants tried."]
    if left_out:
        lines += ["", "Left out, because they do not compile: " + ", ".join(f"{n} {reason}" for reason, n in left_out.most_common()) + "."]
    lines += ["", *table("folder", by_folder), "", *table("operator", by_operator)]
    for outcome in ("SURVIVED", "NOT REACHED"):
        those = [m for m, result in tried if result["outcome"] == outcome]
        if those:
            lines += ["", f"## {outcome.capitalize()}"]
        for mutant in those:
            text = (root / mutant.file).read_bytes().decode("latin-1")
            where = f"{mutant.file}:{mutant.line} in {mutant.function}: {mutant.operator}, number {mutant.id}, occurrence {mutant.occurrence}"
            lines += ["", where, "```diff", *difference(mutant, text), "```"]
    return "\n".join(lines) + "\n"


# --- this project

def loader_cases(build_dir: Path) -> dict[str, dict[str, str]]:
    """The cases of vulkan_loader_tests, and what ctest has each find in place of Vulkan's loader (src/test/CMakeLists.txt)."""
    cases = re.findall(r'BOOST_AUTO_TEST_CASE\((\w+), \*FindsLoader\("(\w+)"\)', (ROOT / "src/test/vulkan_loader_tests.cpp").read_text())
    folders = {"fake": build_dir / "fake_loader", "none": build_dir / "fake_loader/none"}
    return {f"vulkan_loader_tests/{case}": {"SLHC_TEST_LOADER": loader, "LD_LIBRARY_PATH": str(folders[loader])} for case, loader in cases}


def in_files(mutants: list, only: Sequence[str]) -> list:
    """Those in files whose name begins as asked; all of them if nothing is asked for."""
    return [m for m in mutants if not only or m.file.startswith(tuple(only))]


class Tree:
    """The copy of the checkout that has the mutants in it, and its build."""

    def __init__(self, work: Path, suites: list[str], jobs: int):
        self.work, self.suites, self.jobs = work, suites, jobs
        self.source, self.build_dir = work / "source", work / "build"

    def update(self) -> None:
        """Bring it up to date with the checkout, except for what is mutated: that is written with its mutants."""
        for name in run.checked_out():
            here, there = ROOT / name, self.source / name
            mutated = there.is_file() and name.endswith((".h", ".cpp")) and any(name == f or name.startswith(f + "/") for f in FOLDERS)
            if here.is_file() and not mutated:
                self.copy_if_changed(name)

    def copy_if_changed(self, name: str) -> None:
        here, there = ROOT / name, self.source / name
        if not there.is_file() or there.read_bytes() != here.read_bytes():
            there.parent.mkdir(parents=True, exist_ok=True)
            there.write_bytes(here.read_bytes())
            there.chmod(here.stat().st_mode)

    def configure(self) -> None:
        from schemata import HEADER
        core = subprocess.run([ROOT / "contrib/core-differential/fetch_core.sh"], capture_output=True, text=True).stdout.strip()
        if not core:
            print("without Bitcoin Core's test vectors")
        if run.shutil.which("ccache"):
            os.environ |= {"CMAKE_C_COMPILER_LAUNCHER": "ccache", "CMAKE_CXX_COMPILER_LAUNCHER": "ccache",
                           "CCACHE_BASEDIR": str(self.work), "CCACHE_NOHASHDIR": "1"}
        # clang, which keeps what follows a return that may be removed.
        subprocess.run(["cmake", "-G", "Ninja", "-S", HERE, "-B", self.build_dir, f"-DSOURCE={self.source}", f"-DSUITES={';'.join(self.suites)}",
                        f"-DSLHC_CORE_SOURCE_DIR={core}", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON", "-DCMAKE_C_COMPILER=clang",
                        "-DCMAKE_CXX_COMPILER=clang++", "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_CXX_FLAGS_RELEASE=-O1",
                        f"-DCMAKE_CXX_FLAGS=-w -Wno-c++11-narrowing -fno-strict-return -include {HEADER}"],
                       check=True, stdout=subprocess.DEVNULL)
        # Files that the build makes, for clang to read
        listed_targets = subprocess.run(["ninja", "-C", self.build_dir, "-t", "targets", "all"], check=True, capture_output=True, text=True)
        shaders = [line.split(":")[0] for line in listed_targets.stdout.splitlines() if line.split(":")[0].endswith("_spv.h")]
        if shaders:
            subprocess.run(["ninja", "-C", self.build_dir, *shaders], check=True, stdout=subprocess.DEVNULL)

    def mutated_files(self) -> list[tuple[Path, list[str], Path]]:
        from mutants import compile_commands
        found: dict[Path, tuple[Path, list[str], Path]] = {}
        for path, arguments, folder in compile_commands(self.build_dir):
            name = path.relative_to(self.source).as_posix() if path.is_relative_to(self.source) else ""
            if any(name == f or name.startswith(f + "/") for f in FOLDERS):
                found.setdefault(path, (path, arguments, folder))
        return list(found.values())

    def find(self) -> list:
        """All mutants of the checkout."""
        from mutants import Finder
        finder = Finder(ROOT, FOLDERS)
        # libclang from PyPI comes without the headers of a compiler.
        resources = subprocess.run(["clang++", "-print-resource-dir"], check=True, capture_output=True, text=True).stdout.strip()
        for path, arguments, _ in self.mutated_files():
            here = [a.replace(f"{self.source}/", f"{ROOT}/") for a in arguments if a != "-w"]
            finder.parse(ROOT / path.relative_to(self.source), [*here, "-w", "-resource-dir", resources])
        return finder.mutants()

    def make(self, say: Callable[[str], None], only: Sequence[str] = ()) -> tuple[list, dict[int, str]]:
        """The mutants, and those in the files asked for that do not compile, with the reason. The copy has the others of these files in it
        and is built."""
        from mutants import Mutant
        from schemata import HEADER, Schemata
        digest = hashlib.sha256()
        files = sorted(p for f in FOLDERS for p in ([ROOT / f] if (ROOT / f).is_file() else (ROOT / f).rglob("*")) if p.suffix in (".h", ".cpp"))
        for path in [*files, HEADER, HERE / "mutants.py", HERE / "schemata.py"]:
            digest.update(path.name.encode() + path.read_bytes())
        state = self.work / "mutants.json"
        known = json.loads(state.read_text()) if state.is_file() else {}
        if known.get("stamp") == digest.hexdigest():
            mutants = [Mutant(**m) for m in known["mutants"]]
        else:
            known = {}
            say("reading the sources")
            mutants = self.find()
            say(f"{len(mutants)} mutants")
        settled = known.get("only") == sorted(only)
        schemata = Schemata(ROOT, self.source, in_files(mutants, only), self.mutated_files(), "clang++", self.jobs)
        schemata.dropped = {int(k): v for k, v in known["dropped"].items()} if settled else {}
        for path in files:
            if (name := path.relative_to(ROOT).as_posix()) not in schemata.sources:
                self.copy_if_changed(name)  # it has no mutants, and may have had some
        if settled:
            schemata.write()
        else:
            schemata.settle(say)
        log = self.work / "build.log"
        while True:
            state.write_text(json.dumps({"stamp": digest.hexdigest(), "only": sorted(only), "mutants": [vars(m) for m in mutants],
                                         "dropped": schemata.dropped}))
            say("building")
            result = subprocess.run(["ninja", "-C", self.build_dir, "-k", "0", f"-j{self.jobs}", "mutation_tests"],
                                    capture_output=True, text=True)
            log.write_text(result.stdout + result.stderr)
            if result.returncode == 0:
                return mutants, schemata.dropped
            # What only other files' templates and macros show
            if schemata.drop_refused(result.stdout, self.build_dir) == 0:
                raise RuntimeError(f"the copy does not build, see {log}")
            schemata.write()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, default=ROOT / "build/mutation-generated", help="folder to work in")
    parser.add_argument("--suites", nargs="+", default=SUITES, help="suites to show them to")
    parser.add_argument("--jobs", type=int, default=run.default_jobs(), help="compilers, and mutants, at a time")
    parser.add_argument("--only", action="append", default=[], help="only files whose name begins so; may be given again")
    parser.add_argument("--operator", action="append", default=[], help="only this operator; may be given again")
    parser.add_argument("--sample", type=int, help="only so many, chosen by chance")
    parser.add_argument("--seed", type=int, default=1, help="of that chance")
    parser.add_argument("--slowest", type=float, default=30, help="seconds that a suite may take to be used at all")
    parser.add_argument("--again", action="store_true", help="try once more what survived or was not reached")
    parser.add_argument("--check", action="store_true", help="only see that equivalent.toml and CMakeLists.txt fit the sources: no build, no tests")
    options = parser.parse_args()
    if unknown := [suite for suite in options.suites if not (ROOT / f"src/test/{suite}.cpp").is_file()]:
        parser.error(f"no such suite: {', '.join(unknown)}")

    entries = listed()
    if found := [*list_problems(entries), *missing_sources()]:
        print("\n".join(found))
        return 2
    if options.check:
        print(f"{len(entries)} equivalent mutants are listed")
        return 0

    def say(line: str) -> None:
        print(line, flush=True)

    options.work = options.work.resolve()
    lock = run.alone_in(options.work)  # noqa: F841, held to the end
    tree = Tree(options.work, options.suites, options.jobs)
    tree.update()
    tree.configure()
    try:
        mutants, dropped = tree.make(say, options.only)
    except RuntimeError as error:
        say(str(error))
        return 2
    keys = {m.key for m in mutants}
    if gone := [entry for entry in entries if key_of(entry) not in keys]:
        for entry in gone:
            say(f"equivalent.toml: no such mutant: {key_of(entry)}")
        return 2
    equivalent = {key_of(entry) for entry in entries}

    vectors = ROOT.parent / "shared/vectors/bip360"
    program = Program(tree.build_dir / "mutation_tests", {"SLHC_BIP360_VECTORS": str(vectors)} if vectors.is_dir() else {},
                      cases=loader_cases(tree.build_dir))
    trial = Trial(program, len(mutants), options.work, options.slowest, say)
    trial.record()

    kept = [m for m in mutants if m.id not in dropped]
    chosen = [m for m in in_files(kept, options.only) if not options.operator or m.operator in options.operator]
    if options.sample and options.sample < len(chosen):
        chosen = sorted(random.Random(options.seed).sample(chosen, options.sample), key=lambda m: m.id)
    stamps = {name: hashlib.sha256((ROOT / name).read_bytes()).hexdigest()[:16] for name in {m.file for m in mutants}}
    results = Results(options.work / "results.jsonl")
    if options.again:
        results.known = {k: e for k, e in results.known.items() if e["outcome"] in ("killed", "timed out")}
    interrupted = False
    try:
        try_all(trial, [m for m in chosen if m.key not in equivalent], results, stamps, options.jobs)
    except KeyboardInterrupt:
        say("interrupted; the same command goes on from here")
        interrupted = True

    tried = []
    for mutant in chosen:
        result = {"outcome": "equivalent"} if mutant.key in equivalent else results.get(mutant.key, stamps[mutant.file])
        if result:
            tried.append((mutant, result))
    text = report(tried, Counter(dropped.values()), len(in_files(kept, options.only)), ROOT)
    (options.work / "report.md").write_text(text)
    say(text.split("\n## ")[0])
    unnoticed = sum(1 for _, result in tried if result["outcome"] in ("SURVIVED", "NOT REACHED"))
    say(f"{unnoticed} not noticed, see {options.work}/report.md")
    if interrupted:
        return 130
    return 1 if unnoticed else 0 if tried else 2


if __name__ == "__main__":
    sys.exit(main())
