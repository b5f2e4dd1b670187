// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TOOL_PSBT_SIGNER_H
#define SLHCONSENSUS_TOOL_PSBT_SIGNER_H

#include <tool/keys.h>
#include <tool/spend_spec.h>
#include <wallet/psbt.h>
#include <wallet/psbt_roles.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace slhc::tool {

/** A signature of a PSBT that is there, or is to be made. */
struct PSBTSignature {
    size_t n_in;
    uint256 leaf_hash;
    wallet::LeafKey key;
    uint8_t hash_type;
    std::shared_ptr<const KeyPair> pair{}; //!< who is to make it
};

/** Which signatures these keys can add: for each leaf that asks for one of them and lacks its signature.
 *  @throws InputError */
std::vector<PSBTSignature> SignableBy(const wallet::PartiallySignedTransaction& psbt, std::span<const std::shared_ptr<const KeyPair>> keys);

/** Add what these keys can sign of an input. @return how many signatures
 *  @throws InputError */
size_t SignInput(wallet::PartiallySignedTransaction& psbt, size_t n_in, std::span<const std::shared_ptr<const KeyPair>> keys,
                 uint8_t hash_type);

/** Add a signature that somebody else made, wherever a leaf asks for its key and it is valid. @return how often
 *  @throws InputError if it is valid nowhere */
size_t AddGivenSignature(wallet::PartiallySignedTransaction& psbt, const GivenSignature& given);
/** Those of a spec; each is for its input. @throws InputError */
void AddGivenSignatures(wallet::PartiallySignedTransaction& psbt, const SpendSpec& spec);

/** Verify a signature as wallet::CheckSignatures wants it. */
bool VerifyLeafSignature(const wallet::LeafKey& key, const uint256& hash, std::span<const uint8_t> signature);

/** @throws InputError naming the first signature that is not valid. Where a spent output is not known, nothing can be verified. */
void CheckAllSignatures(const wallet::PartiallySignedTransaction& psbt);

} // namespace slhc::tool

#endif // SLHCONSENSUS_TOOL_PSBT_SIGNER_H
