// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <test/core/script_maker.h>

#include <crypto/hash.h>
#include <crypto/sha1.h>
#include <pqc/slhdsa/params.h>
#include <script/script.h>
#include <test/core/test_keys.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace slhc::test {

namespace {

using Element = std::vector<uint8_t>;

} // namespace

const std::vector<StackOp>& StackOps()
{
    static const std::vector<StackOp> ops{
        {OP_2DROP, 2, {}},
        {OP_2DUP, 2, {0, 1, 0, 1}},
        {OP_3DUP, 3, {0, 1, 2, 0, 1, 2}},
        {OP_2OVER, 4, {0, 1, 2, 3, 0, 1}},
        {OP_2ROT, 6, {2, 3, 4, 5, 0, 1}},
        {OP_2SWAP, 4, {2, 3, 0, 1}},
        {OP_DROP, 1, {}},
        {OP_DUP, 1, {0, 0}},
        {OP_NIP, 2, {1}},
        {OP_OVER, 2, {0, 1, 0}},
        {OP_ROT, 3, {1, 2, 0}},
        {OP_SWAP, 2, {1, 0}},
        {OP_TUCK, 2, {1, 0, 1}},
    };
    return ops;
}

namespace {

constexpr std::array<opcodetype, 6> UNARY{OP_1ADD, OP_1SUB, OP_NEGATE, OP_ABS, OP_NOT, OP_0NOTEQUAL};
constexpr std::array<opcodetype, 12> BINARY{OP_ADD, OP_SUB, OP_BOOLAND, OP_BOOLOR, OP_NUMEQUAL, OP_NUMNOTEQUAL, OP_LESSTHAN,
                                            OP_GREATERTHAN, OP_LESSTHANOREQUAL, OP_GREATERTHANOREQUAL, OP_MIN, OP_MAX};

int64_t Calculate(opcodetype opcode, int64_t a, int64_t b)
{
    switch (opcode) {
    case OP_1ADD: return a + 1;
    case OP_1SUB: return a - 1;
    case OP_NEGATE: return -a;
    case OP_ABS: return a < 0 ? -a : a;
    case OP_NOT: return a == 0;
    case OP_0NOTEQUAL: return a != 0;
    case OP_ADD: return a + b;
    case OP_SUB: return a - b;
    case OP_BOOLAND: return a != 0 && b != 0;
    case OP_BOOLOR: return a != 0 || b != 0;
    case OP_NUMEQUAL: return a == b;
    case OP_NUMNOTEQUAL: return a != b;
    case OP_LESSTHAN: return a < b;
    case OP_GREATERTHAN: return a > b;
    case OP_LESSTHANOREQUAL: return a <= b;
    case OP_GREATERTHANOREQUAL: return a >= b;
    case OP_MIN: return std::min(a, b);
    default: return std::max(a, b);
    }
}

int64_t NumberOf(const Element& bytes)
{
    int64_t n{0};
    for (size_t i{0}; i < bytes.size() && i < 8; ++i) {
        n |= int64_t{i + 1 == bytes.size() ? bytes[i] & 0x7f : bytes[i]} << (8 * i);
    }
    return !bytes.empty() && (bytes.back() & 0x80) ? -n : n;
}

Element HashBy(opcodetype opcode, std::span<const uint8_t> data)
{
    const auto element{[](const auto& digest) { return Element(digest.begin(), digest.end()); }};
    switch (opcode) {
    case OP_RIPEMD160: return element(CRIPEMD160{}.Write(data).Digest());
    case OP_SHA1: return element(CSHA1{}.Write(data).Digest());
    case OP_SHA256: return element(Sha256(data));
    case OP_HASH160: return element(Hash160(data));
    default: return element(Hash256(data));
    }
}

} // namespace

void ScriptMaker::Op(opcodetype opcode)
{
    Raw(std::array<uint8_t, 1>{opcode});
    size_t reads{0};
    switch (opcode) {
    case OP_CODESEPARATOR:
        ++m_separators;
        if (m_executed) m_separator = m_separators;
        break;
    case OP_CHECKSIG: case OP_CHECKSIGVERIFY: case OP_CHECKSIGADD: case OP_CHECKSIGSLHDSA: case OP_CHECKSIGADDSLHDSA: reads = 1; break;
    case OP_CHECKMULTISIG: case OP_CHECKMULTISIGVERIFY: reads = m_plan.slots.size(); break;
    default: break;
    }
    if (reads == 0 || !m_executed) return;
    ++m_checks;
    for (; reads > 0 && m_read < m_plan.slots.size(); --reads, ++m_read) {
        m_plan.slots[m_read].check = m_checks;
        m_plan.slots[m_read].separator = m_separator;
    }
}

