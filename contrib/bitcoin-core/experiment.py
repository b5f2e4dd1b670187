#!/usr/bin/env python3
# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Experiments on regtest chains of blocks full of post-quantum spends, which a plan describes.

    contrib/bitcoin-core/experiment.py small                                                  every experiment, in two minutes
    contrib/bitcoin-core/experiment.py thousand thousand-schnorr --only download,reindex      plans side by side
    contrib/bitcoin-core/experiment.py 128s schnorr --only reindex --modes deferred --par 1,2
    contrib/bitcoin-core/experiment.py --year build/experiments/128s+schnorr/results.json     from that to a year, on other machines

A plan is the name of one in contrib/bitcoin-core/plans, or a YAML file. Its chain is made once and kept. Every measurement has nodes of its
own on a copy of the chain; modes and plans take turns. Ctrl-C or SIGTERM ends the nodes and keeps what was measured.
"""
from __future__ import annotations

import argparse
import datetime
import hashlib
import json
import os
import re
import shutil
import signal
import statistics
import struct
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(ROOT / folder) for folder in ("contrib/bench", "contrib/python/src", "test/functional", "test/functional/node")]
import prepare  # noqa: E402
from regtest import LIBRARY_VARIABLE, NODE_DIR, SKIPPED, ExperimentError, NoSourcesError, build_node, compiler, wait_for_device  # noqa: E402

if TYPE_CHECKING:
    from framework.node import Node, Options

# The kinds of spends that a plan can mix, and the weight of a transaction with one such input and output
SPENDS = {"128s": 8309, "128-24": 4309, "128-q40": 6229, "2-of-3": 16240, "hybrid": 8408, "p2tr-leaf": 8309, "schnorr": 444, "payment": 438}
MEMPOOL_OVERHEAD = 650  # bytes of a mempool for a transaction, beside as many as it has weight
NUMBERS = {"blocks": (2, 100_000), "weight": (100_000, 4_000_000), "mempool": (0, 10_000_000), "flood": (0, 1_000_000)}  # least and greatest
MEMPOOL_BYTES = 300_000_000  # what the default plan fills
TIP, SEED = 10, hashlib.sha384(b"slhconsensus experiment").hexdigest()
LONG = 6 * 3600  # seconds that a call may take
AGE = 10**9  # -maxtipage: the chain's blocks are of 2011
RELAYED = 300  # transactions
ANYONE = "raw(51)"  # the descriptor of an output for mined blocks
MODES: dict[str, Options] = {"deferred": {}, "at-once": {"slhdsadefer": 0}, "device": {"slhdsabackend": "vulkan"}, "plain": {}}
Figures = dict[str, float]


def expect(condition: bool, what: str) -> None:
    if not condition:
        raise ExperimentError(what)


# ---- Plans ----


def normalize(name: str, plan: Any, blocks: int | None) -> dict[str, Any]:
    """A plan as make_chain reads it."""
    def want(condition: bool, key: str, allowed: str) -> None:
        expect(condition, f"plan {name}: {key}: {allowed}")

    def mapping(value: Any, place: str, keys: Sequence[str]) -> None:
        want(isinstance(value, dict), place, f"must have some of the keys {', '.join(keys)}")
        for key in value:
            want(key in keys, f"{place}: {key}", f"is none of the keys {', '.join(keys)}")

    def number(value: Any, place: str, least: int, most: int) -> int:
        want(type(value) is int and least <= value <= most, place, f"must be a whole number from {least:,} to {most:,}")
        return int(value)

    mapping(plan, "the file", [*NUMBERS, "mix"])
    mix = plan.get("mix")
    want(isinstance(mix, list) and len(mix) > 0, "mix", "must be a list of entries as {spend: 128s, share: 50, inputs: 1}")
    made: dict[str, Any] = {"weight": 4_000_000, "flood": 500} | {key: value for key, value in plan.items() if key != "mix"}
    made |= {"seed": SEED, "blocks": plan.get("blocks") if blocks is None else blocks, "mix": []}
    for place, entry in ((f"mix {n}", entry) for n, entry in enumerate(mix, 1)):
        mapping(entry, place, ["spend", "share", "inputs"])
        want(str(entry.get("spend")) in SPENDS, f"{place}: spend", f"must be one of {', '.join(SPENDS)}")
        made["mix"].append({"spend": str(entry["spend"]), "share": number(entry.get("share", 100 // len(mix)), f"{place}: share", 1, 100),
                            "inputs": number(entry.get("inputs", 1), f"{place}: inputs", 1, 200)})
    want(sum(entry["share"] for entry in made["mix"]) <= 100, "mix", "the shares must be 100 % or less together")
    if "mempool" not in made:
        weights = [SPENDS[entry["spend"]] * entry["inputs"] for entry in made["mix"]]
        numbers = [entry["share"] / weight for entry, weight in zip(made["mix"], weights)]  # of transactions, in proportion
        made["mempool"] = int(MEMPOOL_BYTES * sum(numbers) / sum(n * (weight + MEMPOOL_OVERHEAD) for n, weight in zip(numbers, weights)))
    for key, limits in NUMBERS.items():
        number(made[key], key, *limits)
    made["tip"] = min(TIP, made["blocks"] - 1)
    return made | {"branch": made["tip"] + 1}


def read_plan(name: str, blocks: int | None) -> tuple[str, dict[str, Any]]:
    """A ready plan, or one in a file: its name, and what is in it."""
    import yaml

    ready = {path.stem: path for path in sorted((HERE / "plans").glob("*.yaml"))}
    path = ready.get(name, Path(name))
    expect(path.is_file(), f"there is no plan {name}: name a YAML file, or one of {', '.join(ready)}")
    try:
        return path.stem, normalize(path.stem, yaml.safe_load(path.read_text(encoding="utf-8")), blocks)
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ExperimentError(f"plan {path.stem}: not YAML: {' '.join(str(error).split())}") from None


# ---- The chain of a plan ----


@dataclass
class Made:
    """A chain in the cache: the files of make_chain, and data directories of nodes at its base and at its tip."""

    name: str
    folder: Path
    facts: dict[str, Any] = field(default_factory=dict)

    def hash(self, name: str) -> str:
        return str(self.facts["hashes"][name])

    def blocks(self, name: str) -> Iterator[bytes]:
        """The blocks of a file."""
        with open(self.folder / name, "rb") as file:
            while head := file.read(8):
                yield file.read(struct.unpack("<4xI", head)[0])


def progress(text: str, total: int) -> Any:
    from tqdm import tqdm  # type: ignore[import-untyped]

    return tqdm(total=total, desc=text, disable=None, leave=False)


def make_chain(name: str, plan: dict[str, Any], program: Path, cache: Path, bitcoind: Path) -> Made:
    """The chain of a plan, from the cache if it is there."""
    made = Made(name, cache / f"{name}-{hashlib.sha256(json.dumps(plan, sort_keys=True).encode()).hexdigest()[:8]}")
    written = Path(f"{made.folder}.json")
    if not made.folder.is_dir():
        print(f"-- making the chain of {name}: {plan['blocks']} full blocks, {plan['mempool']:,} transactions for the mempool", flush=True)
        expect(program.is_file(), f"there is no {program}: run without --no-build")
        cache.mkdir(parents=True, exist_ok=True)
        shutil.rmtree(f"{made.folder}.new", ignore_errors=True)
        written.write_text(json.dumps(plan, indent=1) + "\n", encoding="utf-8")
        with subprocess.Popen([str(program), str(written), str(made.folder)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None and process.stderr is not None
            try:
                what, bar = "", progress("", 0)
                for line in process.stdout:
                    if found := re.fullmatch(r"(\w+) (\d+)/(\d+)\s*", line):
                        if found[1] != what:
                            bar.close()
                            what, bar = found[1], progress(found[1], int(found[3]))
                        bar.update(int(found[2]) - bar.n)
                bar.close()
                expect(process.wait() == 0, f"plan {name}: make_chain: {process.stderr.read().strip()}")
            finally:
                process.kill()
                process.wait()
                shutil.rmtree(f"{made.folder}.new", ignore_errors=True)
                if not made.folder.is_dir():
                    written.unlink()
    made.facts = json.loads((made.folder / "chain.json").read_text(encoding="utf-8")) | {"plan": plan}
    if not (made.folder / "nodes").is_dir():
        load_chain(made, bitcoind)
    return made


def load_chain(made: Made, bitcoind: Path) -> None:
    """Make the data directories of nodes that have the chain up to its base, and up to its tip."""
    from framework.node import Node

    new = made.folder / "nodes.new"
    shutil.rmtree(new, ignore_errors=True)
    try:
        for at in ("base", "tip"):
            if at == "tip":
                copy_node(new / "base", new / "tip")
            node = Node(bitcoind, new / at, common(made, "deferred"))
            try:
                node.start()  # without the genesis block, it would answer only when all blocks are read
                begin = node.log_size()
                node.restart({"loadblock": str(made.folder / f"{at}.dat")})
                with progress(f"loading {at} of {made.name}", made.facts["heights"][at]) as bar:
                    over = False
                    while node.rpc.getbestblockhash() != made.hash(at):
                        expect(not over, f"{made.name}: the node refuses a block of {at}.dat:\n{node.log(begin)[-2000:]}")
                        bar.update(node.rpc.getblockcount() - bar.n)
                        over = "initload thread exit" in node.log(begin)
                        time.sleep(0.2)
                node.stop()
            finally:
                node.kill()
        new.rename(made.folder / "nodes")
    finally:
        shutil.rmtree(new, ignore_errors=True)


def copy_node(source: Path, target: Path) -> None:
    """A data directory for a node of its own. Files of blocks that no node writes to again are shared."""
    files = source / "regtest" / "blocks"
    written = {max(files.glob("blk*.dat")).name, max(files.glob("rev*.dat")).name}

    def copy(one: str, other: str) -> None:
        shared = re.match(r"(blk|rev)\d+\.dat", os.path.basename(one)) and os.path.basename(one) not in written
        (os.link if shared else shutil.copyfile)(one, other)

    shutil.copytree(source, target, copy_function=copy, ignore=shutil.ignore_patterns("debug.log"))


# ---- Nodes, and what they take ----


@dataclass
class Mode:
    """How a node verifies."""

    name: str
    par: int
    binary: Path


def common(made: Made, mode: str) -> Options:
    """Options of every node on a chain."""
    from framework.node import ALWAYS, MEASURING, NEVER, deployments

    rules = {} if mode == "plain" else deployments(slhdsasets=ALWAYS if made.facts["sets"] else NEVER)
    return MEASURING | rules | {"persistmempool": 0, "checkblocks": 1, "logtimemicros": 1}


class Lab:
    """The nodes of one measurement, in a folder of their own; closing it ends them and removes the folder."""

    def __init__(self, made: Made, mode: Mode):
        self.made = made
        self.mode = mode
        self._folder = Path(tempfile.mkdtemp(prefix="running-", dir=made.folder.parent))
        self._nodes: list[Node] = []

    def node(self, at: str | None, options: Options | None = None) -> Node:
        """A node in the mode, not started, whose chain is at "base", at the "tip", or empty."""
        from framework.node import Node

        folder = self._folder / f"node{len(self._nodes)}"
        if at is not None:
            copy_node(self.made.folder / "nodes" / at, folder)
        in_mode = common(self.made, self.mode.name) | MODES[self.mode.name] | {"par": self.mode.par}
        self._nodes.append(Node(self.mode.binary, folder, in_mode | (options or {}), folder.name))
        return self._nodes[-1]

    def started(self, at: str | None, options: Options | None = None) -> Node:
        """The same, started, and with its device ready."""
        node = self.node(at, options).start()
        if self.mode.name == "device":
            why = wait_for_device(node)
            expect(not why, why)
        return node

    def close(self) -> None:
        for node in self._nodes:
            node.kill()
        shutil.rmtree(self._folder, ignore_errors=True)


def processes(node: Node) -> list[int]:
    """The node's, and that of its device; none before it was started."""
    if not node.running:
        return []
    children = " ".join(task.read_text() for task in Path(f"/proc/{node.pid}/task").glob("*/children"))
    return [node.pid, *map(int, children.split())]


