#!/usr/bin/env python3
# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Put SLH-DSA and P2MR into Bitcoin Core's sources: edits of Core's files (edits/, see edits.py) and files of our own, which are
kept whole (src/, cmake/, doc/, and functional/ for test/functional/).

Nothing is written if the place of an edit is missing or not the only one; each such place is named.
"""
from __future__ import annotations

import argparse
import dataclasses
import os
import re
import shutil
import stat
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path

from edits import Edit, FileEdits, IntegrationError, load, written, written_edit
from record import recorded

HERE = Path(__file__).resolve().parent
EDITS = HERE / "edits"
SERIES = HERE / "series.toml"
#: Folders of whole files here, and where they belong in Core's tree.
OUR_FOLDERS = {"src": "src", "cmake": "cmake", "doc": "doc", "functional": "test/functional"}
#: A file from elsewhere in this repository, which the functional tests import.
BORROWED = {"test/functional/slhdsa.py": HERE.parents[1] / "doc/bip/reference/slhdsa.py"}
NOT_ADDED = ("README.md", "test_*.py")  #: for people who use these folders here
NEEDLE = Path("src/script/interpreter.cpp")
OUR_FOLDER = Path("src/slhdsa")  #: integrated sources have it
MANIFEST = ".slhdsa-copy"  #: the files of a copy that was made here, a line each: only they are ever removed
AUTHOR = ("The slhconsensus developers", "developers@slhconsensus.invalid")


def our_files() -> dict[str, Path]:
    """The files that are added, by their path below Core's root."""
    files = {}
    for folder, there in OUR_FOLDERS.items():
        for path in sorted((HERE / folder).rglob("*")):
            if path.is_file() and path.suffix != ".pyc" and not any(path.match(pattern) for pattern in NOT_ADDED):
                files[f"{there}/{path.relative_to(HERE / folder).as_posix()}"] = path
    return files | {file: path for file, path in BORROWED.items() if path.is_file()}


def where_ours(file: str) -> Path:
    """Where a new file of the integrated tree is kept.

    Raises:
        IntegrationError: if there is no folder for it.
    """
    for folder, there in OUR_FOLDERS.items():
        path = HERE / folder / file.removeprefix(f"{there}/")
        if file.startswith(f"{there}/") and not any(path.match(pattern) for pattern in NOT_ADDED):
            return path
    raise IntegrationError(f"{file}: new files belong into one of {', '.join(OUR_FOLDERS.values())}")


def write_if_changed(path: Path, content: bytes) -> bool:
    """Write a file unless it has that content; builds go by modification times."""
    if path.is_file() and path.read_bytes() == content:
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return True


def edits_for(core: Path) -> dict[str, FileEdits]:
    """The edits of the files of these sources; files that need not be there are left out if they are not."""
    return {file: edits for file, edits in load(EDITS).items() if edits.optional is None or (core / file).is_file()}


def text_of(path: Path) -> str:
    return path.read_bytes().decode()  # read_text() would change the ends of lines


def plan(core: Path) -> dict[str, bytes]:
    """The new content of every edited and added file.

    Raises:
        IntegrationError: if the sources are not pristine, or not those that the edits were made for.
    """
    if (core / OUR_FOLDER).exists():
        raise IntegrationError(f"{core} has the integration already: give pristine sources")
    wanted, problems = {}, []
    for file, edits in edits_for(core).items():
        try:
            if not (core / file).is_file():
                raise IntegrationError(f"{file}: not in {core}")
            wanted[file] = edits.apply(text_of(core / file)).encode()
        except IntegrationError as error:
            problems.append(str(error))
    for file, path in our_files().items():
        if (core / file).exists():
            problems.append(f"{file}: is in {core} already")
        wanted[file] = path.read_bytes()
    if problems:
        raise IntegrationError("\n".join(problems))
    return wanted


def check_target(core: Path, to: Path) -> None:
    """Check that nobody works in the copy, whose content is overwritten.

    Raises:
        IntegrationError: if `to` is neither new, nor empty, nor a copy that was made here, or is a git repository.
    """
    core, to = core.resolve(), to.resolve()
    if to == core or core in to.parents or to in core.parents:
        raise IntegrationError(f"--to {to}: neither the sources, {core}, nor a folder in or around them")
    if (to / ".git").exists():
        raise IntegrationError(f"--to {to}: a git repository, whose files would be written over; for one, there are --patch and `git am`")
    is_copy = (to / MANIFEST).is_file() or (to / OUR_FOLDER).is_dir()  # earlier versions wrote no manifest
    if to.exists() and any(to.iterdir()) and not is_copy:
        raise IntegrationError(f"--to {to}: not empty, and no copy that was made here (it has no {MANIFEST})")


