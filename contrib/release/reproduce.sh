#!/usr/bin/env bash
# Builds the library twice, static and shared, in folders of different names, with different numbers of jobs and at different times, and
# compares the two to the byte. No compiler cache is used; takes as long as two builds.
#
#   contrib/release/reproduce.sh [FOLDER]
#
# FOLDER is for what is built (default: a new one, removed if all is equal). Exit status: 0 equal, 1 not, 2 if
# this is no git checkout: git tells the sources from what else lies there.
set -euo pipefail
unset CDPATH
root=$(cd "$(dirname "$0")/../.." && pwd)
if ! words=$(git -C "$root" ls-files 2>&1); then
  echo "reproduce.sh: this needs a git checkout: $(head -n 1 <<<"$words")" >&2
  exit 2
fi
case $# in
  0) folder=$(mktemp -d) made=yes ;;
  1) mkdir -p "$1" && folder=$(cd "$1" && pwd) made=no ;;
  *) echo "usage: reproduce.sh [FOLDER]" >&2; exit 2 ;;
esac
# What is removed must have been made here.
if [ -n "$(ls -A "$folder")" ] && [ ! -e "$folder/.reproduce" ]; then
  echo "reproduce.sh: $folder is not empty, and was not made by this script" >&2
  exit 2
fi
touch "$folder/.reproduce"
export CMAKE_C_COMPILER_LAUNCHER='' CMAKE_CXX_COMPILER_LAUNCHER='' CCACHE_DISABLE=1

# build NAME BUILD_FOLDER JOBS: a copy of the sources in $folder/NAME, built there
build() {
  local source=$folder/$1 binary=$folder/$1/$2
  rm -rf "$source"
  mkdir -p "$source"
  (cd "$root" && git ls-files -z --cached --others --exclude-standard | xargs -0 tar -cf - --ignore-failed-read) | tar -xf - -C "$source"
  { cmake -G Ninja -S "$source" -B "$binary" -DCMAKE_BUILD_TYPE=Release -DSLHC_BUILD_TESTS=OFF -DSLHC_BUILD_TOOL=OFF &&
      cmake --build "$binary" --parallel "$3" --target slhconsensus slhconsensus_shared; } >"$folder/log" 2>&1 ||
    { tail -n 30 "$folder/log"; echo "reproduce.sh: the build failed; its whole output is in $folder/log" >&2; exit 1; }
}
build a build "$("$root/contrib/jobs.sh")"
build another/folder/of/a/longer/name out/of/the/way 1

status=0
for file in libslhconsensus.a "$(basename "$(readlink -f "$folder/a/build/src/libslhconsensus.so")")"; do
  one=$folder/a/build/src/$file two=$folder/another/folder/of/a/longer/name/out/of/the/way/src/$file
  [ -s "$one" ] && [ -s "$two" ] || { echo "reproduce.sh: $file was not built" >&2; exit 1; }
  if cmp "$one" "$two"; then
    echo "$(sha256sum <"$one" | cut -d ' ' -f 1)  $file"
  else
    status=1
  fi
done
if [ $status = 0 ]; then
  echo "built twice, to the same bytes"
  if [ $made = yes ]; then rm -rf "$folder"; fi
else
  echo "reproduce.sh: the two builds differ; see $folder" >&2
fi
exit $status
