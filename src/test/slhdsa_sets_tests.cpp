// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

// SLH-DSA with every parameter set. Those of the list agree with others; sets that are small enough are gone through whole.

#include <crypto/hash.h>
#include <pqc/slhdsa/slhdsa.h>
#include <test/json_data.h>
#include <test/test_sets.h>
#include <util/hex.h>

#include <boost/test/unit_test.hpp>

#include <array>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

using namespace slhc;
using namespace slhc::slhdsa;
using namespace slhc::test;

namespace {

template <Params P>
struct Key {
    SecretKey sk;
    PublicKey pk;

    Key()
    {
        std::array<uint8_t, KEYGEN_SEED_SIZE> seed;
        for (size_t i{0}; i < seed.size(); ++i) seed[i] = static_cast<uint8_t>(7 * i + 1);
        slh_keygen_internal<P>(seed, sk, pk);
    }

    [[nodiscard]] NodeView SkSeed() const { return std::span{sk}.first<N>(); }
    [[nodiscard]] HashContext Hash() const { return HashContext{std::span{pk}.first<N>()}; }
    [[nodiscard]] NodeView Root() const { return std::span{pk}.last<N>(); }
};

constexpr uint32_t Mask(size_t bits) { return (uint32_t{1} << bits) - 1; }

/** Call f<P>() for each set that is gone through whole. */
template <typename F>
void ForEachTinySet(F f)
{
    f.template operator()<TINY>();
    f.template operator()<TINY_W4>();
    f.template operator()<TINY_W256>();
}

/** Call f(idx_tree, idx_leaf) for each one-time key of the lowest layer. */
template <Params P, typename F>
void ForEachLeaf(F f)
{
    for (uint64_t tree{0}; tree >> (P.h - P.h_prime()) == 0; ++tree) {
        for (uint32_t leaf{0}; leaf <= Mask(P.h_prime()); ++leaf) f(tree, leaf);
    }
}

/** All that a signature's digest selects. Of a tiny set, many messages and randomizers have the same. */
template <Params P>
auto Selected(const SignatureOf<P>& sig, const PublicKey& pk, std::span<const uint8_t> message)
{
    const auto digest{DigestMessage<P>(std::span{sig}.template first<N>(), pk, *MessagePieces::Pure(message, {}))};
    return std::tuple{base_2b<P.a, P.k>(digest.md), digest.idx_tree, digest.idx_leaf};
}

/** A vector of slhdsa_sets.json, if it is of this set. */
template <Params P>
bool CheckVector(const nlohmann::json& vector)
{
    if (vector.at("set") != nlohmann::json{P.h, P.d, P.a, P.k, P.lg_w}) return false;
    const std::vector<uint8_t> message{HexField(vector, "msg")};
    if (vector.contains("sk")) {
        const std::vector<uint8_t> expected{HexField(vector, "sk")};
        SecretKey sk;
        PublicKey pk;
        slh_keygen_internal<P>(std::span{expected}.first<KEYGEN_SEED_SIZE>(), sk, pk);
        BOOST_CHECK_EQUAL(HexStr(sk), HexStr(expected));
        SignatureOf<P> sig;
        slh_sign_internal<P>(message, sk, std::span{pk}.first<N>(), sig);
        BOOST_CHECK_EQUAL(HexStr(Sha256(sig)), vector.at("sig_sha256").get<std::string>());
        BOOST_CHECK(slh_verify_internal<P>(message, sig, pk));
        return true;
    }
    std::vector<uint8_t> sig{HexField(vector, "sig")};
    const std::vector<uint8_t> pk_bytes{HexField(vector, "pk")};
    const auto pk{std::span{pk_bytes}.first<PUBLIC_KEY_SIZE>()};
    BOOST_CHECK(slh_verify_internal<P>(message, sig, pk));
    for (size_t i{0}; i < sig.size(); ++i) {
        sig[i] ^= static_cast<uint8_t>(1U << i % 8);
        BOOST_CHECK_MESSAGE(!slh_verify_internal<P>(message, sig, pk), "accepted with byte " << i << " changed");
        sig[i] ^= static_cast<uint8_t>(1U << i % 8);
    }
    return true;
}

} // namespace

BOOST_AUTO_TEST_SUITE(slhdsa_sets_tests)

