// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <script/sigcache.h>

#include <test/sanitizer.h>

#include <pqc/slhdsa/slhdsa.h>

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <new>
#include <span>
#include <thread>
#include <vector>

using namespace slhc;

/** The table itself. That the checks fill it with true verdicts alone is tested in block_scripts_tests. */
BOOST_AUTO_TEST_SUITE(sigcache_tests)

namespace {
/** An entry to remember; not a signature, which makes no difference to the cache. */
struct Sample {
    slhdsa::PublicKey pubkey{};
    std::array<uint8_t, 32> message{};
    slhdsa::Signature signature{};

    explicit Sample(uint32_t n)
    {
        for (size_t i = 0; i < 4; ++i) message[i] = static_cast<uint8_t>(n >> (8 * i));
    }
};

SignedMessage View(const Sample& s) { return {SignatureScheme::SLHDSA, s.pubkey, s.message, s.signature}; }
bool Contains(SignatureCache& cache, const Sample& s, bool erase = false) { return cache.Contains(View(s), erase); }
void Insert(SignatureCache& cache, const Sample& s) { cache.Insert(View(s)); }
} // namespace

BOOST_AUTO_TEST_CASE(finds_what_was_inserted_and_nothing_else)
{
    SignatureCache cache;
    const Sample sample{1};
    BOOST_CHECK(!Contains(cache, sample));
    Insert(cache, sample);
    BOOST_CHECK(Contains(cache, sample));
    BOOST_CHECK(Contains(cache, sample));

    // Every byte of the key, the message and the signature counts. Past the signature's first 16 bytes the hint is
    // the same, so these are told apart by the whole hash.
    for (size_t i = 0; i < sample.pubkey.size(); ++i) {
        Sample other{sample};
        other.pubkey[i] ^= 1;
        BOOST_CHECK(!Contains(cache, other));
    }
    for (size_t i = 0; i < sample.message.size(); ++i) {
        Sample other{sample};
        other.message[i] ^= 0x80;
        BOOST_CHECK(!Contains(cache, other));
    }
    auto other{std::make_unique<Sample>(sample)};
    for (size_t i = 0; i < sample.signature.size(); ++i) {
        other->signature[i] ^= 1;
        BOOST_CHECK_MESSAGE(!Contains(cache, *other), "byte " << i << " of the signature is not looked at");
        other->signature[i] ^= 1;
    }
    BOOST_CHECK(Contains(cache, *other));

    const auto stats{cache.GetStats()};
    BOOST_CHECK_EQUAL(stats.inserted, 1U);
    BOOST_CHECK_EQUAL(stats.hits, 3U);
    BOOST_CHECK_EQUAL(stats.misses, 1U + 32 + 32 + slhdsa::SIGNATURE_SIZE);
}

BOOST_AUTO_TEST_CASE(the_key_is_not_the_message)
{
    // Both are 32 bytes long: exchanged, they are something else.
    SignatureCache cache;
    Sample sample{1};
    sample.pubkey.fill(7);
    Insert(cache, sample);
    Sample exchanged{sample};
    exchanged.pubkey = sample.message;
    exchanged.message = sample.pubkey;
    BOOST_CHECK(!Contains(cache, exchanged));
    BOOST_CHECK(Contains(cache, sample));
}

BOOST_AUTO_TEST_CASE(schemes_do_not_meet)
{
    // The same bytes as a signature of another scheme are another signature. The sizes need not be the scheme's here.
    const std::vector<uint8_t> pubkey(33, 2);
    const std::vector<uint8_t> signature(64, 3);
    const std::array<uint8_t, 32> message{4};
    const std::array schemes{SignatureScheme::ECDSA, SignatureScheme::BIP340, SignatureScheme::SLHDSA};
    for (const SignatureScheme inserted : schemes) {
        SignatureCache cache;
        cache.Insert({inserted, pubkey, message, signature});
        for (const SignatureScheme asked : schemes) {
            BOOST_CHECK_EQUAL(cache.Contains({asked, pubkey, message, signature}, /*erase=*/false), asked == inserted);
        }
        for (const size_t size : {size_t{0}, size_t{15}, size_t{63}}) {
            BOOST_CHECK(!cache.Contains({inserted, pubkey, message, std::span{signature}.first(size)}, /*erase=*/false));
        }
    }
}

