// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TOOL_PSBT_VIEW_H
#define SLHCONSENSUS_TOOL_PSBT_VIEW_H

#include <script/address.h>
#include <tool/json.h>
#include <tool/psbt_signer.h>
#include <wallet/leaf_recipe.h>
#include <wallet/psbt.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <set>
#include <span>
#include <string>
#include <string_view>

namespace slhc::tool {

/** What a PSBT says and lacks: inputs with their leaves and signatures, outputs, fee, size, warnings, and which role comes next.
 *  @param[in] own  the viewer's own keys, if they are known: of each output it is then said what these have to do with it
 *  @throws InputError if it contradicts itself */
Json PSBTJson(const wallet::PartiallySignedTransaction& psbt, Network network, const std::set<wallet::LeafKey>& own = {});
/** The same as text. @param[in] out  standard output or standard error */
void PrintPSBT(const Json& psbt, std::FILE* out);

/** What was dropped or not used, and why. */
Json WrongFieldsJson(std::span<const wallet::PSBTWrongField> wrong);
/** A line on standard error: what a command did besides what it was asked for. */
void PrintNote(const std::string& note);

/** The signatures that are about to be made. */
Json SignaturesJson(std::span<const PSBTSignature> signatures);

} // namespace slhc::tool

#endif // SLHCONSENSUS_TOOL_PSBT_VIEW_H