class Meter:
    """Time and memory that nodes take from here on: wall-clock and processor time; and memory at most, from their start on."""

    def __init__(self, *nodes: Node):
        self._nodes = nodes
        self._processor = self._ticks()
        self._start = time.monotonic()

    def _ticks(self) -> int:
        """User and system time, of children that have ended, too."""
        return sum(int(n) for node in self._nodes for pid in processes(node)
                   for n in Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:15])

    def read(self) -> Figures:
        taken = time.monotonic() - self._start
        peaks = [re.search(r"VmHWM:\s+(\d+)", Path(f"/proc/{pid}/status").read_text()) for node in self._nodes for pid in processes(node)]
        return {"time, s": taken, "processor, s": (self._ticks() - self._processor) / os.sysconf("SC_CLK_TCK"),
                "memory at most, MB": sum(int(peak[1]) for peak in peaks if peak) * 1024 / 1e6}


def of_full_blocks(lab: Lab, node: Node) -> Figures:
    """The node's own figures of them: time from one to the next, and of that for signatures after the block's scripts, if they are deferred."""
    heights, blocks = lab.made.facts["heights"], lab.made.facts["plan"]["blocks"]
    times = {int(height): datetime.datetime.fromisoformat(stamp) for stamp, height in re.findall(r"^(\S+)Z .*UpdateTip: .* height=(\d+) ", node.log(), re.MULTILINE)}
    figures = {A_BLOCK: 1000 * (times[heights["tip"]] - times[heights["funded"]]).total_seconds() / blocks}
    if lab.mode.name != "plain":
        info = node.rpc.getslhdsainfo()
        expect(not info["faults"], f"{lab.mode.name}: the device was at fault: {info}")
        if info["batches"]["count"]:
            figures[SIGNATURES] = info["batches"]["time"] / blocks
    return figures


