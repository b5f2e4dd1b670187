#!/usr/bin/env python3
# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""A signet with the rules, which others can join: two nodes, Core's own signet miner, a faucet, and a page of what happens on it.

    contrib/network/signet.py ~/slh-signet --host signet.example.org     makes it the first time (minutes), and runs it until Ctrl-C
    contrib/network/signet.py --join ~/slh-signet/JOIN.md                tries what JOIN.md says with a node in an empty folder

The folder holds all of it: signet.json (the challenge and the SECRET KEY that signs blocks), node0 and node1 (bitcoin-cli -datadir takes
them), miner.log, JOIN.md. The node is what contrib/bitcoin-core/build.sh makes.

Blocks are ten minutes apart in their dates: a signet retargets, and blocks that come faster make the next ones four times as hard every
two weeks. A few hours of dates are kept in reserve, so that a block comes at once where the mempool has something for it.
"""
from __future__ import annotations

import argparse
import base64
import collections
import ctypes
import hashlib
import json
import os
import re
import secrets
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from functools import lru_cache
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / folder) for folder in ("contrib/bench", "test/functional/node")]
from framework.rpc import Rpc, RpcError, RpcUnavailable  # noqa: E402
from report.page import document, table  # noqa: E402
from report.tables import Table  # noqa: E402

INTERVAL = 601  # seconds from one block to the next: 2,015 of these are the 2,016 x 600 that retargeting counts
RESERVE = 36  # blocks whose dates have passed already
FIRST = 101  # blocks until there is a coin to spend
RULES = [f"{name}:-1:9223372036854775807" for name in ("p2mr", "slhdsa", "slhdsasets")]
SHOWN_BLOCKS, SHOWN_SPENDS = 12, 20
PR_SET_PDEATHSIG = 1
PATIENCE = 120  # seconds for a node to start or to end


class SignetError(Exception):
    """Why it does not go on, in one line."""


def end_with_parent() -> None:
    """As if told to stop: what a node has is written."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


class Node:
    """bitcoind in a folder with its bitcoin.conf."""

    def __init__(self, binaries: Path, folder: Path, port: int, lines: list[str]):
        self.binaries, self.folder, self.port = binaries, folder, port
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "bitcoin.conf").write_text("\n".join([*lines, f"rpcport={port}"]) + "\n", encoding="utf-8")
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def rpc(self) -> Rpc:
        """A connection: a node ends one that is idle for half a minute."""
        return Rpc(self.port, self.folder / "signet/.cookie")

    def start(self) -> Node:
        with open(self.folder / "stderr.txt", "wb") as stderr:
            self._process = subprocess.Popen([str(self.binaries / "bitcoind"), f"-datadir={self.folder}"], stdin=subprocess.DEVNULL,
                                             stdout=subprocess.DEVNULL, stderr=stderr, start_new_session=True, preexec_fn=end_with_parent)
        for _ in range(PATIENCE * 10):
            if self._process.poll() is not None:
                said = (self.folder / "stderr.txt").read_text(errors="replace").strip().splitlines()
                raise SignetError(f"{self.folder.name} did not start: {said[-1] if said else self._process.returncode}")
            try:
                self.rpc.getblockcount()
                return self
            except (RpcError, RpcUnavailable):
                time.sleep(0.1)
        raise SignetError(f"{self.folder.name} did not answer in {PATIENCE} s")

    def stop(self) -> None:
        if self._process is not None and self._process.poll() is None:
            self._process.terminate()
            self._process.wait()


def configuration(challenge: str, *lines: str) -> list[str]:
    """What every node of this signet has in its bitcoin.conf."""
    return ["signet=1", "[signet]", f"signetchallenge={challenge}", *(f"vbparams={rule}" for rule in RULES), *lines]


def wif(key: bytes) -> str:
    """A secret key as wallets of test networks take it."""
    data = b"\xef" + key + b"\x01"
    data += hashlib.sha256(hashlib.sha256(data).digest()).digest()[:4]
    number, text = int.from_bytes(data, "big"), ""
    while number:
        number, digit = divmod(number, 58)
        text = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"[digit] + text
    return text


