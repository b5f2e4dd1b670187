// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <script/pubkey.h>

#include <test/util/signing_context.h>

#include <boost/test/unit_test.hpp>

#include <secp256k1.h>
#include <secp256k1_extrakeys.h>
#include <secp256k1_schnorrsig.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

using namespace slhc;
using slhc::test::SigningContext;

BOOST_AUTO_TEST_SUITE(pubkey_tests)

namespace {

using Bytes = std::vector<uint8_t>;

constexpr std::array<uint8_t, 32> SECRET_KEY{0, 1, 2, 3, 4};

/** The order of the curve, and the prime of its field (SEC 2, section 2.4.1). */
const Bytes ORDER{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfe,
                  0xba, 0xae, 0xdc, 0xe6, 0xaf, 0x48, 0xa0, 0x3b, 0xbf, 0xd2, 0x5e, 0x8c, 0xd0, 0x36, 0x41, 0x41};
const Bytes FIELD{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
                  0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfe, 0xff, 0xff, 0xfc, 0x2f};

Bytes Key(unsigned flags)
{
    secp256k1_pubkey key;
    BOOST_REQUIRE(secp256k1_ec_pubkey_create(SigningContext(), &key, SECRET_KEY.data()));
    Bytes out(CPubKey::SIZE);
    size_t size{out.size()};
    BOOST_REQUIRE(secp256k1_ec_pubkey_serialize(SigningContext(), out.data(), &size, &key, flags));
    out.resize(size);
    return out;
}

/** An ECDSA signature as two numbers of 32 bytes. r has its highest bit set: as an integer of DER it would be negative. */
struct Numbers {
    uint256 hash;
    Bytes r, s;

    Numbers()
    {
        // Not of a hash of zero, which a key and its negation sign alike
        for (uint8_t i{1}; r.empty() || r[0] < 0x80; ++i) {
            hash = uint256{i};
            secp256k1_ecdsa_signature sig;
            BOOST_REQUIRE(secp256k1_ecdsa_sign(SigningContext(), &sig, hash.data(), SECRET_KEY.data(), nullptr, nullptr));
            std::array<uint8_t, 64> compact;
            secp256k1_ecdsa_signature_serialize_compact(SigningContext(), compact.data(), &sig);
            r.assign(compact.begin(), compact.begin() + 32);
            s.assign(compact.begin() + 32, compact.end());
        }
    }

    [[nodiscard]] Bytes HighS() const
    {
        Bytes negated{s};
        BOOST_REQUIRE(secp256k1_ec_seckey_negate(SigningContext(), negated.data()));
        return negated;
    }
};

const Numbers& Signature()
{
    static const Numbers s_numbers;
    return s_numbers;
}

/** An encoding to try, piece by piece; missing pieces are as in DER. */
struct Lax {
    Bytes sequence_length{0};
    std::optional<Bytes> r_length{}, s_length{};
    Bytes r{Signature().r}, s{Signature().s};
    Bytes rest{};

    [[nodiscard]] Bytes Encode() const
    {
        Bytes out{0x30};
        const auto append{[&](const Bytes& bytes) { out.insert(out.end(), bytes.begin(), bytes.end()); }};
        append(sequence_length);
        for (const auto& [length, number] : {std::pair{&r_length, &r}, std::pair{&s_length, &s}}) {
            out.push_back(0x02);
            append(length->value_or(Bytes{static_cast<uint8_t>(number->size())}));
            append(*number);
        }
        append(rest);
        return out;
    }
};

bool Verifies(const Bytes& sig) { return CPubKey{Key(SECP256K1_EC_COMPRESSED)}.Verify(Signature().hash, sig); }

/** True if two integers are found, since Signature() has a low S. */
bool IsRead(const Bytes& sig)
{
    const bool is_read{CPubKey::CheckLowS(sig)};
    if (!is_read) BOOST_CHECK(!Verifies(sig));
    return is_read;
}

/** A length in its long form, with so many bytes of length. */
Bytes LongForm(size_t length, size_t n_bytes)
{
    Bytes out{static_cast<uint8_t>(0x80 | n_bytes)};
    for (size_t i{n_bytes}; i-- > 0;) out.push_back(i < sizeof(length) ? static_cast<uint8_t>(length >> 8 * i) : 0);
    return out;
}

Bytes Padded(size_t size, const Bytes& number)
{
    Bytes out(size - number.size());
    out.insert(out.end(), number.begin(), number.end());
    return out;
}

} // namespace