void ScriptMaker::Raw(std::span<const uint8_t> bytes)
{
    auto& script{m_plan.script};
    if (script.empty() || script.back().slot != Piece::NO_SLOT) script.emplace_back();
    script.back().bytes.insert(script.back().bytes.end(), bytes.begin(), bytes.end());
}

void ScriptMaker::Push(std::span<const uint8_t> data)
{
    Element push;
    AppendPush(push, data, SomeForm());
    Raw(push);
}

void ScriptMaker::PushNumber(int64_t n) { Push(SerializeScriptNum(n)); }

void ScriptMaker::PushSlot(int slot) { m_plan.script.push_back({.bytes = {}, .slot = slot, .form = SomeForm()}); }

void ScriptMaker::Need(std::vector<Piece> pieces) { m_needs.push_back(std::move(pieces)); }

Element ScriptMaker::SomeNumber()
{
    static constexpr int64_t NUMBERS[]{0,    1,   -1,  2,     3,     16,       17,       127,        128,        -127,
                                       -128, 255, 256, 32767, 32768, 0x7fffff, 0x800000, 0x7fffffff, -0x7fffffff};
    Element bytes{SerializeScriptNum(m_choices.OneIn(2) ? m_choices.Between(-20, 20) : m_choices.PickFrom(NUMBERS))};
    if (m_choices.OneIn(40)) return SerializeScriptNum(m_choices.Pick<int64_t>({0x80000000, -0x80000000, 0x7fffffffff}));
    if (m_choices.OneIn(40) && bytes.size() < 4) {
        // The same number, not in its shortest form.
        const uint8_t sign{bytes.empty() ? uint8_t{0} : static_cast<uint8_t>(bytes.back() & 0x80)};
        if (!bytes.empty()) bytes.back() &= 0x7f;
        bytes.push_back(m_choices.OneIn(8) ? 0x80 : sign);
    }
    return bytes;
}

Element ScriptMaker::SomeElement()
{
    switch (m_choices.Below(6)) {
    case 0: return SomeNumber();
    case 1: return {};
    case 2: return {static_cast<uint8_t>(m_choices.Take(1))};
    default: return m_choices.Bytes(m_choices.SomeSize({0, 1, 20, 32, 33, 75, 76, 80, 255, 256, 519, 520}, 300));
    }
}

PushForm ScriptMaker::SomeForm()
{
    return m_choices.OneIn(40) ? static_cast<PushForm>(m_choices.Below(5)) : PushForm::SMALLEST;
}

uint8_t ScriptMaker::SomeHashType(bool schnorr)
{
    if (m_choices.OneIn(25)) return static_cast<uint8_t>(m_choices.Take(1));
    static constexpr uint8_t TYPES[]{1, 2, 3, 0x81, 0x82, 0x83};
    if (schnorr && m_choices.Bool()) return 0;
    return m_choices.PickFrom(TYPES);
}

SigFlaw ScriptMaker::SomeFlaw(bool schnorr)
{
    if (!m_choices.OneIn(6)) return SigFlaw::NONE;
    const auto n{static_cast<uint64_t>(schnorr ? SigFlaw::HIGH_S : SigFlaw::N_FLAWS)};
    return static_cast<SigFlaw>(m_choices.Below(n));
}

Element ScriptMaker::SomePubkey(size_t key)
{
    const TestKey& test_key{TestKeys()[key]};
    if (m_rules == Rules::TAPSCRIPT) {
        switch (m_choices.Below(24)) {
        case 20: return test_key.compressed; // an unknown key type
        case 21: return {};
        case 22: return m_choices.Bytes(32); // every second one is no x coordinate
        case 23: return m_choices.Bytes(m_choices.SomeSize({1, 31, 33, 65, 520}, 64));
        default: return test_key.x_only;
        }
    }
    switch (m_choices.Below(24)) {
    case 16: case 17: case 18: case 19: return test_key.uncompressed;
    case 20: return test_key.hybrid;
    case 21: return test_key.x_only;
    case 22: {
        Element wrong{test_key.compressed};
        wrong[0] = static_cast<uint8_t>(m_choices.Take(1));
        return wrong;
    }
    case 23: return m_choices.Bytes(m_choices.SomeSize({0, 1, 32, 33, 64, 65, 66}, 70));
    default: return test_key.compressed;
    }
}

