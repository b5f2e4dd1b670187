// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef BITCOIN_SLHDSA_NODE_H
#define BITCOIN_SLHDSA_NODE_H

#include <util/result.h>

class ArgsManager;
class ChainstateManager;

/** The module's options, and its start with the node. */
namespace slhdsa {

void AddOptions(ArgsManager& args);

/** Read the options, and on a chain where P2MR may become active, make the module's context: what is wrong with
 *  either ends the node's start. To be called once, before the first block is validated. */
[[nodiscard]] util::Result<void> StartModule(const ArgsManager& args, ChainstateManager& chainman);

} // namespace slhdsa

#endif // BITCOIN_SLHDSA_NODE_H
