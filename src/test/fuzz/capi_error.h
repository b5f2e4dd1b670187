// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TEST_FUZZ_CAPI_ERROR_H
#define SLHCONSENSUS_TEST_FUZZ_CAPI_ERROR_H

#include <slhconsensus.h>
#include <test/fuzz/fuzz.h>

#include <string_view>

namespace slhc::test {

inline void RequireOneLine(std::string_view text)
{
    Require(!text.empty() && text.find('\n') == std::string_view::npos, "what is wrong is said in one line");
}

/** After SLHC_ERROR or NULL. */
inline void RequireError(int code)
{
    slhc_error error = SLHC_ERROR_INIT;
    Require(slhc_last_error(&error) == SLHC_OK && error.code == code, "an error has its code");
    RequireOneLine(error.message);
}

} // namespace slhc::test

#endif // SLHCONSENSUS_TEST_FUZZ_CAPI_ERROR_H
