// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <slhconsensus.h>

#include <primitives/transaction.h>
#include <script/script.h>
#include <script/script_tree.h>
#include <script/sighash.h>
#include <test/capi_last_error.h>
#include <util/hex.h>

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <vector>

using namespace slhc;
using slhc::test::CheckLastError;

namespace {

using TxPtr = std::unique_ptr<slhc_tx, decltype(&slhc_tx_destroy)>;
using ByteVector = std::vector<uint8_t>;
using Hash = std::array<unsigned char, 32>;

slhc_bytes View(const ByteVector& bytes) { return {bytes.data(), bytes.size()}; }

/** Two inputs, one output, and the spent outputs. */
struct Fixture {
    CMutableTransaction tx;
    std::vector<CTxOut> spent{CTxOut{1000, CScript{} << OP_1}, CTxOut{2000, CScript{} << OP_2}};
    TxPtr c_tx{nullptr, slhc_tx_destroy};
    Hash leaf_hash;
    const ByteVector annex{0x50, 1, 2, 3};

    Fixture()
    {
        tx.vin.emplace_back(COutPoint{uint256{uint8_t{1}}, 0});
        tx.vin.emplace_back(COutPoint{uint256{uint8_t{2}}, 1});
        tx.vout.emplace_back(500, CScript{} << OP_3);
        const ByteVector raw{SerializeToVector(tx)};
        const std::array outputs{SerializeToVector(spent[0]), SerializeToVector(spent[1])};
        const std::array views{View(outputs[0]), View(outputs[1])};
        c_tx.reset(slhc_tx_create(View(raw), views.data(), views.size()));
        BOOST_REQUIRE(c_tx);
        leaf_hash.fill(7);
    }
    [[nodiscard]] int Call(unsigned n_in, unsigned hash_type, unsigned key_version, Hash& out) const
    {
        return slhc_tx_signature_hash(c_tx.get(), n_in, hash_type, key_version, leaf_hash.data(), {nullptr, 0}, SLHC_NO_OPCODE, out.data());
    }
};

} // namespace

BOOST_AUTO_TEST_SUITE(capi_spend_tests)

BOOST_FIXTURE_TEST_CASE(signature_hash_is_the_interpreters, Fixture)
{
    const PrecomputedTransactionData txdata{tx, std::vector<CTxOut>{spent}, /*force=*/true};
    std::vector<Hash> all;
    for (const bool leaf : {false, true}) {
        for (const unsigned key_version : {SLHC_KEY_VERSION_BIP340, SLHC_KEY_VERSION_SLHDSA}) {
            for (const bool with_annex : {false, true}) {
                for (const uint32_t codeseparator : {uint32_t{0}, SLHC_NO_OPCODE}) {
                    for (const unsigned hash_type : {0x00u, 0x01u, 0x02u, 0x03u, 0x81u, 0x82u, 0x83u}) {
                        Hash hash;
                        const int result{slhc_tx_signature_hash(c_tx.get(), 0, hash_type, key_version, leaf ? leaf_hash.data() : nullptr,
                                                                with_annex ? View(annex) : slhc_bytes{nullptr, 0}, codeseparator,
                                                                hash.data())};
                        if (!leaf && key_version != SLHC_KEY_VERSION_BIP340) {
                            BOOST_CHECK_EQUAL(result, SLHC_ERROR);
                            CheckLastError(SLHC_ERR_ARGUMENT, "key path");
                            continue;
                        }
                        BOOST_REQUIRE_EQUAL(result, SLHC_OK);
                        ScriptExecutionData execdata;
                        execdata.m_annex_init = true;
                        execdata.m_codeseparator_pos = codeseparator;
                        if (leaf) execdata.m_tapleaf_hash = uint256{leaf_hash};
                        if (with_annex) execdata.m_annex_hash = ComputeAnnexHash(annex);
                        const auto expected{SignatureHashSchnorr(execdata, tx, 0, static_cast<uint8_t>(hash_type),
                                                                 leaf ? SigVersion::TAPSCRIPT : SigVersion::TAPROOT, txdata,
                                                                 static_cast<KeyVersion>(key_version))};
                        BOOST_REQUIRE(expected);
                        BOOST_CHECK(std::ranges::equal(hash, *expected));
                        if (leaf) all.push_back(hash);
                    }
                }
            }
        }
    }
    // With a leaf every argument makes a difference.
    std::ranges::sort(all);
    BOOST_CHECK_EQUAL(all.size(), 2U * 2 * 2 * 7);
    BOOST_CHECK(std::ranges::adjacent_find(all) == all.end());
}

