// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <script/sigcache.h>

#include <crypto/endian.h>
#include <util/random.h>

#include <algorithm>
#include <new>
#include <optional>
#include <type_traits>

namespace slhc {

namespace {
/** The part of a signature that a hint depends on. It differs between any two that are made independently. */
constexpr size_t HINT_SIGNATURE_SIZE{16};

CSHA256::Midstate Salted(std::span<const uint8_t, 32> secret, uint8_t letter)
{
    const std::array<uint8_t, 32> padding{letter};
    return CSHA256{}.Write(secret).Write(padding).GetMidstate();
}

std::span<const uint8_t> Set(const SignedMessage& signature)
{
    return std::span{&signature.set, size_t{signature.set != 0}};
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
    const auto salt_entry{
        [&](SignatureScheme scheme, uint8_t letter) { m_salted_entry[static_cast<size_t>(scheme)] = Salted(secret, letter); }};
    salt_entry(SignatureScheme::ECDSA, 'C');
    salt_entry(SignatureScheme::BIP340, 'B');
    salt_entry(SignatureScheme::SLHDSA, 'H');
}

SignatureCache::Hint SignatureCache::ComputeHint(const SignedMessage& signature) const
{
    const auto beginning{signature.signature.first(std::min(signature.signature.size(), HINT_SIGNATURE_SIZE))};
    const auto hash{
        CSHA256{m_salted_hint}.Write(signature.message).Write(Set(signature)).Write(signature.pubkey).Write(beginning).Digest()};
    return {.tag = ReadLE64(hash.data()) | 1, .bucket = static_cast<size_t>(ReadLE64(hash.data() + 8) % m_n_buckets)};
}

SignatureCache::Entry SignatureCache::ComputeEntry(const SignedMessage& signature) const
{
    // Only the last part has a length that does not follow from the others; no set's signatures are a byte shorter than those of 128s.
    return CSHA256{m_salted_entry[static_cast<size_t>(signature.scheme)]}
        .Write(signature.message)
        .Write(Set(signature))
        .Write(signature.pubkey)
        .Write(signature.signature)
        .Digest();
}

bool SignatureCache::Find(const SignedMessage& signature, bool erase)
{
    if (m_n_buckets == 0) return false;
    const Hint hint{ComputeHint(signature)};
    Bucket& bucket{m_buckets[hint.bucket]};
    std::mutex& mutex{m_locks[hint.bucket % N_LOCKS].mutex};
    {
        const std::lock_guard lock{mutex};
        if (std::ranges::none_of(bucket.slots, [&](const Slot& slot) { return slot.tag == hint.tag; })) return false;
    }
    const Entry entry{ComputeEntry(signature)};
    const std::lock_guard lock{mutex};
    for (size_t i = 0; i < BUCKET_SLOTS; ++i) {
        const Slot& slot{bucket.slots[i]};
        if (slot.tag != hint.tag || slot.entry != entry) continue;
        if (erase) bucket.let_go |= 1U << i;
        return true;
    }
    return false;
}

bool SignatureCache::Contains(const SignedMessage& signature, bool erase)
{
    const bool found{Find(signature, erase)};
    ++(found ? m_hits : m_misses);
    return found;
}

void SignatureCache::Insert(const SignedMessage& signature)
{
    if (m_n_buckets == 0) return;
    const Hint hint{ComputeHint(signature)};
    const Entry entry{ComputeEntry(signature)};
    Bucket& bucket{m_buckets[hint.bucket]};
    const std::lock_guard lock{m_locks[hint.bucket % N_LOCKS].mutex};

    std::optional<size_t> empty, let_go;
    for (size_t i = 0; i < BUCKET_SLOTS; ++i) {
        const Slot& slot{bucket.slots[i]};
        if (slot.tag == hint.tag && slot.entry == entry) {
            bucket.let_go &= ~(1U << i);
            return;
        }
        if (slot.tag == 0 && !empty) empty = i;
        if ((bucket.let_go >> i & 1) && !let_go) let_go = i;
    }
    const size_t place{[&] {
        if (empty) return *empty;
        if (let_go) {
            bucket.let_go &= ~(1U << *let_go);
            ++m_overwritten;
            return *let_go;
        }
        ++m_evicted;
        const size_t victim{bucket.next_victim};
        bucket.next_victim = (bucket.next_victim + 1) % BUCKET_SLOTS;
        return victim;
    }()};
    bucket.slots[place] = {.tag = hint.tag, .entry = entry};
    ++m_inserted;
}

SignatureCache::Stats SignatureCache::GetStats() const noexcept
{
    return {.hits = m_hits, .misses = m_misses, .inserted = m_inserted, .overwritten = m_overwritten, .evicted = m_evicted};
}

} // namespace slhc
