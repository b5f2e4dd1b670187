// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

// The test vectors of the BIP text (doc/bip/vectors), made by its reference model: verdict, error and position of each spend, eager
// and deferred, without a cache of signatures and with one, on a device, and intermediate values.

#include <slhconsensus.h>

#include <pqc/slhdsa/encoding.h>
#include <pqc/slhdsa/fors.h>
#include <pqc/slhdsa/slhdsa.h>
#include <pqc/slhdsa/wots.h>
#include <pqc/slhdsa/xmss.h>
#include <script/script_error.h>
#include <script/verify_flags.h>
#include <test/json_data.h>
#include <test/numbers_128s.h>
#include <util/hex.h>

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <fstream>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <vector>

using namespace slhc;
using namespace slhc::test;
using nlohmann::json;

namespace {

using ByteVector = std::vector<uint8_t>;
using ContextPtr = std::unique_ptr<slhc_context, decltype(&slhc_context_destroy)>;
using BatchPtr = std::unique_ptr<slhc_batch, decltype(&slhc_batch_destroy)>;
using TxPtr = std::unique_ptr<slhc_tx, decltype(&slhc_tx_destroy)>;
using Hash = std::array<uint8_t, 32>;

slhc_bytes View(std::span<const uint8_t> bytes) { return {bytes.data(), bytes.size()}; }

json ReadVectors(const std::string& name)
{
    std::ifstream file{OpenBIPVectors(name)};
    return json::parse(file);
}

uint64_t ParseFlags(const std::string& text)
{
    if (text == "consensus") return SLHC_VERIFY_CONSENSUS;
    if (text == "standard") return STANDARD_SCRIPT_VERIFY_FLAGS.as_int();
    std::string error;
    const auto flags{ParseScriptFlags(text, error)};
    BOOST_REQUIRE_MESSAGE(flags, error);
    return flags->as_int();
}

TxPtr MakeTx(const json& vector)
{
    const ByteVector raw{HexField(vector, "tx")};
    std::vector<ByteVector> outputs;
    for (const json& output : vector["spent_outputs"]) {
        ByteVector& bytes{outputs.emplace_back()};
        for (uint64_t amount{output["amount"].get<uint64_t>()}, i{0}; i < 8; ++i, amount >>= 8) {
            bytes.push_back(static_cast<uint8_t>(amount));
        }
        const ByteVector script{HexField(output, "script_pubkey")};
        BOOST_REQUIRE_LT(script.size(), 0x10000);
        if (script.size() < 253) {
            bytes.push_back(static_cast<uint8_t>(script.size()));
        } else {
            bytes.insert(bytes.end(), {253, static_cast<uint8_t>(script.size()), static_cast<uint8_t>(script.size() >> 8)});
        }
        bytes.insert(bytes.end(), script.begin(), script.end());
    }
    std::vector<slhc_bytes> views;
    for (const ByteVector& output : outputs) views.push_back(View(output));
    TxPtr tx{slhc_tx_create(View(raw), views.data(), views.size()), slhc_tx_destroy};
    BOOST_REQUIRE_MESSAGE(tx, vector["name"]);
    return tx;
}

/** "" for a valid input, else the error and the position of the opcode that failed, if one did. */
std::string Outcome(const std::string& error, uint32_t opcode_pos)
{
    return opcode_pos == SLHC_NO_OPCODE ? error : error + " at " + std::to_string(opcode_pos);
}

std::string Expected(const json& vector)
{
    if (vector["error"].is_null()) return "";
    return Outcome(vector["error"].get<std::string>(), vector.value("opcode_pos", SLHC_NO_OPCODE));
}

std::string Verdict(const slhc_context& context, const slhc_tx& tx, const json& vector, slhc_signature_cache* cache, slhc_batch* batch)
{
    slhc_failure failure SLHC_FAILURE_INIT;
    int verdict{slhc_verify_input(&context, &tx, vector["input"].get<unsigned>(), ParseFlags(vector["flags"]), cache, batch, 0,
                                  &failure)};
    if (verdict == SLHC_DEFERRED) {
        std::array<uint64_t, 3> tag{};
        verdict = slhc_batch_verify(batch, tag.data());
        failure.script_error = SCRIPT_ERR_SLHDSA_SIG;
        failure.opcode_pos = static_cast<uint32_t>(tag[2] >> 8);
    }
    BOOST_REQUIRE(verdict == SLHC_VALID || verdict == SLHC_INVALID);
    return verdict == SLHC_VALID ? "" : Outcome(slhc_script_error_string(failure.script_error), failure.opcode_pos);
}

ContextPtr MakeContext(const char* backend)
{
    slhc_context_options options SLHC_CONTEXT_OPTIONS_INIT;
    options.backend = backend;
    return {slhc_context_create(&options), slhc_context_destroy};
}

boost::test_tools::assertion_result HasDevice(boost::unit_test::test_unit_id)
{
    boost::test_tools::assertion_result result{MakeContext("vulkan") != nullptr};
    result.message() << "there is no Vulkan device";
    return result;
}

json ReadSpends()
{
    json vectors(ReadVectors("spends.json"));
    BOOST_CHECK_GT(vectors.size(), 700);
    for (const json& vector : ReadVectors("parameter-sets.json")) vectors.push_back(vector);
    return vectors;
}

std::string Hex(std::span<const uint8_t> bytes) { return HexStr(bytes); }

/** Check the trace of a spend: leaf, root and signature messages. */
void CheckTrace(const json& vector, const slhc_tx& tx)
{
    ByteVector annex;
    bool script_path{false};
    for (const json& step : vector["trace"]) {
        if (step["step"] == "annex") annex = HexField(step, "annex");
        if (step["step"] == "commitment") {
            script_path = true;
            const ByteVector script{HexField(step, "script")};
            Hash hash;
            BOOST_REQUIRE_EQUAL(slhc_tapleaf_hash(step["leaf_version"].get<unsigned>(), View(script), hash.data()), SLHC_OK);
            BOOST_CHECK_EQUAL(Hex(hash), step["leaf_hash"].get<std::string>());
            const json& last{step["branches"].empty() ? step["leaf_hash"] : step["branches"].back()};
            BOOST_CHECK_EQUAL(last.get<std::string>(), step["root"].get<std::string>());
        }
        if (step["step"] == "message") {
            const ByteVector msg{HexField(step, "msg")};
            // The fields that the caller gives are the last ones, if it is no key path spend: leaf hash, key version, position of
            // OP_CODESEPARATOR.
            BOOST_REQUIRE_GE(msg.size(), 37);
            const std::span tail{std::span{msg}.last(37)};
            const uint32_t codesep{uint32_t{tail[33]} | uint32_t{tail[34]} << 8 | uint32_t{tail[35]} << 16 | uint32_t{tail[36]} << 24};
            Hash hash;
            const unsigned key_version{script_path ? unsigned{tail[32]} : SLHC_KEY_VERSION_BIP340};
            const uint8_t* const leaf_hash{script_path ? tail.data() : nullptr};
            BOOST_REQUIRE_EQUAL(slhc_tx_signature_hash(&tx, vector["input"].get<unsigned>(), step["hash_type"].get<unsigned>(), key_version,
                                                       leaf_hash, View(annex), codesep, hash.data()),
                                SLHC_OK);
            BOOST_CHECK_EQUAL(Hex(hash), step["hash"].get<std::string>());
        }
    }
}

slhdsa::ADRS Address(uint32_t layer, uint64_t tree)
{
    slhdsa::ADRS adrs;
    adrs.setLayerAddress(layer);
    adrs.setTreeAddress(tree);
    return adrs;
}

} // namespace

