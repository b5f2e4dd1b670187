// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <crypto/hash.h>
#include <crypto/ripemd160.h>
#include <pqc/experiment_signer.h>
#include <primitives/serialize.h>
#include <script/script.h>
#include <script/slhdsa_pubkey.h>
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
#include <iterator>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
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
    auto maps{Maps(PartiallySignedTransaction{SampleTx(1), 0})};
    maps[1] = {{key, value}};
    return WithMaps(maps);
}

/** A signature of this kind and hash type, which is valid by NotZero. */
Bytes Signature(KeyType type, uint8_t hash_type)
{
    Bytes signature(SignatureSize(type, Key(1)), 0x55);
    if (hash_type != SIGHASH_DEFAULT) signature.push_back(hash_type);
    return signature;
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

    const Bytes key{PSBTKey(0x99, Bytes{1, 2})};
    BOOST_CHECK_EQUAL(ParseProblem(WithInputField(key, {})), "no error");
    Bytes twice{WithInputField(key, {5})};
    twice.resize(twice.size() - 2); // the ends of the maps of the input and the output
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
    BOOST_CHECK(Contains(problem(PSBTSLHDSAKey(PSBT_IN_SLHDSA_SIG, Bytes(63)), Bytes(7856)), "key data of 63 bytes, not 64 or 65"));
    for (const auto& [number, size, name] : {std::tuple{24, 3856, "128-24"}, {40, 5776, "128-q40"}}) {
        Bytes with_set{data};
        with_set.insert(with_set.begin(), static_cast<uint8_t>(number));
        const Bytes key{PSBTSLHDSAKey(PSBT_IN_SLHDSA_SIG, with_set)};
        for (const int more : {0, 1}) BOOST_CHECK_EQUAL(problem(key, Bytes(size + more)), "no error");
        for (const int other : {size - 1, size + 2, 7856}) {
            BOOST_CHECK(Contains(problem(key, Bytes(other)), std::to_string(size) + " or " + std::to_string(size + 1) + " (" + name + ")"));
        }
    }
    BOOST_CHECK(Contains(problem(PSBTSLHDSAKey(PSBT_IN_SLHDSA_SIG, Bytes(65, 1)), Bytes(7856)), "not with 01, 128f"));
    BOOST_CHECK(Contains(problem(PSBTSLHDSAKey(PSBT_IN_SLHDSA_SIG, Bytes(66)), Bytes(7856)), "key data of 66 bytes, not 64 or 65"));
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
    for (const uint32_t version : {0, 2}) {
        for (const CAmount amount : {CAmount{0}, MAX_MONEY, CAmount{-1}, MAX_MONEY + 1}) {
            CMutableTransaction tx{SampleTx(1)};
            tx.vout[0].nValue = amount;
            const std::string problem{ParseProblem(PartiallySignedTransaction{tx, version}.Serialize())};
            BOOST_CHECK_EQUAL(problem == "no error", MoneyRange(amount));
            BOOST_CHECK(MoneyRange(amount) || Contains(problem, "an amount below 0 or above 21,000,000 bitcoin"));
        }
    }
}

