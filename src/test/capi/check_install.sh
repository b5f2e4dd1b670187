#!/usr/bin/env bash
# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
#
# Installs the build into an empty prefix, builds contrib/example-c against what is there, once with the CMake package
# and once with pkg-config, and runs it. A project that has the sources as a subdirectory finds targets of the same names.
#
#   check_install.sh <cmake> <build directory> <source directory> <C compiler> <C++ compiler>
set -euo pipefail
unset CDPATH
cmake=$1 build=$2 source=$3 cc=$4 cxx=$5
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$cmake" --install "$build" --prefix "$work/prefix" >"$work/install.log" || { cat "$work/install.log"; exit 1; }
headers=$(cd "$work/prefix/include" && find . -type f)
[ "$headers" = ./slhconsensus.h ] || { echo "installed headers: $headers"; exit 1; }

"$cmake" -S "$source/contrib/example-c" -B "$work/example" -DCMAKE_PREFIX_PATH="$work/prefix" \
    -DCMAKE_C_COMPILER="$cc" -DCMAKE_CXX_COMPILER="$cxx" >"$work/cmake.log" || { cat "$work/cmake.log"; exit 1; }
"$cmake" --build "$work/example" >"$work/build.log" || { cat "$work/build.log"; exit 1; }
"$work/example/verify_batch"
"$work/example/verify_batch_static"

pc=$(dirname "$(find "$work/prefix" -name slhconsensus.pc)")
read -ra flags <<<"$(PKG_CONFIG_PATH=$pc pkg-config --cflags --libs slhconsensus)"
"$cc" -std=c99 "$source/contrib/example-c/verify_batch.c" -o "$work/by_pkg_config" "${flags[@]}"
LD_LIBRARY_PATH=$(dirname "$pc") "$work/by_pkg_config"

# Configured only, since building it would compile the library once more.
mkdir "$work/parent"
cat >"$work/parent/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.22)
project(parent LANGUAGES C CXX)
add_subdirectory("$source" slhconsensus)
add_executable(shared "$source/contrib/example-c/verify_batch.c")
target_link_libraries(shared PRIVATE slhconsensus::slhconsensus)
add_executable(static "$source/contrib/example-c/verify_batch.c")
target_link_libraries(static PRIVATE slhconsensus::slhconsensus_static)
END
"$cmake" -S "$work/parent" -B "$work/parent/build" -DCMAKE_C_COMPILER="$cc" -DCMAKE_CXX_COMPILER="$cxx" >"$work/parent.log" 2>&1 ||
  { cat "$work/parent.log"; exit 1; }
