# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Recipes of spends: the YAML files of the folder spends, in the manner of test/functional/scenarios, whose README has what is not here.

A file has a title, keys and cases, and what its cases have in common. A case has a name, the rules that it shows (the first begins the vector's name),
in and expect; or cases of its own, which take over its members.

  keys        as there; slhdsa may be followed by pk_seed and its bytes
  each        parameters and their values: every combination of them is a spend. {name} stands for the value; if values have names, {name.name} is that one's,
              and {name} too in the name of a spend. A case's own take the place of those around it. expect, place, script and witness may be mappings: what
              they have for the name of a parameter's value, or for a word of it between hyphens; the first that fits
  in          output and flags. p2mr or p2tr, whose leaf script is; "key NAME", a P2TR output spent by its key path; v0 or p2sh, of which script is the witness
              script or the redeem script; bare, whose scriptPubKey it is. Flags as in spends.json; or consensus or standard, a comma, and flags that are added
              or, with -, are not there
  script      OP_DROP*500 and (OP_DUP OP_DROP)*500 repeat; <00*521> is a push of as many bytes; MENTION has an SLH-DSA opcode and does nothing. There is no tree:
              siblings are made up, as many as depth says (1), or given as path
  scripts     names for parts of scripts
  witness     <>*500 is as many elements
  exactly     the whole witness, in the place of witness, script, control block and annex; {script: leaf} and {control: leaf} are those
  annex       50 0x00*500 has as many bytes more
  inputs, outputs (1), index (0), version (2), locktime (0), sequence (0xfffffffd), amount (100000), prevout_n (0), leaf_version (0xc0)
  control     damage of the control block
  scriptpubkey, script_sig, output_script     what is there instead of the output that the leaf is in, of nothing, of the outputs' own
  other_script, other_witness     of the other inputs
  after_signing      changes of the transaction and of the spent outputs: version, inputs.1.sequence, spent.0.amount, outputs.0.script_pubkey (hex);
              "inputs: 1" leaves one
  place       the instruction that fails, counted from the end if negative; by default the first that is no push
  budget      how many units are left when the script begins: a filler, and checks that are charged, are put before it, which count in codeseparator and place.
              charge is such a check; the one that is there by default is discouraged, so under standard give one
  coins       spends of the same coins have the same signatures
  operands    with reads and after: a spend with none of the operands large, and with each in turn, which fails if it is read; what is on the stack after is
              looked at
  results     by opcode ("" for none), operands and result, with commas: the script begins with the opcode on each, and compares

Next to sign: hashtype in hex; leaf, a hash; prefix (of M'; none, or pre-hash), addrnd, missing_output: zeros. Next to flip: bits, if not the lowest."""

import re
from itertools import count, product

from spends import LARGE, MENTION, SchnorrKey, Sign, SlhKey, asm, flip, unchecked, with_zeros

import slhdsa
from interpreter import CODESEP_NONE, SET_NUMBERS, hash160
from script import CONSENSUS_FLAGS, FLAG_NAMES, STANDARD_FLAGS, decode, push
from transaction import ser_witness

NUMBERS = ("inputs", "index", "outputs", "depth", "version", "locktime", "sequence", "amount", "leaf_version", "prevout_n")
MEMBERS = {*NUMBERS, "after", "after_signing", "annex", "budget", "charge", "coins", "comment", "control", "exactly", "expect", "in", "operands", "other_script",
           "other_witness", "output_script", "path", "place", "reads", "results", "rules", "script", "script_sig", "scriptpubkey", "witness"}
OF_ELEMENTS = {"addrnd", "annex", "append", "bits", "byte", "codeseparator", "control", "ctx", "cut", "fill", "flip", "hashtype", "key_version", "leaf", "missing_output",
               "prefix", "script", "sign"}
SETS = {"": slhdsa.SLH_DSA_SHA2_128S, **{p.name: p for p in SET_NUMBERS.values()}}
PREFIXES = {"none": bytes, "pre-hash": lambda m: b"\x01\x00" + bytes.fromhex("0609608648016503040201") + slhdsa.sha256(m).digest()}


def known(members, names):
    if unknown := set(members) - set(names):
        raise ValueError(f"unknown: {', '.join(sorted(unknown))}")


def key_of(name, kind):
    if kind.startswith("<"):
        return bytes.fromhex(kind[1:-1])
    scheme, _, more = kind.partition(" ")
    known([scheme], ("schnorr", "slhdsa"))
    if scheme == "schnorr":
        return SchnorrKey(name)
    return SlhKey(name, pk_seed=bytes.fromhex(more[8:])) if more.startswith("pk_seed ") else SlhKey(name, SETS[more])


def flags_of(text):
    """Names of flags, some of them added to a set of flags or, with -, taken from it."""
    first, *others = text.split(",")
    of_set = {"consensus": CONSENSUS_FLAGS, "standard": STANDARD_FLAGS}.get(first)
    known((name.removeprefix("-") for name in ([first] if of_set is None else []) + others), FLAG_NAMES)
    if of_set is None or not others:
        return text
    flags = of_set - {name[1:] for name in others if name[0] == "-"} | {name for name in others if name[0] != "-"}
    return ",".join(name for name in FLAG_NAMES if name in flags)


def damage(members):
    """The edit that cut, flip and append describe."""
    known(members, OF_ELEMENTS)

    def edit(data):
        if "cut" in members:
            data = data[:int(members["cut"])]
        if "flip" in members:
            data = flip(data, int(members["flip"]), int(members.get("bits", "1"), 0))
        return data + bytes.fromhex(members.get("append", ""))
    return edit


def changes(edits):
    """The edit of a transaction, and of the outputs that it spends, that after_signing describes."""
    def edit(tx, spent):
        parts = {"inputs": list(tx.inputs), "outputs": list(tx.outputs), "spent": list(spent)}
        for place, value in edits.items():
            part, *member = place.split(".")
            if member:
                i, name = int(member[0]), member[1]
                parts[part][i] = parts[part][i]._replace(**{name: int(value, 0) if name in ("sequence", "amount") else bytes.fromhex(value)})
            elif part in parts:
                del parts[part][int(value):]
            else:
                tx = tx._replace(**{part: int(value, 0)})
        return tx._replace(inputs=parts["inputs"], outputs=parts["outputs"]), parts["spent"][:len(parts["inputs"])]
    return edit


def filled(value, values):
    """A value of the file with the parameters filled in."""
    if isinstance(value, dict):
        return {filled(name, values): filled(member, values) for name, member in value.items()}
    if isinstance(value, list):
        return [filled(member, values) for member in value]
    for name, text in [*values.items()] * 2:  # a value may have others in it
        value = value.replace("{" + name + "}", text)
    return value


def combinations(each):
    """For each combination of values: their names, and the values with the names."""
    for name, values in each.items():
        if not values or isinstance(values, str):
            raise ValueError(f"each: {name} has no list of values")
    named = [[(name, *pair) for pair in (values.items() if isinstance(values, dict) else zip(values, values))] for name, values in each.items()]
    for chosen in product(*named):
        yield {name: label for name, label, _ in chosen}, {key: text for name, label, value in chosen for key, text in ((name, value), (f"{name}.name", label))}


class File:
    def __init__(self, path):
        import yaml  # who only verifies vectors needs none
        self.name, self.members = path.name, yaml.load(path.read_text(encoding="utf-8"), yaml.BaseLoader)
        del self.members["title"]
        self.keys = {name: key_of(name, kind) for name, kind in self.members.pop("keys", {}).items()}
        self.scripts = {"MENTION": f"0x{MENTION.hex()}", **self.members.pop("scripts", {})}

    def script(self, text):
        text = re.sub("<@([^>]*)>", lambda found: f"<{getattr(self.keys[found[1]], 'public', self.keys[found[1]]).hex()}>", text)
        text = re.sub(r"\(([^()]*)\)\*(\d+)", lambda found: f"{found[1]} " * int(found[2]), " ".join(self.scripts.get(word, word) for word in text.split()))
        words = []
        for word in text.split():
            pushed, _, size = word[1:-1].partition("*") if word[0] == "<" else ("", "", "")
            word, _, times = (f"<{pushed * int(size)}>", "", "") if size else word.partition("*")
            words += [word] * int(times or 1)
        return asm(" ".join(words).replace("OP_", ""))

    def element(self, value):
        """An element of the witness, as it is on the stack."""
        if isinstance(value, str):
            [(opcode, data)] = decode(self.script(value))
            return {0x4f: b"\x81", **{0x50 + i: bytes([i]) for i in range(1, 17)}}[opcode] if data is None else data
        edit = damage(value)
        if "fill" in value:
            return edit(bytes([int(value.get("byte", "0"), 0)]) * int(value["fill"]))
        context = bytes.fromhex(value.get("ctx", ""))
        return Sign(self.keys[value["sign"]], int(value.get("hashtype", "00"), 16) or None, int(value["key_version"], 0) if "key_version" in value else None,
                    int(value.get("codeseparator", CODESEP_NONE)), PREFIXES[value["prefix"]] if "prefix" in value else lambda m: slhdsa.m_prime(m, context), edit,
                    bytes.fromhex(value.get("leaf", "")), bytes.fromhex(value.get("addrnd", "")) or None, value.get("annex"),
                    {None: unchecked, "zeros": with_zeros}[value.get("missing_output")])

    def stack(self, values):
        for value in values:
            repeated = re.fullmatch(r"(.*)\*(\d+)", value) if isinstance(value, str) else None
            yield from [self.element(repeated[1])] * int(repeated[2]) if repeated else [self.element(value)]

    def exactly(self, values, n_signed):
        """The edit of a witness that begins with the signatures, before script and control block."""
        def edit(witness):
            signatures, made = iter(witness), []
            leaf = dict(zip(("script", "control"), witness[n_signed:]))
            for value in values:
                if isinstance(value, str):
                    made += self.stack([value])
                else:
                    made.append(next(signatures) if "sign" in value else damage(value)(leaf[next(iter(value))]))
            return made
        return edit

    def spends(self, case, common):
        """For each spend of a case, the arguments of make_vectors.add."""
        case = {**common, **case, "each": {**common.get("each", {}), **case.get("each", {})}}
        if "cases" in case:
            for inner in case.pop("cases"):
                yield from self.spends(inner, case)
            return
        name = template = case.pop("name", "a case without a name")
        try:
            for labels, values in combinations(case.pop("each")):
                name = filled(template, labels)
                yield from self.spend(filled(case, values), name, labels)
        except Exception as error:
            raise ValueError(f"{self.name}: {name}: {type(error).__name__} {error}") from error

    def spend(self, one, name, labels):
        known(one, MEMBERS)
        words = {*labels.values(), *(word for label in labels.values() for word in label.split("-"))}
        for member in ("expect", "place", "script", "witness"):
            if isinstance(one.get(member), dict):
                by_word = [value for word, value in one[member].items() if word in words]
                if not by_word:
                    raise ValueError(f"nothing of {member} is for any of {', '.join(sorted(words))}")
                one[member] = by_word[0]
        if "{" in name:
            raise ValueError("no such parameter")
        if "results" in one:
            rows = [(opcode, *row.rsplit(" ", 1)) for opcode, rows in one["results"].items() for row in rows.split(", ")]
            one["script"] = "".join(f"{operands} {opcode} {result} OP_EQUALVERIFY " for opcode, operands, result in rows) + one["script"]
        if "operands" not in one:
            yield self.arguments(one, name)
            return
        operands = one["operands"].split()
        for large in (*operands, "none"):
            values = {operand: f"<01*{LARGE}>" if operand == large else f"<{0x10 + i:02x}>" for i, operand in enumerate(operands)}
            after = "".join(f"OP_SIZE {LARGE} OP_EQUALVERIFY OP_DROP " if operand == large else f"{values[operand]} OP_EQUALVERIFY " for operand in reversed(one["after"].split()))
            yield self.arguments({**one, "script": f"{one['script']} {after} MENTION 9 OP_EQUAL", "witness": ["<09>", *values.values()],
                                  "expect": "SCRIPT_ERR_PUSH_SIZE" if large in one["reads"].split() else "VALID"}, f"{name}-{large}")

    def arguments(self, one, name):
        output, flags = one["in"].rsplit(" ", 1)
        script, stack = self.script(one.get("script", "")), list(self.stack(one.get("witness", [])))
        options = {member: int(one[member], 0) for member in NUMBERS if member in one} | {member: one[member] for member in ("comment", "coins") if member in one}
        options |= {member: self.script(one[member]) for member in ("script_sig", "scriptpubkey", "other_script", "output_script") if member in one}
        if "annex" in one:
            options["annex"] = self.script("0x" + one["annex"])
        if output.startswith("key "):
            output, options["key"] = "key", self.keys[output[4:]]
        elif output == "bare":
            output = script
        elif output == "v0":
            output, stack = b"\x00\x20" + slhdsa.sha256(script).digest(), [*stack, script]
        elif output == "p2sh":
            output, options["script_sig"] = b"\xa9\x14" + hash160(script) + b"\x87", push(script)
        if "budget" in one:
            below = [bytes({"p2mr": 1, "p2tr": 33}[output] + 32 * options.get("depth", 1)), *([options["annex"]] if "annex" in options else [])]
            script, stack = budgeted(int(one["budget"]), script, stack, below, self.script(one.get("charge", "1 <02> OP_CHECKSIGSLHDSA OP_DROP")))
        if "exactly" in one:
            stack = [self.element(value) for value in one["exactly"] if isinstance(value, dict) and "sign" in value]
            options["edit_witness"] = self.exactly(one["exactly"], len(stack))
        if "path" in one:
            options["path"] = bytes.fromhex(one["path"])
        if "control" in one:
            options["edit_control"] = damage(one["control"])
        if "other_witness" in one:
            options["other_witness"] = list(self.stack(one["other_witness"]))
        if "after_signing" in one:
            options["edit_tx"] = changes(one["after_signing"])
        return {"clauses": one["rules"], "name": name, "expected": None if one["expect"] == "VALID" else one["expect"].removeprefix("SCRIPT_ERR_"), "script": script, "stack": stack,
                "output": output, "flags": flags_of(flags), "at": int(one["place"]) if "place" in one and one["expect"] != "VALID" else None, **options}


def budgeted(left, script, stack, below, charge):
    """Script and stack: as few checks that are charged and do nothing else as will do, then the script, and at the bottom of the stack a filler by which so
    many units are left for the script. below: what follows the script in the witness."""
    above = [element if isinstance(element, bytes) else bytes(element.size) for element in stack]
    for n in count():
        whole = charge * n + script
        missing = left + 50 * n - 50 - len(ser_witness([b"", *above, whole, *below]))
        size = missing if missing < 253 else missing - 2
        if 0 <= size <= 520 and missing not in (253, 254):
            return whole, [bytes(size), *stack]


def read(path):
    """For each spend of a file, the arguments of make_vectors.add."""
    file = File(path)
    yield from file.spends(file.members, {})
