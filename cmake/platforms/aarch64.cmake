set(platform_sysroot arm64)
set(platform_processor aarch64)
set(platform_triplet aarch64-linux-gnu)
set(platform_multiarch aarch64-linux-gnu)
include("${CMAKE_CURRENT_LIST_DIR}/debian-cross.cmake")
# With it, qemu would spend nine tenths of its time on computing pointer authentication codes.
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 -cpu max,pauth=off -L "${CMAKE_SYSROOT}")
