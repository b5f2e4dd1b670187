#!/usr/bin/env python3
# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Measure this project beside everyone else, and show it: JSON, a Markdown table, plots, and a page for a browser.

    contrib/bench/run.py                                  everything that this machine can measure, in rounds
    contrib/bench/run.py --quick                          two minutes, a rough picture
    contrib/bench/run.py --only batches                   the tasks whose names have "batches" in them (--list names all)
    contrib/bench/run.py --compare A.json B.json          no measuring: runs of several machines side by side

A round does every task once, one after the other, so that whatever else the machine does hits all of them; single threads are
pinned to one processor. Ctrl-C or SIGTERM ends the run and keeps what it has. What cannot be measured is named with the reason. Peers come
from contrib/differential/setup_peers.sh; slhvk is given as a built library (--slhvk-lib).
"""

import argparse
import datetime
import json
import os
import pathlib
import signal
import subprocess
import sys

import prepare
from prepare import ROOT

BUILT = ["slhtool", "slhconsensus_shared", "bench_slhconsensus", "bench_blocks", "bench_reindex", "make_chain", "bench_worst_blocks"]


def parse() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="few sizes, two short rounds")
    parser.add_argument("--rounds", type=int, metavar="N", help="default: 5; 2 with --quick")
    parser.add_argument("--only", action="append", metavar="TEXT", help="only tasks whose name has this in it (may be repeated)")
    parser.add_argument("--list", action="store_true", help="name the tasks, and what is missing, and end")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release", metavar="DIR", help="a build of this project; made if it is not there (default: build/release)")
    parser.add_argument("--no-build", action="store_true", help="use the programs already in the build folder, perhaps built on another machine")
    parser.add_argument("--peers", type=pathlib.Path, default=ROOT / "build/peers", metavar="DIR", help="where setup_peers.sh installed (default: build/peers)")
    parser.add_argument("--slhvk-lib", type=pathlib.Path, metavar="DIR", help="a folder with slhvk.h and libslhvk")
    parser.add_argument("--core", type=int, metavar="N", help="the processor for single threads (default: the last one that this process may use)")
    parser.add_argument("--out", type=pathlib.Path, metavar="DIR", help="default: build/bench, or build/bench/compare with --compare")
    parser.add_argument("--compare", type=pathlib.Path, nargs="+", metavar="FILE", help="show these runs side by side instead of measuring")
    args = parser.parse_args()
    args.out = args.out or ROOT / ("build/bench/compare" if args.compare else "build/bench")
    if args.rounds is not None and args.rounds < 1:
        parser.error("--rounds: at least 1")
    if args.core is not None and args.core not in os.sched_getaffinity(0):
        parser.error(f"--core: this process may not use processor {args.core}")
    return args


def context(folder: pathlib.Path) -> dict[str, str]:
    """The benchmark's compiler and the devices of this machine, as it names them."""
    try:
        done = subprocess.run([str(folder / "src/bench/bench_slhconsensus"), "--benchmark_filter=^clock", "--benchmark_format=json"], capture_output=True, text=True, check=True)
        return dict(json.loads(done.stdout)["context"])
    except (OSError, subprocess.CalledProcessError, ValueError, KeyError):
        return {}


def measure(args: argparse.Namespace) -> "results.Results":
    """All rounds."""
    options = suite.Options(build=args.build.resolve(), peers=args.peers.resolve(), quick=args.quick, slhvk=args.slhvk_lib.resolve() if args.slhvk_lib else None,
                            core=args.core if args.core is not None else max(os.sched_getaffinity(0)))
    everything: list[suite.Task] = []
    try:
        return measure_some(args, options, everything)
    finally:
        for task in everything:
            task.close()


def reason(why: Exception) -> str:
    """The reason why something was not measured: it goes into results that are committed, so without the path of this checkout."""
    return str(why).replace(f"{ROOT}/", "") or type(why).__name__


