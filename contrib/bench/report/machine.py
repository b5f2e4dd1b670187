# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""On what something was measured: processor, system, versions."""

import os
import pathlib
import platform
import re
import subprocess
from typing import Any

ROOT = pathlib.Path(__file__).resolve().parents[3]

# Family and model of processors whose bounds are known (see BOUNDS), by what people call the core.
CORES = {("AuthenticAMD", 25): {range(0x10, 0x20): "Zen 4", range(0x60, 0x80): "Zen 4", range(0xA0, 0xB0): "Zen 4"},
         ("AuthenticAMD", 26): {range(0x00, 0x100): "Zen 5"},
         ("GenuineIntel", 6): {range(0xAD, 0xAF): "Granite Rapids", range(0x8F, 0x90): "Sapphire Rapids", range(0xCF, 0xD0): "Emerald Rapids"}}

# Cycles that one compression takes at best, from what the core's units can do: doc/performance.md derives them.
BOUNDS = {("Zen 4", "avx512"): 44.8, ("Zen 4", "avx512sha"): 30.0, ("Zen 4", "shani"): 61.0, ("Zen 4", "avx2"): 90.0,
          ("Sapphire Rapids", "avx512"): 44.8, ("Emerald Rapids", "avx512"): 44.8}
MEAN_COMPRESSIONS = 2194  # of one verification; doc/worst-case.md


def _output(*command: str) -> str:
    """The output of a command, or nothing if it cannot be run."""
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT, timeout=60).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return ""


def _cpuinfo() -> dict[str, str]:
    try:
        first = pathlib.Path("/proc/cpuinfo").read_text().split("\n\n")[0]
    except OSError:
        return {}
    return {name.strip(): value.strip() for name, _, value in (line.partition(":") for line in first.splitlines())}


def core_name(vendor: str, family: int, model: int) -> str:
    """The core's usual name, or nothing."""
    for models, name in CORES.get((vendor, family), {}).items():
        if model in models:
            return name
    return ""


def describe() -> dict[str, Any]:
    """The machine and its system. The load is that of the last minute: a figure from a busy machine says so."""
    cpu = _cpuinfo()
    vendor, family, model = cpu.get("vendor_id", ""), int(cpu.get("cpu family", 0)), int(cpu.get("model", 0))
    memory = re.search(r"MemTotal:\s+(\d+)", pathlib.Path("/proc/meminfo").read_text()) if os.path.exists("/proc/meminfo") else None
    brand = _output("sysctl", "-n", "machdep.cpu.brand_string") if platform.system() == "Darwin" else ""
    release = platform.freedesktop_os_release().get("PRETTY_NAME", "") if os.path.exists("/etc/os-release") else f"{platform.system()} {platform.mac_ver()[0]}".strip()
    return {"processor": cpu.get("model name", brand or platform.processor() or platform.machine()), "core": core_name(vendor, family, model),
            "family": family, "model": model, "threads": os.cpu_count() or 0, "memory_gib": round(int(memory[1]) / 2**20) if memory else 0,
            "system": release, "kernel": platform.release(), "load": round(os.getloadavg()[0], 2)}


def versions(peers: pathlib.Path, of_build: dict[str, str]) -> dict[str, str]:
    """The versions of the peers, as far as they can be found out; that of libsecp256k1 is in the benchmark's own context."""
    lock = ROOT / "contrib/differential/rust_peer/Cargo.lock"
    crates = dict(re.findall(r'name = "([\w-]+)"\nversion = "([^"]+)"', lock.read_text()))
    npm = peers / "noble/node_modules/@noble/post-quantum/package.json"
    noble = re.search(r'"version":\s*"([^"]+)"', npm.read_text()) if npm.exists() else None
    found = {"python": platform.python_version(), "node": _output("node", "--version"), "rustc": _output("rustc", "--version"),
             "libsecp256k1": of_build.get("libsecp256k1", ""),
             "slh-dsa": crates.get("slh-dsa", ""), "fips205": crates.get("fips205", ""), "openssl-src": crates.get("openssl-src", ""),
             "botan-src": crates.get("botan-src", ""), "@noble/post-quantum": noble[1] if noble else ""}
    return {name: version for name, version in found.items() if version}


def commit() -> str:
    """The commit that is measured; with a mark if files differ from it."""
    head = _output("git", "rev-parse", "--short=12", "HEAD")
    return head + ("+changes" if head and _output("git", "status", "--porcelain", "--untracked-files=no") else "")
