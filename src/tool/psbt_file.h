// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TOOL_PSBT_FILE_H
#define SLHCONSENSUS_TOOL_PSBT_FILE_H

#include <primitives/serialize.h>
#include <tool/error.h>
#include <wallet/psbt.h>

#include <string>
#include <string_view>

/** PSBTs as users give them. */
namespace slhc::tool {

/** Run f; an error of a PSBT out of it is thrown again as an InputError. */
template <typename F>
auto WithPSBT(F&& f)
{
    try {
        return f();
    } catch (const wallet::PSBTError& e) {
        throw InputError{e.what()};
    } catch (const ParseError& e) {
        throw InputError{e.what()};
    }
}

/** True if it begins as a PSBT does: in base64, in hex, or the bytes themselves. */
bool LooksLikePSBT(std::string_view text);

/** The PSBT that an argument stands for: one in base64 or hex, @FILE or - with one of these, or with its bytes.
 *  @throws InputError with the place where it ends to make sense */
wallet::PartiallySignedTransaction PSBTArgument(const std::string& argument);

} // namespace slhc::tool

#endif // SLHCONSENSUS_TOOL_PSBT_FILE_H
