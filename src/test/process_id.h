// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TEST_PROCESS_ID_H
#define SLHCONSENSUS_TEST_PROCESS_ID_H

#include <sys/types.h>

namespace slhc::test {

/** What the test program's calls of getpid() return from now on, in any thread (process_id.cpp); 0: what the system says. */
void SetProcessId(pid_t id) noexcept;

} // namespace slhc::test

#endif // SLHCONSENSUS_TEST_PROCESS_ID_H
