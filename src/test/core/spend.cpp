// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <test/core/spend.h>

#include <crypto/hash.h>
#include <script/script.h>
#include <script/taptree.h>
#include <util/hex.h>

#include <algorithm>
#include <optional>

namespace slhc::test {

namespace {

/** The last thing that a script of pushes pushes. */
std::optional<std::vector<uint8_t>> LastPush(const CScript& script)
{
    std::optional<std::vector<uint8_t>> last;
    auto pc{script.begin()};
    opcodetype opcode;
    std::span<const uint8_t> data;
    while (script.GetOp(pc, opcode, data)) {
        if (opcode > OP_PUSHDATA4) return std::nullopt;
        last.emplace(data.begin(), data.end());
    }
    return last;
}

CScript WitnessV0Script(std::span<const uint8_t> witness_script)
{
    return CScript{} << OP_0 << std::span<const uint8_t>{Sha256(witness_script)};
}

/** The root to which a P2MR witness leads, if it has a leaf and a path. */
std::optional<uint256> MerkleRoot(std::span<const std::vector<uint8_t>> stack)
{
    if (stack.size() >= 3 && !stack.back().empty() && stack.back()[0] == ANNEX_TAG) stack = stack.first(stack.size() - 1);
    if (stack.size() < 2 || !ValidControlSize(stack.back().size(), 1)) return std::nullopt;
    const std::span<const uint8_t> control{stack.back()};
    return ComputeTapPathRoot(control.subspan(1), ComputeTapleafHash(control[0] & 0xfe, stack[stack.size() - 2]));
}

bool IsV0ScriptHash(std::span<const uint8_t> script) { return script.size() == 34 && script[0] == OP_0 && script[1] == 32; }

} // namespace

std::string SpendToJson(const Spend& spend, script_verify_flags flags)
{
    std::string spent;
    for (const CTxOut& output : spend.spent) {
        spent += std::string{spent.empty() ? "" : ","} + "{\"amount\":" + std::to_string(output.nValue) + ",\"script_pubkey\":\"" +
                 HexStr(output.scriptPubKey) + "\"}";
    }
    std::string names;
    for (const std::string& name : GetScriptFlagNames(flags)) names += (names.empty() ? "" : ",") + name;
    return "{\"tx\":\"" + HexStr(SerializeToVector(spend.tx)) + "\",\"spent_outputs\":[" + spent + "],\"flags\":\"" +
           (names.empty() ? "NONE" : names) + "\",\"description\":\"input " + std::to_string(spend.n_in) + "\"}";
}

void FixCommitments(Spend& spend)
{
    CTxOut& output{spend.spent[spend.n_in]};
    CTxIn& input{spend.tx.vin[spend.n_in]};
    const auto& stack{input.scriptWitness.stack};
    if (IsV0ScriptHash(output.scriptPubKey) && !stack.empty()) {
        output.scriptPubKey = WitnessV0Script(stack.back());
    } else if (output.scriptPubKey.IsPayToMerkleRoot()) {
        if (const auto root{MerkleRoot(stack)}) output.scriptPubKey = CScript{} << OP_2 << std::span<const uint8_t>{root->Bytes()};
    } else if (output.scriptPubKey.IsPayToScriptHash()) {
        auto redeem{LastPush(input.scriptSig)};
        if (!redeem) return;
        if (IsV0ScriptHash(*redeem) && !stack.empty()) {
            redeem = WitnessV0Script(stack.back());
            input.scriptSig = CScript{} << *redeem;
        }
        output.scriptPubKey = CScript{} << OP_HASH160 << std::span<const uint8_t>{Hash160(*redeem)} << OP_EQUAL;
    }
}

script_verify_flags WithoutUngrounded(script_verify_flags flags)
{
    if (!(flags & SCRIPT_VERIFY_P2SH)) flags &= ~SCRIPT_VERIFY_WITNESS;
    if (!(flags & SCRIPT_VERIFY_WITNESS)) flags &= ~SCRIPT_VERIFY_CLEANSTACK;
    return flags;
}

script_verify_flags SomeFlags(Choices& choices)
{
    const auto some{[&] { return script_verify_flags::from_int(choices.Take(3)) & CORE_FLAGS; }};
    script_verify_flags flags;
    switch (choices.Below(8)) {
    case 0: flags = CONSENSUS_FLAGS; break;
    case 1: flags = CORE_FLAGS; break;
    case 2: flags = CONSENSUS_FLAGS | (some() & some()); break;
    case 3: flags = CORE_FLAGS & ~(some() & some() & some()); break;
    case 4: flags = CONSENSUS_FLAGS | some(); break;
    case 5: flags = some() & some(); break;
    case 6: flags = some() | SCRIPT_VERIFY_P2SH | SCRIPT_VERIFY_WITNESS | SCRIPT_VERIFY_TAPROOT; break;
    default: flags = some(); break;
    }
    return WithoutUngrounded(flags);
}

script_verify_flags SomeOwnFlags(Choices& choices)
{
    switch (choices.Below(14)) {
    case 7: return SCRIPT_VERIFY_P2MR | SCRIPT_VERIFY_SLHDSA;
    case 8: return OWN_FLAGS & ~SCRIPT_VERIFY_SLHDSA;
    case 9: return SCRIPT_VERIFY_P2MR;
    case 10: return SCRIPT_VERIFY_SLHDSA;
    case 11: return SCRIPT_VERIFY_NONE;
    default: return OWN_FLAGS;
    }
}

} // namespace slhc::test
