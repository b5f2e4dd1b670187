#!/usr/bin/env python3
# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Checks what no compiler does: that includes point one way, that header guards are named after their files, that every source
file carries its copyright line and no line longer than .clang-format allows, that assert() comes from util/check.h, which keeps it
on, that some fuzz target calls every function of the C API, that code for any parameter set does not take 128s for granted, that
no CDPATH leads a shell script elsewhere, that no file but .ci/run looks for data beside the repository, and that the README leads to every
page of doc/ by links that lead somewhere."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
SRC = ROOT / "src"

# Each layer and the layers that it may include.
ALLOWED = {
    "util": {"util"},
    "crypto": {"util", "crypto"},
    "primitives": {"util", "crypto", "primitives"},
    "pqc": {"util", "crypto", "pqc"},
    "script": {"util", "crypto", "primitives", "pqc", "script"},
    "consensus": {"util", "crypto", "primitives", "pqc", "script", "consensus"},
    "wallet": {"util", "crypto", "primitives", "pqc", "script", "consensus", "wallet"},
    "capi": {"util", "crypto", "primitives", "pqc", "script", "consensus", "wallet", "capi"},
}
# Within a layer: the interpreter knows a checker, never a backend; the standard knows nothing of how it is computed fast; what knows Vulkan
# is slhgpu, which shares with the library what the two say to each other, and nothing else.
FORBIDDEN = [
    ("script", r"pqc/(backend|backends|batch|cpu/|device/)"),
    ("consensus", r"pqc/(cpu/|device/)"),
    ("wallet", r"pqc/(backend|backends|cpu/|device/)"),
    ("pqc/slhdsa", r"pqc/(?!slhdsa/)"),
    ("pqc/cpu", r"pqc/(backends|batch|check|verifier|device/)"),
    ("pqc/device", r"pqc/(backends|batch|check|verifier)"),
    ("pqc/vulkan", r"pqc/(?!vulkan/|slhdsa/|device/(protocol|device_choice|device_link|entry)\.h)"),
]
MAX_COLUMNS = 140
INCLUDE = re.compile(r"^\s*#\s*include\s*[<\"]([a-z0-9_]+)/([^>\"]+)[>\"]", re.MULTILINE)
# The headers of the C API
HEADERS = ("slhdsa.h", "slhconsensus.h", "slhwallet.h")
# Functions of these that no fuzz target calls, and why
NOT_FUZZED = {
    "slhc_list_backends": "takes nothing that could be wrong, and opens the drivers of the machine",
}
# Files that have a size of 128s as a number, or below pqc name that set's numbers, and why. Tests and benchmarks may.
KNOW_128S = {
    "slhdsa.h": "SLHC_SIGNATURE_SIZE, for the rules",
    "pqc/capi/slhdsa.cpp": "SLHC_SIGNATURE_SIZE",
    "pqc/slhdsa/params.h": "SIGNATURE_SIZE, for the rules",
    "pqc/slhdsa/slhdsa.h": "algorithms for users who name no set",
    "pqc/cpu/known_answers.cpp": "its samples are signatures of 128s",
    "pqc/cpu/lane_signer.cpp": "keys of other sets are checked",
    "pqc/device/device_backend.cpp": "a pace is measured with 128s",
    "pqc/device/protocol.h": "a capacity counts entries of 128s",
    "pqc/vulkan/shape.cpp": "a capacity counts entries of 128s",
}
NOT_CODE = re.compile(r'//[^\n]*|/\*(?s:.*?)\*/|"(?:[^"\\\n]|\\.)*"')
# A link in Markdown to a file of this tree
LINK = re.compile(r"\]\((?!\w+:)([^)#\s]+)[^)]*\)")


def page_problems():
    reached, ahead = set(), [ROOT / "README.md"]
    while ahead:
        page = ahead.pop()
        reached.add(page)
        text = page.read_text()
        for match in LINK.finditer(text):
            target = (page.parent / match[1]).resolve()
            if not target.exists():
                yield f"{page.relative_to(ROOT)}:{text.count(chr(10), 0, match.start()) + 1}: there is no {match[1]}"
            elif target.suffix == ".md" and target not in reached:
                ahead.append(target)
    for page in sorted((ROOT / "doc").rglob("*.md")):
        if page not in reached:
            yield f"{page.relative_to(ROOT)}: no link leads here from README.md"


def fuzz_problems():
    text = "".join((SRC / name).read_text() for name in HEADERS)
    functions = set(re.findall(r"^SLHC_API [^;(]*?(slhc_\w+)\(", text, re.MULTILINE))
    called = set()
    for path in sorted((SRC / "test/fuzz").glob("*.*")):
        code = re.sub(r"//.*|decltype\(&\w+\)", "", path.read_text())  # neither a comment nor a type calls anything
        called |= set(re.findall(r"\bslhc_\w+", code))
    for name in sorted(functions - called - set(NOT_FUZZED)):
        yield f"src: no fuzz target calls {name} (src/test/fuzz, or NOT_FUZZED in check_tree.py)"
    for name in sorted(set(NOT_FUZZED) & called | set(NOT_FUZZED) - functions):
        yield f"contrib/lint/check_tree.py: {name} has no place in NOT_FUZZED"


