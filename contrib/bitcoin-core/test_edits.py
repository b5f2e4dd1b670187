# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""edits.py and record.py on a small file: where an edit finds its place, what it refuses, and what is recorded."""

import random
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))

from edits import Edit, FileEdits, IntegrationError, Place, digest, load, written  # noqa: E402
from record import fragments, recorded  # noqa: E402

TEXT = """\
#include <stack>

bool Eval(int op)
{
    switch (op) {
    case PICK:
    case ROLL:
    {
        int n = read();
        if (n < 0) {
            return fail(n);
        } else {
            move(n);
        }
        stack.push(top(n));
        break;
    }

    case SWAP:
    {
        move(1);
        stack.push(top(1));
        break;
    }
    }
    return done(op);
}

class Checker
{
public:
    int count() const;

private:
    int m_count;
};
"""


def apply(*edits: Edit, text: str = TEXT) -> str:
    return FileEdits("a.cpp", list(edits)).apply(text)


def problems(*edits: Edit, text: str = TEXT) -> list[str]:
    with pytest.raises(IntegrationError) as error:
        apply(*edits, text=text)
    return str(error.value).split("\n")


@pytest.mark.parametrize(("place", "line"), [
    (Place("before", ("return done",)), "    return done(op);"),
    (Place("before", ("break;",), ("case SWAP:",)), "        break;"),
    (Place("before", ("break;",), ("case ROLL:",)), "        break;"),
    (Place("before", ("move(n);",), ("bool Eval(int op)", "case ROLL:", "} else {")), "            move(n);"),
    (Place("before", ("int m_count",), ("class Checker",)), "    int m_count;"),  # labels don't end a class
    (Place("before", ("break;", "}", "", "case SWAP:")), "        break;"),  # several lines
])
def test_places(place: Place, line: str) -> None:
    wanted = TEXT.split("\n")
    scope = place.scopes[-1] if place.scopes else ""
    start = next(i for i, text in enumerate(wanted) if scope in text)
    wanted.insert(wanted.index(line, start), "NEW")
    assert apply(Edit(place, ("NEW",))) == "\n".join(wanted)


@pytest.mark.parametrize(("place", "complaint"), [
    (Place("before", ("gone",)), "before 'gone': not found"),
    (Place("after", ("break;",)), "after 'break;': not unique (lines 16, 23)"),
    (Place("after", ("move(",), ("case ROLL:",)), None),
    (Place("after", ("move(n)",), ("case SWAP:",)), "after 'move(n)' in 'case SWAP:': not found"),  # not beyond the block
    (Place("after", ("return fail(n);",), ("case PICK:",)), "after 'return fail(n);' in 'case PICK:': not found"),
    (Place("after", ("break;",), ("case",)), "block 'case': not unique (lines 6, 7, 19)"),
    (Place("after", ("break;",), ("case NIP:",)), "block 'case NIP:': not found"),
    (Place("replace", ("break",)), "not found"),  # what is removed is named in full
    (Place("replace", ("case ROLL:", "{"), (), "break;", "0" * 12), "are not the lines that the edit was made for"),
])
def test_misplaced(place: Place, complaint: str | None) -> None:
    edit = Edit(place, ("NEW",))
    if complaint is None:
        assert "NEW" in apply(edit)
        return
    (problem,) = problems(edit)
    assert problem.startswith("a.cpp: ") and problem.endswith(complaint)


def test_all_problems_are_named() -> None:
    edits = [Edit(Place("before", (anchor,)), ("NEW",)) for anchor in ("one", "int m_count", "two")]
    assert len(problems(*edits)) == 2


def test_swap() -> None:
    place = Place("line", ("return done",))
    assert apply(Edit(place, swap=("op", "op, 1"))) == TEXT.replace("done(op)", "done(op, 1)")
    assert "does not have 'o' once" in problems(Edit(place, swap=("o", "x")))[0]
    assert "does not have 'x' once" in problems(Edit(place, swap=("x", "y")))[0]


