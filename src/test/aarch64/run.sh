#!/usr/bin/env bash
# Builds the CPU engines for AArch64 with a cross compiler and runs engine_check.cpp in an emulator.
# usage: run.sh <source directory> <build directory>; exit status 77 if this machine lacks the one or the other
set -euo pipefail
src=$1
out=$2
compiler=aarch64-linux-gnu-g++
emulator=qemu-aarch64
for program in "$compiler" "$emulator"; do
  if ! command -v "$program" >/dev/null; then
    echo "SKIPPED: no $program here"
    exit 77
  fi
done

mkdir -p "$out"
sources=(
  crypto/{cpu_features,hmac_sha256,sha256}.cpp
  pqc/{sample_jobs,top_tree_cache}.cpp
  pqc/slhdsa/{hash_functions,slhdsa}.cpp
  pqc/cpu/{armv8,cpu_engine,engines,hash_layout,kernel_splitter,kernel_timing,known_answers,lane_engine,lane_signer,portable}.cpp
  util/{cleanse,log,random,threadpool}.cpp
  test/aarch64/engine_check.cpp
)
objects=()
for source in "${sources[@]}"; do
  object=$out/${source//\//_}.o
  objects+=("$object")
  flags=()
  [[ $source == pqc/cpu/armv8.cpp ]] && flags=(-march=armv8-a+crypto)
  if [[ ! -e $object || -n $(find "$src"/{crypto,pqc,util,test/aarch64} -newer "$object" \( -name '*.cpp' -o -name '*.h' -o -name '*.def' \) -print -quit) ]]; then
    "$compiler" -std=c++20 -O2 -Wall -Wextra -Werror -DSLHC_ENABLE_ARMV8 "${flags[@]}" -I"$src" -c "$src/$source" -o "$object"
  fi
done
"$compiler" -static -pthread "${objects[@]}" -o "$out/engine_check"
"$emulator" "$out/engine_check"
