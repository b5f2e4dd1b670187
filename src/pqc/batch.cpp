// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <pqc/batch.h>

#include <algorithm>
#include <exception>
#include <iterator>

namespace slhc::slhdsa {

/** How many checks a worker takes. */
constexpr size_t GROUP{Verifier::JOBS_AHEAD};

Batch::Batch(std::shared_ptr<Verifier> verifier) : m_verifier{std::move(verifier)} {}

Batch::~Batch()
{
    if (VerifiesAhead()) m_verifier->Pool().Detach(*this);
}

void Batch::VerifyAhead()
{
    ThreadPool& pool{m_verifier->Pool()};
    if (!m_verifier->CpuTakesPart() || pool.Threads() == 1) return;
    {
        const std::lock_guard lock{m_mutex};
        if (VerifiesAhead()) return;
        m_ahead = true;
    }
    try {
        pool.Attach(*this);
    } catch (...) {
        const std::lock_guard lock{m_mutex};
        m_ahead = false;
        OfferLocked();
        throw;
    }
    std::unique_lock lock{m_mutex};
    Added(lock);
}

/** Tell workers if there are checks for them to take. @pre m_mutex is held */
void Batch::OfferLocked()
{
    m_has_group = VerifiesAhead() && m_state == State::OPEN && m_checks.size() - m_verdicts.size() >= GROUP;
}

/** Wake workers, since checks may have been added. @post the lock is released: the pool's own lock is never taken under it */
void Batch::Added(std::unique_lock<std::mutex>& lock)
{
    OfferLocked();
    lock.unlock();
    if (m_has_group) m_verifier->Pool().Wake();
}

void Batch::TakeStep() noexcept
{
    std::vector<CheckView> views;
    std::vector<Verdict> verdicts;
    size_t begin{0};
    try {
        views.reserve(GROUP);
        verdicts.resize(GROUP);
        const std::lock_guard lock{m_mutex};
        if (!m_has_group) return;
        begin = m_verdicts.size();
        m_verdicts.resize(begin + GROUP, Verdict::NONE);
        for (size_t i = begin; i < begin + GROUP; ++i) views.push_back(m_checks[i].View());
        ++m_at_work;
        OfferLocked();
    } catch (const std::exception&) {
        m_has_group = false; // until the next check is added, or Verify() does it
        return;
    }
    try {
        m_verifier->VerifyHere(views, verdicts);
    } catch (const std::exception&) {
        std::ranges::fill(verdicts, Verdict::NONE); // Verify() tries again
    }
    const std::lock_guard lock{m_mutex};
    std::ranges::copy(verdicts, m_verdicts.begin() + static_cast<std::ptrdiff_t>(begin));
    if (--m_at_work == 0) m_changed.notify_all();
}

bool Batch::Add(SignatureCheck&& check)
{
    std::unique_lock lock{m_mutex};
    if (m_state != State::OPEN) return false;
    m_checks.push_back(std::move(check));
    Added(lock);
    return true;
}

bool Batch::Add(std::vector<SignatureCheck>&& checks)
{
    std::unique_lock lock{m_mutex};
    if (m_state != State::OPEN) return false;
    // Standard libraries get the memory for all first; moving a check cannot throw, so that is the one failure.
    m_checks.insert(m_checks.end(), std::make_move_iterator(checks.begin()), std::make_move_iterator(checks.end()));
    checks.clear();
    Added(lock);
    return true;
}

/** Verify what no worker has taken, then, with all threads, what a worker could not.
 *  @return false if the pool was interrupted
 *  @pre the state is VERIFYING, and this is the thread that verifies */
bool Batch::VerifyAll(std::vector<Verdict>& verdicts)
{
    std::vector<CheckView> views;
    views.reserve(m_checks.size());
    for (const SignatureCheck& check : m_checks) views.push_back(check.View());
    verdicts.resize(m_checks.size());
    const size_t ahead{[&] {
        const std::lock_guard lock{m_mutex};
        return m_verdicts.size();
    }()};
    if (!m_verifier->VerifyMany(std::span{views}.subspan(ahead), std::span{verdicts}.subspan(ahead))) return false;

    {
        std::unique_lock lock{m_mutex};
        m_changed.wait(lock, [&] { return m_at_work == 0; });
        std::ranges::copy(m_verdicts, verdicts.begin());
    }
    std::vector<size_t> left; // by workers that ran out of memory
    for (size_t i = 0; i < ahead; ++i) {
        if (verdicts[i] == Verdict::NONE) left.push_back(i);
    }
    std::vector<CheckView> views_left;
    std::vector<Verdict> verdicts_left(left.size());
    for (const size_t i : left) views_left.push_back(views[i]);
    if (!m_verifier->VerifyMany(views_left, verdicts_left)) return false;
    for (size_t i = 0; i < left.size(); ++i) verdicts[left[i]] = verdicts_left[i];
    return true;
}

/** What Verify() returns. @pre m_mutex is held and the state is VERIFIED */
BatchResult Batch::ResultLocked(std::optional<Ticket>* first_failure) const
{
    if (first_failure != nullptr) *first_failure = m_first_failure;
    return m_first_failure ? BatchResult::INVALID : BatchResult::VALID;
}

BatchResult Batch::Verify(std::optional<Ticket>* first_failure)
{
    {
        std::unique_lock lock{m_mutex};
        WaitWhileVerifying(lock);
        if (m_state == State::VERIFIED) return ResultLocked(first_failure);
        m_state = State::VERIFYING; // nobody has, or it came to no verdict: this thread tries
        OfferLocked();
    }

    // The checks are this thread's alone now: nothing is added or verified in this state.
    std::vector<Verdict> verdicts;
    bool complete{false};
    const auto give_up{[&] {
        std::unique_lock lock{m_mutex};
        m_state = State::OPEN;
        m_changed.notify_all();
        Added(lock);
    }};
    try {
        complete = VerifyAll(verdicts);
    } catch (...) {
        give_up();
        throw;
    }
    if (!complete) {
        give_up();
        return BatchResult::INTERRUPTED;
    }

    const std::lock_guard lock{m_mutex};
    m_verdicts = std::move(verdicts);
    for (size_t i = 0; i < m_checks.size(); ++i) {
        // Only a true verdict passes: anything else counts as a failure.
        if (m_verdicts[i] == Verdict::VALID) continue;
        if (!m_first_failure || m_checks[i].ticket < *m_first_failure) m_first_failure = m_checks[i].ticket;
    }
    m_state = State::VERIFIED;
    m_changed.notify_all();
    return ResultLocked(first_failure);
}

bool Batch::IsOpen() const
{
    const std::lock_guard lock{m_mutex};
    return m_state == State::OPEN;
}

size_t Batch::Size() const
{
    const std::lock_guard lock{m_mutex};
    return m_checks.size();
}

std::optional<Ticket> Batch::FirstFailure() const
{
    const std::lock_guard lock{m_mutex};
    return m_first_failure;
}

/** @pre m_mutex is held and the state is not VERIFYING */
BatchVerdict Batch::VerdictLocked(size_t index) const
{
    return {m_checks[index].ticket, m_state == State::VERIFIED ? m_verdicts[index] : Verdict::NONE};
}

void Batch::WaitWhileVerifying(std::unique_lock<std::mutex>& lock) const
{
    m_changed.wait(lock, [&] { return m_state != State::VERIFYING; });
}

std::vector<BatchVerdict> Batch::Verdicts() const
{
    std::unique_lock lock{m_mutex};
    WaitWhileVerifying(lock);
    std::vector<BatchVerdict> verdicts;
    verdicts.reserve(m_checks.size());
    for (size_t i = 0; i < m_checks.size(); ++i) verdicts.push_back(VerdictLocked(i));
    return verdicts;
}

std::optional<BatchVerdict> Batch::VerdictAt(size_t index) const
{
    std::unique_lock lock{m_mutex};
    WaitWhileVerifying(lock);
    if (index >= m_checks.size()) return std::nullopt;
    return VerdictLocked(index);
}

void Batch::ForEachVerdict(const std::function<void(const SignatureCheck&, Verdict)>& f) const
{
    std::unique_lock lock{m_mutex};
    WaitWhileVerifying(lock);
    if (m_state != State::VERIFIED) return;
    for (size_t i = 0; i < m_checks.size(); ++i) f(m_checks[i], m_verdicts[i]);
}

} // namespace slhc::slhdsa
