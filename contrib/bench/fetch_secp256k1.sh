#!/usr/bin/env bash
# Prints the folder of libsecp256k1 0.8.0, the yardstick of the benchmarks; src/bench takes it from there (build/crates). Nothing of it enters
# this repository. Exit status: 0, or 77 if it cannot be had here, with the reason on standard error.
set -euo pipefail
unset CDPATH
here=$(cd "$(dirname "$0")" && pwd)
needle=depend/secp256k1/src/secp256k1.c
found=$("$here/../fetch_crate.sh" "$here/libsecp256k1" secp256k1-sys "$needle" "$here/../../build/crates")
echo "$found/depend/secp256k1"
