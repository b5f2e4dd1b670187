// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TOOL_JSON_H
#define SLHCONSENSUS_TOOL_JSON_H

#include <tool/error.h>

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace slhc::tool {

/** Members stay in the order in which they were added. Its header takes seconds to compile: those include it who make JSON, and who only
 *  read some have JsonDocument. */
using Json = nlohmann::ordered_json;

/** True if a text is meant to be a JSON object, not a script tree: no script has a quotation mark, and every object of ours has one right
 *  after the brace. */
bool IsJsonObject(std::string_view text);

/** One value of a JSON document that a user gave, with its path, so that each error names its place. */
class JsonValue
{
public:
    explicit JsonValue(const Json& json, std::string path = "") : m_json{&json}, m_path{std::move(path)} {}

    /** "inputs[2].amount"; "top level" at the root. */
    std::string Path() const { return m_path.empty() ? "top level" : m_path; }
    [[noreturn]] void Fail(const std::string& why) const { throw InputError{Path(), why}; }

    /** Every member's name is among these. */
    void OnlyMembers(std::initializer_list<std::string_view> names) const;

    /** A member of an object that must be there, or may. */
    JsonValue At(const std::string& name) const;
    std::optional<JsonValue> Find(const std::string& name) const;

    std::vector<JsonValue> Elements() const;
    bool IsString() const;
    const std::string& String() const;
    /** A number in the shortest decimals that mean it, which are those that somebody wrote; or a string. */
    std::string NumberOrString() const;
    uint64_t Number(uint64_t max) const;
    std::vector<uint8_t> Hex() const;
    std::vector<uint8_t> Hex(size_t size) const;

    /** Apply f to the string. An InputError from f gets this value's path, which the error for a value that is not a string has already. */
    template <typename F>
    auto Parse(F&& f) const
    {
        const std::string& text{String()}; // not inside Within, which would put the path before it once more
        return Within([&] { return std::forward<F>(f)(text); });
    }
    /** Run f; an InputError from it gets this value's path. Use Parse if f would call String() of this value, whose error has the path. */
    template <typename F>
    auto Within(F&& f) const
    {
        return tool::Within(Path(), std::forward<F>(f));
    }

private:
    const Json* m_json;
    std::string m_path;
};

/** A JSON text that a user gave. */
class JsonDocument
{
public:
    /** @throws InputError with line and column if it is broken; with the key if an object has one twice; if it
     *          nests deeper than 32 levels or has more than a million values (memory stays bounded) */
    explicit JsonDocument(std::string_view text);
    ~JsonDocument();

    /** Not to be used once the document is gone. */
    JsonValue Top() const { return JsonValue{*m_json}; }

private:
    const std::unique_ptr<const Json> m_json;
};

} // namespace slhc::tool

#endif // SLHCONSENSUS_TOOL_JSON_H
