// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TEST_COMPRESSIONS_H
#define SLHCONSENSUS_TEST_COMPRESSIONS_H

#include <cstdint>

/** Counters of the hashes' compression functions. The linker puts one before each of them (--wrap, in cmake/CountCompressions.cmake), so
 *  that the library itself counts nothing. */
namespace slhc::test {

/** Blocks compressed since the program began, by all threads; those of SLH-DSA's engines are not among them. */
struct Compressions {
    uint64_t sha256;
    uint64_t sha1;
    uint64_t ripemd160;
};

[[nodiscard]] Compressions CountedCompressions() noexcept;

} // namespace slhc::test

#endif // SLHCONSENSUS_TEST_COMPRESSIONS_H
