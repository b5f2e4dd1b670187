# Bitcoin Core's sources, for tests alone: its test vectors, and the differential test against its VerifyScript.
# contrib/core-differential/fetch_core.sh fetches them; where they are not, those tests are skipped by name.
#
# SLHC_CORE_SOURCE_DIR   the tree with src/script/interpreter.cpp. Unless given: $BITCOIN_CORE_SRC, an absolute path; else what
#                        fetch_core.sh fetched; empty if there is none.
# SLHC_BUILD_CORE_ORACLE build the differential test's oracle from it.
set(_core_needle src/script/interpreter.cpp)
set(_core_pins "${PROJECT_SOURCE_DIR}/contrib/core-differential/requirements.txt")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${_core_pins})
file(STRINGS "${_core_pins}" _core_pin REGEX "^py-bitcoinkernel==")
string(REGEX REPLACE "^(.*)==([^ ]*) .*$" "\\1-\\2" _core_package "${_core_pin}")
set(_core_guess "$ENV{BITCOIN_CORE_SRC}")
if(NOT _core_guess AND EXISTS "${PROJECT_SOURCE_DIR}/build/core-sources/${_core_package}/${_core_needle}")
  set(_core_guess "${PROJECT_SOURCE_DIR}/build/core-sources/${_core_package}")
endif()
# As a cache entry of this type, a relative path on the command line becomes an absolute one.
set(_core_doc "Bitcoin Core's source tree, for its test vectors and the differential test")
set(SLHC_CORE_SOURCE_DIR "" CACHE PATH "${_core_doc}")
# An earlier guess is not kept: other sources may have been fetched since, or another version is wanted.
if(NOT SLHC_CORE_SOURCE_DIR OR SLHC_CORE_SOURCE_DIR STREQUAL SLHC_CORE_SOURCE_GUESS)
  # A user who names sources must not get others, nor a path that means something else to a later run from another folder.
  if(NOT "$ENV{BITCOIN_CORE_SRC}" STREQUAL "")
    if(NOT IS_ABSOLUTE "${_core_guess}")
      message(FATAL_ERROR "BITCOIN_CORE_SRC=${_core_guess} is not an absolute path")
    elseif(NOT EXISTS "${_core_guess}/${_core_needle}")
      message(FATAL_ERROR "BITCOIN_CORE_SRC=${_core_guess} has no ${_core_needle}")
    endif()
  endif()
  set(SLHC_CORE_SOURCE_DIR "${_core_guess}" CACHE PATH "${_core_doc}" FORCE)
  set(SLHC_CORE_SOURCE_GUESS "${_core_guess}" CACHE INTERNAL "What SLHC_CORE_SOURCE_DIR is if nobody sets it")
endif()
if(SLHC_CORE_SOURCE_DIR AND NOT EXISTS "${SLHC_CORE_SOURCE_DIR}/${_core_needle}")
  message(FATAL_ERROR "SLHC_CORE_SOURCE_DIR=${SLHC_CORE_SOURCE_DIR} has no ${_core_needle}")
endif()

option(SLHC_BUILD_CORE_ORACLE "Build Bitcoin Core's VerifyScript for the differential test, where its sources are" ON)
