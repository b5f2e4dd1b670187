// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TOOL_VERIFICATION_H
#define SLHCONSENSUS_TOOL_VERIFICATION_H

#include <script/verify_flags.h>
#include <tool/api.h>
#include <tool/error.h>
#include <tool/spend_file.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace slhc::tool {

/** "leaf script" and the like. @param[in] script  one of SLHC_SCRIPT_*; nothing for SLHC_SCRIPT_NONE */
std::optional<std::string> ScriptName(int script);

/** The name of the opcode that failed, as its script has it: tapscript's names in a leaf. */
std::string OpcodeName(const slhc_failure& failure, script_verify_flags flags);

/** The verdict on one input. */
struct InputVerdict {
    bool valid{true};
    std::string error;                      //!< "SCRIPT_ERR_SLHDSA_SIG"; empty if valid
    std::optional<std::string> script;      //!< the one that failed, e.g. "leaf script"; nothing if none is to blame
    std::optional<uint32_t> opcode_pos;     //!< of the instruction that failed, counted in instructions
    std::optional<std::string> instruction; //!< its opcode's name
    double microseconds{0};                 //!< eager: everything; in a batch: all but the deferred signatures
};

struct TxVerdict {
    std::string name; //!< of the file
    std::string txid;
    uint64_t flags; //!< the rules
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