def test_replaced_lines_are_those_that_were_recorded() -> None:
    """Between the first and the last of many lines, a digest tells whether they are the same."""
    old = TEXT[TEXT.index("        int n"):TEXT.index("        stack.push(top(n))")].rstrip("\n").split("\n")
    edit = Edit(Place("replace", (old[0].strip(),), (), "}", digest(old)), ("        gone();",))
    assert apply(edit) == TEXT.replace("\n".join(old), "        gone();")
    assert "not the lines" in problems(edit, text=TEXT.replace("fail(n)", "fail(0)"))[0]
    assert apply(Edit(edit.place)) == TEXT.replace("\n".join(old) + "\n", "")


def test_places_are_looked_up_in_the_sources_as_they_were() -> None:
    """Lines that one edit adds are no place for another; edits of one place keep their order; nothing is changed twice."""
    this = Place("after", ("#include <stack>",))
    assert apply(Edit(this, ("ONE",)), Edit(this, ("TWO",))).startswith("#include <stack>\nONE\nTWO\n\n")
    assert "'ONE': not found" in problems(Edit(this, ("ONE",)), Edit(Place("after", ("ONE",)), ("TWO",)))[0]
    line = Place("replace", ("return done(op);",))
    assert problems(Edit(line, ("1",)), Edit(line, ("2",))) == ["a.cpp: line 26 is changed twice"]


def test_another_place(tmp_path: Path) -> None:
    """For sources that differ: the other place counts only where the first is missing, never where it is there twice."""
    (tmp_path / "a.cpp.toml").write_text("""\
[[edit]]
after = 'int count() const;'
lines = '    int more();'

[[edit.or]]
after = 'int Count()'

[[edit.or]]
replace = 'int number();'
lines = '    int all();'
""")
    (edits,) = load(tmp_path).values()
    for name, wanted in (("int count() const;", "    int count() const;\n    int more();\n"),
                         ("int Count();", "    int Count();\n    int more();\n"), ("int number();", "public:\n    int all();\n")):
        assert wanted in edits.apply(TEXT.replace("int count() const;", name))
    for name, complaint in (("int size();", "after 'int count() const;': not found"),
                            ("int Count();\n    int Count();", "'int Count()': not unique")):
        with pytest.raises(IntegrationError, match="a.cpp: ") as error:
            edits.apply(TEXT.replace("int count() const;", name))
        assert complaint in str(error.value)
    assert load(tmp_path)["a.cpp"].edits == edits.edits and written(edits) == (tmp_path / "a.cpp.toml").read_text()
    # Recorded again, it stays.
    assert recorded("a.cpp", TEXT, edits.apply(TEXT), before=edits).edits[0].others == edits.edits[0].others


def test_nothing_to_do(tmp_path: Path) -> None:
    """Where sources have nothing to change; and the other way round, an edit for other sources alone, which recording keeps."""
    (tmp_path / "a.cpp.toml").write_text("""\
[[edit]]
line = 'int count'
swap = ['(', '(int n']

[[edit.or]]
without = 'class Checker'

[[edit]]
without = 'class Other'

[[edit.or]]
after = 'class Other'
lines = '// other'
""")
    (edits,) = load(tmp_path).values()
    assert edits.apply(TEXT) == TEXT.replace("count()", "count(int n)")
    assert edits.apply("class Other\n") == "class Other\n// other\n"
    with pytest.raises(IntegrationError, match="count"):
        edits.apply("class Checker\n")
    assert written(recorded("a.cpp", TEXT, edits.apply(TEXT), before=edits)) == (tmp_path / "a.cpp.toml").read_text()


@pytest.mark.parametrize("text", [
    "[[edit]]\nwithout = 'a'\nlines = 'x'\n",
    "[[edit]]\nlines = 'x'\n", "[[edit]]\nbefore = 'a'\n", "[[edit]]\nbefore = 'a'\nafter = 'b'\nlines = 'x'\n",
    "[[edit]]\nline = 'a'\nlines = 'x'\n", "[[edit]]\nbefore = 'a'\nlines = 'x'\nbeside = 'y'\n",
    "[[edit]]\nreplace = 'a'\nthrough = 'b'\n",
    "edits = 1\n", "[[edit]\n", "why = 'x'\n[[edit]]\nbefore = 'a'\nlines = 'x'\n", "[[edit]]\nline = 'a'\nswap = ['x']\n",
])
def test_bad_files_of_edits(tmp_path: Path, text: str) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src/a.cpp.toml").write_text(text)
    with pytest.raises(IntegrationError) as error:
        load(tmp_path)
    assert "src/a.cpp.toml" in str(error.value)


