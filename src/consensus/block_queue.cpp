// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <consensus/block_queue.h>

#include <util/check.h>

#include <algorithm>
#include <functional>
#include <utility>

namespace slhc {

namespace {

/** Signatures for each thread: enough for chunks that fill a backend's lanes, and for threads to end at about the same time. */
constexpr size_t SIGNATURES_PER_THREAD{256};
/** The number that makes a device worth its overhead. */
constexpr size_t MIN_SIGNATURES{1024};

BlockQueueLimits WithDefaults(BlockQueueLimits limits, unsigned threads)
{
    limits.blocks = std::max<size_t>(limits.blocks, 1);
    limits.bytes = std::max<size_t>(limits.bytes, 1);
    if (limits.signatures == 0) limits.signatures = std::max(SIGNATURES_PER_THREAD * threads, MIN_SIGNATURES);
    return limits;
}

/** Releases a lock while it lives. */
class Unlocked
{
public:
    explicit Unlocked(std::unique_lock<std::mutex>& lock) : m_lock{lock} { m_lock.unlock(); }
    ~Unlocked() { m_lock.lock(); }
    Unlocked(const Unlocked&) = delete;
    Unlocked& operator=(const Unlocked&) = delete;

private:
    std::unique_lock<std::mutex>& m_lock;
};

} // namespace

/** Signatures of several blocks, verified together. */
struct BlockQueue::Group {
    struct Member {
        Entry* entry;
        size_t checks;
    };
    slhdsa::Batch batch;
    std::vector<Member> members; //!< in the order of their checks
    bool verifying{false};       //!< a thread is at it

