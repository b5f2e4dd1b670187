#!/usr/bin/env python3
# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""The C++ test suites on other processors, with other standard libraries and with the newest compilers.

  contrib/platforms.py                  all of them, one after the other
  contrib/platforms.py s390x i386       some of them
  contrib/platforms.py --list           what there is

Installs the Debian packages that are missing, and unpacks what it builds against in build/sysroots; nothing else on the machine is changed.
Builds in build/platform-NAME, with warnings as errors, and keeps that for the next run. Runs what ctest would run of the test programs, but
for macOS, where nothing runs: libraries, slhtool, benchmarks and tests are compiled and linked for its two processors by PyPI's ziglang;
tests that are scripts belong to the machine and run in contrib/check.sh alone. Exit status: 0, 1 if a platform failed, 2 if something
could not be obtained.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "contrib/python"))
from jobs import default_jobs  # noqa: E402
SYSROOTS = ROOT / "build/sysroots"
LOGS = ROOT / "build/platforms"
MIRROR = "http://deb.debian.org/debian"
# To build the library, slhtool and the tests for a processor
LIBRARIES = ["libsecp256k1-dev", "libboost-dev", "libboost-test-dev", "nlohmann-json3-dev", "libcli11-dev", "libvulkan-dev"]
# Other packages that a root needs for building in it
TOOLS = ["base-files", "dash", "coreutils", "grep", "sed", "binutils", "cmake", "ninja-build", "pkgconf", "glslc", "python3"]
TARGETS = ["test_slhconsensus", "cost_tests", "capi_c99"]


@dataclass(frozen=True)
class Platform:
    """Where and with what the suites run. {clang} in packages and settings is the newest clang's version."""

    about: str
    packages: tuple[str, ...] = ()       # of this machine's Debian
    sysroot: str = ""                    # the architecture of what it builds against, in Debian's terms
    root: str = ""                       # or a release of Debian, in whose root it builds and runs
    root_packages: tuple[str, ...] = ()
    settings: tuple[str, ...] = ()       # of cmake
    timeout: int = 900                   # seconds a test


ZIG = "ziglang==0.17.1"
# Both libraries, the tool, test_slhconsensus, and the benchmarks but for the one with Google's library, which comes compiled
MACOS = ["slhdsa_shared", "slhconsensus_shared", "slhtool", "capi_c99", "bench_kappa", "bench_full_blocks", "bench_worst_blocks", "bench_elements",
         "bench_elements_6000", "make_chain", "test_slhconsensus"]
EMULATED = 7200
PLATFORMS = {
    "s390x": Platform("big-endian, 64 bits: Debian's cross compiler, in an emulator", ("g++-s390x-linux-gnu", "qemu-user"),
                      sysroot="s390x", timeout=EMULATED),
    "i386": Platform("32 bits: Debian's cross compiler, on this processor", ("g++-i686-linux-gnu",), sysroot="i386"),
    "aarch64": Platform("64 bits: Debian's cross compiler, in an emulator", ("g++-aarch64-linux-gnu", "qemu-user"),
                        sysroot="arm64", timeout=EMULATED),
    # Boost 1.74 derives from what libc++ leaves out of C++20. Debian 12 has this libc++ as headers and archives, but a shared one of clang 19.
    "clang": Platform("the newest clang of this Debian, with its own standard library, libc++",
                      ("clang-{clang}", "libc++-{clang}-dev", "libc++abi-{clang}-dev"),
                      settings=("-DCMAKE_C_COMPILER=clang-{clang}", "-DCMAKE_CXX_COMPILER=clang++-{clang}",
                                "-DCMAKE_CXX_FLAGS=-stdlib=libc++ -D_LIBCPP_ENABLE_CXX17_REMOVED_UNARY_BINARY_FUNCTION",
                                "-DCMAKE_EXE_LINKER_FLAGS=-static-libstdc++")),
    "macos": Platform("its two processors: compiled and linked, not run", ("libboost-dev", "nlohmann-json3-dev", "libcli11-dev", "libsecp256k1-dev")),
    "gcc": Platform("the newest gcc of Debian, and the newest libraries", root="sid", root_packages=("gcc-16", "g++-16"),
                    settings=("-DCMAKE_C_COMPILER=gcc-16", "-DCMAKE_CXX_COMPILER=g++-16")),
}


