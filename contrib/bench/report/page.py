# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""A page that a browser opens and that needs nothing else: sortable tables and plots."""

import pathlib
from html import escape

from .tables import Table

TEMPLATE = pathlib.Path(__file__).resolve().parents[3] / "src/tool/page.html"


def table(table: Table) -> str:
    """A table with its heading."""
    head = "".join(f'<th scope="col"><button type="button">{escape(column)}</button></th>' for column in table.columns)
    cells = [[f'<td data-column="{escape(column)}">{escape(cell)}</td>' for column, cell in zip(table.columns, row)] for row in table.rows]
    rows = "".join(f"<tr>{''.join(row)}</tr>" for row in cells)
    return (f"<h2>{escape(table.title)}</h2>\n<p class=\"soft\">{escape(table.about)}</p>\n"
            f'<div class="scroll"><table class="cards"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>')


def figure(svg: str) -> str:
    return f"<figure>{svg}</figure>"


def paragraphs(lines: list[str]) -> list[str]:
    return [f'<p class="soft">{escape(line)}</p>' for line in lines]


def document(title: str, parts: list[str]) -> str:
    """A page of these parts, in the template of `slhtool debug --html`."""
    body = "\n".join([f"<h1>{escape(title)}</h1>", *parts])
    return TEMPLATE.read_text(encoding="utf-8").replace("@TITLE@", escape(title)).replace("@DATA@", "null").replace("@BODY@", body)
