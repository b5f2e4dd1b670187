# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""The basis of the other tests: a node's end is noticed and reported, ports are found, the log is searched."""

import copy
import os
import random
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from slhconsensus import CTxOut

from framework import node as node_module
from framework.blocks import mine, subsidy
from framework.chain import SINK, Chain
from framework.node import MEASURING, Node, NodeFailed, Nodes, wait_until
from framework.rpc import RpcError
from framework.spends import flip

ROOT = Path(__file__).resolve().parents[3]


def test_crash_is_reported_with_the_log(nodes: Nodes) -> None:
    node = nodes.make().start()
    node.signal(signal.SIGSEGV)
    wait_until(lambda: not node.running, "the node to die")  # until then it may answer
    with pytest.raises(NodeFailed, match=r"(?s)did not answer getblockcount.*killed by SIGSEGV.*end of .*debug.log\n.*init message"):
        node.rpc.getblockcount()
    node.kill()


def test_failure_to_start_is_reported(nodes: Nodes) -> None:
    with pytest.raises(NodeFailed, match=r"(?s)ended while it started \(exit status 1\).*Invalid parameter -nosuchoption"):
        nodes.make().start({"nosuchoption": 1})
    assert "Invalid parameter -nosuchoption" in nodes.make().start_fails({"nosuchoption": 1})


def test_a_node_that_should_not_start(nodes: Nodes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(node_module, "START_TIMEOUT", 1)
    with pytest.raises(NodeFailed, match="started with .*, and should have refused"):
        nodes.make().start_fails({"par": 1})


def test_options_for_measuring(nodes: Nodes) -> None:
    """The node has them, and none of those that they take away."""
    node = nodes.make(MEASURING).start()
    given = set(re.findall(r"Command-line arg: (\w+)=", node.log()))
    assert given >= {"checkmempool", "checkblockindex", "checkaddrman", "rpcport"}
    assert not given & {"debug", "debugexclude", "logthreadnames", "rpcdoccheck", "dbcache", "maxmempool"}
    assert not any(node.rpc.logging().values())
    # It still logs what is asked for.
    node.restart({"debug": ["bench"]})
    assert [name for name, on in node.rpc.logging().items() if on] == ["bench"]


def test_ports_that_are_taken(nodes: Nodes, node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another node has the ports that are tried first."""
    sample = random.sample
    first = nodes.make().start()
    taken = [True, True]
    monkeypatch.setattr(random, "sample", lambda ports, n: [first.rpc_port, *sample(ports, n - 1)] if taken and taken.pop() else sample(ports, n))
    second = nodes.make().start()
    assert not taken and second.rpc_port != first.rpc_port
    assert second.rpc.getblockcount() == first.rpc.getblockcount() == 0


def test_log_assertions(chain: Chain) -> None:
    with chain.node.logs("UpdateTip: new best=.*height=", never=("ERROR",)):
        chain.mine()
    with pytest.raises(AssertionError, match="did not log"), chain.node.logs("no such line", timeout=0.1):
        chain.mine()
    with pytest.raises(AssertionError, match="logged 'UpdateTip'"), chain.node.logs(never=("UpdateTip",)):
        chain.mine()


def test_errors_of_the_node(node: Node) -> None:
    with pytest.raises(RpcError, match=r"getblockhash: Block height out of range \(-8\)"):
        node.rpc.getblockhash(1_000_000)
    assert node.rpc.getblockheader(blockhash=node.rpc.getblockhash(0), verbose=True)["height"] == 0


def test_blocks_are_refused_for_the_right_reason(chain: Chain) -> None:
    """That a block is refused for what the test is about, and not because of how the framework made it."""
    block = chain.build()
    while mine(copy.copy(block)).nNonce == block.nNonce:
        block.nNonce += 1
    assert chain.submit(block) == "high-hash"
    block = chain.build([chain.pay([])])
    block.hashMerkleRoot = bytes(32)
    assert chain.submit(mine(block)) == "bad-txnmrklroot"
    block = chain.build([chain.pay([])])
    block.vtx[0].vout[-1].scriptPubKey = flip(block.vtx[0].vout[-1].scriptPubKey)
    block.hashMerkleRoot = block.calc_merkle_root()
    assert chain.submit(mine(block)) == "bad-witness-merkle-match"
    greedy = [CTxOut(subsidy(chain.height + 1) + 1, SINK)]
    assert chain.submit(chain.build(outputs=greedy)) == "bad-cb-amount"
    chain.mine()


@pytest.mark.parametrize(("library", "says"), [(None, "ended"), ("/nonexistent", "/nonexistent")])
def test_experiment_that_cannot_start(tmp_path: Path, library: str | None, says: str) -> None:
    """contrib/bitcoin-core/regtest.py says why, for people, and leaves nothing behind, whatever --keep asks."""
    environment = os.environ | {"SLHC_REGTEST_IN_ENVIRONMENT": "1", "TMPDIR": str(tmp_path)}
    if library is not None:
        environment["SLHCONSENSUS_LIBRARY"] = library
    result = subprocess.run([sys.executable, "-B", str(ROOT / "contrib/bitcoin-core/regtest.py"), "--bitcoind", "/bin/false", "--keep"],
                            env=environment, capture_output=True, text=True, check=False)
    assert result.returncode == 1
    assert result.stderr.startswith("regtest.py: ") and says in result.stderr and "Traceback" not in result.stderr
    assert list(tmp_path.iterdir()) == []