BOOST_AUTO_TEST_CASE(names_and_numbers)
{
    const std::map<std::string_view, int> expected{{"128s", 0}, {"128f", 1}, {"128-24", 24}, {"128-q40", 40}};
    std::map<std::string_view, int> found;
    for (const ParameterSetEntry& entry : PARAMETER_SETS) {
        BOOST_CHECK_EQUAL(ParameterSetName(entry.set), entry.name);
        BOOST_CHECK(ParamsOf(entry.set) == entry.params);
        if (IsForTests(entry.set)) {
            BOOST_CHECK(!ParameterSetByName(entry.name));
            continue;
        }
        found[entry.name] = static_cast<int>(entry.set);
        BOOST_CHECK(ParameterSetByName(entry.name) == entry.set);
    }
    BOOST_CHECK(found == expected);
    for (const char* name : {"", "128", "128S", "128s ", "128-25", "q40"}) BOOST_CHECK_MESSAGE(!ParameterSetByName(name), name);
}

BOOST_AUTO_TEST_CASE(checksum_digits)
{
    constexpr auto len2{[](size_t lg_w) { return Params{.h = 1, .d = 1, .a = 1, .k = 1, .lg_w = lg_w}.len2(); }};
    // FIPS 205, equation 5.3: floor(log2(len1 * (w - 1)) / lg_w) + 1
    BOOST_CHECK_EQUAL(len2(1), 8U); // log2(128) = 7
    BOOST_CHECK_EQUAL(len2(2), 4U); // log2(192) = 7.6
    BOOST_CHECK_EQUAL(len2(4), 3U); // log2(480) = 8.9
    BOOST_CHECK_EQUAL(len2(8), 2U); // log2(4080) = 11.99
}

BOOST_AUTO_TEST_CASE(vectors)
{
    size_t checked{0};
    for (const nlohmann::json& vector : ReadJson("slhdsa_sets.json")) {
        checked += CheckVector<ParamsOf(ParameterSet::SHA2_128_24)>(vector) || CheckVector<ParamsOf(ParameterSet::SHA2_128_Q40)>(vector) ||
                   CheckVector<WIDE>(vector) || CheckVector<TINY>(vector) || CheckVector<TINY_W4>(vector) || CheckVector<TINY_W256>(vector);
    }
    BOOST_CHECK_EQUAL(checked, 42U);
}

BOOST_AUTO_TEST_CASE(sets_at_run_time)
{
    // Of each set but 128-24, whose key takes 2^22 one-time keys
    const std::array<uint8_t, KEYGEN_SEED_SIZE> seed{1, 2, 3};
    const std::array<uint8_t, 3> message{4, 5, 6};
    std::map<ParameterSet, std::pair<PublicKey, std::vector<uint8_t>>> made;
    for (const ParameterSetEntry& entry : PARAMETER_SETS) {
        if (entry.set == ParameterSet::SHA2_128_24) continue;
        SecretKey sk;
        auto& [pk, sig]{made[entry.set]};
        slh_keygen_internal(entry.set, seed, sk, pk);
        sig.resize(entry.params.SignatureSize());
        BOOST_REQUIRE(slh_sign(entry.set, message, {}, sk, nullptr, sig));
        const std::vector<uint8_t> before{sig};
        BOOST_CHECK(!slh_sign(entry.set, message, std::vector<uint8_t>(MAX_CONTEXT_SIZE + 1), sk, nullptr, sig));
        BOOST_CHECK(sig == before);
    }
    for (const auto& [made_by, key_and_signature] : made) {
        for (const ParameterSetEntry& entry : PARAMETER_SETS) {
            BOOST_CHECK_EQUAL(slh_verify(entry.set, message, key_and_signature.second, {}, key_and_signature.first), entry.set == made_by);
        }
    }
}

BOOST_AUTO_TEST_CASE(wide_indexes)
{
    const auto all_ones{[]<Params P>() {
        std::array<uint8_t, P.m()> digest;
        digest.fill(0xff);
        return SplitDigest<P>(digest);
    }};
    const auto one_tree{all_ones.operator()<ParamsOf(ParameterSet::SHA2_128_24)>()};
    BOOST_CHECK_EQUAL(one_tree.idx_tree, 0U);
    BOOST_CHECK_EQUAL(one_tree.idx_leaf, (1U << 22) - 1);
    BOOST_CHECK((base_2b<24, 6>(one_tree.md) == std::array<uint32_t, 6>{0xffffff, 0xffffff, 0xffffff, 0xffffff, 0xffffff, 0xffffff}));
    BOOST_CHECK_EQUAL(all_ones.operator()<ParamsOf(ParameterSet::SHA2_128F)>().idx_tree, (uint64_t{1} << 63) - 1);
    BOOST_CHECK_EQUAL(all_ones.operator()<WIDE>().idx_tree, ~uint64_t{0});
}