@pytest.mark.parametrize(("old", "new", "wanted"), [
    # A part of a line: the line is named by what comes before it.
    ("    return done(op);", "    return done(op, 1);", Edit(Place("line", ("return done(",)), swap=("op", "op, 1"))),
    # One of several equal lines, by its block
    ("        move(1);\n        stack.push(top(1));\n        break;\n", "        move(1);\n        stack.push(top(1));\n",
     Edit(Place("replace", ("break;",), ("case SWAP:",)))),
    ("        stack.push(top(1));\n        break;", "        stack.push(top(1));\n        NEW();\n        break;",
     Edit(Place("after", ("stack.push(top(1));",)), ("        NEW();",))),
    # A block of its own, rather than the end of one and the beginning of the next
    ("    case SWAP:\n", "    case NIP:\n    {\n        break;\n    }\n\n    case SWAP:\n",
     Edit(Place("before", ("case SWAP:",)), ("    case NIP:", "    {", "        break;", "    }", ""))),
])
def test_what_is_recorded(old: str, new: str, wanted: Edit) -> None:
    assert TEXT.count(old) == 1
    assert recorded("a.cpp", TEXT, TEXT.replace(old, new)).edits == [wanted]


def test_places_that_other_sources_have_are_preferred() -> None:
    new = TEXT.replace("    int count() const;\n", "    int count() const;\n    int NEW();\n")
    other = TEXT.replace("int count() const;", "int Count() const;")
    edits = recorded("a.cpp", TEXT, new, [other])
    assert edits.apply(TEXT) == new and edits.apply(other) == new.replace("int count() const;", "int Count() const;")


def test_other_places_are_recorded() -> None:
    """Where other sources have nothing of a place, the corresponding one is named beside it."""
    new = TEXT.replace("#include <stack>\n", "#include <stack>\n#include <NEW>\n")
    other = TEXT.replace("#include <stack>\n\nbool Eval(int op)", "#include <deque>\n#include <vector>\n\nint Eval(int op)")
    (edit,) = recorded("a.cpp", TEXT, new, [other]).edits
    assert [place.place.anchor for place in (edit, *edit.others)] == [("#include <stack>",), ("#include <vector>",)]
    assert apply(edit) == new and apply(edit, text=other) == other.replace("<vector>\n", "<vector>\n#include <NEW>\n")


@pytest.mark.parametrize("seed", range(60))
def test_recorded_edits_give_the_edited_file(tmp_path: Path, seed: int) -> None:
    """Random changes, byte by byte, through a file of edits; ends of lines and of the file as they are."""
    rng = random.Random(seed)
    lines = TEXT.split("\n") * rng.randrange(1, 3)
    if seed % 5 == 0:
        lines = [line + "\r" for line in lines]
    if seed % 7 == 0 and lines[-1] == "":
        lines.pop()
    edited = list(lines)
    for _ in range(rng.randrange(1, 8)):
        at = rng.randrange(len(edited))
        kind = rng.randrange(4)
        if kind == 0:
            edited[at:at] = rng.choice([["    added();"], [""], ["'''", '"\\', "\tx"], edited[at:at + 5]])
        elif kind == 1:
            del edited[at:at + rng.randrange(1, 9)]
        elif kind == 2:
            edited[at] = edited[at].replace("(", "(extra, ", 1)
        else:
            edited[at:at + 2] = [f"    other{at}();"]
        edited = edited or ["left();"]
    edited += ["last();"]
    old, new = "\n".join(lines), "\n".join(edited)
    try:
        edits = recorded("src/a.cpp", old, new)
    except IntegrationError as error:  # a file that says everything twice has places that nothing can name
        assert len(lines) > len(TEXT.split("\n")) and "no place for" in str(error)
        return
    (tmp_path / "src").mkdir()
    (tmp_path / "src/a.cpp.toml").write_text(written(edits))
    assert load(tmp_path)["src/a.cpp"].apply(old) == new


def test_fragments_that_overlap() -> None:
    old, new = 'OBJ, "", "",', 'OBJ, "", "", Cat('
    part, other = fragments(old, new)
    assert old.replace(part, other) == new
