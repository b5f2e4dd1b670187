// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

// Snippets about the SLH-DSA opcodes, and about the large elements that they bring.

#include <test/core/script_maker.h>

#include <pqc/slhdsa/params.h>
#include <primitives/opcodes.h>
#include <script/script.h>
#include <test/core/slhdsa_scheme.h>
#include <test/core/test_keys.h>

#include <algorithm>
#include <array>
#include <utility>

namespace slhc::test {

namespace {

using Element = std::vector<uint8_t>;

constexpr size_t MAX_LARGE{slhdsa::SIGNATURE_SIZE + 1};

/** An opcode that is no mere shuffle: the numbers of elements that it takes, and leaves if it succeeds. */
struct TakingOp {
    opcodetype opcode;
    size_t takes;
    size_t leaves;
};

constexpr TakingOp TAKING_OPS[]{
    {OP_IF, 1, 0}, {OP_NOTIF, 1, 0}, {OP_VERIFY, 1, 0}, {OP_CHECKLOCKTIMEVERIFY, 1, 1}, {OP_CHECKSEQUENCEVERIFY, 1, 1},
    {OP_TOALTSTACK, 1, 0}, {OP_IFDUP, 1, 1}, {OP_SIZE, 1, 2}, {OP_EQUAL, 2, 1}, {OP_EQUALVERIFY, 2, 0}, {OP_1ADD, 1, 1}, {OP_1SUB, 1, 1},
    {OP_NEGATE, 1, 1}, {OP_ABS, 1, 1}, {OP_NOT, 1, 1}, {OP_0NOTEQUAL, 1, 1}, {OP_ADD, 2, 1}, {OP_SUB, 2, 1}, {OP_BOOLAND, 2, 1},
    {OP_BOOLOR, 2, 1}, {OP_NUMEQUAL, 2, 1}, {OP_NUMEQUALVERIFY, 2, 0}, {OP_NUMNOTEQUAL, 2, 1}, {OP_LESSTHAN, 2, 1},
    {OP_GREATERTHAN, 2, 1}, {OP_LESSTHANOREQUAL, 2, 1}, {OP_GREATERTHANOREQUAL, 2, 1}, {OP_MIN, 2, 1}, {OP_MAX, 2, 1}, {OP_WITHIN, 3, 1},
    {OP_RIPEMD160, 1, 1}, {OP_SHA1, 1, 1}, {OP_SHA256, 1, 1}, {OP_HASH160, 1, 1}, {OP_HASH256, 1, 1}, {OP_CHECKSIG, 2, 1},
    {OP_CHECKSIGVERIFY, 2, 0}, {OP_CHECKSIGADD, 3, 1}, {OP_CHECKSIGSLHDSA, 2, 1}, {OP_CHECKSIGADDSLHDSA, 3, 1},
    {OP_CHECKMULTISIG, 3, 1}, {OP_NOP, 1, 1}, {OP_NOP4, 1, 1}, {OP_DEPTH, 1, 2}, {OP_CODESEPARATOR, 1, 1}};

/** Opcodes 80, 98, 126, 129, ... of BIP 342, and their neighbours. */
constexpr std::array<uint8_t, 22> AROUND_SUCCESS{0x50, 0x62, 0x7e, 0x81, 0x83, 0x86, 0x89, 0x8a, 0x8d, 0x8e, 0x95,
                                                 0x99, 0xbb, 0xc0, 0xfe, 0x65, 0x66, 0xba, 0xff, 0x7d, 0x82, 0x94};

} // namespace

void ScriptMaker::SLHDSAOp(bool add)
{
    m_has_slhdsa_opcode = true;
    Op(add ? OP_CHECKSIGADDSLHDSA : OP_CHECKSIGSLHDSA);
}

size_t ScriptMaker::SomeLargeSize()
{
    if (m_choices.OneIn(40)) return MAX_LARGE + 1;
    return m_choices.Pick<size_t>({521, 521, 522, 1000, 4000, MAX_LARGE - 2, MAX_LARGE - 1, MAX_LARGE});
}

int ScriptMaker::NewSLHDSASlot(size_t key)
{
    SigFlaw flaw{SomeFlaw(true)};
    if (flaw == SigFlaw::NONE && m_choices.OneIn(8)) flaw = SigFlaw::EMPTY;
    return m_plan.AddSlot(
        {.kind = SignatureKind::SLHDSA, .key = key, .hash_type = SomeHashType(true), .flaw = flaw, .bytes = {}});
}

Element ScriptMaker::SomeSLHDSAPubkey(size_t key)
{
    const slhdsa::PublicKey& pubkey{SLHDSATestKeys()[key].pubkey};
    switch (m_choices.Below(26)) {
    case 17: { // of another set, or of none
        Element element(SLHDSAPubKey::SIZE_WITH_SET);
        element[0] = m_choices.Pick<uint8_t>({0, 1, 2, 3, 23, 24, 25, 40, 41, 0xf0, 0xf1, 0xff});
        std::ranges::copy(pubkey, element.begin() + 1);
        return element;
    }
    case 18: return {pubkey.begin(), pubkey.end()};
    case 19: return {};
    case 20: return TestKeys()[key].compressed; // an unknown key type
    case 21: return m_choices.Bytes(m_choices.SomeSize({1, 31, 33, 64, 520}, 64));
    case 22: return m_choices.Bytes(slhdsa::PUBLIC_KEY_SIZE);
    case 23: return TestKeys()[key].x_only;
    default: return SLHDSATestKeys()[key].Element();
    }
}

void ScriptMaker::CheckSigSLHDSA()
{
    const size_t key{m_choices.Below(N_SLHDSA_KEYS)};
    const int slot{NewSLHDSASlot(key)};
    if (m_choices.OneIn(30) && !m_plan.slots.back().bytes.empty()) {
        m_plan.slots.back().bytes.resize(m_choices.Pick<size_t>({1, 64, 520, 521, MAX_LARGE - 2, MAX_LARGE + 1}), 0x11);
    }
    const bool add{m_choices.OneIn(3)};
    const bool succeeds{!m_plan.slots.back().bytes.empty()};
    std::vector<Piece> need{{.bytes = {}, .slot = slot, .form = PushForm::SMALLEST}};
    const Element pubkey{SomeSLHDSAPubkey(key)};
    const Element number{m_choices.OneIn(3) ? SomeNumber() : SerializeScriptNum(7)};
    const bool key_in_witness{m_choices.OneIn(6)};
    const bool number_in_witness{key_in_witness || m_choices.OneIn(3)};
    if (add && number_in_witness) need.push_back({.bytes = number});
    if (key_in_witness) {
        need.push_back({.bytes = pubkey});
        // Read after the number
        if (m_choices.OneIn(6)) need.back().bytes.resize(SomeLargeSize());
    }
    Need(std::move(need));
    if (m_choices.OneIn(4)) Op(OP_CODESEPARATOR);
    if (m_choices.OneIn(12)) MentionSLHDSA();
    if (m_choices.OneIn(10)) {
        // Away and back
        Op(OP_TOALTSTACK);
        Op(OP_FROMALTSTACK);
    }
    if (m_choices.OneIn(30)) Op(m_choices.Pick({OP_DUP, OP_SIZE, OP_IFDUP, OP_SHA256, OP_TOALTSTACK, OP_1ADD, OP_VERIFY, OP_NOTIF}));
    if (add && !number_in_witness) Push(number);
    if (!key_in_witness) Push(pubkey);
    SLHDSAOp(add);
    if (m_choices.OneIn(6)) Op(OP_CODESEPARATOR);
    if (add && number == SerializeScriptNum(7) && m_choices.Bool()) {
        PushNumber(succeeds ? 8 : 7);
        Op(OP_EQUALVERIFY);
    } else if (!add && m_choices.Bool()) {
        Push(succeeds ? Element{1} : Element{});
        Op(OP_EQUALVERIFY);
    } else {
        Op(m_choices.OneIn(10) ? OP_VERIFY : OP_DROP);
    }
}

void ScriptMaker::CheckSigAddSLHDSA()
{
    // m of n, with some Schnorr signatures among them
    const size_t n{m_choices.Below(3) + 1};
    std::vector<Piece> need;
    int64_t count{0};
    std::vector<std::pair<bool, size_t>> keys;
    for (size_t i{0}; i < n; ++i) {
        const bool schnorr{m_choices.OneIn(4)};
        keys.emplace_back(schnorr, m_choices.Below(N_SLHDSA_KEYS));
        const int slot{schnorr ? NewSlot(keys.back().second) : NewSLHDSASlot(keys.back().second)};
        count += !m_plan.slots.back().bytes.empty();
        need.insert(need.begin(), {.bytes = {}, .slot = slot, .form = PushForm::SMALLEST});
    }
    Need(std::move(need));
    Push(m_choices.OneIn(30) ? SomeNumber() : Element{});
    for (const auto& [schnorr, key] : keys) {
        if (schnorr) {
            Push(SomePubkey(key));
            Op(OP_CHECKSIGADD);
        } else {
            Push(SomeSLHDSAPubkey(key));
            SLHDSAOp(/*add=*/true);
        }
        if (m_choices.OneIn(8)) Op(OP_CODESEPARATOR);
    }
    PushNumber(count);
    Op(OP_NUMEQUALVERIFY);
}

void ScriptMaker::LargeOperands()
{
    const TakingOp& op{m_choices.PickFrom(TAKING_OPS)};
    // In two of three, one operand is large, or several; all of them come from the initial stack.
    const size_t takes{m_choices.OneIn(12) && op.takes > 1 ? op.takes - 1 : op.takes};
    const bool large{!m_choices.OneIn(3)};
    const size_t at{m_choices.Below(takes)};
    std::vector<Piece> need;
    for (size_t i{0}; i < takes; ++i) {
        const bool this_one{large && (i == at || m_choices.OneIn(4))};
        need.push_back({.bytes = this_one            ? Element(SomeLargeSize(), uint8_t{1})
                                 : m_choices.OneIn(4) ? Element{1, 0} // no minimal number: that comes after a large operand
                                 : m_choices.Bool()   ? SomeElement()
                                                      : Element(m_choices.Below(2), uint8_t{1})});
    }
    Need(std::move(need));
    if (op.opcode == OP_CHECKSIGSLHDSA || op.opcode == OP_CHECKSIGADDSLHDSA) m_has_slhdsa_opcode = true;
    Op(op.opcode);
    if (op.opcode == OP_IF || op.opcode == OP_NOTIF) Op(OP_ENDIF);
    for (size_t i{0}; i < op.leaves; ++i) Op(OP_DROP);
    if (op.opcode == OP_TOALTSTACK && m_choices.Bool()) {
        Op(OP_FROMALTSTACK);
        Op(OP_DROP);
    }
}

void ScriptMaker::LargeShuffle()
{
    // The place of each element shows by its size, all that may be read of it.
    const StackOp& op{m_choices.PickFrom(StackOps())};
    std::vector<size_t> sizes;
    std::vector<Piece> need;
    const bool all{m_choices.Bool()};
    for (size_t i{0}; i < op.takes; ++i) {
        const bool large{all || m_choices.Bool()};
        sizes.push_back(i + (large ? 521 + m_choices.Below(MAX_LARGE - 530) : m_choices.Below(500)));
        need.push_back({.bytes = Element(sizes.back(), uint8_t{1})});
    }
    Need(std::move(need));
    Op(op.opcode);
    for (size_t i{op.leaves.size()}; i-- > 0;) {
        Op(OP_SIZE);
        PushNumber(static_cast<int64_t>(sizes[op.leaves[i]]));
        Op(OP_NUMEQUALVERIFY);
        Op(OP_DROP);
    }
}

void ScriptMaker::LargePickOrRoll()
{
    const size_t n{m_choices.Below(6) + 1};
    std::vector<size_t> sizes;
    std::vector<Piece> need;
    for (size_t i{0}; i < n; ++i) {
        sizes.push_back(i + (m_choices.Bool() ? 521 + m_choices.Below(1000) : m_choices.Below(500)));
        need.push_back({.bytes = Element(sizes.back(), uint8_t{1})});
    }
    const size_t depth{m_choices.Below(n)};
    const bool roll{m_choices.Bool()};
    const int64_t number{m_choices.OneIn(10) ? m_choices.Pick<int64_t>({-1, static_cast<int64_t>(n), 1000, 0x80000000})
                                             : static_cast<int64_t>(depth)};
    if (m_choices.OneIn(8)) {
        need.push_back({.bytes = m_choices.Bool() ? Element(SomeLargeSize(), uint8_t{0}) : SerializeScriptNum(number)});
        Need(std::move(need));
    } else {
        Need(std::move(need));
        PushNumber(number);
    }
    Op(roll ? OP_ROLL : OP_PICK);
    const size_t picked{sizes[n - 1 - depth]};
    if (roll) sizes.erase(sizes.end() - 1 - static_cast<ptrdiff_t>(depth));
    sizes.push_back(picked);
    for (size_t i{sizes.size()}; i-- > 0;) {
        Op(OP_SIZE);
        PushNumber(static_cast<int64_t>(sizes[i]));
        Op(OP_NUMEQUALVERIFY);
        Op(OP_DROP);
    }
}

void ScriptMaker::SLHDSABudget()
{
    // A short signature for a key of unknown type costs as much as a real one. The element below is dropped: FitBudget() gives it a size.
    m_fitted = {.need = m_needs.size(), .checks = static_cast<size_t>(m_choices.Between(2, 60))};
    Need({{},
          {.bytes = Element(1 + m_choices.Below(2), uint8_t{1})},
          {.bytes = m_choices.Bool() ? TestKeys()[0].compressed : Element(1, uint8_t{2})}});
    const bool mixed{m_choices.Bool()};
    for (size_t i{0}; i < m_fitted->checks; ++i) {
        Op(OP_2DUP);
        if (i + 1 == m_fitted->checks && m_choices.OneIn(4)) {
            // The last one, for which the budget may be used up, has an empty key: the budget is checked first.
            Op(OP_DROP);
            Op(OP_0);
            SLHDSAOp(/*add=*/false);
        } else if (mixed && m_choices.OneIn(4)) {
            Op(OP_CHECKSIG);
        } else if (mixed && m_choices.OneIn(4)) {
            Push(Element{});
            Op(OP_SWAP);
            SLHDSAOp(/*add=*/true);
        } else {
            SLHDSAOp(/*add=*/false);
        }
        Op(OP_DROP);
    }
    Op(OP_2DROP);
    Op(OP_DROP);
}

void ScriptMaker::FitBudget()
{
    size_t at{0};
    for (size_t i{m_fitted->need + 1}; i < m_needs.size(); ++i) at += m_needs[i].size();
    Element& element{m_plan.stack[at].bytes};
    // The budget is the cost of the checks, or nearly so.
    const int64_t wanted{static_cast<int64_t>(m_fitted->checks) * 50 - 50 +
                         (m_choices.Bool() ? m_choices.Between(-1, 1) : m_choices.Between(-60, 60))};
    for (int i{0}; i < 2; ++i) { // its own length counts, too
        const Spend spend{m_plan.Build()};
        const auto weight{static_cast<int64_t>(GetSerializeSize(spend.tx.vin[spend.n_in].scriptWitness))};
        const int64_t size{static_cast<int64_t>(element.size()) + wanted - weight};
        element.resize(static_cast<size_t>(std::clamp<int64_t>(size, 0, MAX_LARGE)), 1);
    }
}

void ScriptMaker::MentionSLHDSA()
{
    const bool add{m_choices.Bool()};
    if (m_choices.OneIn(8)) {
        // No mention: pushed data
        Push(Element{static_cast<uint8_t>(add ? OP_CHECKSIGADDSLHDSA : OP_CHECKSIGSLHDSA)});
        Op(OP_DROP);
        return;
    }
    Op(OP_0);
    Op(OP_IF);
    m_executed = false;
    SLHDSAOp(add);
    m_executed = true;
    if (m_choices.OneIn(6)) UnexecutedNoise();
    Op(OP_ENDIF);
}

void ScriptMaker::SuccessOrTruncated()
{
    const bool mention_before{m_choices.Bool()};
    if (mention_before) MentionSLHDSA();
    const bool unexecuted{m_choices.OneIn(3)};
    if (unexecuted) {
        Op(OP_0);
        Op(OP_IF);
    }
    if (m_choices.OneIn(3)) {
        // It ends in the middle of a push, unless more follows.
        Raw(m_choices.Pick<Element>(
            {{OP_PUSHDATA1}, {OP_PUSHDATA2, 0xff}, {OP_PUSHDATA1, 0x50}, {0x4b, 0x50}, {OP_PUSHDATA4, 0xff, 0xff}}));
    } else {
        Op(static_cast<opcodetype>(m_choices.PickFrom(AROUND_SUCCESS)));
    }
    if (unexecuted) Op(OP_ENDIF);
    if (!mention_before && m_choices.Bool()) MentionSLHDSA();
}

void ScriptMaker::LargeEnd()
{
    // The elements left are large, one or more.
    std::vector<Piece> need{{.bytes = Element(SomeLargeSize(), uint8_t{1})}};
    if (m_choices.OneIn(3)) need.push_back({.bytes = {1}});
    Need(std::move(need));
    if (m_choices.OneIn(4)) Op(OP_SWAP);
}

void ScriptMaker::SLHDSASnippet()
{
    switch (m_choices.Below(24)) {
    case 0: case 1: case 2: return CheckSigAddSLHDSA();
    case 3: case 4: case 5: case 6: case 7: return LargeOperands();
    case 8: case 9: case 10: return LargeShuffle();
    case 11: case 12: return LargePickOrRoll();
    case 13: case 14: return SLHDSABudget();
    case 15: return m_choices.OneIn(3) ? SuccessOrTruncated() : MentionSLHDSA();
    default: return CheckSigSLHDSA();
    }
}

} // namespace slhc::test
