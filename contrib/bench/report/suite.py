# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""The tasks of a measurement, each of which gives samples once a round.

A task that cannot be done here says why (Missing), and the others go on. All verdicts, signatures and keys are checked: a figure from work
that was not done is worse than none.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from .results import Series

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "contrib/differential"))
import peers as peer_processes  # noqa: E402

REMEMBERED = "top tree remembered"
PEERS = {"rustcrypto": "RustCrypto slh-dsa", "fips205": "fips205", "openssl": "OpenSSL (openssl-src)", "botan": "Botan (botan-src)", "noble": "@noble/post-quantum"}
REFERENCES = {"bip340": "BIP 340", "openssl": "OpenSSL"}


class Missing(Exception):
    """Why something cannot be measured here, in one line."""


@dataclass(frozen=True)
class Options:
    """The options of the command line."""

    build: pathlib.Path
    peers: pathlib.Path
    quick: bool
    core: int                         # the processor that single threads are pinned to


@dataclass
class Task:
    """One thing that is done once a round."""

    name: str
    run: Callable[[], list[Series]]
    close: Callable[[], None] = lambda: None


def _run(command: list[str], core: int | None = None, **environment: str) -> str:
    """The output of a program. One thread is pinned to a processor, so that it does not wander.

    Raises:
        Missing: if the program ends with another status than 0, with the last line that it printed.
    """
    pin = (lambda: os.sched_setaffinity(0, {core})) if core is not None and hasattr(os, "sched_setaffinity") else None
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False, env={**os.environ, **environment}, preexec_fn=pin)
    except (OSError, subprocess.SubprocessError) as error:
        raise Missing(str(error)) from None
    if done.returncode != 0:
        last = (done.stderr.strip() or done.stdout.strip() or "no message").splitlines()[-1]
        raise Missing(f"{pathlib.Path(command[0]).name} ended with status {done.returncode}: {last}")
    return done.stdout


# ---- Our own benchmark: engines, libsecp256k1 beside them ----


def _from_bench(row: dict) -> Iterator[Series]:
    """The series of a line of bench_slhconsensus."""
    if row.get("error_occurred"):
        raise Missing(f"{row['name']}: {row['error_message']}")
    kind, who, *more = [*row["name"].split("/"), ""]
    size = int(found[1]) if (found := re.search(r"(?:batch|threads):(\d+)", row["name"])) else 1
    peer = next((p for p in REFERENCES if f"{p}_us" in row), "")

    def beside(per_unit: float = 1) -> dict[str, Any]:
        """The part of a series for the peer that was measured in between."""
        return {"reference": REFERENCES[peer], "reference_samples": [row[f"{peer}_us"] / per_unit]} if peer else {}

    if kind == "verify" and "threads:" in row["name"]:
        yield Series("threads", f"cpu:{who}", True, "us", "signature", "wall", threads=size, samples=[row["us"]],
                     reference="one thread", reference_samples=[row["one_us"]])
    elif kind == "verify":
        yield Series("verify", f"cpu:{who}", True, "us", "signature", "CPU", batch=size, samples=[row["us"]], **beside())
    elif kind in ("sign", "keygen"):
        yield Series(kind, f"cpu:{who}", True, "ms", "signature" if kind == "sign" else "key", "CPU",
                     variant=REMEMBERED if "cached" in more else "", samples=[row["us"] / 1000], **beside(1000))
    elif kind == "clock":
        yield Series("start", "clock", True, "GHz", "core", "CPU", samples=[row["ghz"]])


