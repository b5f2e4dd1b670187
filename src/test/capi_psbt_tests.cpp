// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <slhwallet.h>

#include <crypto/hash.h>
#include <test/capi_last_error.h>
#include <test/json_data.h>
#include <test/psbt_fixture.h>
#include <util/base64.h>
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

using Bytes = std::vector<uint8_t>;
using PSBTPtr = std::unique_ptr<slhc_psbt, decltype(&slhc_psbt_destroy)>;

/** A step of the first vector of doc/psbt.md's field: two of three sign a P2MR leaf. */
Bytes Vector(const char* name)
{
    return *DecodeBase64(test::ReadJson("psbt_slhdsa.json").at(0).at(name).get<std::string>());
}

slhc_bytes View(const Bytes& bytes) { return {bytes.data(), bytes.size()}; }

PSBTPtr Parse(const Bytes& bytes)
{
    PSBTPtr psbt{slhc_psbt_parse(View(bytes)), slhc_psbt_destroy};
    BOOST_REQUIRE(psbt);
    return psbt;
}

Bytes Serialize(const PSBTPtr& psbt)
{
    slhc_bytes out;
    BOOST_REQUIRE_EQUAL(slhc_psbt_serialize(psbt.get(), &out), SLHC_OK);
    return {out.data, out.data + out.size};
}

} // namespace

BOOST_AUTO_TEST_SUITE(capi_psbt_tests)

BOOST_AUTO_TEST_CASE(combined_finalized_and_extracted_as_the_vector_has_it)
{
    const auto vector = test::ReadJson("psbt_slhdsa.json").at(0);
    const auto a{Parse(Vector("signed_a"))}, b{Parse(Vector("signed_b"))};
    const Bytes before{Serialize(a)};
    const char* missing{nullptr};
    slhc_bytes tx;
    BOOST_CHECK_EQUAL(slhc_psbt_finalize(a.get(), &missing), SLHC_INVALID);
    BOOST_CHECK_EQUAL(missing, "input 0: needs 2 signatures, but has 1");
    BOOST_CHECK(Serialize(a) == before);
    BOOST_CHECK_EQUAL(slhc_psbt_extract(a.get(), &tx), SLHC_ERROR);
    CheckLastError(SLHC_ERR_DATA, "input 0: not final");

    BOOST_REQUIRE_EQUAL(slhc_psbt_combine(a.get(), b.get()), SLHC_OK);
    BOOST_CHECK_EQUAL(slhc_psbt_finalize(a.get(), &missing), SLHC_VALID);
    BOOST_CHECK_EQUAL(missing, "");
    BOOST_CHECK_EQUAL(HexStr(Sha256(Serialize(a))), vector.at("finalized_sha256").get<std::string>());
    BOOST_REQUIRE_EQUAL(slhc_psbt_extract(a.get(), &tx), SLHC_OK);
    BOOST_CHECK_EQUAL(HexStr(Sha256(Bytes(tx.data, tx.data + tx.size))), vector.at("transaction_sha256").get<std::string>());
}

