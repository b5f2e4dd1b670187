// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_SCRIPT_SIGCACHE_H
#define SLHCONSENSUS_SCRIPT_SIGCACHE_H

#include <crypto/sha256.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <span>

namespace slhc {

/** A check's use of a signature cache. */
enum class SignatureCacheMode {
    NONE,         //!< neither looks up nor stores
    ASK,          //!< looks up, and changes nothing
    STORE,        //!< looks up, and stores what was verified: for transactions that will come again in a block
    ERASE_ON_HIT, //!< looks up, and marks what was found as erasable; stores nothing: for the inputs of a block
};

/** Half of the memory that Bitcoin Core gives to all of its validation caches. */
inline constexpr size_t DEFAULT_SIGNATURE_CACHE_BYTES{size_t{16} << 20};

/** The schemes whose signatures a cache remembers. */
enum class SignatureScheme {
    ECDSA,
    BIP340,
    SLHDSA, //!< pure, with an empty context
};

/** A signature with its message and key, to be looked up in a signature cache. A view. */
struct SignedMessage {
    SignatureScheme scheme;
    std::span<const uint8_t> pubkey; //!< as the script has it, of a size that is valid for the scheme
    std::span<const uint8_t, 32> message; //!< the signature hash
    std::span<const uint8_t> signature;   //!< without hash type
    uint8_t set{0}; //!< of an SLH-DSA key: its number, hashed before the key unless it is 0 (128s)
};

/** The signatures that this process has found valid, and only those: the caller of Insert() has verified that very signature and found it
 *  valid. A signature that is not in the cache may be valid or invalid.
 *
 *  An entry is a SHA-256 hash of the message, the key and the whole signature, salted with a secret of this object. The salt fills a hash
 *  block: 32 random bytes, then one letter and 31 zeros. The letter is the scheme's, 'C' (ECDSA), 'B' (BIP 340) or 'H' (hash-based:
 *  SLH-DSA), so that no scheme's entry can ever be mistaken for another's. Bitcoin Core's caches have 'E' and 'S' there, and 'H' where
 *  contrib/bitcoin-core adds SLH-DSA to them: an entry means the same there.
 *
 *  Hashing a signature of 7856 bytes costs a fair part of verifying it, which a miss would waste. So a second, short hash (letter 'h') of
 *  the message, the key and the signature's first 16 bytes says where an entry would be: if no entry has the same hint, the signature is
 *  not in the cache. An entry with the same hint is compared by its full hash.
 *
 *  The table is a fixed number of buckets of 8 entries. As in Bitcoin Core, an entry that a hit marks as erasable stays where it is, and
 *  can be found, until its slot is needed: a block that fails, or is only proposed, takes nothing away from the next one, and a block that
 *  comes back in a reorganization finds what it found before. A full bucket gives up erasable entries first, then the others in turn. The
 *  system provides memory as it is used. Safe to use from several threads; nothing is hashed under a lock. */
class SignatureCache
{
public:
    /** @param[in] max_bytes  the table takes at most this; if that is too little for one bucket (e.g. 0), nothing is stored.
     *  Throws std::bad_alloc if the system refuses. */
    explicit SignatureCache(size_t max_bytes = DEFAULT_SIGNATURE_CACHE_BYTES);
    SignatureCache(const SignatureCache&) = delete;
    SignatureCache& operator=(const SignatureCache&) = delete;

    /** True if this signature was found valid before.
     *  @param[in] erase  it is not expected again: on a hit, its slot may be reused */
    [[nodiscard]] bool Contains(const SignedMessage& signature, bool erase);

    /** Remember that this signature is valid; an erasable entry is kept again.
     *  @pre it was verified and found valid */
    void Insert(const SignedMessage& signature);

    /** The number of signatures that the table can hold. */
    [[nodiscard]] size_t Capacity() const noexcept { return m_n_buckets * BUCKET_SLOTS; }

    /** Counters since the cache was made. They are read one by one, so other threads may change some in between. */
    struct Stats {
        uint64_t hits{0};
        uint64_t misses{0};
        uint64_t inserted{0};    //!< not counting those that were already there
        uint64_t overwritten{0}; //!< erasable ones dropped for a newer one
        uint64_t evicted{0};     //!< others dropped for a newer one
    };
    [[nodiscard]] Stats GetStats() const noexcept;

private:
    static constexpr size_t BUCKET_SLOTS{8};
    static constexpr size_t N_LOCKS{64};

    using Entry = std::array<uint8_t, 32>;

    struct Hint {
        uint64_t tag;  //!< never 0, which marks an empty slot
        size_t bucket;
    };
    struct Slot {
        uint64_t tag;
        Entry entry;
    };
    /** All zeros is an empty bucket. */
    struct Bucket {
        std::array<Slot, BUCKET_SLOTS> slots;
        uint32_t next_victim; //!< the slot to drop next when none is empty or erasable
        uint32_t let_go;      //!< bit i: slot i may be overwritten
    };
    struct alignas(64) Lock {
        std::mutex mutex;
    };
    struct Free {
        void operator()(Bucket* buckets) const noexcept { std::free(buckets); }
    };

    CSHA256::Midstate m_salted_hint;
    std::array<CSHA256::Midstate, 3> m_salted_entry; //!< by SignatureScheme
    size_t m_n_buckets;
    std::unique_ptr<Bucket[], Free> m_buckets;
    std::array<Lock, N_LOCKS> m_locks; //!< bucket i is under lock i % N_LOCKS

    std::atomic<uint64_t> m_hits{0}, m_misses{0}, m_inserted{0}, m_overwritten{0}, m_evicted{0};

    Hint ComputeHint(const SignedMessage& signature) const;
    Entry ComputeEntry(const SignedMessage& signature) const;
    bool Find(const SignedMessage& signature, bool erase);
};

} // namespace slhc

#endif // SLHCONSENSUS_SCRIPT_SIGCACHE_H
