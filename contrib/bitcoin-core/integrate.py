#!/usr/bin/env python3
# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Put the module into Bitcoin Core's sources: our lines (edits.toml) at one-line anchors, and files of our own (src/).

A tree that has them already is left as it is. An anchor that is missing, or not the only one, is named, and nothing
is written.
"""
from __future__ import annotations

import argparse
import difflib
import shutil
import stat
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
EDITS = HERE / "edits.toml"
OUR_FILES = HERE / "src"
NEEDLE = Path("src/script/interpreter.cpp")
OUR_MARK = Path("src/slhdsa/program.h")  # a folder that has it is a copy that was made here


class IntegrationError(Exception):
    """What is wrong, in one line that names the file and the anchor."""


@dataclass(frozen=True)
class Edit:
    """One entry of edits.toml."""

    file: str
    anchor: str
    place: str = "after"
    mark: str = ""
    lines: str = ""
    swap: tuple[str, str] | None = None

    def problem(self, what: str) -> IntegrationError:
        return IntegrationError(f"{self.file}: anchor '{self.anchor}': {what}")

    def apply(self, text: list[str]) -> list[str]:
        """Return the file's lines with this edit made.

        Raises:
            IntegrationError: if the anchor is not exactly one line.
        """
        found = [i for i, line in enumerate(text) if line.strip().startswith(self.anchor)]
        if len(found) != 1:
            raise self.problem("not found" if not found else f"not unique (lines {', '.join(str(i + 1) for i in found)})")
        at = found[0]
        if self.swap is not None:
            old, new = self.swap
            if text[at].count(old) != 1:
                raise self.problem(f"its line does not have '{old}' once")
            return text[:at] + text[at].replace(old, new).split("\n") + text[at + 1:]
        if self.place == "above":
            at -= 1
            if at < 0 or text[at].strip() != self.mark:
                raise self.problem(f"the line above it is not '{self.mark}'")
        elif self.place == "after":
            at += 1
        return text[:at] + self.block() + text[at:]

    def block(self) -> list[str]:
        return self.lines.removesuffix("\n").split("\n")


def load_edits() -> dict[str, list[Edit]]:
    """Read edits.toml: the edits of each file, in their order."""
    by_file: dict[str, list[Edit]] = {}
    with EDITS.open("rb") as f:
        for entry in tomllib.load(f)["edit"]:
            swap = tuple(entry.pop("swap")) if "swap" in entry else None
            edit = Edit(**entry, swap=swap)
            by_file.setdefault(edit.file, []).append(edit)
    return by_file


def our_files() -> dict[str, Path]:
    """The files that are added, by their path below Core's root."""
    return {f"src/{path.relative_to(OUR_FILES).as_posix()}": path for path in sorted(OUR_FILES.rglob("*")) if path.is_file()}


def integrated(edits: list[Edit], text: str) -> str:
    """A pristine file's text with the edits made."""
    lines = text.split("\n")
    for edit in edits:
        lines = edit.apply(lines)
    return "\n".join(lines)


def write_if_changed(path: Path, content: bytes) -> bool:
    """Write a file unless it has that content; builds go by modification times."""
    if path.is_file() and path.read_bytes() == content:
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return True


def pristine_text(root: Path, file: str) -> str:
    path = root / file
    if not path.is_file():
        raise IntegrationError(f"{file}: not in {root}")
    return path.read_text(encoding="utf-8")


def plan(core: Path) -> dict[str, bytes]:
    """What every edited and added file shall be.

    Raises:
        IntegrationError: if the sources are not pristine, or not those that edits.toml was made for.
    """
    if (core / "src/slhdsa").exists():
        raise IntegrationError(f"{core} has the integration already: give pristine sources")
    wanted = {file: integrated(edits, pristine_text(core, file)).encode() for file, edits in load_edits().items()}
    for file, path in our_files().items():
        wanted[file] = path.read_bytes()
    return wanted


def check_target(core: Path, to: Path) -> None:
    """Files that do not belong into the copy are removed: see that nobody else's are there.

    Raises:
        IntegrationError: if `to` is neither new, nor empty, nor a copy that was made here.
    """
    core, to = core.resolve(), to.resolve()
    if to == core or core in to.parents or to in core.parents:
        raise IntegrationError(f"--to {to}: neither the sources, {core}, nor a folder in or around them")
    if to.exists() and any(to.iterdir()) and not (to / OUR_MARK).is_file():
        raise IntegrationError(f"--to {to}: not empty, and no copy with the integration (it has no {OUR_MARK})")


