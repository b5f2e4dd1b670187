// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <tool/psbt_file.h>

#include <consensus/consensus.h>
#include <crypto/endian.h>
#include <primitives/serialize.h>
#include <script/script.h>
#include <tool/hash_type.h>
#include <tool/input.h>
#include <tool/lock_time.h>
#include <tool/output.h>
#include <util/base64.h>
#include <util/counted.h>
#include <util/hex.h>
#include <wallet/psbt_finalizer.h>
#include <wallet/psbt_updater.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <vector>

namespace slhc::tool {
namespace {

constexpr std::string_view MAGIC{"psbt\xff"};

std::vector<uint8_t> PSBTBytes(std::string_view text)
{
    if (text.starts_with(MAGIC)) return {text.begin(), text.end()};
    const std::string_view trimmed{Trim(text)};
    if (auto bytes{TryParseHex(trimmed)}) return *std::move(bytes);
    if (auto bytes{DecodeBase64(trimmed)}) return *std::move(bytes);
    throw InputError{"not a PSBT: neither base64 nor hex"};
}

/** Parts that no block has room for would still be built and shown, each at more than a hundred times its size. */
void CheckCounts(const wallet::PartiallySignedTransaction& psbt)
{
    constexpr size_t AROUND{10}, INPUT{41}, OUTPUT{9}; // the least that they take, in bytes
    const size_t inputs{psbt.Inputs().size()}, outputs{psbt.Outputs().size()};
    if (WITNESS_SCALE_FACTOR * (AROUND + INPUT * inputs + OUTPUT * outputs) <= size_t{MAX_BLOCK_WEIGHT}) return;
    throw InputError{Counted(inputs, "input") + " and " + Counted(outputs, "output") + ": no block has room for the transaction"};
}

std::array<uint8_t, 4> LE32(uint32_t value)
{
    std::array<uint8_t, 4> bytes;
    WriteLE32(bytes.data(), value);
    return bytes;
}

} // namespace

bool LooksLikePSBT(std::string_view text)
{
    constexpr std::array<std::string_view, 4> BEGINNINGS{MAGIC, "cHNidP", "70736274ff", "70736274FF"};
    return std::ranges::any_of(BEGINNINGS, [&](std::string_view beginning) { return text.starts_with(beginning); });
}

wallet::PartiallySignedTransaction ParsePSBT(std::string_view text)
{
    try {
        auto psbt{wallet::PartiallySignedTransaction::Parse(PSBTBytes(text))};
        CheckCounts(psbt);
        return psbt;
    } catch (const ParseError& e) {
        throw InputError{e.what()};
    }
}

wallet::PartiallySignedTransaction PSBTArgument(const std::string& argument)
{
    return WithArgument(argument, [](const std::string& text) { return ParsePSBT(text); });
}

void WritePSBT(const wallet::PartiallySignedTransaction& psbt, const OutputFile& out, bool json, const Json& summary)
{
    const std::string text{EncodeBase64(psbt.Serialize())};
    if (!out.empty()) WriteTextFile(out, text + "\n");
    if (json) {
        Json whole = out.empty() ? Json{{"psbt", text}} : Json{{"file", out.path}};
        whole.update(summary);
        PrintJson(whole);
    } else if (out.empty()) {
        PrintLine(text);
    }
}

void WritePlannedPSBT(const wallet::PartiallySignedTransaction& psbt, const OutputFile& out, bool json, Json plan)
{
    const auto estimate{WithPSBT([&] { return wallet::EstimateWeight(psbt); })};
    plan["exact"] = estimate && estimate->exact && estimate->weight == plan["weight"];
    if (!json) out.empty() ? PrintWarnings(plan["warnings"]) : PrintPlan(plan);
    WritePSBT(psbt, out, json, plan);
}

wallet::PartiallySignedTransaction MakePSBT(const SpendSpec& spec, const SpendPlan& plan, uint32_t version)
{
    wallet::PartiallySignedTransaction psbt{plan.tx, version};
    for (size_t i = 0; i < spec.inputs.size(); ++i) {
        const SpendInput& input{spec.inputs[i]};
        Within("input " + std::to_string(i), [&] {
            if (!input.annex.empty()) throw InputError{"a PSBT has no place for an annex"};
            if (input.witness) throw InputError{"a PSBT has no place for a witness given by hand"};
            const size_t leaf{plan.inputs[i].leaf};
            const auto set{[&](uint64_t type, std::span<const uint8_t> value) {
                psbt.Set(wallet::PSBTScope::INPUT, i, wallet::PSBTKey(type), value);
            }};
            WithPSBT([&] {
                wallet::SetSpentOutput(psbt, i, plan.spent_outputs[i]);
                wallet::AddLeaf(psbt, i, input.tree, leaf, input.internal_key);
                for (const auto& preimage : input.preimages) wallet::AddPreimage(psbt, i, preimage);
                if (input.hash_type != SIGHASH_DEFAULT) set(wallet::PSBT_IN_SIGHASH_TYPE, LE32(input.hash_type));
                const auto required{RequiredLockTimes(input.tree.Leaves()[leaf].script).lock_time};
                if (version == 0 || spec.lock_time || !required) return;
                const bool height{*required < LOCKTIME_THRESHOLD};
                set(height ? wallet::PSBT_IN_REQUIRED_HEIGHT_LOCKTIME : wallet::PSBT_IN_REQUIRED_TIME_LOCKTIME, LE32(*required));
            });
        });
    }
    return psbt;
}

} // namespace slhc::tool
