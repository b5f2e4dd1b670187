// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <test/util/worst_block_parts.h>

#include <script/interpreter.h>

#include <algorithm>
#include <array>
#include <utility>

/** Blocks full of signatures. */
namespace slhc::test {

namespace {

/** Weight of an SLH-DSA signature in a witness, with its length. */
constexpr int64_t SIGNATURE_WEIGHT{SERIALIZED_SLHDSA_SIGNATURE_SIZE};

/** As many transactions as fit, each with one input for each kind. By today's rules, P2TR script paths take the place of P2MR. */
BlockWithSpent FillWithSpends(const BlockRequest& request, std::vector<SpendKind> kinds)
{
    if (request.rules == BlockRules::TODAY) {
        std::ranges::replace_if(
            kinds, [](SpendKind kind) { return kind == SpendKind::P2MR_SCHNORR || kind == SpendKind::P2MR_SLHDSA; },
            SpendKind::P2TR_SCRIPT_PATH);
    }
    BlockBuilder builder{request.weight};
    for (size_t key = 0;; key += kinds.size()) {
        SignedSpend spend{SpendKinds(kinds, request.signer, key)};
        const int64_t weight{GetTransactionWeight(CTransaction{spend.tx})};
        if (builder.Room() < weight) return std::move(builder).Finish();
        builder.Add(std::move(spend.tx), std::move(spend.spent));
    }
}

/** As many Schnorr checks as the weight buys, without SLH-DSA: pushes of 520 bytes, dropped, are the bulk of the weight. Taproot has
 *  allowed this all along.
 *  @param[in] output_size  bytes of the output's script that all of them sign with SIGHASH_SINGLE; 0 for SIGHASH_DEFAULT */
BlockWithSpent SchnorrBudget(const BlockRequest& request, size_t output_size)
{
    const uint8_t hash_type{output_size > 0 ? SIGHASH_SINGLE : SIGHASH_DEFAULT};
    OneInputBlock block{request, std::max<size_t>(output_size, 1)};
    const int64_t n_checks{block.Room() / VALIDATION_WEIGHT_PER_SIGOP_PASSED};
    // The stack may have 1000 elements, so the bulk of the bytes is in pushes of the script.
    CScript script{CScript{} << ToVector(request.signer.SchnorrKey(0))};
    Repeat(script, n_checks, Ops({OP_2DUP, OP_CHECKSIGVERIFY}));
    script << OP_2DROP;
    const std::vector<uint8_t> bulk(MAX_SCRIPT_ELEMENT_SIZE);
    while (block.Room() - static_cast<int64_t>(script.size()) > 700) script << bulk << OP_DROP;
    script << OP_TRUE;
    Pad(script, block.Room() - 66);
    return std::move(block).Finish(std::move(script), [&](const auto& message) {
        Elements elements{request.signer.SignSchnorr(0, message(hash_type, KeyVersion::BIP340))};
        if (hash_type != SIGHASH_DEFAULT) elements[0].push_back(hash_type);
        return elements;
    });
}

/** SLH-DSA signatures, each verified, and with the validation weight that their bytes buy as many Schnorr checks.
 *  @param[in] output_size  as above */
BlockWithSpent SLHDSAAndSchnorr(const BlockRequest& request, size_t output_size)
{
    if (request.rules == BlockRules::TODAY) return SchnorrBudget(request, output_size);
    const uint8_t hash_type{output_size > 0 ? SIGHASH_SINGLE : SIGHASH_DEFAULT};
    OneInputBlock block{request, std::max<size_t>(output_size, 1)};
    const int64_t signature_weight{SIGNATURE_WEIGHT + (hash_type == SIGHASH_DEFAULT ? 0 : 1)};
    const int64_t n_checks{block.Room() / VALIDATION_WEIGHT_PER_SIGOP_PASSED};
    const int64_t n_slhdsa{(block.Room() - 2 * n_checks - 150) / (signature_weight + 3)};
    CScript script{CScript{} << ToVector(request.signer.SLHDSAKey(0))};
    Repeat(script, n_slhdsa, Ops({OP_TUCK, OP_CHECKSIGSLHDSA, OP_DROP}));
    script << OP_DROP << ToVector(request.signer.SchnorrKey(0));
    Repeat(script, n_checks - n_slhdsa, Ops({OP_2DUP, OP_CHECKSIGVERIFY}));
    script << OP_2DROP << OP_TRUE;
    Pad(script, block.Room() - n_slhdsa * signature_weight - 66); // each byte of the witness buys its part
    return std::move(block).Finish(std::move(script), [&](const auto& message) {
        Elements elements{request.signer.SignSchnorr(0, message(hash_type, KeyVersion::BIP340))};
        for (int64_t i = 0; i < n_slhdsa; ++i) elements.push_back(request.signer.SignSLHDSA(0, message(hash_type, KeyVersion::SLHDSA)));
        if (hash_type != SIGHASH_DEFAULT) {
            for (auto& element : elements) element.push_back(hash_type);
        }
        return elements;
    });
}

/** Three bytes of script for each signature, all of them by one key: OP_TUCK puts the key below the signature for the next. */
BlockWithSpent SLHDSAOneInput(const BlockRequest& request)
{
    if (request.rules == BlockRules::TODAY) return SchnorrBudget(request, 0);
    OneInputBlock block{request};
    CScript script{CScript{} << ToVector(request.signer.SLHDSAKey(0))};
    const int64_t n{(block.Room() - static_cast<int64_t>(script.size())) / (SIGNATURE_WEIGHT + 3)};
    Repeat(script, n, Ops({OP_TUCK, OP_CHECKSIGSLHDSA, OP_DROP}));
    return std::move(block).Finish(std::move(script), [&](const auto& message) {
        Elements elements;
        for (int64_t i = 0; i < n; ++i) elements.push_back(request.signer.SignSLHDSA(0, message(SIGHASH_DEFAULT, KeyVersion::SLHDSA)));
        return elements;
    });
}

/** n of n, each with a key of its own. */
BlockWithSpent SLHDSAMultisig(const BlockRequest& request)
{
    if (request.rules == BlockRules::TODAY) return SchnorrBudget(request, 0);
    OneInputBlock block{request};
    const int64_t n{(block.Room() - 8) / (SIGNATURE_WEIGHT + 34)};
    CScript script{CScript{} << OP_0};
    for (int64_t i = 0; i < n; ++i) script << ToVector(request.signer.SLHDSAKey(static_cast<size_t>(i))) << OP_CHECKSIGADDSLHDSA;
    script << n << OP_NUMEQUAL;
    return std::move(block).Finish(std::move(script), [&](const auto& message) {
        Elements elements; // the last key's signature is at the bottom
        for (int64_t i = n; i-- > 0;) {
            elements.push_back(request.signer.SignSLHDSA(static_cast<size_t>(i), message(SIGHASH_DEFAULT, KeyVersion::SLHDSA)));
        }
        return elements;
    });
}

/** Signatures of every hash type in turn, so that no message is like the one before it. */
BlockWithSpent SchnorrHashTypes(const BlockRequest& request)
{
    constexpr std::array<uint8_t, 6> TYPES{SIGHASH_ALL,
                                           SIGHASH_NONE,
                                           SIGHASH_SINGLE,
                                           SIGHASH_ALL | SIGHASH_ANYONECANPAY,
                                           SIGHASH_NONE | SIGHASH_ANYONECANPAY,
                                           SIGHASH_SINGLE | SIGHASH_ANYONECANPAY};
    constexpr int64_t ELEMENTS_WEIGHT{static_cast<int64_t>(TYPES.size()) * 66};
    OneInputBlock block{request};
    // The signature at the bottom comes to the top, and is checked.
    CScript body{CScript{} << static_cast<int64_t>(TYPES.size() - 1) << OP_ROLL << OP_DUP << ToVector(request.signer.SchnorrKey(0))
                           << OP_CHECKSIGVERIFY};
    CScript script;
    Repeat(script, block.Room() / VALIDATION_WEIGHT_PER_SIGOP_PASSED, body);
    DropElements(script, TYPES.size());
    script << OP_TRUE;
    Pad(script, block.Room() - ELEMENTS_WEIGHT);
    return std::move(block).Finish(std::move(script), [&](const auto& message) {
        Elements elements;
        for (const uint8_t type : TYPES) {
            elements.push_back(request.signer.SignSchnorr(0, message(type, KeyVersion::BIP340)));
            elements.back().push_back(type);
        }
        return elements;
    });
}

} // namespace

void AddSignatureBlocks(std::vector<WorstBlock>& blocks)
{
    const auto add{[&](const char* name, const char* what, bool has_slhdsa, std::function<BlockWithSpent(const BlockRequest&)> make) {
        blocks.push_back({.name = name, .what = what, .make = std::move(make), .has_slhdsa = has_slhdsa});
    }};
    add("schnorr_key_path", "P2TR key path spends, one input and one output each", false,
        [](const BlockRequest& request) { return FillWithSpends(request, {SpendKind::P2TR_KEY_PATH}); });
    add("slhdsa_spends", "P2MR spends with one SLH-DSA signature, one input and one output each; today: P2TR script path spends", true,
        [](const BlockRequest& request) { return FillWithSpends(request, {SpendKind::P2MR_SLHDSA}); });
    add("mixed_spends", "spends of P2WPKH, P2TR by key and by script, P2MR with Schnorr and with SLH-DSA", true,
        [](const BlockRequest& request) {
            return FillWithSpends(request, {SpendKind::P2WPKH, SpendKind::P2TR_KEY_PATH, SpendKind::P2TR_SCRIPT_PATH,
                                            SpendKind::P2MR_SCHNORR, SpendKind::P2MR_SLHDSA});
        });
    add("schnorr_budget", "as many Schnorr checks as a full block permits without SLH-DSA", false,
        [](const BlockRequest& request) { return SchnorrBudget(request, 0); });
    add("schnorr_hash_types", "six Schnorr signatures with as many hash types, checked in turn", false, SchnorrHashTypes);
    add("slhdsa_one_input", "as many SLH-DSA signatures as a block can hold, in one input; today: schnorr_budget", true, SLHDSAOneInput);
    add("slhdsa_multisig", "n of n by OP_CHECKSIGADDSLHDSA in one input, distinct keys; today: schnorr_budget", true, SLHDSAMultisig);
    add("slhdsa_and_schnorr", "SLH-DSA signatures, and as many Schnorr checks as their weight permits; today: schnorr_budget", true,
        [](const BlockRequest& request) { return SLHDSAAndSchnorr(request, 0); });
    add("single_huge_output", "the same, all signing one output of an eighth of the block with SIGHASH_SINGLE", true,
        [](const BlockRequest& request) { return SLHDSAAndSchnorr(request, static_cast<size_t>(request.weight / 8)); });
}

} // namespace slhc::test
