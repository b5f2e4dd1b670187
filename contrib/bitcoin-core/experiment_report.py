# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Results of experiment.py: kept as samples, shown as tables, plots and a page, and extrapolated to a year."""
from __future__ import annotations

import json
import statistics
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import plot
from regtest import ExperimentError
from report import page, results, tables
from report.tables import Table, number

TITLES = {
    "download": "Initial block download: an empty node gets the chain from another one on the same machine",
    "reindex": "-reindex-chainstate, from the start of the process",
    "reorg": "A reorganization, from the arrival of the branch's last block",
    "mempool": "A mempool is filled from a file (time, processor, memory), then mined until it is empty",
    "relay": "Nodes in a line, or of a network: the tip's blocks with empty mempools, transactions, and a block of known ones",
    "invalid": "A block whose last signature is invalid, until it is refused",
    "flood": "A peer sends transactions with invalid signatures",
    "activation": "The rules begin with plain nodes in the net, one of which mines an invalid spend",
}
# Figures that a year is computed from
A_BLOCK, SIGNATURES, ON_DISK = "a full block, ms", "of it signatures after scripts, ms", "blocks and undo, MB"
YEAR = 52_560  # blocks
# Milliseconds for a batch of so many signatures of 128s on an H200, with the way there and back: doc/benchmarks.md
H200 = {1: 0.468, 8: 0.523, 64: 0.655, 508: 0.952, 4096: 3.03, 65536: 23.9}


class Results:
    """The samples of each figure, by experiment, plan, mode and -par."""

    def __init__(self, about: dict[str, Any], samples: Sequence[dict[str, Any]] = ()):
        self.about = about
        self.samples = list(samples)

    def add(self, experiment: str, plan: str, mode: str, par: int, figures: dict[str, float]) -> None:
        """Add one measurement to those of the same kind."""
        kind = {"experiment": experiment, "plan": plan, "mode": mode, "par": par}
        found = next((sample for sample in self.samples if sample.items() >= kind.items()), None)
        if found is None:
            found = {**kind, "figures": {name: [] for name in figures}}
            self.samples.append(found)
        for name, value in figures.items():
            found["figures"][name].append(value)

    def of(self, experiment: str) -> list[dict[str, Any]]:
        return [sample for sample in self.samples if sample["experiment"] == experiment]

    def label(self, sample: dict[str, Any]) -> str:
        """The mode, with -par where there are several."""
        several = len({other["par"] for other in self.samples}) > 1
        return str(sample["mode"]) + (f", -par={sample['par']}" if several else "")

    def write(self, folder: Path) -> str:
        """Write the files, and return the tables as Markdown."""
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "results.json").write_text(json.dumps({**self.about, "samples": self.samples}, indent=1) + "\n", encoding="utf-8")
        shown = [table_of_plans(self), *(table_of(self, name) for name in TITLES if self.of(name))]
        about, rest = [tables.describe(results.Results(self.about))], tables.about_rest(results.Results(self.about))
        text = "\n".join([*about, *(line for table in shown for line in ("", *tables.lines(table, 3))), *(line for each in rest for line in ("", each))]) + "\n"
        (folder / "results.md").write_text(text, encoding="utf-8")
        pictures = {name: svg for name in TITLES if (svg := plot_of(self, name))}
        for name, svg in pictures.items():
            (folder / f"{name}.svg").write_text(svg, encoding="utf-8")
        parts = [*page.paragraphs(about), *map(page.figure, pictures.values()), *map(page.table, shown), *page.paragraphs(rest)]
        (folder / "report.html").write_text(page.document("Full blocks on a regtest node", parts), encoding="utf-8")
        return text


def load(path: Path) -> Results:
    """Read results.json."""
    try:
        about = json.loads(path.read_text(encoding="utf-8"))
        return Results(about, about.pop("samples"))
    except (OSError, ValueError, KeyError, AttributeError) as error:
        raise ExperimentError(f"{path}: no results of experiment.py ({type(error).__name__}: {error})") from None


def merge(runs: Sequence[Results]) -> Results:
    """Several runs as one: the modes of their samples tell them apart."""
    plans = {name: facts for run in runs for name, facts in run.about["plans"].items()}
    notes = [f"{', '.join(sorted({sample['mode'] for sample in run.samples}))}: {tables.describe(results.Results(run.about))}" for run in runs[1:]]
    return Results(runs[0].about | {"plans": plans, "notes": notes}, [sample for run in runs for sample in run.samples])


def short(value: float) -> str:
    """Three significant digits, and whole numbers without a fraction."""
    return f"{value:,.0f}" if value == int(value) else f"{value:.3g}" if abs(value) < 10 else number(value)


