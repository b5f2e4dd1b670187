# libsecp256k1 as it is today, the yardstick of the benchmarks: what contrib/bench/fetch_secp256k1.sh fetched, built with the benchmarks'
# compiler and flags. Debian 12 has 0.2.0, which takes 1.18 times as long for a BIP 340 signature. Where it was not fetched, benchmarks have the
# system's, and say so.
#
# slhc_reference_secp256k1          for programs that measure; everything in the program then calls it, the library among it; its version
#                                   is SLHC_BENCH_SECP256K1_VERSION
# slhc_reference_headers            its headers, which lack functions that the system's have
# SLHC_SECP256K1_REFERENCE_DIR      another source tree of libsecp256k1, of that crate or its own

# The version of a source tree of libsecp256k1
function(slhc_secp256k1_version source result)
  file(STRINGS "${source}/CMakeLists.txt" version REGEX "^  VERSION [0-9.]+$")
  string(REGEX REPLACE "^  VERSION " "" version "${version}")
  set(${result} "${version}" PARENT_SCOPE)
endfunction()

file(STRINGS "${PROJECT_SOURCE_DIR}/contrib/bench/libsecp256k1/Cargo.toml" _pin REGEX "^secp256k1-sys = ")
string(REGEX REPLACE "^(.*) = \"=(.*)\"$" "\\1-\\2" _crate "${_pin}")
set(_fetched "${PROJECT_SOURCE_DIR}/build/crates/${_crate}/depend/secp256k1")
set(SLHC_SECP256K1_REFERENCE_DIR "" CACHE PATH "A source tree of libsecp256k1, for the benchmarks")
if(NOT SLHC_SECP256K1_REFERENCE_DIR AND EXISTS "${_fetched}/src/secp256k1.c")
  set(_source "${_fetched}")
else()
  set(_source "${SLHC_SECP256K1_REFERENCE_DIR}")
endif()

add_library(slhc_reference_headers INTERFACE)
if(_source)
  slhc_secp256k1_version("${_source}" SLHC_REFERENCE_SECP256K1_VERSION)
  # The crate gives all names a prefix, so that a program may have several versions; here there is to be one.
  set(_renamed "${CMAKE_CURRENT_BINARY_DIR}/libsecp256k1")
  file(GLOB_RECURSE _files RELATIVE "${_source}" "${_source}/include/*.h" "${_source}/src/*.h" "${_source}/src/*.c")
  foreach(_file IN LISTS _files)
    file(READ "${_source}/${_file}" _text)
    string(REGEX REPLACE "rustsecp256k1_v[0-9]+_[0-9]+_" "secp256k1_" _text "${_text}")
    file(CONFIGURE OUTPUT "${_renamed}/${_file}" CONTENT "${_text}" @ONLY)
  endforeach()
  file(STRINGS "${_source}/src/secp256k1.c" _allocates REGEX "secp256k1_context_create\\(")
  # Modules and tables as in the library's own default build
  add_library(slhc_reference_secp256k1 OBJECT
    $<$<STREQUAL:${_allocates},>:${CMAKE_CURRENT_LIST_DIR}/../src/bench/secp256k1_context.c>
    ${_renamed}/src/precomputed_ecmult.c
    ${_renamed}/src/precomputed_ecmult_gen.c
    ${_renamed}/src/secp256k1.c
  )
  target_include_directories(slhc_reference_secp256k1 SYSTEM PRIVATE ${_renamed}/include)
  target_include_directories(slhc_reference_headers SYSTEM INTERFACE ${_renamed}/include)
  target_compile_definitions(slhc_reference_secp256k1 PRIVATE ENABLE_MODULE_EXTRAKEYS=1 ENABLE_MODULE_SCHNORRSIG=1
    ECMULT_WINDOW_SIZE=15 COMB_BLOCKS=43 COMB_TEETH=6 $<$<STREQUAL:${CMAKE_SYSTEM_PROCESSOR},x86_64>:USE_ASM_X86_64=1>)
  target_compile_options(slhc_reference_secp256k1 PRIVATE -w)
  file(STRINGS "${_source}/include/secp256k1.h" _hook REGEX "context_set_sha256_compression")
  if(_hook)
    target_compile_definitions(slhc_reference_headers INTERFACE SLHC_BENCH_SECP256K1_HOOK)
  endif()
elseif(SLHC_SLHDSA_ALONE)
  message(FATAL_ERROR "libsecp256k1 is missing: its source tree is SLHC_SECP256K1_REFERENCE_DIR, or what contrib/bench/fetch_secp256k1.sh fetches")
else()
  add_library(slhc_reference_secp256k1 INTERFACE)
  target_link_libraries(slhc_reference_secp256k1 INTERFACE PkgConfig::secp256k1)
  set(SLHC_REFERENCE_SECP256K1_VERSION "${secp256k1_VERSION} (the system's)")
  message(STATUS "benchmarks: libsecp256k1 ${SLHC_REFERENCE_SECP256K1_VERSION}; contrib/bench/fetch_secp256k1.sh fetches today's")
endif()
target_compile_definitions(slhc_reference_secp256k1 INTERFACE SLHC_BENCH_SECP256K1_VERSION="${SLHC_REFERENCE_SECP256K1_VERSION}")
