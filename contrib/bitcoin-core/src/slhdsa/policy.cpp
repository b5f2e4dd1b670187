// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <slhdsa/policy.h>

#include <policy/policy.h>
#include <primitives/transaction.h>
#include <script/interpreter.h>
#include <script/script.h>
#include <slhdsa/program.h>

#include <algorithm>
#include <cstddef>
#include <span>

namespace slhdsa {

namespace {

/** Without a hash type byte; one more with it. */
constexpr size_t SIGNATURE_SIZE{7856};

} // namespace

script_verify_flags PolicyFlags(script_verify_flags standard, bool active)
{
    return active ? standard | SCRIPT_VERIFY_P2MR | SCRIPT_VERIFY_SLHDSA : standard;
}

bool IsWitnessStandard(const CScriptWitness& witness)
{
    const std::span stack{witness.stack};
    if (stack.size() < 2) return false; // invalid as well
    const auto& control{stack.back()};
    if (control.empty() || control[0] == ANNEX_TAG) return false;
    if ((control[0] & TAPROOT_LEAF_MASK) != TAPROOT_LEAF_TAPSCRIPT) return true; // the script flags discourage it
    const auto& leaf{stack[stack.size() - 2]};
    const bool signatures{HasOpcode(CScript(leaf.begin(), leaf.end()))};
    return std::ranges::all_of(stack.first(stack.size() - 2), [&](const auto& item) {
        if (item.size() <= MAX_STANDARD_TAPSCRIPT_STACK_ITEM_SIZE) return true;
        return signatures && (item.size() == SIGNATURE_SIZE || item.size() == SIGNATURE_SIZE + 1);
    });
}

} // namespace slhdsa
