# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Results as pictures, each as SVG and PNG; the page has the SVG inside, in the colours of its own text."""

import io
import pathlib
import re
import statistics
from collections.abc import Callable
from dataclasses import replace

import matplotlib
from cycler import cycler
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from .results import Results, Series
from .tables import number

INK = "#010203"  # stands for the colour of text, which the page and the files replace
PALETTE = ["#2f6fb7", "#d9822b", "#3a9a5b", "#b8403a", "#7d5bb5", "#8a6d4b", "#c2629b", "#5f6b73"]  # readable on white and on black

matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "slhconsensus", "font.family": "sans-serif", "font.size": 10, "figure.dpi": 110,
                     "text.color": INK, "axes.labelcolor": INK, "axes.edgecolor": INK, "xtick.color": INK, "ytick.color": INK,
                     "axes.spines.top": False, "axes.spines.right": False, "axes.prop_cycle": cycler(color=PALETTE), "legend.frameon": False})


def _figure(title: str, height: float = 4.0) -> tuple[Figure, Axes]:
    figure = Figure(figsize=(8, height), layout="constrained")  # not pyplot's, which would be kept until somebody closed it
    axes = figure.subplots()
    axes.set_title(title, loc="left", fontweight="bold")
    return figure, axes


def _curves(axes: Axes, series: list[Series], x: Callable[[Series], int], y: Callable[[Series, float], float]) -> None:
    """A line for each one who was measured, with the least and the greatest sample as bars."""
    for name in dict.fromkeys(s.by for s in series):
        mine = sorted((s for s in series if s.by == name), key=x)
        middle = [y(s, s.median) for s in mine]
        ends = [sorted((y(s, min(s.samples)), y(s, max(s.samples)))) for s in mine]
        axes.errorbar([x(s) for s in mine], middle, yerr=[[m - e[0] for m, e in zip(middle, ends)], [e[1] - m for m, e in zip(middle, ends)]], marker="o", ms=4, capsize=2, label=name)


def _speeds(title: str, series: list[Series], height: float) -> tuple[Figure, Axes]:
    """Signatures a second by size of the batch."""
    figure, axes = _figure(title, height)
    _curves(axes, series, lambda s: s.batch, lambda s, us: 1e6 / us)
    axes.set(xscale="log", yscale="log", xlabel="signatures in a batch", ylabel="verifications a second")
    axes.set_xscale("log", base=2)
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    return figure, axes


def throughput(results: Results) -> Figure | None:
    """One thread's signatures a second, with BIP 340 verification on the same core as a line."""
    series = [s for s in results.group("verify") if s.unit == "us"]
    if not series:
        return None
    figure, axes = _speeds("Verifications a second by batch size, one thread (distinct signatures)", [s for s in series if s.ours], 4.6)
    for i, peer in enumerate(s for s in series if not s.ours and s.batch == 1):
        axes.axhline(1e6 / peer.median, ls=":", lw=1.2, color=PALETTE[(i + 4) % len(PALETTE)], label=peer.by)
    bip340 = [value for s in series for value in s.reference_samples if s.reference == "BIP 340"]
    if bip340:
        axes.axhline(1e6 / statistics.median(bip340), color=INK, ls="--", lw=1.2, label=f"BIP 340 (libsecp256k1 {results.about['versions'].get('libsecp256k1', 'of an unknown version')})")
    figure.legend(fontsize=8, ncols=4, loc="outside lower center")
    return figure


def devices(results: Results) -> Figure | None:
    """The same for devices, in wall-clock time: no picture for these and one thread, as a driver may compute on all cores."""
    series = [s for s in results.group("devices") if s.unit == "us" and s.clock == "wall"]
    beside = [s for s in series if s.reference == "slhvk"]  # ours measured once more, in turns with it
    shown = [replace(s, by=f"{s.by} ({results.device(s.by)})") for s in series if s not in beside]
    shown += [replace(s, by="slhvk", samples=s.reference_samples, reference="", reference_samples=[]) for s in beside]
    if not shown:
        return None
    figure, axes = _speeds("Verifications a second by batch size on devices, in wall-clock time", shown, 4.0)
    axes.legend(fontsize=8)
    return figure


