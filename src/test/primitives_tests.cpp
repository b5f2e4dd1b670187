// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

// Transactions and blocks to and from bytes, and the errors for bytes that are neither.

#include <crypto/hash.h>
#include <primitives/block.h>
#include <primitives/transaction.h>
#include <test/random_source.h>
#include <test/script_util.h>

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <functional>
#include <memory>
#include <random>

using namespace slhc;
using namespace slhc::test;

namespace {

/** The message with which a function refuses its input. */
std::string Refusal(const std::function<void()>& parse)
{
    try {
        parse();
    } catch (const ParseError& error) {
        return error.what();
    }
    return "accepted";
}

std::string TxRefusal(const Bytes& bytes)
{
    return Refusal([&] { (void)ParseTransaction(bytes); });
}

/** Two inputs and two outputs; the second input has a witness of an empty and a large element. */
CMutableTransaction ExampleTx()
{
    CMutableTransaction tx;
    tx.version = 0x04030201;
    tx.nLockTime = 0x08070605;
    uint256 hash;
    for (size_t i{0}; i < 32; ++i) hash.data()[i] = static_cast<uint8_t>(i);
    tx.vin.emplace_back(COutPoint{hash, 1}, CScript{} << OP_1 << Bytes{2, 3}, 0x0c0b0a09);
    tx.vin.emplace_back(COutPoint{hash, 2});
    tx.vin[1].scriptWitness.stack = {{}, Bytes(300, 7)};
    tx.vout.emplace_back(1, CScript{} << OP_TRUE);
    tx.vout.emplace_back(-1, CScript{});
    return tx;
}

Bytes Concat(std::initializer_list<Bytes> parts)
{
    Bytes bytes;
    for (const Bytes& part : parts) bytes.insert(bytes.end(), part.begin(), part.end());
    return bytes;
}

} // namespace

BOOST_AUTO_TEST_SUITE(primitives_tests)

BOOST_AUTO_TEST_CASE(uint256_text)
{
    const std::string hex{"00112233445566778899aabbccddeeff0123456789abcdef0123456789abcdef"};
    const auto value{uint256::FromHex(hex)};
    BOOST_REQUIRE(value);
    BOOST_CHECK_EQUAL(value->GetHex(), hex);
    BOOST_CHECK_EQUAL(value->data()[0], 0xef); // the other way round
    BOOST_CHECK_EQUAL(value->data()[31], 0x00);
    BOOST_CHECK(!uint256::FromHex(hex.substr(1)));
    BOOST_CHECK(!uint256::FromHex(hex.substr(2)));
    BOOST_CHECK(!uint256::FromHex(hex + "00"));
    BOOST_CHECK(!uint256::FromHex("g" + hex.substr(1)));
    BOOST_CHECK(uint256{}.IsNull());
    BOOST_CHECK(!uint256{uint8_t{1}}.IsNull());
    uint256 cleared{*value};
    cleared.SetNull();
    BOOST_CHECK(cleared.IsNull());
}

BOOST_AUTO_TEST_CASE(compact_sizes)
{
    const std::vector<std::pair<uint64_t, Bytes>> sizes{
        {0, {0}},
        {252, {252}},
        {253, {253, 253, 0}},
        {0xffff, {253, 0xff, 0xff}},
        {0x10000, {254, 0, 0, 1, 0}},
        {0x02000000, {254, 0, 0, 0, 2}},
    };
    for (const auto& [size, bytes] : sizes) {
        Bytes written;
        VectorWriter writer{written};
        WriteCompactSize(writer, size);
        BOOST_CHECK(written == bytes);
        BOOST_CHECK_EQUAL(GetSizeOfCompactSize(size), bytes.size());
        SpanReader reader{bytes};
        BOOST_CHECK_EQUAL(reader.ReadCompactSize("size"), size);
        BOOST_CHECK_EQUAL(reader.Remaining(), 0U);
        // Cut off
        for (size_t n{0}; n < bytes.size(); ++n) {
            SpanReader cut_off{std::span{bytes}.first(n)};
            BOOST_CHECK_THROW((void)cut_off.ReadCompactSize("size"), ParseError);
        }
    }
    // Too large to be read, but written
    for (const auto& [size, bytes] : std::vector<std::pair<uint64_t, Bytes>>{{0xffffffff, {254, 0xff, 0xff, 0xff, 0xff}},
                                                                             {0x100000000, {255, 0, 0, 0, 0, 1, 0, 0, 0}},
                                                                             {0x0102030405060708, {255, 8, 7, 6, 5, 4, 3, 2, 1}}}) {
        Bytes written;
        VectorWriter writer{written};
        WriteCompactSize(writer, size);
        BOOST_CHECK(written == bytes);
        BOOST_CHECK_EQUAL(GetSizeOfCompactSize(size), bytes.size());
    }

    const auto refusal{[](const Bytes& bytes) {
        return Refusal([&] {
            SpanReader reader{bytes};
            (void)reader.ReadBytes(1, "first");
            (void)reader.ReadCompactSize("size");
        });
    }};
    for (const Bytes& bytes : {Bytes{9, 253, 252, 0}, Bytes{9, 254, 0xff, 0xff, 0, 0}, Bytes{9, 255, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0}}) {
        BOOST_CHECK_EQUAL(refusal(bytes), "non-canonical compact size at byte 1 (size)");
    }
    BOOST_CHECK_EQUAL(refusal({9, 254, 1, 0, 0, 2}), "size 33554433 too large at byte 1 (size)");
    BOOST_CHECK_EQUAL(refusal({9, 255, 0, 0, 0, 0, 1, 0, 0, 0}), "size 4294967296 too large at byte 1 (size)");
}

