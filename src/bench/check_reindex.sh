#!/usr/bin/env bash
# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
#
# bench_reindex verifies small blocks in every way, reads the files that it made, and refuses broken ones with one line.
#
#   check_reindex.sh <bench_reindex>
set -euo pipefail
unset CDPATH
program=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

run() { "$program" --blocks 5 --distinct 2 --segment 3 --percent 3 --threads 1,2 --folder "$folder" "$@"; }
run --json >"$folder/first.json"
sums=$(cd "$folder" && sha256sum ./*.blocks)
run --kinds slhdsa --ahead 1 >"$folder/table"
grep -Eq '^slhdsa +14 +14 +2 ' "$folder/table" || { cat "$folder/table"; exit 1; }
[ "$sums" = "$(cd "$folder" && sha256sum ./*.blocks)" ] || { echo "files that were there were made again"; exit 1; }

# refused FILE'S_BYTES MESSAGE
refused() {
  cp "$1" "$folder/slhdsa.blocks"
  if run --kinds slhdsa >"$folder/out" 2>"$folder/err"; then echo "accepted: $2"; exit 1; fi
  if ! grep -Fq "bench_reindex: $folder/slhdsa.blocks: $2" "$folder/err" || [ "$(wc -l <"$folder/err")" != 1 ]; then
    echo "not refused with '$2':"; cat "$folder/err"; exit 1
  fi
}
good=$folder/good
cp "$folder/slhdsa.blocks" "$good"
size=$(stat -c %s "$good")
for cut in 9 15 100 $((size / 2)); do head -c "$cut" "$good" >"$folder/bad"; refused "$folder/bad" "block 0: the file ends within it"; done
head -c $((size - 1)) "$good" >"$folder/bad"; refused "$folder/bad" "block 1: the file ends within it"
head -c 8 "$good" >"$folder/bad"; refused "$folder/bad" "holds no block"
: >"$folder/bad"; refused "$folder/bad" "not a file of blocks"
{ printf 'x'; tail -c +2 "$good"; } >"$folder/bad"; refused "$folder/bad" "not a file of blocks"
{ head -c 8 "$good"; printf '\x00\x00\x00\x00\x05\x00\x00\x00\xff\x00\x00\x00\x00'; } >"$folder/bad"
refused "$folder/bad" "block 0: the sizes of spent outputs do not add up"

# A block that is not valid is no figure.
cp "$good" "$folder/slhdsa.blocks"
printf '\xff' | dd of="$folder/slhdsa.blocks" bs=1 seek=$((size / 4)) conv=notrunc status=none
if run --kinds slhdsa >"$folder/out" 2>"$folder/err"; then echo "an invalid block was timed"; exit 1; fi
grep -Fq "bench_reindex: a block that should be valid is not" "$folder/err" || { cat "$folder/err"; exit 1; }
