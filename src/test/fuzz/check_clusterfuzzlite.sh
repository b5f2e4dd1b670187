#!/usr/bin/env bash
# Runs .clusterfuzzlite/build.sh with an engine of our own, and each program alone: it needs nothing but the compiler's libraries, has that
# engine and no other, and takes the seeds that belong to it.
#
#   check_clusterfuzzlite.sh [CMAKE OPTION...]       with CC, CXX, CFLAGS, CXXFLAGS, WORK, and the programs' names in PROGRAMS
set -euo pipefail
unset CDPATH

cd "$(dirname "$0")/../../.."
temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT
mkdir "$temp/out" "$temp/empty"
cat >"$temp/engine.c" <<'END'
#include <stdio.h>
int LLVMFuzzerTestOneInput(const unsigned char* data, size_t size);
int main(void)
{
    static unsigned char input[1 << 20];
    int result = LLVMFuzzerTestOneInput(input, fread(input, 1, sizeof(input), stdin));
    return puts("an engine of our own") < 0 || result != 0;
}
END
"$CC" -c "$temp/engine.c" -o "$temp/engine.o"
export LIB_FUZZING_ENGINE=$temp/engine.o OUT=$temp/out SANITIZER=address FUZZING_ENGINE=libfuzzer
.clusterfuzzlite/build.sh "$@"

cd "$temp/empty"
built=0
for program in $PROGRAMS; do
  case $program in fuzz_core_differential | fuzz_model) continue ;; esac
  program=$OUT/$program
  built=$((built + 1))
  if ldd "$program" | grep -vE '^\s*(linux-vdso|/lib.*/ld-linux|lib(c|m|dl|rt|pthread|resolv|gcc_s|stdc\+\+)\.so)'; then
    echo "${program##*/} needs a library that is not the compiler's" >&2
    exit 1
  fi
  grep -q '^max_len = ' "$program.options"
  mkdir "$temp/seeds"
  (cd "$temp/seeds" && cmake -E tar xf "${program}_seed_corpus.zip")
  for seed in /dev/null "$temp/seeds/$(ls "$temp/seeds" | head -n 1)"; do
    timeout 60 env -i "$program" <"$seed" >"$temp/output" # another engine would go on
    grep -q 'an engine of our own' "$temp/output"
  done
  rm -r "$temp/seeds"
done
for target in descriptor text; do grep -q '^"' "$OUT/fuzz_$target.dict"; done
[ "$(ls "$OUT"/*.options | wc -l)" = $built ]
grep -qxF "CMAKE_CXX_FLAGS:STRING=$CXXFLAGS" "$WORK/clusterfuzzlite/CMakeCache.txt"
[ -z "$(ls)" ]