def wait_for_tip(node: Node, block: str) -> None:
    """Wait until a block is the node's tip, and no other one is in the end."""
    found = node.connection(LONG).waitforblock(block, LONG * 1000)["hash"]
    expect(found == block, f"{node.name} is at {found}, not at {block}")


# ---- Experiments ----


def download(lab: Lab) -> Figures:
    """Initial block download: an empty node gets the chain from another one on this machine."""
    source, node = lab.started("tip", {"listen": "1", "maxtipage": AGE}), lab.started(None)
    meter = Meter(node)
    node.rpc.addconnection(f"127.0.0.1:{source.p2p_port}", "outbound-full-relay", False)
    wait_for_tip(node, lab.made.hash("tip"))
    figures = meter.read() | of_full_blocks(lab, node)
    figures |= {"received, MB": node.rpc.getnettotals()["totalbytesrecv"] / 1e6, ON_DISK: node.rpc.getblockchaininfo()["size_on_disk"] / 1e6}
    node.stop()
    return figures | {"data directory, MB": sum(path.stat().st_blocks * 512 for path in node.folder.rglob("*")) / 1e6}


def reindex(lab: Lab) -> Figures:
    """-reindex-chainstate: from the start of the process until the node is at its tip again."""
    node = lab.node("tip", {"reindex-chainstate": 1})
    meter = Meter(node)
    node.start()
    wait_for_tip(node, lab.made.hash("tip"))
    return meter.read() | of_full_blocks(lab, node)


