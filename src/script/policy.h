// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_SCRIPT_POLICY_H
#define SLHCONSENSUS_SCRIPT_POLICY_H

#include <primitives/transaction.h>
#include <script/script.h>
#include <script/solver.h>
#include <script/verify_flags.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

/** Standardness: what a node relays and mines by default, beyond what is valid. Bitcoin Core's rules, with P2MR
 *  (BIP 360, once P2TSH) beside P2TR. */
namespace slhc {

inline constexpr int64_t MAX_STANDARD_TX_WEIGHT{400'000};
inline constexpr uint32_t TX_MIN_STANDARD_VERSION{1};
inline constexpr uint32_t TX_MAX_STANDARD_VERSION{3};
inline constexpr size_t MAX_STANDARD_SCRIPTSIG_SIZE{1650};
/** Signature checks in a P2SH redeem script. */
inline constexpr unsigned MAX_P2SH_SIGOPS{15};
/** Signature checks of a transaction that aren't in witnesses (BIP 54). */
inline constexpr unsigned MAX_TX_LEGACY_SIGOPS{2'500};
inline constexpr size_t MAX_STANDARD_P2WSH_SCRIPT_SIZE{3600};
inline constexpr size_t MAX_STANDARD_P2WSH_STACK_ITEMS{100};
inline constexpr size_t MAX_STANDARD_P2WSH_STACK_ITEM_SIZE{80};
/** Bytes of a stack item of a tapscript, but for SLH-DSA signatures where the script checks such. */
inline constexpr size_t MAX_STANDARD_TAPSCRIPT_STACK_ITEM_SIZE{80};
/** All OP_RETURN outputs of a transaction together. */
inline constexpr size_t MAX_OP_RETURN_RELAY{100'000};
/** Outputs below the dust threshold that a transaction may have. */
inline constexpr size_t MAX_DUST_OUTPUTS_PER_TX{1};
/** Satoshis per 1000 virtual bytes, from which the dust threshold follows. */
inline constexpr CAmount DUST_RELAY_TX_FEE{3000};

/** What a node's owner may choose. */
struct StandardnessOptions {
    size_t max_datacarrier_bytes{MAX_OP_RETURN_RELAY};
    bool permit_bare_multisig{true};
    CAmount dust_relay_fee{DUST_RELAY_TX_FEE}; //!< satoshis per 1000 virtual bytes
};

/** Whether an output's form is standard; bare multisignatures have 3 keys at most. @param[out] type  what it is */
[[nodiscard]] bool IsStandard(const CScript& script_pub_key, TxoutType& type);

/** The value below which an output costs more to spend than it holds. */
[[nodiscard]] CAmount GetDustThreshold(const CTxOut& txout, CAmount dust_relay_fee = DUST_RELAY_TX_FEE);

/** Version, weight, scriptSigs and outputs of a transaction.
 *  @param[out] reason  Bitcoin Core's word for what isn't standard, e.g. "scriptpubkey" */
[[nodiscard]] bool IsStandardTx(const CTransaction& tx, const StandardnessOptions& options, std::string& reason);

/** What a transaction spends, witnesses aside: known kinds of outputs, and not too many signature checks.
 *  @param[in] spent_outputs  one for each input, in order
 *  @param[out] reason        one line naming the input */
[[nodiscard]] bool AreInputsStandard(const CTransaction& tx, std::span<const CTxOut> spent_outputs, std::string& reason);

/** The witnesses: where there may be one, and sizes. Spends of P2TR and P2MR have no annex, and stack items of
 *  tapscripts at most 80 bytes, or exactly those of an SLH-DSA signature if the leaf has one of the two opcodes.
 *  @param[in] spent_outputs  one for each input, in order
 *  @param[out] reason        one line naming the input */
[[nodiscard]] bool IsWitnessStandard(const CTransaction& tx, std::span<const CTxOut> spent_outputs, std::string& reason);

} // namespace slhc

#endif // SLHCONSENSUS_SCRIPT_POLICY_H
