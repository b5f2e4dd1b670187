# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Recipes of spends: the YAML files of the folder spends, in the language of test/functional/scenarios, whose README has it. What they have besides:

  each        parameters and their values, for a file or a case: every combination of them is a spend. {name} stands for the value; if values have names,
              {name.name} is that one's, and {name} too in the name of a spend
  cases       a list; a case has the rules that it shows (the first of them begins the vector's name) and a name
  in          output and flags: p2mr or p2tr, or "key NAME", an output spent by its key path; then the flags
  script      the leaf; OP_DROP*500 is 500 of them. There is no tree: siblings are made up, as many as the depth says
  times       so many of an element
  expect      VALID, or a script error; or either by a word in the name of a value
  place       the instruction that fails, counted from the end if negative; by default the first that is no push
  budget      how many units are left when the script begins: a filler, and checks that are charged, are put before it
  coins       spends of the same coins have the same signatures"""

from itertools import product

from interpreter import CODESEP_NONE
from script import decode
from spends import SchnorrKey, Sign, SlhKey, asm, unchecked

KINDS = {"slhdsa": SlhKey, "schnorr": SchnorrKey}
NUMBERS = ("inputs", "index", "outputs", "depth", "version", "locktime", "sequence", "amount", "leaf_version")


class Signature(Sign):
    """A signature of what an input with another annex would be."""

    def __init__(self, *args, annex=None, **options):
        super().__init__(*args, **options)
        self.other_annex = annex

    def make(self, tx, spent, index, annex, leaf_hash):
        if self.other_annex is not None:
            annex = None if self.other_annex == "none" else bytes.fromhex(self.other_annex)
        return super().make(tx, spent, index, annex, leaf_hash)


def damage(members):
    """The edit that cut, flip and append describe."""
    def edit(data):
        if "cut" in members:
            data = data[:int(members["cut"])]
        if "flip" in members:
            at = int(members["flip"])
            data = data[:at] + bytes([data[at] ^ 1]) + data[at + 1:]
        return data + bytes.fromhex(members.get("append", ""))
    return edit


def elements(value, keys, script):
    """What an element of the file's witness is on the stack."""
    if isinstance(value, str):
        opcode, data = next(decode(script(value)))
        made = bytes([opcode - 0x50]) if data is None else data
    elif "sign" in value:
        hash_type = int(value.get("hashtype", "00"), 16) or None
        made = Signature(keys[value["sign"]], hash_type, int(value["key_version"], 0) if "key_version" in value else None,
                         int(value.get("codeseparator", CODESEP_NONE)), edit=damage(value), annex=value.get("annex"), message=unchecked)
    else:
        made = damage(value)(bytes([int(value.get("byte", "0"), 0)]) * int(value.get("fill", "0")))
    return [made] * (int(value.get("times", "1")) if isinstance(value, dict) else 1)


def filled(value, values):
    """A value of the file with the parameters filled in."""
    if isinstance(value, dict):
        return {name: filled(member, values) for name, member in value.items()}
    if isinstance(value, list):
        return [filled(member, values) for member in value]
    for name, text in [*values.items()] * 2:  # a value may have others in it
        value = value.replace("{" + name + "}", text)
    return value


def combinations(each):
    """For each combination of values: their names, and the values with the names."""
    named = [[(name, *pair) for pair in (values.items() if isinstance(values, dict) else zip(values, values))] for name, values in each.items()]
    for chosen in product(*named):
        yield {name: label for name, label, _ in chosen}, {key: text for name, label, value in chosen for key, text in ((name, value), (f"{name}.name", label))}


def read(path):
    """For each spend of a file, the arguments of make_vectors.add, and the units that are left of its budget if the recipe says so."""
    import yaml  # who only verifies vectors needs none
    root = yaml.load(path.read_text(encoding="utf-8"), yaml.BaseLoader)
    keys = {name: KINDS[kind](name) for name, kind in root.get("keys", {}).items()}

    def script(text):
        words = " ".join(" ".join([word] * int(times or 1)) for word, _, times in (word.partition("*") for word in text.split()))
        return asm(words.replace("<@", "$").replace("OP_", ""), **{f"{name}>": key.public for name, key in keys.items()})

    common = {name: value for name, value in root.items() if name not in ("title", "keys", "each", "cases")}
    for case in root["cases"]:
        for labels, values in combinations({**root.get("each", {}), **case.get("each", {})}):
            one = {**filled({name: value for name, value in {**common, **case}.items() if name not in ("name", "each")}, values), "name": filled(case["name"], labels)}
            words = {word for label in labels.values() for word in label.split("-")}
            expect, place = (next(by for word, by in one[name].items() if word in words) if isinstance(one.get(name), dict) else one.get(name)
                             for name in ("expect", "place"))
            output, flags = one["in"].rsplit(" ", 1)
            options = {name: int(one[name], 0) for name in NUMBERS if name in one} | {name: one[name] for name in ("comment", "coins") if name in one}
            if output.startswith("key "):
                output, options["key"] = "key", keys[output[4:]]
            if "annex" in one:
                options["annex"] = bytes.fromhex(one["annex"])
            if "control" in one:
                options["edit_control"] = damage(one["control"])
            stack = [made for value in one.get("witness", []) for made in elements(value, keys, script)]
            yield {"clauses": one["rules"], "name": one["name"], "expected": None if expect == "VALID" else expect.removeprefix("SCRIPT_ERR_"),
                   "script": script(one.get("script", "")), "stack": stack, "output": output, "flags": flags,
                   "at": int(place) if place and expect != "VALID" else None, **options}, int(one["budget"]) if "budget" in one else None
