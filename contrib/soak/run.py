#!/usr/bin/env python3
# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Keep the library busy for an hour with everything at once, and look whether its memory stays as it is.

    contrib/soak/run.py                          an hour; build/soak/ gets samples.jsonl and soak.svg
    contrib/soak/run.py --seconds 60             a first look
    contrib/soak/run.py --vulkan                 with the first Vulkan device as well, which fails now and then

src/test/soak/soak.cpp says what it does. The exit status is 1 if a verdict was wrong, a call failed or something hung; with --vulkan, if
in some quarter of the time a device verified less than 5 % of the signatures of the contexts that asked for it; and, after at least ten
minutes, if memory, threads or files grew: the level of the last quarter of the time is compared with that of the second one. Caches and
heaps are still filling in a shorter run.
"""

import argparse
import json
import math
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
IN_ENVIRONMENT = "SLHC_BENCH_ENVIRONMENT"
# What may grow from the second quarter to the last: a share, and so much that is noise (bytes, or a number). A leak is in the heap, where only
# what is in use counts; of what was freed, the C library keeps more or less, depending on which threads came together.
LEAST_SECONDS = 600
LIMITS = {"heap_bytes": (0.05, 16 * 2**20), "rss_bytes": (0.10, 32 * 2**20), "threads": (0.0, 8), "files": (0.0, 4)}
MOST_POINTS = 240  # of a curve in the plot
# Of the signatures of contexts that ask for a device, the device's in each quarter of the time. While it opens, is busy with other calls or
# is retired, they are the CPU's.
LEAST_DEVICE_SHARE = 0.05


def enter_environment() -> None:
    """Start again in the benchmarks' environment, which has matplotlib."""
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        if os.environ.get(IN_ENVIRONMENT):
            raise SystemExit("run.py: matplotlib is missing, and could not be installed (see build/bench-env.log); --no-plot does without") from None
        os.environ[IN_ENVIRONMENT] = "1"
        os.environ["SLHC_REQUIREMENTS"] = str(ROOT / "contrib/bench/requirements.txt")
        command = [str(ROOT / "contrib/python/with-env.sh"), str(ROOT / "build/bench-env"), sys.executable, "python3", str(pathlib.Path(__file__).resolve()), *sys.argv[1:]]
        os.execv(command[0], command)


