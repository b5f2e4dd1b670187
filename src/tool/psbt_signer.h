// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TOOL_PSBT_SIGNER_H
#define SLHCONSENSUS_TOOL_PSBT_SIGNER_H

#include <tool/keys.h>
#include <tool/spend_spec.h>
#include <wallet/psbt.h>
#include <wallet/psbt_signatures.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace slhc::tool {

/** A signature of a PSBT that is to be made. */
struct PSBTSignature {
    size_t n_in;
    size_t leaf; //!< its number among the input's leaves, as wallet::Leaves has them; the first of several
    uint256 leaf_hash;
    wallet::LeafKey key;
    uint8_t hash_type;
    std::shared_ptr<const KeyPair> pair; //!< who is to make it
};

/** What of a PSBT is to be signed. */
struct SignWhat {
    std::optional<size_t> input; //!< none: all
    std::string leaf;            //!< its number, or its TapLeaf hash in hex; empty: every leaf that the transaction can spend
};

/** What keys can do for a PSBT. */
struct Signable {
    std::vector<PSBTSignature> signatures;
    std::vector<std::string> skipped; //!< leaves that ask for a key, but that this transaction cannot spend: which and why
};

/** Which signatures these keys can add: for each leaf that asks for one of them and lacks its signature, or has one that is not valid.
 *  @throws InputError also for a leaf that was named and that the transaction cannot spend */
Signable SignableBy(const wallet::PartiallySignedTransaction& psbt, std::span<const std::shared_ptr<const KeyPair>> keys,
                    const SignWhat& what);

/** Make them, and add them.
 *  @param[in] signatures  from SignableBy, for the same leaves
 *  @throws wallet::PSBTError */
void MakeSignatures(wallet::PartiallySignedTransaction& psbt, const wallet::PSBTSignatureHasher& hasher,
                    std::span<const PSBTSignature> signatures);

/** Add what these keys can sign of an input. @return the signatures that were made
 *  @throws InputError */
std::vector<PSBTSignature> SignInput(wallet::PartiallySignedTransaction& psbt, size_t n_in,
                                     std::span<const std::shared_ptr<const KeyPair>> keys, uint8_t hash_type);

/** Add a signature that somebody else made, wherever a leaf asks for its key and it is valid. @return how often
 *  @param[in] named  hash types, see RequireNamed
 *  @throws InputError if it is valid nowhere */
size_t AddGivenSignature(wallet::PartiallySignedTransaction& psbt, const GivenSignature& given, const std::set<uint8_t>& named);
/** Those of a spec, whose hash types are those that are meant; each is for its input. @throws InputError */
void AddGivenSignatures(wallet::PartiallySignedTransaction& psbt, const SpendSpec& spec);

/** The first output that looks like one of ours and that anyone can spend, and why, so that nobody should sign; empty if there is none. */
std::string OpenOutput(const wallet::PartiallySignedTransaction& psbt);

/** "input 0: the signature by ... is not valid for this transaction". */
std::string Describe(const wallet::PSBTWrongField& wrong);

} // namespace slhc::tool

#endif // SLHCONSENSUS_TOOL_PSBT_SIGNER_H
