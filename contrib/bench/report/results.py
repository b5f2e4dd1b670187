# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""What was measured, as it is kept: samples, never a number without them.

A file holds {"format": 1, "machine", "versions", "commit", "date", "options", "complete", "missing", "series"}. A series is one thing that was measured in
every round: its group (verify, threads, sign, keygen, start, memory, block, reindex, worst, node), who did it, with how many signatures (batch) and
threads, and a sample for each round. The samples of the reference are those that were measured in the same rounds beside it, and a ratio is
the median of the ratios of pairs, so that other load on the machine hits both sides.
"""

import json
import pathlib
import statistics
from dataclasses import asdict, dataclass, field
from typing import Any

from .machine import BOUNDS, MEAN_COMPRESSIONS

FORMAT = 1
GROUPS = ("verify", "threads", "sign", "keygen", "start", "memory", "block", "reindex", "worst", "node")


class ResultsError(Exception):
    """What is wrong with a file of results, in one line."""


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
    reference: str = ""        # whose samples are beside it; "": nobody's
    samples: list[float] = field(default_factory=list)
    reference_samples: list[float] = field(default_factory=list)

    @property
    def key(self) -> tuple[Any, ...]:
        return (self.group, self.by, self.batch, self.threads, self.what, self.clock, self.unit)

    @property
    def median(self) -> float:
        return statistics.median(self.samples)

    @property
    def ratio(self) -> float | None:
        """How many times as fast as the reference; nothing without one."""
        pairs = [theirs / ours for ours, theirs in zip(self.samples, self.reference_samples) if ours > 0]
        return statistics.median(pairs) if pairs else None


class Results:
    """All series of one run."""

    def __init__(self, about: dict[str, Any], series: list[Series] | None = None) -> None:
        self.about = about
        self._series = {s.key: s for s in series or []}

    def add(self, measured: Series) -> None:
        """Add samples to the series that they belong to."""
        known = self._series.setdefault(measured.key, measured)
        if known is not measured:
            known.samples += measured.samples
            known.reference_samples += measured.reference_samples

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

    @property
    def name(self) -> str:
        """What tells this run from others: the core and its number of threads."""
        machine = self.about["machine"]
        return f"{machine['core'] or machine['processor']}, {machine['threads']} threads"

    def save(self, path: pathlib.Path) -> None:
        """Write the file; an interruption leaves the old one or the new one."""
        data = {"format": FORMAT, **self.about, "series": [asdict(s) for s in self._series.values() if s.samples]}
        new = path.with_name(path.name + ".new")
        new.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
        new.replace(path)


def load(path: pathlib.Path) -> Results:
    """Read a file of results.

    Raises:
        ResultsError: if it cannot be read, or is none.
    """
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        if data.pop("format") != FORMAT:
            raise ResultsError(f"{path}: its format is not {FORMAT}")
        series = [Series(**s) for s in data.pop("series")]
        if bad := [s.group for s in series if s.group not in GROUPS or not s.samples]:
            raise ResultsError(f"{path}: a series of group '{bad[0]}' is unknown or empty")
        data["machine"]["core"], data["commit"], data["date"]  # noqa: B018 (they must be there)
    except (OSError, UnicodeDecodeError) as error:
        raise ResultsError(f"{path}: {error}") from None
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ResultsError(f"{path}: not a file of results ({type(error).__name__}: {error})") from None
    return Results(data, series)
