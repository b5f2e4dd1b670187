// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TEST_UTIL_PEAK_MEMORY_H
#define SLHCONSENSUS_TEST_UTIL_PEAK_MEMORY_H

#include <cerrno>
#include <cstddef>
#include <system_error>

#include <sys/resource.h>

namespace slhc::test {

/** The most memory that this process has had resident, in bytes. */
[[nodiscard]] inline size_t PeakMemory()
{
    rusage usage{};
    if (getrusage(RUSAGE_SELF, &usage) != 0) throw std::system_error{errno, std::generic_category(), "getrusage"};
#ifdef __APPLE__
    return static_cast<size_t>(usage.ru_maxrss);
#else
    return static_cast<size_t>(usage.ru_maxrss) * 1024;
#endif
}

} // namespace slhc::test

#endif // SLHCONSENSUS_TEST_UTIL_PEAK_MEMORY_H
