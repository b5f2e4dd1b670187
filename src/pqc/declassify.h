// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_PQC_DECLASSIFY_H
#define SLHCONSENSUS_PQC_DECLASSIFY_H

#include <cstddef>

#ifdef SLHC_CTIME_TESTS
#include <valgrind/memcheck.h>
#endif

namespace slhc::slhdsa {

/** Say that bytes computed from secrets are public from here on: they are part of the signature or of the
 *  public key, and what follows may depend on them. Does nothing, except in ctime_tests: there secrets are
 *  undefined memory, and valgrind reports each branch and each address that depends on what is left secret. */
inline void Declassify([[maybe_unused]] const void* data, [[maybe_unused]] size_t size) noexcept
{
#ifdef SLHC_CTIME_TESTS
    (void)VALGRIND_MAKE_MEM_DEFINED(data, size);
#endif
}

} // namespace slhc::slhdsa

#endif // SLHCONSENSUS_PQC_DECLASSIFY_H
