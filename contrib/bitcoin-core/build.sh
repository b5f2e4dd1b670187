#!/usr/bin/env bash
# Builds Bitcoin Core's programs with SLH-DSA and P2MR, from what integrate.py makes of contrib/core-differential/fetch_core.sh's sources.
# Safe to run again: what is up to date stays.
#
#   contrib/bitcoin-core/build.sh [--plain] [--tests] [--all-tests] [--kernel] [--shared] [DIR]
#   contrib/bitcoin-core/build.sh --fuzz [DIR]
#
#   --plain      the same once more from the same tree without the module, -DWITH_SLHDSA=OFF: as upstream
#   --tests      also the unit tests that the change adds or touches, test_slhdsa
#   --all-tests  also Core's unit tests and ours among them, test_bitcoin
#   --kernel     also libbitcoinkernel, its tests, and bitcoin-chainstate
#   --shared     the same once more with libbitcoinkernel as a shared library
#   --fuzz       Core's fuzz targets and ours among them instead, as Core builds them with libFuzzer and sanitizers: clang 17 or later
#                as $CC and $CXX (default: clang-19)
#
# DIR (default: build/node) will hold src (a git repository; what you change in it is built, and kept), slhconsensus and prefix (the
# module), core, plain and fuzz (Core's build trees; with --shared also core-shared and plain-shared), bin with Core's programs, and
# libexec/slhgpu, which runs a device's driver: bitcoind looks for it beside itself, in ../libexec and in ../../libexec.
# Where another build.sh works in DIR, this one waits for its end.
# $SLHC_MODULE_BUILD may name a build tree of this repository, up to date, to take the module from; $SLHC_NODE_OPTIONS has more
# options for Core's CMake.
# Exit status: 77 if the sources cannot be had here.
set -euo pipefail
unset CDPATH
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../..
usage() { echo "build.sh: $* (usage: build.sh [--fuzz] [--plain] [--tests] [--all-tests] [--kernel] [--shared] [DIR])" >&2; exit 2; }
trees=(core)
targets=(bitcoind bitcoin-cli bitcoin-tx bitcoin-util bitcoin-wallet)
programs=("${targets[@]}")
kernel_targets=(bitcoinkernel test_kernel bitcoin-chainstate)
shared=no fuzz=no
while [[ ${1:-} == -* ]]; do
  case "$1" in
    --plain) trees+=(plain) ;;
    --tests) targets+=(test_slhdsa) ;;
    --all-tests) targets+=(test_bitcoin) ;;
    --kernel) targets+=("${kernel_targets[@]}") ;;
    --shared) shared=yes ;;
    --fuzz) fuzz=yes ;;
    *) usage "unknown option '$1'" ;;
  esac
  shift
done
[ $# -le 1 ] || usage "too many arguments"
mkdir -p "${1:-$root/build/node}"
dir=$(cd "${1:-$root/build/node}" && pwd)
jobs=$("$root/contrib/jobs.sh")

source=$("$root/contrib/core-differential/fetch_core.sh")
[ -z "${BITCOIN_CORE_SRC:-}" ] || export BITCOIN_CORE_SRC=$source # as an absolute path, which CMake wants

# Objects that one clone has compiled serve the next.
if command -v ccache >/dev/null; then
  export CMAKE_C_COMPILER_LAUNCHER=ccache CMAKE_CXX_COMPILER_LAUNCHER=ccache
  export CCACHE_BASEDIR=${CCACHE_BASEDIR:-$dir} CCACHE_NOHASHDIR=1
fi

# Ninja itself lets two builds write the same files.
exec 8>"$dir/lock"
flock -n 8 || { echo "== waiting for another build.sh that works in $dir"; flock 8; }
# Without the lock: what a compiler's launcher leaves behind, such as a server, would keep it.
cmake() { command cmake "$@" 8>&-; }

echo "== the module"
module=${SLHC_MODULE_BUILD:-}
if [ -z "$module" ]; then
  module=$dir/slhconsensus
  cmake -S "$root" -B "$module" -G Ninja -DCMAKE_BUILD_TYPE=Release -DSLHC_BUILD_TESTS=OFF -DSLHC_BUILD_TOOL=OFF -DSLHC_INSTALL=ON
  cmake --build "$module" --parallel "$jobs"
fi
cmake --install "$module" --prefix "$dir/prefix" >/dev/null
# regtest.py loads this library from Python, which looks for the declarations beside it. An older Python than 3.11 makes none.
[ ! -f "$module/src/slhconsensus.cdef" ] || cp "$module/src/slhconsensus.cdef" "$dir/prefix/lib/"

python3 "$here/integrate.py" "$source" --to "$dir/src"
build() { # TREE TARGETS CMAKE_OPTION...
  local tree=$1 targets=$2
  shift 2
  # One configuration for all targets: a tree keeps what it has built. Without git, as the commit of this repository is not the version of Core.
  cmake -S "$dir/src" -B "$dir/$tree" -G Ninja -DCMAKE_BUILD_TYPE=Release "$@" -DWITH_CCACHE=OFF \
    -DENABLE_IPC=OFF -DWITH_EMBEDDED_ASMAP=OFF -DENABLE_EXTERNAL_SIGNER=OFF -DINSTALL_MAN=OFF \
    -UGIT_EXECUTABLE -DCMAKE_DISABLE_FIND_PACKAGE_Git=ON \
    -DBUILD_BITCOIN_BIN=OFF -DBUILD_TESTS=ON -DBUILD_KERNEL_LIB=ON -DBUILD_UTIL_CHAINSTATE=ON \
    ${SLHC_NODE_OPTIONS:-}
  cmake --build "$dir/$tree" --parallel "$jobs" --target $targets
}
if [ $fuzz = yes ]; then
  echo "== Bitcoin Core's fuzz targets"
  CC=${CC:-clang-19} CXX=${CXX:-clang++-19} build fuzz fuzz -DWITH_SLHDSA=ON -DCMAKE_PREFIX_PATH="$dir/prefix" \
    -DBUILD_FOR_FUZZING=ON "-DSANITIZERS=undefined,address,fuzzer"
  echo "built $dir/fuzz/bin/fuzz"
  exit 0
fi
for tree in "${trees[@]}"; do
  if [ "$tree" = core ]; then
    echo "== Bitcoin Core"
    module_options=(-DWITH_SLHDSA=ON -DCMAKE_PREFIX_PATH="$dir/prefix")
  else
    echo "== Bitcoin Core without the module"
    module_options=(-DWITH_SLHDSA=OFF)
  fi
  build "$tree" "${targets[*]}" "${module_options[@]}"
  [ $shared = no ] || build "$tree-shared" "${kernel_targets[*]}" "${module_options[@]}" -DBUILD_SHARED_LIBS=ON
done
mkdir -p "$dir/bin"
ln -sf "${programs[@]/#/../core/bin/}" "$dir/bin/"
ln -sfn prefix/libexec "$dir/libexec"
for tree in "${trees[@]}"; do echo "built $dir/$tree/bin/bitcoind"; done
