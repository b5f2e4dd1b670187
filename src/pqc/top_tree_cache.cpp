// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <pqc/top_tree_cache.h>

#include <crypto/sha256.h>
#include <pqc/slhdsa/declassify.h>
#include <pqc/slhdsa/encoding.h>
#include <util/cleanse.h>

#include <algorithm>

namespace slhc::slhdsa {
namespace {

using Id = std::array<uint8_t, CSHA256::OUTPUT_SIZE>;

/** All of the secret key counts, and the set: with another one, SK.seed or PK.seed the tree is another one. */
Id IdOf(const Params& params, TopTreeCache::SecretKeyView sk)
{
    CSHA256 hasher;
    for (const size_t number : {params.h, params.d, params.a, params.k, params.lg_w}) hasher.Write(toByte<8>(number));
    const Id id{hasher.Write(sk).Digest()};
    memory_cleanse(&hasher, sizeof(hasher));
    // The time that comparisons take may reveal something about these hashes, but they reveal nothing about secret bytes that nobody can
    // guess.
    Declassify(id.data(), id.size());
    return id;
}

} // namespace

TopTreeCache::Entry::~Entry()
{
    memory_cleanse(id.data(), id.size());
    memory_cleanse(nodes.data(), nodes.size() * sizeof(Node));
}

TopTreeCache::~TopTreeCache() = default;

std::list<TopTreeCache::Entry>::iterator TopTreeCache::Find(const std::array<uint8_t, CSHA256::OUTPUT_SIZE>& id)
{
    return std::ranges::find(m_entries, id, &Entry::id);
}

bool TopTreeCache::Get(const Params& params, SecretKeyView sk, std::span<Node> nodes)
{
    const Id id{IdOf(params, sk)};
    const std::lock_guard lock{m_mutex};
    const auto found{Find(id)};
    if (found == m_entries.end() || found->nodes.size() != nodes.size()) return false;
    m_entries.splice(m_entries.begin(), m_entries, found);
    std::ranges::copy(found->nodes, nodes.begin());
    return true;
}

void TopTreeCache::Put(const Params& params, SecretKeyView sk, std::span<const Node> nodes)
{
    if (m_capacity == 0) return;
    const Id id{IdOf(params, sk)};
    const std::lock_guard lock{m_mutex};
    if (const auto found{Find(id)}; found != m_entries.end()) m_entries.erase(found);
    Entry& entry{m_entries.emplace_front()};
    entry.id = id;
    entry.nodes.assign(nodes.begin(), nodes.end());
    if (m_entries.size() > m_capacity) m_entries.pop_back();
}

size_t TopTreeCache::Size() const
{
    const std::lock_guard lock{m_mutex};
    return m_entries.size();
}

} // namespace slhc::slhdsa
