# SLHC_LIBCXX: whether C++ is compiled with LLVM's standard library instead of GCC's.
include(CheckCXXSourceCompiles)
check_cxx_source_compiles("#include <cstddef>\n#ifndef _LIBCPP_VERSION\n#error\n#endif\nint main() {}" SLHC_LIBCXX)
