#!/usr/bin/env python3
# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""An experiment on a regtest node with the module inside, in one command.

Builds the node if needed, starts it in a temporary directory, funds P2MR outputs (BIP 360; P2TSH before its version 0.11), fills a block
with spends by keys of each parameter set and another one with Schnorr spends, and reports what has room in a block, how long the mempool
takes for a spend, and how long the node takes to validate each block: every signature at once, deferred on the CPU, deferred on a Vulkan
device. The keys are for experiments (slhconsensus.testing): what they sign in no time costs a verifier what other signatures do.
"""
from __future__ import annotations

import argparse
import contextlib
import json
import os
import platform
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
NODE_DIR = ROOT / "build" / "node"
ENVIRONMENT = ROOT / "build" / "python-env"
LIBRARY_VARIABLE = "SLHCONSENSUS_LIBRARY"
IN_ENVIRONMENT = "SLHC_REGTEST_IN_ENVIRONMENT"

if TYPE_CHECKING:
    from framework.chain import Chain, Coin
    from framework.node import Node
    from slhconsensus import CTransaction, PrecomputedTransaction

MAX_BLOCK_WEIGHT = 4_000_000
RESERVED_WEIGHT = 4_000  # for the header and the coinbase
AMOUNT = 20_000
SPEND_FEE = 5_000
REPEATS = 3  # of validations after one start of the node
VULKAN_PATIENCE = 120  # seconds until a device must be ready
RELAYED = 20  # P2MR outputs of each set that are spent through the mempool, if so many are left
KEPT_COINS = 2  # P2MR outputs of each set that no block spends
KEPT_RPC_PORT = 18553
SKIPPED = 77


class ExperimentError(Exception):
    """Why the experiment can't go on, for the person who runs it."""


class NoSourcesError(ExperimentError):
    """There is nothing to build the node from."""


def step(text: str) -> None:
    print(f"-- {text}", flush=True)


@contextlib.contextmanager
def timed(text: str) -> Iterator[None]:
    """Say what is done, and how long it took."""
    start = time.monotonic()
    print(f"-- {text} ... ", end="", flush=True)
    yield
    print(f"{time.monotonic() - start:.1f} s", flush=True)


# ---- What has to be there ----


