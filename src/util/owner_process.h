// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_UTIL_OWNER_PROCESS_H
#define SLHCONSENSUS_UTIL_OWNER_PROCESS_H

#include <cstdint>

namespace slhc {

/** A number that a process does not share with a child that it forks, even if both have the same process ID: IDs are used again, and
 *  each PID namespace has its own. */
[[nodiscard]] uint32_t ProcessMark() noexcept;

/** The process that made an object. A child has a copy of the object, but none of the threads and devices behind it, and the
 *  locks that they held stay locked. */
class OwnerProcess
{
public:
    /** Whether this process is a child that got the object through fork(). */
    [[nodiscard]] bool ForkedSince() const noexcept { return ProcessMark() != m_mark; }

private:
    uint32_t m_mark{ProcessMark()};
};

} // namespace slhc

#endif // SLHCONSENSUS_UTIL_OWNER_PROCESS_H