BOOST_FIXTURE_TEST_CASE(signature_hash_usage_errors, Fixture)
{
    Hash hash;
    BOOST_CHECK_EQUAL(Call(2, 0, 2, hash), SLHC_ERROR);
    CheckLastError(SLHC_ERR_ARGUMENT, "n_in is 2");
    BOOST_CHECK_EQUAL(Call(0, 4, 2, hash), SLHC_ERROR);
    CheckLastError(SLHC_ERR_ARGUMENT, "hash_type 4 is undefined");
    BOOST_CHECK_EQUAL(Call(0, 0x80, 2, hash), SLHC_ERROR);
    CheckLastError(SLHC_ERR_ARGUMENT, "hash_type 128 is undefined");
    BOOST_CHECK_EQUAL(Call(0, 0x101, 2, hash), SLHC_ERROR);
    CheckLastError(SLHC_ERR_ARGUMENT, "does not fit in a byte");
    BOOST_CHECK_EQUAL(Call(1, 3, 2, hash), SLHC_ERROR);
    CheckLastError(SLHC_ERR_ARGUMENT, "no output 1");
    BOOST_CHECK_EQUAL(Call(0, 0, 1, hash), SLHC_ERROR);
    CheckLastError(SLHC_ERR_ARGUMENT, "key_version 1");
    BOOST_CHECK_EQUAL(slhc_tx_signature_hash(nullptr, 0, 0, 2, leaf_hash.data(), {nullptr, 0}, SLHC_NO_OPCODE, hash.data()), SLHC_ERROR);
    CheckLastError(SLHC_ERR_ARGUMENT, "tx is NULL");
    BOOST_CHECK_EQUAL(slhc_tx_signature_hash(c_tx.get(), 0, 0, 2, leaf_hash.data(), {nullptr, 0}, SLHC_NO_OPCODE, nullptr), SLHC_ERROR);
    CheckLastError(SLHC_ERR_ARGUMENT, "hash is NULL");
    const ByteVector no_annex{0x51};
    BOOST_CHECK_EQUAL(slhc_tx_signature_hash(c_tx.get(), 0, 0, 2, leaf_hash.data(), View(no_annex), SLHC_NO_OPCODE, hash.data()),
                      SLHC_ERROR);
    CheckLastError(SLHC_ERR_ARGUMENT, "0x50");
}

BOOST_AUTO_TEST_CASE(tree_hashes)
{
    const CScript left{CScript{} << OP_1};
    const CScript right{CScript{} << OP_2};
    Hash a, b, root;
    BOOST_REQUIRE_EQUAL(slhc_tapleaf_hash(0xc0, {left.data(), left.size()}, a.data()), SLHC_OK);
    BOOST_REQUIRE_EQUAL(slhc_tapleaf_hash(0xfa, {right.data(), right.size()}, b.data()), SLHC_OK);
    BOOST_REQUIRE_EQUAL(slhc_tapbranch_hash(a.data(), b.data(), root.data()), SLHC_OK);
    const auto tree{ScriptTree::Branch(ScriptTree{left}, ScriptTree{right, 0xfa})};
    BOOST_CHECK(std::ranges::equal(root, tree->Root()));
    BOOST_REQUIRE_EQUAL(slhc_tapbranch_hash(b.data(), a.data(), b.data()), SLHC_OK);
    BOOST_CHECK(root == b);

    BOOST_CHECK_EQUAL(slhc_tapleaf_hash(0xc1, {left.data(), left.size()}, a.data()), SLHC_ERROR);
    CheckLastError(SLHC_ERR_ARGUMENT, "leaf_version 193");
    BOOST_CHECK_EQUAL(slhc_tapleaf_hash(0x100, {left.data(), left.size()}, a.data()), SLHC_ERROR);
    BOOST_CHECK_EQUAL(slhc_tapleaf_hash(0xc0, {nullptr, 1}, a.data()), SLHC_ERROR);
    BOOST_CHECK_EQUAL(slhc_tapleaf_hash(0xc0, {nullptr, 0}, nullptr), SLHC_ERROR);
    BOOST_CHECK_EQUAL(slhc_tapbranch_hash(nullptr, b.data(), root.data()), SLHC_ERROR);
    BOOST_CHECK_EQUAL(slhc_tapbranch_hash(a.data(), nullptr, root.data()), SLHC_ERROR);
    BOOST_CHECK_EQUAL(slhc_tapbranch_hash(a.data(), b.data(), nullptr), SLHC_ERROR);
}

