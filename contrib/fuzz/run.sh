#!/usr/bin/env bash
# Runs fuzz targets for a bounded time each and says what came of it. Builds nothing: first
#   cmake --preset asan-ubsan && cmake --build build/asan-ubsan --target fuzz
#
#   contrib/fuzz/run.sh [--seconds N] [--build DIR] [--corpus DIR] [--minimize] [TARGET...]
#
# Default: 20 seconds, build/asan-ubsan, its folder fuzz_corpora, and every target that was built. The corpus is made if it is not
# there (corpus.sh), is replayed first, and grows by what the runs find. With --minimize, what adds nothing to its coverage is
# removed from it after the run; a corpus in a folder outside of the build is worth that, and worth keeping. Several runs may add to
# a corpus at the same time, but one with --minimize works on it alone. What makes a target fail is kept in
# DIR/fuzz-artifacts/<target>/.
# Exit status: 0 if no target failed, 1 if one did or if another run keeps this one from its corpus, 2 for wrong usage.
set -euo pipefail
unset CDPATH
caller=$PWD
cd "$(dirname "$0")/../.."

seconds=20
max_len=32768 # more than the largest seeds have, which are PSBTs with three signatures
build=build/asan-ubsan
corpus=
minimize=
targets=()
while [ $# -gt 0 ]; do
  case "$1" in
    --seconds | --build | --corpus)
      [ $# -ge 2 ] || { echo "run.sh: $1 needs a value" >&2; exit 2; }
      value=$2
      [ "$1" = --seconds ] || value=$(cd "$caller" && realpath -m -- "$2")
      printf -v "${1#--}" '%s' "$value"
      shift 2 ;;
    --minimize) minimize=1; shift ;;
    -*) echo "run.sh: unknown option '$1' (known: --seconds, --build, --corpus, --minimize)" >&2; exit 2 ;;
    *) targets+=("$1"); shift ;;
  esac
done
# 0 would be libFuzzer's word for no limit.
case "$seconds" in '' | 0* | *[!0-9]*) echo "run.sh: --seconds wants a number above 0, not '$seconds'" >&2; exit 2 ;; esac
corpus=${corpus:-$build/fuzz_corpora}
corpus=${corpus%/}
programs=$build/src/test/fuzz
[ -x "$programs/make_fuzz_corpus" ] || { echo "run.sh: no fuzz targets in $build (cmake --preset asan-ubsan && cmake --build build/asan-ubsan --target fuzz)" >&2; exit 2; }

if [ ${#targets[@]} -eq 0 ]; then
  for program in "$programs"/fuzz_*; do
    [ -f "$program" ] && [ -x "$program" ] && targets+=("${program##*/fuzz_}")
  done
fi
[ ${#targets[@]} -gt 0 ] || { echo "run.sh: no targets in $programs" >&2; exit 2; }
for target in "${targets[@]}"; do
  [ -x "$programs/fuzz_$target" ] || { echo "run.sh: no target '$target' in $build" >&2; exit 2; }
done
contrib/fuzz/corpus.sh make "$build" "$corpus"

# --minimize replaces folders: what another run writes into one of them meanwhile would be lost. The programs keep the lock: one that
# outlives this script still writes there.
lock=--shared
[ -z "$minimize" ] || lock=--exclusive
exec 8>"$corpus.lock"
flock -n $lock 8 || {
  echo "run.sh: another run works on $corpus, and one with --minimize works alone" >&2
  exit 1
}

failed=0
for target in "${targets[@]}"; do
  # Restore the corpus if --minimize was interrupted
  [ -d "$corpus/$target" ] || [ ! -d "$corpus/$target.old" ] || mv "$corpus/$target.old" "$corpus/$target"
  mkdir -p "$corpus/$target" "$build/fuzz-artifacts/$target"
  log=$build/fuzz-artifacts/$target.log
  printf '%-20s' "$target"
  status=0
  words=()
  [ ! -f "$corpus/$target.dict" ] || words=("-dict=$corpus/$target.dict")
  # Inputs that take long get fewer turns: signing takes far longer than anything else that `capi` does.
  "$programs/fuzz_$target" -max_total_time="$seconds" -timeout=60 -rss_limit_mb=4096 -max_len=$max_len -print_final_stats=1 -error_exitcode=1 \
    -entropic_scale_per_exec_time=1 -artifact_prefix="$build/fuzz-artifacts/$target/" "${words[@]}" "$corpus/$target" >"$log" 2>&1 || status=$?
  if [ $status -eq 77 ]; then
    echo "skipped: $(grep -m1 skipped "$log" | sed 's/.*skipped: //')"
  elif [ $status -ne 0 ]; then
    failed=1
    echo "FAILED, see $log:"
    grep -m5 -nE 'does not hold|ERROR: |runtime error|SUMMARY' "$log" || tail -n 3 "$log"
    grep -m1 -oE 'Test unit written to .*' "$log" || true
  else
    runs=$(sed -nE 's/^stat::number_of_executed_units: *//p' "$log")
    coverage=$(grep -oE 'cov: [0-9]+ ft: [0-9]+ corp: [0-9]+' "$log" | tail -n 1 || true)
    echo -n "$runs runs, $coverage"
    if [ -n "$minimize" ]; then
      # A new folder, which takes the old one's place when it is complete: nothing is lost if this is interrupted.
      rm -rf "$corpus/$target.new" "$corpus/$target.old"
      mkdir "$corpus/$target.new"
      "$programs/fuzz_$target" -merge=1 -max_len=$max_len "$corpus/$target.new" "$corpus/$target" >>"$log" 2>&1 || { echo; echo "run.sh: cannot minimize, see $log" >&2; exit 1; }
      echo -n ", $(ls "$corpus/$target" | wc -l) inputs minimized to $(ls "$corpus/$target.new" | wc -l)"
      mv "$corpus/$target" "$corpus/$target.old"
      mv "$corpus/$target.new" "$corpus/$target"
      rm -rf "$corpus/$target.old"
    fi
    echo
  fi
done
exit $failed
