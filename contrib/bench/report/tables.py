# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Results as tables: rows for Markdown and for the page, every figure with its denominator."""

from dataclasses import dataclass

from .results import ROUNDS, Results, Series
TITLES = {
    "verify": "Verification, one thread", "threads": "Verification by number of threads",
    "sign": "Signing", "keygen": "Key generation",
    "start": "A whole process that verifies one signature", "memory": "Memory",
}
NOTES = {
    "times as fast": "'times as fast': the median of the ratios to the named reference, measured beside it. ",
    "of the bound": "'of the bound': the cycles that the core's units need at best for all compressions, as a share of those taken. ",
    "ours is": "'ours is': how many times as fast our best engine is, one at a time and in a batch. ",
}
DEFAULTS = {"signatures": "1", "threads": "1"}  # what a column says that may be left out where it says nothing else


@dataclass(frozen=True)
class Table:
    """A heading, a sentence on what is measured, columns, and rows of text."""

    title: str
    about: str
    columns: list[str]
    rows: list[list[str]]


def number(value: float) -> str:
    """Three significant digits, or two decimals, without an exponent."""
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def spread(series: Series) -> str:
    """The least and the greatest sample."""
    return f"{number(min(series.samples))} to {number(max(series.samples))}" if len(series.samples) > 1 else "one sample"


def _behind(results: Results, peer: Series) -> str:
    """How many times as fast as a peer our best figure of the same kind is, one signature or key at a time and in the best batch. Both were
    measured in the same rounds; the ratio is that of medians. Peers remember nothing between signatures: where we do, that is another kind."""
    def kind(s: Series) -> tuple[str, ...]:
        return s.unit, s.per, s.clock, s.variant

    ours = [s for s in results.group(peer.group) if s.ours and kind(s) == kind(peer)]
    alone = [s.median for s in ours if s.batch == peer.batch]
    batch = min((s for s in ours if s.batch != peer.batch), key=lambda s: s.median, default=None)
    parts = [f"{number(peer.median / min(alone))} x"] if alone else []
    parts += [f"{number(peer.median / batch.median)} x in a batch of {batch.batch:,}"] if batch else []
    return ", ".join(parts)


def _row(results: Results, s: Series) -> dict[str, str]:
    ratio, bound = s.ratio, results.of_bound(s)
    return {"by": s.label, "what": s.what, "signatures": f"{s.batch:,}", "threads": str(s.threads), "clock": s.clock,
            f"{s.unit} per {s.per}": number(s.median), "spread": spread(s), "samples": str(len(s.samples)),
            "times as fast": f"{number(ratio)} x {s.reference}" if ratio is not None else "", "of the bound": f"{bound:.0%}" if bound else "", "ours is": "" if s.ours else _behind(results, s)}


def _table(results: Results, title: str, series: list[Series]) -> Table:
    """Series of one group and unit; columns that are empty or say nothing are left out."""
    rows = [_row(results, s) for s in series]
    columns = [c for c in rows[0] if any(row[c] not in ("", DEFAULTS.get(c)) for row in rows)]
    about = ["Medians of samples. ", *(NOTES[c] for c in columns if c in NOTES)]
    return Table(title, "".join(about).rstrip(), columns, [[row[c] for c in columns] for row in rows])


def tables(results: Results) -> list[Table]:
    """A table for each group and unit that is not empty."""
    made = []
    for group, title in TITLES.items():
        units: dict[tuple[str, str], list[Series]] = {}
        for s in results.group(group):
            units.setdefault((s.unit, s.per), []).append(s)
        for (unit, per), series in units.items():
            made.append(_table(results, title if len(units) == 1 else f"{title}, {unit} per {per}", series))
    return made


def describe(results: Results) -> str:
    """One sentence that says where the figures are from."""
    about = results.about
    machine = about["machine"]
    core = f"{machine['core']}, " if machine["core"] else ""
    busy = f"; the load before it was {machine['load']}" if machine.get("load", 0) > 0.5 else ""
    clock = f", {machine['ghz']:.2f} GHz" if machine.get("ghz") else ""
    complete, rounds = about.get("complete", True), about["options"]["rounds"]
    how_many = ("" if complete else "at most ") + (f"{rounds} rounds" if rounds != 1 else "one round")
    part = "" if complete else " The run was interrupted: what it had is here."
    few = f" With fewer than {ROUNDS} rounds, a difference within the spreads may be chance." if rounds < ROUNDS else ""
    return (f"{machine['processor']} ({core}family {machine['family']}, model {machine['model']}{clock}), {machine['threads']} threads, {machine['memory_gib']} GiB, "
            f"{machine['system']}, {about.get('compiler', 'unknown compiler')}, commit {about['commit']}, {about['date']}, "
            f"{how_many}{busy}.{part}{few}")


def lines(table: Table, level: int) -> list[str]:
    """A table in Markdown, with a heading of a level."""
    return ["#" * level + " " + table.title, "", table.about, "", "| " + " | ".join(table.columns) + " |", "|" + "---|" * len(table.columns),
            *("| " + " | ".join(row) + " |" for row in table.rows)]


def markdown(results: Results) -> str:
    """All tables."""
    made = [describe(results), ""]
    if about_versions(results):
        made += [about_versions(results), ""]
    for table in tables(results):
        made += ["", *lines(table, 3)]
    made += [line for each in about_rest(results) for line in ("", each)]
    return "\n".join(made) + "\n"


def about_versions(results: Results) -> str:
    """The peers and their languages by version, or nothing."""
    found = [version if version.startswith(name) else f"{name} {version}" for name, version in results.about.get("versions", {}).items()]
    return f"Versions: {', '.join(found)}." if found else ""


def about_rest(results: Results) -> list[str]:
    """A sentence on each thing that could not be measured, and on what was changed in the results by hand."""
    return [f"Not measured: {name} ({why})." for name, why in results.about.get("missing", {}).items()] + results.about.get("notes", [])
