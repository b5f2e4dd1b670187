# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Shared by the tests of slhtool: running it, and keys, trees and spends.

SLHTOOL names the program.
"""

import json
import os
import resource
import subprocess
from pathlib import Path

import seed

TOOL = os.environ.get("SLHTOOL", "slhtool")
if "/" in TOOL:
    TOOL = os.path.abspath(TOOL)  # for tests that go elsewhere
COMMANDS = ["keygen", "pubkey", "sign", "verify", "address", "descriptor", "spend", "psbt", "sighash", "verify-tx", "verify-block", "decode", "debug", "demo", "devices"]
TXID = "11" * 32
LIMIT = 32 * 1024 * 1024  # largest input file, in bytes


# A user's settings for slhtool, or a language that is not installed, must not change the tests.
for variable in ("SLHC_BACKEND", "SLHC_CACHE_DIR", "SLHC_DEVICE_PROGRAM", "SLHC_LOG", "SLHC_THREADS"):
    os.environ.pop(variable, None)
os.environ["LC_ALL"] = "C.UTF-8"


def preloaded(library):
    """Variables with which a program is given this library first. By its bare name: a path that has a space in it would be taken for two."""
    return {"LD_LIBRARY_PATH": os.path.dirname(library), "LD_PRELOAD": os.path.basename(library)}


def seeded(randomness=None):
    """Variables with which slhtool has its random bytes from the seed; randomness: what else they follow from (seed.variables)."""
    return {**preloaded(seed.LIBRARY), **seed.variables(randomness)} if seed.LIBRARY else {}


def environment(env=None, randomness=None):
    """This process's with other variables, and seeded, unless they load something themselves."""
    env = env or {}
    return {**os.environ, **({} if {"LD_LIBRARY_PATH", "LD_PRELOAD"} & env.keys() else seeded(randomness)), **env}


def run(*args, stdin=None, env=None, randomness=None, **kwargs):
    """Run slhtool. stdin: text."""
    result = subprocess.run([TOOL, *map(str, args)], input=stdin, capture_output=True, text=True, timeout=300,
                            env=environment(env, randomness), **kwargs)
    assert "json.exception" not in result.stderr, (args, result.stderr)  # the library's words, which say nothing about the input
    return result


def ok(*args, **kwargs):
    result = run(*args, **kwargs)
    assert result.returncode == 0, (args, result.stdout, result.stderr)
    assert result.stderr == ""
    return result.stdout


def ok_json(*args, **kwargs):
    return json.loads(ok(*args, "--json", **kwargs))


def bad(*args, says, **kwargs):
    """Exit status 2, one line on standard error that says these things, nothing on standard output."""
    result = run(*args, **kwargs)
    assert result.returncode == 2, (args, result.stdout, result.stderr)
    assert result.stdout == ""
    assert result.stderr.startswith("slhtool"), result.stderr
    assert result.stderr.endswith("\n") and result.stderr.count("\n") == 1, result.stderr
    assert len(result.stderr) < 1000
    assert ": slhc_" not in result.stderr, result.stderr  # a function that nobody here has called
    for part in [says] if isinstance(says, str) else says:
        assert part in result.stderr, result.stderr
    return result.stderr


class Files:
    """Keys, trees and spends that many tests share; each is made once."""

    def __init__(self, folder):
        self.folder = folder
        self.pub = {}
        for name, kind in [("alice", "slhdsa"), ("bob", "slhdsa"), ("carol", "slhdsa"), ("dave", "schnorr")]:
            self.pub[name] = ok("keygen", "--type", kind, self.key(name), randomness=name).strip()
        #: of the parameter set 128-q40, whose number stands before the key
        self.pub["erin"] = "28" + ok("keygen", "--set", "128-q40", self.key("erin"), randomness="erin").strip()
        self._spends = {}

    def key(self, name):
        return self.folder / f"{name}.key"

    def tree(self, *leaves):
        data = ok_json("address", *leaves)
        path = self.folder / f"{data['merkle_root']}.tree"
        path.write_text(json.dumps(data))
        return path, data

    def spend(self, name, leaves, keys, *options):
        """A transaction with one input that spends the first leaf that the keys can spend."""
        if name not in self._spends:
            tree, data = self.tree(*leaves)
            out = self.folder / f"{name}.json"
            keys = [arg for key in keys for arg in ("--key", self.key(key))]
            ok("spend", "--outpoint", f"{TXID}:0", "--amount", "100000", "--tree", f"@{tree}", *keys,
               "--to", data["addresses"]["regtest"] + "=95000", "--out", out, *options, randomness=name)
            self._spends[name] = out
        return self._spends[name]

    @property
    def single(self):
        """One SLH-DSA signature."""
        return self.spend("single", [f"pk_slhdsa({self.pub['alice']})", f"pk_schnorr({self.pub['dave']})"], ["alice"])

    @property
    def of_another_set(self):
        """One signature of 128-q40."""
        return self.spend("erin", [f"pk_slhdsa({self.pub['erin']})", f"pk_slhdsa({self.pub['alice']})"], ["erin"])

    @property
    def schnorr(self):
        """One Schnorr signature, in the other leaf of the same tree."""
        return self.spend("schnorr", [f"pk_slhdsa({self.pub['alice']})", f"pk_schnorr({self.pub['dave']})"], ["dave"])


