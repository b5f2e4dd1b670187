# The files of `cmake --install` and their places, the CMake package and the pkg-config file that find them there, and the Debian package
# that CPack makes of them.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/slhconsensus")

# slhconsensus::slhdsa and slhconsensus::slhconsensus are the shared libraries. The static ones, with _static at the end of their names, are
# exports of their own, for slhconsensus_static needs libsecp256k1's development files where it is linked.
foreach(library IN ITEMS slhdsa slhconsensus)
  set_target_properties(${library}_shared PROPERTIES EXPORT_NAME ${library})
  set_target_properties(${library} PROPERTIES EXPORT_NAME ${library}_static)
  install(TARGETS ${library}_shared EXPORT slhconsensusTargets
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library NAMELINK_COMPONENT development
    INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  )
  install(TARGETS ${library} EXPORT ${library}StaticTargets
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development
    INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  )
  install(EXPORT ${library}StaticTargets NAMESPACE slhconsensus:: DESTINATION ${package_dir} COMPONENT development)
endforeach()
install(FILES src/slhdsa.h src/slhconsensus.h src/slhwallet.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
install(EXPORT slhconsensusTargets NAMESPACE slhconsensus:: DESTINATION ${package_dir} COMPONENT development)
if(TARGET slhtool)
  install(TARGETS slhtool RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT tool)
endif()
# Where the library looks for it: in ../libexec or ../../libexec.
if(TARGET slhgpu)
  install(TARGETS slhgpu RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR} COMPONENT device)
endif()
install(FILES COPYING DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT library)

configure_package_config_file(cmake/slhconsensusConfig.cmake.in "${PROJECT_BINARY_DIR}/slhconsensusConfig.cmake"
  INSTALL_DESTINATION ${package_dir})
# As slhc_soversion.
write_basic_package_version_file("${PROJECT_BINARY_DIR}/slhconsensusConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/slhconsensusConfig.cmake" "${PROJECT_BINARY_DIR}/slhconsensusConfigVersion.cmake"
  DESTINATION ${package_dir} COMPONENT development)

# The prefix that pkg-config tells is that of the installation: --prefix's, or a package's.
set(pc_prefix "@pc_prefix@")
foreach(dir libdir includedir)
  string(TOUPPER "CMAKE_INSTALL_${dir}" path)
  set(pc_${dir} "${${path}}")
  if(NOT IS_ABSOLUTE "${pc_${dir}}")
    string(PREPEND pc_${dir} "\${prefix}/")
  endif()
endforeach()
set(pc_cxx_runtime stdc++)
if(SLHC_LIBCXX)
  set(pc_cxx_runtime c++)
endif()
configure_file(cmake/slhdsa.pc.in "${PROJECT_BINARY_DIR}/slhdsa.pc.in" @ONLY)
configure_file(cmake/slhconsensus.pc.in "${PROJECT_BINARY_DIR}/slhconsensus.pc.in" @ONLY)
install(CODE "set(pc_folder \"${PROJECT_BINARY_DIR}\")\nset(libdir \"${CMAKE_INSTALL_LIBDIR}\")" COMPONENT development)
# Unless told, configure_file() copies permissions, and a checkout may be its owner's to read alone.
install(CODE [[
  get_filename_component(pc_prefix "${CMAKE_INSTALL_PREFIX}" ABSOLUTE)
  foreach(library IN ITEMS slhdsa slhconsensus)
    get_filename_component(pc "${libdir}/pkgconfig/${library}.pc" ABSOLUTE BASE_DIR "${pc_prefix}")
    message(STATUS "Installing: $ENV{DESTDIR}${pc}")
    configure_file("${pc_folder}/${library}.pc.in" "$ENV{DESTDIR}${pc}" @ONLY FILE_PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
    list(APPEND CMAKE_INSTALL_MANIFEST_FILES "${pc}")
  endforeach()
]] COMPONENT development)

# A project that this is a part of makes its own packages.
if(NOT PROJECT_IS_TOP_LEVEL)
  return()
endif()

# Packages, as Debian names them: the library, what it takes to compile against it, slhtool, which carries the static library, and slhgpu,
# which is not in the library's, so that two versions of that can be installed at once.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME slhconsensus)
set(CPACK_PACKAGE_VENDOR "The slhconsensus developers")
set(CPACK_PACKAGE_CONTACT "The slhconsensus developers <slhconsensus@users.noreply.github.com>")
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/COPYING")
set(CPACK_STRIP_FILES ON)
set(CPACK_SOURCE_IGNORE_FILES "/\\.git/;^${PROJECT_SOURCE_DIR}/build/")
set(CPACK_PRE_BUILD_SCRIPTS "${PROJECT_SOURCE_DIR}/cmake/DebianDocs.cmake")
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_COMPONENTS_ALL library development)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)

set(library_package libslhconsensus${slhc_soversion})
set(summary "SLH-DSA-SHA2-128s signatures in Bitcoin script validation")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "") # CPack would put it before each description below
set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME ${library_package})
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_LIBRARY_DESCRIPTION "${summary} (library)\nVerifies transactions and blocks whose coins are locked with\nsignatures of FIPS 205, in P2MR and P2TR outputs. Experimental, for\nnetworks whose coins are worth nothing.")
# Other packages' tools read from shlibs which version they need; the trigger lets the dynamic linker know of the library.
file(WRITE "${PROJECT_BINARY_DIR}/debian/shlibs" "libslhconsensus ${slhc_soversion} ${library_package} (>= ${PROJECT_VERSION})\nlibslhdsa ${slhc_soversion} ${library_package} (>= ${PROJECT_VERSION})\n")
file(WRITE "${PROJECT_BINARY_DIR}/debian/triggers" "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA "${PROJECT_BINARY_DIR}/debian/shlibs;${PROJECT_BINARY_DIR}/debian/triggers")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libslhconsensus-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "${library_package} (= ${PROJECT_VERSION}), libsecp256k1-dev")
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION "${summary} (development files)\nThe C headers, the static libraries, and files for CMake and pkg-config.\nTo link a static library, a C++ compiler is needed.")
if(TARGET slhgpu)
  list(APPEND CPACK_COMPONENTS_ALL device)
  set(CPACK_DEBIAN_LIBRARY_PACKAGE_SUGGESTS "slhgpu (= ${PROJECT_VERSION})")
  set(CPACK_DEBIAN_DEVICE_PACKAGE_NAME slhgpu)
  set(CPACK_DEBIAN_DEVICE_PACKAGE_SECTION utils)
  set(CPACK_DEBIAN_DEVICE_PACKAGE_SUGGESTS "libvulkan1, mesa-vulkan-drivers")
  set(CPACK_DEBIAN_DEVICE_DESCRIPTION "${summary} (device)\nRuns a Vulkan driver for the library and for slhtool, in a process of\nits own. They verify on the processor where it is not installed.")
endif()
if(TARGET slhtool)
  list(APPEND CPACK_COMPONENTS_ALL tool)
  set(CPACK_DEBIAN_TOOL_PACKAGE_NAME slhtool)
  set(CPACK_DEBIAN_TOOL_PACKAGE_SECTION utils)
  set(CPACK_DEBIAN_TOOL_DESCRIPTION "${summary} (command line)\nMakes keys, addresses and spends, verifies transactions and blocks,\nand debugs scripts. Experimental, for networks whose coins are worth\nnothing.")
endif()

include(CPack)
