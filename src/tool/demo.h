// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TOOL_DEMO_H
#define SLHCONSENSUS_TOOL_DEMO_H

#include <tool/keys.h>
#include <tool/spend_file.h>

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace slhc::tool {

/** What `slhtool demo` makes: keys, coins on four P2MR trees, and transactions that spend them. */
struct DemoSet {
    std::vector<std::pair<std::string, std::shared_ptr<const KeyPair>>> keys; //!< by owner's name
    std::vector<std::pair<std::string, std::string>> trees;                   //!< name and text
    std::vector<uint8_t> funding_tx;
    std::vector<SpendFile> spends;
    SpendFile tampered; //!< one bit of one SLH-DSA signature changed
    unsigned tampered_input;
};

/** Make it all, from fresh randomness.
 *  @param[in] transactions  how many; at least 1 */
DemoSet MakeDemo(size_t transactions);

/** See that the folder is empty, absent, or that of an earlier demo.
 *  @throws InputError if it holds something else */
void CheckDemoFolder(const std::filesystem::path& folder);

/** Write keys/, trees/, spends/, funding.hex, tampered.json and README.txt to a folder, in place of those of an earlier demo, and set
 *  each SpendFile's name to its file.
 *  @throws InputError, also as CheckDemoFolder */
void WriteDemo(DemoSet& demo, const std::filesystem::path& folder);

} // namespace slhc::tool

#endif // SLHCONSENSUS_TOOL_DEMO_H
