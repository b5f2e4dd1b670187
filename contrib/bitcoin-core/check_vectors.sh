#!/usr/bin/env bash
# Runs the test vectors of doc/bip/vectors through the node's own code: vectors/check_vectors.cpp, compiled with the node's flags
# and linked as bitcoind is, with bitcoind.cpp left out.
#
#   contrib/bitcoin-core/check_vectors.sh [NODE_DIR [FILE...]]
#
# NODE_DIR: what build.sh made (default: build/node); nothing in it is changed. FILE: other spends, of which at least one must
# have a signature that is deferred. Exit status: 77 if the node is not there.
set -euo pipefail
unset CDPATH
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../..
node=${1:-$root/build/node}
shift $(($# > 0))
[ $# -gt 0 ] || set -- "$root"/doc/bip/vectors/{spends,parameter-sets}.json
for file in core/bin/bitcoind core/build.ninja prefix/include/slhdsa.h; do
  [ -f "$node/$file" ] || { echo "SKIPPED: $node/$file is not there (contrib/bitcoin-core/build.sh makes it)"; exit 77; }
done
command -v ninja >/dev/null || { echo "SKIPPED: ninja is not there"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "check_vectors.sh: $*" >&2; exit 1; }

# The last of the commands that make a target, which is the target's own.
command_of() { ninja -C "$node/core" -t commands "$1" | tail -n 1; }
main_object=src/CMakeFiles/bitcoind.dir/bitcoind.cpp.o

# init.cpp's command, since it has the directories of Core's JSON library.
compile=$(command_of src/CMakeFiles/bitcoin_node.dir/init.cpp.o | sed -E 's| -MD -MT [^ ]+ -MF [^ ]+ -o .*||')
link=$(command_of bin/bitcoind)
[[ $compile == *" -I"* && $link == *" $main_object "* && $link == *" -o bin/bitcoind "* ]] || fail "no commands of the expected form in $node/core/build.ninja"
link=${link/ $main_object / $work/check_vectors.o }
link=${link/ -o bin\/bitcoind / -o $work/check_vectors }
(cd "$node/core" && bash -c "$compile -o $work/check_vectors.o -c '$here/vectors/check_vectors.cpp' && $link")
"$work/check_vectors" "$@"
