#!/usr/bin/env bash
# Runs the unit tests that the change adds or touches, or with --all Bitcoin Core's, with ours among them, in the integrated tree:
# build.sh --tests and --all-tests build them. Every suite is run by itself, so that one that fails leaves the others to be seen.
#
#   contrib/bitcoin-core/run_core_tests.sh [--all] [--active | --inactive | --plain] [NODE_DIR]
#
# --active    as built: p2mr and slhdsa are active on regtest, from the start
# --inactive  both deployments are never active on regtest (-vbparams)
# --plain     the tree without the module (build.sh --plain)
# By default, all three, as far as they are built. libbitcoinkernel's tests are run where they are built (build.sh --kernel, --shared).
# Exit status: 1 if a suite failed, 77 if the tests are not built.
set -euo pipefail
program=test_slhdsa
modes=(active inactive plain)
while [[ ${1:-} == -* ]]; do
  case "$1" in
    --all) program=test_bitcoin ;;
    --active | --inactive | --plain) modes=("${1#--}") ;;
    *) echo "run_core_tests.sh: unknown option '$1'" >&2; exit 2 ;;
  esac
  shift
done
node=${1:-$(dirname "$0")/../../build/node}
never=-2:9223372036854775807
inactive_options=(-vbparams=p2mr:$never -vbparams=slhdsa:$never)
vectors=$(realpath "$(dirname "$0")/../../doc/bip/vectors")  # without them, p2mr_vectors_tests passes and has tested nothing
exported=$(mktemp -d)  # script_assets_test.json, with the rules and, in soft-fork, without them
trap 'rm -rf "$exported"' EXIT
inactive_without=slhdsa_validation_tests  # blocks and mempool where the rules are active; these options would win over its own

status=77
for mode in "${modes[@]}"; do
  tree=$node/core
  [ "$mode" != plain ] || tree=$node/plain
  if [ ! -x "$tree/bin/$program" ]; then
    echo "SKIPPED ($mode): $tree/bin/$program is not there (build.sh --plain --tests makes it, or --all-tests)"
    continue
  fi
  arguments=()
  [ "$mode" != inactive ] || arguments=(-- "${inactive_options[@]}")
  mapfile -t suites < <("$tree/bin/$program" --list_content 2>&1 | sed -nE 's/^([a-z0-9_]+)\*$/\1/p')
  [ ${#suites[@]} -gt 0 ] || { echo "run_core_tests.sh: $tree/bin/$program lists no suites" >&2; exit 1; }
  if [ "$mode" != inactive ]; then
    [ ! -x "$tree/bin/test_kernel" ] || suites+=(test_kernel)
    [ ! -x "$tree-shared/bin/test_kernel" ] || suites+=(test_kernel_shared)
  fi
  mkdir -p "$node/logs/$mode"
  failed=()
  count=0
  for suite in "${suites[@]}"; do
    if [ "$mode" = inactive ] && [ "$suite" = "$inactive_without" ]; then
      printf '%-44s left out\n' "$suite"
      continue
    fi
    count=$((count + 1))
    start=$SECONDS
    log=$node/logs/$mode/$suite.log
    command=("$tree/bin/$program" --run_test="$suite" --catch_system_errors=no "${arguments[@]}")
    case $suite in
      test_kernel) command=("$tree/bin/test_kernel") ;;
      script_assets_tests)
        [ -d "$exported/soft-fork" ] || python3 -B "$vectors/export.py" "$exported" assets >/dev/null
        assets=$exported
        [ "$mode" = active ] || assets=$exported/soft-fork
        command=(env "DIR_UNIT_TEST_DATA=$assets" "${command[@]}") ;;
      p2mr_vectors_tests) command=(env "DIR_UNIT_TEST_DATA=$vectors" "${command[@]}") ;;
      test_kernel_shared) command=("$tree-shared/bin/test_kernel") ;;
    esac
    if "${command[@]}" >"$log" 2>&1; then
      printf '%-44s %4d s\n' "$suite" $((SECONDS - start))
    else
      printf '%-44s failed\n' "$suite"
      grep -E 'error: ' "$log" | head -n 10 || tail -n 10 "$log"
      failed+=("$suite")
    fi
  done
  echo "$mode: $((count - ${#failed[@]})) of $count suites passed in the integrated tree"
  [ $status = 1 ] || status=0
  [ ${#failed[@]} -eq 0 ] || status=1
done
exit $status
