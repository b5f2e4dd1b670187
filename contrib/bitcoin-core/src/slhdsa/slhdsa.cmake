# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.

# Link the module into the node. Of its CMake package only the archive and the header are used, not the libsecp256k1 that
# it would bring: the node has one of its own, and a second one in the same program would decide by link
# order whose code runs.
find_package(slhconsensus 0.1 REQUIRED)
if(NOT TARGET slhconsensus::slhconsensus_static)
  message(FATAL_ERROR "slhconsensus::slhconsensus_static is missing: it needs pkg-config and libsecp256k1's development files")
endif()
get_target_property(slhdsa_archive slhconsensus::slhconsensus_static LOCATION)
add_library(slhdsa_module STATIC IMPORTED)
set_target_properties(slhdsa_module PROPERTIES
  IMPORTED_LOCATION "${slhdsa_archive}"
  INTERFACE_LINK_LIBRARIES "secp256k1;Threads::Threads;${CMAKE_DL_LIBS}"
)
target_include_directories(bitcoin_node PRIVATE $<TARGET_PROPERTY:slhconsensus::slhconsensus_static,INTERFACE_INCLUDE_DIRECTORIES>)
target_link_libraries(bitcoin_node PRIVATE slhdsa_module)
