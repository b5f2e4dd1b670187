#!/usr/bin/env bash
# Never run by ClusterFuzzLite's own machines; the test clusterfuzzlite_build runs it. In this project's folder, with ClusterFuzzLite's
# variables: builds the fuzz targets into $OUT, each with its seeds, its options and, where its input has words, a dictionary. Left out are two
# that need more than their own program: core_differential (Bitcoin Core's sources) and model (Python).
#
#   build.sh [CMAKE OPTION...]
set -euo pipefail

build=$WORK/clusterfuzzlite
corpora=$WORK/clusterfuzzlite-corpora
# CMake takes CC, CXX, CFLAGS and CXXFLAGS from the environment. The library as an archive: programs run where it is not installed.
cmake -G Ninja -S . -B "$build" -DCMAKE_BUILD_TYPE=None -DSLHC_BUILD_FUZZ=ON -DSLHC_BUILD_TESTS=OFF -DSLHC_BUILD_CORE_ORACLE=OFF \
  -DSLHC_FUZZING_ENGINE="$LIB_FUZZING_ENGINE" \
  -Dpkgcfg_lib_secp256k1_secp256k1="$(pkg-config --variable=libdir libsecp256k1)/libsecp256k1.a" "$@"
cmake --build "$build" --parallel "$(contrib/jobs.sh)" --target fuzz

rm -rf "$corpora"
contrib/fuzz/corpus.sh make "$build" "$corpora"
for program in "$build"/src/test/fuzz/fuzz_*; do
  target=${program##*/fuzz_}
  case $target in core_differential | model) continue ;; esac
  cp "$program" "$OUT"
  (cd "$corpora/$target" && cmake -E tar cf "$OUT/fuzz_${target}_seed_corpus.zip" --format=zip .)
  [ ! -f "$corpora/$target.dict" ] || cp "$corpora/$target.dict" "$OUT/fuzz_$target.dict"
  printf '[libfuzzer]\nmax_len = 32768\ntimeout = 60\nrss_limit_mb = 4096\n' >"$OUT/fuzz_$target.options"
done