BOOST_AUTO_TEST_CASE(transaction_bytes)
{
    const CTransaction tx{ExampleTx()};
    const Bytes hash{Hex("000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f")};
    const Bytes inputs{
        Concat({{2}, hash, Hex("01000000"), Hex("0451020203"), Hex("090a0b0c"), hash, Hex("02000000"), {0}, Hex("ffffffff")})};
    const Bytes outputs{Concat({{2}, Hex("0100000000000000"), Hex("0151"), Hex("ffffffffffffffff"), {0}})};
    const Bytes witnesses{Concat({{0}, {2, 0}, Hex("fd2c01"), Bytes(300, 7)})};
    const Bytes without{Concat({Hex("01020304"), inputs, outputs, Hex("05060708")})};
    const Bytes with{Concat({Hex("01020304"), {0, 1}, inputs, outputs, witnesses, Hex("05060708")})};

    BOOST_CHECK(SerializeToVector(tx) == with);
    BOOST_CHECK(SerializeToVector(tx, TxFormat::WITHOUT_WITNESS) == without);
    BOOST_CHECK(tx.GetHash().Bytes() == Hash256(without));
    BOOST_CHECK(tx.GetWitnessHash().Bytes() == Hash256(with));
    BOOST_CHECK(tx.HasWitness());
    BOOST_CHECK_EQUAL(GetTransactionWeight(tx), static_cast<int64_t>(3 * without.size() + with.size()));

    const CTransaction parsed{ParseTransaction(with)};
    BOOST_CHECK(SerializeToVector(parsed) == with);
    BOOST_CHECK(parsed.GetHash() == tx.GetHash());
    BOOST_CHECK(parsed.vin[1].scriptWitness == tx.vin[1].scriptWitness);
    const CTransaction stripped{ParseTransaction(without)};
    BOOST_CHECK(stripped.GetHash() == tx.GetHash());
    BOOST_CHECK(stripped.GetWitnessHash() == tx.GetHash());
    BOOST_CHECK(!stripped.HasWitness());
    BOOST_CHECK(CMutableTransaction{tx}.GetHash() == tx.GetHash());

    // Without inputs and outputs: flags of zero are the number of outputs.
    const Bytes empty{Hex("02000000000000000000")};
    BOOST_CHECK(SerializeToVector(ParseTransaction(empty)) == empty);
}

BOOST_AUTO_TEST_CASE(every_truncation_is_refused)
{
    for (const Bytes& bytes :
         {SerializeToVector(CTransaction{ExampleTx()}), SerializeToVector(CTransaction{ExampleTx()}, TxFormat::WITHOUT_WITNESS)}) {
        for (size_t n{0}; n < bytes.size(); ++n) {
            const std::string refusal{TxRefusal(Bytes(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(n)))};
            BOOST_CHECK_MESSAGE(refusal.starts_with("data ends too early"), n << ": " << refusal);
            BOOST_CHECK_EQUAL(refusal.find('\n'), std::string::npos);
        }
        BOOST_CHECK_EQUAL(TxRefusal(bytes), "accepted");
        BOOST_CHECK_EQUAL(TxRefusal(Concat({bytes, {0}})),
                          "1 trailing bytes at byte " + std::to_string(bytes.size()) + " (after the transaction)");
    }
}

