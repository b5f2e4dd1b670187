// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TEST_CORE_COMPARE_H
#define SLHCONSENSUS_TEST_CORE_COMPARE_H

#include <test/core/core_oracle.h>
#include <test/core/module_side.h>
#include <test/core/oracle_loader.h>
#include <test/core/slhdsa_scheme.h>
#include <test/core/spend.h>

#include <cstdint>
#include <span>
#include <string>

/** This project's library against Bitcoin Core, question by question. Each answer is empty if the two agree, else one line with both
 *  results. */
namespace slhc::test {

/** Bitcoin Core as it is, and with the rules in it. */
struct CoreOracles {
    const core_oracle& today;
    const core_oracle& with_rules;
};

/** Both; null if one is not here.
 *  @param[out] error  filled if the result is null */
const CoreOracles* LoadCoreOracles(OracleError& error);

class SpendComparison
{
public:
    SpendComparison(const CoreOracles& oracles, const SLHDSAScheme& slhdsa, const Spend& spend);

    /** VerifyScript of the spend's input, eager and deferred, with a cache and without, here and in Core with the rules. If neither P2MR
     *  nor SLHDSA is set, Core as it is gives the same; if one is, it accepts all valid inputs.
     *  @param[out] expected  Core's verdict
     *  @param[out] module    this library's, if that differs; else Core's */
    [[nodiscard]] std::string CompareVerdict(script_verify_flags flags, Verdict& expected, Verdict& module) const;

    /** Signature operations, and the kinds of scriptSig and scriptPubKey. */
    [[nodiscard]] std::string CompareCounts() const;

private:
    const CoreOracles m_oracles;
    const SLHDSAScheme& m_slhdsa;
    const CoreTx m_today; //!< as Bitcoin Core sees the spend; null if it does not deserialize
    const CoreTx m_with_rules;
    const ModuleTx m_module;
    const CTxIn& m_input;
    const CScript& m_output;
    const uint32_t m_n_in;

    [[nodiscard]] std::string CompareCounts(const core_oracle& oracle, const core_oracle_tx& tx, script_verify_flags flags) const;
};

/** Parsing of a transaction, its identifiers and its size without witnesses. */
[[nodiscard]] std::string CompareParsing(const core_oracle& oracle, std::span<const uint8_t> raw);

} // namespace slhc::test

#endif // SLHCONSENSUS_TEST_CORE_COMPARE_H
