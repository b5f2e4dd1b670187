# Warnings for every target of this project, gcc and clang alike; errors with SLHC_WERROR.
add_library(slhc_warnings INTERFACE)
target_compile_options(slhc_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wformat=2 -Wvla -Wcast-align -Wshadow -Wredundant-decls
  $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor -Woverloaded-virtual -Wsuggest-override -Wextra-semi>
  $<$<CXX_COMPILER_ID:Clang>:-Wthread-safety -Wdocumentation -Wimplicit-fallthrough>
  $<$<CXX_COMPILER_ID:GNU>:-Wduplicated-cond -Wlogical-op -Wimplicit-fallthrough=5>
  # At -O3 gcc 12 sees overlapping copies where strings are put together (GCC bug 105651, mended in gcc 13), and writes past
  # the end where std::vector::insert appends bytes.
  $<$<AND:$<CONFIG:Release>,$<CXX_COMPILER_ID:GNU>,$<VERSION_GREATER_EQUAL:$<CXX_COMPILER_VERSION>,12>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-restrict;-Wno-stringop-overflow>
  $<$<BOOL:${SLHC_WERROR}>:-Werror>
)
