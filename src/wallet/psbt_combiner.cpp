// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <wallet/psbt_combiner.h>

#include <util/check.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace slhc::wallet {
namespace {

/** Whether two signers may well have different values: each made a signature or a witness of its own. */
bool IsSignature(PSBTScope scope, const PSBTKeyParts& key)
{
    if (scope != PSBTScope::INPUT) return false;
    if (key.slhdsa) return key.type == PSBT_IN_SLHDSA_SIG;
    switch (key.type) {
    case PSBT_IN_PARTIAL_SIG:
    case PSBT_IN_TAP_KEY_SIG:
    case PSBT_IN_TAP_SCRIPT_SIG:
    case PSBT_IN_FINAL_SCRIPTSIG:
    case PSBT_IN_FINAL_SCRIPTWITNESS:
        return true;
    default:
        return false;
    }
}

/** Whether it does not matter which of two values is kept: those of fields that nothing here uses (BIP 174: a Combiner picks any), and of a
 *  previous transaction, since each value has the input's txid and may only lack its witnesses. */
bool IsIndifferent(PSBTScope scope, const PSBTKeyParts& key)
{
    if (!IsKnownPSBTField(scope, key)) return true;
    if (key.slhdsa) return false;
    switch (scope) {
    case PSBTScope::GLOBAL: return key.type == PSBT_GLOBAL_XPUB;
    case PSBTScope::INPUT:
        return key.type == PSBT_IN_NON_WITNESS_UTXO || key.type == PSBT_IN_BIP32_DERIVATION || key.type == PSBT_IN_TAP_BIP32_DERIVATION;
    case PSBTScope::OUTPUT: return key.type == PSBT_OUT_BIP32_DERIVATION || key.type == PSBT_OUT_TAP_BIP32_DERIVATION;
    }
    assert(false);
    return false;
}

/** What may still be modified is what both allow, and a signature with SINGLE is one of either. A PSBT without the field allows nothing
 *  (BIP 370). */
void CombineModifiable(PartiallySignedTransaction& into, const PSBTMap& have, const PSBTMap& add)
{
    constexpr uint8_t BOTH{PSBT_INPUTS_MODIFIABLE | PSBT_OUTPUTS_MODIFIABLE};
    const auto a{PartiallySignedTransaction::Find(have, PSBT_GLOBAL_TX_MODIFIABLE)};
    const auto b{PartiallySignedTransaction::Find(add, PSBT_GLOBAL_TX_MODIFIABLE)};
    if (!a && !b) return;
    const uint8_t flags_a{a ? a->front() : uint8_t{0}}, flags_b{b ? b->front() : uint8_t{0}};
    const auto combined{static_cast<uint8_t>((flags_a & flags_b & BOTH) | ((flags_a | flags_b) & ~BOTH))};
    into.Set(PSBTScope::GLOBAL, 0, PSBTKey(PSBT_GLOBAL_TX_MODIFIABLE), std::array{combined});
}

void CombineMap(PartiallySignedTransaction& into, const PSBTMap& have, const PSBTMap& add, PSBTScope scope, size_t index)
{
    std::vector<std::pair<std::vector<uint8_t>, std::vector<uint8_t>>> changes;
    for (const auto& [key, value] : add) {
        const auto found{have.find(key)};
        const PSBTKeyParts parts{PSBTKeyParts::Parse(key)};
        if (scope == PSBTScope::GLOBAL && !parts.slhdsa && parts.type == PSBT_GLOBAL_TX_MODIFIABLE) continue;
        if (found == have.end()) {
            changes.emplace_back(key, value);
        } else if (found->second != value && !IsSignature(scope, parts) && !IsIndifferent(scope, parts)) {
            throw PSBTError{PartiallySignedTransaction::Place(scope, index) + ": two values of " + PSBTFieldName(scope, parts)};
        }
    }
    for (const auto& [key, value] : changes) into.Set(scope, index, key, value);
}

void Merge(PartiallySignedTransaction& into, const PartiallySignedTransaction& other)
{
    CombineMap(into, into.Global(), other.Global(), PSBTScope::GLOBAL, 0);
    CombineModifiable(into, into.Global(), other.Global());
    for (size_t i = 0; i < into.Inputs().size(); ++i) CombineMap(into, into.Inputs()[i], other.Inputs()[i], PSBTScope::INPUT, i);
    for (size_t i = 0; i < into.Outputs().size(); ++i) CombineMap(into, into.Outputs()[i], other.Outputs()[i], PSBTScope::OUTPUT, i);
}

std::string Name(size_t n)
{
    return "PSBT " + std::to_string(n);
}

/** The inputs of each PSBT may all allow a time, and not all a height; together they may allow a height, which then is the lock time
 *  (BIP 370). No other field that one PSBT may lack is part of what identifies the transaction. */
[[noreturn]] void RefuseLockTime(size_t n, const PartiallySignedTransaction& combined, const PartiallySignedTransaction& first)
{
    throw PSBTError{Name(n) + " changes the transaction: with its PSBT_IN_REQUIRED_TIME_LOCKTIME and PSBT_IN_REQUIRED_HEIGHT_LOCKTIME, " +
                    "the lock time is " + std::to_string(combined.UnsignedTx().nLockTime) + ", not " +
                    std::to_string(first.UnsignedTx().nLockTime)};
}

/** Take the first valid one of the signatures that the parts have for a field. */
void ResolveSignature(PartiallySignedTransaction& combined, size_t n_in, const std::vector<uint8_t>& field,
                      std::span<const PartiallySignedTransaction> parts, const PSBTVerifier& verifier)
{
    for (const auto& part : parts) {
        const auto found{part.Inputs()[n_in].find(field)};
        if (found == part.Inputs()[n_in].end() || !verifier.FieldError(n_in, field, found->second).empty()) continue;
        combined.Set(PSBTScope::INPUT, n_in, field, found->second);
        return;
    }
}

/** Take the first scriptSig and witness that spend; they belong together. */
void ResolveFinal(PartiallySignedTransaction& combined, size_t n_in, std::span<const PartiallySignedTransaction> parts,
                  const PSBTVerifier& verifier)
{
    for (const auto& part : parts) {
        if (!IsFinal(part, n_in)) continue;
        const auto [script_sig, witness]{ReadFinalFields(part, n_in)};
        if (!verifier.FinalError(n_in, script_sig, witness).empty()) continue;
        for (const uint64_t type : {PSBT_IN_FINAL_SCRIPTSIG, PSBT_IN_FINAL_SCRIPTWITNESS}) {
            if (const auto value{PartiallySignedTransaction::Find(part.Inputs()[n_in], type)}) {
                combined.Set(PSBTScope::INPUT, n_in, PSBTKey(type), *value);
            } else {
                combined.Erase(PSBTScope::INPUT, n_in, PSBTKey(type));
            }
        }
        return;
    }
}

/** The fields of an input for which the parts have different values. */
std::vector<std::vector<uint8_t>> Conflicts(const PartiallySignedTransaction& combined, size_t n_in,
                                            std::span<const PartiallySignedTransaction> parts)
{
    std::vector<std::vector<uint8_t>> conflicts;
    for (const auto& have : combined.Inputs()[n_in]) {
        const auto differs{[&](const PartiallySignedTransaction& part) {
            const auto found{part.Inputs()[n_in].find(have.first)};
            return found != part.Inputs()[n_in].end() && found->second != have.second;
        }};
        if (std::ranges::any_of(parts, differs)) conflicts.push_back(have.first);
    }
    return conflicts;
}

/** Of the values that the parts have for signatures, leave valid ones. */
void Resolve(PartiallySignedTransaction& combined, std::span<const PartiallySignedTransaction> parts, const VerifySignature& verify)
{
    const auto verifier{PSBTVerifier::Make(combined, verify)};
    if (!verifier) return;
    for (size_t i = 0; i < combined.Inputs().size(); ++i) {
        for (const auto& field : Conflicts(combined, i, parts)) ResolveSignature(combined, i, field, parts, *verifier);
        if (std::ranges::count_if(parts, [i](const auto& part) { return IsFinal(part, i); }) > 1) {
            ResolveFinal(combined, i, parts, *verifier);
        }
    }
}

} // namespace

PartiallySignedTransaction CombinePSBTs(std::span<const PartiallySignedTransaction> psbts, const VerifySignature& verify)
{
    assert(!psbts.empty());
    const uint256 id{psbts[0].UniqueId()};
    PartiallySignedTransaction combined{psbts[0]};
    std::optional<size_t> changed_by; // after which the transaction was another one
    for (size_t n = 1; n < psbts.size(); ++n) {
        const auto& other{psbts[n]};
        if (other.Version() != combined.Version()) {
            throw PSBTVersionError{Name(n) + " has version " + std::to_string(other.Version()) + ", and " + Name(0) + " version " +
                                   std::to_string(combined.Version()) + ": convert one of them"};
        }
        if (other.UniqueId() != id) throw PSBTError{Name(n) + " has a different transaction from " + Name(0)};
        try {
            Merge(combined, other);
        } catch (const PSBTError& e) {
            throw PSBTError{Name(n) + ", " + e.what()};
        }
        if (combined.UniqueId() == id) {
            changed_by.reset();
        } else if (!changed_by) {
            changed_by = n;
        }
    }
    if (changed_by) RefuseLockTime(*changed_by, combined, psbts[0]);
    Resolve(combined, psbts, verify);
    return combined;
}

} // namespace slhc::wallet
