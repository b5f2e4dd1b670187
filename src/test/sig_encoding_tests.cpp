// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <script/pubkey.h>
#include <script/sig_encoding.h>

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

using namespace slhc;

BOOST_AUTO_TEST_SUITE(sig_encoding_tests)

namespace {

using Bytes = std::vector<uint8_t>;

/** As it is, be it canonical or not. */
Bytes Encode(const Bytes& r, const Bytes& s, uint8_t hash_type = SIGHASH_ALL)
{
    Bytes out{0x30, static_cast<uint8_t>(4 + r.size() + s.size())};
    for (const Bytes* number : {&r, &s}) {
        out.push_back(0x02);
        out.push_back(static_cast<uint8_t>(number->size()));
        out.insert(out.end(), number->begin(), number->end());
    }
    out.push_back(hash_type);
    return out;
}

/** The positive number of these bytes, as DER has it (X.690, section 8.3). */
Bytes Canonical(Bytes number)
{
    number.erase(number.begin(), std::ranges::find_if(number, [](uint8_t byte) { return byte != 0; }));
    if (number.empty() || number[0] >= 0x80) number.insert(number.begin(), 0);
    return number;
}

/** BIP 66: true if this is the DER encoding of two numbers, with a hash type; by trying all sizes that the two could have. */
bool IsSomeEncoding(const Bytes& sig)
{
    if (sig.size() < 9 || sig.size() > 73) return false;
    const auto at{[&](size_t place) { return sig.begin() + static_cast<ptrdiff_t>(place); }};
    for (size_t r_size{1}; r_size + 8 <= sig.size(); ++r_size) {
        const size_t s_size{sig.size() - 7 - r_size};
        const Bytes r(at(4), at(4 + r_size)), s(at(6 + r_size), at(6 + r_size + s_size));
        if (Encode(Canonical(r), Canonical(s), sig.back()) == sig) return true;
    }
    return false;
}

/** Numbers at the edges of what is canonical. */
std::vector<Bytes> Numbers()
{
    std::vector<Bytes> numbers{{}};
    for (const size_t size : {1, 2, 3, 31, 32, 33, 34}) {
        for (const uint8_t first : {0x00, 0x01, 0x7f, 0x80, 0xff}) {
            for (const uint8_t second : {0x00, 0x01, 0x7f, 0x80, 0xff}) {
                Bytes number(size, 0x55);
                number[0] = first;
                if (size > 1) number[1] = second;
                numbers.push_back(number);
            }
        }
    }
    return numbers;
}

const Bytes ONE{1};
/** Above half the order of the curve, and below the order. */
const Bytes HIGH{0x00, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfe,
                 0xba, 0xae, 0xdc, 0xe6, 0xaf, 0x48, 0xa0, 0x3b, 0xbf, 0xd2, 0x5e, 0x8c, 0xd0, 0x36, 0x41, 0x40};

} // namespace

BOOST_AUTO_TEST_CASE(signatures_are_der)
{
    size_t valid{0}, invalid{0};
    const auto check{[&](const Bytes& sig) {
        const bool expected{IsSomeEncoding(sig)};
        ++(expected ? valid : invalid);
        BOOST_CHECK_EQUAL(IsValidSignatureEncoding(sig), expected);
    }};
    const std::vector<Bytes> numbers{Numbers()};
    for (const Bytes& r : numbers) {
        for (const Bytes& s : numbers) check(Encode(r, s));
    }
    BOOST_CHECK_GT(valid, 1000U);
    BOOST_CHECK_GT(invalid, 1000U);
}

/** Every byte of the header, and one more or less of everything. */
BOOST_AUTO_TEST_CASE(signatures_that_are_almost_der)
{
    for (const size_t r_size : {1, 2, 32, 33}) {
        for (const size_t s_size : {1, 2, 32, 33}) {
            const Bytes sig{Encode(Bytes(r_size, 0x11), Bytes(s_size, 0x22))};
            BOOST_CHECK(IsValidSignatureEncoding(sig));
            for (const size_t place : {size_t{0}, size_t{1}, size_t{2}, size_t{3}, 4 + r_size, 5 + r_size}) {
                for (int byte{0}; byte < 0x100; ++byte) {
                    Bytes other{sig};
                    other[place] = static_cast<uint8_t>(byte);
                    BOOST_CHECK_EQUAL(IsValidSignatureEncoding(other), byte == sig[place]);
                    // The same with a length that fits: a byte more, a byte less
                    for (const int change : {-1, 1}) {
                        Bytes longer{other};
                        longer.resize(longer.size() + change, 0x33);
                        longer[1] = static_cast<uint8_t>(longer[1] + change);
                        BOOST_CHECK_EQUAL(IsValidSignatureEncoding(longer), IsSomeEncoding(longer));
                    }
                }
            }
            for (size_t size{0}; size < sig.size(); ++size) {
                Bytes shorter(sig.begin(), sig.begin() + static_cast<ptrdiff_t>(size));
                BOOST_CHECK(!IsValidSignatureEncoding(shorter));
                if (size < 2) continue;
                shorter[1] = static_cast<uint8_t>(size - 3); // a check of this length alone would let it through
                BOOST_CHECK_EQUAL(IsValidSignatureEncoding(shorter), IsSomeEncoding(shorter));
            }
        }
    }
    BOOST_CHECK(!IsValidSignatureEncoding(Bytes(200, 0x30)));
}

