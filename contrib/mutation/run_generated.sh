#!/usr/bin/env bash
# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
#
# run_generated.py in an environment that has libclang (requirements.txt); takes its arguments.
set -euo pipefail
unset CDPATH
here=$(cd "$(dirname "$0")" && pwd)
root=${here%/contrib/mutation}
export SLHC_REQUIREMENTS=$here/requirements.txt
exec "$root/contrib/python/with-env.sh" "$root/build/mutation-env" python3 python3 -B "$here/run_generated.py" "$@"
