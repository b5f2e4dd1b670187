# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""The documentation's results: made from committed runs, so that nobody types a number."""

import pathlib

from . import plots
from .results import Results
from .tables import compare, lines, markdown

HEAD = pathlib.Path(__file__).with_name("document.md")


def text(runs: list[Results]) -> str:
    """The page, one part for each run."""
    parts = [HEAD.read_text(encoding="utf-8")]
    if len(runs) > 1:
        parts.append("\n".join(lines(compare(runs), 2)) + "\n\n")
    return "".join(parts) + "\n".join(f"## {run.name}\n\n{markdown(run)}" for run in runs)


def write(runs: list[Results], folder: pathlib.Path) -> None:
    """doc/benchmarks.md, and its plot, which the README shows, too: that of the newest run."""
    (folder / "benchmarks.md").write_text(text(runs), encoding="utf-8")
    figure = plots.throughput(max(runs, key=lambda run: run.about["date"]))
    if figure is not None:
        plots.save({"throughput": figure}, folder)
        (folder / "throughput.png").unlink()
