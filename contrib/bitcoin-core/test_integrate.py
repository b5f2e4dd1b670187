# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""integrate.py on Bitcoin Core's sources (CORE_SOURCES): what it makes, records and refuses."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
CORE = Path(os.environ.get("CORE_SOURCES") or "/nonexistent")
INTERPRETER = "src/script/interpreter.cpp"
pytestmark = pytest.mark.skipif(not (CORE / INTERPRETER).is_file(), reason="Bitcoin Core's sources are not here")


def git(folder: Path, *arguments: str) -> str:
    identity = {f"GIT_{role}_{what}": "tester@example.org" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    environment = {"PATH": os.environ["PATH"], "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"} | identity
    return subprocess.run(["git", *arguments], cwd=folder, env=environment, capture_output=True, text=True, check=True).stdout


def run(*arguments: object, here: Path = HERE) -> str:
    """What it prints, or the one line of what it refuses."""
    result = subprocess.run([sys.executable, "-B", here / "integrate.py", *map(str, arguments)], capture_output=True, text=True, check=False)
    assert (result.stderr.count("\n"), result.stdout) == (1, "") if result.returncode else result.stderr == ""
    return result.stderr or result.stdout


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An integrated tree of Core's sources, for tests that only read it."""
    tree = tmp_path_factory.mktemp("whole") / "tree"
    assert run(CORE, "--to", tree) == f"{tree}: {len(list(HERE.glob('patches/*')))} commits upon Bitcoin Core\n"
    return tree


@pytest.fixture
def core(tmp_path: Path, whole: Path) -> Path:
    """The files of Core that change, and nothing else."""
    for file in git(whole, "diff", "--name-only", "--diff-filter=M", "core", "HEAD").split():
        (tmp_path / "core" / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(CORE / file, tmp_path / "core" / file)
    return tmp_path / "core"


@pytest.fixture
def scripts(tmp_path: Path) -> Path:
    """A copy of integrate.py and of what it reads, to record into."""
    copy = tmp_path / "repository/contrib/bitcoin-core"
    shutil.copytree(HERE, copy, ignore=shutil.ignore_patterns("__pycache__", "vectors"))
    (tmp_path / "repository/doc/bip/reference").mkdir(parents=True)
    shutil.copy2(HERE.parents[1] / "doc/bip/reference/slhdsa.py", tmp_path / "repository/doc/bip/reference")
    return copy


def files_of(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file() and ".git" not in path.parts}


def change(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1
    path.write_text(text.replace(old, new), encoding="utf-8")


def test_only_the_lines_of_core_that_go() -> None:
    for path in HERE.glob("patches/*.patch"):
        lines = path.read_text(encoding="utf-8").partition("\n---\n")[2].splitlines()
        assert all(re.match(r"[+-]|@@ -\S+ \S+ @@$|diff --git |index | create mode ", line) for line in lines)


def test_headers_are_the_same_without_the_module(whole: Path) -> None:
    """A header that depends on the module would have to be compiled twice in each source that includes it."""
    assert set(git(whole, "grep", "-lE", r"\b(HAVE|ENABLE)_SLHDSA\b", "--", "*.h").split()) == {"src/slhdsa/config.h", "src/rpc/register.h"}


def test_core_is_whole(whole: Path) -> None:
    assert git(whole, "ls-tree", "-r", "--name-only", "core").split() == sorted(files_of(CORE), key=os.fsencode)
    assert git(whole, "status", "--short") == "" and os.access(whole / "test/functional/feature_p2mr.py", os.X_OK)


def test_each_commit_stands_by_itself(whole: Path) -> None:
    """The files that a commit includes are there, and it builds those that it has, neither more nor less."""
    for commit in git(whole, "rev-list", "core..").split():
        files = git(whole, "diff", "--name-only", "core", commit).split()
        ours = set(git(whole, "diff", "--name-only", "--diff-filter=A", "core", commit).split())
        text = git(whole, "show", *(f"{commit}:{file}" for file in files))
        assert {f"src/{name}" for name in re.findall(r"#include <(slhdsa/\w+\.h)>", text)} <= ours
        builds = git(whole, "show", *(f"{commit}:{file}" for file in files if file.endswith("CMakeLists.txt")))
        named = {f"src/{name}" for name in re.findall(r"\bslhdsa/\w+\.cpp", builds)}
        named |= {f"src/test/{name}" for name in re.findall(r"\b(?:p2mr|slhdsa)_\w+\.cpp", builds)}
        assert named == {file for file in ours if file.endswith(".cpp") and "/fuzz/" not in file}


def test_patches_are_what_git_am_takes(tmp_path: Path, core: Path, whole: Path) -> None:
    """They give the integrated tree, new files included, in commits with messages; one state gives one series."""
    patches = tmp_path / "patches"
    run(core, "--patch", patches)
    run(core, "--patch", tmp_path / "again")
    assert files_of(patches) == files_of(tmp_path / "again")
    assert "not an empty folder" in run(core, "--patch", patches)
    git(core, "init", "--quiet")
    git(core, "add", "--all")
    git(core, "commit", "--quiet", "--message=Core")
    git(core, "am", "--quiet", "--whitespace=error-all", *map(str, sorted(patches.iterdir())))
    log = "--format=%an %ae %aI %B"
    assert git(core, "log", log, "-9") == git(whole, "log", log, "-9")
    assert all((whole / file).read_bytes() == content for file, content in files_of(core).items())


def test_twice_is_once(core: Path, tmp_path: Path) -> None:
    """Files that stay the same are not touched, since builds go by their times; what changes in the sources arrives; other files stay."""
    out = tmp_path / "out"
    run(core, "--to", out)
    before = {path: path.stat().st_mtime_ns for path in out.rglob("*") if path.is_file() and ".git" not in path.parts}
    (out / "notes.txt").write_text("mine")
    (core / "added.txt").write_text("new")
    run(core, "--to", out)
    assert {path: path.stat().st_mtime_ns for path in before} == before and (out / "added.txt").read_text() == "new"
    (core / "added.txt").unlink()
    run(core, "--to", out)
    assert not (out / "added.txt").exists() and (out / "notes.txt").read_text() == "mine"


def test_what_somebody_changed_is_kept(core: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    for act in (lambda: None, lambda: git(out, "commit", "--quiet", "--all", "--message=mine")):
        run(core, "--to", out)
        change(out / INTERPRETER, "bool CastToBool(", "bool CastedToBool(")
        act()
        assert "left as it is" in run(core, "--to", out) and "bool CastedToBool(" in (out / INTERPRETER).read_text()
        assert "commits upon" in run(core, "--to", out, "--force") and "bool CastToBool(" in (out / INTERPRETER).read_text()
    (tmp_path / "other").mkdir()
    (tmp_path / "other/precious.txt").write_text("mine")
    assert "neither empty nor made here" in run(core, "--to", tmp_path / "other", "--force")
    git(tmp_path / "other", "init", "--quiet")
    git(tmp_path / "other", "add", "--all")
    git(tmp_path / "other", "commit", "--quiet", "--message=mine")
    assert "not made here" in run(core, "--to", tmp_path / "other", "--force")


def test_other_sources_are_refused(core: Path, tmp_path: Path) -> None:
    """A change without lines around it goes where its number says, so every file has to be the one that it was made upon."""
    change(core / INTERPRETER, "bool CastToBool(", "\nbool CastToBool(")
    assert re.search(rf"not the sources .* 0002-.* wants another {INTERPRETER}", run(core, "--to", tmp_path / "out"))
    (core / "src/slhdsa").mkdir()
    (core / "src/slhdsa/config.h").write_text("")
    assert "src/slhdsa/config.h: is in these sources already" in run(core, "--to", tmp_path / "out")
    assert "has no src/script/interpreter.cpp" in run(tmp_path, "--to", tmp_path / "out")
    assert not (tmp_path / "out/src").exists()


def test_record_writes_what_changed_alone(core: Path, tmp_path: Path, scripts: Path) -> None:
    """One line of a rule, committed into the commit that has it, is one line of one patch."""
    out = tmp_path / "out"
    run(core, "--to", out)
    before = files_of(scripts)
    run("--record", out, here=scripts)
    assert files_of(scripts) == before
    change(out / INTERPRETER, "case OP_TOALTSTACK: case OP_DROP: case OP_SIZE:", "case OP_TOALTSTACK: case OP_DROP:")
    assert f"{INTERPRETER}: commit or remove it first" in run("--record", out, here=scripts)
    git(out, "commit", "--quiet", "--all", "--fixup=:/script: P2MR outputs")
    assert "'fixup! script: P2MR outputs" in run("--record", out, here=scripts)
    git(out, "checkout", "--quiet", "HEAD~3")
    assert "its branch slhdsa is not checked out" in run("--record", out, here=scripts) and files_of(scripts) == before
    git(out, "checkout", "--quiet", "slhdsa")
    git(out, "-c", "sequence.editor=:", "rebase", "--quiet", "--interactive", "--autosquash", "core")
    run("--record", out, here=scripts)
    after = files_of(scripts)
    (name,) = (file for file in after if after[file] != before[file] and "0002-" in file)
    old, new = (files[name].decode().split("\n") for files in (before, after))
    assert {line.strip("+ ") for line in set(old) ^ set(new) if not line.startswith("index ")} == {
        "case OP_TOALTSTACK: case OP_DROP: case OP_SIZE:", "case OP_TOALTSTACK: case OP_DROP:"}
    assert "commits upon" in run(core, "--to", out, here=scripts)  # not a change any more


def test_record_changes(core: Path, tmp_path: Path, scripts: Path) -> None:
    """Further files of Core, new files, files that are gone, and a commit more; a line in a file of ours belongs to no patch."""
    out = tmp_path / "out"
    (core / "src/further.cpp").write_text("int first;\nint second;\n")
    run(core, "--to", out)
    (out / "src/further.cpp").write_text("int first;\nint NEW;\nint second;\n")
    (out / "src/slhdsa/new.py").write_text("#!/usr/bin/env python3\n")
    (out / "src/slhdsa/new.py").chmod(0o755)
    (out / "doc/release-notes-slhdsa.md").unlink()
    change(out / "src/slhdsa/pubkey.h", "SIGNATURE_SIZE{7856}", "SIGNATURE_SIZE{7857}")
    git(out, "add", "--all")
    git(out, "commit", "--quiet", "--message=More: of it\n\nAs one may want.")
    run("--record", out, here=scripts)
    assert (scripts / "patches/0010-More-of-it.patch").read_text().endswith("+int NEW;\n")
    assert not (scripts / "doc/release-notes-slhdsa.md").exists() and "{7857}" in (scripts / "src/slhdsa/pubkey.h").read_text()
    again = tmp_path / "again"
    run(core, "--to", again, here=scripts)
    assert files_of(again) == files_of(out)
    assert os.access(again / "src/slhdsa/new.py", os.X_OK) and os.access(scripts / "src/slhdsa/new.py", os.X_OK)
    before = files_of(scripts)
    for file, why in ("ci/new.txt", "new files belong into"), ("test/functional/slhdsa.py", "change it there"):
        (out / file).parent.mkdir(exist_ok=True)
        (out / file).write_text("new")
        git(out, "add", "--all")
        git(out, "commit", "--quiet", "--message=mine")
        assert f"{file}: " in (said := run("--record", out, here=scripts)) and why in said
        git(out, "reset", "--quiet", "--hard", "HEAD~")
    change(scripts / "src/slhdsa/check.h", "#endif", "// mine\n#endif")
    before = files_of(scripts)
    assert "check.h: was changed after" in run("--record", out, here=scripts) and files_of(scripts) == before


def test_unit_test_knows_the_errors_of_the_vectors() -> None:
    """p2mr_vectors_tests.cpp names script errors one by one; it is compiled and run only in Core's tree."""
    vectors = json.loads((HERE.parents[1] / "doc/bip/vectors/spends.json").read_text(encoding="utf-8"))
    known = re.findall(r"ERROR_NAME\((\w+)\),", (HERE / "src/test/p2mr_vectors_tests.cpp").read_text(encoding="utf-8"))
    assert {vector["error"] for vector in vectors} - {None} == {f"SCRIPT_ERR_{name}" for name in known}


def test_functional_tests_are_listed(whole: Path) -> None:
    """Core's test_runner.py --ci refuses to run beside a file that none of its lists has."""
    listed = (whole / "test/functional/test_runner.py").read_text(encoding="utf-8")
    ours = git(whole, "diff", "--name-only", "--diff-filter=A", "core", "HEAD", "--", "test/functional").split()
    assert len(ours) > 2
    assert all(re.search(rf"['\"]{re.escape(Path(file).name)}['\"],", listed) for file in ours)