BOOST_AUTO_TEST_CASE(the_length_of_the_sequence_says_nothing)
{
    for (int length{0}; length < 0x80; ++length) BOOST_CHECK(Verifies(Lax{.sequence_length = {static_cast<uint8_t>(length)}}.Encode()));
    for (size_t n_bytes{0}; n_bytes < 0x80; ++n_bytes) {
        for (const size_t length : {size_t{0}, size_t{68}, SIZE_MAX}) {
            BOOST_CHECK(Verifies(Lax{.sequence_length = LongForm(length, n_bytes)}.Encode()));
        }
    }
}

BOOST_AUTO_TEST_CASE(the_length_of_an_integer_has_any_form)
{
    for (size_t n_bytes{1}; n_bytes < 0x80; ++n_bytes) {
        BOOST_CHECK(Verifies(Lax{.r_length = LongForm(32, n_bytes)}.Encode()));
        BOOST_CHECK(Verifies(Lax{.s_length = LongForm(32, n_bytes)}.Encode()));
    }
    // As many bytes of length as the length needs, and more
    for (const auto& [size, least] : {std::pair{0x80, 1}, {0xff, 1}, {0x100, 2}, {0x102, 2}, {0xffff, 2}, {0x10000, 3}, {0x10203, 3}}) {
        for (const int n_bytes : {least, least + 1, least + 5}) {
            const Bytes length{LongForm(size, n_bytes)};
            BOOST_CHECK(Verifies(Lax{.r_length = length, .r = Padded(size, Signature().r)}.Encode()));
            BOOST_CHECK(Verifies(Lax{.s_length = length, .s = Padded(size, Signature().s)}.Encode()));
        }
    }
}

BOOST_AUTO_TEST_CASE(a_length_has_three_bytes_at_most)
{
    constexpr size_t SIZE{1 << 24};
    const Bytes r(Padded(SIZE, Signature().r)), shorter(r.begin() + 1, r.end());
    BOOST_CHECK(!IsRead(Lax{.r_length = LongForm(SIZE, 4), .r = r}.Encode()));
    BOOST_CHECK(Verifies(Lax{.r_length = LongForm(SIZE - 1, 4), .r = shorter}.Encode()));
    BOOST_CHECK(!IsRead(Lax{.r_length = Bytes{0x84, 1, 0, 0, 32}}.Encode()));
    BOOST_CHECK(!IsRead(Lax{.s_length = Bytes{0x85, 1, 0, 0, 0, 32}}.Encode()));
    // For a reader that takes the first byte for the length: 0x84 bytes, and then the tag of s
    BOOST_CHECK(!IsRead(Lax{.r_length = Bytes{0x84, 1, 0, 0, 0}, .r = Bytes(0x80)}.Encode()));
}

BOOST_AUTO_TEST_CASE(integers_have_any_sign_and_padding)
{
    for (const size_t size : {32, 33, 34, 64, 127}) {
        BOOST_CHECK(Verifies(Lax{.r = Padded(size, Signature().r)}.Encode()));
        BOOST_CHECK(Verifies(Lax{.s = Padded(size, Signature().s)}.Encode()));
    }
    BOOST_CHECK(Signature().r[0] >= 0x80); // negative, without padding
    // Numbers that are short are short: the value counts.
    for (size_t size{0}; size <= 32; ++size) {
        const Bytes r(Signature().r.end() - static_cast<ptrdiff_t>(size), Signature().r.end());
        BOOST_CHECK(IsRead(Lax{.r = r}.Encode()));
        BOOST_CHECK_EQUAL(Verifies(Lax{.r = r}.Encode()), size == 32);
        const Bytes s(Signature().s.end() - static_cast<ptrdiff_t>(size), Signature().s.end());
        BOOST_CHECK_EQUAL(Verifies(Lax{.s = s}.Encode()), size == 32);
    }
}

BOOST_AUTO_TEST_CASE(anything_may_follow)
{
    for (const size_t size : {1, 2, 64, 1000}) BOOST_CHECK(Verifies(Lax{.rest = Bytes(size, 0x02)}.Encode()));
}

BOOST_AUTO_TEST_CASE(what_is_cut_off_is_not_read)
{
    for (const Lax& lax : {Lax{}, Lax{.sequence_length = LongForm(68, 1)}, Lax{.sequence_length = LongForm(68, 9)},
                           Lax{.r_length = LongForm(32, 1), .s_length = LongForm(32, 1)},
                           Lax{.r_length = LongForm(32, 3), .s_length = LongForm(32, 3)},
                           Lax{.r_length = LongForm(32, 6), .s_length = LongForm(32, 6)}, Lax{.r = {}, .s = {}}, Lax{.r = {0}, .s = {0}},
                           Lax{.r_length = LongForm(256, 2), .s_length = LongForm(256, 2), .r = Bytes(256), .s = Bytes(256)}}) {
        const Bytes whole{lax.Encode()};
        BOOST_CHECK(IsRead(whole));
        for (Bytes cut{whole}; !cut.empty();) {
            cut.pop_back();
            BOOST_CHECK(!IsRead(cut));
        }
    }
    // A length that is too large, at either integer
    BOOST_CHECK(!IsRead(Lax{.s_length = Bytes{33}}.Encode()));
    BOOST_CHECK(!IsRead(Lax{.r_length = Bytes{127}}.Encode()));
    BOOST_CHECK(!IsRead(Lax{.r_length = Bytes{0x83, 0xff, 0xff, 0xff}}.Encode()));
    BOOST_CHECK(!IsRead(Lax{.sequence_length = Bytes{0xff}}.Encode()));
}

