// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

// Partially signed transactions: whatever parses is written so that it parses to the same fields; no role throws
// anything but its own error, and none loses a field that it does not know.

#include <test/fuzz/fuzz.h>

#include <primitives/serialize.h>
#include <wallet/psbt.h>
#include <wallet/psbt_combiner.h>
#include <wallet/psbt_finalizer.h>

#include <numeric>
#include <optional>
#include <span>
#include <vector>

using namespace slhc;
using namespace slhc::wallet;
using slhc::test::Require;

namespace {

std::optional<PartiallySignedTransaction> TryParse(std::span<const uint8_t> bytes)
{
    try {
        return PartiallySignedTransaction::Parse(bytes);
    } catch (const ParseError&) {
        return std::nullopt;
    }
}

bool Same(const PartiallySignedTransaction& a, const PartiallySignedTransaction& b)
{
    return a.Version() == b.Version() && a.Global() == b.Global() && a.Inputs() == b.Inputs() && a.Outputs() == b.Outputs();
}

/** True if f ends without a PSBTError; any other exception ends the process. */
template <typename F>
bool Succeeds(F&& f)
{
    try {
        f();
        return true;
    } catch (const PSBTError&) {
        return false;
    }
}

size_t UnknownFields(const PartiallySignedTransaction& psbt)
{
    constexpr uint64_t FIRST_UNKNOWN{0x20};
    size_t count{0};
    for (const auto& map : psbt.Inputs()) {
        for (const auto& [key, value] : map) {
            const auto parts{PSBTKeyParts::Parse(key)};
            count += !parts.slhdsa && parts.type >= FIRST_UNKNOWN;
        }
    }
    return count;
}

/** Stands in for the verification of a signature, which hardly ever succeeds on what a fuzzer makes. */
bool SumIsEven(const LeafKey&, const uint256&, std::span<const uint8_t> signature)
{
    return std::accumulate(signature.begin(), signature.end(), 0U) % 2 == 0;
}

void CheckRoles(const PartiallySignedTransaction& psbt)
{
    const std::vector<PartiallySignedTransaction> twice{psbt, psbt};
    std::optional<PartiallySignedTransaction> combined;
    if (Succeeds([&] { combined = CombinePSBTs(twice); })) Require(Same(*combined, psbt), "combined with itself a PSBT is the same");

    (void)Succeeds([&] { (void)Fee(psbt); });
    PartiallySignedTransaction finalized{psbt};
    for (size_t i = 0; i < psbt.Inputs().size(); ++i) {
        (void)InputTreeProblem(psbt, i);
        const PSBTMap before{finalized.Inputs()[i]};
        bool final{false};
        (void)Succeeds([&] { final = FinalizeInput(finalized, i, PSBTVerifier{psbt, SumIsEven}).empty(); });
        Require(final ? IsFinal(finalized, i) : finalized.Inputs()[i] == before, "an input that is not final keeps its fields");
    }
    Require(UnknownFields(finalized) == UnknownFields(psbt), "unknown fields survive finalizing");
    (void)Succeeds([&] { (void)ExtractTransaction(finalized); });
    const auto parsed{TryParse(finalized.Serialize())};
    Require(parsed && Same(*parsed, finalized), "what was finalized parses");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    const auto psbt{TryParse({data, size})};
    if (!psbt) return 0;
    const auto written{psbt->Serialize()};
    Require(written.size() == size, "every byte is written again");
    const auto again{TryParse(written)};
    Require(again && Same(*again, *psbt), "a PSBT is written as it was read");
    CheckRoles(*psbt);
    return 0;
}
