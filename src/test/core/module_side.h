// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TEST_CORE_MODULE_SIDE_H
#define SLHCONSENSUS_TEST_CORE_MODULE_SIDE_H

#include <primitives/transaction.h>
#include <script/checker.h>
#include <script/script_error.h>
#include <script/sighash.h>
#include <script/verify_flags.h>
#include <test/core/spend.h>

#include <cstdint>
#include <functional>

namespace slhc::test {

/** What VerifyScript says. */
struct Verdict {
    bool valid{false};
    int error{SCRIPT_ERR_UNKNOWN_ERROR};

    bool operator==(const Verdict&) const = default;
};

/** A spend as this project's library sees it. */
class ModuleTx
{
public:
    explicit ModuleTx(const Spend& spend);
    ModuleTx(const ModuleTx&) = delete;

    /** VerifyScript of one input, every signature verified at once but those of SLH-DSA, which are valid if their first
     *  byte is not zero: a generator can make those, and rules about them do not depend on the curve. */
    [[nodiscard]] Verdict Verify(uint32_t n_in, script_verify_flags flags) const;

    /** The same with a checker of the caller's. */
    [[nodiscard]] Verdict VerifyWith(uint32_t n_in, script_verify_flags flags, const BaseSignatureChecker& checker) const;

    const CTransaction m_tx;
    PrecomputedTransactionData m_data;
};

/** Signature hashes by this project's library. */
class ModuleProbe final : public SignatureProbe
{
public:
    void Run(const Spend& spend, script_verify_flags flags, const std::function<bool(const CurveCheck&)>& check) const override;
};

/** Whether SCRIPT_VERIFY_P2MR or SCRIPT_VERIFY_SLHDSA can make a difference to the input: its output is a version 2
 *  program of 32 bytes, or its witness reveals a leaf script with one of the two opcodes. */
bool ConcernsModule(const Spend& spend);

} // namespace slhc::test

#endif // SLHCONSENSUS_TEST_CORE_MODULE_SIDE_H
