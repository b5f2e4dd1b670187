#!/usr/bin/env bash
# Runs a command with slhtool, the library and the Python package of this checkout, which it builds first if anything changed:
#
#   contrib/run.sh slhtool --help
#   contrib/run.sh python3 -m pytest test/functional/test_python_spends.py
#   eval "$(contrib/run.sh --export)"        # the same for this shell
#
# SLHC_BUILD names the build folder (default: build/demo, as for demo.sh; build/dev is another). Python, with what
# contrib/python/requirements-test.txt names, is in build/python-env; it finds the package, and the framework of the regtest node
# (test/functional/node/README.md). The command runs in the caller's folder.
set -euo pipefail
unset CDPATH
root=$(cd "$(dirname "$0")/.." && pwd)
case "${1:---help}" in -h | --help) sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$0"; exit ;; esac
build=$(realpath -m "${SLHC_BUILD:-$root/build/demo}")
mkdir -p "$build"

make_all() {
  [ -f "$build/build.ninja" ] || [ -f "$build/Makefile" ] || cmake -S "$root" --preset release -B "$build" -DSLHC_BUILD_TESTS=OFF -DSLHC_BUILD_BENCH=OFF
  cmake --build "$build" --target slhtool slhconsensus_shared --parallel "$("$root/contrib/jobs.sh")"
}

exec 8>"$build/lock"
flock 8
[ -f "$build/src/libslhconsensus.so" ] || echo "run.sh: building $build (its output is in $build/build.log)" >&2
make_all >"$build/build.log" 2>&1 8>&- || { tail -n 20 "$build/build.log" >&2; exit 1; }
exec 8>&-

export SLHTOOL=$build/src/tool/slhtool SLHCONSENSUS_LIBRARY=$build/src/libslhconsensus.so
export PATH=$build/src/tool:$PATH PYTHONPATH=$root/contrib/python/src:$root/test/functional/node${PYTHONPATH:+:$PYTHONPATH}
if [ "$1" = --export ]; then
  set -- bash -c 'for name in PATH PYTHONPATH SLHCONSENSUS_LIBRARY SLHTOOL; do printf "export %s=%q\n" "$name" "${!name}"; done >&3'
  exec 3>&1 >&2
fi
exec "$root/contrib/python/with-env.sh" "$root/build/python-env" python3 "$@"