BOOST_AUTO_TEST_SUITE(bip_vectors_tests)

BOOST_AUTO_TEST_CASE(spends)
{
    const ContextPtr context{MakeContext("cpu")};
    BOOST_REQUIRE(context);
    const std::unique_ptr<slhc_signature_cache, decltype(&slhc_signature_cache_destroy)> filled{slhc_signature_cache_create(0),
                                                                                                slhc_signature_cache_destroy};
    BOOST_REQUIRE(filled);
    for (const json& vector : ReadSpends()) {
        BOOST_TEST_CONTEXT(vector["name"])
        {
            const std::string expected{Expected(vector)};
            const TxPtr tx{MakeTx(vector)};
            // The first look at a spend fills the cache for the second.
            for (slhc_signature_cache* cache : {static_cast<slhc_signature_cache*>(nullptr), filled.get(), filled.get()}) {
                BOOST_CHECK_EQUAL(Verdict(*context, *tx, vector, cache, nullptr), expected);
                const BatchPtr batch{slhc_batch_create(context.get(), 0), slhc_batch_destroy};
                BOOST_CHECK_EQUAL(Verdict(*context, *tx, vector, cache, batch.get()), expected);
            }
            CheckTrace(vector, *tx);
        }
    }
}

/** Those in which a signature is verified. */
BOOST_AUTO_TEST_CASE(spends_on_a_device, *boost::unit_test::precondition(HasDevice))
{
    const ContextPtr context{MakeContext("vulkan")};
    BOOST_REQUIRE(context);
    slhc_backend_statistics device SLHC_BACKEND_STATISTICS_INIT;
    const auto ask{[&] { BOOST_REQUIRE_EQUAL(slhc_context_backend_statistics(context.get(), 1, &device), SLHC_OK); }};
    for (const json& vector : ReadSpends()) {
        if (std::ranges::none_of(vector["trace"], [](const json& step) { return step["step"] == "slhdsa"; })) continue;
        while (ask(), !device.ready && !device.retired) std::this_thread::sleep_for(std::chrono::milliseconds{1}); // else the CPU does it
        BOOST_TEST_CONTEXT(vector["name"])
        {
            const BatchPtr batch{slhc_batch_create(context.get(), 0), slhc_batch_destroy};
            BOOST_CHECK_EQUAL(Verdict(*context, *MakeTx(vector), vector, nullptr, batch.get()), Expected(vector));
        }
    }
    ask();
    BOOST_CHECK_GT(device.signatures, 200U);
    BOOST_CHECK_EQUAL(device.wrong_roots, 0U);
}

