// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TOOL_FILE_KIND_H
#define SLHCONSENSUS_TOOL_FILE_KIND_H

#include <cstdint>
#include <span>
#include <string_view>

namespace slhc::tool {

/** What a file holds, as far as it cannot be made again once it is lost. */
enum class FileKind {
    OTHER,
    KEY,        //!< a key file
    MASTER,     //!< what keys derive from, or a key, in a form that other programs have, too (FindSecret)
    ENCRYPTED,  //!< what slhtool encrypt wrote
    BACKUP,     //!< what slhtool backup make wrote
    TABLE,      //!< what slhtool derive --table wrote; that of another signer needs that signer to be made again
    DESCRIPTOR, //!< a descriptor or a script tree, alone or in JSON
};

/** The kind of a file with this content. Of a damaged file, too: what is left of it may be worth something. Hex of the size of a seed may
 *  be something else, and counts as a seed. */
FileKind FileKindOf(std::span<const uint8_t> content);

/** Whether a text is a secret, or has one: a key file, or what keys derive from. No message repeats it. */
bool MayBeSecret(std::string_view text);

/** "a secret key", for messages. */
std::string_view FileKindName(FileKind kind);

} // namespace slhc::tool

#endif // SLHCONSENSUS_TOOL_FILE_KIND_H
