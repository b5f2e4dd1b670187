#!/usr/bin/env python3
# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Check that 64-bit little-endian ELF files have the defences that cmake/Hardening.cmake asks for, in their bytes.

    contrib/release/check_hardening.py FILE...
    contrib/release/check_hardening.py --self-test CC

A file is a program, a shared library, or an archive of objects. --self-test makes small programs and archives that
lack one defence each, and fails unless exactly that one is missed. Exit status: 0 all there, 1 something is missing, 77 not such files.

Seen in the bytes of a program or a library are: calls of the stack protector, of the C library's checked functions (not the level of
FORTIFY_SOURCE), the probes of large frames (on x86-64), and the landing pads (endbr64) at what is exported and at what tables of functions
point to. The first three show that an option reached some file, not that it reached every one. That every function of ours is marked
as ready for a shadow stack is seen in the archive: programs have that mark only where the system's own start files have it.
"""

import argparse
import pathlib
import struct
import subprocess
import sys
import tempfile

SKIPPED = 77
ARCHIVE = b"!<arch>\n"
ET_REL, ET_DYN, EM_X86_64 = 1, 3, 62
PT_LOAD, PT_DYNAMIC, PT_INTERP, PT_GNU_STACK, PT_GNU_RELRO = 1, 2, 3, 0x6474E551, 0x6474E552
PF_X, PF_W = 1, 2
SHF_EXECINSTR = 4
SHT_SYMTAB, SHT_RELA, SHT_NOTE, SHT_NOBITS, SHT_DYNSYM = 2, 4, 7, 8, 11
STT_FUNC, R_X86_64_RELATIVE = 2, 8
DT_NULL, DT_RPATH, DT_TEXTREL, DT_BIND_NOW, DT_FLAGS, DT_FLAGS_1 = 0, 15, 22, 24, 30, 0x6FFFFFFB
DT_INIT_ARRAY, DT_FINI_ARRAY, DT_INIT_ARRAYSZ, DT_FINI_ARRAYSZ = 25, 26, 27, 28
DF_TEXTREL, DF_BIND_NOW, DF_1_NOW, DF_1_PIE = 4, 8, 1, 0x08000000
NT_GNU_PROPERTY_TYPE_0, GNU_PROPERTY_X86_FEATURE_1_AND, FEATURE_IBT, FEATURE_SHSTK = 5, 0xC0000002, 1, 2
ENDBR64 = bytes.fromhex("f30f1efa")
# sub $4096, %rsp, and a write to the page that it reaches: gcc's orq $0, clang's movq $0
PROBES = [bytes.fromhex("4881ec00100000" + write) for write in ("48830c2400", "48c7042400000000")]


class Elf:
    """What the checks need of a file."""

    def __init__(self, data):
        self.data = data
        self.is_known = data[:6] == b"\x7fELF\x02\x01"  # 64 bits, little-endian
        if not self.is_known:
            return
        self.type, self.machine = struct.unpack_from("<HH", data, 16)
        segments_at, sections_at = struct.unpack_from("<QQ", data, 32)
        segment_size, n_segments, section_size, n_sections = struct.unpack_from("<HHHH", data, 54)
        # (type, flags, offset in the file, address, size in the file)
        self.segments = []
        for i in range(n_segments):
            kind, flags, offset, address, _, size = struct.unpack_from("<IIQQQQ", data, segments_at + i * segment_size)
            self.segments.append((kind, flags, offset, address, size))
        # (type, flags, bytes, number of the linked section)
        self.sections = []
        for i in range(n_sections):
            _, kind, flags, _, offset, size, link = struct.unpack_from("<IIQQQQI", data, sections_at + i * section_size)
            self.sections.append((kind, flags, b"" if kind == SHT_NOBITS else data[offset : offset + size], link))
        self.dynamic = {}
        for kind, _, offset, _, size in self.segments:
            for at in range(offset, offset + size, 16) if kind == PT_DYNAMIC else ():
                tag, value = struct.unpack_from("<QQ", data, at)
                if tag == DT_NULL:
                    break
                self.dynamic[tag] = value

    def is_program(self):
        return any(kind == PT_INTERP for kind, *_ in self.segments)

    def symbols(self):
        """(name, type, number of the section or 0 if it is elsewhere, address) of the symbols: a finished file's dynamic ones."""
        wanted = SHT_SYMTAB if self.type == ET_REL else SHT_DYNSYM
        for kind, _, table, link in self.sections:
            names = self.sections[link][2] if kind == wanted else b""
            for name, info, _, section, address, _ in struct.iter_unpack("<IBBHQQ", table) if names else ():
                yield names[name : names.index(b"\0", name)].decode(), info & 15, section, address

    def imports(self):
        return {name for name, _, section, _ in self.symbols() if section == 0}

    def code(self):
        """(address, bytes) of the parts that are code and nothing else: an object's sections, which have no address yet."""
        if self.type == ET_REL:
            return [(0, section) for _, flags, section, _ in self.sections if flags & SHF_EXECINSTR]
        return [(address, self.data[at : at + size]) for kind, flags, at, address, size in self.segments
                if kind == PT_LOAD and flags & (PF_X | PF_W) == PF_X]

    def jumped_to(self):
        """Addresses in this file that are called indirectly: what it exports, and what tables of functions hold. The tables of what is run
        at the start and the end belong to the system's start files too, which have their own ways."""
        for _, kind, section, address in self.symbols():
            if section != 0 and kind == STT_FUNC:
                yield address
        tables = (DT_INIT_ARRAY, DT_INIT_ARRAYSZ), (DT_FINI_ARRAY, DT_FINI_ARRAYSZ)
        arrays = [(self.dynamic.get(first, 0), self.dynamic.get(size, 0)) for first, size in tables]
        for kind, _, table, _ in self.sections:
            for at, info, address in struct.iter_unpack("<QQQ", table) if kind == SHT_RELA and self.type != ET_REL else ():
                if info == R_X86_64_RELATIVE and not any(first <= at < first + size for first, size in arrays):
                    yield address

    def has_landing_pads(self):
        """Whether all of them begin with one. Without PIE nobody can tell: the tables then hold addresses as plain numbers."""
        if self.type != ET_DYN:
            return True
        found = [data[at - start :][:4] for start, data in self.code() for at in self.jumped_to() if start <= at < start + len(data)]
        return bool(found) and all(code == ENDBR64 for code in found)

    def features(self):
        """What an object says that all of its code is ready for."""
        for kind, _, note, _ in self.sections if self.machine == EM_X86_64 else ():
            at = 16
            if kind != SHT_NOTE or note[:16] != struct.pack("<III4s", 4, len(note) - 16, NT_GNU_PROPERTY_TYPE_0, b"GNU"):
                continue
            while at < len(note):
                kind, size, value = struct.unpack_from("<III", note, at)
                if kind == GNU_PROPERTY_X86_FEATURE_1_AND:
                    return value
                at += 8 + -(-size // 8) * 8
        return 0


def members(archive):
    """The files in an archive, other than its tables."""
    at = len(ARCHIVE)
    while at < len(archive):
        name, size = archive[at : at + 16].decode().rstrip(), int(archive[at + 48 : at + 58])
        if name not in ("/", "//", "/SYM64/"):
            yield archive[at + 60 : at + 60 + size]
        at += 60 + size + size % 2


def missing_in_objects(objects):
    """The compiler's defences that the objects of an archive lack."""
    yield from missing_calls(set().union(*(elf.imports() for elf in objects)))
    yield from missing_probes(objects)
    for feature, name in (FEATURE_IBT, "landing pads"), (FEATURE_SHSTK, "shadow stack"):
        if any(elf.machine == EM_X86_64 and not elf.features() & feature for elf in objects):
            yield name


def missing_calls(imports):
    """What leaves calls of the C library behind."""
    if "__stack_chk_fail" not in imports:
        yield "stack protector"
    if not any(name.startswith("__") and name.endswith("_chk") for name in imports):
        yield "FORTIFY_SOURCE"


def missing_probes(elfs):
    """What large frames show: a missing option, where it is missing everywhere."""
    if any(elf.machine == EM_X86_64 for elf in elfs) and not any(probe in code for elf in elfs for _, code in elf.code() for probe in PROBES):
        yield "stack clash protection"


def missing_of_compiler(elf):
    """The compiler's defences that a program or a library lacks."""
    yield from missing_calls(elf.imports())
    yield from missing_probes([elf])
    if elf.machine == EM_X86_64 and not elf.has_landing_pads():
        yield "landing pads"


def missing_of_linker(elf):
    """The linker's."""
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
    if any(kind == PT_LOAD and access & PF_X and offset == 0 for kind, access, offset, *_ in elf.segments):
        yield "separate code"
    if DT_TEXTREL in elf.dynamic or flags & DF_TEXTREL:
        yield "code without relocations"
    if DT_RPATH in elf.dynamic:
        yield "a search path without RPATH"


PROGRAM = """#include <string.h>
#ifdef ADDRESS_IN_CODE
__asm__(".text\\n.quad main\\n");
#endif
#ifdef WRITABLE_CODE
__asm__(".section .both, \\"awx\\"\\n.quad 0\\n.text\\n");
#endif
static int pages(const char* name) { volatile char large[20000]; large[strlen(name)] = 1; return large[0]; }
static int copy(const char* name) { char small[64]; strcpy(small, name); return small[1]; }
int (*const volatile table[])(const char*) = {pages, copy};
int main(int n, char** names) { return table[n % 2](names[0]); }
"""
COMPILED = ["-O2", "-fPIE", "-fstack-protector-strong", "-fstack-clash-protection", "-U_FORTIFY_SOURCE", "-D_FORTIFY_SOURCE=2"]
COMPILED_ON_X86 = ["-fcf-protection=full"]
LINKED = ["-pie", "-Wl,-z,relro,-z,now,-z,noexecstack,-z,separate-code"]
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
COMPILED_WITHOUT = {"stack protector": ["-fno-stack-protector"], "FORTIFY_SOURCE": ["-U_FORTIFY_SOURCE"]}
COMPILED_ON_X86_WITHOUT = {"stack clash protection": ["-fno-stack-clash-protection"], "landing pads": ["-fcf-protection=return"]}
OBJECT_ON_X86_WITHOUT = {"landing pads": ["-fcf-protection=return"], "shadow stack": ["-fcf-protection=branch"]}


def self_test(compiler):
    failures = 0
    target = subprocess.run([compiler, "-dumpmachine"], check=True, capture_output=True, text=True).stdout
    on_x86 = target.startswith("x86_64-")
    compiled = [compiler, *COMPILED, *(COMPILED_ON_X86 if on_x86 else [])]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        source, program, archive = folder / "program.c", folder / "program", folder / "archive.a"
        source.write_text(PROGRAM)

        def run(*command):
            subprocess.run(command, check=True, stderr=subprocess.DEVNULL, cwd=folder)

        def check(what, defence, path):
            nonlocal failures
            found = missing(path)
            ok = found == ([defence] if defence else [])
            print(f"{'ok' if ok else 'FAILED'}: {what} that lacks {defence or 'nothing'}: found to lack {', '.join(found) or 'nothing'}")
            failures += not ok

        for defence, flags in {"": [], **WITHOUT, **COMPILED_WITHOUT, **(COMPILED_ON_X86_WITHOUT if on_x86 else {})}.items():
            run(*compiled, *LINKED, *flags, "-o", program, source)
            check("a program", defence, program)
        in_archive = {**COMPILED_WITHOUT, **({**COMPILED_ON_X86_WITHOUT, **OBJECT_ON_X86_WITHOUT} if on_x86 else {})}
        for defence, flags in {"": [], **in_archive}.items():
            run(*compiled, "-c", "-o", "good.o", source)
            run(*compiled, *flags, "-c", "-o", "an_object_of_a_long_name.o", source)
            archive.unlink(missing_ok=True)
            # A call or a probe is seen in the archive as a whole, a mark in each object.
            marked = defence in ("", *OBJECT_ON_X86_WITHOUT)
            run("ar", "rc", archive, *(["good.o"] if marked else []), "an_object_of_a_long_name.o")
            check("an archive", defence, archive)
    return 1 if failures else 0


def missing(path):
    """The defences that a file lacks; None if it is none of those that are known here."""
    data = pathlib.Path(path).read_bytes()
    elfs = [Elf(member) for member in (members(data) if data.startswith(ARCHIVE) else [data])]
    if not elfs or not all(elf.is_known for elf in elfs):
        return None
    if data.startswith(ARCHIVE):
        return list(missing_in_objects(elfs))
    return [*missing_of_linker(elfs[0]), *missing_of_compiler(elfs[0])]


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
        lacks = missing(path)
        if lacks is None:
            print(f"SKIPPED: {path} is not a 64-bit little-endian ELF file")
            status = status or SKIPPED
            continue
        print(f"{path}: {'lacks ' + ', '.join(lacks) if lacks else 'has every defence'}")
        if lacks:
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
