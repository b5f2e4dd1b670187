// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_PRIMITIVES_AMOUNT_H
#define SLHCONSENSUS_PRIMITIVES_AMOUNT_H

#include <cstdint>

namespace slhc {

/** An amount in satoshis; negative values can be serialized and are never valid. */
using CAmount = int64_t;

inline constexpr CAmount COIN{100'000'000};

/** No amount of a valid transaction is larger. It is a limit on values, consensus-critical, and not the money supply. */
inline constexpr CAmount MAX_MONEY{21'000'000 * COIN};

[[nodiscard]] constexpr bool MoneyRange(CAmount value) noexcept { return value >= 0 && value <= MAX_MONEY; }

} // namespace slhc

#endif // SLHCONSENSUS_PRIMITIVES_AMOUNT_H
