# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Results as one page that a browser opens and that needs nothing else: plots, then sortable tables."""

import pathlib
import string
from html import escape

from . import plots
from .results import Results
from .tables import Table, about_rest, about_versions, compare, describe, tables

TEMPLATE = pathlib.Path(__file__).with_name("page.html")


def _table(table: Table) -> str:
    head = "".join(f'<th scope="col"><button type="button">{escape(column)}</button></th>' for column in table.columns)
    rows = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in table.rows)
    return (f"<h2>{escape(table.title)}</h2>\n<p class=\"soft\">{escape(table.about)}</p>\n"
            f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>')


def _unique_ids(svg: str, prefix: str) -> str:
    """Several pictures are in one page: what one of them defines, another one must not use."""
    return svg.replace('id="', f'id="{prefix}-').replace('xlink:href="#', f'xlink:href="#{prefix}-').replace("url(#", f"url(#{prefix}-")


def page(runs: list[Results]) -> str:
    """The page of one run, or of several side by side."""
    parts = []
    if len(runs) > 1:
        parts.append(_table(compare(runs)))
    for i, results in enumerate(runs):
        if len(runs) > 1:
            parts.append(f"<h1>{escape(results.name)}</h1>")
        parts.append(f'<p class="soft">{escape(describe(results))} {escape(about_versions(results))}</p>')
        parts += [f'<p class="soft">{escape(line)}</p>' for line in about_rest(results)]
        parts += [f"<figure>{_unique_ids(plots.svg(figure, 'currentColor'), f'{name}{i}')}</figure>" for name, figure in plots.draw(results).items()]
        parts += [_table(table) for table in tables(results)]
    title = "slhconsensus: SLH-DSA-SHA2-128s, measured"
    return string.Template(TEMPLATE.read_text(encoding="utf-8")).substitute(title=title, body="\n".join(parts))
