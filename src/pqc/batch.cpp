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
    if (StateLocked() != State::OPEN) return false;
    m_checks.push_back(std::move(check));
    return true;
}

bool Batch::Add(std::vector<SignatureCheck>&& checks)
{
    const std::lock_guard lock{m_mutex};
    if (StateLocked() != State::OPEN) return false;
    // The insertion may have to grow the vector. Moving a check cannot throw, so a failure to grow is the one
    // failure, and it comes first.
    m_checks.insert(m_checks.end(), std::make_move_iterator(checks.begin()), std::make_move_iterator(checks.end()));
    checks.clear();
    return true;
}

BatchResult Batch::Verify(std::optional<CheckOrigin>* first_failure)
{
    const auto result{[&](const Round& round) {
        if (first_failure != nullptr) *first_failure = round.first_failure;
        return round.first_failure ? BatchResult::INVALID : BatchResult::VALID;
    }};
    std::shared_ptr<Round> round;
    {
        std::unique_lock lock{m_mutex};
        while (const std::shared_ptr<const Round> before{m_round}) {
            WaitFor(*before, lock);
            if (before->state == State::VERIFIED) return result(*before);
            if (before->state == State::VERIFYING) return BatchResult::ABANDONED;
            if (before == m_round) break; // it came to no verdict: this thread tries
        }
        round = m_round = std::make_shared<Round>();
    }

    // The checks are this thread's alone now: nothing is added, cleared or verified in this state.
    std::vector<Verdict> verdicts;
    bool complete{false};
    const auto give_up{[&] {
        const std::lock_guard lock{m_mutex};
        round->state = State::OPEN;
        m_verified.notify_all();
    }};
    try {
        std::vector<CheckView> views;
        views.reserve(m_checks.size());
        for (const SignatureCheck& check : m_checks) views.push_back(check.View());
        verdicts.resize(views.size());
        complete = m_verifier->VerifyMany(views, verdicts);
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
        if (!round->first_failure || m_checks[i].origin < *round->first_failure) round->first_failure = m_checks[i].origin;
    }
    round->state = State::VERIFIED;
    m_verified.notify_all();
    return result(*round);
}

bool Batch::Clear()
{
    const std::lock_guard lock{m_mutex};
    if (StateLocked() == State::VERIFYING) return false;
    m_round.reset();
    m_checks.clear();
    m_verdicts.clear();
    return true;
}

bool Batch::IsOpen() const
{
    const std::lock_guard lock{m_mutex};
    return StateLocked() == State::OPEN;
}

size_t Batch::Size() const
{
    const std::lock_guard lock{m_mutex};
    return m_checks.size();
}

std::optional<CheckOrigin> Batch::FirstFailure() const
{
    const std::lock_guard lock{m_mutex};
    return StateLocked() == State::VERIFIED ? m_round->first_failure : std::nullopt;
}

/** @pre m_mutex is held and the state is not VERIFYING */
BatchVerdict Batch::VerdictLocked(size_t index) const
{
    return {m_checks[index].origin, StateLocked() == State::VERIFIED ? m_verdicts[index] : Verdict::NONE};
}

/** Until the thread that verifies is done. If that lives in the parent of this process, nobody waits for it.
 *  @pre the round lives on whatever happens to the batch */
void Batch::WaitFor(const Round& round, std::unique_lock<std::mutex>& lock) const
{
    m_verified.wait(lock, [&] { return round.state != State::VERIFYING || round.owner.ForkedSince(); });
}

void Batch::WaitWhileVerifying(std::unique_lock<std::mutex>& lock) const
{
    m_verified.wait(lock, [&] { return StateLocked() != State::VERIFYING || m_round->owner.ForkedSince(); });
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
    if (StateLocked() != State::VERIFIED) return;
    for (size_t i = 0; i < m_checks.size(); ++i) f(m_checks[i], m_verdicts[i]);
}

} // namespace slhc::slhdsa
