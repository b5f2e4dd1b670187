# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Full blocks with each backend, and transactions that a node relays, by bench_full_blocks: the measured tables of doc/worst-case.md.
Percentiles are of all samples; with one thread of CPU time, with more of wall-clock time."""

import argparse
import json
import os
import subprocess
import time
from typing import Any

import cost_model
import prepare
from prepare import ROOT
from report import machine

RELAYED = {"slhdsa_one": "SLH-DSA", "slhdsa_many": "SLH-DSA", "slhdsa_many_costly": "SLH-DSA, expensive signatures", "schnorr_one": "BIP 340, key path", "schnorr_many": "BIP 340, key path"}
BLOCKS = {"slhdsa": "valid", "slhdsa_costly": "valid, expensive signatures", "slhdsa_invalid": "invalid at the last signature", "schnorr": "BIP 340 key path"}


def percentile(values, share):
    """The least value that this share of the samples does not exceed."""
    ordered = sorted(values)
    return ordered[max(0, -(-len(ordered) * share // 100) - 1)]


def milliseconds(seconds):
    value = seconds * 1e3
    return f"{value:.1f}" if value < 100 else f"{value:,.0f}"


def clock(threads):
    return "cpu_s" if threads == 1 else "wall_s"


def machine_text(results):
    about, full = results["about"], results["full_blocks"]
    spends = {block["name"]: block["transactions"] for block in full["blocks"]}
    return (f"Blocks of {full['percent']} % of 4,000,000 weight units: {spends['slhdsa']:,} SLH-DSA spends, or {spends['schnorr']:,} BIP 340 key path spends. {full['machine']}, "
            f"family {about['family']}, model {about['model']}; {about['commit']}, {about['date']}; load {about['load']} before, on {about['threads']} cores.")


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


def main(options: argparse.Namespace) -> int:
    build = options.build or ROOT / "build/release"
    if not options.no_build:
        prepare.build(build, ["bench_full_blocks"])
    size = ["--percent", "10", "--rounds", "5", "--seconds", "0.2", "--tries", "256"] if options.quick else []
    threads = ",".join(map(str, sorted({1, os.cpu_count() or 1})))
    done = subprocess.run([str(build / "src/bench/bench_full_blocks"), "--backends", options.backends, "--threads", threads, *size], stdout=subprocess.PIPE, text=True, check=True)
    results: dict[str, Any] = {"about": {**machine.describe(), "commit": machine.commit(), "date": time.strftime("%Y-%m-%d", time.gmtime())}, "full_blocks": json.loads(done.stdout)}
    if options.out:
        options.out.write_text(json.dumps(results), encoding="utf-8")
    print("\n\n".join([machine_text(results), work_text(results), block_table(results), relay_table(results)]))
    return 0
