// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <tool/psbt_signer.h>

#include <script/taptree.h>
#include <tool/error.h>
#include <tool/psbt_file.h>
#include <tool/witness_plan.h>
#include <util/hex.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>

namespace slhc::tool {
namespace {

using wallet::LeafKey;
using wallet::PartiallySignedTransaction;

/** The keys of each leaf of an input that tapscript executes, without repetition. */
std::vector<std::pair<wallet::PSBTLeaf, std::set<LeafKey>>> LeavesAndKeys(const PartiallySignedTransaction& psbt, size_t n_in)
{
    std::vector<std::pair<wallet::PSBTLeaf, std::set<LeafKey>>> found;
    for (auto& leaf : wallet::Leaves(psbt, n_in)) {
        if (leaf.version != TAPROOT_LEAF_TAPSCRIPT) continue;
        std::set<LeafKey> keys;
        for (const auto& condition : wallet::ReadLeafRecipe(leaf.script).conditions) {
            if (const auto* const signatures{std::get_if<wallet::LeafSignatures>(&condition)}) {
                keys.insert(signatures->keys.begin(), signatures->keys.end());
            }
        }
        found.emplace_back(std::move(leaf), std::move(keys));
    }
    return found;
}

std::vector<PSBTSignature> SignableInput(const PartiallySignedTransaction& psbt, size_t n_in,
                                         std::span<const std::shared_ptr<const KeyPair>> pairs)
{
    std::vector<PSBTSignature> signable;
    if (wallet::IsFinal(psbt, n_in)) return signable;
    for (const auto& [leaf, keys] : LeavesAndKeys(psbt, n_in)) {
        for (const auto& key : keys) {
            const auto pair{std::ranges::find_if(pairs, [&](const auto& candidate) {
                return candidate->type == key.type && candidate->public_key == key.public_key;
            })};
            if (pair == pairs.end() || wallet::GetSignature(psbt, n_in, leaf.hash, key)) continue;
            signable.push_back({n_in, leaf.hash, key, wallet::RequestedHashType(psbt, n_in), *pair});
        }
    }
    return signable;
}

/** Add a signature to an input wherever it is valid. @return how often */
size_t AddWhereValid(PartiallySignedTransaction& psbt, size_t n_in, const wallet::PSBTSignatureHasher& hasher, const GivenSignature& given)
{
    size_t added{0};
    if (wallet::IsFinal(psbt, n_in)) return added;
    for (const auto& [leaf, keys] : LeavesAndKeys(psbt, n_in)) {
        for (const auto& key : keys) {
            const size_t size{wallet::SignatureSize(key.type)};
            if (key.public_key != given.public_key || (given.signature.size() != size && given.signature.size() != size + 1)) continue;
            auto signature{given.signature};
            const uint8_t requested{wallet::RequestedHashType(psbt, n_in)};
            if (signature.size() == size && requested != SIGHASH_DEFAULT) signature.push_back(requested);
            const auto hash{hasher.Hash(n_in, leaf.hash, key.type, wallet::SignatureHashType(key.type, signature))};
            if (!VerifyLeafSignature(key, hash, std::span{signature}.first(size))) continue;
            wallet::AddSignature(psbt, n_in, leaf.hash, key, signature);
            ++added;
        }
    }
    return added;
}

} // namespace

std::vector<PSBTSignature> SignableBy(const PartiallySignedTransaction& psbt, std::span<const std::shared_ptr<const KeyPair>> keys)
{
    return WithPSBT([&] {
        std::vector<PSBTSignature> all;
        for (size_t i = 0; i < psbt.Inputs().size(); ++i) {
            auto signable{SignableInput(psbt, i, keys)};
            all.insert(all.end(), signable.begin(), signable.end());
        }
        return all;
    });
}

size_t SignInput(PartiallySignedTransaction& psbt, size_t n_in, std::span<const std::shared_ptr<const KeyPair>> keys, uint8_t hash_type)
{
    return WithPSBT([&] {
        const wallet::PSBTSignatureHasher hasher{psbt};
        const auto signable{SignableInput(psbt, n_in, keys)};
        for (const auto& [n, leaf_hash, key, requested, pair] : signable) {
            wallet::AddSignature(psbt, n, leaf_hash, key, SignHash(*pair, hasher.Hash(n, leaf_hash, key.type, hash_type), hash_type));
        }
        return signable.size();
    });
}

size_t AddGivenSignature(PartiallySignedTransaction& psbt, const GivenSignature& given)
{
    return WithPSBT([&] {
        const wallet::PSBTSignatureHasher hasher{psbt};
        size_t added{0};
        for (size_t i = 0; i < psbt.Inputs().size(); ++i) added += AddWhereValid(psbt, i, hasher, given);
        if (added == 0) {
            throw InputError{"the signature by " + HexStr(given.public_key) + " is not valid for any leaf of this transaction"};
        }
        return added;
    });
}

void AddGivenSignatures(PartiallySignedTransaction& psbt, const SpendSpec& spec)
{
    WithPSBT([&] {
        const wallet::PSBTSignatureHasher hasher{psbt};
        for (size_t i = 0; i < spec.inputs.size(); ++i) {
            for (const auto& given : spec.inputs[i].signatures) {
                if (AddWhereValid(psbt, i, hasher, given) > 0) continue;
                throw InputError{"input " + std::to_string(i),
                                 "the signature by " + HexStr(given.public_key) + " is not valid for its leaf in this transaction"};
            }
        }
    });
}

bool VerifyLeafSignature(const LeafKey& key, const uint256& hash, std::span<const uint8_t> signature)
{
    return VerifyMessage(key.type, key.public_key, hash.Bytes(), {}, signature);
}

void CheckAllSignatures(const PartiallySignedTransaction& psbt)
{
    for (size_t i = 0; i < psbt.Inputs().size(); ++i) {
        if (!psbt.SpentOutput(i)) return;
    }
    WithPSBT([&] {
        const wallet::PSBTSignatureHasher hasher{psbt};
        for (size_t i = 0; i < psbt.Inputs().size(); ++i) {
            const auto why{wallet::CheckSignatures(psbt, i, hasher, VerifyLeafSignature)};
            if (!why.empty()) throw InputError{"input " + std::to_string(i), why};
        }
    });
}

} // namespace slhc::tool