BOOST_AUTO_TEST_CASE(every_digest)
{
    ForEachTinySet([]<Params P>() {
        static_assert(P.m() == 3 && P.LeafIndexSize() == 1);
        constexpr uint32_t USED{Mask(P.k * P.a) << (24 - P.k * P.a) | Mask(P.h - P.h_prime()) << 8 | Mask(P.h_prime())};
        size_t wrong{0};
        for (uint32_t bits{0}; bits < 1 << 24; ++bits) {
            const uint32_t unused{bits & ~USED};
            if (unused != 0 && unused != (Mask(24) & ~USED)) continue; // all of them zero or one
            const MessageDigestOf<P> split{SplitDigest<P>(toByte<3>(bits))};
            const auto indices{base_2b<P.a, P.k>(split.md)};
            for (size_t i{0}; i < P.k; ++i) wrong += indices[i] != (bits >> (24 - P.a * (i + 1)) & Mask(P.a));
            wrong += split.idx_tree != (bits >> 8 & Mask(P.h - P.h_prime()));
            wrong += split.idx_leaf != (bits & Mask(P.h_prime()));
        }
        BOOST_CHECK_EQUAL(wrong, 0U);
    });
}

BOOST_AUTO_TEST_CASE(every_digit_of_every_chain)
{
    ForEachTinySet([]<Params P>() {
        const Key<P> key;
        const HashContext hash{key.Hash()};
        ADRS adrs;
        adrs.setTreeAddress(1);
        adrs.setTypeAndClear(ADRSType::WOTS_HASH);
        adrs.setKeyPairAddress(1);
        const Node pk{wots_pkGen<P>(hash, key.SkSeed(), adrs)};
        std::set<std::pair<size_t, uint32_t>> seen;
        for (int byte{0}; byte < 256; ++byte) {
            Node m;
            m.fill(static_cast<uint8_t>(byte));
            const auto digits{wots_digits<P>(m)};
            uint32_t checksum{0}, sum{0};
            for (size_t i{0}; i < P.len(); ++i) {
                if (i < P.len1()) {
                    seen.emplace(i, digits[i]);
                    checksum += Mask(P.lg_w) - digits[i];
                } else {
                    sum = sum << P.lg_w | digits[i];
                }
            }
            BOOST_CHECK_EQUAL(checksum, sum);
            std::array<uint8_t, P.WotsSigSize()> sig;
            wots_sign<P>(hash, m, key.SkSeed(), adrs, sig);
            BOOST_CHECK(wots_pkFromSig<P>(hash, sig, m, adrs) == pk);
            m[byte % N] ^= 1;
            BOOST_CHECK(wots_pkFromSig<P>(hash, sig, m, adrs) != pk);
        }
        BOOST_CHECK_EQUAL(seen.size(), P.len1() * P.w());
    });
}

BOOST_AUTO_TEST_CASE(every_fors_signature)
{
    ForEachTinySet([]<Params P>() {
        const Key<P> key;
        const HashContext hash{key.Hash()};
        ForEachLeaf<P>([&](uint64_t tree, uint32_t leaf) {
            const ADRS adrs{ForsAddress<P>({.md = {}, .idx_tree = tree, .idx_leaf = leaf})};
            std::array<Node, P.k> roots;
            for (uint32_t i{0}; i < P.k; ++i) roots[i] = fors_node(hash, key.SkSeed(), i, P.a, adrs);
            ADRS pk_adrs{adrs};
            pk_adrs.setTypeAndClear(ADRSType::FORS_ROOTS);
            pk_adrs.setKeyPairAddress(leaf);
            const Node pk{hash.T_l(pk_adrs, roots)};

            constexpr size_t UNUSED{8 * P.MdSize() - P.k * P.a};
            size_t wrong{0};
            for (uint32_t indices{0}; indices <= Mask(P.k * P.a); ++indices) {
                const auto md{toByte<P.MdSize()>(indices << UNUSED)};
                std::array<uint8_t, P.ForsSigSize()> sig;
                fors_sign<P>(hash, md, key.SkSeed(), adrs, sig);
                wrong += fors_pkFromSig<P>(hash, sig, md, adrs) != pk;
                wrong += fors_pkFromSig<P>(hash, sig, toByte<P.MdSize()>(indices << UNUSED | Mask(UNUSED)), adrs) != pk;
                for (size_t bit{0}; bit < P.k * P.a; ++bit) {
                    wrong += fors_pkFromSig<P>(hash, sig, toByte<P.MdSize()>((indices ^ 1U << bit) << UNUSED), adrs) == pk;
                }
            }
            BOOST_CHECK_EQUAL(wrong, 0U);
        });
    });
}

