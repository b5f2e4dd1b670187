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

/** The rules for a block that do not depend on the chain, i.e. on earlier headers or the height. The caller must check proof of work,
 *  timestamps, lock times (nLockTime and BIP 68), the height in the coinbase, that no unspent output is overwritten (BIP 30), the subsidy,
 *  the maturity of earlier blocks' coinbases and a signet's solution. */
namespace slhc {

/** Everything that depends only on the block's bytes: the merkle root and the absence of mutations, sizes, the place of the coinbase, each
 *  transaction by CheckTransaction, legacy signature operations, the witness commitment and the weight. In Bitcoin Core's order
 *  (CheckBlock, then ContextualCheckBlock), with its reject reasons and results; the result for a block without a coinbase is also that of
 *  IsBlockMutated.
 *  @param[in] flags  with SCRIPT_VERIFY_WITNESS, segwit (BIP 141) is active; without it, no transaction may have a witness */
[[nodiscard]] bool CheckBlockStructure(const CBlock& block, script_verify_flags flags, BlockValidationState& state);

/** The number of spent outputs that the functions below expect: one for each input of each transaction except the first. */
[[nodiscard]] size_t CountBlockInputs(const CBlock& block);

/** The rules on spent outputs, apart from the scripts: no output is spent twice, before it is created, or although it is unspendable (and
 *  hence never in the set of coins); no output of this block's coinbase is spent; every transaction pays for its outputs; and the limit on
 *  the block's signature operations. In Bitcoin Core's order (ConnectBlock) and with its reject reasons. The coinbase's
 *  value is not checked.
 *  @pre  CheckBlockStructure found the block valid
 *  @param[in] spent_outputs  CountBlockInputs(block) of them, in the order of the block
 *  @throws std::invalid_argument if the block itself creates an output and a spent output differs from it: the caller's mistake, which says
 *          nothing about the block */
[[nodiscard]] bool CheckBlockInputs(const CBlock& block, std::span<const CTxOut> spent_outputs, script_verify_flags flags,
                                    BlockValidationState& state);

} // namespace slhc

#endif // SLHCONSENSUS_CONSENSUS_BLOCK_CHECK_H
