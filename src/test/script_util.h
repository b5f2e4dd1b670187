// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TEST_SCRIPT_UTIL_H
#define SLHCONSENSUS_TEST_SCRIPT_UTIL_H

#include <primitives/transaction.h>
#include <script/interpreter.h>
#include <script/script.h>
#include <script/script_error.h>
#include <script/sighash.h>
#include <util/hex.h>

#include <cstdint>
#include <optional>
#include <ostream>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

/** Helpers of script tests. */
namespace slhc {

/** So that Boost.Test shows errors by name. */
inline std::ostream& operator<<(std::ostream& out, ScriptError error) { return out << ScriptErrorName(error); }

namespace test {

using Bytes = std::vector<uint8_t>;

/** The bytes that hex spells, or an exception. */
inline Bytes Hex(std::string_view hex)
{
    auto bytes{TryParseHex(hex)};
    if (!bytes) throw std::runtime_error{"not hexadecimal: " + std::string{hex}};
    return *std::move(bytes);
}

/** A script in the notation of Bitcoin Core's test vectors: words between spaces that are numbers, opcodes with or
 *  without OP_, 'text' to push, or 0x and raw bytes. */
CScript ParseTestScript(std::string_view text);

/** VerifyScript with the arguments of Bitcoin Core's. @param[out] error  the failure's */
inline bool VerifyScript(const CScript& script_sig, const CScript& script_pub_key, const CScriptWitness* witness, script_verify_flags flags,
                         const BaseSignatureChecker& checker, ScriptError& error)
{
    ScriptRun run{.flags = flags, .checker = checker};
    const bool valid{slhc::VerifyScript(script_sig, script_pub_key, witness, run)};
    error = run.failure.error;
    return valid;
}

/** EvalScript likewise. */
inline bool EvalScript(ScriptStack& stack, const CScript& script, script_verify_flags flags, const BaseSignatureChecker& checker,
                       SigVersion sigversion, ScriptExecutionData& execdata, ScriptError& error)
{
    ScriptRun run{.flags = flags, .checker = checker, .execdata = execdata};
    const bool ran{slhc::EvalScript(stack, script, sigversion, run)};
    execdata = run.execdata;
    error = run.failure.error;
    return ran;
}

/** A transaction that creates one output, as Core's script tests have it. */
CTransaction CreditingTransaction(const CScript& script_pub_key, CAmount amount);

/** A transaction that spends the first output of credit with one input to one empty output. */
CMutableTransaction SpendingTransaction(const CScript& script_sig, const CScriptWitness& witness, const CTransaction& credit);

} // namespace test
} // namespace slhc

#endif // SLHCONSENSUS_TEST_SCRIPT_UTIL_H
