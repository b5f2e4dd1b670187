#!/usr/bin/env bash
# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
#
# Compares the Vulkan backend with slhvk (github.com/conduition/slhvk) on the same driver, in turns:
#
#   contrib/bench/slhvk.sh INCLUDE LIBRARY [BUILD] [SECONDS]
#
# INCLUDE is the folder that holds slhvk.h, LIBRARY the library that was built with it (libslhvk.a or libslhvk.so): how to
# build those is slhvk's to say, nothing of it is built or changed here. BUILD is a build folder of this project (default:
# build/release), SECONDS the time for each batch size (default: 5). SLHC_BACKEND=vulkan:<device> chooses our device; slhvk
# chooses for itself (SLHVK_FORCE_CPU=1 leaves it the CPU's driver).
set -euo pipefail

usage() {
  echo "slhvk.sh: $1 (usage: slhvk.sh INCLUDE LIBRARY [BUILD] [SECONDS])" >&2
  exit 2
}
[ $# -ge 2 ] && [ $# -le 4 ] || usage "slhvk's include folder and library are needed"
[ -f "$1/slhvk.h" ] || usage "$1 holds no slhvk.h"
[ -f "$2" ] || usage "there is no library $2"
include=$(cd "$1" && pwd)
library=$(cd "$(dirname "$2")" && pwd)/$(basename "$2")
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$(realpath -m "${3:-$root/build/release}")
cd "$root"
[ -f "$build/CMakeCache.txt" ] || cmake --preset release -B "$build"
cmake --build "$build" --target slhconsensus
"${CXX:-c++}" -std=c++20 -O2 -Isrc -isystem "$include" contrib/bench/slhvk.cpp src/bench/corpus.cpp -o "$build/slhvk_ratio" \
  "$build/src/libslhconsensus.a" "$library" "-Wl,-rpath,$(dirname "$library")" -lsecp256k1 -lvulkan -ldl -pthread
exec "$build/slhvk_ratio" "${4:-5}"