BOOST_AUTO_TEST_CASE(parameter_sets_do_not_meet)
{
    SignatureCache cache{size_t{1} << 12};
    const std::array<uint8_t, 32> key{1}, message{2};
    const std::vector<uint8_t> sig(3856, 3);
    const auto of{[&](uint8_t set) { return SignedMessage{SignatureScheme::SLHDSA, key, message, sig, set}; }};
    cache.Insert(of(24));
    BOOST_CHECK(cache.Contains(of(24), /*erase=*/false));
    for (const uint8_t other : {0, 40}) BOOST_CHECK(!cache.Contains(of(other), /*erase=*/false));
}

BOOST_AUTO_TEST_CASE(same_hint_different_signatures)
{
    // A signer can make two valid signatures that begin alike. Each has its own place.
    SignatureCache cache;
    const Sample a{1};
    Sample b{a};
    b.signature.back() = 1;
    Insert(cache, a);
    BOOST_CHECK(!Contains(cache, b));
    Insert(cache, b);
    BOOST_CHECK_EQUAL(cache.GetStats().inserted, 2U);
    BOOST_CHECK(Contains(cache, b));
    BOOST_CHECK(Contains(cache, a));
}

BOOST_AUTO_TEST_CASE(inserting_twice_takes_one_place)
{
    SignatureCache cache;
    const Sample sample{1};
    Insert(cache, sample);
    Insert(cache, sample);
    BOOST_CHECK_EQUAL(cache.GetStats().inserted, 1U);
}

BOOST_AUTO_TEST_CASE(what_is_let_go_of_stays_until_its_place_is_needed)
{
    SignatureCache cache{400};
    BOOST_REQUIRE_EQUAL(cache.Capacity(), 8U); // one bucket
    for (uint32_t i = 0; i < 7; ++i) Insert(cache, Sample{i});
    for (int block = 0; block < 3; ++block) BOOST_CHECK(Contains(cache, Sample{5}, /*erase=*/true));
    Insert(cache, Sample{7}); // there is an empty place
    BOOST_CHECK(Contains(cache, Sample{5}));
    BOOST_CHECK_EQUAL(cache.GetStats().overwritten, 0U);

    // It goes first, and the place is like any other then.
    Insert(cache, Sample{8});
    BOOST_CHECK(!Contains(cache, Sample{5}));
    for (const uint32_t i : {0, 1, 2, 3, 4, 6, 7, 8}) BOOST_CHECK(Contains(cache, Sample{i}));
    BOOST_CHECK_EQUAL(cache.GetStats().overwritten, 1U);
    BOOST_CHECK_EQUAL(cache.GetStats().evicted, 0U);
    Insert(cache, Sample{9});
    BOOST_CHECK_EQUAL(cache.GetStats().overwritten, 1U);
    BOOST_CHECK_EQUAL(cache.GetStats().evicted, 1U);
    BOOST_CHECK(Contains(cache, Sample{8}));
    BOOST_CHECK(Contains(cache, Sample{9}));
}

BOOST_AUTO_TEST_CASE(a_full_bucket_drops_the_oldest)
{
    SignatureCache cache{400};
    BOOST_REQUIRE_EQUAL(cache.Capacity(), 8U);
    for (uint32_t newest{0}; newest < 30; ++newest) {
        Insert(cache, Sample{newest});
        for (uint32_t i{0}; i < 31; ++i) BOOST_CHECK_EQUAL(Contains(cache, Sample{i}), i <= newest && newest - i < 8);
    }
    BOOST_CHECK_EQUAL(cache.GetStats().evicted, 22U);
}

BOOST_AUTO_TEST_CASE(what_is_inserted_again_is_kept_again)
{
    SignatureCache cache{400};
    for (uint32_t i = 0; i < 8; ++i) Insert(cache, Sample{i});
    for (const uint32_t i : {6, 7}) BOOST_CHECK(Contains(cache, Sample{i}, /*erase=*/true));
    Insert(cache, Sample{6}); // a transaction that a reorganization brings back to the mempool
    Insert(cache, Sample{8});
    BOOST_CHECK(!Contains(cache, Sample{7}));
    BOOST_CHECK(Contains(cache, Sample{6}));
    BOOST_CHECK_EQUAL(cache.GetStats().evicted, 0U);
    BOOST_CHECK_EQUAL(cache.GetStats().inserted, 9U);
}

