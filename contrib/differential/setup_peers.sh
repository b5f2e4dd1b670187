#!/usr/bin/env bash
# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
#
# Installs the other implementations of SLH-DSA that run_live.py, make_fixed_set.py and contrib/bench/bench.py run ask, and that of P2MR for
# run_p2mr.py.
#
#   setup_peers.sh [--all] [FOLDER]     FOLDER: build/peers of this checkout unless told
#
# Needs node 20.19 or later with npm, cargo 1.85 or later, and Python 3.11 with pip. What cannot be had is left out, and said so: the
# tests go without it. --all also builds OpenSSL (which needs perl) and Botan (python3, a C++20 compiler) from the
# sources in their crates, which takes some minutes.
set -euo pipefail
unset CDPATH
here=$(cd "$(dirname "$0")" && pwd)

all=
if [ "${1:-}" = --all ]; then
  all=1
  shift
fi
case "${1:-}" in -*) echo "setup_peers.sh: unknown option '$1' (known: --all)" >&2; exit 2 ;; esac
mkdir -p "${1:-$here/../../build/peers}"
peers=$(cd "${1:-$here/../../build/peers}" && pwd)
exec 8>"$peers/lock"
flock 8
# A peer that is built once stays, whoever asks next.
features=
for name in openssl botan; do
  if [ -n "$all" ] || "$peers/slhdsa-peer" $name 128s </dev/null >/dev/null 2>&1; then features+=" $name"; fi
done

log=$peers/setup.log
# install NAME COMMAND...
install() {
  local name=$1
  shift
  if "$@" >"$log" 2>&1; then
    echo "$name: installed in $peers"
  else
    # npm begins with the error's number, and names the reason later.
    echo "$name: left out: $(grep -m 1 'reason: ' "$log" || grep -m 1 . "$log" || echo "'$*' failed")"
  fi
}

# install_npm NAME: what NAME_peer/package-lock.json pins
install_npm() {
  command -v node >/dev/null && command -v npm >/dev/null || { echo "there is no node with npm"; return 1; }
  mkdir -p "$peers/$1"
  cp "$here/$1_peer/package.json" "$here/$1_peer/package-lock.json" "$peers/$1/"
  (cd "$peers/$1" && npm ci --loglevel=error --fetch-retries=1 --no-audit --no-fund --ignore-scripts)
}

install_rust() {
  command -v cargo >/dev/null || { echo "there is no cargo"; return 1; }
  # Of Botan only the C interface and what the smallest module policy with SLH-DSA asks for, in one piece.
  BOTAN_CONFIGURE_MODULE_POLICY=fips140 BOTAN_CONFIGURE_ENABLE_MODULES=ffi BOTAN_CONFIGURE_AMALGAMATION=1 \
    cargo build --quiet --release --locked --manifest-path "$here/rust_peer/Cargo.toml" --target-dir "$peers/cargo" --features "$features" &&
    cp "$peers/cargo/release/slhdsa-peer" "$peers/slhdsa-peer"
}

install_pypi() {
  python3 -m pip install --quiet --disable-pip-version-check --no-deps --upgrade --target "$peers/pypi" slh-dsa==0.2.5
}

install noble install_npm noble
install pypi install_pypi
install p2mr install_npm p2mr
install "rustcrypto, fips205${features// /, }" install_rust