class Failed(Exception):
    """A stage failed, and its log has been shown."""


class Unavailable(Exception):
    """This machine lacks something that a platform needs."""


class Run:
    """The stages of one platform: a line each on the terminal, everything else in a log."""

    def __init__(self, name: str, jobs: int):
        self.name, self.jobs = name, jobs
        self.platform = PLATFORMS[name]
        self.build = ROOT / f"build/platform-{name}"
        self.settings = list(self.platform.settings)
        self.packages = list(self.platform.packages)
        if any("{clang}" in text for text in self.packages):
            clang = newest_clang()
            self.settings = [text.format(clang=clang) for text in self.settings]
            self.packages = [text.format(clang=clang) for text in self.packages]

    def stage(self, what: str, command: list) -> str:
        """Run a command as it runs on this machine, and return what it printed. @throws Failed"""
        log = LOGS / f"{self.name}-{what.split()[0]}.log"
        print(f"{self.name + ': ' + what:40}", end="", flush=True)
        start = time.monotonic()
        with log.open("w") as out:
            status = subprocess.run(command, cwd=ROOT, stdout=out, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL).returncode
        text = log.read_text(errors="replace")
        print(f"{time.monotonic() - start:6.0f} s", flush=True)
        if status != 0:
            errors = [line for line in text.splitlines() if re.search("error[: ]|FAILED|Failed|Timeout", line)]
            print("\n".join(errors[:20] or text.splitlines()[-20:]))
            print(f"platforms.py: {self.name}: {what} failed; its whole output is in {log}", file=sys.stderr)
            raise Failed
        return text

    def inside(self, command: list) -> list:
        """The command as it runs on this machine: for a root, in a mount namespace of its own, with the tree at its usual place."""
        if not self.platform.root:
            return command
        root = SYSROOTS / self.platform.root
        enter = ('mkdir -p "$0$1" && mount --bind "$1" "$0$1" && mount --rbind /proc "$0/proc" && mount --rbind /dev "$0/dev" && '
                 'root=$0 && tree=$1 && shift && exec chroot "$root" /usr/bin/env -i -C "$tree" PATH=/usr/bin HOME=/tmp "$@"')
        return ["unshare", "--mount", *(["--map-root-user"] if os.geteuid() else []), "sh", "-c", enter, root, ROOT, *command]

    def prepare(self) -> None:
        """Install and unpack what is missing. @throws Unavailable"""
        try:
            self.install()
        except (subprocess.CalledProcessError, Failed) as error:
            raise Unavailable(f"{self.name}: its packages are not to be had") from error

    def install(self) -> None:
        if self.packages or self.platform.sysroot or self.platform.root:
            unpacker = ["mmdebstrap"] if self.platform.sysroot or self.platform.root else []
            subprocess.run([ROOT / "contrib/install-deps.sh", "--packages", *self.packages, *unpacker], check=True)
        if self.platform.sysroot:
            self.unpack(self.platform.sysroot, "bookworm", [f"--architectures={self.platform.sysroot}"],
                        ["libc6-dev", "libstdc++-12-dev", *LIBRARIES])
        elif self.platform.root:
            # Nothing here depends on how old the newest packages are; their signatures are checked.
            self.unpack(self.platform.root, self.platform.root, ["--aptopt=Acquire::Check-Valid-Until false"],
                        [*TOOLS, *self.platform.root_packages, *LIBRARIES])

    def unpack(self, name: str, release: str, options: list[str], packages: list[str]) -> None:
        """Packages of Debian and what they depend on, unpacked and not configured, into a sysroot of that name."""
        sysroot, made_of = SYSROOTS / name, SYSROOTS / f"{name}.packages"
        wanted = " ".join([release, *packages])
        if made_of.exists() and made_of.read_text() == wanted:
            return
        shutil.rmtree(sysroot, ignore_errors=True)
        made_of.unlink(missing_ok=True)
        self.stage("unpack Debian packages", ["mmdebstrap", "--variant=extract", *options, "--include=" + ",".join(packages), release,
                                              str(sysroot), MIRROR])
        # Links to absolute paths lead out of a sysroot.
        for folder, folders, files in os.walk(sysroot / "usr"):
            for path in (Path(folder, file) for file in folders + files):
                if path.is_symlink() and (target := os.readlink(path)).startswith("/"):
                    path.unlink()
                    path.symlink_to(os.path.relpath(sysroot / target[1:], folder))
        made_of.write_text(wanted)

    def compile_for_macos(self) -> None:
        """@throws Failed, Unavailable"""
        self.prepare()
        zig = SYSROOTS / "zig"
        try:
            source = subprocess.run([ROOT / "contrib/bench/fetch_secp256k1.sh"], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
            if not (zig / "ready").exists():
                self.stage("install ziglang", ["sh", "-c", 'python3 -m venv "$0" && "$0/bin/pip" install --quiet "$1"', zig, ZIG])
                (zig / "ready").touch()
        except (subprocess.CalledProcessError, Failed) as error:
            raise Unavailable("macos: ziglang or libsecp256k1 is not to be had") from error
        for processor in ("aarch64", "x86_64"):
            tools, prefix, alone, build = zig / processor, SYSROOTS / f"macos-{processor}", self.build / f"{processor}-alone", self.build / processor
            tools.mkdir(exist_ok=True)
            target = f"-target {processor}-macos -UNDEBUG -fno-sanitize=undefined"  # zig defines NDEBUG with optimization, and has the sanitizer on without
            # Boost 1.74 derives from what libc++ leaves out of C++20, as for clang.
            with_boost = f"{target} -D_LIBCPP_ENABLE_CXX17_REMOVED_UNARY_BINARY_FUNCTION"
            for tool, arguments in {"cc": target, "c++": with_boost, "ar": "", "ranlib": ""}.items():
                (tools / tool).write_text(f'#!/bin/sh\nexec "{zig}/bin/python3" -m ziglang {tool} {arguments} "$@"\n')
                (tools / tool).chmod(0o755)
            settings = ["-G", "Ninja", "-S", ROOT, f"--toolchain={ROOT}/cmake/platforms/macos.cmake", f"-DSLHC_ZIG={tools}", f"-DSLHC_ZIG_PROCESSOR={processor}",
                        f"-DSLHC_ZIG_PREFIX={prefix}", f"-DSLHC_SECP256K1_REFERENCE_DIR={source}", "-DCMAKE_BUILD_TYPE=Release", "-DSLHC_WERROR=ON"]
            self.stage(f"configure libsecp256k1, {processor}", ["cmake", *settings, "-B", alone, "-DSLHC_SLHDSA_ALONE=ON"])
            self.stage(f"build libsecp256k1, {processor}", self.building(alone, ["slhc_reference_secp256k1"]))
            self.make_prefix(prefix, alone, tools)
            self.stage(f"configure for {processor}", ["env", f"PKG_CONFIG_LIBDIR={prefix}/lib/pkgconfig", "cmake", *settings, "-B", build, "-DSLHC_BUILD_BENCH=ON",
                                                      "-DSLHC_BUILD_CORE_ORACLE=OFF", "-DSLHC_TEST_OPTIONS=-O0"])
            self.stage(f"build for {processor}", self.building(build, MACOS))
            print(f"  {compiler(build)}: {', '.join(MACOS)} are linked; nothing ran")

    def building(self, build: Path, targets: list[str]) -> list:
        return ["cmake", "--build", build, "--parallel", str(self.jobs), "--target", *targets, "--", "-k", "0"]

    def make_prefix(self, prefix: Path, alone: Path, tools: Path) -> None:
        """The libraries that the rest needs: the benchmarks' libsecp256k1, and those of this machine that are headers alone."""
        shutil.rmtree(prefix, ignore_errors=True)
        for folder in ("include", "lib/pkgconfig", "share/cmake"):
            (prefix / folder).mkdir(parents=True)
        # The headers of libsecp256k1 that the benchmarks have lack functions.
        for library in ("boost", "nlohmann", "CLI", *(header.name for header in Path("/usr/include").glob("secp256k1*.h"))):
            (prefix / "include" / library).symlink_to(f"/usr/include/{library}")
        for library in ("nlohmann_json", "CLI11"):
            shutil.copytree(f"/usr/share/cmake/{library}", prefix / "share/cmake" / library)
        objects = sorted((alone / "src/bench/CMakeFiles/slhc_reference_secp256k1.dir").rglob("*.o"))
        self.stage("archive libsecp256k1", [tools / "ar", "rcs", prefix / "lib/libsecp256k1.a", *objects])
        (prefix / "lib/pkgconfig/libsecp256k1.pc").write_text(
            f"Name: libsecp256k1\nDescription: of the benchmarks\nVersion: 0.8.0\nCflags: -I{prefix}/include\nLibs: -L{prefix}/lib -lsecp256k1\n")

    def run(self) -> None:
        """@throws Failed, Unavailable"""
        if self.name == "macos":
            return self.compile_for_macos()
        self.prepare()
        toolchain = ROOT / f"cmake/platforms/{self.name}.cmake"
        self.stage("configure", self.inside([
            "cmake", "--preset", "dev", "-B", self.build, "-DSLHC_BUILD_BENCH=OFF", "-DSLHC_BUILD_CORE_ORACLE=OFF", "-DSLHC_TEST_OPTIONS=-O0",
            *([f"--toolchain={toolchain}"] if toolchain.exists() else []), *self.settings]))
        self.stage("build", self.inside(["cmake", "--build", self.build, "--parallel", str(self.jobs), "--target", *TARGETS, "--", "-k", "0"]))
        names = self.tests()
        text = self.stage(f"test ({len(names)} tests)", self.inside([
            "ctest", "--test-dir", self.build, "--output-on-failure", "--no-tests=error", "--parallel", str(self.jobs), "--timeout", str(self.platform.timeout),
            "-R", f"^({'|'.join(map(re.escape, names))})$"]))
        print(f"  {compiler(self.build)}")
        for line in text.splitlines():
            if re.search("tests passed|^No tests were found", line):
                print(f"  {line}")
            elif skipped := re.match(r"\s*\d+ - (.*) \(Skipped\)$", line):
                print(f"  skipped: {skipped[1]}")

    def tests(self) -> list[str]:
        """The tests of the test programs that ctest runs. Those that cannot run on a platform say so themselves."""
        listed = subprocess.run(self.inside(["ctest", "--test-dir", self.build, "--show-only=json-v1"]), check=True, capture_output=True,
                                text=True, cwd=ROOT).stdout
        return [test["name"] for test in json.loads(listed)["tests"]
                if any(Path(word).name in TARGETS and Path(word).is_relative_to(self.build) for word in test.get("command", []))]


def newest_clang() -> str:
    """The newest clang of this machine's Debian that comes with libc++."""
    known = subprocess.run(["apt-cache", "pkgnames"], check=True, capture_output=True, text=True).stdout.split()
    versions = [int(match[1]) for name in known if (match := re.fullmatch(r"clang-(\d+)", name)) and f"libc++-{match[1]}-dev" in known]
    if not versions:
        raise Unavailable("apt knows no clang with libc++ (apt-get update)")
    return str(max(versions))


def compiler(build: Path) -> str:
    """As cmake found it."""
    text = next(build.glob("CMakeFiles/*/CMakeCXXCompiler.cmake")).read_text()
    return " ".join(re.search(rf'set\({key} "(.*?)"\)', text)[1] for key in ("CMAKE_CXX_COMPILER_ID", "CMAKE_CXX_COMPILER_VERSION"))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("platforms", nargs="*", metavar="NAME", help=f"of {', '.join(PLATFORMS)}; all unless given")
    parser.add_argument("--list", action="store_true", help="print what there is")
    parser.add_argument("--jobs", type=int, default=default_jobs(), help="at the same time, in building and testing")
    options = parser.parse_args()
    if unknown := set(options.platforms) - set(PLATFORMS):
        parser.error(f"unknown platform {', '.join(sorted(unknown))} (known: {', '.join(PLATFORMS)})")
    if options.list:
        for name, platform in PLATFORMS.items():
            print(f"{name:8} {platform.about}")
        return 0

    LOGS.mkdir(parents=True, exist_ok=True)
    SYSROOTS.mkdir(parents=True, exist_ok=True)
    # Bitcoin Core's vectors; without them, their tests are skipped by name.
    if options.platforms != ["macos"]:
        subprocess.run([ROOT / "contrib/core-differential/fetch_core.sh"], stdout=subprocess.DEVNULL)
    status = 0
    for name in options.platforms or PLATFORMS:
        try:
            Run(name, options.jobs).run()
        except Failed:
            status = 1
        except Unavailable as error:
            print(f"platforms.py: {error}", file=sys.stderr)
            status = status or 2
    return status


if __name__ == "__main__":
    sys.exit(main())
