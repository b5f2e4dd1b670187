// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_PQC_DEVICE_SHARE_OUT_H
#define SLHCONSENSUS_PQC_DEVICE_SHARE_OUT_H

#include <pqc/backend.h>

#include <cstddef>
#include <span>
#include <vector>

namespace slhc::slhdsa {

/** Cut n signatures into a part for each device, so that all of them end at about the same time, as early as possible: a device that is
 *  too slow for so few gets none.
 *  @param[in] paces  of the devices, at least one
 *  @return a part for each, n in all */
[[nodiscard]] std::vector<size_t> ShareOut(size_t n, std::span<const Pace> paces);

} // namespace slhc::slhdsa

#endif // SLHCONSENSUS_PQC_DEVICE_SHARE_OUT_H
