// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <slhdsa/witness.h>

#include <core_io.h>
#include <hash.h>
#include <primitives/transaction.h>
#include <rpc/util.h>
#include <script/interpreter.h>
#include <script/script.h>
#include <slhdsa/leaf.h>
#include <slhdsa/pubkey.h>
#include <tinyformat.h>
#include <uint256.h>
#include <univalue.h>
#include <util/strencodings.h>
#include <util/string.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

std::string TapscriptToAsmStr(const CScript& script)
{
    std::vector<std::string> words{util::SplitString(ScriptToAsmStr(script), ' ')};
    for (std::string& word : words) {
        if (word == "OP_SUBSTR") word = "OP_CHECKSIGSLHDSA";
        if (word == "OP_LEFT") word = "OP_CHECKSIGADDSLHDSA";
    }
    return util::Join(words, " ");
}

/** The disassembly of a leaf, or nothing where it would make answers about a block many times as large as the block: an opcode of one byte
 *  has a name of up to 22. In scripts that people write, most bytes are keys, which take as many characters as in hex. */
static std::optional<std::string> LeafToAsmStr(const CScript& script, uint8_t leaf_version)
{
    if (script.size() > MAX_SCRIPT_SIZE) return std::nullopt;
    std::string text{leaf_version == TAPROOT_LEAF_TAPSCRIPT ? TapscriptToAsmStr(script) : ScriptToAsmStr(script)};
    if (text.size() > 2 * script.size() + MAX_LEAF_ASM_EXCESS) return std::nullopt;
    return text;
}

UniValue ScriptPathToUniv(const CScript& script_pubkey, const CScriptWitness& witness)
{
    const bool p2mr{script_pubkey.IsPayToMerkleRoot()};
    if (!p2mr && !script_pubkey.IsPayToTaproot()) return UniValue{};

    std::span stack{witness.stack};
    const std::vector<unsigned char>* annex{nullptr};
    if (stack.size() >= 2 && !stack.back().empty() && stack.back()[0] == ANNEX_TAG) {
        annex = &stack.back();
        stack = stack.first(stack.size() - 1);
    }
    if (stack.size() < 2) return UniValue{}; // the key path, or invalid
    const auto& control{stack[stack.size() - 1]};
    const auto& script_bytes{stack[stack.size() - 2]};
    stack = stack.first(stack.size() - 2);
    const size_t base_size{p2mr ? P2MR_CONTROL_BASE_SIZE : TAPROOT_CONTROL_BASE_SIZE};
    if (control.size() < base_size || (control.size() - base_size) % TAPROOT_CONTROL_NODE_SIZE != 0) return UniValue{};
    const size_t path_length{(control.size() - base_size) / TAPROOT_CONTROL_NODE_SIZE};
    if (path_length > TAPROOT_CONTROL_MAX_NODE_COUNT) return UniValue{};

    const uint8_t leaf_version(control[0] & TAPROOT_LEAF_MASK);
    const CScript script(script_bytes.begin(), script_bytes.end());
    const uint256 leaf_hash{ComputeTapleafHash(leaf_version, script_bytes)};

    UniValue result{UniValue::VOBJ};
    if (auto text{LeafToAsmStr(script, leaf_version)}) result.pushKV("leaf_asm", std::move(*text));
    result.pushKV("leaf_version", leaf_version);
    result.pushKV("leaf_hash", HexStr(leaf_hash));
    UniValue control_univ{UniValue::VOBJ};
    if (!p2mr) control_univ.pushKV("internal_key", HexStr(std::span{control}.subspan(1, TAPROOT_CONTROL_BASE_SIZE - 1)));
    control_univ.pushKV("path_length", path_length);
    control_univ.pushKV("merkle_root", HexStr(p2mr ? ComputeP2MRMerkleRoot(control, leaf_hash) : ComputeTaprootMerkleRoot(control, leaf_hash)));
    result.pushKV("control_block", std::move(control_univ));
    if (annex) result.pushKV("annex", HexStr(*annex));

    if (leaf_version != TAPROOT_LEAF_TAPSCRIPT || !HasSLHDSAOpcode(script)) return result;
    UniValue signatures{UniValue::VARR};
    for (size_t i{0}; i < stack.size(); ++i) {
        const auto* const set{SLHDSAPubKey::SetOfSignature(stack[i])};
        if (!set) continue;
        UniValue signature{UniValue::VOBJ};
        signature.pushKV("index", i);
        signature.pushKV("size", stack[i].size());
        signature.pushKV("set", set->name);
        signature.pushKV("sighash", stack[i].size() != set->signature_size ? SighashToStr(stack[i].back()) : "DEFAULT");
        signatures.push_back(std::move(signature));
    }
    result.pushKV("slhdsa_signatures", std::move(signatures));
    return result;
}

RPCResult ScriptPathDoc(const std::string& key_name)
{
    return {
        RPCResult::Type::OBJ, key_name, /*optional=*/true, "How the witness spends a P2MR output, or a P2TR output by its script path (only if the previous output is known)",
        {
            {RPCResult::Type::STR, "leaf_asm", /*optional=*/true, strprintf("Disassembly of the leaf script (omitted for scripts of more than %u bytes, and where it would be more than %u characters longer than the script in hex)", MAX_SCRIPT_SIZE, MAX_LEAF_ASM_EXCESS)},
            {RPCResult::Type::NUM, "leaf_version", "The leaf version"},
            {RPCResult::Type::STR_HEX, "leaf_hash", "The TapLeaf hash of leaf version and script"},
            {RPCResult::Type::OBJ, "control_block", "",
            {
                {RPCResult::Type::STR_HEX, "internal_key", /*optional=*/true, "The internal key (only P2TR)"},
                {RPCResult::Type::NUM, "path_length", "The number of hashes between leaf and root. A P2MR leaf without any is not executed"},
                {RPCResult::Type::STR_HEX, "merkle_root", "The root to which leaf and path lead"},
            }},
            {RPCResult::Type::STR_HEX, "annex", /*optional=*/true, "The annex, with its tag"},
            {RPCResult::Type::ARR, "slhdsa_signatures", /*optional=*/true, "The elements that have the size of an SLH-DSA signature (only if the leaf script has an opcode that verifies them)",
            {
                {RPCResult::Type::OBJ, "", "",
                {
                    {RPCResult::Type::NUM, "index", "The index of the element in the witness"},
                    {RPCResult::Type::NUM, "size", "Its size in bytes, hash type included"},
                    {RPCResult::Type::STR, "set", "The parameter set whose signatures have this size: 128s, 128-24 or 128-q40"},
                    {RPCResult::Type::STR, "sighash", "The signature's hash type, empty if its byte is not a defined hash type"},
                }},
            }},
        }
    };
}
