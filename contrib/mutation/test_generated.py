# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""The generated mutants of a small program: which are found, which compile, and what becomes of them."""

import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytest.importorskip("clang.cindex", reason="there is no libclang (requirements.txt)")
sys.path.insert(0, str(Path(__file__).resolve().parent))
if not shutil.which("clang++"):
    pytest.skip("there is no clang++", allow_module_level=True)

import run_generated  # noqa: E402
from mutants import RELATIONS, Finder, Mutant  # noqa: E402
from schemata import HEADER, Schemata  # noqa: E402

TINY_H = """
#pragma once
#include <array>
#include <cstddef>
struct Flags {
    int bits;
    friend Flags operator&(Flags a, Flags b) { return {a.bits & b.bits}; }
};
constexpr std::size_t LIMIT{10};
static_assert(LIMIT + 1 > 5);
inline bool Small(std::size_t n) { return n < LIMIT; }
template <typename T>
T Twice(T n)
{
    return n + n;
}
int Sum(int n);
int Difference(int a, int b);
int Common(int a, int b);
int Never(int n);
int Choice(bool b);
bool Log();
enum class Size { NONE, SOME, ALL };
"""
TINY_CPP = """
#include "tiny.h"
#include <algorithm>
#include <cassert>
static int g_log{0};
bool Log()
{
    ++g_log;
    return true; // x < y
}
int Sum(int n)
{
    assert(n >= 0);
    int sum{0};
    while (n > 0) {
        sum += n;
        --n;
    }
    Log();
    return sum;
}
int Difference(int a, int b)
{
    std::array<int, 2> both{a, b};
    if (a == b) return 0;
    return both[0] - both[1];
}
int Common(int a, int b) { return (Flags{a} & Flags{b}).bits; }
int Never(int n) { return n * 3; }
int Choice(bool b) { return !b ? 1 : b ? 4 : 5; }
bool None(Size s) { return s == Size::NONE; }
bool Some(Size s) { return s != Size::SOME; }
bool ConstNone(const Size s) { return s == Size::NONE; }
int Half(int a, int b) { return std::max(a, b) / 3; }
bool All(Size s) { return Size::ALL == s; }
bool NoBytes(unsigned char n, int signed_n) { return n == 0 || (n & 0x80) != 0 || signed_n == 0; }
unsigned CountTo(unsigned n, unsigned m)
{
    unsigned sum{0};
    for (unsigned i{0}; i < n; ++i) sum += i;
    for (unsigned j{1}; j < n; ++j) sum += j;
    for (unsigned k{0}; k < m; ++k) m -= k;
    return sum;
}
"""
MAIN_CPP = """
#include "tiny.h"
#include <cstdio>
#include <cstring>
static int Check(bool good)
{
    if (!good) std::puts("error: in check");
    return good ? 0 : 1;
}
int main(int, char** argv)
{
    if (!std::strcmp(argv[1], "--list_content")) return std::fputs("limits*\\n    inner*\\nsums*\\nbroken*\\n", stderr), 0;
    if (!std::strcmp(argv[1], "--run_test=limits")) return Check(Small(9) && !Small(10) && Twice(2) == 4);
    if (!std::strcmp(argv[1], "--run_test=sums")) return Check(Sum(3) == 6) | Check(Difference(5, 3) == 2) | Check(Common(6, 3) == 2);
    return Check(false);
}
"""


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    """The program, its mutants, and those of them that compile."""
    root = tmp_path_factory.mktemp("tiny")
    copy = tmp_path_factory.mktemp("copy")
    for name, text in (("tiny.h", TINY_H), ("tiny.cpp", TINY_CPP), ("main.cpp", MAIN_CPP)):
        for folder in (root, copy):
            (folder / "src").mkdir(exist_ok=True)
            (folder / "src" / name).write_text(text)
    resources = subprocess.run(["clang++", "-print-resource-dir"], check=True, capture_output=True, text=True).stdout.strip()
    finder = Finder(root, ["src/tiny.h", "src/tiny.cpp"])
    for name in ("tiny.cpp", "main.cpp"):
        finder.parse(root / "src" / name, ["-std=c++20", "-resource-dir", resources])
    mutants = finder.mutants()
    arguments = ["-std=c++20", "-include", str(HEADER)]
    files = [(copy / "src" / name, arguments, copy) for name in ("tiny.cpp", "main.cpp")]
    schemata = Schemata(root, copy, mutants, files, "clang++", 1)
    schemata.settle(lambda line: None)
    program = copy / "tiny"
    subprocess.run(["clang++", *arguments, "-fno-strict-return", *(str(path) for path, _, _ in files), "-o", program], check=True)
    return root, copy, mutants, schemata, program


