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
    return WithParams(check.set, [&]<Params P>() {
        const MessageDigestOf<P> digest{DigestMessage<P>(
            check.signature.first<N>(), std::span<const uint8_t, PUBLIC_KEY_SIZE>{check.public_key, PUBLIC_KEY_SIZE}, check.message)};
        RootJob job{.pk_seed = check.public_key,
                    .signature = check.signature.data(),
                    .md{},
                    .set = check.set,
                    .idx_leaf = digest.idx_leaf,
                    .idx_tree = digest.idx_tree};
        std::ranges::copy(digest.md, job.md.begin());
        return job;
    });
}

bool RootMatches(const Root& root, const uint8_t* public_key)
{
    return std::equal(root.begin(), root.end(), public_key + N);
}

} // namespace slhc::slhdsa