BOOST_AUTO_TEST_CASE(size_is_a_bound)
{
    for (const size_t bytes : {size_t{0}, size_t{1}, size_t{100}}) {
        SignatureCache none{bytes};
        BOOST_CHECK_EQUAL(none.Capacity(), 0U);
        Insert(none, Sample{1});
        BOOST_CHECK(!Contains(none, Sample{1}));
        BOOST_CHECK_EQUAL(none.GetStats().inserted, 0U);
    }

    // Each entry is a hash of 32 bytes, a tag of 8, and its part of the bucket's bookkeeping.
    SignatureCache cache{1 << 20};
    BOOST_CHECK_GE(cache.Capacity(), (1U << 20) / 48);
    BOOST_CHECK_LE(cache.Capacity(), (1U << 20) / 40);

    SignatureCache small{2000};
    const size_t capacity{small.Capacity()};
    BOOST_REQUIRE_GT(capacity, 0U);
    BOOST_REQUIRE_LE(capacity, 2000U / 40);
    const auto n{static_cast<uint32_t>(20 * capacity)};
    for (uint32_t i = 0; i < n; ++i) {
        Insert(small, Sample{i});
        BOOST_CHECK(Contains(small, Sample{i})); // the newest is there, always
    }
    size_t left{0};
    for (uint32_t i = 0; i < n; ++i) left += Contains(small, Sample{i});
    BOOST_CHECK_EQUAL(left, capacity);
    BOOST_CHECK_EQUAL(small.GetStats().evicted, n - capacity);
}

#if !SLHC_ADDRESS_SANITIZER && !SLHC_THREAD_SANITIZER // which end the program
BOOST_AUTO_TEST_CASE(more_than_the_system_has)
{
    BOOST_CHECK_THROW(SignatureCache{std::numeric_limits<size_t>::max()}, std::bad_alloc);
}
#endif

BOOST_AUTO_TEST_CASE(holds_well_below_its_capacity)
{
    // Half full, a bucket of 8 seldom overflows: hardly anything is lost.
    SignatureCache cache{256 << 10};
    const auto n{static_cast<uint32_t>(cache.Capacity() / 2)};
    for (uint32_t i = 0; i < n; ++i) Insert(cache, Sample{i});
    BOOST_CHECK_LE(cache.GetStats().evicted, n / 50);
}

BOOST_AUTO_TEST_CASE(salt_is_this_objects_own, *boost::unit_test::description("which entries a full bucket loses depends on a secret"))
{
    std::vector<std::vector<bool>> survivors;
    for (int round = 0; round < 2; ++round) {
        SignatureCache cache{20'000};
        const auto n{static_cast<uint32_t>(2 * cache.Capacity())};
        for (uint32_t i = 0; i < n; ++i) Insert(cache, Sample{i});
        auto& row{survivors.emplace_back()};
        for (uint32_t i = 0; i < n; ++i) row.push_back(Contains(cache, Sample{i}));
    }
    BOOST_CHECK(survivors[0] != survivors[1]);
}

BOOST_AUTO_TEST_CASE(hammered_from_several_threads)
{
    // A small table, so that threads meet in its buckets. Even numbers are inserted, odd ones never.
    SignatureCache cache{4000};
    std::atomic<uint64_t> wrong{0}, contains_calls{0};
    {
        std::vector<std::jthread> threads;
        for (uint32_t t = 0; t < 4; ++t) {
            threads.emplace_back([&, t] {
                uint32_t state{t + 1};
                for (int i = 0; i < 1500; ++i) {
                    state = state * 1664525 + 1013904223;
                    const uint32_t n{(state >> 8) % 256};
                    const Sample sample{n};
                    if (n % 2 == 0 && (state >> 30) != 0) {
                        Insert(cache, sample);
                    } else {
                        const bool found{Contains(cache, sample, /*erase=*/(state >> 29 & 1) != 0)};
                        ++contains_calls;
                        if (found && n % 2 == 1) ++wrong;
                    }
                }
            });
        }
    }
    BOOST_CHECK_EQUAL(wrong, 0U);
    const auto stats{cache.GetStats()};
    BOOST_CHECK_EQUAL(stats.hits + stats.misses, contains_calls);
    BOOST_CHECK_GT(stats.hits, 0U);
    // Every entry went in, and is out again or still there: no update was lost.
    size_t left{0};
    for (uint32_t n = 0; n < 256; ++n) left += Contains(cache, Sample{n});
    BOOST_CHECK_GT(stats.overwritten, 0U);
    BOOST_CHECK_EQUAL(stats.inserted, stats.evicted + stats.overwritten + left);
}

BOOST_AUTO_TEST_SUITE_END()