BOOST_AUTO_TEST_CASE(counts_do_not_make_memory)
{
    auto maps{Maps(PartiallySignedTransaction{SampleTx(1), 2})};
    maps[0][PSBTKey(PSBT_GLOBAL_INPUT_COUNT)] = {0xfe, 0xff, 0xff, 0xff, 0x01};
    BOOST_CHECK(Contains(ParseProblem(WithMaps(maps)), "fewer bytes than there are inputs and outputs"));
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
        // A field that every PSBT of a version must have can be neither replaced nor removed.
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
        BOOST_CHECK_EQUAL(leaves[0].problem, "");
        BOOST_CHECK(leaves[0].hash == LeafHash(1));
        BOOST_CHECK(leaves[0].script == SampleTree().Leaves()[1].script);

        // A script, a control block or a version that do not belong there
        const Bytes key{PSBTKey(PSBT_IN_TAP_LEAF_SCRIPT, leaves[0].control_block)};
        const Bytes right{psbt.Inputs()[1].at(key)};
        Bytes wrong{right};
        wrong[40] ^= 1;
        psbt.Set(PSBTScope::INPUT, 1, key, wrong);
        BOOST_CHECK(Contains(Leaves(psbt, 1).at(0).problem, "is not one of the output that is spent"));
        wrong = right;
        wrong.back() = 0xc2;
        psbt.Set(PSBTScope::INPUT, 1, key, wrong);
        BOOST_CHECK(Contains(Leaves(psbt, 1).at(0).problem, "is not one of the output that is spent"));
        psbt.Erase(PSBTScope::INPUT, 1, key);
        auto block{leaves[0].control_block};
        block.back() ^= 1;
        psbt.Set(PSBTScope::INPUT, 1, PSBTKey(PSBT_IN_TAP_LEAF_SCRIPT, block), right);
        BOOST_CHECK(Contains(Leaves(psbt, 1).at(0).problem, "is not one of the output that is spent"));
        // The bit beside the leaf version, which is always set for P2MR and the parity for P2TR
        psbt.Erase(PSBTScope::INPUT, 1, PSBTKey(PSBT_IN_TAP_LEAF_SCRIPT, block));
        block = leaves[0].control_block;
        block[0] ^= 1;
        psbt.Set(PSBTScope::INPUT, 1, PSBTKey(PSBT_IN_TAP_LEAF_SCRIPT, block), right);
        BOOST_CHECK(Contains(Leaves(psbt, 1).at(0).problem, "is not one of the output that is spent"));
    }
    // The tree of P2MR and that of P2TR are not each other's.
    const std::array first{size_t{0}};
    auto psbt{SamplePSBT(0, {0})};
    BOOST_CHECK(Contains(Problem([&] { AddLeaves(psbt, 0, SampleTree(), first, INTERNAL_KEY); }), "does not have this tree"));
    BOOST_CHECK(Contains(Problem([&] { AddLeaves(psbt, 0, SampleTree(), std::array{size_t{2}}, {}); }), "the tree has no leaf 2"));
    BOOST_CHECK(Contains(Problem([&] { AddLeaf(psbt, 0, Bytes(33, 0xc1), 0xc0, CScript{} << OP_1); }), "is not one of the output"));
    psbt.Set(PSBTScope::INPUT, 0, PSBTKey(PSBT_IN_TAP_MERKLE_ROOT), Bytes(32, 7));
    BOOST_CHECK(Contains(Problem([&] { AddLeaves(psbt, 0, SampleTree(), first, {}); }), "another merkle root or internal key"));
    PartiallySignedTransaction unknown{SampleTx(1), 0};
    BOOST_CHECK(Contains(Problem([&] { AddLeaves(unknown, 0, SampleTree(), first, {}); }), "what it spends is not known"));
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
            for (size_t i = 0; i < 2; ++i) BOOST_CHECK_EQUAL(Finalize(combined, i), "");

            // The script takes the top first, which is last here: key 1 signs, 2 does not, 3 does.
            const auto stack{FinalWitness(combined, 0)}, hybrid{FinalWitness(combined, 1)};
            BOOST_REQUIRE(stack.size() == 5 && hybrid.size() == 4);
            BOOST_CHECK(stack[2] == Bytes(7856, 0xa1));
            BOOST_CHECK(stack[1].empty());
            BOOST_CHECK(stack[0] == Bytes(7856, 0xb1));
            BOOST_CHECK(std::ranges::equal(stack[3], SampleTree().Leaves()[0].script));
            BOOST_CHECK(stack[4] == TreeControlBlock(SampleTree(), SampleTree().Leaves()[0], internal_key));
            BOOST_CHECK(hybrid[1] == Bytes(7856, 0xa2) && hybrid[0] == Bytes(64, 0xc1));
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
    BOOST_CHECK(!RequestedHashType(psbt, 0));
    for (const uint32_t type : {0x00, 0x01, 0x02, 0x03, 0x81, 0x82, 0x83}) {
        set_type(type);
        BOOST_CHECK_EQUAL(RequestedHashType(psbt, 0).value(), type);
    }
    for (const uint32_t type : {0x04, 0x80, 0x84, 0x101}) {
        set_type(type);
        BOOST_CHECK(Contains(Problem([&] { (void)RequestedHashType(psbt, 0); }), "is undefined"));
    }
    set_type(SIGHASH_NONE);
    AddSLHDSA(psbt, 0, 1, 1);
    AddSignature(psbt, 0, LeafHash(1), {Key(7), KeyType::SCHNORR}, Signature(KeyType::SCHNORR, SIGHASH_NONE));
    BOOST_CHECK(Contains(Finalize(psbt, 0), "has another hash type than PSBT_IN_SIGHASH_TYPE asks for"));
    AddSignature(psbt, 0, LeafHash(1), {Key(1), KeyType::SLHDSA}, Signature(KeyType::SLHDSA, SIGHASH_NONE));
    BOOST_CHECK_EQUAL(Finalize(psbt, 0), "");
}

