#!/usr/bin/env bash
# Looks at the symbols of a bitcoind that has the module inside: both sides' functions of the same name are there, each in
# its own namespace, and there is one libsecp256k1.
#
#   contrib/bitcoin-core/check_link.sh [NODE_DIR]
#
# NODE_DIR: what build.sh made (default: build/node). Exit status: 77 if it is not there.
set -euo pipefail
node=${1:-$(dirname "$0")/../../build/node}
bitcoind=$node/core/bin/bitcoind
archive=$node/prefix/lib/libslhconsensus.a
for file in "$bitcoind" "$archive"; do
  [ -f "$file" ] || { echo "SKIPPED: $file is not there (contrib/bitcoin-core/build.sh makes it)"; exit 77; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "check_link.sh: $*" >&2; exit 1; }

# What the archive gives to a linker: the C API, namespace slhc, and what the compiler emits for templates of others
# (weak, so that it merges with an equal one).
nm --demangle --defined-only --extern-only "$archive" 2>/dev/null >"$work/archive"
grep -E '^[0-9a-f]+ [TDBR] ' "$work/archive" | sed -E 's/^[0-9a-f]+ . //' | sort -u >"$work/strong"
[ -s "$work/strong" ] || fail "$archive defines nothing"
if grep -vE '^(slhc_|slhc::|(typeinfo|typeinfo name|vtable|VTT|guard variable|non-virtual thunk) (for|to) slhc::)|^.* slhc::|\(anonymous namespace\)' "$work/strong" >"$work/foreign"; then
  fail "strong symbols outside of namespace slhc: $(head -n 5 "$work/foreign" | tr '\n' ';')"
fi

# The program: both interpreters, each with an address of its own.
nm --demangle --defined-only "$bitcoind" >"$work/program"
for name in EvalScript VerifyScript; do
  ours=$(grep -cE "^[0-9a-f]+ [Tt] slhc::$name\(" "$work/program" || true)
  cores=$(grep -cE "^[0-9a-f]+ [Tt] $name\(" "$work/program" || true)
  { [ "$ours" -ge 1 ] && [ "$cores" -ge 1 ]; } || fail "$name: $ours of ours and $cores of Core's are in $bitcoind"
done
grep -qE ' [Tt] slhc_batch_verify$' "$work/program" || fail "slhc_batch_verify is not in $bitcoind"

# One libsecp256k1, Core's own.
for name in secp256k1_ecdsa_verify secp256k1_schnorrsig_verify; do
  n=$(grep -cE " [Tt] $name$" "$work/program" || true)
  [ "$n" = 1 ] || fail "$name is $n times in $bitcoind"
done
if ldd "$bitcoind" | grep -q libsecp256k1; then fail "$bitcoind loads a libsecp256k1 beside its own"; fi
echo "$(wc -l <"$work/strong") symbols of the archive are slhc_ or in namespace slhc; $bitcoind has both interpreters and one libsecp256k1"
