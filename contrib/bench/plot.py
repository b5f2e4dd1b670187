# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""The two plots of doc/worst-case.md as SVG: a curve with marks on its axis, and bars on a logarithmic scale."""

import math
from html import escape

WIDTH, LEFT, RIGHT, TOP, BOTTOM = 760, 60, 20, 40, 60
STYLE = '<style>text{font:12px sans-serif;fill:#222}.title{font-size:14px;font-weight:bold}.axis{stroke:#888}.grid{stroke:#ddd}</style>'


def _svg(height, parts):
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}">', STYLE, f'<rect width="{WIDTH}" height="{height}" fill="white"/>', *parts, "</svg>"]
    return "\n".join(lines) + "\n"


def _text(x, y, text, anchor="middle", css=""):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"' + (f' class="{css}"' if css else "") + f">{escape(text)}</text>"


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


def bars(rows, title, x_label, reference=None):
    """rows: (label, value), values positive; reference: (label, value), a dashed line. The scale is logarithmic."""
    left, row_height = 260, 20
    height = TOP + len(rows) * row_height + BOTTOM
    values = [value for _, value in rows] + ([reference[1]] if reference else [])
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    high = max(high, low + 1)

    def place(value):
        return left + (math.log10(value) - low) / (high - low) * (WIDTH - left - RIGHT - 60)

    bottom = TOP + len(rows) * row_height
    parts = [_text(WIDTH / 2, 22, title, css="title"), _text(left, height - 8, x_label, anchor="start")]
    for power in range(low, high + 1):
        parts += [f'<line class="grid" x1="{place(10**power):.1f}" y1="{TOP}" x2="{place(10**power):.1f}" y2="{bottom}"/>', _text(place(10**power), bottom + 16, f"{10**power:g}")]
    for i, (label, value) in enumerate(rows):
        y = TOP + i * row_height
        parts += [_text(left - 6, y + 14, label, anchor="end"), f'<rect x="{left}" y="{y + 3}" width="{max(1, place(value) - left):.1f}" height="{row_height - 6}" fill="#1f6fb2"/>',
                  _text(place(value) + 4, y + 14, f"{value:.3g}", anchor="start")]
    if reference:
        x = place(reference[1])
        parts += [f'<line x1="{x:.1f}" y1="{TOP}" x2="{x:.1f}" y2="{bottom}" stroke="#b2331f" stroke-dasharray="4 3"/>', _text(x, bottom + 34, reference[0])]
    return _svg(height, parts)
