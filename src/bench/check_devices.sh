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

fail() { echo "$1:"; cat "$folder/out" "$folder/err"; exit 1; }
full() { timeout 300 "$programs/bench_full_blocks" --backends vulkan --threads 1 --percent 1 --tries 1 "$@"; }

full --rounds 1 --least-rounds 1 >"$folder/out" 2>"$folder/err" || fail "it does not work"
grep -q '"name": "vulkan:0"' "$folder/out" || fail "the device is not named"

echo does_not_open >"$SLHC_FAKE_GPU_FAULT"
full >"$folder/out" 2>"$folder/err" || fail "a device that does not open is no reason to end"
grep -q '"skipped": "vulkan:0 does not open' "$folder/out" || fail "a device that does not open is measured"
if [ -x "$programs/bench_worst_blocks" ]; then
  status=0
  "$programs/bench_worst_blocks" --backend vulkan >"$folder/out" 2>"$folder/err" || status=$?
  [ "$status" = 77 ] || { [ "$status" = 2 ] && [ "$(cat "$folder/err")" = "bench_worst_blocks: vulkan:0 does not open" ]; } || fail "bench_worst_blocks ended with status $status"
fi

# At work, wherever it is then, it must not go on, though the device is opened again.
rm "$SLHC_FAKE_GPU_FAULT"
full --rounds 100000 --least-rounds 100000 >"$folder/out" 2>"$folder/err" &
job=$!
sleep 5
echo is_killed >"$SLHC_FAKE_GPU_FAULT"
status=0
wait "$job" || status=$?
job=
[ "$status" = 2 ] && grep -Eq "^bench_full_blocks: vulkan: vulkan:0 (failed while it was measured|does not open)" "$folder/err" || fail "a device that fails is measured"
