#!/usr/bin/env bash
# The fuzz targets' corpora, a folder of inputs for each target.
#
#   contrib/fuzz/corpus.sh make BUILD CORPUS    makes the folder CORPUS if it is not there, with the programs in BUILD/src/test/fuzz
#   contrib/fuzz/corpus.sh keep CORPUS [TARGET...]   packs it, or what it has for these targets, into src/test/fuzz/corpora
#
# A new corpus has what make_fuzz_corpus writes (from the generator and, if they are available, Bitcoin Core's test vectors), and what long
# runs have found, which the archives in src/test/fuzz/corpora hold. Minimize a corpus before it is kept (run.sh --minimize). The same inputs
# make the same archive.
set -euo pipefail
unset CDPATH
caller=$PWD
cd "$(dirname "$0")/../.."
kept=src/test/fuzz/corpora

usage() {
  echo "usage: corpus.sh make BUILD CORPUS | corpus.sh keep CORPUS [TARGET...]" >&2
  exit 2
}

from_caller() {
  cd "$caller" && realpath -m -- "$1"
}

make() {
  local programs=$1/src/test/fuzz corpus=$2 core archive
  [ ! -d "$corpus" ] || return 0
  [ -x "$programs/make_fuzz_corpus" ] || { echo "corpus.sh: there is no $programs/make_fuzz_corpus" >&2; exit 2; }
  core=$(contrib/core-differential/fetch_core.sh 2>/dev/null || true)
  # Elsewhere first: one that was interrupted must not be taken for a corpus by the next run.
  mkdir -p "$(dirname "$corpus")"
  new=$(mktemp -d "$corpus.XXXXXX")
  trap 'rm -rf "$new"' EXIT
  chmod "$(printf %o $((0777 & ~$(umask))))" "$new"
  "$programs/make_fuzz_corpus" "$new" ${core:+"$core/src/test/data"}
  for archive in "$kept"/*.tar.xz; do
    [ ! -f "$archive" ] || tar -xJf "$archive" -C "$new" --no-same-owner
  done
  mv -T "$new" "$corpus"
}

keep() {
  local corpus=$1 target
  shift
  [ -d "$corpus" ] || { echo "corpus.sh: there is no $corpus" >&2; exit 2; }
  [ $# -gt 0 ] || set -- $(ls "$corpus")
  mkdir -p "$kept"
  trap 'rm -f "$kept"/*.new' EXIT
  for target in "$@"; do
    [ -d "$corpus/$target" ] || { echo "corpus.sh: $corpus has nothing for '$target'" >&2; exit 2; }
    tar --sort=name --format=ustar --mtime=@0 --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX -C "$corpus" -cf - "$target" | xz -9e >"$kept/$target.new"
    mv "$kept/$target.new" "$kept/$target.tar.xz"
    printf '%-20s%6s inputs, %7s bytes\n' "$target" "$(ls "$corpus/$target" | wc -l)" "$(wc -c <"$kept/$target.tar.xz")"
  done
}

case "${1:-}" in
  make)
    [ $# -eq 3 ] || usage
    make "$(from_caller "$2")" "$(from_caller "$3")" ;;
  keep)
    [ $# -ge 2 ] || usage
    corpus=$(from_caller "$2")
    shift 2
    keep "$corpus" "$@" ;;
  *) usage ;;
esac
