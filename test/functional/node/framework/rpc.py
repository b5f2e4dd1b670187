# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""JSON-RPC to a node that runs on this machine, by the cookie in its data directory."""

import base64
import http.client
import json
from pathlib import Path
from typing import Any, Callable

TIMEOUT = 120  # seconds that one call may take


class RpcError(Exception):
    """The node answered with an error."""

    def __init__(self, method: str, error: dict[str, Any]):
        super().__init__(f"{method}: {error['message']} ({error['code']})")
        self.code: int = error["code"]
        self.message: str = error["message"]


class RpcUnavailable(Exception):
    """Nothing answers there, or not yet."""


class Rpc:
    """One connection: rpc.getblockhash(7) calls that method with that argument; keywords are named arguments."""

    def __init__(self, port: int, cookie: Path, timeout: float = TIMEOUT):
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout)
        self._cookie = cookie
        self._headers: dict[str, str] = {}

    def call(self, method: str, *args: Any, **kwargs: Any) -> Any:
        """Call a method by its name."""
        if args and kwargs:
            kwargs["args"] = args
        body = json.dumps({"jsonrpc": "2.0", "id": 0, "method": method, "params": kwargs or args})
        try:
            if not self._headers:
                secret = base64.b64encode(self._cookie.read_bytes()).decode()
                self._headers = {"Authorization": "Basic " + secret, "Content-Type": "application/json"}
            self._connection.request("POST", "/", body, self._headers)
            response = self._connection.getresponse()
            text = response.read()
        except (OSError, http.client.HTTPException) as error:
            self._connection.close()
            raise RpcUnavailable(f"{method}: {error!r}") from error
        if response.status != 200:
            self.close()
            raise RpcUnavailable(f"{method}: HTTP status {response.status}")
        reply = json.loads(text)
        if "error" in reply:
            raise RpcError(method, reply["error"])
        return reply["result"]

    def close(self) -> None:
        """Close the connection; the next call opens another, with the cookie that the node has then."""
        self._connection.close()
        self._headers = {}

    def __getattr__(self, method: str) -> Callable[..., Any]:
        if method.startswith("_"):
            raise AttributeError(method)
        return lambda *args, **kwargs: self.call(method, *args, **kwargs)
