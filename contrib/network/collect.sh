#!/usr/bin/env bash
# Puts into DIR what the image has in /usr/local. build-image.sh runs it, in the image's first stage or here.
#
#   contrib/network/collect.sh DIR               builds all of it first, on Debian, as root
#   contrib/network/collect.sh DIR NODE BUILD    from what build.sh made in NODE, and a build tree with slhtool and make_chain
set -euo pipefail
unset CDPATH
root=$(cd "$(dirname "$0")/../.." && pwd)
dir=$1 node=${2:-} build=${3:-}
if [ -z "$node" ]; then
  node=$root/build/node build=$root/build/release
  "$root/contrib/install-deps.sh" --build
  "$root/contrib/install-deps.sh" --packages git ca-certificates python3-venv libboost-dev libevent-dev libsqlite3-dev libbenchmark-dev
  cmake -S "$root" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DSLHC_BUILD_TESTS=OFF -DSLHC_BUILD_BENCH=ON
  cmake --build "$build" --target slhtool make_chain --parallel "$("$root/contrib/jobs.sh")"
  "$root/contrib/bitcoin-core/build.sh" "$node"
fi
mkdir -p "$dir"/{bin,lib,libexec,share/python}
cp -L "$node"/bin/{bitcoind,bitcoin-cli,bitcoin-util} "$build/src/tool/slhtool" "$build/src/bench/make_chain" "$dir/bin/"
cp -L "$node/libexec/slhgpu" "$dir/libexec/" # where bitcoind and slhtool look for it
cp -L "$node"/prefix/lib/{libslhconsensus.so.0.1,slhconsensus.cdef} "$dir/lib/"
strip "$dir"/bin/* "$dir/libexec/slhgpu" "$dir"/lib/*.so.*
install -m 755 "$root/contrib/network/slh-chain" "$dir/bin/"
cp -r "$root/contrib/python/src/slhconsensus" "$dir/share/python/"
rm -rf "$dir/share/python/slhconsensus/__pycache__"
