// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TEST_PRECONDITIONS_H
#define SLHCONSENSUS_TEST_PRECONDITIONS_H

#include <test/sanitizer.h>

#include <boost/test/unit_test.hpp>

namespace slhc::test {

/** Precondition of tests whose forked child has or had threads: the thread sanitizer cannot follow them there. */
inline boost::test_tools::assertion_result CanFollowForks(boost::unit_test::test_unit_id)
{
    boost::test_tools::assertion_result result{!SLHC_THREAD_SANITIZER};
    result.message() << "the thread sanitizer loses count of threads in a forked child";
    return result;
}

/** Precondition of tests that use test/allocations.h: the program cannot replace the thread sanitizer's operator new. */
inline boost::test_tools::assertion_result CanForbidAllocations(boost::unit_test::test_unit_id)
{
    boost::test_tools::assertion_result result{!SLHC_THREAD_SANITIZER};
    result.message() << "the thread sanitizer has an operator new of its own";
    return result;
}

} // namespace slhc::test

#endif // SLHCONSENSUS_TEST_PRECONDITIONS_H
