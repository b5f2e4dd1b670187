#!/usr/bin/env python3
# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Counts what SLH-DSA and its relatives hash: for a verification the mean, the minimum, the maximum and the distribution; for signing and
key generation the mean; and what a signer gains who searches for signatures that are expensive to verify.

    contrib/bench/cost_model.py                 the tables of doc/worst-case.md that are computed
    contrib/bench/cost_model.py --json          the same numbers
    contrib/bench/cost_model.py --write         tables and plot into doc/
    contrib/bench/cost_model.py --set 128-24    the same counts for a set of the module, or for any, as h,d,a,k,lg_w with n = 16

The unit is one call of SHA-256's compression function; the sets of categories 3 and 5 call that of SHA-512 as well, which is counted apart.
The block of PK.seed is compressed once for a signature, as in doc/bip/reference/slhdsa.py. Messages are the 34 bytes M' of the opcodes."""

import argparse
import json
import math
import pathlib
import re
import sys
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

MESSAGE_SIZE = 34  # M' of slh_verify for a 32-byte message and an empty context
MAX_BLOCK_WEIGHT = 4_000_000
# BIP 440, version 0.2.1 of 2026-06-15: what a weight unit buys, and what a check of a signature and a byte that is hashed or copied cost
VAROPS_BOUGHT, VAROPS_CHECK, VAROPS_HASHED, VAROPS_COPIED = 10_000, 500_000, 50, 3
PAGE = pathlib.Path(__file__).resolve().parents[2] / "doc/worst-case.md"


class Cost(NamedTuple):
    """Calls of the compression functions."""

    sha256: float
    sha512: float = 0

    def __add__(self, other):
        return Cost(self.sha256 + other.sha256, self.sha512 + other.sha512)

    def __mul__(self, times):
        return Cost(self.sha256 * times, self.sha512 * times)


