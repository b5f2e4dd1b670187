#!/usr/bin/env bash
# The main job on this machine, from a fresh clone: installs what is missing, builds slhtool, makes keys, P2MR (P2TSH)
# outputs and transactions that spend them, verifies them one by one and as a batch, and shows a tampered one
# being rejected. Safe to run twice: what is built is kept in build/demo, the demo's files are replaced.
#
#   contrib/demo.sh                          16 transactions, files in ./demo-output
#   contrib/demo.sh --transactions 512       arguments are those of slhtool demo (slhtool demo --help)
set -euo pipefail
unset CDPATH
caller=$PWD
cd "$(dirname "$0")/.."

case "${1:-}" in -h | --help) sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' contrib/demo.sh; exit ;; esac

build=build/demo
log=$build/build.log
mkdir -p "$build"
exec 8>"$build/lock"
flock -n 8 || { echo "demo.sh: another one is building in $PWD/$build" >&2; exit 1; }

configure_and_build() {
  cmake --preset release -B "$build" -DSLHC_BUILD_TESTS=OFF -DSLHC_BUILD_BENCH=OFF
  cmake --build "$build" --target slhtool --parallel "$(contrib/jobs.sh)"
}

# One line on the terminal, with ninja's count while it works; everything else in a log that is shown if it fails.
build_quietly() {
  local start=$SECONDS
  printf 'Build     '
  # In a process group of its own, which a Ctrl-C ends as a whole.
  set -m
  configure_and_build >"$log" 2>&1 8>&- &
  set +m
  trap 'kill -- -$! 2>/dev/null || true; echo; exit 130' HUP INT TERM
  if [ -t 1 ]; then
    while kill -0 $! 2>/dev/null; do
      printf '\rBuild     %s' "$(grep -oE '^\[[0-9]+/[0-9]+\]' "$log" | tail -n 1 || true)"
      sleep 0.5
    done
    printf '\rBuild     '
  fi
  if wait $!; then
    trap - HUP INT TERM
    printf 'slhtool, in %d s\n' $((SECONDS - start))
  else
    printf 'failed\n'
    grep -nE 'error:|Error|FAILED' "$log" | head -n 20 >&2 || true
    tail -n 20 "$log" >&2
    echo "demo.sh: the build failed; its whole output is in $log" >&2
    exit 1
  fi
}

contrib/install-deps.sh --build
build_quietly

slhtool=$PWD/$build/src/tool/slhtool
echo "Program   to call it as slhtool: export PATH=${slhtool%/*}:\$PATH"
cd "$caller"
exec 8>&-
exec "$slhtool" demo "$@"
