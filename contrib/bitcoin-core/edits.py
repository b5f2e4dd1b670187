# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""The edits of Bitcoin Core's files: one file of edits per file of Core, in a folder that mirrors Core's paths.

edits/src/policy/policy.cpp.toml holds the edits of src/policy/policy.cpp, in their order. Each [[edit]] says where it belongs
and what to do there:

  in       a line that opens a block, or several from the outside in: the place is looked for in that block alone
  before   `lines` go before this line
  after    `lines` go after this line
  replace  `lines` stand for this line (without `lines`: it is removed)
  through  with `replace`: the last of the lines that are replaced; `digest` then names what is between them
  line     with `swap`: in this line, the first string of `swap` becomes the second
  without  there is nothing to do in sources where no line begins like this
  or       [[edit.or]]: another place for sources that don't have the first one; `lines`, if not given, are the edit's own

A line is named by its beginning, indentation aside; what is replaced is named in full. `before`, `after` and `replace` may be
several consecutive lines. A place must exist exactly once: in the block that `in` opens, or in the file. Places are looked up
in the sources as they were, so that no edit depends on another.

A file may begin with `optional = "why"`: sources without that file of Core are fine.
"""
from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

LONGEST_NAMED = 3  #: Of more lines than this that are replaced, the first and the last are named, and a digest.


class IntegrationError(Exception):
    """Problems, one line each, which names the file and the place."""


class Misplaced(Exception):
    """A place that does not exist exactly once. `missing`: it is not there at all."""

    def __init__(self, what: str, missing: bool = True) -> None:
        super().__init__(what)
        self.missing = missing


@dataclass(frozen=True)
class Change:
    """An edit's change of a file: lines [begin, end) become `lines`."""

    begin: int
    end: int
    lines: list[str]


def begins(line: str, beginning: str) -> bool:
    """True if this beginning names the line; the empty one names blank lines."""
    line = line.strip()
    return line.startswith(beginning) if beginning else not line


def indentation(line: str) -> int:
    return len(line) - len(line.lstrip())


def block_end(text: Sequence[str], opening: int, limit: int) -> int:
    """Where the block that a line opens ends: with a closing bracket, or before the next line that is indented no deeper."""
    labels = ("public:", "protected:", "private:")
    if text[opening].lstrip().startswith("switch "):
        labels += ("case ", "default:")
    for i in range(opening + 1, limit):
        line = text[i].strip()
        if not line or indentation(text[i]) > indentation(text[opening]) or line.startswith(("{", "#", *labels)):
            continue
        return i + 1 if line[0] in "})" else i
    return limit


def digest(lines: Sequence[str]) -> str:
    """A short name for the content of lines, indentation aside."""
    return hashlib.sha256("\n".join(line.strip() for line in lines).encode()).hexdigest()[:12]


@dataclass(frozen=True)
class Place:
    """Where in a file an edit belongs."""

    kind: str  #: "before", "after", "replace", "line" or "without"
    anchor: tuple[str, ...]
    scopes: tuple[str, ...] = ()
    through: str | None = None
    digest: str | None = None

    def describe(self) -> str:
        scopes = "".join(f" in '{scope}'" for scope in reversed(self.scopes))
        return f"{self.kind} '{' / '.join(self.anchor)}'{scopes}"

    def matches(self, text: Sequence[str], at: int) -> bool:
        if self.kind == "replace":
            return all(text[at + k].strip() == line for k, line in enumerate(self.anchor))
        return all(begins(text[at + k], line) for k, line in enumerate(self.anchor))

    def only(self, found: list[int], what: str) -> int:
        if len(found) == 1:
            return found[0]
        if not found:
            raise Misplaced(f"{what}: not found")
        raise Misplaced(f"{what}: not unique (lines {', '.join(str(i + 1) for i in found)})", missing=False)

    def find(self, text: Sequence[str]) -> tuple[int, int]:
        """Return the range of lines that the anchor names.

        Raises:
            Misplaced: if it does not exist exactly once.
        """
        # Recording tries thousands of places: whether a line has the text at all is asked first, because that is quick.
        begin, end = 0, len(text)
        for scope in self.scopes:
            blocks = [i for i in range(begin, end) if scope in text[i] and begins(text[i], scope)]
            begin = self.only(blocks, f"{self.describe()}: block '{scope}'")
            end = block_end(text, begin, end)
        found = [i for i in range(begin, end - len(self.anchor) + 1) if self.anchor[0] in text[i] and self.matches(text, i)]
        if self.kind == "without":
            if found:
                raise Misplaced(f"{self.describe()}: found in line {found[0] + 1}")
            return 0, 0
        at = self.only(found, self.describe())
        if self.through is None:
            return at, at + len(self.anchor)
        ends = [i + 1 for i in range(at + 1, end) if text[i].strip() == self.through and digest(text[at:i + 1]) == self.digest]
        if not ends:
            raise Misplaced(f"{self.describe()}: through '{self.through}' are not the lines that the edit was made for")
        return at, ends[0]


@dataclass(frozen=True)
class Edit:
    """One entry of a file of edits."""

    place: Place
    lines: tuple[str, ...] | None = None
    swap: tuple[str, str] | None = None
    others: tuple[Edit, ...] = field(default=())

    def change_here(self, text: Sequence[str]) -> Change:
        begin, end = self.place.find(text)
        if self.swap is not None:
            old, new = self.swap
            if text[begin].count(old) != 1:
                raise Misplaced(f"{self.place.describe()}: the line does not have '{old}' once")
            return Change(begin, end, text[begin].replace(old, new).split("\n"))
        lines = list(self.lines or ())
        if self.place.kind == "before":
            return Change(begin, begin, lines)
        if self.place.kind == "after":
            return Change(end, end, lines)
        return Change(begin, end, lines)  # "replace"; "without" changes nothing

    def change(self, text: Sequence[str]) -> Change:
        """Return what this edit does to a file with these lines.

        Raises:
            Misplaced: if neither its place nor another one that it gives is there, or one is there twice.
        """
        try:
            return self.change_here(text)
        except Misplaced as error:
            if not error.missing:
                raise
            for other in self.others:
                try:
                    return other.change_here(text)
                except Misplaced as problem:
                    if not problem.missing:
                        raise
            raise


