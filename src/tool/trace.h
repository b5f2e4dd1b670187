// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TOOL_TRACE_H
#define SLHCONSENSUS_TOOL_TRACE_H

#include <primitives/opcodes.h>
#include <primitives/script.h>
#include <primitives/transaction.h>
#include <script/script_run.h>
#include <script/sighash.h>
#include <script/stack.h>
#include <script/verify_flags.h>
#include <tool/signature_parts.h>
#include <tool/spend_file.h>
#include <wallet/key_type.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace slhc::tool {

/** A signature that a tapscript checks. */
struct SignatureCheck {
    std::vector<uint8_t> public_key, signature;
    std::optional<uint8_t> hash_type; //!< none: the signature is empty or has an impossible size
    std::optional<uint256> hash;      //!< what it must sign; none: no hash type, or one that is undefined here
    wallet::KeyType type;             //!< that the opcode checks
    KeyVersion key_version;           //!< of the key
    MessageFields message;            //!< whose hash it must sign; empty: no hash
};

/** Looks at the signature checks of one leaf script of one input, to say what they check and why one failed. */
class SignatureChecks
{
public:
    /** @pre the transaction and its data, with the spent outputs, outlive this */
    SignatureChecks(const CTransaction& tx, unsigned n_in, const PrecomputedTransactionData& txdata, const CScript& leaf_script);

    /** An OP_CODESEPARATOR was executed. */
    void SetCodeSeparator(uint32_t opcode_pos) { m_codeseparator_pos = opcode_pos; }

    /** The signature that an opcode is about to check; nothing if it checks no signature, or if the stack has too few elements. */
    std::optional<SignatureCheck> Look(opcodetype opcode, const ScriptStack& stack);

    /** Why a signature that did not verify may have been made so: under which key of the script, for which hash type or
     *  in which other way it would verify. Empty if none is found. */
    std::string Explain(const SignatureCheck& check);

private:
    std::optional<uint256> Hash(uint8_t hash_type, KeyVersion key_version);
    /** True if the signature, hash type aside, verifies. */
    bool Verifies(const SignatureCheck& check, const std::vector<uint8_t>& public_key, uint8_t hash_type, KeyVersion key_version);

    const CTransaction& m_tx;
    const unsigned m_n_in;
    const PrecomputedTransactionData& m_txdata;
    const CScript m_script;
    uint32_t m_codeseparator_pos{0xffffffff};
    ScriptExecutionData m_execdata;
};

//! A script of a full block has millions of instructions; nobody reads them all.
inline constexpr size_t MAX_STEPS{2000};
//! Stack elements to keep of each step
inline constexpr size_t DEFAULT_SHOWN{8};
//! More than those, of all steps but the last together: a thousand of each would be millions.
inline constexpr size_t MAX_EXTRA_ELEMENTS{50'000};

/** An element for people: "<>", "<00ff>", or "<3f6a1c..9b20 7856 bytes>". */
std::string ShowElement(std::span<const uint8_t> bytes);

/** The state that an instruction found when it ran. Stacks are for display, the top last; of a high stack the top alone, which is at most
 *  DEFAULT_SHOWN elements once earlier steps have used up MAX_EXTRA_ELEMENTS. The last step of a script is always shown as asked for. */
struct TraceStep {
    uint32_t position;       //!< counted in instructions
    size_t byte_offset;
    std::string instruction; //!< in the script language
    bool executed;           //!< false in a branch not taken
    std::vector<std::string> stack, altstack;
    size_t stack_size, altstack_size;
    std::array<size_t, 2> sizes;   //!< of the top element, and of the one below; 0 where there is none
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
    std::optional<SignatureCheck> key_path; //!< what a key path spend of P2TR checks
    bool valid;
    ScriptFailure failure; //!< its error is SCRIPT_ERR_OK if the input is valid
};

/** Verifies inputs of a transaction and watches. What the inputs share is computed once. */
class Tracer
{
public:
    /** @pre CheckSpendFile(spend) */
    explicit Tracer(const SpendFile& spend);

    /** The trace is bounded, whatever the transaction.
     *  @param[in] shown  stack elements to keep of each step, as far as that leaves room for the others
     *  @pre n_in is one of the inputs */
    Trace TraceInput(unsigned n_in, size_t shown = DEFAULT_SHOWN) const;

private:
    std::optional<SignatureCheck> KeyPath(unsigned n_in) const;

    const script_verify_flags m_flags;
    const CTransactionRef m_tx;
    const PrecomputedTransactionData m_txdata;
};

} // namespace slhc::tool

#endif // SLHCONSENSUS_TOOL_TRACE_H
