#!/usr/bin/env bash
# Runs Bitcoin Core's own functional tests, those of the tree that build.sh makes, on the node with the rules and on the plain one, and
# compares: what passes on the plain node must pass with the rules. A test that fails on both nodes is counted, and says nothing. First come
# ours, which are written like Core's, and tests of your own, on the node with the rules alone.
#
#   contrib/bitcoin-core/run_core_functional.sh [OPTION...] [TEST...]
#
# --node DIR   where build.sh put the node with the rules (default: build/node)
# --plain DIR  the build tree of the node without them, which build.sh --plain makes (default: DIR/plain)
# --all        all of Core's base tests instead of the list below
# --short      twenty of them, on the node with the rules alone, where each has to pass
# --jobs N     tests at a time (default: the number of processors)
# --timeout-factor F  stretches the time limits of Core's framework, for a machine that is slow or busy
# TEST...      these instead, as for Core's test_runner.py: mempool_accept.py, or 'p2p_segwit.py --v2transport'; or feature_p2mr.py; or a file of your
#              own with a folder in its name, ./my_test.py, which may import p2mr.py and needs no plain node
#
# Logs and results are in DIR/core-functional. Exit status: 1 if a test failed with the rules and not without them; 77 if a
# node is not there.
set -euo pipefail
unset CDPATH

# Tests that assert what this soft fork changes. They run with both deployments off, where the node has to be the plain one.
#   feature_taproot.py  OP_SUCCESS127 and OP_SUCCESS128 succeed; an unknown leaf or witness version is spent by anyone
#   p2p_segwit.py       a program of version 2 and 32 bytes is spent by anyone
#   mining_basic.py     getblocktemplate lists exactly the rules that Core has, and
#   rpc_blockchain.py   getdeploymentinfo the deployments
off_tests='^(feature_taproot|mining_basic|p2p_segwit|rpc_blockchain)\.py'
off_options=(-vbparams=p2mr:-2:0 -vbparams=slhdsa:-2:0)

default_tests=(
  feature_assumevalid.py feature_bip68_sequence.py feature_block.py feature_cltv.py feature_csv_activation.py feature_dersig.py
  feature_index_prune.py feature_nulldummy.py feature_rbf.py feature_reindex.py feature_segwit.py feature_shutdown.py
  feature_taproot.py feature_utxo_set_hash.py feature_versionbits_warning.py
  mempool_accept.py mempool_accept_wtxid.py mempool_dust.py mempool_ephemeral_dust.py mempool_limit.py mempool_package_limits.py
  mempool_package_rbf.py mempool_packages.py mempool_persist.py mempool_reorg.py mempool_resurrect.py mempool_sigoplimit.py
  mempool_spend_coinbase.py mempool_truc.py mempool_updatefromblock.py
  mining_basic.py mining_prioritisetransaction.py mining_template_verification.py
  p2p_1p1c_network.py p2p_compactblocks.py p2p_compactblocks_blocksonly.py p2p_filter.py p2p_invalid_block.py p2p_invalid_tx.py
  p2p_mutated_blocks.py p2p_opportunistic_1p1c.py p2p_orphan_handling.py p2p_segwit.py p2p_tx_download.py
  rpc_blockchain.py rpc_decodescript.py rpc_deriveaddresses.py rpc_generate.py rpc_getdescriptorinfo.py rpc_invalidateblock.py
  rpc_mempool_info.py rpc_packages.py rpc_psbt.py rpc_rawtransaction.py rpc_scantxoutset.py rpc_signrawtransactionwithkey.py
  rpc_txoutproof.py rpc_validateaddress.py
  tool_utils.py tool_wallet.py wallet_create_tx.py wallet_descriptor.py
)

short_tests=(
  feature_nulldummy.py feature_segwit.py feature_taproot.py mempool_accept.py mempool_accept_wtxid.py mempool_package_rbf.py
  mempool_sigoplimit.py mempool_spend_coinbase.py p2p_segwit.py rpc_decodescript.py rpc_deriveaddresses.py rpc_packages.py rpc_psbt.py
  rpc_rawtransaction.py rpc_signrawtransactionwithkey.py rpc_validateaddress.py tool_utils.py tool_wallet.py wallet_create_tx.py
  wallet_descriptor.py
)