class Signet:
    """All of it, in a folder."""

    def __init__(self, args: argparse.Namespace):
        self.args = args
        self.folder: Path = args.folder
        self.folder.mkdir(parents=True, exist_ok=True)
        self.binaries = args.node / "bin"
        self.state: dict[str, Any] = self._state()
        challenge, (p2p, rpc) = self._challenge(), args.ports
        mine = ["listenonion=0", "discover=0", "dnsseed=0", "fixedseeds=0", "fallbackfee=0.00001"]
        more = [["txindex=1", f"bind=0.0.0.0:{p2p}"], [f"bind=127.0.0.1:{p2p + 1}", f"addnode=127.0.0.1:{p2p}"]]
        self.nodes = [Node(self.binaries, self.folder / f"node{n}", rpc + n, configuration(challenge, *mine, *more[n])) for n in range(2)]
        self.lock = threading.Lock()
        self.paid: dict[str, float] = {}  # when the faucet paid whom
        self.blocks: collections.deque[dict[str, Any]] = collections.deque(maxlen=SHOWN_BLOCKS)
        self.spends: collections.deque[tuple[str, str, int, int]] = collections.deque(maxlen=SHOWN_SPENDS)
        self.scanned = (-1, "")

    # ---- Making it ----

    def _state(self) -> dict[str, Any]:
        path = self.folder / "signet.json"
        if not path.exists():
            state = {"key": wif(secrets.token_bytes(32)), "start": int(time.time()) - (FIRST + RESERVE) * INTERVAL}
            path.touch(mode=0o600)
            path.write_text(json.dumps(state) + "\n", encoding="utf-8")
        try:
            state = json.loads(path.read_text(encoding="utf-8"))
            return {"key": str(state["key"]), "start": int(state["start"]), "challenge": state.get("challenge")}
        except (ValueError, KeyError, TypeError) as error:
            raise SignetError(f"{path}: not as this program wrote it ({error!r})") from None

    def _challenge(self) -> str:
        """The script that blocks must satisfy: by the key, as a P2WPKH output. A node that is of no network yet says it."""
        if not self.state["challenge"]:
            with tempfile.TemporaryDirectory() as folder:
                lines = ["signet=1", "[signet]", "signetchallenge=51", "listen=0", "dnsseed=0"]
                node = Node(self.binaries, Path(folder) / "node", self.args.ports[1], lines)
                try:
                    node.start()
                    (address,) = node.rpc.deriveaddresses(node.rpc.getdescriptorinfo(f"wpkh({self.state['key']})")["descriptor"])
                    self.state["challenge"] = node.rpc.validateaddress(address)["scriptPubKey"]
                finally:
                    node.stop()
            (self.folder / "signet.json").write_text(json.dumps(self.state) + "\n", encoding="utf-8")
        return str(self.state["challenge"])

    def start(self) -> None:
        for node in self.nodes:
            node.start()
        node = self.nodes[0]
        rpc = node.rpc
        if "miner" not in rpc.listwallets():
            rpc.createwallet("miner", load_on_startup=True)
            descriptor = f"wpkh({self.state['key']})"
            (result,) = rpc.importdescriptors([{"desc": f"{descriptor}#{rpc.getdescriptorinfo(descriptor)['checksum']}", "timestamp": 0}])
            if not result["success"]:
                raise SignetError(f"signet.json: key: {result['error']['message']}")
        (self.address,) = rpc.deriveaddresses(rpc.getdescriptorinfo(f"wpkh({self.state['key']})")["descriptor"])
        while (height := node.rpc.getblockcount()) < FIRST:
            print(f"-- mining {FIRST - height} blocks, so that there are coins (four seconds of a processor each)", flush=True)
            self.mine("--set-block-time", str(self.state["start"])) if height == 0 else self.mine("--max-blocks", str(FIRST - height))
        self.join_page()
        self.scan()

    def mine(self, *how: str) -> None:
        """By Core's own miner."""
        cli = shlex.join([str(self.binaries / "bitcoin-cli"), f"-datadir={self.nodes[0].folder}", "-rpcwallet=miner"])
        miner = [sys.executable, "-B", str(self.args.node / "src/contrib/signet/miner"), "--cli", cli]
        grind = self.args.grind_cmd or shlex.join([str(self.binaries / "bitcoin-util"), "grind"])
        command = [*miner, "generate", "--min-nbits", "--address", self.address, "--grind-cmd", grind, *how]
        with open(self.folder / "miner.log", "a", encoding="utf-8") as log:
            result = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, preexec_fn=end_with_parent, check=False)
            if result.returncode:
                raise SignetError(f"the miner failed: {log.name}")

    def mine_when_due(self) -> None:
        """A block if ten minutes went by, or if there is something for it and its date has passed."""
        last = time.monotonic()
        while True:
            rpc = self.nodes[0].rpc
            tip, now = rpc.getblockheader(rpc.getbestblockhash()), int(time.time())
            due = time.monotonic() - last >= INTERVAL or rpc.getmempoolinfo()["size"] > 0
            if due and tip["time"] + INTERVAL <= now:
                # After a pause, dates go on where the reserve begins: a late block makes none harder.
                self.mine("--set-block-time", str(max(tip["time"] + INTERVAL, now - RESERVE * INTERVAL)))
                last = time.monotonic()
                self.scan()
            time.sleep(1)

    # ---- What happened ----

    def scan(self) -> None:
        """Read the blocks that came since the last time."""
        rpc = self.nodes[0].rpc
        height, block_hash = self.scanned
        if height >= 0 and rpc.getblockhash(height) != block_hash:
            height = -1  # a branch of somebody who has the key
            self.spends.clear()
        for height in range(height + 1, rpc.getblockcount() + 1):
            block = rpc.getblock(rpc.getblockhash(height), 3)
            found = [(tx["txid"], n) for tx in block["tx"] for n, spent in enumerate(tx["vin"])
                     if spent.get("prevout", {}).get("scriptPubKey", {}).get("type") == "witness_v2_p2mr"]
            with self.lock:
                self.blocks.appendleft({**{name: block[name] for name in ("hash", "height", "time", "nTx", "size")}, "spends": len(found)})
                self.spends.extendleft((block["hash"], txid, n, height) for txid, n in found[-SHOWN_SPENDS:])
                self.scanned = height, block["hash"]

    @lru_cache(maxsize=4 * SHOWN_SPENDS)
    def spend(self, block: str, txid: str, n: int, page: bool) -> Any:
        """A spend taken apart by slhtool debug: what it found, or its page."""
        tx = self.nodes[0].rpc.getrawtransaction(txid, 2, block)
        spent = [each["prevout"] for each in tx["vin"]]
        outputs = [{"amount": round(each["value"] * 1e8), "script_pubkey": each["scriptPubKey"]["hex"]} for each in spent]
        spend = json.dumps({"tx": tx["hex"], "spent_outputs": outputs, "flags": "consensus,SLHDSA_SETS"})
        with tempfile.TemporaryDirectory() as folder:
            html = Path(folder) / "spend.html"
            command = [self.args.slhtool, "debug", "-", "--input", str(n), *(["--html", str(html)] if page else ["--json"])]
            result = subprocess.run(command, input=spend, capture_output=True, text=True, check=False)
            if result.returncode not in (0, 1):
                raise SignetError(f"slhtool debug: {result.stderr.strip()}")
            return html.read_text(encoding="utf-8") if page else json.loads(result.stdout)

    def page(self) -> str:
        """Height, blocks and spends, and the faucet."""
        with self.lock:
            blocks, spends = list(self.blocks), list(self.spends)
        height = blocks[0]["height"]
        dates = [time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(block["time"])) for block in blocks]
        rows = [[f"{b['height']:,}", date, str(b["nTx"]), f"{b['size']:,}", str(b["spends"]), b["hash"]] for b, date in zip(blocks, dates)]
        parts = [f"<p>Height <b>{height:,}</b>, dated {dates[0]} UTC. Coins of this network are worth nothing, and it may begin anew. "
                 '<a href="JOIN.md">Join it</a>.</p>',
                 '<form method="post" action="faucet" class="controls"><label for="address">Coins for an address:</label>'
                 '<input id="address" name="address" required maxlength="100" placeholder="tb1z..."><button>Send</button></form>',
                 table(Table("Last blocks", "Dates are ten minutes apart, and may be some hours old.",
                             ["height", "date (UTC)", "transactions", "bytes", "P2MR spends", "hash"], rows)),
                 f"<h2>Last P2MR spends: {len(spends)}</h2>"]
        parts += [self.taken_apart(*one) for one in spends] or ["<p>None yet.</p>"]
        return document("A signet with SLH-DSA", parts)

    def taken_apart(self, block: str, txid: str, n: int, height: int) -> str:
        found = self.spend(block, txid, n, False)
        leaf = next((script for script in found["scripts"] if script["kind"].startswith("leaf")), {"script": "", "steps": []})
        budgets = [step["budget"] for step in leaf["steps"] if "budget" in step]
        signed = [step["signature"] for step in leaf["steps"] if step.get("signature", {}).get("size")]
        opcodes = collections.Counter(step["instruction"] for step in leaf["steps"] if not step["instruction"].startswith("<"))
        rows = [("leaf", f"<code>{escape(leaf['script'][:1000])}</code>"),
                ("opcodes", escape(", ".join(f"{n} {name}" if n > 1 else name for name, n in opcodes.items()))),
                ("signatures", "; ".join(f"{one.get('anatomy', {}).get('set', 'Schnorr')}, {one['size']:,} bytes" for one in signed)),
                ("witness", f"{found['witness']['size']:,} bytes in {found['witness']['count']:,} elements"),
                ("budget", f"{max(budgets):,}, of which {min(budgets):,} are left before the last instruction" if budgets else ""),
                ("path", f"{found['p2mr']['path_length']} from leaf to root" if "path" in found["p2mr"] else "")]
        return (f'<h3>Block {height:,}: <a href="spend/{txid}/{n}">input {n} of <code>{txid}</code></a></h3><div class="scroll"><table>'
                + "".join(f'<tr><th scope="row">{name}</th><td>{text}</td></tr>' for name, text in rows if text) + "</table></div>")

    # ---- The faucet ----

    def pay(self, address: str, client: str) -> tuple[int, str]:
        """An HTTP status, and one line."""
        rpc = self.nodes[0].rpc
        if not rpc.validateaddress(address)["isvalid"]:
            return 400, f"not an address of this network: {address[:100]}"
        with self.lock:
            now = time.monotonic()
            self.paid = {who: when for who, when in self.paid.items() if when > now - self.args.every}
            if client in self.paid or address in self.paid:
                return 429, f"one payment in {self.args.every} s for an address and for a client"
            if len(self.paid) >= self.args.most:
                return 429, f"{self.args.most} payments in {self.args.every} s are the most"
            try:
                txid = rpc.sendtoaddress(address, self.args.amount)
            except RpcError as error:
                return 503, f"the faucet cannot pay: {error.message}"
            self.paid |= {client: now, address: now}
        return 200, f"{self.args.amount} to {address} in {txid}"

    # ---- Joining ----

    def join_page(self) -> None:
        rpc, host = self.nodes[0].rpc, self.args.host
        p2p, http = self.args.ports[0], self.args.http[1]
        lines = "\n".join(configuration(self.state["challenge"], "dnsseed=0", f"addnode={host}:{p2p}"))
        (self.folder / "JOIN.md").write_text(f"""# Join this signet

It has P2MR outputs and SLH-DSA signatures in tapscript. Its coins are worth nothing. Build the node, `contrib/bitcoin-core/build.sh` of
slhconsensus, and start it with this in the `bitcoin.conf` of an empty folder:

```
{lines}
```

```sh
bitcoind -datadir=FOLDER -daemonwait
bitcoin-cli -datadir=FOLDER getblockhash 1
```

Block 1 is `{rpc.getblockhash(1)}`. Coins, for an address that `slhtool address --network signet` or a
wallet of yours makes:

```sh
curl -d address=tb1z... http://{host}:{http}/faucet
```

Blocks and spends are at http://{host}:{http}/. A block comes every ten minutes, and at once for a transaction as long as dates are in
reserve.
""", encoding="utf-8")


