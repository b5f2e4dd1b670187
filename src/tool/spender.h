// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TOOL_SPENDER_H
#define SLHCONSENSUS_TOOL_SPENDER_H

#include <primitives/transaction.h>
#include <script/script_tree.h>
#include <tool/spend_file.h>
#include <tool/terminal.h>
#include <tool/witness_plan.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace slhc::tool {

/** A P2MR coin and how it is to be spent. */
struct SpendInput {
    COutPoint outpoint;
    CAmount amount;
    ScriptTree tree;
    std::optional<size_t> leaf;                        //!< none: the first that the keys can spend
    std::vector<std::shared_ptr<const KeyPair>> keys;
    std::vector<std::vector<uint8_t>> preimages;
    std::optional<std::vector<WitnessElement>> witness; //!< instead of what PlanWitness finds
    uint8_t hash_type{0};
    std::vector<uint8_t> annex;                        //!< empty: none; else its first byte is 0x50
    uint32_t sequence{CTxIn::MAX_SEQUENCE_NONFINAL};
};

/** A transaction to be built. */
struct SpendSpec {
    uint32_t version{2};
    uint32_t lock_time{0};
    std::vector<SpendInput> inputs;
    std::vector<CTxOut> outputs;
    uint64_t flags;
    std::string description;
};

/** The spec in a JSON file, see `slhtool spend --help`. Files that it names are relative to the working directory.
 *  @throws InputError */
SpendSpec ReadSpendSpec(const std::string& path);

/** Build the transaction and sign it, each signature randomized.
 *  @param[in] progress  told of each input that is signed; may be null
 *  @throws InputError naming the input that cannot be signed */
SpendFile BuildSpend(const SpendSpec& spec, Progress* progress = nullptr);

} // namespace slhc::tool

#endif // SLHCONSENSUS_TOOL_SPENDER_H
