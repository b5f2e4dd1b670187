#!/usr/bin/env python3
# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Build, measure, and print the numbers of doc/worst-case.md that cost_model.py cannot compute.

    contrib/bench/worst_case.py                        all of it: an hour on a busy machine, ten minutes on an idle one
    contrib/bench/worst_case.py --quick                blocks of a tenth, few samples: a minute once it is built
    contrib/bench/worst_case.py --from results.json    the tables of an earlier run again

It runs bench_full_blocks (full blocks with each backend; transactions that a node relays), bench_blocks (every expensive block that
anyone could think of) and, where Bitcoin Core's sources are, bench_worst_blocks (the same beside Core's interpreter). Percentiles are of all samples; with one thread of CPU time, with more of wall-clock time."""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

import cost_model
import prepare
from prepare import ROOT

BACKENDS = ["cpu:portable", "cpu:shani", "cpu:avx2", "cpu:avx512", "vulkan"]
ALL = "slhdsa_and_schnorr"  # the worst of those with SLH-DSA
RELAYED = {"slhdsa_one": "SLH-DSA", "slhdsa_many": "SLH-DSA", "slhdsa_many_costly": "SLH-DSA, expensive signatures", "schnorr_one": "BIP 340, key path", "schnorr_many": "BIP 340, key path"}
BLOCKS = {"slhdsa": "valid", "slhdsa_costly": "valid, expensive signatures", "slhdsa_invalid": "invalid at the last signature", "schnorr": "BIP 340 key path"}
BUILT = ["bench_full_blocks", "bench_blocks"]
CORE = "bench_worst_blocks"


def percentile(values, share):
    """The least value that this share of the samples does not exceed."""
    ordered = sorted(values)
    return ordered[max(0, -(-len(ordered) * share // 100) - 1)]


def run(folder, name, *arguments):
    """The JSON that a program prints; none if it says that it cannot run here."""
    print(f"{name} {' '.join(arguments)}", file=sys.stderr)
    result = subprocess.run([str(folder / "src/bench" / name), *arguments], stdout=subprocess.PIPE, text=True, check=False)
    if result.returncode == 77:
        return None
    if result.returncode not in (0, 1):
        raise SystemExit(f"worst_case.py: {name} failed")
    return json.loads(result.stdout)


def describe(folder):
    """The setting of the numbers: processor, compiler, flags, load."""
    cache = (folder / "CMakeCache.txt").read_text(encoding="utf-8")
    kind = re.search(r"^CMAKE_BUILD_TYPE:\w+=(.*)$", cache, re.MULTILINE)
    cpu = {}
    try:
        for line in pathlib.Path("/proc/cpuinfo").read_text(encoding="ascii", errors="replace").splitlines():
            key, _, value = line.partition(":")
            cpu.setdefault(key.strip(), value.strip())
    except OSError:
        pass
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False).stdout.strip()
    return {"family": cpu.get("cpu family"), "model": cpu.get("model"), "build": kind[1] if kind else "unknown", "commit": commit,
            "date": time.strftime("%Y-%m-%d", time.gmtime()), "load": list(os.getloadavg()), "cores": os.cpu_count()}


def measure(options):
    folder = options.build.resolve()
    targets = list(BUILT)
    if options.core:
        targets.append(CORE)
    prepare.build(folder, targets)
    threads = options.threads or sorted({1, os.cpu_count() or 1})
    size = ["--percent", "10", "--rounds", "5", "--seconds", "0.2", "--tries", "256"] if options.quick else []
    results = {"about": describe(folder), "quick": options.quick}
    results["full_blocks"] = run(folder, "bench_full_blocks", "--backends", ",".join(options.backends), "--threads", ",".join(map(str, threads)), *size, *options.bench_option)
    rounds = ["--rounds", "1" if options.quick else str(options.script_rounds), "--threads", ",".join(map(str, threads)), "--json"]
    only = ["--only", f"{ALL},hash_sha1_520" if options.quick else options.scripts] if options.quick or options.scripts else []
    results["scripts"] = run(folder, "bench_blocks", *rounds, *only)
    if options.core:
        quick = ["--percent", "10", "--rounds", "1", "--seconds", "0"] if options.quick else []
        results["core"] = run(folder, CORE, "--json", *quick)
    results["about"]["load_after"] = list(os.getloadavg())
    return results


def milliseconds(seconds):
    value = seconds * 1e3
    return f"{value:.1f}" if value < 100 else f"{value:,.0f}"


def clock(threads):
    return "cpu_s" if threads == 1 else "wall_s"


def machine_text(results):
    about, blocks = results["about"], results["full_blocks"]["blocks"]
    spends = {block["name"]: block for block in blocks}
    return (f"Blocks of {results['full_blocks']['percent']} % of 4,000,000 weight units: {spends['slhdsa']['transactions']:,} SLH-DSA spends, or {spends['schnorr']['transactions']:,} BIP 340 key path spends. "
            f"{results['full_blocks']['machine']}, family {about['family']}, model {about['model']}; {about['build']} build of {about['commit']}, {about['date']}; "
            f"load average {about['load'][0]:.1f} before and {about['load_after'][0]:.1f} after, on {about['cores']} cores.")


def block_table(results):
    """Each backend, each block: the distribution of samples."""
    rows = []
    for backend in results["full_blocks"]["backends"]:
        if "skipped" in backend:
            rows.append([backend["backend"], f"not measured: {backend['skipped']}", *[""] * 8])
            continue
        for entry in backend["runs"]:
            if entry["timing"] == "eager" and backend["name"].startswith("vulkan"):
                continue  # a device gets batches alone
            samples = entry["samples"][clock(entry["threads"])]
            memory = entry["memory"]["peak_bytes"] - entry["memory"]["before_bytes"]
            rows.append([backend["name"], BLOCKS[entry["block"]], str(entry["threads"]), entry["timing"], str(len(samples)), milliseconds(percentile(samples, 50)),
                         milliseconds(percentile(samples, 95)), milliseconds(percentile(samples, 99)), milliseconds(max(samples)), f"{memory / 2**20:.1f}"])
    return cost_model.table(["backend", "block", "threads", "verified", "samples", "median, ms", "p95", "p99", "maximum", "MiB added"], rows)


def script_table(results):
    """The expensive scripts, as bench_blocks has them."""
    rows = []
    for block in results["scripts"]["blocks"]:
        for entry in block["runs"]:
            wanted = clock(entry["threads"])
            rows.append([block["name"], block["what"], str(block["inputs"]), str(block["slhdsa_signatures"]), str(entry["threads"]), milliseconds(entry["eager"][wanted]),
                         milliseconds(entry["deferred"][wanted]), f"{entry['deferred'][wanted] / entry['schnorr_block'][wanted]:.2f}", f"{block['memory_peak_bytes'] / 2**20:.0f}"])
    return cost_model.table(["block", "what", "inputs", "SLH-DSA", "threads", "eager, ms", "deferred, ms", "deferred / BIP 340 block", "peak MiB"], rows)


def core_table(results):
    rows = [[block["name"], f"{block['weight']:,}", milliseconds(block["core_today_cpu_s"]), milliseconds(block["today_cpu_s"]), milliseconds(block["module_cpu_s"]),
             f"{block['today_ratio']:.3f}", f"{block['module_ratio']:.3f}"] for block in results["core"]["blocks"]]
    return cost_model.table(["block", "weight", "Core, today's rules, ms", "module, today's rules", "module, its rules", "today / Core", "its rules / Core"], rows)


def relay_table(results):
    """A node's cost of a transaction that turns out invalid at its last input: compressions by the counts of the signatures, median CPU time."""
    full, rows = results["full_blocks"], []
    for backend in full["backends"]:
        runs = {(entry["tx"], entry["cached"], entry["batched"]): entry for entry in backend.get("relay", [])}
        for (tx, cached, batched), eager in runs.items():
            if batched:
                continue
            times = [percentile(entry["samples"]["cpu_s"], 50) * 1e6 for entry in (eager, runs[tx, cached, True])]
            each = full["costly" if "costly" in tx else "plain"]["compressions_each"]
            hashed = "" if tx.startswith("schnorr") else f"{each * (1 if cached else eager['inputs']) / eager['bytes']:.3f}"
            rows.append([backend["name"], RELAYED[tx], str(eager["inputs"]), f"{eager['bytes']:,}", "yes" if cached else "no", hashed, *[f"{time_us:,.0f}" for time_us in times],
                         *[f"{time_us * 1e3 / eager['bytes']:.1f}" for time_us in times]])
    return cost_model.table(["backend", "signatures", "inputs", "bytes", "the others cached", "compressions a byte", "eager, us", "batched, us", "eager, ns a byte", "batched, ns a byte"], rows)


