// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <tool/psbt_signer.h>

#include <script/taptree.h>
#include <tool/error.h>
#include <tool/hash_type.h>
#include <tool/input.h>
#include <tool/psbt_file.h>
#include <tool/signature_check.h>
#include <tool/witness_plan.h>
#include <util/hex.h>
#include <wallet/lock_time.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace slhc::tool {
namespace {

using wallet::LeafKey;
using wallet::PartiallySignedTransaction;

std::string InputName(size_t n_in)
{
    return PartiallySignedTransaction::Place(wallet::PSBTScope::INPUT, n_in);
}

/** Whether a leaf is the one that is meant. */
bool Means(const std::string& wanted, size_t number, const wallet::PSBTLeaf& leaf)
{
    constexpr size_t HASH_DIGITS{64};
    if (wanted.empty()) return true;
    if (wanted.size() == HASH_DIGITS) {
        return std::ranges::equal(Within("--leaf", [&] { return ParseHex(wanted); }), leaf.hash.Bytes());
    }
    return number == Within("--leaf", [&] { return ParseNumber(wanted, SIZE_MAX); });
}

/** The leaves of an input that may be signed, with their numbers. One that has many places in the tree is there once: its signatures go
 *  into the same fields. */
std::vector<std::pair<size_t, wallet::PSBTLeaf>> LeavesToSign(const PartiallySignedTransaction& psbt, size_t n_in,
                                                              const std::string& wanted)
{
    std::vector<std::pair<size_t, wallet::PSBTLeaf>> chosen;
    if (wallet::IsFinal(psbt, n_in)) return chosen;
    std::set<uint256> known;
    auto leaves{wallet::Leaves(psbt, n_in)};
    for (size_t number = 0; number < leaves.size(); ++number) {
        auto& leaf{leaves[number]};
        if (leaf.version != TAPROOT_LEAF_TAPSCRIPT || !Means(wanted, number, leaf)) continue;
        if (known.insert(leaf.hash).second) chosen.emplace_back(number, std::move(leaf));
    }
    return chosen;
}

/** Whether there is a valid signature already, or one that nobody can judge. */
bool IsSigned(const PartiallySignedTransaction& psbt, size_t n_in, const wallet::PSBTLeaf& leaf, const LeafKey& key,
              const wallet::PSBTVerifier* verifier)
{
    const auto signature{wallet::GetSignature(psbt, n_in, leaf.hash, key)};
    return signature && (!verifier || verifier->SignatureError(n_in, leaf.hash, key, *signature).empty());
}

void AddSignable(Signable& signable, const PartiallySignedTransaction& psbt, const CMutableTransaction& tx, size_t n_in,
                 std::span<const std::shared_ptr<const KeyPair>> pairs, const std::string& wanted, const wallet::PSBTVerifier* verifier)
{
    for (const auto& [number, leaf] : LeavesToSign(psbt, n_in, wanted)) {
        const std::string why{wallet::LockTimeProblem(leaf.script, tx, n_in)};
        for (const auto& key : wallet::KeysOf(wallet::ReadLeafRecipe(leaf.script))) {
            const auto pair{std::ranges::find_if(pairs, [&](const auto& candidate) {
                return candidate->type == key.type && candidate->public_key == key.public_key;
            })};
            if (pair == pairs.end() || IsSigned(psbt, n_in, leaf, key, verifier)) continue;
            if (why.empty()) {
                signable.signatures.push_back({n_in, number, leaf.hash, key, wallet::RequestedHashType(psbt, n_in), *pair});
                continue;
            }
            const std::string place{InputName(n_in) + ", leaf " + std::to_string(number)};
            if (!wanted.empty()) throw InputError{place, why};
            signable.skipped.push_back(place + ": " + why);
            break;
        }
    }
}

/** Add a signature to an input wherever it is valid. @return how often */
size_t AddWhereValid(PartiallySignedTransaction& psbt, size_t n_in, const wallet::PSBTVerifier& verifier, const GivenSignature& given)
{
    size_t added{0};
    for (const auto& [number, leaf] : LeavesToSign(psbt, n_in, /*wanted=*/"")) {
        for (const auto& key : wallet::KeysOf(wallet::ReadLeafRecipe(leaf.script))) {
            const size_t size{wallet::SignatureSize(key.type)};
            if (key.public_key != given.public_key || (given.signature.size() != size && given.signature.size() != size + 1)) continue;
            auto signature{given.signature};
            const uint8_t requested{wallet::RequestedHashType(psbt, n_in)};
            if (signature.size() == size && requested != SIGHASH_DEFAULT) signature.push_back(requested);
            if (!verifier.SignatureError(n_in, leaf.hash, key, signature).empty()) continue;
            const uint8_t hash_type{wallet::SignatureHashType(key.type, signature)};
            if (PartiallySignedTransaction::Find(psbt.Inputs()[n_in], wallet::PSBT_IN_SIGHASH_TYPE) && hash_type != requested) {
                throw InputError{InputName(n_in), "the signature by " + HexStr(key.public_key) + " has hash type " +
                                                      HashTypeName(hash_type) + ", but the PSBT asks for " + HashTypeName(requested)};
            }
            wallet::AddSignature(psbt, n_in, leaf, key, signature);
            ++added;
        }
    }
    return added;
}

} // namespace