BOOST_AUTO_TEST_CASE(signatures_are_checked_by_what_they_sign)
{
    auto psbt{SamplePSBT(0, {0, 1})};
    std::vector<uint256> hashes;
    const auto verify{[&](const LeafKey& key, const uint256& hash, std::span<const uint8_t> signature) {
        hashes.push_back(hash);
        return key.public_key != Key(3) && signature.size() == 7856;
    }};
    const PSBTVerifier verifier{psbt, verify};
    const LeafKey one{Key(1), KeyType::SLHDSA}, three{Key(3), KeyType::SLHDSA};
    const Bytes signature(7856, 1);
    for (size_t i = 0; i < 2; ++i) BOOST_CHECK_EQUAL(verifier.SignatureError(0, LeafHash(0), one, signature), "");
    BOOST_CHECK_EQUAL(hashes.size(), 1); // no signature is verified twice
    BOOST_CHECK(Contains(verifier.SignatureError(0, LeafHash(0), three, signature), "the signature by 0303"));
    BOOST_REQUIRE_EQUAL(hashes.size(), 2);
    // A signature for DEFAULT has no hash type: with a byte 0 behind it, the interpreter refuses it.
    Bytes with_zero{signature};
    with_zero.push_back(SIGHASH_DEFAULT);
    BOOST_CHECK(Contains(verifier.SignatureError(0, LeafHash(0), one, with_zero), "has a hash type of 0"));
    with_zero.back() = 4;
    BOOST_CHECK(Contains(verifier.SignatureError(0, LeafHash(0), one, with_zero), "hash type 4 is undefined"));

    // The same hash by the consensus code, from the transaction and what it spends
    const CMutableTransaction tx{SampleTx(2)};
    const CTxOut spent{100'000, TreeScriptPubKey(SampleTree(), {})};
    const PrecomputedTransactionData txdata{tx, {spent, spent}, true};
    ScriptExecutionData data;
    data.m_tapleaf_hash = LeafHash(0);
    data.m_annex_init = true;
    BOOST_CHECK(SignatureHashSchnorr(data, tx, 0, SIGHASH_DEFAULT, SigVersion::TAPSCRIPT, txdata, KeyVersion::SLHDSA) == hashes[0]);
    BOOST_CHECK(verifier.Hash(0, LeafHash(0), KeyVersion::BIP340, SIGHASH_DEFAULT) != hashes[0]);
    const auto single{[&] { (void)verifier.Hash(1, LeafHash(1), KeyVersion::SLHDSA, SIGHASH_SINGLE); }};
    BOOST_CHECK(Contains(Problem(single), "there is no output 1"));

    // All spent outputs are signed, so all must be known.
    PartiallySignedTransaction unknown{SampleTx(2), 0};
    SetSpentOutput(unknown, 0, spent);
    BOOST_CHECK(Contains(Problem([&] { PSBTVerifier{unknown}; }), "input 1: what it spends is not known"));
    BOOST_CHECK(!PSBTVerifier::Make(unknown));
}

BOOST_AUTO_TEST_CASE(what_a_key_has_to_sign)
{
    const LeafKey one{Key(1), KeyType::SLHDSA};
    auto psbt{SamplePSBT(0, {0, 1})};
    const auto to_make{[&](const LeafKey& key, std::optional<uint8_t> hash_type = {}) {
        std::vector<PSBTSignature> all;
        for (size_t i = 0; i < psbt.Inputs().size(); ++i) {
            std::ranges::copy(SignaturesToMake(psbt, i, PSBTVerifier{psbt, NotZero}, key, hash_type), std::back_inserter(all));
        }
        return all;
    }};
    auto found{to_make(one)};
    BOOST_REQUIRE_EQUAL(found.size(), 2);
    BOOST_CHECK(found[1].n_in == 1 && found[1].leaf == 0 && found[1].leaf_hash == LeafHash(1) && found[1].hash_type == SIGHASH_DEFAULT);
    BOOST_CHECK(found[1].hash == PSBTVerifier{psbt}.Hash(1, LeafHash(1), KeyVersion::SLHDSA, SIGHASH_DEFAULT));
    BOOST_CHECK_EQUAL(to_make({Key(7), KeyType::SCHNORR}).size(), 1);
    BOOST_CHECK(to_make({Key(7), KeyType::SLHDSA}).empty());
    // One that is valid stays; one that is not is made again.
    AddSLHDSA(psbt, 0, 0, 1);
    BOOST_CHECK_EQUAL(to_make(one).size(), 1);
    AddSLHDSA(psbt, 0, 0, 1, INVALID);
    BOOST_CHECK_EQUAL(to_make(one).size(), 2);
    // Signatures must have the requested hash type.
    BOOST_CHECK_EQUAL(to_make(one, SIGHASH_NONE).at(0).hash_type, SIGHASH_NONE);
    psbt.Set(PSBTScope::INPUT, 0, PSBTKey(PSBT_IN_SIGHASH_TYPE), LE32(SIGHASH_ALL));
    BOOST_CHECK_EQUAL(to_make(one).at(0).hash_type, SIGHASH_ALL);
    BOOST_CHECK(Contains(Problem([&] { (void)to_make(one, SIGHASH_DEFAULT); }), "input 0: the PSBT asks for hash type 1, not 0"));
    // A final input is done.
    psbt.Set(PSBTScope::INPUT, 0, PSBTKey(PSBT_IN_FINAL_SCRIPTWITNESS), Bytes{0});
    BOOST_CHECK_EQUAL(to_make(one).size(), 1);

    // A tree may have a leaf in many places, which have one field for its signature.
    const ScriptTree leaf{SampleTree().Leaves()[0].script};
    const ScriptTree twice{*ScriptTree::Branch(leaf, *ScriptTree::Branch(leaf, ScriptTree{CScript{} << OP_RETURN}))};
    psbt = PartiallySignedTransaction{SampleTx(1), 0};
    SetSpentOutput(psbt, 0, {100'000, TreeScriptPubKey(twice, {})});
    AddLeaves(psbt, 0, twice, std::array{size_t{0}, size_t{1}}, {});
    BOOST_CHECK_EQUAL(Leaves(psbt, 0).size(), 2);
    BOOST_CHECK_EQUAL(to_make(one).size(), 1);
    AddSLHDSA(psbt, 0, 0, 1);
    AddSLHDSA(psbt, 0, 0, 2, INVALID);
    BOOST_CHECK(Finalize(psbt, 0).starts_with("leaf " + HexStr(LeafHash(0).Bytes()) + ": needs 2 signatures, but has 1; not used: "));
}

/** A leaf is signed and finalized if the transaction meets its lock times, and otherwise another one is. */
BOOST_AUTO_TEST_CASE(lock_times_choose_the_leaf)
{
    struct Case {
        opcodetype lock;
        int64_t n;
        uint32_t lock_time, sequence, version;
        const char* why; //!< that the leaf cannot be spent; empty: it can
    };
    constexpr uint32_t NONFINAL{0xfffffffe};
    for (const auto& [lock, n, lock_time, sequence, version, why] : {
             Case{OP_CHECKLOCKTIMEVERIFY, 500, 500, NONFINAL, 2, ""},
             Case{OP_CHECKLOCKTIMEVERIFY, 500, 499, NONFINAL, 2, "needs nLockTime 500 or later, but the transaction has 499"},
             Case{OP_CHECKLOCKTIMEVERIFY, 500, 500'000'000, NONFINAL, 2, "needs nLockTime 500"},
             Case{OP_CHECKLOCKTIMEVERIFY, 500, 500, 0xffffffff, 2, "nSequence 4294967295 turns them off"},
             Case{OP_CHECKSEQUENCEVERIFY, 144, 0, 144, 2, ""},
             Case{OP_CHECKSEQUENCEVERIFY, 144, 0, 143, 2, "needs an age of 144 blocks, but the input's nSequence 143 means 143 blocks"},
             Case{OP_CHECKSEQUENCEVERIFY, 144, 0, NONFINAL, 2, "nSequence 4294967294 means none"},
             Case{OP_CHECKSEQUENCEVERIFY, 144, 0, 144, 1, "in a transaction of version 1"},
             Case{OP_CHECKSEQUENCEVERIFY, 144, 0, 0x400000 + 200, 2, "means 200 units"},
         }) {
        CMutableTransaction tx{SampleTx(1)};
        tx.nLockTime = lock_time;
        tx.vin[0].nSequence = sequence;
        tx.version = version;
        CScript later, now;
        later << n << lock << OP_DROP << Key(1) << OP_CHECKSIGSLHDSA;
        now << Key(1) << OP_CHECKSIGSLHDSA << OP_VERIFY << Key(2) << OP_CHECKSIGSLHDSA;
        const ScriptTree tree{*ScriptTree::Branch(ScriptTree{later}, ScriptTree{now})};
        PartiallySignedTransaction psbt{tx, 0};
        SetSpentOutput(psbt, 0, {100'000, TreeScriptPubKey(tree, {})});
        AddLeaves(psbt, 0, tree, std::array{size_t{0}, size_t{1}}, {});
        BOOST_TEST_CONTEXT(n << " " << lock_time << " " << sequence << ": " << why)
        {
            const bool spendable{std::string{why}.empty()};
            const LeafKey one{Key(1), KeyType::SLHDSA}, two{Key(2), KeyType::SLHDSA};
            BOOST_CHECK_EQUAL(SignaturesToMake(psbt, 0, PSBTVerifier{psbt, NotZero}, one).size(), spendable ? 2 : 1);
            for (const auto& leaf : tree.Leaves()) AddSignature(psbt, 0, leaf.hash, one, Bytes(7856, 0x11));
            auto half{psbt};
            const std::string missing{Finalize(half, 0)};
            BOOST_CHECK_EQUAL(missing.empty(), spendable);
            BOOST_CHECK(spendable || Contains(missing, why));
            // The signatures for the other leaf spend that one.
            AddSignature(psbt, 0, tree.Leaves()[1].hash, two, Bytes(7856, 0x22));
            BOOST_CHECK_EQUAL(Finalize(psbt, 0), "");
            BOOST_CHECK(spendable || std::ranges::equal(FinalWitness(psbt, 0).at(2), now));
        }
    }
}

BOOST_AUTO_TEST_CASE(finalizing_uses_valid_signatures_alone)
{
    auto psbt{SamplePSBT(0, {0})};
    AddSLHDSA(psbt, 0, 0, 1, INVALID);
    AddSLHDSA(psbt, 0, 0, 2, 0x22);
    const Bytes before{psbt.Serialize()};
    BOOST_CHECK_EQUAL(Finalize(psbt, 0), "needs 2 signatures, but has 1; not used: the signature by " + HexStr(Key(1)) +
                                             " is not valid for this transaction");
    BOOST_CHECK(psbt.Serialize() == before);
    AddSLHDSA(psbt, 0, 0, 3, 0x33);
    BOOST_CHECK_EQUAL(Finalize(psbt, 0), "");
    const auto stack{FinalWitness(psbt, 0)};
    BOOST_CHECK(stack.at(0) == Bytes(7856, 0x33) && stack.at(1) == Bytes(7856, 0x22) && stack.at(2).empty());

    PartiallySignedTransaction foreign{SampleTx(1), 0};
    SetSpentOutput(foreign, 0, {100'000, CScript{} << OP_1});
    BOOST_CHECK_EQUAL(Finalize(foreign, 0), "has no leaf script (PSBT_IN_TAP_LEAF_SCRIPT)");
}

/** BIP 174: a Finalizer leaves spent outputs and unknown fields. */
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
            BOOST_CHECK_EQUAL(FinalizeInput(combined, 0, PSBTVerifier{combined}), "");
            BOOST_CHECK_EQUAL(sha256_hex(combined.Serialize()), vector.at("finalized_sha256").get<std::string>());
            const CMutableTransaction tx{ExtractTransaction(combined)};
            BOOST_CHECK_EQUAL(sha256_hex(SerializeToVector(tx)), vector.at("transaction_sha256").get<std::string>());
            BOOST_CHECK_EQUAL(tx.GetHash().GetHex(), vector.at("txid").get<std::string>());
        }
    }
}

/** An extracted transaction is valid. */
BOOST_AUTO_TEST_CASE(extracting)
{
    const CScript anyone{CScript{} << OP_3 << Bytes(32, 1)}; // a witness program of the future
    const auto problem{[&](const CMutableTransaction& tx, CAmount amount, const CScript& spent) {
        PartiallySignedTransaction psbt{tx, 0};
        for (size_t i = 0; i < tx.vin.size(); ++i) {
            SetSpentOutput(psbt, i, {amount, spent});
            psbt.Set(PSBTScope::INPUT, i, PSBTKey(PSBT_IN_FINAL_SCRIPTWITNESS), Bytes{0});
        }
        return Problem([&] { (void)ExtractTransaction(psbt); });
    }};
    const CMutableTransaction tx{SampleTx(1)};
    CMutableTransaction no_inputs{tx}, no_outputs{tx}, twice{SampleTx(2)};
    no_inputs.vin.clear();
    no_outputs.vout.clear();
    twice.vin[1].prevout = twice.vin[0].prevout;
    BOOST_CHECK_EQUAL(problem(tx, 90'000, anyone), "no error");
    BOOST_CHECK(Contains(problem(tx, 89'999, anyone), "the outputs get more than the inputs have"));
    BOOST_CHECK(Contains(problem(tx, 90'000, CScript{} << OP_0 << Bytes(32, 1)), "input 0: not valid: SCRIPT_ERR_WITNESS_PROGRAM_WITNESS"));
    BOOST_CHECK(Contains(problem(no_inputs, 0, anyone), "bad-txns-vin-empty"));
    BOOST_CHECK(Contains(problem(no_outputs, 0, anyone), "bad-txns-vout-empty"));
    BOOST_CHECK(Contains(problem(twice, 90'000, anyone), "bad-txns-inputs-duplicate"));
    BOOST_CHECK(Contains(problem(SampleTx(2), MAX_MONEY, anyone), "inputs or outputs of more than 21,000,000 bitcoin"));
    BOOST_CHECK(Contains(Problem([&] { (void)ExtractTransaction(PartiallySignedTransaction{tx, 0}); }), "input 0: not final"));
}

/** Keys of other parameter sets sign, one after the other, and their signatures are good in the transaction. */
BOOST_AUTO_TEST_CASE(keys_of_other_sets)
{
    using namespace slhc::slhdsa;
    for (const ParameterSet set : {ParameterSet::SHA2_128_24, ParameterSet::SHA2_128_Q40}) {
        const ExperimentSigner signer{set, std::array<uint8_t, KEYGEN_SEED_SIZE>{1, 2, 3}};
        std::vector<LeafKey> keys;
        CScript script;
        for (const uint64_t number : {0, 1}) {
            keys.push_back({SLHDSAPubKey{set, signer.Key(number)}.Element(), KeyType::SLHDSA});
            script << keys.back().public_key << (number == 0 ? OP_CHECKSIGSLHDSA : OP_CHECKSIGADDSLHDSA);
        }
        script << OP_2 << OP_NUMEQUAL;
        const auto signed_psbt{[&](uint8_t changed) {
            auto psbt{SpendingLeaf(script)};
            for (const uint64_t number : {0, 1}) {
                const PSBTVerifier verifier{psbt};
                const auto to_make{SignaturesToMake(psbt, 0, verifier, keys[number], SIGHASH_ALL)};
                BOOST_REQUIRE_EQUAL(to_make.size(), 1);
                BOOST_CHECK(to_make[0].hash == verifier.Hash(0, to_make[0].leaf_hash, KeyVersion::SLHDSA_SETS, SIGHASH_ALL));
                Bytes signature(ParamsOf(set).SignatureSize());
                signer.Sign(number, *MessagePieces::Pure(to_make[0].hash.Bytes(), {}), signature);
                signature.back() ^= changed;
                signature.push_back(SIGHASH_ALL);
                AddSignature(psbt, 0, to_make[0].leaf_hash, keys[number], signature);
                BOOST_CHECK_EQUAL(SignaturesToMake(psbt, 0, verifier, keys[number], SIGHASH_ALL).empty(), changed == 0);
            }
            return psbt;
        }};
        auto good{signed_psbt(0)}, bad{signed_psbt(1)};
        BOOST_CHECK_EQUAL(FinalizeInput(good, 0, PSBTVerifier{good}), "");
        BOOST_CHECK_EQUAL(ExtractTransaction(good).vin[0].scriptWitness.stack.size(), 4);
        BOOST_CHECK(Contains(FinalizeInput(bad, 0, PSBTVerifier{bad}), "is not valid for this transaction"));
        // Whoever makes it final: the flag SLHDSA_SETS applies.
        BOOST_CHECK_EQUAL(Finalize(bad, 0), "");
        BOOST_CHECK_EQUAL(Problem([&] { (void)ExtractTransaction(bad); }), "input 0: not valid: SCRIPT_ERR_SLHDSA_SIG");
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
    BOOST_CHECK(AddPreimage(psbt, 0, secret));
    BOOST_CHECK(!AddPreimage(psbt, 0, Bytes{1}));
    BOOST_CHECK_EQUAL(Finalize(psbt, 0), "");
    BOOST_CHECK(FinalWitness(psbt, 0).at(1) == secret);
}

BOOST_AUTO_TEST_CASE(leaves_as_descriptors_write_them)
{
    const Bytes secret(32, 5);
    const std::string a(64, '1'), b(64, '2'), schnorr{HexStr(INTERNAL_KEY)}, digest{HexStr(Sha256(secret))};
    const auto satisfied{[&](const std::string& text, const Bytes& preimage) {
        const auto output{Descriptor::Parse("mr({" + text + ",pk_slhdsa(" + b + ")})").Output()};
        const LeafRecipe recipe{ReadLeafRecipe(output.leaves[0].leaf.script)};
        BOOST_CHECK_EQUAL(recipe.unknown, "");
        return SatisfyLeaf(
            recipe, [](const LeafKey& key) { return Bytes(SignatureSize(key.type, key.public_key)); },
            [&](std::span<const uint8_t>) { return preimage; });
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

BOOST_AUTO_TEST_CASE(depths_that_make_a_tree)
{
    const auto problem{[](const Bytes& tree) -> std::string {
        try {
            CheckTapTree(tree);
            (void)ParseTapTree(tree);
        } catch (const ParseError& e) {
            return e.what();
        }
        return "no error";
    }};
    BOOST_CHECK_EQUAL(problem({0, 0xc0, 0}), "no error");
    BOOST_CHECK_EQUAL(problem({2, 0xc0, 0, 2, 0xc0, 0, 1, 0xc0, 0}), "no error");
    BOOST_CHECK_EQUAL(problem({1, 0xc0, 0, 2, 0xc0, 0, 2, 0xc0, 0}), "no error");
    BOOST_CHECK(Contains(problem({}), "depth"));
    BOOST_CHECK(Contains(problem({1, 0xc0, 0}), "lacks a leaf"));
    BOOST_CHECK(Contains(problem({0, 0xc0, 0, 0, 0xc0, 0}), "no place"));
    BOOST_CHECK(Contains(problem({2, 0xc0, 0, 1, 0xc0, 0, 2, 0xc0, 0}), "no place"));
    BOOST_CHECK(Contains(problem({0, 0xc1, 0}), "odd"));
    BOOST_CHECK(Contains(problem({129, 0xc0, 0}), "more than 128"));
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
