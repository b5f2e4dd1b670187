#!/usr/bin/env python3
# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""An experiment on a regtest node with the module inside, in one command.

Builds the node if needed, starts it in a temporary directory, funds P2MR outputs (BIP 360; P2TSH before its version 0.11), fills a block
with SLH-DSA spends of them and another one with Schnorr spends, and reports how long the node takes to validate each: every signature
at once, deferred on the CPU, deferred on a Vulkan device.
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
from collections.abc import Iterator, Sequence
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
    from slhconsensus import CTransaction, SecretKey

MAX_BLOCK_WEIGHT = 4_000_000
RESERVED_WEIGHT = 4_000  # for the header and the coinbase
AMOUNT = 20_000
SPEND_FEE = 5_000
REPEATS = 3  # of validations after one start of the node
VULKAN_PATIENCE = 120  # seconds until a device must be ready
KEPT_COINS = 2  # P2MR outputs that no block spends
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


@dataclass(frozen=True)
class SpentBy:
    """A kind of output: how it is locked, and what its witness is."""

    name: str
    keys: Sequence[object]
    script: object  # (key) -> bytes
    witness: object  # (PrecomputedTransaction, key) -> list[bytes]


def slhdsa_kind(n: int) -> SpentBy:
    """P2MR outputs, each with a key of its own in one of two leaves."""
    from slhconsensus import (OP_CHECKSIGSLHDSA, OP_RETURN, CScript, ScriptTree, SecretKey, p2mr_script_pubkey, sign_input)

    def tree(key: SecretKey) -> ScriptTree:
        return ScriptTree([CScript([bytes(key.public_key), OP_CHECKSIGSLHDSA]), CScript([OP_RETURN])])

    def witness(tx: object, key: SecretKey) -> list[bytes]:
        leaf = tree(key).leaves[0]
        return leaf.witness([sign_input(tx, 0, leaf, key, deterministic=True)])

    keys = [SecretKey.from_seed(i.to_bytes(4, "big") * 12) for i in range(n)]
    return SpentBy("SLH-DSA", keys, lambda key: p2mr_script_pubkey(tree(key).root), witness)


def schnorr_kind(n: int) -> SpentBy:
    """P2TR outputs, each with a key of its own, spent by the key path."""
    from framework.schnorr import SchnorrKey
    from slhconsensus import KEY_VERSION_BIP340

    def witness(tx: object, key: SchnorrKey) -> list[bytes]:
        return [key.sign(tx.signature_hash(0, key_version=KEY_VERSION_BIP340))]

    keys = [SchnorrKey(i + 1) for i in range(n)]
    return SpentBy("Schnorr", keys, lambda key: b"\x51\x20" + key.public, witness)


def fund(chain: Chain, kind: SpentBy) -> list[Coin]:
    """Pay to every key of a kind, through the mempool, in transactions that are relayed."""
    from framework.chain import coins_of
    from slhconsensus import CTxOut

    coins: list[Coin] = []
    per_transaction = 1000
    for begin in range(0, len(kind.keys), per_transaction):
        scripts = [kind.script(key) for key in kind.keys[begin:begin + per_transaction]]
        tx = chain.pay([CTxOut(AMOUNT, bytes(script)) for script in scripts])
        chain.accept(tx)
        coins += coins_of(tx)[:len(scripts)]
    chain.mine([chain_tx for chain_tx in mempool(chain)])
    return coins


def mempool(chain: Chain) -> list[CTransaction]:
    """The transactions of the mempool; the funding transactions do not depend on each other."""
    from slhconsensus import CTransaction

    return [CTransaction.from_hex(chain.node.rpc.getrawtransaction(txid)) for txid in chain.node.rpc.getrawmempool()]


def spend_one(coin: Coin, kind: SpentBy, key: object) -> CTransaction:
    """A signed transaction that spends one coin to one output."""
    from framework.chain import SINK, spend
    from slhconsensus import CTxOut, PrecomputedTransaction

    tx = spend([coin], [CTxOut(coin.amount - SPEND_FEE, SINK)])
    tx.witness(0)[:] = kind.witness(PrecomputedTransaction(tx, [coin.output]), key)
    return tx


def fill_block(coins: Sequence[Coin], kind: SpentBy) -> list[CTransaction]:
    """As many spends as a block has room for."""
    room = MAX_BLOCK_WEIGHT - RESERVED_WEIGHT
    spends = []
    for coin, key in zip(coins, kind.keys):
        tx = spend_one(coin, kind, key)
        weight = 3 * len(tx.serialize_without_witness()) + len(tx.serialize())
        if weight > room:
            break
        room -= weight
        spends.append(tx)
    return spends


