#!/usr/bin/env bash
# Runs Bitcoin Core's own fuzz targets, and ours in its tree, on the node with the rules. build.sh --fuzz builds them first, as Core does.
#
#   contrib/bitcoin-core/fuzz.sh [--seconds N] [--node DIR] [TARGET...]
#
# --seconds N  how long each target runs (default: 60)
# --node DIR   as for build.sh (default: build/node)
# TARGET...    default: those that reach the rules
#
# What is found is kept in DIR/fuzz-corpus/TARGET, where the next run goes on; the first begins with what fuzz_seeds.py makes of the vectors, for
# script_flags, script_assets_test_minimizer and psbt.
# Exit status: 1 if a target failed, whose input is then in DIR/fuzz-corpus; 77 if the sources cannot be had here.
set -euo pipefail
unset CDPATH
root=$(cd "$(dirname "$0")/../.." && pwd)
seconds=60 node=$root/build/node
usage() { echo "fuzz.sh: $* (usage: fuzz.sh [--seconds N] [--node DIR] [TARGET...])" >&2; exit 2; }
while [[ ${1:-} == -* ]]; do
  [[ $1 == --seconds || $1 == --node ]] || usage "unknown option '$1'"
  [ $# -ge 2 ] || usage "$1 needs a value"
  printf -v "${1#--}" '%s' "$2"
  shift 2
done
[[ $seconds =~ ^[1-9][0-9]*$ ]] || usage "--seconds wants a number above 0, not '$seconds'"
targets=("$@")
[ $# -gt 0 ] || targets=(script_flags script_assets_test_minimizer psbt process_message tx_pool p2mr_eval p2mr_verify)

"$root/contrib/bitcoin-core/build.sh" --fuzz "$node"
corpus=$node/fuzz-corpus
mkdir -p "$corpus"
python3 "$root/contrib/bitcoin-core/fuzz_seeds.py" "$corpus"
status=0
for target in "${targets[@]}"; do
  mkdir -p "$corpus/$target"
  # As much as the largest seed, a script of 65,536 bytes in hexadecimal digits
  if FUZZ=$target "$node/fuzz/bin/fuzz" -max_total_time="$seconds" -max_len=200000 -rss_limit_mb=4000 -artifact_prefix="$corpus/$target-" \
      -print_final_stats=1 "$corpus/$target" >"$corpus/$target.log" 2>&1; then
    printf '%-32s %8d inputs\n' "$target" "$(sed -n 's/^stat::number_of_executed_units: *//p' "$corpus/$target.log")"
  else
    echo "$target failed, see $corpus/$target.log"
    tail -n 5 "$corpus/$target.log"
    status=1
  fi
done
exit $status
