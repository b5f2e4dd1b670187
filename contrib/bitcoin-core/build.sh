#!/usr/bin/env bash
# Builds bitcoind and bitcoin-cli with the module inside, from a copy of Bitcoin Core's sources (version 31 or later):
# those in $BITCOIN_CORE_SRC, else those that contrib/core-differential/fetch_core.sh fetches. Safe to run
# again: what is up to date stays.
#
#   contrib/bitcoin-core/build.sh [--tests] [DIR]
#
# DIR (default: build/node) will hold src (the integrated copy), slhconsensus and prefix (the module), core (Core's build
# tree) and bin/bitcoind, bin/bitcoin-cli. --tests builds Core's own unit tests, in core-tests: see README.md.
# $SLHC_MODULE_BUILD may name a build tree of this repository, up to date, to take the module from.
# Exit status: 77 if the sources cannot be had here.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../..
tests=no
[ "${1:-}" != --tests ] || { tests=yes; shift; }
case "${1:-}" in
  -*) echo "build.sh: unknown option '$1' (usage: build.sh [--tests] [DIR])" >&2; exit 2 ;;
esac
[ $# -le 1 ] || { echo "build.sh: too many arguments (usage: build.sh [--tests] [DIR])" >&2; exit 2; }
mkdir -p "${1:-$root/build/node}"
dir=$(cd "${1:-$root/build/node}" && pwd)
jobs=${CMAKE_BUILD_PARALLEL_LEVEL:-$(nproc)}
export BITCOIN_GENBUILD_NO_GIT=1  # the commit of this repository is not the version of Bitcoin Core

source=$("$root/contrib/core-differential/fetch_core.sh")

# What one clone has compiled serves the next.
if command -v ccache >/dev/null; then
  export CMAKE_C_COMPILER_LAUNCHER=ccache CMAKE_CXX_COMPILER_LAUNCHER=ccache
  export CCACHE_BASEDIR=${CCACHE_BASEDIR:-$dir} CCACHE_NOHASHDIR=1
fi

echo "== the module"
module=${SLHC_MODULE_BUILD:-}
if [ -z "$module" ]; then
  module=$dir/slhconsensus
  cmake -S "$root" -B "$module" -G Ninja -DCMAKE_BUILD_TYPE=Release -DSLHC_BUILD_TESTS=OFF -DSLHC_BUILD_TOOL=OFF -DSLHC_INSTALL=ON
  cmake --build "$module" --parallel "$jobs"
fi
cmake --install "$module" --prefix "$dir/prefix" >/dev/null

echo "== Bitcoin Core"
python3 "$here/integrate.py" "$source" --to "$dir/src"
configure() {
  cmake -S "$dir/src" -B "$1" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH="$dir/prefix" -DWITH_CCACHE=OFF \
    -DENABLE_WALLET=OFF -DENABLE_IPC=OFF -DWITH_EMBEDDED_ASMAP=OFF -DENABLE_EXTERNAL_SIGNER=OFF -DINSTALL_MAN=OFF \
    -DBUILD_BITCOIN_BIN=OFF -DBUILD_TX=OFF -DBUILD_UTIL=OFF "${@:2}"
}
if [ $tests = yes ]; then
  configure "$dir/core-tests" -DBUILD_TESTS=ON -DBUILD_DAEMON=OFF -DBUILD_CLI=OFF
  cmake --build "$dir/core-tests" --parallel "$jobs" --target test_bitcoin
  exit 0
fi
configure "$dir/core" -DBUILD_TESTS=OFF
cmake --build "$dir/core" --parallel "$jobs" --target bitcoind bitcoin-cli
mkdir -p "$dir/bin"
ln -sf ../core/bin/bitcoind ../core/bin/bitcoin-cli "$dir/bin/"
echo "built $dir/bin/bitcoind"
