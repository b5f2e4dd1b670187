// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_PQC_TOP_TREE_CACHE_H
#define SLHCONSENSUS_PQC_TOP_TREE_CACHE_H

#include <pqc/slhdsa/hash_functions.h>

#include <array>
#include <list>
#include <mutex>
#include <span>
#include <vector>

namespace slhc::slhdsa {

/** The capacity for those who sign with any number of keys. */
inline constexpr size_t MAX_TOP_TREES{8};

/** The top trees of the keys used last: of each, the nodes of some height. All signatures of a key go through the same tree in the top
 *  layer, a seventh of the work with 128s and four fifths with 128-24. The nodes are public; an entry is found by a hash of the secret
 *  key, and wiped when it is removed. Thread-safe. */
class TopTreeCache
{
public:
    using SecretKeyView = std::span<const uint8_t, SECRET_KEY_SIZE>;

    /** @param[in] capacity  keys to remember; 2 MiB each with 128-24, less than a KiB with 128s */
    explicit TopTreeCache(size_t capacity) : m_capacity{capacity} {}
    ~TopTreeCache();
    TopTreeCache(const TopTreeCache&) = delete;
    TopTreeCache& operator=(const TopTreeCache&) = delete;

    /** @return false, with nodes untouched, if this key's are not cached */
    [[nodiscard]] bool Get(const Params& params, SecretKeyView sk, std::span<Node> nodes);
    /** Remember a key's nodes, and forget those of the least recently used key if there are too many. */
    void Put(const Params& params, SecretKeyView sk, std::span<const Node> nodes);
    [[nodiscard]] size_t Size() const;

private:
    struct Entry {
        std::array<uint8_t, CSHA256::OUTPUT_SIZE> id;
        std::vector<Node> nodes;
        ~Entry();
    };
    std::list<Entry>::iterator Find(const std::array<uint8_t, CSHA256::OUTPUT_SIZE>& id); //!< @pre m_mutex is held

    const size_t m_capacity;
    mutable std::mutex m_mutex;
    std::list<Entry> m_entries; //!< most recently used first
};

} // namespace slhc::slhdsa

#endif // SLHCONSENSUS_PQC_TOP_TREE_CACHE_H
