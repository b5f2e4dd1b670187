#!/usr/bin/env python3
# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Verifies transactions by the reference model:  python3 verify.py [--json] [--trace] [--flags FLAGS] FILE...

A FILE is JSON, as slhtool spend writes it and slhtool verify-tx reads it:
  {"tx": HEX, "spent_outputs": [{"amount": 100000, "script_pubkey": HEX}], "flags": "consensus"}
with one spent output for each input, in order. What slhtool refuses is refused, except that a FILE may have any size and number of values, and also the other
members of a test vector (name, clauses, comment, input, error, opcode_pos, trace), which are not looked at. Exit status 0: all inputs are valid; 1: some are not; 2: bad usage or bad input;
3: some inputs are not modelled (they need ECDSA), and no other is invalid."""

import argparse
import json
import math
import re
import sys
from pathlib import Path

import slhdsa
from script import CONSENSUS_FLAGS, FLAG_NAMES, STANDARD_FLAGS, NotModelled, ScriptError
from transaction import TxOut, parse_tx, txid, weight
from validation import verify_input

# The members that a FILE may have: those of slhtool's files, and the others of a test vector.
MEMBERS = {"tx", "spent_outputs", "flags", "txid", "wtxid", "weight", "description"} | {"name", "clauses", "comment", "input", "error", "opcode_pos", "trace"}
NAMED = {"consensus": CONSENSUS_FLAGS, "consensus,SLHDSA_SETS": CONSENSUS_FLAGS | {"SLHDSA_SETS"}, "standard": STANDARD_FLAGS, "NONE": frozenset()}
MAX_BLOCK_WEIGHT = 4_000_000
MAX_DEPTH = 32  # of a value in arrays and objects, for slhtool


class BadInput(Exception):
    pass


def parse_flags(text):
    """A set of names from 'consensus', 'standard', 'NONE', or names with commas."""
    if not isinstance(text, str):
        raise BadInput("flags: not a string")
    flags = NAMED[text] if text in NAMED else frozenset(text.split(",") if text else ())
    unknown = sorted(flags - set(FLAG_NAMES))
    if unknown:
        raise BadInput(f"flags: unknown script verification flag '{unknown[0]}'")
    if "WITNESS" in flags and "P2SH" not in flags:
        raise BadInput("flags: WITNESS needs P2SH")
    if "CLEANSTACK" in flags and not flags >= {"P2SH", "WITNESS"}:
        raise BadInput("flags: CLEANSTACK needs P2SH and WITNESS")
    return flags


def format_flags(flags):
    """The text that parse_flags reads as these."""
    for name, named in NAMED.items():
        if flags == named:
            return name
    return ",".join(name for name in FLAG_NAMES if name in flags) or "NONE"


def from_hex(value, where):
    if not isinstance(value, str):
        raise BadInput(f"{where}: not hex")
    digits = value.strip(" \t\r\n")
    if len(digits) % 2 or not re.fullmatch("[0-9a-fA-F]*", digits):  # fromhex() takes spaces between bytes
        raise BadInput(f"{where}: not hex")
    return bytes.fromhex(digits)


def members(pairs):
    """A JSON object. Of a member that is there twice, another program may take the other one."""
    made = dict(pairs)
    if len(made) != len(pairs):
        raise BadInput("an object has a member twice")
    return made


def no_number(text):
    raise BadInput(f"{text} is not JSON")


def number(text):
    """An int is a whole number, 0 or more, written as such; -0 is none."""
    if math.isinf(float(text)):
        raise BadInput("a number is out of range")
    return int(text) if text.isdigit() else float(text)


def check(value, depth=0):
    """Refuses what Python's JSON takes: deep nesting, and text with half of a surrogate pair, which is not Unicode."""
    if depth > MAX_DEPTH:
        raise BadInput(f"nested deeper than {MAX_DEPTH} levels")
    if isinstance(value, str):
        value.encode()  # raises a ValueError
    elif isinstance(value, (dict, list)):
        for inner in [*value, *value.values()] if isinstance(value, dict) else value:
            check(inner, depth + 1)


def read(data):
    """Parse the bytes of a file. A byte order mark before it is passed over."""
    content = json.loads(data.decode("utf-8-sig"), object_pairs_hook=members, parse_constant=no_number, parse_int=number, parse_float=number)
    check(content)
    return content


def only(names, content, where):
    if not isinstance(content, dict):
        raise BadInput(f"{where}: not an object")
    for unknown in sorted(content.keys() - names):
        raise BadInput(f"{where}: unknown member {unknown!a}")


