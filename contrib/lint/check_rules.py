#!/usr/bin/env python3
# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""The rules are written down four times: in the BIP's text, in its model, in the module, and in Bitcoin Core's interpreter. This checks that
none of them was forgotten when a rule was changed:

  names    each rule's name in the text ('opcode-budget') stands as a comment in the model, the module and the patches of Core; the vectors,
           which have it too, are test_vectors.py's
  values   each number that the text gives (50 units, 0x7f, 7857 bytes) is that of the constant in the model, the module and Core

With --core, the pristine sources of Core, the constants of Core's own files are looked up, too."""

import argparse
import importlib
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
TEXT, SETS_TEXT = ROOT / "doc/bip/bip-slhdsa-tapscript.mediawiki", ROOT / "doc/bip/parameter-sets.md"
RULE, SETS_RULE = re.compile(r"'''([a-z0-9]+(?:-[a-z0-9]+)+)'''\. "), re.compile(r"\*\*(sets-[a-z-]+)\*\*")

# Each place, and the files in which it has the names
PLACES = {
    "model": ["doc/bip/reference/[!t]*.py", "doc/bip/reference/transaction.py"],  # not its tests
    "module": [f"src/{folder}/*.{end}" for folder in ("primitives", "script", "consensus") for end in ("cpp", "h", "def")],
    "Core": ["contrib/bitcoin-core/patches/*.patch", "contrib/bitcoin-core/src/slhdsa/*"],
}
RELAY = "relay, of which it knows nothing"
CORES_OWN = "Core's own code, which the change leaves as it is"
# Names that a place does not have, and why
ABSENT = {
    ("scope-sigops", "model"): "it judges inputs, not blocks", ("policy-annex", "model"): RELAY, ("policy-element", "model"): RELAY,
    ("policy-annex", "module"): RELAY, ("policy-element", "module"): RELAY, ("sets-element", "model"): RELAY, ("sets-element", "module"): RELAY,
    **{(rule, "Core"): CORES_OWN for rule in ("scope-sigops", "p2mr-outer", "limit-push", "limit-stack", "policy-unknown-program", "policy-minimaldata", "policy-annex")},
}

SCRIPT_H, INTERPRETER_H, PUBKEY_H = "core:src/script/script.h", "core:src/script/interpreter.h", "contrib/bitcoin-core/src/slhdsa/pubkey.h"
FRAMEWORK = "contrib/bitcoin-core/functional/p2mr.py"
MODEL, PARAMS = "model:script", "src/pqc/slhdsa/params.h"


def opcode(name):
    return [(TEXT, rf"<code>{name}</code> \|\| (\S+) \|\| \d+ \|\|"), (TEXT, rf"<code>{name}</code> \|\| \S+ \|\| (\d+) \|\|"),
            (TEXT, rf"<code>{name}</code> \|\| (0x\w+) \|\| sig"), (MODEL, name),
            ("src/primitives/opcodes.def", rf"SLHC_SLHDSA_OPCODE\({name}, (\w+)"), (SCRIPT_H, name), (FRAMEWORK, rf"{name} = CScriptOp\((\w+)\)")]