Signable SignableBy(const PartiallySignedTransaction& psbt, std::span<const std::shared_ptr<const KeyPair>> keys, const SignWhat& what)
{
    return WithPSBT([&] {
        Signable all;
        const auto verifier{wallet::PSBTVerifier::Make(psbt)};
        const CMutableTransaction tx{psbt.UnsignedTx()};
        for (size_t i = 0; i < psbt.Inputs().size(); ++i) {
            if (!what.input || *what.input == i) AddSignable(all, psbt, tx, i, keys, what.leaf, verifier ? &*verifier : nullptr);
        }
        return all;
    });
}

void MakeSignatures(PartiallySignedTransaction& psbt, const wallet::PSBTSignatureHasher& hasher,
                    std::span<const PSBTSignature> signatures)
{
    std::optional<size_t> read; // the input whose leaves these are
    std::vector<wallet::PSBTLeaf> leaves;
    for (const auto& signature : signatures) {
        if (read != signature.n_in) leaves = wallet::Leaves(psbt, *(read = signature.n_in));
        const auto& leaf{leaves.at(signature.leaf)};
        const auto hash{hasher.Hash(signature.n_in, leaf.hash, signature.key.type, signature.hash_type)};
        wallet::AddSignature(psbt, signature.n_in, leaf, signature.key, SignHash(*signature.pair, hash, signature.hash_type));
    }
}

std::vector<PSBTSignature> SignInput(PartiallySignedTransaction& psbt, size_t n_in, std::span<const std::shared_ptr<const KeyPair>> keys,
                                     uint8_t hash_type)
{
    return WithPSBT([&] {
        const wallet::PSBTVerifier verifier{psbt};
        Signable signable;
        AddSignable(signable, psbt, verifier.Hasher().Tx(), n_in, keys, "", &verifier);
        if (signable.signatures.empty() && !signable.skipped.empty()) throw InputError{signable.skipped[0]};
        for (auto& signature : signable.signatures) signature.hash_type = hash_type;
        MakeSignatures(psbt, verifier.Hasher(), signable.signatures);
        return signable.signatures;
    });
}

size_t AddGivenSignature(PartiallySignedTransaction& psbt, const GivenSignature& given, const std::set<uint8_t>& named)
{
    return WithPSBT([&] {
        const wallet::PSBTVerifier verifier{psbt};
        size_t added{0};
        for (size_t i = 0; i < psbt.Inputs().size(); ++i) {
            const size_t here{AddWhereValid(psbt, i, verifier, given)};
            if (here > 0) {
                const uint8_t hash_type{HashTypeOf(given, wallet::RequestedHashType(psbt, i))};
                RequireNamed(i, "the signature by " + HexStr(given.public_key) + " has", hash_type, named);
            }
            added += here;
        }
        if (added == 0) {
            throw InputError{"the signature by " + HexStr(given.public_key) + " is not valid for any leaf of this transaction"};
        }
        return added;
    });
}

void AddGivenSignatures(PartiallySignedTransaction& psbt, const SpendSpec& spec)
{
    WithPSBT([&] {
        const wallet::PSBTVerifier verifier{psbt};
        for (size_t i = 0; i < spec.inputs.size(); ++i) {
            for (const auto& given : spec.inputs[i].signatures) {
                if (AddWhereValid(psbt, i, verifier, given) > 0) continue;
                throw InputError{"input " + std::to_string(i),
                                 "the signature by " + HexStr(given.public_key) + " is not valid for its leaf in this transaction"};
            }
        }
    });
}

std::string OpenOutput(const PartiallySignedTransaction& psbt)
{
    for (size_t i = 0; i < psbt.Outputs().size(); ++i) {
        const std::string why{wallet::WhyAnyoneCanSpend(psbt, i)};
        if (!why.empty()) return PartiallySignedTransaction::Place(wallet::PSBTScope::OUTPUT, i) + ": " + why;
    }
    return "";
}

std::string Describe(const wallet::PSBTWrongField& wrong)
{
    return PartiallySignedTransaction::Place(wrong.scope, wrong.index) + ": " + wrong.why;
}

} // namespace slhc::tool
