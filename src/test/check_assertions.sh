#!/usr/bin/env bash
# Assertions are on in every build type: no command of a fresh build tree defines NDEBUG, and the library refuses a
# build that does.
# usage: check_assertions.sh <cmake> <C++ compiler> <source tree> <folder to work in>
set -euo pipefail
cmake=$1 compiler=$2 source=$3 work=$4
types="Debug;Release;RelWithDebInfo;MinSizeRel"
if ! command -v ninja >/dev/null; then
  echo "SKIPPED: no ninja here"
  exit 77
fi

rm -rf "$work"
"$cmake" -G "Ninja Multi-Config" -S "$source" -B "$work" -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_CONFIGURATION_TYPES="$types" \
  -DSLHC_BUILD_TESTS=OFF -DSLHC_BUILD_TOOL=OFF -DSLHC_INSTALL=OFF >/dev/null
for type in ${types//;/ }; do
  commands=$(grep "CMAKE_INTDIR=[\\\\\"]*$type\\\\" "$work/compile_commands.json" | grep '/src/script/eval\.cpp' || true)
  if [ -z "$commands" ]; then
    echo "$type: src/script/eval.cpp is not compiled"
    exit 1
  fi
done
if defined=$(grep -m 1 '"command".*NDEBUG' "$work/compile_commands.json"); then
  echo "assertions are off: $defined"
  exit 1
fi

if "$compiler" -std=c++20 -DNDEBUG -fsyntax-only -I"$source/src" "$source/src/script/eval.cpp" 2>"$work/refused"; then
  echo "src/script/eval.cpp compiles with -DNDEBUG"
  exit 1
fi
grep -q 'cannot be compiled without assertions' "$work/refused"
echo "checked ${types//;/, }"
