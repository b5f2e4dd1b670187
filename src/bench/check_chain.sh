#!/usr/bin/env bash
# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
#
# make_chain makes the same chain again from the same plan, its blocks are valid, its broken one is not, and a bad plan gets one line. A node
# reads the rest in the tests of experiment.py.
#
#   check_chain.sh <make_chain> <bench_reindex> <slhtool>
set -euo pipefail
unset CDPATH
make_chain=$1 reindex=$2 tool=$3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

mix='{"spend": "128s", "share": 20, "inputs": 2}'
for kind in 128-24 128-q40 2-of-3 hybrid p2tr-leaf schnorr payment; do mix+=", {\"spend\": \"$kind\", \"share\": 10, \"inputs\": 1}"; done
plan() { sed "s/SEED/$(printf "%096d" 7)/; ${1:-}" >plan.json <<<"{\"seed\": \"SEED\", \"blocks\": 2, \"weight\": 400000, \"tip\": 1, \"branch\": 2, \"mempool\": 40, \"flood\": 8, \"mix\": [$mix]}"; }
plan
"$make_chain" plan.json one >/dev/null
"$make_chain" plan.json two >/dev/null
for file in base.dat tip.dat branch.dat invalid.dat mempool.dat flood.dat tip.blocks block.json; do
  cmp "one/$file" "two/$file"
done
"$tool" verify-block one/block.json >/dev/null
"$reindex" one/tip.blocks --blocks 1 --threads 1 >out
grep -Eq "^tip +212 +35 +1 " out || { cat out; exit 1; }

refused() {
  plan "$1"
  if timeout 60 "$make_chain" plan.json bad >out 2>err; then echo "accepted: $1"; exit 1; fi
  [ "$(cat err)" = "make_chain: $2" ] || { echo "not refused with '$2':"; cat err; exit 1; }
}
refused 's/payment/gift/' "spend: there is no kind gift"
refused 's/"weight": 400000/"weight": 4000004/' "weight: more than a block may have"
refused 's/"weight": 400000/"weight": 30000/' "128s: its share has no room for a transaction"
refused 's/"blocks": 2/"blocks": 9000000/' "the coins of this plan are worth more than the first coinbases: fewer blocks or transactions are needed"
[ ! -e bad ] || { echo "a bad plan left a chain"; exit 1; }