def build_node() -> Path:
    """Build the node, or bring it up to date, and show how far it is."""
    print("-- building the node (the first time takes minutes)", flush=True)
    log = NODE_DIR / "build.log"
    NODE_DIR.mkdir(parents=True, exist_ok=True)
    terminal = sys.stdout.isatty()
    shown = -1
    with open(log, "w", encoding="utf-8") as out, subprocess.Popen([str(HERE / "build.sh"), str(NODE_DIR)], stdout=subprocess.PIPE,
                                                                   stderr=subprocess.STDOUT, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            out.write(line)
            if line.startswith("== "):
                print(f"   {line[3:].strip()}", flush=True)
                shown = -1
            elif found := re.match(r"\[(\d+)/(\d+)\]", line):
                done, total = int(found[1]), int(found[2])
                tenth = done * 10 // total
                if terminal:
                    print(f"\r   {done}/{total}", end="\n" if done == total else "", flush=True)
                elif tenth != shown:
                    print(f"   {done}/{total}", flush=True)
                    shown = tenth
    if process.returncode == SKIPPED:
        raise NoSourcesError(f"SKIPPED: Bitcoin Core's sources cannot be had here; see {log}")
    if process.returncode != 0:
        raise ExperimentError(f"the build failed; see {log}")
    return NODE_DIR / "bin" / "bitcoind"


def enter_environment() -> None:
    """Run again where the Python packages are that the experiment needs."""
    if os.environ.get(IN_ENVIRONMENT) is None:
        command = [str(ROOT / "contrib/python/with-env.sh"), str(ENVIRONMENT), sys.executable, "python3", *sys.argv]
        os.execve(command[0], command, os.environ | {IN_ENVIRONMENT: "1"})
    library = NODE_DIR / "prefix" / "lib" / "libslhconsensus.so"
    chosen = os.environ.setdefault(LIBRARY_VARIABLE, str(library))
    if not Path(chosen).is_file():
        raise ExperimentError(f"there is no {chosen}: build the node without --bitcoind, or let {LIBRARY_VARIABLE} name the library")
    sys.path[:0] = [str(ROOT / "contrib" / "python" / "src"), str(ROOT / "test" / "functional" / "node")]


# ---- Coins and blocks ----


@dataclass
class Kind:
    """Outputs of one kind, each with a key of its own, and what becomes of them."""

    name: str
    script: Callable[[int], bytes]  #: scriptPubKey, by number
    witness: Callable[[int, PrecomputedTransaction], list[bytes]]
    coins: list[Coin] = field(default_factory=list)
    spends: list[CTransaction] = field(default_factory=list)  #: those of the block
    signature: int = 0  #: bytes
    block_bytes: int = 0
    accepted_ms: list[float] = field(default_factory=list)


def kinds() -> list[Kind]:
    """P2MR outputs with a key of each set in one of two leaves, and P2TR outputs that are spent by the key path."""
    from framework.schnorr import SchnorrKey
    from framework.spends import SETS, key_of_set
    from slhconsensus import KEY_VERSION_BIP340

    def of_set(name: str) -> Kind:
        return Kind(name, lambda n: key_of_set(name, n).script_pubkey, lambda n, tx: key_of_set(name, n).witness(tx, 0))

    schnorr = Kind("Schnorr", lambda n: b"\x51\x20" + SchnorrKey(n + 1).public,
                   lambda n, tx: [SchnorrKey(n + 1).sign(tx.signature_hash(0, key_version=KEY_VERSION_BIP340))])
    return [*map(of_set, SETS), schnorr]


def fund(chain: Chain, kind: Kind, n: int) -> None:
    """Pay to n keys of a kind, through the mempool, in transactions that are relayed."""
    from framework.chain import coins_of
    from slhconsensus import CTxOut

    per_transaction = 1000
    for begin in range(0, n, per_transaction):
        scripts = [kind.script(i) for i in range(begin, min(begin + per_transaction, n))]
        tx = chain.pay([CTxOut(AMOUNT, bytes(script)) for script in scripts])
        chain.accept(tx)
        kind.coins += coins_of(tx)[:len(scripts)]
    chain.mine([chain_tx for chain_tx in mempool(chain)])


def mempool(chain: Chain) -> list[CTransaction]:
    """The transactions of the mempool; the funding transactions do not depend on each other."""
    from slhconsensus import CTransaction

    return [CTransaction.from_hex(chain.node.rpc.getrawtransaction(txid)) for txid in chain.node.rpc.getrawmempool()]


def spend_one(kind: Kind, n: int) -> CTransaction:
    """A signed transaction that spends one coin to one output."""
    from framework.chain import SINK, spend
    from slhconsensus import CTxOut, PrecomputedTransaction

    coin = kind.coins[n]
    tx = spend([coin], [CTxOut(coin.amount - SPEND_FEE, SINK)])
    tx.witness(0)[:] = kind.witness(n, PrecomputedTransaction(tx, [coin.output]))
    return tx


def fill_block(chain: Chain, kind: Kind, most: int) -> None:
    """Mine as many spends as a block has room for."""
    room = MAX_BLOCK_WEIGHT - RESERVED_WEIGHT
    for n in range(most):
        tx = spend_one(kind, n)
        room -= tx.get_weight()
        if room < 0:
            break
        kind.spends.append(tx)
    kind.signature = len(kind.spends[0].witness(0)[0])
    kind.block_bytes = len(chain.mine(kind.spends).serialize())


def relay(chain: Chain, kind: Kind) -> None:
    """Good spends enter the mempool, a bad one doesn't."""
    first = len(kind.spends)
    last = max(first + 1, min(first + RELAYED, len(kind.coins) - KEPT_COINS))
    for n in range(first, last):
        tx = spend_one(kind, n)
        stack = tx.witness(0)
        signature = stack[0]
        if n == first:
            stack[0] = signature[:-1] + bytes([signature[-1] ^ 1])
            reason = chain.mempool_reason(tx)
            if reason is None or "signature" not in reason:
                raise ExperimentError(f"a tampered signature: the mempool says {reason}")
            stack[0] = signature
        begin = time.perf_counter()
        chain.accept(tx)
        kind.accepted_ms.append(1000 * (time.perf_counter() - begin))


# ---- Measuring ----


@dataclass
class Mode:
    """How a node verifies, and how long it took for each block."""

    name: str
    options: dict[str, str | int]
    skipped: str = ""
    backends: str = ""
    threads: int = 0  #: of the node, which may use fewer than -par asks for
    milliseconds: dict[str, list[float]] = field(default_factory=dict)  #: by kind


def wait_for_device(node: Node) -> str:
    """Wait until the device takes work, or all of them do. Returns why one never will, or nothing."""
    deadline = time.monotonic() + VULKAN_PATIENCE
    while time.monotonic() < deadline:
        devices = [backend for backend in node.rpc.getslhdsainfo()["backends"] if backend["device"]]
        if not devices:
            return "no device"
        for device in devices:
            if device["retired"]:
                return f"{device['name']} cannot be used"
        if all(device["ready"] for device in devices):
            return ""
        time.sleep(0.1)
    return "the device was not ready in time"


def validate(node: Node, blocks: Sequence[Kind]) -> dict[str, float]:
    """Let the node validate these blocks again, which are the last ones in this order; milliseconds from its own benchmark log."""
    begin = node.log_size()
    if not node.rpc.verifychain(4, len(blocks)):
        raise ExperimentError("the node finds its own chain invalid")
    found = re.findall(r"- Verify (\d+) txins: ([\d.]+)ms", node.log(begin))
    if [int(inputs) for inputs, _ in found] != [len(kind.spends) for kind in blocks]:
        raise ExperimentError(f"the node validated other blocks: {found}")
    return {kind.name: float(taken) for kind, (_, taken) in zip(blocks, found)}


def measure(node: Node, modes: Sequence[Mode], blocks: Sequence[Kind], rounds: int) -> None:
    """Start the node in every mode, in turns, and let it validate the blocks, which are at the tip. No cache is of help."""
    from framework.node import NodeFailed

    for number in range(rounds):
        for mode in modes:
            if mode.skipped:
                continue
            try:
                node.restart({"maxsigcachesize": 0, "debug": ["bench", "slhdsa"], "checkblocks": 1, "persistmempool": 0} | mode.options)
            except NodeFailed as error:
                mode.skipped = next((line for line in str(error).splitlines() if line.startswith("Error: ")), str(error).splitlines()[0])
                node.start()
                continue
            if "vulkan" in str(mode.options.get("slhdsabackend", "")):
                mode.skipped = wait_for_device(node)
                if mode.skipped:
                    continue
            for repeat in range(REPEATS):
                for name, taken in validate(node, blocks).items():
                    mode.milliseconds.setdefault(name, []).append(taken)
            info = node.rpc.getslhdsainfo()
            mode.threads = info["threads"]
            mode.backends = ", ".join(backend["name"] for backend in info["backends"] if backend["signatures"])
            if info["faults"]:
                raise ExperimentError(f"{mode.name}: the device was at fault: {info}")
        print(f"   round {number + 1} of {rounds}", flush=True)


def compiler() -> str:
    """What the node was built with, if it is known."""
    with contextlib.suppress(OSError, subprocess.SubprocessError):
        found = re.search(r"^CMAKE_CXX_COMPILER:\w+=(.+)$", (NODE_DIR / "core" / "CMakeCache.txt").read_text(encoding="utf-8"), re.MULTILINE)
        if found:
            return subprocess.run([found[1], "--version"], capture_output=True, text=True, check=True).stdout.splitlines()[0]
    return "unknown compiler"


def machine() -> str:
    """Where the figures come from: processor, cores, compiler."""
    model = platform.processor() or platform.machine()
    with contextlib.suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                model = line.partition(":")[2].strip()
                break
    return f"{model}, {os.cpu_count()} cores, {compiler()}"


def report(modes: Sequence[Mode], blocks: Sequence[Kind]) -> None:
    """The table that this is all about."""
    samples = max((len(taken) for mode in modes for taken in mode.milliseconds.values()), default=0)
    print(f"\nBlocks of spends by one key each, with one output: bytes of a signature, virtual bytes of a spend, spends and bytes of a block; "
          f"median\nms until the mempool has a spend; ms to validate the block, scripts and signatures, without any cache: median (least) of {samples}.")
    print(machine() + "\n")
    used = [mode for mode in modes if not mode.skipped]
    print(f"{'':<9}{'signature':>10}{'vbytes':>8}{'spends':>8}{'block':>11}{'mempool':>9}" + "".join(f"{mode.name:>22}" for mode in used))
    for kind in blocks:
        row = f"{kind.name:<9}{kind.signature:>10,}{kind.spends[0].get_vsize():>8,}{len(kind.spends):>8,}{kind.block_bytes:>11,}{statistics.median(kind.accepted_ms):>9.2f}"
        for mode in used:
            taken = mode.milliseconds[kind.name]
            row += f"{f'{statistics.median(taken):.1f} ({min(taken):.1f})':>22}"
        print(row)
    print()
    for mode in modes:
        print(f"{mode.name}: " + (f"skipped: {mode.skipped}" if mode.skipped else f"{mode.threads} threads, SLH-DSA by {mode.backends}"))


# ---- The command ----


def keep_running(node: Node, bitcoind: Path, coins: Sequence[Coin]) -> None:
    """Leave a node running on what was built, and say what can be done with it."""
    from framework.node import ALWAYS, deployments

    node.stop()
    options = [f"-datadir={node.folder}", "-regtest", f"-rpcport={KEPT_RPC_PORT}"]
    vbparams = [f"-vbparams={deployment}" for deployment in deployments(slhdsasets=ALWAYS)["vbparams"]]
    if subprocess.run([str(bitcoind), *options, *vbparams, "-listen=0", "-daemonwait"], check=False, stdout=subprocess.DEVNULL).returncode != 0:
        raise ExperimentError(f"the node did not start again, with RPC port {KEPT_RPC_PORT}")
    # As fast as it gets, and never one of a sanitizer.
    tools = [tool for preset in ("release", "dev") if (tool := ROOT / "build" / preset / "src" / "tool" / "slhtool").is_file()]
    tool = str(tools[0]) if tools else "slhtool  # cmake --preset release && cmake --build build/release --target slhtool"
    outpoint = coins[0].outpoint
    print(f"""
The node runs on, with P2MR coins unspent. Look at it:

  cd {node.folder.parent}
  alias cli="{bitcoind.parent / "bitcoin-cli"} {" ".join(options)}"
  cli getslhdsainfo
  cli getdeploymentinfo
  cli gettxout {outpoint.hash[::-1].hex()} {outpoint.n}

Coins of your own, mined to a P2MR address, and one of them spent:

  alias slhtool={tool}
  slhtool keygen alice.key --public alice.pub
  slhtool address --key @alice.pub OP_RETURN --json > alice.tree
  ADDRESS=$(grep -o 'bcrt1z[a-z0-9]*' alice.tree)
  HEIGHT=$(($(cli getblockcount) + 1)); cli generatetoaddress 101 $ADDRESS
  COIN=$(cli getblock $(cli getblockhash $HEIGHT) | grep -A1 '"tx"' | grep -o '[0-9a-f]\\{{64\\}}')
  AMOUNT=$(cli gettxout $COIN 0 | sed -n 's/.*"value": \\([0-9]*\\)\\.\\([0-9]*\\),/\\1\\2/p')
  slhtool spend --outpoint $COIN:0 --amount $AMOUNT --tree @alice.tree --key alice.key --to $ADDRESS --fee 5000 --out spend.json
  cli sendrawtransaction $(sed -n 's/.*"tx": "\\([0-9a-f]*\\)".*/\\1/p' spend.json)
  cli generatetoaddress 1 $ADDRESS

The end:

  cli stop; rm -r {node.folder.parent}
""")


def run(args: argparse.Namespace, bitcoind: Path, folder: Path) -> None:
    from framework.chain import Chain
    from framework.node import ALWAYS, MEASURING, Node, NodeFailed, deployments

    node = Node(bitcoind, folder / "node", MEASURING | deployments(slhdsasets=ALWAYS) | {"par": args.threads, "blockmaxweight": MAX_BLOCK_WEIGHT})
    try:
        node.start()
        chain = Chain(node)
        with timed("mining a chain with coins"):
            chain.start()
        blocks = kinds()
        for kind in blocks:
            outputs = args.schnorr if kind.name == "Schnorr" else args.outputs
            with timed(f"funding {outputs} outputs, {kind.name}"):
                fund(chain, kind, outputs)
        for kind in blocks:
            with timed(f"signing and mining a block of spends, {kind.name}"):
                fill_block(chain, kind, len(kind.coins) - KEPT_COINS)
        with timed("relay: spends through the mempool, and some that are tampered with"):
            for kind in blocks:
                relay(chain, kind)

        modes = [Mode("each at once", {"slhdsadefer": 0, "slhdsabackend": "cpu"}),
                 Mode("deferred, CPU", {"slhdsabackend": "cpu"}),
                 Mode("deferred, Vulkan", {"slhdsabackend": args.device})]
        step("validating the blocks in every mode")
        measure(node, modes, blocks, args.rounds)
        report(modes, blocks)
        if args.json is not None:
            save(args.json, modes, blocks)
        if args.keep:
            keep_running(node, bitcoind, blocks[0].coins[-1:])
    except NodeFailed as error:
        raise ExperimentError(str(error)) from error
    finally:
        node.kill()


def save(path: Path, modes: Sequence[Mode], blocks: Sequence[Kind]) -> None:
    """Every sample of the report, for programs. Schnorr signatures know one mode."""
    measured = [{"name": f"{kind.name}, {mode.name}", "signatures": len(kind.spends), "threads": mode.threads, "verified_by": mode.backends,
                 "ms": mode.milliseconds[kind.name]} for kind in blocks[:-1] for mode in modes if not mode.skipped]
    measured.append({"name": "Schnorr", "signatures": len(blocks[-1].spends), "threads": modes[0].threads, "verified_by": "Core's libsecp256k1",
                     "ms": modes[0].milliseconds["Schnorr"]})
    path.write_text(json.dumps({"machine": machine(), "blocks": measured}, indent=1) + "\n", encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--keep", action="store_true", help="leave the node running, and print how to continue")
    parser.add_argument("--outputs", type=int, default=1000, help="P2MR outputs of each set to fund (default: %(default)s, more than a block has room for)")
    parser.add_argument("--schnorr", type=int, default=10_000, help="P2TR outputs to fund (default: %(default)s, more than a block has room for)")
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1, help="script check threads, -par, of which Bitcoin Core uses at most 16 (default: %(default)s)")
    parser.add_argument("--rounds", type=int, default=3, help="how many times the node starts in each mode; each start gives %d measurements (default: %%(default)s)" % REPEATS)
    parser.add_argument("--device", default="vulkan", metavar="BACKEND", help="of the third mode: vulkan, vulkan:<index>, vulkan:<part of a name> or vulkan:all (default: %(default)s)")
    parser.add_argument("--bitcoind", type=Path, help="a node that is built already (default: build it)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every sample to this file, too")
    args = parser.parse_args()
    if args.outputs <= KEPT_COINS or args.schnorr <= KEPT_COINS or args.threads < 1 or args.rounds < 1:
        parser.error(f"--outputs, --schnorr: at least {KEPT_COINS + 1}; the other numbers: at least 1")
    if args.bitcoind is not None and not args.bitcoind.is_file():
        print(f"regtest.py: SKIPPED: there is no {args.bitcoind} (contrib/bitcoin-core/build.sh makes it)", file=sys.stderr)
        return SKIPPED
    # Whatever ends it, the folder with the chain is removed. What nohup ignores stays ignored.
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, signal.default_int_handler)
    folder = None
    keep = False
    try:
        if os.environ.get(IN_ENVIRONMENT) is None and args.bitcoind is None:
            build_node()
        enter_environment()
        folder = Path(tempfile.mkdtemp(prefix="slhconsensus-regtest-"))
        run(args, args.bitcoind or NODE_DIR / "bin" / "bitcoind", folder)
        keep = args.keep
    except ExperimentError as error:
        print(f"regtest.py: {error}", file=sys.stderr)
        return SKIPPED if isinstance(error, NoSourcesError) else 1
    except KeyboardInterrupt:
        print("\nregtest.py: interrupted", file=sys.stderr)
        return 130
    finally:
        if folder is not None and not keep:
            shutil.rmtree(folder, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
