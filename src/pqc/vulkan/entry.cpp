// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <pqc/vulkan/entry.h>

#include <pqc/encoding.h>
#include <pqc/hash_functions.h>

#include <algorithm>

namespace slhc::slhdsa::vulkan {

void FillEntry(Entry& entry, const RootJob& job, const Root& mask)
{
    entry.midstate = HashContext{NodeView{job.pk_seed, N}}.SeedState();
    entry.mask = mask;
    entry.tree_high = static_cast<uint32_t>(job.idx_tree >> 32);
    entry.tree_low = static_cast<uint32_t>(job.idx_tree);
    entry.leaf = job.idx_leaf;
    entry.zero = 0;
    const std::array<uint32_t, K> indexes{base_2b<A, K>(job.md)};
    entry.fors_indexes = {};
    for (size_t i = 0; i < K; ++i) entry.fors_indexes[i] = static_cast<uint16_t>(indexes[i]);
    std::copy_n(job.signature + N, entry.values.size(), entry.values.begin());
}

} // namespace slhc::slhdsa::vulkan
