// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

// Parsers of text: hexadecimal, names of flags and errors, addresses, and the languages of scripts and script trees.
// Anything that parses is printed back to text that parses to the same.

#include <script/address.h>
#include <script/script_error.h>
#include <script/verify_flags.h>
#include <test/fuzz/fuzz.h>
#include <tool/asm.h>
#include <tool/error.h>
#include <tool/tree.h>
#include <util/hex.h>

#include <algorithm>
#include <string>
#include <string_view>

using namespace slhc;
using slhc::test::Require;

namespace {

void RequireOneLine(std::string_view error)
{
    Require(!error.empty() && error.size() < 1000 && error.find('\n') == std::string_view::npos, "an error is one line of bearable length");
}

void CheckHex(std::string_view text)
{
    const auto bytes{TryParseHex(text)};
    if (!bytes) return;
    Require(2 * bytes->size() == text.size(), "two digits are a byte");
    const std::string again{HexStr(*bytes)};
    Require(std::ranges::equal(again, text, [](char a, char b) { return HexDigit(a) == HexDigit(b); }),
            "hexadecimal is printed as it was read");
}

void CheckNames(std::string_view text)
{
    std::string error;
    if (const auto flags{ParseScriptFlags(text, error)}) {
        std::string names;
        for (const std::string& name : GetScriptFlagNames(*flags)) names += (names.empty() ? "" : ",") + name;
        Require(ParseScriptFlags(names, error) == flags, "flags are printed as they are read");
    } else {
        RequireOneLine(error);
    }
    if (const auto script_error{ScriptErrorFromName(text)}) {
        Require(ScriptErrorName(*script_error).ends_with(text), "a script error is found by its name");
    }
}

void CheckAddress(std::string_view text)
{
    std::string error;
    const auto decoded{DecodeAddress(text, error)};
    if (!decoded) return RequireOneLine(error);
    bool known{false};
    for (const Network network : ALL_NETWORKS) {
        if (NetworkHrp(network) != decoded->hrp) continue;
        known = true;
        const std::string again{EncodeAddress(network, decoded->program)};
        const auto lower{[](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }};
        Require(std::ranges::equal(again, text, {}, {}, lower), "an address has one form, in either case");
    }
    Require(known, "an address is of a known network");
}

void CheckLanguages(std::string_view text)
{
    if (text.find('@') != std::string_view::npos) return; // names a file
    const auto parse{[&](const auto& parser) {
        try {
            parser();
        } catch (const tool::InputError& error) {
            RequireOneLine(error.what());
        }
    }};
    parse([&] {
        const CScript script{tool::ParseScript(text)};
        Require(tool::ParseScript(tool::FormatScript(script)) == script, "a script is printed as it is read");
    });
    parse([&] {
        const ScriptTree tree{tool::ParseTree(text)};
        Require(tool::ParseTree(tool::FormatTree(tree)).Root() == tree.Root(), "a tree is printed as it is read");
    });
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    const std::string_view text{reinterpret_cast<const char*>(data), size};
    CheckHex(text);
    CheckNames(text);
    CheckAddress(text);
    CheckLanguages(text);
    // Any bytes are a script, and any script can be printed.
    const CScript script{std::span<const uint8_t>{data, size}};
    Require(tool::ParseScript(tool::FormatScript(script)) == script, "any script is printed as it is read");
    return 0;
}