BOOST_AUTO_TEST_CASE(refusals_name_the_place)
{
    const Bytes good{SerializeToVector(CTransaction{ExampleTx()})};
    const auto changed{[&](size_t offset, const Bytes& bytes) {
        Bytes copy{good.begin(), good.begin() + static_cast<std::ptrdiff_t>(offset)};
        copy.insert(copy.end(), bytes.begin(), bytes.end());
        copy.insert(copy.end(), good.begin() + static_cast<std::ptrdiff_t>(offset) + 1, good.end());
        return TxRefusal(copy);
    }};
    BOOST_CHECK_EQUAL(TxRefusal({}), "data ends too early, 4 bytes wanted and 0 left, at byte 0 (version)");
    BOOST_CHECK_EQUAL(changed(6, {253, 2, 0}), "non-canonical compact size at byte 6 (input count)");
    BOOST_CHECK_EQUAL(changed(6, {200}), "data ends too early, 200 elements announced and 416 bytes left, at byte 6 (input count)");
    BOOST_CHECK_EQUAL(changed(43, {253, 4, 0}), "non-canonical compact size at byte 43 (input 0: scriptSig)");
    BOOST_CHECK_EQUAL(changed(102, {254, 1, 0, 0, 0}), "non-canonical compact size at byte 102 (output 0: scriptPubKey)");
    BOOST_CHECK_EQUAL(changed(115, {253, 0, 0}), "non-canonical compact size at byte 115 (input 1, witness element 0: size or bytes)");
}

BOOST_AUTO_TEST_CASE(witness_flags)
{
    const Bytes good{SerializeToVector(CTransaction{ExampleTx()})};
    auto bytes{good};
    for (const uint8_t flags : {2, 3, 0x80, 0xff}) {
        bytes[5] = flags;
        BOOST_CHECK_NE(TxRefusal(bytes), "accepted");
    }
    bytes[5] = 3;
    BOOST_CHECK_EQUAL(TxRefusal(bytes), "unknown flag at byte 5 (flags)");
    // An unknown flag alone announces no witnesses.
    BOOST_CHECK_EQUAL(TxRefusal(Hex("0200000000020000"
                                    "00000000")),
                      "unknown flag at byte 5 (flags)");

    // The extended form without any witness
    CMutableTransaction tx{ExampleTx()};
    tx.vin[1].scriptWitness.stack.clear();
    bytes = SerializeToVector(tx);
    bytes.insert(bytes.begin() + 4, {0, 1});
    bytes.insert(bytes.end() - 4, {0, 0});
    BOOST_CHECK_EQUAL(TxRefusal(bytes), "superfluous witness record, all witnesses are empty, at byte 5 (flags)");
    // and without inputs
    BOOST_CHECK_EQUAL(TxRefusal(Hex("0200000000010000"
                                    "00000000")),
                      "superfluous witness record, all witnesses are empty, at byte 5 (flags)");
}

BOOST_AUTO_TEST_CASE(counts_cannot_make_it_allocate)
{
    // Large counts with nothing behind them, everywhere a count can be.
    BOOST_CHECK_EQUAL(TxRefusal(Hex("02000000"
                                    "fe00000002")),
                      "data ends too early, 33554432 elements announced and 0 bytes left, at byte 4 (input count)");
    const Bytes input{Concat({Bytes(36, 1), {0}, Bytes(4, 0xff)})};
    BOOST_CHECK_EQUAL(TxRefusal(Concat({Hex("02000000"
                                            "01"),
                                        input, Hex("feffffff01")})),
                      "data ends too early, 33554431 elements announced and 0 bytes left, at byte 46 (output count)");
    BOOST_CHECK_EQUAL(TxRefusal(Concat({Hex("02000000"
                                            "0001"
                                            "01"),
                                        input,
                                        Hex("00"
                                            "feffffff01")})),
                      "data ends too early, 33554431 elements announced and 0 bytes left, at byte 49 (input 0: witness element count)");
    BOOST_CHECK_EQUAL(TxRefusal(Concat({Hex("02000000"
                                            "01"),
                                        Bytes(36, 1), Hex("feffffff01")})),
                      "data ends too early, 33554431 bytes wanted and 0 left, at byte 46 (input 0: scriptSig)");
}

