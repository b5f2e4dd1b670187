#!/usr/bin/env bash
# A static variable of a function whose constructor or destructor runs code has a guard: the second thread waits for the first. In
# a child that was forked meanwhile, the first does not exist. util/fork_safe_static.h has what to use instead. Vulkan-Hpp has one where it
# describes an error.
# usage: check_static_guards.sh <nm> <object file>...
set -euo pipefail
nm=$1
shift
symbols=$("$nm" --demangle "$@")
grep -q 'slhc::' <<<"$symbols" || { echo "$nm lists nothing of the project in $# objects"; exit 1; }
guards=$(grep -F 'guard variable for ' <<<"$symbols" | grep -vE 'for slhc::vk::errorCategory\(\)::instance$' | sort -u || true)
if [ -n "$guards" ]; then
  echo "static variables that a forked child may wait for:"
  echo "$guards"
  exit 1
fi
echo "checked $# objects"
