# Run with cmake -P: write TEXT, a file, into HEADER as a string of C++, NAME_TEXT.
file(READ "${TEXT}" text)
string(TOUPPER "${NAME}" name)
file(WRITE "${HEADER}" "#pragma once\n\n#include <string_view>\n\nstatic constexpr std::string_view ${name}_TEXT{R\"slhc(${text})slhc\"};\n")
