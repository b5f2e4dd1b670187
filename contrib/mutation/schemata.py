# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Writes sources that have all their mutants in them, each chosen when the program runs (mutant.h), and leaves out those that a
compiler refuses. One build instead of one for each mutant."""

import re
import subprocess
from collections import defaultdict
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from mutants import Mutant, Source

HEADER = Path(__file__).resolve().parent / "mutant.h"
# Around the text of a mutant, while a file is put together; none of them occurs in a source.
BEGIN, MIDDLE, END = "\x01", "\x02", "\x03"
LOCATION = re.compile(r"^(?P<file>[^:\n]+):(?P<line>\d+):(?P<column>\d+): (?P<kind>error|fatal error|note): (?P<text>.*)$")
REASONS = [("narrowing", "narrows"), ("cannot be narrowed", "narrows"), ("constant expression", "has to be a constant"),
           ("not an integral constant", "has to be a constant"), ("invalid operands", "no such operator"), ("no match", "no such operator"),
           ("incompatible operand", "other type"), ("no viable", "other type"), ("cannot initialize", "other type"),
           ("cannot increment", "no such operator"), ("cannot decrement", "no such operator"), ("not assignable", "no such operator"),
           ("deleted", "not copyable")]


def wrapped(mutants: list[Mutant], inner: str) -> str:
    """The text of one place, and the mutants of one shape that it has."""
    shape = mutants[0].shape
    if shape == "statement":
        (mutant,) = mutants
        return f"{BEGIN}{mutant.id}{MIDDLE}{{ if (!slhc_mutant({mutant.id})) {{{END} {inner} }} }}"
    cast = "static_cast<bool>" if shape == "condition" else ""
    choices = "".join(f"{BEGIN}{m.id}{MIDDLE}slhc_mutant({m.id}) ? {cast}({m.replacement}) : {END}" for m in mutants)
    around = "" if shape in ("condition", "expression") else f"static_cast<{shape}>"
    return f"{around}({choices}{cast}({inner}))"


def instrument(source: Source, mutants: Iterable[Mutant]) -> tuple[str, list[tuple[int, int, int]], list[tuple[int, int, list[int]]]]:
    """The text of a file with its mutants; where each one's own text is (begin, end, number); and what each place became (begin, end, its
    mutants' numbers)."""
    places: dict[tuple[int, int], list[Mutant]] = defaultdict(list)
    for mutant in mutants:
        places[(mutant.start, mutant.end)].append(mutant)
    order = sorted(places, key=lambda place: (place[0], -place[1]))
    position = 0

    def render(begin: int, end: int) -> str:
        nonlocal position
        out = []
        while position < len(order) and order[position][0] < end:
            start, stop = order[position]
            position += 1
            if start < begin or stop > end:
                raise ValueError(f"{source.line(start)}: mutants overlap")
            out.append(source.text[begin:start])
            text = render(start, stop)
            by_shape: dict[str, list[Mutant]] = defaultdict(list)
            for mutant in places[(start, stop)]:
                by_shape[mutant.shape].append(mutant)
            for shape in sorted(by_shape, key=lambda s: (s == "statement", s == "condition")):
                text = wrapped(by_shape[shape], text)
            numbers = ",".join(str(m.id) for m in places[(start, stop)])
            out.append(f"{BEGIN}{numbers}:{MIDDLE}{text}{END}")
            begin = stop
        out.append(source.text[begin:end])
        return "".join(out)

    marked = render(0, len(source.text))
    text, own, around, opened, length = [], [], [], [], 0
    for piece in re.split(f"({BEGIN}[0-9,:]+{MIDDLE}|{END})", marked):
        if piece.startswith(BEGIN):
            opened.append((length, piece[1:-1]))
        elif piece == END:
            begin, label = opened.pop()
            if label.endswith(":"):
                around.append((begin, length, [int(n) for n in label[:-1].split(",")]))
            else:
                own.append((begin, length, int(label)))
        else:
            text.append(piece)
            length += len(piece)
    return "".join(text), own, around