def has(mutants: list[Mutant], function: str, original: str, replacement: str) -> Mutant | None:
    return next((m for m in mutants if (m.function, m.original, m.replacement) == (function, original, replacement)), None)


@pytest.mark.parametrize("function, original, replacement, operator", [
    ("Small", "n < LIMIT", "n <= LIMIT", "relation"),
    ("Small", "LIMIT", "LIMIT + 1", "constant"),
    ("Small", "n < LIMIT", "true", "result"),
    ("Twice", "n + n", "n - n", "arithmetic"),
    ("Choice", "b", "!(b)", "condition"),
    ("Choice", "!b", "b", "logic"),
    ("Sum", "0", "1", "constant"),
    ("Sum", "sum += n;", "", "statement"),
    ("Sum", "sum += n", "sum -= n", "assignment"),
    ("Sum", "--n", "++n", "increment"),
    ("Sum", "Log();", "", "statement"),
    ("Difference", "return 0;", "", "statement"),
    ("Difference", "both[0] - both[1]", "both[0] + both[1]", "arithmetic"),
    ("operator&", "a.bits & b.bits", "a.bits | b.bits", "bits"),
    ("Log", "true", "false", "result"),
])
def test_found(tiny, function, original, replacement, operator):
    mutant = has(tiny[2], function, original, replacement)
    assert mutant and mutant.operator == operator
    text = (tiny[0] / mutant.file).read_text()
    assert " ".join(text[mutant.start:mutant.end].split()) == original
    assert text[:mutant.start].count("\n") + 1 == mutant.line


def test_left_alone(tiny):
    originals = {m.original for m in tiny[2]}
    assert not {m.replacement for m in tiny[2] if m.function == "Half"} & {"0", "std::max(b, a)"}
    assert not {"n >= 0", "x < y", "assert(n >= 0);", "LIMIT + 1 > 5", "10", "2", "return sum;"} & originals
    # The same as others
    assert not {"!(n > 0)", "!(!b)"} & {m.replacement for m in tiny[2]}
    assert len({m.key for m in tiny[2]}) == len(tiny[2])
    assert [m.id for m in tiny[2]] == list(range(1, len(tiny[2]) + 1))


def test_same_relations(tiny):
    """A relation is not replaced by one that says the same of every value that there is."""
    def relations(function: str, original: str) -> set[str]:
        texts = {m.replacement for m in tiny[2] if m.function == function and m.original == original} - {"true", "false"}
        return {word for text in texts for word in text.split() if word in RELATIONS}

    assert relations("None", "s == Size::NONE") == {"!=", ">="}
    assert relations("ConstNone", "s == Size::NONE") == {"!=", ">="}
    assert relations("Some", "s != Size::SOME") == {"==", "<", ">"}
    assert relations("All", "Size::ALL == s") == {"!=", ">="}
    assert relations("NoBytes", "n == 0") == {"!=", ">="}
    assert relations("NoBytes", "(n & 0x80) != 0") == {"==", "<"}
    assert relations("NoBytes", "signed_n == 0") == {"!=", "<=", ">="}
    assert relations("CountTo", "i < n") == {"<="}
    assert relations("CountTo", "j < n") == {"<=", "!="}
    assert relations("CountTo", "k < m") == {"<=", "!="}


def test_found_once(tiny):
    """A header that two files include."""
    assert [m.occurrence for m in tiny[2] if m.original == "n < LIMIT" and m.replacement == "n <= LIMIT"] == [1]


def test_refused(tiny):
    """What has no such operator is left out, and nothing else."""
    _, copy, mutants, schemata, _ = tiny
    assert {mutants[number - 1].replacement: why for number, why in schemata.dropped.items()} == {"Flags{a} | Flags{b}": "no such operator"}
    # An instrumented file has the lines of its original.
    for name in ("tiny.h", "tiny.cpp"):
        text = (copy / "src" / name).read_text()
        assert "slhc_mutant(" in text
        assert len(text.splitlines()) == len((tiny[0] / "src" / name).read_text().splitlines())


