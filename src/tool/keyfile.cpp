// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <tool/keys.h>

#include <tool/cursor.h>
#include <tool/error.h>
#include <tool/input.h>
#include <tool/output_file.h>
#include <util/check.h>
#include <util/hex.h>

#include <algorithm>
#include <map>
#include <utility>

// Key files. A file may hold a secret, and a JSON library leaves copies of what it reads behind in memory that
// is not wiped: hence the small parser here, which copies nothing.

namespace slhc::tool {
namespace {

constexpr std::string_view TYPE{"type"}, SECRET_KEY{"secret_key"}, PUBLIC_KEY{"public_key"};

using Members = std::map<std::string_view, std::string_view>;

/** Reads an object whose members are strings without escapes. The views point into the text. */
class FlatJsonParser
{
public:
    explicit FlatJsonParser(std::string_view text) : m_cursor{text} {}

    Members Parse()
    {
        Members members;
        Expect('{');
        do {
            const std::string_view name{String()};
            Expect(':');
            if (!members.emplace(name, String()).second) throw InputError{"duplicate key " + Quote(name)};
        } while (m_cursor.Accept(','));
        Expect('}');
        m_cursor.SkipSpace();
        if (!m_cursor.AtEnd()) Fail("unexpected text after the key");
        return members;
    }

private:
    void Expect(char c)
    {
        if (!m_cursor.Accept(c)) Fail(std::string{"missing '"} + c + "'");
    }
    std::string_view String()
    {
        Expect('"');
        const std::string_view string{m_cursor.TakeWhile([](char c) { return c != '"' && c != '\\'; })};
        if (m_cursor.Peek() != '"') Fail("missing '\"' at the end of a string");
        Expect('"');
        return string;
    }
    [[noreturn]] void Fail(const std::string& why) const
    {
        throw InputError{"malformed key file at byte " + std::to_string(m_cursor.Position()) + ": " + why};
    }

    Cursor m_cursor;
};

/** What a key file says, each part as views into the file's content. */
struct KeyFile {
    std::optional<KeyType> type;
    std::optional<std::string_view> secret_key, public_key;
};

KeyFile ParseKeyFile(std::string_view text)
{
    KeyFile file;
    text = Trim(text);
    if (!text.starts_with('{')) {
        // A lone line of 64 digits is a public key: taken for a secret one, or the other way round, it would do harm.
        if (text.size() == 2 * SecretSize(KeyType::SLHDSA)) {
            file.type = KeyType::SLHDSA;
            file.secret_key = text;
        } else if (text.size() == 2 * ANY_PUBLIC_KEY_SIZE) {
            file.public_key = text;
        } else {
            throw InputError{"neither a key file's JSON object nor a line of 128 hex digits (secret) or 64 (public)"};
        }
        return file;
    }
    const auto has{[&](std::string_view name) { return text.find("\"" + std::string{name} + "\"") != text.npos; }};
    if (!has(SECRET_KEY) && !has(PUBLIC_KEY)) throw InputError{"not a key file"};
    for (const auto& [name, value] : FlatJsonParser{text}.Parse()) {
        if (name == TYPE) {
            for (const KeyType type : {KeyType::SLHDSA, KeyType::SCHNORR}) {
                if (value == KeyTypeName(type)) file.type = type;
            }
            if (!file.type) throw InputError{"type: " + Quote(value) + " is neither slh-dsa-sha2-128s nor schnorr-bip340"};
        } else if (name == SECRET_KEY) {
            file.secret_key = value;
        } else if (name == PUBLIC_KEY) {
            file.public_key = value;
        } else {
            throw InputError{"unknown member " + Quote(name)};
        }
    }
    if (!file.type) throw InputError{"no member 'type'"};
    return file;
}

KeyPair KeyPairFrom(const KeyFile& file)
{
    if (!file.secret_key) throw InputError{"contains no secret key"};
    SecretBytes secret{Within(std::string{SECRET_KEY}, [&] { return ParseSecretHex(*file.secret_key, SecretSize(*file.type)); })};
    KeyPair key{KeyPairFromSecret(*file.type, std::move(secret))};
    if (file.public_key) {
        const auto named{Within(std::string{PUBLIC_KEY}, [&] { return ParseHex(*file.public_key, ANY_PUBLIC_KEY_SIZE); })};
        if (named != key.public_key) throw InputError{"public_key does not belong to secret_key"};
    }
    return key;
}

void AppendHex(SecretBytes& out, std::span<const uint8_t> bytes)
{
    static constexpr char DIGITS[] = "0123456789abcdef";
    for (const uint8_t byte : bytes) {
        out.push_back(static_cast<uint8_t>(DIGITS[byte >> 4]));
        out.push_back(static_cast<uint8_t>(DIGITS[byte & 15]));
    }
}

void Append(SecretBytes& out, std::string_view text)
{
    out.insert(out.end(), text.begin(), text.end());
}

} // namespace

KeyPair ReadKeyFile(const std::string& path)
{
    const SecretBytes content{ReadSecretFile(path)};
    return Within(FileName(path), [&] { return KeyPairFrom(ParseKeyFile(AsText(content))); });
}

void WriteKeyFile(const OutputFile& file, const KeyPair& key)
{
    SecretBytes text;
    Append(text, "{\n  \"type\": \"");
    Append(text, KeyTypeName(key.type));
    Append(text, "\",\n  \"secret_key\": \"");
    AppendHex(text, key.secret);
    Append(text, "\",\n  \"public_key\": \"");
    AppendHex(text, key.public_key);
    Append(text, "\"\n}\n");
    WriteSecretFile(file, text);
}

PublicKey ReadPublicKeyFile(const std::string& path)
{
    const SecretBytes content{ReadSecretFile(path)};
    return Within(FileName(path), [&]() -> PublicKey {
        const KeyFile file{ParseKeyFile(AsText(content))};
        if (file.secret_key) return {file.type, KeyPairFrom(file).public_key};
        assert(file.public_key); // a key file has one key at least
        return {file.type, Within(std::string{PUBLIC_KEY}, [&] { return ParseHex(*file.public_key, ANY_PUBLIC_KEY_SIZE); })};
    });
}

std::vector<uint8_t> ParsePublicKey(std::string_view text, std::optional<KeyType> type)
{
    if (!text.starts_with('@')) {
        return WithMissingAtHint(std::string{text}, [&] { return ParseHex(text, ANY_PUBLIC_KEY_SIZE); });
    }
    const std::string path{text.substr(1)};
    auto key{ReadPublicKeyFile(path)};
    if (type && key.type && *key.type != *type) {
        throw InputError{FileName(path),
                         "holds a key of type " + std::string{KeyTypeName(*key.type)} + ", not " + std::string{KeyTypeName(*type)}};
    }
    return std::move(key.bytes);
}

} // namespace slhc::tool
