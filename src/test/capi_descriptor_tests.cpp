// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <slhwallet.h>

#include <test/capi_last_error.h>
#include <util/hex.h>

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

using namespace slhc;
using slhc::test::CheckLastError;

namespace {

using DescriptorPtr = std::unique_ptr<slhc_descriptor, decltype(&slhc_descriptor_destroy)>;

const std::string POINT{"50929b74c1a04954b78b4b6035e97a5e078a5a0f28ec96d547bfee9ace803ac0"};
const std::string KEY(64, '7');

DescriptorPtr Parse(const std::string& text)
{
    DescriptorPtr descriptor{slhc_descriptor_parse(text.c_str(), 0), slhc_descriptor_destroy};
    BOOST_REQUIRE_MESSAGE(descriptor, text);
    return descriptor;
}

std::string Hex(const slhc_bytes& bytes) { return HexStr({bytes.data, bytes.size}); }

} // namespace

BOOST_AUTO_TEST_SUITE(capi_descriptor_tests)

BOOST_AUTO_TEST_CASE(contents)
{
    const auto p2mr{Parse("mr({pk_slhdsa([D34DB33F/87'/5]" + KEY + "),pk(" + POINT + ")})")};
    slhc_descriptor_info info SLHC_DESCRIPTOR_INFO_INIT;
    BOOST_REQUIRE_EQUAL(slhc_descriptor_get_info(p2mr.get(), &info), SLHC_OK);
    const std::string normal{"mr({pk_slhdsa([d34db33f/87h/5]" + KEY + "),pk(" + POINT + ")})"};
    char checksum[SLHC_DESCRIPTOR_CHECKSUM_SIZE];
    BOOST_REQUIRE_EQUAL(slhc_descriptor_checksum(normal.c_str(), checksum), SLHC_OK);
    BOOST_CHECK_EQUAL(info.text, normal + "#" + checksum);
    BOOST_CHECK_EQUAL(info.type, "mr");
    BOOST_CHECK_EQUAL(info.n_keys, 2u);
    BOOST_CHECK_EQUAL(info.n_leaves, 2u);
    BOOST_CHECK_EQUAL(info.has_tree, 1);
    BOOST_CHECK_EQUAL(Hex(info.script_pubkey), "5220" + HexStr(info.merkle_root));
    BOOST_CHECK_EQUAL(info.has_internal_key, 0);

    slhc_descriptor_key key SLHC_DESCRIPTOR_KEY_INIT;
    BOOST_REQUIRE_EQUAL(slhc_descriptor_get_key(p2mr.get(), 0, &key), SLHC_OK);
    BOOST_CHECK_EQUAL(key.type, SLHC_KEY_SLHDSA);
    BOOST_CHECK_EQUAL(key.origin, "d34db33f/87h/5");
    BOOST_CHECK_EQUAL(HexStr(key.public_key), KEY);
    BOOST_REQUIRE_EQUAL(slhc_descriptor_get_key(p2mr.get(), 1, &key), SLHC_OK);
    BOOST_CHECK_EQUAL(key.type, SLHC_KEY_SCHNORR);
    BOOST_CHECK(key.origin == nullptr);

    const auto of_sets{Parse("mr({pk_slhdsa(18" + KEY + "),pk_slhdsa(28" + KEY + ")})")};
    for (const int set : {SLHC_SET_128_24, SLHC_SET_128_Q40}) {
        slhc_descriptor_key of_set SLHC_DESCRIPTOR_KEY_INIT;
        BOOST_REQUIRE_EQUAL(slhc_descriptor_get_key(of_sets.get(), set == SLHC_SET_128_24 ? 0 : 1, &of_set), SLHC_OK);
        BOOST_CHECK_EQUAL(of_set.type, SLHC_KEY_SLHDSA_SETS + set);
        BOOST_CHECK_EQUAL(HexStr(of_set.public_key), KEY);
    }

    slhc_descriptor_leaf leaves[2]{SLHC_DESCRIPTOR_LEAF_INIT, SLHC_DESCRIPTOR_LEAF_INIT};
    for (size_t i = 0; i < 2; ++i) BOOST_REQUIRE_EQUAL(slhc_descriptor_get_leaf(p2mr.get(), i, &leaves[i]), SLHC_OK);
    BOOST_CHECK_EQUAL(leaves[1].text, "pk(" + POINT + ")");
    BOOST_CHECK_EQUAL(Hex(leaves[1].script), "20" + POINT + "ac");
    BOOST_CHECK_EQUAL(leaves[1].leaf_version, 0xc0u);
    BOOST_CHECK_EQUAL(Hex(leaves[1].control_block), "c1" + HexStr(leaves[0].leaf_hash));

    const auto p2tr{Parse("tr(" + POINT + ")")};
    BOOST_REQUIRE_EQUAL(slhc_descriptor_get_info(p2tr.get(), &info), SLHC_OK);
    BOOST_CHECK_EQUAL(info.has_tree, 0);
    BOOST_CHECK_EQUAL(info.has_internal_key, 1);
    BOOST_CHECK_EQUAL(HexStr(info.internal_key), POINT);
}