/** From the transaction to a key's signatures. */
BOOST_AUTO_TEST_CASE(created_updated_and_signed)
{
    const auto tree{test::SampleTree()};
    const CMutableTransaction tx{test::SampleTx(1)};
    Bytes raw, utxo;
    VectorWriter raw_writer{raw}, utxo_writer{utxo};
    slhc::Serialize(raw_writer, tx, TxFormat::WITHOUT_WITNESS);
    slhc::Serialize(utxo_writer, CTxOut{100'000, wallet::TreeScriptPubKey(tree, {})});
    const PSBTPtr psbt{slhc_psbt_create(View(raw), 2), slhc_psbt_destroy};
    BOOST_REQUIRE(psbt);
    slhc_bytes unsigned_tx;
    BOOST_REQUIRE_EQUAL(slhc_psbt_unsigned_tx(psbt.get(), &unsigned_tx), SLHC_OK);
    BOOST_CHECK(Bytes(unsigned_tx.data, unsigned_tx.data + unsigned_tx.size) == raw);

    const auto& leaf{tree.Leaves()[0]};
    const Bytes script{leaf.script.begin(), leaf.script.end()}, block{leaf.P2MRControlBlock()};
    const auto add_leaf{[&] { return slhc_psbt_add_leaf(psbt.get(), 0, View(block), leaf.version, View(script)); }};
    BOOST_CHECK_EQUAL(add_leaf(), SLHC_ERROR);
    CheckLastError(SLHC_ERR_DATA, "input 0: what it spends is not known");
    const Bytes field{wallet::PSBTKey(wallet::PSBT_IN_WITNESS_UTXO)};
    slhc_bytes value{View(utxo)};
    BOOST_REQUIRE_EQUAL(slhc_psbt_set_field(psbt.get(), SLHC_PSBT_INPUT, 0, View(field), &value), SLHC_OK);
    BOOST_REQUIRE_EQUAL(add_leaf(), SLHC_OK);

    slhc_psbt_input input SLHC_PSBT_INPUT_INIT;
    BOOST_REQUIRE_EQUAL(slhc_psbt_get_input(psbt.get(), 0, &input), SLHC_OK);
    BOOST_CHECK(std::ranges::equal(input.previous_txid, tx.vin[0].prevout.hash) && input.previous_index == tx.vin[0].prevout.n);
    BOOST_CHECK(input.is_final == 0 && input.has_spent_output == 1 && input.amount == 100'000 && input.n_leaves == 1);
    slhc_psbt_leaf read SLHC_PSBT_LEAF_INIT;
    BOOST_REQUIRE_EQUAL(slhc_psbt_get_leaf(psbt.get(), 0, &read), SLHC_OK);
    BOOST_CHECK(Bytes(read.script.data, read.script.data + read.script.size) == script && read.leaf_version == leaf.version);
    BOOST_CHECK(std::ranges::equal(read.leaf_hash, leaf.hash));

    const Bytes key{test::Key(1)};
    size_t n{9};
    const auto find{[&](int hash_type) { return slhc_psbt_find_to_sign(psbt.get(), SLHC_KEY_SLHDSA, key.data(), hash_type, &n); }};
    BOOST_REQUIRE_EQUAL(find(SIGHASH_ALL), SLHC_OK);
    BOOST_REQUIRE_EQUAL(n, 1);
    slhc_psbt_to_sign to_sign SLHC_PSBT_TO_SIGN_INIT;
    BOOST_REQUIRE_EQUAL(slhc_psbt_get_to_sign(psbt.get(), 0, &to_sign), SLHC_OK);
    BOOST_CHECK(to_sign.input == 0 && to_sign.hash_type == SIGHASH_ALL && std::ranges::equal(to_sign.leaf_hash, leaf.hash));
    const auto parsed{wallet::PartiallySignedTransaction::Parse(Serialize(psbt))};
    BOOST_CHECK(std::ranges::equal(to_sign.hash, wallet::PSBTVerifier{parsed}.Hash(0, leaf.hash, KeyVersion::SLHDSA, SIGHASH_ALL)));

    const auto add{[&](size_t size) {
        const Bytes signature(size, SIGHASH_ALL);
        return slhc_psbt_add_signature(psbt.get(), 0, to_sign.leaf_hash, SLHC_KEY_SLHDSA, key.data(), View(signature));
    }};
    BOOST_CHECK_EQUAL(add(7855), SLHC_ERROR);
    CheckLastError(SLHC_ERR_DATA, "value of 7855 bytes");
    BOOST_CHECK_EQUAL(add(7857), SLHC_OK);
    const char* missing{nullptr};
    BOOST_CHECK_EQUAL(slhc_psbt_finalize(psbt.get(), &missing), SLHC_INVALID);
    BOOST_CHECK(test::Contains(missing, "not used: the signature by 0101"));
    // Signatures must have the PSBT's requested hash type.
    const Bytes asked{wallet::PSBTKey(wallet::PSBT_IN_SIGHASH_TYPE)}, none{SIGHASH_NONE, 0, 0, 0};
    value = View(none);
    BOOST_REQUIRE_EQUAL(slhc_psbt_set_field(psbt.get(), SLHC_PSBT_INPUT, 0, View(asked), &value), SLHC_OK);
    BOOST_CHECK_EQUAL(find(SIGHASH_ALL), SLHC_ERROR);
    CheckLastError(SLHC_ERR_DATA, "input 0: the PSBT asks for hash type 2, not 1");
    BOOST_REQUIRE_EQUAL(slhc_psbt_set_field(psbt.get(), SLHC_PSBT_INPUT, 0, View(asked), nullptr), SLHC_OK);
    BOOST_CHECK_EQUAL(find(SLHC_PSBT_ASKED_HASH_TYPE), SLHC_OK);
}

BOOST_AUTO_TEST_CASE(wrong_arguments)
{
    const Bytes junk{1, 2, 3}, hash(32), key{0xf0};
    BOOST_CHECK(slhc_psbt_parse(View(junk)) == nullptr);
    CheckLastError(SLHC_ERR_DATA, "magic");
    BOOST_CHECK(slhc_psbt_parse({nullptr, 3}) == nullptr);
    CheckLastError(SLHC_ERR_ARGUMENT, "psbt.data");
    BOOST_CHECK(slhc_psbt_create(View(junk), 0) == nullptr);
    CheckLastError(SLHC_ERR_DATA, "version");
    BOOST_CHECK(slhc_psbt_create(View(junk), 1) == nullptr);
    CheckLastError(SLHC_ERR_ARGUMENT, "version 1 is neither 0 nor 2");
    slhc_psbt_destroy(nullptr);

    const auto psbt{Parse(Vector("updated"))};
    slhc_psbt* const p{psbt.get()};
    size_t n{0};
    slhc_bytes bytes;
    slhc_psbt_input input SLHC_PSBT_INPUT_INIT;
    slhc_psbt_leaf leaf SLHC_PSBT_LEAF_INIT;
    slhc_psbt_to_sign to_sign SLHC_PSBT_TO_SIGN_INIT;
    const auto refused{[](int result, int code, const char* message) {
        BOOST_CHECK_EQUAL(result, SLHC_ERROR);
        CheckLastError(code, message);
    }};
    for (const int result :
         {slhc_psbt_serialize(nullptr, &bytes), slhc_psbt_serialize(p, nullptr), slhc_psbt_set_field(nullptr, 0, 0, View(key), nullptr),
          slhc_psbt_unsigned_tx(nullptr, &bytes), slhc_psbt_unsigned_tx(p, nullptr), slhc_psbt_get_input(nullptr, 0, &input),
          slhc_psbt_get_input(p, 0, nullptr), slhc_psbt_get_leaf(nullptr, 0, &leaf), slhc_psbt_add_leaf(nullptr, 0, bytes, 0xc0, bytes),
          slhc_psbt_add_preimage(nullptr, 0, bytes), slhc_psbt_find_to_sign(nullptr, 0, hash.data(), 0, &n),
          slhc_psbt_find_to_sign(p, 0, nullptr, 0, &n), slhc_psbt_find_to_sign(p, 0, hash.data(), 0, nullptr),
          slhc_psbt_get_to_sign(nullptr, 0, &to_sign), slhc_psbt_add_signature(nullptr, 0, hash.data(), 0, hash.data(), bytes),
          slhc_psbt_combine(nullptr, p), slhc_psbt_combine(p, nullptr), slhc_psbt_finalize(nullptr, nullptr),
          slhc_psbt_extract(nullptr, &bytes), slhc_psbt_extract(p, nullptr)}) {
        BOOST_CHECK_EQUAL(result, SLHC_ERROR);
    }
    refused(slhc_psbt_set_field(p, 3, 0, View(key), nullptr), SLHC_ERR_ARGUMENT, "map 3 is not one of SLHC_PSBT_*");
    refused(slhc_psbt_set_field(p, SLHC_PSBT_OUTPUT, 7, View(key), nullptr), SLHC_ERR_DATA, "there is no output 7");
    refused(slhc_psbt_get_input(p, 1, &input), SLHC_ERR_ARGUMENT, "there is no input 1");
    refused(slhc_psbt_get_leaf(p, 0, &leaf), SLHC_ERR_ARGUMENT, "index 0: there are 0 leaves");
    refused(slhc_psbt_get_to_sign(p, 0, &to_sign), SLHC_ERR_ARGUMENT, "index 0: there are 0 signatures to make");
    refused(slhc_psbt_add_leaf(p, 0, View(junk), 0xc1, View(junk)), SLHC_ERR_ARGUMENT, "leaf_version 193 is odd");
    refused(slhc_psbt_add_leaf(p, 0, View(junk), 0xc0, View(junk)), SLHC_ERR_DATA, "is not one of the output that is spent");
    refused(slhc_psbt_add_preimage(p, 0, View(junk)), SLHC_ERR_DATA, "no leaf of input 0 asks for this preimage");
    refused(slhc_psbt_find_to_sign(p, 2, hash.data(), 0, &n), SLHC_ERR_ARGUMENT, "key_type 2");
    refused(slhc_psbt_find_to_sign(p, SLHC_KEY_SLHDSA_SETS + 2, hash.data(), 0, &n), SLHC_ERR_ARGUMENT, "key_type 258 is neither");
    refused(slhc_psbt_find_to_sign(p, SLHC_KEY_SLHDSA_SETS + SLHC_SET_128F, hash.data(), 0, &n), SLHC_ERR_ARGUMENT,
            "no script knows keys of 128f");
    refused(slhc_psbt_find_to_sign(p, 0, hash.data(), 256, &n), SLHC_ERR_ARGUMENT, "hash_type 256");
    refused(slhc_psbt_add_signature(p, 0, hash.data(), 0, hash.data(), View(junk)), SLHC_ERR_DATA, "there is no leaf");

    // Another transaction
    const Bytes other{*DecodeBase64(test::ReadJson("psbt_slhdsa.json").at(1).at("updated").get<std::string>())};
    refused(slhc_psbt_combine(p, Parse(other).get()), SLHC_ERR_DATA, "PSBT 1");
    BOOST_CHECK(Serialize(psbt) == Vector("updated"));
}

BOOST_AUTO_TEST_SUITE_END()
