#!/usr/bin/env bash
# Prints the folder that holds Bitcoin Core's sources (the one with src/script/interpreter.cpp), for CMake's
# SLHC_CORE_SOURCE_DIR. Nothing of it enters this repository.
#
#   contrib/core-differential/fetch_core.sh [--version VERSION] [CACHE]
#
# Takes $BITCOIN_CORE_SRC if that is set (CMake wants an absolute path there). Otherwise the sources come with a crate that the package manager of Rust
# fetches, by exact version and checksum (Cargo.toml and Cargo.lock beside this script), into a folder of CACHE (default:
# build/core-sources) that is named after crate and version. Fetched once; later calls touch no network. VERSION: another
# version of the crate, that of a folder beside this script, whatever BITCOIN_CORE_SRC says.
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

version=$(sed -nE "s/^$crate = \"=([0-9.]+)\"\$/\1/p" "$manifest/Cargo.toml")
if [ -z "$version" ]; then
  echo "fetch_core.sh: Cargo.toml pins no version of $crate" >&2
  exit 2
fi
cache=${1:-$here/../../build/core-sources}
found=$cache/$crate-$version/bitcoin
if [ ! -f "$found/$needle" ]; then
  if ! command -v cargo >/dev/null; then
    echo "fetch_core.sh: Bitcoin Core's sources are not here: set BITCOIN_CORE_SRC, or install cargo" >&2
    exit 77
  fi
  mkdir -p "$cache/manifest"
  exec 8>"$cache/lock"
  flock 8 # until this script ends; another one may have fetched them in the meantime
fi
if [ ! -f "$found/$needle" ]; then
  cp "$manifest/Cargo.toml" "$manifest/Cargo.lock" "$cache/manifest/"
  vendor=$(mktemp -d "$cache/vendor.XXXXXX")
  trap 'rm -rf "$vendor"' EXIT
  if ! cargo vendor --locked --quiet --manifest-path "$cache/manifest/Cargo.toml" "$vendor" >/dev/null 2>"$cache/log"; then
    tail -n 5 "$cache/log" >&2
    echo "fetch_core.sh: cargo could not fetch the crate $crate" >&2
    exit 77
  fi
  if [ ! -f "$vendor/$crate/bitcoin/$needle" ]; then
    echo "fetch_core.sh: the crate $crate $version holds no $needle" >&2
    exit 77
  fi
  rm -rf "$cache/$crate-$version"
  mv "$vendor/$crate" "$cache/$crate-$version"
fi
cd "$found" && pwd