@dataclass(frozen=True)
class ParameterSet:
    """FIPS 205, table 2, and what others changed: without wots_sum and few_time, every set here is FIPS 205's algorithms with other numbers."""

    name: str
    source: str
    limit: int | None  # log2 of the signatures that a key is good for
    n: int
    h: int
    d: int
    a: int
    k: int
    lg_w: int
    wots_sum: int | None = None  # WOTS+C: the message digits (counted as steps that are left) add up to this; no checksum chains
    wots_searched: bool = False  # WOTS+C: the counter is not in the signature, so that the verifier searches for it too
    few_time: str = "FORS"  # or FORS+C (one tree less; the signer searches for an R), or PORS+FP (one tree of k 2^a leaves)
    nodes: int = 0  # PORS+FP: nodes of the authentication set, at most
    r_size: int = field(default=0)  # bytes of R, if not n
    counter_size: int = 0  # bytes for each layer
    prefix: int = 0  # bytes of encoding that a proposal adds

    @property
    def h_prime(self):
        return self.h // self.d

    @property
    def w(self):
        return 1 << self.lg_w

    @property
    def len_1(self):
        return -(-8 * self.n // self.lg_w)

    @property
    def len_2(self):
        return 0 if self.wots_sum is not None else math.floor(math.log(self.len_1 * (self.w - 1), self.w)) + 1

    @property
    def len(self):
        return self.len_1 + self.len_2

    @property
    def few_time_trees(self):
        return {"FORS": self.k, "FORS+C": self.k - 1, "PORS+FP": 1}[self.few_time]

    @property
    def m(self):
        """Bytes of the digest: lines 7 to 9 of algorithm 19."""
        return -(-self.k * self.a // 8) + -(-(self.h - self.h_prime) // 8) + -(-self.h_prime // 8)

    @property
    def signature_size(self):
        few_time = self.k + self.nodes if self.few_time == "PORS+FP" else self.few_time_trees * (1 + self.a)
        return self.prefix + (self.r_size or self.n) + self.n * (few_time + self.h + self.d * self.len) + self.d * self.counter_size

    @property
    def element_weight(self):
        """Weight units of a signature in a witness, with its length."""
        return self.signature_size + 3

    @property
    def block_verifications(self):
        """How many signatures fit in a block, if each is verified once: the bound of the specification."""
        return MAX_BLOCK_WEIGHT // self.element_weight

    # The hashes, FIPS 205 section 11.2: F and PRF with SHA-256; H, T and the message with SHA-512 above category 1.

    def _wide(self, size):
        """Compressions that follow the block of PK.seed, for H or T over that many bytes."""
        if self.n == 16:
            return Cost(-(-(22 + size + 9) // 64))
        return Cost(0, -(-(22 + size + 17) // 128))

    @property
    def _seed(self):
        return Cost(1) if self.n == 16 else Cost(1, 1)

    @property
    def _node(self):
        return self._wide(2 * self.n)

    @property
    def h_msg(self):
        """MGF1 over R || PK.seed || hash(R || PK.seed || PK.root || M'), each part hashed from its first byte."""
        digest, block, padding = (32, 64, 9) if self.n == 16 else (64, 128, 17)
        inner = -(-((self.r_size or self.n) + 2 * self.n + MESSAGE_SIZE + padding) // block)
        outer = -(-((self.r_size or self.n) + self.n + digest + 4 + padding) // block) * -(-self.m // digest)
        return Cost(inner + outer) if self.n == 16 else Cost(0, inner + outer)

    @property
    def prf_msg(self):
        """HMAC: two blocks of key, then the message and the inner digest."""
        digest, block, padding = (32, 64, 9) if self.n == 16 else (64, 128, 17)
        calls = 2 + -(-(self.n + MESSAGE_SIZE + padding) // block) + -(-(digest + padding) // block)
        return Cost(calls) if self.n == 16 else Cost(0, calls)

    @property
    def few_time_verification(self):
        if self.few_time == "PORS+FP":  # k leaves and the nodes of the authentication set become one root
            return Cost(self.k) + self._node * (self.k + self.nodes - 1)
        return (Cost(1) + self._node * self.a) * self.few_time_trees + self._wide(self.n * self.few_time_trees)

    @property
    def verification_without_chains(self):
        """The cost of every verification, whatever the digits."""
        layer = self._wide(self.n * self.len) + self._node * self.h_prime
        if self.wots_sum is not None and not self.wots_searched:
            layer = layer + Cost(1)
        return self._seed + self.h_msg + self.few_time_verification + layer * self.d

    @lru_cache(maxsize=None)
    def layer_steps(self):
        """Steps along the chains of one layer, and of how many of the w^len_1 messages of a random oracle, exactly.

        The checksum is the sum of the steps that the message digits leave; its own digits follow from it, and their steps come on top."""
        counts = [1]
        for _ in range(self.len_1):
            longer = [0] * (len(counts) + self.w - 1)
            window = 0
            for total in range(len(longer)):
                window += counts[total] if total < len(counts) else 0
                window -= counts[total - self.w] if total >= self.w else 0
                longer[total] = window
            counts = longer
        if self.wots_sum is not None:
            return {self.wots_sum: counts[self.wots_sum]}
        steps = {}
        for checksum, count in enumerate(counts):
            digits = sum((checksum >> (self.lg_w * i)) & (self.w - 1) for i in range(self.len_2))
            total = checksum + self.len_2 * (self.w - 1) - digits
            steps[total] = steps.get(total, 0) + count
        return steps

    @property
    def messages(self):
        return self.w**self.len_1

    @property
    def wots_tries(self):
        """Of WOTS+C, hashes until the digits add up, on average."""
        return Fraction(self.messages, self.layer_steps()[self.wots_sum]) if self.wots_sum is not None else Fraction(0)

    @property
    def mean_layer_steps(self):
        steps = self.layer_steps()
        return Fraction(sum(total * count for total, count in steps.items()), sum(steps.values()))

    @property
    def mean_verification(self):
        searched = self.wots_tries if self.wots_searched else 0
        return self.verification_without_chains + Cost(float((self.mean_layer_steps + searched) * self.d))

    @property
    def least_verification(self):
        return self.verification_without_chains + Cost((min(self.layer_steps()) + (1 if self.wots_searched else 0)) * self.d)

    @property
    def greatest_verification(self):
        searched = (1 << 16) if self.wots_searched else 0  # a counter of two bytes
        return self.verification_without_chains + Cost((max(self.layer_steps()) + searched) * self.d)

    @property
    def key_generation(self):
        leaf = Cost(self.len * self.w) + self._wide(self.n * self.len)  # for each chain PRF and w - 1 times F
        return self._seed + leaf * (1 << self.h_prime) + self._node * ((1 << self.h_prime) - 1)

    @property
    def signing(self):
        """On average, with nothing remembered from signature to signature. Of PORS+FP without the search for leaves whose nodes are few enough."""
        trees, leaves = (1, self.k << self.a) if self.few_time == "PORS+FP" else (self.few_time_trees, 1 << self.a)
        few_time = (Cost(2) * leaves + self._node * (leaves - 1)) * trees
        if self.few_time != "PORS+FP":
            few_time = few_time + self._wide(self.n * trees)
        messages = (1 << self.a) if self.few_time == "FORS+C" else 1
        tree = self.key_generation + self._seed * -1
        return self._seed + self.prf_msg + self.h_msg * messages + few_time + (tree + Cost(float(self.wots_tries))) * self.d

    def signing_of(self, top_message):
        """FIPS 205's algorithms to the letter: they need no root of the top layer, and do not compute that of its tree and of what it signs."""
        return self.signing + (Cost(self.steps(top_message)) + self._wide(self.n * self.len) + self._node * self.h_prime) * -1

    def tail(self):
        """(steps, probability that one layer takes at least so many), from the most steps to the fewest."""
        total, rows = 0, []
        for steps, count in sorted(self.layer_steps().items(), reverse=True):
            total += count
            rows.append((steps, Fraction(total, self.messages)))
        return rows

    def ground_layer(self, log2_tries):
        """The most steps that one in 2^log2_tries messages of a layer has."""
        return next(steps for steps, probability in self.tail() if probability >= Fraction(1, 1 << log2_tries))

    def ground_verification(self, log2_tries):
        """A verification when the signer has tried so many messages for each layer."""
        layer = self.ground_layer(log2_tries) if self.wots_sum is None else self.wots_sum
        if self.wots_searched:  # a search that ends so late is as rare
            layer += min(1 << 16, math.ceil(-log2_tries * math.log(2) / math.log1p(-1 / self.wots_tries)))
        return self.verification_without_chains + Cost(layer * self.d)

    def steps(self, message):
        """Steps along the chains of one layer for this message of n bytes: algorithms 4 and 8."""
        number, left = int.from_bytes(message, "big"), []
        for i in range(self.len_1):
            left.append(self.w - 1 - ((number >> (8 * self.n - self.lg_w * (i + 1))) & (self.w - 1)))
        checksum = sum(left)
        return checksum + sum(self.w - 1 - ((checksum >> (self.lg_w * i)) & (self.w - 1)) for i in range(self.len_2))

    def verification(self, messages):
        """The verification whose layers sign these: the FORS public key, and the root of each layer but the last."""
        return self.verification_without_chains + Cost(sum(map(self.steps, messages)))

    def distribution(self):
        """{compressions: probability} of a verification, the layers' messages being independent; floating point from here on."""
        layer = {steps: count / self.messages for steps, count in self.layer_steps().items()}
        result = {round(self.verification_without_chains.sha256): 1.0}
        for _ in range(self.d):
            longer = {}
            for so_far, probability in result.items():
                for steps, chance in layer.items():
                    longer[so_far + steps] = longer.get(so_far + steps, 0.0) + probability * chance
            result = longer
        return result


FIPS_205, SP_800_230 = "FIPS 205", "SP 800-230, initial public draft"
SHRINCS, PAPER, QBIT = "SHRINCS draft, stateless part", "Kudinov and Nick, 2025", "qbit"

SHA2_128S = ParameterSet("SLH-DSA-SHA2-128s", FIPS_205, 64, 16, 63, 7, 12, 14, 4)
SETS = [
    SHA2_128S,
    ParameterSet("SLH-DSA-SHA2-128f", FIPS_205, 64, 16, 66, 22, 6, 33, 4),
    ParameterSet("SLH-DSA-SHA2-192s", FIPS_205, 64, 24, 63, 7, 14, 17, 4),
    ParameterSet("SLH-DSA-SHA2-192f", FIPS_205, 64, 24, 66, 22, 8, 33, 4),
    ParameterSet("SLH-DSA-SHA2-256s", FIPS_205, 64, 32, 64, 8, 14, 22, 4),
    ParameterSet("SLH-DSA-SHA2-256f", FIPS_205, 64, 32, 68, 17, 9, 35, 4),
    ParameterSet("SLH-DSA-SHA2-128-24", SP_800_230, 24, 16, 22, 1, 24, 6, 2),
    ParameterSet("SLH-DSA-SHA2-192-24", SP_800_230, 24, 24, 21, 1, 25, 9, 3),
    ParameterSet("SLH-DSA-SHA2-256-24", SP_800_230, 24, 32, 21, 1, 25, 12, 2),
    ParameterSet("SHRINCS, stateless part", SHRINCS, 40, 16, 45, 5, 13, 10, 4, prefix=1),
    ParameterSet("SPHINCS+ W+C P+FP, 2^40", PAPER, 40, 16, 40, 5, 14, 11, 8, wots_sum=2040, few_time="PORS+FP", nodes=118, r_size=32, counter_size=4),
    ParameterSet("SPHINCS+ W+C P+FP, 2^30", PAPER, 30, 16, 32, 4, 14, 10, 8, wots_sum=2040, few_time="PORS+FP", nodes=106, r_size=32, counter_size=4),
    ParameterSet("SLH-DSA-SHA2-128s-bounded30", QBIT, 30, 16, 30, 5, 16, 8, 8, wots_sum=2040, wots_searched=True, few_time="FORS+C"),
]


def varops(cost):
    """Hashes by the cost model of BIP 440, in whole blocks: what a function compresses takes the time, not what it is given."""
    return VAROPS_HASHED * (64 * cost.sha256 + 128 * cost.sha512)


def varops_verifications(p, price):
    """How often the budget of a block pays for a verification, and for the copy of the signature that it takes, where elements may be copied."""
    return int(MAX_BLOCK_WEIGHT * VAROPS_BOUGHT // (price + VAROPS_COPIED * p.signature_size))


def format_cost(cost):
    """1,234, or 1,234 + 56 with the compressions of SHA-512."""
    return f"{cost.sha256:,.0f}" + (f" + {cost.sha512:,.0f}" if cost.sha512 else "")


def format_large(value):
    """Three digits and a unit, below 1000 of it."""
    for unit, size in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if value >= size:
            return f"{value / size:.3g} {unit}"
    return f"{value:.0f}"


def format_large_cost(cost):
    return format_large(cost.sha256) + (f" + {format_large(cost.sha512)}" if cost.sha512 else "")


def table(header, rows):
    """Markdown."""
    return "\n".join("| " + " | ".join(row) + " |" for row in [header, ["---"] * len(header), *rows])


def quantile(distribution, share):
    """The least value that this share of the verifications does not exceed."""
    total = 0.0
    for value in sorted(distribution):
        total += distribution[value]
        if total >= share:
            return value
    return max(distribution)


def composition_table(p=SHA2_128S):
    """Where the hashes of a verification are."""
    few_time = p.few_time_verification
    rows = [("block of PK.seed", p._seed), ("message digest (H_msg)", p.h_msg), (f"FORS: {p.k} leaves, {p.k * p.a} nodes, T over {p.k} roots", few_time),
            (f"{p.d} layers: T over {p.len} chain ends", p._wide(p.n * p.len) * p.d), (f"{p.d} layers: {p.h_prime} nodes of the path each", p._node * p.h)]
    body = [[what, *[format_cost(cost)] * 3] for what, cost in rows]
    steps = p.layer_steps()
    body.append([f"{p.d} layers: steps along {p.len} chains", f"{p.d * min(steps):,}", f"{float(p.d * p.mean_layer_steps):,.1f}", f"{p.d * max(steps):,}"])
    body.append(["**all**", f"**{format_cost(p.least_verification)}**", f"**{p.mean_verification.sha256:,.1f}**", f"**{format_cost(p.greatest_verification)}**"])
    return table(["", "minimum", "mean", "maximum"], body)


def spread(p=SHA2_128S):
    distribution = p.distribution()
    mean = sum(value * probability for value, probability in distribution.items())
    deviation = math.sqrt(sum((value - mean) ** 2 * probability for value, probability in distribution.items()))
    return {"mean": mean, "deviation": deviation, **{name: quantile(distribution, share) for name, share in QUANTILES.items()}}


QUANTILES = {"1 in 1000 below": 0.001, "p5": 0.05, "median": 0.5, "p95": 0.95, "p99": 0.99, "1 in 1000 above": 0.999, "1 in a million above": 0.999999}


def distribution_table(p=SHA2_128S):
    values = spread(p)
    return table(["standard deviation", *QUANTILES], [[f"{values['deviation']:.1f}", *[f"{values[name]:,}" for name in QUANTILES]]])


GROUND = [0, 10, 20, 30, 40, 128]


def ground_table(p=SHA2_128S):
    """A signer's gain from a number of tries for each layer: 0 stands for ordinary signatures."""
    mean = p.mean_verification.sha256
    rows = []
    for tries in GROUND:
        layer = float(p.mean_layer_steps) if tries == 0 else p.ground_layer(tries)
        each = mean if tries == 0 else p.ground_verification(tries).sha256
        rows.append(["none" if tries == 0 else f"2^{tries}", f"{layer:.1f}" if tries == 0 else f"{layer}", f"{each:,.0f}", f"{each / mean:.2f}", f"{each / p.element_weight:.3f}",
                     f"{each * p.block_verifications / 1e6:.2f}", "0" if tries == 0 else f"2^{tries + math.log2(p.block_verifications * (p.d + 1)):.0f}"])
    return table(["tries for each layer", "steps of a layer", "compressions of a verification", "of the mean", "a weight unit", "10^6 in a block", "tries for the block, compressions"], rows)


def sets_table(sets=tuple(SETS)):
    base = SHA2_128S.mean_verification
    base_block = base.sha256 * SHA2_128S.block_verifications
    rows = []
    for p in sets:
        mean, count = p.mean_verification, p.block_verifications
        block = mean * count
        rows.append([p.name, "" if p.limit is None else f"2^{p.limit}", f"{p.signature_size:,}", format_cost(mean), format_cost(p.greatest_verification),
                     format_cost(p.ground_verification(20)), format_large_cost(p.key_generation), format_large_cost(p.signing), f"{count:,}", format_large_cost(block),
                     f"{block.sha256 / base_block:.2f}" if not block.sha512 else "", f"{mean.sha256 / p.element_weight:.3f}" if not mean.sha512 else ""])
    return table(["set", "signatures a key", "bytes", "verification, mean", "maximum", "2^20 tries", "key generation", "signing", "in a block", "hashes of a block", "of 128s",
                  "a weight unit"], rows)


def set_numbers_table(sets=tuple(SETS)):
    """The parameters, for a reader who wants to check."""
    rows = [[p.name, *map(str, (p.n, p.h, p.d, p.h_prime, p.a, p.k, p.w, p.len)), p.few_time, "WOTS+" if p.wots_sum is None else f"WOTS+C, sum {p.wots_sum}"] for p in sets]
    return table(["set", "n", "h", "d", "h'", "a", "k", "w", "chains", "few-time part", "one-time part"], rows)


def varops_table(sets=tuple(SETS)):
    """What a verification would cost by BIP 440, and what a block could do if its signatures could be copied: by that price, and by that of a check."""
    base = SHA2_128S.mean_verification * SHA2_128S.block_verifications
    rows = []
    for p in sets:
        mean, most, bought = varops(p.mean_verification), varops(p.greatest_verification), VAROPS_BOUGHT * p.element_weight
        by_hashes, flat = varops_verifications(p, mean), varops_verifications(p, VAROPS_CHECK)
        rows.append([p.name, f"{mean / 1e6:.2f}", f"{most / 1e6:.2f}", f"{bought / 1e6:.1f}", f"{most / mean:.2f}",
                     f"{max(0, bought - mean) // VAROPS_CHECK:,.0f}", f"{by_hashes:,}", f"{flat:,}", f"{flat * mean / varops(base):,.1f}"])
    return table(["set", "mean, 10^6", "maximum", "its bytes buy", "the maximum as a flat price, of the mean", "BIP 340 checks for what is left",
                  "copied, by hashes", "copied, 500,000 each", "hashes of that, blocks of 508"], rows)


TABLES = {"composition": composition_table, "distribution": distribution_table, "ground": ground_table, "sets": sets_table, "varops": varops_table}


def numbers():
    """All of them, for JSON."""
    p = SHA2_128S
    return {
        "verification": {"min": p.least_verification.sha256, "mean": p.mean_verification.sha256, "max": p.greatest_verification.sha256, **spread(p)},
        "ground": {tries: p.ground_verification(tries).sha256 for tries in GROUND if tries},
        "sets": [{"name": s.name, "source": s.source, "signature_size": s.signature_size, "verification_mean": s.mean_verification._asdict(),
                  "verification_max": s.greatest_verification._asdict(), "key_generation": s.key_generation._asdict(), "signing": s.signing._asdict(),
                  "block_verifications": s.block_verifications} for s in SETS],
    }


def distribution_plot(p=SHA2_128S):
    """The probability of each number of compressions, and where signatures with ground digits are."""
    from plot import curve

    distribution = p.distribution()
    low, high = 1900, 3000
    points = [(value, distribution[value]) for value in sorted(distribution) if low <= value <= high]
    marks = [(f"2^{tries}", p.ground_verification(tries).sha256) for tries in (10, 20, 30, 40, 50, 60)]
    return curve(points, title=f"{p.name}: compressions of a verification", x_label="compressions (marks: tries for each layer of an attacker)", marks=marks)


def set_of_module(text):
    """A set by its name in parameter_sets.def, or by its numbers."""
    sys.path.insert(0, str(PAGE.parents[1] / "contrib/differential"))
    from cases import SETS as named

    found = named.get(text)
    try:
        numbers = (found.h, found.d, found.a, found.k, found.lg_w) if found else tuple(map(int, text.split(",")))
    except ValueError:
        numbers = ()
    if len(numbers) != 5 or min(numbers) < 1 or numbers[0] % numbers[1] or 8 % numbers[4]:
        raise argparse.ArgumentTypeError(f"'{text}' is none of {', '.join(named)}, and no h,d,a,k,lg_w")
    return ParameterSet(text, "", None, 16, *numbers)


def put_into_page(tables):
    """Put each of {name: text} between its marks in doc/worst-case.md."""
    text = PAGE.read_text(encoding="utf-8")
    for name, content in tables.items():
        place = re.compile(rf"(<!-- {name} -->\n).*?(<!-- /{name} -->)", re.DOTALL)
        if not place.search(text):
            raise SystemExit(f"{PAGE.name} has no place for: {name}")
        text = place.sub(lambda match, content=content: f"{match[1]}{content}\n{match[2]}", text, count=1)
    PAGE.write_text(text, encoding="utf-8")


def write():
    """Put the tables into the page, and the plot beside it."""
    put_into_page({name: make() for name, make in TABLES.items()})
    (PAGE.parent / "worst-case-distribution.svg").write_text(distribution_plot(), encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0], formatter_class=argparse.RawDescriptionHelpFormatter)
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--json", action="store_true", help="print JSON")
    what.add_argument("--write", action="store_true", help="write tables and plot into doc/")
    what.add_argument("--set", type=set_of_module, dest="parameter_set", metavar="SET", help="of this set alone: a name, or h,d,a,k,lg_w")
    options = parser.parse_args()
    if options.write:
        write()
    elif options.parameter_set:
        print("\n\n".join([set_numbers_table([options.parameter_set]), sets_table([options.parameter_set]), composition_table(options.parameter_set)]))
    elif options.json:
        json.dump(numbers(), sys.stdout, indent=2)
        print()
    else:
        print("\n\n".join(f"{name}\n\n{make()}" for name, make in {**TABLES, "parameters": set_numbers_table}.items()))


if __name__ == "__main__":
    main()
