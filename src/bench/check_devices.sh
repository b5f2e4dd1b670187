#!/usr/bin/env bash
# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
#
# A benchmark of blocks that is told to measure a device names it, and ends if the device does not open or fails at work: the CPU would do
# the rest, and its times are no device's.
#
#   check_devices.sh <stand-in for slhgpu: src/test/fake_gpu.cpp> <folder of the benchmarks>
set -euo pipefail
export SLHC_DEVICE_PROGRAM=$1
programs=$2
folder=$(mktemp -d)
job=
trap '[ -z "$job" ] || kill "$job" 2>/dev/null; rm -rf "$folder"' EXIT
export SLHC_FAKE_GPU_FAULT=$folder/fault

fail() { echo "$1:"; cat "$folder/err"; exit 1; }
cat >"$folder/plan.json" <<<"{\"seed\": \"$(printf "%096d" 7)\", \"blocks\": 2, \"weight\": 80000, \"tip\": 1, \"branch\": 2, \"mempool\": 0, \"flood\": 0,
  \"mix\": [{\"spend\": \"128s\", \"share\": 100, \"inputs\": 1}]}"
"$programs/make_chain" "$folder/plan.json" "$folder/chain" >/dev/null
reindex() { timeout 300 "$programs/bench_reindex" --backend vulkan --segment 1 --threads 1 "$folder/chain/tip.blocks" "$@"; }
# ends PROGRAM STATUS REASON: with one line
ends() {
  [ "$2" = 2 ] && [ "$(wc -l <"$folder/err")" = 1 ] && grep -Eq "^$1: vulkan:0 $3" "$folder/err" || fail "$1 ended with status $2"
}

reindex --blocks 1 >"$folder/out" 2>"$folder/err" || fail "it does not work"
grep -q '; vulkan:0; ' "$folder/out" || { echo "the device is not named:"; cat "$folder/out"; exit 1; }

echo does_not_open >"$SLHC_FAKE_GPU_FAULT"
for program in reindex worst_blocks; do
  [ -x "$programs/bench_$program" ] || continue
  status=0
  "$programs/bench_$program" --backend vulkan $([ $program != reindex ] || echo "$folder/chain/tip.blocks") >"$folder/out" 2>"$folder/err" || status=$?
  [ "$status" = 77 ] || ends "bench_$program" "$status" "does not open"
done

# At work, wherever it is then, it must not go on, though the device is opened again.
rm "$SLHC_FAKE_GPU_FAULT"
reindex --blocks 1000000 >"$folder/out" 2>"$folder/err" &
job=$!
sleep 5
echo is_killed >"$SLHC_FAKE_GPU_FAULT"
status=0
wait "$job" || status=$?
job=
ends bench_reindex "$status" "(failed while it was measured|does not open)"
