#!/usr/bin/env bash
# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
#
# Checks the type annotations of the node's tests with the mypy of python3; 77 (skipped) where there is none.
set -euo pipefail
unset CDPATH
cd "$(dirname "$0")"
python3 -c 'import mypy' 2>/dev/null || { echo "SKIPPED: no mypy"; exit 77; }
export MYPYPATH=.:..:../scenarios:../../../contrib/python/src
exec python3 -m mypy --no-incremental --cache-dir=/dev/null --strict framework ./*.py
