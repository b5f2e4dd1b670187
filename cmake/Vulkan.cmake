# slhgpu, the program that runs a Vulkan driver, needs Vulkan-Hpp's RAII headers and a GLSL compiler to be built. It opens the drivers'
# loader at run time, and the library works without either.
find_path(SLHC_VULKAN_INCLUDE_DIR vulkan/vulkan_raii.hpp DOC "Directory of vulkan/vulkan_raii.hpp")
find_program(SLHC_GLSLC glslc DOC "GLSL compiler of shaderc; preferred, as it optimizes")
find_program(SLHC_GLSLANG glslangValidator DOC "GLSL compiler of glslang; used where there is no glslc")

set(SLHC_VULKAN_MISSING)
if(NOT CMAKE_SYSTEM_NAME STREQUAL "Linux") # a device's process needs it
  list(APPEND SLHC_VULKAN_MISSING "Linux")
endif()
# Devices have the host's byte order, as Vulkan's specification demands, and the shader reads little-endian words.
if(CMAKE_CXX_BYTE_ORDER STREQUAL "BIG_ENDIAN")
  list(APPEND SLHC_VULKAN_MISSING "a little-endian processor")
endif()
if(NOT SLHC_VULKAN_INCLUDE_DIR)
  list(APPEND SLHC_VULKAN_MISSING "vulkan/vulkan_raii.hpp (Debian: libvulkan-dev)")
endif()
if(NOT SLHC_GLSLC AND NOT SLHC_GLSLANG)
  list(APPEND SLHC_VULKAN_MISSING "glslc or glslangValidator (Debian: glslc or glslang-tools)")
endif()
list(JOIN SLHC_VULKAN_MISSING ", " SLHC_VULKAN_MISSING)

# AUTO, so that a build folder from before something was installed does not leave it out for ever.
set(SLHC_ENABLE_VULKAN AUTO CACHE STRING "Build slhgpu, for Vulkan devices: ON, OFF, or AUTO: if what it needs is there")
set_property(CACHE SLHC_ENABLE_VULKAN PROPERTY STRINGS AUTO ON OFF)
if(SLHC_ENABLE_VULKAN STREQUAL "AUTO")
  if(SLHC_VULKAN_MISSING)
    message(STATUS "slhgpu: left out, missing ${SLHC_VULKAN_MISSING}")
    set(SLHC_ENABLE_VULKAN OFF)
  else()
    set(SLHC_ENABLE_VULKAN ON)
  endif()
elseif(SLHC_ENABLE_VULKAN AND SLHC_VULKAN_MISSING)
  message(FATAL_ERROR "SLHC_ENABLE_VULKAN: missing ${SLHC_VULKAN_MISSING}")
endif()

# slhc_embed_shader(<target> <source> <name> DEPENDS <included files>)
# Compile a compute shader to SPIR-V and let the target include <name>_spv.h, which defines the words as
# `static constexpr uint32_t <NAME>_SPV[]`.
function(slhc_embed_shader target source name)
  cmake_parse_arguments(arg "" "" "DEPENDS" ${ARGN})
  cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" NORMALIZE)
  cmake_path(GET source PARENT_PATH include_dir)
  set(spirv "${CMAKE_CURRENT_BINARY_DIR}/${name}.spv")
  set(header "${CMAKE_CURRENT_BINARY_DIR}/${name}_spv.h")
  if(SLHC_GLSLC)
    set(compile "${SLHC_GLSLC}" -O --target-env=vulkan1.1 -Werror -I "${include_dir}" "${source}" -o "${spirv}")
  else()
    set(compile "${SLHC_GLSLANG}" -V --target-env vulkan1.1 "-I${include_dir}" "${source}" -o "${spirv}")
  endif()
  list(TRANSFORM arg_DEPENDS PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/")
  add_custom_command(
    OUTPUT "${header}"
    COMMAND ${compile}
    COMMAND "${CMAKE_COMMAND}" -D "SPIRV=${spirv}" -D "HEADER=${header}" -D "NAME=${name}" -P "${PROJECT_SOURCE_DIR}/cmake/EmbedSpirv.cmake"
    DEPENDS "${source}" ${arg_DEPENDS} "${PROJECT_SOURCE_DIR}/cmake/EmbedSpirv.cmake"
    COMMENT "Compiling shader ${name}"
    VERBATIM
  )
  # A target of its own: a generated source belongs to the directory that generates it, the target may not.
  add_custom_target(${target}_${name}_shader DEPENDS "${header}")
  add_dependencies(${target} ${target}_${name}_shader)
  target_include_directories(${target} PRIVATE "${CMAKE_CURRENT_BINARY_DIR}")
endfunction()
