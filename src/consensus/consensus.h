// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_CONSENSUS_CONSENSUS_H
#define SLHCONSENSUS_CONSENSUS_CONSENSUS_H

#include <pqc/slhdsa/params.h>
#include <primitives/transaction.h> // WITNESS_SCALE_FACTOR

#include <cstddef>
#include <cstdint>

/** The limits of a block, under Bitcoin Core's names. */
namespace slhc {

/** The maximum weight of a block (BIP 141). */
inline constexpr int64_t MAX_BLOCK_WEIGHT{4'000'000};
/** The maximum number of signature operations in a block; those outside a version 0 witness count WITNESS_SCALE_FACTOR times (BIP 141).
 *  Tapscript's do not count; the weight of witnesses bounds them. */
inline constexpr int64_t MAX_BLOCK_SIGOPS_COST{80'000};

/** Size of the scriptSig of a coinbase, in bytes. */
inline constexpr size_t MIN_COINBASE_SCRIPT_SIZE{2};
inline constexpr size_t MAX_COINBASE_SCRIPT_SIZE{100};

/** Each SLH-DSA verification consumes its own signature from a witness: its bytes and the three bytes of its length. Hence a block has at
 *  most this many, whatever its scripts do. */
inline constexpr size_t SERIALIZED_SLHDSA_SIGNATURE_SIZE{slhdsa::SIGNATURE_SIZE + 3};
inline constexpr size_t MAX_BLOCK_SLHDSA_VERIFICATIONS{MAX_BLOCK_WEIGHT / SERIALIZED_SLHDSA_SIGNATURE_SIZE};
static_assert(MAX_BLOCK_SLHDSA_VERIFICATIONS == 508);

} // namespace slhc

#endif // SLHCONSENSUS_CONSENSUS_CONSENSUS_H
