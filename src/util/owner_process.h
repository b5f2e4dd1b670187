// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_UTIL_OWNER_PROCESS_H
#define SLHCONSENSUS_UTIL_OWNER_PROCESS_H

#include <unistd.h>

namespace slhc {

/** The process that made an object. A child has a copy of the object, but none of the threads and devices behind it, and the
 *  locks that they held stay locked. */
class OwnerProcess
{
public:
    /** Whether this process is a child that got the object through fork(). */
    [[nodiscard]] bool ForkedSince() const noexcept { return getpid() != m_pid; }

private:
    pid_t m_pid{getpid()};
};

} // namespace slhc

#endif // SLHCONSENSUS_UTIL_OWNER_PROCESS_H
