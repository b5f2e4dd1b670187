// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef BITCOIN_SLHDSA_WITNESS_H
#define BITCOIN_SLHDSA_WITNESS_H

#include <rpc/util.h>
#include <univalue.h>

#include <cstddef>
#include <string>

class CScript;
struct CScriptWitness;

/** As ScriptToAsmStr, with the names that OP_SUBSTR and OP_LEFT have in tapscript. */
std::string TapscriptToAsmStr(const CScript& script);

/** A leaf's disassembly is left out if it has more characters than this over the script in hex. */
static constexpr size_t MAX_LEAF_ASM_EXCESS{1000};

/** Describe how a witness spends a P2TR output by its script path, or a P2MR output: leaf script, control block, annex
 *  and SLH-DSA signatures. Null if it does neither. Nothing is verified. */
UniValue ScriptPathToUniv(const CScript& script_pubkey, const CScriptWitness& witness);

/** RPC help for the result of ScriptPathToUniv(). */
RPCResult ScriptPathDoc(const std::string& key_name);

#endif // BITCOIN_SLHDSA_WITNESS_H
