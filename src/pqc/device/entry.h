// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_PQC_DEVICE_ENTRY_H
#define SLHCONSENSUS_PQC_DEVICE_ENTRY_H

#include <pqc/backend.h>
#include <pqc/slhdsa/params.h>

#include <array>
#include <cstdint>

namespace slhc::slhdsa {

using DeviceWord = std::array<uint8_t, 4>; //!< little-endian, as the shader reads it, on every processor

/** The part of an entry that is not the signature itself. */
struct DeviceEntryHead {
    std::array<DeviceWord, 8> midstate;     //!< SHA-256's state after the block of PK.seed
    Root mask;                              //!< zero, which masking turns into the mask
    DeviceWord tree_high;                   //!< idx_tree, bits 32 to 53
    DeviceWord tree_low;                    //!< idx_tree, bits 0 to 31
    DeviceWord leaf;                        //!< idx_leaf
    DeviceWord zero;
    std::array<DeviceWord, 8> fors_indexes; //!< one leaf per FORS tree, below 2^A, two in a word, the lower half first; the last is padding
};

/** One signature as it is uploaded; shaders/verify.comp reads the same layout, in quads of words. It does not contain PK.root.
 *
 *  Every quad is XORed with a random mask, a new one each time, and the device returns the root XORed with it. So if part of an upload does
 *  not arrive, what an earlier one left there is noise, and so is the root of another entry. */
struct DeviceEntry {
    DeviceEntryHead head;
    std::array<uint8_t, FORS_SIG_SIZE + HT_SIG_SIZE> values; //!< the signature after R, as it is
};

static_assert(sizeof(DeviceEntry) == 6 * N + FORS_SIG_SIZE + HT_SIG_SIZE);

/** Write the entry of a job, whole and masked. */
void FillEntry(DeviceEntry& entry, const RootJob& job, const Root& mask);

} // namespace slhc::slhdsa

#endif // SLHCONSENSUS_PQC_DEVICE_ENTRY_H