def work_text(results):
    """The counted hashes of the blocks' signatures."""
    full = results["full_blocks"]
    return (f"Ordinary signatures take {full['plain']['compressions_each']:,.0f} compressions each (counted, {full['plain']['signatures']} signatures); those made to be expensive, "
            f"with {full['tries']:,} tries for each layer, {full['costly']['compressions_each']:,.0f}.")


def tables(results):
    made = {"machine": machine_text(results), "work": work_text(results), "blocks": block_table(results), "relay": relay_table(results)}
    for name, make in (("scripts", script_table), ("core", core_table)):
        if results.get(name):
            made[name] = f"{results[name]['machine']}\n\n{make(results)}"  # whose libsecp256k1 has BIP 340
    return made


def replaced(path):
    """True if a new file can replace this one: it is no device and no pipe."""
    return path.is_file() or not path.exists()


def check_writable(path):
    """Say before an hour of measuring what would keep the results from being written after it."""
    if path.is_dir():
        raise SystemExit(f"worst_case.py: --out: {path} is a folder")
    try:
        if replaced(path):
            tempfile.TemporaryFile(dir=path.parent).close()
    except OSError as error:
        raise SystemExit(f"worst_case.py: --out: {path}: {error.strerror}") from None


def save(results, path):
    """Write the results; an earlier file stays until the new one is complete. Returns why that failed, "" if it did not."""
    new = path.with_name(path.name + ".new") if replaced(path) else path
    try:
        new.write_text(json.dumps(results), encoding="utf-8")
        if new != path:
            new.replace(path)
    except OSError as error:
        return f"{path}: {error.strerror}"
    return ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a tenth of each block, few samples")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release", help="build folder, configured if it is not there")
    parser.add_argument("--backends", type=lambda text: text.split(","), default=BACKENDS, help="with commas between (default: %(default)s)")
    parser.add_argument("--no-core", dest="core", action="store_false", help="without Bitcoin Core's interpreter")
    parser.add_argument("--threads", type=lambda text: [int(number) for number in text.split(",")], help="numbers of threads (default: 1 and the cores of the machine)")
    parser.add_argument("--scripts", metavar="NAMES", help="of the expensive scripts these alone, with commas between")
    parser.add_argument("--script-rounds", type=int, default=3, help="rounds of which the least time of an expensive script counts (default: 3)")
    parser.add_argument("--bench-option", action="append", default=[], help="passed to bench_full_blocks, e.g. --bench-option=--seconds=1")
    parser.add_argument("--from", dest="source", type=pathlib.Path, help="results of an earlier run")
    parser.add_argument("--out", type=pathlib.Path, help="write the results as JSON")
    options = parser.parse_args()
    if options.out:
        check_writable(options.out)
    results = json.loads(options.source.read_text(encoding="utf-8")) if options.source else measure(options)
    unsaved = save(results, options.out) if options.out else ""
    print("\n\n".join(f"{name}\n\n{content}" for name, content in tables(results).items()))
    if unsaved:
        raise SystemExit(f"worst_case.py: --out: {unsaved}")


if __name__ == "__main__":
    main()
