#!/usr/bin/env python3
# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Measures this project on this machine. Each builds what it needs, in build/release unless --build says otherwise.

    contrib/bench/bench.py kappa [--out FILE]      BIP 340 beside SHA-256 and SLH-DSA on one core: minutes, with a compiler, CMake and Python alone
    contrib/bench/bench.py compare FILE...         tables and plot of such files; --write puts those of doc/results into doc/
    contrib/bench/bench.py run                     engines, keys, signatures and processes, beside other implementations
    contrib/bench/bench.py device                  a Vulkan device: its tests, batches, start, blocks
    contrib/bench/bench.py worst-case              full blocks on each backend, and what a node relays
    contrib/bench/bench.py elements                scripts that copy and read elements, by the limit for these

libsecp256k1 0.8, the yardstick, is fetched with cargo, or git where there is none, or is a source tree that --secp256k1 names."""

import argparse
import json
import pathlib
import signal
import subprocess
import sys

import prepare
from prepare import ROOT

RESULTS = ROOT / "doc/results"


def kappa(options: argparse.Namespace) -> int:
    import kappa as measured  # type: ignore[attr-defined]
    folder = options.build or ROOT / "build/kappa"
    if not options.no_build:
        source = options.secp256k1 or prepare.secp256k1()
        prepare.build(folder, ["bench_kappa"], ROOT / "build/bench-build.log",
                      ["-S", str(ROOT), "-DCMAKE_BUILD_TYPE=Release", "-DSLHC_SLHDSA_ALONE=ON", "-DSLHC_ENABLE_VULKAN=OFF", f"-DSLHC_SECP256K1_REFERENCE_DIR={source}"])
    found = measured.measure(folder.resolve() / "src/bench/bench_kappa", options.rounds, options.seconds)
    text = json.dumps({key: value for key, value in found.items() if key != "rounds"}, indent=1)[:-2] + ',\n "rounds": {\n'
    text += ",\n".join(f"  {json.dumps(what)}: {json.dumps(us)}" for what, us in found["rounds"].items()) + "\n }\n}\n"
    out = options.out or ROOT / "build/kappa.json"
    out.write_text(text, encoding="utf-8")
    result = measured.Result(out)
    print("\n\n".join(make([result]) for make in measured.TABLES.values()))
    print(f"\n-- {out}: CONTRIBUTING.md says how to send it")
    return 0


def compare(options: argparse.Namespace) -> int:
    import cost_model
    import kappa as measured
    files = options.files or sorted(RESULTS.glob("*.json"))
    if options.write and options.files or not files:
        raise SystemExit("bench.py compare: which results? (--write takes those of doc/results)")
    results = [measured.Result(path) for path in files]
    tables = {name: make(results) for name, make in measured.TABLES.items()}
    if options.write:
        cost_model.put_into_page(tables)
    for name, make in measured.PLOTS.items():
        folder = ROOT / "doc" if options.write else options.out
        if folder:
            (folder / name).write_text(make(results), encoding="utf-8")
    print("\n\n".join(tables.values()))
    return 0


def run(options: argparse.Namespace) -> int:
    prepare.enter_environment()
    import run as everything  # type: ignore[attr-defined]
    return int(everything.main(options))


def device(options: argparse.Namespace) -> int:
    import device as measured  # type: ignore[attr-defined]
    return int(measured.main(options))


def worst_case(options: argparse.Namespace) -> int:
    import worst_case as measured  # type: ignore[attr-defined]
    return int(measured.main(options))


def elements(options: argparse.Namespace) -> int:
    import elements as measured  # type: ignore[attr-defined]
    return int(measured.main(options))


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def add(name: str, function, about: str) -> argparse.ArgumentParser:
        command = commands.add_parser(name, help=about, description=about)
        command.set_defaults(function=function)
        if function is not compare:
            command.add_argument("--build", type=pathlib.Path, metavar="DIR", help="a build folder; made if it is not there")
            command.add_argument("--no-build", action="store_true", help="use the programs already in the build folder, perhaps built on another machine")
        return command

    def folder(text: str) -> pathlib.Path:
        if not pathlib.Path(text).is_dir():
            raise argparse.ArgumentTypeError(f"{text} is no folder")
        return pathlib.Path(text).resolve()

    def count(text: str) -> int:
        if not text.isdecimal() or int(text) < 1:
            raise argparse.ArgumentTypeError("a whole number, at least 1")
        return int(text)

    def output(text: str) -> pathlib.Path:
        """Known before an hour of measuring to be writable."""
        path = pathlib.Path(text)
        try:
            path.open("ab").close()
        except OSError as error:
            raise argparse.ArgumentTypeError(f"{path}: {error.strerror}") from None
        return path

    each = add("kappa", kappa, "BIP 340 beside SHA-256 and SLH-DSA on one core")
    each.add_argument("--rounds", type=count, default=15, help="of which the least time counts (default: 15)")
    each.add_argument("--seconds", type=float, default=0.05, help="the least time of a measurement in a round (default: 0.05)")
    each.add_argument("--secp256k1", type=folder, metavar="DIR", help="a source tree of libsecp256k1")
    each.add_argument("--out", type=output, metavar="FILE", help="default: build/kappa.json")

    each = add("compare", compare, "tables and plots of results of kappa")
    each.add_argument("files", nargs="*", type=pathlib.Path, metavar="FILE", help="default: doc/results/*.json")
    each.add_argument("--out", type=folder, metavar="DIR", help="a folder for the plots")
    each.add_argument("--write", action="store_true", help="put tables and plots into doc/")

    each = add("run", run, "engines and processes beside other implementations, in rounds; Ctrl-C or SIGTERM ends it and keeps what it has")
    each.add_argument("--quick", action="store_true", help="few sizes, two short rounds: two minutes")
    each.add_argument("--rounds", type=count, metavar="N", help="default: 5; 2 with --quick")
    each.add_argument("--only", action="append", metavar="TEXT", help="only tasks whose name has this in it (may be repeated)")
    each.add_argument("--list", action="store_true", help="name the tasks, and what is missing, and end")
    each.add_argument("--peers", type=pathlib.Path, default=ROOT / "build/peers", metavar="DIR", help="where setup_peers.sh installed (default: build/peers)")
    each.add_argument("--out", type=pathlib.Path, default=ROOT / "build/bench", metavar="DIR", help="default: build/bench")

    each = add("device", device, "tests and measures one Vulkan device; status 77 without one")
    each.add_argument("--device", metavar="vulkan:INDEX", help="default: the first one")
    each.add_argument("--sizes", default="1,8,64,508,4096,65536", metavar="N,...", help="batches, of those that the benchmark has")
    each.add_argument("--int-ops", type=float, metavar="GIGA", help="10^9 integer operations of 32 bits a second of the chip, at best: adds the share of that")
    each.add_argument("--no-tests", action="store_true", help="measure only")
    each.add_argument("--out", type=output, default="build/device.json", metavar="FILE", help="default: build/device.json")

    each = add("worst-case", worst_case, "full blocks of SLH-DSA spends on each backend, and transactions that turn out invalid")
    each.add_argument("--quick", action="store_true", help="a tenth of each block, few samples")
    each.add_argument("--backends", default="cpu:portable,cpu:shani,cpu:avx2,cpu:avx512,vulkan", help="with commas between (default: %(default)s)")
    each.add_argument("--out", type=output, metavar="FILE", help="write the results as JSON")

    each = add("elements", elements, "scripts that copy and read elements, by the limit for these")
    each.add_argument("--rounds", type=count, default=5, help="of which the least time counts (default: 5)")
    return parser.parse_args()


def main() -> int:
    options = parse()
    for number in (signal.SIGINT, signal.SIGTERM):  # SIGINT, too: a shell that starts this in the background has it ignored
        signal.signal(number, signal.default_int_handler)
    if getattr(options, "build", None):
        options.build = options.build.resolve()
    try:
        return int(options.function(options))
    except subprocess.CalledProcessError as error:
        raise SystemExit(f"bench.py: {error.cmd[0]} ended with status {error.returncode}") from None
    except OSError as error:
        raise SystemExit(f"bench.py: {error}") from None
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