def source_files(core: Path) -> dict[str, Path]:
    """Core's files by their path below its root, without build trees and what git keeps (in a worktree, .git is a file)."""
    files = {path.relative_to(core).as_posix(): path for path in core.rglob("*") if path.is_file()}
    return {file: path for file, path in files.items() if file not in (".git", MANIFEST) and not file.startswith(("build/", ".git/"))}


def remove_files(to: Path, files: set[str]) -> int:
    """Remove those of these files that are in `to`, and folders that are empty then."""
    removed = 0
    for file in files:
        path = to / file
        if not path.is_file() and not path.is_symlink():
            continue
        path.unlink()
        removed += 1
        for folder in path.parents:
            if folder == to or any(folder.iterdir()):
                break
            folder.rmdir()
    return removed


def same_mode(source: Path, target: Path) -> bool:
    """Give `target` the permissions of `source`; whether it had others."""
    if stat.S_IMODE(target.stat().st_mode) == stat.S_IMODE(source.stat().st_mode):
        return False
    shutil.copymode(source, target)
    return True


def write_file(target: Path, content: bytes, source: Path) -> bool:
    """Give `target` that content, and the permissions of `source`. What is written gets the time of now: by `source`'s own,
    which may lie before that of what was there, no build would notice."""
    changed = write_if_changed(target, content)
    return same_mode(source, target) or changed


def copy_tree(core: Path, to: Path, wanted: dict[str, bytes]) -> int:
    """Make `to` the integrated copy of `core`. Files that are right stay untouched, and so do files that were not put there by this."""
    check_target(core, to)
    to.mkdir(parents=True, exist_ok=True)
    manifest = to / MANIFEST
    before = set(manifest.read_text(encoding="utf-8").splitlines()) if manifest.is_file() else set()
    sources = source_files(core) | our_files()
    # First of all, with the files of both: a copy that is interrupted can be taken up again.
    write_if_changed(manifest, "".join(f"{file}\n" for file in sorted(before | sources.keys())).encode())
    changed = remove_files(to, before - sources.keys())
    for file, source in sources.items():
        changed += write_file(to / file, wanted[file] if file in wanted else source.read_bytes(), source)
    write_if_changed(manifest, "".join(f"{file}\n" for file in sorted(sources)).encode())
    return changed


