#!/usr/bin/env bash
# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
#
# make_chain makes the same chain again from the same plan, and refuses a bad plan with one line; its blocks are valid, its broken one is not.
# bench_reindex verifies blocks, and refuses broken files with one line. A node reads the rest in the test of experiment.py.
#
#   check_reindex.sh <make_chain> <bench_reindex> <slhtool>
set -euo pipefail
unset CDPATH
make_chain=$1 reindex=$2 tool=$3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

mix='{"spend": "128s", "share": 20, "inputs": 2}'
for kind in 128-24 128-q40 2-of-3 hybrid p2tr-leaf schnorr payment; do mix+=", {\"spend\": \"$kind\", \"share\": 10, \"inputs\": 1}"; done
plan() { # [CHANGE]
  sed "s/SEED/$(printf "%096d" 7)/; ${1:-}" >plan.json <<<"{\"seed\": \"SEED\", \"blocks\": 3, \"weight\": 400000, \"tip\": 2, \"branch\": 3, \"mempool\": 40, \"flood\": 8, \"mix\": [$mix]}"
}
plan
"$make_chain" plan.json one >/dev/null
"$make_chain" plan.json two >/dev/null
for file in base.dat tip.dat branch.dat invalid.dat mempool.dat flood.dat tip.blocks block.json; do cmp "one/$file" "two/$file"; done
"$tool" verify-block one/block.json >/dev/null

refused_plan() { # CHANGE MESSAGE
  plan "$1"
  if timeout 60 "$make_chain" plan.json bad >out 2>err; then echo "accepted: $1"; exit 1; fi
  [ "$(cat err)" = "make_chain: $2" ] || { echo "not refused with '$2':"; cat err; exit 1; }
}
refused_plan 's/payment/gift/' "spend: there is no kind gift"
refused_plan 's/"weight": 400000/"weight": 4000004/' "weight: more than a block may have"
refused_plan 's/"weight": 400000/"weight": 30000/' "128s: its share has no room for a transaction"
refused_plan 's/"blocks": 3/"blocks": 9000000/' "the coins of this plan are worth more than the first coinbases: fewer blocks or transactions are needed"
[ ! -e bad ] || { echo "a bad plan left a chain"; exit 1; }

run() { "$reindex" --blocks 5 --segment 3 --threads 1,2 "$@"; }
run one/tip.blocks >out
grep -Eq "^ +212 +35 +2 " out || { cat out; exit 1; }

refused() { # FILE MESSAGE
  if run "$1" >out 2>err; then echo "accepted: $2"; exit 1; fi
  if ! grep -Fq "bench_reindex: $1: $2" err || [ "$(wc -l <err)" != 1 ]; then echo "not refused with '$2':"; cat err; exit 1; fi
}
good=one/tip.blocks
size=$(stat -c %s "$good")
for cut in 9 15 100 $((size / 3)); do head -c "$cut" "$good" >bad; refused bad "block 0: the file ends within it"; done
head -c $((size - 1)) "$good" >bad; refused bad "block 1: the file ends within it"
head -c 8 "$good" >bad; refused bad "holds no block"
: >bad; refused bad "not a file of blocks"
{ printf 'x'; tail -c +2 "$good"; } >bad; refused bad "not a file of blocks"
{ head -c 8 "$good"; printf '\x00\x00\x00\x00\x05\x00\x00\x00\xff\x00\x00\x00\x00'; } >bad
refused bad "block 0: the sizes of spent outputs do not add up"

# A block that is not valid is no figure.
cp "$good" bad
printf '\xff' | dd of=bad bs=1 seek=$((size / 4)) conv=notrunc status=none
if run bad >out 2>err; then echo "an invalid block was timed"; exit 1; fi
grep -Fq "bench_reindex: a block that should be valid is not" err || { cat err; exit 1; }
