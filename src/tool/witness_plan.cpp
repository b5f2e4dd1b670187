// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <tool/witness_plan.h>

#include <crypto/hash.h>
#include <tool/error.h>
#include <tool/input.h>
#include <wallet/leaf_recipe.h>

#include <algorithm>
#include <functional>
#include <set>
#include <string_view>
#include <utility>
#include <variant>

namespace slhc::tool {
namespace {

/** Who is expected to sign: for each threshold those whose signatures are here, and then the largest signatures. */
std::set<wallet::LeafKey> ExpectLargest(wallet::LeafRecipe recipe, const std::function<bool(const wallet::LeafKey&)>& is_here)
{
    std::set<wallet::LeafKey> expected;
    for (auto& condition : recipe.conditions) {
        auto* const signatures{std::get_if<wallet::LeafSignatures>(&condition)};
        if (!signatures) continue;
        const auto missing{std::stable_partition(signatures->keys.begin(), signatures->keys.end(), is_here)};
        std::ranges::stable_sort(missing, signatures->keys.end(), std::ranges::greater{},
                                 [](const wallet::LeafKey& key) { return SignatureSize(key.type, key.public_key); });
        for (size_t i = 0; i < signatures->needed; ++i) expected.insert(signatures->keys[i]);
    }
    return expected;
}

} // namespace

std::vector<WitnessElement> PlanWitness(const CScript& script, const LeafMeans& means)
{
    constexpr size_t PREIMAGE_SIZE{32}; // what nearly all have
    const wallet::LeafRecipe recipe{wallet::ReadLeafRecipe(script)};
    if (!recipe.unknown.empty()) {
        throw InputError{recipe.unknown + ": slhtool does not know how to satisfy it; give the witness elements one by one (--witness)"};
    }

    const auto find_key{[&](const wallet::LeafKey& wanted) {
        const auto found{std::ranges::find_if(means.keys, [&](const auto& key) {
            return key->type == wanted.type && key->Element() == wanted.public_key;
        })};
        return found == means.keys.end() ? nullptr : *found;
    }};
    // A signature that is still to be made has no bytes.
    const auto find_own_signature{[&](const wallet::LeafKey& wanted) -> std::optional<std::vector<uint8_t>> {
        if (means.signature) {
            if (auto given{means.signature(wanted)}) return given;
        }
        return find_key(wanted) ? std::optional{std::vector<uint8_t>{}} : std::nullopt;
    }};
    std::set<wallet::LeafKey> expected;
    if (means.others) expected = ExpectLargest(recipe, [&](const wallet::LeafKey& key) { return find_own_signature(key).has_value(); });
    const auto find_signature{[&](const wallet::LeafKey& wanted) {
        auto signature{find_own_signature(wanted)};
        return signature || !expected.contains(wanted) ? signature : std::optional{std::vector<uint8_t>{}};
    }};
    const auto find_preimage{[&](std::span<const uint8_t> hash) -> std::optional<std::vector<uint8_t>> {
        const auto found{
            std::ranges::find_if(means.preimages, [&](const auto& preimage) { return std::ranges::equal(Sha256(preimage), hash); })};
        if (found != means.preimages.end()) return *found;
        return means.others ? std::optional{std::vector<uint8_t>(PREIMAGE_SIZE)} : std::nullopt;
    }};
    const auto stack{wallet::SatisfyLeaf(recipe, find_signature, find_preimage)};
    if (!stack.Complete()) throw InputError{stack.missing};

    std::vector<WitnessElement> elements;
    for (const auto& element : stack.elements) {
        WitnessElement planned;
        planned.bytes = element.bytes;
        if (element.signer && element.bytes.empty()) {
            planned.key = find_key(*element.signer);
            if (!planned.key) planned.signer = element.signer;
        }
        elements.push_back(std::move(planned));
    }
    return elements;
}

WitnessElement ParseWitnessElement(const std::string& text)
{
    constexpr std::string_view SIG{"sig("};
    WitnessElement element;
    std::string_view trimmed{Trim(text)};
    if (trimmed.starts_with('@')) {
        element.bytes = HexArgument(std::string{trimmed});
        return element;
    }
    if (!trimmed.starts_with(SIG)) {
        if (trimmed.starts_with('<') && trimmed.ends_with('>')) trimmed = trimmed.substr(1, trimmed.size() - 2);
        element.bytes = ParseHex(trimmed);
        return element;
    }
    if (!trimmed.ends_with(')')) throw InputError{"missing ')' after 'sig('"};
    const auto arguments{SplitAtCommas(trimmed.substr(SIG.size(), trimmed.size() - SIG.size() - 1))};
    if (arguments.size() > 3) throw InputError{"sig() takes at most a key file, a hash type and a position"};
    element.key = std::make_shared<const KeyPair>(ReadKeyFile(std::string{arguments[0]}));
    if (arguments.size() > 1) element.hash_type = ParseHashType(arguments[1]);
    if (arguments.size() > 2) element.codeseparator_pos = static_cast<uint32_t>(ParseNumber(arguments[2], 0xffffffff));
    return element;
}

} // namespace slhc::tool