/** The bounds of counts refuse nothing that fits: the smallest of everything. */
BOOST_AUTO_TEST_CASE(as_many_as_there_is_room_for)
{
    CMutableTransaction tx;
    tx.vin.resize(3);
    tx.vout.resize(5); // nine bytes each, and four of lock time behind them
    const Bytes bytes{SerializeToVector(tx)};
    BOOST_CHECK_EQUAL(bytes.size(), 4U + 1 + 3 * 41 + 1 + 5 * 9 + 4);
    BOOST_CHECK(SerializeToVector(ParseTransaction(bytes)) == bytes);

    // Without witnesses, a transaction without inputs is not taken for one with them.
    CMutableTransaction without_inputs;
    without_inputs.vout.resize(1);
    const Bytes stripped{SerializeToVector(without_inputs, TxFormat::WITHOUT_WITNESS)};
    SpanReader reader{stripped};
    const CMutableTransaction read{ReadTransaction(reader, TxFormat::WITHOUT_WITNESS)};
    BOOST_CHECK(read.vin.empty());
    BOOST_CHECK_EQUAL(read.vout.size(), 1U);
    reader.ExpectEnd("transaction");

    // Ten bytes: neither inputs nor outputs
    CBlock block;
    for (int i{0}; i < 20; ++i) block.vtx.push_back(std::make_shared<const CTransaction>(CMutableTransaction{}));
    const Bytes block_bytes{SerializeToVector(block)};
    BOOST_CHECK_EQUAL(block_bytes.size(), 80U + 1 + 20 * 10);
    BOOST_CHECK(std::all_of(block_bytes.begin(), block_bytes.begin() + 80, [](uint8_t byte) { return byte == 0; })); // as a header begins
    BOOST_CHECK_EQUAL(ParseBlock(block_bytes).vtx.size(), 20U);
}

