#!/usr/bin/env python3
# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""A Warnet scenario: full blocks of post-quantum spends on a network, what contrib/bitcoin-core/experiment.py measures on one machine."""
import argparse
import json
import math
import os
import re
import statistics
import threading
import time

import commander
from commander import Commander
from test_framework.messages import COutPoint, CTransaction, CTxIn, CTxInWitness, CTxOut, hash256
from test_framework.p2p import P2PInterface
from test_framework.util import get_rpc_proxy

ANYONE = "raw(51)"
LONG = 3600  # seconds


class msg_raw_tx:
    """A transaction as it is."""

    msgtype = b"tx"

    def __init__(self, data):
        self.serialize = lambda: data


def parts(text):
    names = text.split(",")
    if names != ["activation"] and not {*names} <= {"relay", "reorg", "flood"}:
        raise argparse.ArgumentTypeError(f"'{text}' is neither of relay, reorg, flood nor activation")
    return names


class SlhNetwork(Commander):
    def set_test_params(self):
        self.num_nodes = 0
        self.rpc_timeout = LONG

    def add_options(self, parser):
        parser.description = "Activation, full blocks, reorganization, invalid signatures"
        parser.usage = "warnet run slh_network.py -- [options]"
        parser.add_argument("--only", type=parts, default="relay,reorg,flood",
                            help="of relay, reorg, flood; or activation, on a network of network.py --signal (default: relay,reorg,flood)")
        parser.add_argument("--spends", default="128s,128-24,128-q40,schnorr",
                            help="kinds of spends of experiment.py, each for a chain (default: all sets and schnorr)")
        parser.add_argument("--blocks", type=int, default=3, help="full ones of a chain (default: 3)")
        parser.add_argument("--flood", type=int, default=200, help="invalid transactions (default: 200)")
        parser.add_argument("--interval", type=int, default=600, help="seconds between blocks, for the share of stale ones (default: 600)")
        parser.add_argument("--out", help="a file for the results; they are printed, too")

    def inside(self, node, *command):
        """The output of a command in a node's container."""
        return commander.stream(commander.sclient.connect_get_namespaced_pod_exec, name=node.tank, container="bitcoincore",
                                namespace=commander.NAMESPACE, command=list(command), stderr=True, stdin=False, stdout=True, tty=False)

    def run_test(self):
        self.wait_for_tanks_connected()
        active = [node for node in self.nodes if "p2mr" in node.getdeploymentinfo()["deployments"]]
        self.plain = [node for node in self.nodes if node not in active]
        self.maker = active[0]
        self.threads = int(self.inside(self.maker, "nproc"))
        self.samples, self.plans = [], {}
        if self.options.only == ["activation"]:
            self.add("activation", "small", self.activation())
        else:
            for spend in self.options.spends.split(","):
                self.chain_of(spend)
                for name in self.options.only:
                    self.add(name, spend, getattr(self, name)())
        text = json.dumps(self.about() | {"samples": self.samples}, indent=1) + "\n"
        print(text)
        if self.options.out:
            with open(self.options.out, "w", encoding="utf-8") as file:
                file.write(text)

    def add(self, experiment, plan, figures):
        self.log.info(f"{experiment}, {plan}: {figures}")
        self.samples.append({"experiment": experiment, "plan": plan, "mode": f"{len(self.nodes)} pods", "par": self.threads,
                             "figures": {name: [value] for name, value in figures.items()}})

    def about(self):
        """Where it was, as the report has it: the machine of the first pod."""
        text = self.inside(self.maker, "cat", "/proc/cpuinfo", "/proc/meminfo")
        names = ("model name", "cpu family", "model", "MemTotal")
        found = {name: (re.search(rf"^{name}\s*: *(\d+|.*)", text, re.MULTILINE) or ["", "0"])[1] for name in names}
        machine = {"processor": found["model name"], "core": "", "family": int(found["cpu family"]), "model": int(found["model"]),
                   "threads": self.threads, "memory_gib": round(int(found["MemTotal"]) / 2**20), "load": round(os.getloadavg()[0], 2),
                   "system": f"{len(self.nodes)} pods, {len(self.plain)} of them plain, {self.maker.getnetworkinfo()['subversion']}"}
        return {"machine": machine, "compiler": "an image", "commit": "of the image", "options": {"rounds": 1},
                "date": time.strftime("%Y-%m-%d"), "missing": {}, "complete": True, "plans": self.plans}

    def chain_of(self, spend):
        """A chain of full blocks up to its base, on all nodes."""
        blocks = self.options.blocks
        plan = {"seed": os.urandom(48).hex(), "blocks": blocks, "weight": 4_000_000, "flood": self.options.flood, "mempool": 0,
                "tip": blocks - 1, "branch": blocks, "mix": [{"spend": spend, "share": 100, "inputs": 1}]}
        self.facts = json.loads(self.inside(self.maker, "slh-chain", "make", json.dumps(plan)))
        base = self.facts.pop("base")
        self.plans[spend] = self.facts | {"plan": plan}
        for node in self.nodes:  # leave another chain where it begins to differ
            height = next((n for n, name in enumerate([*base, ""], 1) if n > node.getblockcount() or node.getblockhash(n) != name))
            if height <= node.getblockcount():
                node.invalidateblock(node.getblockhash(height))
        for node in self.nodes:  # at the time of the chain: a node that is behind does not ask for compact blocks
            node.setmocktime(self.facts["time"])
        said = self.inside(self.maker, "slh-chain", "submit", "base.dat")
        assert said.strip().isdigit(), said
        self.reached(self.facts["hashes"]["base"])

    def reached(self, name, nodes=None):
        """Wait until nodes have a block as their tip, each by a connection of its own; when it had it."""
        have = {}

        def wait(node):
            tank = next(tank for tank in commander.WARNET["tanks"] if tank["tank"] == node.tank)
            url = f"http://{tank['rpc_user']}:{tank['rpc_password']}@{tank['rpc_host']}:{tank['rpc_port']}"
            found = get_rpc_proxy(url, node.index, timeout=LONG).waitforblock(name, 600_000)["hash"]
            assert found == name, f"{node.tank} is at {found}, not at {name}"
            have[node.tank] = time.monotonic()

        threads = [threading.Thread(target=wait, args=(node,)) for node in nodes or self.nodes]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(have) == len(nodes or self.nodes), f"{sorted(have)} alone reached {name}"
        return have

    def give(self, block, name):
        """Give a block to the first node; seconds until it has it, and until the last one has."""
        start, times = time.monotonic(), {}
        waiter = threading.Thread(target=lambda: times.update(self.reached(name)))
        waiter.start()
        said = self.maker.submitblock(block)
        assert said is None, said
        waiter.join()
        assert times, f"{name} did not reach all"
        return times[self.maker.tank] - start, max(times.values()) - start

    def relay(self):
        """The tip's blocks, whose transactions no node knows."""
        sent = sum(node.getnettotals()["totalbytessent"] for node in self.nodes)
        times = []
        for block in self.inside(self.maker, "slh-chain", "show", "tip.dat").split():
            times.append(self.give(block, self.hash_of(block)))
        sent = sum(node.getnettotals()["totalbytessent"] for node in self.nodes) - sent
        later, interval = statistics.median(last - own for own, last in times), self.options.interval
        return {"new block: last node later by, ms": 1000 * later,
                "new block: first node, ms": statistics.median(1000 * own for own, _ in times),
                "new block: sent a node, MB": sent / 1e6 / len(times) / max(1, len(self.nodes) - 1),
                f"stale blocks at {interval} s, at most, per cent": 100 * -math.expm1(-later / interval)}

    def reorg(self):
        """The branch's last block comes to nodes that have stored the rest, or fetch it."""
        if self.maker.getbestblockhash() != self.facts["hashes"]["tip"]:
            self.relay()
        *stored, last = self.inside(self.maker, "slh-chain", "show", "branch.dat").split()
        for block in stored:
            self.maker.submitblock(block)
        assert self.maker.getbestblockhash() == self.facts["hashes"]["tip"], "the first node left its tip too early"
        own, all_of_them = self.give(last, self.facts["hashes"]["branch"])
        return {"time, s": own, "blocks left": len(stored), "last node later by, s": all_of_them - own}

    def flood(self):
        """A peer sends transactions with an invalid signature as fast as the first node takes them."""
        transactions = [bytes.fromhex(line) for line in self.inside(self.maker, "slh-chain", "show", "flood.dat").split()]
        peer = P2PInterface()
        peer.peer_connect(dstaddr=self.maker.rpchost, dstport=self.maker.p2pport, net=self.maker.chain, timeout_factor=1, send_version=True,
                          supports_v2_p2p=False)()
        peer.wait_until(lambda: peer.is_connected, check_connected=False)
        peer.wait_for_verack()
        peer.sync_with_ping()
        start = time.monotonic()
        for tx in transactions:
            peer.send_without_ping(msg_raw_tx(tx))
        peer.sync_with_ping(timeout=LONG)
        taken = time.monotonic() - start
        connected = peer.is_connected
        peer.peer_disconnect()
        assert self.maker.getmempoolinfo()["size"] == 0, "the mempool took an invalid transaction"
        return {"time, s": taken, "transactions": len(transactions), "disconnected": float(not connected),
                "each, ms": 1000 * taken / len(transactions)}

    def activation(self):
        """Blocks signal, with plain nodes in the net; then one of these mines an invalid spend."""
        plain = self.plain[0]
        wallet = self.ensure_miner(plain)
        address = wallet.getnewaddress()

        def status():
            return self.maker.getdeploymentinfo()["deployments"]["p2mr"]

        assert not status()["active"], "active already: take a network of network.py --signal"
        while not status()["active"]:
            self.maker.generatetoaddress(16, address, called_by_framework=True)
        self.reached(self.maker.getbestblockhash())
        height = status()["height"]
        output = json.loads(self.inside(self.maker, "slhtool", "address", "OP_RETURN", "OP_1", "--json"))
        coin = wallet.sendtoaddress(output["addresses"]["regtest"], 1)
        self.reached(plain.generatetoaddress(1, address, called_by_framework=True)[0])
        n = next(out["n"] for out in wallet.gettransaction(coin, None, True)["decoded"]["vout"] if out["value"] == 1)
        spend = CTransaction()
        spend.vin, spend.vout = [CTxIn(COutPoint(int(coin, 16), n))], [CTxOut(99_000_000, bytes.fromhex("51024e73"))]
        spend.wit.vtxinwit = [CTxInWitness()]
        spend.wit.vtxinwit[0].scriptWitness.stack = [b"\x51", b"\xc1" + bytes(32)]  # no leaf of this output
        tip = self.maker.getbestblockhash()
        bad = plain.generateblock(ANYONE, [spend.serialize().hex()], called_by_framework=True)["hash"]
        self.reached(bad, self.plain)
        time.sleep(2)
        tips = {node.getbestblockhash() for node in self.nodes if node not in self.plain}
        assert tips == {tip}, "a node with the rules took an invalid spend"
        start = time.monotonic()
        self.reached(self.maker.generatetoaddress(2, address, called_by_framework=True)[-1])
        return {"active from block": height, "plain nodes that followed an invalid spend": len(self.plain),
                "all agree again after, s": time.monotonic() - start}

    @staticmethod
    def hash_of(block):
        return hash256(bytes.fromhex(block[:160]))[::-1].hex()


def main():
    SlhNetwork("").main()


if __name__ == "__main__":
    main()
