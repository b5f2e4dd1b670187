# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""integrate.py on Bitcoin Core's sources: what it writes, and what it refuses. CORE_SOURCES names them; CORE_SOURCES_OLDER may
name another snapshot, which the edits must fit, too."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import integrate  # noqa: E402
from edits import Edit, Misplaced  # noqa: E402

CORE = Path(os.environ.get("CORE_SOURCES") or "/nonexistent")
OLDER = Path(os.environ.get("CORE_SOURCES_OLDER") or "/nonexistent")
EDITS = integrate.edits_for(CORE)

pytestmark = pytest.mark.skipif(not (CORE / integrate.NEEDLE).is_file(), reason="Bitcoin Core's sources are not here")
older = pytest.mark.skipif(not (OLDER / integrate.NEEDLE).is_file(), reason="the older snapshot of Bitcoin Core's sources is not here")


def needed(edits: list[Edit]) -> int:
    """How many of them have no place in an empty file: all but those for which there may be nothing to do."""
    return sum(all(place.place.kind != "without" for place in (edit, *edit.others)) for edit in edits)


def run(*arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, str(HERE / "integrate.py"), *map(str, arguments)], capture_output=True, text=True, check=False,
                          env=os.environ | environment)


def edited_files(source: Path, root: Path) -> Path:
    """Make `root` the files of Core that are edited, and nothing else."""
    for file in integrate.edits_for(source):
        (root / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(source / file, root / file)
    return root


@pytest.fixture
def core(tmp_path: Path) -> Path:
    return edited_files(CORE, tmp_path / "core")


def test_headers_are_the_same_without_the_module() -> None:
    """A header that depends on the module would have to be compiled twice in each source that includes it."""
    headers = [*HERE.glob("src/**/*.h"), *HERE.glob("edits/src/**/*.h.toml")]
    dependent = {header.name for header in headers if re.search(r"\b(HAVE|ENABLE)_SLHDSA\b", header.read_text())}
    assert dependent == {"config.h", "register.h.toml"}


@pytest.mark.parametrize("source", [CORE, pytest.param(OLDER, marks=older)], ids=["newest", "older"])
def test_check(source: Path) -> None:
    result = run(source, "--check")
    assert result.returncode == 0 and result.stderr == ""
    assert result.stdout == f"{sum(len(file.edits) for file in EDITS.values())} edits in {len(EDITS)} files have their places\n"


@pytest.mark.parametrize("file", EDITS)
def test_missing_and_second_place(file: str) -> None:
    """A place that is gone, or there twice, is named."""
    pristine = (CORE / file).read_text()
    lines = pristine.split("\n")
    for edit in EDITS[file].edits:
        if edit.place.kind == "without":
            continue
        begin, end = edit.place.find(lines)
        gone = [*lines[:begin], *lines[end:]], ("not found", "not the lines", "not unique")
        twice = [*lines[:end], *lines[begin:end], *lines[end:]], ("not unique",)
        closing = not any(c.isalnum() for c in "".join(edit.place.anchor))  # ends its block, so there cannot be two
        for changed, complaints in (gone,) if closing else (gone, twice):
            with pytest.raises(Misplaced) as error:
                Edit(edit.place, edit.lines, edit.swap).change(changed)
            assert edit.place.describe() in str(error.value) and any(complaint in str(error.value) for complaint in complaints)


def test_each_problem_is_named(core: Path) -> None:
    """All that does not fit other sources is told in one run."""
    for file in EDITS:
        (core / file).write_text("")
    (core / "src/slhdsa").mkdir()
    assert run(core, "--check").stderr.count("already") == 1
    (core / "src/slhdsa").rmdir()
    result = run(core, "--check")
    assert result.returncode == 1 and result.stdout == ""
    assert result.stderr.count("\n") == sum(needed(file.edits) for file in EDITS.values())
    assert all(f"integrate.py: {file}: " in result.stderr for file in EDITS)
    (core / next(iter(EDITS))).unlink()
    assert f"{next(iter(EDITS))}: not in {core}" in run(core, "--check").stderr


def test_refusal_writes_nothing(core: Path, tmp_path: Path) -> None:
    file = list(EDITS)[-1]
    (core / file).write_text("")
    result = run(core, "--to", tmp_path / "out")
    assert result.returncode == 1 and result.stderr.count(file) == result.stderr.count("\n") == needed(EDITS[file].edits)
    assert not (tmp_path / "out").exists()


def test_twice_is_once(core: Path, tmp_path: Path) -> None:
    """A second run writes nothing; a change in Core's sources arrives, also that a file is gone; other files stay."""
    out = tmp_path / "out"
    assert run(core, "--to", out).returncode == 0
    before = {path: path.stat().st_mtime_ns for path in out.rglob("*") if path.is_file()}
    assert run(core, "--to", out).stdout.endswith(": 0 files written\n")
    assert {path: path.stat().st_mtime_ns for path in out.rglob("*") if path.is_file()} == before

    (core / "added.txt").write_text("new")
    (out / "notes.txt").write_text("mine")
    (out / next(iter(EDITS))).write_text("spoilt")
    assert run(core, "--to", out).stdout.endswith(": 2 files written\n")
    assert (out / "added.txt").read_text() == "new"
    (core / "added.txt").unlink()
    assert run(core, "--to", out).stdout.endswith(": 1 files written\n")
    assert not (out / "added.txt").exists()
    assert run(core, "--to", out).stdout.endswith(": 0 files written\n")
    assert (out / "notes.txt").read_text() == "mine"


def test_another_version_in_the_same_folder(core: Path, tmp_path: Path) -> None:
    """Sources of another version differ where size and time do not tell: every difference arrives, with a time that a build
    notices, whatever was a file and is a folder now."""
    out = tmp_path / "out"
    unpacked = 1_000_000_000 * 10**9  # packages carry times of their own, long ago
    for file, content in ("same.h", "int x;"), ("value.h", "int x = 1;"), ("part", "a file"), ("folder/one", "1"):
        (core / file).parent.mkdir(exist_ok=True)
        (core / file).write_text(content)
        os.utime(core / file, ns=(unpacked, unpacked))
    assert run(core, "--to", out).returncode == 0
    kept = (out / "same.h").stat().st_mtime_ns
    built = (out / "value.h").stat().st_mtime_ns

    shutil.rmtree(core / "folder")
    (core / "part").unlink()
    (core / "part").mkdir()
    for file, content in ("value.h", "int x = 2;"), ("part/two", "2"), ("folder", "a file"):
        (core / file).write_text(content)
        os.utime(core / file, ns=(unpacked, unpacked))
    assert run(core, "--to", out).returncode == 0
    assert [(out / file).read_text() for file in ("value.h", "part/two", "folder")] == ["int x = 2;", "2", "a file"]
    assert (out / "value.h").stat().st_mtime_ns >= built > unpacked
    assert (out / "same.h").stat().st_mtime_ns == kept
    assert run(core, "--to", out).stdout.endswith(": 0 files written\n")


def test_permissions_arrive(core: Path, tmp_path: Path) -> None:
    (core / "tool.py").write_text("#!/usr/bin/env python3\n")
    assert run(core, "--to", tmp_path / "out").returncode == 0
    (core / "tool.py").chmod(0o755)
    assert run(core, "--to", tmp_path / "out").stdout.endswith(": 1 files written\n")
    assert os.access(tmp_path / "out/tool.py", os.X_OK)


def test_nothing_of_git_is_copied(core: Path, tmp_path: Path) -> None:
    """Neither a clone's folder nor a worktree's file, which would make the copy another tree of that repository."""
    out = tmp_path / "out"
    (core / ".git").write_text("gitdir: /somewhere/.git/worktrees/core\n")
    assert run(core, "--to", out).returncode == 0
    assert not (out / ".git").exists()
    (core / ".git").unlink()
    (core / ".git/refs").mkdir(parents=True)
    (core / ".git/HEAD").write_text("ref: refs/heads/main\n")
    (core / ".gitignore").write_text("*.o\n")
    assert run(core, "--to", out).returncode == 0
    assert not (out / ".git").exists() and (out / ".gitignore").exists()


def test_integrated_sources_are_refused(core: Path, tmp_path: Path) -> None:
    assert run(core, "--to", tmp_path / "out").returncode == 0
    result = run(tmp_path / "out", "--check")
    assert result.returncode == 1 and "already" in result.stderr


def test_only_an_integrated_copy_is_overwritten(core: Path, tmp_path: Path) -> None:
    """Files of the copy are written over, so it must be one: no other folder, not Core's own, none around it, no repository."""
    other = tmp_path / "other"
    other.mkdir()
    (other / "precious.txt").write_text("mine")
    result = run(core, "--to", other)
    assert result.returncode == 1 and str(other) in result.stderr and result.stderr.count("\n") == 1
    for folder in core, core / "copy", tmp_path:
        result = run(core, "--to", folder)
        assert result.returncode == 1 and "--to" in result.stderr and result.stderr.count("\n") == 1
    assert (other / "precious.txt").read_text() == "mine" and [path.name for path in other.iterdir()] == ["precious.txt"]
    assert run(core, "--check").returncode == 0
    # An empty folder will do, and so will a copy of which only a part has been made.
    empty = tmp_path / "empty"
    empty.mkdir()
    assert run(core, "--to", empty).returncode == 0
    (empty / next(iter(EDITS))).unlink()
    assert run(core, "--to", empty).stdout.endswith(": 1 files written\n")
    # Somebody tracks their own edits in it.
    (empty / next(iter(EDITS))).write_text("mine")
    git(empty, "init", "--quiet")
    result = run(core, "--to", empty)
    assert result.returncode == 1 and "a git repository" in result.stderr
    assert (empty / next(iter(EDITS))).read_text() == "mine" and (empty / ".git/HEAD").is_file()


def git(folder: Path, *arguments: str) -> str:
    identity = {f"GIT_{role}_{what}": "tester@example.org" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    environment = {"PATH": os.environ["PATH"], "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"} | identity
    return subprocess.run(["git", *arguments], cwd=folder, env=environment, capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize("source", [CORE, pytest.param(OLDER, marks=older)], ids=["newest", "older"])
def test_patches_are_what_git_am_takes(tmp_path: Path, source: Path) -> None:
    """On the sources that they were made from, they give the integrated tree, new files included, in commits with messages."""
    core = edited_files(source, tmp_path / "core")
    (core / "other.txt").write_text("no newline at the end")
    wanted = integrate.plan(core)
    commits = integrate.series()
    patches = tmp_path / "patches"
    result = run(core, "--patch", patches)
    assert result.returncode == 0 and result.stderr == "" and result.stdout == f"{patches}: {len(commits)} patches\n"
    assert run(core, "--patch", tmp_path / "again").returncode == 0
    assert files_of(patches) == files_of(tmp_path / "again")  # one state of both gives one series
    git(core, "init", "--quiet")
    git(core, "add", "--all")
    git(core, "commit", "--quiet", "--message=Core")
    git(core, "am", "--quiet", "--whitespace=error-all", *map(str, sorted(patches.iterdir())))

    base = f"HEAD~{len(commits)}"
    assert {file: (core / file).read_bytes() for file in git(core, "diff", "--name-only", base).split()} == wanted
    assert git(core, "status", "--short") == "" and git(core, "rev-list", "--count", "HEAD").strip() == str(len(commits) + 1)
    assert set(git(core, "log", "--format=%an <%ae>", f"{base}..").splitlines()) == {"{} <{}>".format(*integrate.AUTHOR)}
    assert git(core, "log", "--format=%s", "--reverse", f"{base}..").splitlines() == [commit.subject for commit in commits]
    assert git(core, "log", "-1", "--format=%B").strip() == commits[-1].message().strip()
    assert all(os.access(core / file, os.X_OK) == os.access(path, os.X_OK) for file, path in integrate.our_files().items())


def test_patches_go_into_an_empty_folder(core: Path, tmp_path: Path) -> None:
    """Between those of an earlier state, one more or less would not be noticed."""
    assert run(core, "--patch", tmp_path / "patches").returncode == 0
    before = files_of(tmp_path / "patches")
    result = run(core, "--patch", tmp_path / "patches")
    assert result.returncode == 1 and "not an empty folder" in result.stderr and files_of(tmp_path / "patches") == before


@pytest.mark.parametrize("source", [CORE, pytest.param(OLDER, marks=older)], ids=["newest", "older"])
def test_each_commit_stands_by_itself(source: Path) -> None:
    """The files that a commit includes are there, and it builds those that it has, neither more nor less."""
    trees = list(integrate.trees(source))
    assert trees[-1] == integrate.plan(source)
    for tree in trees:
        text = b"".join(tree.values()).decode()
        includes = {f"src/{name}" for name in re.findall(r"#include <(slhdsa/\w+\.h)>", text)}
        assert includes <= tree.keys()
        builds = b"".join(content for file, content in tree.items() if file.endswith("CMakeLists.txt")).decode()
        named = {f"src/{name}" for name in re.findall(r"\bslhdsa/\w+\.cpp", builds)}
        named |= {f"src/test/{name}" for name in re.findall(r"\b(?:p2mr|slhdsa)_\w+\.cpp", builds)}
        assert named == {file for file in tree.keys() & integrate.our_files().keys() if file.endswith(".cpp") and "/fuzz/" not in file}


def test_each_part_is_of_one_commit() -> None:
    """No part of series.toml is left over, and no pattern."""
    edits, ours = integrate.load(integrate.EDITS), integrate.our_files()
    for commit in integrate.series():
        for pattern in commit.files:
            assert any(integrate.fnmatchcase(file, pattern) for file in edits.keys() | ours.keys()), pattern
        for file, parts in commit.parts.items():
            texts = [integrate.written_edit(edit, "") for edit in edits[file].edits]
            assert all(any(part in text for text in texts) for part in parts), file


@pytest.mark.parametrize("old, new, place", [
    ("'src/outputtype.cpp', ", "", "src/outputtype.cpp: in 0 commits"),
    ("'src/policy/*'", "'src/policy/*', 'src/slhdsa/leaf.*'", "src/slhdsa/leaf.cpp: in 2 commits"),
    ("'slhdsa_inactive', ", "'slhdsa_inactive', 'flags | GetSLHDSAScriptFlags(', ", "src/validation.cpp: in 2 commits"),
])
def test_what_is_not_in_one_commit_is_named(core: Path, tmp_path: Path, old: str, new: str, place: str) -> None:
    copy = scripts(tmp_path)
    text = (copy / "series.toml").read_text(encoding="utf-8")
    assert text.count(old) == 1
    (copy / "series.toml").write_text(text.replace(old, new), encoding="utf-8")
    result = record(copy, core, "--patch", tmp_path / "patches")
    assert result.returncode == 1 and place in result.stderr and result.stderr.count("\n") == 1 and not (tmp_path / "patches").exists()


def test_stat(core: Path, tmp_path: Path) -> None:
    """The sums of --stat are those of the patches."""
    assert run(core, "--patch", tmp_path / "patches").returncode == 0
    lines = b"".join(files_of(tmp_path / "patches").values()).decode().split("\n")
    added = sum(line.startswith("+") and not line.startswith("+++ ") for line in lines)
    removed = sum(line.startswith("-") and not line.startswith("--- ") for line in lines) - lines.count("---")
    rows = run(core, "--stat").stdout.splitlines()
    counts = [[int(number) for number in row.split()[1:]] for row in rows[:-1]]
    assert len(rows) - 1 == len(EDITS) + len(integrate.our_files())
    assert [sum(column) for column in zip(*counts)] == [added, -removed]
    assert f"{len(EDITS)} files of Core" in rows[-1] and f"{len(integrate.our_files())} files of ours" in rows[-1]


def test_unit_test_knows_the_errors_of_the_vectors() -> None:
    """p2mr_vectors_tests.cpp names script errors one by one; it is compiled and run only in Core's tree."""
    vectors = json.loads((HERE.parents[1] / "doc/bip/vectors/spends.json").read_text(encoding="utf-8"))
    known = re.findall(r"ERROR_NAME\((\w+)\),", (HERE / "src/test/p2mr_vectors_tests.cpp").read_text(encoding="utf-8"))
    assert {vector["error"] for vector in vectors} - {None} == {f"SCRIPT_ERR_{name}" for name in known}


def test_functional_tests_are_listed() -> None:
    """Core's test_runner.py --ci refuses to run beside a file that none of its lists has."""
    listed = (integrate.EDITS / "test/functional/test_runner.py.toml").read_text(encoding="utf-8")
    ours = [Path(file).name for file in integrate.our_files() if re.fullmatch(r"test/functional/\w+\.py", file)]
    assert len(ours) > 2
    assert all(re.search(rf"['\"]{re.escape(file)}['\"],", listed) for file in ours)


def scripts(tmp_path: Path) -> Path:
    """A copy of integrate.py with its folders, to record into."""
    copy = tmp_path / "repository/contrib/bitcoin-core"
    copy.mkdir(parents=True)
    for path in *HERE.glob("*.py"), integrate.SERIES:
        shutil.copy2(path, copy)
    for name in "edits", *integrate.OUR_FOLDERS:
        if (HERE / name).is_dir():
            shutil.copytree(HERE / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
    for path in integrate.BORROWED.values():
        target = copy / os.path.relpath(path, HERE)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, target)
    return copy


def files_of(folder: Path) -> dict[str, bytes]:
    files = [path for path in folder.rglob("*") if path.is_file() and path.suffix != ".pyc" and path.name != integrate.MANIFEST]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def record(copy: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-B", str(copy / "integrate.py"), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@older
def test_record_what_fits_the_older_too(core: Path, tmp_path: Path) -> None:
    """An integrated tree, recorded, gives the edits that made it."""
    assert run(core, "--to", tmp_path / "out").returncode == 0
    copy = scripts(tmp_path)
    before = files_of(copy)
    result = record(copy, core, "--record", tmp_path / "out", "--also", OLDER)
    assert result.returncode == 0 and result.stderr == ""
    assert files_of(copy) == before


@pytest.mark.parametrize("also", [(), ("--also", CORE)], ids=["alone", "also"])
def test_record_writes_what_changed_alone(core: Path, tmp_path: Path, also: tuple[object, ...]) -> None:
    """One line changed is one file of edits changed, by one line, whatever places recording would choose today."""
    out = tmp_path / "out"
    assert run(core, "--to", out).returncode == 0
    path, line = out / "src/script/interpreter.cpp", "case OP_TOALTSTACK: case OP_DROP: case OP_SIZE:"
    text = path.read_text()
    assert text.count(line) == 1
    path.write_text(text.replace(line, f"{line} // changed"))
    copy = scripts(tmp_path)
    before = files_of(copy)
    assert record(copy, core, "--record", out, *also).returncode == 0
    after = files_of(copy)
    assert [file for file in after if after[file] != before[file]] == ["edits/src/script/interpreter.cpp.toml"]
    old, new = (files["edits/src/script/interpreter.cpp.toml"].decode().split("\n") for files in (before, after))
    assert [line for line in new if line not in old] == [f"    {line} // changed"] and len(old) == len(new)


def test_record_changes(core: Path, tmp_path: Path) -> None:
    """Edits of further files, new files with their permissions, and what is no longer edited or there."""
    out = tmp_path / "out"
    for file in "src/further.cpp", "src/equal.cpp", "test/functional/further.py":
        (core / file).parent.mkdir(parents=True, exist_ok=True)
        (core / file).write_text("int first;\nint second;\n")
    assert run(core, "--to", out).returncode == 0
    (out / "src/further.cpp").write_text("int first;\nint NEW;\nint second;\n")
    (out / "src/slhdsa/new.py").write_text("#!/usr/bin/env python3\n")
    (out / "src/slhdsa/new.py").chmod(0o755)
    (out / "test/functional/feature_new.py").write_text("new\n")
    gone = next(file for file in integrate.our_files() if file.startswith("src/"))
    (out / gone).unlink()
    undone = next(iter(EDITS))
    shutil.copy2(core / undone, out / undone)

    copy = scripts(tmp_path)
    assert record(copy, core, "--record", out).returncode == 0
    assert (copy / "edits/src/further.cpp.toml").exists() and not (copy / "edits/src/equal.cpp.toml").exists()
    assert not (copy / f"edits/{undone}.toml").exists() and not (copy / gone).exists()
    assert os.access(copy / "src/slhdsa/new.py", os.X_OK) and (copy / "functional/feature_new.py").exists()
    again = tmp_path / "again"
    assert record(copy, core, "--to", again).returncode == 0
    assert files_of(again) == files_of(out) and os.access(again / "src/slhdsa/new.py", os.X_OK)

    # A tree without Core's functional tests says nothing about ours.
    shutil.rmtree(core / "test")
    shutil.rmtree(out / "test")
    assert record(copy, core, "--record", out).returncode == 0
    assert (copy / "functional/feature_new.py").exists()


def test_only_what_belongs_to_core_is_added(tmp_path: Path) -> None:
    """Neither how to use a folder here, nor tests of what is in it, nor what Python leaves behind."""
    copy = scripts(tmp_path)
    for name in "README.md", "test_p2mr.py", "__pycache__/p2mr.cpython-311.pyc", "feature_new.py":
        integrate.write_if_changed(copy / "functional" / name, b"new")
    core = edited_files(CORE, tmp_path / "core")
    assert record(copy, core, "--to", tmp_path / "out").returncode == 0
    added = {path.name for path in (tmp_path / "out/test/functional").rglob("*")}
    assert {"feature_new.py", "slhdsa.py"} <= added and not added & {"README.md", "test_p2mr.py", "__pycache__", "p2mr.cpython-311.pyc"}


def test_record_refuses(core: Path, tmp_path: Path) -> None:
    """Everything that cannot be recorded is named, and nothing is written."""
    out = tmp_path / "out"
    (core / "gone.txt").write_text("x")
    assert run(core, "--to", out).returncode == 0
    (out / "gone.txt").unlink()
    (out / "ci").mkdir()
    (out / "ci/new.txt").write_text("new")
    (out / next(iter(EDITS))).write_text("other")
    copy = scripts(tmp_path)
    before = files_of(copy)
    result = record(copy, core, "--record", out)
    assert result.returncode == 1 and "gone.txt: " in result.stderr and "ci/new.txt: " in result.stderr and result.stderr.count("\n") == 2
    assert files_of(copy) == before


def test_a_file_of_ours_replaces_none_of_cores(core: Path, tmp_path: Path) -> None:
    copy = scripts(tmp_path)
    integrate.write_if_changed(copy / "src/both.cpp", b"ours")
    integrate.write_if_changed(core / "src/both.cpp", b"Core's")
    result = record(copy, core, "--to", tmp_path / "out")
    assert result.returncode == 1 and f"src/both.cpp: is in {core} already" in result.stderr and not (tmp_path / "out").exists()


def test_optional_files(core: Path, tmp_path: Path) -> None:
    """Sources without a file whose edits are optional are fine, and recording from them keeps those edits."""
    copy = scripts(tmp_path)
    optional = "optional = 'not in every package'\n\n[[edit]]\nafter = 'int first;'\nlines = 'int NEW;'\n"
    integrate.write_if_changed(copy / "edits/test/list.py.toml", optional.encode())
    assert record(copy, core, "--to", tmp_path / "out").returncode == 0
    assert record(copy, core, "--record", tmp_path / "out").returncode == 0
    assert (copy / "edits/test/list.py.toml").read_text() == optional
    integrate.write_if_changed(core / "test/list.py", b"int first;\n")
    assert record(copy, core, "--to", tmp_path / "out").returncode == 0
    assert (tmp_path / "out/test/list.py").read_text() == "int first;\nint NEW;\n"
    integrate.write_if_changed(core / "test/list.py", b"\n")
    assert "test/list.py: after 'int first;': not found" in record(copy, core, "--check").stderr
