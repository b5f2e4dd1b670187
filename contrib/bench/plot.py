# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Plots as SVG, for doc/ and for the page of experiment.py: bars, a distribution, and points with names. They are dark
on white, and take a page's colours where they stand in one."""

import math
import statistics
import textwrap
from collections.abc import Callable, Iterable, Sequence
from html import escape

WIDTH, LEFT, RIGHT, TOP, BOTTOM = 760, 70, 20, 40, 60
COLOURS = ["#2f6fb7", "#b86413", "#2f8550", "#b8403a", "#7d5bb5", "#8a6d4b", "#c2629b", "#5f6b73"]  # readable on white and on black


def _svg(height: float, title: str, parts: Iterable[str]) -> str:
    """A title that is too wide takes more lines."""
    lines = textwrap.wrap(title, 80)
    more = 18 * (len(lines) - 1)
    head = [f'<text x="{WIDTH / 2}" y="{22 + 18 * i}" text-anchor="middle" font-size="14" font-weight="bold">{escape(line)}</text>'
            for i, line in enumerate(lines)]
    height += more
    return "\n".join([f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:g}" role="img" aria-label="{escape(title)}" '
                      'font-family="sans-serif" font-size="12" color="#222" fill="currentColor">',
                      f'<rect class="paper" width="{WIDTH}" height="{height:g}" fill="white"/>',
                      *head, f'<g transform="translate(0 {more})">', *parts, "</g></svg>"]) + "\n"


def _text(x: float, y: float, text: str, anchor: str = "middle", most: float = 0) -> str:
    """most: the width that it must not exceed."""
    squeezed = f' textLength="{most:.0f}" lengthAdjust="spacingAndGlyphs"' if 6.6 * len(text) > most > 0 else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{squeezed}>{escape(text)}</text>'


def _line(x1: float, y1: float, x2: float, y2: float, colour: str = "currentColor", more: str = "") -> str:
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}" {more}/>'


def _fill(filled: bool) -> str:
    return COLOURS[0] if filled else "none"


def _spread(x1: float, y1: float, x2: float, y2: float, colour: str = "currentColor") -> list[str]:
    """A line with ends across it."""
    across, down = (0, 3) if y1 == y2 else (3, 0)
    ends = [_line(x - across, y - down, x + across, y + down, colour) for x, y in ((x1, y1), (x2, y2))]
    return [_line(x1, y1, x2, y2, colour), *ends] if abs(x2 - x1) + abs(y2 - y1) > 1 else []


def bars(rows: Sequence[tuple[str, Sequence[float], bool]], title: str, caption: str,
         text: Callable[[float], str] = "{:,.0f}".format) -> str:
    """rows: (label, samples, filled), a bar for the median and a line from the least to the greatest."""
    left = min(400, 20 + 6.6 * max(len(label) for label, *_ in rows))
    bottom = TOP + 24 * len(rows)
    scale = (WIDTH - left - 80) / max(*(max(samples) for _, samples, _ in rows), 1e-9)
    parts = [_text(WIDTH / 2, bottom + 20, caption)]
    for i, (label, samples, filled) in enumerate(rows):
        y, middle = TOP + 24 * i, statistics.median(samples)
        parts += [_text(left - 8, y + 13, label, "end", left - 12),
                  f'<rect x="{left:.1f}" y="{y}" width="{middle * scale:.1f}" height="18" stroke="{COLOURS[0]}" fill="{_fill(filled)}"/>',
                  *_spread(left + min(samples) * scale, y + 9, left + max(samples) * scale, y + 9),
                  _text(left + max(samples) * scale + 8, y + 13, text(middle), "start")]
    return _svg(bottom + 30, title, parts)


def _ticks(low: float, high: float, log: bool) -> list[float]:
    """Round numbers of a range."""
    if log:
        powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
        found = [digit * 10.0**e for e in powers for digit in (1, 2, 5)]
    else:
        step = next(size for e in range(-3, 12) for size in (10.0**e, 2 * 10.0**e, 5 * 10.0**e) if high - low <= 8 * size)
        found = [step * i for i in range(math.ceil(low / step), math.floor(high / step) + 1)]
    return [tick for tick in found if low <= tick <= high]


def _scale(low: float, high: float, begin: float, end: float, log: bool) -> Callable[[float], float]:
    measure: Callable[[float], float] = math.log if log else float
    return lambda value: begin + (measure(value) - measure(low)) / (measure(high) - measure(low) or 1) * (end - begin)


def _levels(place: Callable[[float], float], ticks: Iterable[float]) -> list[str]:
    return [_line(LEFT, y, WIDTH - RIGHT, y, more='stroke-opacity=".2"') + _text(LEFT - 8, y + 4, f"{tick:,g}", "end")
            for tick in ticks for y in [place(tick)]]


def curve(points: Sequence[tuple[float, float]], title: str, x_label: str, marks: Sequence[tuple[str, float]]) -> str:
    """points: (x, y) in order; marks: (label, x)."""
    bottom = 240
    low, high = points[0][0], points[-1][0]
    at_x, at_y = _scale(low, high, LEFT, WIDTH - RIGHT, False), _scale(0, max(y for _, y in points), bottom, TOP, False)
    parts = [_text(WIDTH / 2, bottom + 52, x_label), _line(LEFT, bottom, WIDTH - RIGHT, bottom, more='stroke-opacity=".5"')]
    for tick in _ticks(low, high, False):
        x = at_x(tick)
        parts += [_line(x, bottom, x, bottom + 5, more='stroke-opacity=".5"'), _text(x, bottom + 20, f"{tick:,g}")]
    path = " ".join(f"{at_x(x):.1f},{at_y(y):.1f}" for x, y in points)
    parts.append(f'<polyline points="{path}" fill="none" stroke="{COLOURS[0]}" stroke-width="2"/>')
    for label, x in marks:
        if low <= x <= high:
            parts += [_line(at_x(x), bottom, at_x(x), bottom - 40, COLOURS[3]), _text(at_x(x), bottom - 46, label)]
    return _svg(bottom + 60, title, parts)


def scatter(points: Sequence[tuple[str, float, float, bool]], title: str, x_label: str) -> str:
    """points: (label, x, y, filled), y on a scale of powers of ten."""
    bottom, right = 360, max(x for _, x, *_ in points) * 1.1
    low, high = min(y for *_, y, _ in points) / 1.4, max(y for *_, y, _ in points) * 1.4
    at_x, at_y = _scale(0, right, LEFT, WIDTH - RIGHT, False), _scale(low, high, bottom, TOP, True)
    parts = [_text(WIDTH / 2, bottom + 52, x_label), *(_text(at_x(tick), bottom + 20, f"{tick:,g}") for tick in _ticks(0, right, False)),
             *_levels(at_y, _ticks(low, high, True))]
    for label, x, y, filled in points:
        parts.append(f'<circle cx="{at_x(x):.1f}" cy="{at_y(y):.1f}" r="5" stroke="{COLOURS[0]}" stroke-width="2" fill="{_fill(filled)}"/>')
        before = at_x(x) > WIDTH - 160
        parts.append(_text(at_x(x) + (-9 if before else 9), at_y(y) + 4, label, "end" if before else "start"))
    return _svg(bottom + BOTTOM, title, parts)
