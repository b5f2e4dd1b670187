# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Preparation of the programs here before they measure: Python's modules, and a build."""

import contextlib
import importlib.util
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "contrib/python"))
from jobs import default_jobs  # noqa: E402
MODULES = ("tqdm",)
IN_ENVIRONMENT = "SLHC_BENCH_ENVIRONMENT"


def _program() -> str:
    return pathlib.Path(sys.argv[0]).name


def enter_environment(modules: tuple[str, ...] = MODULES) -> None:
    """Start the program again in an environment that has these modules, unless they are here; it is made where it is missing.

    Raises:
        SystemExit: if it cannot be made.
    """
    if all(importlib.util.find_spec(module) for module in modules):
        if os.environ.get(IN_ENVIRONMENT):  # else what this starts would replace the tests' environment by one with these modules
            os.environ.pop("SLHC_REQUIREMENTS", None)
        return
    if os.environ.get(IN_ENVIRONMENT):
        raise SystemExit(f"{_program()}: {' and '.join(modules)} are missing, and could not be installed (see build/bench-env.log)")
    if not (ROOT / "build/bench-env").exists():
        print("-- installing Python packages in build/bench-env, once (log: build/bench-env.log)", file=sys.stderr, flush=True)
    os.environ[IN_ENVIRONMENT] = "1"
    os.environ["SLHC_REQUIREMENTS"] = str(ROOT / "contrib/bench/requirements.txt")
    program = str(pathlib.Path(sys.argv[0]).resolve())
    command = [str(ROOT / "contrib/python/with-env.sh"), str(ROOT / "build/bench-env"), sys.executable, "python3", program, *sys.argv[1:]]
    os.execv(command[0], command)


SECP256K1 = ("https://github.com/bitcoin-core/secp256k1", "v0.8.0")


def secp256k1() -> pathlib.Path:
    """A source tree of libsecp256k1, the yardstick: cargo fetches it, or where that cannot be, git.

    Raises:
        SystemExit: if it cannot be had, with one line.
    """
    done = subprocess.run([ROOT / "contrib/bench/fetch_secp256k1.sh"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
    if done.returncode == 0:
        return pathlib.Path(done.stdout.strip())
    url, tag = SECP256K1
    folder = ROOT / f"build/crates/secp256k1-{tag}"
    try:
        if not folder.exists():
            subprocess.run(["git", "clone", "--quiet", "--depth", "1", "--branch", tag, url, folder], check=True, stderr=subprocess.DEVNULL)
        return folder
    except (OSError, subprocess.CalledProcessError):
        raise SystemExit(f"{_program()}: libsecp256k1 could not be fetched with cargo or git; name a source tree of it (--secp256k1)") from None


def build(folder: pathlib.Path, targets: list[str], log: pathlib.Path | None = None, kind: list[str] | None = None) -> None:
    """Configure the release build if the folder has none (or `kind`, other arguments of cmake), or what was left out of the one that it has, and
    bring these targets up to date. What CMake prints goes to a file, or else to standard error: standard output is for results.

    Raises:
        SystemExit: if it fails, with one line.
    """
    parts = ["BENCH", "TOOL", *(["TESTS"] if "test_slhconsensus" in targets else [])]
    standard = ["-S", str(ROOT)] if (folder / "CMakeCache.txt").exists() else ["--preset", "release"]
    configure = ["cmake", "-B", str(folder), *(kind or [*standard, *(f"-DSLHC_BUILD_{part}=ON" for part in parts)])]
    if log:
        log.parent.mkdir(parents=True, exist_ok=True)
    if "bench_slhconsensus" in targets:  # without its yardstick, what it prints says so
        subprocess.run([ROOT / "contrib/bench/fetch_secp256k1.sh"], stdout=subprocess.DEVNULL, check=False)
    with log.open("w", encoding="utf-8") if log else contextlib.nullcontext(sys.stderr) as output:
        try:
            for command in (configure, ["cmake", "--build", str(folder), "--parallel", str(default_jobs()), "--target", *targets]):
                subprocess.run(command, cwd=ROOT, check=True, stdout=output, stderr=output)
        except (OSError, subprocess.CalledProcessError) as error:
            raise SystemExit(f"{_program()}: {error}" + (f"; its output is in {log}" if log else "")) from None