def bench(options: Options) -> list[Task]:
    """Engines by batch size, threads, signing, keys: one task each, so that rounds mix them with the peers."""
    program = options.build / "src/bench/bench_slhconsensus"
    if not program.exists():
        raise Missing(f"{program} is not built")
    names = _run([str(program), "--benchmark_list_tests"]).split()
    sizes = ("1", "64", "512") if options.quick else ("1", "2", "4", "8", "16", "64", "128", "512", "4096")
    engines = dict.fromkeys(name.split("/")[1] for name in names if name.startswith("verify/"))
    filters = {"clock": "^clock"}
    filters |= {f"cpu:{engine}, batches": f"^verify/{engine}/batch:({'|'.join(sizes)})/" for engine in engines if not (options.quick and engine == "portable")}
    filters |= {f"cpu:{engine}, threads": f"^verify/{engine}/threads:" for engine in list(engines)[:1]}
    filters |= {f"cpu:{engine}, keys and signatures": f"^(sign|keygen)/{engine}/" for engine in list(engines)[:1 if options.quick else None]}

    def task(name: str, pattern: str) -> Task:
        def run() -> list[Series]:
            output = _run([str(program), f"--benchmark_filter={pattern}", "--benchmark_format=json", f"--benchmark_min_time={0.02 if options.quick else 0.2}"],
                          None if "threads" in name else options.core)
            return [s for row in json.loads(output)["benchmarks"] for s in _from_bench(row)]

        return Task(name, run)

    return [task(name, pattern) for name, pattern in filters.items()]


# ---- Peers: other implementations, as processes that answer questions ----


def make_corpus(build: pathlib.Path, count: int) -> list[dict[str, str]]:
    """Keys, messages and signatures, all different, in hexadecimal, made by our library through its Python package."""
    os.environ.setdefault("SLHCONSENSUS_LIBRARY", str(build / "src/libslhconsensus.so"))
    sys.path.insert(0, str(ROOT / "contrib/python/src"))
    import slhconsensus as slhc
    corpus = []
    for i in range(count):
        seed = i.to_bytes(4, "big") * 12
        key = slhc.SecretKey.from_seed(seed)
        message = i.to_bytes(4, "little") * 8
        corpus.append({"seed": seed.hex(), "sk": bytes(key).hex(), "pk": bytes(key.public_key).hex(), "message": message.hex(), "signature": key.sign(message, deterministic=True).hex()})
    return corpus


def peers(options: Options) -> list[Task]:
    """Each peer verifies, signs and makes keys."""
    found, missing = peer_processes.start_peers(options.peers, tuple(PEERS))
    if not found:
        raise Missing(f"no peer is installed in {options.peers} (contrib/differential/setup_peers.sh)")
    corpus = make_corpus(options.build, 8 if options.quick else 64)
    bad = list(bytes.fromhex(corpus[0]["signature"]))
    bad[-1] ^= 1

    def task(process: peer_processes.Process, name: str) -> Task:
        questions = [f"verify {c['pk']} {c['message']} - {c['signature']}" for c in corpus]
        invalid = f"verify {corpus[0]['pk']} {corpus[0]['message']} - {bytes(bad).hex()}"
        if process.ask([questions[0], invalid]) != ["1", "0"]:
            raise Missing(f"{name} does not tell a valid signature from an invalid one")

        def measure() -> list[Series]:
            seconds, verdicts = process.time(questions)
            if verdicts != ["1"] * len(corpus):
                raise Missing(f"{name} refused a valid signature")
            made = [Series("verify", name, False, "us", "signature", "CPU", samples=[1e6 * seconds / len(corpus)])]
            some = corpus[:1 if options.quick or process.name == "noble" else 4]
            seconds, signatures = process.time([f"sign {c['sk']} {c['message']} - -" for c in some])
            if signatures != [c["signature"] for c in some]:
                raise Missing(f"{name} signs otherwise")
            made.append(Series("sign", name, False, "ms", "signature", "CPU", samples=[1e3 * seconds / len(some)]))
            seconds, keys = process.time([f"keygen {c['seed']}" for c in some])
            if keys != [c["pk"] for c in some]:
                raise Missing(f"{name} makes other keys")
            made.append(Series("keygen", name, False, "ms", "key", "CPU", samples=[1e3 * seconds / len(some)]))
            return made

        return Task(name, _warmed_up(measure), process.close)

    return [task(process, PEERS[process.name]) for process in found] + [Task(PEERS[name], _absent(f"not installed in {options.peers}")) for name in missing]