BOOST_AUTO_TEST_CASE(errors)
{
    BOOST_CHECK(slhc_descriptor_parse(("mr(pk(" + POINT + "))").c_str(), 0) == nullptr);
    CheckLastError(SLHC_ERR_DATA, "slhc_descriptor_parse: column 4: a P2MR (P2TSH) output");
    BOOST_CHECK(slhc_descriptor_parse("raw(deadbeef)", 1) == nullptr);
    CheckLastError(SLHC_ERR_DATA, "slhc_descriptor_parse: column 14: expected '#' and a checksum");
    BOOST_CHECK(slhc_descriptor_parse(nullptr, 0) == nullptr);
    CheckLastError(SLHC_ERR_ARGUMENT, "text is NULL");
    slhc_descriptor_destroy(nullptr);

    char checksum[SLHC_DESCRIPTOR_CHECKSUM_SIZE];
    BOOST_CHECK_EQUAL(slhc_descriptor_checksum("\n", checksum), SLHC_ERROR);
    CheckLastError(SLHC_ERR_DATA, "column 1: a character that no descriptor has");
    BOOST_CHECK_EQUAL(slhc_descriptor_checksum("raw(deadbeef)#89f8spxm", checksum), SLHC_ERROR);
    CheckLastError(SLHC_ERR_DATA, "column 14: '#': give the descriptor without its checksum");
    BOOST_CHECK_EQUAL(slhc_descriptor_checksum("raw(deadbeef)", checksum), SLHC_OK);
    BOOST_CHECK_EQUAL(checksum, "89f8spxm");

    const auto raw{Parse("raw(deadbeef)")};
    char address[SLHC_ADDRESS_SIZE];
    BOOST_CHECK_EQUAL(slhc_descriptor_address(raw.get(), "regtest", address), SLHC_ERROR);
    CheckLastError(SLHC_ERR_DATA, "the output's script has no address");
    BOOST_CHECK_EQUAL(slhc_descriptor_address(raw.get(), "regtext", address), SLHC_ERROR);
    CheckLastError(SLHC_ERR_ARGUMENT, "network 'regtext'");
    BOOST_CHECK_EQUAL(slhc_descriptor_address(raw.get(), "reg\ntest\x1b[2J\x7f", address), SLHC_ERROR);
    CheckLastError(SLHC_ERR_ARGUMENT, "network 'reg?test?[2J?'");
    // Not UTF-8, a control character of Latin-1, and a character that is cut in two
    BOOST_CHECK_EQUAL(slhc_descriptor_address(raw.get(), "\xff\xc2\x9b", address), SLHC_ERROR);
    CheckLastError(SLHC_ERR_ARGUMENT, "network '" + std::string(3, '?') + "'");
    std::string umlauts;
    while (umlauts.size() < 300) umlauts += "\xc3\xbc";
    BOOST_CHECK_EQUAL(slhc_descriptor_address(raw.get(), umlauts.c_str(), address), SLHC_ERROR);
    slhc_error cut SLHC_ERROR_INIT;
    BOOST_REQUIRE_EQUAL(slhc_last_error(&cut), SLHC_OK);
    BOOST_CHECK(std::ranges::all_of(std::string{cut.message}, [](char c) { return c >= 0x20 && c < 0x7f; }));
    const auto addr{Parse("addr(bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4)")};
    BOOST_CHECK_EQUAL(slhc_descriptor_address(addr.get(), "regtest", address), SLHC_ERROR);
    CheckLastError(SLHC_ERR_DATA, "which is not that of regtest");

    slhc_descriptor_key key SLHC_DESCRIPTOR_KEY_INIT;
    BOOST_CHECK_EQUAL(slhc_descriptor_get_key(raw.get(), 0, &key), SLHC_ERROR);
    CheckLastError(SLHC_ERR_ARGUMENT, "index 0: the descriptor has 0 keys");
    slhc_descriptor_leaf leaf SLHC_DESCRIPTOR_LEAF_INIT;
    BOOST_CHECK_EQUAL(slhc_descriptor_get_leaf(raw.get(), 0, &leaf), SLHC_ERROR);
    CheckLastError(SLHC_ERR_ARGUMENT, "index 0: the descriptor has 0 leaves");
    slhc_descriptor_info info SLHC_DESCRIPTOR_INFO_INIT;
    BOOST_CHECK_EQUAL(slhc_descriptor_get_info(nullptr, &info), SLHC_ERROR);
    BOOST_CHECK_EQUAL(slhc_descriptor_get_info(raw.get(), nullptr), SLHC_ERROR);
    info.struct_size = 1;
    BOOST_CHECK_EQUAL(slhc_descriptor_get_info(raw.get(), &info), SLHC_ERROR);
    CheckLastError(SLHC_ERR_ARGUMENT, "struct_size");
}

BOOST_AUTO_TEST_SUITE_END()
