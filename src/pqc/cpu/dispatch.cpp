// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <pqc/cpu/dispatch.h>

#include <array>

namespace slhc::slhdsa {

std::span<const CpuEngine> CpuEngines()
{
    // One line for each engine, in order of preference.
    static constexpr std::array ENGINES{
        CpuEngine{"portable", [] { return true; }, CreatePortableEngine},
    };
    return ENGINES;
}

} // namespace slhc::slhdsa
