// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <pqc/device/entry.h>

#include <crypto/endian.h>
#include <pqc/slhdsa/encoding.h>
#include <pqc/slhdsa/hash_functions.h>
#include <util/check.h>

#include <array>
#include <cstdint>
#include <cstring>

namespace slhc::slhdsa {

namespace {

/** out = in XOR mask, in every quad. What is written may be a device's memory: in order, each quad once, none is read. */
void WriteMasked(void* out, const void* in, size_t size, const Root& mask)
{
    std::array<uint64_t, 2> mask_words;
    static_assert(sizeof(mask_words) == sizeof(mask));
    std::memcpy(mask_words.data(), mask.data(), sizeof(mask));
    for (size_t i = 0; i < size; i += sizeof(mask)) {
        std::array<uint64_t, 2> quad;
        std::memcpy(quad.data(), static_cast<const uint8_t*>(in) + i, sizeof(quad));
        quad[0] ^= mask_words[0];
        quad[1] ^= mask_words[1];
        std::memcpy(static_cast<uint8_t*>(out) + i, quad.data(), sizeof(quad));
    }
}

} // namespace

void FillEntry(std::span<uint8_t> entry, const RootJob& job, const Root& mask)
{
    DeviceEntryHead head{};
    const HashContext hash{NodeView{job.pk_seed, N}};
    for (size_t i = 0; i < head.midstate.size(); ++i) WriteLE32(head.midstate[i].data(), hash.SeedState()[i]);
    WriteLE32(head.tree_high.data(), static_cast<uint32_t>(job.idx_tree >> 32));
    WriteLE32(head.tree_low.data(), static_cast<uint32_t>(job.idx_tree));
    WriteLE32(head.leaf.data(), job.idx_leaf);
    WriteMasked(entry.data(), &head, sizeof(head), mask);
    WithParams(job.set, [&]<Params P>() {
        assert(entry.size() == DeviceEntry::Size(P));
        std::array<DeviceWord, (P.k + 3) / 4 * 4> words{};
        const auto indexes{base_2b<P.a, P.k>(std::span{job.md}.template first<P.MdSize()>())};
        for (size_t i = 0; i < P.k; ++i) WriteLE32(words[i].data(), indexes[i]);
        WriteMasked(entry.data() + DeviceEntry::INDEXES_AT, words.data(), sizeof(words), mask);
        WriteMasked(entry.data() + DeviceEntry::ValuesAt(P), job.signature + N, P.SignatureSize() - N, mask);
    });
}

} // namespace slhc::slhdsa
