// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_UTIL_THREAD_H
#define SLHCONSENSUS_UTIL_THREAD_H

#include <future>
#include <initializer_list>
#include <thread>
#include <utility>

#include <signal.h>

namespace slhc {

/** Blocks all signals in the calling thread while it lives, except those for a thread's own faults. A thread that is started meanwhile
 *  inherits the mask, and keeps it. */
class SignalBlocker
{
public:
    SignalBlocker() noexcept
    {
        sigset_t blocked;
        sigfillset(&blocked);
        // Blocking a thread's own fault is undefined behaviour, and nobody would hear of the fault, no handler and no sanitizer.
        for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS}) sigdelset(&blocked, fault);
        m_changed = pthread_sigmask(SIG_BLOCK, &blocked, &m_before) == 0;
    }
    ~SignalBlocker()
    {
        if (m_changed) pthread_sigmask(SIG_SETMASK, &m_before, nullptr);
    }
    SignalBlocker(const SignalBlocker&) = delete;
    SignalBlocker& operator=(const SignalBlocker&) = delete;

private:
    sigset_t m_before{};
    bool m_changed;
};

/** Every thread of the library starts here or in StartTask. Signals belong to the application's threads, so they are
 *  blocked from the first instruction on, but for a thread's own faults. @throws std::system_error, std::bad_alloc */
template <typename Function>
[[nodiscard]] std::thread StartThread(Function&& function)
{
    const SignalBlocker blocker;
    return std::thread{std::forward<Function>(function)};
}

/** As StartThread, with a result: a future like std::async's, whose destructor waits for the thread. */
template <typename Function>
[[nodiscard]] auto StartTask(Function&& function)
{
    const SignalBlocker blocker;
    return std::async(std::launch::async, std::forward<Function>(function));
}

} // namespace slhc

#endif // SLHCONSENSUS_UTIL_THREAD_H
