// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TEST_CORE_SPEND_H
#define SLHCONSENSUS_TEST_CORE_SPEND_H

#include <primitives/transaction.h>
#include <primitives/uint256.h>
#include <script/verify_flags.h>
#include <test/core/choices.h>

#include <cstdint>
#include <string>
#include <vector>

namespace slhc::test {

/** A transaction, its spent outputs, and the input that a test case is about. */
struct Spend {
    CMutableTransaction tx;
    std::vector<CTxOut> spent; //!< one for each input
    uint32_t n_in{0};
};

/** Everything about it as `slhtool verify-tx` and `slhtool debug` read it; the input's index is in the description.
 *  One line. */
std::string SpendToJson(const Spend& spend, script_verify_flags flags);

enum class SignatureKind : uint8_t { ECDSA, SCHNORR, SLHDSA };

/** Make the commitments of input n_in's spent output fit the scripts that the spend reveals: the hash of a redeem script, of a witness
 *  script, or both; the root of a P2MR tree. */
void FixCommitments(Spend& spend);

/** All of Bitcoin Core's flags. */
inline constexpr script_verify_flags CORE_FLAGS{
    script_verify_flags::from_int((script_verify_flags::value_type{1} << static_cast<int>(SCRIPT_VERIFY_P2MR)) - 1)};

/** This module's. */
inline constexpr script_verify_flags OWN_FLAGS{SCRIPT_VERIFY_P2MR | SCRIPT_VERIFY_SLHDSA | SCRIPT_VERIFY_SLHDSA_SETS};

/** Those of Bitcoin Core's that blocks must obey. */
inline constexpr script_verify_flags CONSENSUS_FLAGS{MANDATORY_SCRIPT_VERIFY_FLAGS & CORE_FLAGS};

/** Those that refuse anything that a later soft fork may define: with one of them, a flag of this module can make an invalid input
 *  valid. */
inline constexpr script_verify_flags DISCOURAGE_FLAGS{
    SCRIPT_VERIFY_DISCOURAGE_UPGRADABLE_NOPS | SCRIPT_VERIFY_DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM |
    SCRIPT_VERIFY_DISCOURAGE_UPGRADABLE_TAPROOT_VERSION | SCRIPT_VERIFY_DISCOURAGE_OP_SUCCESS |
    SCRIPT_VERIFY_DISCOURAGE_UPGRADABLE_PUBKEYTYPE};

/** Flags that VerifyScript takes, of Bitcoin Core's 21: near consensus, near standardness, or any. */
script_verify_flags SomeFlags(Choices& choices);

/** All of this module's flags, mostly; or fewer, or none. */
script_verify_flags SomeOwnFlags(Choices& choices);

/** The same flags without those that need a missing one (WITNESS without P2SH, CLEANSTACK without WITNESS). */
script_verify_flags WithoutUngrounded(script_verify_flags flags);

} // namespace slhc::test

#endif // SLHCONSENSUS_TEST_CORE_SPEND_H
