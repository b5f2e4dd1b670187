// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <tool/decode.h>

#include <tool/output.h>

#include <string>

namespace slhc::tool {
namespace {

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

std::string RenderText(const Json& json)
{
    std::string out;
    if (IsScalar(json)) return Scalar(json) + "\n";
    Render(json, 0, out);
    return out;
}

} // namespace slhc::tool
