// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_PQC_BATCH_H
#define SLHCONSENSUS_PQC_BATCH_H

#include <pqc/check.h>
#include <pqc/verifier.h>

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace slhc::slhdsa {

/** The result of Batch::Verify. */
enum class BatchResult {
    VALID,       //!< every check passes, or the batch is empty
    INVALID,     //!< at least one check fails
    INTERRUPTED, //!< the thread pool was interrupted: no verdict; the batch is as before the call
};

/** A verdict and the origin of its check. */
struct BatchVerdict {
    CheckOrigin origin;
    Verdict verdict;
};

/** Deferred signature checks, to be verified together: those of a caller's own batch, or those of a block.
 *
 *  A batch is open until it is verified: any number of threads may add checks. Verify() closes it and gives
 *  every check its verdict; from then on nothing can be added, and verifying again gives the same answer without
 *  computing anything. Clear() empties and reopens it. All functions may be called from any thread; no lock is held while signatures are
 *  verified. The only thing forbidden is to destroy a batch that another thread still uses. */
class Batch
{
public:
    explicit Batch(std::shared_ptr<Verifier> verifier);

    /** Add one check, or several: all of them, or none if it throws. Of several that were added, an empty vector is left.
     *  @return false, and nothing is added or moved from, if the batch is being or has been verified */
    [[nodiscard]] bool Add(SignatureCheck&& check);
    [[nodiscard]] bool Add(std::vector<SignatureCheck>&& checks);

    /** Verify every check. If another thread is already doing so, wait for its result.
     *  @throws std::bad_alloc; the batch is then as before the call */
    [[nodiscard]] BatchResult Verify();

    /** Empty the batch and reopen it.
     *  @return false, and nothing is changed, if it is being verified */
    [[nodiscard]] bool Clear();

    /** Whether checks can be added. */
    [[nodiscard]] bool IsOpen() const;
    [[nodiscard]] size_t Size() const;

    /** The lowest check (by origin) that did not verify; nothing before Verify() or if all did. */
    [[nodiscard]] std::optional<CheckOrigin> FirstFailure() const;

    /** The verdict of every check, in the order in which they were added; NONE before Verify(). */
    [[nodiscard]] std::vector<BatchVerdict> Verdicts() const;

    /** One of these verdicts; nothing if index >= Size(). */
    [[nodiscard]] std::optional<BatchVerdict> VerdictAt(size_t index) const;

    /** Call f(check, verdict) for every check of a verified batch, in the order of addition; does nothing if it is not verified. The batch
     *  is locked meanwhile, so f must not use it. */
    void ForEachVerdict(const std::function<void(const SignatureCheck&, Verdict)>& f) const;

private:
    enum class State { OPEN, VERIFYING, VERIFIED };

    BatchResult ResultLocked() const;
    BatchVerdict VerdictLocked(size_t index) const;
    void WaitWhileVerifying(std::unique_lock<std::mutex>& lock) const;

    const std::shared_ptr<Verifier> m_verifier;
    mutable std::mutex m_mutex;
    mutable std::condition_variable m_verified; //!< the state is no longer VERIFYING
    State m_state{State::OPEN};
    std::vector<SignatureCheck> m_checks;          //!< other threads leave it alone while VERIFYING
    std::vector<Verdict> m_verdicts;            //!< when VERIFIED, one for each check
    std::optional<CheckOrigin> m_first_failure;
};

} // namespace slhc::slhdsa

#endif // SLHCONSENSUS_PQC_BATCH_H
