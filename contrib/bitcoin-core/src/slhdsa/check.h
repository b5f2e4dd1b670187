// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef BITCOIN_SLHDSA_CHECK_H
#define BITCOIN_SLHDSA_CHECK_H

#include <slhdsa/pubkey.h>
#include <uint256.h>

#include <cstdint>
#include <utility>
#include <vector>

/** An SLH-DSA signature that a script takes for valid, and that is still to be verified.
 *
 * A script with such checks is not valid before all of them are. It can be moved, but not copied: a signature has
 * almost 8 kB. */
struct SLHDSACheck {
    SLHDSAPubKey pubkey;
    uint256 sighash;
    //! Without hash type byte.
    std::vector<unsigned char> signature;
    //! Position of the opcode in the script, counted as for OP_CODESEPARATOR.
    uint32_t opcode_pos;

    SLHDSACheck(const SLHDSAPubKey& pubkey_in, const uint256& sighash_in, std::vector<unsigned char>&& signature_in, uint32_t opcode_pos_in)
        : pubkey{pubkey_in}, sighash{sighash_in}, signature{std::move(signature_in)}, opcode_pos{opcode_pos_in} {}
    SLHDSACheck(SLHDSACheck&&) = default;
    SLHDSACheck& operator=(SLHDSACheck&&) = default;

    bool Verify() const { return pubkey.VerifySLHDSA(sighash, signature); }
};

#endif // BITCOIN_SLHDSA_CHECK_H
