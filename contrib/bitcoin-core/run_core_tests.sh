#!/usr/bin/env bash
# Runs Bitcoin Core's own unit tests in the integrated tree: build.sh --tests builds them. Every suite is run by itself, so that
# one that fails leaves the others to be seen.
#
#   contrib/bitcoin-core/run_core_tests.sh [--all] [NODE_DIR]
#
# Without --all: the suites on scripts, transactions, signatures, the caches, the mempool, policy, blocks and validation.
# Exit status: 1 if a suite failed, 77 if the tests are not built.
set -euo pipefail
all=no
[ "${1:-}" != --all ] || { all=yes; shift; }
node=${1:-$(dirname "$0")/../../build/node}
test_bitcoin=$node/core-tests/bin/test_bitcoin
[ -x "$test_bitcoin" ] || { echo "SKIPPED: $test_bitcoin is not there (contrib/bitcoin-core/build.sh --tests makes it)"; exit 77; }

mapfile -t suites < <("$test_bitcoin" --list_content 2>&1 | sed -nE 's/^([a-z0-9_]+)\*$/\1/p')
[ ${#suites[@]} -gt 0 ] || { echo "run_core_tests.sh: $test_bitcoin lists no suites" >&2; exit 1; }
wanted='script|tx|transaction|sig|taproot|cache|checkqueue|mempool|policy|package|rbf|truc|validation|block|chain|coins|miner|merkle|versionbits|p2sh|multisig|rpc|key_io|descriptor|psbt|orphan|undo'

failed=()
count=0
for suite in "${suites[@]}"; do
  [ $all = yes ] || [[ $suite =~ $wanted ]] || continue
  count=$((count + 1))
  start=$SECONDS
  if "$test_bitcoin" --run_test="$suite" --catch_system_errors=no >"$node/core-tests/$suite.log" 2>&1; then
    printf '%-44s %4d s\n' "$suite" $((SECONDS - start))
  else
    printf '%-44s failed\n' "$suite"
    grep -E 'error: ' "$node/core-tests/$suite.log" | head -n 10 || tail -n 10 "$node/core-tests/$suite.log"
    failed+=("$suite")
  fi
done
echo "$((count - ${#failed[@]})) of $count suites of Core passed in the integrated tree"
[ ${#failed[@]} -eq 0 ]
