# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.

# Make a target, slhdsa_module, for the library that verifies SLH-DSA signatures, which depends on nothing but threads.
find_package(slhconsensus 0.1 CONFIG REQUIRED)
if(NOT TARGET slhconsensus::slhdsa_static)
  message(FATAL_ERROR "slhconsensus::slhdsa_static is missing: it needs threads")
endif()
get_target_property(slhdsa_archive slhconsensus::slhdsa_static LOCATION)
get_target_property(slhdsa_include slhconsensus::slhdsa_static INTERFACE_INCLUDE_DIRECTORIES)
add_library(slhdsa_module STATIC IMPORTED GLOBAL)
set_target_properties(slhdsa_module PROPERTIES
  IMPORTED_LOCATION "${slhdsa_archive}"
  INTERFACE_INCLUDE_DIRECTORIES "${slhdsa_include}"
  INTERFACE_LINK_LIBRARIES "Threads::Threads"
)
