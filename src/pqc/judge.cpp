// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <pqc/judge.h>

#include <pqc/slhdsa/slhdsa.h>

#include <algorithm>
#include <span>

namespace slhc::slhdsa {

RootJob PrepareRootJob(const CheckView& check)
{
    const MessageDigest digest{DigestMessage(check.signature.first<N>(),
                                             std::span<const uint8_t, PUBLIC_KEY_SIZE>{check.public_key, PUBLIC_KEY_SIZE}, check.message)};
    return {.pk_seed = check.public_key,
            .signature = check.signature.data(),
            .md = digest.md,
            .idx_leaf = static_cast<uint16_t>(digest.idx_leaf),
            .idx_tree = digest.idx_tree};
}

bool RootMatches(const Root& root, const uint8_t* public_key)
{
    return std::equal(root.begin(), root.end(), public_key + N);
}

} // namespace slhc::slhdsa