BOOST_AUTO_TEST_CASE(random_changes)
{
    // Whatever is done to the bytes, either they are refused, or the same bytes come out again.
    std::mt19937_64 random{slhc::test::Seed(1)};
    const Bytes good{SerializeToVector(CTransaction{ExampleTx()})};
    size_t accepted{0};
    for (int i{0}; i < 20'000; ++i) {
        Bytes bytes{good};
        for (uint64_t changes{random() % 3 + 1}; changes > 0; --changes) {
            const auto pos{static_cast<size_t>(random() % bytes.size())};
            switch (random() % 3) {
            case 0: bytes[pos] = static_cast<uint8_t>(random()); break;
            case 1: bytes.erase(bytes.begin() + static_cast<std::ptrdiff_t>(pos)); break;
            default: bytes.insert(bytes.begin() + static_cast<std::ptrdiff_t>(pos), static_cast<uint8_t>(random()));
            }
        }
        try {
            BOOST_REQUIRE(SerializeToVector(ParseTransaction(bytes)) == bytes);
            ++accepted;
        } catch (const ParseError&) {
        }
    }
    BOOST_CHECK_GT(accepted, 1000U);
    BOOST_CHECK_LT(accepted, 19'000U);
}

BOOST_AUTO_TEST_CASE(outputs)
{
    const CTxOut output{5'000'000'000, CScript{} << OP_2 << Bytes(32, 1)};
    const Bytes bytes{SerializeToVector(output)};
    BOOST_CHECK_EQUAL(bytes.size(), 43U);
    BOOST_CHECK(ParseTxOut(bytes) == output);
    BOOST_CHECK_EQUAL(Refusal([&] { (void)ParseTxOut(Concat({bytes, {0}})); }), "1 trailing bytes at byte 43 (after the output)");
    BOOST_CHECK_EQUAL(Refusal([&] { (void)ParseTxOut(std::span{bytes}.first(20)); }),
                      "data ends too early, 34 bytes wanted and 11 left, at byte 9 (scriptPubKey)");
}

BOOST_AUTO_TEST_CASE(blocks)
{
    // The first block of the chain
    const Bytes genesis{Hex("0100000000000000000000000000000000000000000000000000000000000000000000003ba3edfd7a7b12b27ac72c3e67768f617fc81b"
                            "c3888a51323a9fb8aa4b1e5e4a29ab5f49ffff001d1dac2b7c"
                            "01"
                            "01000000010000000000000000000000000000000000000000000000000000000000000000ffffffff4d04ffff001d0104455468652054"
                            "696d65732030332f4a616e2f32303039204368616e63656c6c6f72206f6e206272696e6b206f66207365636f6e64206261696c6f757420"
                            "666f722062616e6b73ffffffff0100f2052a01000000434104678afdb0fe5548271967f1a67130b7105cd6a828e03909a67962e0ea1f61"
                            "deb649f6bc3f4cef38c4f35504e51ec112de5c384df7ba0b8d578a4c702b6bf11d5fac00000000")};
    const CBlock block{ParseBlock(genesis)};
    BOOST_CHECK_EQUAL(block.GetHash().GetHex(), "000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f");
    BOOST_REQUIRE_EQUAL(block.vtx.size(), 1U);
    BOOST_CHECK(block.vtx[0]->GetHash() == block.hashMerkleRoot);
    BOOST_CHECK(block.vtx[0]->IsCoinBase());
    BOOST_CHECK(SerializeToVector(block) == genesis);
    BOOST_CHECK_EQUAL(block.nVersion, 1);
    BOOST_CHECK_EQUAL(block.nTime, 1231006505U);
    BOOST_CHECK_EQUAL(block.nBits, 0x1d00ffffU);
    BOOST_CHECK_EQUAL(block.nNonce, 2083236893U);

    const auto refusal{[](const Bytes& bytes) { return Refusal([&] { (void)ParseBlock(bytes); }); }};
    for (size_t n{0}; n < genesis.size(); ++n) {
        BOOST_CHECK(refusal({genesis.begin(), genesis.begin() + static_cast<std::ptrdiff_t>(n)}).starts_with("data ends too early"));
    }
    BOOST_CHECK_EQUAL(refusal(Concat({genesis, {0}})), "1 trailing bytes at byte 285 (after the block)");
    Bytes changed{genesis};
    changed[122] = 253; // the size of the coinbase's script
    BOOST_CHECK_EQUAL(refusal(changed),
                      "data ends too early, 65284 bytes wanted and 160 left, at byte 125 (transaction 0, input 0: scriptSig)");
    changed = genesis;
    changed[80] = 0xfc;
    BOOST_CHECK_EQUAL(refusal(changed), "data ends too early, 252 elements announced and 204 bytes left, at byte 80 (transaction count)");
}

BOOST_AUTO_TEST_CASE(null_outpoints)
{
    COutPoint outpoint;
    BOOST_CHECK(outpoint.IsNull());
    outpoint.n = 0;
    BOOST_CHECK(!outpoint.IsNull());
    outpoint = {uint256{uint8_t{1}}, COutPoint::NULL_INDEX};
    BOOST_CHECK(!outpoint.IsNull());
    CMutableTransaction tx{ExampleTx()};
    BOOST_CHECK(!CTransaction{tx}.IsCoinBase());
    tx.vin[0].prevout = COutPoint{};
    BOOST_CHECK(!CTransaction{tx}.IsCoinBase()); // it has two inputs
    tx.vin.resize(1);
    BOOST_CHECK(CTransaction{tx}.IsCoinBase());
    tx.vin.clear();
    BOOST_CHECK(!CTransaction{tx}.IsCoinBase());
}

BOOST_AUTO_TEST_CASE(what_a_transaction_begins_as)
{
    const CMutableTransaction tx;
    BOOST_CHECK_EQUAL(tx.version, 2U);
    BOOST_CHECK_EQUAL(tx.nLockTime, 0U);
    BOOST_CHECK_EQUAL(CTxIn{}.nSequence, 0xffffffffU);
}

/** As in Bitcoin Core, the witness is not compared. */
BOOST_AUTO_TEST_CASE(equal_inputs)
{
    const CTxIn input{ExampleTx().vin[0]};
    CTxIn other{input};
    BOOST_CHECK(input == other);
    other.scriptWitness.stack = {{1}};
    BOOST_CHECK(input == other);
    for (const int change : {-1, 1}) { // to either side: not less, not more
        other = input;
        other.prevout.n += static_cast<uint32_t>(change);
        BOOST_CHECK(!(input == other));
        other = input;
        other.scriptSig[2] = static_cast<uint8_t>(other.scriptSig[2] + change);
        BOOST_CHECK(!(input == other));
        other = input;
        other.nSequence += static_cast<uint32_t>(change);
        BOOST_CHECK(!(input == other));
    }
}

BOOST_AUTO_TEST_SUITE_END()
