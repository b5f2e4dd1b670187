#!/usr/bin/env bash
# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
#
# What is built does not know where: no path of the source or the build folder is in what a program or a library loads. Debug information
# may have them. reproduce.sh builds in two places and compares the bytes.
#
#   check_build_paths.sh SOURCE_FOLDER BUILD_FOLDER FILE...
set -euo pipefail
folders=("$1" "$2")
shift 2
command -v strings >/dev/null || { echo "SKIPPED: there is no strings"; exit 77; }

# paths_in FILE: those of this build
paths_in() { strings -d "$1" | grep -F -e "${folders[0]}" -e "${folders[1]}" | sort -u || true; }

example=$(mktemp)
trap 'rm -f "$example"' EXIT
for folder in "${folders[@]}"; do
  echo "$folder/src/some_file.h" >"$example"
  [ -n "$(paths_in "$example")" ] || { echo "check_build_paths.sh: would not notice $folder" >&2; exit 1; }
done

status=0
for file in "$@"; do
  [ -s "$file" ] || { echo "check_build_paths.sh: $file is not there" >&2; exit 1; }
  found=$(paths_in "$file")
  if [ -n "$found" ]; then
    echo "$file has paths of this build:"
    head -n 5 <<<"$found"
    status=1
  else
    echo "$file: no path of this build"
  fi
done
exit $status
