#!/usr/bin/env bash
# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
#
# The shared library exports the functions of its headers and nothing else. The static library, which is linked
# into programs that have a CScript and an EvalScript of their own, defines no global symbol outside namespace slhc
# but these functions (and instances of the standard library's templates, which are the same everywhere).
#
#   check_symbols.sh <nm> <shared library> <static library> <header>...
set -euo pipefail
nm=$1 shared=$2 static=$3
shift 3
command -v "$nm" >/dev/null || { echo "skipped: no nm"; exit 77; }
status=0

exported=$("$nm" -D --defined-only "$shared" | awk '{print $NF}' | sort -u)
# Every function of a header stands at the beginning of a line that begins with SLHC_API.
declared=$(grep -hE '^SLHC_API ' "$@" | grep -oE 'slhc_[a-z0-9_]+\(' | tr -d '(' | sort -u)
if foreign=$(grep -vE '^slhc_[a-z0-9_]+$' <<<"$exported"); then
    echo "$shared exports what it should not:"; echo "$foreign"; status=1
fi
if ! difference=$(diff <(echo "$declared") <(echo "$exported")); then
    echo "$* (<) and $shared (>) differ:"; echo "$difference"; status=1
fi

# Beginnings that a mangled name may have: something in slhc (also a type with a name like slhc_context), or an instance
# of the standard library (St, Sa, Ss, ... and std::, __gnu_cxx::).
own='slhc_[a-z0-9_]+|_Z(N[VKRO]*|Z*Z?N[VKRO]*|T[VTISHW]N?[VKRO]*|GVZ*N[VKRO]*|GVN[VKRO]*|GRN[VKRO]*|Th[n0-9]+_N[VKRO]*|TAXtlN[VKRO]*|T[IS]P?F[a-zRKPO]*N[VKRO]*)(4slhc|[0-9]+slhc_).*'
standard='_Z(N[VKRO]*|Z+N[VKRO]*|T[VTIS]N?[VKRO]*|)(S[tabsiod]|9__gnu_cxx|nw|na|dl|da).*|_Z(St|eq|ne|ss|lt|or|pl|an|ls)[A-Za-z0-9_]*.*|DW\.ref\..*|__clang_call_terminate'
# Strong symbols clash or merge by name: only ours are allowed. Weak ones may also be the standard library's.
strong=$("$nm" -g --defined-only "$static" | awk 'NF == 3 && $2 ~ /^[TDBRGSC]$/ {print $3}' | sort -u)
weak=$("$nm" -g --defined-only "$static" | awk 'NF == 3 && $2 ~ /^[WVu]$/ {print $3}' | sort -u)
if foreign=$(grep -vE "^($own)\$" <<<"$strong"); then
    echo "$static defines outside namespace slhc:"; c++filt <<<"$foreign" 2>/dev/null || echo "$foreign"; status=1
fi
if foreign=$(grep -vE "^($own|$standard)\$" <<<"$weak"); then
    echo "$static defines (weak) outside namespaces slhc and std:"; c++filt <<<"$foreign" 2>/dev/null || echo "$foreign"; status=1
fi
[ -n "$strong" ] && [ -n "$exported" ] || { echo "no symbols found: is nm the right one?"; status=1; }
exit $status