def set_problems():
    listed = re.search(r"\(SHA2_128S, .*, (\d+), (\d+), (\d+), (\d+), 4\)", (SRC / "pqc/slhdsa/parameter_sets.def").read_text())
    h, d, a, k = map(int, listed.groups())
    fors, hypertree = 16 * k * (1 + a), 16 * (35 * d + h)
    sizes = {fors, hypertree, hypertree // d, fors + hypertree, 16 + fors + hypertree}  # of a signature and its parts
    found = {}
    for path in sorted(SRC.rglob("*")):
        name = path.relative_to(SRC).as_posix()
        if path.suffix not in {".h", ".cpp", ".c", ".comp", ".glsl", ".inc"} or name.startswith(("test/", "bench/")):
            continue
        code = NOT_CODE.sub(lambda match: "\n" * match[0].count("\n"), path.read_text())
        for match in re.finditer(r"\b(?:0[xX][0-9a-fA-F']+|[0-9][0-9']*)(?=[uUlLzZ]*\b)|\b(?:PARAMS_128S|SIGNATURE_SIZE)\b", code):
            word = match[0]
            if int(word.replace("'", ""), 0 if word.lower().startswith("0x") else 10) in sizes if word[0].isdigit() else name.startswith("pqc/"):
                found.setdefault(name, f"src/{name}:{code.count(chr(10), 0, match.start()) + 1}: {word} is of 128s alone")
    for name in sorted(set(found) - set(KNOW_128S)):
        yield found[name] + " (KNOW_128S in check_tree.py)"
    for name in sorted(set(KNOW_128S) - set(found)):
        yield f"contrib/lint/check_tree.py: {name} has no place in KNOW_128S"


def shell_problems():
    """Where a user exports CDPATH, cd may go to another folder, and prints where it went: a folder's name taken from that has two lines."""
    for path in sorted(path for folder in ("contrib", "src", "test") for path in (ROOT / folder).rglob("*.sh")):
        commands = re.sub(r"^\s*#.*", "", path.read_text(), flags=re.MULTILINE)
        first = re.search(r"\bcd ", commands)
        if first and not re.search(r"^unset CDPATH$", commands[:first.start()], re.MULTILINE):
            yield f"{path.relative_to(ROOT)}: calls cd without 'unset CDPATH' before"


def outside_problems():
    """Elsewhere, an environment variable names what is not in the repository."""
    paths = [*ROOT.glob("*"), *(path for folder in ("cmake", "contrib", "doc", "src", "test") for path in (ROOT / folder).rglob("*"))]
    for path in sorted(filter(pathlib.Path.is_file, paths)):
        for match in re.finditer(rb"(\.\.|parent)\W{1,4}shared\b", path.read_bytes()):
            yield f"{path.relative_to(ROOT)}: looks for '{match[0].decode(errors='replace')}' beside the repository"


def problems():
    yield from page_problems()
    yield from fuzz_problems()
    yield from set_problems()
    yield from shell_problems()
    yield from outside_problems()
    for path in sorted(SRC.rglob("*")):
        if path.suffix not in {".h", ".cpp", ".c", ".comp", ".def"}:
            continue
        name = path.relative_to(SRC).as_posix()
        text = path.read_text()
        if not text.startswith("// Copyright (c)") and not text.startswith("/* Copyright (c)"):
            yield f"src/{name}:1: no copyright line"
        for number, line in enumerate(text.splitlines(), 1):
            if path.suffix in {".h", ".cpp"} and len(line) > MAX_COLUMNS:
                yield f"src/{name}:{number}: {len(line)} columns, {MAX_COLUMNS} are allowed"
        layer = name.split("/")[0]
        if layer in ALLOWED and name != "util/check.h" and re.search(r"#\s*include\s*<(cassert|assert\.h)>", text):
            yield f"src/{name}: assert() comes from <util/check.h>"
        for match in INCLUDE.finditer(text):
            line = text.count("\n", 0, match.start(1)) + 1
            target = f"{match[1]}/{match[2]}"
            if not (SRC / match[1]).is_dir():
                continue
            if layer in ALLOWED and match[1] not in ALLOWED[layer]:
                yield f"src/{name}:{line}: {layer} must not include <{target}>"
            for where, what in FORBIDDEN:
                if name.startswith(where + "/") and re.match(what, target):
                    yield f"src/{name}:{line}: {where} must not include <{target}>"
            if layer in {*ALLOWED, "tool"} and target.startswith("pqc/vulkan/") and not name.startswith("pqc/vulkan/"):
                yield f"src/{name}:{line}: <{target}> is a part of slhgpu alone"
            if layer in ALLOWED and layer != "capi" and target.startswith("pqc/capi/") and not name.startswith("pqc/capi/"):
                yield f"src/{name}:{line}: <{target}> is for the C API alone"
        if layer in {"util", "crypto", "pqc"} and re.search(r"#\s*include\s*<(slhconsensus|slhwallet)\.h>", text):
            yield f"src/{name}: {layer} is a part of libslhdsa, whose header is slhdsa.h"
        if path.suffix == ".h" and name not in HEADERS:
            guard = "SLHCONSENSUS_" + re.sub(r"[^A-Z0-9]", "_", name.upper())
            if f"#ifndef {guard}\n#define {guard}\n" not in text:
                yield f"src/{name}: header guard is not {guard}"


def main():
    found = list(problems())
    for problem in found:
        print(problem)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
