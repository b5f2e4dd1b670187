#!/usr/bin/env python3
# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Opcodes, flags and script errors are listed once, in the .def files under src. C++ includes these; what other languages
need of them stands in their files between two marks, and this checks that it says the same. --write updates it."""

import argparse
import itertools
import pathlib
import re
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parents[2]
WIDTH = 140
# SLHC_OPCODE(OP_DUP, 0x76, (READ)) // a comment
ENTRY = re.compile(r'(SLHC_\w+)\(((?:[^()"]|\([^()]*\)|"[^"]*")*)\)(?: +// (.*))?')


def entries(path):
    """Each entry of a list: the macro's name, its arguments, the comment behind it; a line with a comment alone is
    ("", [], comment)."""
    found = []
    for line in (ROOT / path).read_text().split("#endif\n")[-1].splitlines():
        if entry := ENTRY.fullmatch(line):
            found.append((entry[1], [argument.strip() for argument in entry[2].split(",", maxsplit=2)], entry[3] or ""))
        elif comment := re.fullmatch(r"// (.*)", line):
            found.append(("", [], comment[1]))
        elif line and not line.startswith("#undef"):
            raise SystemExit(f"check_lists.py: {path}: cannot read '{line}'")
    return found


# Each function below makes the lines of one marked part.

def opcodes():
    return entries("src/primitives/opcodes.def")


def python_opcode_names():
    names = ", ".join(f'"{arguments[0]}"' for macro, arguments, _ in opcodes() if macro)
    return textwrap.wrap(names + ",", WIDTH, initial_indent="    ", subsequent_indent="    ")


def python_opcodes():
    lines, second_names, by_byte = [], [], {}
    for macro, arguments, comment in opcodes():
        if not macro:
            lines.append(f"# {comment}")
            continue
        name, value = arguments[:2]
        if macro == "SLHC_OPCODE_ALIAS":
            second_names.append(name)
        elif macro == "SLHC_SLHDSA_OPCODE" and value in by_byte:
            second_names.append(by_byte[value])
            value = by_byte[value]
        else:
            by_byte[value] = name
            value = f"CScriptOp({value})"
        lines.append(f"{name} = {value}")
    second = ", ".join(f'"{name}"' for name in [*second_names, by_byte["0xff"]])
    return [*lines, "#: Names that are not an opcode's first.", *textwrap.wrap(f"_SECOND_NAMES = {{{second}}}", WIDTH, subsequent_indent="                 ")]


def flags():
    """Name, use and meaning of each flag, in the order of bits."""
    listed = [(*arguments, comment) for macro, arguments, comment in entries("src/script/verify_flags.def") if macro]
    return [(name, use, comment if use in ("CONSENSUS", "EXPERIMENTAL") else f"{comment} (policy)") for name, use, comment in listed]


def c_flags():
    lines = [f"#define SLHC_VERIFY_{name} (UINT64_C(1) << {bit}) /**< {comment} */" for bit, (name, _, comment) in enumerate(flags())]
    consensus = textwrap.wrap(" | ".join(f"SLHC_VERIFY_{name}" for name, use, _ in flags() if use == "CONSENSUS"), 110)
    consensus = ["#define SLHC_VERIFY_CONSENSUS \\", "    (" + " \\\n     ".join(consensus) + ")"]
    return [*lines, "", "/** The rules for blocks where P2MR and the opcodes are active: all consensus flags, no policy flags. */", *consensus]


def python_flags():
    return [f'    {name} = CONSTANTS["SLHC_VERIFY_{name}"]  #: {comment}' for name, _, comment in flags()]


# File, what begins its comments, the list, the lines
PARTS = [
    ("contrib/python/src/slhconsensus/opcodes.py", "    #", "the names in src/primitives/opcodes.def", python_opcode_names),
    ("contrib/python/src/slhconsensus/opcodes.py", "#", "src/primitives/opcodes.def", python_opcodes),
    ("contrib/python/src/slhconsensus/verify.py", "    #", "src/script/verify_flags.def", python_flags),
    ("src/slhconsensus.h", "/*", "src/script/verify_flags.def", c_flags),
]


def brought_up_to_date(file, text, comment, source, lines):
    """The text of a file with one of its parts as it has to be."""
    end = " */" if comment.endswith("/*") else ""
    first, last = f"{comment} Begin: made from {source} by contrib/lint/check_lists.py{end}\n", f"{comment} End: {source}{end}\n"
    if text.count(first) != 1 or text.count(last) != 1 or text.index(first) > text.index(last):
        raise SystemExit(f"check_lists.py: {file} lacks the marks '{first.strip()}' and '{last.strip()}'")
    before, rest = text.split(first)
    return before + first + "".join(f"{line}\n" for line in lines) + last + rest.split(last)[1]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="bring the files up to date")
    options = parser.parse_args()
    status = 0
    for file in dict.fromkeys(part[0] for part in PARTS):
        old = new = (ROOT / file).read_text()
        for _, comment, source, make in (part for part in PARTS if part[0] == file):
            new = brought_up_to_date(file, new, comment, source, make())
        if new == old:
            continue
        if options.write:
            (ROOT / file).write_text(new)
            print(f"{file}: written")
        else:
            lines = itertools.zip_longest(old.splitlines(), new.splitlines(), fillvalue="nothing")
            number, (is_, should) = next((number, pair) for number, pair in enumerate(lines, 1) if pair[0] != pair[1])
            print(f"{file}:{number}: '{is_.strip()}', and the lists say '{should.strip()}'; run contrib/lint/check_lists.py --write")
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