def reorg(lab: Lab) -> Figures:
    """The last block of a branch arrives, which the node has stored so far: it leaves its tip's blocks and connects one more."""
    from framework.p2p import Peer

    node = lab.started("tip", {"maxtipage": AGE, "listen": "1"})
    *stored, last = lab.made.blocks("branch.dat")
    for block in stored:
        node.rpc.submitblock(block.hex())
    expect(node.rpc.getbestblockhash() == lab.made.hash("tip"), "the node left its tip too early")
    with Peer(node) as peer:  # RPC would take longer to read eight megabytes of hex than a node to verify them
        meter = Meter(node)
        peer.send("block", last)
        wait_for_tip(node, lab.made.hash("branch"))
        return meter.read() | {"blocks left": len(stored)}


def mempool(lab: Lab) -> Figures:
    """A mempool is filled from a file, and then mined until it is empty."""
    node = lab.started("tip", {"maxtipage": AGE, "maxmempool": 10 * MEMPOOL_BYTES // 10**6})
    rpc, asked = node.connection(LONG), lab.made.facts["mempool"]["transactions"]
    meter = Meter(node)
    rpc.importmempool(str(lab.made.folder / "mempool.dat"))
    figures = meter.read()
    info = rpc.getmempoolinfo()
    expect(info["size"] == asked, f"the mempool took {info['size']} of {asked} transactions")
    figures |= {"transactions": asked, "mempool, MB": info["usage"] / 1e6}
    start, mined = time.monotonic(), list[float]()
    while rpc.getmempoolinfo()["size"]:
        expect(len(mined) < asked, "blocks do not empty the mempool")
        rpc.generatetodescriptor(1, ANYONE)
        mined.append(time.monotonic() - start)
    return figures | {"blocks": len(mined), "first block, s": mined[0], "all blocks, s": mined[-1]}


def spread(nodes: Sequence[Node], block: str) -> list[float]:
    """Give a block to the first node; seconds until each has it."""
    from framework.blocks import sha256d

    name, have = sha256d(bytes.fromhex(block[:160]))[::-1].hex(), {}

    def wait(node: Node) -> None:
        wait_for_tip(node, name)
        have[node.name] = time.monotonic()

    threads = [threading.Thread(target=wait, args=(node,), daemon=True) for node in nodes]
    for thread in threads:
        thread.start()
    start = time.monotonic()
    reason = nodes[0].rpc.submitblock(block)
    expect(reason is None, f"{nodes[0].name} refuses a block: {reason}")
    for thread in threads:
        thread.join()
    return [have[node.name] - start for node in nodes]


def relay(lab: Lab) -> Figures:
    """Three nodes in a line get the tip's blocks, whose transactions they do not know; then transactions; then a block of these."""
    from framework.node import wait_until
    from slhconsensus import CTransaction
    from slhconsensus._serialize import Reader

    tip = [block.hex() for block in lab.made.blocks("tip.dat")]
    # At the time of the chain: a node that is behind does not ask for compact blocks. Transactions are asked for and sent on
    # at once: with its time, a delay would never end.
    options: Options = {"listen": "1", "whitelist": "noban,relay,in,out@127.0.0.1", "mocktime": struct.unpack_from("<I", bytes.fromhex(tip[-1][:160]), 68)[0]}
    first, second, third = nodes = [lab.started("base", options) for _ in range(3)]
    second.connect(first)
    third.connect(second)

    def sent() -> int:
        return sum(node.rpc.getnettotals()["totalbytessent"] for node in nodes)

    def lags(kind: str, blocks: Sequence[str]) -> Figures:
        before, times = sent(), [spread(nodes, block) for block in blocks]
        return {f"{kind} block: last node later by, ms": statistics.median(1000 * (last - own) for own, _, last in times),
                f"{kind} block: first node, ms": statistics.median(1000 * own for own, _, _ in times), f"{kind} block: sent a node, MB": (sent() - before) / 2e6 / len(times)}

    meter = Meter(*nodes)
    figures = lags("new", tip)
    with open(lab.made.folder / "mempool.dat", "rb") as file:
        reader, some, room = Reader(file.read(50_000_000)), list[CTransaction](), lab.made.facts["plan"]["weight"] - 10_000
    reader.take(16, "version and number")
    while len(some) < min(RELAYED, lab.made.facts["mempool"]["transactions"]) and room > 0:
        some.append(CTransaction.read(reader))
        reader.take(16, "time and fee")
        room -= some[-1].get_weight()
    del some[len(some) - (room < 0):]
    start, before = time.monotonic(), sent()
    txids = [first.rpc.sendrawtransaction(tx.serialize().hex()) for tx in some]
    accepted = time.monotonic() - start
    wait_until(lambda: third.rpc.getmempoolinfo()["size"] == len(some), "the transactions to reach the last node")
    figures |= {"transactions": len(some), "first node has all, s": accepted, "last node later by, s": time.monotonic() - start - accepted,
                "transactions sent a node, MB": (sent() - before) / 2e6}
    figures |= lags("known", [first.rpc.generateblock(ANYONE, txids, False)["hex"]])
    return figures | {name: value for name, value in meter.read().items() if name != "time, s"}


def invalid(lab: Lab) -> Figures:
    """A block whose last signature is invalid is refused."""
    from framework.node import wait_until
    from framework.p2p import Peer

    node = lab.started("tip", {"maxtipage": AGE, "listen": "1"})
    (block,) = lab.made.blocks("invalid.dat")
    peer, begin = Peer(node), node.log_size()
    meter = Meter(node)
    peer.send("block", block)
    reason = wait_until(lambda: re.search(r"Block validation error: (.*)", node.log(begin)), "the block to be refused", LONG)[1]
    figures = meter.read()
    expect(re.match(r"block-script-verify-flag-failed \(.*([Ss]ignature|false)", reason) is not None, f"the block was refused for another reason: {reason}")
    return figures


def flood(lab: Lab) -> Figures:
    """A peer sends transactions, each with an invalid signature, as fast as the node takes them."""
    from framework.p2p import Peer

    node = lab.started("tip", {"maxtipage": AGE, "listen": "1"})
    data, sent = memoryview((lab.made.folder / "flood.dat").read_bytes()), 0
    peer = Peer(node)
    begin, meter = len(peer.messages), Meter(node)
    try:
        while data:
            size = 4 + struct.unpack_from("<I", data)[0]
            peer.send("tx", bytes(data[4:size]))
            data, sent = data[size:], sent + 1
        peer.send("ping", bytes(8))  # answered after what came before
    except OSError:
        pass  # the node has disconnected
    while peer.connected and not peer.received("pong", begin):
        time.sleep(0.001)
    figures = meter.read() | {"transactions": sent, "disconnected": float(not peer.connected)}
    expect(node.rpc.getmempoolinfo()["size"] == 0, "the mempool took an invalid transaction")
    return figures | {"each, ms": 1000 * figures["time, s"] / sent}


EXPERIMENTS: dict[str, Callable[[Lab], Figures]] = {run.__name__: run for run in (download, reindex, reorg, mempool, relay, invalid, flood)}
OF_PLAIN = ("download", "reindex", "reorg")  # for a node without the module, the rest is not standard, or valid


# ---- The command ----


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)

    def names(allowed: Sequence[str]) -> Callable[[str], list[str]]:
        def split(text: str) -> list[str]:
            if unknown := [name for name in text.split(",") if name not in allowed]:
                raise argparse.ArgumentTypeError(f"'{unknown[0]}' is none of {', '.join(allowed)}")
            return text.split(",")
        return split

    def numbers(text: str) -> list[int]:
        return [int(n) for n in text.split(",")]

    parser.add_argument("plans", nargs="*", metavar="PLAN", help=f"a YAML file, or one of {', '.join(sorted(path.stem for path in (HERE / 'plans').glob('*.yaml')))}")
    parser.add_argument("--blocks", type=int, metavar="N", help="full blocks, instead of what the plan says")
    parser.add_argument("--only", type=names(list(EXPERIMENTS)), default=list(EXPERIMENTS), metavar="NAME,...", help=f"experiments: {', '.join(EXPERIMENTS)} (default: all)")
    parser.add_argument("--modes", type=names(list(MODES)), metavar="NAME,...", help="deferred: a block's signatures together; at-once: each in its script; device: by "
                        "Vulkan; plain: a node without the module, for which anyone can spend P2MR outputs (default: all, the last two if they are there)")
    parser.add_argument("--par", default=[os.cpu_count() or 1], type=numbers, metavar="N,...", help="-par, in turns (default: all cores)")
    parser.add_argument("--rounds", type=int, default=3, metavar="N", help="samples of everything (default: %(default)s)")
    parser.add_argument("--out", type=Path, metavar="DIR", help="for results.json, results.md and report.html (default: build/experiments/PLAN+...)")
    parser.add_argument("--cache", type=Path, default=ROOT / "build/experiments/chains", metavar="DIR", help="where chains are kept: about twice their blocks (default: build/experiments/chains)")
    parser.add_argument("--bitcoind", type=Path, metavar="FILE", help="a node that is built already (default: build it)")
    parser.add_argument("--plain-node", type=Path, default=NODE_DIR / "plain/bin/bitcoind", metavar="FILE", help="as build.sh --plain makes it (default: build/node/plain/bin/bitcoind)")
    parser.add_argument("--build", type=Path, default=ROOT / "build/release", metavar="DIR", help="where make_chain is built (default: build/release)")
    parser.add_argument("--no-build", action="store_true", help="take make_chain as it is there")
    parser.add_argument("--year", type=Path, nargs="+", metavar="FILE", help="measure nothing: from results of reindex with --modes deferred --par 1,N to a year of full blocks")
    parser.add_argument("--show", type=Path, nargs="+", metavar="FILE", help="measure nothing: one report of several results.json, here or of pods (doc/network.md)")
    args = parser.parse_args()
    if [bool(args.plans), bool(args.year), bool(args.show)].count(True) != 1 or args.rounds < 1 or min(args.par) < 1:
        parser.error("name plans, or --year or --show with results; --rounds and --par: at least 1")
    return args


def choose_modes(args: argparse.Namespace, bitcoind: Path, missing: dict[str, str]) -> list[Mode]:
    """The modes to measure; those that cannot be measured go to missing, with the reason."""
    from framework.node import MEASURING, NodeFailed, Nodes

    wanted = args.modes or list(MODES)
    if "plain" in wanted and not args.plain_node.is_file():
        missing["plain"] = "no node without the module: contrib/bitcoin-core/build.sh --plain makes it"
    if "device" in wanted:
        nodes = Nodes(bitcoind)
        try:
            node = nodes.make(MEASURING | MODES["device"] | {"debug": "slhdsa"}).start()
            why = wait_for_device(node)
            if not args.modes and (found := re.search(r"slhdsa: vulkan:\d+: (.+) \(cpu, ", node.log())):
                why = f"{found[1]} computes on the processor; --modes device takes it all the same"
        except NodeFailed as error:
            why = next((line for line in str(error).splitlines() if line.startswith("Error: ")), str(error).splitlines()[0])
        finally:
            nodes.close(keep=False)
        if why:
            missing["device"] = why
    return [Mode(name, par, args.plain_node if name == "plain" else bitcoind) for name in wanted if name not in missing for par in args.par]


def measure(args: argparse.Namespace, bitcoind: Path, results: Results) -> None:
    """Everything, in rounds; results has what there is so far."""
    plans = dict(read_plan(name, args.blocks) for name in args.plans)
    chains = [make_chain(name, plan, args.build / "src/bench/make_chain", args.cache.resolve(), bitcoind) for name, plan in plans.items()]
    results.about["plans"] = {made.name: made.facts for made in chains}
    modes = choose_modes(args, bitcoind, results.about["missing"])
    turns = [(experiment, made, mode) for experiment in args.only for _ in range(args.rounds) for made in chains for mode in modes
             if mode.name != "plain" or experiment in OF_PLAIN]
    with progress("", len(turns)) as bar:
        for experiment, made, mode in turns:
            bar.set_postfix_str(f"{experiment}, {made.name}, {mode.name}")
            lab = Lab(made, mode)
            try:
                results.add(experiment, made.name, mode.name, mode.par, EXPERIMENTS[experiment](lab))
            finally:
                lab.close()
            bar.update()
    results.about["complete"] = True


def main() -> int:
    args = parse()
    # SIGINT, too: a shell that starts this in the background has it ignored.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.default_int_handler)
    if args.bitcoind is not None and not args.bitcoind.is_file():
        print(f"experiment.py: SKIPPED: there is no {args.bitcoind} (contrib/bitcoin-core/build.sh makes it)", file=sys.stderr)
        return SKIPPED
    try:
        if args.year:
            print(year([load(path) for path in args.year]))
            return 0
        if args.show:
            out = args.out or args.show[0].parent / "side-by-side"
            print(merge([load(path) for path in args.show]).write(out))
            print(f"-- {out}: report.html for a browser")
            return 0
        bitcoind = (args.bitcoind or build_node()).absolute()
        if not args.no_build:
            prepare.build(args.build.resolve(), ["make_chain"], ROOT / "build/bench-build.log")
        os.environ.setdefault(LIBRARY_VARIABLE, str(bitcoind.parents[1] / "prefix/lib/libslhconsensus.so"))
        out = args.out or ROOT / "build/experiments" / "+".join(Path(name).stem for name in args.plans)
        results = Results({"machine": machine.describe(), "compiler": compiler(), "commit": machine.commit(), "options": {"rounds": args.rounds},
                           "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d"), "missing": {}, "complete": False})
        try:
            measure(args, bitcoind, results)
        finally:
            if results.samples:
                print(results.write(out))
                print(f"-- {out}: report.html for a browser, results.md, results.json, plots as SVG")
    except (ExperimentError, NodeFailed, RpcError, TimeoutError) as error:
        print(f"experiment.py: {error}", file=sys.stderr)
        return SKIPPED if isinstance(error, NoSourcesError) else 1
    except KeyboardInterrupt:
        print("experiment.py: interrupted", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    if not any(flag in sys.argv for flag in ("-h", "--help")):
        prepare.enter_environment((*prepare.MODULES, "cffi", "pytest", "yaml"))
        from experiment_report import A_BLOCK, ON_DISK, SIGNATURES, Results, load, merge, year
        from framework.node import NodeFailed
        from framework.rpc import RpcError
        from report import machine
    sys.exit(main())