int ScriptMaker::NewSlot(size_t key)
{
    const bool schnorr{m_rules == Rules::TAPSCRIPT};
    return m_plan.AddSlot({.kind = schnorr ? SignatureKind::SCHNORR : SignatureKind::ECDSA, .key = key,
                           .hash_type = SomeHashType(schnorr), .flaw = SomeFlaw(schnorr), .bytes = {}});
}

void ScriptMaker::PushAndDrop()
{
    if (m_choices.OneIn(30)) {
        Push(m_choices.Bytes(m_choices.Pick<size_t>({520, 521, 522})));
    } else {
        Push(SomeElement());
    }
    if (m_choices.OneIn(12)) {
        Op(OP_IFDUP);
        Op(OP_2DROP);
        return;
    }
    if (m_choices.OneIn(6)) {
        Op(OP_SIZE);
        Op(OP_DROP);
    }
    Op(m_choices.OneIn(10) ? OP_VERIFY : OP_DROP);
}

void ScriptMaker::Arithmetic()
{
    const bool unary{m_choices.OneIn(3)};
    const opcodetype opcode{unary ? m_choices.PickFrom(UNARY) : m_choices.PickFrom(BINARY)};
    const Element a{SomeNumber()}, b{unary ? Element{} : SomeNumber()};
    if (m_choices.OneIn(3)) {
        std::vector<Piece> need{{.bytes = a}};
        if (!unary) need.push_back({.bytes = b});
        Need(std::move(need));
    } else {
        Push(a);
        if (!unary) Push(b);
    }
    Op(opcode);
    const int64_t result{Calculate(opcode, NumberOf(a), NumberOf(b)) + (m_choices.OneIn(40) ? 1 : 0)};
    if (m_choices.OneIn(6)) {
        // Results may be wider than operands, and compare as bytes.
        PushNumber(result);
        Op(OP_EQUALVERIFY);
    } else if (m_choices.OneIn(4)) {
        Op(OP_DROP);
    } else {
        PushNumber(result);
        Op(OP_NUMEQUALVERIFY);
    }
}

void ScriptMaker::Within()
{
    const Element x{SomeNumber()}, low{SomeNumber()}, high{SomeNumber()};
    Push(x);
    Push(low);
    Push(high);
    Op(OP_WITHIN);
    PushNumber(NumberOf(low) <= NumberOf(x) && NumberOf(x) < NumberOf(high));
    Op(OP_EQUALVERIFY);
}

void ScriptMaker::HashAndCompare()
{
    const Element preimage{SomeElement()};
    const auto opcode{m_choices.Pick({OP_RIPEMD160, OP_SHA1, OP_SHA256, OP_HASH160, OP_HASH256})};
    if (m_choices.Bool()) {
        Need({{.bytes = preimage}});
    } else {
        Push(preimage);
    }
    Op(opcode);
    Element digest{HashBy(opcode, preimage)};
    if (m_choices.OneIn(40)) digest[0] ^= 1;
    Push(digest);
    Op(OP_EQUALVERIFY);
}

void ScriptMaker::StackShuffle()
{
    const StackOp& op{m_choices.PickFrom(StackOps())};
    std::vector<Element> taken;
    for (size_t i{0}; i < op.takes; ++i) {
        taken.push_back(m_choices.OneIn(4) ? SomeElement() : SerializeScriptNum(static_cast<int64_t>(i) + m_choices.Between(1, 9)));
        Push(taken.back());
    }
    if (m_choices.OneIn(60)) Op(OP_DROP);
    Op(op.opcode);
    for (size_t i{op.leaves.size()}; i-- > 0;) {
        Push(taken[op.leaves[i]]);
        Op(OP_EQUALVERIFY);
    }
}