    explicit Group(std::shared_ptr<slhdsa::Verifier> verifier) : batch{std::move(verifier)} {}
};

/** Counts the threads at work; begins with ClaimLocked or with a group's `verifying`. */
class BlockQueue::AtWork
{
public:
    explicit AtWork(BlockQueue& queue) : m_queue{queue} {}
    ~AtWork()
    {
        {
            const std::lock_guard lock{m_queue.m_mutex};
            --m_queue.m_at_work;
        }
        m_queue.Changed();
    }
    AtWork(const AtWork&) = delete;
    AtWork& operator=(const AtWork&) = delete;

private:
    BlockQueue& m_queue;
};

/** Marks that a thread is in Next() or Clear(). @pre the queue is locked at both ends of its life */
class BlockQueue::Turn
{
public:
    explicit Turn(BlockQueue& queue) : m_queue{queue} { m_queue.m_in_turn = true; }
    ~Turn() { m_queue.m_in_turn = false; }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

private:
    BlockQueue& m_queue;
};

BlockQueue::BlockQueue(std::shared_ptr<slhdsa::Verifier> verifier, const BlockQueueLimits& limits)
    : m_verifier{std::move(verifier)}
    , m_pool{m_verifier->Pool()}
    , m_limits{WithDefaults(limits, m_pool.Threads())}
{
    m_pool.Attach(*this);
}

BlockQueue::~BlockQueue()
{
    m_cancelled = true;
    m_pool.Detach(*this);
}

/** Tell the threads that wait. @pre m_mutex is not held */
void BlockQueue::Changed() noexcept
{
    ++m_changes;
    m_pool.Wake();
}

BlockQueue::AddStatus BlockQueue::Add(QueuedBlock&& block)
{
    CheckBlockScriptArguments(block.block, block.spent_outputs.size(), block.flags);
    std::list<Entry> added(1);
    {
        const std::lock_guard lock{m_mutex};
        if (IsFullLocked()) return AddStatus::FULL;
        m_bytes += block.bytes;
        added.front().content = std::move(block);
        m_entries.splice(m_entries.end(), added);
        if (m_unclaimed == m_entries.end()) --m_unclaimed;
        ++m_steps;
    }
    Changed();
    return AddStatus::ADDED;
}

size_t BlockQueue::Size() const
{
    const std::lock_guard lock{m_mutex};
    return m_entries.size();
}

bool BlockQueue::IsFull() const
{
    const std::lock_guard lock{m_mutex};
    return IsFullLocked();
}

/** @pre the block is WAITING */
void BlockQueue::ClaimLocked(Entry& entry)
{
    entry.state = State::RUNNING;
    if (m_unclaimed != m_entries.end() && &entry == &*m_unclaimed) {
        ++m_unclaimed;
        --m_steps;
    }
    ++m_at_work;
}

/** Decide a block in which everything is verified. */
void BlockQueue::Decide(Entry& entry)
{
    entry.result.status = entry.result.failure ? BlockScriptStatus::INVALID : BlockScriptStatus::VALID;
    entry.state = State::DECIDED;
    entry.group.reset();
}

/** Put a block's checks into the open group: all, or none if it throws. */
void BlockQueue::StageLocked(Entry& entry, std::vector<slhdsa::SignatureCheck>&& checks)
{
    if (!m_open) m_open = std::make_shared<Group>(m_verifier);
    m_open->members.push_back({.entry = &entry, .checks = checks.size()});
    try {
        const bool added{m_open->batch.Add(std::move(checks))};
        assert(added); // it is verified when it is no longer m_open
    } catch (...) {
        m_open->members.pop_back();
        throw;
    }
    entry.group = m_open;
    entry.state = State::STAGED;
}

/** @return the group that this block has filled, to be verified by this thread; null if there is none
 *  @throws std::bad_alloc; the block is then as before */
std::shared_ptr<BlockQueue::Group> BlockQueue::RunScripts(Entry& entry)
{
    std::optional<StagedBlock> staged{RunBlockScripts(entry.content.block, entry.content.spent_outputs, entry.content.flags, *m_verifier,
                                                      {.cache = entry.content.cache, .cancelled = &m_cancelled})};
    if (!staged) return nullptr; // interrupted or cancelled, for good: nobody waits for this block
    QueuedBlock done;            // freed without the lock
    const std::lock_guard lock{m_mutex};
    const size_t n_checks{staged->checks.size()};
    if (n_checks > 0) StageLocked(entry, std::move(staged->checks));
    entry.result = {.failure = staged->failure, .inputs = staged->inputs, .slhdsa_verified = staged->slhdsa_verified + n_checks};
    std::swap(done.block, entry.content.block);
    std::swap(done.spent_outputs, entry.content.spent_outputs);
    if (n_checks == 0) {
        Decide(entry);
        return nullptr;
    }
    if (m_open->batch.Size() < m_limits.signatures) return nullptr;
    m_open->verifying = true;
    return std::exchange(m_open, nullptr);
}

/** Take a claimed block as far as it gets, with the group that it fills.
 *  @throws std::bad_alloc; the rest is still to be done then, and somebody may try again */
void BlockQueue::Work(Entry& entry)
{
    const AtWork at_work{*this};
    std::shared_ptr<Group> full;
    try {
        full = RunScripts(entry);
    } catch (...) {
        const std::lock_guard lock{m_mutex};
        entry.state = State::WAITING;
        throw;
    }
    if (full) {
        Changed();
        Verify(*full);
    }
}

/** Verify a group that is complete, and decide its blocks. If it throws, somebody may try again.
 *  @pre group.verifying is this thread's */
void BlockQueue::Verify(Group& group)
{
    bool verified{false};
    try {
        verified = slhdsa::HasVerdicts(group.batch.Verify());
        auto member{group.members.begin()};
        size_t left{member->checks};
        const auto apply{[&](const slhdsa::SignatureCheck& check, slhdsa::Verdict verdict) {
            while (left == 0) left = (++member)->checks;
            --left;
            ApplyVerdict(check, verdict, member->entry->content.cache, member->entry->result.failure);
        }};
        group.batch.ForEachVerdict(std::ref(apply));
    } catch (...) {
        const std::lock_guard lock{m_mutex};
        group.verifying = false;
        throw;
    }
    if (!verified) return; // nobody waits for these either
    const std::lock_guard lock{m_mutex};
    for (const Group::Member& member : group.members) Decide(*member.entry);
}

void BlockQueue::TakeStep() noexcept
{
    Entry* claimed{nullptr};
    {
        const std::lock_guard lock{m_mutex};
        if (m_unclaimed == m_entries.end()) return;
        claimed = &*m_unclaimed;
        ClaimLocked(*claimed);
    }
    try {
        Work(*claimed);
    } catch (...) {
        // Next() tries again, and throws if it fails again.
    }
}

/** Do one thing that brings the first block's verdict closer, or wait for a thread that is doing so. */
void BlockQueue::Advance(std::unique_lock<std::mutex>& lock)
{
    Entry& front{m_entries.front()};
    if (front.state == State::WAITING) {
        ClaimLocked(front);
        const Unlocked unlocked{lock};
        Work(front);
        return;
    }
    // As long as scripts are to be run, their signatures may join the open group.
    const bool fills{front.state == State::STAGED && front.group == m_open && m_steps > 0};
    if (front.state == State::STAGED && !front.group->verifying && !fills) {
        std::shared_ptr<Group> group{front.group};
        if (group == m_open) m_open.reset();
        group->verifying = true;
        ++m_at_work;
        const Unlocked unlocked{lock};
        const AtWork at_work{*this};
        Verify(*group);
        group.reset(); // freed without the lock
        return;
    }
    if (m_steps > 0) {
        const Unlocked unlocked{lock};
        TakeStep();
        return;
    }
    WaitForChange(lock);
}

void BlockQueue::WaitForChange(std::unique_lock<std::mutex>& lock)
{
    const uint64_t seen{m_changes};
    const Unlocked unlocked{lock};
    m_pool.HelpUntil([&] { return m_changes != seen; });
}

BlockQueue::NextStatus BlockQueue::Next(std::optional<Verdict>& verdict)
{
    std::list<Entry> taken; // freed without the lock
    std::unique_lock lock{m_mutex};
    if (m_in_turn) return NextStatus::BUSY;
    if (m_entries.empty()) return NextStatus::EMPTY;
    const Turn turn{*this};
    const Entry& front{m_entries.front()};
    while (front.state != State::DECIDED) {
        if (m_pool.Interrupted()) {
            verdict = {.tag = front.content.tag, .result = {}};
            return NextStatus::VERDICT;
        }
        Advance(lock);
    }
    verdict = {.tag = front.content.tag, .result = front.result};
    m_bytes -= front.content.bytes;
    taken.splice(taken.begin(), m_entries, m_entries.begin());
    return NextStatus::VERDICT;
}

bool BlockQueue::Clear()
{
    std::list<Entry> dropped; // freed without the lock
    std::unique_lock lock{m_mutex};
    if (m_in_turn) return false;
    const Turn turn{*this};
    m_cancelled = true;
    while (m_at_work > 0) WaitForChange(lock);
    m_entries.swap(dropped);
    m_unclaimed = m_entries.end();
    m_open.reset();
    m_bytes = 0;
    m_steps = 0;
    m_cancelled = false;
    return true;
}

} // namespace slhc
