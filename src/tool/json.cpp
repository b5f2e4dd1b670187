// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <tool/json.h>

#include <tool/input.h>

#include <algorithm>
#include <set>

namespace slhc::tool {
namespace {

constexpr size_t MAX_DEPTH{32};
constexpr size_t MAX_VALUES{1'000'000};
//! Objects are searched in order, so a large one would cost quadratic time. None of our formats comes near.
constexpr size_t MAX_MEMBERS{256};

/** Watches the parser: limits, and keys that come twice (the library would silently keep one of them). */
class ParseGuard
{
public:
    bool operator()(int depth, Json::parse_event_t event, const Json& parsed)
    {
        if (depth > static_cast<int>(MAX_DEPTH)) throw InputError{"JSON nested deeper than " + std::to_string(MAX_DEPTH) + " levels"};
        if (++m_values > MAX_VALUES) throw InputError{"JSON with more than " + std::to_string(MAX_VALUES) + " values"};
        switch (event) {
        case Json::parse_event_t::object_start:
            m_keys.emplace_back();
            break;
        case Json::parse_event_t::object_end:
            m_keys.pop_back();
            break;
        case Json::parse_event_t::key: {
            const auto& key{parsed.get_ref<const std::string&>()};
            if (!m_keys.back().insert(key).second) throw InputError{"duplicate key " + Quote(key)};
            if (m_keys.back().size() > MAX_MEMBERS) {
                throw InputError{"JSON object with more than " + std::to_string(MAX_MEMBERS) + " members"};
            }
            break;
        }
        default:
            break;
        }
        return true;
    }

private:
    std::vector<std::set<std::string>> m_keys;
    size_t m_values{0};
};

std::string Position(std::string_view text, size_t byte)
{
    const std::string_view before{text.substr(0, byte > 0 ? byte - 1 : 0)};
    const auto line{1 + std::ranges::count(before, '\n')};
    const size_t newline{before.rfind('\n')};
    const size_t column{before.size() - (newline == before.npos ? 0 : newline + 1) + 1};
    return "line " + std::to_string(line) + ", column " + std::to_string(column);
}

} // namespace

Json ParseJson(std::string_view text)
{
    // The library would take a zero byte for the end of the text, and pass over what follows.
    if (const size_t zero{text.find('\0')}; zero != text.npos) {
        throw InputError{"malformed JSON at " + Position(text, zero + 1) + " (a zero byte)"};
    }
    try {
        return Json::parse(text, [guard = ParseGuard{}](int depth, Json::parse_event_t event, const Json& parsed) mutable {
            return guard(depth, event, parsed);
        });
    } catch (const Json::parse_error& e) {
        // The library's own words follow the last colon; what it read may be as long as the file.
        const std::string what{e.what()};
        const size_t expected{what.rfind("expected ")};
        const std::string detail{expected != what.npos && what.size() - expected < 80 ? " (" + what.substr(expected) + ")" : ""};
        throw InputError{"malformed JSON at " + Position(text, e.byte) + detail};
    } catch (const Json::exception&) {
        throw InputError{"JSON with a number that is out of range"};
    }
}

bool IsJsonObject(std::string_view text)
{
    text = Trim(text);
    return text.starts_with('{') && Trim(text.substr(1)).starts_with('"');
}

void JsonValue::OnlyMembers(std::initializer_list<std::string_view> names) const
{
    if (!m_json->is_object()) Fail("not an object");
    for (const auto& [key, value] : m_json->items()) {
        if (std::ranges::find(names, key) == names.end()) Fail("unknown member " + Quote(key));
    }
}

std::optional<JsonValue> JsonValue::Find(const std::string& name) const
{
    if (!m_json->is_object()) Fail("not an object");
    const auto member{m_json->find(name)};
    if (member == m_json->end()) return std::nullopt;
    return JsonValue{*member, m_path.empty() ? name : m_path + "." + name};
}

JsonValue JsonValue::At(const std::string& name) const
{
    auto member{Find(name)};
    if (!member) Fail("no member '" + name + "'");
    return *std::move(member);
}

std::vector<JsonValue> JsonValue::Elements() const
{
    if (!m_json->is_array()) Fail("not an array");
    std::vector<JsonValue> elements;
    elements.reserve(m_json->size());
    for (size_t i = 0; i < m_json->size(); ++i) elements.emplace_back((*m_json)[i], m_path + "[" + std::to_string(i) + "]");
    return elements;
}

const std::string& JsonValue::String() const
{
    if (!m_json->is_string()) Fail("not a string");
    return m_json->get_ref<const std::string&>();
}

uint64_t JsonValue::Number(uint64_t max) const
{
    if (!m_json->is_number_unsigned()) Fail("not a whole number, 0 or more");
    const auto number{m_json->get<uint64_t>()};
    if (number > max) Fail(std::to_string(number) + " is more than " + std::to_string(max));
    return number;
}

std::vector<uint8_t> JsonValue::Hex() const
{
    return Within([this] { return ParseHex(String()); });
}

std::vector<uint8_t> JsonValue::Hex(size_t size) const
{
    return Within([&] { return ParseHex(String(), size); });
}

} // namespace slhc::tool
