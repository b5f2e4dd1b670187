// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_UTIL_ABANDONABLE_THREAD_H
#define SLHCONSENSUS_UTIL_ABANDONABLE_THREAD_H

#include <util/thread.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <type_traits>
#include <utility>

namespace slhc {

/** A thread for calls that may never return, into a driver for example; it is then left alone. */
class AbandonableThread
{
public:
    AbandonableThread() = default; //!< none
    /** @param[in] function  throws nothing; must own whatever it uses
     *  @throws std::system_error, std::bad_alloc */
    template <typename Function>
    explicit AbandonableThread(Function function)
        : m_end{std::make_shared<End>()}
        , m_thread{StartThread([end = m_end, held = std::optional<Function>{std::move(function)}]() mutable {
            End::ReachLast(std::move(end));
            (*held)();
            held.reset(); // its destructors may call the driver, too
        })}
    {
    }

    [[nodiscard]] bool IsStarted() const noexcept { return m_thread.joinable(); }

    /** Wait for its end, at which its thread_local objects, a driver's among them, are gone. Time in which the whole process stands still
     *  (it is stopped, or its machine is paused) hardly counts, since the thread stands still, too.
     *  @return whether it has ended, so that Join() won't wait */
    [[nodiscard]] bool EndsWithin(std::chrono::milliseconds limit);
    void Join() { m_thread.join(); }
    /** Leave it alone. The process waits for it for some seconds in exit(), since the thread would not survive the end of its driver's
     *  static objects. Nothing waits for what a driver does later still, in destructors of pthread_key_create(), which run after those of
     *  thread_local objects. */
    void Abandon() noexcept;

    /** The number of this process's threads that were abandoned and have not ended. */
    [[nodiscard]] static uint32_t CountAbandoned() noexcept;

private:
    struct End {
        void Reach() noexcept;
        /** Reach it when the calling thread has destroyed every thread_local object that it constructs from now on. */
        static void ReachLast(std::shared_ptr<End> end) noexcept;

        struct Reacher;
        static constinit thread_local Reacher t_reacher;

        std::mutex mutex; //!< guards what follows
        std::condition_variable changed;
        bool reached{false};
        bool abandoned{false};
    };

    std::shared_ptr<End> m_end;
    std::thread m_thread;
};

/** Call function in a thread of its own, and wait no longer than limit for its result. When the time is up, the thread is left alone with
 *  function, which therefore must own whatever it uses.
 *  @return nothing if the time was up: see AbandonableThread::EndsWithin
 *  @throws function's exception if in time, std::system_error, std::bad_alloc */
template <typename Function>
[[nodiscard]] auto RunWithin(std::chrono::milliseconds limit, Function function) -> std::optional<std::invoke_result_t<Function>>
{
    // Not std::packaged_task: one that is destroyed before it ran needs memory, or ends the process.
    struct Outcome {
        std::optional<std::invoke_result_t<Function>> value{};
        std::exception_ptr error{};
    };
    const auto outcome{std::make_shared<Outcome>()};
    AbandonableThread thread{[outcome, called = std::move(function)]() mutable noexcept {
        try {
            outcome->value.emplace(called());
        } catch (...) {
            outcome->error = std::current_exception();
        }
    }};
    if (!thread.EndsWithin(limit)) {
        thread.Abandon();
        return std::nullopt;
    }
    thread.Join();
    if (outcome->error) std::rethrow_exception(outcome->error);
    return std::move(outcome->value);
}

} // namespace slhc

#endif // SLHCONSENSUS_UTIL_ABANDONABLE_THREAD_H
