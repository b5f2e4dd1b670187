# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""fetch_core.sh with a cargo that fetches nothing: which version's sources it names. And which sources CMake takes."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
CRATE = "libbitcoinkernel-sys"
# As `cargo vendor --manifest-path FILE FOLDER`: the crate's sources, and in them the version that FILE pins.
CARGO = f"""#!/usr/bin/env bash
while [ $# -gt 1 ]; do [ "$1" != --manifest-path ] || manifest=$2; shift; done
[ ! -e "$(dirname "$0")/offline" ] || exit 101
mkdir -p "$1/{CRATE}/bitcoin/src/script" "$1/cc"
grep '^{CRATE} = ' "$manifest" > "$1/{CRATE}/bitcoin/src/script/interpreter.cpp"
"""


@pytest.fixture
def scripts(tmp_path: Path) -> Path:
    """A folder with the script and what it reads."""
    folder = tmp_path / "scripts"
    folder.mkdir()
    for name in "fetch_core.sh", "Cargo.toml", "Cargo.lock":
        shutil.copy2(HERE / name, folder / name)
    cargo = tmp_path / "bin/cargo"
    cargo.parent.mkdir()
    cargo.write_text(CARGO)
    cargo.chmod(0o755)
    return folder


def fetch(scripts: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    env = {key: value for key, value in os.environ.items() if key != "BITCOIN_CORE_SRC"} | environment
    env["PATH"] = f"{scripts.parent / 'bin'}:{env['PATH']}"
    command = [scripts / "fetch_core.sh", *arguments, scripts.parent / "cache"]
    return subprocess.run(command, env=env, capture_output=True, text=True, check=False)


def pin(scripts: Path, version: str) -> None:
    lines = (scripts / "Cargo.toml").read_text().splitlines()
    (scripts / "Cargo.toml").write_text("\n".join(f'{CRATE} = "={version}"' if line.startswith(CRATE) else line for line in lines) + "\n")


def sources(result: subprocess.CompletedProcess[str]) -> str:
    """What the named folder says of itself."""
    assert result.returncode == 0, result.stderr
    return (Path(result.stdout.strip()) / "src/script/interpreter.cpp").read_text().strip()


def test_each_version_has_its_own_sources(scripts: Path) -> None:
    for version in "0.3.0", "0.4.1", "0.3.0":
        pin(scripts, version)
        result = fetch(scripts)
        assert sources(result) == f'{CRATE} = "={version}"'
        assert f"{CRATE}-{version}/" in result.stdout


def test_fetched_once(scripts: Path) -> None:
    first = fetch(scripts)
    (scripts.parent / "bin/offline").touch()
    assert fetch(scripts).stdout == first.stdout
    # Another version's sources do not stand in for those that cannot be fetched.
    pin(scripts, "9.9.9")
    result = fetch(scripts)
    assert result.returncode == 77 and result.stdout == ""


def test_another_version_that_is_pinned(scripts: Path, tmp_path: Path) -> None:
    """It has a folder of its own, and is what is asked for, whatever sources are given."""
    older = "0.1.0"
    (scripts / older).mkdir()
    (scripts / older / "Cargo.toml").write_text(f'{CRATE} = "={older}"\n')
    (scripts / older / "Cargo.lock").touch()
    result = fetch(scripts, "--version", older, BITCOIN_CORE_SRC=str(tmp_path))
    assert sources(result) == f'{CRATE} = "={older}"' and f"{CRATE}-{older}/" in result.stdout
    result = fetch(scripts, "--version", "0.2.0")
    assert result.returncode == 2 and result.stdout == "" and "0.2.0" in result.stderr


def test_given_sources(scripts: Path, tmp_path: Path) -> None:
    given = tmp_path / "given"
    assert fetch(scripts, BITCOIN_CORE_SRC=str(given)).returncode == 2
    (given / "src/script").mkdir(parents=True)
    (given / "src/script/interpreter.cpp").touch()
    assert fetch(scripts, BITCOIN_CORE_SRC=str(given)).stdout.strip() == str(given)


PROJECT = f"""cmake_minimum_required(VERSION 3.22)
project(small NONE)
include("{HERE.parents[1]}/cmake/BitcoinCore.cmake")
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project that looks for the sources, and finds some that were fetched."""
    folder = tmp_path / "project"
    files = {"CMakeLists.txt": PROJECT, "contrib/core-differential/Cargo.toml": f'{CRATE} = "=0.1.0"\n',
             f"build/core-sources/{CRATE}-0.1.0/bitcoin/src/script/interpreter.cpp": "", "given/src/script/interpreter.cpp": ""}
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def configure(project: Path, *options: str, **environment: str) -> tuple[str | None, str]:
    """The sources that CMake takes, or else what it says, in one line."""
    env = {key: value for key, value in os.environ.items() if key != "BITCOIN_CORE_SRC"} | environment
    command = ["cmake", "-G", "Ninja", "-S", project, "-B", project / "build", *options]
    result = subprocess.run(command, cwd=project, env=env, capture_output=True, text=True, check=False)
    said = " ".join(result.stderr.split())
    if result.returncode != 0:
        return None, said
    cache = (project / "build/CMakeCache.txt").read_text().splitlines()
    return next(line.partition("=")[2] for line in cache if line.startswith("SLHC_CORE_SOURCE_DIR:")), said


def test_sources_that_cmake_takes(project: Path) -> None:
    """Those that are named, and no others in their place."""
    fetched = f"{project}/build/core-sources/{CRATE}-0.1.0/bitcoin"
    assert configure(project) == (fetched, "")
    given = str(project / "given")
    assert configure(project, BITCOIN_CORE_SRC=given) == (given, "")
    assert configure(project) == (fetched, "")
    taken, said = configure(project, BITCOIN_CORE_SRC=f"{given}-not")
    assert taken is None and f"BITCOIN_CORE_SRC={given}-not has no src/script/interpreter.cpp" in said
    taken, said = configure(project, BITCOIN_CORE_SRC="given")
    assert taken is None and "BITCOIN_CORE_SRC=given is not an absolute path" in said
    assert configure(project, "-DSLHC_CORE_SOURCE_DIR=given") == (given, "")
    # What is given stays so, whatever the variable says.
    assert configure(project, BITCOIN_CORE_SRC=f"{given}-not") == (given, "")
    taken, said = configure(project, "-DSLHC_CORE_SOURCE_DIR=given-not")
    assert taken is None and "has no src/script/interpreter.cpp" in said
    assert configure(project, "-DSLHC_CORE_SOURCE_DIR=") == (fetched, "")
