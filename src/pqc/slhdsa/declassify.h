// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_PQC_SLHDSA_DECLASSIFY_H
#define SLHCONSENSUS_PQC_SLHDSA_DECLASSIFY_H

#include <cstddef>

namespace slhc::slhdsa {

/** Called by Declassify, if set. For ctime_tests, which runs under valgrind's memcheck with the secrets marked
 *  as undefined memory: each branch and each address that depends on what is still secret is an error there.
 *  Set before anything is signed; not changed while other threads sign. */
inline void (*g_declassify_hook)(const void* data, size_t size){nullptr};

/** Declare that bytes computed from secrets are public from here on, since they are part of the signature or the public key, so that
 *  branches and addresses may depend on them. */
inline void Declassify(const void* data, size_t size) noexcept
{
    if (g_declassify_hook) g_declassify_hook(data, size);
}

} // namespace slhc::slhdsa

#endif // SLHCONSENSUS_PQC_SLHDSA_DECLASSIFY_H