def scaling(results: Results) -> Figure | None:
    """How many times as fast n threads are as one, measured beside them."""
    series = [replace(s, samples=s.ratios, reference_samples=[]) for s in results.group("threads") if s.ratios]
    if not series:
        return None
    figure, axes = _figure("Verification by number of threads, relative to one thread")
    _curves(axes, series, lambda s: s.threads, lambda _, ratio: ratio)
    most = max(s.threads for s in series)
    axes.plot([1, most], [1, most], color=INK, ls="--", lw=1, label="as many times as there are threads")
    axes.set(xlabel="threads", ylabel="times as fast as one")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.legend(fontsize=8)
    return figure


def bars(title: str, x_label: str, rows: list[tuple[str, float]], lines: list[tuple[float, str]], text: Callable[[float], str]) -> Figure | None:
    """Values with their labels, and lines across them."""
    if not rows:
        return None
    figure, axes = _figure(title, 1.1 + 0.28 * len(rows))
    places = range(len(rows), 0, -1)
    axes.barh(list(places), [value for _, value in rows], color=PALETTE[0], height=0.7)
    for place, (_, value) in zip(places, rows):
        axes.text(value, place, " " + text(value), va="center", fontsize=8)
    axes.set_yticks(list(places), [label for label, _ in rows], fontsize=8)
    for i, (at, label) in enumerate(lines):
        axes.axvline(at, color=PALETTE[3 - i], ls="--", lw=1, label=label)
    if lines:
        axes.legend(fontsize=8, loc="lower right")
    axes.margins(x=0.12)
    axes.set_xlabel(x_label)
    return figure


def block(results: Results) -> Figure | None:
    """Time of one block, here and on the node."""
    rows = [(f"{s.what}, {s.by}, {s.threads} threads", s.median) for group in ("block", "node") for s in results.group(group) if s.unit == "ms"]
    return bars("Time to verify one full block", "ms", rows, [], number)


def bound(results: Results) -> Figure | None:
    """The share of the core's arithmetic bound that each engine reaches with its largest batch."""
    best: dict[str, Series] = {}
    for s in results.group("verify"):
        if results.of_bound(s) and s.batch >= best.get(s.by, s).batch:
            best[s.by] = s
    rows = [(f"{s.by}, batch of {s.batch:,}", 100 * (results.of_bound(s) or 0)) for s in best.values()]
    return bars("How close to what the core's units can do at best", "% of the arithmetic bound", rows, [(100, "bound")], lambda value: f"{value:.0f} %")


def worst(results: Results) -> Figure | None:
    """The most expensive blocks: our time over Core's."""
    rows = [(f"{s.what}, {s.by}", 1 / s.ratio) for s in results.group("worst") if s.ratio]
    rows.sort(key=lambda row: -row[1])
    return bars("The most expensive blocks: our time / Bitcoin Core's interpreter", "ratio (lower is better)", rows[:40], [(1.0, "as long as Core"), (1.1, "the limit")], number)


PLOTS = {"throughput": throughput, "devices": devices, "scaling": scaling, "block": block, "bound": bound, "worst": worst}


def svg(figure: Figure, ink: str) -> str:
    """The picture as text, without what would differ from run to run."""
    buffer = io.StringIO()
    figure.savefig(buffer, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    text = buffer.getvalue()
    for i, name in enumerate(dict.fromkeys(re.findall(r'<clipPath id="(\w+)"', text))):
        text = text.replace(name, f"clip{i}")
    return re.sub(r"<\?xml.*?<svg", "<svg", text, flags=re.DOTALL).replace(INK, ink)


def draw(results: Results) -> dict[str, Figure]:
    """Every plot for which there is something to show."""
    made = {name: plot(results) for name, plot in PLOTS.items()}
    return {name: figure for name, figure in made.items() if figure is not None}


def save(figures: dict[str, Figure], folder: pathlib.Path) -> None:
    """An SVG and a PNG of each, on white."""
    for name, figure in figures.items():
        text = svg(figure, "#222222")
        text = re.sub(r"(<svg[^>]*>)", r'\1<rect width="100%" height="100%" fill="white"/>', text, count=1)
        (folder / f"{name}.svg").write_text(text, encoding="utf-8")
        figure.savefig(folder / f"{name}.png", facecolor="white")
