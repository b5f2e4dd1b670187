// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_CONSENSUS_BLOCK_SCRIPTS_H
#define SLHCONSENSUS_CONSENSUS_BLOCK_SCRIPTS_H

#include <pqc/verifier.h>
#include <primitives/block.h>
#include <primitives/transaction.h>
#include <primitives/uint256.h>
#include <script/script_check.h>
#include <script/script_run.h>
#include <script/verify_flags.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

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
};

/** The first input, in block order, that may not spend its output. */
struct BlockScriptFailure {
    size_t tx_index;     //!< of the transaction in the block; the coinbase is 0
    uint32_t input;      //!< index of the input in the transaction
    ScriptFailure where; //!< where and why it failed

    bool operator==(const BlockScriptFailure&) const = default;
};

enum class BlockScriptStatus {
    VALID,       //!< every script succeeded, and every signature is verified
    INVALID,
    INTERRUPTED, //!< the thread pool was interrupted: no verdict
};

struct BlockScriptResult {
    BlockScriptStatus status{BlockScriptStatus::INTERRUPTED};
    std::optional<BlockScriptFailure> failure; //!< if INVALID

    // The work done. If a block is invalid, these depend on the number of threads and on timing.
    size_t inputs{0};          //!< whose scripts were run
    size_t slhdsa_verified{0}; //!< SLH-DSA signatures that were verified, not counting those found in the cache
};

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