def _warmed_up(measure: Callable[[], list[Series]]) -> Callable[[], list[Series]]:
    """The same, but all of it is done once before it counts: a just-in-time compiler is still at work on whatever is new to it, and a few
    answers are not enough for it."""
    warm = False

    def run() -> list[Series]:
        nonlocal warm
        if not warm:
            measure()
            warm = True
        return measure()

    return run


def _absent(why: str) -> Callable[[], list[Series]]:
    def run() -> list[Series]:
        raise Missing(why)
    return run


# ---- Whole processes: start-up and memory ----


def _peak_memory(command: list[str], **environment: str) -> float:
    """MiB that a process has resident at most. What the system keeps of a child that has ended includes what it had of its parent before it
    became another program; so the process is held at its last line, which it writes to a pipe that is full, and asked there.

    Raises:
        Missing: if it does not get there.
    """
    read, write = os.pipe()
    os.set_blocking(write, False)
    try:
        while True:
            os.write(write, bytes(4096))
    except BlockingIOError:
        os.set_blocking(write, True)
    with subprocess.Popen(command, stdout=write, stderr=subprocess.DEVNULL, env={**os.environ, **environment}) as process:
        os.close(write)
        status, same = "", 0
        try:
            for _ in range(600):
                time.sleep(0.05)
                now = pathlib.Path(f"/proc/{process.pid}/status").read_text(encoding="utf-8")
                same = same + 1 if now == status and "State:\tS" in now else 0
                status = now
                if same == 10:
                    return int(re.search(r"VmHWM:\s+(\d+) kB", status)[1]) / 1024
        except (OSError, TypeError) as error:
            raise Missing(f"{pathlib.Path(command[0]).name}: {error}") from None
        finally:
            process.kill()
            os.close(read)
    raise Missing(f"{pathlib.Path(command[0]).name} does not come to its end")


def processes(options: Options) -> list[Task]:
    """slhtool verify, from start to end, in wall-clock time: with the CPU, and with a device whose caches are empty or filled."""
    tool = options.build / "src/tool/slhtool"
    if not tool.exists():
        raise Missing(f"{tool} is not built")
    folder = pathlib.Path(tempfile.mkdtemp(prefix="slhc-bench-"))
    key, public, signature = folder / "a.key", folder / "a.pub", folder / "a.sig"
    _run([str(tool), "keygen", str(key), "--public", str(public)])
    _run([str(tool), "sign", "--key", str(key), "--message", "00", "--out", str(signature)])
    verify = [str(tool), "verify", "--public-key", f"@{public}", "--message", "00", "--signature", f"@{signature}"]
    device = "vulkan" in _run([str(tool), "devices"])

    def timed(name: str, caches: str, backend: str) -> Series:
        cache = folder / caches
        (cache / "mesa").mkdir(parents=True, exist_ok=True)
        start = time.perf_counter()
        _run(verify, SLHC_BACKEND=backend, SLHC_CACHE_DIR=str(cache), MESA_SHADER_CACHE_DIR=str(cache / "mesa"))
        return Series("start", name, True, "ms", "process", "wall", samples=[1e3 * (time.perf_counter() - start)])

    def run() -> list[Series]:
        made = [timed("slhtool verify, backend auto", "auto", "auto"), timed("slhtool verify, backend cpu", "cpu", "cpu")]
        if device:
            shutil.rmtree(folder / "vulkan", ignore_errors=True)
            made += [timed("slhtool verify, backend vulkan, caches empty", "vulkan", "vulkan"), timed("slhtool verify, backend vulkan, caches filled", "vulkan", "vulkan")]
        return made

    def memory() -> list[Series]:
        return [Series("memory", f"slhtool verify, backend {backend}", True, "MiB", "process", "peak", samples=[_peak_memory(verify, SLHC_BACKEND=backend, SLHC_CACHE_DIR=str(folder / "memory"))])
                for backend in ("cpu", *(["vulkan"] if device else []))]

    return [Task("start of a process", run), Task("memory of a process", memory, lambda: shutil.rmtree(folder, ignore_errors=True))]


SOURCES = {"engines": bench, "other implementations": peers, "processes": processes}
