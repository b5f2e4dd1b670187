// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef BITCOIN_SLHDSA_POLICY_H
#define BITCOIN_SLHDSA_POLICY_H

#include <script/verify_flags.h>

class CScriptWitness;

/** What is relayed and mined once P2MR is active in the next block. */
namespace slhdsa {

/** The flags that a transaction must comply with to enter the mempool.
 *  @param[in] standard  Core's own
 *  @param[in] active    whether P2MR and the opcodes are active in the next block */
[[nodiscard]] script_verify_flags PolicyFlags(script_verify_flags standard, bool active);

/** Whether the witness of a spend that the module judges (see IsHandedOver) is standard: no annex, and in tapscripts no
 *  stack item over 80 bytes, but for those that have exactly the size of an SLH-DSA signature where the leaf script
 *  has one of the opcodes. */
[[nodiscard]] bool IsWitnessStandard(const CScriptWitness& witness);

} // namespace slhdsa

#endif // BITCOIN_SLHDSA_POLICY_H
