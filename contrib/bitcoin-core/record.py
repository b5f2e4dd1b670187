# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Makes edits from a file of Bitcoin Core and what it shall become, with as little of Core's text in them as places need."""
from __future__ import annotations

import difflib
import os
import re
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from edits import LONGEST_NAMED, Change, Edit, FileEdits, IntegrationError, Misplaced, Place, digest, indentation

SHORT = 72  #: Of a longer line, the beginning names it.
HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")


def changes_between(old: Sequence[str], new: Sequence[str]) -> list[Change]:
    """The changes that make `new` of `old`, as git sees them."""
    environment = os.environ | {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    with tempfile.TemporaryDirectory() as folder:
        for name, text in ("old", old), ("new", new):
            # A newline after every line, the last too: git treats a last line without one apart.
            (Path(folder) / name).write_bytes(("\n".join(text) + "\n").encode())
        command = ["git", "diff", "--no-index", "--unified=0", "--histogram", "--no-color", "--no-ext-diff", "old", "new"]
        result = subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=False)
    if result.returncode not in (0, 1):
        raise IntegrationError(f"git diff: {result.stderr.decode().strip()}")
    changes = []
    for match in map(HUNK.match, result.stdout.decode().split("\n")):
        if match:
            begin, count, at, added = (int(group or 1) for group in match.groups())
            begin -= count > 0  # what is inserted goes after the line that is named
            at -= added > 0
            changes.append(Change(begin, begin + count, list(new[at:at + added])))
    return changes


def corresponding(at: int, changes: Sequence[Change]) -> int | None:
    """Where something that goes before a line belongs after these changes; None: its surroundings are no longer there."""
    moved = 0
    for change in changes:
        if change.begin < at < change.end:
            return None if change.lines else change.begin + moved
        if change.end <= at:
            moved += len(change.lines) - (change.end - change.begin)
    return at + moved


def fragments(old: str, new: str) -> tuple[str, str]:
    """The smallest parts, whole words, in which two lines differ, such that the old part is in its line once. (count() does not see
    occurrences that overlap.)"""
    old_words, new_words = (re.findall(r"\w+|\s+|[^\w\s]", line) for line in (old, new))
    head = len(os.path.commonprefix([old_words, new_words]))
    tail = len(os.path.commonprefix([old_words[head:][::-1], new_words[head:][::-1]]))
    while True:
        part, other = ("".join(words[head:len(words) - tail]) for words in (old_words, new_words))
        if part.strip() and old.count(part) == 1 and old.replace(part, other) == new:
            return part, other
        if head == 0 and tail == 0:
            return old, new
        if head > 0 and (tail == 0 or part == "" or not part.strip()):
            head -= 1
        elif tail > 0:
            tail -= 1
        else:
            head -= 1


def poor(line: str) -> bool:
    """True if a line is too common to find a place by: a bracket, an #endif, a return."""
    return sum(c.isalnum() for c in line) < 8 or line.strip() in ("return true;", "return false;", "default:")


