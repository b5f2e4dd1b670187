# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""contrib/network/signet.py: a signet with its faucet and its page, a third node that joins it, and a restart after kill -9."""

import importlib
import json
import os
import random
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from conftest import BITCOIND, ROOT
from framework.node import PORTS, wait_until
from framework.rpc import Rpc

browser: Any = importlib.import_module("browser")  # which has no types
SIGNET = ROOT / "contrib/network/signet.py"
SLHTOOL = os.environ.get("SLHTOOL", "")
# With this key and these dates, the first 101 blocks are always the same, and these are their nonces: what takes minutes to find.
STATE = {"key": "cNRG8hzNFZn1Ty9x2oJWPzdzsdd2kRro55WW7KsTJk3Uj6rYv9cG", "start": 1767225600}
NONCES = """
bce30200979805006fea5500f0841f00ca573f00835d5900d43f07009649080098ba0500182475006f8e9d00de91be003c710800878a1500f1cc4500a38b9901
3a8029009e040b002c185502ce11f000c75d2a0342de19028c2a47001c964e014c7bf10139ec0601c41d0f00257cbb00626bb6008dd6080043650100aa9d8d02
74d816009ad9460026870c00a94fd400080cd9007845f80195ec4602d3c6210153edfc001a6aa101020956000cb353003bca4700721cf400d4f5d30182b5d200
638fb0017895d50158c8d500d4f21f015f7520018243620064c51c02e7151c00a5a725007c3cee0116868101fd0e3700c04a340079de2e02e3db790030655200
726b1e00c2ec420078d18000fbd2df00315c5f0245637e00f17f06007793880349a7330135d518025b567601311e2d0220f458002d4cd2052a3f84006c42fe00
f9192a00228a4000886b0300a7b2c600391c73006f1661000f8b1c00b5549e03a2b219003dc4260388d11d003dddc90013a1bb004857880162270a005a55b003
70f037000e5e0f019acc1700c49c5e00d98c4d01
"""
GRIND = f"""import hashlib, os, sys
head, nonces = bytes.fromhex(sys.argv[1]), bytes.fromhex({''.join(NONCES.split())!r})
for n in range(0, len(nonces), 4):
    found = head[:76] + nonces[n:n + 4]
    if hashlib.sha256(hashlib.sha256(found).digest()).digest()[::-1] <= bytes.fromhex("00000377ae" + 54 * "0"):
        print(found.hex())
        sys.exit()
os.execv({str(BITCOIND.parent / "bitcoin-util")!r}, ["bitcoin-util", "grind", head.hex()])
"""


class Signet:
    """The program, in a folder with the first 101 blocks ahead of it."""

    def __init__(self, folder: Path):
        self.folder = folder / "signet"
        self.folder.mkdir()
        (self.folder / "signet.json").write_text(json.dumps(STATE))
        grind = folder / "grind.py"
        grind.write_text(GRIND)
        self.p2p, self.rpc_port, self.http = (port - port % 8 for port in random.sample(PORTS, 3))
        self.common = [sys.executable, "-B", str(SIGNET), "--ports", f"{self.p2p},{self.rpc_port}", "--node", str(BITCOIND.parents[1])]
        self.command = [*self.common, str(self.folder), "--http", f"127.0.0.1:{self.http}", "--slhtool", SLHTOOL,
                        "--grind-cmd", f"{sys.executable} -S -B {grind}"]

    def start(self) -> None:
        self.process = subprocess.Popen(self.command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        assert self.process.stdout is not None
        said: list[str] = []
        for line in self.process.stdout:
            said.append(line)
            if line.startswith("-- height"):
                return
        raise AssertionError("".join(said))

    def rpc(self, node: int = 0) -> Rpc:
        return Rpc(self.rpc_port + node, self.folder / f"node{node}/signet/.cookie")

    def get(self, path: str, form: dict[str, str] | bytes | None = None) -> tuple[int, str]:
        data = urllib.parse.urlencode(form).encode() if isinstance(form, dict) else form
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.http}{path}", data, timeout=60) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    def join(self, page: Path) -> "subprocess.CompletedProcess[str]":
        return subprocess.run([*self.common, "--join", str(page)], capture_output=True, text=True, check=False, timeout=300)


@pytest.fixture(scope="module")
def signet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Signet]:
    if not SLHTOOL:
        pytest.skip("SLHTOOL names no slhtool")
    made = Signet(tmp_path_factory.mktemp("signet"))
    made.start()
    try:
        yield made
    finally:
        made.process.send_signal(signal.SIGTERM)
        assert made.process.wait(120) == 0


def tool(*args: object) -> str:
    return subprocess.run([SLHTOOL, *map(str, args)], capture_output=True, text=True, check=True).stdout