def load(content):
    """Transaction, spent outputs and flags from a spend file's content."""
    only(MEMBERS, content, "top level")
    for member in ("tx", "spent_outputs"):
        if member not in content:
            raise BadInput(f"no member '{member}'")
    if not isinstance(content.get("description", ""), str):
        raise BadInput("description: not a string")
    try:
        tx = parse_tx(from_hex(content["tx"], "tx"))
    except ValueError as error:
        raise BadInput(f"tx: {error}") from None
    if not tx.inputs:
        raise BadInput("tx: the transaction has no inputs")
    if weight(tx) > MAX_BLOCK_WEIGHT:
        raise BadInput(f"tx: weighs {weight(tx)} weight units; a block may have at most {MAX_BLOCK_WEIGHT}")
    if content.get("txid", txid(tx)) != txid(tx):
        raise BadInput("txid: not that of the transaction")
    if not isinstance(content["spent_outputs"], list):
        raise BadInput("spent_outputs: not an array")
    spent = []
    for i, output in enumerate(content["spent_outputs"]):
        where = f"spent_outputs[{i}]"
        only({"amount", "script_pubkey", "address"}, output, where)
        if "address" in output or "script_pubkey" not in output:
            raise BadInput(f"{where}: needs a script_pubkey (this model decodes no addresses)")
        amount = output.get("amount")
        if not isinstance(amount, int) or isinstance(amount, bool) or not 0 <= amount <= 21_000_000 * 100_000_000:
            raise BadInput(f"{where}.amount: not an amount")
        spent.append(TxOut(amount, from_hex(output["script_pubkey"], f"{where}.script_pubkey")))
    if len(spent) != len(tx.inputs):
        raise BadInput(f"{len(tx.inputs)} inputs, and {len(spent)} spent outputs")
    return tx, spent, parse_flags(content.get("flags", "consensus"))


def verify_one(tx, spent, index, flags, with_trace):
    """The report on an input, as slhtool verify-tx --json has it."""
    trace = [] if with_trace else None
    report = {"input": index}
    compressions = slhdsa.compressions
    try:
        verify_input(tx, spent, index, flags, trace)
        report["valid"] = True
    except ScriptError as error:
        report.update(valid=False, error="SCRIPT_ERR_" + error.name)
        if error.script is not None:
            report["script"] = error.script
        if error.position is not None:
            report.update(opcode_pos=error.position, instruction=error.instruction)
    except NotModelled as error:
        report.update(valid=None, not_modelled=str(error))
    if with_trace:
        report.update(trace=trace, slhdsa_compressions=slhdsa.compressions - compressions)
    return report


def verify_file(name, content, flags=None, with_trace=False):
    tx, spent, file_flags = load(content)
    flags = file_flags if flags is None else flags
    inputs = [verify_one(tx, spent, i, flags, with_trace) for i in range(len(tx.inputs))]
    valid = all(i["valid"] is True for i in inputs)
    return {"file": name, "txid": txid(tx), "flags": format_flags(flags), "valid": valid, "inputs": inputs}


def print_text(report):
    print(f"{report['file']}: {'valid' if report['valid'] else 'invalid'} (txid {report['txid']})")
    if report["flags"] != "consensus":
        print(f"  verified under {report['flags']}, not under the consensus rules")
    for one in report["inputs"]:
        where = f" at instruction {one['opcode_pos']} ({one['instruction']})" if "opcode_pos" in one else ""
        where += f" of the {one['script']}" if "script" in one else ""
        verdict = "valid" if one["valid"] else f"not modelled: {one['not_modelled']}" if one["valid"] is None else f"invalid: {one['error']}{where}"
        print(f"  input {one['input']}: {verdict}")
        for step in one.get("trace", ()):
            print(f"    {step['step']}")
            for key, value in step.items():
                if key == "layers":
                    for layer in value:
                        print(f"      layer {layer['layer']}: tree {layer['tree']}, leaf {layer['leaf']}, wots_pk {layer['wots_pk']}, root {layer['root']}")
                elif key != "step":
                    print(f"      {key}: {' '.join(map(str, value)) if isinstance(value, list) else value}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", metavar="FILE", nargs="+", help="a spend file; - for standard input")
    parser.add_argument("--json", action="store_true", help="print JSON in the shape of slhtool verify-tx --json")
    parser.add_argument("--trace", action="store_true", help="print the values computed on the way, too")
    parser.add_argument("--flags", help="consensus, standard, or names with commas; instead of those in the files")
    options = parser.parse_args()
    reports = []
    for name in options.files:
        try:
            flags = None if options.flags is None else parse_flags(options.flags)
            data = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
            reports.append(verify_file(name, read(data), flags, options.trace))
        except (BadInput, OSError, ValueError, RecursionError) as error:
            print(f"verify.py: {name}: {getattr(error, 'strerror', None) or error}", file=sys.stderr)
            return 2
    valid = all(report["valid"] for report in reports)
    if options.json:
        print(json.dumps({"valid": valid, "mode": "eager", "transactions": reports}, indent=2))
    else:
        for report in reports:
            print_text(report)
    if any(one["valid"] is False for report in reports for one in report["inputs"]):
        return 1
    return 0 if valid else 3


if __name__ == "__main__":
    sys.exit(main())
