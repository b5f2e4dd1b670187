// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TOOL_SPENDER_H
#define SLHCONSENSUS_TOOL_SPENDER_H

#include <primitives/transaction.h>
#include <script/sighash.h>
#include <tool/json.h>
#include <tool/spend_file.h>
#include <tool/spend_spec.h>
#include <wallet/lock_time.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace slhc::tool {

/** A transaction that lacks nothing but signatures. Their sizes are known, and so are its weight and its fee. */
struct SpendPlan {
    struct Input {
        size_t leaf;                          //!< in its tree, from left to right
        std::vector<WitnessElement> elements; //!< the initial stack
        wallet::LockTimes lock_times;         //!< that the leaf demands
    };

    CMutableTransaction tx; //!< without witnesses
    std::vector<CTxOut> spent_outputs;
    std::vector<Input> inputs;
    int64_t weight;
    CAmount fee;

    /** Virtual bytes: weight / 4, rounded up. */
    int64_t VirtualSize() const;
};

/** Who signs. */
enum class Signers {
    HERE,   //!< the keys and signatures of the spec do, and they must suffice
    OTHERS, //!< others may, too: a PSBT goes from one to the next
};

/** Choose each input's leaf and witness; nSequence and nLockTime follow from the leaves, where the spec leaves them open.
 *  @throws InputError naming the input that cannot be spent, or what is wrong with the outputs */
SpendPlan PlanSpend(const SpendSpec& spec, Signers signers = Signers::HERE);

using wallet::LockTimes;

/** Lock times that a leaf demands.
 *  @throws InputError if no transaction can have them, e.g. both a number of blocks and a time, or a negative number */
LockTimes RequiredLockTimes(LockTimes lock_times);

/** The lock time that satisfies both.
 *  @throws InputError if one is a height and the other a time */
uint32_t LaterLockTime(uint32_t a, uint32_t b);

/** The hash that a signature signs in an input of a plan.
 *  @throws InputError if there is none: SINGLE without an output */
class SpendSignatureHasher
{
public:
    /** Both must outlive it. */
    SpendSignatureHasher(const SpendSpec& spec, const SpendPlan& plan);
    uint256 Hash(uint32_t n_in, KeyVersion key_version, uint8_t hash_type, uint32_t codeseparator_pos = 0xffffffff) const;

private:
    const SpendSpec& m_spec;
    const SpendPlan& m_plan;
    const PrecomputedTransactionData m_txdata;
};

/** The hash type of an element of an input's witness. */
uint8_t HashType(const SpendInput& input, const WitnessElement& element);

/** Everything to know before signing: inputs, outputs, lock times, size and fee. */
Json PlanJson(const SpendSpec& spec, const SpendPlan& plan);
/** The same as text on standard output. */
void PrintPlan(const Json& plan);

/** Sign a plan of this spec, each signature randomized but those of keys for experiments.
 *  @throws InputError naming the input that cannot be signed */
SpendFile SignSpend(const SpendSpec& spec, const SpendPlan& plan);

} // namespace slhc::tool

#endif // SLHCONSENSUS_TOOL_SPENDER_H
