// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TEST_CAPI_LAST_ERROR_H
#define SLHCONSENSUS_TEST_CAPI_LAST_ERROR_H

#include <slhconsensus.h>

#include <boost/test/unit_test.hpp>

#include <string>

namespace slhc::test {

/** The calling thread's last error has that code, and a message that contains that part. */
inline void CheckLastError(int code, const std::string& part)
{
    slhc_error error SLHC_ERROR_INIT;
    BOOST_REQUIRE_EQUAL(slhc_last_error(&error), SLHC_OK);
    BOOST_CHECK_EQUAL(error.code, code);
    BOOST_CHECK_MESSAGE(std::string{error.message}.find(part) != std::string::npos, error.message << " lacks: " << part);
}

} // namespace slhc::test

#endif // SLHCONSENSUS_TEST_CAPI_LAST_ERROR_H
