# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""A bitcoind on regtest in a directory of its own: start, stop, restart, what it logged, how it ended."""

import contextlib
import ctypes
import os
import random
import re
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from framework.rpc import Rpc, RpcError, RpcUnavailable

START_TIMEOUT = 120  # seconds; generous, since a machine may be busy, and of no cost
STOP_TIMEOUT = 120
POLL_INTERVAL = 0.02
RPC_IN_WARMUP = -28
# Below the range from which Linux takes the ports of outgoing connections.
PORTS = range(15000, 32000)
PORT_ATTEMPTS = 20
CHAIN_FOLDERS = {"main": "", "test": "testnet3"}  # where a chain's data is, if not under the chain's name
PR_SET_PDEATHSIG = 1
LOG_TAIL_LINES = 40

Options = dict[str, "str | int | list[str] | None"]

DEFAULT_OPTIONS: Options = {
    "chain": "regtest",
    "dnsseed": "0",
    "fixedseeds": "0",
    "discover": "0",
    "natpmp": "0",
    "listenonion": "0",
    "listen": "0",
    "server": "1",
    "rpcbind": "127.0.0.1",
    "rpcallowip": "127.0.0.1",
    "rpcservertimeout": "900",
    "printtoconsole": "0",
    "debug": "1",
    "debugexclude": "libevent",
    "logthreadnames": "1",
    "dbcache": "50",
    "maxmempool": "100",
    "rpcdoccheck": "1",
}

#: For measuring: `nodes.make(MEASURING)`. What the defaults above and regtest's own add for tests is taken away: logging, small caches, and checks
#: of the block index and, after each transaction, of the whole mempool.
MEASURING: Options = {
    "debug": None,
    "debugexclude": None,
    "logthreadnames": None,
    "rpcdoccheck": None,
    "dbcache": None,
    "maxmempool": None,
    "checkmempool": "0",
    "checkblockindex": "0",
    "checkaddrman": "0",
}

# On regtest, p2mr and slhdsa are active from the start, and slhdsasets never, unless an option says otherwise: name:start:timeout[:height].
ALWAYS, NEVER = -1, -2
FAR_AWAY = 4_000_000_000


def deployments(p2mr: int = ALWAYS, slhdsa: int = ALWAYS, slhdsasets: int = NEVER) -> Options:
    """The options for when these deployments start: ALWAYS, NEVER, or a time, for signalling by blocks."""
    return {"vbparams": [f"p2mr:{p2mr}:{FAR_AWAY}", f"slhdsa:{slhdsa}:{FAR_AWAY}", f"slhdsasets:{slhdsasets}:{FAR_AWAY}"]}


NOT_ACTIVE = deployments(NEVER, NEVER)


class NodeFailed(Exception):
    """The node did not start, ended by itself, or did not do what it was waited for. Says how, with the end of its log."""


def wait_until(condition: Callable[[], Any], what: str, timeout: float = 120) -> Any:
    """Wait for a condition, and return what it returned."""
    deadline = time.monotonic() + timeout
    while not (value := condition()):
        if time.monotonic() > deadline:
            raise TimeoutError(f"waited {timeout:g} s for {what}")
        time.sleep(POLL_INTERVAL)
    return value


def _die_with_parent() -> None:
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