BOOST_AUTO_TEST_CASE(tags_are_those_of_a_sequence_and_of_integers)
{
    const Bytes whole{Lax{}.Encode()};
    for (const size_t place : {size_t{0}, size_t{2}, size_t{2 + 2 + 32}}) {
        for (int tag{0}; tag < 0x100; ++tag) {
            Bytes other{whole};
            other[place] = static_cast<uint8_t>(tag);
            BOOST_CHECK_EQUAL(IsRead(other), tag == whole[place]);
        }
    }
    // Integers, without the length that belongs to the other tag
    Bytes without_length{whole};
    without_length[0] = 0x31;
    without_length.erase(without_length.begin() + 1);
    BOOST_CHECK(!IsRead(without_length));
}

/** Nothing is left of an earlier signature that could be verified once more. */
BOOST_AUTO_TEST_CASE(what_is_not_read_is_not_verified)
{
    const CPubKey key{Key(SECP256K1_EC_COMPRESSED)};
    const Bytes sig{Lax{}.Encode()}, not_read{0x31};
    for (int i{0}; i < 2; ++i) {
        for (const Bytes* given : {&sig, &not_read}) BOOST_CHECK_EQUAL(key.Verify(Signature().hash, *given), given == &sig);
    }
}

/** A number that is too large for the curve makes a signature that is read, never verifies, and counts as one with a low S. */
BOOST_AUTO_TEST_CASE(numbers_that_are_too_large)
{
    const Bytes high_s{Signature().HighS()};
    BOOST_CHECK(Verifies(Lax{.s = high_s}.Encode()));
    BOOST_CHECK(!CPubKey::CheckLowS(Lax{.s = high_s}.Encode()));

    Bytes below_order{ORDER};
    --below_order.back();
    BOOST_CHECK(!CPubKey::CheckLowS(Lax{.r = below_order, .s = high_s}.Encode()));
    Bytes one_too_long{Signature().r};
    one_too_long.insert(one_too_long.begin(), 1);
    for (const Bytes& too_large : {ORDER, Bytes(32, 0xff), one_too_long, Bytes(64, 0x01), Bytes(120, 0xff)}) {
        const std::array laxes{Lax{.r = too_large}, Lax{.s = too_large}, Lax{.r = too_large, .s = high_s},
                               Lax{.r = too_large, .s = too_large}};
        for (const Lax& lax : laxes) {
            BOOST_CHECK(CPubKey::CheckLowS(lax.Encode()));
            BOOST_CHECK(!Verifies(lax.Encode()));
        }
    }
}

BOOST_AUTO_TEST_CASE(keys_have_the_size_that_their_first_byte_asks_for)
{
    BOOST_CHECK(!CPubKey::ValidSize({}));
    BOOST_CHECK(!CPubKey{Bytes{}}.IsValid());
    for (int first{0}; first < 0x100; ++first) {
        const size_t right_size{first == 2 || first == 3 ? 33U : first == 4 || first == 6 || first == 7 ? 65U : 0U};
        for (size_t size{1}; size <= 70; ++size) {
            Bytes bytes(size, 0x55);
            bytes[0] = static_cast<uint8_t>(first);
            BOOST_CHECK_EQUAL(CPubKey::ValidSize(bytes), size == right_size);
            const CPubKey key{bytes};
            BOOST_CHECK_EQUAL(key.IsValid(), size == right_size);
            const auto kept{key.Bytes()};
            BOOST_CHECK(size == right_size ? std::ranges::equal(kept, bytes) : kept.empty());
            if (!key.IsValid()) BOOST_CHECK(!key.Verify(Signature().hash, Lax{}.Encode()));
        }
    }
}

