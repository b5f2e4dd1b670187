# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""coverage.py on a small project that has a unit test, a scenario and a fuzz target: what is measured, added up, and listed as missing. And the
corpora of fuzz targets that are kept."""

import importlib.util
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

# By its path: a module that measures Python programs has the same name.
spec = importlib.util.spec_from_file_location("slhc_coverage", Path(__file__).resolve().parent / "coverage.py")
coverage = importlib.util.module_from_spec(spec)
spec.loader.exec_module(coverage)



def test_jobs_at_a_time(monkeypatch):
    """As many as contrib/jobs.sh says, also for a container that may not use all processors."""
    monkeypatch.setenv("CMAKE_BUILD_PARALLEL_LEVEL", "7")
    assert coverage.default_jobs() == 7


SIGN = """int Sign(int n)
{
    if (n < 0) {
        return -1;
    }
    return n > 0 ? 1 : 0;
}
int Never() { return 1; }
"""
MAIN = """#include <cstdlib>
int Sign(int n);
int main(int argc, char** argv) { return Sign(std::atoi(argv[argc - 1])) == 2; }
"""
CMAKE = """cmake_minimum_required(VERSION 3.22)
project(small CXX)
enable_testing()
add_compile_options(-fprofile-instr-generate -fcoverage-mapping)
add_link_options(-fprofile-instr-generate)
foreach(program IN ITEMS test/test_slhconsensus tool/slhtool test/fuzz/fuzz_sign)
  get_filename_component(name ${program} NAME)
  get_filename_component(folder ${program} DIRECTORY)
  add_executable(${name} src/sign.cpp src/test/main.cpp)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/src/${folder})
