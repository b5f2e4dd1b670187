// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_CONSENSUS_BLOCK_SCRIPTS_H
#define SLHCONSENSUS_CONSENSUS_BLOCK_SCRIPTS_H

#include <pqc/check.h>
#include <pqc/verifier.h>
#include <primitives/block.h>
#include <primitives/transaction.h>
#include <primitives/uint256.h>
#include <script/script_check.h>
#include <script/script_run.h>
#include <script/verify_flags.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

/** The scripts of a block: may every input spend its output? */
namespace slhc {

/** The time at which SLH-DSA signatures are verified. The result is the same. */
enum class SignatureTiming {
    EAGER,    //!< each separately, on the CPU, when its opcode runs
    DEFERRED, //!< all in the block together, when all scripts have run
};

struct BlockScriptOptions {
    SignatureTiming timing{SignatureTiming::DEFERRED};
    SignatureCacheUse cache{};
    const std::atomic<bool>* cancelled{nullptr}; //!< not null: once it is true, no further script is run
};

/** The first input, in block order, that may not spend its output. */
struct BlockScriptFailure {
    size_t tx_index;     //!< of the transaction in the block; the coinbase is 0
    uint256 txid;
    uint32_t input;      //!< index of the input in the transaction
    ScriptFailure where; //!< where and why it failed

    bool operator==(const BlockScriptFailure&) const = default;
};

enum class BlockScriptStatus {
    VALID,       //!< every script succeeded, and every signature is verified
    INVALID,
    INTERRUPTED, //!< the thread pool was interrupted, or the check cancelled: no verdict
};

struct BlockScriptResult {
    BlockScriptStatus status{BlockScriptStatus::INTERRUPTED};
    std::optional<BlockScriptFailure> failure; //!< if INVALID

    // The work done. If a block is invalid, these depend on the number of threads and on timing.
    size_t inputs{0};          //!< whose scripts were run
    size_t slhdsa_verified{0}; //!< SLH-DSA signatures that were verified, not counting those found in the cache
};

/** A block whose scripts have run. It is valid if nothing has failed and every check is valid. */
struct StagedBlock {
    std::optional<BlockScriptFailure> failure;  //!< the first of a script
    std::vector<slhdsa::SignatureCheck> checks; //!< deferred by scripts before it, in block order; the tag is the transaction's index
    size_t inputs{0};
    size_t slhdsa_verified{0};
};

/** @throws std::invalid_argument as VerifyBlockScripts does */
void CheckBlockScriptArguments(const CBlock& block, size_t n_spent, script_verify_flags flags);

/** The first half of VerifyBlockScripts, for callers that verify the signatures of several blocks together.
 *  @return nothing if it was interrupted or cancelled
 *  @throws as VerifyBlockScripts does */
[[nodiscard]] std::optional<StagedBlock> RunBlockScripts(const CBlock& block, std::span<const CTxOut> spent_outputs,
                                                         script_verify_flags flags, slhdsa::Verifier& verifier,
                                                         const BlockScriptOptions& options = {});

/** The second half: apply the verdict on one of its checks to a block. The checks may come in any order.
 *  @param[in,out] failure  the block's first so far; replaced if the check is not valid and comes before it */
void ApplyVerdict(const slhdsa::SignatureCheck& check, slhdsa::Verdict verdict, SignatureCacheUse cache,
                  std::optional<BlockScriptFailure>& failure);

/** Run the scripts of all inputs of every transaction except the first, on all threads of the verifier's pool. Deferred signatures go into
 *  one slhdsa::Batch, which is verified when all have run.
 *
 *  The reported failure does not depend on the timing, the number of threads, the backend or the cache: it is the first one that would be
 *  met if inputs ran one after another and each signature was verified at once. Only signatures that were verified, with a true verdict,
 *  enter the cache; they do so even if the block is invalid.
 *
 *  @param[in] spent_outputs  of the inputs, CountBlockInputs(block) of them, in the order of the block
 *  @param[in] flags          must be valid, see CheckFlags
 *  @throws std::invalid_argument if the number of spent outputs is wrong or flags are invalid; std::bad_alloc. There is no verdict then. */
[[nodiscard]] BlockScriptResult VerifyBlockScripts(const CBlock& block, std::span<const CTxOut> spent_outputs, script_verify_flags flags,
                                                   const std::shared_ptr<slhdsa::Verifier>& verifier,
                                                   const BlockScriptOptions& options = {});

} // namespace slhc

#endif // SLHCONSENSUS_CONSENSUS_BLOCK_SCRIPTS_H
