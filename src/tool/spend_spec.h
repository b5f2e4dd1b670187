// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TOOL_SPEND_SPEC_H
#define SLHCONSENSUS_TOOL_SPEND_SPEC_H

#include <primitives/transaction.h>
#include <script/address.h>
#include <script/script_tree.h>
#include <script/verify_flags.h>
#include <tool/command_line.h>
#include <tool/witness_plan.h>
#include <wallet/psbt_updater.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

/** The transaction that is wanted: as `slhtool spend` is told by its options or by a file. */
namespace slhc::tool {

/** Fee rates are in satoshis per 1000 virtual bytes, as in Bitcoin Core; people write satoshis per virtual byte. */
inline constexpr int64_t FEE_RATE_UNIT{1000};
inline constexpr int64_t DEFAULT_FEE_RATE{2 * FEE_RATE_UNIT};

/** A signature that somebody else made, without the hash type or with it. */
struct GivenSignature {
    std::vector<uint8_t> public_key;
    std::vector<uint8_t> signature;
};

/** A P2MR or P2TR coin and how it is to be spent. */
struct SpendInput {
    COutPoint outpoint;
    CAmount amount;
    ScriptTree tree;
    wallet::InternalKey internal_key{};                   //!< of a P2TR coin; none: P2MR
    std::optional<size_t> leaf{};                         //!< none: the first that the keys can spend
    std::vector<std::shared_ptr<const KeyPair>> keys{};
    std::vector<GivenSignature> signatures{};
    std::vector<std::vector<uint8_t>> preimages{};
    std::optional<std::vector<WitnessElement>> witness{}; //!< instead of what PlanWitness finds
    uint8_t hash_type{0};
    std::vector<uint8_t> annex{};                         //!< empty: none; else its first byte is 0x50
    std::optional<uint32_t> sequence{};                   //!< none: what the leaf demands
};

/** A transaction to be built. */
struct SpendSpec {
    uint32_t version{2};
    std::optional<uint32_t> lock_time; //!< none: what the leaves demand
    std::vector<SpendInput> inputs;
    std::vector<CTxOut> outputs;
    std::optional<size_t> rest;        //!< the output that gets what the others and the fee leave; its amount is not looked at
    std::optional<CAmount> fee;        //!< what `rest` leaves; none: by fee_rate
    int64_t fee_rate{DEFAULT_FEE_RATE};
    Network network{Network::REGTEST}; //!< whose addresses are meant
    std::optional<script_verify_flags> flags{}; //!< none: RulesFor() it
    std::string description;
};

/** A public key as ParseScriptKey takes it, of BIP 340.
 *  @throws InputError */
wallet::InternalKey ParseInternalKey(const std::string& text);

/** Which commands say what to spend. */
enum class OptionsFor {
    SPEND,   //!< with all that a witness takes
    SIGHASH, //!< without what signs, or stands for a signature
    PSBT,    //!< only what a PSBT has a place for
};

/** The spend that `slhtool spend`, `sighash` and `psbt create` are told of: by a SPEC file, or by options for one input. */
struct SpendOptions {
    std::string spec, outpoint, amount, tree, internal_key, leaf, annex, lock_time, sequence, fee, fee_rate,
        network{NetworkName(Network::REGTEST)}, flags, sighash{"DEFAULT"};
    std::vector<std::string> keys, signatures, preimages, witness, to;

    /** This must outlive the parser. */
    void Declare(CommandParser& parser, OptionsFor command);
    /** @throws InputError */
    SpendSpec Spec() const;

private:
    std::function<std::vector<std::string>()> m_given; //!< which options of the group were
};

/** The keys in the files that --key names.
 *  @throws InputError */
std::vector<std::shared_ptr<const KeyPair>> ReadKeys(const std::vector<std::string>& files);

/** The section of --help that describes a SPEC file, with what the command takes. */
std::string SpecHelp(OptionsFor command);

} // namespace slhc::tool

#endif // SLHCONSENSUS_TOOL_SPEND_SPEC_H
