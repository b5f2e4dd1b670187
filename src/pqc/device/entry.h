// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_PQC_DEVICE_ENTRY_H
#define SLHCONSENSUS_PQC_DEVICE_ENTRY_H

#include <pqc/backend.h>
#include <pqc/slhdsa/params.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace slhc::slhdsa {

using DeviceWord = std::array<uint8_t, 4>; //!< little-endian, as the shader reads it, on every processor

/** The first part of an entry. */
struct DeviceEntryHead {
    std::array<DeviceWord, 8> midstate;     //!< SHA-256's state after the block of PK.seed
    Root mask;                              //!< zero, which masking turns into the mask
    DeviceWord tree_high;                   //!< idx_tree, bits 32 to 63
    DeviceWord tree_low;                    //!< idx_tree, bits 0 to 31
    DeviceWord leaf;                        //!< idx_leaf
    DeviceWord zero;
};

/** One signature as it is uploaded; shaders/verify.comp reads the same layout, in quads of words. The head comes first, then one word for
 *  each FORS tree, its leaf, and zeros up to a whole quad, then the signature after R, as it is. It does not contain PK.root.
 *
 *  Every quad is XORed with a random mask, a new one each time, and the device returns the root XORed with it. So if part of an upload does
 *  not arrive, what an earlier one left there is noise, and so is the root of another entry. */
struct DeviceEntry {
    static constexpr size_t INDEXES_AT{sizeof(DeviceEntryHead)};
    [[nodiscard]] static constexpr size_t ValuesAt(const Params& p) { return INDEXES_AT + (p.k + 3) / 4 * N; }
    [[nodiscard]] static constexpr size_t Size(const Params& p) { return ValuesAt(p) + p.SignatureSize() - N; }
};

static_assert(sizeof(DeviceEntryHead) == 4 * N);

/** Write the entry of a job, whole and masked.
 *  @param[out] entry  DeviceEntry::Size() bytes */
void FillEntry(std::span<uint8_t> entry, const RootJob& job, const Root& mask);

} // namespace slhc::slhdsa

#endif // SLHCONSENSUS_PQC_DEVICE_ENTRY_H