void ScriptMaker::PickOrRoll()
{
    const size_t n{m_choices.Below(6) + 1};
    std::vector<Element> elements;
    for (size_t i{0}; i < n; ++i) {
        elements.push_back(SerializeScriptNum(static_cast<int64_t>(10 + i)));
        Push(elements.back());
    }
    const size_t depth{m_choices.Below(n)};
    const bool roll{m_choices.Bool()};
    PushNumber(m_choices.OneIn(30) ? m_choices.Pick<int64_t>({-1, static_cast<int64_t>(n), 1000, 0x80000000})
                                   : static_cast<int64_t>(depth));
    Op(roll ? OP_ROLL : OP_PICK);
    const Element picked{elements[n - 1 - depth]};
    if (roll) elements.erase(elements.end() - 1 - static_cast<ptrdiff_t>(depth));
    elements.push_back(picked);
    for (size_t i{elements.size()}; i-- > 0;) {
        Push(elements[i]);
        Op(OP_NUMEQUALVERIFY);
    }
}

void ScriptMaker::AltStack()
{
    const Element a{SomeElement()}, b{SomeElement()};
    Push(a);
    Push(b);
    Op(OP_TOALTSTACK);
    Op(OP_TOALTSTACK);
    if (m_choices.OneIn(40)) Op(OP_FROMALTSTACK);
    Op(OP_FROMALTSTACK);
    Op(OP_FROMALTSTACK);
    if (m_choices.OneIn(40)) Op(OP_FROMALTSTACK);
    Push(b);
    Op(OP_EQUALVERIFY);
    Push(a);
    Op(OP_EQUALVERIFY);
}

void ScriptMaker::UnexecutedNoise()
{
    m_executed = false;
    switch (m_choices.Below(12)) {
    case 0: Op(m_choices.Pick({OP_CAT, OP_SUBSTR, OP_LEFT, OP_2MUL, OP_RSHIFT})); break;
    case 1: Op(m_choices.Pick({OP_VERIF, OP_VERNOTIF})); break;
    case 2: Op(m_choices.Pick({OP_RESERVED, OP_VER, OP_RESERVED1, OP_RESERVED2})); break;
    case 3: Op(static_cast<opcodetype>(m_choices.Between(OP_CHECKSIGADD, 0xff))); break;
    case 4: Push(m_choices.Bytes(m_choices.Pick<size_t>({520, 521}))); break;
    case 5: Op(OP_CODESEPARATOR); break;
    default: Op(m_choices.Pick({OP_RETURN, OP_CHECKSIG, OP_CHECKMULTISIG, OP_FROMALTSTACK, OP_NOP10, OP_DEPTH, OP_ROLL})); break;
    }
    m_executed = true;
}

void ScriptMaker::Conditional(unsigned depth)
{
    const bool take_first{m_choices.Bool()};
    const bool not_if{m_choices.OneIn(3)};
    Element condition{take_first != not_if ? Element{1} : Element{}};
    if (m_choices.OneIn(12)) {
        condition = take_first != not_if ? m_choices.Pick<Element>({{2}, {0, 1}, {0x80, 0x01}, {0, 0, 0, 0, 1}})
                                         : m_choices.Pick<Element>({{0}, {0x80}, {0, 0}, {0, 0x80}});
    }
    if (m_choices.Bool()) {
        Need({{.bytes = condition}});
    } else {
        Push(condition);
    }
    Op(not_if ? OP_NOTIF : OP_IF);
    if (take_first) {
        Snippet(depth + 1);
    } else {
        UnexecutedNoise();
    }
    if (m_choices.OneIn(50)) Op(OP_ELSE);
    if (!take_first || m_choices.Bool()) {
        Op(OP_ELSE);
        if (take_first) {
            UnexecutedNoise();
        } else {
            Snippet(depth + 1);
        }
    }
    if (!m_choices.OneIn(60)) Op(OP_ENDIF);
    if (m_choices.OneIn(80)) Op(m_choices.Pick({OP_ELSE, OP_ENDIF}));
}

void ScriptMaker::LockTime()
{
    const CTxIn& input{m_plan.base.tx.vin[m_plan.base.n_in]};
    const bool sequence{m_choices.Bool()};
    int64_t value{sequence ? input.nSequence : m_plan.base.tx.nLockTime};
    switch (m_choices.Below(8)) {
    case 0: value += 1; break;
    case 1:
        value = m_choices.Pick<int64_t>(
            {-1, 0, 1, 499'999'999, 500'000'000, 0x400000, 0x400001, 0x80000000, 0xffffffff, 0x7fffffffff, 0x8000000000});
        break;
    case 2: value ^= int64_t{1} << m_choices.Below(34); break;
    case 3: value = value > 0 ? value - 1 : value; break;
    default: break;
    }
    PushNumber(value);
    Op(sequence ? OP_CHECKSEQUENCEVERIFY : OP_CHECKLOCKTIMEVERIFY);
    Op(OP_DROP);
}

