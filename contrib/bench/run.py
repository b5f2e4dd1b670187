# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Engines, keys, signatures and whole processes beside other implementations, as JSON and as Markdown tables.

A round does every task once, one after the other, so that whatever else the machine does hits all of them; single threads are pinned to one
processor. Ctrl-C or SIGTERM ends the run and keeps what it has. What cannot be measured is named with the reason. Peers come
from contrib/differential/setup_peers.sh."""

import argparse
import datetime
import json
import os
import pathlib
import subprocess
import sys

import prepare
from prepare import ROOT
from report import machine, results, suite, tables

BUILT = ["slhtool", "slhconsensus_shared", "bench_slhconsensus"]


def context(folder: pathlib.Path) -> dict[str, str]:
    """The benchmark's compiler and libsecp256k1, as it names them."""
    try:
        done = subprocess.run([str(folder / "src/bench/bench_slhconsensus"), "--benchmark_filter=^clock", "--benchmark_format=json"], capture_output=True, text=True, check=True)
        return dict(json.loads(done.stdout)["context"])
    except (OSError, subprocess.CalledProcessError, ValueError, KeyError):
        return {}


def measure(args: argparse.Namespace) -> results.Results:
    """All rounds."""
    options = suite.Options(build=args.build, peers=args.peers.resolve(), quick=args.quick, core=max(os.sched_getaffinity(0)))
    everything: list[suite.Task] = []
    try:
        return measure_some(args, options, everything)
    finally:
        for task in everything:
            task.close()


def reason(why: Exception) -> str:
    """The reason why something was not measured: it goes into results that are committed, so without the path of this checkout."""
    return str(why).replace(f"{ROOT}/", "") or type(why).__name__


def measure_some(args: argparse.Namespace, options: suite.Options, everything: list[suite.Task]) -> results.Results:
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
        raise SystemExit(0 if args.list else "bench.py: nothing to measure")
    rounds = args.rounds or (2 if args.quick else results.ROUNDS)
    of_build = context(options.build)
    about = {"machine": machine.describe(), "versions": machine.versions(options.peers, of_build),
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
        print("\nbench.py: interrupted; what there is is kept", file=sys.stderr)
    return found


def show(found: results.Results, folder: pathlib.Path) -> None:
    """Write what people look at."""
    text = tables.markdown(found)
    (folder / "results.md").write_text(text, encoding="utf-8")
    print(text)
    print(f"-- {folder}: results.md, results.json")


def main(args: argparse.Namespace) -> int:
    """Measure, then show."""
    args.build = args.build or ROOT / "build/release"
    if not args.list and not args.no_build:
        print(f"-- building in {args.build} (the first time takes minutes)", flush=True)
        prepare.build(args.build, BUILT, ROOT / "build/bench-build.log")
    found = measure(args)
    if not any(found.group(group) for group in results.GROUPS):
        print("bench.py: nothing was measured: " + " ".join(tables.about_rest(found)), file=sys.stderr)
        return 1
    args.out.mkdir(parents=True, exist_ok=True)
    found.save(args.out / "results.json")
    show(found, args.out)
    return 0 if found.about["complete"] else 130
