#!/usr/bin/env python3
# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Compare the binary interface of slhconsensus.h with the one on record, src/test/data/abi.txt.

    contrib/lint/check_abi.py [--compiler CC] [--update | --self-test]

Programs rely on every recorded function and its types, every constant's value, and the offset and type of every field. New functions,
constants and structures break nothing, nor do fields at the end of a structure that begins with struct_size: not in a gap between fields,
as older programs, which leave that gap unset, pass a size that covers it. --update records the header as it is: in the commit of a release,
or, before 1.0, in one that breaks the interface on purpose and says so in CHANGELOG.md. --self-test makes such changes to copies of
the header and sees which are noticed.

Exit status: 0 compatible, 1 not, 77 on a machine whose types have other sizes than the record's.
"""

import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HEADER = ROOT / "src" / "slhconsensus.h"
RECORD = ROOT / "src" / "test" / "data" / "abi.txt"
SKIPPED = 77
sys.path.insert(0, str(ROOT / "contrib" / "python"))
sys.dont_write_bytecode = True
import make_cdef  # noqa: E402


def normal(text):
    """Types with one space between words and none before * or ,."""
    return re.sub(r" ?([*,()]) ?", lambda m: {",": ", "}.get(m[1], m[1]), re.sub(r"\s+", " ", text.strip()))


def without_names(parameters):
    """The types of a parameter list."""
    types = []
    for parameter in normal(parameters).split(", "):
        # An array is a pointer here; its size is what the documentation demands.
        array = parameter.endswith("]")
        bare = re.sub(r"\[\w*\]$", "", parameter)
        name = re.fullmatch(r"(.*[ *])(\w+)", bare)
        kind = name[1].strip() if name and parameter != "void" else bare
        types.append(kind + ("*" if array else ""))
    return ", ".join(types)


def declared(text, struct, field, other):
    """Call the three functions for what a header declares, which must be of the kinds that it has: none is passed over."""

    def take_struct(match):
        body, name = match.groups()
        struct(name)
        for line in filter(None, map(str.strip, body.split(";"))):
            parts = re.fullmatch(r"([\w* \n]*[ *])(\w+)(\[\w+\])?", line)
            if not parts:
                raise SystemExit(f"check_abi.py: cannot read the field '{line}' of {name}")
            field(name, parts[2], normal(parts[1]) + (parts[3] or ""))
        return ""

    rest = re.sub(r"typedef struct \{([^}]*)\} ?(\w+);", take_struct, text)
    for declaration in filter(None, map(str.strip, rest.split(";"))):
        if match := re.fullmatch(r"typedef struct (\w+) \1", declaration):
            other(f"opaque {match[1]}")
        elif match := re.fullmatch(r"typedef ([\w* ]+)\(\*(\w+)\)\(([^()]*)\)", declaration):
            other(f"callback {normal(match[1])} {match[2]}({without_names(match[3])})")
        elif match := re.fullmatch(r"((?!typedef)[\w* ]+?[ *])(slhc_\w+)\(([^()]*)\)", declaration):
            other(f"function {normal(match[1])} {match[2]}({without_names(match[3])})")
        else:
            raise SystemExit(f"check_abi.py: cannot read the declaration '{declaration}'")


def interface(compiler, header=HEADER):
    """The lines of the record."""
    include = f'#include "{header}"\n'
    lines, asked = [], []
    declared(make_cdef.preprocess(compiler, include),
             struct=lambda name: asked.append(f'ask("struct {name} size", sizeof({name}));'),
             field=lambda name, member, kind: asked.append(f'ask("struct {name} field {member}: {kind} at", offsetof({name}, {member}));'),
             other=lines.append)
    macros = re.findall(r"^#define (SLHC_\w+) (?!\{)\S", make_cdef.preprocess(compiler, include, "-dM"), re.MULTILINE)
    asked += [f'ask("constant {name} =", (long long)({name}));' for name in macros if not name.startswith("SLHC_VERSION_")]
    asked += ['printf("sizes int %d, long %d, pointer %d\\n", (int)sizeof(int), (int)sizeof(long), (int)sizeof(void*));', "return 0;"]
    program = include + "#include <stdio.h>\n" \
        'static void ask(const char* what, long long value) { printf("%s %lld\\n", what, value); }\n' \
        "int main(void)\n{\n" + "\n".join(asked) + "\n}\n"
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([*compiler, "-x", "c", "-o", f"{folder}/program", "-"], input=program, text=True, check=True)
        lines += subprocess.run([f"{folder}/program"], stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()
    return sorted(lines)


def sizes(lines):
    """The size of each structure."""
    return {words[1]: int(words[3]) for words in map(str.split, lines) if words[0] == "struct" and words[2] == "size"}


def broken(recorded, now):
    """What no longer holds for programs that rely on the record."""
    growing = {line.split()[1] for line in now if re.fullmatch(r"struct \w+ field struct_size: size_t at 0", line)}
    old_sizes, new_sizes = sizes(recorded), sizes(now)
    for line in sorted(set(recorded) - set(now)):
        match = re.fullmatch(r"struct (\w+) size (\d+)", line)
        if not (match and match[1] in growing and new_sizes.get(match[1], 0) > int(match[2])):
            yield f"no longer there: {line}"
    for line in sorted(set(now) - set(recorded)):
        match = re.fullmatch(r"struct (\w+) field .* at (\d+)", line)
        if match and int(match[2]) < old_sizes.get(match[1], 0):
            yield f"not at the end: {line}"


# What is done to the header, and whether programs break
CHANGES = [
    ("nothing", "", "", False),
    ("a constant", "#define SLHC_INVALID 0 ", "#define SLHC_INVALID 3 ", True),
    ("fields in another order", "int code;           /**< one of SLHC_ERR_* */\n    char message[256];", "char message[256];\n    int code;", True),
    ("a wider parameter", "slhc_tx_input_count(const slhc_tx* tx)", "slhc_tx_input_count(const slhc_tx* tx, int n)", True),
    ("another result", "SLHC_API unsigned slhc_tx_input_count", "SLHC_API size_t slhc_tx_input_count", True),
    ("a function that is gone", "SLHC_API const char* slhc_version(void);", "", True),
    ("a callback", "(*slhc_log_callback)(void* user, int level", "(*slhc_log_callback)(void* user, long level", True),
    ("a structure without struct_size that grows", "    size_t size;\n} slhc_bytes;", "    size_t size;\n    int more;\n} slhc_bytes;",
     True),
    ("a field before another", "    int log_level; ", "    int more;\n    int log_level; ", True),
    ("a field after another, in the gap behind it", "    unsigned threads;\n", "    unsigned threads;\n    unsigned more;\n", True),
    ("a field that is as wide and of another type", "    unsigned threads;\n", "    int threads;\n", True),
    ("a structure with struct_size that grows", "    size_t signature_cache_bytes;\n}", "    size_t signature_cache_bytes;\n    int more;\n}",
     False),
    ("a parameter with another name", "slhc_tx_input_count(const slhc_tx* tx)", "slhc_tx_input_count(const slhc_tx* t)", False),
    ("a constant that is new", "#define SLHC_ERR_NONE 0\n", "#define SLHC_ERR_NONE 0\n#define SLHC_ERR_NEW 8\n", False),
    ("a function that is new", "SLHC_API const char* slhc_version(void);",
     "SLHC_API const char* slhc_version(void);\nSLHC_API int slhc_new(int n);", False),
]


def self_test(compiler):
    recorded, failures = interface(compiler), 0
    for what, old, new, breaks in CHANGES:
        text = HEADER.read_text()
        if old and text.count(old) != 1:
            raise SystemExit(f"check_abi.py: {what}: {text.count(old)} places have '{old}'")
        with tempfile.TemporaryDirectory() as folder:
            header = Path(folder) / HEADER.name
            header.write_text(text.replace(old, new) if old else text)
            lost = list(broken(recorded, interface(compiler, header)))
        ok = bool(lost) == breaks
        print(f"{'ok' if ok else 'FAILED'}: {what}: {len(lost)} broken" + "".join(f"\n    {line}" for line in lost))
        failures += not ok
    return 1 if failures else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--compiler", default="cc", metavar="CC", help="what measures the header, with its options (default: cc)")
    parser.add_argument("--update", action="store_true", help="record the header as it is")
    parser.add_argument("--self-test", action="store_true", help="change copies of the header, and see which changes are noticed")
    args = parser.parse_args()
    if args.self_test:
        return self_test(args.compiler.split())
    now = interface(args.compiler.split())
    if args.update:
        RECORD.write_text("\n".join(now) + "\n")
        print(f"written: {RECORD}, {len(now)} lines")
        return 0
    recorded = RECORD.read_text().splitlines()
    if next(line for line in recorded if line.startswith("sizes ")) not in now:
        print("SKIPPED: types have other sizes here than in the record")
        return SKIPPED
    lost = list(broken(recorded, now))
    for line in lost:
        print(f"{HEADER.name}: {line}")
    print(f"{len(recorded)} recorded, {len(lost)} broken, {len(set(now) - set(recorded))} new")
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main())
