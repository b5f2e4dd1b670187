// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <test/util/worst_block_parts.h>

#include <script/interpreter.h>
#include <script/taptree.h>

#include <stdexcept>
#include <utility>

namespace slhc::test {

Elements EqualElements(size_t n, size_t size) { return Elements(n, std::vector<uint8_t>(size, 0x5a)); }

int64_t ElementsWeight(const Elements& elements)
{
    int64_t weight{0};
    for (const auto& element : elements) weight += static_cast<int64_t>(element.size() + GetSizeOfCompactSize(element.size()));
    return weight;
}

CScript Ops(std::initializer_list<opcodetype> opcodes)
{
    CScript script;
    for (const opcodetype opcode : opcodes) script << opcode;
    return script;
}

void Append(CScript& script, const CScript& more) { script.insert(script.end(), more.begin(), more.end()); }

void Repeat(CScript& script, int64_t n, const CScript& piece)
{
    if (n > 0) script.reserve(script.size() + static_cast<size_t>(n) * piece.size());
    for (int64_t i = 0; i < n; ++i) Append(script, piece);
}

void DropElements(CScript& script, size_t n)
{
    Repeat(script, static_cast<int64_t>(n / 2), Ops({OP_2DROP}));
    if (n % 2 != 0) script << OP_DROP;
}

void Pad(CScript& script, int64_t size) { Repeat(script, size - static_cast<int64_t>(script.size()), Ops({OP_NOP})); }

size_t LargestElement(BlockRules rules) { return rules == BlockRules::MODULE ? MAX_SLHDSA_ELEMENT_SIZE : MAX_SCRIPT_ELEMENT_SIZE; }

CScript AllowLargestElement(BlockRules rules)
{
    return Ops({OP_0, OP_IF, rules == BlockRules::MODULE ? OP_CHECKSIGSLHDSA : OP_CHECKSIG, OP_ENDIF});
}

LeafSpend MakeLeaf(BlockRules rules, CScript script, size_t depth)
{
    return rules == BlockRules::MODULE ? LeafSpend::P2MR(std::move(script), depth) : LeafSpend::P2TR(std::move(script), depth - 1);
}

OneInputBlock::OneInputBlock(const BlockRequest& request, size_t output_size) : m_request{request}, m_tx{MakeSpend(1)}
{
    m_tx.vout[0].scriptPubKey.assign(output_size, OP_NOP);
    CMutableTransaction tx{m_tx};
    tx.vin[0].scriptWitness = MakeLeaf(request.rules, Ops({OP_TRUE})).Witness({});
    BlockBuilder builder{request.weight};
    builder.Add(std::move(tx), {});
    // The lengths of the script and of the list of elements take up to four bytes more each.
    m_room = builder.Room() - 8;
}

BlockWithSpent OneInputBlock::Finish(CScript script, const MakeElements& make_elements) &&
{
    const LeafSpend leaf{MakeLeaf(m_request.rules, std::move(script))};
    const auto spent{MakeSpent({leaf.script_pub_key})};
    const PrecomputedTransactionData txdata{m_tx, std::vector<CTxOut>{spent}, /*force=*/true};
    const auto message{[&](uint8_t hash_type, KeyVersion key_version) { return leaf.Message(m_tx, 0, txdata, hash_type, key_version); }};
    m_tx.vin[0].scriptWitness = leaf.Witness(make_elements(message));
    BlockBuilder builder{m_request.weight};
    builder.Add(std::move(m_tx), spent);
    if (builder.Room() < 0) throw std::logic_error{"the block is too heavy"};
    return std::move(builder).Finish();
}

BlockWithSpent MakeLoop(const BlockRequest& request, const Loop& loop)
{
    OneInputBlock block{request};
    CScript end{loop.after};
    DropElements(end, loop.height);
    end << OP_TRUE;
    CScript script{loop.before};
    const int64_t room{block.Room() - ElementsWeight(loop.elements) - static_cast<int64_t>(script.size() + end.size())};
    Repeat(script, room / static_cast<int64_t>(loop.body.size()), loop.body);
    Append(script, end);
    return std::move(block).Finish(std::move(script), [&](const auto&) { return loop.elements; });
}

BlockWithSpent FillWithTransactions(const BlockRequest& request, CMutableTransaction tx, const CScript& script_pub_key)
{
    BlockBuilder builder{request.weight};
    const int64_t weight{GetTransactionWeight(CTransaction{tx})};
    while (builder.Room() >= weight) {
        tx.vin[0].prevout = NewOutPoint();
        builder.Add(tx, MakeSpent({script_pub_key}));
    }
    return std::move(builder).Finish();
}

BlockWithSpent FillWithInputs(const BlockRequest& request, const CTxIn& txin, const CScript& script_pub_key)
{
    const auto make{[&](size_t n) {
        CMutableTransaction tx{MakeSpend(n)};
        for (CTxIn& input : tx.vin) {
            input.scriptSig = txin.scriptSig;
            input.scriptWitness = txin.scriptWitness;
        }
        return tx;
    }};
    BlockBuilder builder{request.weight};
    const int64_t one{GetTransactionWeight(CTransaction{make(1)})};
    const int64_t each{GetTransactionWeight(CTransaction{make(2)}) - one};
    const auto n{static_cast<size_t>((builder.Room() - one - 16) / each)}; // the count of inputs takes up to 16 more
    builder.Add(make(n), MakeSpent(std::vector<CScript>(n, script_pub_key)));
    return std::move(builder).Finish();
}

} // namespace slhc::test
