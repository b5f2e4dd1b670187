// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

// Transactions, outputs and blocks: whatever parses is written back to the same bytes, and anything else is refused with a place inside the
// input.

#include <primitives/block.h>
#include <primitives/transaction.h>
#include <test/fuzz/fuzz.h>

#include <algorithm>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

using namespace slhc;
using slhc::test::Require;

namespace {

/** parse(bytes), or null after a ParseError. A pointer, since a transaction is neither copied nor moved. */
template <typename Parse>
auto TryParse(std::span<const uint8_t> bytes, const Parse& parse)
{
    using Parsed = decltype(parse(bytes));
    try {
        return std::unique_ptr<Parsed>{new Parsed(parse(bytes))};
    } catch (const ParseError& error) {
        Require(error.Offset() <= bytes.size(), "a parse error is inside the input");
        Require(std::string_view{error.what()}.find('\n') == std::string_view::npos, "a parse error is one line");
        return std::unique_ptr<Parsed>{};
    }
}

void CheckTransaction(const CTransaction& tx, std::span<const uint8_t> bytes)
{
    const std::vector<uint8_t> whole{SerializeToVector(tx)};
    Require(std::ranges::equal(whole, bytes), "a transaction is written as it was read");
    const std::vector<uint8_t> stripped{SerializeToVector(tx, TxFormat::WITHOUT_WITNESS)};
    Require(GetSerializeSize(tx) == whole.size() && GetSerializeSize(tx, TxFormat::WITHOUT_WITNESS) == stripped.size(),
            "sizes are those of what is written");
    Require(GetTransactionWeight(tx) == static_cast<int64_t>(3 * stripped.size() + whole.size()),
            "weight is three times the size without witnesses, and the size with them");
    Require(tx.HasWitness() == (stripped != whole), "a transaction without witnesses has one form");
    Require(tx.HasWitness() == (tx.GetHash() != tx.GetWitnessHash()), "the two identifiers are one where there is no witness");
    Require(CMutableTransaction{tx}.GetHash() == tx.GetHash(), "a copy has the same identifier");
    if (!tx.vin.empty()) {
        const auto again{TryParse(stripped, ParseTransaction)};
        Require(again && again->GetHash() == tx.GetHash(), "the identifier does not depend on witnesses");
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    const std::span<const uint8_t> bytes{data, size};
    if (const auto tx{TryParse(bytes, ParseTransaction)}) CheckTransaction(*tx, bytes);
    if (const auto output{TryParse(bytes, ParseTxOut)}) {
        Require(std::ranges::equal(SerializeToVector(*output), bytes), "an output is written as it was read");
    }
    if (const auto block{TryParse(bytes, ParseBlock)}) {
        Require(std::ranges::equal(SerializeToVector(*block), bytes), "a block is written as it was read");
        for (const auto& tx : block->vtx) {
            const std::vector<uint8_t> raw{SerializeToVector(*tx)};
            const auto alone{TryParse(raw, ParseTransaction)};
            Require(alone != nullptr, "a transaction of a block is one by itself");
            Require(alone->GetWitnessHash() == tx->GetWitnessHash(), "and the same one");
            CheckTransaction(*alone, raw);
        }
    }
    return 0;
}