def handler(signet: Signet) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        """Pages, and the faucet."""

        timeout = 10  # seconds for a client to say what it wants

        def answer(self, status: int, text: str, kind: str = "text/plain") -> None:
            data = text.encode()
            self.send_response(status)
            self.send_header("Content-Type", f"{kind}; charset=utf-8")
            self.send_header("Content-Length", str(len(data)))
            self.send_header("X-Content-Type-Options", "nosniff")
            self.end_headers()
            self.wfile.write(data)

        def do_GET(self) -> None:
            try:
                if self.path == "/":
                    self.answer(200, signet.page(), "text/html")
                elif self.path == "/JOIN.md":
                    self.answer(200, (signet.folder / "JOIN.md").read_text(encoding="utf-8"))
                elif one := next((one for one in list(signet.spends) if self.path == f"/spend/{one[1]}/{one[2]}"), None):
                    self.answer(200, signet.spend(*one[:3], True), "text/html")
                else:
                    self.answer(404, "nothing is here\n")
            except (RpcUnavailable, SignetError) as error:
                self.answer(503, f"{error}\n")

        def do_POST(self) -> None:
            size = self.headers.get("Content-Length", "")
            if self.path != "/faucet":
                return self.answer(404, "nothing is here\n")
            if not size.isdecimal() or int(size) > 1000:
                return self.answer(400, "a form of at most 1,000 bytes: address=tb1...\n")
            (address,) = parse_qs(self.rfile.read(int(size)).decode(errors="replace")).get("address", [""])[:1]
            try:
                status, line = signet.pay(address.strip(), self.client_address[0])
            except RpcUnavailable:
                status, line = 503, "the node does not answer"
            if "text/html" in self.headers.get("Accept", ""):
                css = "verdict" if status == 200 else "verdict no"
                parts = [f'<div class="{css}"><p>{escape(line)}</p></div><p><a href="/">Back</a></p>']
                self.answer(status, document("Faucet", parts), "text/html")
            else:
                self.answer(status, line + "\n")
            return None

        def log_message(self, *_: Any) -> None:
            pass

    return Handler


