// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TOOL_PSBT_VIEW_H
#define SLHCONSENSUS_TOOL_PSBT_VIEW_H

#include <script/address.h>
#include <tool/json.h>
#include <wallet/psbt.h>

namespace slhc::tool {

/** A PSBT in JSON, with what it lacks and what in it is not so: inputs with their leaves and signatures, outputs, fee.
 *  @throws InputError if its lock times contradict each other */
Json PSBTJson(const wallet::PartiallySignedTransaction& psbt, Network network);

} // namespace slhc::tool

#endif // SLHCONSENSUS_TOOL_PSBT_VIEW_H
