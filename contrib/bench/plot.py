# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""The plots of README.md and doc/worst-case.md as SVG: bars, a curve with marks on its axis, and points with names."""

import math
from html import escape

WIDTH, LEFT, RIGHT, TOP, BOTTOM = 760, 60, 20, 40, 60
STYLE = '<style>text{font:12px sans-serif;fill:#222}.title{font-size:14px;font-weight:bold}.axis{stroke:#888}.grid{stroke:#ddd}</style>'


def _svg(height, parts):
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}">', STYLE, f'<rect width="{WIDTH}" height="{height}" fill="white"/>', *parts, "</svg>"]
    return "\n".join(lines) + "\n"


def _text(x, y, text, anchor="middle", css=""):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"' + (f' class="{css}"' if css else "") + f">{escape(text)}</text>"


def bars(rows, title, caption):
    """rows: (label, value, filled)."""
    left, height = 180, TOP + 24 * len(rows) + 30
    scale = (WIDTH - left - 80) / max(value for _, value, _ in rows)
    parts = [_text(WIDTH / 2, 22, title, css="title"), _text(WIDTH / 2, height - 8, caption)]
    for y, (label, value, filled) in enumerate(rows):
        y = TOP + 24 * y
        parts += [_text(left - 8, y + 13, label, "end"), f'<rect x="{left}" y="{y}" width="{value * scale:.1f}" height="18" stroke="#1f6fb2" fill="{"#1f6fb2" if filled else "white"}"/>',
                  _text(left + value * scale + 6, y + 13, f"{value:,.0f}", "start")]
    return _svg(height, parts)


def curve(points, title, x_label, marks):
    """points: (x, y) in order; marks: (label, x)."""
    height = 300
    low, high = points[0][0], points[-1][0]
    top = max(y for _, y in points)
    bottom = height - BOTTOM

    def place(x):
        return LEFT + (x - low) / (high - low) * (WIDTH - LEFT - RIGHT)

    parts = [_text(WIDTH / 2, 22, title, css="title"), _text(WIDTH / 2, height - 8, x_label), f'<line class="axis" x1="{LEFT}" y1="{bottom}" x2="{WIDTH - RIGHT}" y2="{bottom}"/>']
    for tick in range(math.ceil(low / 200) * 200, int(high) + 1, 200):
        parts += [f'<line class="axis" x1="{place(tick):.1f}" y1="{bottom}" x2="{place(tick):.1f}" y2="{bottom + 5}"/>', _text(place(tick), bottom + 20, f"{tick:,}")]
    path = " ".join(f"{place(x):.1f},{bottom - y / top * (bottom - TOP):.1f}" for x, y in points)
    parts.append(f'<polyline points="{path}" fill="none" stroke="#1f6fb2" stroke-width="2"/>')
    for label, x in marks:
        if low <= x <= high:
            parts += [f'<line x1="{place(x):.1f}" y1="{bottom}" x2="{place(x):.1f}" y2="{bottom - 40}" stroke="#b2331f"/>', _text(place(x), bottom - 46, label)]
    return _svg(height, parts)


def scatter(points, title, x_label):
    """points: (label, x, y, filled), y on a scale of powers of ten."""
    height = 420
    bottom, high = height - BOTTOM, max(x for _, x, *_ in points) * 1.1
    low_log, high_log = math.log10(min(y for *_, y, _ in points) / 1.4), math.log10(max(y for *_, y, _ in points) * 1.4)

    def place(x, y):
        return LEFT + x / high * (WIDTH - LEFT - RIGHT), bottom - (math.log10(y) - low_log) / (high_log - low_log) * (bottom - TOP)

    parts = [_text(WIDTH / 2, 22, title, css="title"), _text(WIDTH / 2, height - 8, x_label), f'<line class="axis" x1="{LEFT}" y1="{bottom}" x2="{WIDTH - RIGHT}" y2="{bottom}"/>']
    for tick in range(0, int(high) + 1, 2000):
        parts.append(_text(place(tick, 1)[0], bottom + 20, f"{tick:,}"))
    for tick in (tick * scale for scale in (0.01, 0.1, 1, 10, 100) for tick in (1, 2, 5)):
        if low_log <= math.log10(tick) <= high_log:
            y = place(0, tick)[1]
            parts += [f'<line class="grid" x1="{LEFT}" y1="{y:.1f}" x2="{WIDTH - RIGHT}" y2="{y:.1f}"/>', _text(LEFT - 8, y + 4, f"{tick:g}", "end")]
    for label, x, y, filled in points:
        at_x, at_y = place(x, y)
        parts.append(f'<circle cx="{at_x:.1f}" cy="{at_y:.1f}" r="5" stroke="#1f6fb2" stroke-width="2" fill="{"#1f6fb2" if filled else "white"}"/>')
        parts.append(_text(at_x + 9, at_y + 4, label, "start") if at_x < WIDTH - 160 else _text(at_x - 9, at_y + 4, label, "end"))
    return _svg(height, parts)
