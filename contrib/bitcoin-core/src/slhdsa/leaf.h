// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef BITCOIN_SLHDSA_LEAF_H
#define BITCOIN_SLHDSA_LEAF_H

#include <script/script.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

/** One condition of a leaf script. */
struct SLHDSALeafCondition {
    enum class Type {
        SIGNATURES, //!< `threshold` of the `checks`; for each of them an element, that is empty if it does not sign
        PREIMAGE,   //!< one element
        AFTER,      //!< OP_CHECKLOCKTIMEVERIFY, no element
        OLDER,      //!< OP_CHECKSEQUENCEVERIFY, no element
    };
    struct Check {
        std::vector<unsigned char> pubkey; //!< 32 bytes
        bool slhdsa;                       //!< or BIP 340
    };

    Type type;
    std::vector<Check> checks{};
    size_t threshold{0};
    opcodetype hash_opcode{OP_INVALIDOPCODE};
    std::vector<unsigned char> hash{};
    int64_t lock{0};
};

/** Find the conditions of a leaf script that checks SLH-DSA signatures, in the order in which the script takes their
 *  elements: the first one's are on top of the initial stack.
 *
 * Miniscript has no fragments for these opcodes, so this knows scripts without branches: signatures of one or more keys
 * of either kind (counted by OP_CHECKSIGADD, OP_CHECKSIGADDSLHDSA and OP_NUMEQUAL), preimages and lock times, each but
 * the last that leaves a result followed by OP_VERIFY (or in its VERIFY form).
 *
 * @param max_elements  how many elements they may take together: unless told, as many as leave room on a stack for a key on top of them
 * @return nothing if the script has another form, neither of the two opcodes, or takes more elements
 */
std::optional<std::vector<SLHDSALeafCondition>> ParseSLHDSALeaf(const CScript& script, size_t max_elements = MAX_STACK_SIZE - 1);

/** True if a script has one of the two opcodes. */
bool HasSLHDSAOpcode(const CScript& script);

#endif // BITCOIN_SLHDSA_LEAF_H