def git(folder: Path, *arguments: str, date: str = "", data: bytes | None = None) -> str:
    """Run git in a repository of its own, whatever the user's settings are."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    environment |= {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    for role in "AUTHOR", "COMMITTER":
        environment |= {f"GIT_{role}_NAME": AUTHOR[0], f"GIT_{role}_EMAIL": AUTHOR[1], f"GIT_{role}_DATE": date or "2026-01-01T00:00:00Z"}
    command = ["git", "-c", "core.autocrlf=false", *arguments]
    result = subprocess.run(command, cwd=folder, env=environment, input=data, capture_output=True, check=False)
    if result.returncode != 0:
        raise IntegrationError(f"git {arguments[0]}: {result.stderr.decode(errors='replace').strip()}")
    return result.stdout.decode()


def date_of_change() -> str:
    """When what is put into Core last changed: one state of this repository gives one patch."""
    if "SOURCE_DATE_EPOCH" in os.environ:
        return f"@{os.environ['SOURCE_DATE_EPOCH']} +0000"
    try:
        return git(HERE, "log", "-1", "--format=%aI", "--", ".").strip()
    except IntegrationError:  # not in a repository, as in a release's archive
        return ""


@dataclass(frozen=True)
class Commit:
    """A commit of the series."""

    subject: str
    why: str
    files: list[str]
    parts: dict[str, list[str]] = field(default_factory=dict)

    def message(self) -> str:
        return f"{self.subject}\n\n{self.why}"


def series() -> list[Commit]:
    return [Commit(**entry) for entry in tomllib.loads(SERIES.read_text(encoding="utf-8"))["commit"]]


def commit_of(commits: list[Commit], file: str, edit: Edit | None = None) -> int:
    """Which of the commits adds this file of ours, or makes this edit of a file of Core.

    Raises:
        IntegrationError: if that is not one of them.
    """
    text = written_edit(edit, "[[edit]]") if edit is not None else ""
    found = [n for n, commit in enumerate(commits) if any(part in text for part in commit.parts.get(file, []))]
    found = found or [n for n, commit in enumerate(commits) if any(fnmatchcase(file, pattern) for pattern in commit.files)]
    if len(found) != 1:
        raise IntegrationError(f"{SERIES.name}: {file}: in {len(found)} commits{f': {edit.place.describe()}' if edit is not None else ''}")
    return found[0]


def naming_only(edit: Edit, files: dict[str, bytes]) -> Edit:
    """An edit without the lines that name sources which come with later commits: a list in a CMakeLists.txt grows."""
    lines = edit.lines and tuple(line for line in edit.lines if all(f"src/{name}" in files for name in re.findall(r"\bslhdsa/\w+\.cpp", line)))
    return dataclasses.replace(edit, lines=lines, others=tuple(naming_only(other, files) for other in edit.others))


def trees(core: Path) -> Iterator[dict[str, bytes]]:
    """After each commit of the series, the content of every file that is edited or added so far."""
    commits = series()
    for n in range(len(commits)):
        tree = {file: path.read_bytes() for file, path in our_files().items() if commit_of(commits, file) <= n}
        for file, edits in edits_for(core).items():
            made = [naming_only(edit, tree) for edit in edits.edits if commit_of(commits, file, edit) <= n]
            if made:
                tree[file] = FileEdits(file, made).apply(text_of(core / file)).encode()
        yield tree


def make_commits(core: Path, repository: Path) -> int:
    """Make a repository of the files that change: first as they are in `core`, then the series. How many commits that has."""
    git(repository, "init", "--quiet")
    date = date_of_change()
    ours = our_files()
    pristine = {file: (core / file).read_bytes() for file in edits_for(core)}
    messages = ["Bitcoin Core", *(commit.message() for commit in series())]
    for tree, message in zip([pristine, *trees(core)], messages):
        for file, content in tree.items():
            write_file(repository / file, content, ours.get(file, core / file))
        git(repository, "add", "--all", "--force")
        git(repository, "commit", "--quiet", "--file=-", date=date, data=message.encode())
    return len(messages) - 1


def patch(core: Path, to: Path) -> int:
    """Write the change to Core as a series for `git am`, new files included. How many patches it has.

    Raises:
        IntegrationError: if `to` is neither new nor empty.
    """
    if to.exists() and (not to.is_dir() or any(to.iterdir())):
        raise IntegrationError(f"--patch {to}: not an empty folder")
    with tempfile.TemporaryDirectory() as folder:
        count = make_commits(core, Path(folder))
        git(Path(folder), "format-patch", f"-{count}", f"--output-directory={to.resolve()}", "--quiet", "--zero-commit", "--no-signature",
            "--full-index", "--stat=120", "--diff-algorithm=histogram")
    return count


def diffstat(core: Path) -> str:
    """Lines added and removed, file by file."""
    with tempfile.TemporaryDirectory() as folder:
        count = make_commits(core, Path(folder))
        numbers = git(Path(folder), "diff", "--numstat", "--no-renames", "--diff-algorithm=histogram", f"HEAD~{count}", "HEAD")
    rows = [(file, int(added), int(removed)) for added, removed, file in (line.split("\t") for line in numbers.splitlines())]
    ours = our_files()
    rows.sort(key=lambda row: row[0] in ours)  # Core's files come first
    width = max((len(file) for file, _, _ in rows), default=0)
    lines = [f"{file:<{width}}  +{added:<4} -{removed}" for file, added, removed in rows]
    cores = [row for row in rows if row[0] not in ours]
    lines.append(f"{len(cores)} files of Core: {sum(row[1] for row in cores)} lines added, {sum(row[2] for row in cores)} removed; "
                 f"{len(ours)} files of ours: {sum(row[1] for row in rows) - sum(row[1] for row in cores)} lines")
    return "\n".join(lines)


def record(core: Path, edited: Path, alike: list[Path]) -> str:
    """Write edits/ and our own files from an edited tree, such that integrating `core` gives that tree.

    Raises:
        IntegrationError: with a line for each file that cannot be recorded; then nothing is written.
    """
    pristine, changed = source_files(core), source_files(edited)
    old_edits = load(EDITS)
    new_edits: dict[str, FileEdits] = {}
    added: dict[Path, Path] = {}
    problems = [f"{file}: is not in {edited}; a file of Core cannot be removed" for file in sorted(pristine.keys() - changed.keys())]
    for_others = {file for file, edits in old_edits.items() if any(edit.place.kind == "without" for edit in edits.edits)}
    for file, path in sorted(changed.items()):
        try:
            if file in BORROWED:
                if path.read_bytes() != BORROWED[file].read_bytes():
                    raise IntegrationError(f"{file}: comes from {BORROWED[file]}; change it there")
            elif file not in pristine:
                added[where_ours(file)] = path
            elif path.read_bytes() != pristine[file].read_bytes() or file in for_others:
                others = [text_of(other / file) for other in alike if (other / file).is_file()]
                new_edits[file] = recorded(file, text_of(pristine[file]), text_of(path), others, old_edits.get(file))
        except IntegrationError as error:
            problems.append(str(error))
    if problems:
        raise IntegrationError("\n".join(problems))
    # Edits of files that are not in these sources, and functional tests where these sources have none, stay.
    kept = {file for file, edits in old_edits.items() if edits.optional is not None and file not in pristine}
    for file in old_edits.keys() - new_edits.keys() - kept:
        (EDITS / f"{file}.toml").unlink()
    for file, edits in new_edits.items():
        write_if_changed(EDITS / f"{file}.toml", written(edits).encode())
    for file, path in our_files().items():
        may_go = (edited / "test/functional").is_dir() if file.startswith("test/functional/") else True
        if path not in added and file not in BORROWED and may_go:
            path.unlink()
    for path, source in added.items():
        write_file(path, source.read_bytes(), source)
    known = {(file, edit.lines, edit.swap) for file, edits in old_edits.items() for edit in edits.edits if edit.others}
    for file, edit in ((file, edit) for file, edits in new_edits.items() for edit in edits.edits):
        if edit.others and (file, edit.lines, edit.swap) not in known:
            print(f"{file}: another place, to be looked at: {edit.others[0].place.describe()}")
    there = {(file, edit.lines, edit.swap) for file, edits in new_edits.items() for edit in edits.edits if edit.others}
    for file, edit in ((file, edit) for file, edits in old_edits.items() if file not in kept for edit in edits.edits):
        if edit.others and (file, edit.lines, edit.swap) not in there:
            print(f"{file}: {edit.place.describe()}: the edit has changed, and its other place is lost", file=sys.stderr)
    return f"{sum(len(edits.edits) for edits in new_edits.values())} edits of {len(new_edits)} files of Core, {len(added)} files of ours"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("core", type=Path, help="pristine sources of Bitcoin Core like those of fetch_core.sh (31.99); they are not changed")
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--to", type=Path, metavar="DIR", help="make DIR the integrated copy, or bring it up to date")
    what.add_argument("--check", action="store_true", help="only say whether every edit has its place")
    what.add_argument("--stat", action="store_true", help="print what is added where")
    what.add_argument("--patch", type=Path, metavar="DIR", help="write the change as a series of patches for `git am`, new files included")
    what.add_argument("--record", type=Path, metavar="TREE", help="write edits and our own files such that integrating gives TREE")
    parser.add_argument("--also", type=Path, metavar="DIR", action="append", default=[],
                        help="with --record: other pristine sources; places that they have, too, are preferred")
    args = parser.parse_args()
    try:
        for folder in args.core, *([args.record] if args.record else []):
            if not (folder / NEEDLE).is_file():
                raise IntegrationError(f"{folder} has no {NEEDLE}")
        if args.record:
            print(record(args.core, args.record, args.also))
            return 0
        wanted = plan(args.core)
        if args.check:
            edits = edits_for(args.core)
            print(f"{sum(len(e.edits) for e in edits.values())} edits in {len(edits)} files have their places")
        elif args.stat:
            print(diffstat(args.core))
        elif args.patch:
            print(f"{args.patch}: {patch(args.core, args.patch)} patches")
        else:
            print(f"{args.to}: {copy_tree(args.core, args.to, wanted)} files written")
    except (IntegrationError, OSError) as error:
        for line in str(error).split("\n"):
            print(f"integrate.py: {line}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
