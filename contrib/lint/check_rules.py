#!/usr/bin/env python3
# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""The rules are written down four times: in the BIP's text, in its model, in the module, and in Bitcoin Core's interpreter. This checks that
none of them was forgotten when a rule was changed: each rule's name in the text ('opcode-budget') stands as a comment in the model, the module
and the patches of Core. test_reference.py compares the text's numbers with the model's, and the vectors show one that another place has."""

import pathlib
import re
import sys

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


def main():
    problems = list(names_missing())
    print("\n".join(problems) or "each rule has its name everywhere")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
