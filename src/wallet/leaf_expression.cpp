// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <wallet/leaf_expression.h>

#include <primitives/serialize.h>
#include <util/check.h>
#include <util/hex.h>

#include <algorithm>
#include <map>
#include <utility>

namespace slhc::wallet {
namespace {

using Fragment = LeafExpression::Fragment;

constexpr int64_t PREIMAGE_SIZE{32};

/** Each check's opcode of a multi, k, and what compares. */
void AppendMulti(CScript& script, const std::vector<std::vector<uint8_t>>& keys, uint32_t k, opcodetype first, opcodetype others)
{
    for (size_t i = 0; i < keys.size(); ++i) script << keys[i] << (i == 0 ? first : others);
    script << int64_t{k} << OP_NUMEQUAL;
}

/** The opcode that does what these two do in a row: miniscript's v: merges them where there is one. */
std::optional<opcodetype> WithVerify(opcodetype opcode)
{
    switch (opcode) {
    case OP_CHECKSIG: return OP_CHECKSIGVERIFY;
    case OP_NUMEQUAL: return OP_NUMEQUALVERIFY;
    case OP_EQUAL: return OP_EQUALVERIFY;
    default: return std::nullopt;
    }
}

opcodetype LastOpcode(const CScript& script)
{
    opcodetype opcode{OP_INVALIDOPCODE};
    for (auto pc{script.begin()}; pc != script.end();) {
        const bool decoded{script.GetOp(pc, opcode)};
        assert(decoded);
    }
    return opcode;
}

} // namespace

std::string_view FragmentName(Fragment fragment)
{
    switch (fragment) {
    case Fragment::PK: return "pk";
    case Fragment::PK_SLHDSA: return "pk_slhdsa";
    case Fragment::MULTI_A: return "multi_a";
    case Fragment::SORTEDMULTI_A: return "sortedmulti_a";
    case Fragment::MULTI_SLHDSA: return "multi_slhdsa";
    case Fragment::OLDER: return "older";
    case Fragment::AFTER: return "after";
    case Fragment::SHA256: return "sha256";
    case Fragment::AND_V: return "and_v";
    case Fragment::VERIFY: break;
    }
    assert(false);
    return {};
}

CScript LeafExpression::Script() const
{
    std::vector<std::vector<uint8_t>> public_keys;
    for (const auto& key : keys) public_keys.push_back(key.Element());
    CScript script;
    switch (fragment) {
    case Fragment::PK:
        script << public_keys[0] << OP_CHECKSIG;
        break;
    case Fragment::PK_SLHDSA:
        script << public_keys[0] << OP_CHECKSIGSLHDSA;
        break;
    case Fragment::SORTEDMULTI_A:
        std::ranges::sort(public_keys);
        [[fallthrough]];
    case Fragment::MULTI_A:
        AppendMulti(script, public_keys, number, OP_CHECKSIG, OP_CHECKSIGADD);
        break;
    case Fragment::MULTI_SLHDSA:
        AppendMulti(script, public_keys, number, OP_CHECKSIGSLHDSA, OP_CHECKSIGADDSLHDSA);
        break;
    case Fragment::OLDER:
        script << int64_t{number} << OP_CHECKSEQUENCEVERIFY;
        break;
    case Fragment::AFTER:
        script << int64_t{number} << OP_CHECKLOCKTIMEVERIFY;
        break;
    case Fragment::SHA256:
        script << OP_SIZE << PREIMAGE_SIZE << OP_EQUALVERIFY << OP_SHA256 << hash << OP_EQUAL;
        break;
    case Fragment::AND_V:
        for (const auto& sub : subs) {
            const CScript part{sub.Script()};
            script.insert(script.end(), part.begin(), part.end());
        }
        break;
    case Fragment::VERIFY:
        script = subs[0].Script();
        if (const auto merged{WithVerify(LastOpcode(script))}) {
            script.back() = *merged;
        } else {
            script << OP_VERIFY;
        }
        break;
    }
    return script;
}

std::string LeafExpression::ToString() const
{
    if (fragment == Fragment::VERIFY) return "v:" + subs[0].ToString();
    std::vector<std::string> arguments;
    switch (fragment) {
    case Fragment::MULTI_A:
    case Fragment::SORTEDMULTI_A:
    case Fragment::MULTI_SLHDSA:
    case Fragment::OLDER:
    case Fragment::AFTER: arguments.push_back(std::to_string(number)); break;
    case Fragment::SHA256: arguments.push_back(HexStr(hash)); break;
    default: break;
    }
    for (const auto& key : keys) arguments.push_back(key.ToString());
    for (const auto& sub : subs) arguments.push_back(sub.ToString());
    std::string text{FragmentName(fragment)};
    for (size_t i = 0; i < arguments.size(); ++i) text += (i == 0 ? "(" : ",") + arguments[i];
    return text + ")";
}

std::optional<std::pair<size_t, size_t>> LeafExpression::RepeatedKey() const
{
    std::map<PublicKey, size_t> seen;
    std::optional<std::pair<size_t, size_t>> repeated;
    size_t position{0};
    ForEachKey([&](const KeyExpression& key) {
        const auto [same, added]{seen.emplace(key.key, position)};
        if (!added && !repeated) repeated.emplace(same->second, position);
        ++position;
    });
    return repeated;
}

size_t LeafExpression::Elements() const
{
    size_t elements{keys.size() + (fragment == Fragment::SHA256 ? 1 : 0)};
    for (const auto& sub : subs) elements += sub.Elements();
    return elements;
}

size_t LeafExpression::PeakStack(size_t below) const
{
    switch (fragment) {
    case Fragment::AND_V: return std::max(subs[0].PeakStack(below + subs[1].Elements()), subs[1].PeakStack(below));
    case Fragment::VERIFY: return subs[0].PeakStack(below);
    case Fragment::SHA256: return below + Elements() + 2; // the preimage's size, and 32
    default: return below + Elements() + 1;               // the first key, or the lock time
    }
}

size_t LeafExpression::LeastSpendWeight() const
{
    constexpr size_t AROUND_IT{4 * (10 + 41 + 31) + 2}; // the input and the output; marker and flag
    size_t weight{AROUND_IT + Script().size()};
    ForEach([&](const LeafExpression& sub) {
        if (sub.fragment == Fragment::SHA256) weight += 1 + PREIMAGE_SIZE;
        if (sub.keys.empty()) return;
        const size_t signers{sub.number == 0 ? 1 : sub.number};
        std::vector<size_t> sizes;
        for (const auto& key : sub.keys) sizes.push_back(SignatureSize(key.type, key.Element()));
        std::ranges::sort(sizes);
        for (size_t i{0}; i < signers; ++i) weight += GetSizeOfCompactSize(sizes[i]) + sizes[i];
        weight += sub.keys.size() - signers; // those who do not sign: an empty element
    });
    return weight;
}

bool LeafExpression::LeavesNothing() const
{
    return fragment == Fragment::VERIFY || (fragment == Fragment::AND_V && subs[1].LeavesNothing());
}

bool LeafExpression::NeedsSignature() const
{
    return !keys.empty() || std::ranges::any_of(subs, &LeafExpression::NeedsSignature);
}

} // namespace slhc::wallet
