// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_PQC_BATCH_H
#define SLHCONSENSUS_PQC_BATCH_H

#include <pqc/check.h>
#include <pqc/verifier.h>
#include <util/threadpool.h>

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
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

/** True if every check has its verdict. */
[[nodiscard]] constexpr bool HasVerdicts(BatchResult result) noexcept
{
    return result == BatchResult::VALID || result == BatchResult::INVALID;
}

/** A verdict and the ticket of its check. */
struct BatchVerdict {
    Ticket ticket;
    Verdict verdict;
};

/** Deferred signature checks, to be verified together: those of a caller's own batch, or those of a block.
 *
 *  A batch is open until it is verified: any number of threads may add checks. Verify() closes it and gives
 *  every check its verdict; from then on nothing can be added, and verifying again gives the same answer without
 *  computing anything. All functions may be called from any thread; no lock is held while signatures are
 *  verified. Only the destructor requires that no other thread uses the batch. */
class Batch final : private ThreadPool::Source
{
public:
    explicit Batch(std::shared_ptr<Verifier> verifier);
    /** Waits for the workers that are verifying ahead. */
    ~Batch() override;
    Batch(const Batch&) = delete;
    Batch& operator=(const Batch&) = delete;

    /** From now on, let idle workers of the pool verify checks of the open batch, on the CPU, while others are added. Verify() has less
     *  left to do, and nothing else changes. A worker takes Verifier::JOBS_AHEAD checks at a time; fewer than that stay for Verify().
     *  Nothing is verified ahead on a pool of one thread, or if all signatures are a device's.
     *  @throws std::bad_alloc; the batch is then as before the call */
    void VerifyAhead();

    /** True once VerifyAhead() was called; takes no lock. */
    [[nodiscard]] bool VerifiesAhead() const noexcept { return m_ahead; }

    /** Add one check, or several: all of them, or none if it throws. A vector that was added is empty afterwards.
     *  @return false, and nothing is added or moved from, if the batch is being or has been verified */
    [[nodiscard]] bool Add(SignatureCheck&& check);
    [[nodiscard]] bool Add(std::vector<SignatureCheck>&& checks);

    /** Verify every check. If another thread is already doing so, wait for its result.
     *  @param[out] first_failure  if INVALID, what FirstFailure() says; null: not wanted
     *  @throws std::bad_alloc; the batch is then as before the call */
    [[nodiscard]] BatchResult Verify(std::optional<Ticket>* first_failure = nullptr);

    /** True if checks can be added. */
    [[nodiscard]] bool IsOpen() const;
    [[nodiscard]] size_t Size() const;

    /** The lowest check (by ticket) that did not verify; nothing before Verify() or if all did. */
    [[nodiscard]] std::optional<Ticket> FirstFailure() const;

    /** The verdict of every check, in the order in which they were added; NONE before Verify(). */
    [[nodiscard]] std::vector<BatchVerdict> Verdicts() const;

    /** One of these verdicts; nothing if index >= Size(). */
    [[nodiscard]] std::optional<BatchVerdict> VerdictAt(size_t index) const;

    /** Call f(check, verdict) for every check of a verified batch, in the order of addition; does nothing if it is not verified. The batch
     *  is locked meanwhile, so f must not use it. */
    void ForEachVerdict(const std::function<void(const SignatureCheck&, Verdict)>& f) const;

private:
    enum class State { OPEN, VERIFYING, VERIFIED };

    [[nodiscard]] bool HasStep() const noexcept override { return m_has_group; }
    void TakeStep() noexcept override;

    void OfferLocked();
    void Added(std::unique_lock<std::mutex>& lock);
    [[nodiscard]] bool VerifyAll(std::vector<Verdict>& verdicts);
    BatchResult ResultLocked(std::optional<Ticket>* first_failure) const;
    BatchVerdict VerdictLocked(size_t index) const;
    void WaitWhileVerifying(std::unique_lock<std::mutex>& lock) const;

    const std::shared_ptr<Verifier> m_verifier;
    mutable std::mutex m_mutex;
    mutable std::condition_variable m_changed;  //!< the state is no longer VERIFYING, or no worker is verifying ahead
    State m_state{State::OPEN};
    std::optional<Ticket> m_first_failure;      //!< when VERIFIED
    std::deque<SignatureCheck> m_checks;        //!< none moves when others are added; other threads leave it alone while VERIFYING
    //! When VERIFIED, one for each check. Before, one for each of the first ones, which workers have taken; NONE while they are at it.
    std::vector<Verdict> m_verdicts;
    size_t m_at_work{0};                  //!< workers that are verifying ahead
    std::atomic<bool> m_ahead{false};     //!< VerifyAhead() was called
    std::atomic<bool> m_has_group{false}; //!< a worker could take some
};

} // namespace slhc::slhdsa

#endif // SLHCONSENSUS_PQC_BATCH_H
