#!/usr/bin/env bash
# Installs what the project needs on Debian 12 and does not have yet. Every dependency is named here
# and nowhere else.
#
#   contrib/install-deps.sh            what contrib/check.sh needs: everything below
#   contrib/install-deps.sh --build    only what it takes to build the library and slhtool
#   contrib/install-deps.sh --list     print the packages and install nothing; with --build, only those that it takes to build
#   contrib/install-deps.sh --packages NAME...   only these: for scripts outside check.sh that need others
set -euo pipefail

# To build the library and the tool.
build_packages=(
  g++               # gcc 12
  cmake             # 3.22 or later
  ninja-build
  pkg-config
  libsecp256k1-dev  # 0.2.0 or later, with the schnorrsig and extrakeys modules
  nlohmann-json3-dev
  libcli11-dev
  libvulkan-dev     # Vulkan and Vulkan-Hpp headers, for slhgpu
  glslc
)
# To test, measure and check.
check_packages=(
  git
  clang             # the second compiler
  libclang-rt-14-dev       # its sanitizers and libFuzzer, which clang only recommends
  clang-tidy
  llvm              # llvm-symbolizer, for readable sanitizer reports; llvm-cov
  xz-utils          # what fuzz targets found
  ccache
  libboost-dev
  libboost-test-dev
  libevent-dev      # bitcoind
  libsqlite3-dev    # its wallet
  libbenchmark-dev
  mesa-vulkan-drivers      # lavapipe, the CPU Vulkan driver that the tests run on
  vulkan-validationlayers
  libvulkan1
  valgrind          # constant-time checks
  qemu-user         # the ARMv8 engine's tests
  g++-aarch64-linux-gnu
  python3
  python3-venv      # the functional tests' environment, see contrib/python/requirements-test.txt
  python3-cffi      # and what they take where that can't be made
  python3-pytest
  python3-yaml
  dpkg-dev          # the Debian package
  chromium-headless-shell  # the tests of pages
)
# Other implementations of SLH-DSA and of BIP 340 come as crates. Debian's own cargo is too old; any other will do.
command -v cargo >/dev/null || check_packages+=(cargo-web)

packages=("${build_packages[@]}" "${check_packages[@]}")
list=no
while [ $# -gt 0 ]; do
  case "$1" in
    --build) packages=("${build_packages[@]}") ;;
    --list) list=yes ;;
    --packages) shift; packages=("$@"); break ;;
    *) echo "install-deps.sh: unknown argument '$1' (known: --build, --list, --packages)" >&2; exit 2 ;;
  esac
  shift
done
if [ $list = yes ]; then
  printf '%s\n' "${packages[@]}"
  exit 0
fi

if ! command -v dpkg-query >/dev/null; then
  echo "install-deps.sh: this is not a Debian system; install by hand what --list prints" >&2
  exit 2
fi

# Whatever is wanted of a package later (it may be on hold), and not of another architecture, which is what a cross compiler needs.
missing=()
installed="^installed (all|$(dpkg --print-architecture))\$"
for package in "${packages[@]}"; do
  dpkg-query -W -f='${db:Status-Status} ${Architecture}\n' "$package" 2>/dev/null | grep -qE "$installed" || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || { echo "install-deps.sh: run as root to install: ${missing[*]}" >&2; exit 2; }
  as_root=(sudo)
fi

echo "Installing Debian packages: ${missing[*]}"
log=$(mktemp) lists=$(mktemp)
# Fails where Debian's own daily update, or another program, holds the lock on the lists.
update() {
  local tries
  for ((tries = 0; tries < 60; ++tries)); do
    "${as_root[@]}" apt-get update -qq >"$lists" 2>&1 && return
    grep -q 'lists/lock' "$lists" || break
    sleep 5
  done
  cat "$lists"
  return 1
}
if ! { update && "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
       apt-get install -o DPkg::Lock::Timeout=600 -y -qq --no-install-recommends "${missing[@]}"; } >"$log" 2>&1; then
  tail -n 20 "$log" >&2
  echo "install-deps.sh: apt-get failed, its whole output is in $log" >&2
  exit 1
fi
rm -f "$log" "$lists"