def table_of_plans(of: Results) -> Table:
    rows = []
    for name, facts in of.about["plans"].items():
        plan, block = facts["plan"], facts["block"]
        mix = ", ".join(f"{entry['share']} % {entry['spend']}" + (f" of {entry['inputs']} inputs" if entry["inputs"] > 1 else "") for entry in plan["mix"])
        signatures = ", ".join(f"{n:,} {kind}" for kind, n in block["signatures"].items() if n)
        rows.append([name, mix, f"{plan['blocks']:,}", f"{block['transactions']:,}", f"{block['inputs']:,}", signatures, number(block["bytes"] / 1e6),
                     f"{facts['outputs']:,}", number(sum(facts["seconds"].values()))])
    return Table("The chains", "Of a full block, but for the last two. Outputs: unspent ones, at any time.",
                 ["plan", "share of the weight", "full blocks", "transactions", "inputs", "signatures", "MB", "outputs", "made in, s"], rows)


def table_of(of: Results, experiment: str) -> Table:
    """A row for each plan and mode."""
    samples = of.of(experiment)
    columns = list(dict.fromkeys(name for sample in samples for name in sample["figures"]))

    def cell(sample: dict[str, Any], name: str) -> str:
        values = sample["figures"].get(name, [])
        ends = f" ({short(min(values))} to {short(max(values))})" if name == columns[0] and len(values) > 1 else ""
        return short(statistics.median(values)) + ends if values else ""

    rows = [[sample["plan"], of.label(sample), *(cell(sample, name) for name in columns)] for sample in samples]
    n = len(samples[0]["figures"][columns[0]])
    about = (f"Medians of {n} samples" if n > 1 else "One sample") + "; processor time and memory are those of the node that is measured, for relay of all three, and of its device's process."
    return Table(TITLES[experiment], about, ["plan", "mode", *columns], rows)


def plot_of(of: Results, experiment: str) -> str:
    """The first of an experiment's figures."""
    name = next((figure for sample in of.of(experiment) for figure in sample["figures"]), "")
    rows = [(f"{sample['plan']}, {of.label(sample)}", sample["figures"][name], True) for sample in of.of(experiment)]
    return plot.bars(rows, TITLES[experiment], name, short) if rows else ""


def on_h200(batch: int) -> float:
    """Milliseconds, in proportion between two of the sizes that were measured."""
    sizes = list(H200)
    most = next((size for size in sizes if size >= batch), sizes[-1])
    least = max((size for size in sizes if size < most), default=most)
    share = (min(batch, most) - least) / (most - least or 1)
    return H200[least] + share * (H200[most] - H200[least])


def year(runs: Sequence[Results]) -> str:
    """A year of full blocks, as a table in Markdown. The model: a block takes a serial part s and a part p that threads share, s + p / threads. Two reindexes
    with different -par give both; with -par=1, the node says how much of p are SLH-DSA signatures. With an H200, a block's signatures are a batch that takes as
    long as such a batch of 128s took there, and scripts and other signatures share 16 cores."""
    rows = []
    for run in runs:
        for plan, facts in run.about["plans"].items():
            def median(experiment: str, figure: str, par: int | None = None) -> float | None:
                found = [sample["figures"][figure] for sample in run.of(experiment) if sample["plan"] == plan and sample["mode"] == "deferred" and sample["par"] in (par, par or sample["par"])
                         and figure in sample["figures"]]
                return statistics.median(found[0]) if found else None

            most = max((sample["par"] for sample in run.of("reindex")), default=1)
            one, many, disk = median("reindex", A_BLOCK, 1), median("reindex", A_BLOCK, most), median("download", ON_DISK)
            if one is None or many is None or most == 1:
                raise ExperimentError(f"{plan}: --year needs reindex with --modes deferred --par 1,N")
            shared = (one - many) / (1 - 1 / min(most, 16))  # Bitcoin Core has no more threads
            serial = one - shared
            signatures = median("reindex", SIGNATURES, 1) or 0
            batch = sum(n for kind, n in facts["block"]["signatures"].items() if kind.startswith("128"))
            device = serial + max(0, shared - signatures) / 16 + (on_h200(batch) if batch else 0)
            rows.append([plan, *(map(short, (one, many, serial, shared, signatures))),
                         *(short(YEAR * each / 3.6e6) for each in (*(serial + shared / cores for cores in (1, 4, 16)), device)),
                         short(YEAR * (disk - facts["funding_bytes"] / 1e6) / facts["plan"]["blocks"] / 1000) if disk else "", short(YEAR * facts["block"]["bytes"] / 1e9),
                         short(facts["block"]["bytes"] * 8 / 600 / 1000), short(YEAR * facts["block"]["inputs"] / 1e6)])
    columns = ["plan", "measured: ms a block, 1 thread", "all threads", "computed: serial part, ms", "shared part, ms", "of it SLH-DSA, ms",
               "extrapolated: 1 core, h", "4 cores, h", "16 cores, h", "16 cores and an H200, h", "blocks and undo, GB", "received, GB", "kbit/s on average", "outputs made, millions"]
    return "\n".join(tables.lines(Table(f"A year of {YEAR:,} full blocks", tables.describe(results.Results(runs[0].about)), columns, rows), 3))