@dataclass
class Recorder:
    """Chooses places in one file. `alike`: the same file in other sources that the edits should fit, too."""

    text: Sequence[str]
    alike: Sequence[Sequence[str]] = ()

    def finds(self, place: Place, begin: int) -> bool:
        try:
            return place.find(self.text)[0] == begin
        except Misplaced:
            return False

    def misfits(self, find: Callable[[Sequence[str]], object]) -> int:
        """In how many of the other sources this finds no place."""
        count = 0
        for text in self.alike:
            try:
                find(text)
            except Misplaced:
                count += 1
        return count

    def scopes(self, at: int) -> Iterator[tuple[str, ...]]:
        """No block, then the blocks around a line from the inside out, then pairs of them."""
        yield ()
        around: list[str] = []
        near = self.text[at:at + 1] if self.text[at].strip() else self.text[max(at - 1, 0):at + 2]
        depth = max(map(indentation, near))
        for i in range(at - 1, -1, -1):
            line = self.text[i].strip()
            closing = line.startswith(("}", ")")) and not line.endswith("{")
            if not line or line.startswith(("#", "//", "*")) or line in ("{", "public:", "protected:", "private:") or closing:
                continue
            if indentation(self.text[i]) < depth:
                depth = indentation(self.text[i])
                around.append(self.shortened(line))
                if depth == 0:
                    break
        for scope in around:
            yield (scope,)
        for i, inner in enumerate(around):
            for outer in around[i + 1:]:
                yield (outer, inner)

    @staticmethod
    def shortened(line: str) -> str:
        """The beginning of a long line, up to the end of a word."""
        line = line.strip()
        if len(line) <= SHORT:
            return line
        return line[:max(40, line.rfind(" ", 0, SHORT))].rstrip()

    def cost(self, place: Place) -> float:
        lines = [*place.anchor, *place.scopes]
        # Lines that are quoted, then how little they say, then their length; before all, whether other sources have them.
        return (1000 * self.misfits(place.find) + 10 * len(lines) + 3 * (len(place.scopes) > 0) + 8 * sum(map(poor, place.anchor))
                + 4 * any(line.startswith("//") for line in place.anchor) + sum(map(len, lines)) / 100)

    def best(self, candidates: Iterator[tuple[Place, int]]) -> tuple[float, Place] | None:
        """The cheapest of the places that are found where they should be, each with the line where its anchor begins."""
        found = [(self.cost(place), n, place) for n, (place, begin) in enumerate(candidates) if self.finds(place, begin)]
        return (min(found)[0], min(found)[2]) if found else None

    def insertion_places(self, at: int) -> Iterator[tuple[Place, int]]:
        """Places for lines that go before line `at`."""
        for n in range(1, LONGEST_NAMED + 1):
            for kind, begin in ("after", at - n), ("before", at):
                lines = self.text[begin:begin + n]
                if begin < 0 or len(lines) < n or not any(line.strip() for line in lines):
                    continue
                for scopes in self.scopes(begin):
                    for anchor in {tuple(self.shortened(line) for line in lines), tuple(line.strip() for line in lines)}:
                        yield Place(kind, anchor, scopes), begin

    def insertion(self, change: Change, low: int, high: int) -> Edit:
        """Lines that are only added. Where they could stand as well a little further up or down, the better place is taken."""
        options = []
        for step in (-1, 1):
            at, lines = change.begin, list(change.lines)
            moved = 0
            while True:
                if moved or step > 0:
                    best = self.best(self.insertion_places(at))
                    if best:
                        # Rather whole blocks than the end of one and the beginning of the next.
                        torn = next((line for line in lines if line.strip()), "").lstrip().startswith(("}", ")"))
                        options.append((best[0] + (moved > 0) + 15 * torn, len(options), Edit(best[1], tuple(lines))))
                if step < 0 and at > low and lines[-1] == self.text[at - 1]:
                    lines = [lines[-1], *lines[:-1]]
                elif step > 0 and at < high and lines[0] == self.text[at]:
                    lines = [*lines[1:], lines[0]]
                else:
                    break
                at += step
                moved += 1
        if not options:
            return self.replacement(change, low, high)
        return min(options, key=lambda option: option[:2])[2]

    def swap(self, at: int, new: str) -> Edit | None:
        """A line of which only a part changes."""
        old = self.text[at]
        part, other = fragments(old.strip(), new.strip())
        if indentation(old) != indentation(new) or old.count(part) != 1 or 2 * len(part) > len(old.strip()):
            return None
        up_to = old.strip()[:old.strip().index(part)].rstrip()
        # As little of the line as names it: up to the part that changes, all of it, or a beginning.
        anchors = list(dict.fromkeys(a for a in (up_to, self.shortened(old), old.strip()) if not poor(a) or a == old.strip()))
        candidates = ((Place("line", (anchor,), scopes), at) for scopes in self.scopes(at) for anchor in anchors)
        best = self.best(candidates)
        return Edit(best[1], swap=(part, other)) if best else None

    def replacement_places(self, begin: int, end: int) -> Iterator[tuple[Place, int]]:
        """Places that name lines [begin, end), all of them or the first, the last and a digest."""
        old = [line.strip() for line in self.text[begin:end]]
        for scopes in self.scopes(begin):
            if len(old) <= LONGEST_NAMED:
                yield Place("replace", tuple(old), scopes), begin
            else:
                for n in range(1, LONGEST_NAMED + 1):
                    yield Place("replace", tuple(old[:n]), scopes, old[-1], digest(old)), begin

    def replacement(self, change: Change, low: int, high: int) -> Edit:
        """Lines that others take the place of; with lines around them if they are not to be found by themselves."""
        begin, end, lines = change.begin, change.end, change.lines
        while True:
            best = self.best(self.replacement_places(begin, end)) if end > begin else None
            if best:
                return Edit(best[1], tuple(lines) or None)
            if end < high and (begin == low or end - change.end <= change.begin - begin):
                lines, end = [*lines, self.text[end]], end + 1
            elif begin > low:
                lines, begin = [self.text[begin - 1], *lines], begin - 1
            else:
                raise Misplaced(f"no place for what replaces line {change.begin + 1}")

    def with_other_places(self, edit: Edit) -> Edit:
        """An insertion, with the places that correspond to its own in those other sources that don't have it."""
        if edit.place.kind not in ("before", "after"):
            return edit
        for other in self.alike:
            try:
                edit.change(other)
            except Misplaced:
                at = corresponding(edit.change_here(self.text).begin, changes_between(self.text, other))
                place = Recorder(other).best(Recorder(other).insertion_places(at)) if at is not None else None
                if place:
                    edit = Edit(edit.place, edit.lines, edit.swap, (*edit.others, Edit(place[1], edit.lines)))
        return edit

    def kept(self, edits: Sequence[Edit], before: Sequence[Edit]) -> list[Edit]:
        """These edits, but those as they were that did the same before and fit as many of the other sources."""
        def effect(edit: Edit) -> str | None:
            try:
                change = edit.change(self.text)
            except Misplaced:
                return None
            return "\n".join([*self.text[:change.begin], *change.lines, *self.text[change.end:]])

        earlier = {effect(edit): edit for edit in before if edit.place.kind != "without"}
        pairs = [(edit, earlier.get(effect(edit), edit)) for edit in edits]
        return [old if self.misfits(old.change) <= self.misfits(new.change) else new for new, old in pairs]

    def edits(self, change: Change, low: int, high: int) -> Iterator[Edit]:
        """The edits of one change; `low`, `high`: the lines around it that are the same in both files."""
        count = change.end - change.begin
        if count == 0:
            yield self.insertion(change, low, high)
            return
        if count == len(change.lines):
            swaps = [self.swap(change.begin + i, line) for i, line in enumerate(change.lines)]
            if all(swaps):
                yield from (edit for edit in swaps if edit)
                return
        yield from self.with_kept_lines(change, low, high)

    def with_kept_lines(self, change: Change, low: int, high: int) -> Iterator[Edit]:
        """A replacement, or a swap with lines before or after it, where the first or last lines correspond."""
        count = change.end - change.begin
        if count == 1 and len(change.lines) > 1:
            for at, rest, kind in (0, slice(1, None), "after"), (-1, slice(0, -1), "before"):
                similar = difflib.SequenceMatcher(None, self.text[change.begin].strip(), change.lines[at].strip()).ratio() > 0.7
                edit = self.swap(change.begin, change.lines[at]) if similar else None
                if edit and edit.swap and any(c.isalnum() for c in "".join(edit.swap)):
                    yield edit
                    yield Edit(Place(kind, edit.place.anchor, edit.place.scopes), tuple(change.lines[rest]))
                    return
        yield self.replacement(change, low, high)


