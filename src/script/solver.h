// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_SCRIPT_SOLVER_H
#define SLHCONSENSUS_SCRIPT_SOLVER_H

#include <script/script.h>

#include <cstdint>
#include <string_view>
#include <vector>

/** What kind of output a scriptPubKey is. */
namespace slhc {

enum class TxoutType {
    NONSTANDARD,
    ANCHOR,                //!< P2A
    PUBKEY,
    PUBKEYHASH,
    SCRIPTHASH,            //!< P2SH
    MULTISIG,              //!< bare
    NULL_DATA,             //!< OP_RETURN and pushes
    WITNESS_V0_SCRIPTHASH,
    WITNESS_V0_KEYHASH,
    WITNESS_V1_TAPROOT,
    WITNESS_V2_P2MR,       //!< BIP 360, once P2TSH
    WITNESS_UNKNOWN,       //!< versions and sizes without a meaning yet
};

/** A short name, in Bitcoin Core's manner, e.g. "witness_v1_taproot", "witness_v2_p2mr". */
[[nodiscard]] std::string_view GetTxnOutputType(TxoutType type) noexcept;

/** Recognize a scriptPubKey.
 *  @param[out] solutions  what is variable in it: keys, hashes or programs; for MULTISIG one byte m, the keys, one
 *                         byte n; for WITNESS_UNKNOWN one byte of version, and the program; nothing for
 *                         NONSTANDARD, NULL_DATA and ANCHOR */
[[nodiscard]] TxoutType Solver(const CScript& script_pub_key, std::vector<std::vector<uint8_t>>& solutions);

} // namespace slhc

#endif // SLHCONSENSUS_SCRIPT_SOLVER_H
