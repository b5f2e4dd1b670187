#!/usr/bin/env bash
# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
#
# Builds the wheel, installs it into a fresh virtual environment, and runs the examples of README.md there, which begin
# with ten lines that verify a batch.
#
#   contrib/python/test_wheel.sh <python3> <folder> [NAME=VALUE...]
#
# folder: for what is made, with the build tree beside it in <folder>-build; NAME=VALUE: for CMake. 77 (skipped) without venv, pip or a package index.
set -euo pipefail
unset CDPATH
here=$(cd "$(dirname "$0")" && pwd)
python=$1 folder=$2
shift 2
skip() { echo "SKIPPED: $1"; tail -n 3 "$folder/log" 2>/dev/null; exit 77; }

mkdir -p "$folder/wheel"
rm -rf "$folder/venv" "$folder/wheel"/*
"$python" -m venv "$folder/venv" >"$folder/log" 2>&1 || skip "$python makes no virtual environment"
pip() { "$folder/venv/bin/python3" -m pip --disable-pip-version-check "$@"; }
requires=$(sed -nE 's/^requires = \["(.*)"\]$/\1/p' "$here/pyproject.toml")
[[ $requires =~ ^[A-Za-z0-9._=\<\>~-]+$ ]] || { echo "test_wheel.sh: what pyproject.toml requires is not one name: '$requires'" >&2; exit 1; }
pip download -q --timeout 30 --retries 1 -d "$folder/index" "$requires" cffi >"$folder/log" 2>&1 || skip "no package index"
# From here on, a failure is one of the wheel's.
export PIP_NO_INDEX=1
PIP_FIND_LINKS=$("$python" -c 'import pathlib, sys; print(pathlib.Path(sys.argv[1]).resolve().as_uri())' "$folder/index") # pip takes a space for the end of it
export PIP_FIND_LINKS

# As deep as other build trees: to ccache, which sees relative paths, what those have compiled is the same.
settings=("--config-settings=build-dir=$folder-build")
for define in "$@"; do
  case $define in
    *=) ;; # nothing chosen
    *) settings+=("--config-settings=cmake.define.$define") ;;
  esac
done
pip wheel -q --no-deps -w "$folder/wheel" "${settings[@]}" "$here"
pip install -q "$folder/wheel"/slhconsensus-*.whl
pip list 2>/dev/null

# Nothing of the source tree may help.
cd "$folder"
unset PYTHONPATH SLHCONSENSUS_LIBRARY
venv/bin/python3 - <<'EOF'
import importlib.metadata
import slhconsensus

versions = {"package": slhconsensus.__version__, "library": slhconsensus.version(), "wheel": importlib.metadata.version("slhconsensus")}
if len(set(versions.values())) > 1:
    raise SystemExit(f"versions differ: {versions}")
print("slhconsensus", slhconsensus.__version__, "in", slhconsensus.__file__)
EOF
# Its program is where the library looks for it. Whether there is a device is the machine's affair.
if [ -f "$folder-build/libexec/slhgpu" ]; then
  vulkan=$(venv/bin/python3 -c 'import slhconsensus; print(*(b.description for b in slhconsensus.list_backends() if b.name.startswith("vulkan")))')
  echo "vulkan: $vulkan"
  [[ $vulkan ]] && [[ ! $vulkan =~ "no program"|"cannot start" ]] || exit 1
fi
venv/bin/python3 -m doctest "$here/README.md"
echo "README.md: $(grep -c '^>>> ' "$here/README.md") examples pass"
