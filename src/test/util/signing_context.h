// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TEST_UTIL_SIGNING_CONTEXT_H
#define SLHCONSENSUS_TEST_UTIL_SIGNING_CONTEXT_H

#include <memory>

#include <secp256k1.h>

namespace slhc::test {

/** A context of libsecp256k1 that can sign and make keys, as its secp256k1_context_static cannot. Not randomized: a test's keys are no
 *  secrets. */
inline const secp256k1_context* SigningContext()
{
    struct Destroy {
        void operator()(secp256k1_context* context) const { secp256k1_context_destroy(context); }
    };
    static const std::unique_ptr<secp256k1_context, Destroy> s_context{secp256k1_context_create(SECP256K1_CONTEXT_NONE)};
    return s_context.get();
}

} // namespace slhc::test

#endif // SLHCONSENSUS_TEST_UTIL_SIGNING_CONTEXT_H
