#!/usr/bin/env python3
# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Writes the test vectors, spends.json, parameter-sets.json and slhdsa.json, and clauses.md, the table of which rule is shown by which vector.

Everything is made by the reference model from a seed (spends.py), the spends by the recipes of the folder spends (recipes.py); it takes some minutes, as
each signature takes seconds. Spends are in the order of the rules that they are named after.

  make_vectors.py [--check]     --check: compare with the files instead of writing them (exit status 1 if they differ)
  make_vectors.py RECIPE...     judges the spends of these files alone, and writes nothing

It names each vector that the model judges otherwise than it was made for, and then writes nothing (exit status 2)."""

import argparse
import functools
import json
import re
import sys
from pathlib import Path

from spends import SlhKey, cached_sign, derive, flip, spend

import recipes
import slhdsa
import verify
from script import CODES, decode

HERE = Path(__file__).resolve().parent
TEXT, SETS_TEXT = HERE.parent / "bip-slhdsa-tapscript.mediawiki", HERE.parent / "parameter-sets.md"
vectors = []
wrong = []  # what the model says of a vector, if that is not what it was made for


def add(clauses, name, expected, script, stack, comment="", at=None, coins=None, **options):
    """A vector; expected: None for valid, or the script error. at: the instruction that fails, if one does, by its position, counted from the end if
    negative; by default the first one that is no push of a constant."""
    name = f"{clauses.split()[0]}/{name}"
    wrong.extend(f"{name}: no rule is named {clause}" for clause in clauses.split() if clause not in clauses_of_text())
    data = spend(coins or name, script, stack, **options)
    tx, spent, flags = verify.load(data)
    result = verify.verify_one(tx, spent, data["input"], flags, True)
    error = result.get("error", "").replace("SCRIPT_ERR_", "") or None
    if result["valid"] is None or error != expected:
        wrong.append(f"{name}: expected {expected or 'VALID'}, the model says {error or 'VALID' if result['valid'] is not None else 'nothing'}")
        return
    if at is None and "opcode_pos" in result:
        at = next(i for i, (opcode, _) in enumerate(decode(script)) if opcode > CODES["OP_16"])
    elif at is not None and at < 0:
        at += sum(1 for _ in decode(script))
    if result.get("opcode_pos") != at:
        wrong.append(f"{name}: made for instruction {at}, fails at {result.get('opcode_pos')}")
    vector = {"name": name, "clauses": clauses.split(), **({"comment": comment} if comment else {}), **data,
              "error": "SCRIPT_ERR_" + error if error else None}
    if "opcode_pos" in result:
        vector["opcode_pos"] = result["opcode_pos"]
    vector["trace"] = result["trace"]
    vectors.append(vector)


def slhdsa_vectors():
    """Signatures with all intermediate values; changed ones are described by the change, to save space."""
    alice, bob, carol = SlhKey("alice"), SlhKey("bob"), SlhKey("carol")
    found = []

    def one(name, key, m, signature, of=None, at=None, mask=None, comment=None):
        trace = {}
        valid = slhdsa.slh_verify_internal(m, signature, key, trace)
        case = {"name": name, "public_key": key.hex(), "m_prime": m.hex()}
        case.update({"signature": signature.hex()} if of is None else {"signature_of": of, **({"xor_byte": at, "xor_value": mask} if at is not None else {})})
        found.append({**case, **({"comment": comment} if comment else {}), "valid": valid, **{k: v for k, v in trace.items() if k != "m_prime"}})

    for key, context, random in ((alice, b"", None), (bob, b"", derive("rnd", 16)), (carol, b"Bitcoin", None)):
        # Messages 21969 and 148941: idx_leaf 0 and 511, with a FORS index 0 and one of 4095, and idx_tree beyond what a double holds exactly
        for i in (0, 1, 21969, 148941) if key is alice else (0,):
            message = derive(f"message {i} of {key.name}")
            m = slhdsa.m_prime(message, context)
            name = f"{key.name}-{i}"
            signature = cached_sign(m, key, random)
            one(name, key.public, m, signature, comment=f"M {message.hex()}, context {context.hex() or 'empty'}, {'hedged' if random else 'deterministic'}, seed {key.seed.hex()}")
            if i or key is not alice:
                continue
            layer = 16 * 44
            start = 16 + 2912
            places = {"r": 0, "first-fors-secret": 16, "last-fors-path": start - 1}
            for j in range(7):
                places[f"layer-{j}-first-chain"] = start + layer * j
                places[f"layer-{j}-checksum-chain"] = start + layer * j + 16 * 34
                places[f"layer-{j}-path"] = start + layer * (j + 1) - 1
            for place, at in places.items():
                one(f"{name}-{place}", key.public, m, flip(signature, at, 0x80), name, at, 0x80)
            one(f"{name}-message", key.public, flip(m, 20), signature, name)
            one(f"{name}-context-length", key.public, flip(m, 1), signature, name, comment="as if the context had a byte")
            one(f"{name}-prehash-separator", key.public, flip(m, 0), signature, name, comment="the separator of the pre-hash version")
            one(f"{name}-without-prefix", key.public, m[2:], signature, name, comment="the internal interface")
            one(f"{name}-pk-seed", flip(key.public, 0), m, signature, name)
            one(f"{name}-pk-root", flip(key.public, 31), m, signature, name)
    return found


def dump(items):
    """JSON with one vector a line."""
    return "[\n" + ",\n".join(json.dumps(item, separators=(",", ":")) for item in items) + "\n]\n"


# Rules that no spend can show, and what shows them
WITHOUT_VECTORS = {
    "scope-sigops": "`src/test/script_tests.cpp`",
    "policy-annex": "`test/functional/scenarios/annex.yaml`",
    "policy-element": "`test/functional/node/test_policy.py`",
    "sets-element": "`contrib/bitcoin-core/src/test/slhdsa_validation_tests.cpp`",
}


@functools.cache
def clauses_of_text():
    """The names of the rules, in the order of the texts."""
    return (re.findall(r"'''([a-z0-9]+(?:-[a-z0-9]+)+)'''\. ", TEXT.read_text(encoding="utf-8")) +
            re.findall(r"\*\*(sets-[a-z-]+)\*\*", SETS_TEXT.read_text(encoding="utf-8")))


def together(names):
    """Names as a shell would write them, those together that differ in one part: {p2mr,p2tr}-sig."""
    rows = [((rule,), *((part,) for part in rest.split("-"))) for rule, _, rest in (name.partition("/") for name in names)]
    for place in range(max(map(len, rows)) - 1, 0, -1):
        merged = {}
        for row in rows:
            merged.setdefault((row[:place], row[place + 1:], place < len(row)), []).extend(row[place] if place < len(row) else ())
        rows = [(*before, tuple(parts), *after) if there else before for (before, after, there), parts in merged.items()]
    return [f"{rule}/" + "-".join(part[0] if len(part) == 1 else f"{{{','.join(part)}}}" for part in rest) for (rule,), *rest in rows]


def clause_table(spends):
    """Which vectors show a rule: Markdown."""
    lines = ["# Rules and their vectors", "", "Made by make_vectors.py. Each rule of the [specification](../bip-slhdsa-tapscript.mediawiki) and of [other parameter sets](../parameter-sets.md), and the vectors in spends.json and parameter-sets.json that show it.", ""]
    for clause in clauses_of_text():
        lines += [f"## {clause}", ""]
        if clause in WITHOUT_VECTORS:
            lines += [f"No spend can show it. Tests: {WITHOUT_VECTORS[clause]}.", ""]
            continue
        by_error = {}
        for vector in spends:
            if clause in vector["clauses"]:
                by_error.setdefault(vector["error"] or "valid", []).append(vector["name"])
        lines += [f"- {error}: {', '.join(together(names))}" for error, names in sorted(by_error.items(), key=lambda item: (item[0] != "valid", item[0]))] + [""]
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("recipes", nargs="*", type=Path, metavar="RECIPE")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    for path in options.recipes or sorted((HERE / "spends").glob("*.yaml")):
        for case in recipes.read(path):
            try:
                add(**case)
            except Exception as error:  # an edit of what is not there, say
                wrong.append(f"{case['name']}: {type(error).__name__} {error}")
    names = [vector["name"] for vector in vectors]
    wrong.extend(f"{name}: there are two" for name in sorted(set(names)) if names.count(name) > 1)
    if wrong or options.recipes:
        print("\n".join(wrong) or f"{len(vectors)} spends, as the model says")
        return 2 if wrong else 0
    vectors.sort(key=lambda vector: clauses_of_text().index(vector["clauses"][0]))
    status = 0
    slhdsa_cases = slhdsa_vectors()
    spends, sets = ([vector for vector in vectors if vector["name"].startswith("sets-") == of_sets] for of_sets in (False, True))
    for name, items, text in (("spends.json", spends, dump(spends)), ("parameter-sets.json", sets, dump(sets)), ("slhdsa.json", slhdsa_cases, dump(slhdsa_cases)),
                              ("clauses.md", clauses_of_text(), clause_table(vectors))):
        if options.check:
            same = (HERE / name).read_text(encoding="ascii") == text
            print(f"{name}: {'the same' if same else 'differs'}")
            status |= not same
        else:
            (HERE / name).write_text(text, encoding="ascii")
            print(f"{name}: {len(items)} items, {len(text)} bytes")
    return status


if __name__ == "__main__":
    sys.exit(main())
