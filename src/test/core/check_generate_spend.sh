#!/usr/bin/env bash
# The generator has no script interpreter in it, and its spends are what slhtool reads.
#
#   check_generate_spend.sh GENERATE_SPEND NM SLHTOOL
set -euo pipefail

if "$2" -C "$1" | grep -E 'slhc::(EvalScript|VerifyScript|CScriptCheck)'; then
  echo "the generator has an interpreter in it" >&2
  exit 1
fi
spend=$(mktemp)
trap 'rm -f "$spend"' EXIT
"$1" all </dev/null >"$spend"
"$3" verify-tx --json "$spend" | grep -q '"valid": *true'
