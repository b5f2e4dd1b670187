# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""The project's targets, beside the results of a run. Nothing here is a test: a missed target is a line to read."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from .results import Results, Series

# Against secp256k1_schnorrsig_verify, by core: a batch of 512, and one signature alone.
BATCH_RATIO = {"Zen 5": 1.75, "Zen 4": 1.55, "Sapphire Rapids": 1.3, "Emerald Rapids": 1.3}
ALONE_RATIO = {"Zen 5": 1.0, "Zen 4": 1.0, "Sapphire Rapids": 0.9, "Emerald Rapids": 0.9}
SLHVK_RATIO = {1: 4.5, 8: 3.5, 64: 4.5, 512: 2.6, 4096: 2.6}
SIGN_RATIO = 6.0


@dataclass(frozen=True)
class Target:
    """One line: what is asked, what was measured, and whether that is enough."""

    what: str
    asked: str
    measured: str
    met: bool


def _shown(value: float, asked: float, style: str = "g", digits: int = 3) -> str:
    """A value with so many digits, or with as many as tell it from what is asked."""
    for more in range(digits, 16):
        text = f"{value:.{more}{style}}"
        if text != f"{asked:.{more}{style}}":
            return text
    return f"{value:.{digits}{style}}"


def _at_least(what: str, asked: float, value: float | None, unit: str = " x") -> Iterator[Target]:
    if value is not None:
        yield Target(what, f"at least {asked:g}{unit}", _shown(value, asked) + unit, value >= asked)


def _at_most(what: str, asked: float, value: float | None, unit: str) -> Iterator[Target]:
    if value is not None:
        yield Target(what, f"at most {asked:g}{unit}", _shown(value, asked) + unit, value <= asked)


def _best(series: list[Series], wanted: Callable[[Series], bool]) -> Series | None:
    """The fastest of those that are wanted."""
    return min((s for s in series if s.ours and wanted(s)), key=lambda s: s.median, default=None)


def _verification(results: Results) -> Iterator[Target]:
    series = results.group("verify")
    core = results.about["machine"]["core"]
    for size, asked, what in ((512, BATCH_RATIO.get(core), "one core, batch of 512, against BIP 340"), (1, ALONE_RATIO.get(core), "one core, one signature, against BIP 340")):
        best = _best(series, lambda s, size=size: s.clock == "CPU" and s.batch == size and s.by.startswith("cpu:"))
        if best is not None and asked is not None:
            yield from _at_least(f"{what} ({best.by})", asked, best.ratio)
    for engine, asked in (("avx512", 0.85), ("shani", 0.90)):
        found = next((s for s in series if s.by == f"cpu:{engine}" and s.batch == 512), None)
        share = results.of_bound(found) if found is not None else None
        if share is not None:
            yield Target(f"one core, batch of 512, share of the arithmetic bound (cpu:{engine})", f"at least {asked:.0%}", _shown(share, asked, "%", 0), share >= asked)


def _devices(results: Results) -> Iterator[Target]:
    for s in results.group("devices"):
        if s.reference == "slhvk" and s.clock == "wall" and s.batch in SLHVK_RATIO:
            yield from _at_least(f"{s.by} ({results.device(s.by)}), batch of {s.batch:,}, against slhvk", SLHVK_RATIO[s.batch], s.ratio)


def _threads(results: Results) -> Iterator[Target]:
    for s in results.group("threads"):
        if s.ratio is not None:
            yield from _at_least(f"{s.threads} threads, share of {s.threads} times one thread ({s.by})", 0.95, s.ratio / s.threads, "")


def _keys(results: Results) -> Iterator[Target]:
    for group, what in (("sign", "signing"), ("keygen", "key generation")):
        series = results.group(group)
        peer = next((s for s in series if not s.ours and s.by.startswith("OpenSSL")), None)
        best = _best(series, lambda s: not s.variant)
        if best is not None and peer is not None:
            yield from _at_least(f"{what}, one core, against OpenSSL ({best.by})", SIGN_RATIO, peer.median / best.median)


def _processes(results: Results) -> Iterator[Target]:
    times = {s.by: s.median for s in results.group("start")}
    auto, cpu = times.get("slhtool verify, backend auto"), times.get("slhtool verify, backend cpu")
    if auto is not None and cpu is not None:
        yield from _at_most("a process that verifies one signature, beyond one whose backend is named", 10, max(auto - cpu, 0), " ms")
    for caches, asked in (("filled", 100), ("empty", 1000)):
        yield from _at_most(f"a process that verifies one signature on a Vulkan device, caches {caches}", asked, times.get(f"slhtool verify, backend vulkan, caches {caches}"), " ms")


def _blocks(results: Results) -> Iterator[Target]:
    times = {(s.threads, s.what.rpartition(", ")[2]): s.median for s in results.group("block")}
    for threads in sorted({threads for threads, _ in times}):
        deferred, alone = times.get((threads, "deferred")), times.get((threads, "signatures alone"))
        if deferred is not None and alone is not None:
            yield from _at_most(f"a full block of SLH-DSA spends, beside its signatures alone, threads: {threads}", 1.15, deferred / alone, " x")
    node = {what: s.median for s in results.group("node") for what in ("deferred, CPU", "each at once") if s.what.startswith(f"SLH-DSA, {what}, ")}
    if len(node) == 2:
        yield from _at_most("a full block on the regtest node, deferred, beside each signature at once", 0.8, node["deferred, CPU"] / node["each at once"], " x")
    ratios = [s.ratio for s in results.group("worst") if s.ratio]
    if ratios:
        yield from _at_most("the most expensive of all blocks, beside Bitcoin Core's interpreter", 1.1, 1 / min(ratios), " x")


def targets(results: Results) -> list[Target]:
    """Those that the run measured."""
    return [target for source in (_verification, _devices, _threads, _keys, _processes, _blocks) for target in source(results)]
