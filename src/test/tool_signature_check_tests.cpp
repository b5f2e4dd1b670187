// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <pqc/slhdsa/slhdsa.h>
#include <script/p2mr.h>
#include <tool/keys.h>
#include <tool/spender.h>
#include <tool/trace.h>
#include <tool/tree.h>
#include <util/hex.h>

#include <boost/test/unit_test.hpp>

#include <memory>
#include <string>
#include <vector>

using namespace slhc;
using namespace slhc::tool;

namespace {

using slhdsa::ParameterSet;

std::shared_ptr<const KeyPair> Key(KeyType type, uint8_t n, ParameterSet set = ParameterSet::SHA2_128S)
{
    return std::make_shared<const KeyPair>(MakeKeyPair(type, std::vector<uint8_t>(SeedSize(type), n), set));
}

std::shared_ptr<const KeyPair> Dave() { return Key(KeyType::SCHNORR, 3); }

std::string Hex(const std::shared_ptr<const KeyPair>& key) { return HexStr(key->Element()); }

/** A transaction with one input that one signature satisfies, which can be replaced. */
struct Spend {
    SpendSpec spec;

    Spend(const std::string& leaf, const std::shared_ptr<const KeyPair>& signer)
    {
        WitnessElement signature;
        signature.key = signer;
        spec.inputs.push_back({.outpoint = {uint256{}, 7},
                               .amount = 100'000,
                               .tree = ParseTree("{" + leaf + ",OP_RETURN}"),
                               .leaf = 0,
                               .witness = std::vector{signature}});
        spec.rest = 0;
        spec.outputs.emplace_back(0, CScript{} << OP_1);
    }

    /** debug's hint for this signature in place of the one on top. */
    std::string Hint(const std::vector<uint8_t>& signature) const
    {
        SpendFile file{SignSpend(spec, PlanSpend(spec))};
        CMutableTransaction tx{*file.tx};
        auto& stack{tx.vin[0].scriptWitness.stack};
        stack[0] = signature;
        file.tx = std::make_shared<const CTransaction>(std::move(tx));
        const Trace trace{Tracer{file}.TraceInput(0)};
        BOOST_REQUIRE(!trace.valid);
        return trace.scripts.back().hint;
    }

    uint256 Hash(KeyVersion key_version, uint8_t hash_type = SIGHASH_DEFAULT) const
    {
        const SpendPlan plan{PlanSpend(spec)};
        const PrecomputedTransactionData txdata{plan.tx, std::vector<CTxOut>{plan.spent_outputs}, /*force=*/true};
        ScriptExecutionData data;
        data.m_tapleaf_hash = spec.inputs[0].tree.Leaves()[0].hash;
        data.m_annex_init = true;
        return *SignatureHashSchnorr(data, plan.tx, 0, hash_type, SigVersion::TAPSCRIPT, txdata, key_version);
    }
};

} // namespace

BOOST_AUTO_TEST_SUITE(tool_signature_check_tests)

BOOST_AUTO_TEST_CASE(slhdsa_signatures_made_otherwise)
{
    for (const ParameterSet set : {ParameterSet::SHA2_128S, ParameterSet::SHA2_128_Q40}) {
        const auto alice{Key(KeyType::SLHDSA, 1, set)}, bob{Key(KeyType::SLHDSA, 2, set)};
        const Spend spend{"<" + Hex(bob) + "> OP_DROP pk_slhdsa(" + Hex(alice) + ")", alice};
        const KeyVersion version{set == ParameterSet::SHA2_128S ? KeyVersion::SLHDSA : KeyVersion::SLHDSA_SETS};
        const uint256 hash{spend.Hash(version)};
        const auto signed_by{[](const auto& key, const uint256& message, std::vector<uint8_t> context = {}) {
            return SignMessage(*key, message.Bytes(), context, {});
        }};
        BOOST_CHECK_EQUAL(spend.Hint(signed_by(bob, hash)),
                          "it would verify under another key of the script: <" + Hex(bob) + "> (instruction 0)");
        for (const KeyVersion other : {KeyVersion::BIP340, KeyVersion::SLHDSA, KeyVersion::SLHDSA_SETS}) {
            if (other == version) continue;
            BOOST_CHECK_EQUAL(spend.Hint(signed_by(alice, spend.Hash(other))),
                              "it would verify with key_version " + std::to_string(static_cast<int>(other)) +
                                  " in the signature hash; it must be " + std::to_string(static_cast<int>(version)));
        }
        BOOST_CHECK_EQUAL(spend.Hint(signed_by(alice, spend.Hash(version, SIGHASH_NONE))), "it would verify for hash type NONE");
        BOOST_CHECK_EQUAL(spend.Hint(signed_by(alice, hash, {1})), "");
        BOOST_CHECK_EQUAL(spend.Hint(std::vector<uint8_t>(3857, 1)), "it has 3857 bytes, like a signature by a slh-dsa-sha2-128-24 key");

        std::vector<uint8_t> internal(slhdsa::ParamsOf(set).SignatureSize());
        slhdsa::slh_sign_internal(set, slhdsa::MessagePieces::Internal(hash.Bytes()),
                                  std::span{alice->secret}.first<slhdsa::SECRET_KEY_SIZE>(),
                                  std::span{alice->public_key}.first<slhdsa::N>(), internal);
        BOOST_CHECK_EQUAL(spend.Hint(internal),
                          "it would verify with slh_verify_internal: the two zero bytes of slh_sign are missing before the signature hash");
    }
}

BOOST_AUTO_TEST_CASE(schnorr_signatures_made_otherwise)
{
    const Spend spend{"pk_schnorr(" + Hex(Dave()) + ")", Dave()};
    BOOST_CHECK_EQUAL(spend.Hint(SignMessage(*Dave(), spend.Hash(KeyVersion::SLHDSA).Bytes(), {}, {})),
                      "it would verify with key_version 2 in the signature hash; it must be 0");
    auto signature{SignMessage(*Dave(), spend.Hash(KeyVersion::BIP340, SIGHASH_ALL).Bytes(), {}, {})};
    BOOST_CHECK_EQUAL(spend.Hint(signature), "it would verify for hash type ALL");
    signature.push_back(0x04); // an undefined hash type
    BOOST_CHECK_EQUAL(spend.Hint(signature), "it would verify for hash type ALL");
}

BOOST_AUTO_TEST_CASE(hash_type_names)
{
    for (const char* name : {"DEFAULT", "ALL", "NONE", "SINGLE", "ALL|ANYONECANPAY", "NONE|ANYONECANPAY", "SINGLE|ANYONECANPAY"}) {
        BOOST_CHECK_EQUAL(HashTypeName(ParseHashType(name)), name);
    }
    BOOST_CHECK_EQUAL(HashTypeName(0x04), "0x04");
    BOOST_CHECK_EQUAL(HashTypeName(0x80), "0x80");
}

BOOST_AUTO_TEST_SUITE_END()
