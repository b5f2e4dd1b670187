# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Pictures, for files and for the page."""

import pathlib
from collections.abc import Callable

import plot


def bars(title: str, caption: str, rows: list[tuple[str, list[float]]], lines: list[tuple[float, str]],
         text: Callable[[float], str]) -> str:
    return plot.bars([(label, samples, True) for label, samples in rows], title, caption, lines, text) if rows else ""


def save(pictures: dict[str, str], folder: pathlib.Path) -> None:
    for name, svg in pictures.items():
        (folder / f"{name}.svg").write_text(svg, encoding="utf-8")
