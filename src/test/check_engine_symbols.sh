#!/usr/bin/env bash
# A function that an engine file emits for others to link with was compiled for a newer processor than they may have.
# Each engine object defines its table of kernels for others, and nothing else.
# usage: check_engine_symbols.sh <nm> <object file>...
set -euo pipefail
nm=$1
shift
checked=0
for object in "$@"; do
  case ${object##*/} in avx512.cpp.o | avx512sha.cpp.o | avx2.cpp.o | shani.cpp.o | armv8.cpp.o) ;; *) continue ;; esac
  leaked=$("$nm" --demangle --defined-only --extern-only "$object" | grep -vE '^[0-9a-f]+ [A-Z] slhc::slhdsa::lanes::g_[a-z0-9]+_kernels$' || true)
  if [ -n "$leaked" ]; then
    echo "${object##*/} defines for everybody:"
    echo "$leaked"
    exit 1
  fi
  checked=$((checked + 1))
done
if [ "$checked" -eq 0 ]; then
  echo "SKIPPED: this build has no engine for an instruction set"
  exit 77
fi
echo "checked $checked engines"
