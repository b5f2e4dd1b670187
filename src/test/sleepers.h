// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TEST_SLEEPERS_H
#define SLHCONSENSUS_TEST_SLEEPERS_H

#include <chrono>
#include <cstddef>
#include <fstream>
#include <latch>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <unistd.h>

namespace slhc::test {

/** Threads that are about to wait for something, so that a test can go on when all of them do. */
class Sleepers
{
public:
    explicit Sleepers(size_t count) : m_coming{static_cast<std::ptrdiff_t>(count)} {}

    /** Each of the threads calls it before it waits. */
    void Enter()
    {
        {
            const std::lock_guard lock{m_mutex};
#ifdef __linux__
            m_threads.push_back(gettid());
#endif
        }
        m_coming.count_down();
    }

    /** Wait until all of them sleep at the same time: then none waits for a mutex that another one holds. */
    void WaitUntilAsleep()
    {
        m_coming.wait();
#ifndef __linux__ // which alone tells
        std::this_thread::sleep_for(std::chrono::milliseconds{200});
#endif
        for (;;) {
            if (const auto asleep{AllAsleep()}; asleep && AllAsleep() == asleep) return;
            std::this_thread::sleep_for(std::chrono::milliseconds{1});
        }
    }

private:
    /** How often they have gone to sleep; nothing if one is awake. */
    [[nodiscard]] std::optional<std::vector<std::string>> AllAsleep() const
    {
        std::vector<std::string> switches;
        for (const pid_t thread : m_threads) {
            std::ifstream status{"/proc/self/task/" + std::to_string(thread) + "/status"};
            for (std::string line; std::getline(status, line);) {
                if (line.starts_with("State:") && !line.starts_with("State:\tS")) return std::nullopt;
                if (line.find("ctxt_switches:") != line.npos) switches.push_back(line);
            }
        }
        return switches;
    }

    std::latch m_coming;
    std::mutex m_mutex;
    std::vector<pid_t> m_threads;
};

} // namespace slhc::test

#endif // SLHCONSENSUS_TEST_SLEEPERS_H