BOOST_AUTO_TEST_CASE(flags_choose_what_is_asked_of_a_signature)
{
    constexpr std::array ASKING{SCRIPT_VERIFY_DERSIG, SCRIPT_VERIFY_LOW_S, SCRIPT_VERIFY_STRICTENC};
    for (int chosen{0}; chosen < 8; ++chosen) {
        script_verify_flags flags{SCRIPT_VERIFY_P2SH};
        for (size_t i{0}; i < ASKING.size(); ++i) {
            if (chosen >> i & 1) flags = flags | ASKING[i];
        }
        const bool der{chosen != 0}, low_s{(chosen & 2) != 0}, strict{(chosen & 4) != 0};
        BOOST_CHECK_EQUAL(CheckSignatureEncoding({}, flags), SCRIPT_ERR_OK);
        BOOST_CHECK_EQUAL(CheckSignatureEncoding(Encode({0, 1}, ONE), flags), der ? SCRIPT_ERR_SIG_DER : SCRIPT_ERR_OK);
        BOOST_CHECK_EQUAL(CheckSignatureEncoding(Encode(ONE, HIGH), flags), low_s ? SCRIPT_ERR_SIG_HIGH_S : SCRIPT_ERR_OK);
        for (int hash_type{0}; hash_type < 0x100; ++hash_type) {
            const bool defined{(hash_type & 0x7f) >= 1 && (hash_type & 0x7f) <= 3};
            BOOST_CHECK_EQUAL(CheckSignatureEncoding(Encode(ONE, ONE, static_cast<uint8_t>(hash_type)), flags),
                              strict && !defined ? SCRIPT_ERR_SIG_HASHTYPE : SCRIPT_ERR_OK);
        }
        // Signatures with several faults
        BOOST_CHECK_EQUAL(CheckSignatureEncoding(Encode({0, 1}, HIGH, 0), flags), der ? SCRIPT_ERR_SIG_DER : SCRIPT_ERR_OK);
        BOOST_CHECK_EQUAL(CheckSignatureEncoding(Encode(ONE, HIGH, 0), flags),
                          low_s ? SCRIPT_ERR_SIG_HIGH_S : strict ? SCRIPT_ERR_SIG_HASHTYPE : SCRIPT_ERR_OK);
    }
}

BOOST_AUTO_TEST_CASE(flags_choose_what_is_asked_of_a_key)
{
    for (const SigVersion version : {SigVersion::BASE, SigVersion::WITNESS_V0, SigVersion::TAPSCRIPT}) {
        for (const size_t size : {0, 1, 32, 33, 34, 64, 65, 66}) {
            for (int first{0}; first < 0x100; ++first) {
                Bytes key(size, 0x55);
                if (size > 0) key[0] = static_cast<uint8_t>(first);
                const bool compressed{size == 33 && (first == 2 || first == 3)}, uncompressed{size == 65 && first == 4};
                const ScriptError type{compressed || uncompressed ? SCRIPT_ERR_OK : SCRIPT_ERR_PUBKEYTYPE};
                const ScriptError witness_type{compressed || version != SigVersion::WITNESS_V0 ? SCRIPT_ERR_OK
                                                                                               : SCRIPT_ERR_WITNESS_PUBKEYTYPE};
                BOOST_CHECK_EQUAL(CheckPubKeyEncoding(key, SCRIPT_VERIFY_P2SH, version), SCRIPT_ERR_OK);
                BOOST_CHECK_EQUAL(CheckPubKeyEncoding(key, SCRIPT_VERIFY_STRICTENC, version), type);
                BOOST_CHECK_EQUAL(CheckPubKeyEncoding(key, SCRIPT_VERIFY_WITNESS_PUBKEYTYPE, version), witness_type);
                BOOST_CHECK_EQUAL(CheckPubKeyEncoding(key, SCRIPT_VERIFY_STRICTENC | SCRIPT_VERIFY_WITNESS_PUBKEYTYPE, version),
                                  type != SCRIPT_ERR_OK ? type : witness_type);
            }
        }
    }
}

BOOST_AUTO_TEST_SUITE_END()
