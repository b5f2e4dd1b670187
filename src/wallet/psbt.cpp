// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <wallet/psbt.h>

#include <primitives/serialize.h>
#include <util/check.h>

#include <algorithm>
#include <array>

namespace slhc::wallet {
namespace {

//! "psbt" and a byte with which no transaction begins
constexpr std::array<uint8_t, 5> MAGIC{'p', 's', 'b', 't', 0xff};

std::vector<uint8_t> LE32(uint32_t value)
{
    std::vector<uint8_t> bytes;
    VectorWriter writer{bytes};
    WriteU32(writer, value);
    return bytes;
}

std::vector<uint8_t> CompactSize(uint64_t value)
{
    std::vector<uint8_t> bytes;
    VectorWriter writer{bytes};
    WriteCompactSize(writer, value);
    return bytes;
}

uint32_t ReadU32(const PSBTMap& map, uint64_t type, uint32_t fallback)
{
    const auto value{PartiallySignedTransaction::Find(map, type)};
    return value ? ReadLE32(value->data()) : fallback;
}

/** A map, where the reader stands. Its fields are not looked at. */
PSBTMap ReadMap(SpanReader& reader, PSBTScope scope)
{
    PSBTMap map;
    while (true) {
        const size_t offset{reader.Offset()};
        const auto key{reader.ReadVarBytes("key")};
        if (key.empty()) return map;
        std::string name;
        try {
            name = PSBTFieldName(scope, PSBTKeyParts::Parse(key));
        } catch (const ParseError& e) {
            reader.Fail(e.what(), offset, "key");
        }
        const auto value{reader.ReadVarBytes(name)};
        if (!map.emplace(std::vector<uint8_t>{key.begin(), key.end()}, std::vector<uint8_t>{value.begin(), value.end()}).second) {
            reader.Fail("duplicate key", offset, name);
        }
    }
}

/** @param[in] offset  where the map begins */
void CheckMap(const SpanReader& reader, const PSBTMap& map, PSBTScope scope, uint32_t version, size_t offset)
{
    for (const auto& [key, value] : map) {
        if (const auto error{PSBTFieldError(scope, version, key, value)}; !error.empty()) {
            reader.Fail(error + ", in the map", offset, PSBTFieldName(scope, PSBTKeyParts::Parse(key)));
        }
    }
    for (const uint64_t type : RequiredPSBTTypes(scope, version)) {
        if (!map.contains(PSBTKey(type))) {
            const auto key{PSBTKey(type)};
            reader.Fail("missing in version " + std::to_string(version) + ", in the map", offset,
                        PSBTFieldName(scope, PSBTKeyParts::Parse(key)));
        }
    }
}

void WriteMap(VectorWriter& writer, const PSBTMap& map)
{
    for (const auto& [key, value] : map) {
        WriteVarBytes(writer, key);
        WriteVarBytes(writer, value);
    }
    WriteU8(writer, 0);
}

/** How many maps there are. */
size_t ReadCount(const PSBTMap& global, uint64_t type)
{
    SpanReader reader{*PartiallySignedTransaction::Find(global, type)};
    return reader.ReadCompactSize("count");
}

} // namespace

PartiallySignedTransaction::PartiallySignedTransaction(const CMutableTransaction& tx, uint32_t version)
    : m_version{version},
      m_tx{tx},
      m_inputs(tx.vin.size()),
      m_outputs(tx.vout.size())
{
    assert(version == 0 || version == 2);
    for (auto& txin : m_tx.vin) {
        txin.scriptSig.clear();
        txin.scriptWitness.stack.clear();
    }
    if (version == 0) {
        std::vector<uint8_t> bytes;
        VectorWriter writer{bytes};
        slhc::Serialize(writer, m_tx, TxFormat::WITHOUT_WITNESS);
        m_global[PSBTKey(PSBT_GLOBAL_UNSIGNED_TX)] = bytes;
        return;
    }
    m_global[PSBTKey(PSBT_GLOBAL_TX_VERSION)] = LE32(tx.version);
    m_global[PSBTKey(PSBT_GLOBAL_FALLBACK_LOCKTIME)] = LE32(tx.nLockTime);
    m_global[PSBTKey(PSBT_GLOBAL_INPUT_COUNT)] = CompactSize(tx.vin.size());
    m_global[PSBTKey(PSBT_GLOBAL_OUTPUT_COUNT)] = CompactSize(tx.vout.size());
    m_global[PSBTKey(PSBT_GLOBAL_VERSION)] = LE32(version);
    for (size_t i = 0; i < m_inputs.size(); ++i) {
        const CTxIn& txin{tx.vin[i]};
        m_inputs[i][PSBTKey(PSBT_IN_PREVIOUS_TXID)] = {txin.prevout.hash.begin(), txin.prevout.hash.end()};
        m_inputs[i][PSBTKey(PSBT_IN_OUTPUT_INDEX)] = LE32(txin.prevout.n);
        m_inputs[i][PSBTKey(PSBT_IN_SEQUENCE)] = LE32(txin.nSequence);
    }
    for (size_t i = 0; i < m_outputs.size(); ++i) {
        std::vector<uint8_t> amount;
        VectorWriter writer{amount};
        WriteU64(writer, static_cast<uint64_t>(tx.vout[i].nValue));
        m_outputs[i][PSBTKey(PSBT_OUT_AMOUNT)] = amount;
        m_outputs[i][PSBTKey(PSBT_OUT_SCRIPT)] = tx.vout[i].scriptPubKey;
    }
    m_tx = {};
}

PartiallySignedTransaction PartiallySignedTransaction::Parse(std::span<const uint8_t> bytes)
{
    SpanReader reader{bytes};
    if (bytes.size() < MAGIC.size() || !std::ranges::equal(reader.ReadBytes(MAGIC.size(), "magic"), MAGIC)) {
        reader.Fail("not a PSBT, which begins with 70736274ff,", 0, "magic");
    }
    PartiallySignedTransaction psbt;
    size_t offset{reader.Offset()};
    psbt.m_global = ReadMap(reader, PSBTScope::GLOBAL);
    if (const auto version{Find(psbt.m_global, PSBT_GLOBAL_VERSION)}; version && version->size() == 4)
        psbt.m_version = ReadLE32(version->data());
    CheckMap(reader, psbt.m_global, PSBTScope::GLOBAL, psbt.m_version, offset);

    size_t n_inputs, n_outputs;
    if (psbt.m_version == 0) {
        SpanReader tx_reader{*Find(psbt.m_global, PSBT_GLOBAL_UNSIGNED_TX)};
        psbt.m_tx = ReadTransaction(tx_reader, TxFormat::WITHOUT_WITNESS);
        n_inputs = psbt.m_tx.vin.size();
        n_outputs = psbt.m_tx.vout.size();
    } else {
        n_inputs = ReadCount(psbt.m_global, PSBT_GLOBAL_INPUT_COUNT);
        n_outputs = ReadCount(psbt.m_global, PSBT_GLOBAL_OUTPUT_COUNT);
    }
    // Each map ends with a byte: memory stays in proportion to the input, whatever the counts say.
    if (n_inputs + n_outputs > reader.Remaining()) reader.Fail("fewer bytes than there are inputs and outputs", reader.Offset(), "inputs");

    for (size_t i = 0; i < n_inputs; ++i) {
        const SpanReader::Item item{reader, "input", i};
        offset = reader.Offset();
        psbt.m_inputs.push_back(ReadMap(reader, PSBTScope::INPUT));
        CheckMap(reader, psbt.m_inputs.back(), PSBTScope::INPUT, psbt.m_version, offset);
        if (const auto error{psbt.SpentOutputError(i)}; !error.empty()) reader.Fail(error + ", in the map", offset, "spent output");
    }
    for (size_t i = 0; i < n_outputs; ++i) {
        const SpanReader::Item item{reader, "output", i};
        offset = reader.Offset();
        psbt.m_outputs.push_back(ReadMap(reader, PSBTScope::OUTPUT));
        CheckMap(reader, psbt.m_outputs.back(), PSBTScope::OUTPUT, psbt.m_version, offset);
    }
    reader.ExpectEnd("PSBT");
    return psbt;
}

std::vector<uint8_t> PartiallySignedTransaction::Serialize() const
{
    std::vector<uint8_t> bytes{MAGIC.begin(), MAGIC.end()};
    VectorWriter writer{bytes};
    WriteMap(writer, m_global);
    for (const auto& map : m_inputs) WriteMap(writer, map);
    for (const auto& map : m_outputs) WriteMap(writer, map);
    return bytes;
}

PSBTMap& PartiallySignedTransaction::Map(PSBTScope scope, size_t index)
{
    if (scope == PSBTScope::GLOBAL) return m_global;
    auto& maps{scope == PSBTScope::INPUT ? m_inputs : m_outputs};
    if (index < maps.size()) return maps[index];
    throw PSBTError{"there is no " + Place(scope, index)};
}

void PartiallySignedTransaction::Set(PSBTScope scope, size_t index, const std::vector<uint8_t>& key, std::span<const uint8_t> value)
{
    PSBTMap& map{Map(scope, index)};
    if (key.empty()) throw PSBTError{Place(scope, index) + ": an empty key"};
    std::string error{PSBTFieldError(scope, m_version, key, value)};
    const auto name{[&] { return PSBTFieldName(scope, PSBTKeyParts::Parse(key)); }};
    if (!error.empty()) throw PSBTError{Place(scope, index) + ": " + error};
    for (const uint64_t type : RequiredPSBTTypes(scope, m_version)) {
        if (key == PSBTKey(type)) throw PSBTError{Place(scope, index) + ": " + name() + " cannot be replaced"};
    }

    auto before{map.extract(key)};
    map.emplace(key, std::vector<uint8_t>{value.begin(), value.end()});
    const bool of_spent_output{key == PSBTKey(PSBT_IN_NON_WITNESS_UTXO) || key == PSBTKey(PSBT_IN_WITNESS_UTXO)};
    if (scope != PSBTScope::INPUT || !of_spent_output) return;
    error = SpentOutputError(index);
    if (error.empty()) return;
    map.erase(key);
    map.insert(std::move(before));
    throw PSBTError{Place(scope, index) + ": " + error};
}

void PartiallySignedTransaction::Erase(PSBTScope scope, size_t index, const std::vector<uint8_t>& key)
{
    for (const uint64_t type : RequiredPSBTTypes(scope, m_version)) {
        if (key == PSBTKey(type)) throw PSBTError{Place(scope, index) + ": a field that must be there"};
    }
    Map(scope, index).erase(key);
}

std::optional<std::span<const uint8_t>> PartiallySignedTransaction::Find(const PSBTMap& map, uint64_t type)
{
    const auto found{map.find(PSBTKey(type))};
    if (found == map.end()) return std::nullopt;
    return found->second;
}

uint32_t PartiallySignedTransaction::LockTime() const
{
    uint32_t height{0}, time{0};
    bool height_fits_all{true}, time_fits_all{true};
    for (const auto& map : m_inputs) {
        const uint32_t own_height{ReadU32(map, PSBT_IN_REQUIRED_HEIGHT_LOCKTIME, 0)};
        const uint32_t own_time{ReadU32(map, PSBT_IN_REQUIRED_TIME_LOCKTIME, 0)};
        if (own_height == 0 && own_time != 0) height_fits_all = false;
        if (own_time == 0 && own_height != 0) time_fits_all = false;
        height = std::max(height, own_height);
        time = std::max(time, own_time);
    }
    if (height == 0 && time == 0) return ReadU32(m_global, PSBT_GLOBAL_FALLBACK_LOCKTIME, 0);
    if (height_fits_all) return height;
    if (time_fits_all) return time;
    throw PSBTError{"one input requires a block height and another one a time, and no nLockTime can express both"};
}

CMutableTransaction PartiallySignedTransaction::UnsignedTx() const
{
    if (m_version == 0) return m_tx;
    CMutableTransaction tx;
    tx.version = ReadU32(m_global, PSBT_GLOBAL_TX_VERSION, 0);
    tx.nLockTime = LockTime();
    for (size_t i = 0; i < m_inputs.size(); ++i) {
        tx.vin.emplace_back(Outpoint(i), CScript{}, ReadU32(m_inputs[i], PSBT_IN_SEQUENCE, CTxIn::SEQUENCE_FINAL));
    }
    for (size_t i = 0; i < m_outputs.size(); ++i) tx.vout.push_back(Output(i));
    return tx;
}

CTxOut PartiallySignedTransaction::Output(size_t n_out) const
{
    if (m_version == 0) return m_tx.vout[n_out];
    const PSBTMap& map{m_outputs[n_out]};
    return {static_cast<CAmount>(ReadLE64(Find(map, PSBT_OUT_AMOUNT)->data())), CScript{*Find(map, PSBT_OUT_SCRIPT)}};
}

uint256 PartiallySignedTransaction::UniqueId() const
{
    CMutableTransaction tx{UnsignedTx()};
    if (m_version != 0) {
        for (auto& txin : tx.vin) txin.nSequence = 0;
    }
    return tx.GetHash();
}

COutPoint PartiallySignedTransaction::Outpoint(size_t n_in) const
{
    if (m_version == 0) return m_tx.vin[n_in].prevout;
    return {uint256{Find(m_inputs[n_in], PSBT_IN_PREVIOUS_TXID)->first<uint256::SIZE>()},
            ReadLE32(Find(m_inputs[n_in], PSBT_IN_OUTPUT_INDEX)->data())};
}

std::optional<CTxOut> PartiallySignedTransaction::SpentOutput(size_t n_in) const
{
    if (const auto output{Find(m_inputs[n_in], PSBT_IN_WITNESS_UTXO)}) return ParseTxOut(*output);
    if (const auto tx{Find(m_inputs[n_in], PSBT_IN_NON_WITNESS_UTXO)}) return ParseTransaction(*tx).vout[Outpoint(n_in).n];
    return std::nullopt;
}

std::string PartiallySignedTransaction::SpentOutputError(size_t n_in) const
{
    const auto bytes{Find(m_inputs[n_in], PSBT_IN_NON_WITNESS_UTXO)};
    if (!bytes) return "";
    const CTransaction tx{ParseTransaction(*bytes)};
    const COutPoint outpoint{Outpoint(n_in)};
    if (tx.GetHash() != outpoint.hash) return "PSBT_IN_NON_WITNESS_UTXO is not the transaction that the input spends from";
    if (outpoint.n >= tx.vout.size()) return "PSBT_IN_NON_WITNESS_UTXO has no output " + std::to_string(outpoint.n);
    if (!MoneyRange(tx.vout[outpoint.n].nValue)) return "PSBT_IN_NON_WITNESS_UTXO has an amount below 0 or above 21,000,000 bitcoin";
    if (const auto output{Find(m_inputs[n_in], PSBT_IN_WITNESS_UTXO)}; output && ParseTxOut(*output) != tx.vout[outpoint.n]) {
        return "PSBT_IN_WITNESS_UTXO is not the output that PSBT_IN_NON_WITNESS_UTXO has";
    }
    return "";
}

std::string PartiallySignedTransaction::Place(PSBTScope scope, size_t index)
{
    if (scope == PSBTScope::GLOBAL) return "global map";
    return (scope == PSBTScope::INPUT ? "input " : "output ") + std::to_string(index);
}

} // namespace slhc::wallet
