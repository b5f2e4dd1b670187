#!/usr/bin/env bash
# A function that a file compiled for newer processors emits for others to link with may run on older ones. Each such object defines its
# table of kernels, or the function that it is there for, and nothing else: neither as it is used, nor without optimization, where the
# compiler emits what it would have inlined. Compilers' own helpers are another matter.
# usage: check_engine_symbols.sh <nm> <object file>...
set -euo pipefail
nm=$1
shift
checked=0
for object in "$@"; do
  case ${object##*/} in
    avx512.cpp.o | avx512sha.cpp.o | avx2.cpp.o | shani.cpp.o | armv8.cpp.o) mine='slhc::slhdsa::lanes::g_[a-z0-9]+_kernels' ;;
    sha256_x86_shani.cpp.o) mine='slhc::sha256::TransformX86ShaNi\(.*\)' ;;
    *) continue ;;
  esac
  symbols=$("$nm" --demangle --defined-only --extern-only "$object")
  grep -qE "^[0-9a-f]+ [A-Z] $mine\$" <<<"$symbols" || { echo "$object does not define its engine's symbol:"; echo "$symbols"; exit 1; }
  leaked=$(grep -vE "^[0-9a-f]+ ([A-Z] $mine|V DW\.ref\.__gxx_personality_v0|W __clang_call_terminate)\$" <<<"$symbols" || true)
  if [ -n "$leaked" ]; then
    echo "$object defines for everybody:"
    echo "$leaked"
    exit 1
  fi
  checked=$((checked + 1))
done
if [ "$checked" -eq 0 ]; then
  echo "SKIPPED: this build has no code for an instruction set"
  exit 77
fi
echo "checked $checked objects"