void ScriptMaker::CheckSig()
{
    const size_t key{m_choices.Below(N_TEST_KEYS)};
    Need({{.bytes = {}, .slot = NewSlot(key), .form = SomeForm()}});
    if (m_choices.OneIn(4)) Op(OP_CODESEPARATOR);
    Push(SomePubkey(key));
    if (m_plan.slots.back().flaw == SigFlaw::EMPTY && m_choices.Bool()) {
        Op(OP_CHECKSIG);
        Op(OP_NOT);
        Op(OP_VERIFY);
    } else {
        Op(OP_CHECKSIGVERIFY);
    }
    if (m_choices.OneIn(6)) Op(OP_CODESEPARATOR);
}

void ScriptMaker::CheckSigInScript()
{
    // The signature stands in the script that it signs: legacy rules take it out first (FindAndDelete).
    const size_t key{m_choices.Below(N_TEST_KEYS)};
    PushSlot(NewSlot(key));
    if (m_choices.OneIn(4)) m_plan.script.back().form = static_cast<PushForm>(m_choices.Below(5));
    if (m_choices.OneIn(5)) {
        Op(OP_CODESEPARATOR);
        PushSlot(static_cast<int>(m_plan.slots.size()) - 1);
        Op(OP_DROP);
    }
    Push(SomePubkey(key));
    Op(OP_CHECKSIGVERIFY);
}

void ScriptMaker::CheckMultiSig()
{
    const size_t n{m_choices.OneIn(20) ? m_choices.Pick<size_t>({0, 16, 17, 19, 20, 21}) : m_choices.Below(4) + 1};
    size_t m{n == 0 ? 0 : m_choices.Below(std::min<size_t>(n, 4)) + 1};
    if (m_choices.OneIn(20)) m = 0;
    std::vector<size_t> keys(n);
    const size_t first{m_choices.Below(N_TEST_KEYS)};
    for (size_t i{0}; i < n; ++i) keys[i] = (first + i) % N_TEST_KEYS;
    // m of them in their order, or, rarely, out of it.
    std::vector<size_t> signers;
    for (size_t i{0}; i < n && signers.size() < m; ++i) {
        if (n - i == m - signers.size() || m_choices.Bool()) signers.push_back(keys[i]);
    }
    if (signers.size() > 1 && m_choices.OneIn(15)) std::swap(signers.front(), signers.back());

    std::vector<Piece> need;
    if (!m_choices.OneIn(40)) need.push_back({.bytes = m_choices.OneIn(30) ? SomeElement() : Element{}});
    for (const size_t key : signers) need.push_back({.bytes = {}, .slot = NewSlot(key), .form = SomeForm()});
    const bool in_script{m_rules == Rules::LEGACY && m_choices.OneIn(12)};
    if (in_script) {
        for (const Piece& piece : need) {
            if (piece.slot == Piece::NO_SLOT) {
                Push(piece.bytes);
            } else {
                PushSlot(piece.slot);
            }
        }
    } else {
        Need(std::move(need));
    }
    if (m_choices.OneIn(8)) Op(OP_CODESEPARATOR);
    PushNumber(m_choices.OneIn(50) ? m_choices.Pick<int64_t>({-1, static_cast<int64_t>(n) + 1, 21, 0x80000000}) : static_cast<int64_t>(m));
    for (const size_t key : keys) Push(SomePubkey(key));
    PushNumber(m_choices.OneIn(50) ? m_choices.Pick<int64_t>({-1, static_cast<int64_t>(n) + 1, 21, 0x80000000}) : static_cast<int64_t>(n));
    if (m_choices.OneIn(8)) {
        Op(OP_CHECKMULTISIG);
        if (m_choices.Bool()) Op(OP_NOT);
        Op(OP_VERIFY);
    } else {
        Op(OP_CHECKMULTISIGVERIFY);
    }
}

