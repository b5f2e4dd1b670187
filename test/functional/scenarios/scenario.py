# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Scenario files: script tests that are written without code. README.md beside this file has the format.

    python3 test/functional/scenarios/scenario.py [--write FOLDER] FILE...

runs the cases of files and prints a line for each; with --write, each case also becomes a file for slhtool. Exit status:
0: every case is as expected, 1: one is not, 2: a file is malformed, or the runner lacks what it cannot do without,
77: every file was skipped, for lack of something that only some files need.
"""

from __future__ import annotations

import argparse
import dataclasses
import functools
import hashlib
import importlib
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

#: How to get PyYAML and coincurve, with the package.
EXTRA = "pip install './contrib/python[test]' has it"

try:
    import slhconsensus as slhc
    from slhconsensus.testing import ExperimentSigner
    from places import ScenarioError, Value, read_file
except ImportError as missing:
    if __name__ != "__main__":
        raise
    hints = {"yaml": f"PyYAML is not installed ({EXTRA})",
             "slhconsensus": "the package slhconsensus is not installed (see contrib/python/README.md, or let PYTHONPATH name contrib/python/src)"}
    print(f"scenario.py: {hints.get(missing.name or '', str(missing))}", file=sys.stderr)
    sys.exit(2)

try:
    coincurve: Any = importlib.import_module("coincurve")
except ImportError:  # Schnorr signatures alone need it
    coincurve = None

T = TypeVar("T")

VALID = "VALID"
OUTPUTS = ("p2mr", "p2tr", "p2sh-p2mr")
MAX_ELEMENT_SIZE = 4_000_000
MAX_TREE_DEPTH = 128
MAX_COUNT = 1000  # of inputs and of outputs
# What else a transaction spends and pays to, so that policy has no objection: an anchor, and P2WSH of OP_1
OTHER_COIN, PAID = bytes.fromhex("51024e73"), b"\x00\x20" + hashlib.sha256(b"\x51").digest()

CASE_MEMBERS = ("spend", "witness", "annex", "transaction", "flags", "expect", "mempool", "deferred")
FILE_MEMBERS = ("title", "keys", "leaves", "tree", "output", "anyone_can_spend", *CASE_MEMBERS, "cases")
SOURCES = ("sign", "script", "control", "bytes", "fill")
SIGN_MEMBERS = ("hashtype", "leaf", "annex", "key_version", "codeseparator", "ctx")
DAMAGE_MEMBERS = ("cut", "flip", "append")


class Unavailable(Exception):
    """The scenario needs something that this machine lacks: it is skipped."""


@functools.cache
def _experiment(seed: bytes, parameter_set: str) -> ExperimentSigner:
    """Signs at once where an honest key takes seconds, and a verifier sees no difference."""
    return ExperimentSigner(seed, parameter_set)


@dataclass
class Key:
    """A key of the file, made from its name so that a scenario is the same each time."""

    kind: str  #: "slhdsa", "schnorr", or "bytes"
    public: bytes  #: as a script has it
    secret: bytes = b""
    parameter_set: str = "128s"

    @classmethod
    def make(cls, name: str, kind: str) -> Key:
        """The key of this name. Raises ValueError for an unknown kind."""
        seed = hashlib.sha512(f"scenario key {name}".encode()).digest()
        if kind == "slhdsa":
            secret = slhc.SecretKey.from_seed(seed[:slhc.SEED_SIZE])
            return cls(kind, secret.public_key.data, bytes(secret))
        if kind.startswith("slhdsa ") and kind != "slhdsa 128s":
            parameter_set = kind.removeprefix("slhdsa ").strip()
            return cls("slhdsa", _experiment(seed[:slhc.SEED_SIZE], parameter_set).public_key().element, seed[:slhc.SEED_SIZE], parameter_set)
        if kind == "schnorr":
            if coincurve is None:
                raise Unavailable(f"no Schnorr signatures: coincurve is not installed ({EXTRA})")
            return cls(kind, coincurve.PrivateKey(seed[:32]).public_key.format()[1:], seed[:32])
        if kind.startswith("<") and kind.endswith(">"):
            return cls("bytes", slhc.parse_hex(kind[1:-1]))
        raise ValueError(f"a key is slhdsa, slhdsa and a parameter set, schnorr, or bytes (<00ff>), not {kind!r}")

    @property
    def key_version(self) -> int:
        """The key version of this key's signatures in BIP 342's signature message."""
        if self.kind == "schnorr":
            return slhc.KEY_VERSION_BIP340
        return slhc.KEY_VERSION_SLHDSA if self.parameter_set == "128s" else slhc.KEY_VERSION_SLHDSA_SETS

    def sign(self, message: bytes, ctx: bytes) -> bytes:
        """A deterministic signature. Raises ValueError if nobody can sign with this key."""
        if self.kind == "slhdsa" and self.parameter_set != "128s":
            return _experiment(self.secret, self.parameter_set).sign(message, ctx=ctx)
        if self.kind == "slhdsa":
            return slhc.SecretKey(self.secret).sign(message, ctx, deterministic=True)
        if self.kind == "schnorr":
            if ctx:
                raise ValueError("only SLH-DSA takes a ctx")
            return bytes(coincurve.PrivateKey(self.secret).sign_schnorr(message, bytes(32)))
        raise ValueError("nobody can sign with a key that is given as bytes")


@dataclass
class Spending:
    """The transaction around the input that is tested."""

    version: int = 2
    locktime: int = 0
    sequence: int = slhc.SEQUENCE_FINAL
    amount: int = 100_000
    inputs: int = 1
    input: int = 0
    outputs: int = 1


@dataclass
class Case:
    """One test: a spend, and what verification has to say about it."""

    name: str
    tree: slhc.ScriptTree
    leaves: Mapping[str, slhc.TreeLeaf]
    keys: Mapping[str, Key]
    output: str
    expect: str
    spend: str | None = None
    witness: Sequence[Value] = field(default_factory=list)
    annex: bytes | None = None
    transaction: Spending = field(default_factory=Spending)
    flags: int = slhc.VerifyFlags.CONSENSUS
    mempool: str | None = None  #: what a node's mempool says, if not the same
    deferred: int | None = None  #: signature checks that have to be in the batch

    def transaction_and_outputs(self, outpoints: Sequence[slhc.COutPoint] | None = None) -> tuple[slhc.CTransaction, list[slhc.CTxOut]]:
        """The signed transaction, and what it spends.

        outpoints: where that is, one for each input; made up, if there is no chain.
        """
        fields = self.transaction
        outpoints = outpoints or [slhc.COutPoint(hashlib.sha256(b"coin %d" % i).digest(), i) for i in range(fields.inputs)]
        tx = slhc.CTransaction(version=fields.version, nLockTime=fields.locktime)
        tx.vin = [slhc.CTxIn(outpoint, b"", fields.sequence) for outpoint in outpoints]
        tx.vout = [slhc.CTxOut(1000 + i, PAID) for i in range(fields.outputs)]
        spent = [slhc.CTxOut(fields.amount + i, OTHER_COIN) for i in range(fields.inputs)]
        spent[fields.input].scriptPubKey = self._script_pubkey(tx.vin[fields.input])
        unsigned = slhc.PrecomputedTransaction(tx, spent)
        stack = [self._element(value, unsigned) for value in self.witness]
        if self.spend is not None:
            leaf = self.leaves[self.spend]
            stack += [bytes(leaf.script), self._control_block(leaf)]
            if self.annex is not None:
                stack.append(self.annex)
        tx.witness(fields.input)[:] = stack
        return tx, spent

    def spend_file(self) -> str:
        """The case as slhtool reads it, in JSON."""
        tx, spent = self.transaction_and_outputs()
        return json.dumps({
            "description": self.name,
            "tx": tx.serialize().hex(),
            "spent_outputs": [{"amount": output.nValue, "script_pubkey": output.scriptPubKey.hex()} for output in spent],
            "flags": ",".join(str(flag.name) for flag in slhc.VerifyFlags(self.flags)) or "NONE",
        }, indent=2) + "\n"

    def _script_pubkey(self, txin: slhc.CTxIn) -> bytes:
        if self.output == "p2tr":
            return self.tree.taproot().script_pubkey()
        program = self.tree.script_pubkey(anyone_can_spend=True)  # which read_scenario() has looked at
        if self.output == "p2mr":
            return program
        txin.scriptSig = slhc.push(program)
        return slhc.CScript([slhc.OP_HASH160, _hash160(program), slhc.OP_EQUAL])

    def _control_block(self, leaf: slhc.TreeLeaf) -> bytes:
        return self.tree.taproot().control_block(leaf) if self.output == "p2tr" else leaf.control_block

    def _element(self, value: Value, tx: slhc.PrecomputedTransaction) -> bytes:
        if not value.is_mapping:
            return value.parsed(self._push)
        members = value.members(*SOURCES, *SIGN_MEMBERS, *DAMAGE_MEMBERS, "byte")
        sources = [name for name in SOURCES if name in members]
        if len(sources) != 1:
            raise value.fail(f"expected one of {', '.join(SOURCES)}, not {len(sources)} of them")
        source = sources[0]
        allowed = {source, *DAMAGE_MEMBERS, *(SIGN_MEMBERS if source == "sign" else ()), *(("byte",) if source == "fill" else ())}
        for name, member in members.items():
            if name not in allowed:
                raise member.fail(f"{name!r} cannot be combined with {source!r}")
        given = members[source]
        if source == "sign":
            data = self._signature(members, tx)
        elif source == "script":
            data = bytes(_lookup(given, self.leaves, "leaf").script)
        elif source == "control":
            data = self._control_block(_lookup(given, self.leaves, "leaf"))
        elif source == "bytes":
            data = given.parsed(slhc.parse_hex)
        else:
            data = bytes([members["byte"].number(0, 255) if "byte" in members else 0]) * given.number(0, MAX_ELEMENT_SIZE)
        return _damaged(data, members)

    def _push(self, text: str) -> bytes:
        """An element in the notation of scripts: what one push leaves on the stack."""
        items = list(slhc.parse_script(text, {name: key.public for name, key in self.keys.items()}).raw_iter())
        if len(items) == 1:
            opcode, data, _ = items[0]
            if opcode <= slhc.OP_PUSHDATA4:
                return data
            if opcode == slhc.OP_1NEGATE or slhc.OP_1 <= opcode <= slhc.OP_16:
                return slhc.script_number(int(opcode) - slhc.OP_RESERVED)
        raise ValueError(f"{text!r} is not a single push, such as <00ff>, <>, <@alice> or 144")

    def _signature(self, members: Mapping[str, Value], tx: slhc.PrecomputedTransaction) -> bytes:
        key = _lookup(members["sign"], self.keys, "key")
        hash_type = members["hashtype"].parsed(_hash_type) if "hashtype" in members else 0
        annex = _annex(members["annex"]) if "annex" in members else self.annex
        codeseparator = members["codeseparator"].number(0, 0xFFFFFFFE) if "codeseparator" in members else None
        ctx = members["ctx"].parsed(slhc.parse_hex) if "ctx" in members else b""
        key_version = members["key_version"].number(0, 255) if "key_version" in members else key.key_version
        if "leaf" in members:
            leaf = _lookup(members["leaf"], self.leaves, "leaf")
        elif self.spend is not None:
            leaf = self.leaves[self.spend]
        else:
            raise members["sign"].fail("which leaf does this sign for? Give 'leaf' here, or 'spend' in the case")

        def sign(_: str) -> bytes:
            message = tx.signature_hash(self.transaction.input, hash_type, leaf_hash=leaf.hash, key_version=key_version, annex=annex,
                                        codeseparator=codeseparator)
            return slhc.with_hash_type(key.sign(message, ctx), hash_type)

        return members["sign"].parsed(sign)

    def run(self) -> tuple[str, str, int]:
        """The results of verifying at once and with a batch (VALID or a script error), and the checks in that batch."""
        tx, spent = self.transaction_and_outputs()
        transaction = slhc.PrecomputedTransaction(tx, spent)
        n_in = self.transaction.input
        # Without a cache of valid signatures the second verification finds nothing of the first.
        with slhc.Context() as context, slhc.Batch(context) as batch:
            eager = slhc.verify_input(transaction, n_in, self.flags, context=context)
            deferred = slhc.verify_input(transaction, n_in, self.flags, batch=batch, context=context)
            checks = len(batch)
            if deferred.verdict is slhc.Verdict.DEFERRED:
                result = batch.verify()
                return eager.script_error or VALID, result.failure.script_error if result.failure else VALID, checks
            return eager.script_error or VALID, deferred.script_error or VALID, checks


def _hash160(data: bytes) -> bytes:
    try:
        return hashlib.new("ripemd160", hashlib.sha256(data).digest()).digest()
    except ValueError as error:  # OpenSSL may have been built without it
        raise Unavailable(f"no RIPEMD-160 in this Python: {error}") from None


def _lookup(value: Value, known: Mapping[str, T], what: str) -> T:
    if value.text() not in known:
        raise value.fail(f"no {what} is named {value.text()!r} (known: {', '.join(known) or 'none'})")
    return known[value.text()]


def _damaged(data: bytes, members: Mapping[str, Value]) -> bytes:
    if "cut" in members:
        data = data[:members["cut"].number(0, len(data))]
    if "flip" in members:
        if not data:
            raise members["flip"].fail("there is no byte to flip")
        position = members["flip"].number(0, len(data) - 1)
        data = data[:position] + bytes([data[position] ^ 1]) + data[position + 1:]
    if "append" in members:
        data += members["append"].parsed(slhc.parse_hex)
    return data


def _hash_type(text: str) -> int:
    made: int = slhc.SigHash.DEFAULT
    for name in text.split("|"):
        if name.strip() not in slhc.SigHash.__members__:
            raise ValueError(f"{name.strip()!r} is not a hash type ({', '.join(slhc.SigHash.__members__)}, joined with |)")
        made |= slhc.SigHash[name.strip()]
    return made


def _annex(value: Value) -> bytes | None:
    return None if value.text() == "none" else value.parsed(slhc.parse_hex)


def _flags(value: Value) -> int:
    flags = slhc.VerifyFlags.NONE
    for item in value.items() if value.is_list else [value]:
        name = item.text()
        remove = name.startswith("-")
        name = name.removeprefix("-")
        if name not in slhc.VerifyFlags.__members__:
            raise item.fail(f"{name!r} is not a flag ({', '.join(slhc.VerifyFlags.__members__)})")
        flags = flags & ~slhc.VerifyFlags[name] if remove else flags | slhc.VerifyFlags[name]
    return int(flags)


def _expect(text: str) -> str:
    if text != VALID and text not in slhc.SCRIPT_ERRORS[1:]:
        raise ValueError(f"{text!r} is neither {VALID} nor a script error such as SCRIPT_ERR_SLHDSA_SIG")
    return text


def _output(text: str) -> str:
    if text not in OUTPUTS:
        raise ValueError(f"{text!r} is not an output type ({', '.join(OUTPUTS)})")
    return text


def _transaction(value: Value) -> Spending:
    members = value.members(*(each.name for each in dataclasses.fields(Spending)))
    limits = {"version": (0, 0xFFFFFFFF), "locktime": (0, 0xFFFFFFFF), "sequence": (0, 0xFFFFFFFF), "amount": (0, 21_000_000 * slhc.COIN),
              "inputs": (1, MAX_COUNT), "input": (0, MAX_COUNT), "outputs": (0, MAX_COUNT)}
    made = Spending(**{name: member.number(*limits[name]) for name, member in members.items()})
    if made.input >= made.inputs:
        raise value.fail(f"input {made.input} is tested, but the last one is {made.inputs - 1}")
    return made


def _leaf(value: Value, keys: Mapping[str, bytes]) -> slhc.Leaf:
    version = slhc.LEAF_VERSION_TAPSCRIPT
    if value.is_mapping:
        members = value.members("version", "script")
        if "script" not in members:
            raise value.fail("a leaf needs a script")
        if "version" in members:
            version = members["version"].number(0, 254)
            if version % 2:
                raise members["version"].fail(f"leaf version {version:#x} is odd")
        value = members["script"]
    return slhc.Leaf(value.parsed(lambda text: slhc.parse_script(text, keys)), version)


def _true(text: str) -> bool:
    if text != "true":
        raise ValueError("it is true, or left out")
    return True


def _tree(value: Value, leaves: Mapping[str, slhc.Leaf], used: list[str], depth: int = 0) -> slhc.tree.TreeSpec:
    """The tree that names of leaves in nested pairs spell. used: filled with the names from left to right."""
    if depth > MAX_TREE_DEPTH:
        raise value.fail(f"the tree is deeper than {MAX_TREE_DEPTH} levels")
    if not value.is_list:
        leaf = _lookup(value, leaves, "leaf")
        if value.text() in used:
            raise value.fail(f"leaf {value.text()!r} is in the tree twice")
        used.append(value.text())
        return leaf
    sides = list(value.items())
    if len(sides) != 2:
        raise value.fail(f"a branch of a tree has two sides, not {len(sides)}")
    return [_tree(side, leaves, used, depth + 1) for side in sides]


def _case(name: str, place: Value, members: Mapping[str, Value], base: Case) -> Case:
    case = dataclasses.replace(base, name=name)
    if "expect" not in members:
        raise place.fail(f"'expect' is missing: {VALID} or a script error")
    case.expect = members["expect"].parsed(_expect)
    if "spend" in members:
        _lookup(members["spend"], case.leaves, "leaf")
        case.spend = members["spend"].text()
    if "witness" in members:
        case.witness = list(members["witness"].items())
    if "annex" in members:
        case.annex = _annex(members["annex"])
        if case.annex is not None and case.spend is None:
            raise members["annex"].fail("without 'spend', the annex belongs in the witness")
    if "transaction" in members:
        case.transaction = _transaction(members["transaction"])
    if "flags" in members:
        case.flags = _flags(members["flags"])
    if "mempool" in members:
        case.mempool = members["mempool"].parsed(lambda text: _expect(text) if text.startswith("SCRIPT_ERR_") else text)
    if "deferred" in members:
        case.deferred = members["deferred"].number(0, MAX_COUNT)
    return case


def read_scenario(path: Path, name: str | None = None) -> list[Case]:
    """The cases of a file. Raises ScenarioError, which names the place, or Unavailable."""
    root = read_file(path, name)
    members = root.members(*FILE_MEMBERS)
    for needed in ("title", "leaves"):
        if needed not in members:
            raise root.fail(f"{needed!r} is missing")
    members["title"].text()
    keys: dict[str, Key] = {}
    for key, value in members["keys"].mapping().items() if "keys" in members else ():
        keys[key] = value.parsed(functools.partial(Key.make, key))
    public = {key: made.public for key, made in keys.items()}
    leaves = {leaf: _leaf(value, public) for leaf, value in members["leaves"].mapping().items()}
    if not leaves:
        raise members["leaves"].fail("there is no leaf")
    if "tree" in members:
        used: list[str] = []
        tree = slhc.ScriptTree(_tree(members["tree"], leaves, used))
    else:
        used = list(leaves)
        tree = slhc.ScriptTree.balanced(list(leaves.values()))
    output = members["output"].parsed(_output) if "output" in members else "p2mr"
    anyone_can_spend = "anyone_can_spend" in members and members["anyone_can_spend"].parsed(_true)
    base = Case("", tree, dict(zip(used, tree.leaves, strict=True)), keys, output, "")
    if "cases" not in members:
        cases = [_case("", root, members, base)]
    else:
        common = {name: members[name] for name in CASE_MEMBERS if name in members}
        cases = [_case(name, value, {**common, **value.members(*CASE_MEMBERS)}, base) for name, value in members["cases"].mapping().items()]
        if not cases:
            raise members["cases"].fail("there is no case")
    if output != "p2tr" and len(used) == 1 and not anyone_can_spend:
        raise members["leaves"].fail("anyone can spend a P2MR output with a single leaf: add a leaf, or say 'anyone_can_spend: true'")
    return cases


def main(arguments: Sequence[str]) -> int:
    """The exit status, see above."""
    parser = argparse.ArgumentParser(description="Run scenario files.")
    parser.add_argument("files", nargs="+", metavar="FILE")
    parser.add_argument("--write", type=Path, metavar="FOLDER", help="write each case as FILE-NUMBER.json, for slhtool debug and verify-tx")
    options = parser.parse_args(arguments)
    status = 0
    skipped = 0
    for file in options.files:
        try:
            for number, case in enumerate(read_scenario(Path(file)), 1):
                if options.write is not None:
                    options.write.mkdir(parents=True, exist_ok=True)
                    (options.write / f"{Path(file).stem}-{number}.json").write_text(case.spend_file())
                eager, deferred, checks = case.run()
                good = eager == deferred == case.expect and case.deferred in (None, checks)
                print(f"{'ok    ' if good else 'FAILED'} {file}{': ' if case.name else ''}{case.name}: {eager}"
                      + ("" if good else f" at once, {deferred} with a batch of {checks}; expected {case.expect}"
                         + ("" if case.deferred is None else f" with {case.deferred}")))
                status = max(status, int(not good))
        except Unavailable as error:
            print(f"SKIPPED {file}: {error}")
            skipped += 1
        except ScenarioError as error:
            print(error, file=sys.stderr)
            status = 2
    return 77 if skipped == len(options.files) else status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
