// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <wallet/key_expression.h>

#include <script/pubkey.h>
#include <util/check.h>
#include <util/hex.h>
#include <wallet/descriptor_error.h>

#include <algorithm>
#include <utility>

namespace slhc::wallet {

std::string KeyOrigin::ToString() const
{
    std::string text{HexStr(fingerprint)};
    for (const uint32_t step : path) text += "/" + std::to_string(step & ~HARDENED) + ((step & HARDENED) != 0 ? "h" : "");
    return text;
}

KeyOrigin KeyOrigin::Child(uint32_t index) const
{
    assert(index < HARDENED);
    KeyOrigin child{*this};
    child.path.push_back(index | HARDENED);
    return child;
}

void KeyTable::CheckIndexes(uint32_t first, size_t n_keys)
{
    if (first >= HARDENED || n_keys > HARDENED - first) throw KeyTableError{"a table has keys beyond the last index"};
}

void KeyTable::Check() const
{
    if (origin.path.size() >= MAX_PATH) {
        throw KeyTableError{"the keys of a table have a path of more than " + std::to_string(MAX_PATH) + " steps"};
    }
    CheckIndexes(first, keys.size());
    auto sorted{keys};
    std::ranges::sort(sorted);
    const auto twice{std::ranges::adjacent_find(sorted)};
    if (twice != sorted.end()) throw KeyTableError{"a table has the key " + HexStr(*twice) + " at two indexes"};
}

KeyExpression::KeyExpression(KeyType type, std::optional<KeyOrigin> origin, const PublicKey& key, std::optional<uint8_t> compressed_prefix)
    : m_type{type}, m_origin{std::move(origin)}, m_key{key}, m_compressed_prefix{compressed_prefix} {}

KeyExpression::KeyExpression(KeyType type, KeyOrigin origin) : m_type{type}, m_origin{std::move(origin)} {}

const PublicKey& KeyExpression::Key() const
{
    assert(m_key);
    return *m_key;
}

std::string KeyExpression::Identity() const
{
    if (m_key) return HexStr(*m_key);
    return (m_type == KeyType::SLHDSA ? "slhdsa " : "bip340 ") + m_origin->ToString();
}

KeyExpression KeyExpression::At(uint32_t index, std::span<const KeyTable> tables) const
{
    if (!IsRange()) return *this;
    std::optional<PublicKey> found;
    for (const auto& table : tables) {
        if (table.type != m_type || table.origin != *m_origin || index < table.first) continue;
        if (index - table.first >= table.keys.size()) continue;
        const PublicKey& key{table.keys[index - table.first]};
        if (m_type == KeyType::SCHNORR && !XOnlyPubKey{key}.IsFullyValid()) {
            throw KeyTableError{"the table's key " + HexStr(key) + " " + std::string{NOT_A_POINT}};
        }
        if (found && *found != key) {
            throw KeyTableError{"two tables have different keys [" + m_origin->Child(index).ToString() + "]: " + HexStr(*found) + " and " +
                                HexStr(key)};
        }
        found = key;
    }
    if (found) return {m_type, m_origin->Child(index), *found};
    throw KeyTableError{"no table has the " + std::string{m_type == KeyType::SLHDSA ? "SLH-DSA" : "BIP 340"} + " key [" +
                        m_origin->Child(index).ToString() + "]"};
}

std::string KeyExpression::ToString() const
{
    std::string text;
    if (m_origin) text += "[" + m_origin->ToString() + "]";
    if (IsRange()) return text + "/*h";
    if (m_compressed_prefix) text += HexStr(std::array{*m_compressed_prefix});
    return text + HexStr(*m_key);
}

} // namespace slhc::wallet