void ScriptMaker::CheckSigAdd()
{
    const size_t n{m_choices.Below(3) + 1};
    std::vector<Piece> need;
    int64_t count{0};
    std::vector<size_t> keys;
    for (size_t i{0}; i < n; ++i) {
        keys.push_back(m_choices.Below(N_TEST_KEYS));
        const int slot{NewSlot(keys.back())};
        count += m_plan.slots.back().flaw != SigFlaw::EMPTY;
        need.insert(need.begin(), {.bytes = {}, .slot = slot, .form = PushForm::SMALLEST});
    }
    Need(std::move(need));
    Push(m_choices.OneIn(30) ? SomeNumber() : Element{});
    for (const size_t key : keys) {
        Push(SomePubkey(key));
        Op(OP_CHECKSIGADD);
        if (m_choices.OneIn(8)) Op(OP_CODESEPARATOR);
    }
    PushNumber(count);
    Op(OP_NUMEQUALVERIFY);
}

void ScriptMaker::Budget()
{
    // One signature, checked until the budget is spent: by an unknown key type, or a real one.
    const size_t key{m_choices.Below(N_TEST_KEYS)};
    const Element pubkey{m_choices.Bool() ? TestKeys()[key].x_only : TestKeys()[key].compressed};
    Need({{.bytes = {}, .slot = NewSlot(key), .form = PushForm::SMALLEST}});
    if (m_choices.Bool()) m_plan.slots.back().bytes.resize(std::min<size_t>(m_plan.slots.back().bytes.size(), 1));
    Push(pubkey);
    const size_t n{m_choices.Below(12) + 1};
    for (size_t i{0}; i < n; ++i) {
        Op(OP_2DUP);
        Op(OP_CHECKSIGVERIFY);
    }
    Op(OP_2DROP);
}

void ScriptMaker::ManyOps()
{
    const size_t n{static_cast<size_t>(m_choices.Between(180, 201))};
    for (size_t i{0}; i < n; ++i) Op(m_choices.OneIn(500) ? OP_NOP4 : OP_NOP);
    if (m_choices.OneIn(3)) CheckMultiSig(); // whose keys count, too
}

void ScriptMaker::ManyElements()
{
    const size_t n{m_choices.OneIn(4) ? 1001 : static_cast<size_t>(m_choices.Between(985, 1001))};
    if (m_choices.Bool()) {
        // On the stack from the start.
        std::vector<Piece> need(n, Piece{.bytes = {1}});
        // The number of elements is looked at before their sizes.
        if (m_slhdsa && m_choices.Bool()) {
            need[m_choices.Below(n)].bytes.resize(m_choices.Bool() ? slhdsa::SIGNATURE_SIZE + 2 : SomeLargeSize());
        }
        Need(std::move(need));
        for (size_t i{0}; i < n / 2; ++i) Op(OP_2DROP);
        if (n % 2) Op(OP_DROP);
        return;
    }
    const size_t alternative{m_choices.OneIn(3) ? m_choices.Below(40) : 0};
    for (size_t i{0}; i < n; ++i) {
        Op(OP_1);
        if (i < alternative) Op(OP_TOALTSTACK);
    }
    if (m_choices.OneIn(2)) Op(OP_3DUP);
    if (m_rules != Rules::TAPSCRIPT) return; // too many opcodes to clear up
    for (size_t i{0}; i < (n - alternative) / 2; ++i) Op(OP_2DROP);
}

void ScriptMaker::ManyBytes()
{
    const size_t target{m_choices.Bool() ? 10'000 : static_cast<size_t>(m_choices.Between(9990, 10'010))};
    size_t size{m_plan.ScriptBytes().size() + 1};
    while (size + 4 < target) {
        const size_t part{std::min<size_t>(520, target - size - 4)};
        Element push;
        AppendPush(push, Element(part, 0xaa), PushForm::PUSHDATA2);
        push.push_back(OP_DROP);
        Raw(push);
        size += push.size();
    }
}

void ScriptMaker::Noise()
{
    switch (m_choices.Below(10)) {
    case 0: Op(m_choices.Pick({OP_RESERVED, OP_VER, OP_RESERVED1, OP_RESERVED2, OP_VERIF, OP_VERNOTIF, OP_INVALIDOPCODE})); break;
    case 1: Op(OP_RETURN); break;
    case 2:
        Op(m_choices.Pick({OP_CAT, OP_SUBSTR, OP_LEFT, OP_RIGHT, OP_INVERT, OP_AND, OP_OR, OP_XOR, OP_2MUL, OP_2DIV, OP_MUL, OP_DIV, OP_MOD,
                           OP_LSHIFT, OP_RSHIFT}));
        break;
    case 3: Op(static_cast<opcodetype>(m_choices.Take(1))); break;
    case 4: Raw(m_choices.Bytes(m_choices.Below(12) + 1)); break;
    case 5: Op(static_cast<opcodetype>(m_choices.Between(OP_NOP1, OP_NOP10))); break;
    case 6: Op(static_cast<opcodetype>(m_choices.Between(OP_CHECKSIGADD, 0xfe))); break;
    case 7: Op(OP_CODESEPARATOR); break;
    default: Op(static_cast<opcodetype>(m_choices.Between(OP_NOP, OP_NOP10))); break;
    }
}

