#!/usr/bin/env bash
# Prints the folder of a crate's sources. The package manager of Rust fetches them, by the exact version and checksum of a manifest, into
# CACHE/CRATE-VERSION; later calls touch no network.
#
#   contrib/fetch_crate.sh MANIFEST CRATE NEEDLE CACHE
#
# MANIFEST: a folder with Cargo.toml and Cargo.lock; NEEDLE: a file that the crate must have. Exit status: 0, or 77 if the crate cannot be
# had here, with the reason on standard error.
set -euo pipefail
unset CDPATH
manifest=$1
crate=$2
needle=$3
cache=$4
me=$(basename "$0")

version=$(sed -nE "s/^$crate = \"=([0-9.]+)\"\$/\1/p" "$manifest/Cargo.toml")
if [ -z "$version" ]; then
  echo "$me: $manifest/Cargo.toml pins no version of $crate" >&2
  exit 2
fi
found=$cache/$crate-$version
if [ ! -f "$found/$needle" ]; then
  if ! command -v cargo >/dev/null; then
    echo "$me: the crate $crate is not here: install cargo" >&2
    exit 77
  fi
  mkdir -p "$cache/manifest"
  exec 8>"$cache/crate-lock"
  ! command -v flock >/dev/null || flock 8 # until this script ends; another one may have fetched it meanwhile. macOS has no flock
fi
if [ ! -f "$found/$needle" ]; then
  cp "$manifest/Cargo.toml" "$manifest/Cargo.lock" "$cache/manifest/"
  vendor=$(mktemp -d "$cache/vendor.XXXXXX")
  trap 'rm -rf "$vendor"' EXIT
  if ! cargo vendor --locked --quiet --manifest-path "$cache/manifest/Cargo.toml" "$vendor" >/dev/null 2>"$cache/log"; then
    tail -n 5 "$cache/log" >&2
    echo "$me: cargo could not fetch the crate $crate" >&2
    exit 77
  fi
  if [ ! -f "$vendor/$crate/$needle" ]; then
    echo "$me: the crate $crate $version holds no $needle" >&2
    exit 77
  fi
  rm -rf "$found"
  mv "$vendor/$crate" "$found"
fi
cd "$found" && pwd
