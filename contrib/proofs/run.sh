#!/usr/bin/env bash
# Proves with CBMC what the contracts of doc/bip/reference/c say, and prints a line for each function. README.md there says what it means.
#
#   contrib/proofs/run.sh [--word 32|64] [--broken] [--jobs N] [FUNCTION...]
#
# CBMC 6.6 is that of PATH, or else Debian's package of it, which goes to build/cbmc with the libraries that it needs and their loader: the
# system stays as it is. Exit status: 0, 1 if a proof fails, 2 if called wrongly, 77 if CBMC cannot be had here (with the reason on standard
# error).
set -euo pipefail
unset CDPATH
cd "$(dirname "$0")/../.."

# Paths in Debian's archive and SHA-256: CBMC is sid's, the libraries are Debian 13's.
packages=(
  c/cbmc/cbmc_6.6.0-4_amd64.deb 02560859a17049c976961c232c4fc58f0747b57f9b751a466b1f368a438b0e41
  m/minisat2/minisat_2.2.1-8_amd64.deb 0b3a870202e022bea8b04d140ded40d9137363566706750b4540518bc0eb63d7
  g/gcc-14/libstdc++6_14.2.0-19_amd64.deb ab1fa05837aa7a92aae748fd07a18a35f7d18bb4a71c4724fe2bbf0e32089de0
  g/gcc-14/libgcc-s1_14.2.0-19_amd64.deb 3c71917b490d1a17aed43196a2787a256ecf060526cdb20216a74bedc061b150
  g/glibc/libc6_2.41-12+deb13u5_amd64.deb b59b0625cd1a791375d40dab23a4d5d3d0641e3d0a773501becdc3725b7f99cf
)
# What Debian replaces is kept by its snapshots.
archives=(http://deb.debian.org/debian/pool/main http://snapshot.debian.org/archive/debian/20261121T120000Z/pool/main)
fetch=/usr/lib/apt/apt-helper # as apt is configured to, and compares the checksum
cache=build/cbmc

cannot() { echo "run.sh: skipped: $*" >&2; exit 77; }

install() {
  local part=$cache/part i name archive tool
  if [ "$(uname -sm)" != "Linux x86_64" ] || [ ! -x $fetch ] || ! command -v dpkg-deb >/dev/null; then
    cannot "there is no cbmc 6.6 in PATH, and Debian's is for x86-64 and comes by Debian's tools"
  fi
  rm -rf "$part"
  mkdir -p "$part/bin"
  for ((i = 0; i < ${#packages[@]}; i += 2)); do
    name=$(basename "${packages[i]}")
    : >"$cache/log"
    for archive in "${archives[@]}"; do
      $fetch download-file "$archive/${packages[i]}" "$part/$name" "SHA256:${packages[i + 1]}" >>"$cache/log" 2>&1 && break
      [ "$archive" != "${archives[-1]}" ] || cannot "Debian's package $name cannot be had: $(grep '^E: .*://' "$cache/log" | paste -sd ' ')"
    done
    dpkg-deb -x "$part/$name" "$part"
    rm "$part/$name"
  done
  for tool in cbmc goto-cc goto-instrument; do
    cat >"$part/bin/$tool" <<END
#!/bin/sh
root=\$(dirname "\$0")/../usr
libraries=\$root/lib/x86_64-linux-gnu
exec "\$libraries/ld-linux-x86-64.so.2" --library-path "\$libraries:\$root/lib" "\$root/bin/$tool" "\$@"
END
    chmod +x "$part/bin/$tool"
  done
  rm -rf "$cache/6.6"
  mv "$part" "$cache/6.6"
}

python3 -c "import tomllib" 2>/dev/null || cannot "there is no Python 3.11 or later"
if [[ $(cbmc --version 2>/dev/null) == 6.6.* ]]; then
  tools=$(dirname "$(command -v cbmc)")
else
  tools=$cache/6.6/bin
  mkdir -p "$cache"
  exec 8>"$cache/lock"
  flock 8 # another one may fetch it
  [ -x "$tools/goto-instrument" ] || install
  exec 8>&-
fi
exec python3 -B contrib/proofs/prove.py "$tools" "$@"