# The use of a number, and where it stands: a file (of Core's sources: core:FILE) or a module of the model, and a constant's name or an
# expression with a group for the number. A constant may be computed from those of its file and of the files in `USED`.
VALUES = {
    "units of the budget for a signature": [
        (TEXT, r"opcode-budget'''\. .* subtract (\d+) from"), (TEXT, r"Why (\d+) units of the budget"), (MODEL, "VALIDATION_WEIGHT_PER_SIGOP_PASSED"),
        ("src/script/script.h", "VALIDATION_WEIGHT_PER_SIGOP_PASSED"), (SCRIPT_H, "VALIDATION_WEIGHT_PER_SIGOP_PASSED")],
    "units that a budget starts with": [
        (TEXT, r"p2mr-budget'''\. .* starts at (\d+) plus"), (MODEL, "VALIDATION_WEIGHT_OFFSET"), ("src/script/script.h", "VALIDATION_WEIGHT_OFFSET"),
        (SCRIPT_H, "VALIDATION_WEIGHT_OFFSET")],
    "OP_CHECKSIGSLHDSA": opcode("OP_CHECKSIGSLHDSA"),
    "OP_CHECKSIGADDSLHDSA": opcode("OP_CHECKSIGADDSLHDSA"),
    "bytes of a signature": [
        (TEXT, r"opcode-sig-size'''\. ''sig'' has (\d+) bytes"), (TEXT, r"A signature of (\d+) bytes consists"), ("model:slhdsa", "SIGNATURE_SIZE"),
        (PARAMS, "SIGNATURE_SIZE"), ("src/slhdsa.h", r"#define SLHC_SIGNATURE_SIZE (\d+)"), (PUBKEY_H, "SIGNATURE_SIZE")],
    "bytes of the largest element": [
        (TEXT, r"initial stack may have up to (\d+) bytes"), (TEXT, r"limit-element'''\. .*? more than (\d+) bytes, fail; if"),
        (TEXT, r"opcode-sig-size'''\. .* or it has (\d+) bytes"), (TEXT, r"''hash_type'' of a ''sig'' of (\d+) bytes"), (TEXT, r"Why (\d+), and not 8,000"),
        (MODEL, "MAX_LARGE_ELEMENT_SIZE"), ("src/script/interpreter.h", "MAX_SLHDSA_ELEMENT_SIZE"),
        ("core:src/script/interpreter.cpp", r"max_element_size = ([^;]+);")],
    "bytes of the largest element that is not large": [
        (TEXT, r"''large'' element has more than (\d+) bytes"), (TEXT, r"limit-push'''\. .* remains (\d+) bytes"), (MODEL, "MAX_ELEMENT_SIZE"),
        ("src/script/script.h", "MAX_SCRIPT_ELEMENT_SIZE"), (SCRIPT_H, "MAX_SCRIPT_ELEMENT_SIZE")],
    "bytes of the largest element that policy takes": [
        (TEXT, r"policy-element'''\. .*? more than (\d+) bytes, as today"), (TEXT, r"7857 bytes .* opcode, and (\d+) bytes as before"),
        ("core:src/policy/policy.h", "MAX_STANDARD_TAPSCRIPT_STACK_ITEM_SIZE")],
    "elements of the stack": [
        (TEXT, r"limit-count'''\. .* more than (\d+) elements"), (TEXT, r"limit-stack'''\. The limit of (\d+) elements"), (MODEL, "MAX_STACK_SIZE"),
        ("src/script/script.h", "MAX_STACK_SIZE"), (SCRIPT_H, "MAX_STACK_SIZE")],
    "key version": [
        (TEXT, r"with ''key_version'' (0x\w+)"), (TEXT, r"''key_version'' \|\| 1 \|\| always \|\| '''(0x\w+)'''"),
        ("model:interpreter", "KEY_VERSION_SLHDSA"), ("src/script/sighash.h", r"\bSLHDSA = (0x\w+)"),
        (INTERPRETER_H, "TAPSCRIPT_KEY_VERSION_SLHDSA")],
    "key version of other sets": [
        (SETS_TEXT, r"\*key_version\* is (0x\w+) instead of"), ("model:interpreter", "KEY_VERSION_SLHDSA_SETS"),
        ("src/script/sighash.h", r"\bSLHDSA_SETS = (0x\w+)"), (INTERPRETER_H, "TAPSCRIPT_KEY_VERSION_SLHDSA_SETS")],
    "verifications a block": [(TEXT, r"&rfloor; = (\d+) are verified in a block"), (TEXT, r"At most (\d+) verifications a block"),
                              ("src/consensus/consensus.h", "MAX_BLOCK_SLHDSA_VERIFICATIONS")],
}
USED = {"src/script/interpreter.h": [PARAMS], "src/consensus/consensus.h": [PARAMS], "core:src/script/interpreter.cpp": [PUBKEY_H]}


