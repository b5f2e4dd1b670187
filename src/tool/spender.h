// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TOOL_SPENDER_H
#define SLHCONSENSUS_TOOL_SPENDER_H

#include <primitives/transaction.h>
#include <tool/json.h>
#include <tool/spend_file.h>
#include <tool/spend_spec.h>

#include <cstdint>
#include <vector>

namespace slhc::tool {

/** A transaction that lacks nothing but signatures. Their sizes are known, and so are its weight and its fee. */
struct SpendPlan {
    struct Input {
        size_t leaf;                          //!< in its tree, from left to right
        std::vector<WitnessElement> elements; //!< the initial stack
    };

    CMutableTransaction tx; //!< without witnesses
    std::vector<CTxOut> spent_outputs;
    std::vector<Input> inputs;
    int64_t weight;
    CAmount fee;

    /** Virtual bytes: weight / 4, rounded up. */
    int64_t VirtualSize() const;
    /** Satoshis per virtual byte. */
    double FeeRate() const { return static_cast<double>(fee) / static_cast<double>(VirtualSize()); }
};

/** Choose each input's leaf and witness; nSequence and nLockTime follow from the leaves, where the spec leaves them open.
 *  @throws InputError naming the input that cannot be spent, or what is wrong with the outputs */
SpendPlan PlanSpend(const SpendSpec& spec);

/** @throws InputError for a fee that hardly anybody means: below what nodes relay, or more than a quarter of what is spent */
void CheckFee(const SpendPlan& plan);

/** What there is to know before signing: inputs, outputs, lock times, size and fee. */
Json PlanJson(const SpendSpec& spec, const SpendPlan& plan);
/** The same as text on standard output. */
void PrintPlan(const Json& plan);

/** Sign a plan of this spec, each signature randomized.
 *  @throws InputError naming the input that cannot be signed */
SpendFile SignSpend(const SpendSpec& spec, const SpendPlan& plan);

} // namespace slhc::tool

#endif // SLHCONSENSUS_TOOL_SPENDER_H
