# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""integrate.py on Bitcoin Core's sources: what it writes, and what it refuses. CORE_SOURCES names them."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import integrate  # noqa: E402

CORE = Path(os.environ.get("CORE_SOURCES") or "/nonexistent")
EDITS = [(file, n, edit) for file, edits in integrate.load_edits().items() for n, edit in enumerate(edits)]

pytestmark = pytest.mark.skipif(not (CORE / integrate.NEEDLE).is_file(), reason="Bitcoin Core's sources are not here")


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, str(HERE / "integrate.py"), *map(str, arguments)], capture_output=True, text=True, check=False)


@pytest.fixture
def core(tmp_path: Path) -> Path:
    """The files of Core that are edited, and nothing else."""
    root = tmp_path / "core"
    for file in integrate.load_edits():
        (root / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(CORE / file, root / file)
    return root


def anchor_line(core: Path, edit: integrate.Edit) -> tuple[list[str], int]:
    """A file's lines, and which one is the anchor."""
    lines = (core / edit.file).read_text().split("\n")
    (at,) = [i for i, line in enumerate(lines) if line.strip().startswith(edit.anchor)]
    return lines, at


def test_check() -> None:
    result = run(CORE, "--check")
    assert result.returncode == 0 and result.stdout.startswith(f"{len(EDITS)} anchors")


@pytest.mark.parametrize(("file", "n", "edit"), EDITS)
def test_missing_and_second_anchor(core: Path, file: str, n: int, edit: integrate.Edit) -> None:
    """An anchor that is gone, or there twice, is named, and nothing is written."""
    lines, at = anchor_line(core, edit)
    for changed, complaint in ([*lines[:at], *lines[at + 1:]], "not found"), ([*lines, lines[at]], "not unique"):
        (core / file).write_text("\n".join(changed))
        with pytest.raises(integrate.IntegrationError) as error:
            integrate.plan(core)
        assert file in str(error.value) and edit.anchor in str(error.value) and complaint in str(error.value)


def test_refusal_writes_nothing(core: Path, tmp_path: Path) -> None:
    (core / EDITS[-1][0]).write_text("")
    result = run(core, "--to", tmp_path / "out")
    assert result.returncode == 1 and EDITS[-1][0] in result.stderr and result.stderr.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_twice_is_once(core: Path, tmp_path: Path) -> None:
    """A second run writes nothing; a change in Core's sources arrives; what does not belong there goes."""
    out = tmp_path / "out"
    assert run(core, "--to", out).returncode == 0
    before = {path: path.stat().st_mtime_ns for path in out.rglob("*") if path.is_file()}
    assert run(core, "--to", out).stdout.endswith(": 0 files written\n")
    assert {path: path.stat().st_mtime_ns for path in out.rglob("*") if path.is_file()} == before

    (core / "added.txt").write_text("new")
    (out / "stray.txt").write_text("old")
    (out / EDITS[0][0]).write_text("spoilt")
    assert run(core, "--to", out).stdout.endswith(": 3 files written\n")
    assert (out / "added.txt").read_text() == "new" and not (out / "stray.txt").exists()
    assert run(core, "--to", out).stdout.endswith(": 0 files written\n")


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
    """What does not belong into the copy is removed, so it must be one: no other folder, not Core's own, none around it."""
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
    (empty / EDITS[0][0]).unlink()
    assert run(core, "--to", empty).stdout.endswith(": 1 files written\n")


def test_mark_is_right_above_its_anchor(core: Path) -> None:
    """An anchor that has moved away from its mark is no anchor, though there is such a line further up."""
    for file, _, edit in EDITS:
        if edit.place != "above":
            continue
        lines, at = anchor_line(core, edit)
        (core / file).write_text("\n".join([*lines[:at], "// a line between", *lines[at:]]))
        with pytest.raises(integrate.IntegrationError) as error:
            integrate.plan(core)
        assert file in str(error.value) and edit.mark in str(error.value)
        (core / file).write_text("\n".join(lines))


def test_no_line_of_core_is_lost(core: Path) -> None:
    """Lines are added; only those of a swap change."""
    for file, lines in integrate.diff(core, integrate.plan(core)).items():
        removed = [line[1:] for line in lines if line.startswith("-") and not line.startswith("---")]
        assert len(removed) == sum(edit.swap is not None for edit in integrate.load_edits()[file]), (file, removed)
