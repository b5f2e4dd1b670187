// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <util/owner_process.h>

#include <test/child_process.h>
#include <test/process_id.h>
#include <util/threadpool.h>

#include <boost/test/unit_test.hpp>

#include <string>

#include <unistd.h>

using namespace slhc;
using slhc::test::InChildProcess;
using slhc::test::SetProcessId;

BOOST_AUTO_TEST_SUITE(owner_process_tests)

BOOST_AUTO_TEST_CASE(child_and_parent)
{
    const OwnerProcess owner;
    BOOST_CHECK(!owner.ForkedSince());
    BOOST_CHECK_EQUAL(InChildProcess([&]() -> std::string {
        if (!owner.ForkedSince()) return "the child counts as the owner";
        return OwnerProcess{}.ForkedSince() ? "the child does not own what it makes" : "";
    }), "");
    BOOST_CHECK(!owner.ForkedSince());
}

/** Process IDs are used again, and each PID namespace has its own. */
BOOST_AUTO_TEST_CASE(child_with_the_same_id)
{
    SetProcessId(getpid());
    const OwnerProcess owner;
    ThreadPool pool{3};
    BOOST_CHECK(pool.Run(100, [](size_t) {}));
    BOOST_CHECK_EQUAL(InChildProcess([&]() -> std::string {
        if (!owner.ForkedSince()) return "the child counts as the owner";
        return InChildProcess([&]() -> std::string { return owner.ForkedSince() ? "" : "the grandchild counts as the owner"; });
    }), "");
    SetProcessId(0);
    BOOST_CHECK(!owner.ForkedSince());
}

/** What makes a child without the library's knowledge changes the process ID. */
BOOST_AUTO_TEST_CASE(another_id)
{
    const OwnerProcess owner;
    SetProcessId(getpid() + 1);
    BOOST_CHECK(owner.ForkedSince());
    SetProcessId(0);
    BOOST_CHECK(!owner.ForkedSince());
}

BOOST_AUTO_TEST_SUITE_END()
