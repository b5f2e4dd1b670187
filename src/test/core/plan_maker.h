// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TEST_CORE_PLAN_MAKER_H
#define SLHCONSENSUS_TEST_CORE_PLAN_MAKER_H

#include <test/core/choices.h>
#include <test/core/plan.h>
#include <test/core/spend.h>

namespace slhc::test {

/** The scope of a plan. */
enum class Scope : uint8_t {
    CORE,  //!< everything in Bitcoin Core's rules
    ALL,   //!< also P2MR outputs and the SLH-DSA opcodes
};

/** A new plan: a transaction around it, an output of some kind, a script, signatures to be made. */
Plan MakePlan(Choices& choices, Scope scope);

/** Change something in a plan and keep it consistent: hashes and roots follow when it is built again. Signatures stay unless it is built
 *  with BuildSigned. */
void MutatePlan(Plan& plan, Choices& choices);

/** Change something in a spend, whatever it breaks; sometimes the hashes that it commits to follow. */
void MutateSpend(Spend& spend, Choices& choices);

/** Change bytes: flip, set, insert, remove, repeat. Opcodes of note are likelier than other values. */
void MutateBytes(std::vector<uint8_t>& bytes, Choices& choices);

/** Change a script by instructions: drop, repeat, add, swap, or change one, or the data that it pushes.
 *  @param[in] depth  the number of times that the last push may be taken for a script itself */
void MutateScript(std::vector<uint8_t>& bytes, Choices& choices, unsigned depth);

} // namespace slhc::test

#endif // SLHCONSENSUS_TEST_CORE_PLAN_MAKER_H
