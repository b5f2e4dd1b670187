#!/usr/bin/env python3
# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Write a step of the chains of the engine avx512sha, instruction by instruction, in an order that suits Zen 4.

    contrib/engines/place_step.py --write        src/pqc/cpu/placed_step.inc
    contrib/engines/place_step.py --check        whether it is what this script writes

A step (src/pqc/cpu/vector_sha_kernels.h) computes rounds 4 to 63 of eight hashes with SHA instructions, and the message schedule of
eight others in vectors of 256 bits. Compilers mix the two in an order of their own. What the order has to do with speed was measured
(doc/performance.md):

  - Three-operand logic (vpternlogd) slows down the rounds beside it: two vpxord cost less.
  - Four sha256rnds2 of four hashes, then a burst of vector instructions, is faster than an even mixture.
  - The burst has two words of the schedule side by side, which do not wait for each other.
  - The schedule begins after some rounds: it needs the hashes of the step before.

The instructions and what they depend on follow from FIPS 180-4, section 6.2.2; a Placement says where they go. search_step.py looks for
better placements. Registers are assigned here, too: compilers would spill some.
"""

import argparse
import dataclasses
import heapq
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
FILE = ROOT / "src/pqc/cpu/placed_step.inc"
LANES = 8
VECTOR = 4 * LANES  # bytes
STREAMS = 4  # hashes whose rounds are side by side: sha256rnds2 has a latency of four cycles
FIRST_ROUND = 4
PAIRS = (64 - FIRST_ROUND) // 2
XMM = 32
# All that a step consists of: no branch, no division, nothing whose time depends on data. Addresses are fixed offsets from those that it is given.
INSTRUCTIONS = {"kmovw", "sha256rnds2", "vmovdqa", "vmovdqa32", "vmovq", "vpaddd", "vpbroadcastd", "vpcmpltud", "vprord", "vpsrld",
                "vpternlogd", "vpunpckhdq", "vpunpckhqdq", "vpunpckldq", "vpunpcklqdq", "vpxord"}

# Where the members of a structure are; avx512sha.cpp checks it. Those of KeyState come first in ChainState.
ROUNDS_DATA = {"start": 0, "kw": 256, "hash": 2304}


def vectors(*names):
    """Offsets of members that are vectors, or (name, how many)."""
    offsets, at = {}, 0
    for entry in names:
        name, count = entry if isinstance(entry, tuple) else (entry, 1)
        offsets[name] = at
        at += VECTOR * count
    return offsets


CHAIN_STATE = vectors(("midstate", 4), "w3", "w17", "kw17", "w16_part", "w18_part", "s0_w17",
                      ("value", 4), "step", "end", "w4", "w19", "kw19", "s0_w19", "s1_w19")
# Words of PlacedOrder::Constants.
CONSTANTS = {"f_bits": 0, "f_bits_sigma0": 1, "padding": 2, "lower_half": 3, "one_step": 4}


@dataclasses.dataclass(frozen=True)
class Placement:
    """Where the instructions of the schedule go. Times are in words: the instructions for word T are sought at about T."""

    delay: int = 5            # turns of all streams, a sha256rnds2 each, before the schedule begins
    burst: int = 11           # vector instructions after each later turn; loads and stores do not count
    side_by_side: int = 2     # words
    sigma0: float = -1.0      # the rotations and the shift of sigma0
    xor0: float = -0.8        # ... and how they are combined
    first: float = -0.5       # W_(T-16) + sigma0(W_(T-15))
    second: float = -0.63     # ... + W_(T-7)
    sigma1: float = -0.5
    xor1: float = -0.3
    word: float = -0.1        # ... + sigma1(W_(T-2))
    plus_k: float = 0.0
    pairs: float = 0.1        # two words of each lane side by side
    store: float = 0.3


@dataclasses.dataclass
class Instruction:
    name: str
    sources: list             # virtual registers ("v7"), masks ("k1"), memory
    time: float
    result: str | None = None
    mask: str | None = None   # of the lanes that get a result
    immediate: int | None = None
    overwrites: bool = False  # the first source

    @property
    def occupies_a_pipe(self):
        return not self.name.startswith(("vmovdqa", "vpbroadcast", "kmov"))


def memory(structure, offset):
    return f"{offset}(%[{structure}])" if offset else f"(%[{structure}])"


def in_all_lanes(structure, word):
    return memory(structure, 4 * word) + "%{1to8%}"


def constant(name):
    return in_all_lanes("constants", CONSTANTS[name])


def is_memory(operand):
    return operand is not None and "(" in operand


class Schedule:
    """The instructions for one of the two groups, in no order yet: end the step before, lay out the block of the next F, and
    its message schedule (struct ChainWords). A term of a sum is a virtual register, memory, or None for zero."""

    BEGINNING = -20.0  # before all words

    def __init__(self, placement):
        self.placement = placement
        self.instructions = []
        self.registers = 0
        self.words = {t: memory("chains", CHAIN_STATE[f"w{t}"]) for t in (4, 17, 19)}
        self.lay_out(*self.end_step())
        self.extend()

    def emit(self, name, *sources, time, result=True, **options):
        if result:
            self.registers += 1
        register = f"v{self.registers}" if result else None
        self.instructions.append(Instruction(name, list(sources), time, register, **options))
        return register

    def store(self, register, target, time):
        self.emit("vmovdqa32", register, target, time=time, result=False)

    def load(self, source, time):
        if "1to8" in source:
            return self.emit("vpbroadcastd", source.replace("%{1to8%}", ""), time=time)
        return self.emit("vmovdqa32", source, time=time)

    def add(self, x, y, time):
        if x is None or y is None:
            return x if y is None else y
        if is_memory(x):
            x, y = y, x
        if is_memory(x):
            x = self.load(x, time - 0.01)
        return self.emit("vpaddd", x, y, time=time)

    def sigma(self, x, rotations, shift, time, time_of_xor):
        r0, r1 = (self.emit("vprord", x, time=time + 0.05 * i, immediate=r) for i, r in enumerate(rotations))
        s = self.emit("vpsrld", x, time=time + 0.02, immediate=shift)
        both = self.emit("vpxord", r0, r1, time=time_of_xor - 0.05)
        return self.emit("vpxord", both, s, time=time_of_xor)

    def end_step(self):
        """struct Fold: Isa::Transposed() of the hashes, and EndStep()."""
        begin = self.BEGINNING
        part = [self.load(memory("lanes", ROUNDS_DATA["hash"] + VECTOR * i), begin) for i in range(4)]
        low = [self.emit("vpunpckldq", part[i], part[i + 1], time=begin + 0.1) for i in (0, 2)]
        high = [self.emit("vpunpckhdq", part[i], part[i + 1], time=begin + 0.1) for i in (0, 2)]
        d_to_a = [self.emit(name, *pair, time=begin + 0.2) for pair in (low, high) for name in ("vpunpcklqdq", "vpunpckhqdq")]

        self.instructions.append(Instruction("kmovw", ["%[begun]"], begin, "k1"))
        step = self.load(memory("chains", CHAIN_STATE["step"]), begin)
        end = memory("chains", CHAIN_STATE["end"])
        self.instructions.append(Instruction("vpcmpltud", [step, end], begin + 0.1, "k2", mask="k1"))
        # The mask decides at the beginning, too, when there is no step to end.
        next_step = self.emit("vpaddd", step, step, constant("one_step"), time=begin + 0.15, mask="k1", overwrites=True)
        self.store(next_step, memory("chains", CHAIN_STATE["step"]), begin + 0.2)
        values = []
        for i in range(4):
            place = memory("chains", CHAIN_STATE["value"] + VECTOR * i)
            midstate = memory("chains", CHAIN_STATE["midstate"] + VECTOR * i)
            old = self.load(place, begin + 0.2)
            values.append(self.emit("vpaddd", old, d_to_a[3 - i], midstate, time=begin + 0.3, mask="k2", overwrites=True))
            self.store(values[-1], place, begin + 0.35)
        return values, next_step

    def lay_out(self, values, step):
        """Shift2(): words 5 to 9."""
        begin = self.BEGINNING
        rotated = [self.emit("vprord", value, time=begin + 0.5, immediate=16) for value in values]
        upper = [step, *rotated]
        lower = [*rotated, self.load(constant("padding"), begin + 0.7)]
        for i in range(5):
            # mask ? y : x, with x the most significant bit of the row number
            self.words[5 + i] = self.emit("vpternlogd", upper[i], lower[i], constant("lower_half"), time=begin + 0.6 + 0.03 * i,
                                          immediate=0xD8, overwrites=True)

    def extend(self):
        """W_4 to W_63, K_T + W_T, and the latter to memory, but for words 10 to 15, where it is there."""
        plan = self.placement
        kw = {}
        for t in (*range(FIRST_ROUND, 10), *range(16, 64)):
            group = t - t % plan.side_by_side
            if t >= 16 and t not in self.words:
                first = self.first_terms(t, group)
                second = self.add(first, self.term(t - 7), group + plan.second)
                self.words[t] = self.add(second, self.sigma1(t - 2, group), group + plan.word)
            if t in (17, 19):
                kw[t] = memory("chains", CHAIN_STATE[f"kw{t}"])
            else:
                kw[t] = self.add(self.words[t], in_all_lanes("k", t), group + plan.plus_k)
            if t % 2:
                for i, half in enumerate(("vpunpckldq", "vpunpckhdq")):
                    pairs = self.emit(half, kw[t - 1], kw[t], time=group + plan.pairs + 0.1 * i)
                    place = ROUNDS_DATA["kw"] + 64 * (t // 2) + VECTOR * i
                    self.store(pairs, memory("lanes", place), group + plan.store + 0.05 * i)

    # As the functions of ChainWords with these names: Word(), Sigma0Word(), Sigma1Word(), FirstTerms().

    def term(self, t):
        if 10 <= t <= 15:
            return constant("f_bits") if t == 15 else None
        return self.words[t]

    def sigma0(self, t, time):
        if 10 <= t <= 15:
            return constant("f_bits_sigma0") if t == 15 else None
        if t in (17, 19):
            return memory("chains", CHAIN_STATE[f"s0_w{t}"])
        return self.sigma(self.words[t], (7, 18), 3, time + self.placement.sigma0, time + self.placement.xor0)

    def sigma1(self, t, time):
        if 10 <= t <= 15:
            return None
        if t == 19:
            return memory("chains", CHAIN_STATE["s1_w19"])
        return self.sigma(self.words[t], (17, 19), 10, time + self.placement.sigma1, time + self.placement.xor1)

    def first_terms(self, t, time):
        if t in (16, 18):
            return memory("chains", CHAIN_STATE[f"w{t}_part"])
        return self.add(self.term(t - 16), self.sigma0(t - 15, time), time + self.placement.first)


def in_order(instructions):
    """The instructions by time, but each after those whose results it needs, and one that overwrites a register after all that read it."""
    producer = {x.result: i for i, x in enumerate(instructions) if x.result}
    followers = [[] for _ in instructions]
    waits_for = [0] * len(instructions)
    readers = {}

    def follow(i, j):
        followers[i].append(j)
        waits_for[j] += 1

    for i, x in enumerate(instructions):
        for register in {*x.sources, x.mask} & producer.keys():
            follow(producer[register], i)
            readers.setdefault(register, []).append(i)
    for i, x in enumerate(instructions):
        if x.overwrites:
            for j in readers[x.sources[0]]:
                if j != i:
                    follow(j, i)
    ready = [(x.time, i) for i, x in enumerate(instructions) if waits_for[i] == 0]
    heapq.heapify(ready)
    ordered = []
    while ready:
        _, i = heapq.heappop(ready)
        ordered.append(instructions[i])
        for j in followers[i]:
            waits_for[j] -= 1
            if waits_for[j] == 0:
                heapq.heappush(ready, (instructions[j].time, j))
    if len(ordered) != len(instructions):
        sys.exit("place_step.py: some instructions wait for each other")
    return ordered


class OutOfRegisters(Exception):
    pass


class Vectors:
    """Assigns registers to the vector instructions, in the order in which they are written."""

    def __init__(self, ordered, free):
        self.left = list(ordered)
        self.free = list(free)
        self.places = {}
        self.uses = {}
        for x in ordered:
            for register in x.sources:
                self.uses[register] = self.uses.get(register, 0) + 1

    def _release(self, register):
        self.uses[register] -= 1
        if self.uses[register] == 0 and register in self.places:
            self.free.insert(0, self.places.pop(register))

    def write(self, x):
        names = [f"%%ymm{self.places[s]}" if s in self.places else s for s in x.sources]
        if x.overwrites:
            place = self.places.pop(x.sources[0])
            names = names[1:]
            if x.sources[0] in x.sources[1:]:
                self.uses[x.sources[0]] = 0
        for register in x.sources[1:] if x.overwrites else x.sources:
            if register in self.places:
                self._release(register)
        if x.result is None:
            return f"{x.name} {', '.join(names)}"
        if x.result.startswith("k"):
            result = f"%%{x.result}"
        else:
            if not x.overwrites:
                if not self.free:
                    raise OutOfRegisters
                place = self.free.pop(0)
            self.places[x.result] = place
            result = f"%%ymm{place}"
        mask = f"%{{%%{x.mask}%}}" if x.mask else ""
        immediate = [f"${x.immediate}"] if x.immediate is not None else []
        return f"{x.name} {', '.join(immediate + names[::-1] + [result])}{mask}"

    def take(self, most):
        """The next instructions, up to so many that occupy a pipe."""
        lines = []
        while self.left and (most > 0 or not self.left[0].occupies_a_pipe):
            x = self.left.pop(0)
            most -= x.occupies_a_pipe
            lines.append(self.write(x))
        return lines


def pair_place(lane):
    """Avx512Half::PairPlace()"""
    return lane % 2 + lane // 4 * 2 + lane // 2 % 2 * 4


def hash_place(lane):
    """Avx512Half::HashPlace()"""
    return lane % 4 * 2 + lane // 4


def step(placement):
    """All lines of a step: RoundSlots of one group, and between them the schedule of the other."""
    vectors_left = Vectors(in_order(Schedule(placement).instructions), range(1 + 2 * STREAMS, XMM))
    lines, turns = [], 0
    for first_lane in range(0, LANES, STREAMS):
        lanes = range(first_lane, first_lane + STREAMS)
        state = {lane: [1 + 2 * (lane - first_lane), 2 + 2 * (lane - first_lane)] for lane in lanes}  # abef, cdgh
        for lane in lanes:
            for i, register in enumerate(state[lane]):
                lines.append(f"vmovdqa {memory('rounds', ROUNDS_DATA['start'] + 32 * lane + 16 * i)}, %%xmm{register}")
        for pair in range(PAIRS):
            for lane in lanes:
                abef, cdgh = state[lane]
                kw = ROUNDS_DATA["kw"] + 64 * (FIRST_ROUND // 2 + pair) + 8 * pair_place(lane)
                lines.append(f"vmovq {memory('rounds', kw)}, %%xmm0")
                lines.append(f"sha256rnds2 %%xmm{abef}, %%xmm{cdgh}")
                state[lane] = [cdgh, abef]
            turns += 1
            if turns >= placement.delay:
                lines += vectors_left.take(placement.burst)
        for lane in lanes:
            abef, cdgh = state[lane]
            lines.append(f"vpunpckhqdq %%xmm{abef}, %%xmm{cdgh}, %%xmm{cdgh}")
            lines.append(f"vmovdqa %%xmm{cdgh}, {memory('rounds', ROUNDS_DATA['hash'] + 16 * hash_place(lane))}")
    lines += vectors_left.take(len(vectors_left.left))
    if unlisted := {line.split()[0] for line in lines} - INSTRUCTIONS:
        sys.exit(f"place_step.py: not among the instructions that a step may have: {', '.join(sorted(unlisted))}")
    return lines


def text(placement):
    """The file: string literals for an asm statement."""
    lines = [
        "// Copyright (c) 2026 The slhconsensus developers",
        "// Distributed under the MIT software license, see the accompanying",
        "// file COPYING or https://opensource.org/license/mit.",
        "",
        "// Written by contrib/engines/place_step.py, which says what it is; change that instead.",
        "// clang-format off",
    ]
    lines += [f'"{line}\\n\\t"' for line in step(placement)]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--write", action="store_true", help="write the files")
    what.add_argument("--check", action="store_true", help="exit with 1 if they say something else")
    arguments = parser.parse_args()
    expected = text(Placement())
    if arguments.write:
        FILE.write_text(expected)
    elif not FILE.exists() or FILE.read_text() != expected:
        sys.exit(f"place_step.py: {FILE.relative_to(ROOT)} is not what it writes: run contrib/engines/place_step.py --write")


if __name__ == "__main__":
    main()
