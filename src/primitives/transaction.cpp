// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <primitives/transaction.h>

#include <algorithm>

namespace slhc {

namespace {

/** The sizes of the smallest input (without its witness) and the smallest output. */
constexpr size_t MIN_INPUT_SIZE{32 + 4 + 1 + 4};
constexpr size_t MIN_OUTPUT_SIZE{8 + 1};

CTxIn ReadTxIn(SpanReader& reader)
{
    CTxIn txin;
    txin.prevout.hash = reader.ReadUint256("outpoint hash");
    txin.prevout.n = reader.ReadU32("outpoint index");
    txin.scriptSig = CScript{reader.ReadVarBytes("scriptSig")};
    txin.nSequence = reader.ReadU32("sequence");
    return txin;
}

void ReadInputs(SpanReader& reader, std::vector<CTxIn>& vin)
{
    const size_t count{reader.ReadCount(MIN_INPUT_SIZE, "input count")};
    vin.reserve(count);
    for (size_t i{0}; i < count; ++i) {
        const SpanReader::Item item{reader, "input", i};
        vin.push_back(ReadTxIn(reader));
    }
}

void ReadOutputs(SpanReader& reader, std::vector<CTxOut>& vout)
{
    const size_t count{reader.ReadCount(MIN_OUTPUT_SIZE, "output count")};
    vout.reserve(count);
    for (size_t i{0}; i < count; ++i) {
        const SpanReader::Item item{reader, "output", i};
        vout.push_back(ReadTxOut(reader));
    }
}

void ReadWitness(SpanReader& reader, CScriptWitness& witness)
{
    const size_t count{reader.ReadCount(/*min_size=*/1, "witness element count")};
    witness.stack.reserve(count);
    for (size_t i{0}; i < count; ++i) {
        const SpanReader::Item item{reader, "witness element", i};
        const auto element{reader.ReadVarBytes("size or bytes")};
        witness.stack.emplace_back(element.begin(), element.end());
    }
}

template <TransactionLike T>
uint256 HashTransaction(const T& tx, TxFormat format)
{
    HashWriter writer;
    Serialize(writer, tx, format);
    return writer.GetHash();
}

bool AnyWitness(const std::vector<CTxIn>& vin) noexcept
{
    return std::any_of(vin.begin(), vin.end(), [](const CTxIn& txin) { return !txin.scriptWitness.IsNull(); });
}

} // namespace

CMutableTransaction::CMutableTransaction(const CTransaction& tx)
    : vin{tx.vin}, vout{tx.vout}, version{tx.version}, nLockTime{tx.nLockTime}
{
}

bool CMutableTransaction::HasWitness() const noexcept { return AnyWitness(vin); }

uint256 CMutableTransaction::GetHash() const { return HashTransaction(*this, TxFormat::WITHOUT_WITNESS); }

CTransaction::CTransaction(CMutableTransaction tx)
    : vin{std::move(tx.vin)}
    , vout{std::move(tx.vout)}
    , version{tx.version}
    , nLockTime{tx.nLockTime}
    , m_has_witness{AnyWitness(vin)}
    , m_hash{HashTransaction(*this, TxFormat::WITHOUT_WITNESS)}
    , m_witness_hash{m_has_witness ? HashTransaction(*this, TxFormat::WITH_WITNESS) : m_hash}
{
}

int64_t GetTransactionWeight(const CTransaction& tx)
{
    return static_cast<int64_t>(GetSerializeSize(tx, TxFormat::WITHOUT_WITNESS)) * (WITNESS_SCALE_FACTOR - 1) +
           static_cast<int64_t>(GetSerializeSize(tx, TxFormat::WITH_WITNESS));
}

CTxOut ReadTxOut(SpanReader& reader)
{
    CTxOut txout;
    txout.nValue = static_cast<CAmount>(reader.ReadU64("value"));
    txout.scriptPubKey = CScript{reader.ReadVarBytes("scriptPubKey")};
    return txout;
}

CMutableTransaction ReadTransaction(SpanReader& reader, TxFormat format)
{
    CMutableTransaction tx;
    uint8_t flags{0};
    size_t flags_offset{0};

    tx.version = reader.ReadU32("version");
    // The extended form has a zero where the number of inputs would be. A transaction without inputs looks the same,
    // and is told apart by flags of zero (which are then its number of outputs).
    ReadInputs(reader, tx.vin);
    if (tx.vin.empty() && format == TxFormat::WITH_WITNESS) {
        flags_offset = reader.Offset();
        flags = reader.ReadU8("flags");
        if (flags != 0) {
            ReadInputs(reader, tx.vin);
            ReadOutputs(reader, tx.vout);
        }
    } else {
        ReadOutputs(reader, tx.vout);
    }
    if (flags & 1) {
        flags ^= 1;
        for (size_t i{0}; i < tx.vin.size(); ++i) {
            const SpanReader::Item item{reader, "input", i};
            ReadWitness(reader, tx.vin[i].scriptWitness);
        }
        if (!tx.HasWitness()) reader.Fail("superfluous witness record, all witnesses are empty,", flags_offset, "flags");
    }
    if (flags != 0) reader.Fail("unknown flag", flags_offset, "flags");
    tx.nLockTime = reader.ReadU32("lock time");
    return tx;
}

CTransaction ParseTransaction(std::span<const uint8_t> bytes)
{
    SpanReader reader{bytes};
    CMutableTransaction tx{ReadTransaction(reader)};
    reader.ExpectEnd("transaction");
    return CTransaction{std::move(tx)};
}

CTxOut ParseTxOut(std::span<const uint8_t> bytes)
{
    SpanReader reader{bytes};
    CTxOut txout{ReadTxOut(reader)};
    reader.ExpectEnd("output");
    return txout;
}

} // namespace slhc