def measure_some(args: argparse.Namespace, options: "suite.Options", everything: "list[suite.Task]") -> "results.Results":
    """All rounds of what the command line chooses. The caller closes everything."""
    from tqdm import tqdm
    missing = {}
    for name, source in suite.SOURCES.items():
        try:
            everything += source(options)
        except suite.Missing as why:
            missing[name] = reason(why)
    # The clock tells what share of its bound an engine reaches.
    tasks = [task for task in everything if not args.only or task.name == "clock" or any(text in task.name for text in args.only)]
    if args.list or all(task.name == "clock" for task in tasks):
        for task in tasks:
            print(task.name)
        for name, why in missing.items():
            print(f"missing: {name}: {why}")
        raise SystemExit(0 if args.list else "run.py: nothing to measure")
    rounds = args.rounds or (2 if args.quick else results.ROUNDS)
    of_build = context(options.build)
    about = {"machine": machine.describe(), "devices": suite.devices(of_build), "versions": machine.versions(options.peers, of_build),
             "compiler": of_build.get("compiler", "unknown compiler"), "commit": machine.commit(),
             "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d"), "options": {"quick": args.quick, "rounds": rounds}, "complete": False, "missing": missing}
    found = results.Results(about)
    try:
        with tqdm(total=rounds * len(tasks), unit="task", disable=None) as bar:
            for done in range(rounds):
                for task in list(tasks):
                    bar.set_postfix_str(task.name)
                    try:
                        for series in task.run():
                            if series.by == "clock":
                                about["machine"]["ghz"] = max(about["machine"].get("ghz", 0), series.samples[0])
                            else:
                                found.add(series)
                    except (suite.Missing, RuntimeError, ValueError, KeyError) as why:
                        before = f"failed in round {done + 1} of {rounds}, and what it had before is shown: " if done > 0 else ""
                        missing[task.name] = before + reason(why)
                        tasks.remove(task)
                    bar.update()
                args.out.mkdir(parents=True, exist_ok=True)
                found.save(args.out / "results.json")  # what there is so far, whatever happens
        about["complete"] = True
    except KeyboardInterrupt:
        print("\nrun.py: interrupted; what there is is kept", file=sys.stderr)
    return found


def show(runs: "list[results.Results]", folder: pathlib.Path) -> None:
    """Write what people look at."""
    folder.mkdir(parents=True, exist_ok=True)
    text = tables.markdown(runs[0]) if len(runs) == 1 else "\n".join(tables.markdown(run) for run in runs)
    (folder / "results.md").write_text(text, encoding="utf-8")
    (folder / "report.html").write_text(page.page(runs), encoding="utf-8")
    if len(runs) == 1:
        plots.save(plots.draw(runs[0]), folder)
    print(text)
    print(f"-- {folder}: report.html for a browser, results.md, plots as SVG")


def load(paths: list[pathlib.Path]) -> "list[results.Results]":
    """Runs that were measured before. Few rounds are no reason to refuse one, but nobody should publish it without knowing."""
    runs = [results.load(path) for path in paths]
    for path, run in zip(paths, runs):
        if (rounds := run.about["options"]["rounds"]) < results.ROUNDS:
            print(f"run.py: {path}: rounds: {rounds}, fewer than {results.ROUNDS}; the page says so", file=sys.stderr)
    return runs


def main() -> int:
    """Measure or compare, then show."""
    args = parse()
    # SIGINT, too: a shell that starts this in the background has it ignored.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    try:
        if args.compare:
            show(load(args.compare), args.out)
            return 0
        if not args.list and not args.no_build:
            folder = args.build.resolve()
            print(f"-- building in {folder} (the first time takes minutes)", flush=True)
            prepare.build(folder, BUILT, ROOT / "build/bench-build.log")
        found = measure(args)
        if not any(found.group(group) for group in results.GROUPS):
            print("run.py: nothing was measured: " + " ".join(tables.about_rest(found)), file=sys.stderr)
            return 1
        args.out.mkdir(parents=True, exist_ok=True)
        found.save(args.out / "results.json")
        show([found], args.out)
    except results.ResultsError as error:
        print(f"run.py: {error}", file=sys.stderr)
        return 2
    return 0 if found.about["complete"] else 130


if __name__ == "__main__":
    if not any(flag in sys.argv for flag in ("-h", "--help")):
        prepare.enter_environment()
        from report import machine, page, plots, results, suite, tables
    sys.exit(main())
