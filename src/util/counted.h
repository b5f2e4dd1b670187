// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_UTIL_COUNTED_H
#define SLHCONSENSUS_UTIL_COUNTED_H

#include <cstdint>
#include <string>
#include <string_view>

namespace slhc {

/** "1 byte", "2 bytes". @param[in] thing  in the singular; an s makes it many */
inline std::string Counted(int64_t n, std::string_view thing)
{
    return std::to_string(n).append(" ").append(thing).append(n == 1 ? "" : "s");
}

} // namespace slhc

#endif // SLHCONSENSUS_UTIL_COUNTED_H
