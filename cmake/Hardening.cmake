# The linker's defences, in everything that is linked here: relocations are done and made read-only before a program starts, the stack and
# headers are not executable. The test `hardening` looks for them in the files as they were built (contrib/release/check_hardening.py).
# Not with sanitizers, whose runtimes have their own ways.
if(SLHC_SANITIZE)
  return()
endif()

include(CheckLinkerFlag)
foreach(keyword IN ITEMS relro now noexecstack separate-code)
  string(MAKE_C_IDENTIFIER "SLHC_LINKS_Z_${keyword}" known)
  check_linker_flag(CXX "LINKER:-z,${keyword}" ${known})
  if(${known})
    add_link_options("LINKER:-z,${keyword}")
  endif()
endforeach()