def recorded(file: str, old: str, new: str, alike: Sequence[str] = (), before: FileEdits | None = None) -> FileEdits:
    """The edits that make `new` of `old`. Other places that `before` gives for an edit which stays as it was are kept.

    Raises:
        IntegrationError: if the edits would not give `new` exactly.
    """
    text = old.split("\n")
    changes = changes_between(text, new.split("\n"))
    recorder = Recorder(text, [other.split("\n") for other in alike])
    edits = []
    try:
        for i, change in enumerate(changes):
            low = changes[i - 1].end if i else 0
            high = changes[i + 1].begin if i + 1 < len(changes) else len(text)
            edits += map(recorder.with_other_places, recorder.edits(change, low, high))
    except Misplaced as error:
        raise IntegrationError(f"{file}: {error}") from error
    if before is not None:
        others = {(edit.lines, edit.swap): edit.others for edit in before.edits if edit.others}
        edits = [Edit(edit.place, edit.lines, edit.swap, others.get((edit.lines, edit.swap), edit.others)) for edit in edits]
        edits = recorder.kept(edits, before.edits)
        edits += [edit for edit in before.edits if edit.place.kind == "without"]  # only for other sources
    result = FileEdits(file, edits, before.optional if before is not None else None)
    if result.apply(old) != new:
        raise IntegrationError(f"{file}: the recorded edits do not give the edited file")
    return result