def test_refused_in_a_build(tiny, tmp_path):
    """A compiler's message, with a path from the folder that it ran in: its mutant is left out, or if it is in none's own text, those of
    the place; and one about another file blames nobody."""
    root, _, mutants, _, _ = tiny
    schemata = Schemata(root, tmp_path, mutants, [], "clang++", 1)
    schemata.write()
    begin, _, number = schemata.own["src/tiny.h"][0]
    text = schemata.texts["src/tiny.h"]
    line, column = text.count("\n", 0, begin) + 1, begin - text.rfind("\n", 0, begin)
    assert schemata.drop_refused(f"other.h:{line}:{column}: error: invalid operands", tmp_path) == 0
    assert schemata.drop_refused(f"../src/tiny.h:{line}:{column}: error: invalid operands", tmp_path / "build") == 1
    assert schemata.dropped == {number: "no such operator"}
    begin, _, numbers = max(schemata.around["src/tiny.h"], key=lambda place: len(place[2]))
    line, column = text.count("\n", 0, begin) + 1, begin - text.rfind("\n", 0, begin)
    schemata.drop_refused(f"src/tiny.h:{line}:{column}: error: value is not a constant expression", tmp_path)
    assert set(schemata.dropped) == {number, *numbers}


def test_outcomes(tiny, tmp_path):
    root, _, mutants, schemata, program = tiny
    lines: list[str] = []
    trial = run_generated.Trial(run_generated.Program(program), len(mutants), tmp_path, 5, lines.append)
    trial.record()
    assert "left out: broken fails as it is" in lines
    assert set(trial.seconds) == {"limits", "sums"}

    def outcome(function: str, original: str, replacement: str) -> tuple[str, str]:
        mutant = has(mutants, function, original, replacement)
        assert mutant
        result = trial.attempt(mutant.id, mutant.file)
        return result["outcome"], result["suite"]

    assert outcome("Small", "n < LIMIT", "n <= LIMIT") == ("killed", "limits")
    assert outcome("Small", "LIMIT", "LIMIT - 1") == ("killed", "limits")
    assert outcome("Twice", "n + n", "n - n") == ("killed", "limits")
    assert outcome("Sum", "sum += n;", "") == ("killed", "sums")
    assert outcome("Sum", "--n;", "") == ("timed out", "sums")
    assert outcome("Sum", "Log();", "") == ("SURVIVED", "")
    assert outcome("Difference", "return 0;", "") == ("NOT REACHED", "")
    assert outcome("Difference", "a == b", "a != b") == ("killed", "sums")
    assert outcome("Never", "n * 3", "n + 3") == ("NOT REACHED", "")


def test_order_of_suites(tmp_path):
    """Fast suites come first, until another notices more of a file's mutants for its time."""
    program = tmp_path / "program"
    program.write_text("#!/bin/sh\n[ $1 != --run_test=slow ]\n")  # only the slow suite notices anything
    program.chmod(0o755)
    trial = run_generated.Trial(run_generated.Program(program), 9, tmp_path, 5)
    trial.seconds = {"slow": 0.4, "fast": 0.1, "elsewhere": 0.01}
    trial.reached = {"slow": {1, 2}, "fast": {1, 2}, "elsewhere": {3}}
    assert trial.suites_for(1, "a.cpp") == ["fast", "slow"]
    for number in (1, 2, 1, 2):
        assert trial.attempt(number, "a.cpp")["suite"] == "slow"
    assert trial.suites_for(1, "a.cpp") == ["slow", "fast"]
    assert trial.suites_for(1, "b.cpp") == ["fast", "slow"]
    assert trial.suites_for(3, "a.cpp") == ["elsewhere"]


def test_skipped(tmp_path):
    """A mutant that makes a suite skip itself, or a part of itself, is noticed: check.sh fails then. Not where the suite always does."""
    program = tmp_path / "program"
    skip = "echo 'Test suite is skipped because there is no device'"
    program.write_text(f"""#!/bin/sh
case $1 in
  --list_content) echo always*; echo here*; exit ;;
  --run_test=always) {skip} ;;
  --run_test=here) [ -z "$SLHC_MUTANT" ] || {skip} ;;
esac
[ -z "$SLHC_MUTANTS_REACHED" ] || printf 111 >"$SLHC_MUTANTS_REACHED"
""")
    program.chmod(0o755)
    trial = run_generated.Trial(run_generated.Program(program), 2, tmp_path, 5)
    trial.record()
    assert set(trial.seconds) == {"always", "here"}
    assert trial.attempt(1, "a.cpp") == {"outcome": "killed", "suite": "here", "seconds": pytest.approx(0, abs=1)}
    trial.reached["here"].remove(2)
    assert trial.attempt(2, "a.cpp")["outcome"] == "SURVIVED"


