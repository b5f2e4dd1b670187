// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <pqc/judge.h>

#include <pqc/cpu/dispatch.h>
#include <pqc/slhdsa.h>

#include <algorithm>
#include <span>

namespace slhc::slhdsa {

RootJob PrepareRootJob(const Check& check)
{
    const MessageDigest digest{DigestMessage(std::span<const uint8_t, N>{check.signature, N},
                                             std::span<const uint8_t, PUBLIC_KEY_SIZE>{check.public_key, PUBLIC_KEY_SIZE}, check.message)};
    return {.pk_seed = check.public_key, .signature = check.signature, .md = digest.md, .idx_leaf = digest.idx_leaf, .idx_tree = digest.idx_tree};
}

bool RootMatches(const Root& root, const uint8_t* public_key)
{
    return std::equal(root.begin(), root.end(), public_key + N);
}

bool VerifyOn(RootBackend& cpu_engine, const Check& check)
{
    const RootJob job{PrepareRootJob(check)};
    Root root;
    // The portable engine is scalar code on the stack: it has no way to fail.
    if (cpu_engine.ComputeRoots({&job, 1}, {&root, 1}) != BackendStatus::OK) (void)CreatePortableEngine()->ComputeRoots({&job, 1}, {&root, 1});
    return RootMatches(root, check.public_key);
}

} // namespace slhc::slhdsa
