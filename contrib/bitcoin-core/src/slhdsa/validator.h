// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef BITCOIN_SLHDSA_VALIDATOR_H
#define BITCOIN_SLHDSA_VALIDATOR_H

#include <script/verify_flags.h>
#include <slhdsa/program.h>
#include <util/result.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

class BlockValidationState;
class CBlock;
class CTransaction;
struct PrecomputedTransactionData;
struct slhc_context;

namespace slhdsa {

/** What a node's owner may choose. */
struct Options {
    std::string backend{"auto"};      //!< as slhconsensus.h has it
    unsigned int threads{1};          //!< that verify a batch, the calling one included
    bool defer{true};                 //!< a block's signatures together, instead of one by one
    std::string cache_dir;            //!< for calibration and pipelines; empty: nothing is kept
    size_t signature_cache_bytes{0};  //!< 0: no cache
};

/** What has been done since the start. */
struct Statistics {
    uint64_t inputs_verified{0};      //!< inputs judged at once
    uint64_t inputs_deferred{0};      //!< inputs of which at least one signature went to a batch
    uint64_t inputs_us{0};            //!< time in the module for both, over all threads
    uint64_t batches{0};              //!< batches verified
    uint64_t batches_invalid{0};      //!< of these, with an invalid signature
    uint64_t batch_signatures{0};     //!< in these batches
    uint64_t batch_us{0};             //!< time for these batches
    uint64_t last_batch_signatures{0};
    uint64_t last_batch_us{0};
    uint64_t no_verdicts{0};          //!< calls that ended without a verdict
};

/** The module inside the node. One for each ValidationCache, since it has a cache of valid signatures; made with default
 *  options by the first transaction that needs it, unless it was started before. */
class Validator
{
public:
    Validator();
    ~Validator();

    Validator(const Validator&) = delete;
    Validator& operator=(const Validator&) = delete;

    /** Make the module's context now. To be called once, before anything is validated. */
    [[nodiscard]] util::Result<void> Start(const Options& options);

    /** Give a transaction's data what judges the inputs that the interpreter will hand over, if there are any. Called where
     *  the spent outputs are known and before any of its scripts runs.
     *  @param[in] may_defer  false if the caller takes the result of these checks as final, or caches it */
    void Prepare(const CTransaction& tx, script_verify_flags flags, bool may_defer, PrecomputedTransactionData& txdata);

    /** The context, or null if it was not needed yet. Valid as long as this object. */
    [[nodiscard]] slhc_context* Context() const;
    [[nodiscard]] const Options& GetOptions() const;
    [[nodiscard]] Statistics GetStatistics() const;

private:
    friend class BlockBatch;
    friend class ModuleTxVerifier;
    struct State;
    std::unique_ptr<State> m_state;
};

/** The deferred signatures of one block: to be declared before the scripts are run, and verified when all have. Until Verify
 *  has returned true, nothing is known of them. */
class BlockBatch
{
public:
    explicit BlockBatch(Validator& validator);
    ~BlockBatch();

    BlockBatch(const BlockBatch&) = delete;
    BlockBatch& operator=(const BlockBatch&) = delete;

    /** Verify what was deferred, and put the first failure into the state. Checks what the scripts said, too: whether any
     *  of them ended without a verdict.
     *  @param[in] in_order  the transactions were checked one after the other, so that an invalid signature comes before
     *                       whatever else made the state invalid; otherwise the state's own reason stands
     *  @return false if there is no verdict (lack of memory): the block is neither valid nor invalid */
    [[nodiscard]] bool Verify(const CBlock& block, bool in_order, BlockValidationState& state);

private:
    friend class Validator;
    friend class ModuleTxVerifier;
    struct State;
    Validator& m_validator;
    std::unique_ptr<State> m_state;
};

} // namespace slhdsa

#endif // BITCOIN_SLHDSA_VALIDATOR_H