void ScriptMaker::Snippet(unsigned depth)
{
    if (m_choices.OneIn(28)) return Noise();
    if (depth == 0 && m_choices.OneIn(150)) return ManyElements();
    if (depth == 0 && m_choices.OneIn(150)) return ManyBytes();
    if (m_choices.OneIn(80)) return ManyOps();
    if (m_slhdsa && m_choices.Bool()) return SLHDSASnippet();
    switch (m_choices.Below(24)) {
    case 0: return PushAndDrop();
    case 1: case 2: return Arithmetic();
    case 3: return Within();
    case 4: case 5: return HashAndCompare();
    case 6: case 7: return StackShuffle();
    case 8: return PickOrRoll();
    case 9: return AltStack();
    case 10: case 11: case 12: return depth < 3 ? Conditional(depth) : Arithmetic();
    case 13: return LockTime();
    case 14: case 20: case 21: return m_rules == Rules::LEGACY && m_choices.OneIn(3) ? CheckSigInScript() : CheckSig();
    case 15: case 22: return m_rules == Rules::TAPSCRIPT && !m_choices.OneIn(20) ? CheckSigAdd() : CheckMultiSig();
    case 16: return m_rules == Rules::TAPSCRIPT ? Budget() : CheckSig();
    case 17:
        return m_choices.OneIn(3) ? Op(static_cast<opcodetype>(m_choices.Pick<int>({OP_NOP1, OP_NOP4, OP_NOP9, OP_NOP10}))) : Op(OP_NOP);
    case 18:
        Op(OP_DEPTH);
        return Op(OP_DROP);
    default: return m_choices.OneIn(3) ? Op(OP_CODESEPARATOR) : PushAndDrop();
    }
}

void ScriptMaker::End()
{
    if (m_slhdsa && m_choices.OneIn(16)) return LargeEnd();
    // Zeros mean success: a fuzzer's input that ends early still makes a spend that holds.
    switch (m_choices.Below(16)) {
    case 6: return Push(SomeElement());
    case 1: Need({{.bytes = m_choices.Bool() ? Element{1} : SomeElement()}}); return;
    case 2: {
        const size_t key{m_choices.Below(N_TEST_KEYS)};
        Need({{.bytes = {}, .slot = NewSlot(key), .form = SomeForm()}});
        Push(SomePubkey(key));
        return Op(OP_CHECKSIG);
    }
    case 3:
        Op(OP_1);
        return Op(OP_1);
    case 4: return Push(m_choices.Pick<Element>({{}, {0}, {0x80}, {0, 0x80}, {0x80, 0}, {0, 1}}));
    case 5: return Noise();
    default: return Op(OP_1);
    }
}

void ScriptMaker::Make()
{
    m_plan.script.clear();
    m_plan.stack.clear();
    const size_t n{m_choices.Below(m_choices.OneIn(4) ? 8 : 4)};
    for (size_t i{0}; i < n; ++i) Snippet(0);
    // Without one of the opcodes no element may be large.
    if (m_slhdsa && !m_has_slhdsa_opcode && !m_choices.OneIn(4)) MentionSLHDSA();
    if (!m_choices.OneIn(60)) End();
    for (auto need{m_needs.rbegin()}; need != m_needs.rend(); ++need) {
        m_plan.stack.insert(m_plan.stack.end(), need->begin(), need->end());
    }
    if (m_fitted) FitBudget();
    for (Piece& piece : m_plan.stack) {
        if (piece.slot == Piece::NO_SLOT) piece.form = SomeForm();
    }
    if (m_choices.OneIn(40)) m_plan.stack.insert(m_plan.stack.begin(), {.bytes = SomeElement()});
    if (m_choices.OneIn(60) && !m_plan.stack.empty()) m_plan.stack.pop_back();
}

} // namespace slhc::test
