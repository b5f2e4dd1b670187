// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TEST_CORE_ORACLE_LOADER_H
#define SLHCONSENSUS_TEST_CORE_ORACLE_LOADER_H

#include <test/core/core_oracle.h>

#include <string>

namespace slhc::test {

/** The exit status that ctest reports as "skipped". */
inline constexpr int EXIT_SKIPPED{77};

/** Where the build put the oracle; empty if it built none. SLHC_CORE_ORACLE in the environment overrides it. */
std::string CoreOraclePath();

/** Load the oracle from path, its symbols hidden from everybody else. It stays loaded.
 *  @param[out] error  one line, if the result is null */
const core_oracle* LoadCoreOracle(const std::string& path, std::string& error);

} // namespace slhc::test

#endif // SLHCONSENSUS_TEST_CORE_ORACLE_LOADER_H