usage() { sed -n '/^#   contrib/,/^# TEST/s/^# *//p' "$0" >&2; exit 2; }
fail() { echo "run_core_functional.sh: $1" >&2; exit "${2:-2}"; }
value() { [ $# -ge 2 ] || fail "$1 needs a value"; }

root=$(cd "$(dirname "$0")/../.." && pwd)
node=$root/build/node plain= choice=default ours=no
own=()
jobs=$("$root/contrib/jobs.sh")
framework=()  # options of Core's framework
tests=()
while [ $# -gt 0 ]; do
  case $1 in
    --node) value "$@"; node=$2; shift ;;
    --plain) value "$@"; plain=$2; shift ;;
    --jobs) value "$@"; jobs=$2; shift ;;
    --timeout-factor) value "$@"; framework=("--timeout-factor=$2"); shift ;;
    --all | --short) choice=${1#--} ;;
    -*) usage ;;
    feature_p2mr.py) ours=yes ;;
    */*.py) own+=("$(realpath -- "$1")") ;;
    *) tests+=("$1") ;;
  esac
  shift
done
plain=${plain:-$node/plain}
need() { [ -x "$1/bin/bitcoind" ] || fail "SKIPPED: $1/bin/bitcoind is not there (contrib/bitcoin-core/build.sh makes it)" 77; }
need "$node/core"
node=$(cd "$node" && pwd)
out=$node/core-functional
functional=$node/src/test/functional
rm -rf "$out/tmp"
mkdir -p "$out/tmp"
export PYTHONPYCACHEPREFIX=$out/pycache
unset BITCOIND

# Runs tests, and writes "test,status" for each into NAME.csv.
run() { # NAME TREE TEST...
  local name=$1 tree=$2 status=0
  shift 2
  : >"$out/$name.csv"
  [ $# -gt 0 ] || return 0
  echo "== $# tests on ${BITCOIND:-$tree/bin/bitcoind}"
  # In a process group of its own: a test that fails leaves its nodes running.
  set -m
  python3 "$tree/test/functional/test_runner.py" --jobs="$jobs" --tmpdirprefix="$out/tmp" --resultsfile="$out/results.csv" "${framework[@]}" "$@" \
    >"$out/$name.log" 2>&1 &
  local group=$!
  set +m
  trap 'kill -KILL -- -$group 2>/dev/null; exit 130' INT TERM
  wait $group || status=$?
  kill -KILL -- -$group 2>/dev/null || true
  trap - INT TERM
  [ -s "$out/results.csv" ] || { tail -n 20 "$out/$name.log" >&2; fail "Core's test_runner.py failed (status $status), see $out/$name.log" 1; }
  sed -n 's/\r$//; 2,${/^ALL,/!p}' "$out/results.csv" | cut -d, -f1,2 | by_test -u >"$out/$name.csv"
  rm "$out/results.csv"
}

# By the test's name alone, as join wants it: a name may be the beginning of another.
by_test() { LC_ALL=C sort -t, -k1,1 "$@"; }

# Each test with its status on the plain node and with the rules, into both.csv.
compare() { # CSV...
  by_test "$@" | LC_ALL=C join -t, "$out/plain.csv" - >"$out/both.csv"
  mapfile -t worse < <(sed -n 's/^\(.*\),Passed,\(Failed\|Skipped\)$/\1/p' "$out/both.csv")
}

library=$node/prefix/lib/libslhconsensus.so
[ -n "${SLHCONSENSUS_LIBRARY:-}" ] || [ ! -f "$library" ] || export SLHCONSENSUS_LIBRARY=$library
# One test, on the node with the rules alone
alone() { # FILE
  local name
  name=$(basename "$1" .py)
  echo "== $1 on $node/core/bin/bitcoind"
  PYTHONPATH=$functional python3 "$1" --configfile="$node/core/test/config.ini" --cachedir="$out/tmp/cache" --tmpdir="$out/tmp/$name" \
    "${framework[@]}" >"$out/$name.log" 2>&1 || { tail -n 20 "$out/$name.log" >&2; fail "failed, see $out/$name.log" 1; }
  echo "passed"
}
for test in "${own[@]}"; do alone "$test"; done
[ ${#own[@]} -eq 0 ] || [ $ours = yes ] || [ ${#tests[@]} -gt 0 ] || exit 0
if [ $ours = yes ] || [ ${#tests[@]} -eq 0 ]; then
  PYTHONPATH=$functional python3 "$root/contrib/bitcoin-core/functional/test_p2mr.py"
  alone "$functional/feature_p2mr.py"
  [ ${#tests[@]} -gt 0 ] || [ $ours = no ] || exit 0
fi

if [ $choice != short ]; then
  need "$plain"
  plain=$(cd "$plain" && pwd)
fi
printf '#!/bin/sh\nexec %q "$@" %s\n' "$node/core/bin/bitcoind" "${off_options[*]}" >"$out/bitcoind-off"
chmod +x "$out/bitcoind-off"
if [ ${#tests[@]} -eq 0 ]; then
  # Core's list names each test with its arguments.
  mapfile -t tests < <(cd "$functional" && python3 -c 'import test_runner; print("\n".join(name for name in test_runner.BASE_SCRIPTS if name != "feature_p2mr.py"))')
  [ $choice != short ] || default_tests=("${short_tests[@]}")
  [ $choice = all ] || mapfile -t tests < <(printf '%s\n' "${tests[@]}" | grep -E "^($(IFS='|'; echo "${default_tests[*]//./\\.}"))( |$)")
fi
matching() { printf '%s\n' "${tests[@]}" | grep -E "$@" || true; }
mapfile -t active < <(matching -v "$off_tests")
mapfile -t off < <(matching "$off_tests")
[ $choice = short ] || run plain "$plain" "${tests[@]}"
run active "$node/core" "${active[@]}"
BITCOIND=$out/bitcoind-off run off "$node/core" "${off[@]}"
# Without a plain node, each has to pass.
[ $choice != short ] || sed 's/,.*/,Passed/' "$out/active.csv" "$out/off.csv" | by_test >"$out/plain.csv"
[ "$(wc -l <"$out/plain.csv")" -eq "$(cat "$out/active.csv" "$out/off.csv" | wc -l)" ] || fail "some tests ran on one node alone: see $out/*.csv" 1
compare "$out/active.csv" "$out/off.csv"
if [ ${#worse[@]} -gt 0 ]; then
  # Core's tests wait for things with time limits, and fail now and then on a busy machine: once more, one at a time.
  printf 'once more: %s\n' "${worse[@]}"
  jobs=1
  cat "$out/active.csv" "$out/off.csv" >"$out/first.csv"
  mapfile -t active < <(tests=("${worse[@]}"); matching -v "$off_tests")
  mapfile -t off < <(tests=("${worse[@]}"); matching "$off_tests")
  for log in active off; do cp "$out/$log.log" "$out/$log-first.log" 2>/dev/null || true; done
  run active "$node/core" "${active[@]}"
  BITCOIND=$out/bitcoind-off run off "$node/core" "${off[@]}"
  cat "$out/active.csv" "$out/off.csv" >"$out/again.csv"
  LC_ALL=C join -t, -v 1 <(by_test "$out/first.csv") <(by_test "$out/again.csv") >"$out/kept.csv"
  compare "$out/kept.csv" "$out/again.csv"
fi

count() { grep -cE ",$1,$2\$" "$out/both.csv" || true; }
[ $choice = short ] || echo "plain node:     $(count Passed '.*') passed, $(count Failed '.*') failed, $(count Skipped '.*') skipped"
echo "with the rules: $(count '.*' Passed) passed, $(count '.*' Failed) failed, $(count '.*' Skipped) skipped"
sed -n 's/^\(.*\),Failed,Failed$/fails on both: \1/p; s/^\(.*\),Failed,Passed$/fails on the plain node alone: \1/p' "$out/both.csv"
if [ ${#worse[@]} -gt 0 ]; then
  printf 'does not pass with the rules: %s\n' "${worse[@]}"
  echo "their output is in $out/active.log and $out/off.log" >&2
  exit 1
fi
[ $choice = short ] || echo "what passes on the plain node passes with the rules"
