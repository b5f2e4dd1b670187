// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef BITCOIN_SLHDSA_BATCH_H
#define BITCOIN_SLHDSA_BATCH_H

#include <cstddef>
#include <memory>
#include <vector>

class SLHDSAVerifier;
struct SLHDSACheck;
struct slhc_batch;

/** The deferred SLH-DSA signatures of one block.
 *
 * Deferred is not verified: whatever depends on these signatures is undecided until Verify() has returned VALID. */
class SLHDSABatch
{
public:
    enum class Result {
        VALID,   //!< every signature is valid, or there are none
        INVALID, //!< at least one is not
        FAILED,  //!< no verdict, for lack of memory
    };

    /** An input of a block. */
    struct Input {
        size_t tx_index;
        unsigned int n_in;
    };

    explicit SLHDSABatch(const SLHDSAVerifier& verifier);
    ~SLHDSABatch();

    SLHDSABatch(const SLHDSABatch&) = delete;
    SLHDSABatch& operator=(const SLHDSABatch&) = delete;

    /** Add the checks of an input whose script has succeeded. May be called from several threads at once, but not after Verify().
     *  @return false if one of them is known to be invalid: when there is no memory to add one, it is verified now */
    [[nodiscard]] bool Add(std::vector<SLHDSACheck>&& checks, const Input& input);

    /** Verify all of them.
     *  @param[out] failure  for INVALID, the first input of the block with an invalid signature */
    [[nodiscard]] Result Verify(Input& failure);

    /** The number of checks that were added. */
    size_t Size() const;

private:
    struct Deleter {
        void operator()(slhc_batch* batch) const;
    };

    const SLHDSAVerifier& m_verifier;
    const std::unique_ptr<slhc_batch, Deleter> m_batch; //!< null if there was no memory for it
};

#endif // BITCOIN_SLHDSA_BATCH_H