def pay(signet: Signet, address: str) -> str:
    """Ask the faucet on its page, in a browser where there is one; the transaction's id."""
    if not browser.PROGRAM:
        return signet.get("/faucet", {"address": address})[1].split()[-1]
    home = f"http://127.0.0.1:{signet.http}/"
    hostile = "<img src=x onerror=alert(1)>"
    with browser.Browser() as page:
        for text, says in ((hostile, f"not an address of this network: {hostile}"), (address, f"0.1 to {address} in ")):
            page.open(home)
            assert page.value("document.querySelector('h1').innerText") == "A signet with SLH-DSA"
            page.value(f"document.getElementById('address').value = {json.dumps(text)}; document.querySelector('form button').click()")
            assert page.wait("location.pathname === '/faucet' && document.readyState === 'complete'")
            verdict = str(page.value("document.querySelector('.verdict').innerText"))
            assert verdict.startswith(says)
            assert all(request.startswith(home) for request in page.requests)
            assert not [problem for problem in page.problems if "400" not in problem]
    return verdict.split()[-1]


def test_signet(signet: Signet, tmp_path: Path) -> None:
    """From the faucet to a spend of two parameter sets on the page; dates; a third node; a restart."""
    keys = []
    for name, options in (("a", []), ("b", ["--set", "128-24"])):
        tool("keygen", "--experiment", "00:1", *options, tmp_path / name)
        keys += [f"pk_slhdsa(@{tmp_path / name})"]
    tree = tmp_path / "tree"
    tree.write_text(tool("address", " OP_VERIFY ".join(keys), "OP_RETURN", "--json"))
    address = tool("address", "--tree", f"@{tree}", "--network", "signet").strip()

    # What the faucet refuses
    none, long = "not an address of this network: ", "a form of at most 1,000 bytes: "
    for form, says in (({"address": "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"}, none + "bc1"), ({}, none), (b"\xff" * 900, none),
                       (b"address=" + 1000 * b"t", long), ({"address": address + "\nx"}, none)):
        status, said = signet.get("/faucet", form)
        assert status == 400 and said.startswith(says), said
    for path in ("/signet.json", "/../signet.json", f"/spend/{64 * '0'}/0"):
        assert signet.get(path) == (404, "nothing is here\n")

    first = signet.rpc().getrawtransaction(pay(signet, address), 1)
    assert signet.get("/faucet", {"address": address})[0] == signet.get("/faucet", {"address": signet.rpc().getnewaddress()})[0] == 429

    # A block comes because of it, and another one because of its spend by keys of two sets
    wait_until(lambda: signet.rpc().getrawtransaction(first["txid"], 1).get("confirmations"), "a block with the payment", 300)
    (vout,) = [output["n"] for output in first["vout"] if output["scriptPubKey"].get("address") == address]
    coin = ["--outpoint", f"{first['txid']}:{vout}", "--amount", "10000000", "--tree", f"@{tree}",
            "--key", tmp_path / "a", "--key", tmp_path / "b"]
    tx = tool("spend", "--network", "signet", *coin, "--to", address, "--out", tmp_path / "spend", "--hex")
    txid = signet.rpc().sendrawtransaction(tx.strip())
    wait_until(lambda: txid in signet.get("/")[1], "the spend to be on the page", 300)
    page = signet.get("/")[1]
    for says in ("OP_CHECKSIGSLHDSA OP_VERIFY", "2 OP_CHECKSIGSLHDSA, OP_VERIFY", "128s, 7,856 bytes; 128-24, 3,856 bytes",
                 "of which 11,824 are left", "1 from leaf to root"):
        assert says in page, page
    status, debug = signet.get(f"/spend/{txid}/0")
    assert status == 200 and '"valid":true' in debug.replace(" ", "")

    # Dates are ten minutes apart or more, so that no block is harder than another
    rpc = signet.rpc()
    height = rpc.getblockcount()
    headers = [rpc.getblockheader(rpc.getblockhash(n)) for n in range(1, height + 1)]
    assert {header["bits"] for header in headers} == {"1e0377ae"}
    gaps = [b["time"] - a["time"] for a, b in zip(headers, headers[1:])]
    assert min(gaps) >= 600 and min(gaps[101:]) >= 601 and time.time() - headers[-1]["time"] < 7 * 3600

    # Others
    result = signet.join(signet.folder / "JOIN.md")
    assert result.returncode == 0, result.stderr
    assert result.stdout == f"joined: height {height}, block 1 {headers[0]['hash']}, active: p2mr, slhdsa, slhdsasets\n"
    result = signet.join(tree)
    assert (result.returncode, result.stderr) == (1, f"signet.py: {tree}: no lines for a bitcoin.conf\n")

    # What a restart needs
    for options, status, says in ((["--slhtool", str(tmp_path / "none")], 1, "names it)"), (["--ports", "1"], 2, "two_ports value: '1'"),
                                  (["--http", "8038a"], 2, "address_and_port value: '8038a'")):
        result = subprocess.run([*signet.command, *options], capture_output=True, text=True, check=False)
        assert result.returncode == status and result.stderr.endswith(says + "\n"), result.stderr

    # Restart
    balance = rpc.getbalance()
    pids = [int((signet.folder / f"node{n}/signet/bitcoind.pid").read_text()) for n in range(2)]
    signet.process.kill()
    signet.process.wait()
    wait_until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in pids), "the nodes to end with their parent")
    signet.start()
    rpc = signet.rpc()
    assert (rpc.getblockcount(), rpc.getbalance()) == (height, balance)
    assert signet.rpc(1).getbestblockhash() == rpc.getbestblockhash()
    assert txid in signet.get("/")[1]