endforeach()
add_test(NAME sign_tests COMMAND test_slhconsensus 5)
add_test(NAME slow_tests COMMAND test_slhconsensus -3)
set_tests_properties(slow_tests PROPERTIES LABELS slow)
add_test(NAME scenario_tests COMMAND slhtool -3)
add_test(NAME other_tests COMMAND slhtool 5)
"""


@pytest.fixture(scope="module")
def build(tmp_path_factory):
    if not shutil.which("clang++"):
        pytest.skip("there is no clang++")
    try:
        coverage.llvm("llvm-profdata"), coverage.llvm("llvm-cov")
    except SystemExit:
        pytest.skip("there is no llvm-cov of clang's version")
    root = tmp_path_factory.mktemp("small") / "src/test/a checkout (1)"  # where a project may be, too
    for name, text in (("CMakeLists.txt", CMAKE), ("src/sign.cpp", SIGN), ("src/test/main.cpp", MAIN), ("corpus/sign/input", "")):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    result = coverage.Build(root / "out", "1")
    subprocess.run(["cmake", "-S", root, "-B", result.folder, "-DCMAKE_CXX_COMPILER=clang++"], check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", result.folder], check=True, stdout=subprocess.DEVNULL)
    return root, result


def test_measured(build, monkeypatch):
    root, it = build
    monkeypatch.setattr(coverage, "ROOT", root)
    it.tests("unit", slow=False)
    it.tests("scenarios", slow=False)
    it.fuzz(root / "corpus")
    assert not it.failed
    kinds = ["unit", "scenarios", "fuzz"]
    measured = {kind: it.measured([kind], kind) for kind in kinds} | {"together": it.measured(kinds, "together")}
    assert all(set(files) == {"src/sign.cpp"} for files in measured.values())

    def executed(kind: str) -> list[bool]:
        return [measured[kind]["src/sign.cpp"].lines[n] > 0 for n in (4, 6, 8)]

    assert executed("unit") == [False, True, False]
    assert executed("scenarios") == [True, False, False]
    assert executed("fuzz") == [False, True, False]
    assert executed("together") == [True, True, False]
    assert coverage.missing(measured["unit"], ["src"]) == [
        "src/sign.cpp:3: 1 of 2 branches: if (n < 0) {",
        "src/sign.cpp:4: not executed: return -1;",
        "src/sign.cpp:6: 1 of 2 branches: return n > 0 ? 1 : 0;",
        "src/sign.cpp:8: not executed: int Never() { return 1; }",
    ]
    assert coverage.missing(measured["together"], ["src/"]) == ["src/sign.cpp:8: not executed: int Never() { return 1; }"]
    assert coverage.missing(measured["together"], ["src/script"]) == []
    rows = coverage.table(measured)
    assert rows[-1].startswith("| all | 7 | 4 | ") and rows[-1].endswith("| 50.0 % | 85.7 % | 100.0 % |")
    page = it.pages("together").read_text()
    assert "sign.cpp" in page and "main.cpp" not in page


@pytest.mark.parametrize("root", ["/home/me/slhconsensus", "/home/me/src/bench/slhconsensus", "/usr/src/slhconsensus", "/a b/c++ (2)"])
def test_ignored(monkeypatch, root):
    """Whatever the name of the folder that the checkout is in."""
    monkeypatch.setattr(coverage, "ROOT", Path(root))

    def left_out(path: str) -> bool:
        return re.search(coverage.ignored(), path) is not None
    assert not left_out(f"{root}/src/script/eval.cpp") and not left_out(f"{root}/build/coverage/../../src/script/eval.cpp")
    assert left_out(f"{root}/src/test/main.cpp") and left_out(f"{root}/build/coverage/../../src/bench/corpus.h")
    assert left_out("/usr/include/c++/12/vector") and left_out("/usr/lib/llvm-14/lib/clang/14.0.6/include/immintrin.h")


def test_nothing_measured(tmp_path, monkeypatch, capsys):
    """An empty table is a failure."""
    monkeypatch.setattr(coverage.Build, "tests", lambda *_: None)
    monkeypatch.setattr(coverage.Build, "measured", lambda *_: {})
    monkeypatch.setattr(coverage.Build, "pages", lambda *_: tmp_path / "index.html")
    monkeypatch.setattr(sys, "argv", ["coverage.py", "--no-build", "--only", "unit", "--build", str(tmp_path)])
    assert coverage.main() == 2
    assert capsys.readouterr() == ("", f"coverage.py: no line of {coverage.ROOT}/src was measured\n")


def test_failure_is_said(build, monkeypatch, capsys):
    root, it = build
    monkeypatch.setattr(coverage, "ROOT", root)
    monkeypatch.setattr(it, "failed", False)
    it.note("unit", 8)
    assert it.failed
    assert "unit: failed, see" in capsys.readouterr().err


FUZZ_TARGET = """#!/bin/sh
# What libFuzzer does with its options
status=77
for option; do case "$option" in -error_exitcode=*) status=${option#*=};; esac; done
"""


@pytest.mark.parametrize("behaviour, failed, said", [
    ("exit 0", False, ""),
    ("echo 'ERROR: libFuzzer: deadly signal' >&2; exit $status", True, "fuzz_one: failed, see"),
    ("exit 77", True, "fuzz_one: failed, see"),
    ("echo 'fuzz_one: skipped: there is no oracle' >&2; exit 77", False, "fuzz_one: skipped: there is no oracle\n"),
])
def test_crash_is_no_skip(tmp_path, capsys, behaviour, failed, said):
    """A fuzz target is skipped if it says so. One that crashes is not, whatever libFuzzer's status for that is."""
    program = tmp_path / "out/src/test/fuzz/fuzz_one"
    program.parent.mkdir(parents=True)
    program.write_text(f"{FUZZ_TARGET}{behaviour}\n")
    program.chmod(0o755)
    (tmp_path / "corpus/one").mkdir(parents=True)
    it = coverage.Build(tmp_path / "out", "1")
    it.fuzz(tmp_path / "corpus")
    assert it.failed == failed
    error = capsys.readouterr().err
    assert error.startswith(said) and bool(error) == bool(said)


def test_read():
    """Two records of a line: it was executed if one of them says so. A branch that was never reached was not taken. What is not in src
    is left out, and so are tests."""
    src = f"{coverage.ROOT}/build/coverage/../../src"
    files = coverage.read_lcov("\n".join(f"SF:{path}\nDA:1,0\nBRDA:1,0,0,-\nDA:1,2\nBRDA:1,0,0,3\nBRDA:1,0,1,-\nend_of_record" for path in (
        f"{src}/a.h", f"{src}/test/b.h", "/usr/include/src/c.h", f"{coverage.ROOT}/build/coverage/src/d.h")))
    assert set(files) == {"src/a.h"}
    assert files["src/a.h"].lines == {1: 2}
    assert files["src/a.h"].branches == {(1, "0", "0"): 3, (1, "0", "1"): 0}
    assert coverage.share([]) == "-"


def test_kept_corpus(tmp_path):
    """What is kept is in the next corpus that is made, beside what is always made; and one that is there stays as it is."""
    script, program = tmp_path / "contrib/fuzz/corpus.sh", tmp_path / "build/src/test/fuzz/make_fuzz_corpus"
    for file, text in ((script, (Path(__file__).parent / "fuzz/corpus.sh").read_text()),
                       (program, '#!/bin/sh\nmkdir "$1/one" "$1/two" && echo made > "$1/one/made-1" && echo made > "$1/two/made-1"\n')):
        file.parent.mkdir(parents=True)
        file.write_text(text)
        file.chmod(0o755)
    (tmp_path / "src/test").mkdir(parents=True, exist_ok=True)

    def corpus(*args, status=0):
        result = subprocess.run([script, *args], cwd=tmp_path, capture_output=True, text=True)
        assert result.returncode == status, result
        return result.stderr

    def files(folder):
        return {str(path.relative_to(folder)): path.read_text() for path in sorted(folder.rglob("*")) if path.is_file()}
    corpus("make", "build", "first")
    assert files(tmp_path / "first") == {"one/made-1": "made\n", "two/made-1": "made\n"}
    (tmp_path / "first/one/made-1").unlink()
    (tmp_path / "first/one/found").write_text("found\n")
    corpus("keep", "first", "one")
    archive = tmp_path / "src/test/fuzz/corpora/one.tar.xz"
    kept = archive.read_bytes()
    corpus("make", "build", "second")
    assert files(tmp_path / "second") == {"one/found": "found\n", "one/made-1": "made\n", "two/made-1": "made\n"}
    (tmp_path / "second/one/made-1").unlink()
    corpus("make", "build", "second")
    assert not (tmp_path / "second/one/made-1").exists()
    corpus("keep", "second", "one")
    assert archive.read_bytes() == kept and len(list(archive.parent.iterdir())) == 1
    assert "has nothing for 'three'" in corpus("keep", "first", "three", status=2)
    assert "there is no" in corpus("make", "elsewhere", "third", status=2)
    assert "usage" in corpus("mend", status=2)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["build", "contrib", "first", "second", "src"]
