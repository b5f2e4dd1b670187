// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TOOL_TRACE_H
#define SLHCONSENSUS_TOOL_TRACE_H

#include <script/script_error.h>
#include <script/sighash.h>
#include <script/verify_flags.h>
#include <tool/signature_check.h>
#include <tool/spend_file.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace slhc::tool {

//! A script of a full block has millions of instructions; nobody reads them all.
inline constexpr size_t MAX_STEPS{2000};
//! Stack elements to keep of each step
inline constexpr size_t DEFAULT_SHOWN{8};
//! More than those, of all steps but the last together: a thousand of each would be millions.
inline constexpr size_t MAX_EXTRA_ELEMENTS{50'000};

/** An element for people: "<>", "<00ff>", or "<3f6a1c..9b20 7856 bytes>". */
std::string ShowElement(std::span<const uint8_t> bytes);

/** What an instruction found when it ran. Stacks are for display, the top last; of a high stack the top alone, which is at most
 *  DEFAULT_SHOWN elements once earlier steps have used up MAX_EXTRA_ELEMENTS. The last step of a script is always shown as asked for. */
struct TraceStep {
    uint32_t position;       //!< counted in instructions
    size_t byte_offset;
    std::string instruction; //!< in the script language
    bool executed;           //!< false in a branch not taken
    std::vector<std::string> stack, altstack;
    size_t stack_size, altstack_size;
    std::optional<int64_t> budget; //!< validation weight left, in tapscript
    std::optional<SignatureCheck> check; //!< the signature that it checks, in tapscript
};

/** One script as it ran. */
struct TracedScript {
    SigVersion version;
    std::string script;              //!< in the script language
    std::vector<TraceStep> steps;    //!< the first ones, and the last one
    size_t skipped{0};               //!< steps left out before the last one
    ScriptError error;               //!< SCRIPT_ERR_OK if it ran to its end
    std::vector<std::string> result; //!< the stack at its end, as in TraceStep
    std::string hint;                //!< if its last step was a signature check that failed: why, perhaps
};

/** How an input was verified. */
struct Trace {
    std::vector<TracedScript> scripts; //!< none if the input failed or succeeded before any script ran
    bool valid;
    ScriptError error;
};

/** Verifies inputs of a transaction and watches. What the inputs share is computed once. */
class Tracer
{
public:
    /** @pre CheckSpendFile(spend); it outlives the tracer */
    explicit Tracer(const SpendFile& spend);

    /** What it keeps is bounded, whatever the transaction.
     *  @param[in] shown  stack elements to keep of each step, as far as that leaves room for the others
     *  @pre n_in is one of the inputs */
    Trace TraceInput(unsigned n_in, size_t shown = DEFAULT_SHOWN) const;

    const CTransaction& Tx() const { return m_tx; }

private:
    const script_verify_flags m_flags;
    const CTransaction m_tx;
    const PrecomputedTransactionData m_txdata;
};

} // namespace slhc::tool

#endif // SLHCONSENSUS_TOOL_TRACE_H
