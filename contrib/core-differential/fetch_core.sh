#!/usr/bin/env bash
# Prints the folder that holds Bitcoin Core's sources (the one with src/script/interpreter.cpp), for CMake's
# SLHC_CORE_SOURCE_DIR. Nothing of it enters this repository.
#
#   contrib/core-differential/fetch_core.sh [--version VERSION] [CACHE]
#
# Takes $BITCOIN_CORE_SRC if that is set (CMake wants an absolute path there). Otherwise the sources come with the crate that Cargo.toml and
# Cargo.lock beside this script pin, and go to CACHE (default: build/core-sources; see contrib/fetch_crate.sh). VERSION: another version of
# the crate, that of a folder beside this script, whatever BITCOIN_CORE_SRC says.
# Exit status: 0 with the path on standard output, 77 if the sources cannot be had here (with the reason on standard
# error), 2 if BITCOIN_CORE_SRC or VERSION is wrong.
set -euo pipefail
unset CDPATH
here=$(cd "$(dirname "$0")" && pwd)
crate=libbitcoinkernel-sys
needle=src/script/interpreter.cpp

manifest=$here
if [ "${1:-}" = --version ]; then
  manifest=$here/${2:-}
  if [ -z "${2:-}" ] || [ ! -f "$manifest/Cargo.toml" ]; then
    echo "fetch_core.sh: no version '${2:-}' of $crate is pinned here" >&2
    exit 2
  fi
  shift 2
elif [ -n "${BITCOIN_CORE_SRC:-}" ]; then
  if [ ! -f "$BITCOIN_CORE_SRC/$needle" ]; then
    echo "fetch_core.sh: BITCOIN_CORE_SRC=$BITCOIN_CORE_SRC has no $needle" >&2
    exit 2
  fi
  cd "$BITCOIN_CORE_SRC" && pwd
  exit 0
fi

found=$("$here/../fetch_crate.sh" "$manifest" "$crate" "bitcoin/$needle" "${1:-$here/../../build/core-sources}")
echo "$found/bitcoin"
