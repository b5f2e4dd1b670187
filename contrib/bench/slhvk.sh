#!/usr/bin/env bash
# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
#
# Compares the Vulkan backend with slhvk (github.com/conduition/slhvk) on the same driver, in turns:
#
#   contrib/bench/slhvk.sh FOLDER [BUILD] [SECONDS]
#
# FOLDER has slhvk.h and the library that was built with it (libslhvk.a or libslhvk.so), or both in its folders include and
# lib: how to build them is slhvk's to say, nothing of it is built or changed here. BUILD is a build folder of this project
# (default: build/release), SECONDS the time for each batch size (default: 5). SLHC_BACKEND=vulkan:<device> chooses our
# device; slhvk chooses for itself (SLHVK_FORCE_CPU=1 leaves it the CPU's driver).
set -euo pipefail
unset CDPATH

usage() {
  echo "slhvk.sh: $1 (usage: slhvk.sh FOLDER [BUILD] [SECONDS])" >&2
  exit 2
}
[ $# -ge 1 ] && [ $# -le 3 ] || usage "a folder with slhvk's header and library is needed"
[ -d "$1" ] || usage "there is no folder $1"
folder=$(cd "$1" && pwd)
first() { for path in "$@"; do [ ! -f "$path" ] || { echo "$path"; return; }; done; }
header=$(first "$folder"{,/include,/../include}/slhvk.h)
library=$(first "$folder"{,/lib}/libslhvk.{so,a})
[ -n "$header" ] || usage "$1 has no slhvk.h"
[ -n "$library" ] || usage "$1 has no libslhvk.a or libslhvk.so"
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$(realpath -m "${2:-$root/build/release}")
cd "$root"
[ -f "$build/CMakeCache.txt" ] || cmake --preset release -B "$build"
cmake --build "$build" --target slhconsensus
"${CXX:-c++}" -std=c++20 -O2 -Isrc -isystem "$(dirname "$header")" contrib/bench/slhvk.cpp src/bench/corpus.cpp -o "$build/slhvk_ratio" \
  "$build/src/libslhconsensus.a" "$build/src/libslhdsa.a" "$library" "-Wl,-rpath,$(dirname "$library")" -lsecp256k1 -lvulkan -ldl -pthread
exec "$build/slhvk_ratio" "${3:-5}"
