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
#include <test/core/slhdsa_scheme.h>
#include <test/core/spend.h>

#include <cstddef>
#include <cstdint>
#include <functional>

namespace slhc::test {

/** The result of VerifyScript. */
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

    /** VerifyScript of one input, every signature verified at once. */
    [[nodiscard]] Verdict Verify(uint32_t n_in, script_verify_flags flags, const SLHDSAScheme& slhdsa = QuickSLHDSA()) const;

    /** The same with SLH-DSA signatures staged, and verified as a batch if the script succeeds.
     *  @param[in] cached     ask a cache, after an eager run that filled it
     *  @param[out] n_staged  signatures that were staged by a script that succeeds */
    [[nodiscard]] Verdict VerifyDeferred(uint32_t n_in, script_verify_flags flags, const SLHDSAScheme& slhdsa, bool cached,
                                         size_t& n_staged) const;

    const CTransaction m_tx;
    PrecomputedTransactionData m_data;
};

/** True if the witness reveals a leaf script with an SLH-DSA opcode. */
bool HasSLHDSALeaf(const Spend& spend);

/** True if SCRIPT_VERIFY_P2MR or SCRIPT_VERIFY_SLHDSA can make a difference to the input: its output is a version 2
 *  program of 32 bytes, or its witness reveals a leaf script with one of the two opcodes. */
bool ConcernsModule(const Spend& spend);

} // namespace slhc::test

#endif // SLHCONSENSUS_TEST_CORE_MODULE_SIDE_H
