// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef BITCOIN_SLHDSA_CONFIG_H
#define BITCOIN_SLHDSA_CONFIG_H

#include <bitcoin-build-config.h> // IWYU pragma: keep

/** True if this build can verify SLH-DSA signatures (-DWITH_SLHDSA=ON). If not, nothing may set
 *  SCRIPT_VERIFY_P2MR, SCRIPT_VERIFY_SLHDSA or SCRIPT_VERIFY_SLHDSA_SETS. */
#ifdef ENABLE_SLHDSA
inline constexpr bool HAVE_SLHDSA{true};
#else
inline constexpr bool HAVE_SLHDSA{false};
#endif

#endif // BITCOIN_SLHDSA_CONFIG_H
