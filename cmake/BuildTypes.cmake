# One code for all who build this: the library that the tests run on is the one that users and nodes get. Build types
# differ in debug information alone, except for Debug.
#
# Assertions are part of it, as in Bitcoin Core: no build type defines NDEBUG, and util/check.h refuses one that does.
# Release is -O2 where CMake's own default would be -O3, as RelWithDebInfo is; a file that gains by -O3 asks for it.
if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "Build type" FORCE)
endif()

set(_build_types Release RelWithDebInfo MinSizeRel ${CMAKE_BUILD_TYPE} ${CMAKE_CONFIGURATION_TYPES})
list(TRANSFORM _build_types TOUPPER)
list(REMOVE_DUPLICATES _build_types)
foreach(_language IN ITEMS C CXX)
  if(CMAKE_${_language}_FLAGS_RELEASE STREQUAL "-O3 -DNDEBUG")
    set(CMAKE_${_language}_FLAGS_RELEASE "-O2")
  endif()
  foreach(_build_type IN LISTS _build_types)
    string(REGEX REPLACE "(^| )-DNDEBUG(=[^ ]*)?( |$)" "\\1\\3" CMAKE_${_language}_FLAGS_${_build_type} "${CMAKE_${_language}_FLAGS_${_build_type}}")
  endforeach()
endforeach()

# Assertions name their file: its path in this tree, wherever that is.
add_compile_options("-fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=")
