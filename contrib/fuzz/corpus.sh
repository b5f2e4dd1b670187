#!/usr/bin/env bash
# The fuzz targets' corpora, as others share them: a folder of inputs for each target.
#
#   contrib/fuzz/corpus.sh make BUILD CORPORA               makes the folder CORPORA if it is not there
#   contrib/fuzz/corpus.sh merge BUILD CORPORA FROM         adds to it what of the folder FROM covers something new
#   contrib/fuzz/corpus.sh keep BUILD CORPORA               packs what of it covers code that nothing generated does into
#                                                           src/test/fuzz/corpora/found.tar.xz
#
# BUILD is a build folder with the fuzz targets. New corpora have what make_fuzz_corpus writes (from the generator, the BIP's vectors and, if
# they are available, Bitcoin Core's), and what long runs have found besides, which that archive holds. The same inputs make the same archive.
set -euo pipefail
unset CDPATH
caller=$PWD
cd "$(dirname "$0")/../.."
kept=src/test/fuzz/corpora/found.tar.xz

usage() {
  sed -nE 's/^#   contrib/usage: contrib/p' contrib/fuzz/corpus.sh >&2
  exit 2
}

from_caller() {
  cd "$caller" && realpath -m -- "$1"
}

# Elsewhere first: one that was interrupted must not be taken for corpora by the next run.
generate() {
  local core
  core=$(contrib/core-differential/fetch_core.sh 2>/dev/null || true)
  mkdir -p "$(dirname "$1")"
  new=$(mktemp -d "$1.XXXXXX")
  trap 'rm -rf "$new"' EXIT
  chmod "$(printf %o $((0777 & ~$(umask))))" "$new"
  "$programs/make_fuzz_corpus" "$new" doc/bip/vectors ${core:+"$core/src/test/data"}
}

# merge TO FROM [OPTION...]
merge() {
  local to=$1 from=$2 folder target before
  shift 2
  for folder in "$from"/*/; do
    target=$(basename "$folder")
    [ -x "$programs/fuzz_$target" ] || { echo "corpus.sh: $from has '$target', which is no target in $programs" >&2; exit 2; }
    mkdir -p "$to/$target"
    before=$(ls "$to/$target" | wc -l)
    "$programs/fuzz_$target" -merge=1 -max_len=32768 "$@" "$to/$target" "$folder" >"$to/$target.log" 2>&1 || {
      echo "corpus.sh: cannot merge, see $to/$target.log" >&2
      exit 1
    }
    rm "$to/$target.log"
    printf '%-20s%6s inputs of %s\n' "$target" $(($(ls "$to/$target" | wc -l) - before)) "$(ls "$folder" | wc -l)"
  done
}

[ $# -ge 3 ] || usage
command=$1 programs=$(from_caller "$2")/src/test/fuzz corpora=$(from_caller "$3")
[ -x "$programs/make_fuzz_corpus" ] || { echo "corpus.sh: there is no $programs/make_fuzz_corpus" >&2; exit 2; }
case "$command $#" in
  'make 3')
    [ ! -d "$corpora" ] || exit 0
    generate "$corpora"
    [ ! -f $kept ] || tar -xJf $kept -C "$new" --no-same-owner
    mv -T "$new" "$corpora" ;;
  'merge 4')
    from=$(from_caller "$4")
    [ -d "$from" ] || { echo "corpus.sh: there is no $from" >&2; exit 2; }
    merge "$corpora" "$from" ;;
  'keep 3')
    [ -d "$corpora" ] || { echo "corpus.sh: there is no $corpora" >&2; exit 2; }
    generate "$corpora"
    # Lines, not how often they ran
    merge "$new" "$corpora" -use_counters=0
    find "$new" -name 'made-*' -delete
    find "$new" -name '*.dict' -delete
    find "$new" -mindepth 1 -type d -empty -delete
    tar --sort=name --format=ustar --mtime=@0 --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX -C "$new" -cf - . | xz -9e >"$kept"
    wc -c "$kept" ;;
  *) usage ;;
esac
