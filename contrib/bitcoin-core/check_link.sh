#!/usr/bin/env bash
# Looks at the symbols of the programs that have the module inside: that there is no second interpreter, that its names and Core's stay
# apart, and that there is one libsecp256k1. Where they are built (build.sh --plain, --kernel, --shared), also that a program
# without the module has nothing of it, and that a shared libbitcoinkernel has it inside and does not export it.
# test/functional/node/test_kernel.py runs bitcoin-chainstate.
#
#   contrib/bitcoin-core/check_link.sh [NODE_DIR]
#
# NODE_DIR: what build.sh made (default: build/node). Exit status: 77 if it is not there.
set -euo pipefail
node=${1:-$(dirname "$0")/../../build/node}
archive=$node/prefix/lib/libslhdsa.a
for file in "$node/core/bin/bitcoind" "$archive"; do
  [ -f "$file" ] || { echo "SKIPPED: $file is not there (contrib/bitcoin-core/build.sh makes it)"; exit 77; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "check_link.sh: $*" >&2; exit 1; }

# The symbols that the archive gives to a linker: the C API, namespace slhc, and instances of others' templates (weak, so that they merge
# with equal ones).
nm --demangle --defined-only --extern-only "$archive" 2>/dev/null >"$work/archive"
grep -E '^[0-9a-f]+ [TDBR] ' "$work/archive" | sed -E 's/^[0-9a-f]+ . //' | sort -u >"$work/strong"
[ -s "$work/strong" ] || fail "$archive defines nothing"
if grep -vE '^(slhc_|slhc::|(typeinfo|typeinfo name|vtable|VTT|guard variable|non-virtual thunk) (for|to) slhc::)|^.* slhc::|\(anonymous namespace\)' "$work/strong" >"$work/foreign"; then
  fail "strong symbols outside of namespace slhc: $(head -n 5 "$work/foreign" | tr '\n' ';')"
fi

check_program() { # a program with the module inside
  nm --demangle --defined-only "$1" >"$work/program"
  for name in EvalScript VerifyScript; do
    [ "$(grep -cE "^[0-9a-f]+ [Tt] $name\(" "$work/program" || true)" -ge 1 ] || fail "$name of Core is not in $1"
  done
  grep -qE ' [Tt] slhc_slhdsa_verify$' "$work/program" || fail "slhc_slhdsa_verify is not in $1"
  # Scripts are Core's own business.
  if grep -m 1 -E ' slhc::(EvalScript|VerifyScript|CScript)' "$work/program"; then fail "$1 has a second interpreter"; fi
  # One libsecp256k1, Core's own.
  for name in secp256k1_ecdsa_verify secp256k1_schnorrsig_verify; do
    n=$(grep -cE " [Tt] $name$" "$work/program" || true)
    [ "$n" = 1 ] || fail "$name is $n times in $1"
  done
  if ldd "$1" | grep -q libsecp256k1; then fail "$1 loads a libsecp256k1 beside its own"; fi
}
check_program "$node/core/bin/bitcoind"
with=bitcoind
without=

if [ -f "$node/core/bin/bitcoin-chainstate" ]; then
  check_program "$node/core/bin/bitcoin-chainstate"
  with+=", bitcoin-chainstate"
fi
library=lib/libbitcoinkernel.so
if [ -f "$node/core-shared/$library" ]; then
  check_program "$node/core-shared/$library"
  if nm --dynamic --defined-only "$node/core-shared/$library" | grep -m 1 -E ' (slhc_|_ZNK?4slhc|secp256k1_)' >"$work/foreign"; then
    fail "$node/core-shared/$library exports $(cat "$work/foreign")"
  fi
  with+=", libbitcoinkernel.so"
fi
for program in plain/bin/bitcoind plain/bin/bitcoin-chainstate "plain-shared/$library"; do
  [ -f "$node/$program" ] || continue
  if nm --demangle "$node/$program" | grep -m 1 -E 'slhc_|slhc::' >"$work/foreign"; then
    fail "$node/$program has $(cat "$work/foreign")"
  fi
  without+=" $(basename "$program")"
done
echo "$(wc -l <"$work/strong") symbols of the archive are slhc_ or in namespace slhc"
echo "with the module and one libsecp256k1: $with; without the module:${without:- not built}"
