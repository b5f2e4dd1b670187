#!/usr/bin/env bash
# Installs what is missing, builds, and runs the tests: with gcc and clang, warnings being errors, and under
# the address, undefined-behaviour and thread sanitizers. Safe to run twice: what is built is kept in build/.
# Skipped tests and single cases are named. Always among them are those of a shared libbitcoinkernel, which would be compiled once more, and
# those of BIP 360's own vectors, which need SLHC_BIP360_VECTORS. If a test is skipped for which install-deps.sh installs everything, this
# script fails.
#
#   contrib/check.sh          everything but these
#   contrib/check.sh --quick  gcc alone, without the tests labelled slow
set -euo pipefail
unset CDPATH
cd "$(dirname "$0")/.."

quick=no
case "${1:-}" in
  "") ;;
  --quick) quick=yes ;;
  *) echo "check.sh: unknown argument '$1' (known: --quick)" >&2; exit 2 ;;
esac

jobs=$(contrib/jobs.sh)
logs=build/check
mkdir -p "$logs"
exec 8>"$logs/lock"
flock -n 8 || { echo "check.sh: another one is at work in $PWD" >&2; exit 1; }

# Users' own settings must not change the tests, nor the messages of programs.
unset SLHC_BACKEND SLHC_CACHE_DIR SLHC_DEVICE_PROGRAM SLHC_LOG SLHC_THREADS CC CXX CFLAGS CXXFLAGS LDFLAGS
export LC_ALL=C.UTF-8

# Tests for which install-deps.sh installs everything on any machine: a skipped one hides a fault.
must_run='device_(backend|process)_tests|vulkan_(choice|oracle|several|tests|validation)|bench_devices|slhdsa_|engine_tests|tool_functional|python_functional|scenario_tests'
# Without sanitizers, also what looks at the programs as they are installed
must_run_dev="$must_run|aarch64_engines|assertions|ctime_tests|emulated_engine_tests|engine_symbols|install_|lint_|symbols"

# Nothing of what these run is compiled with a sanitizer, or they compute much with code that other suites run, too; once is enough.
no_sanitizer='cost_tests|slhdsa_acvp_tests|slhdsa_differential_tests|aarch64_engines|bip_mutations|bip_survivors|bip_reference(_bip.*)?|bip_vectors|lint_.*'
no_sanitizer="^($no_sanitizer|.*_apply)\$"

total_cpu=0
stage_line() { printf '%5d s, CPU %5d s\n' "$1" "$2"; }

# stage NAME COMMAND...: one line on the terminal, with the wall-clock time and the processors' time; everything else in a
# log that is shown if it fails.
stage() {
  local name=$1 log=$logs/${1//[^a-zA-Z0-9-]/_}.log TIMEFORMAT='%0R %0U %0S' wall user system
  shift
  printf '%-46s' "$name"
  if { time "$@" >"$log" 2>&1 8>&-; } 2>"$logs/time"; then
    read -r wall user system <"$logs/time"
    stage_line "$wall" $((user + system))
    total_cpu=$((total_cpu + user + system))
  else
    printf ' failed\n'
    tail -n 60 "$log"
    grep -nE 'error:|FAILED|runtime error|ERROR: ' "$log" | tail -n 20 || true
    echo "check.sh: '$name' failed; its whole output is in $log" >&2
    exit 1
  fi
}

# build PRESET [TARGET...]
build() {
  local preset=$1
  shift
  cmake --preset "$preset" && cmake --build "build/$preset" --parallel "$jobs" ${1:+--target "$@"}
}

# Whatever ran, ctest's own closing lines are worth a place on the terminal, and so is what it skipped.
tests() {
  local preset=$1 must=$must_run
  shift
  [ "$preset" != dev ] || must=$must_run_dev
  stage "test $preset" ctest --test-dir "build/$preset" --output-on-failure --no-tests=error --timeout 900 --parallel "$jobs" "$@"
  sed -nE '/tests passed|^Total Test time/p; s/^[[:space:]]*[0-9]+ - (.*) \((Skipped)\)$/  skipped: \1/p' "$logs/test_$preset.log"
  # Single cases, among them those of suites that passed: pytest's, and Boost's, where "disabled" is what this run did not ask for
  sed -nE '/ is skipped because disabled/d; s/^SKIPPED \[[0-9]+\] (.*)$/  skipped: \1/p; s/^.*SKIPPED: (.*)$/  skipped: \1/p
    s/^.*Test (case|suite|unit) "?([^"]*)"? is skipped because (.*)$/  skipped: \2: \3/p; s/^no environment in /  &/p' \
    "build/$preset/Testing/Temporary/LastTest.log" | sort -u
  if grep -qE "^[[:space:]]*[0-9]+ - ($must).* \\(Skipped\\)$" "$logs/test_$preset.log"; then
    echo "check.sh: skipped, although install-deps.sh installs what they need:" \
      $(sed -nE "s/^[[:space:]]*[0-9]+ - (($must).*) \\(Skipped\\)$/\1/p" "$logs/test_$preset.log") >&2
    exit 1
  fi
}

contrib/install-deps.sh
if command -v ccache >/dev/null; then
  export CMAKE_C_COMPILER_LAUNCHER=ccache CMAKE_CXX_COMPILER_LAUNCHER=ccache
  # Objects that one clone has compiled serve the next.
  export CCACHE_BASEDIR=${CCACHE_BASEDIR:-$PWD} CCACHE_NOHASHDIR=1
fi

if [ $quick = yes ]; then
  stage "build dev" build dev
  tests dev -LE slow
  exit 0
fi

# References for tests that Debian does not have: Bitcoin Core's sources, and other implementations of SLH-DSA. Missing ones are named here,
# and their tests are skipped by name.
stage "fetch Bitcoin Core's sources" sh -c 'contrib/core-differential/fetch_core.sh || [ $? -eq 77 ]'
stage "fetch libsecp256k1 0.8.0, the yardstick" sh -c 'contrib/bench/fetch_secp256k1.sh || [ $? -eq 77 ]'
stage "install other SLH-DSA implementations" contrib/differential/setup_peers.sh
grep -h 'left out\|is not here\|could not fetch' "$logs"/fetch*.log "$logs"/install*.log | sed 's/^/  /' || true

# gcc, with the nodes that some tests run, with and without the module: the code of a release, but for Core's own, which at -O1 compiles in two
# thirds of the time. Then clang, twice: with the address and undefined-behaviour sanitizers, which the fuzz targets have too, and with the
# thread sanitizer.
stage "build dev" build dev
stage "build the regtest node" sh -c \
  'SLHC_MODULE_BUILD=build/dev SLHC_NODE_OPTIONS=-DCMAKE_CXX_FLAGS_RELEASE=-O1 contrib/bitcoin-core/build.sh --plain --tests --kernel || [ $? -eq 77 ]'
tests dev
stage "build asan-ubsan" build asan-ubsan
tests asan-ubsan -LE slow -E "$no_sanitizer"
stage "fuzz, 10 s a target" contrib/fuzz/run.sh --seconds 10
sed 's/^/  /' "$logs/fuzz__10_s_a_target.log"
stage "build tsan" build tsan test_slhconsensus
tests tsan -L threads
printf '%-46s' everything
stage_line $SECONDS $total_cpu