def names_missing():
    """One line for each name that a place lacks, and for each reason that no longer holds."""
    rules = RULE.findall(TEXT.read_text(encoding="utf-8")) + SETS_RULE.findall(SETS_TEXT.read_text(encoding="utf-8"))
    texts = {place: "\n".join(path.read_text(encoding="utf-8") for pattern in patterns for path in sorted(ROOT.glob(pattern)) if path.is_file())
             for place, patterns in PLACES.items()}
    for rule in rules:
        for place, text in texts.items():
            there = re.search(rf"(?<![\w-]){rule}(?![\w-])", text) is not None
            if there == ((rule, place) in ABSENT):
                yield f"{rule}: " + (f"{place}: has it; take it out of ABSENT" if there else f"{place}: no comment names it")
    kinds = "|".join(sorted({rule.split("-")[0] for rule in rules}))
    for place in ("model", "module", "Core"):
        # In a comment, alone or in a list of names
        for name in set(re.findall(rf"(?:#|//|\*|;|, ) ?((?:{kinds})-[a-z]+(?:-[a-z]+)*)(?=[,:;)]|$)", texts[place], re.MULTILINE)) - set(rules):
            yield f"{name}: {place} names it, and the text has no such rule"
    yield from (f"{rule}: ABSENT has it, and the text does not" for rule in sorted({rule for rule, _ in ABSENT} - set(rules)))


def number(expression, text):
    """A constant's value: numbers, and constants that are defined in the text."""
    def one(match):
        return str(constant(match[0], text)) if match[0].isidentifier() else match[0]

    expression = re.sub(r"\w+::|(?<=\d)'(?=\d)", "", expression).replace("/", "//")
    if not re.fullmatch(r"[\w +*/()-]+", expression):
        raise ValueError(f"'{expression}' is not understood")
    return eval(re.sub(r"0x[0-9a-fA-F]+|\w+", one, expression), {"__builtins__": {}})  # pylint: disable=eval-used


def constant(name, text):
    found = re.findall(rf"\b{name}(?: ?=(?!=) ?([^;,{{}}\n#]+?) ?[;,#\n]|\{{([^{{}}]+)\}};)", text)
    if len({a or b for a, b in found}) != 1:
        raise ValueError(f"{name} is defined {len(found)} times")
    return number(found[0][0] or found[0][1], text)


def values_that_differ(core):
    def content(file):
        if isinstance(file, str) and file.startswith("core:"):
            return core.get(file[5:])
        return (ROOT / file).read_text(encoding="utf-8")

    for what, places in VALUES.items():
        values = {}
        for file, where in places:
            text = "" if str(file).startswith("model:") else content(file)
            if text is None:
                continue
            shown = str(file).replace(f"{ROOT}/", "").replace("core:", "Core's ") + ": "
            try:
                if str(file).startswith("model:"):
                    values[shown + where] = getattr(importlib.import_module(file[6:]), where)
                elif where.isidentifier():
                    values[shown + where] = constant(where, "\n".join([text, *map(content, USED.get(file, []))]))
                else:
                    found = list(re.finditer(where, text, re.MULTILINE))
                    if len(found) != 1:
                        raise ValueError(f"found {len(found)} times")
                    line = text.count("\n", 0, found[0].start(1)) + 1
                    values[f"{shown}line {line}: '{found[0][0][-50:]}'"] = number(found[0][1], "\n".join([text, *map(content, USED.get(file, []))]))
            except ValueError as error:
                yield f"{what}: {shown}{where}: {error}"
        expected = next(iter(values.values()), None)  # the text's
        yield from (f"{what}: {shown} is {value}, not {expected}" for shown, value in values.items() if value != expected)


def edited_core(sources):
    """Core's files with the rules that are looked into, by path."""
    files = {file[5:] for places in VALUES.values() for file, _ in places if str(file).startswith("core:")}
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-B", ROOT / "contrib/bitcoin-core/integrate.py", sources, "--to", folder], check=True, stdout=subprocess.DEVNULL)
        return {file: (pathlib.Path(folder) / file).read_text(encoding="utf-8") for file in files}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--core", metavar="SOURCES", help="none if this is empty")
    options = parser.parse_args()
    sys.dont_write_bytecode = True
    sys.path.insert(0, str(ROOT / "doc/bip/reference"))
    problems = [*names_missing(), *values_that_differ(edited_core(pathlib.Path(options.core)) if options.core else {})]
    print("\n".join(problems) or f"{len(VALUES)} values are the same{'' if options.core else ' (but for those in files of Core: --core)'}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
