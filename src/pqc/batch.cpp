// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <pqc/batch.h>

#include <iterator>

namespace slhc::slhdsa {

Batch::Batch(std::shared_ptr<Verifier> verifier) : m_verifier{std::move(verifier)} {}

bool Batch::Add(SignatureCheck&& check)
{
    const std::lock_guard lock{m_mutex};
    if (m_state != State::OPEN) return false;
    m_checks.push_back(std::move(check));
    return true;
}

bool Batch::Add(std::vector<SignatureCheck>&& checks)
{
    const std::lock_guard lock{m_mutex};
    if (m_state != State::OPEN) return false;
    // The insertion may have to grow the vector. Moving a check cannot throw, so a failure to grow is the one
    // failure, and it comes first.
    m_checks.insert(m_checks.end(), std::make_move_iterator(checks.begin()), std::make_move_iterator(checks.end()));
    checks.clear();
    return true;
}

/** @pre m_mutex is held and the state is VERIFIED */
BatchResult Batch::ResultLocked() const
{
    return m_first_failure ? BatchResult::INVALID : BatchResult::VALID;
}

BatchResult Batch::Verify()
{
    {
        std::unique_lock lock{m_mutex};
        WaitWhileVerifying(lock);
        if (m_state == State::VERIFIED) return ResultLocked();
        // The thread that was at it when this process was forked off lives in the parent.
        if (m_state == State::VERIFYING) return BatchResult::INTERRUPTED;
        m_state = State::VERIFYING;
    }

    // The checks are this thread's alone now: nothing is added, cleared or verified in this state.
    std::vector<Verdict> verdicts;
    bool complete{false};
    try {
        std::vector<CheckView> views;
        views.reserve(m_checks.size());
        for (const SignatureCheck& check : m_checks) views.push_back(check.View());
        verdicts.resize(views.size());
        complete = m_verifier->VerifyMany(views, verdicts);
    } catch (...) {
        const std::lock_guard lock{m_mutex};
        m_state = State::OPEN;
        m_verified.notify_all();
        throw;
    }

    const std::lock_guard lock{m_mutex};
    m_verified.notify_all();
    if (!complete) {
        m_state = State::OPEN;
        return BatchResult::INTERRUPTED;
    }
    m_state = State::VERIFIED;
    m_verdicts = std::move(verdicts);
    for (size_t i = 0; i < m_checks.size(); ++i) {
        // Only a true verdict passes: anything else counts as a failure.
        if (m_verdicts[i] == Verdict::VALID) continue;
        if (!m_first_failure || m_checks[i].origin < *m_first_failure) m_first_failure = m_checks[i].origin;
    }
    return ResultLocked();
}

bool Batch::Clear()
{
    const std::lock_guard lock{m_mutex};
    if (m_state == State::VERIFYING) return false;
    m_state = State::OPEN;
    m_checks.clear();
    m_verdicts.clear();
    m_first_failure.reset();
    return true;
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

std::optional<CheckOrigin> Batch::FirstFailure() const
{
    const std::lock_guard lock{m_mutex};
    return m_first_failure;
}

/** @pre m_mutex is held and the state is not VERIFYING */
BatchVerdict Batch::VerdictLocked(size_t index) const
{
    return {m_checks[index].origin, m_state == State::VERIFIED ? m_verdicts[index] : Verdict::NONE};
}

/** Until the thread that verifies is done; but in a forked child that thread does not exist. */
void Batch::WaitWhileVerifying(std::unique_lock<std::mutex>& lock) const
{
    m_verified.wait(lock, [&] { return m_state != State::VERIFYING || m_verifier->Pool().ForkedSince(); });
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
