// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TOOL_PSBT_FILE_H
#define SLHCONSENSUS_TOOL_PSBT_FILE_H

#include <tool/error.h>
#include <tool/json.h>
#include <tool/output_file.h>
#include <tool/spender.h>
#include <wallet/psbt.h>

#include <cstdint>
#include <string>
#include <string_view>

/** PSBTs as users give and get them. */
namespace slhc::tool {

/** Run f; a PSBTError out of it is thrown again as an InputError. */
template <typename F>
auto WithPSBT(F&& f)
{
    try {
        return f();
    } catch (const wallet::PSBTError& e) {
        throw InputError{e.what()};
    }
}

/** Whether it begins as a PSBT does: in base64, in hex, or the bytes themselves. */
bool LooksLikePSBT(std::string_view text);

/** The PSBT that text spells: base64, hex, or the bytes themselves.
 *  @throws InputError with the place where it ends to make sense */
wallet::PartiallySignedTransaction ParsePSBT(std::string_view text);

/** The PSBT that an argument stands for: one in base64 or hex, @FILE or - with one of these, or with its bytes.
 *  @throws InputError */
wallet::PartiallySignedTransaction PSBTArgument(const std::string& argument);

/** Print a PSBT in base64, or write it to a file.
 *  @param[in] out      empty: print it
 *  @param[in] json     print a JSON object: `summary` with "psbt" or "file" first
 *  @param[in] summary  what else there is to say */
void WritePSBT(const wallet::PartiallySignedTransaction& psbt, const OutputFile& out, bool json, const Json& summary);

/** The same for one that was just made by a plan, which is shown: as text where the PSBT goes to a file.
 *  @param[in] plan  what PlanJson says; "exact" is added: whether its weight does not depend on who signs and on a preimage's size */
void WritePlannedPSBT(const wallet::PartiallySignedTransaction& psbt, const OutputFile& out, bool json, Json plan);

/** The PSBT of a plan: what is spent, the leaf of each input, preimages, and hash types other than DEFAULT.
 *  @param[in] version  0 or 2
 *  @throws InputError for what no PSBT can say: an annex, a witness given by hand */
wallet::PartiallySignedTransaction MakePSBT(const SpendSpec& spec, const SpendPlan& plan, uint32_t version);

} // namespace slhc::tool

#endif // SLHCONSENSUS_TOOL_PSBT_FILE_H