@pytest.mark.parametrize("commands, outcome", [
    ("exit 0", "passed"),
    ("echo 'Test suite \"a\" is skipped because there is no device'", "skipped"),
    ("echo 'Test suite \"b\" is skipped because disabled'", "passed"),
    ("echo 'Test case \"a/b\" is skipped because there is no device'; exit 3", "failed"),
    ("echo 'error: in check'; sleep 60", "failed"),
    ("exit 3", "failed"),
    ("kill -ABRT $$", "failed"),
    ("while :; do :; done", "timed out"),
    ("sleep 60", "timed out"),
    ("sleep 60 & wait", "timed out"),
    # A poll that never ends
    ("while :; do sleep 0.05; done", "timed out"),
])
def test_ends(tmp_path, commands, outcome):
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\n{commands}\n")
    program.chmod(0o755)
    assert run_generated.Program(program, patience=1).run("any", 1, {})[0] == outcome


def test_cases_of_their_own(tmp_path):
    """A suite whose cases need an environment each is run by its cases, and no other sees that environment."""
    program = tmp_path / "program"
    program.write_text('#!/bin/sh\n[ "$1" = --list_content ] && { echo "loaders*"; echo "    old*"; echo "loaders_too*"; exit; }\n'
                       '[ "$1-$LOADER" = --run_test=loaders/old-old ] || [ "$1-$LOADER" = --run_test=loaders_too- ]\n')
    program.chmod(0o755)
    runner = run_generated.Program(program, cases={"loaders/old": {"LOADER": "old"}})
    assert runner.suites() == ["loaders/old", "loaders_too"]
    assert [runner.run(suite, 5, {})[0] for suite in runner.suites()] == ["passed", "passed"]
    assert runner.run("loaders", 5, {})[0] == "failed"


def test_loader_cases(tmp_path):
    cases = run_generated.loader_cases(tmp_path)
    tested = (run_generated.ROOT / "src/test/vulkan_loader_tests.cpp").read_text().count("BOOST_AUTO_TEST_CASE(")
    assert len(cases) == tested > 1
    for case in cases:
        assert re.search(rf"set\(loader_cases [^)]*\b{case.partition('/')[2]}\b", (run_generated.ROOT / "src/test/CMakeLists.txt").read_text())


def test_busy_machine(tmp_path):
    """A program that gets a processor for a small part of the time is not stuck, however long it takes."""
    program = tmp_path / "program"
    program.write_text("#!/bin/sh\ni=0; while [ $i -lt 100000 ]; do i=$((i+1)); done\n")
    program.chmod(0o755)
    runner = run_generated.Program(program, patience=1)
    os.sched_setaffinity(0, set(list(available := os.sched_getaffinity(0))[:1]))
    others = [subprocess.Popen(["sh", "-c", "while :; do :; done"]) for _ in range(12)]
    try:
        begin = time.monotonic()
        outcome, seconds = runner.run("any", 5, {})
        assert outcome == "passed"
        if time.monotonic() - begin <= 4 * seconds:
            pytest.skip("the program was not kept waiting")
    finally:
        os.sched_setaffinity(0, available)
        for other in others:
            other.kill()
            other.wait()


def test_killed_driver(tmp_path):
    """What a driver started ends with it, even if it is killed."""
    program, number = tmp_path / "program", tmp_path / "number"
    program.write_text(f"#!/bin/sh\necho $$ >{number}.new && mv {number}.new {number}\nexec sleep 60\n")
    program.chmod(0o755)
    code = f"from pathlib import Path; import run_generated; run_generated.Program(Path({str(program)!r}), patience=60).run('any', 60, {{}})"
    driver = subprocess.Popen([sys.executable, "-B", "-c", code], cwd=Path(run_generated.__file__).parent)
    try:
        deadline = time.monotonic() + 60
        while not number.exists():
            assert driver.poll() is None and time.monotonic() < deadline
            time.sleep(0.05)
    finally:
        driver.kill()
        driver.wait()
    stat = Path("/proc") / number.read_text().strip() / "stat"

    def lives() -> bool:
        try:
            return stat.read_text().rpartition(")")[2].split()[0] != "Z"  # a zombie has ended, and waits for init
        except OSError:
            return False

    while lives():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_only_some_files(tiny, tmp_path):
    """What is not asked for is not in the program, which is quicker to build for that; numbers stay those of all mutants."""
    root, _, mutants, _, _ = tiny
    assert run_generated.in_files(mutants, []) == mutants
    assert run_generated.in_files(mutants, ["src/none"]) == []
    header = run_generated.in_files(mutants, ["src/none", "src/tiny.h"])
    assert header == [m for m in mutants if m.file == "src/tiny.h"] and 0 < len(header) < len(mutants)
    schemata = Schemata(root, tmp_path, header, [], "clang++", 1)
    schemata.write()
    assert set(schemata.texts) == {"src/tiny.h"}
    assert {number for _, _, number in schemata.own["src/tiny.h"]} == {m.id for m in header}