@dataclass
class FileEdits:
    """The edits of one file of Core."""

    file: str
    edits: list[Edit]
    optional: str | None = None

    def apply(self, content: str) -> str:
        """Return the file's content with the edits made.

        Raises:
            IntegrationError: with a line for each edit that has no place.
        """
        text = content.split("\n")
        changes, problems = [], []
        for edit in self.edits:
            try:
                changes.append(edit.change(text))
            except Misplaced as error:
                problems.append(f"{self.file}: {error}")
        changes.sort(key=lambda change: (change.begin, change.end))  # stable: what goes to one place keeps its order
        for this, following in zip(changes, changes[1:]):
            if following.begin < this.end:
                problems.append(f"{self.file}: line {following.begin + 1} is changed twice")
        if problems:
            raise IntegrationError("\n".join(problems))
        for change in reversed(changes):
            text[change.begin:change.end] = change.lines
        return "\n".join(text)


def split_lines(text: str) -> tuple[str, ...]:
    return tuple(text.removesuffix("\n").split("\n"))


def names(value: str | list[str]) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(value)


def parse_edit(entry: dict[str, Any], parent: Edit | None = None) -> Edit:
    """One [[edit]] or [[edit.or]].

    Raises:
        IntegrationError: if its keys are not those of one edit.
    """
    entry = dict(entry)
    kinds = [kind for kind in ("before", "after", "replace", "line", "without") if kind in entry]
    if len(kinds) != 1:
        raise IntegrationError(f"an edit must have one of before, after, replace, line and without: {entry}")
    place = Place(kinds[0], names(entry.pop(kinds[0])), names(entry.pop("in", [])), entry.pop("through", None), entry.pop("digest", None))
    lines = split_lines(entry.pop("lines")) if "lines" in entry else None
    swap = tuple(entry.pop("swap")) if "swap" in entry else None
    if parent is not None and lines is None and swap is None and place.kind != "without":
        lines, swap = parent.lines, parent.swap
    others = entry.pop("or", [])
    fits = (swap is not None) == (place.kind == "line") and (lines is None or swap is None) and (swap is None or len(swap) == 2)
    fits = fits and (place.kind != "without" or lines is None)
    needs_lines = place.kind in ("before", "after")
    if entry or not fits or (needs_lines and lines is None) or ((place.through is None) != (place.digest is None)):
        raise IntegrationError(f"{place.describe()}: unknown, missing or contradicting keys {sorted(entry)}".replace(" []", ""))
    edit = Edit(place, lines, swap)
    return Edit(place, lines, swap, tuple(parse_edit(other, edit) for other in others))


def load(folder: Path) -> dict[str, FileEdits]:
    """Read the edits of each file of Core from a folder that mirrors Core's paths."""
    result = {}
    for path in sorted(folder.rglob("*.toml")):
        file = path.relative_to(folder).as_posix().removesuffix(".toml")
        try:
            parsed = tomllib.loads(path.read_text(encoding="utf-8"))
            result[file] = FileEdits(file, [parse_edit(entry) for entry in parsed.pop("edit")], parsed.pop("optional", None))
            if parsed:
                raise IntegrationError(f"unknown keys {sorted(parsed)}")
        except (tomllib.TOMLDecodeError, IntegrationError, KeyError) as error:
            raise IntegrationError(f"{path}: {error}") from error
    return result


def quoted(text: str) -> str:
    if "'" not in text and text.isprintable():
        return f"'{text}'"
    escapes = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}
    return '"' + "".join(escapes.get(c, c) for c in text) + '"'


def quoted_lines(lines: Sequence[str]) -> str:
    if len(lines) == 1 and lines[0]:
        return quoted(lines[0])
    if not any("'''" in line or "\r" in line for line in lines):
        return "'''\n" + "\n".join(lines) + "\n'''"
    return quoted("\n".join(lines) + "\n")


def written_edit(edit: Edit, header: str, parent: Edit | None = None) -> str:
    def listed(values: tuple[str, ...]) -> str:
        return quoted(values[0]) if len(values) == 1 else "[" + ", ".join(map(quoted, values)) + "]"

    place = edit.place
    rows = [header]
    if place.scopes:
        rows.append(f"in = {listed(place.scopes)}")
    rows.append(f"{place.kind} = {listed(place.anchor)}")
    if place.through is not None:
        rows += [f"through = {quoted(place.through)}", f"digest = {quoted(place.digest or '')}"]
    if edit.swap is not None and (parent is None or parent.swap != edit.swap):
        rows.append(f"swap = [{', '.join(map(quoted, edit.swap))}]")
    if edit.lines is not None and (parent is None or parent.lines != edit.lines):
        rows.append(f"lines = {quoted_lines(edit.lines)}")
    return "\n".join([*rows, *(f"\n{written_edit(other, '[[edit.or]]', edit)}" for other in edit.others)])


def written(edits: FileEdits) -> str:
    """The content of a file of edits."""
    head = [f"optional = {quoted(edits.optional)}"] if edits.optional is not None else []
    return "\n\n".join([*head, *(written_edit(edit, "[[edit]]") for edit in edits.edits)]) + "\n"
