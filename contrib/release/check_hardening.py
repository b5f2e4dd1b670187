#!/usr/bin/env python3
# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Check that 64-bit little-endian ELF files have the linker's defences, which cmake/Hardening.cmake asks for, in their bytes.

    contrib/release/check_hardening.py FILE...
    contrib/release/check_hardening.py --self-test CC

A file is a program or a shared library. --self-test links small programs that lack one defence each, and fails unless exactly that one
is missed. Exit status: 0 all there, 1 something is missing, 77 not such files.
"""

import argparse
import pathlib
import struct
import subprocess
import sys
import tempfile

SKIPPED = 77
ET_DYN = 3
PT_LOAD, PT_DYNAMIC, PT_INTERP, PT_GNU_STACK, PT_GNU_RELRO = 1, 2, 3, 0x6474E551, 0x6474E552
PF_X, PF_W = 1, 2
DT_NULL, DT_RPATH, DT_TEXTREL, DT_BIND_NOW, DT_FLAGS, DT_FLAGS_1 = 0, 15, 22, 24, 30, 0x6FFFFFFB
DF_TEXTREL, DF_BIND_NOW, DF_1_NOW, DF_1_PIE = 4, 8, 1, 0x08000000


class Elf:
    """What the checks need of a file."""

    def __init__(self, path):
        data = pathlib.Path(path).read_bytes()
        self.is_known = data[:6] == b"\x7fELF\x02\x01"  # 64 bits, little-endian
        if not self.is_known:
            return
        self.type = struct.unpack_from("<H", data, 16)[0]
        segments_at = struct.unpack_from("<Q", data, 32)[0]
        segment_size, n_segments = struct.unpack_from("<HH", data, 54)
        # (type, flags, offset in the file, size in the file)
        self.segments = []
        for i in range(n_segments):
            kind, flags, offset, _, _, size = struct.unpack_from("<IIQQQQ", data, segments_at + i * segment_size)
            self.segments.append((kind, flags, offset, size))
        self.dynamic = {}
        for kind, _, offset, size in self.segments:
            for at in range(offset, offset + size, 16) if kind == PT_DYNAMIC else ():
                tag, value = struct.unpack_from("<QQ", data, at)
                if tag == DT_NULL:
                    break
                self.dynamic[tag] = value

    def is_program(self):
        return any(kind == PT_INTERP for kind, *_ in self.segments)


def missing(elf):
    """The defences that a file lacks."""
    flags, flags_1 = elf.dynamic.get(DT_FLAGS, 0), elf.dynamic.get(DT_FLAGS_1, 0)
    if elf.type != ET_DYN or (elf.is_program() and not flags_1 & DF_1_PIE):
        yield "PIE"
    if not any(kind == PT_GNU_STACK and not access & PF_X for kind, access, *_ in elf.segments):
        yield "NX stack"
    if any(kind == PT_LOAD and access & PF_X and access & PF_W for kind, access, *_ in elf.segments):
        yield "W^X segments"
    if not any(kind == PT_GNU_RELRO for kind, *_ in elf.segments):
        yield "RELRO"
    if DT_BIND_NOW not in elf.dynamic and not flags & DF_BIND_NOW and not flags_1 & DF_1_NOW:
        yield "BIND_NOW"
    # Headers and tables that can be read and not executed: no code in the segment that the ELF header is in.
    if any(kind == PT_LOAD and access & PF_X and offset == 0 for kind, access, offset, _ in elf.segments):
        yield "separate code"
    if DT_TEXTREL in elf.dynamic or flags & DF_TEXTREL:
        yield "code without relocations"
    if DT_RPATH in elf.dynamic:
        yield "a search path without RPATH"


PROGRAM = """#ifdef ADDRESS_IN_CODE
__asm__(".text\\n.quad main\\n");
#endif
#ifdef WRITABLE_CODE
__asm__(".section .both, \\"awx\\"\\n.quad 0\\n.text\\n");
#endif
int main(void) { return 0; }
"""
DEFENDED = ["-fPIE", "-pie", "-Wl,-z,relro,-z,now,-z,noexecstack,-z,separate-code"]
WITHOUT = {
    "PIE": ["-no-pie", "-fno-pie"],
    "NX stack": ["-Wl,-z,execstack"],
    "RELRO": ["-Wl,-z,norelro"],
    "BIND_NOW": ["-Wl,-z,lazy"],
    "separate code": ["-Wl,-z,noseparate-code"],
    "a search path without RPATH": ["-Wl,--disable-new-dtags,-rpath,/tmp"],
    "W^X segments": ["-DWRITABLE_CODE"],
    "code without relocations": ["-DADDRESS_IN_CODE", "-Wl,-z,notext"],
}


def self_test(compiler):
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "program.c"
        source.write_text(PROGRAM)

        def compiled(*flags):
            program = pathlib.Path(folder) / "program"
            subprocess.run([compiler, *DEFENDED, *flags, "-o", program, source], check=True, stderr=subprocess.DEVNULL)
            return list(missing(Elf(program)))

        for defence, flags in {"": [], **WITHOUT}.items():
            found = compiled(*flags)
            ok = found == ([defence] if defence else [])
            print(f"{'ok' if ok else 'FAILED'}: a program that lacks {defence or 'nothing'}: found to lack {', '.join(found) or 'nothing'}")
            failures += not ok
    return 1 if failures else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--self-test", metavar="CC")
    parser.add_argument("files", nargs="*")
    args = parser.parse_args()
    if args.self_test:
        return self_test(args.self_test)
    if not args.files:
        parser.error("no file to check")
    status = 0
    for path in args.files:
        elf = Elf(path)
        if not elf.is_known:
            print(f"SKIPPED: {path} is not a 64-bit little-endian ELF file")
            return SKIPPED
        lacks = list(missing(elf))
        print(f"{path}: {'lacks ' + ', '.join(lacks) if lacks else 'has every defence'}")
        if lacks:
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
