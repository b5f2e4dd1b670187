// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TEST_DEVICE_ENTRY_H
#define SLHCONSENSUS_TEST_DEVICE_ENTRY_H

#include <crypto/endian.h>
#include <pqc/device/entry.h>
#include <pqc/slhdsa/slhdsa.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

/** The device's side of an entry: read as the shader does, and the scalar code does the rest. */
namespace slhc::slhdsa {

/** The index of the mask among an entry's quads. */
inline constexpr size_t MASK_QUAD{offsetof(DeviceEntryHead, mask) / N};

/** What an honest device makes of an entry: the root, masked.
 *  @param[in] masked  DeviceEntry::Size() bytes */
inline Root MaskedRoot(ParameterSet set, std::span<const uint8_t> masked)
{
    return WithParams(set, [&]<Params P>() {
        std::array<uint8_t, DeviceEntry::Size(P)> entry;
        for (size_t i = 0; i < entry.size(); ++i) entry[i] = masked[i] ^ masked[MASK_QUAD * N + i % N];
        DeviceEntryHead head;
        std::memcpy(&head, entry.data(), sizeof(head));
        MessageDigestOf<P> digest{.md = {},
                                  .idx_tree = uint64_t{ReadLE32(head.tree_high.data())} << 32 | ReadLE32(head.tree_low.data()),
                                  .idx_leaf = ReadLE32(head.leaf.data())};
        for (size_t bit = 0; bit < P.k * P.a; ++bit) {
            const uint32_t index{ReadLE32(&entry[DeviceEntry::INDEXES_AT + bit / P.a * sizeof(DeviceWord)])};
            if (index >> (P.a - 1 - bit % P.a) & 1) digest.md[bit / 8] |= static_cast<uint8_t>(0x80 >> (bit % 8));
        }
        SignatureOf<P> signature{};
        std::copy(entry.begin() + DeviceEntry::ValuesAt(P), entry.end(), signature.begin() + N);
        sha256::State midstate;
        for (size_t i = 0; i < midstate.size(); ++i) midstate[i] = ReadLE32(head.midstate[i].data());
        Root root{slh_rootFromSig<P>(HashContext{midstate}, digest, signature)};
        for (size_t i = 0; i < N; ++i) root[i] ^= masked[MASK_QUAD * N + i];
        return root;
    });
}

} // namespace slhc::slhdsa

#endif // SLHCONSENSUS_TEST_DEVICE_ENTRY_H
