// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_CONSENSUS_BLOCK_QUEUE_H
#define SLHCONSENSUS_CONSENSUS_BLOCK_QUEUE_H

#include <consensus/block_scripts.h>
#include <pqc/batch.h>
#include <pqc/verifier.h>
#include <primitives/block.h>
#include <primitives/transaction.h>
#include <script/sigcache.h>
#include <script/verify_flags.h>
#include <util/threadpool.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace slhc {

/** A block as a queue takes it. */
struct QueuedBlock {
    CBlock block;
    std::vector<CTxOut> spent_outputs; //!< CountBlockInputs(block) of them, in the order of the block
    script_verify_flags flags;
    SignatureCacheUse cache{};
    uint64_t tag{0};   //!< the caller's; comes back with the verdict
    size_t bytes{0};   //!< its share of BlockQueueLimits::bytes
};

/** A queue that has reached one of these takes no further block. So it holds at most this many blocks, and this many bytes plus one
 *  block. */
struct BlockQueueLimits {
    size_t blocks{32};
    size_t bytes{size_t{256} << 20};
    size_t signatures{0}; //!< of a batch; one that has as many is verified at once. 0: enough to keep all threads busy
};

/** Verifies the scripts and signatures of blocks ahead of each other, for a node that reads a chain from disk: while one block's verdict
 *  is awaited, idle threads run the scripts of the blocks behind it, and SLH-DSA signatures of several blocks are verified in one batch.
 *  Verdicts come in the order of addition, and each is that of VerifyBlockScripts for this block alone.
 *
 *  Work goes on in the workers of the verifier's pool between calls, and in the calling thread during Next(). A failure in a worker (no
 *  memory) is reported only if it happens again when Next() repeats the work for its own verdict.
 *
 *  Any number of threads may add at once, also while another one asks for verdicts; only one thread may be in Next() or Clear(). Nothing is
 *  locked while scripts run or signatures are verified. */
class BlockQueue final : private ThreadPool::Source
{
public:
    /** @throws std::bad_alloc */
    explicit BlockQueue(std::shared_ptr<slhdsa::Verifier> verifier, const BlockQueueLimits& limits = {});
    /** Drops what is in it, once the workers have left. */
    ~BlockQueue() override;
    BlockQueue(const BlockQueue&) = delete;
    BlockQueue& operator=(const BlockQueue&) = delete;

    enum class AddStatus { ADDED, FULL };

    /** Add a block. Its scripts may begin to run at once.
     *  @return FULL: nothing was added or moved from
     *  @throws std::invalid_argument as VerifyBlockScripts does; std::bad_alloc. Nothing was added then. */
    [[nodiscard]] AddStatus Add(QueuedBlock&& block);

    struct Verdict {
        uint64_t tag;
        BlockScriptResult result; //!< if INTERRUPTED, the block is still in the queue
    };

    enum class NextStatus {
        VERDICT,
        EMPTY, //!< there is no block in the queue
        BUSY,  //!< another thread is in Next() or Clear()
    };

    /** Wait for the verdict on the first block, working on it meanwhile, and remove the block.
     *  @param[out] verdict  if VERDICT
     *  @throws std::bad_alloc; the block is then still in the queue, and the next call tries again */
    [[nodiscard]] NextStatus Next(std::optional<Verdict>& verdict);

    /** Drop every block. @return false, and nothing is dropped, if another thread is in Next() or Clear() */
    [[nodiscard]] bool Clear();

    [[nodiscard]] size_t Size() const;
    [[nodiscard]] bool IsFull() const;

private:
    enum class State {
        WAITING, //!< its scripts have not run
        RUNNING, //!< a thread is running them
        STAGED,  //!< its signatures are in a group
        DECIDED,
    };
    struct Group;
    struct Entry {
        QueuedBlock content; //!< its block and outputs are freed when the scripts have run
        State state{State::WAITING};
        std::shared_ptr<Group> group; //!< if STAGED
        BlockScriptResult result;     //!< if STAGED: without the signatures; if DECIDED: the verdict
    };
    class AtWork;
    class Turn;

    [[nodiscard]] bool HasStep() const noexcept override { return m_steps > 0 && !m_cancelled; }
    void TakeStep() noexcept override;

    [[nodiscard]] bool IsFullLocked() const { return m_entries.size() >= m_limits.blocks || m_bytes >= m_limits.bytes; }
    void ClaimLocked(Entry& entry);
    static void Decide(Entry& entry);
    void StageLocked(Entry& entry, std::vector<slhdsa::SignatureCheck>&& checks);
    void Work(Entry& entry);
    [[nodiscard]] std::shared_ptr<Group> RunScripts(Entry& entry);
    void Verify(Group& group);
    void Advance(std::unique_lock<std::mutex>& lock);
    void WaitForChange(std::unique_lock<std::mutex>& lock);
    void Changed() noexcept;

    const std::shared_ptr<slhdsa::Verifier> m_verifier;
    ThreadPool& m_pool;
    const BlockQueueLimits m_limits;

    std::atomic<size_t> m_steps{0};       //!< blocks whose scripts any thread may run: those from m_unclaimed on
    std::atomic<uint64_t> m_changes{0};   //!< of the members below; a waiting thread waits for the next change
    std::atomic<bool> m_cancelled{false}; //!< everything in the queue is about to be dropped

    mutable std::mutex m_mutex;    //!< guards the members below; the pool's own lock is never taken under it
    std::list<Entry> m_entries;    //!< in order of addition; the first is the next to be asked for
    //! The first block that no thread has begun. A WAITING block before it could not be run ahead, and waits for its turn.
    std::list<Entry>::iterator m_unclaimed{m_entries.end()};
    std::shared_ptr<Group> m_open; //!< takes the next staged block; null: there is none yet
    size_t m_bytes{0};
    size_t m_at_work{0};           //!< threads that run scripts or verify a group
    bool m_in_turn{false};         //!< a thread is in Next() or Clear()
};

} // namespace slhc

#endif // SLHCONSENSUS_CONSENSUS_BLOCK_QUEUE_H
