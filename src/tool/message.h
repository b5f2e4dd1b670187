// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TOOL_MESSAGE_H
#define SLHCONSENSUS_TOOL_MESSAGE_H

#include <tool/command_line.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace slhc::tool {

/** The options that say which message is signed or verified, and its FIPS 205 context. */
class MessageOptions
{
public:
    void Declare(CommandParser& parser);

    /** @throws InputError */
    std::vector<uint8_t> Message() const;
    std::vector<uint8_t> Context() const;

private:
    std::string m_hex, m_file, m_context;
    std::optional<std::string> m_text;
};

} // namespace slhc::tool

#endif // SLHCONSENSUS_TOOL_MESSAGE_H
