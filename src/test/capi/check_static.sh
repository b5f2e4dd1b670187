#!/usr/bin/env bash
# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
#
# Installs the build into an empty prefix, and builds contrib/example-c with `pkg-config --static` into programs without
# any shared library. Such a program finds slhgpu beside itself, or where it is told.
#
#   check_static.sh <cmake> <build directory> <source directory> <C compiler>
#
# 77 (skipped) where static libraries are missing.
set -euo pipefail
cmake=$1 build=$2 source=$3 cc=$4
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
work="$made/a folder" # as TMPDIR or a prefix may be
mkdir "$work"

echo 'int main(void) { return 0; }' >"$work/empty.c"
read -ra secp256k1 <<<"$(pkg-config --static --libs libsecp256k1)"
"$cc" -static "$work/empty.c" -o "$work/empty" "${secp256k1[@]}" -lstdc++ -lm 2>"$work/log" || { echo "SKIPPED: no static libraries: $(tail -n 1 "$work/log")"; exit 77; }

"$cmake" --install "$build" --prefix "$work/prefix" >"$work/install.log" || { cat "$work/install.log"; exit 1; }
export PKG_CONFIG_PATH
PKG_CONFIG_PATH=$(dirname "$(find "$work/prefix" -name slhconsensus.pc)")
eval "flags=($(pkg-config --static --cflags --libs slhconsensus))" # escaped for a shell, as the prefix has a space
"$cc" -std=c99 -static "$source/contrib/example-c/address.c" -o "$work/address" "${flags[@]}" 2>"$work/log" || { cat "$work/log"; exit 1; }
"$work/address"
eval "flags=($(pkg-config --static --cflags --libs slhdsa))"
for kind in -static -static-pie; do
  "$cc" -std=c99 "$kind" "$source/contrib/example-c/verify_batch.c" -o "$work/verify_batch" "${flags[@]}" 2>"$work/log" || { cat "$work/log"; exit 1; }
  "$work/verify_batch"
  if SLHC_BACKEND=vulkan "$work/verify_batch" 2>"$work/log"; then echo "$kind: a device was opened"; exit 1; fi
  grep -q "there is no program slhgpu: looked for $work/slhgpu, " "$work/log" || { echo "$kind: $(cat "$work/log")"; exit 1; }
  if "$work/prefix/bin/slhtool" devices | grep -q '^vulkan:[0-9]'; then SLHC_DEVICE_PROGRAM=$work/prefix/libexec/slhgpu SLHC_BACKEND=vulkan "$work/verify_batch"; fi
done
