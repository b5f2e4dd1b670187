// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TOOL_PSBT_VERBS_H
#define SLHCONSENSUS_TOOL_PSBT_VERBS_H

#include <script/address.h>
#include <tool/command_line.h>
#include <tool/network.h>
#include <tool/output_file.h>
#include <tool/spend_options.h>

#include <functional>
#include <string>
#include <vector>

/** What `slhtool psbt` does, verb by verb. */
namespace slhc::tool {

/** What a verb of `slhtool psbt` is told. */
struct PSBTOptions {
    SpendOptions spend;
    std::vector<std::string> psbts, keys, signatures, previous_txs, preimages;
    std::string psbt, version{"0"}, convert_to, network{NetworkName(Network::REGTEST)}, sighash, tree, internal_key, input, output,
        leaf, amount;
    OutputFile out;
    bool yes{false}, any_fee{false}, nonstandard{false}, allow_burn{false}, despite_invalid{false}, drop_invalid{false}, unchecked{false},
        json{false};
    std::function<ExitStatus()> verb;
};

// Each throws InputError.
ExitStatus CreatePSBT(const PSBTOptions& options);
ExitStatus UpdatePSBT(const PSBTOptions& options);
ExitStatus SignPSBT(const PSBTOptions& options);
ExitStatus CombinePSBT(const PSBTOptions& options);
ExitStatus FinalizePSBT(const PSBTOptions& options);
ExitStatus ExtractPSBT(const PSBTOptions& options);
ExitStatus ShowPSBT(const PSBTOptions& options);

} // namespace slhc::tool

#endif // SLHCONSENSUS_TOOL_PSBT_VERBS_H
