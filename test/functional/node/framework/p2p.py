# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""A peer that a test plays: it connects to a node that listens, and sends what the test wants to be seen."""

import contextlib
import socket
import struct
import threading
import time
from collections.abc import Callable, Sequence
from types import TracebackType

import seed
from slhconsensus import CBlock, CTransaction

from framework.blocks import compact_size, sha256d
from framework.node import Node, wait_until

REGTEST_MAGIC = bytes.fromhex("fabfb5da")
PROTOCOL_VERSION = 70016
SERVICES = 1 | 1 << 3  # NODE_NETWORK, NODE_WITNESS
HEADER = struct.Struct("<4s12sI4s")  # magic, command, size and checksum of the payload
MSG_TX, MSG_BLOCK, MSG_WTX = 1, 2, 5
MSG_WITNESS_FLAG = 1 << 30
COMPACT_BLOCKS_VERSION = 2

Item = tuple[int, bytes]  # of an inventory: type and hash


class Peer:
    """One connection. What the node sends is kept in messages, as (command, payload); pings are answered.

    Args:
        wtxid_relay: whether the peer announces and wants transactions by wtxid (BIP 339).
    """

    def __init__(self, node: Node, wtxid_relay: bool = True):
        self.node = node
        self.messages: list[tuple[str, bytes]] = []
        self.connected = True
        self._pings = 0
        self._socket = socket.create_connection(("127.0.0.1", node.p2p_port), timeout=60)
        self._socket.settimeout(None)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        address = struct.pack("<Q", SERVICES) + bytes(18)
        self.send("version", struct.pack("<iQq", PROTOCOL_VERSION, SERVICES, int(time.time())) + address + address
                  + seed.getrandom(8) + b"\x00" + struct.pack("<i?", 0, True))
        self.wait_for("version")
        if wtxid_relay:
            self.send("wtxidrelay")
        self.send("sendcmpct", struct.pack("<?Q", False, COMPACT_BLOCKS_VERSION))
        self.send("verack")
        self.wait_for("verack")
        self.sync()

    def __enter__(self) -> "Peer":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """End the connection, and wait until the node has noticed."""
        with contextlib.suppress(OSError):  # closed by the node
            self._socket.shutdown(socket.SHUT_RDWR)
        self._reader.join()
        self._socket.close()
        wait_until(lambda: not self.node.rpc.getpeerinfo(), f"{self.node.name} to disconnect")

    # Messages

    def send(self, command: str, payload: bytes = b"") -> None:
        self._socket.sendall(HEADER.pack(REGTEST_MAGIC, command.encode(), len(payload), sha256d(payload)[:4]) + payload)

    def received(self, command: str, start: int = 0) -> list[bytes]:
        """The payloads of these messages, from position start of messages on."""
        return [payload for name, payload in self.messages[start:] if name == command]

    def wait_for(self, command: str, condition: Callable[[bytes], bool] = lambda payload: True, start: int = 0) -> bytes:
        """Wait for a message whose payload meets the condition, and return it."""
        def found() -> list[bytes]:
            assert self.connected, f"{self.node.name} disconnected while a {command} was waited for"
            return [payload for payload in self.received(command, start) if condition(payload)]

        payload: bytes = wait_until(found, f"{self.node.name} to send {command}")[0]
        return payload

    def sync(self) -> None:
        """Wait until the node has handled what was sent. (It handles the messages of a peer in their order.)"""
        self._pings += 1
        nonce = struct.pack("<Q", self._pings)
        self.send("ping", nonce)
        self.wait_for("pong", lambda payload: payload == nonce)

    def wait_for_disconnect(self) -> None:
        wait_until(lambda: not self.connected, f"{self.node.name} to disconnect the peer")

    def _read(self) -> None:
        buffer = b""
        try:
            while data := self._socket.recv(1 << 16):
                buffer += data
                while len(buffer) >= HEADER.size:
                    magic, command, size, checksum = HEADER.unpack_from(buffer)
                    assert magic == REGTEST_MAGIC
                    if len(buffer) < HEADER.size + size:
                        break
                    payload, buffer = buffer[HEADER.size:HEADER.size + size], buffer[HEADER.size + size:]
                    assert sha256d(payload)[:4] == checksum
                    name = command.rstrip(b"\0").decode()
                    if name == "ping":
                        self.send("pong", payload)
                    self.messages.append((name, payload))
        except OSError:
            pass  # closed by either side
        self.connected = False

    # Transactions

    def announce(self, item: Item) -> None:
        self.send("inv", b"\x01" + struct.pack("<I", item[0]) + item[1])

    def wait_for_request(self, item: Item, start: int = 0) -> None:
        """Wait until the node asks for this."""
        wanted = struct.pack("<I", item[0]) + item[1]
        # A getdata has less than 253 items here.
        self.wait_for("getdata", lambda payload: wanted in [payload[n:n + 36] for n in range(1, len(payload), 36)], start)

    def send_tx(self, tx: CTransaction) -> None:
        """Send a transaction, and wait until the node has judged it."""
        self.send("tx", tx.serialize())
        self.sync()

    # Blocks

    def send_block(self, block: CBlock) -> None:
        self.send("block", block.serialize())

    def send_compact_block(self, block: CBlock, missing: Sequence[int]) -> None:
        """Send a compact block (BIP 152) that has all transactions but these. They get short identifiers that no transaction of the
        mempool has, so that the node asks for them."""
        prefilled = [n for n in range(len(block.vtx)) if n not in missing]
        payload = block.serialize_header() + seed.getrandom(8)
        payload += compact_size(len(missing)) + b"".join(seed.getrandom(6) for _ in missing)
        payload += compact_size(len(prefilled))
        previous = -1
        for n in prefilled:
            payload += compact_size(n - previous - 1) + block.vtx[n].serialize()
            previous = n
        self.send("cmpctblock", payload)

    def send_block_transactions(self, block: CBlock, indices: Sequence[int]) -> None:
        """Answer the node's getblocktxn."""
        self.send("blocktxn", block.hash + compact_size(len(indices)) + b"".join(block.vtx[n].serialize() for n in indices))


def wtxid(tx: CTransaction) -> Item:
    return MSG_WTX, tx.wtxid


def witness_txid(tx: CTransaction) -> Item:
    """As a node asks for a transaction of which it knows the txid alone, such as the parent of an orphan."""
    return MSG_TX | MSG_WITNESS_FLAG, tx.txid
