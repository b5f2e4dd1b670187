// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_CONSENSUS_BLOCK_CHECK_H
#define SLHCONSENSUS_CONSENSUS_BLOCK_CHECK_H

#include <consensus/validation.h>
#include <primitives/block.h>
#include <primitives/transaction.h>
#include <script/verify_flags.h>

#include <cstddef>
#include <span>

/** The rules for a block as far as they need no chain: neither the headers before it nor the height. Proof of work,
 *  timestamps, lock times (nLockTime and BIP 68), the height in the coinbase, that no unspent output is overwritten
 *  (BIP 30), the subsidy, the maturity of earlier blocks' coinbases and a signet's solution are the caller's. */
namespace slhc {

/** Everything that the block's bytes alone decide: the merkle root and that it is no mutation's, sizes, the place of
 *  the coinbase, each transaction by CheckTransaction, legacy signature operations, the witness commitment and the
 *  weight. In Bitcoin Core's order (CheckBlock, then ContextualCheckBlock), with its reject reasons and results.
 *  @param[in] flags  with SCRIPT_VERIFY_WITNESS, segwit (BIP 141) is active; without, no transaction may have a witness */
[[nodiscard]] bool CheckBlockStructure(const CBlock& block, script_verify_flags flags, BlockValidationState& state);

/** How many spent outputs the functions below expect: one for each input of each transaction but the first. */
[[nodiscard]] size_t CountBlockInputs(const CBlock& block);

/** What the spent outputs decide beside the scripts: that no output is spent twice, none before it is made, none that
 *  is unspendable and hence in no set of coins, and none of this block's coinbase; that every transaction pays for its
 *  outputs; and the signature operations of the block. In Bitcoin Core's order (ConnectBlock) and with its reject
 *  reasons. The coinbase's value is not looked at.
 *  @pre  CheckBlockStructure found the block valid
 *  @param[in] spent_outputs  CountBlockInputs(block) of them, in the order of the block
 *  @throws std::invalid_argument if a spent output is not the one that the block itself makes: the caller's mistake,
 *          which says nothing of the block */
[[nodiscard]] bool CheckBlockInputs(const CBlock& block, std::span<const CTxOut> spent_outputs, script_verify_flags flags, BlockValidationState& state);

} // namespace slhc

#endif // SLHCONSENSUS_CONSENSUS_BLOCK_CHECK_H