# ---- Measuring ----


@dataclass
class Mode:
    """How a node verifies, and how long it took for each block."""

    name: str
    options: dict[str, str | int]
    skipped: str = ""
    backends: str = ""
    threads: int = 0  #: of the node, which may use fewer than -par asks for
    milliseconds: dict[int, list[float]] = field(default_factory=dict)  #: by height


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


def validate(node: Node, depth: int) -> dict[int, float]:
    """Let the node validate its latest blocks again; milliseconds from its own benchmark log, by number of inputs."""
    begin = node.log_size()
    if not node.rpc.verifychain(4, depth):
        raise ExperimentError("the node finds its own chain invalid")
    return {int(found[1]): float(found[2]) for found in re.finditer(r"- Verify (\d+) txins: ([\d.]+)ms", node.log(begin))}


def measure(node: Node, modes: Sequence[Mode], inputs: Sequence[int], rounds: int) -> None:
    """Start the node in every mode, in turns, and let it validate the blocks, which are at the tip. No cache is of help."""
    from framework.node import NodeFailed

    for number in range(rounds):
        for mode in modes:
            if mode.skipped:
                continue
            try:
                node.restart({"maxsigcachesize": 0, "debug": ["bench", "slhdsa"], "checkblocks": 1, "persistmempool": 0, **mode.options})
            except NodeFailed as error:
                mode.skipped = next((line for line in str(error).splitlines() if "slhdsa:" in line), str(error).splitlines()[0])
                node.start()
                continue
            if "vulkan" in str(mode.options.get("slhdsabackend", "")):
                mode.skipped = wait_for_device(node)
                if mode.skipped:
                    continue
            for repeat in range(REPEATS):
                taken = validate(node, len(inputs))
                for n in inputs:
                    mode.milliseconds.setdefault(n, []).append(taken[n])
            info = node.rpc.getslhdsainfo()
            mode.threads = info["threads"]
            mode.backends = ", ".join(backend["name"] for backend in info["backends"] if backend["signatures"])
            if info["faults"]:
                raise ExperimentError(f"{mode.name}: the device was at fault: {info}")
        print(f"   round {number + 1} of {rounds}", flush=True)


def machine() -> str:
    """Where the figures come from: processor, cores, compiler."""
    model = platform.processor() or platform.machine()
    with contextlib.suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                model = line.partition(":")[2].strip()
                break
    compiler = ""
    with contextlib.suppress(OSError, subprocess.SubprocessError):
        found = re.search(r"^CMAKE_CXX_COMPILER:\w+=(.+)$", (NODE_DIR / "core" / "CMakeCache.txt").read_text(encoding="utf-8"), re.MULTILINE)
        if found:
            version = subprocess.run([found[1], "--version"], capture_output=True, text=True, check=True).stdout
            compiler = ", " + version.splitlines()[0]
    return f"{model}, {os.cpu_count()} cores{compiler}"


def report(modes: Sequence[Mode], slhdsa: int, schnorr: int) -> None:
    """The table that this is all about."""
    samples = max((len(taken) for mode in modes for taken in mode.milliseconds.values()), default=0)
    print(f"\nValidation of a block, scripts and signatures: median and least of {samples} times, without any cache\n{machine()}\n")
    print(f"{'':<28}{'signatures':>11}{'median ms':>11}{'least ms':>10}{'us each':>9}{'threads':>9}  verified by")

    def row(name: str, n: int, mode: Mode, by: str) -> None:
        if mode.skipped:
            print(f"{name:<28}  skipped: {mode.skipped}")
            return
        taken = mode.milliseconds[n]
        median = statistics.median(taken)
        print(f"{name:<28}{n:>11}{median:>11.1f}{min(taken):>10.1f}{1000 * median / n:>9.1f}{mode.threads:>9}  {by}")

    for mode in modes:
        row(f"SLH-DSA, {mode.name}", slhdsa, mode, mode.backends)
    row("Schnorr", schnorr, modes[0], "libsecp256k1, check queue")


# ---- The command ----


