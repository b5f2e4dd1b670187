#!/usr/bin/env python3
# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Stands in for bitcoind and bitcoin-cli where there is no node: as much of regtest as doc/first-spend.md uses.

Called by either name. The chain is a JSON file in the data directory. What a node checks of a spend is checked: that the
coin is there, mature and old enough, the fee, and the scripts (by slhtool). Other calls are refused.
"""

import hashlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any, NoReturn

COIN = 100_000_000
REWARD = 50 * COIN
MATURITY = 100
SEQUENCE_LOCKTIME_MASK = 0xFFFF
DISABLE_OR_TIME = 1 << 31 | 1 << 22


def fail(message: str) -> NoReturn:
    sys.exit(f"error: {message}")


def slhtool(*arguments: str) -> Any:
    result = subprocess.run(["slhtool", *arguments, "--json"], capture_output=True, text=True, check=False)
    if result.returncode:
        fail(result.stderr or result.stdout)
    return json.loads(result.stdout)


def digest(*what: object) -> str:
    return hashlib.sha256(repr(what).encode()).hexdigest()


class Chain:
    """blocks: the transactions of each, its reward first; coins: by "txid:n"; mempool: spends that wait."""

    def __init__(self, folder: Path, flags: str) -> None:
        self.flags = flags
        self.file = folder / "chain.json"
        state = json.loads(self.file.read_text()) if self.file.exists() else {"blocks": [], "coins": {}, "mempool": []}
        self.blocks: list[list[str]] = state["blocks"]
        self.coins: dict[str, dict[str, Any]] = state["coins"]
        self.mempool: list[dict[str, Any]] = state["mempool"]

    def save(self) -> None:
        self.file.write_text(json.dumps({"blocks": self.blocks, "coins": self.coins, "mempool": self.mempool}))

    def add_coin(self, txid: str, n: int, amount: int, script: str, reward: bool) -> None:
        self.coins[f"{txid}:{n}"] = {"amount": amount, "script": script, "height": len(self.blocks), "reward": reward}

    def generatetoaddress(self, count: str, address: str) -> str:
        decoded = slhtool("decode", "address", address)
        if "regtest" not in decoded["networks"]:
            fail("Invalid address")
        for _ in range(int(count)):
            reward = digest("reward", len(self.blocks), address)
            self.blocks.append([reward, *(tx["txid"] for tx in self.mempool)])
            for tx in self.mempool:
                for coin in tx["spends"]:
                    del self.coins[coin]
                for n, output in enumerate(tx["outputs"]):
                    self.add_coin(tx["txid"], n, output["amount"], output["script_pubkey"], reward=False)
            self.mempool = []
            self.add_coin(reward, 0, REWARD, decoded["script_pubkey"], reward=True)
        return json.dumps([self.getblockhash(str(height)) for height in range(len(self.blocks) - int(count) + 1, len(self.blocks) + 1)], indent=2)

    def getblockhash(self, height: str) -> str:
        return digest("block", int(height), self.blocks[int(height) - 1])

    def getblock(self, wanted: str) -> str:
        heights = [height for height in range(1, len(self.blocks) + 1) if self.getblockhash(str(height)) == wanted]
        return json.dumps({"hash": wanted, "height": heights[0], "merkleroot": digest(wanted), "tx": self.blocks[heights[0] - 1], "nTx": 1}, indent=2)

    def gettxout(self, txid: str, n: str) -> str:
        coin = self.coins.get(f"{txid}:{n}")
        if coin is None:
            return ""
        kind = "witness_v2_p2mr" if coin["script"].startswith("5220") else "other"
        return json.dumps({"confirmations": len(self.blocks) - coin["height"] + 1, "value": coin["amount"] / COIN, "scriptPubKey": {"type": kind}}, indent=2)

    def sendrawtransaction(self, raw: str) -> str:
        tx = slhtool("decode", "tx", raw)
        coins = []
        for txin in tx["inputs"]:
            coin = self.coins.get(f"{txin['txid']}:{txin['vout']}") or fail("bad-txns-inputs-missingorspent")
            depth = len(self.blocks) + 1 - coin["height"]
            if coin["reward"] and depth < MATURITY:
                fail("bad-txns-premature-spend-of-coinbase")
            if not txin["sequence"] & DISABLE_OR_TIME and depth < txin["sequence"] & SEQUENCE_LOCKTIME_MASK:
                fail("non-BIP68-final")
            coins.append(coin)
        if sum(coin["amount"] for coin in coins) - sum(output["amount"] for output in tx["outputs"]) < tx["weight"] / 4:
            fail("min relay fee not met")
        spent = [argument for coin in coins for argument in ("--spent", f"{coin['amount']}:{coin['script']}")]
        slhtool("verify-tx", "--tx", raw, *spent, "--flags", f"consensus{self.flags}")
        self.mempool.append({"txid": tx["txid"], "spends": [f"{txin['txid']}:{txin['vout']}" for txin in tx["inputs"]], "outputs": tx["outputs"]})
        return str(tx["txid"])


METHODS = {"generatetoaddress": 2, "getblockhash": 1, "getblock": 1, "gettxout": 2, "sendrawtransaction": 1}


def main(program: str, arguments: list[str]) -> None:
    options = dict(argument[1:].partition("=")[::2] for argument in arguments if argument.startswith("-"))
    words = [argument for argument in arguments if not argument.startswith("-")]
    folder = Path(options.get("datadir", "/nonexistent"))
    if not folder.is_dir():
        fail(f"Specified data directory {folder} does not exist.")
    running = folder / "running"
    if program == "bitcoind":
        if unknown := options.keys() - {"regtest", "datadir", "listen", "daemonwait", "vbparams"}:
            fail(f"not known here: {unknown}")
        running.write_text(",SLHDSA_SETS" if options.get("vbparams", "").startswith("slhdsasets:-1:") else "")
        return
    if not running.exists() or "regtest" not in options:
        fail("Could not connect to the server")
    if "stdin" in options:
        words += sys.stdin.read().split()
    if words == ["stop"]:
        running.unlink()
        return
    method, *parameters = words
    if METHODS.get(method) != len(parameters):
        fail(f"not known here: {method} with {len(parameters)} parameters")
    chain = Chain(folder, running.read_text())
    print(getattr(chain, method)(*parameters))
    chain.save()


if __name__ == "__main__":
    main(Path(sys.argv[0]).name, sys.argv[1:])