class Schemata:
    """The copy of a tree that has the mutants in it. files: what is compiled, with the arguments, in the copy."""

    def __init__(self, root: Path, copy: Path, mutants: list[Mutant], files: list[tuple[Path, list[str], Path]], compiler: str, jobs: int):
        self.root, self.copy, self.files, self.compiler, self.jobs = root, copy, files, compiler, jobs
        self.mutants = {m.id: m for m in mutants}
        self.dropped: dict[int, str] = {}  # and why
        self.sources = {name: Source(root / name) for name in {m.file for m in mutants}}
        self.own: dict[str, list[tuple[int, int, int]]] = {}
        self.around: dict[str, list[tuple[int, int, list[int]]]] = {}
        self.texts: dict[str, str] = {}

    def write(self) -> None:
        for name, source in self.sources.items():
            kept = [m for m in self.mutants.values() if m.file == name and m.id not in self.dropped]
            text, self.own[name], self.around[name] = instrument(source, kept)
            path = self.copy / name
            if self.texts.get(name) == text:
                continue
            self.texts[name] = text
            if not path.is_file() or path.read_bytes().decode("latin-1") != text:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(text.encode("latin-1"))

    def errors(self, file: tuple[Path, list[str], Path]) -> str:
        path, arguments, folder = file
        command = [self.compiler, *arguments, "-w", "-fsyntax-only", "-ferror-limit=0", "-fno-caret-diagnostics", "-fno-color-diagnostics",
                   str(path)]
        result = subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace")
        return result.stderr if result.returncode else ""

    def drop_refused(self, log: str, folder: Path) -> int:
        """Leave out the mutants that a compiler's errors are about; returns how many. Those in whose own text an error is, first:
        the others may have nothing wrong about them but their neighbours. folder: where the compiler ran."""
        own: dict[int, str] = {}
        around: dict[int, str] = {}
        reason = ""
        for line in log.splitlines():
            location = LOCATION.match(line)
            if not location:
                continue
            if location["kind"] != "note":
                reason = next((say for part, say in REASONS if part in location["text"]), location["text"][:60])
            path = (folder / location["file"]).resolve()
            name = path.relative_to(self.copy.resolve()).as_posix() if path.is_relative_to(self.copy.resolve()) else ""
            if name not in self.texts:
                continue
            offset = self.offset(name, int(location["line"]), int(location["column"]))
            inside = [(end - begin, number) for begin, end, number in self.own[name] if begin <= offset < end]
            if inside:
                own.setdefault(min(inside)[1], reason)
            elif location["kind"] != "note" or not (own or around):
                for begin, end, numbers in sorted(self.around[name], key=lambda place: place[1] - place[0]):
                    if begin <= offset < end:
                        for number in numbers:
                            around.setdefault(number, reason)
                        break
        found = own or around
        for number, why in found.items():
            self.dropped.setdefault(number, why)
        return len(found)

    def offset(self, name: str, line: int, column: int) -> int:
        lines = self.texts[name].split("\n")
        return sum(len(text) + 1 for text in lines[:line - 1]) + column - 1

    def settle(self, say=print) -> None:
        """Write the copy, and leave mutants out until all of it compiles.
        @raises RuntimeError if it does not compile, and no mutant is to blame"""
        pending = list(self.files)
        while pending:
            self.write()
            with ThreadPoolExecutor(self.jobs) as pool:
                logs = list(pool.map(self.errors, pending))
            failed = [(file, log) for file, log in zip(pending, logs) if log]
            before = len(self.dropped)
            for (_, _, folder), log in failed:
                self.drop_refused(log, folder)
            say(f"{len(pending)} files compiled, {len(failed)} with errors; {len(self.dropped)} mutants left out")
            if failed and len(self.dropped) == before:
                raise RuntimeError(f"{failed[0][0][0]}:\n{failed[0][1][:2000]}")
            pending = [file for file, _ in failed]
