# Run with cmake -P: write SPIRV, a binary file of 32-bit little-endian words, as a C++ array into HEADER.
file(READ "${SPIRV}" hex HEX)
string(REGEX REPLACE "(..)(..)(..)(..)" "0x\\4\\3\\2\\1,\n" words "${hex}")
string(TOUPPER "${NAME}" upper)
file(WRITE "${HEADER}" "// Generated from ${NAME}.comp.\n#pragma once\n\n#include <cstdint>\n\nstatic constexpr uint32_t ${upper}_SPV[] = {\n${words}};\n")
