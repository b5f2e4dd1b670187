#!/usr/bin/env bash
# corpus.sh merges folders: of two inputs that run the same code, one is added, and once.
#
#   check_corpus.sh BUILD
set -euo pipefail
unset CDPATH

corpus=$(cd "$(dirname "$0")/../../.." && pwd)/contrib/fuzz/corpus.sh
temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT
mkdir -p "$temp/from/script" "$temp/shared/script"
printf '\x51' >"$temp/from/script/a"
printf '\x51' >"$temp/from/script/b"
for round in 1 2; do
  "$corpus" merge "$1" "$temp/shared" "$temp/from"
  [ "$(ls "$temp/shared/script" | wc -l)" = 1 ]
done
mkdir "$temp/from/nothing"
! "$corpus" merge "$1" "$temp/shared" "$temp/from" 2>"$temp/error"
grep -q "has 'nothing', which is no target" "$temp/error"
