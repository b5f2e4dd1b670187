// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <tool/asm.h>
#include <tool/error.h>
#include <tool/spender.h>

#include <boost/test/unit_test.hpp>

#include <optional>
#include <string>

using namespace slhc;
using namespace slhc::tool;

namespace {

void Check(const std::string& leaf, std::optional<uint32_t> sequence, std::optional<uint32_t> lock_time)
{
    const LockTimes required{RequiredLockTimes(wallet::ReadLockTimes(ParseScript(leaf)))};
    BOOST_CHECK_MESSAGE(required.sequence == sequence, leaf);
    BOOST_CHECK_MESSAGE(required.lock_time == lock_time, leaf);
}

void CheckContradiction(const std::string& leaf, const std::string& what)
{
    try {
        RequiredLockTimes(wallet::ReadLockTimes(ParseScript(leaf)));
        BOOST_ERROR(leaf);
    } catch (const InputError& e) {
        BOOST_CHECK_EQUAL(e.what(), what);
    }
}

} // namespace

BOOST_AUTO_TEST_SUITE(tool_lock_time_tests)

BOOST_AUTO_TEST_CASE(a_leaf_requires_its_longest_lock_times)
{
    Check("", {}, {});
    Check("OP_1", {}, {});
    Check("older(1) OP_1", 1, {});
    Check("older(10) OP_1", 10, {});
    Check("older(144) OP_1", 144, {});
    Check("older(4194305) OP_1", 4194305, {});
    Check("after(17) OP_1", {}, 17);
    Check("after(500000) older(10) OP_1", 10, 500000);
    Check("after(4294967294)", {}, 4294967294);
    // The last of several wins, wherever it stands.
    Check("older(10) older(20) older(15) after(7) after(6)", 20, 7);
    // As BIP 65 and BIP 112 have it: the number stays, and need not be dropped at once.
    Check("5 OP_CSV OP_CLTV OP_2DROP", 5, 5);
    Check("OP_PUSHDATA1<0a> OP_CSV", 10, {});
    // Of numbers that are computed nothing is said.
    Check("OP_DUP OP_CSV 5 OP_1ADD OP_CLTV", {}, {});
    Check("2147483653 OP_CSV", {}, {}); // bit 31: no lock time
    Check("70000 OP_CSV 0 OP_CLTV", 4464, 0);
    Check("8388609 OP_CSV", 1, {}); // BIP 112 looks at 17 bits
}

BOOST_AUTO_TEST_CASE(lock_times_that_can_never_hold)
{
    CheckContradiction("-1 OP_CLTV", "OP_CHECKLOCKTIMEVERIFY of -1, which no transaction meets");
    CheckContradiction("older(9) -1 OP_CSV older(10)", "OP_CHECKSEQUENCEVERIFY of -1, which no transaction meets");
    for (const std::string number : {"4294967295", "4294967296"}) {
        CheckContradiction(number + " OP_CLTV",
                           "OP_CHECKLOCKTIMEVERIFY of " + number + ", which no transaction meets");
    }
    CheckContradiction("<010203040506> OP_CLTV",
                       "OP_CHECKLOCKTIMEVERIFY of what is not a number of up to 5 bytes, which no transaction meets");
    Check("OP_IF -1 OP_CLTV OP_ENDIF", {}, {});
}

BOOST_AUTO_TEST_CASE(a_leaf_with_op_success_requires_nothing)
{
    for (const std::string lock_times :
         {"older(10) after(5)", "-1 OP_CLTV OP_DROP", "older(10) older(4194305)", "after(10) after(500000000)"}) {
        Check(lock_times + " OP_RESERVED", {}, {});
        Check("OP_RESERVED " + lock_times, {}, {});
        Check(lock_times + " OP_IF OP_RESERVED OP_ENDIF", {}, {});
    }
    Check("OP_RESERVED OP_CLTV", {}, {}); // between the opcodes that push
    Check("older(10) <50>", 10, {});      // the byte, not the opcode
    // The first one counts: nobody decodes what follows.
    CScript leaf{ParseScript("-1 OP_CLTV OP_DROP")};
    CMutableTransaction tx;
    tx.vin.resize(1);
    const std::string never{"OP_CHECKLOCKTIMEVERIFY of -1, which no transaction meets"};
    BOOST_CHECK_EQUAL(wallet::LockTimeProblem(wallet::ReadLockTimes(leaf), tx, 0), never);
    CScript malformed{leaf};
    malformed.push_back(OP_PUSHDATA1);
    malformed.push_back(OP_RESERVED); // the size of a push that is cut off
    BOOST_CHECK_EQUAL(wallet::LockTimeProblem(wallet::ReadLockTimes(malformed), tx, 0), never);
    leaf << OP_RESERVED;
    BOOST_CHECK_EQUAL(wallet::LockTimeProblem(wallet::ReadLockTimes(leaf), tx, 0), "");
    leaf.push_back(OP_PUSHDATA1);
    BOOST_CHECK_EQUAL(wallet::LockTimeProblem(wallet::ReadLockTimes(leaf), tx, 0), "");
}

BOOST_AUTO_TEST_CASE(lock_times_in_branches_are_not_required)
{
    Check("OP_IF older(10) OP_ELSE after(5) OP_ENDIF", {}, {});
    Check("OP_IF OP_NOTIF older(10) OP_ENDIF older(11) OP_ENDIF older(12)", 12, {});
    Check("older(9) OP_NOTIF older(10) OP_ENDIF", 9, {});
    Check("OP_ENDIF older(9)", 9, {}); // fails anyway
}

BOOST_AUTO_TEST_CASE(lock_times_of_two_kinds_contradict_each_other)
{
    CheckContradiction("older(10) older(4194305)", "requires an age in blocks and one in time, and no nSequence can express both");
    CheckContradiction("after(10) after(500000000)", "requires a block height and a time, and no nLockTime can express both");
    BOOST_CHECK_EQUAL(LaterLockTime(499'999'998, 499'999'999), 499'999'999);
    BOOST_CHECK_EQUAL(LaterLockTime(500'000'001, 500'000'000), 500'000'001);
    BOOST_CHECK_THROW(LaterLockTime(499'999'999, 500'000'000), InputError);
}

BOOST_AUTO_TEST_SUITE_END()
