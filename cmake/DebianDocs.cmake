# Run by CPack before it makes the packages: what Debian wants to find in each of them, its copyright and its changelog.
# Paths of a library package have its version in them, so that two can be installed at once. Packages of other kinds need none of this.
if(NOT CPACK_GENERATOR STREQUAL "DEB")
  return()
endif()
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  string(TOUPPER "${component}" upper)
  set(folder "${CPACK_TEMPORARY_DIRECTORY}/${component}/usr/share/doc/${CPACK_DEBIAN_${upper}_PACKAGE_NAME}")
  configure_file("${CPACK_RESOURCE_FILE_LICENSE}" "${folder}/copyright" COPYONLY
    FILE_PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
  file(WRITE "${folder}/changelog" "slhconsensus (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium\n\n"
    "  * CHANGELOG.md of the sources says what changed.\n\n -- ${CPACK_PACKAGE_CONTACT}  ${date}\n")
  file(REMOVE_RECURSE "${CPACK_TEMPORARY_DIRECTORY}/${component}/usr/share/doc/${CPACK_PACKAGE_NAME}") # the licence is in copyright
  execute_process(COMMAND gzip -9nf "${folder}/changelog" COMMAND_ERROR_IS_FATAL ANY)
endforeach()
