# slhc_count_compressions(<target> <path of compressions.cpp>): the calls that it counts, in a program that it is a source of.
#
# It counts calls of Transform(std::array<uint32_t, words>&, const uint8_t*, size_t), which the linker knows by mangled names: they depend on
# the standard library and the size of size_t.
function(slhc_count_compressions target source)
  set(size_t m)
  if(CMAKE_SIZEOF_VOID_P EQUAL 4)
    set(size_t j)
  endif()
  set(hashes sha256 sha1 ripemd160)
  set(hash_words 8 5 5)
  set(definitions)
  foreach(hash words IN ZIP_LISTS hashes hash_words)
    string(LENGTH ${hash} length)
    set(array "St5arrayIjL${size_t}${words}EE")
    if(SLHC_LIBCXX)
      set(array "NSt3__15arrayIjL${size_t}${words}EEE")
    endif()
    set(name "_ZN4slhc${length}${hash}9TransformER${array}PKh${size_t}")
    target_link_options(${target} PRIVATE LINKER:--wrap=${name})
    list(APPEND definitions SLHC_TRANSFORM_${hash}=${name})
  endforeach()
  set_source_files_properties(${source} PROPERTIES COMPILE_DEFINITIONS "${definitions}")
endfunction()
