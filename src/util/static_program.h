// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_UTIL_STATIC_PROGRAM_H
#define SLHCONSENSUS_UTIL_STATIC_PROGRAM_H

namespace slhc {

/** True if this program was linked statically (-static, -static-pie). dlopen() can be called there and yields libraries
 *  that bring a second C library along, and crash. */
[[nodiscard]] bool IsStaticProgram() noexcept;

} // namespace slhc

#endif // SLHCONSENSUS_UTIL_STATIC_PROGRAM_H
