#!/usr/bin/env bash
# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
#
# Installs the build into an empty prefix, builds contrib/example-c against it, once with the CMake package
# and once with pkg-config, and runs it. What is installed finds slhgpu where that was built. A project that has the sources as a subdirectory
# finds targets of the same names, and stays what it is.
#
#   check_install.sh <cmake> <build directory> <source directory> <C compiler> <C++ compiler>
set -euo pipefail
unset CDPATH
cmake=$1 build=$2 source=$3 cc=$4 cxx=$5
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
work="$made/a folder" # as TMPDIR or a prefix may be
mkdir "$work"

chmod go= "$build/slhconsensus.pc.in" "$build/slhdsa.pc.in" # as from a checkout that is its owner's alone to read
"$cmake" --install "$build" --prefix "$work/prefix" >"$work/install.log" || { cat "$work/install.log"; exit 1; }
headers=$(ls "$work/prefix/include")
[ "$headers" = $'slhconsensus.h\nslhdsa.h\nslhwallet.h' ] || { echo "installed headers: $headers"; exit 1; }

"$cmake" -S "$source/contrib/example-c" -B "$work/example" -DCMAKE_PREFIX_PATH="$work/prefix" \
    -DCMAKE_C_COMPILER="$cc" -DCMAKE_CXX_COMPILER="$cxx" >"$work/cmake.log" || { cat "$work/cmake.log"; exit 1; }
"$cmake" --build "$work/example" >"$work/build.log" || { cat "$work/build.log"; exit 1; }
for program in verify_batch address; do "$work/example/$program"; "$work/example/${program}_static"; done
# Whoever verifies signatures alone needs neither the rest nor libsecp256k1.
if ldd "$work/example/verify_batch" | grep -E 'secp256k1|slhconsensus' || nm -C "$work/example/verify_batch_static" | grep -E 'secp256k1|EvalScript'; then
  echo "the example for signatures has more than it needs"; exit 1
fi

pc=$(dirname "$(find "$work/prefix" -name slhconsensus.pc)")
for library in slhconsensus slhdsa; do
  mode=$(stat -c %A "$pc/$library.pc")
  [ "$mode" = -rw-r--r-- ] || { echo "$library.pc: $mode"; exit 1; }
  eval "flags=($(PKG_CONFIG_PATH=$pc pkg-config --cflags --libs "$library"))" # escaped for a shell, as the prefix has a space
  "$cc" -std=c99 "$source/contrib/example-c/verify_batch.c" -o "$work/by_pkg_config" "${flags[@]}"
  LD_LIBRARY_PATH=$(dirname "$pc") "$work/by_pkg_config"
done

# The library, also in a folder of its architecture, and slhtool see the devices that the build sees; without the program they say so.
program=$work/prefix/libexec/slhgpu
if [ -f "$build/libexec/slhgpu" ]; then
  devices() { "$1" devices | grep ^vulkan; }
  expected=$(devices "$build/src/tool/slhtool")
  found=$(devices "$work/prefix/bin/slhtool")
  [ "$found" = "$expected" ] || { echo "installed: $found; in the build: $expected"; exit 1; }
  lib=$(dirname "$pc")
  mkdir "$lib/multiarch"
  cp "$lib"/libslhdsa.so.* "$lib/multiarch"
  if [[ $expected = vulkan:[0-9]* ]]; then
    for folder in "$lib" "$lib/multiarch"; do SLHC_BACKEND=vulkan LD_LIBRARY_PATH=$folder "$work/by_pkg_config"; done
  fi
  refuses() { [[ $("$work/prefix/bin/slhtool" devices) = *"/slhgpu is not used, since $1" ]] || { echo "used, although $1"; exit 1; }; }
  is_root() { [ "$(id -u)" = 0 ]; }
  for changed in "$program" "$work/prefix/libexec"; do
    for others in $(is_root && echo g) o; do # any other user's group may be his alone
      chmod "$others+w" "$changed"
      refuses "somebody else may change it"
      chmod "$others-w" "$changed"
    done
    if is_root; then
      chown 1 "$changed"
      refuses "somebody else may change it"
      chown 0 "$changed"
    fi
  done
  if is_root; then # a user whose umask is 002, and the library's own libexec
    chown 1:1 "$program" "$work/prefix/libexec"
    chmod g+w "$program" "$work/prefix/libexec"
    chmod 755 "$work"
    found=$(setpriv --reuid=1 --regid=1 --clear-groups "$work/prefix/bin/slhtool" devices)
    [[ $found != *"slhgpu is not used"* ]] || { echo "umask 002: $found"; exit 1; }
    chmod g-w "$program" "$work/prefix/libexec"
    chown 0:0 "$program" "$work/prefix/libexec"
    libexec=$(sed -n 's/^CMAKE_INSTALL_PREFIX:PATH=//p' "$build/CMakeCache.txt")/libexec
    found=$(unshare --mount bash -c 'mount -t tmpfs none "$(dirname "$1")" && cp -r "$2/libexec" "$1" && rm -r "$2/libexec" &&
      "$2/bin/slhtool" devices | grep ^vulkan; mv "$1" "$2/libexec"' _ "$libexec" "$work/prefix" 2>&1) || true
    case $found in
      "$expected") ;;
      *mount*) echo "not tried: a libexec of the library's own" ;;
      *) echo "in $libexec: $found"; exit 1 ;;
    esac
  fi
  chmod a-x "$program"
  refuses "it may not be executed"
  rm "$program"
