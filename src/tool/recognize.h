// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TOOL_RECOGNIZE_H
#define SLHCONSENSUS_TOOL_RECOGNIZE_H

#include <string_view>

namespace slhc::tool {

/** What data is, if it can be told from the data alone. */
enum class DataKind { ADDRESS, SCRIPT, WITNESS, CONTROL_BLOCK, TX };

/** The word for it on the command line: "control-block". */
std::string_view DataKindName(DataKind kind);

/** Whether it begins as a segwit address of any network does. */
bool LooksLikeAddress(std::string_view text);

/** @throws InputError that says what an address looks like, unless this does. @param[in] instead  what else there is to give */
void RequireAddress(std::string_view text, std::string_view instead = "");

/** Find out what a text is: hex, an address, a readable script, or JSON with a transaction.
 *  @throws InputError saying what it may be, if that is several things, or which command is for it, if it is none of these */
DataKind RecognizeData(std::string_view text);

} // namespace slhc::tool

#endif // SLHCONSENSUS_TOOL_RECOGNIZE_H