BOOST_AUTO_TEST_CASE(every_leaf)
{
    ForEachTinySet([]<Params P>() {
        const Key<P> key;
        const HashContext hash{key.Hash()};
        const Node m{0x5a, 0xc3};
        ForEachLeaf<P>([&](uint64_t tree, uint32_t leaf) {
            std::array<uint8_t, P.HtSigSize()> sig;
            ht_sign<P>(hash, m, key.SkSeed(), tree, leaf, sig);
            ForEachLeaf<P>([&](uint64_t other_tree, uint32_t other_leaf) {
                BOOST_CHECK_EQUAL(ht_verify<P>(hash, m, sig, other_tree, other_leaf, key.Root()), other_tree == tree && other_leaf == leaf);
            });
        });
    });
}

BOOST_AUTO_TEST_CASE(messages_that_reach_every_index)
{
    ForEachTinySet([]<Params P>() {
        const Key<P> key;
        std::set<std::pair<uint64_t, uint32_t>> leaves;
        std::set<std::pair<size_t, uint32_t>> fors_leaves;
        for (uint8_t i{0}; i < 200; ++i) {
            const std::array<uint8_t, 1> message{i};
            SignatureOf<P> sig;
            BOOST_REQUIRE(slh_sign<P>(message, {}, key.sk, nullptr, sig));
            BOOST_CHECK(slh_verify<P>(message, sig, {}, key.pk));
            const std::array<uint8_t, 1> next{static_cast<uint8_t>(i + 1)};
            const auto selected{Selected<P>(sig, key.pk, message)};
            BOOST_CHECK_EQUAL(slh_verify<P>(next, sig, {}, key.pk), Selected<P>(sig, key.pk, next) == selected);
            const auto& [indices, idx_tree, idx_leaf]{selected};
            leaves.emplace(idx_tree, idx_leaf);
            for (size_t tree{0}; tree < P.k; ++tree) fors_leaves.emplace(tree, indices[tree]);
        }
        BOOST_CHECK_EQUAL(leaves.size(), size_t{1} << P.h);
        BOOST_CHECK_EQUAL(fors_leaves.size(), P.k << P.a);
    });
}

BOOST_AUTO_TEST_CASE(every_bit_of_a_signature_counts)
{
    ForEachTinySet([]<Params P>() {
        const Key<P> key;
        const std::array<uint8_t, 4> message{1, 2, 3, 4};
        SignatureOf<P> sig;
        BOOST_REQUIRE(slh_sign<P>(message, {}, key.sk, nullptr, sig));
        const auto selected{Selected<P>(sig, key.pk, message)};
        for (size_t bit{0}; bit < 8 * sig.size(); ++bit) {
            if (P.w() == 256 && bit % 8 != bit / 8 % 8) continue; // long chains: one bit of a byte
            sig[bit / 8] ^= static_cast<uint8_t>(1U << bit % 8);
            const bool same{bit / 8 < N && Selected<P>(sig, key.pk, message) == selected}; // another R may serve as well
            BOOST_CHECK_MESSAGE(slh_verify<P>(message, sig, {}, key.pk) == same, "wrong verdict with bit " << bit << " changed");
            sig[bit / 8] ^= static_cast<uint8_t>(1U << bit % 8);
        }
        BOOST_CHECK(slh_verify<P>(message, sig, {}, key.pk));
        BOOST_CHECK(!slh_verify<P>(message, std::span{sig}.first(sig.size() - 1), {}, key.pk));
    });
}

BOOST_AUTO_TEST_SUITE_END()
