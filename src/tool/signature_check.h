// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TOOL_SIGNATURE_CHECK_H
#define SLHCONSENSUS_TOOL_SIGNATURE_CHECK_H

#include <primitives/opcodes.h>
#include <primitives/script.h>
#include <primitives/transaction.h>
#include <script/sighash.h>
#include <script/stack.h>

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
    KeyVersion key_version;           //!< of the opcode
};

/** Looks at the signature checks of one leaf script of one input, to say what they check and why one failed. */
class SignatureChecks
{
public:
    /** @pre the transaction and its data, with the spent outputs, outlive this */
    SignatureChecks(const CTransaction& tx, unsigned n_in, const PrecomputedTransactionData& txdata, const CScript& leaf_script);

    /** An OP_CODESEPARATOR was executed. */
    void SetCodeSeparator(uint32_t opcode_pos) { m_codeseparator_pos = opcode_pos; }

    /** What an opcode is about to check; nothing if it checks no signature, or if the stack has too few elements. */
    std::optional<SignatureCheck> Look(opcodetype opcode, const ScriptStack& stack);

    /** Why a signature that did not verify may have been made so: under which key of the script, for which hash type or
     *  in which other way it would verify. Empty if none is found. */
    std::string Explain(const SignatureCheck& check);

private:
    std::optional<uint256> Hash(uint8_t hash_type, KeyVersion key_version);
    /** Whether the signature, hash type aside, verifies. */
    bool Verifies(const SignatureCheck& check, const std::vector<uint8_t>& public_key, uint8_t hash_type, KeyVersion key_version);

    const CTransaction& m_tx;
    const unsigned m_n_in;
    const PrecomputedTransactionData& m_txdata;
    const CScript m_script;
    uint32_t m_codeseparator_pos{0xffffffff};
    ScriptExecutionData m_execdata;
};

} // namespace slhc::tool

#endif // SLHCONSENSUS_TOOL_SIGNATURE_CHECK_H
