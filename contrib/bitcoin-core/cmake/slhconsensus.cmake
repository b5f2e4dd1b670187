# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.

# Make a target, slhdsa_module, for the library that verifies SLH-DSA signatures. Of its CMake package only the archive
# and the header are used, not the libsecp256k1 that it would bring: there is one in this tree, and with a second one in
# the same program, link order would decide whose code runs.
find_package(slhconsensus 0.1 CONFIG REQUIRED)
if(NOT TARGET slhconsensus::slhconsensus_static)
  message(FATAL_ERROR "slhconsensus::slhconsensus_static is missing: it needs pkg-config and libsecp256k1's development files")
endif()
get_target_property(slhdsa_archive slhconsensus::slhconsensus_static LOCATION)
get_target_property(slhdsa_include slhconsensus::slhconsensus_static INTERFACE_INCLUDE_DIRECTORIES)
add_library(slhdsa_module STATIC IMPORTED GLOBAL)
set_target_properties(slhdsa_module PROPERTIES
  IMPORTED_LOCATION "${slhdsa_archive}"
  INTERFACE_INCLUDE_DIRECTORIES "${slhdsa_include}"
  INTERFACE_LINK_LIBRARIES "secp256k1;Threads::Threads"
)
