set(platform_sysroot i386)
set(platform_processor i686)
set(platform_triplet i686-linux-gnu)
set(platform_multiarch i386-linux-gnu)
include("${CMAKE_CURRENT_LIST_DIR}/debian-cross.cmake")

# Programs run on the processor that builds them, with the sysroot's loader and libraries. As for an emulator, env is in front of them.
string(CONCAT CMAKE_EXE_LINKER_FLAGS_INIT "-Wl,--dynamic-linker=${CMAKE_SYSROOT}/lib/ld-linux.so.2 "
  "-Wl,--disable-new-dtags,-rpath,${CMAKE_SYSROOT}/lib/i386-linux-gnu:${CMAKE_SYSROOT}/usr/lib/i386-linux-gnu")
set(CMAKE_CROSSCOMPILING_EMULATOR env)
