#!/usr/bin/env python3
# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Look for placements of a step that this processor executes faster than the one in the tree (place_step.py).

    contrib/engines/search_step.py                   for ten minutes
    taskset -c 0 contrib/engines/search_step.py --minutes 60 --seed 2

Each try changes a few numbers of the best placement so far, is compiled, checked against the one in the tree, and timed in turns with it.
What comes out at the end goes into class Placement, and `place_step.py --write` writes it; whether whole verifications gain is for the
benchmark to say (doc/performance.md). Needs an idle core with AVX-512 and SHA instructions, and g++.
"""

import argparse
import ctypes
import dataclasses
import pathlib
import random
import subprocess
import sys
import tempfile
import time

import place_step

HERE = pathlib.Path(__file__).resolve().parent
NEEDED = {"avx512f", "avx512bw", "avx512vl", "sha_ni"}
FLAGS = ["-std=c++20", "-O2", "-shared", "-fPIC", "-mavx512f", "-mavx512bw", "-mavx512vl", "-msha"]
TURNS = 60
LEAST_GAIN = 0.002
NOT_QUIET = 30  # calls without a quiet turn, after which the measure of quiet is taken anew


STEP = """extern "C" void Step(void* rounds, void* lanes, void* chains, const void* k, const void* constants, unsigned int begun)
{
    __asm__ volatile(
#include "placed_step.inc"
        :
        : [rounds] "r"(rounds), [lanes] "r"(lanes), [chains] "r"(chains), [k] "r"(k), [constants] "r"(constants), [begun] "r"(begun)
        : "memory", "k1", "k2", %s);
}
""" % ", ".join(f'"xmm{i}"' for i in range(place_step.XMM))


def compiled(source, library):
    subprocess.run(["g++", *FLAGS, str(source), "-o", str(library)], check=True)
    return ctypes.CDLL(str(library))


def function(placement, folder):
    """A placement as a function."""
    with tempfile.TemporaryDirectory(dir=folder) as place:
        place = pathlib.Path(place)
        place.joinpath("placed_step.inc").write_text(place_step.text(placement))
        place.joinpath("step.cpp").write_text(STEP)
        return ctypes.cast(compiled(place / "step.cpp", place / "step.so").Step, ctypes.c_void_p)


class Clock:
    """Compares with one placement, and knows how fast that is when nobody else uses the core."""

    def __init__(self, reference, folder):
        self.timer = compiled(HERE / "step_timer.cpp", pathlib.Path(folder, "timer.so"))
        self.timer.Same.restype = ctypes.c_bool
        self.timer.Compare.restype = ctypes.c_double
        self.timer.Compare.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_uint64, ctypes.POINTER(ctypes.c_uint64)]
        self.reference = reference
        self.attend()

    def attend(self):
        self.quiet = min(self._compare(self.reference, 2**62)[1] for _ in range(50))

    def _compare(self, step, quiet):
        best = ctypes.c_uint64()
        ratio = self.timer.Compare(step, self.reference, TURNS, quiet, ctypes.byref(best))
        return ratio, best.value

    def same(self, step):
        return self.timer.Same(step, self.reference)

    def ratio(self, step):
        while True:
            for _ in range(NOT_QUIET):
                ratio, best = self._compare(step, self.quiet)
                self.quiet = min(self.quiet, best)
                if ratio:
                    return ratio
            self.attend()


def changed(placement, dice):
    """A neighbour: one to three other numbers."""
    fields = {}
    for field in dice.sample(dataclasses.fields(placement), dice.choice((1, 1, 2, 3))):
        value = getattr(placement, field.name)
        if field.name == "side_by_side":
            fields[field.name] = dice.choice((1, 2, 4))
        elif field.type == "int" or field.type is int:
            fields[field.name] = max(value + dice.choice((-4, -2, -1, 1, 2, 4)), 1)
        else:
            fields[field.name] = round(value + dice.uniform(-0.4, 0.4), 2)
    return dataclasses.replace(placement, **fields)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=10, help="how long to search (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of the random changes (default: %(default)s)")
    arguments = parser.parse_args()
    has = set(pathlib.Path("/proc/cpuinfo").read_text().split())
    if missing := sorted(NEEDED - has):
        print(f"SKIPPED: this processor lacks {', '.join(missing)}")
        sys.exit(77)
    dice = random.Random(arguments.seed)
    end = time.monotonic() + 60 * arguments.minutes
    tries = 0
    with tempfile.TemporaryDirectory() as folder:
        best, least = place_step.Placement(), 1.0
        clock = Clock(function(best, folder), folder)
        while time.monotonic() < end:
            candidate = changed(best, dice)
            tries += 1
            try:
                step = function(candidate, folder)
            except place_step.OutOfRegisters:
                continue
            if not clock.same(step):
                sys.exit(f"search_step.py: computes something else than the placement in the tree: {candidate}")
            ratio = clock.ratio(step)
            if ratio < least - LEAST_GAIN and (ratio := max(ratio, clock.ratio(step))) < least - LEAST_GAIN:
                best, least = candidate, ratio
                print(f"{ratio:.3f} of the time: {candidate}", flush=True)
    print(f"{tries} tries; the best takes {least:.3f} of the time of the one in the tree: {best}")


if __name__ == "__main__":
    main()
