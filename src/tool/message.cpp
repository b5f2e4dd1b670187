// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <tool/message.h>

#include <tool/input.h>

namespace slhc::tool {

void MessageOptions::Declare(CommandParser& parser)
{
    CommandParser group{parser.AddGroup("Message (one of these)")};
    group.Add("--message HEX", m_hex, "The message in hex, @FILE with hex, or - for hex from standard input");
    group.Add("--message-file FILE", m_file, "A file that is the message, byte for byte");
    group.Add("--message-text TEXT", m_text, "The message as text");
    group.RequireOneOption();
    parser.Add("--context HEX", m_context, "FIPS 205 context string in hex, up to 255 bytes; scripts use none");
}

std::vector<uint8_t> MessageOptions::Message() const
{
    const auto text{m_file.empty() ? m_text : ReadFile(m_file)};
    if (text) return {text->begin(), text->end()};
    return HexArgument("--message", m_hex);
}

std::vector<uint8_t> MessageOptions::Context() const
{
    return HexArgument("--context", m_context);
}

} // namespace slhc::tool
