// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <tool/output.h>

#include <util/hex.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <string>

namespace slhc::tool {
namespace {

/** Bytes of the character in UTF-8 that begins with this one; 0 if none does. */
size_t Utf8Size(uint8_t first)
{
    if (first < 0x80) return 1;
    if (first < 0xc2 || first > 0xf4) return 0;
    if (first < 0xe0) return 2;
    return first < 0xf0 ? 3 : 4;
}

/** JSON in which control characters that JSON allows are escaped too, since a terminal obeys them: DEL and U+0080 to U+009F.
 *  @pre it is UTF-8, and has such only in strings */
std::string WithoutControls(std::string_view json)
{
    std::string escaped;
    escaped.reserve(json.size());
    for (size_t i{0}; i < json.size(); ++i) {
        const auto byte{static_cast<uint8_t>(json[i])};
        const bool two{byte == 0xc2 && i + 1 < json.size() && static_cast<uint8_t>(json[i + 1]) < 0xa0};
        if (byte != 0x7f && !two) {
            escaped += json[i];
            continue;
        }
        i += two;
        escaped += "\\u00" + HexStr(std::array{static_cast<uint8_t>(json[i])});
    }
    return escaped;
}

constexpr size_t MAX_SHOWN{160};

std::string Scalar(const Json& json)
{
    if (!json.is_string()) return json.dump();
    std::string text{Printable(json.get_ref<const std::string&>())};
    if (text.empty()) return "(empty)";
    if (text.size() <= MAX_SHOWN) return text;
    return text.substr(0, MAX_SHOWN / 2) + "..." + text.substr(text.size() - 16) + " (" + std::to_string(text.size()) + " characters)";
}

bool IsScalar(const Json& json) { return !json.is_structured(); }

void Render(const Json& json, size_t indent, std::string& out)
{
    size_t index{0};
    for (const auto& [key, value] : json.items()) {
        out += std::string(indent, ' ') + (json.is_array() ? "[" + std::to_string(index++) + "]" : key) + ":";
        if (IsScalar(value)) {
            out += " " + Scalar(value) + "\n";
        } else if (value.empty()) {
            out += " (none)\n";
        } else {
            out += "\n";
            Render(value, indent + 2, out);
        }
    }
}

} // namespace

void AddJsonFlag(CommandParser& parser, bool& json)
{
    parser.AddFlag("--json", json, "Print JSON");
}

std::string Printable(std::string_view text)
{
    const auto byte{[&](size_t i) -> uint8_t { return i < text.size() ? static_cast<uint8_t>(text[i]) : 0; }};
    std::string shown;
    for (size_t i{0}; i < text.size();) {
        const uint8_t first{byte(i)};
        const size_t size{Utf8Size(first)};
        bool good{size > 0 && first >= 0x20 && first != 0x7f};
        for (size_t j{1}; j < size; ++j) good &= (byte(i + j) & 0xc0) == 0x80;
        if (first == 0xc2) good &= byte(i + 1) >= 0xa0; // the other half of the control characters
        if (good) {
            shown += text.substr(i, size);
        } else {
            shown += '?';
        }
        i += good ? size : 1;
    }
    return shown;
}

void Print(std::string_view text)
{
    std::fwrite(text.data(), 1, text.size(), stdout);
}

void PrintLine(std::string_view text)
{
    Print(text);
    Print("\n");
}

void PrintJson(const Json& json)
{
    PrintLine(WithoutControls(json.dump(2, ' ', false, Json::error_handler_t::replace)));
}

void PrintTable(const std::vector<std::pair<std::string, std::string>>& rows, std::FILE* out)
{
    size_t width{0};
    for (const auto& [name, value] : rows) width = std::max(width, name.size());
    for (const auto& [name, value] : rows) {
        const std::string head{name + ":" + std::string(width - name.size() + 1, ' ')};
        for (const std::string_view part : {std::string_view{head}, std::string_view{value}, std::string_view{"\n"}}) {
            std::fwrite(part.data(), 1, part.size(), out); // apart: a script may have a hundred megabytes of text
        }
    }
}

bool FinishOutput()
{
    return std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
}

std::string RenderText(const Json& json)
{
    std::string out;
    if (IsScalar(json)) return Scalar(json) + "\n";
    Render(json, 0, out);
    return out;
}

} // namespace slhc::tool
