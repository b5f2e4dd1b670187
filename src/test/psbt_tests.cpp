// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <crypto/hash.h>
#include <crypto/ripemd160.h>
#include <primitives/serialize.h>
#include <script/script.h>
#include <test/json_data.h>
#include <test/psbt_fixture.h>
#include <util/base64.h>
#include <util/hex.h>
#include <wallet/descriptor.h>
#include <wallet/psbt.h>
#include <wallet/psbt_combiner.h>
#include <wallet/psbt_finalizer.h>
#include <wallet/tap_tree.h>

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <array>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace slhc;
using namespace slhc::test;

namespace {

/** The vectors of BIP 174, 370 and 371. */
const nlohmann::json& Vectors()
{
    static const nlohmann::json vectors = test::ReadJson("bip_psbt.json");
    return vectors;
}

Bytes FromBase64(const std::string& text)
{
    const auto bytes{DecodeBase64(text)};
    BOOST_REQUIRE(bytes);
    return *bytes;
}

PartiallySignedTransaction Role(const char* name)
{
    return PartiallySignedTransaction::Parse(FromBase64(Vectors().at("roles").at(name)));
}

std::string ParseProblem(std::span<const uint8_t> bytes)
{
    try {
        (void)PartiallySignedTransaction::Parse(bytes);
    } catch (const ParseError& e) {
        return e.what();
    }
    return "no error";
}

template <typename Digest>
Bytes ToBytes(const Digest& digest)
{
    return {digest.begin(), digest.end()};
}

std::array<uint8_t, 20> Ripemd160(std::span<const uint8_t> data)
{
    std::array<uint8_t, 20> digest;
    CRIPEMD160{}.Write(data).Finalize(digest);
    return digest;
}

/** The bytes of a PSBT of version 0 whose only input has one field. */
Bytes WithInputField(const Bytes& key, const Bytes& value)
{
    Bytes bytes{PartiallySignedTransaction{SampleTx(1), 0}.Serialize()};
    bytes.resize(bytes.size() - 2); // the ends of the maps of an input and an output
    VectorWriter writer{bytes};
    WriteVarBytes(writer, key);
    WriteVarBytes(writer, value);
    bytes.insert(bytes.end(), {0, 0});
    return bytes;
}

} // namespace

BOOST_AUTO_TEST_SUITE(psbt_tests)

BOOST_AUTO_TEST_CASE(invalid_vectors_of_the_bips_are_refused)
{
    BOOST_REQUIRE_EQUAL(Vectors().at("invalid").size(), 55);
    for (const auto& vector : Vectors().at("invalid")) {
        const std::string problem{ParseProblem(FromBase64(vector.at("psbt")))};
        BOOST_TEST_CONTEXT("BIP " << vector.at("bip") << ": " << vector.at("case"))
        {
            BOOST_CHECK_NE(problem, "no error");
            BOOST_CHECK(Contains(problem, "at byte "));
        }
    }
}

BOOST_AUTO_TEST_CASE(a_refusal_names_the_field_that_the_bip_means)
{
    // The vectors whose case names one field
    size_t named{0};
    for (const auto& vector : Vectors().at("invalid")) {
        const std::string text{vector.at("case")};
        const size_t begin{text.rfind("PSBT_")};
        if (begin == text.npos || Contains(text, "GLOBAL_VERSION set to 2")) continue;
        const std::string field{text.substr(begin, text.find_first_of(" .", begin) - begin)};
        BOOST_TEST_CONTEXT(text << ": " << ParseProblem(FromBase64(vector.at("psbt"))))
        {
            BOOST_CHECK(Contains(ParseProblem(FromBase64(vector.at("psbt"))), field));
        }
        ++named;
    }
    BOOST_CHECK_EQUAL(named, 34);
}

BOOST_AUTO_TEST_CASE(valid_vectors_of_the_bips_keep_every_field)
{
    BOOST_REQUIRE_EQUAL(Vectors().at("valid").size(), 30);
    for (const auto& vector : Vectors().at("valid")) {
        const Bytes bytes{FromBase64(vector.at("psbt"))};
        BOOST_TEST_CONTEXT("BIP " << vector.at("bip") << ": " << vector.at("case"))
        {
            const auto psbt{PartiallySignedTransaction::Parse(bytes)};
            const Bytes written{psbt.Serialize()};
            // The order of the fields may differ: of the same bytes, as many.
            BOOST_CHECK_EQUAL(written.size(), bytes.size());
            const auto again{PartiallySignedTransaction::Parse(written)};
            BOOST_CHECK(again.Global() == psbt.Global() && again.Inputs() == psbt.Inputs() && again.Outputs() == psbt.Outputs());
            BOOST_CHECK(again.Serialize() == written);
        }
    }
}

