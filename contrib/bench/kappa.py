# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""kappa: the compressions of SHA-256 that an engine does in the time of one BIP 340 verification. It turns the hashes of any hash-based scheme
into verifications of what Bitcoin has. bench_kappa measures on one core, over distinct signatures, in rounds of which each does everything
once; the least time of the rounds counts, since other load only adds to it. A verification of 128s is taken as its mean of compressions, and
whatever else it does (digits, sorting, copying) counts as part of them.

A result is one file: {"format", "machine", "system", "commit", "date", "compiler", "flags", "libsecp256k1", "ghz", "rounds": {what: [us, ...]}}."""

import json
import os
import pathlib
import subprocess
import time

import cost_model
import plot
from report import machine

FORMAT = "kappa 1"
BATCHES = {"1": "one at a time", "512": "batch of 512"}
# Sets of the library, by their names in cost_model.py
MEASURED = {"SLH-DSA-SHA2-128s": "128s", "SLH-DSA-SHA2-128f": "128f", "SLH-DSA-SHA2-128-24": "128-24", "SHRINCS, stateless part": "128-q40"}


def measure(program: pathlib.Path, rounds: int, seconds: float) -> dict:
    """The result of this machine. The program stays on one core, where the system lets it."""
    pin = (lambda: os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})) if hasattr(os, "sched_setaffinity") else None
    done = subprocess.run([str(program), str(rounds), str(seconds)], stdout=subprocess.PIPE, text=True, check=False, preexec_fn=pin)
    if done.returncode != 0:
        raise SystemExit(f"bench.py: {program.name} ended with status {done.returncode}")
    about = machine.describe()
    return {"format": FORMAT, "machine": {key: about[key] for key in ("processor", "core", "family", "model", "threads", "load")}, "system": about["system"],
            "commit": machine.commit(), "date": time.strftime("%Y-%m-%d", time.gmtime()), **json.loads(done.stdout)}


class Result:
    """A file of results: the least of its rounds, in us."""

    def __init__(self, path: pathlib.Path) -> None:
        try:
            self.found = json.loads(path.read_text(encoding="utf-8"))
            if self.found["format"] != FORMAT:
                raise ValueError(f"its format is not '{FORMAT}'")
            self.us = {what: float(min(rounds)) for what, rounds in self.found["rounds"].items()}
            self.bip340, self.rounds = self.us["bip340"], len(self.found["rounds"]["bip340"])
            about = self.found["machine"]
            self.core = about["core"] or about["processor"]
            self.setting = (f"{self.core} (family {about['family']}, model {about['model']}, {about['threads']} threads, {self.found['ghz']} GHz), {self.found['system']}, "
                            f"{self.found['compiler']} ({self.found['flags'].strip()}), libsecp256k1 {self.found['libsecp256k1']}, {self.found['date']} at {self.found['commit']}, "
                            f"least of {self.rounds} rounds, load {about['load']}")
            self.name = f"{self.core}, {self.found['compiler']}"
            self.engines = sorted((what[2:] for what in self.us if what.startswith("F/")), key=lambda engine: self.verify(engine, "128s", "512"))
        except (OSError, UnicodeDecodeError) as error:
            raise SystemExit(f"bench.py: {path}: {getattr(error, 'strerror', None) or 'not UTF-8'}") from None
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise SystemExit(f"bench.py: {path}: not a result of `bench.py kappa` ({type(error).__name__}: {error})") from None

    def verify(self, engine: str, of: str, batch: str) -> float:
        return self.us[f"verify/{engine}/{of}/{batch}"]

    def kappa(self, engine: str, batch: str) -> float:
        return self.bip340 / self.verify(engine, "128s", batch) * machine.MEAN_COMPRESSIONS

    def in_bip340(self, p, engine: str, batch: str) -> tuple[float | None, float]:
        """A verification of a set in verifications of BIP 340: as measured (None if it was not), and by kappa."""
        name = MEASURED.get(p.name)
        return (self.verify(engine, name, batch) / self.bip340 if name else None), p.mean_verification.sha256 / self.kappa(engine, batch)


def machines_table(results: list[Result]) -> str:
    """kappa and times of each engine of each machine, the fastest first."""
    rows = [[result.name, f"{result.bip340:.1f}", f"`{engine}`", *(f"{result.kappa(engine, batch):,.0f} ({result.verify(engine, '128s', batch):.1f})" for batch in BATCHES)]
            for result in results for engine in result.engines]
    return "\n".join([*(f"- {result.setting}" for result in results), "",
                      cost_model.table(["machine", "BIP 340, us", "engine", *(f"{place}: kappa (us a signature)" for place in BATCHES.values())], rows)])


def chain_table(results: list[Result]) -> str:
    """From the SHA-256 that libsecp256k1 has to ours: one BIP 340 verification in compressions of each kind."""
    def steps(result: Result) -> dict[str, float]:
        found = {"a long message, libsecp256k1's C": result.us["sha256/libsecp256k1"], "a long message, our C": result.us["sha256/portable"]}
        found |= {f"a long message, `{what[7:]}`": us for what, us in result.us.items() if what.startswith("sha256/") and what[7:] not in ("libsecp256k1", "portable")}
        return found | {f"F of SLH-DSA, `{engine}`": result.us[f"F/{engine}"] for engine in reversed(result.engines)}

    names = dict.fromkeys(name for result in results for name in steps(result))
    rows = [[name, *(f"{1000 * us:.1f} ({result.bip340 / us:,.0f})" if (us := steps(result).get(name)) else "" for result in results)] for name in names]
    hooked = [next((f"{us:.1f} us" for what, us in result.us.items() if what.startswith("bip340/")), "") for result in results]
    rows.append(["BIP 340 with libsecp256k1's own SHA-256; with ours", *(f"{result.bip340:.1f} us; {hook}" for result, hook in zip(results, hooked))])
    return cost_model.table(["one compression, ns (BIP 340 in such compressions)", *(result.name for result in results)], rows)


def sets_table(results: list[Result]) -> str:
    """The sets that hash with SHA-256 alone, in verifications of BIP 340: by the fastest engine, and by the portable one."""
    columns = [(result, engine, batch) for result in results for engine, batch in ((result.engines[0], "512"), (result.engines[0], "1"), ("portable", "512"))]
    rows = []
    for p in cost_model.SETS:
        if not p.mean_verification.sha512:
            cells = [f"({computed:.2f})" if measured is None else f"{measured:.2f} ({computed:.2f})" for measured, computed in (r.in_bip340(p, e, b) for r, e, b in columns)]
            rows.append([p.name, f"{p.signature_size:,}", f"{p.mean_verification.sha256:,.0f}", *cells])
    return cost_model.table(["set", "bytes", "compressions", *(f"{result.core}, `{engine}`, {BATCHES[batch]}" for result, engine, batch in columns)], rows)


def copied_table(results: list[Result]) -> str:
    """Signatures of 5,776 bytes in a block, where a script may copy one, by the price of a check; in blocks of BIP 340 checks."""
    p, checks = next(p for p in cost_model.SETS if MEASURED.get(p.name) == "128-q40"), cost_model.MAX_BLOCK_WEIGHT // 50
    counts = {"ours: consumed, 50 units": p.block_verifications, "copied, 50 units": checks, "copied, 0.8 units a byte": int(checks * 50 / (0.8 * p.signature_size)),
              "copied, varops by hashes": cost_model.varops_verifications(p, cost_model.varops(p.mean_verification)),
              "copied, 500,000 varops": cost_model.varops_verifications(p, cost_model.VAROPS_CHECK)}
    columns = [(result, engine) for result in results for engine in (result.engines[0], "portable")]
    rows = [[rule, f"{count:,}", *(f"{count * result.verify(engine, '128-q40', '512') / result.bip340 / checks:.3f}" for result, engine in columns)] for rule, count in counts.items()]
    return cost_model.table(["a signature of 5,776 bytes", "verified in a block", *(f"{result.core}, `{engine}`: of 80,000 BIP 340 checks" for result, engine in columns)], rows)


def sets_plot(results: list[Result]) -> str:
    """What a choice costs on the first machine: bytes against time."""
    first = results[0]
    points = [("BIP 340", 64, 1.0, True)]
    for p in cost_model.SETS:
        if not p.mean_verification.sha512:
            measured, computed = first.in_bip340(p, first.engines[0], "512")
            points.append((MEASURED.get(p.name, p.name.removeprefix("SLH-DSA-SHA2-")), p.signature_size, measured or computed, measured is not None))
    return plot.scatter(points, f"A signature's bytes, and its verification in verifications of BIP 340 ({first.core}, {first.engines[0]}, batch of 512)", "bytes of a signature")


def machines_plot(results: list[Result]) -> str:
    """How many verifications a second: on each machine BIP 340, then each engine, the fastest first."""
    rows = []
    for result in results:
        rows.append((f"{result.name}: BIP 340", [1e6 / result.bip340], True))
        rows += [(f"{engine}, {place}", [1e6 / result.verify(engine, "128s", batch)], False) for engine in result.engines for batch, place in reversed(BATCHES.items())]
    return plot.bars(rows, "Verifications a second on one core: BIP 340, and SLH-DSA-SHA2-128s by engine", "least time of the rounds")


TABLES = {"kappa": machines_table, "chain": chain_table, "kappa of sets": sets_table, "copied": copied_table}
PLOTS = {"verifications.svg": machines_plot, "worst-case-sets.svg": sets_plot}
