# What `cmake --install` puts where, the CMake package and the pkg-config file that find it there, and the Debian
# package that CPack makes of it.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/slhconsensus")

# slhconsensus::slhconsensus is the shared library. The static one, slhconsensus::slhconsensus_static, is an export
# of its own, for it needs libsecp256k1's development files where it is linked.
set_target_properties(slhconsensus_shared PROPERTIES EXPORT_NAME slhconsensus)
set_target_properties(slhconsensus PROPERTIES EXPORT_NAME slhconsensus_static)
install(TARGETS slhconsensus_shared EXPORT slhconsensusTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
)
install(TARGETS slhconsensus EXPORT slhconsensusStaticTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
)
install(FILES src/slhconsensus.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT slhconsensusTargets NAMESPACE slhconsensus:: DESTINATION ${package_dir})
install(EXPORT slhconsensusStaticTargets NAMESPACE slhconsensus:: DESTINATION ${package_dir})
if(TARGET slhtool)
  install(TARGETS slhtool RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  get_target_property(pages slhtool SLHC_PAGES)
  if(pages)
    install(FILES "${pages}/slhtool.1" DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  endif()
endif()
install(FILES COPYING "${PROJECT_BINARY_DIR}/slhconsensus.spdx.json" DESTINATION ${CMAKE_INSTALL_DOCDIR})

configure_package_config_file(cmake/slhconsensusConfig.cmake.in "${PROJECT_BINARY_DIR}/slhconsensusConfig.cmake"
  INSTALL_DESTINATION ${package_dir})
# Before 1.0 a minor version may change the interface.
write_basic_package_version_file("${PROJECT_BINARY_DIR}/slhconsensusConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/slhconsensusConfig.cmake" "${PROJECT_BINARY_DIR}/slhconsensusConfigVersion.cmake"
  DESTINATION ${package_dir})

# The prefix that pkg-config tells is that of the installation: --prefix's, or a package's.
set(pc_prefix "@pc_prefix@")
configure_file(cmake/slhconsensus.pc.in "${PROJECT_BINARY_DIR}/slhconsensus.pc.in" @ONLY)
install(CODE "set(pc_in \"${PROJECT_BINARY_DIR}/slhconsensus.pc.in\")\nset(libdir \"${CMAKE_INSTALL_LIBDIR}\")")
install(CODE [[
  set(pc "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/${libdir}/pkgconfig/slhconsensus.pc")
  message(STATUS "Installing: ${pc}")
  get_filename_component(pc_prefix "${CMAKE_INSTALL_PREFIX}" ABSOLUTE)
  configure_file("${pc_in}" "${pc}" @ONLY)
  list(APPEND CMAKE_INSTALL_MANIFEST_FILES "${CMAKE_INSTALL_PREFIX}/${libdir}/pkgconfig/slhconsensus.pc")
]])

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME slhconsensus)
set(CPACK_PACKAGE_VENDOR "The slhconsensus developers")
set(CPACK_PACKAGE_CONTACT "The slhconsensus developers <slhconsensus@users.noreply.github.com>")
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/COPYING")
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
include(CPack)
