// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <test/saved_variable.h>

#include <util/environment.h>
#include <util/hex.h>

#include <boost/test/unit_test.hpp>

#include <array>
#include <cstdlib>
#include <string>

using namespace slhc;

BOOST_AUTO_TEST_SUITE(util_tests)

BOOST_AUTO_TEST_CASE(hex)
{
    BOOST_CHECK_EQUAL(HexStr({}), "");
    const std::vector<uint8_t> bytes{0x00, 0x0f, 0xf0, 0xab};
    BOOST_CHECK_EQUAL(HexStr(bytes), "000ff0ab");
    BOOST_CHECK(TryParseHex("000FF0aB") == bytes);
    BOOST_CHECK(TryParseHex("") == std::vector<uint8_t>{});
    for (const char* bad : {"0", "000", "0g", "g0", " 00", "0 ", "0x00", "00\n"}) {
        BOOST_CHECK_MESSAGE(!TryParseHex(bad), "accepted '" << bad << "'");
    }
    for (const char* digits : {"", "0", "00aF9"}) BOOST_CHECK(HasOnlyHexDigits(digits));
    for (const char* others : {"0g", " 00", "0x00", "00\n"}) BOOST_CHECK(!HasOnlyHexDigits(others));
}

BOOST_AUTO_TEST_CASE(empty_variable_is_not_set)
{
    constexpr const char* NAME{"SLHC_TEST_VARIABLE"};
    BOOST_CHECK(!GetEnvironment(NAME));
    {
        const slhc::test::SavedVariable variable{NAME, ""};
        BOOST_CHECK(!GetEnvironment(NAME));
    }
    const slhc::test::SavedVariable variable{NAME, " "};
    BOOST_REQUIRE(GetEnvironment(NAME));
    BOOST_CHECK_EQUAL(GetEnvironment(NAME), " ");
}

BOOST_AUTO_TEST_SUITE_END()
