# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Results in the form in which they are kept: samples, never a number without them.

A file holds {"format": 2, "machine", "devices", "versions", "commit", "date", "options", "complete", "missing", "series"}, and perhaps
"notes" on what was changed in it by hand. A series is one thing that was measured in every round: its group (one of GROUPS), who did it and
in what variant, with how many signatures (batch) and threads, and one sample or more for each round. The samples of the reference are those
that were measured beside it, one for each of its own, and a ratio is the median of the ratios of pairs, so that other load on the machine
hits both sides.
"""

import json
import pathlib
import statistics
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from .machine import BOUNDS, MEAN_COMPRESSIONS

FORMAT = 2
ROUNDS = 5  # that a run has unless it is told otherwise; with fewer, a page says what that means
GROUPS = ("verify", "threads", "sign", "keygen", "start", "memory")


@dataclass
class Series:
    """One thing, measured in every round."""

    group: str
    by: str                    # who: "cpu:avx512", "vulkan:0", "RustCrypto slh-dsa" ...
    ours: bool
    unit: str                  # "us", "ms", "MiB"
    per: str                   # what a sample is the time of: "signature", "key", "block", "process"
    clock: str                 # "CPU" or "wall"
    batch: int = 1
    threads: int = 1
    what: str = ""             # e.g. the block's name
    variant: str = ""          # what it does otherwise than those it could be taken for, e.g. "top tree remembered"
    reference: str = ""        # whose samples are beside it; "": nobody's
    samples: list[float] = field(default_factory=list)
    reference_samples: list[float] = field(default_factory=list)

    @property
    def key(self) -> tuple[Any, ...]:
        return (self.group, self.by, self.variant, self.batch, self.threads, self.what, self.clock, self.unit)

    @property
    def label(self) -> str:
        """Who, and in what variant."""
        return f"{self.by}, {self.variant}" if self.variant else self.by

    @property
    def median(self) -> float:
        return statistics.median(self.samples)

    @property
    def ratios(self) -> list[float]:
        """How many times as fast as the reference, for each pair; empty without a reference."""
        pairs = zip(self.samples, self.reference_samples, strict=True) if self.reference_samples else ()
        return [theirs / ours for ours, theirs in pairs if ours > 0]

    @property
    def ratio(self) -> float | None:
        """The median of these; nothing without a reference."""
        ratios = self.ratios
        return statistics.median(ratios) if ratios else None

    def check(self) -> None:
        """Each sample has one of the reference beside it, or none has: else pairs would be of different rounds.

        Raises:
            ValueError: if that is not so.
        """
        if len(self.reference_samples) not in (0, len(self.samples)):
            raise ValueError(f"{self.group}, {self.label}: {len(self.samples)} samples, but {len(self.reference_samples)} of the reference")

    def with_samples(self, more: "Series") -> "Series":
        """This one with the samples of another after its own. The lists are new: two series may have come with the same one."""
        if self.reference != more.reference:
            raise ValueError(f"{self.group}, {self.label}: measured beside '{self.reference}', then beside '{more.reference}'")
        return replace(self, samples=self.samples + more.samples, reference_samples=self.reference_samples + more.reference_samples)


class Results:
    """All series of one run."""

    def __init__(self, about: dict[str, Any], series: list[Series] | None = None) -> None:
        self.about = about
        self._series: dict[tuple[Any, ...], Series] = {}
        for s in series or []:
            self.add(s)

    def add(self, measured: Series) -> None:
        """Add samples to the series that they belong to.

        Raises:
            ValueError: if they do not belong together. Nothing is added then.
        """
        measured.check()
        known = self._series.get(measured.key, replace(measured, samples=[], reference_samples=[]))
        together = known.with_samples(measured)
        together.check()
        self._series[measured.key] = together

    def group(self, name: str) -> list[Series]:
        """The series of a group that have samples, in the order in which they were first measured."""
        return [s for s in self._series.values() if s.group == name and s.samples]

    def of_bound(self, series: Series) -> float | None:
        """The share of what the core could do at best: cycles of all compressions at the bound, over cycles taken. Nothing where either
        the bound or the clock is not known."""
        bound = BOUNDS.get((self.about["machine"]["core"], series.by.removeprefix("cpu:")))
        ghz = self.about["machine"].get("ghz")
        if not (bound and ghz and series.group == "verify" and series.clock == "CPU"):
            return None
        return MEAN_COMPRESSIONS * bound / (1000 * series.median * ghz)

    def save(self, path: pathlib.Path) -> None:
        """Write the file; an interruption leaves the old one or the new one."""
        data = {"format": FORMAT, **self.about, "series": [asdict(s) for s in self._series.values() if s.samples]}
        new = path.with_name(path.name + ".new")
        new.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
        new.replace(path)