def test_goes_on(tiny, tmp_path):
    """Results are kept: what was tried is not tried again, a line that was cut off is no harm, and a changed file is tried again."""
    root, _, mutants, schemata, program = tiny
    trial = run_generated.Trial(run_generated.Program(program), len(mutants), tmp_path, 5, lambda line: None)
    trial.record()
    chosen = [m for m in mutants if m.function == "Small" and m.id not in schemata.dropped]
    stamps = {m.file: "1" for m in mutants}
    path = tmp_path / "results.jsonl"
    run_generated.try_all(trial, chosen[:2], run_generated.Results(path), stamps, 2)
    with path.open("a") as file:
        file.write('{"key": "cut')
    path.write_text(path.read_text() + "\n")
    attempts: list[int] = []
    attempt = trial.attempt
    trial.attempt = lambda number, file: attempts.append(number) or attempt(number, file)  # type: ignore[method-assign]
    run_generated.try_all(trial, chosen, run_generated.Results(path), stamps, 1)
    assert attempts == [m.id for m in chosen[2:]]
    results = run_generated.Results(path)
    assert all(results.get(m.key, "1") for m in chosen)
    assert results.get(chosen[0].key, "2") is None

    text = run_generated.report([(m, results.get(m.key, "1")) for m in chosen], run_generated.Counter(schemata.dropped.values()), len(mutants), root)
    assert re.search(rf"\| src \| {len(chosen)} \| ", text)
    assert "1 no such operator" in text


@pytest.mark.parametrize("change, problem", [
    ({}, None),
    ({"original": "n < LIMITS"}, "0 times"),
    ({"occurrence": 2}, "1 times"),
    ({"original": "LIMIT + 1"}, "0 times"),  # elsewhere in the file
    ({"function": "Twice", "original": "return n + n;"}, None),
    ({"function": "Sum", "original": "sum{0}"}, "0 times"),  # declared there, defined in another file
    ({"function": "Large"}, "no such function"),
    ({"file": "src/gone.h"}, "there is no src/gone.h"),
    ({"reason": " "}, "has no reason"),
])
def test_list(tiny, change, problem):
    entry = {"file": "src/tiny.h", "function": "Small", "original": "n < LIMIT", "replacement": "n != LIMIT", "reason": "it counts up", **change}
    found = list(run_generated.list_problems([entry], tiny[0]))
    assert (not found) if problem is None else (len(found) == 1 and problem in found[0])


def test_text_in_a_constructor_counts_once(tmp_path):
    (tmp_path / "a.h").write_text("struct Counter {\n    Counter() { n = LIMIT; }\n    int n{LIMIT};\n};\n")
    entry = {"file": "a.h", "function": "Counter::Counter", "original": "LIMIT", "replacement": "0", "reason": "it is not used"}
    assert [list(run_generated.list_problems([{**entry, "occurrence": n}], tmp_path)) == [] for n in (1, 2, 3)] == [True, True, False]


def test_listed_twice(tiny):
    entry = {"file": "src/tiny.h", "function": "Small", "original": "n < LIMIT", "replacement": "n != LIMIT", "reason": "it counts up"}
    assert "twice" in "".join(run_generated.list_problems([entry, entry], tiny[0]))


def test_keys_agree(tiny):
    """An entry of the list and the mutant that it names."""
    mutant = has(tiny[2], "Small", "n < LIMIT", "n <= LIMIT")
    assert mutant
    assert run_generated.key_of(dict(file=mutant.file, function="Small", original="n < LIMIT", replacement="n <= LIMIT")) == mutant.key


def test_this_list():
    assert list(run_generated.list_problems(run_generated.listed())) == []
