#!/usr/bin/env python3
# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Prints the headers of the C API as cffi's cdef() takes it: what a C compiler's preprocessor makes of it, and each macro that is a
number as an enumerator of the same name, whose value cffi computes.

  contrib/python/make_cdef.py COMPILER [OPTION...]
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2] / "src"

# cffi knows the types of these headers, and takes no other declarations of them.
STANDARD_HEADERS = {"stddef.h": "", "stdint.h": "#define UINT32_C(c) c##u\n#define UINT64_C(c) c##u\n#define SIZE_MAX __SIZE_MAX__\n"}


def preprocess(compiler, source, *options):
    with tempfile.TemporaryDirectory() as folder:
        for name, text in STANDARD_HEADERS.items():
            (Path(folder) / name).write_text(text, encoding="utf-8")
        # Without GNU C the header has no attributes, which cffi does not read.
        command = [*compiler, "-E", "-P", "-x", "c", "-U__GNUC__", "-nostdinc", "-isystem", folder, "-I", SOURCE, *options, "-"]
        return subprocess.run(command, input=source, stdout=subprocess.PIPE, check=True, text=True, encoding="utf-8").stdout


def main(compiler):
    include = "#include <slhwallet.h>\n"  # which includes the others
    print(preprocess(compiler, include), end="")
    macros = re.findall(r"^#define (SLHC_\w+) (?!\{)\S", preprocess(compiler, include, "-dM"), re.MULTILINE)
    # In quotes, the names are not replaced by the values.
    values = preprocess(compiler, include + "".join(f'constant "{name}" = {name};\n' for name in sorted(macros)))
    print(re.sub(r'^constant "(\w+)" = (.*);$', r"enum { \1 = \2 };", values[values.index("constant "):], flags=re.MULTILINE), end="")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(sys.argv[1:])
