// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <tool/keys.h>

#include <tool/error.h>
#include <tool/input.h>
#include <tool/json.h>
#include <tool/output_file.h>
#include <util/hex.h>

#include <utility>

namespace slhc::tool {
namespace {

constexpr size_t MAX_KEY_FILE{4096};

struct KeyFile {
    std::optional<KeyType> type;
    std::optional<std::vector<uint8_t>> secret_key, public_key;
};

KeyType ParseKeyType(std::string_view name)
{
    for (const KeyType type : {KeyType::SLHDSA, KeyType::SCHNORR}) {
        if (name == KeyTypeName(type)) return type;
    }
    throw InputError{Quote(name) + " is neither slh-dsa-sha2-128s nor schnorr-bip340"};
}

/** A line of 64 digits is a public key, one of 128 a secret one. */
KeyFile KeyFileFromHex(std::string_view text)
{
    if (text.size() == 2 * SecretSize(KeyType::SLHDSA)) return {KeyType::SLHDSA, ParseHex(text), {}};
    if (text.size() == 2 * ANY_PUBLIC_KEY_SIZE) return {{}, {}, ParseHex(text)};
    throw InputError{"neither a key file's JSON object nor a line of 128 hex digits (secret) or 64 (public)"};
}

KeyFile ReadKeyFileParts(const std::string& path)
{
    const std::string text{ReadFile(path, MAX_KEY_FILE)};
    return Within(FileName(path), [&] {
        if (!IsJsonObject(text)) return KeyFileFromHex(Trim(text));
        const Json json = ParseJson(text);
        const JsonValue top{json};
        top.OnlyMembers({"type", "secret_key", "public_key"});
        KeyFile file{.type = top.At("type").Parse(ParseKeyType), .secret_key = {}, .public_key = {}};
        if (const auto key{top.Find("secret_key")}) file.secret_key = key->Hex(SecretSize(*file.type));
        if (const auto key{top.Find("public_key")}) file.public_key = key->Hex(ANY_PUBLIC_KEY_SIZE);
        if (!file.secret_key && !file.public_key) throw InputError{"has neither 'secret_key' nor 'public_key'"};
        return file;
    });
}

KeyPair KeyPairFrom(const KeyFile& file)
{
    if (!file.secret_key) throw InputError{"contains no secret key"};
    KeyPair key{KeyPairFromSecret(*file.type, *file.secret_key)};
    if (file.public_key && *file.public_key != key.public_key) throw InputError{"public_key does not belong to secret_key"};
    return key;
}

} // namespace

KeyPair ReadKeyFile(const std::string& path)
{
    const KeyFile file{ReadKeyFileParts(path)};
    return Within(FileName(path), [&] { return KeyPairFrom(file); });
}

void WriteKeyFile(const OutputFile& file, const KeyPair& key)
{
    const Json json = {{"type", KeyTypeName(key.type)}, {"secret_key", HexStr(key.secret)}, {"public_key", HexStr(key.public_key)}};
    WriteSecretFile(file, json.dump(2) + "\n");
}

PublicKey ReadPublicKeyFile(const std::string& path)
{
    KeyFile file{ReadKeyFileParts(path)};
    if (file.secret_key) return Within(FileName(path), [&] { return PublicKey{file.type, KeyPairFrom(file).public_key}; });
    return {file.type, *std::move(file.public_key)};
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
