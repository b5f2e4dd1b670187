# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""The documentation's results: made from committed runs, so that nobody types a number."""

import pathlib

from . import plots
from .results import Results
from .tables import compare, markdown

HEAD = """# Results

Made from the runs in doc/benchmarks/ by `contrib/bench/run.py --document doc/benchmarks/*.json`; change nothing here by hand.
[benchmarks.md](benchmarks.md) says what is measured and how, and what was learnt.
"""


def text(runs: list[Results]) -> str:
    """The page, one part for each run."""
    parts = [HEAD]
    if len(runs) > 1:
        table = compare(runs)
        parts.append("\n".join(["## Side by side", "", table.about, "", "| " + " | ".join(table.columns) + " |", "|" + "---|" * len(table.columns), *("| " + " | ".join(row) + " |" for row in table.rows), ""]))
    parts += [f"## {run.name}\n\n{markdown(run)}" for run in runs]
    return "\n".join(parts)


def write(runs: list[Results], folder: pathlib.Path) -> None:
    """doc/benchmarks-results.md, and the plot that the README shows: that of the first run."""
    (folder / "benchmarks-results.md").write_text(text(runs), encoding="utf-8")
    figure = plots.throughput(runs[0])
    if figure is not None:
        plots.save({"throughput": figure}, folder)
        (folder / "throughput.png").unlink()
