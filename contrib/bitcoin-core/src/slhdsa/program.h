// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef BITCOIN_SLHDSA_PROGRAM_H
#define BITCOIN_SLHDSA_PROGRAM_H

#include <script/script_error.h>
#include <script/verify_flags.h>

#include <cstdint>
#include <string>
#include <vector>

class CScript;
class CScriptWitness;

/** What the interpreter needs to know of SLH-DSA-SHA2-128s (FIPS 205): which inputs it hands to the module, and to whom. */
namespace slhdsa {

/** What RPCs call P2MR outputs. */
inline const std::string P2MR_TYPE_NAME{"witness_v2_p2mr"};

/** Whether a witness program is Pay-to-Merkle-Root (BIP 360; Pay-to-Tapscript-Hash before its version 0.11). */
[[nodiscard]] bool IsP2MR(int witversion, const std::vector<unsigned char>& program);
[[nodiscard]] bool IsP2MR(const CScript& script_pub_key);

/** Whether a tapscript has OP_CHECKSIGSLHDSA or OP_CHECKSIGADDSLHDSA before anything in it that does not decode. */
[[nodiscard]] bool HasOpcode(const CScript& tapscript);

/** Whether VerifyScript would hand the spend of a native witness program over under these flags, if it gets that far:
 *  P2MR, and P2TR with a leaf script that has one of the opcodes. May say yes where the interpreter decides by
 *  itself (a control block that is wrong, another leaf version), never no where it hands over. */
[[nodiscard]] bool IsHandedOver(const CScript& script_pub_key, const CScriptWitness& witness, script_verify_flags flags);

/** Judges the inputs of one transaction that the interpreter hands over. Safe to use from several threads. */
class TxVerifier
{
public:
    virtual ~TxVerifier() = default;

    /** @param[in]  witness  the whole witness of the input, as it came
     *  @param[out] error    why it is invalid
     *  @return true if the input is valid, or is valid on the condition that the block's batch verifies */
    [[nodiscard]] virtual bool VerifyInput(unsigned int n_in, int witversion, const std::vector<unsigned char>& program,
                                           const CScriptWitness& witness, script_verify_flags flags, ScriptError& error) const = 0;
};

class BlockBatch;

/** Whose batch a transaction's signatures may join (see validator.h), and the transaction's place in the block. */
struct Deferral {
    BlockBatch* batch{nullptr}; //!< null: no block, so nothing is deferred
    uint64_t tx_index{0};
};

} // namespace slhdsa

#endif // BITCOIN_SLHDSA_PROGRAM_H
