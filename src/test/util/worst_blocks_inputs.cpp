// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <test/util/worst_block_parts.h>

#include <script/taptree.h>

#include <utility>

/** Blocks full of transactions and inputs that ask for little each, and of witnesses. */
namespace slhc::test {

namespace {

/** An input that spends a leaf. */
CTxIn InputOf(const LeafSpend& leaf, Elements elements)
{
    CTxIn txin;
    txin.scriptWitness = leaf.Witness(std::move(elements));
    return txin;
}

BlockWithSpent FillWithLeafInputs(const BlockRequest& request, const CScript& script, const Elements& elements)
{
    const LeafSpend leaf{MakeLeaf(request.rules, script)};
    return FillWithInputs(request, InputOf(leaf, elements), leaf.script_pub_key);
}

BlockWithSpent FillWithLeafTransactions(const BlockRequest& request, size_t depth)
{
    const LeafSpend leaf{MakeLeaf(request.rules, Ops({OP_TRUE}), depth)};
    CMutableTransaction tx{MakeSpend(1)};
    tx.vin[0].scriptWitness = leaf.Witness({});
    return FillWithTransactions(request, std::move(tx), leaf.script_pub_key);
}

/** The whole initial stack dropped but for its lowest element. */
BlockWithSpent InitialStack(const BlockRequest& request, size_t n, size_t size)
{
    CScript script;
    DropElements(script, n - 1);
    return FillWithLeafInputs(request, script, EqualElements(n, size));
}

/** A large element that is dropped. */
BlockWithSpent InitialLarge(const BlockRequest& request)
{
    CScript script{AllowLargestElement(request.rules)};
    script << OP_DROP << OP_TRUE;
    return FillWithLeafInputs(request, script, EqualElements(1, LargestElement(request.rules)));
}

} // namespace

void AddInputBlocks(std::vector<WorstBlock>& blocks)
{
    const auto add{[&](const char* name, const char* what, std::function<BlockWithSpent(const BlockRequest&)> make) {
        blocks.push_back({.name = name, .what = what, .make = std::move(make)});
    }};
    add("deep_paths", "transactions with a control block of 128 nodes; today: 127",
        [](const BlockRequest& request) { return FillWithLeafTransactions(request, TAPROOT_CONTROL_MAX_NODE_COUNT); });
    add("tiny_transactions", "as many transactions as fit, each with a leaf of one opcode",
        [](const BlockRequest& request) { return FillWithLeafTransactions(request, 1); });
    add("tiny_inputs", "one transaction with as many inputs as fit, each with a leaf of one opcode",
        [](const BlockRequest& request) { return FillWithLeafInputs(request, Ops({OP_TRUE}), {}); });
    add("initial_stack", "inputs with 1000 elements of one byte each, dropped",
        [](const BlockRequest& request) { return InitialStack(request, 1000, 1); });
    add("initial_520", "inputs with ten elements of 520 bytes each, dropped",
        [](const BlockRequest& request) { return InitialStack(request, 10, MAX_SCRIPT_ELEMENT_SIZE); });
    add("initial_large", "inputs with a large element each, dropped; today: of 520 bytes", InitialLarge);
}

} // namespace slhc::test
