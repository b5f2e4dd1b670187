# Flags that make faults harder to exploit, for everything that is compiled and linked here.
#
# The compiler's part: canaries in front of return addresses, frames of many pages probed page by page, calls of the C library that know the
# size of what they write to, and targets of indirect jumps marked for processors that check them.
# The linker's part: relocations are done and made read-only before a program starts, the stack and headers are not executable.
#
# Programs of Debian 12 are not marked as ready for indirect branch tracking and shadow stacks, since its own start files are not; objects are.
#
# Not with sanitizers, whose checks say more and whose runtimes have their own ways.
option(SLHC_HARDENING "Compile and link with the compiler's and the linker's defences" ON)
if(NOT SLHC_HARDENING OR SLHC_SANITIZE OR CMAKE_CXX_FLAGS MATCHES "-fsanitize=")
  return()
endif()

include(CheckCXXCompilerFlag)
include(CheckLinkerFlag)
set(_flags -fstack-protector-strong)
if(NOT APPLE) # whose compiler warns that it does nothing there
  list(APPEND _flags -fstack-clash-protection)
endif()
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
  list(APPEND _flags -fcf-protection=full)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
  list(APPEND _flags -mbranch-protection=standard)
endif()
foreach(flag IN LISTS _flags)
  string(MAKE_C_IDENTIFIER "SLHC_COMPILES${flag}" known)
  check_cxx_compiler_flag(${flag} ${known})
  if(${known})
    add_compile_options(${flag})
  endif()
endforeach()
# Without optimization there is nothing that it could do, and the C library's headers warn. A distribution's compiler may define it already.
add_compile_options("$<$<NOT:$<CONFIG:Debug>>:-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=3>")

foreach(keyword IN ITEMS relro now noexecstack separate-code)
  string(MAKE_C_IDENTIFIER "SLHC_LINKS_Z_${keyword}" known)
  check_linker_flag(CXX "LINKER:-z,${keyword}" ${known})
  if(${known})
    add_link_options("LINKER:-z,${keyword}")
  endif()
endforeach()
