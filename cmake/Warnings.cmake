# Warnings for every target of this project, gcc and clang alike; errors with SLHC_WERROR.
add_library(slhc_warnings INTERFACE)
target_compile_options(slhc_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wformat=2 -Wvla -Wcast-align -Wshadow -Wredundant-decls
  $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor -Woverloaded-virtual -Wsuggest-override -Wextra-semi>
  $<$<CXX_COMPILER_ID:Clang>:-Wthread-safety -Wimplicit-fallthrough>
  # Later ones want words after "@throws std::bad_alloc".
  $<$<AND:$<CXX_COMPILER_ID:Clang>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,19>>:-Wdocumentation>
  $<$<CXX_COMPILER_ID:GNU>:-Wduplicated-cond -Wlogical-op -Wimplicit-fallthrough=5>
  $<$<BOOL:${SLHC_WERROR}>:-Werror>
)