class Node:
    """One bitcoind. Options are given without the dash: {"par": 1, "debug": ["rpc", "net"]}; None removes a default."""

    def __init__(self, binary: Path, folder: Path, options: Options | None = None, name: str = "node", environment: dict[str, str] | None = None):
        self.binary = binary
        self.folder = folder
        self.name = name
        self.environment = os.environ | (environment or {})
        self.options: Options = DEFAULT_OPTIONS | (options or {})
        chain = str(self.options["chain"])
        self.chain_folder = folder / CHAIN_FOLDERS.get(chain, chain)
        self.log_path = self.chain_folder / "debug.log"
        self.rpc_port = 0
        self.p2p_port = 0
        self._rpc: Rpc | None = None
        self._process: subprocess.Popen[bytes] | None = None
        folder.mkdir(parents=True, exist_ok=True)

    # Life

    def start(self, options: Options | None = None) -> "Node":
        """Start and wait until it answers. These options last until it stops; the constructor's always hold."""
        assert self._process is None, f"{self.name} runs already"
        for _ in range(PORT_ATTEMPTS):
            self._launch(options or {})
            try:
                self._wait_for_rpc()
                return self
            except NodeFailed as error:
                self.kill()
                # Ports cannot be reserved for another process, so the one that binds is the one that decides.
                if "Unable to bind" not in str(error):
                    raise
        raise NodeFailed(f"{self.name}: found no free port in {PORT_ATTEMPTS} attempts")

    def start_fails(self, options: Options | None = None) -> str:
        """Start with options that it must refuse; return what it says on standard error."""
        self._launch(options or {})
        try:
            status = self._running().wait(START_TIMEOUT)
        except subprocess.TimeoutExpired:
            self.kill()
            raise NodeFailed(f"{self.name} started with {options}, and should have refused") from None
        self._process = None
        assert status == 1, f"{self.name} ended with {status}, not as programs that refuse their options do"
        return self._stderr()

    def stop(self) -> None:
        """Stop in good order, with everything on disk."""
        if self._process is None:
            return
        self.rpc.stop()
        self.join()

    def restart(self, options: Options | None = None) -> None:
        """Stop and start, with these options instead of those of the last start."""
        self.stop()
        self.start(options)

    def signal(self, number: int) -> None:
        """Send it a signal."""
        self._running().send_signal(number)

    def kill(self) -> None:
        """End it at once, whatever it does."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None
        self._drop_rpc()

    @property
    def running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    @property
    def pid(self) -> int:
        return self._running().pid

    def _running(self) -> "subprocess.Popen[bytes]":
        assert self._process is not None, f"{self.name} does not run"
        return self._process

    def _launch(self, options: Options) -> None:
        self.rpc_port, self.p2p_port = random.sample(PORTS, 2)
        arguments = [str(self.binary), f"-datadir={self.folder}"]
        options = self.options | options | {"rpcport": self.rpc_port}
        if options.get("listen") == "1":
            options |= {"bind": f"127.0.0.1:{self.p2p_port}"}
        for key, value in options.items():
            for one in value if isinstance(value, list) else [value]:
                if one is not None:
                    arguments.append(f"-{key}={one}")
        with open(self.folder / "stderr.txt", "wb") as stderr:
            self._process = subprocess.Popen(arguments, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                            stderr=stderr, env=self.environment, preexec_fn=_die_with_parent)
        self._rpc = Rpc(self.rpc_port, self.chain_folder / ".cookie")

    def _wait_for_rpc(self) -> None:
        assert self._rpc is not None
        deadline = time.monotonic() + START_TIMEOUT
        while time.monotonic() < deadline:
            if not self.running:
                raise self._failure("ended while it started")
            try:
                self._rpc.getblockcount()
                return
            except RpcUnavailable:
                self._rpc.close()
            except RpcError as error:
                if error.code != RPC_IN_WARMUP:
                    raise
            time.sleep(POLL_INTERVAL)
        raise self._failure(f"did not answer within {START_TIMEOUT} s")

    def join(self) -> None:
        """Wait until it has stopped, which something else has told it; raises NodeFailed if it does not end with status 0."""
        self._drop_rpc()
        try:
            status = self._running().wait(STOP_TIMEOUT)
        except subprocess.TimeoutExpired:
            failure = self._failure(f"did not stop within {STOP_TIMEOUT} s")
            self.kill()
            raise failure from None
        if status != 0:
            failure = self._failure("was stopped")
            self._process = None
            raise failure
        self._process = None

    def _drop_rpc(self) -> None:
        if self._rpc is not None:
            self._rpc.close()
            self._rpc = None

    # Its output

    @property
    def rpc(self) -> "_CheckedRpc":
        """node.rpc.METHOD(arguments); raises NodeFailed if the node has gone."""
        assert self._rpc is not None, f"{self.name} does not run"
        return _CheckedRpc(self, self._rpc)

    def connection(self, timeout: float) -> "_CheckedRpc":
        """The same by a connection of its own: for another thread, or for calls that take long."""
        return _CheckedRpc(self, Rpc(self.rpc_port, self.chain_folder / ".cookie", timeout))

    def log(self, start: int = 0) -> str:
        """Its log, from this byte on."""
        if not self.log_path.exists():
            return ""
        with open(self.log_path, "rb") as file:
            file.seek(start)
            return file.read().decode(errors="replace")

    def log_size(self) -> int:
        return self.log_path.stat().st_size if self.log_path.exists() else 0

    @contextlib.contextmanager
    def logs(self, *expected: str, never: tuple[str, ...] = (), timeout: float = 60) -> Iterator[None]:
        """Assert that the actions inside make it log each of the regular expressions in expected, and none of those in never."""
        start = self.log_size()
        yield
        missing = list(expected)

        def all_found() -> bool:
            text = self.log(start)
            missing[:] = [pattern for pattern in missing if not re.search(pattern, text)]
            return not missing

        try:
            wait_until(all_found, "the log", timeout)
        except TimeoutError:
            raise AssertionError(f"{self.name} did not log {missing}; it logged:\n{self.log(start)}") from None
        text = self.log(start)
        for pattern in never:
            assert not re.search(pattern, text), f"{self.name} logged '{pattern}':\n{text}"

    def _stderr(self) -> str:
        return (self.folder / "stderr.txt").read_text(errors="replace").strip()

    def _failure(self, what: str) -> NodeFailed:
        status = self._process.poll() if self._process else None
        if status is None:
            end = "it still runs"
        elif status < 0:
            end = f"killed by {signal.Signals(-status).name}"
        else:
            end = f"exit status {status}"
        tail = "\n".join(self.log().splitlines()[-LOG_TAIL_LINES:])
        return NodeFailed(f"{self.name} {what} ({end})\n--- standard error\n{self._stderr()}\n--- end of {self.log_path}\n{tail}")

    # Other nodes

    def connect(self, other: "Node") -> None:
        """Connect to another node, and wait until they know each other."""
        before = len(self.rpc.getpeerinfo())
        self.rpc.addconnection(f"127.0.0.1:{other.p2p_port}", "outbound-full-relay", False)
        for node in self, other:
            wait_until(lambda: all(peer["version"] and "verack" in peer["bytesrecv_per_msg"] and "pong" in peer["bytesrecv_per_msg"]
                                   for peer in node.rpc.getpeerinfo()) and len(self.rpc.getpeerinfo()) > before,
                       f"{self.name} and {other.name} to connect")

    def disconnect_all(self) -> None:
        """Disconnect every peer, and wait until they are gone."""
        for peer in self.rpc.getpeerinfo():
            with contextlib.suppress(RpcError):  # gone already
                self.rpc.disconnectnode(nodeid=peer["id"])
        wait_until(lambda: not self.rpc.getpeerinfo(), f"{self.name} to disconnect")


class Nodes:
    """Makes nodes in a directory of their own, and removes them at the end."""

    def __init__(self, binary: Path):
        """binary: bitcoind, where no other is named."""
        self._binary = binary
        self._folder = Path(tempfile.mkdtemp(prefix="slhc-nodes-"))
        self._made: list[Node] = []

    def make(self, options: Options | None = None, binary: Path | None = None, name: str | None = None, environment: dict[str, str] | None = None) -> Node:
        """A node that has not been started."""
        name = name or f"node{len(self._made)}"
        node = Node(binary or self._binary, self._folder / name, options, name, environment)
        self._made.append(node)
        return node

    def close(self, keep: bool) -> None:
        """End them, and delete their directories unless they are to be kept."""
        for node in self._made:
            node.kill()
        if keep:
            print(f"\nthe nodes' directories are in {self._folder}")
        else:
            shutil.rmtree(self._folder, ignore_errors=True)


class _CheckedRpc:
    """An Rpc that reports the node's end, with its log, instead of a connection that failed."""

    def __init__(self, node: Node, rpc: Rpc):
        self._node = node
        self._rpc = rpc

    def __getattr__(self, method: str) -> Any:
        if method.startswith("_"):
            raise AttributeError(method)

        def call(*args: Any, **kwargs: Any) -> Any:
            try:
                return self._rpc.call(method, *args, **kwargs)
            except RpcUnavailable as error:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    self._node._running().wait(2)
                raise self._node._failure(f"did not answer {error}") from error

        return call