BOOST_AUTO_TEST_CASE(keys_in_every_encoding_verify)
{
    const Bytes sig{Lax{}.Encode()}, compressed{Key(SECP256K1_EC_COMPRESSED)}, uncompressed{Key(SECP256K1_EC_UNCOMPRESSED)};
    const auto verifies{[&](const Bytes& key) { return CPubKey{key}.Verify(Signature().hash, sig); }};
    BOOST_CHECK(verifies(compressed));
    BOOST_CHECK(verifies(uncompressed));
    const uint8_t parity{static_cast<uint8_t>(uncompressed.back() & 1)};
    for (const uint8_t said : {uint8_t{0}, uint8_t{1}}) {
        Bytes hybrid{uncompressed};
        hybrid[0] = static_cast<uint8_t>(0x06 + said);
        BOOST_CHECK_EQUAL(verifies(hybrid), said == parity);
        Bytes other{compressed};
        other[0] = static_cast<uint8_t>(0x02 + said);
        BOOST_CHECK_EQUAL(verifies(other), said == parity);
    }
    Bytes off_the_curve{uncompressed};
    off_the_curve.back() ^= 1;
    BOOST_CHECK(!verifies(off_the_curve));
    uint256 other_hash{Signature().hash};
    *other_hash.data() ^= 1;
    BOOST_CHECK(!CPubKey{compressed}.Verify(other_hash, sig));
}

namespace {

XOnlyPubKey XOnly(const Bytes& bytes) { return XOnlyPubKey{std::span<const uint8_t, 32>{bytes}}; }

/** The x coordinate of SECRET_KEY's point. */
XOnlyPubKey XOnlyKey()
{
    const Bytes key{Key(SECP256K1_EC_COMPRESSED)};
    return XOnly({key.begin() + 1, key.end()});
}

/** Coordinates that no point has: zero, for 7 is not a square; the field's prime and what is above it. */
std::vector<XOnlyPubKey> NotPoints() { return {XOnly(Bytes(32)), XOnly(FIELD), XOnly(Bytes(32, 0xff))}; }

} // namespace

BOOST_AUTO_TEST_CASE(x_only_keys_are_points)
{
    BOOST_CHECK(XOnlyKey().IsFullyValid());
    for (const XOnlyPubKey& key : NotPoints()) BOOST_CHECK(!key.IsFullyValid());
}

BOOST_AUTO_TEST_CASE(schnorr_signatures)
{
    secp256k1_keypair pair;
    BOOST_REQUIRE(secp256k1_keypair_create(SigningContext(), &pair, SECRET_KEY.data()));
    const uint256 message{uint8_t{7}};
    std::array<uint8_t, 64> sig;
    BOOST_REQUIRE(secp256k1_schnorrsig_sign32(SigningContext(), sig.data(), message.data(), &pair, nullptr));
    BOOST_CHECK(XOnlyKey().VerifySchnorr(message, sig));
    BOOST_CHECK(!XOnlyKey().VerifySchnorr(uint256{uint8_t{8}}, sig));
    for (const XOnlyPubKey& key : NotPoints()) BOOST_CHECK(!key.VerifySchnorr(message, sig));
    for (const size_t i : {0, 31, 32, 63}) {
        std::array<uint8_t, 64> other{sig};
        other[i] ^= 1;
        BOOST_CHECK(!XOnlyKey().VerifySchnorr(message, other));
    }
}

BOOST_AUTO_TEST_CASE(tap_tweaks)
{
    const uint256 root{uint8_t{1}}, other_root{uint8_t{2}};
    const XOnlyPubKey internal{XOnlyKey()};
    BOOST_CHECK(internal.ComputeTapTweakHash(nullptr) != internal.ComputeTapTweakHash(&root));
    BOOST_CHECK(internal.ComputeTapTweakHash(&other_root) != internal.ComputeTapTweakHash(&root));
    const auto tweaked{internal.CreateTapTweak(&root)};
    BOOST_REQUIRE(tweaked);
    const auto& [output, parity]{*tweaked};
    BOOST_CHECK(output.CheckTapTweak(internal, root, parity));
    BOOST_CHECK(!output.CheckTapTweak(internal, root, !parity));
    BOOST_CHECK(!output.CheckTapTweak(internal, other_root, parity));
    BOOST_CHECK(!internal.CheckTapTweak(internal, root, parity));
    for (const XOnlyPubKey& key : NotPoints()) {
        BOOST_CHECK(!key.CreateTapTweak(&root));
        BOOST_CHECK(!key.CreateTapTweak(nullptr));
        BOOST_CHECK(!output.CheckTapTweak(key, root, parity));
        BOOST_CHECK(!key.CheckTapTweak(internal, root, parity));
    }
    // Both parities occur.
    std::array<bool, 2> seen{};
    for (uint8_t i{0}; i < 32; ++i) {
        const uint256 some_root{i};
        const auto some{internal.CreateTapTweak(&some_root)};
        BOOST_REQUIRE(some);
        seen[some->second] = true;
        BOOST_CHECK(some->first.CheckTapTweak(internal, some_root, some->second));
    }
    BOOST_CHECK(seen[0] && seen[1]);
}

BOOST_AUTO_TEST_SUITE_END()
