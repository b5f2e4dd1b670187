#!/usr/bin/env bash
# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
#
# make_chain makes the same chain again from the same plan, and refuses a bad plan with one line; its blocks are valid. A node reads all of it
# in the test of experiment.py.
#
#   check_make_chain.sh <make_chain> <slhtool>
set -euo pipefail
unset CDPATH
make_chain=$1 tool=$2
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
for file in base.dat tip.dat branch.dat invalid.dat mempool.dat flood.dat block.json; do cmp "one/$file" "two/$file"; done
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
