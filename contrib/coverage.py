#!/usr/bin/env python3
# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Lines and branches that tests execute, by folder: unit tests, scenarios (tests in Python through the tool and the C API) and the
fuzz targets' corpora, each alone and together.

  contrib/coverage.py                                   build, run everything, print the table, write HTML pages
  contrib/coverage.py --missing src/script src/consensus   also print what nothing executed there
  contrib/coverage.py --only unit --no-build            unit tests alone, with what is built

Works in build/coverage, which the preset `coverage` makes (clang and its llvm-cov), and builds there what the kinds need. Exit status: 0,
1 if a test failed, 2 if something could not be built, one of the tools failed or nothing was measured.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "contrib/python"))
from jobs import default_jobs  # noqa: E402
# What is measured, and the targets to build for it
KINDS = {"unit": ["test_slhconsensus", "cost_tests", "capi_c99"], "scenarios": ["all"], "fuzz": ["fuzz"]}
SCENARIOS = {"scenario_tests", "tool_functional_tests", "python_functional_tests"}
# What is measured is in src, but for these
NOT_MEASURED = {"test", "bench"}
SKIPPED = 77  # the exit status of a fuzz target that says what it lacks


def ignored() -> str:
    """A regular expression of files that llvm-cov leaves out. The checkout may itself be below such folders, or in /usr/src. With a compiler
    cache, paths go through the build folder."""
    return rf"^{re.escape(str(ROOT))}/(.*/)?src/({'|'.join(sorted(NOT_MEASURED))})/|^/usr/(include|lib|local/include)/"


def llvm(name: str) -> str:
    """A tool of the same LLVM as the compiler, whose files no other version reads."""
    version = subprocess.run(["clang++", "--version"], check=True, capture_output=True, text=True).stdout
    major = re.search(r"version (\d+)", version)
    found = (major and shutil.which(f"{name}-{major[1]}")) or shutil.which(name)
    if not found:
        sys.exit(f"coverage.py: there is no {name} (contrib/install-deps.sh)")
    return found


class Lines:
    """What is known of a file: how often each line and each branch was taken."""

    def __init__(self) -> None:
        self.lines: dict[int, int] = {}
        self.branches: dict[tuple, int] = {}


def measured_name(path: str) -> str:
    """A file's path in the tree; "" if it is not measured. With a compiler cache, paths go through the build folder."""
    path = Path(os.path.normpath(path))
    parts = path.relative_to(ROOT).parts if path.is_relative_to(ROOT) else ()
    return "/".join(parts) if parts[:1] == ("src",) and parts[1] not in NOT_MEASURED else ""


def read_lcov(text: str) -> dict[str, Lines]:
    files: dict[str, Lines] = defaultdict(Lines)
    current = Lines()
    for record in text.splitlines():
        kind, _, value = record.partition(":")
        if kind == "SF":
            name = measured_name(value)
            current = files[name] if name else Lines()
        elif kind == "DA":
            line, count = (int(n) for n in value.split(",")[:2])
            current.lines[line] = max(count, current.lines.get(line, 0))
        elif kind == "BRDA":
            line, block, branch, taken = value.split(",")
            key = (int(line), block, branch)
            current.branches[key] = max(0 if taken == "-" else int(taken), current.branches.get(key, 0))
    return dict(files)


def share(counts: list[int]) -> str:
    return f"{100 * sum(1 for n in counts if n) / len(counts):.1f} %" if counts else "-"


def table(measured: dict[str, dict[str, Lines]]) -> list[str]:
    """Markdown: a row a folder, lines and branches for each kind."""
    folders = sorted({str(Path(name).parent) for files in measured.values() for name in files})
    lines = ["| folder | lines | branches | " + " | ".join(f"{kind}: lines | branches" for kind in measured) + " |",
             "|---" * (3 + 2 * len(measured)) + "|"]
    for folder in [*folders, "all"]:
        cells = []
        totals = ("0", "0")
        for files in measured.values():
            chosen = [f for name, f in files.items() if folder in ("all", str(Path(name).parent))]
            line_counts = [n for f in chosen for n in f.lines.values()]
            branch_counts = [n for f in chosen for n in f.branches.values()]
            totals = max(totals, (str(len(line_counts)), str(len(branch_counts))), key=lambda pair: int(pair[0]))
            cells += [share(line_counts), share(branch_counts)]
        lines.append(f"| {folder} | {totals[0]} | {totals[1]} | " + " | ".join(cells) + " |")
    return lines


