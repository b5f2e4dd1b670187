// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <tool/json.h>

#include <tool/input.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

namespace slhc::tool {
namespace {

constexpr size_t MAX_DEPTH{32};
constexpr size_t MAX_VALUES{1'000'000};
//! Objects are searched in order, so a large one would cost quadratic time. None of our formats comes near.
constexpr size_t MAX_MEMBERS{256};

/** Looks at a text before a value is made of it: limits, and keys that come twice (the library would silently keep one of them). It is a
 *  pass of its own because the library's parser with a callback takes quadratic time: at an object's end it searches the whole array. */
class ParseGuard final : public nlohmann::json_sax<Json>
{
public:
    bool null() override { return Count(); }
    bool boolean(bool) override { return Count(); }
    bool number_integer(number_integer_t) override { return Count(); }
    bool number_unsigned(number_unsigned_t) override { return Count(); }
    bool number_float(number_float_t, const string_t&) override { return Count(); }
    bool string(string_t&) override { return Count(); }
    bool binary(binary_t&) override { return Count(); }
    bool start_array(size_t) override { return Begin(); }
    bool end_array() override { return End(); }
    bool start_object(size_t) override { return Begin(); }
    bool end_object() override { return End(); }
    bool key(string_t& name) override
    {
        Count();
        auto& keys{m_keys.back()};
        if (!keys.insert(name).second) throw InputError{"duplicate key " + Quote(name)};
        if (keys.size() > MAX_MEMBERS) throw InputError{"JSON object with more than " + std::to_string(MAX_MEMBERS) + " members"};
        return true;
    }
    /** ParseJson parses the text afterwards, meets the error again, and reports it. */
    bool parse_error(size_t, const std::string&, const nlohmann::detail::exception&) override { return false; }

private:
    std::vector<std::set<std::string>> m_keys; //!< of each array and object that is open; an array has none
    size_t m_values{0};

    /** A value with a beginning and an end counts twice, a member as its key and its value. */
    bool Count()
    {
        if (m_keys.size() > MAX_DEPTH) throw InputError{"JSON nested deeper than " + std::to_string(MAX_DEPTH) + " levels"};
        if (++m_values > MAX_VALUES) throw InputError{"JSON with more than " + std::to_string(MAX_VALUES) + " values"};
        return true;
    }
    bool Begin()
    {
        Count();
        m_keys.emplace_back();
        return true;
    }
    bool End()
    {
        m_keys.pop_back();
        return Count();
    }
};

std::string Position(std::string_view text, size_t byte)
{
    const std::string_view before{text.substr(0, byte > 0 ? byte - 1 : 0)};
    const auto line{1 + std::ranges::count(before, '\n')};
    const size_t newline{before.rfind('\n')};
    const size_t column{before.size() - (newline == before.npos ? 0 : newline + 1) + 1};
    return "line " + std::to_string(line) + ", column " + std::to_string(column);
}

Json ParseJson(std::string_view text)
{
    // The library would take a zero byte for the end of the text, and pass over what follows.
    if (const size_t zero{text.find('\0')}; zero != text.npos) {
        throw InputError{"malformed JSON at " + Position(text, zero + 1) + " (a zero byte)"};
    }
    try {
        ParseGuard guard;
        (void)Json::sax_parse(text, &guard);
        return Json::parse(text);
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

} // namespace

JsonDocument::JsonDocument(std::string_view text) : m_json{std::make_unique<const Json>(ParseJson(text))} {}

JsonDocument::~JsonDocument() = default;

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

bool JsonValue::IsString() const
{
    return m_json->is_string();
}

const std::string& JsonValue::String() const
{
    if (!m_json->is_string()) Fail("not a string");
    return m_json->get_ref<const std::string&>();
}

std::string JsonValue::NumberOrString() const
{
    return m_json->is_number() ? m_json->dump() : String();
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
    return Parse([](const std::string& hex) { return ParseHex(hex); });
}

std::vector<uint8_t> JsonValue::Hex(size_t size) const
{
    return Parse([&](const std::string& hex) { return ParseHex(hex, size); });
}

} // namespace slhc::tool