BOOST_AUTO_TEST_CASE(p2tr_output_key)
{
    // BIP 341's wallet test vectors: an output with one leaf, and one without scripts
    const ByteVector internal{*TryParseHex("187791b6f712a8ea41c8ecdd0ee77fab3e85263b37e1ec18a3651926b3a6cf27")};
    const ByteVector root{*TryParseHex("5b75adecf53548f3ec6ad7d78383bf84cc57b55a3127c72b9a2481752dd88b21")};
    Hash key;
    int parity{-1};
    BOOST_REQUIRE_EQUAL(slhc_p2tr_output_key(internal.data(), root.data(), key.data(), &parity), SLHC_OK);
    BOOST_CHECK_EQUAL(HexStr(key), "147c9c57132f6e7ecddba9800bb0c4449251c92a1e60371ee77557b6620f3ea3");
    BOOST_CHECK_EQUAL(parity, 1);
    const ByteVector alone{*TryParseHex("d6889cb081036e0faefa3a35157ad71086b123b2b144b649798b494c300a961d")};
    BOOST_REQUIRE_EQUAL(slhc_p2tr_output_key(alone.data(), nullptr, key.data(), nullptr), SLHC_OK);
    BOOST_CHECK_EQUAL(HexStr(key), "53a1f6e454df1aa2776a2814a721372d6258050de330b3c6d10ee8f4e0dda343");

    const ByteVector no_point(32, 0xff);
    BOOST_CHECK_EQUAL(slhc_p2tr_output_key(no_point.data(), nullptr, key.data(), nullptr), SLHC_ERROR);
    CheckLastError(SLHC_ERR_ARGUMENT, "not the x coordinate");
    BOOST_CHECK_EQUAL(slhc_p2tr_output_key(nullptr, nullptr, key.data(), nullptr), SLHC_ERROR);
    BOOST_CHECK_EQUAL(slhc_p2tr_output_key(alone.data(), nullptr, nullptr, nullptr), SLHC_ERROR);
}

BOOST_AUTO_TEST_CASE(addresses)
{
    char address[SLHC_ADDRESS_SIZE];
    // BIP 350
    const ByteVector program{*TryParseHex("79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798")};
    BOOST_REQUIRE_EQUAL(slhc_address_encode("mainnet", 1, View(program), address), SLHC_OK);
    BOOST_CHECK_EQUAL(address, "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0");
    slhc_decoded_address decoded SLHC_DECODED_ADDRESS_INIT;
    BOOST_REQUIRE_EQUAL(slhc_address_decode(address, &decoded), SLHC_OK);
    BOOST_CHECK_EQUAL(decoded.prefix, "bc");
    BOOST_CHECK_EQUAL(decoded.version, 1U);
    BOOST_CHECK(std::ranges::equal(std::span{decoded.program}.first(decoded.program_size), program));
    // The longest there is
    const ByteVector longest(SLHC_MAX_WITNESS_PROGRAM_SIZE, 0xff);
    for (const char* network : {"mainnet", "testnet", "signet", "regtest"}) {
        BOOST_REQUIRE_EQUAL(slhc_address_encode(network, 16, View(longest), address), SLHC_OK);
        BOOST_REQUIRE_EQUAL(slhc_address_decode(address, &decoded), SLHC_OK);
        BOOST_CHECK_EQUAL(decoded.version, 16U);
        BOOST_CHECK_EQUAL(decoded.program_size, longest.size());
    }
    BOOST_CHECK_EQUAL(decoded.prefix, "bcrt");

    BOOST_CHECK_EQUAL(slhc_address_encode("testnet5", 1, View(program), address), SLHC_ERROR);
    CheckLastError(SLHC_ERR_ARGUMENT, "testnet5");
    BOOST_CHECK_EQUAL(slhc_address_encode("mainnet", 17, View(program), address), SLHC_ERROR);
    CheckLastError(SLHC_ERR_ARGUMENT, "witness version 17");
    BOOST_CHECK_EQUAL(slhc_address_encode("mainnet", 256, View(program), address), SLHC_ERROR);
    BOOST_CHECK_EQUAL(slhc_address_encode("mainnet", 1, {program.data(), 1}, address), SLHC_ERROR);
    CheckLastError(SLHC_ERR_ARGUMENT, "witness program of 1 byte");
    BOOST_CHECK_EQUAL(slhc_address_encode("mainnet", 0, {program.data(), 31}, address), SLHC_ERROR);
    BOOST_CHECK_EQUAL(slhc_address_encode(nullptr, 1, View(program), address), SLHC_ERROR);
    BOOST_CHECK_EQUAL(slhc_address_encode("mainnet", 1, View(program), nullptr), SLHC_ERROR);

    BOOST_CHECK_EQUAL(slhc_address_decode("bc1zz", &decoded), SLHC_ERROR);
    CheckLastError(SLHC_ERR_DATA, "address: ");
    BOOST_CHECK_EQUAL(slhc_address_decode(nullptr, &decoded), SLHC_ERROR);
    BOOST_CHECK_EQUAL(slhc_address_decode(address, nullptr), SLHC_ERROR);
    decoded.struct_size = 1;
    BOOST_CHECK_EQUAL(slhc_address_decode(address, &decoded), SLHC_ERROR);
    CheckLastError(SLHC_ERR_ARGUMENT, "struct_size");
}

BOOST_AUTO_TEST_SUITE_END()