/** Digest, FORS indices and public key, and in each layer the WOTS+ public key and the root. */
BOOST_AUTO_TEST_CASE(slhdsa_values)
{
    using namespace slhdsa;
    std::map<std::string, ByteVector> signatures;
    for (const json& vector : ReadVectors("slhdsa.json")) {
        BOOST_TEST_CONTEXT(vector["name"])
        {
            const ByteVector m{HexField(vector, "m_prime")};
            const ByteVector key{HexField(vector, "public_key")};
            ByteVector bytes;
            if (vector.contains("signature")) {
                bytes = signatures[vector["name"]] = HexField(vector, "signature");
            } else {
                bytes = signatures.at(vector["signature_of"]);
                if (vector.contains("xor_byte")) bytes.at(vector["xor_byte"].get<size_t>()) ^= vector["xor_value"].get<uint8_t>();
            }
            BOOST_REQUIRE_EQUAL(bytes.size(), SIGNATURE_SIZE);
            const std::span<const uint8_t, SIGNATURE_SIZE> sig{bytes.data(), SIGNATURE_SIZE};
            const std::span<const uint8_t, PUBLIC_KEY_SIZE> pk{key.data(), PUBLIC_KEY_SIZE};
            BOOST_CHECK_EQUAL(slh_verify_internal(m, sig, pk), vector["valid"].get<bool>());

            const MessageDigest digest{DigestMessage<PARAMS_128S>(sig.first<N>(), pk, MessagePieces::Internal(m))};
            const ByteVector whole{HexField(vector, "digest")};
            BOOST_CHECK_EQUAL(Hex(digest.md), Hex(std::span{whole}.first(digest.md.size())));
            BOOST_CHECK_EQUAL(digest.idx_tree, vector["idx_tree"].get<uint64_t>());
            BOOST_CHECK_EQUAL(digest.idx_leaf, vector["idx_leaf"].get<uint16_t>());
            const auto indices{base_2b<A, K>(digest.md)};
            const auto expected_indices = vector["fors_indices"].get<std::vector<uint32_t>>();
            BOOST_CHECK_EQUAL_COLLECTIONS(indices.begin(), indices.end(), expected_indices.begin(), expected_indices.end());

            const HashContext hash{pk.first<N>()};
            ADRS adrs{Address(0, digest.idx_tree)};
            adrs.setTypeAndClear(ADRSType::FORS_TREE);
            adrs.setKeyPairAddress(digest.idx_leaf);
            Node node{fors_pkFromSig<PARAMS_128S>(hash, sig.subspan<N, FORS_SIG_SIZE>(), digest.md, adrs)};
            BOOST_CHECK_EQUAL(Hex(node), vector["fors_pk"].get<std::string>());

            BOOST_REQUIRE_EQUAL(vector["layers"].size(), D);
            uint64_t tree{digest.idx_tree};
            uint32_t leaf{digest.idx_leaf};
            for (uint32_t layer{0}; layer < D; ++layer) {
                const json& expected{vector["layers"][layer]};
                BOOST_CHECK_EQUAL(tree, expected["tree"].get<uint64_t>());
                BOOST_CHECK_EQUAL(leaf, expected["leaf"].get<uint32_t>());
                const std::span<const uint8_t, XMSS_SIG_SIZE> part{bytes.data() + N + FORS_SIG_SIZE + layer * XMSS_SIG_SIZE, XMSS_SIG_SIZE};
                ADRS at{Address(layer, tree)};
                at.setTypeAndClear(ADRSType::WOTS_HASH);
                at.setKeyPairAddress(leaf);
                BOOST_CHECK_EQUAL(Hex(wots_pkFromSig<PARAMS_128S>(hash, part.first<WOTS_SIG_SIZE>(), node, at)),
                                  expected["wots_pk"].get<std::string>());
                node = xmss_pkFromSig<PARAMS_128S>(hash, leaf, part, node, Address(layer, tree));
                BOOST_CHECK_EQUAL(Hex(node), expected["root"].get<std::string>());
                leaf = static_cast<uint32_t>(tree & ((1U << H_PRIME) - 1));
                tree >>= H_PRIME;
            }
        }
    }
    BOOST_CHECK_GE(signatures.size(), 4);
}

BOOST_AUTO_TEST_SUITE_END()
