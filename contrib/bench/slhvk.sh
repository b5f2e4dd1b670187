#!/usr/bin/env bash
# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
#
# Compares the Vulkan backend with slhvk (github.com/conduition/slhvk) on the same driver, in turns:
#
#   SLHVK_SRC=<checkout of slhvk> contrib/bench/slhvk.sh [build folder, default build/release] [seconds a batch size, default 5]
#
# Builds slhvk's library with its own Makefile, and a program that calls both. SLHC_BACKEND=vulkan:<device> chooses ours;
# slhvk chooses for itself (SLHVK_FORCE_CPU=1 leaves it the CPU's driver). Without SLHVK_SRC the exit status is 77.
set -euo pipefail
cd "$(dirname "$0")/../.."

if [ -z "${SLHVK_SRC:-}" ] || [ ! -f "$SLHVK_SRC/include/slhvk.h" ]; then
  echo "skipped: SLHVK_SRC names no checkout of slhvk (one with include/slhvk.h)"
  exit 77
fi
build=${1:-build/release}
[ -f "$build/CMakeCache.txt" ] || cmake --preset release -B "$build"
cmake --build "$build" --target slhconsensus
make -C "$SLHVK_SRC" lib/libslhvk.a
"${CXX:-c++}" -std=c++20 -O2 -Isrc -I"$SLHVK_SRC/include" contrib/bench/slhvk.cpp src/bench/corpus.cpp -o "$build/slhvk_ratio" \
  "$build/src/libslhconsensus.a" "$SLHVK_SRC/lib/libslhvk.a" -lvulkan -ldl -pthread
exec "$build/slhvk_ratio" "${2:-5}"
