// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_UTIL_RANDOM_H
#define SLHCONSENSUS_UTIL_RANDOM_H

#include <cstdint>
#include <span>

namespace slhc {

/** Fill bytes from the operating system's random generator. There is no fallback: if the system fails, this throws std::system_error.
 *  Thread-safe. */
void GetStrongRandBytes(std::span<uint8_t> bytes);

} // namespace slhc

#endif // SLHCONSENSUS_UTIL_RANDOM_H
