// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <pqc/capi/arguments.h>

#include <pqc/capi/error.h>

#include <algorithm>
#include <string>

namespace slhc::capi {

const slhdsa::ParameterSetEntry* FindSet(int number)
{
    const auto found{std::ranges::find_if(slhdsa::PARAMETER_SETS, [&](const slhdsa::ParameterSetEntry& entry) {
        return static_cast<int>(entry.set) == number && !slhdsa::IsForTests(entry.set);
    })};
    return found == slhdsa::PARAMETER_SETS.end() ? nullptr : &*found;
}

slhdsa::ParameterSet RequiredSet(int number)
{
    const slhdsa::ParameterSetEntry* const entry{FindSet(number)};
    if (!entry) ThrowArgument("no parameter set has the number " + std::to_string(number));
    return entry->set;
}

std::span<const uint8_t> ContextString(const slhc_bytes& ctx)
{
    const auto bytes{Bytes(ctx, "ctx.data")};
    if (bytes.size() > slhdsa::MAX_CONTEXT_SIZE) {
        ThrowArgument("ctx has " + std::to_string(bytes.size()) + " bytes; the maximum is " + std::to_string(slhdsa::MAX_CONTEXT_SIZE));
    }
    return bytes;
}

} // namespace slhc::capi
