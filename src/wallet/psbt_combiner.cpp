// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <wallet/psbt_combiner.h>

#include <util/check.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <vector>

namespace slhc::wallet {
namespace {

/** A part may still be modified if both allow it, and a signature with SINGLE is one of either. A PSBT without the field allows nothing
 *  (BIP 370). */
void CombineModifiable(PartiallySignedTransaction& into, const PSBTMap& add)
{
    constexpr uint8_t BOTH{PSBT_INPUTS_MODIFIABLE | PSBT_OUTPUTS_MODIFIABLE};
    const auto a{PartiallySignedTransaction::Find(into.Global(), PSBT_GLOBAL_TX_MODIFIABLE)};
    const auto b{PartiallySignedTransaction::Find(add, PSBT_GLOBAL_TX_MODIFIABLE)};
    if (!a && !b) return;
    const uint8_t flags_a{a ? a->front() : uint8_t{0}}, flags_b{b ? b->front() : uint8_t{0}};
    const auto combined{static_cast<uint8_t>((flags_a & flags_b & BOTH) | ((flags_a | flags_b) & ~BOTH))};
    into.Set(PSBTScope::GLOBAL, 0, PSBTKey(PSBT_GLOBAL_TX_MODIFIABLE), std::array{combined});
}

/** Add the fields that a map does not have. */
void MergeMap(PartiallySignedTransaction& into, const PSBTMap& have, const PSBTMap& add, PSBTScope scope, size_t index)
{
    for (const auto& [key, value] : add) {
        if (!have.contains(key)) into.Set(scope, index, key, value);
    }
}

void Merge(PartiallySignedTransaction& into, const PartiallySignedTransaction& other)
{
    CombineModifiable(into, other.Global());
    MergeMap(into, into.Global(), other.Global(), PSBTScope::GLOBAL, 0);
    for (size_t i = 0; i < into.Inputs().size(); ++i) MergeMap(into, into.Inputs()[i], other.Inputs()[i], PSBTScope::INPUT, i);
    for (size_t i = 0; i < into.Outputs().size(); ++i) MergeMap(into, into.Outputs()[i], other.Outputs()[i], PSBTScope::OUTPUT, i);
}

/** Where the parts have different signatures by one key for one leaf, take the first that will be used, else the first that is valid. */
void ResolveSignatures(PartiallySignedTransaction& combined, std::span<const PartiallySignedTransaction> parts,
                       const VerifySignature& verify)
{
    const auto verifier{PSBTVerifier::Make(combined, verify)};
    if (!verifier) return;
    for (size_t i = 0; i < combined.Inputs().size(); ++i) {
        const PSBTMap fields{combined.Inputs()[i]};
        for (const auto& [field, value] : fields) {
            const auto of{ReadSignatureField(field)};
            if (!of) continue;
            std::vector<std::vector<uint8_t>> values;
            for (const auto& part : parts) {
                const auto found{part.Inputs()[i].find(field)};
                if (found != part.Inputs()[i].end()) values.push_back(found->second);
            }
            if (std::ranges::count(values, value) == std::ssize(values)) continue;
            auto best{std::ranges::find_if(
                values, [&](const auto& each) { return WhyNotUsed(combined, i, of->leaf_hash, of->key, each, *verifier).empty(); })};
            if (best == values.end()) {
                best = std::ranges::find_if(
                    values, [&](const auto& each) { return verifier->SignatureError(i, of->leaf_hash, of->key, each).empty(); });
            }
            if (best != values.end()) combined.Set(PSBTScope::INPUT, i, field, *best);
        }
    }
}

} // namespace

PartiallySignedTransaction CombinePSBTs(std::span<const PartiallySignedTransaction> psbts, const VerifySignature& verify)
{
    assert(!psbts.empty());
    const uint256 id{psbts[0].UniqueId()};
    PartiallySignedTransaction combined{psbts[0]};
    for (size_t n = 1; n < psbts.size(); ++n) {
        const auto& other{psbts[n]};
        const std::string name{"PSBT " + std::to_string(n)};
        if (other.Version() != combined.Version()) {
            throw PSBTError{name + " has version " + std::to_string(other.Version()) + ", and PSBT 0 version " +
                            std::to_string(combined.Version())};
        }
        if (other.UniqueId() != id) throw PSBTError{name + " has a different transaction from PSBT 0"};
        try {
            Merge(combined, other);
        } catch (const PSBTError& e) {
            throw PSBTError{name + ", " + e.what()};
        }
    }
    if (combined.UniqueId() != id) throw PSBTError{"the required lock times of all PSBTs together give the transaction another lock time"};
    ResolveSignatures(combined, psbts, verify);
    return combined;
}

} // namespace slhc::wallet
