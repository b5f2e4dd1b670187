#!/usr/bin/env bash
# Prints the folder that holds Bitcoin Core's sources (the one with src/script/interpreter.cpp), for CMake's
# SLHC_CORE_SOURCE_DIR. Nothing of it enters this repository.
#
#   contrib/core-differential/fetch_core.sh [CACHE]
#
# Takes $BITCOIN_CORE_SRC if that is set (CMake wants an absolute path there). Otherwise the sources come with the Python package that
# requirements.txt beside this script pins: pip fetches it into CACHE (default: build/core-sources); later calls touch no network.
# Exit status: 0 with the path on standard output, 77 if the sources cannot be had here (with the reason on standard
# error), 2 if BITCOIN_CORE_SRC is wrong.
set -euo pipefail
unset CDPATH
here=$(cd "$(dirname "$0")" && pwd)
needle=src/script/interpreter.cpp

if [ -n "${BITCOIN_CORE_SRC:-}" ]; then
  if [ ! -f "$BITCOIN_CORE_SRC/$needle" ]; then
    echo "fetch_core.sh: BITCOIN_CORE_SRC=$BITCOIN_CORE_SRC has no $needle" >&2
    exit 2
  fi
  cd "$BITCOIN_CORE_SRC" && pwd
  exit 0
fi

cache=${1:-$here/../../build/core-sources}
version=$(sed -nE 's/^py-bitcoinkernel==([0-9a-z.]+) .*/\1/p' "$here/requirements.txt")
found=$cache/py-bitcoinkernel-$version
if [ ! -f "$found/$needle" ]; then
  mkdir -p "$cache"
  exec 8>"$cache/lock"
  flock 8 # until this script ends; another one may have fetched it in the meantime
fi
if [ ! -f "$found/$needle" ]; then
  work=$(mktemp -d "$cache/fetch.XXXXXX")
  trap 'rm -rf "$work"' EXIT
  # Debian has pip in virtual environments alone.
  if ! { python3 -m venv "$work/env" &&
         "$work/env/bin/python3" -m pip download --no-deps --no-binary py-bitcoinkernel --requirement "$here/requirements.txt" --dest "$work" &&
         mkdir "$work/package" && tar -xzf "$work/py_bitcoinkernel-$version.tar.gz" -C "$work/package" --strip-components=1; } >"$cache/log" 2>&1 8>&-; then
    tail -n 5 "$cache/log" >&2
    echo "fetch_core.sh: pip could not fetch py-bitcoinkernel $version" >&2
    exit 77
  fi
  rm -rf "$found"
  mv "$work/package/depend/bitcoin" "$found"
fi
cd "$found" && pwd
