// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <script/sigcache.h>

#include <crypto/endian.h>
#include <util/random.h>

#include <algorithm>
#include <new>
#include <type_traits>

namespace slhc {

namespace {
CSHA256::Midstate Salted(std::span<const uint8_t, 32> secret, uint8_t letter)
{
    const std::array<uint8_t, 32> padding{letter};
    return CSHA256{}.Write(secret).Write(padding).GetMidstate();
}
} // namespace

SignatureCache::SignatureCache(size_t max_bytes) : m_n_buckets{max_bytes / sizeof(Bucket)}
{
    // All zeros is an empty bucket, and calloc leaves pages that are never written to the system.
    static_assert(std::is_trivial_v<Bucket>);
    if (m_n_buckets > 0) {
        m_buckets.reset(static_cast<Bucket*>(std::calloc(m_n_buckets, sizeof(Bucket))));
        if (!m_buckets) throw std::bad_alloc{};
    }
    std::array<uint8_t, 32> secret;
    GetStrongRandBytes(secret);
    m_salted_hint = Salted(secret, 'h');
    m_salted_entry = Salted(secret, 'H');
}

SignatureCache::Hint SignatureCache::ComputeHint(PublicKeySpan pubkey, MessageSpan message, SignatureSpan signature) const
{
    const auto hash{CSHA256{m_salted_hint}.Write(message).Write(pubkey).Write(signature.first<slhdsa::N>()).Digest()};
    return {.tag = ReadLE64(hash.data()) | 1, .bucket = static_cast<size_t>(ReadLE64(hash.data() + 8) % m_n_buckets)};
}

SignatureCache::Entry SignatureCache::ComputeEntry(PublicKeySpan pubkey, MessageSpan message, SignatureSpan signature) const
{
    return CSHA256{m_salted_entry}.Write(message).Write(pubkey).Write(signature).Digest();
}

bool SignatureCache::Find(PublicKeySpan pubkey, MessageSpan message, SignatureSpan signature, bool erase)
{
    if (m_n_buckets == 0) return false;
    const Hint hint{ComputeHint(pubkey, message, signature)};
    Bucket& bucket{m_buckets[hint.bucket]};
    std::mutex& mutex{m_locks[hint.bucket % N_LOCKS].mutex};
    {
        const std::lock_guard lock{mutex};
        if (std::ranges::none_of(bucket.slots, [&](const Slot& slot) { return slot.tag == hint.tag; })) return false;
    }
    const Entry entry{ComputeEntry(pubkey, message, signature)};
    const std::lock_guard lock{mutex};
    for (Slot& slot : bucket.slots) {
        if (slot.tag != hint.tag || slot.entry != entry) continue;
        if (erase) {
            slot = {};
            ++m_erased;
        }
        return true;
    }
    return false;
}

bool SignatureCache::Contains(PublicKeySpan pubkey, MessageSpan message, SignatureSpan signature, bool erase)
{
    const bool found{Find(pubkey, message, signature, erase)};
    ++(found ? m_hits : m_misses);
    return found;
}

void SignatureCache::Insert(PublicKeySpan pubkey, MessageSpan message, SignatureSpan signature)
{
    if (m_n_buckets == 0) return;
    const Hint hint{ComputeHint(pubkey, message, signature)};
    const Entry entry{ComputeEntry(pubkey, message, signature)};
    Bucket& bucket{m_buckets[hint.bucket]};
    const std::lock_guard lock{m_locks[hint.bucket % N_LOCKS].mutex};

    Slot* place{nullptr};
    for (Slot& slot : bucket.slots) {
        if (slot.tag == hint.tag && slot.entry == entry) return;
        if (slot.tag == 0 && !place) place = &slot;
    }
    if (!place) {
        place = &bucket.slots[bucket.next_victim];
        bucket.next_victim = (bucket.next_victim + 1) % BUCKET_SLOTS;
        ++m_evicted;
    }
    *place = {.tag = hint.tag, .entry = entry};
    ++m_inserted;
}

SignatureCache::Stats SignatureCache::GetStats() const noexcept
{
    return {.hits = m_hits, .misses = m_misses, .inserted = m_inserted, .evicted = m_evicted, .erased = m_erased};
}

} // namespace slhc
