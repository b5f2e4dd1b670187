# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Results as pictures, for files and for the page."""

import pathlib
import statistics
from collections.abc import Callable
from dataclasses import replace

import plot

from .results import Results, Series
from .tables import number


Curve = tuple[str, list[tuple[float, list[float]]]]


def _curves(series: list[Series], x: Callable[[Series], int], y: Callable[[float], float]) -> list[Curve]:
    """A line for each one who was measured."""
    names = dict.fromkeys(s.by for s in series)
    return [(name, [(x(s), list(map(y, s.samples))) for s in series if s.by == name]) for name in names]


def _speeds(title: str, series: list[Series], levels: list[tuple[float, str]]) -> str:
    """Signatures a second by size of the batch."""
    shown = _curves(series, lambda s: s.batch, lambda us: 1e6 / us)
    return plot.curves(shown, title, "signatures in a batch", "verifications a second", levels)


def throughput(results: Results) -> str:
    """One thread's signatures a second, with BIP 340 verification on the same core as a line."""
    series = [s for s in results.group("verify") if s.unit == "us"]
    if not any(s.ours for s in series):
        return ""
    levels = [(1e6 / peer.median, peer.by) for peer in series if not peer.ours and peer.batch == 1]
    if bip340 := [value for s in series for value in s.reference_samples if s.reference == "BIP 340"]:
        version = results.about["versions"].get("libsecp256k1", "of an unknown version")
        levels.append((1e6 / statistics.median(bip340), f"BIP 340 (libsecp256k1 {version})"))
    return _speeds("Verifications a second by batch size, one thread (distinct signatures)", [s for s in series if s.ours], levels)


def devices(results: Results) -> str:
    """The same for devices, in wall-clock time: no picture for these and one thread, as a driver may compute on all cores."""
    series = [s for s in results.group("devices") if s.unit == "us" and s.clock == "wall"]
    beside = [s for s in series if s.reference == "slhvk"]  # ours measured once more, in turns with it
    shown = [replace(s, by=f"{s.by} ({results.device(s.by)})") for s in series if s not in beside]
    shown += [replace(s, by="slhvk", samples=s.reference_samples, reference="", reference_samples=[]) for s in beside]
    return _speeds("Verifications a second by batch size on devices, in wall-clock time", shown, []) if shown else ""


def scaling(results: Results) -> str:
    """How many times as fast n threads are as one, measured beside them."""
    series = [replace(s, samples=s.ratios, reference_samples=[]) for s in results.group("threads") if s.ratios]
    if not series:
        return ""
    shown = _curves(series, lambda s: s.threads, float)
    shown.append(("as many times as there are threads", [(n, [n]) for n in sorted({1, *(s.threads for s in series)})]))
    return plot.curves(shown, "Verification by number of threads, relative to one thread", "threads", "times as fast as one", log=False)


def bars(title: str, caption: str, rows: list[tuple[str, list[float]]], lines: list[tuple[float, str]],
         text: Callable[[float], str]) -> str:
    return plot.bars([(label, samples, True) for label, samples in rows], title, caption, lines, text) if rows else ""


def block(results: Results) -> str:
    """Time of one block, here and on the node."""
    series = [s for group in ("block", "node") for s in results.group(group) if s.unit == "ms"]
    rows = [(f"{s.what}, {s.by}, {s.threads} threads", s.samples) for s in series]
    return bars("Time to verify one full block", "ms", rows, [], number)


def bound(results: Results) -> str:
    """The share of the core's arithmetic bound that each engine reaches with its largest batch."""
    best: dict[str, Series] = {}
    for s in results.group("verify"):
        if results.of_bound(s) and s.batch >= best.get(s.by, s).batch:
            best[s.by] = s
    rows = [(f"{s.by}, batch of {s.batch:,}", [100 * (results.of_bound(replace(s, samples=[us])) or 0) for us in s.samples])
            for s in best.values()]
    return bars("How close to what the core's units can do at best", "% of the arithmetic bound", rows, [(100, "bound")], "{:.0f} %".format)


def worst(results: Results) -> str:
    """The most expensive blocks: our time over Core's."""
    rows = [(f"{s.what}, {s.by}", [1 / ratio for ratio in s.ratios]) for s in results.group("worst") if s.ratios]
    rows.sort(key=lambda row: -statistics.median(row[1]))
    return bars("The most expensive blocks: our time / Bitcoin Core's interpreter", "ratio (lower is better)", rows[:40],
                [(1.0, "as long as Core"), (1.1, "the limit")], number)


def draw(results: Results) -> dict[str, str]:
    """Every plot for which there is something to show, as SVG."""
    made = {each.__name__: each(results) for each in (throughput, devices, scaling, block, bound, worst)}
    return {name: svg for name, svg in made.items() if svg}


def save(pictures: dict[str, str], folder: pathlib.Path) -> None:
    for name, svg in pictures.items():
        (folder / f"{name}.svg").write_text(svg, encoding="utf-8")