def change(path, out, **members):
    """A copy of a JSON file with other members."""
    data = json.loads(Path(path).read_text())
    for name, value in members.items():
        if value is None:
            data.pop(name, None)
        else:
            data[name] = value
    out.write_text(json.dumps(data))
    return out


def elements_at(tx):
    """Where the elements of each input's witness are in an extended transaction: (start, size)."""
    at = 6  # after version, marker and flag

    def skip(size):
        nonlocal at
        at += size
        return at - size, size

    def compact_size():
        start, _ = skip(1)
        size = {0xfd: 2, 0xfe: 4, 0xff: 8}.get(tx[start], 0)
        start, _ = skip(size) if size else (start, 1)
        return int.from_bytes(tx[start:at], "little")

    inputs = compact_size()
    for _ in range(inputs):
        skip(36)
        skip(compact_size())
        skip(4)
    for _ in range(compact_size()):
        skip(8)
        skip(compact_size())
    return [[skip(compact_size()) for _ in range(compact_size())] for _ in range(inputs)]


def tampered(path, out, signature_size=7856):
    """A copy of a spend whose first SLH-DSA signature has one bit flipped."""
    data = json.loads(Path(path).read_text())
    tx = bytearray.fromhex(data["tx"])
    at = next(start for elements in elements_at(tx) for start, size in elements if size == signature_size)
    tx[at + 4000] ^= 1
    return change(path, out, tx=tx.hex(), txid=None)


def check_valid(path, inputs=1):
    for mode in [[], ["--batch"]]:
        data = ok_json("verify-tx", path, *mode)
        assert data["valid"] is True
        assert len(data["transactions"][0]["inputs"]) == inputs
    return data


def sum_witness(tx):
    """Bytes of a transaction that weigh one unit: marker, flag and witness."""
    decoded = json.loads(ok("decode", "tx", tx, "--json"))
    return 2 + sum(txin["witness"]["size"] for txin in decoded["inputs"])


def spend_args(files, **options):
    tree, data = files.tree(f"pk_slhdsa({files.pub['alice']})", f"pk_schnorr({files.pub['dave']})")
    args = {"outpoint": f"{TXID}:0", "amount": "5000", "tree": f"@{tree}", "key": files.key("dave"), "to": data["addresses"]["regtest"] + "=4000", **options}
    return ["spend"] + [text for name, value in args.items() if value is not None for text in (f"--{name}", str(value))]


def memory_limited(megabytes):
    """The command to put before slhtool, so that it gets no more memory than this; None if it needs more by itself."""
    with open(TOOL, "rb") as program:
        if b"__asan_init" in program.read() or b"__tsan_init" in program.read():
            return None
    size = megabytes << 20
    return lambda: resource.setrlimit(resource.RLIMIT_AS, (size, size))


def time_limited(seconds):
    """The command to put before slhtool, so that it gets no more processor time than this."""
    return lambda: resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))


def witness_of(spend):
    """The serialized witness of the first input."""
    elements = ok_json("decode", "tx", f"@{spend}")["inputs"][0]["witness"]["elements"]

    def compact_size(n):
        return f"{n:02x}" if n < 253 else "fd" + n.to_bytes(2, "little").hex()
    return f"{len(elements):02x}" + "".join(compact_size(each["size"]) + each["hex"] for each in elements)