fi
found=$("$work/prefix/bin/slhtool" devices)
[[ $found = *"vulkan: not offered: there is no program slhgpu: looked for $work/prefix/bin/slhgpu, in ../libexec and ../../libexec from there, and in "* ]] || { echo "without slhgpu: $found"; exit 1; }

# Configured only, since building it would compile the library once more.
parent=$work/parent
mkdir -p "$parent/cmake"
echo 'message(FATAL_ERROR "the module of the project around this one")' | tee "$parent/cmake/Warnings.cmake" >"$parent/cmake/Packaging.cmake"
cat >"$parent/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.22)
project(parent LANGUAGES C CXX)
list(APPEND CMAKE_MODULE_PATH "$parent/cmake")
set(CPACK_PACKAGE_NAME parent)
include(CPack)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_UNITY_BUILD ON)
set(SLHC_INSTALL ON)
add_subdirectory("$source" slhconsensus)
set(CMAKE_UNITY_BUILD OFF)
add_executable(shared "$source/contrib/example-c/verify_batch.c")
target_link_libraries(shared PRIVATE slhconsensus::slhconsensus)
add_executable(static "$source/contrib/example-c/verify_batch.c")
target_link_libraries(static PRIVATE slhconsensus::slhconsensus_static)
END
"$cmake" -S "$parent" -B "$parent/build" -DCMAKE_C_COMPILER="$cc" -DCMAKE_CXX_COMPILER="$cxx" >"$parent/log" 2>&1 || { cat "$parent/log"; exit 1; }
! grep 'CMake Warning' -A 5 "$parent/log" || exit 1
commands=$(grep '"command": .*/verify_batch\.c' "$parent/build/compile_commands.json")
[ "$(wc -l <<<"$commands")" = 2 ] || { echo "expected two programs, found: $commands"; exit 1; }
# JSON first, then words of a shell
commands=$(sed -E 's/^ *"command": "(.*)",?$/\1/; s/\\(.)/\1/g' <<<"$commands")
eval "words=(${commands//$'\n'/ })"
sees=$(printf '%s\n' "${words[@]}" | grep -E '^-[ID]' | sort -u)
[ "$sees" = "-I$parent/build/slhconsensus/include" ] || { echo "a project that links the libraries sees $sees"; exit 1; }
headers=$(ls "$parent/build/slhconsensus/include")
[ "$headers" = $'slhconsensus.h\nslhdsa.h\nslhwallet.h' ] || { echo "headers of the subproject: $headers"; exit 1; }
grep -q '^set(CPACK_PACKAGE_NAME "parent")' "$parent/build/CPackConfig.cmake" || { echo "the project's packages are no longer its own"; exit 1; }
if find "$parent/build" -name 'unity_*.cxx' | grep .; then echo "compiled as a unity build, for which it is not made"; exit 1; fi
