// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TEST_CORE_ORACLE_LOADER_H
#define SLHCONSENSUS_TEST_CORE_ORACLE_LOADER_H

#include <test/core/core_oracle.h>

#include <cstdlib>
#include <memory>
#include <string>

namespace slhc::test {

/** The exit status that ctest reports as "skipped". */
inline constexpr int EXIT_SKIPPED{77};

/** The two Bitcoin Cores. */
enum class CoreVariant {
    TODAY,      //!< as its sources are
    WITH_RULES, //!< with the rules of contrib/bitcoin-core in it
};

/** The reason why there is no oracle. */
struct OracleError {
    std::string what;      //!< one line
    bool is_broken{false}; //!< it was built, or is named in the environment, but is broken

    /** The message of a program that needs the oracle, and its exit status. */
    [[nodiscard]] std::string Line() const { return (is_broken ? "error: " : "skipped: ") + what; }
    [[nodiscard]] int ExitStatus() const { return is_broken ? EXIT_FAILURE : EXIT_SKIPPED; }
};

/** Load the oracle that the build made, or the one that SLHC_CORE_ORACLE (TODAY) or SLHC_CORE_RULES_ORACLE in the environment names.
 *  Its symbols are hidden from all other code. It stays loaded.
 *  @param[out] error  filled if the result is null */
const core_oracle* LoadCoreOracle(CoreVariant variant, OracleError& error);

struct CoreTxDeleter {
    const core_oracle* oracle;
    void operator()(core_oracle_tx* tx) const { oracle->tx_destroy(tx); }
};
using CoreTx = std::unique_ptr<core_oracle_tx, CoreTxDeleter>;

} // namespace slhc::test

#endif // SLHCONSENSUS_TEST_CORE_ORACLE_LOADER_H