def source_files(core: Path) -> dict[str, Path]:
    """Core's files by their path below its root, without build trees and what git keeps (in a worktree, .git is a file)."""
    files = {path.relative_to(core).as_posix(): path for path in core.rglob("*") if path.is_file()}
    return {file: path for file, path in files.items() if file != ".git" and not file.startswith(("build/", ".git/"))}


def remove_others(to: Path, expected: set[str]) -> int:
    """Remove the files of `to` that are not among these, and folders that are empty then."""
    removed = 0
    for path in sorted(to.rglob("*"), reverse=True):  # what is in a folder comes before it
        if path.is_dir() and not path.is_symlink():
            if not any(path.iterdir()):
                path.rmdir()
        elif path.relative_to(to).as_posix() not in expected:
            path.unlink()
            removed += 1
    return removed


def copy_if_different(source: Path, target: Path) -> bool:
    """Give `target` the content and permissions of `source`. What is written gets the time of now: by `source`'s own, which
    may lie before that of what was there, no build would notice."""
    changed = write_if_changed(target, source.read_bytes())
    if stat.S_IMODE(target.stat().st_mode) != stat.S_IMODE(source.stat().st_mode):
        shutil.copymode(source, target)
        changed = True
    return changed


def copy_tree(core: Path, to: Path, wanted: dict[str, bytes]) -> int:
    """Make `to` the integrated copy of `core`. Files that are right stay untouched, files that do not belong go."""
    check_target(core, to)
    # First of all the mark: a copy that is interrupted can be taken up again.
    changed = int(write_if_changed(to / OUR_MARK, wanted[OUR_MARK.as_posix()]))
    sources = source_files(core)
    changed += remove_others(to, sources.keys() | wanted.keys())
    changed += sum(copy_if_different(source, to / file) for file, source in sources.items() if file not in wanted)
    return changed + sum(write_if_changed(to / file, content) for file, content in wanted.items())


def diff(core: Path, wanted: dict[str, bytes]) -> dict[str, list[str]]:
    """Unified differences of the edited files."""
    result = {}
    for file in load_edits():
        old, new = pristine_text(core, file), wanted[file].decode()
        result[file] = list(difflib.unified_diff(old.splitlines(), new.splitlines(), f"a/{file}", f"b/{file}", lineterm=""))
    return result


def diffstat(core: Path, wanted: dict[str, bytes]) -> str:
    """Lines added and removed, file by file."""
    rows = []
    for file, lines in diff(core, wanted).items():
        added = sum(line.startswith("+") and not line.startswith("+++") for line in lines)
        removed = sum(line.startswith("-") and not line.startswith("---") for line in lines)
        rows.append((file, added, removed))
    edited = len(rows)
    rows += [(file, wanted[file].count(b"\n"), 0) for file in our_files()]
    width = max(len(file) for file, _, _ in rows)
    lines = [f"{file:<{width}}  +{added:<4} -{removed}" for file, added, removed in rows]
    core_added, core_removed = sum(r[1] for r in rows[:edited]), sum(r[2] for r in rows[:edited])
    lines.append(f"{edited} files of Core: {core_added} lines added, {core_removed} changed; "
                 f"{len(rows) - edited} files of ours: {sum(r[1] for r in rows[edited:])} lines")
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("core", type=Path, help="pristine sources of Bitcoin Core, version 31 or later; they are not changed")
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--to", type=Path, metavar="DIR", help="make DIR the integrated copy, or bring it up to date")
    what.add_argument("--check", action="store_true", help="only say whether every anchor is in its place")
    what.add_argument("--stat", action="store_true", help="print what is added where")
    what.add_argument("--diff", action="store_true", help="print the differences in Core's files, for review")
    args = parser.parse_args()
    try:
        if not (args.core / NEEDLE).is_file():
            raise IntegrationError(f"{args.core} has no {NEEDLE}")
        wanted = plan(args.core)
        if args.check:
            print(f"{sum(len(e) for e in load_edits().values())} anchors in {len(load_edits())} files are in their places")
        elif args.stat:
            print(diffstat(args.core, wanted))
        elif args.diff:
            print("\n".join(line for lines in diff(args.core, wanted).values() for line in lines))
        else:
            print(f"{args.to}: {copy_tree(args.core, args.to, wanted)} files written")
    except (IntegrationError, OSError) as error:
        print(f"integrate.py: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
