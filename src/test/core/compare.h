// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TEST_CORE_COMPARE_H
#define SLHCONSENSUS_TEST_CORE_COMPARE_H

#include <test/core/core_oracle.h>
#include <test/core/module_side.h>
#include <test/core/spend.h>

#include <cstdint>
#include <span>
#include <string>

/** This project's library against Bitcoin Core, question by question. Each answer is empty if the two agree, else one
 *  line that says what each of them says. */
namespace slhc::test {

class SpendComparison
{
public:
    SpendComparison(const core_oracle& oracle, const Spend& spend);

    /** VerifyScript of the spend's input. Core is asked without P2MR and SLHDSA, whatever the flags.
     *  @param[out] expected  what Core says */
    [[nodiscard]] std::string CompareVerdict(script_verify_flags flags, Verdict& expected) const;

    /** Signature operations, and what kind of scripts scriptSig and scriptPubKey are. */
    [[nodiscard]] std::string CompareCounts() const;

private:
    const core_oracle& m_oracle;
    const CoreTx m_core;
    const ModuleTx m_module;
    const CTxIn& m_input;
    const CScript& m_output;
    const uint32_t m_n_in;

    [[nodiscard]] std::string Describe(const Verdict& verdict) const;
};

/** Whether raw is a transaction, its identifiers and its size without witnesses. */
[[nodiscard]] std::string CompareParsing(const core_oracle& oracle, std::span<const uint8_t> raw);

} // namespace slhc::test

#endif // SLHCONSENSUS_TEST_CORE_COMPARE_H
