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

/** What Batch::Verify says. */
enum class BatchResult {
    VALID,       //!< every check passes; so for an empty batch
    INVALID,     //!< at least one does not
    INTERRUPTED, //!< the thread pool was interrupted: nothing may be concluded, the batch is as before the call
};

/** A verdict and whose it is. */
struct BatchVerdict {
    CheckOrigin origin;
    Verdict verdict;
};

/** Signature checks that were put off, to be verified together: those of a caller's own batch, and those of a block.
 *
 *  A batch is open until it is verified: checks are added from any number of threads. Verify() closes it and gives
 *  every check its verdict; from then on nothing can be added, and verifying again gives the same answer without
 *  computing anything. Clear() empties and opens it again. All functions may be called from any thread; no lock is
 *  held while signatures are verified. Destroying a batch that another thread still uses is the one thing forbidden. */
class Batch
{
public:
    explicit Batch(std::shared_ptr<Verifier> verifier);

    /** Add one check, or all of several (or none, if it throws).
     *  @return false, and nothing is added or moved from, if the batch is being or has been verified */
    [[nodiscard]] bool Add(SignatureCheck&& check);
    [[nodiscard]] bool Add(std::vector<SignatureCheck>&& checks);

    /** Drop every check that comes after this place: for a caller that knows of a failure there, so that what comes later
     *  cannot matter. @return false, and nothing is dropped, if the batch is being or has been verified */
    [[nodiscard]] bool DropAfter(const CheckOrigin& place);

    /** Verify every check. If another thread is at it, its result is waited for.
     *  @throws std::bad_alloc; the batch is then as before the call */
    [[nodiscard]] BatchResult Verify();

    /** Empty the batch and open it.
     *  @return false if it is being verified: nothing is changed */
    [[nodiscard]] bool Clear();

    /** Whether checks can be added. */
    [[nodiscard]] bool IsOpen() const;
    [[nodiscard]] size_t Size() const;

    /** The lowest check (by origin) that did not verify; nothing before Verify() or if there is none. */
    [[nodiscard]] std::optional<CheckOrigin> FirstFailure() const;

    /** The verdict of every check, in the order in which they were added; NONE before Verify(). */
    [[nodiscard]] std::vector<BatchVerdict> Verdicts() const;

    /** One of these verdicts; nothing if index >= Size(). */
    [[nodiscard]] std::optional<BatchVerdict> VerdictAt(size_t index) const;

    /** Call f(check, verdict) for every check of a verified batch, in the order of addition; for none of another one.
     *  The batch is locked meanwhile: f must not call it. */
    void ForEachVerdict(const std::function<void(const SignatureCheck&, Verdict)>& f) const;

private:
    enum class State { OPEN, VERIFYING, VERIFIED };

    BatchResult ResultLocked() const;
    BatchVerdict VerdictLocked(size_t index) const;
    void WaitWhileVerifying(std::unique_lock<std::mutex>& lock) const;

    const std::shared_ptr<Verifier> m_verifier;
    mutable std::mutex m_mutex;
    mutable std::condition_variable m_verified; //!< the state is VERIFYING no more
    State m_state{State::OPEN};
    std::vector<SignatureCheck> m_checks;          //!< not touched by others while VERIFYING
    std::vector<Verdict> m_verdicts;            //!< when VERIFIED, one for each check
    std::optional<CheckOrigin> m_first_failure;
};

} // namespace slhc::slhdsa

#endif // SLHCONSENSUS_PQC_BATCH_H