def missing(files: dict[str, Lines], folders: list[str]) -> list[str]:
    """Lines that nothing executed, and those with a branch that nothing took, with their text."""
    out = []
    for name in sorted(files):
        if not any(name.startswith(folder.rstrip("/") + "/") or name == folder for folder in folders):
            continue
        text = (ROOT / name).read_text().splitlines()
        branches: dict[int, list[int]] = defaultdict(list)
        for (line, _, _), count in files[name].branches.items():
            branches[line].append(count)
        for line, count in sorted(files[name].lines.items()):
            if count == 0 and text[line - 1].strip() != "}":
                out.append(f"{name}:{line}: not executed: {text[line - 1].strip()}")
            elif count and any(n == 0 for n in branches.get(line, [])):
                taken = sum(1 for n in branches[line] if n)
                out.append(f"{name}:{line}: {taken} of {len(branches[line])} branches: {text[line - 1].strip()}")
    return out


class Build:
    def __init__(self, folder: Path, jobs: str):
        self.folder, self.jobs = folder, jobs
        self.profiles = folder / "profiles"
        self.failed = False

    def make(self, kinds: list[str]) -> None:
        targets = [target for kind in kinds for target in KINDS[kind]]
        subprocess.run(["cmake", "--preset", "coverage", "-B", self.folder], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
        subprocess.run(["cmake", "--build", self.folder, "-j", self.jobs, "--target", *targets], check=True)

    def environment(self, kind: str) -> dict[str, str]:
        folder = self.profiles / kind
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        # One file a program, which its runs add to
        return {**os.environ, "LLVM_PROFILE_FILE": f"{folder}/%4m.profraw"}

    def tests(self, kind: str, slow: bool) -> None:
        listed = json.loads(subprocess.run(["ctest", "--test-dir", self.folder, "--show-only=json-v1"], check=True, capture_output=True,
                                           text=True).stdout)["tests"]
        if kind == "unit":
            names = [t["name"] for t in listed if t.get("command") and Path(t["command"][0]).name in KINDS[kind]]
        else:
            names = [t["name"] for t in listed if t["name"] in SCENARIOS]
        command = ["ctest", "--test-dir", self.folder, "-j", self.jobs, "--output-on-failure", "-R", f"^({'|'.join(map(re.escape, names))})$"]
        result = subprocess.run([*command, *([] if slow else ["-LE", "slow"])], env=self.environment(kind), capture_output=True, text=True, errors="replace")
        (self.folder / f"{kind}.log").write_text(result.stdout + result.stderr)
        self.note(kind, result.returncode)

    def note(self, what: str, status: int) -> None:
        if status != 0:
            self.failed = True
            print(f"{what}: failed, see {self.folder}/{what}.log", file=sys.stderr, flush=True)

    def fuzz(self, corpus: Path) -> None:
        programs = self.folder / "src/test/fuzz"
        environment = self.environment("fuzz")
        subprocess.run([Path(__file__).resolve().parent / "fuzz/corpus.sh", "make", self.folder, corpus], check=True)
        for program in sorted(programs.glob("fuzz_*")):
            inputs = corpus / program.name.removeprefix("fuzz_")
            if not program.is_file() or not os.access(program, os.X_OK) or not inputs.is_dir():
                continue
            # libFuzzer's own status after a crash is 77, too, which is a target's when it lacks what it needs.
            result = subprocess.run([program, "-runs=0", "-timeout=60", "-rss_limit_mb=4096", "-error_exitcode=1", "-timeout_exitcode=1", inputs],
                                    env=environment, capture_output=True, text=True, errors="replace")
            output = result.stdout + result.stderr
            (self.folder / f"{program.name}.log").write_text(output)
            reason = re.search(r"^.*\bskipped: (.*)$", output, re.MULTILINE)
            if result.returncode == SKIPPED and reason:
                print(f"{program.name}: skipped: {reason[1]}", file=sys.stderr, flush=True)
            else:
                self.note(program.name, result.returncode)

    def objects(self) -> list[str]:
        tests = self.folder / "src/test"
        found = [tests / "test_slhconsensus", tests / "cost_tests", self.folder / "src/tool/slhtool", self.folder / "src/libslhconsensus.so",
                 *sorted(p for p in (tests / "fuzz").glob("fuzz_*") if p.is_file() and os.access(p, os.X_OK))]
        found = [str(p) for p in found if p.exists()]
        return [found[0], *(argument for path in found[1:] for argument in ("-object", path))]

    def measured(self, kinds: list[str], name: str) -> dict[str, Lines]:
        merged = self.profiles / f"{name}.profdata"
        raw = [str(p) for kind in kinds for p in (self.profiles / kind).glob("*.profraw")]
        subprocess.run([llvm("llvm-profdata"), "merge", "-sparse", "-o", merged, *raw], check=True)
        result = subprocess.run([llvm("llvm-cov"), "export", "-format=lcov", f"-instr-profile={merged}", f"-ignore-filename-regex={ignored()}",
                                 *self.objects()], check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        (self.folder / f"{name}.lcov").write_text(result.stdout)
        return read_lcov(result.stdout)

    def pages(self, name: str) -> Path:
        folder = self.folder / "html"
        shutil.rmtree(folder, ignore_errors=True)
        subprocess.run([llvm("llvm-cov"), "show", "-format=html", "-show-branches=count", f"-output-dir={folder}",
                        f"-instr-profile={self.profiles / f'{name}.profdata'}", f"-ignore-filename-regex={ignored()}", *self.objects()],
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return folder / "index.html"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=ROOT / "build/coverage", help="folder to work in")
    parser.add_argument("--corpus", type=Path, help="the fuzz targets' corpora (default: that of build/asan-ubsan, else a new one)")
    parser.add_argument("--jobs", default=str(default_jobs()), help="compilers and tests at a time")
    parser.add_argument("--no-build", action="store_true", help="take what is built")
    parser.add_argument("--only", action="append", choices=KINDS, help="this kind; may be given again")
    parser.add_argument("--slow", action="store_true", help="also the tests that are labelled slow")
    parser.add_argument("--missing", nargs="+", default=[], metavar="FOLDER", help="print what nothing executed in these folders")
    options = parser.parse_args()

    build = Build(options.build.resolve(), options.jobs)
    kinds = options.only or list(KINDS)
    if not options.no_build:
        try:
            build.make(kinds)
        except subprocess.CalledProcessError:
            return 2
    corpus = options.corpus or ROOT / "build/asan-ubsan/corpus"
    if not options.corpus and not corpus.is_dir():
        corpus = build.folder / "corpus"
    for kind in kinds:
        if kind == "fuzz":
            build.fuzz(corpus)
        else:
            build.tests(kind, options.slow)
    measured = {kind: build.measured([kind], kind) for kind in kinds}
    if len(kinds) > 1:
        measured["together"] = build.measured(kinds, "together")
    last = list(measured)[-1]
    if not any(file.lines for file in measured[last].values()):
        print(f"coverage.py: no line of {ROOT}/src was measured", file=sys.stderr)
        return 2
    text = table(measured)
    (build.folder / "coverage.md").write_text("\n".join(text) + "\n")
    print("\n".join(text))
    for line in missing(measured[last], options.missing):
        print(line)
    print(f"line by line: {build.pages(last)}")
    return 1 if build.failed else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (OSError, subprocess.CalledProcessError) as error:
        sys.exit(print(f"coverage.py: {error}", file=sys.stderr) or 2)
