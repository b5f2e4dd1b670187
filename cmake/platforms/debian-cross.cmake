# The common part of this folder's toolchain files: Debian's cross compiler, and the packages of another architecture of Debian that
# contrib/platforms.py unpacks in build/sysroots. Each sets these before:
#
# platform_sysroot    folder in build/sysroots
# platform_processor  as in CMAKE_SYSTEM_PROCESSOR
# platform_triplet    the compiler's prefix
# platform_multiarch  the folder of libraries in /usr/lib
set(CMAKE_SYSROOT "${CMAKE_CURRENT_LIST_DIR}")
cmake_path(APPEND CMAKE_SYSROOT "../../build/sysroots/${platform_sysroot}")
cmake_path(NORMAL_PATH CMAKE_SYSROOT)

set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR ${platform_processor})
set(CMAKE_C_COMPILER ${platform_triplet}-gcc)
set(CMAKE_CXX_COMPILER ${platform_triplet}-g++)
set(CMAKE_LIBRARY_ARCHITECTURE ${platform_multiarch})

# Programs that build are this machine's; what is built against is the sysroot's.
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_SYSROOT_DIR} "${CMAKE_SYSROOT}")
set(ENV{PKG_CONFIG_LIBDIR} "${CMAKE_SYSROOT}/usr/lib/${platform_multiarch}/pkgconfig:${CMAKE_SYSROOT}/usr/share/pkgconfig")
