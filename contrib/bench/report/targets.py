# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""The project's targets, beside the results of a run. Nothing here is a test: a missed target is a line to read."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from .results import Results, Series

# Against secp256k1_schnorrsig_verify, by core: a batch of 512, and one signature alone.
BATCH_RATIO = {"Zen 5": 1.6, "Zen 4": 1.4, "Sapphire Rapids": 0.9, "Emerald Rapids": 0.9}
ALONE_RATIO = {"Zen 5": 0.9, "Zen 4": 0.9, "Zen 3": 0.9}
GPU_MS = {508: 0.7, 4096: 2.0}  # a batch, hashing included


@dataclass(frozen=True)
class Target:
    """One line: what is asked, what was measured, and whether that is enough."""

    what: str
    asked: str
    measured: str
    met: bool


def _shown(value: float, asked: float) -> str:
    """A value with three digits, or with as many as tell it from what is asked."""
    return next((f"{value:.{digits}g}" for digits in range(3, 16) if f"{value:.{digits}g}" != f"{asked:.{digits}g}"), f"{value:.3g}")


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


def _devices(results: Results) -> Iterator[Target]:
    for s in results.group("devices"):
        if s.clock == "wall" and s.batch in GPU_MS and results.about["devices"].get(s.by, {}).get("type") in ("discrete", "integrated"):
            yield from _at_most(f"{s.by} ({results.device(s.by)}), batch of {s.batch:,}", GPU_MS[s.batch], s.median * s.batch / 1000, " ms")


def targets(results: Results) -> list[Target]:
    """Those that the run measured."""
    return [*_verification(results), *_devices(results)]
