// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TOOL_SECRET_TEXT_H
#define SLHCONSENSUS_TOOL_SECRET_TEXT_H

#include <optional>
#include <string_view>

namespace slhc::tool {

/** The forms in which people write down what keys derive from, and keys. */
enum class SecretForm {
    EXTENDED_KEY, //!< xprv..., anywhere in a text
    WIF,          //!< a private key as Bitcoin Core exports it, anywhere in a text
    PHRASE,       //!< 11 words or more: on lines of their own, between commas, in a numbered list
    HEX,          //!< 16 to 64 bytes, which may be a seed or a hash: on a line of their own, with 0x before them, in groups
};

/** The first of these forms that a text has, or has after an @; nothing if it has none. The text may be damaged: somebody may have lost a
 *  word, or a character. */
std::optional<SecretForm> FindSecret(std::string_view text);

} // namespace slhc::tool

#endif // SLHCONSENSUS_TOOL_SECRET_TEXT_H
