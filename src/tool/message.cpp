// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <tool/message.h>

#include <tool/input.h>

namespace slhc::tool {

void MessageOptions::Declare(CLI::App& app)
{
    auto* group{app.add_option_group("Message (one of these)")};
    group->add_option("--message", m_hex, "The message in hex, @FILE with hex, or - for hex from standard input")->type_name("HEX");
    group->add_option("--message-file", m_file, "A file that is the message, byte for byte")->type_name("FILE");
    m_text_option = group->add_option("--message-text", m_text, "The message as text")->type_name("TEXT");
    group->require_option(1);
    app.add_option("--context", m_context, "FIPS 205 context string in hex, up to 255 bytes; scripts use none")->type_name("HEX");
}

std::vector<uint8_t> MessageOptions::Message() const
{
    if (!m_file.empty()) return ReadFileAs<std::vector<uint8_t>>(m_file, MAX_INPUT_SIZE);
    if (!m_text_option->empty()) return {m_text.begin(), m_text.end()};
    return HexArgument("--message", m_hex);
}

std::vector<uint8_t> MessageOptions::Context() const
{
    return HexArgument("--context", m_context);
}

} // namespace slhc::tool
