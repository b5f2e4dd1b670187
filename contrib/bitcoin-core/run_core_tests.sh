#!/usr/bin/env bash
# Runs the unit tests that the change adds or touches, in the integrated tree, as far as build.sh --tests has built them: with p2mr and slhdsa
# active on regtest, as built; with both never active (-vbparams); and without the module (build.sh --plain). Every suite is run by itself, so
# that one that fails leaves the others to be seen. libbitcoinkernel's tests are run where they are built.
#
#   contrib/bitcoin-core/run_core_tests.sh [--all] [NODE_DIR]
#
# --all  builds what is missing, and runs all of Bitcoin Core's unit tests, those of libbitcoinkernel, static and shared, check_link.sh, and
#        run_core_functional.sh's list of functional tests on both nodes
# Exit status: 1 if a test failed, 77 if none is built.
set -euo pipefail
here=$(dirname "$0")
all=no program=test_slhdsa
case ${1:-} in
  --all) all=yes program=test_bitcoin; shift ;;
  -*) echo "run_core_tests.sh: unknown option '$1' (known: --all)" >&2; exit 2 ;;
esac
[ $# -le 1 ] || { echo "run_core_tests.sh: too many arguments" >&2; exit 2; }
node=${1:-$here/../../build/node}
[ $all = no ] || "$here/build.sh" --plain --tests --all-tests --kernel --shared "$node"
never=-2:9223372036854775807
inactive_options=(-vbparams=p2mr:$never -vbparams=slhdsa:$never)
vectors=$(realpath "$here/../../doc/bip/vectors")  # without them, p2mr_vectors_tests passes and has tested nothing
exported=$(mktemp -d)  # script_assets_test.json, with the rules and, in soft-fork, without them
trap 'rm -rf "$exported"' EXIT
inactive_without=slhdsa_validation_tests  # blocks and mempool where the rules are active; these options would win over its own

status=77
for mode in active inactive plain; do
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
    command=("$tree/bin/$program" --run_test="$suite" --catch_system_errors=no --color_output=no "${arguments[@]}")
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
      grep -m 10 -E 'error: ' "$log" || tail -n 10 "$log"
      failed+=("$suite")
    fi
  done
  echo "$mode: $((count - ${#failed[@]})) of $count suites passed in the integrated tree"
  [ $status = 1 ] || status=0
  [ ${#failed[@]} -eq 0 ] || status=1
done
if [ $all = yes ]; then
  "$here/check_link.sh" "$node" || status=1
  "$here/run_core_functional.sh" --node "$node" || status=1
fi
exit $status
