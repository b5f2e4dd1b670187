# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""run.py with a program in the place of soak that prints what it is told to: what makes a run fail."""

import json
import re
import subprocess
import sys
from pathlib import Path

RUN = Path(__file__).resolve().parent / "run.py"
MIB = 2**20


def run(tmp_path: Path, samples: list[dict], *arguments: str, status: int = 0) -> subprocess.CompletedProcess:
    """What run.py says about these samples."""
    stub = tmp_path / "test/soak/soak"
    stub.parent.mkdir(parents=True, exist_ok=True)
    stub.with_name("samples").write_text("".join(json.dumps(sample) + "\n" for sample in samples))
    stub.write_text(f'#!/bin/sh\ncat "{stub.with_name("samples")}"\nexit {status}\n')
    stub.chmod(0o755)
    return subprocess.run([sys.executable, str(RUN), "--soak", str(stub), "--no-plot", *arguments], capture_output=True, text=True, check=False)


def series(device: list[int], cpu: list[int], rss: list[int] = (), heap: list[int] = ()) -> list[dict]:
    """A sample for each second: what device and CPU have verified by then on contexts of `vulkan`, and the memory."""
    same = [100] * len(cpu)
    return [{"seconds": i, "rss_bytes": (rss or same)[i] * MIB, "heap_bytes": (heap or same)[i] * MIB, "threads": 5, "files": 5, "rounds": {"blocks": i},
             "work": {"vulkan": {"contexts": 1, "retired": 0, "cpu_signatures": cpu[i], "device_calls": i, "device_signatures": device[i],
                                 "failed_calls": 0, "wrong_roots": 0}}} for i in range(len(cpu))]


def test_device_at_work(tmp_path):
    result = run(tmp_path, series([30 * i for i in range(41)], [70 * i for i in range(41)]), "--vulkan")
    assert result.returncode == 0, result.stderr
    assert "signatures, vulkan: 4000 (cpu 70.0%, device 30.0%)" in result.stdout
    assert "the device's share in each quarter: 30%, 30%, 30%, 30%" in result.stdout


def test_device_stops(tmp_path):
    """A share of the whole would hide that the device was idle from some time on."""
    samples = series([min(100 * i, 2000) for i in range(41)], [10 * i for i in range(41)])
    result = run(tmp_path, samples, "--vulkan")
    assert result.returncode == 1
    assert "device 83.3%" in result.stdout
    assert "the device's share in each quarter: 91%, 91%, 0%, 0%" in result.stdout
    assert "this was a test of the CPU" in result.stderr
    assert run(tmp_path, samples).returncode == 0  # nobody asked for a device


def test_growth(tmp_path):
    nothing, up = [0] * 41, [100 + 5 * i for i in range(41)]
    for name, grows in ("rss_bytes", series(nothing, nothing, rss=up)), ("heap_bytes", series(nothing, nothing, heap=up)):
        assert run(tmp_path, grows, "--seconds", "10").returncode == 0
        result = run(tmp_path, grows, "--seconds", "600")
        assert result.returncode == 1
        assert re.findall(r"(\w+): .*: GROWN", result.stdout) == [name]
    # What the C library keeps of freed memory is no leak.
    assert run(tmp_path, series(nothing, nothing, rss=[100 + i // 2 for i in range(41)]), "--seconds", "600").returncode == 0


def test_failed(tmp_path):
    result = run(tmp_path, series([1, 2], [3, 4]), status=2)
    assert result.returncode == 1
    assert "soak ended with 2" in result.stderr
