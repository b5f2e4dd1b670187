# macOS by PyPI's ziglang, which has its headers and libraries: contrib/platforms.py macos. SLHC_ZIG names the folder with its compilers for
# SLHC_ZIG_PROCESSOR.
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES SLHC_ZIG SLHC_ZIG_PROCESSOR)
set(CMAKE_SYSTEM_NAME Darwin)
set(CMAKE_SYSTEM_PROCESSOR ${SLHC_ZIG_PROCESSOR})
foreach(tool IN ITEMS C_COMPILER:cc CXX_COMPILER:c++ AR:ar RANLIB:ranlib)
  string(REPLACE ":" ";" tool "${tool}")
  list(GET tool 0 variable)
  list(GET tool 1 program)
  set(CMAKE_${variable} ${SLHC_ZIG}/${program})
endforeach()
set(CMAKE_INSTALL_NAME_TOOL true)
