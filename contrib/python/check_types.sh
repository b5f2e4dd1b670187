#!/usr/bin/env bash
# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
#
# Checks the type annotations of the package, and of a program that uses it, with the mypy of python3; 77 (skipped)
# where there is none.
set -euo pipefail
unset CDPATH
cd "$(dirname "$0")/../.."
python3 -c 'import mypy' 2>/dev/null || { echo "SKIPPED: no mypy"; exit 77; }
export MYPYPATH=contrib/python/src:test/functional/scenarios
exec python3 -m mypy --no-incremental --cache-dir=/dev/null --strict contrib/python/src/slhconsensus test/functional/scenarios/*.py
