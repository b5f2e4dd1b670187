// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef BITCOIN_SLHDSA_PSBT_H
#define BITCOIN_SLHDSA_PSBT_H

#include <slhdsa/pubkey.h>
#include <uint256.h>

#include <optional>
#include <utility>
#include <vector>

struct PSBTInput;
struct PSBTProprietary;
struct SignatureData;

/** A (partial) SLH-DSA signature of a leaf script in a PSBT.
 *
 * It travels as a proprietary field of the input. Its key is
 *   0xFC || 0x06 || "slhdsa" || 0x00 || SLH-DSA public key (32 bytes) || TapLeaf hash (32 bytes),
 * where 0x06 is the size of the identifier and 0x00 the subtype, and its value is the signature as the witness has it:
 * 7856 bytes, or 7857 with a hash type. */
struct SLHDSAPartialSig {
    std::pair<SLHDSAPubKey, uint256> pubkey_leaf;
    std::vector<unsigned char> sig;

    PSBTProprietary ToProprietary() const;
    /** Nothing if the field is of another kind, or malformed. */
    static std::optional<SLHDSAPartialSig> FromProprietary(const PSBTProprietary& field);
};

/** All of them in an input. */
std::vector<SLHDSAPartialSig> GetSLHDSAPartialSigs(const PSBTInput& input);

/** Take all of them away: another transaction's signatures, or those that the final witness has. */
void ClearSLHDSAPartialSigs(PSBTInput& input);

#endif // BITCOIN_SLHDSA_PSBT_H