def level(values: list[float]) -> float:
    """What is there in quiet moments: nine samples of ten are higher. The entries of a device take 31 MiB while it is open, so that medians would
    compare how many happened to be."""
    return sorted(values)[len(values) // 10]


def grown(samples: list[dict], name: str) -> tuple[float, float, bool]:
    """The levels of the second and the last quarter, and whether that is growth."""
    quarter = max(1, len(samples) // 4)
    early = level([s[name] for s in samples[quarter:2 * quarter] or samples])
    late = level([s[name] for s in samples[-quarter:]])
    share, noise = LIMITS[name]
    return early, late, late - early > max(share * early, noise)


def describe(backend: str, work: dict) -> str:
    """Who verified the signatures of the contexts of one backend."""
    signatures = work["cpu_signatures"] + work["device_signatures"]
    shares = f"cpu {work['cpu_signatures'] / max(1, signatures):.1%}, device {work['device_signatures'] / max(1, signatures):.1%}"
    return (f"signatures, {backend}: {signatures} ({shares}); {work['contexts']} contexts, {work['retired']} devices retired, "
            f"{work['failed_calls']} of {work['device_calls']} calls failed, {work['wrong_roots']} wrong roots")


def device_shares(samples: list[dict], backend: str) -> list[float]:
    """The device's share of a backend's signatures in each quarter of the time."""
    def until(number: int) -> tuple[int, int]:
        work = samples[number * (len(samples) - 1) // 4]["work"][backend]
        return work["device_signatures"], work["cpu_signatures"] + work["device_signatures"]
    shares = []
    for quarter in range(4):
        (device, everything), (device_before, everything_before) = until(quarter + 1), until(quarter)
        shares.append((device - device_before) / max(1, everything - everything_before))
    return shares


def plot(samples: list[dict], path: pathlib.Path, title: str) -> None:
    """Memory, threads and files over time: medians, and the range of what they are medians of."""
    from matplotlib.figure import Figure
    figure = Figure(figsize=(8, 5), layout="constrained")
    memory, counts = figure.subplots(2, sharex=True, height_ratios=[2, 1])
    size = math.ceil(len(samples) / MOST_POINTS)
    parts = [samples[i:i + size] for i in range(0, len(samples), size)]
    minutes = [statistics.median(s["seconds"] for s in part) / 60 for part in parts]
    for axes, name, unit, color, label in ((memory, "rss_bytes", 2**20, "#2f6fb7", "resident"), (memory, "heap_bytes", 2**20, "#8250a8", "heap in use"),
                                           (counts, "threads", 1, "#d9822b", "threads"), (counts, "files", 1, "#3a9a5b", "open files")):
        if name not in samples[0]:
            continue
        values = [[s[name] / unit for s in part] for part in parts]
        axes.fill_between(minutes, [min(v) for v in values], [max(v) for v in values], color=color, alpha=0.25, linewidth=0)
        axes.plot(minutes, [statistics.median(v) for v in values], color=color, label=label)
    memory.set(ylabel="MiB", ylim=(0, None), title=title)
    memory.legend(frameon=False)
    counts.set(xlabel="minutes", ylim=(0, None))
    counts.legend(frameon=False)
    figure.savefig(path)


def main() -> int:
    """Run it, judge it, draw it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--soak", type=pathlib.Path, default=ROOT / "build/dev/src/test/soak/soak", metavar="FILE", help="the program (default: that of build/dev)")
    parser.add_argument("--seconds", type=float, default=3600, help="default: 3600")
    parser.add_argument("--percent", type=int, default=100, help="how full the blocks are (default: 100)")
    parser.add_argument("--vulkan", action="store_true", help="also a Vulkan device, with the layer that makes it fail now and then")
    parser.add_argument("--no-plot", action="store_true", help="draw no plot, which takes matplotlib")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "build/soak", metavar="DIR", help="default: build/soak")
    args = parser.parse_args()
    if not args.soak.exists():
        parser.error(f"{args.soak} is not there: cmake --preset dev && cmake --build build/dev --target soak slhc_fault_layer")
    if not args.no_plot:
        enter_environment()
    backends = ["cpu", "auto"] + (["vulkan"] if args.vulkan else [])
    samples = []
    with tempfile.TemporaryDirectory() as folder:
        environment = dict(os.environ)
        if args.vulkan:
            environment |= {"VK_LAYER_PATH": str(args.soak.parents[1] / "fault_layer"), "VK_INSTANCE_LAYERS": "VK_LAYER_SLHC_fault", "SLHC_FAULT_FILE": f"{folder}/fault"}
        command = [str(args.soak), "--seconds", str(args.seconds), "--percent", str(args.percent), "--backends", ",".join(backends), "--cache-dir", f"{folder}/cache"]
        if not args.no_plot:
            args.out.mkdir(parents=True, exist_ok=True)
        # As they come: they are what is needed most if it does not come to its end.
        with (open(os.devnull if args.no_plot else args.out / "samples.jsonl", "w", encoding="utf-8") as kept,
              subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process):
            for line in process.stdout:
                kept.write(line)
                kept.flush()
                samples.append(json.loads(line))
                if sys.stderr.isatty():
                    print(f"\r{samples[-1]['seconds']:8.0f} s of {args.seconds:.0f}, {samples[-1]['rss_bytes'] / 2**20:6.0f} MiB", end="", file=sys.stderr, flush=True)
    if process.returncode != 0 or not samples:
        kept_in = "" if args.no_plot else f"; its samples are in {args.out / 'samples.jsonl'}"
        print(f"run.py: soak ended with {process.returncode}{kept_in}", file=sys.stderr)
        return 1
    for activity, rounds in samples[-1]["rounds"].items():
        print(f"{activity}: {rounds} times")
    for backend, work in samples[-1]["work"].items():
        print(describe(backend, work))
    failed = False
    if args.vulkan:
        shares = device_shares(samples, "vulkan")
        failed = min(shares) < LEAST_DEVICE_SHARE
        print(f"the device's share in each quarter: {', '.join(f'{share:.0%}' for share in shares)}")
        if failed:
            print(f"run.py: the device verified less than {LEAST_DEVICE_SHARE:.0%} of what it was asked to: this was a test of the CPU", file=sys.stderr)
    for name in LIMITS:
        if name not in samples[0]:  # the heap, where the C library does not count it
            print(f"{name}: not known here")
            continue
        early, late, is_growth = grown(samples, name)
        print(f"{name}: {early:,.0f} in the second quarter, {late:,.0f} in the last{': GROWN' if is_growth else ''}")
        failed |= is_growth and args.seconds >= LEAST_SECONDS
    if not args.no_plot:
        plot(samples, args.out / "soak.svg", f"{samples[-1]['seconds'] / 60:.0f} minutes of everything at once")
        print(f"-- {args.out}: samples.jsonl, soak.svg")
    return 1 if failed else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(print("\nrun.py: interrupted", file=sys.stderr) or 130)