def keep_running(node: Node, bitcoind: Path, coins: Sequence[Coin]) -> None:
    """Leave a node running on what was built, and say what can be done with it."""
    node.stop()
    options = [f"-datadir={node.folder}", "-regtest", f"-rpcport={KEPT_RPC_PORT}"]
    if subprocess.run([str(bitcoind), *options, "-listen=0", "-daemonwait"], check=False, stdout=subprocess.DEVNULL).returncode != 0:
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
    from framework.node import MEASURING, Node, NodeFailed

    node = Node(bitcoind, folder / "node", MEASURING | {"par": args.threads, "blockmaxweight": MAX_BLOCK_WEIGHT})
    try:
        node.start()
        chain = Chain(node)
        with timed("mining a chain with coins"):
            chain.start()
        with timed(f"making {args.outputs} keys and funding as many P2MR outputs"):
            slhdsa = slhdsa_kind(args.outputs)
            p2mr_coins = fund(chain, slhdsa)
        with timed(f"funding {args.schnorr} P2TR outputs"):
            schnorr = schnorr_kind(args.schnorr)
            p2tr_coins = fund(chain, schnorr)
        with timed("signing a block of Schnorr spends"):
            schnorr_spends = fill_block(p2tr_coins, schnorr)
        with timed("signing a block of SLH-DSA spends"):
            slhdsa_spends = fill_block(p2mr_coins[:-KEPT_COINS], slhdsa)
        unspent = p2mr_coins[len(slhdsa_spends):]
        if len(schnorr_spends) == len(slhdsa_spends):
            schnorr_spends.pop()  # the node's log tells the blocks apart by their inputs
        chain.mine(schnorr_spends)
        chain.mine(slhdsa_spends)
        print(f"   {len(slhdsa_spends)} SLH-DSA and {len(schnorr_spends)} Schnorr spends fill their blocks")

        with timed("relay: one SLH-DSA spend through the mempool, one that is tampered with"):
            relay(chain, slhdsa, unspent, len(slhdsa_spends))

        modes = [Mode("each at once", {"slhdsadefer": 0, "slhdsabackend": "cpu"}),
                 Mode("deferred, CPU", {"slhdsabackend": "cpu"}),
                 Mode("deferred, Vulkan", {"slhdsabackend": args.device})]
        step("validating both blocks in every mode")
        measure(node, modes, [len(slhdsa_spends), len(schnorr_spends)], args.rounds)
        report(modes, len(slhdsa_spends), len(schnorr_spends))
        if args.json is not None:
            save(args.json, modes, len(slhdsa_spends), len(schnorr_spends))
        if args.keep:
            keep_running(node, bitcoind, unspent[1:])
    except NodeFailed as error:
        raise ExperimentError(str(error)) from error
    finally:
        node.kill()


def save(path: Path, modes: Sequence[Mode], slhdsa: int, schnorr: int) -> None:
    """Every sample of the report, for programs."""
    measured = [(f"SLH-DSA, {mode.name}", slhdsa, mode, mode.backends) for mode in modes] + [("Schnorr", schnorr, modes[0], "libsecp256k1")]
    blocks = [{"name": name, "signatures": n, "threads": mode.threads, "verified_by": by, "ms": mode.milliseconds[n]}
              for name, n, mode, by in measured if not mode.skipped]
    path.write_text(json.dumps({"machine": machine(), "blocks": blocks}, indent=1) + "\n", encoding="utf-8")


def relay(chain: Chain, kind: SpentBy, unspent: Sequence[Coin], first: int) -> None:
    """A good spend enters the mempool, a bad one doesn't."""
    tx = spend_one(unspent[0], kind, kind.keys[first])
    stack = tx.witness(0)
    signature = stack[0]
    stack[0] = signature[:-1] + bytes([signature[-1] ^ 1])
    reason = chain.mempool_reason(tx)
    if reason is None or "SLH-DSA signature" not in reason:
        raise ExperimentError(f"a tampered signature: the mempool says {reason}")
    stack[0] = signature
    chain.accept(tx)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--keep", action="store_true", help="leave the node running, and print how to continue")
    parser.add_argument("--outputs", type=int, default=1000, help="P2MR outputs to fund (default: %(default)s)")
    parser.add_argument("--schnorr", type=int, default=10_000, help="P2TR outputs to fund (default: %(default)s, more than a block has room for)")
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1, help="script check threads, -par, of which Bitcoin Core uses at most 16 (default: %(default)s)")
    parser.add_argument("--rounds", type=int, default=3, help="how many times the node starts in each mode; each start gives %d measurements (default: %%(default)s)" % REPEATS)
    parser.add_argument("--device", default="vulkan", metavar="BACKEND", help="of the third mode: vulkan, vulkan:<index>, vulkan:<part of a name> or vulkan:all (default: %(default)s)")
    parser.add_argument("--bitcoind", type=Path, help="a node that is built already (default: build it)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every sample to this file, too")
    args = parser.parse_args()
    if args.outputs <= KEPT_COINS or args.schnorr < 2 or args.threads < 1 or args.rounds < 1:
        parser.error(f"--outputs: at least {KEPT_COINS + 1}; --schnorr: at least 2; the other numbers: at least 1")
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