def run(args: argparse.Namespace) -> None:
    signet = Signet(args)
    server = None
    try:
        signet.start()
        server = ThreadingHTTPServer(args.http, handler(signet))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        where = f"http://{args.http[0]}:{args.http[1]}/, {signet.folder / 'JOIN.md'}"
        print(f"-- height {signet.blocks[0]['height']}, {where}; Ctrl-C ends it", flush=True)
        signet.mine_when_due()
    finally:
        if server:
            server.shutdown()
        for node in signet.nodes:
            node.stop()


def join(args: argparse.Namespace) -> None:
    """What JOIN.md says, in an empty folder; the node neither listens nor stays."""
    found = re.search(r"^```\n(.*?)^```$", args.join.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    if not found:
        raise SignetError(f"{args.join}: no lines for a bitcoin.conf")
    with tempfile.TemporaryDirectory() as folder:
        node = Node(args.node / "bin", Path(folder) / "node", args.ports[1] + 2, [*found[1].splitlines(), "listen=0"])
        try:
            node.start()
            deadline = time.monotonic() + PATIENCE
            while True:
                info = node.rpc.getblockchaininfo()
                if info["blocks"] == info["headers"] > 0 and not info["initialblockdownload"]:
                    break
                if time.monotonic() > deadline:
                    peers = len(node.rpc.getpeerinfo())
                    raise SignetError(f"not joined in {PATIENCE} s: {peers} peers, height {info['blocks']} of {info['headers']}")
                time.sleep(0.2)
            rules = node.rpc.getdeploymentinfo()["deployments"]
            print(f"joined: height {info['blocks']}, block 1 {node.rpc.getblockhash(1)}, active: "
                  + ", ".join(name for name in ("p2mr", "slhdsa", "slhdsasets") if rules.get(name, {}).get("active")))
        finally:
            node.stop()


def address_and_port(text: str) -> tuple[str, int]:
    address, _, port = text.rpartition(":")
    return address, int(port)


def two_ports(text: str) -> tuple[int, int]:
    p2p, rpc = map(int, text.split(","))
    return p2p, rpc


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, metavar="DIR", help="of this signet, made where it is missing")
    parser.add_argument("--join", type=Path, metavar="JOIN.md", help="try this page with a node in an empty folder, and end")
    parser.add_argument("--host", default="127.0.0.1", metavar="NAME", help="of this machine, for others (default: %(default)s)")
    parser.add_argument("--ports", type=two_ports, default=(38555, 38565), metavar="P2P,RPC",
                        help="two from each on are taken; of those for RPC, --join takes the third (default: 38555,38565)")
    parser.add_argument("--http", type=address_and_port, default=("127.0.0.1", 8038), metavar="ADDRESS:PORT",
                        help="page and faucet (default: 127.0.0.1:8038; 0.0.0.0:PORT for others)")
    parser.add_argument("--amount", default="0.1", metavar="COINS", help="that the faucet pays (default: %(default)s)")
    parser.add_argument("--every", type=int, default=600, metavar="SECONDS",
                        help="of one client and address, the faucet pays one request (default: %(default)s)")
    parser.add_argument("--most", type=int, default=40, metavar="N", help="clients and addresses in that time (default: %(default)s)")
    parser.add_argument("--node", type=Path, default=ROOT / "build/node", metavar="DIR", help="what build.sh made (default: build/node)")
    parser.add_argument("--slhtool", default=os.environ.get("SLHTOOL", "slhtool"), metavar="FILE",
                        help="takes spends apart (default: $SLHTOOL, or that in PATH)")
    parser.add_argument("--grind-cmd", metavar="COMMAND", help="as the miner's (default: bitcoin-util grind)")
    args = parser.parse_args()
    if bool(args.folder) == bool(args.join):
        parser.error("name a folder, or --join JOIN.md")
    args.node = args.node.resolve()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.default_int_handler)
    try:
        if not (args.node / "bin/bitcoind").exists():
            raise SignetError(f"there is no node in {args.node} (contrib/bitcoin-core/build.sh makes it)")
        if args.folder:
            args.folder = args.folder.resolve()
            if not shutil.which(args.slhtool):
                raise SignetError(f"there is no {args.slhtool} to take spends apart with (--slhtool or $SLHTOOL names it)")
        join(args) if args.join else run(args)
    except (SignetError, RpcError, RpcUnavailable, OSError) as error:
        print(f"signet.py: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 0
    return 0


if __name__ == "__main__":
    sys.exit(main())
