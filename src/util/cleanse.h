// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_UTIL_CLEANSE_H
#define SLHCONSENSUS_UTIL_CLEANSE_H

#include <cstddef>

namespace slhc {

/** Overwrite size bytes at data with zeros, in a way that the optimizer does not remove although nobody
 *  reads them again. For secrets that go out of scope. */
void memory_cleanse(void* data, size_t size) noexcept;

} // namespace slhc

#endif // SLHCONSENSUS_UTIL_CLEANSE_H
