// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TOOL_SPEND_OPTIONS_H
#define SLHCONSENSUS_TOOL_SPEND_OPTIONS_H

#include <tool/command_line.h>
#include <tool/spend_spec.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace slhc::tool {

/** Which commands say what to spend. */
enum class OptionsFor {
    SPEND,   //!< with all that a witness takes
    SIGHASH, //!< without what signs, or stands for a signature
    PSBT,    //!< only what a PSBT has a place for
};

/** --nonstandard: without CheckRelay. */
void AddNonstandardFlag(CommandParser& parser, bool& nonstandard);
/** --allow-burn: without CheckBurn. */
void AddBurnFlag(CommandParser& parser, bool& allow_burn);

/** What is to be spent, as `slhtool spend`, `sighash` and `psbt create` are told: by a SPEC file, or by options for one input. */
struct SpendOptions {
    std::string spec, outpoint, amount, tree, internal_key, leaf, annex, lock_time, sequence, fee, fee_rate,
        network{NetworkName(Network::REGTEST)}, flags{"consensus"};
    std::vector<std::string> keys, signatures, preimages, witness, to, sighash;

    /** This must outlive the parser. */
    void Declare(CommandParser& parser, OptionsFor command);
    /** @throws InputError */
    SpendSpec Spec() const;

private:
    std::function<std::vector<std::string>()> m_given; //!< which options of the group were
};

/** What --key and --signature name.
 *  @throws InputError */
std::vector<std::shared_ptr<const KeyPair>> ReadKeys(const std::vector<std::string>& files);
std::vector<GivenSignature> ParseGivenSignatures(const std::vector<std::string>& texts);

/** The section of --help that describes a SPEC file. */
extern const char* const SPEC_HELP;

} // namespace slhc::tool

#endif // SLHCONSENSUS_TOOL_SPEND_OPTIONS_H
