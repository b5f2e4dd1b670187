#!/usr/bin/env bash
# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
#
# Runs a command in an environment that has what requirements-test.txt names, as python3 in its PATH:
#
#   contrib/python/with-env.sh <folder> <python3> COMMAND...
#
# $SLHC_REQUIREMENTS may name another file of requirements. The environment is made in the folder by that python3, the first
# time, and again when the requirements change or it no longer has the modules of $SLHC_IMPORTS (default: "cffi, pytest, yaml"); a folder
# that this script did not make is left alone. Where that can't be done (no venv module, no package index), the command runs with the first of
# python3, /usr/bin/python3 that has these modules; else the status is 77: skipped. What failed is tried again after an hour.
set -euo pipefail
[ $# -ge 3 ] || { echo "with-env.sh: usage: with-env.sh <folder> <python3> COMMAND..." >&2; exit 2; }
folder=$1 python=$2
shift 2
requirements=${SLHC_REQUIREMENTS:-$(dirname "$0")/requirements-test.txt}
imports=${SLHC_IMPORTS:-cffi, pytest, yaml}

# The requirements, with those of the files that they include.
wanted() {
  cat "$requirements"
  sed -nE 's/^-r +([^ ]+).*/\1/p' "$requirements" | while read -r file; do cat "$(dirname "$requirements")/$file"; done
}

make_environment() {
  local made=$folder/requirements-test.txt # what it was made for; empty while it is being made
  wanted | cmp -s - "$made" && "$folder/bin/python3" -c "import $imports" && return
  [ -z "$(find "$folder.failed" -mmin -60 2>/dev/null)" ] || return 1
  if [ -e "$folder" ] && [ ! -e "$made" ]; then
    rmdir "$folder" 2>/dev/null || { echo "$folder was not made by with-env.sh, and is left alone"; return 1; }
  fi
  rm -rf "$folder" "$folder.failed"
  mkdir "$folder" && : >"$made" && "$python" -m venv "$folder" &&
    "$folder/bin/python3" -m pip install -q --disable-pip-version-check --timeout 30 --retries 1 -r "$requirements" &&
    "$folder/bin/python3" -c "import $imports" && wanted >"$made" && return
  touch "$folder.failed"
  return 1
} >>"$folder.log" 2>&1

mkdir -p "$(dirname "$folder")"
exec 9>"$folder.lock"
flock 9
if make_environment; then
  exec 9>&-
  export PATH=$folder/bin:$PATH
  exec "$@"
fi
exec 9>&-
for candidate in "$python" /usr/bin/python3; do
  "$candidate" -c "import $imports" 2>/dev/null || continue
  echo "no environment in $folder (see $folder.log): with $candidate"
  PATH=$(dirname "$("$candidate" -c 'import sys; print(sys.executable)')"):$PATH
  export PATH
  exec "$@"
done
echo "SKIPPED: no Python with $imports, and none can be installed (see $folder.log)"
exit 77
