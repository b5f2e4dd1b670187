# Bitcoin Core's sources, for tests alone: its test vectors, and the differential test against its VerifyScript.
# contrib/core-differential/fetch_core.sh fetches them; where they are not, those tests are skipped by name.
#
# SLHC_CORE_SOURCE_DIR   the tree with src/script/interpreter.cpp. Unless given: $BITCOIN_CORE_SRC, then what
#                        fetch_core.sh fetched, then a copy of the same crate in cargo's own cache; empty if there is none.
# SLHC_BUILD_CORE_ORACLE build the differential test's oracle from it.
set(_core_needle src/script/interpreter.cpp)
set(_core_guess "")
file(GLOB _core_crates "$ENV{HOME}/.cargo/registry/src/*/libbitcoinkernel-sys-0.4.1/bitcoin")
foreach(_candidate IN ITEMS "$ENV{BITCOIN_CORE_SRC}" "${PROJECT_SOURCE_DIR}/build/core-sources/vendor/libbitcoinkernel-sys/bitcoin" LISTS _core_crates)
  if(NOT _core_guess AND _candidate AND EXISTS "${_candidate}/${_core_needle}")
    set(_core_guess "${_candidate}")
  endif()
endforeach()
# An empty answer is not kept: the sources may have been fetched since.
if(NOT SLHC_CORE_SOURCE_DIR)
  set(SLHC_CORE_SOURCE_DIR "${_core_guess}" CACHE PATH "Bitcoin Core's source tree, for its test vectors and the differential test" FORCE)
endif()
if(SLHC_CORE_SOURCE_DIR AND NOT EXISTS "${SLHC_CORE_SOURCE_DIR}/${_core_needle}")
  message(FATAL_ERROR "SLHC_CORE_SOURCE_DIR=${SLHC_CORE_SOURCE_DIR} has no ${_core_needle}")
endif()

option(SLHC_BUILD_CORE_ORACLE "Build Bitcoin Core's VerifyScript for the differential test, where its sources are" ON)