BOOST_AUTO_TEST_CASE(lock_times_as_bip370_determines_them)
{
    BOOST_REQUIRE_EQUAL(Vectors().at("lock_time").size(), 10);
    for (const auto& vector : Vectors().at("lock_time")) {
        const auto psbt{PartiallySignedTransaction::Parse(FromBase64(vector.at("psbt")))};
        BOOST_TEST_CONTEXT(vector.at("case"))
        {
            if (vector.at("lock_time").is_null()) {
                BOOST_CHECK(Contains(Problem([&] { (void)psbt.UnsignedTx(); }), "no nLockTime can express both"));
            } else {
                BOOST_CHECK_EQUAL(psbt.UnsignedTx().nLockTime, vector.at("lock_time").get<uint32_t>());
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(roles_as_in_bip174)
{
    const auto created{Role("created")};
    BOOST_CHECK(PartiallySignedTransaction(created.UnsignedTx(), 0).Serialize() == FromBase64(Vectors().at("roles").at("created")));

    auto updated{Role("updated")};
    for (size_t i = 0; i < 2; ++i) updated.Set(PSBTScope::INPUT, i, PSBTKey(PSBT_IN_SIGHASH_TYPE), std::array<uint8_t, 4>{1});
    BOOST_CHECK(updated.Inputs() == Role("updated_sighash").Inputs());

    for (const auto& order : {std::array{"signed_a", "signed_b"}, std::array{"signed_b", "signed_a"}}) {
        const std::vector<PartiallySignedTransaction> parts{Role(order[0]), Role(order[1])};
        const auto combined{CombinePSBTs(parts)};
        BOOST_CHECK(combined.Inputs() == Role("combined").Inputs());
        BOOST_CHECK(combined.Outputs() == Role("combined").Outputs());
    }
    const std::vector<PartiallySignedTransaction> unknown{Role("unknown_a"), Role("unknown_b")};
    BOOST_CHECK(CombinePSBTs(unknown).Serialize() == FromBase64(Vectors().at("roles").at("unknown_combined")));

    // What other software signed, and made final, is not called wrong.
    for (const char* const name : {"combined", "finalized"}) BOOST_CHECK(WrongFields(Role(name)).empty());
    BOOST_CHECK(SerializeToVector(ExtractTransaction(Role("finalized"))) == test::HexField(Vectors().at("roles"), "extracted"));
    BOOST_CHECK(Contains(Problem([] { (void)ExtractTransaction(Role("combined")); }), "input 0: not final"));
}

BOOST_AUTO_TEST_CASE(broken_bytes_are_refused_with_their_place)
{
    const Bytes whole{SamplePSBT(0, {0, 1}).Serialize()};
    BOOST_CHECK_EQUAL(ParseProblem(whole), "no error");
    for (size_t size = 0; size < whole.size(); ++size) BOOST_CHECK_NE(ParseProblem(std::span{whole}.first(size)), "no error");
    Bytes longer{whole};
    longer.push_back(0);
    BOOST_CHECK(Contains(ParseProblem(longer), "1 trailing bytes at byte " + std::to_string(whole.size())));

    Bytes key{PSBTKey(0x99, Bytes{1, 2})};
    BOOST_CHECK_EQUAL(ParseProblem(WithInputField(key, {})), "no error");
    Bytes twice{WithInputField(key, {5})};
    twice.resize(twice.size() - 2);
    VectorWriter writer{twice};
    WriteVarBytes(writer, key);
    WriteVarBytes(writer, Bytes{6});
    twice.insert(twice.end(), {0, 0});
    BOOST_CHECK(Contains(ParseProblem(twice), "duplicate key at byte"));
    BOOST_CHECK(Contains(ParseProblem(twice), "(input 0: unknown type 153)"));

    // Sizes that are not in their shortest form: of a type, and of a key
    BOOST_CHECK(Contains(ParseProblem(WithInputField({0xfd, 0x99, 0x00}, {})), "non-canonical compact size"));
    Bytes long_size{PartiallySignedTransaction{SampleTx(1), 0}.Serialize()};
    long_size.resize(long_size.size() - 2);
    long_size.insert(long_size.end(), {0xfd, 0x01, 0x00, 0x99, 0x00, 0x00, 0x00});
    BOOST_CHECK(Contains(ParseProblem(long_size), "non-canonical compact size"));
}

BOOST_AUTO_TEST_CASE(field_sizes)
{
    const auto problem{[](const Bytes& key, const Bytes& value) { return ParseProblem(WithInputField(key, value)); }};
    const Bytes data(64, 2);
    for (const size_t size : {7856, 7857}) BOOST_CHECK_EQUAL(problem(PSBTSLHDSAKey(PSBT_IN_SLHDSA_SIG, data), Bytes(size)), "no error");
    for (const size_t size : {0, 64, 7855, 7858}) {
        BOOST_CHECK(Contains(problem(PSBTSLHDSAKey(PSBT_IN_SLHDSA_SIG, data), Bytes(size)), "not 7856 or 7857"));
    }
    BOOST_CHECK(Contains(problem(PSBTSLHDSAKey(PSBT_IN_SLHDSA_SIG, Bytes(63)), Bytes(7856)), "key data of 63 bytes, not 64"));
    // Another subtype, another identifier, and the same field elsewhere are not ours to judge.
    BOOST_CHECK_EQUAL(problem(PSBTSLHDSAKey(1, {}), {}), "no error");
    BOOST_CHECK_EQUAL(problem({0xfc, 3, 'a', 'b', 'c', 0, 9}, {}), "no error");
    BOOST_CHECK(Contains(problem({0xfc, 9, 'a', 'b', 'c'}, {}), "identifier"));

    BOOST_CHECK(Contains(problem(PSBTKey(PSBT_IN_WITNESS_UTXO), Bytes(9, 0xff)), "PSBT_IN_WITNESS_UTXO"));
    BOOST_CHECK(Contains(problem(PSBTKey(PSBT_IN_WITNESS_UTXO), {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0}), "amount"));
    const Bytes secret{1};
    for (const auto& [type, digest] : {std::pair{PSBT_IN_RIPEMD160, ToBytes(Ripemd160(secret))}, {PSBT_IN_SHA256, ToBytes(Sha256(secret))},
                                       {PSBT_IN_HASH160, ToBytes(Hash160(secret))}, {PSBT_IN_HASH256, ToBytes(Hash256(secret))}}) {
        BOOST_CHECK_EQUAL(problem(PSBTKey(type, digest), secret), "no error");
        BOOST_CHECK(Contains(problem(PSBTKey(type, Bytes(digest.size())), secret), "not a preimage"));
    }
    Bytes public_key(33, 2);
    for (const size_t size : {9, 73}) BOOST_CHECK_EQUAL(problem(PSBTKey(PSBT_IN_PARTIAL_SIG, public_key), Bytes(size)), "no error");
    for (const size_t size : {8, 74}) BOOST_CHECK(Contains(problem(PSBTKey(PSBT_IN_PARTIAL_SIG, public_key), Bytes(size)), "not 9 to 73"));
    for (const size_t size : {4, 8}) BOOST_CHECK_EQUAL(problem(PSBTKey(PSBT_IN_BIP32_DERIVATION, public_key), Bytes(size)), "no error");
    for (const size_t size : {0, 3, 6}) {
        BOOST_CHECK(Contains(problem(PSBTKey(PSBT_IN_BIP32_DERIVATION, public_key), Bytes(size)), "key origin"));
    }
    public_key.pop_back();
    for (const uint64_t type : {PSBT_IN_PARTIAL_SIG, PSBT_IN_BIP32_DERIVATION}) {
        BOOST_CHECK(Contains(problem(PSBTKey(type, public_key), Bytes(12)), "public key"));
    }
    BOOST_CHECK_EQUAL(problem(PSBTKey(PSBT_IN_FINAL_SCRIPTWITNESS), {1, 1, 7}), "no error");
    BOOST_CHECK(Contains(problem(PSBTKey(PSBT_IN_FINAL_SCRIPTWITNESS), {1, 1, 7, 0}), "PSBT_IN_FINAL_SCRIPTWITNESS"));
    BOOST_CHECK(Contains(problem(PSBTKey(PSBT_IN_TAP_LEAF_SCRIPT, Bytes(1, 0xc1)), {0xc0}), "control block of 1 byte,"));
    BOOST_CHECK_EQUAL(problem(PSBTKey(PSBT_IN_TAP_LEAF_SCRIPT, Bytes(33, 0xc1)), {0xc0}), "no error");
    BOOST_CHECK(Contains(problem(PSBTKey(PSBT_IN_TAP_LEAF_SCRIPT, Bytes(33, 0xc1)), {}), "no leaf version"));
}

BOOST_AUTO_TEST_CASE(amounts_of_outputs)
{
    const auto le64{[](CAmount amount) {
        Bytes bytes;
        VectorWriter writer{bytes};
        WriteU64(writer, static_cast<uint64_t>(amount));
        return bytes;
    }};
    for (const uint32_t version : {0, 2}) {
        const Bytes good{PartiallySignedTransaction{SampleTx(1), version}.Serialize()};
        const Bytes amount{le64(90'000)};
        const auto at{std::search(good.begin(), good.end(), amount.begin(), amount.end()) - good.begin()};
        BOOST_REQUIRE_LT(at, static_cast<ptrdiff_t>(good.size()));
        for (const CAmount other : {CAmount{0}, MAX_MONEY, CAmount{-1}, MAX_MONEY + 1}) {
            Bytes changed{good};
            std::ranges::copy(le64(other), changed.begin() + at);
            const std::string problem{ParseProblem(changed)};
            BOOST_CHECK_EQUAL(problem == "no error", MoneyRange(other));
            BOOST_CHECK(MoneyRange(other) || Contains(problem, "an amount below 0 or above 21,000,000 bitcoin"));
        }
    }
}

BOOST_AUTO_TEST_CASE(counts_do_not_make_memory)
{
    PartiallySignedTransaction psbt{SampleTx(1), 2};
    Bytes bytes{psbt.Serialize()};
    // Of the input count 1 make 0x01ffffff.
    const Bytes count{1, PSBT_GLOBAL_INPUT_COUNT, 1, 1};
    const auto found{std::search(bytes.begin(), bytes.end(), count.begin(), count.end())};
    BOOST_REQUIRE(found != bytes.end());
    const Bytes huge{1, PSBT_GLOBAL_INPUT_COUNT, 5, 0xfe, 0xff, 0xff, 0xff, 0x01};
    bytes.insert(bytes.erase(found, found + count.size()), huge.begin(), huge.end());
    BOOST_CHECK(Contains(ParseProblem(bytes), "fewer bytes than there are inputs and outputs"));
}

BOOST_AUTO_TEST_CASE(what_is_spent_must_be_what_the_input_names)
{
    CMutableTransaction previous{SampleTx(1)};
    previous.vout.emplace_back(5, CScript{} << OP_2);
    CMutableTransaction tx{SampleTx(1)};
    tx.vin[0].prevout = {previous.GetHash(), 1};
    PartiallySignedTransaction psbt{tx, 0};
    const Bytes utxo{PSBTKey(PSBT_IN_NON_WITNESS_UTXO)};
    psbt.Set(PSBTScope::INPUT, 0, utxo, SerializeToVector(previous));
    BOOST_CHECK(psbt.SpentOutput(0) == previous.vout[1]);
    SetSpentOutput(psbt, 0, previous.vout[1]);
    BOOST_CHECK(
        Contains(Problem([&] { SetSpentOutput(psbt, 0, previous.vout[0]); }), "input 0: the PSBT says that it spends another output"));

    // A field that contradicts is refused, and the one before it stays.
    CMutableTransaction other{previous};
    other.nLockTime = 8;
    BOOST_CHECK(Contains(Problem([&] { psbt.Set(PSBTScope::INPUT, 0, utxo, SerializeToVector(other)); }), "is not the transaction"));
    BOOST_CHECK(psbt.Inputs()[0].at(utxo) == SerializeToVector(previous));
    const Bytes changed{SerializeToVector(CTxOut{6, CScript{} << OP_2})};
    BOOST_CHECK(
        Contains(Problem([&] { psbt.Set(PSBTScope::INPUT, 0, PSBTKey(PSBT_IN_WITNESS_UTXO), changed); }), "is not the output that"));

    CMutableTransaction negative{previous};
    negative.vout[1].nValue = -1;
    tx.vin[0].prevout = {negative.GetHash(), 1};
    PartiallySignedTransaction owing{tx, 0};
    BOOST_CHECK(Contains(Problem([&] { owing.Set(PSBTScope::INPUT, 0, utxo, SerializeToVector(negative)); }), "an amount below 0"));

    tx.vin[0].prevout = {previous.GetHash(), 2};
    PartiallySignedTransaction beyond{tx, 2};
    BOOST_CHECK(Contains(Problem([&] { beyond.Set(PSBTScope::INPUT, 0, utxo, SerializeToVector(previous)); }), "has no output 2"));
    BOOST_CHECK(!beyond.Inputs()[0].contains(utxo));
}

BOOST_AUTO_TEST_CASE(versions)
{
    const CMutableTransaction tx{SampleTx(2)};
    for (const uint32_t version : {0, 2}) {
        auto psbt{SamplePSBT(version, {0, 1})};
        psbt.Set(PSBTScope::INPUT, 1, PSBTKey(PSBT_GLOBAL_VERSION), Bytes{1}); // unknown where it is
        psbt.Set(PSBTScope::OUTPUT, 0, PSBTKey(0x98), Bytes{2});
        psbt.Set(PSBTScope::GLOBAL, 0, PSBTKey(0x97), Bytes{3});
        const auto parsed{PartiallySignedTransaction::Parse(psbt.Serialize())};
        BOOST_CHECK_EQUAL(parsed.Version(), version);
        BOOST_CHECK(parsed.UnsignedTx().GetHash() == tx.GetHash());
        const auto other{PartiallySignedTransaction::Parse(parsed.Convert(2 - version).Serialize())};
        BOOST_CHECK_EQUAL(other.Version(), 2 - version);
        BOOST_CHECK(other.UnsignedTx().GetHash() == tx.GetHash());
        BOOST_CHECK(other.Convert(version).Serialize() == parsed.Serialize());
        // What every PSBT of a version must have can be neither replaced nor removed.
        const Bytes required{PSBTKey(version == 0 ? uint64_t{PSBT_GLOBAL_UNSIGNED_TX} : uint64_t{PSBT_GLOBAL_TX_VERSION})};
        BOOST_CHECK(Contains(Problem([&] { psbt.Set(PSBTScope::GLOBAL, 0, required, psbt.Global().at(required)); }), "cannot be replaced"));
        BOOST_CHECK(Contains(Problem([&] { psbt.Erase(PSBTScope::GLOBAL, 0, required); }), "must be there"));
    }
    // The identity of version 2 does not depend on sequence numbers, which an updater may set.
    auto psbt{SamplePSBT(2, {0})};
    const uint256 id{psbt.UniqueId()};
    psbt.Set(PSBTScope::INPUT, 0, PSBTKey(PSBT_IN_SEQUENCE), Bytes{5, 0, 0, 0});
    BOOST_CHECK(psbt.UniqueId() == id);
    BOOST_CHECK(psbt.UnsignedTx().vin[0].nSequence == 5);
}

BOOST_AUTO_TEST_CASE(leaves_belong_to_the_output)
{
    for (const InternalKey& internal_key : {InternalKey{}, InternalKey{INTERNAL_KEY}}) {
        auto psbt{SamplePSBT(0, {0, 1}, internal_key)};
        const auto leaves{Leaves(psbt, 1)};
        BOOST_REQUIRE_EQUAL(leaves.size(), 1);
        BOOST_CHECK(leaves[0].hash == LeafHash(1));
        BOOST_CHECK(leaves[0].script == SampleTree().Leaves()[1].script);

        // A script, a control block or a version that do not belong there
        const Bytes key{PSBTKey(PSBT_IN_TAP_LEAF_SCRIPT, leaves[0].control_block)};
        const Bytes right{psbt.Inputs()[1].at(key)};
        Bytes wrong{right};
        wrong[40] ^= 1;
        psbt.Set(PSBTScope::INPUT, 1, key, wrong);
        BOOST_CHECK(Contains(Problem([&] { (void)Leaves(psbt, 1); }), "is not one of the output that is spent"));
        wrong = right;
        wrong.back() = 0xc2;
        psbt.Set(PSBTScope::INPUT, 1, key, wrong);
        BOOST_CHECK(Contains(Problem([&] { (void)Leaves(psbt, 1); }), "is not one of the output that is spent"));
        psbt.Erase(PSBTScope::INPUT, 1, key);
        auto block{leaves[0].control_block};
        block.back() ^= 1;
        psbt.Set(PSBTScope::INPUT, 1, PSBTKey(PSBT_IN_TAP_LEAF_SCRIPT, block), right);
        BOOST_CHECK(Contains(Problem([&] { (void)Leaves(psbt, 1); }), "is not one of the output that is spent"));
        // The bit beside the leaf version, which is always set for P2MR and the parity for P2TR
        psbt.Erase(PSBTScope::INPUT, 1, PSBTKey(PSBT_IN_TAP_LEAF_SCRIPT, block));
        block = leaves[0].control_block;
        block[0] ^= 1;
        psbt.Set(PSBTScope::INPUT, 1, PSBTKey(PSBT_IN_TAP_LEAF_SCRIPT, block), right);
        BOOST_CHECK(Contains(Problem([&] { (void)Leaves(psbt, 1); }), "is not one of the output that is spent"));
    }
    // The tree of P2MR and that of P2TR are not each other's.
    auto psbt{SamplePSBT(0, {0})};
    BOOST_CHECK(Contains(Problem([&] { AddLeaf(psbt, 0, SampleTree(), 0, INTERNAL_KEY); }), "does not have this tree"));
    PartiallySignedTransaction unknown{SampleTx(1), 0};
    BOOST_CHECK(Contains(Problem([&] { AddLeaf(unknown, 0, SampleTree(), 0, {}); }), "what it spends is not known"));
    BOOST_CHECK(Contains(Problem([] { (void)TreeScriptPubKey(SampleTree(), std::array<uint8_t, 32>{}); }), "not the x coordinate"));
}

BOOST_AUTO_TEST_CASE(several_signers_in_turn)
{
    for (const uint32_t version : {0, 2}) {
        for (const InternalKey& internal_key : {InternalKey{}, InternalKey{INTERNAL_KEY}}) {
            const auto start{SamplePSBT(version, {0, 1}, internal_key)};
            // Each signs a copy of its own.
            auto a{start}, b{start}, c{start};
            AddSLHDSA(a, 0, 0, 1, 0xa1);
            AddSLHDSA(a, 1, 1, 1, 0xa2);
            AddSLHDSA(b, 0, 0, 3, 0xb1);
            AddSignature(c, 1, LeafHash(1), {Key(7), KeyType::SCHNORR}, Bytes(64, 0xc1));

            PartiallySignedTransaction early{a};
            BOOST_CHECK(Contains(Finalize(early, 0), "needs 2 signatures, but has 1"));
            BOOST_CHECK(Contains(Finalize(early, 1), "needs a signature by the schnorr-bip340 key " + HexStr(Key(7))));
            BOOST_CHECK(early.Serialize() == a.Serialize()); // refusing changes nothing

            const std::vector<PartiallySignedTransaction> parts{c, a, b};
            auto combined{PartiallySignedTransaction::Parse(CombinePSBTs(parts).Serialize())};
            const auto estimate{EstimateWeight(start)};
            BOOST_REQUIRE(estimate && estimate->exact);
            for (size_t i = 0; i < 2; ++i) BOOST_CHECK_EQUAL(Finalize(combined, i), "");
            const CTransaction tx{ExtractTransaction(combined)};
            BOOST_CHECK_EQUAL(GetTransactionWeight(tx), estimate->weight);

            // What the script takes first is the top, which is last: key 1 signs, 2 does not, 3 does.
            const auto& stack{tx.vin[0].scriptWitness.stack};
            BOOST_REQUIRE_EQUAL(stack.size(), 5);
            BOOST_CHECK(stack[2] == Bytes(7856, 0xa1));
            BOOST_CHECK(stack[1].empty());
            BOOST_CHECK(stack[0] == Bytes(7856, 0xb1));
            BOOST_CHECK(stack[3] == SampleTree().Leaves()[0].script);
            BOOST_CHECK(stack[4] == TreeControlBlock(SampleTree(), SampleTree().Leaves()[0], internal_key));
            BOOST_CHECK(tx.vin[1].scriptWitness.stack[1] == Bytes(7856, 0xa2));
            BOOST_CHECK(tx.vin[1].scriptWitness.stack[0] == Bytes(64, 0xc1));
            // An input that is final has no signatures any more, and its spent output still.
            BOOST_CHECK(!GetSignature(combined, 0, LeafHash(0), {Key(1), KeyType::SLHDSA}));
            BOOST_CHECK(combined.SpentOutput(0) == start.SpentOutput(0));
            BOOST_CHECK(combined.UnsignedTx().GetHash() == start.UnsignedTx().GetHash());
        }
    }
}

BOOST_AUTO_TEST_CASE(a_signature_is_for_a_leaf_that_asks_for_it)
{
    auto psbt{SamplePSBT(0, {1})};
    BOOST_CHECK(Contains(Problem([&] { AddSLHDSA(psbt, 0, 0, 1); }), "there is no leaf"));
    BOOST_CHECK(Contains(Problem([&] { AddSLHDSA(psbt, 0, 1, 2); }), "checks no signature by 0202"));
    // The right key, of the wrong kind
    BOOST_CHECK(Contains(Problem([&] { AddSLHDSA(psbt, 0, 1, 7); }), "checks no signature by 0707"));
    BOOST_CHECK(Contains(Problem([&] { AddSignature(psbt, 0, LeafHash(1), {Key(1), KeyType::SLHDSA}, Bytes(64)); }), "value of 64 bytes"));
    BOOST_CHECK(Contains(Problem([&] { AddSLHDSA(psbt, 1, 1, 1); }), "there is no input 1"));
}

BOOST_AUTO_TEST_CASE(hash_types)
{
    auto psbt{SamplePSBT(0, {1})};
    const auto set_type{[&](uint32_t type) {
        Bytes value;
        VectorWriter writer{value};
        WriteU32(writer, type);
        psbt.Set(PSBTScope::INPUT, 0, PSBTKey(PSBT_IN_SIGHASH_TYPE), value);
    }};
    BOOST_CHECK_EQUAL(RequestedHashType(psbt, 0), SIGHASH_DEFAULT);
    for (const uint32_t type : {0x00, 0x01, 0x02, 0x03, 0x81, 0x82, 0x83}) {
        set_type(type);
        BOOST_CHECK_EQUAL(RequestedHashType(psbt, 0), type);
    }
    for (const uint32_t type : {0x04, 0x80, 0x84, 0x101}) {
        set_type(type);
        BOOST_CHECK(Contains(Problem([&] { (void)RequestedHashType(psbt, 0); }), "is undefined"));
    }
    set_type(SIGHASH_NONE);
    const auto estimate{EstimateWeight(psbt)};
    AddSLHDSA(psbt, 0, 1, 1);
    AddSignature(psbt, 0, LeafHash(1), {Key(7), KeyType::SCHNORR}, Bytes(65, SIGHASH_NONE));
    BOOST_CHECK(Contains(Finalize(psbt, 0), "has another hash type than PSBT_IN_SIGHASH_TYPE asks for"));
    AddSignature(psbt, 0, LeafHash(1), {Key(1), KeyType::SLHDSA}, Bytes(7857, SIGHASH_NONE));
    BOOST_CHECK_EQUAL(Finalize(psbt, 0), "");
    BOOST_CHECK_EQUAL(GetTransactionWeight(CTransaction{ExtractTransaction(psbt)}), estimate->weight);
}

BOOST_AUTO_TEST_CASE(signatures_are_checked_by_what_they_sign)
{
    auto psbt{SamplePSBT(0, {0, 1})};
    AddSLHDSA(psbt, 0, 0, 1);
    AddSLHDSA(psbt, 0, 0, 3);
    const PSBTSignatureHasher hasher{psbt};
    std::vector<uint256> hashes;
    const auto verify{[&](const LeafKey& key, const uint256& hash, std::span<const uint8_t> signature) {
        hashes.push_back(hash);
        return key.public_key != Key(3) && signature.size() == 7856;
    }};
    const auto wrong{WrongFields(psbt, verify)};
    BOOST_REQUIRE_EQUAL(wrong.size(), 1);
    BOOST_CHECK(wrong[0].index == 0 && Contains(wrong[0].why, "the signature by 0303"));
    BOOST_REQUIRE_EQUAL(hashes.size(), 2);

    // The same hash by the consensus code, from the transaction and what it spends
    const CMutableTransaction tx{SampleTx(2)};
    const CTxOut spent{100'000, TreeScriptPubKey(SampleTree(), {})};
    const PrecomputedTransactionData txdata{tx, {spent, spent}, true};
    ScriptExecutionData data;
    data.m_tapleaf_hash = LeafHash(0);
    data.m_annex_init = true;
    BOOST_CHECK(SignatureHashSchnorr(data, tx, 0, SIGHASH_DEFAULT, SigVersion::TAPSCRIPT, txdata, KeyVersion::SLHDSA) == hashes[0]);
    BOOST_CHECK(hasher.Hash(0, LeafHash(0), KeyType::SCHNORR, SIGHASH_DEFAULT) != hashes[0]);
    BOOST_CHECK(Contains(Problem([&] { (void)hasher.Hash(1, LeafHash(1), KeyType::SLHDSA, SIGHASH_SINGLE); }), "there is no output 1"));

    // All spent outputs are signed, so all must be known.
    PartiallySignedTransaction unknown{SampleTx(2), 0};
    SetSpentOutput(unknown, 0, spent);
    BOOST_CHECK(Contains(Problem([&] { PSBTSignatureHasher{unknown}; }), "input 1: what it spends is not known"));
}

BOOST_AUTO_TEST_CASE(combining)
{
    const auto start{SamplePSBT(0, {0, 1})};
    const auto problem{[&](const PartiallySignedTransaction& other) {
        const std::vector<PartiallySignedTransaction> both{start, other};
        return Problem([&] { (void)CombinePSBTs(both); });
    }};
    BOOST_CHECK(Contains(problem(SamplePSBT(2, {0, 1})), "PSBT 1 has version 2, and PSBT 0 version 0"));
    BOOST_CHECK(Contains(problem(SamplePSBT(0, {0})), "PSBT 1 has a different transaction from PSBT 0"));

    // Of two signatures by one key, which are randomized, either does; of anything else there is only one.
    auto a{start}, b{start};
    AddSLHDSA(a, 0, 0, 1, 0x11);
    AddSLHDSA(b, 0, 0, 1, 0x22);
    const std::vector<PartiallySignedTransaction> both{a, b};
    BOOST_CHECK(CombinePSBTs(both).Serialize() == a.Serialize());
    auto other{start};
    SetSpentOutput(other, 0, {100'000, TreeScriptPubKey(SampleTree(), {})});
    other.Set(PSBTScope::INPUT, 0, PSBTKey(PSBT_IN_WITNESS_UTXO), SerializeToVector(CTxOut{99'999, TreeScriptPubKey(SampleTree(), {})}));
    BOOST_CHECK(Contains(problem(other), "PSBT 1, input 0: two values of PSBT_IN_WITNESS_UTXO"));

    // What signers took away stays away.
    auto modifiable{SamplePSBT(2, {0})};
    modifiable.Set(PSBTScope::GLOBAL, 0, PSBTKey(PSBT_GLOBAL_TX_MODIFIABLE), Bytes{3});
    auto with_all{modifiable}, with_single{modifiable};
    AddSLHDSA(with_all, 0, 0, 1);
    AddSignature(with_single, 0, LeafHash(0), {Key(2), KeyType::SLHDSA}, Bytes(7857, SIGHASH_SINGLE | SIGHASH_ANYONECANPAY));
    BOOST_CHECK(with_all.Global().at(PSBTKey(PSBT_GLOBAL_TX_MODIFIABLE)) == Bytes{0});
    BOOST_CHECK(with_single.Global().at(PSBTKey(PSBT_GLOBAL_TX_MODIFIABLE)) == Bytes{5});
    const std::vector<PartiallySignedTransaction> v2{with_all, with_single};
    BOOST_CHECK(CombinePSBTs(v2).Global().at(PSBTKey(PSBT_GLOBAL_TX_MODIFIABLE)) == Bytes{4});
    // A PSBT without the field allows nothing.
    const auto silent{SamplePSBT(2, {0})};
    for (const auto& parts : {std::vector{silent, modifiable}, std::vector{modifiable, silent}}) {
        BOOST_CHECK(CombinePSBTs(parts).Global().at(PSBTKey(PSBT_GLOBAL_TX_MODIFIABLE)) == Bytes{0});
    }
}

/** BIP 174: a Finalizer leaves what is spent and what it does not know. */
BOOST_AUTO_TEST_CASE(what_a_final_input_keeps)
{
    const Bytes secret{1}, public_key(33, 2), unknown{PSBTKey(0x99, secret)};
    auto psbt{SamplePSBT(0, {0}, INTERNAL_KEY)};
    const auto set{[&](const Bytes& key, const Bytes& value) { psbt.Set(PSBTScope::INPUT, 0, key, value); }};
    set(PSBTKey(PSBT_IN_PARTIAL_SIG, public_key), Bytes(9));
    set(PSBTKey(PSBT_IN_SIGHASH_TYPE), Bytes(4));
    set(PSBTKey(PSBT_IN_REDEEM_SCRIPT), {OP_1});
    set(PSBTKey(PSBT_IN_WITNESS_SCRIPT), {OP_1});
    set(PSBTKey(PSBT_IN_BIP32_DERIVATION, public_key), Bytes(4));
    set(PSBTKey(PSBT_IN_RIPEMD160, ToBytes(Ripemd160(secret))), secret);
    set(PSBTKey(PSBT_IN_SHA256, ToBytes(Sha256(secret))), secret);
    set(PSBTKey(PSBT_IN_HASH160, ToBytes(Hash160(secret))), secret);
    set(PSBTKey(PSBT_IN_HASH256, ToBytes(Hash256(secret))), secret);
    set(PSBTKey(PSBT_IN_TAP_KEY_SIG), Bytes(64)); // not valid by NotZero
    set(PSBTKey(PSBT_IN_TAP_SCRIPT_SIG, Bytes(64, 9)), Bytes(64, 1));
    set(PSBTKey(PSBT_IN_TAP_BIP32_DERIVATION, Bytes(32, 1)), Bytes(5));
    set(unknown, {7});
    const auto types{[&] {
        std::set<uint64_t> found;
        for (const auto& [key, value] : psbt.Inputs()[0]) {
            if (const auto parts{PSBTKeyParts::Parse(key)}; !parts.slhdsa) found.insert(parts.type);
        }
        return found;
    }};
    BOOST_CHECK_EQUAL(types().size(), 17); // and those of the leaf, the root, the internal key and what is spent
    AddSLHDSA(psbt, 0, 0, 1);
    AddSLHDSA(psbt, 0, 0, 2);
    BOOST_CHECK_EQUAL(Finalize(psbt, 0), "");
    BOOST_CHECK((types() == std::set<uint64_t>{PSBT_IN_WITNESS_UTXO, PSBT_IN_FINAL_SCRIPTWITNESS, 0x99}));
    BOOST_CHECK_EQUAL(psbt.Inputs()[0].size(), 3);
}

/** Two signers may have made different signatures, or witnesses; the first one stays. */
BOOST_AUTO_TEST_CASE(signatures_that_differ)
{
    const auto with{[](const Bytes& key, const Bytes& value) {
        auto psbt{SamplePSBT(0, {1}, INTERNAL_KEY)};
        psbt.Set(PSBTScope::INPUT, 0, key, value);
        return psbt;
    }};
    Bytes of_key_7{Key(7)};
    const uint256 leaf{LeafHash(1)};
    of_key_7.insert(of_key_7.end(), leaf.begin(), leaf.end());
    for (const Bytes& key : {PSBTKey(PSBT_IN_PARTIAL_SIG, Bytes(33, 2)), PSBTKey(PSBT_IN_TAP_KEY_SIG),
                             PSBTKey(PSBT_IN_TAP_SCRIPT_SIG, of_key_7), PSBTKey(PSBT_IN_FINAL_SCRIPTSIG)}) {
        const std::vector<PartiallySignedTransaction> both{with(key, Bytes(64, 1)), with(key, Bytes(64, 2))};
        BOOST_CHECK(CombinePSBTs(both, NotZero).Inputs()[0].at(key) == Bytes(64, 1));
    }
    const Bytes no_signature{PSBTKey(PSBT_IN_REDEEM_SCRIPT)};
    const std::vector<PartiallySignedTransaction> both{with(no_signature, {OP_1}), with(no_signature, {OP_2})};
    BOOST_CHECK(Contains(Problem([&] { (void)CombinePSBTs(both, NotZero); }), "two values of PSBT_IN_REDEEM_SCRIPT"));
}

/** BIP 174: of what a Combiner does not understand, it keeps any value. */
BOOST_AUTO_TEST_CASE(fields_that_nothing_uses_and_that_differ)
{
    const Bytes xonly(32, 2), public_key(33, 2), xpub(78, 0);
    const auto derivation{[](uint8_t n) { return Bytes(4, n); }};
    const auto tap_derivation{[](uint8_t n) { return Bytes{0, n, n, n, n}; }};
    const auto unknown{[](uint8_t n) { return Bytes(n, n); }};
    struct Case {
        PSBTScope scope;
        Bytes key, first, second;
    };
    std::vector<Case> cases{
        {PSBTScope::GLOBAL, PSBTKey(PSBT_GLOBAL_XPUB, xpub), derivation(1), derivation(2)},
        {PSBTScope::INPUT, PSBTKey(PSBT_IN_BIP32_DERIVATION, public_key), derivation(1), derivation(2)},
        {PSBTScope::INPUT, PSBTKey(PSBT_IN_TAP_BIP32_DERIVATION, xonly), tap_derivation(1), tap_derivation(2)},
        {PSBTScope::OUTPUT, PSBTKey(PSBT_OUT_BIP32_DERIVATION, public_key), derivation(1), derivation(2)},
        {PSBTScope::OUTPUT, PSBTKey(PSBT_OUT_TAP_BIP32_DERIVATION, xonly), tap_derivation(1), tap_derivation(2)},
    };
    for (const PSBTScope scope : {PSBTScope::GLOBAL, PSBTScope::INPUT, PSBTScope::OUTPUT}) {
        for (const Bytes& key : {PSBTKey(0x99, xonly), Bytes{0xfc, 1, 'x', 0, 7}, PSBTSLHDSAKey(9, xonly)}) {
            cases.push_back({scope, key, unknown(1), unknown(2)});
        }
    }
    for (const auto& [scope, key, first, second] : cases) {
        auto a{SamplePSBT(0, {0})}, b{SamplePSBT(0, {0})};
        a.Set(scope, 0, key, first);
        b.Set(scope, 0, key, second);
        BOOST_CHECK(CombinePSBTs(std::vector{a, b}, NotZero).Serialize() == a.Serialize());
        BOOST_CHECK(CombinePSBTs(std::vector{b, a}, NotZero).Serialize() == b.Serialize());
    }
}

BOOST_AUTO_TEST_CASE(previous_transactions_with_and_without_witnesses)
{
    CMutableTransaction previous{SampleTx(1)}, tx{SampleTx(1)};
    const Bytes without{SerializeToVector(previous)};
    previous.vin[0].scriptWitness.stack = {{1}};
    const Bytes with{SerializeToVector(previous)}, field{PSBTKey(PSBT_IN_NON_WITNESS_UTXO)};
    BOOST_REQUIRE(with != without);
    tx.vin[0].prevout = {previous.GetHash(), 0};
    PartiallySignedTransaction a{tx, 0}, b{tx, 0};
    a.Set(PSBTScope::INPUT, 0, field, with);
    b.Set(PSBTScope::INPUT, 0, field, without);
    BOOST_CHECK(CombinePSBTs(std::vector{a, b}, NotZero).Serialize() == a.Serialize());
    BOOST_CHECK(CombinePSBTs(std::vector{b, a}, NotZero).Serialize() == b.Serialize());
}

BOOST_AUTO_TEST_CASE(unknown_fields_survive)
{
    for (const uint32_t version : {0, 2}) {
        auto psbt{SamplePSBT(version, {1})};
        const std::vector<Bytes> keys{PSBTKey(0x99, Bytes{1}), PSBTKey(0x1234), {0xfc, 1, 'x', 0, 7}, PSBTSLHDSAKey(9, Bytes{1})};
        const auto check{[&](const PartiallySignedTransaction& now) {
            for (const auto& key : keys) {
                BOOST_CHECK(now.Global().at(key) == Bytes{4});
                BOOST_CHECK(now.Inputs()[0].at(key) == Bytes{5});
                BOOST_CHECK(now.Outputs()[0].at(key) == Bytes{6});
            }
        }};
        for (const auto& key : keys) {
            psbt.Set(PSBTScope::GLOBAL, 0, key, Bytes{4});
            psbt.Set(PSBTScope::INPUT, 0, key, Bytes{5});
            psbt.Set(PSBTScope::OUTPUT, 0, key, Bytes{6});
        }
        check(PartiallySignedTransaction::Parse(psbt.Serialize()));
        check(psbt.Convert(2 - version));
        AddSLHDSA(psbt, 0, 1, 1);
        AddSignature(psbt, 0, LeafHash(1), {Key(7), KeyType::SCHNORR}, Bytes(64, 0xc1));
        const std::vector<PartiallySignedTransaction> both{SamplePSBT(version, {1}), psbt};
        check(CombinePSBTs(both));
        BOOST_CHECK_EQUAL(Finalize(psbt, 0), "");
        check(psbt);
    }
}

BOOST_AUTO_TEST_CASE(vectors_of_the_slhdsa_field)
{
    const auto sha256_hex{[](const Bytes& bytes) { return HexStr(Sha256(bytes)); }};
    const nlohmann::json vectors = test::ReadJson("psbt_slhdsa.json");
    BOOST_REQUIRE_EQUAL(vectors.size(), 2);
    for (const auto& vector : vectors) {
        const auto psbt{[&](const char* name) { return PartiallySignedTransaction::Parse(FromBase64(vector.at(name))); }};
        const std::vector<PartiallySignedTransaction> signers{psbt("signed_a"), psbt("signed_b")};
        BOOST_TEST_CONTEXT(vector.at("name"))
        {
            BOOST_CHECK(psbt("updated").Serialize() == FromBase64(vector.at("updated")));
            auto combined{CombinePSBTs(signers)};
            BOOST_CHECK_EQUAL(sha256_hex(combined.Serialize()), vector.at("combined_sha256").get<std::string>());
            BOOST_CHECK_EQUAL(FinalizeInput(combined, 0, PSBTVerifier{combined}).missing, "");
            BOOST_CHECK_EQUAL(sha256_hex(combined.Serialize()), vector.at("finalized_sha256").get<std::string>());
            const CMutableTransaction tx{ExtractTransaction(combined)};
            BOOST_CHECK_EQUAL(sha256_hex(SerializeToVector(tx)), vector.at("transaction_sha256").get<std::string>());
            BOOST_CHECK_EQUAL(tx.GetHash().GetHex(), vector.at("txid").get<std::string>());
        }
    }
}

/** Inputs and outputs may come until the transaction is extracted. */
BOOST_AUTO_TEST_CASE(transactions_without_inputs_or_outputs)
{
    CMutableTransaction whole{SampleTx(1)};
    whole.vout.at(0).nValue = 0;
    CMutableTransaction empty, without_inputs{whole}, without_outputs{whole};
    without_inputs.vin.clear();
    without_outputs.vout.clear();
    for (const auto& [tx, why] : {std::pair{empty, "the transaction has no inputs: bad-txns-vin-empty"},
                                  {without_inputs, "the transaction has no inputs: bad-txns-vin-empty"},
                                  {without_outputs, "the transaction has no outputs: bad-txns-vout-empty"},
                                  {whole, ""}}) {
        for (const uint32_t version : {0, 2}) {
            const PartiallySignedTransaction psbt{tx, version};
            BOOST_CHECK_EQUAL(WhyIncomplete(psbt), why);
            BOOST_CHECK_EQUAL(NeverValid(psbt), "");
        }
    }
}

BOOST_AUTO_TEST_CASE(preimages)
{
    const Bytes secret{1, 2, 3};
    CScript script;
    const auto digest{Sha256(secret)};
    script << OP_SHA256 << Bytes{digest.begin(), digest.end()} << OP_EQUALVERIFY << Key(1) << OP_CHECKSIGSLHDSA;
    auto psbt{SpendingLeaf(script)};
    AddSignature(psbt, 0, Leaves(psbt, 0)[0].hash, {Key(1), KeyType::SLHDSA}, Bytes(7856, 0xaa));
    BOOST_CHECK(Contains(Finalize(psbt, 0), "needs the preimage of"));
    AddPreimage(psbt, 0, secret);
    BOOST_CHECK_EQUAL(Finalize(psbt, 0), "");
    BOOST_CHECK(ExtractTransaction(psbt).vin[0].scriptWitness.stack[1] == secret);
}

BOOST_AUTO_TEST_CASE(leaves_as_descriptors_write_them)
{
    const Bytes secret(32, 5);
    const std::string a(64, '1'), b(64, '2'), schnorr{HexStr(INTERNAL_KEY)}, digest{HexStr(Sha256(secret))};
    const auto satisfied{[&](const std::string& text, const Bytes& preimage) {
        const auto output{Descriptor::Parse("mr({" + text + ",pk_slhdsa(" + b + ")})").Output()};
        const LeafRecipe recipe{ReadLeafRecipe(output.leaves[0].leaf.script)};
        BOOST_TEST_CONTEXT(text << ": " << recipe.unknown << recipe.never)
        {
            BOOST_CHECK(recipe.Usable());
        }
        return SatisfyLeaf(
            recipe, [](const LeafKey& key) { return Bytes(SignatureSize(key.type)); }, [&](std::span<const uint8_t>) { return preimage; });
    }};
    for (const auto& [text, elements] : {std::pair{"pk_slhdsa(" + a + ")", 1},
                                         {"pk(" + schnorr + ")", 1},
                                         {"multi_slhdsa(1," + a + "," + b + ")", 2},
                                         {"and_v(v:pk_slhdsa(" + a + "),pk(" + schnorr + "))", 2},
                                         {"and_v(v:multi_slhdsa(2," + a + "," + b + "),pk(" + schnorr + "))", 3},
                                         {"and_v(v:pk_slhdsa(" + a + "),older(144))", 1},
                                         {"and_v(v:older(144),pk_slhdsa(" + a + "))", 1},
                                         {"and_v(v:after(500000),pk_slhdsa(" + a + "))", 1},
                                         {"and_v(v:pk_slhdsa(" + a + "),after(500000))", 1},
                                         {"and_v(v:sha256(" + digest + "),pk_slhdsa(" + a + "))", 2},
                                         {"and_v(v:pk_slhdsa(" + a + "),sha256(" + digest + "))", 2}}) {
        const LeafStack stack{satisfied(text, secret)};
        BOOST_CHECK(stack.Complete());
        BOOST_CHECK_EQUAL(stack.elements.size(), elements);
    }
    // Miniscript's preimages have 32 bytes.
    const LeafStack stack{satisfied("and_v(v:sha256(" + digest + "),pk_slhdsa(" + a + "))", Bytes(31))};
    BOOST_CHECK(Contains(stack.missing, "needs the preimage of " + digest));
}

BOOST_AUTO_TEST_CASE(trees_of_outputs)
{
    const ScriptTree tree{SampleTree()};
    const Bytes bytes{SerializeTapTree(tree)};
    BOOST_CHECK(ParseTapTree(bytes).Root() == tree.Root());
    CMutableTransaction tx{SampleTx(1)};
    tx.vout.emplace_back(5, TreeScriptPubKey(tree, {}));
    tx.vout.emplace_back(6, TreeScriptPubKey(tree, INTERNAL_KEY));
    PartiallySignedTransaction psbt{tx, 0};
    AddOutputTree(psbt, 1, tree, {});
    AddOutputTree(psbt, 2, tree, INTERNAL_KEY);
    BOOST_CHECK(Contains(Problem([&] { AddOutputTree(psbt, 0, tree, {}); }), "output 0: does not have this tree"));
    BOOST_CHECK(Contains(Problem([&] { AddOutputTree(psbt, 3, tree, {}); }), "there is no output 3"));
    BOOST_CHECK(ParseTapTree(PartiallySignedTransaction::Parse(psbt.Serialize()).Outputs()[2].at(PSBTKey(PSBT_OUT_TAP_TREE))).Root() ==
                tree.Root());
}

BOOST_AUTO_TEST_CASE(base64)
{
    // RFC 4648, section 10
    for (const auto& [text, encoded] : {std::pair{"", ""},
                                        {"f", "Zg=="},
                                        {"fo", "Zm8="},
                                        {"foo", "Zm9v"},
                                        {"foob", "Zm9vYg=="},
                                        {"fooba", "Zm9vYmE="},
                                        {"foobar", "Zm9vYmFy"}}) {
        const std::string_view view{text};
        const Bytes bytes{view.begin(), view.end()};
        BOOST_CHECK_EQUAL(EncodeBase64(bytes), encoded);
        BOOST_CHECK(DecodeBase64(encoded) == bytes);
    }
    for (const char* const wrong : {"Z", "Zg", "Zg=", "Zh==", "Zm9=", "====", "Z===", "Zg==Zg==", "Zm 9v", "Zm9v\n"})
        BOOST_CHECK(!DecodeBase64(wrong));
}

BOOST_AUTO_TEST_SUITE_END()
