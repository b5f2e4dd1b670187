// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TOOL_VERIFICATION_H
#define SLHCONSENSUS_TOOL_VERIFICATION_H

#include <script/script_run.h>
#include <script/verify_flags.h>
#include <tool/error.h>
#include <tool/spend_file.h>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace slhc::tool {

/** Add to a verdict why and where scripts failed: "error", and if there is one "script", "opcode_pos" and "instruction". */
void AddFailure(Json& json, const ScriptFailure& failure, script_verify_flags flags);
/** The same in words: "SCRIPT_ERR_SLHDSA_SIG at instruction 1 (OP_CHECKSIGSLHDSA) of the leaf script". */
std::string DescribeFailure(const ScriptFailure& failure, script_verify_flags flags);

/** The verdict on one input. */
struct InputVerdict {
    ScriptFailure failure;  //!< its error is SCRIPT_ERR_OK if the input is valid
    double microseconds{0}; //!< eager: everything; in a batch: all but the deferred signatures

    bool Valid() const { return failure.error == SCRIPT_ERR_OK; }
};

struct TxVerdict {
    std::string name; //!< of the file
    std::string txid;
    script_verify_flags flags; //!< the rules
    std::vector<InputVerdict> inputs;

    bool Valid() const;
};

struct VerificationResult {
    std::vector<TxVerdict> transactions; //!< in the order given
    bool batched;
    size_t signatures{0};                //!< SLH-DSA signatures in the batch
    double script_milliseconds{0};       //!< all inputs; with all signatures if not batched
    double batch_milliseconds{0};

    bool Valid() const;
    size_t InputCount() const;
};

/** Verify all inputs of all transactions, each signature where its script asks for it, or SLH-DSA signatures
 *  together at the end.
 *  @throws InputError */
VerificationResult VerifySpends(std::span<const SpendFile> spends, bool batched);

Json VerificationJson(const VerificationResult& result);
void PrintVerification(const VerificationResult& result);

/** Say why there is nothing to write: the transaction is not valid.
 *  @param[in] remedy  follows in parentheses; may be empty
 *  @return EXIT_INVALID */
ExitStatus RefuseInvalid(const VerificationResult& result, bool json, const std::string& remedy = {});

} // namespace slhc::tool

#endif // SLHCONSENSUS_TOOL_VERIFICATION_H
