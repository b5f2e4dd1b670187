# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Results as one page that a browser opens and that needs nothing else: plots, then sortable tables."""

import pathlib
import string
from html import escape

from matplotlib.figure import Figure

from . import plots
from .results import Results
from .tables import Table, about_rest, about_versions, compare, describe, tables

TEMPLATE = pathlib.Path(__file__).with_name("page.html")


def table(table: Table) -> str:
    """A table with its heading."""
    head = "".join(f'<th scope="col"><button type="button">{escape(column)}</button></th>' for column in table.columns)
    rows = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in table.rows)
    return (f"<h2>{escape(table.title)}</h2>\n<p class=\"soft\">{escape(table.about)}</p>\n"
            f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>')


def figure(plot: Figure, name: str) -> str:
    """A picture. Several are in one page, and what one of them defines, another one must not use: their names differ."""
    svg = plots.svg(plot, "currentColor").replace('id="', f'id="{name}-').replace('xlink:href="#', f'xlink:href="#{name}-').replace("url(#", f"url(#{name}-")
    return f"<figure>{svg}</figure>"


def document(title: str, parts: list[str]) -> str:
    """A page of these parts."""
    return string.Template(TEMPLATE.read_text(encoding="utf-8")).substitute(title=title, body="\n".join(parts))


def page(runs: list[Results]) -> str:
    """The page of one run, or of several side by side."""
    parts = []
    if len(runs) > 1:
        parts.append(table(compare(runs)))
    for i, results in enumerate(runs):
        if len(runs) > 1:
            parts.append(f"<h1>{escape(results.name)}</h1>")
        parts.append(f'<p class="soft">{escape(describe(results))} {escape(about_versions(results))}</p>')
        parts += [f'<p class="soft">{escape(line)}</p>' for line in about_rest(results)]
        parts += [figure(plot, f"{name}{i}") for name, plot in plots.draw(results).items()]
        parts += map(table, tables(results))
    return document("slhconsensus: SLH-DSA-SHA2-128s, measured", parts)
