// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <test/core/plan_maker.h>

#include <crypto/hash.h>
#include <script/script.h>
#include <test/core/script_maker.h>
#include <test/core/test_keys.h>

#include <algorithm>
#include <array>

namespace slhc::test {

namespace {

uint32_t SomeSequence(Choices& choices)
{
    return choices.Pick<uint32_t>(
        {0xffffffff, 0xfffffffe, 0, 1, 10, 0xffff, 0x400000, 0x400005, 0x40ffff, 0x80000000, 0x80000005, 0x7fffffff});
}

uint32_t SomeLockTime(Choices& choices)
{
    return choices.Pick<uint32_t>({0, 0, 1, 100, 499'999'999, 500'000'000, 500'000'001, 0x7fffffff, 0x80000000, 0xffffffff});
}

uint256 SomeHash(Choices& choices)
{
    const auto bytes{choices.Bytes(32)};
    return uint256{std::span<const uint8_t, 32>{bytes}};
}

CAmount SomeAmount(Choices& choices)
{
    return choices.Pick<CAmount>({0, 1, 546, 100'000, COIN, MAX_MONEY, 0x7fffffffffffffff});
}

/** The output of another input, of a kind that decides which hashes are precomputed. */
CScript SomeScriptPubKey(Choices& choices)
{
    const TestKey& key{choices.PickFrom(TestKeys())};
    switch (choices.Below(6)) {
    case 0: return CScript{} << OP_1 << key.x_only;
    case 1: return CScript{} << OP_0 << choices.Bytes(20);
    case 2: return CScript{} << OP_2 << choices.Bytes(32);
    case 3: return CScript{} << OP_HASH160 << choices.Bytes(20) << OP_EQUAL;
    case 4: return CScript{} << key.compressed << OP_CHECKSIG;
    default: return CScript{} << OP_1;
    }
}

Spend MakeBase(Choices& choices)
{
    Spend spend;
    spend.tx.version = choices.Pick<uint32_t>({2, 2, 2, 1, 3, 0, 0xffffffff, 0x80000002});
    spend.tx.nLockTime = SomeLockTime(choices);
    const size_t n_in{choices.OneIn(2) ? 1 : choices.Below(4) + 1};
    for (size_t i{0}; i < n_in; ++i) {
        const COutPoint prevout{SomeHash(choices), static_cast<uint32_t>(choices.Below(3))};
        spend.tx.vin.push_back(CTxIn{prevout, CScript{}, SomeSequence(choices)});
        spend.spent.push_back(CTxOut{SomeAmount(choices), SomeScriptPubKey(choices)});
        if (choices.OneIn(3)) spend.tx.vin.back().scriptWitness.stack.push_back(choices.Bytes(choices.Below(66)));
    }
    spend.n_in = static_cast<uint32_t>(choices.Below(n_in));
    spend.tx.vin[spend.n_in].scriptWitness.stack.clear();
    const size_t n_out{choices.Below(4)};
    for (size_t i{0}; i < n_out; ++i) spend.tx.vout.push_back(CTxOut{SomeAmount(choices), SomeScriptPubKey(choices)});
    return spend;
}

void MakePath(Plan& plan, Choices& choices)
{
    // A P2MR tree of one leaf succeeds, whatever the leaf.
    const size_t least{plan.kind == OutputKind::P2MR && !choices.OneIn(12) ? 1U : 0U};
    const size_t n{choices.OneIn(12) ? choices.Pick<size_t>({127, 128, 129}) : least + choices.Below(4 - least)};
    plan.path.clear();
    for (size_t i{0}; i < n; ++i) plan.path.push_back(SomeHash(choices));
    if (choices.OneIn(10)) plan.leaf_version = choices.Pick<uint8_t>({0xc2, 0x66, 0xfe, 0x00, 0x50, 0xba});
    if (choices.OneIn(6)) {
        plan.annex = choices.Bytes(choices.SomeSize({0, 1, 252, 253, 600}, 100));
        // Rarely, it is none.
        if (!choices.OneIn(12)) plan.annex->insert(plan.annex->begin(), ANNEX_TAG);
    }
    if (choices.OneIn(20)) plan.control_flaw = static_cast<ControlFlaw>(choices.Below(static_cast<uint64_t>(ControlFlaw::N_FLAWS)));
}

SignatureSlot KeySlot(size_t key, Choices& choices, bool schnorr)
{
    static constexpr uint8_t TYPES[]{1, 2, 3, 0x81, 0x82, 0x83};
    SignatureSlot slot{.kind = schnorr ? SignatureKind::SCHNORR : SignatureKind::ECDSA,
                       .key = key,
                       .hash_type = schnorr && choices.Bool() ? uint8_t{0} : choices.PickFrom(TYPES),
                       .flaw = SigFlaw::NONE,
                       .bytes = {}};
    if (choices.OneIn(20)) slot.hash_type = static_cast<uint8_t>(choices.Take(1));
    if (choices.OneIn(5)) {
        slot.flaw = static_cast<SigFlaw>(choices.Below(static_cast<uint64_t>(schnorr ? SigFlaw::HIGH_S : SigFlaw::N_FLAWS)));
    }
    return slot;
}

/** P2WPKH: a signature and a key. */
void MakeKeyHash(Plan& plan, Choices& choices)
{
    const size_t key{choices.Below(N_TEST_KEYS)};
    const int slot{plan.AddSlot(KeySlot(key, choices, false))};
    plan.stack = {{.bytes = {}, .slot = slot}, {.bytes = choices.OneIn(8) ? TestKeys()[key].uncompressed : TestKeys()[key].compressed}};
}

/** Pay to key, key hash, or m of n keys, bare and well-formed, which chance rarely produces. */
void MakePlain(Plan& plan, Choices& choices)
{
    const size_t key{choices.Below(N_TEST_KEYS)};
    const TestKey& test_key{TestKeys()[key]};
    const auto& pubkey{choices.OneIn(4) ? test_key.uncompressed : test_key.compressed};
    CScript script;
    switch (choices.Below(3)) {
    case 0:
        plan.stack = {{.bytes = {}, .slot = plan.AddSlot(KeySlot(key, choices, false))}};
        script << pubkey << OP_CHECKSIG;
        break;
    case 1:
        plan.stack = {{.bytes = {}, .slot = plan.AddSlot(KeySlot(key, choices, false))}, {.bytes = pubkey}};
        script << OP_DUP << OP_HASH160 << std::span<const uint8_t>{Hash160(pubkey)} << OP_EQUALVERIFY << OP_CHECKSIG;
        break;
    default: {
        const size_t other{(key + 1) % N_TEST_KEYS};
        plan.stack = {{},
                      {.bytes = {}, .slot = plan.AddSlot(KeySlot(key, choices, false))},
                      {.bytes = {}, .slot = plan.AddSlot(KeySlot(other, choices, false))}};
        script << OP_2 << pubkey << TestKeys()[other].compressed << choices.PickFrom(TestKeys()).compressed << OP_3 << OP_CHECKMULTISIG;
    }
    }
    plan.script = {{.bytes = script}};
}

Rules RulesOf(OutputKind kind)
{
    switch (kind) {
    case OutputKind::P2WSH:
    case OutputKind::P2SH_P2WSH: return Rules::V0;
    case OutputKind::P2TR_KEY:
    case OutputKind::P2TR_SCRIPT:
    case OutputKind::P2MR:
    case OutputKind::P2SH_P2MR: return Rules::TAPSCRIPT;
    default: return Rules::LEGACY;
    }
}

} // namespace

Plan MakePlan(Choices& choices, Scope scope)
{
    Plan plan;
    plan.base = MakeBase(choices);
    static constexpr OutputKind CORE_KINDS[]{
        OutputKind::BARE, OutputKind::BARE, OutputKind::P2SH, OutputKind::P2SH, OutputKind::P2WPKH, OutputKind::P2WSH, OutputKind::P2WSH,
        OutputKind::P2SH_P2WPKH, OutputKind::P2SH_P2WSH, OutputKind::P2TR_KEY, OutputKind::P2TR_SCRIPT, OutputKind::P2TR_SCRIPT,
        OutputKind::P2TR_SCRIPT, OutputKind::WITNESS_PROGRAM, OutputKind::P2SH_WITNESS_PROGRAM};
    const auto module_kind{[&] {
        const uint64_t i{choices.Below(16)};
        if (i == 15) return OutputKind::P2SH_P2MR;
        return i >= 11 ? OutputKind::P2TR_SCRIPT : OutputKind::P2MR;
    }};
    plan.kind = scope == Scope::ALL && !choices.OneIn(3) ? module_kind() : choices.PickFrom(CORE_KINDS);
    plan.key = choices.Below(N_TEST_KEYS);

    switch (plan.kind) {
    case OutputKind::P2WPKH:
    case OutputKind::P2SH_P2WPKH:
        MakeKeyHash(plan, choices);
        break;
    case OutputKind::P2TR_KEY:
        MakePath(plan, choices);
        plan.has_tree = choices.Bool();
        plan.stack = {{.bytes = {}, .slot = plan.AddSlot(KeySlot(plan.key, choices, true))}};
        break;
    case OutputKind::WITNESS_PROGRAM:
    case OutputKind::P2SH_WITNESS_PROGRAM:
        plan.version = static_cast<int>(choices.OneIn(3) ? choices.Below(17) : choices.Below(3));
        plan.program = choices.Bytes(std::max<size_t>(2, choices.SomeSize({2, 20, 32, 33, 40}, 40)));
        if (choices.OneIn(6)) {
            plan.version = 1; // P2A, or nearly
            plan.program = {0x4e, static_cast<uint8_t>(choices.OneIn(4) ? 0x74 : 0x73)};
        }
        // A program that is false as an element
        if (choices.OneIn(8)) {
            std::ranges::fill(plan.program, uint8_t{0});
            if (choices.Bool()) plan.program.back() = 0x80;
        }
        for (size_t i{choices.Below(4)}; i > 0; --i) plan.stack.push_back({.bytes = choices.Bytes(choices.Below(40))});
        break;
    case OutputKind::P2TR_SCRIPT:
    case OutputKind::P2MR:
    case OutputKind::P2SH_P2MR:
        MakePath(plan, choices);
        if (choices.OneIn(40)) plan.root_size = choices.Pick<size_t>({2, 20, 31, 33, 40});
        ScriptMaker{plan, choices, Rules::TAPSCRIPT, scope == Scope::ALL}.Make();
        break;
    default:
        if (choices.OneIn(5)) {
            MakePlain(plan, choices);
        } else {
            ScriptMaker{plan, choices, RulesOf(plan.kind)}.Make();
        }
        break;
    }
    if (choices.OneIn(60)) {
        plan.script_sig_tail =
            choices.Pick<std::vector<uint8_t>>({{OP_NOP}, {OP_1}, {OP_DUP, OP_DROP}, {OP_RESERVED}, {0x4c}, {OP_CODESEPARATOR}});
    }
    return plan;
}

namespace {

constexpr uint8_t NOTABLE_BYTES[]{0x00,
                                  0x01,
                                  0x02,
                                  0x20,
                                  0x21,
                                  0x4b,
                                  OP_PUSHDATA1,
                                  OP_PUSHDATA2,
                                  OP_PUSHDATA4,
                                  OP_1NEGATE,
                                  OP_RESERVED,
                                  OP_1,
                                  OP_16,
                                  OP_NOP,
                                  OP_IF,
                                  OP_NOTIF,
                                  OP_ELSE,
                                  OP_ENDIF,
                                  OP_VERIFY,
                                  OP_RETURN,
                                  OP_2DROP,
                                  OP_2DUP,
                                  OP_3DUP,
                                  OP_IFDUP,
                                  OP_DEPTH,
                                  OP_DROP,
                                  OP_DUP,
                                  OP_PICK,
                                  OP_ROLL,
                                  OP_TUCK,
                                  OP_CAT,
                                  OP_SUBSTR,
                                  OP_LEFT,
                                  OP_SIZE,
                                  OP_EQUAL,
                                  OP_EQUALVERIFY,
                                  OP_1ADD,
                                  OP_NOT,
                                  OP_ADD,
                                  OP_WITHIN,
                                  OP_HASH160,
                                  OP_CODESEPARATOR,
                                  OP_CHECKSIG,
                                  OP_CHECKSIGVERIFY,
                                  OP_CHECKMULTISIG,
                                  OP_CHECKMULTISIGVERIFY,
                                  OP_NOP1,
                                  OP_CHECKLOCKTIMEVERIFY,
                                  OP_CHECKSEQUENCEVERIFY,
                                  OP_CHECKSIGADD,
                                  0xbb,
                                  0xfe,
                                  0xff};

uint8_t SomeByte(Choices& choices)
{
    return choices.OneIn(3) ? static_cast<uint8_t>(choices.Take(1)) : choices.PickFrom(NOTABLE_BYTES);
}

ptrdiff_t SomePosition(Choices& choices, size_t limit) { return static_cast<ptrdiff_t>(choices.Below(limit)); }

} // namespace

void MutateBytes(std::vector<uint8_t>& bytes, Choices& choices)
{
    const auto at{[&](size_t limit) { return SomePosition(choices, limit); }};
    if (bytes.empty()) {
        bytes.push_back(SomeByte(choices));
        return;
    }
    switch (choices.Below(8)) {
    case 0: bytes[static_cast<size_t>(at(bytes.size()))] ^= static_cast<uint8_t>(1 << choices.Below(8)); break;
    case 1: bytes[static_cast<size_t>(at(bytes.size()))] = SomeByte(choices); break;
    case 2: case 3: bytes.insert(bytes.begin() + at(bytes.size() + 1), SomeByte(choices)); break;
    case 4: bytes.erase(bytes.begin() + at(bytes.size())); break;
    case 5: bytes.resize(choices.Below(bytes.size())); break;
    case 6: {
        // A copy of a stretch, elsewhere.
        const auto from{at(bytes.size())};
        const auto n{at(std::min<size_t>(bytes.size() - static_cast<size_t>(from), 80)) + 1};
        const std::vector<uint8_t> part(bytes.begin() + from, bytes.begin() + from + n);
        bytes.insert(bytes.begin() + at(bytes.size() + 1), part.begin(), part.end());
        break;
    }
    default: bytes.push_back(SomeByte(choices)); break;
    }
}

void MutateScript(std::vector<uint8_t>& bytes, Choices& choices, unsigned depth)
{
    // Instructions as stretches of bytes; bytes that do not decode are a stretch of their own.
    const CScript script{std::span<const uint8_t>{bytes}};
    std::vector<std::vector<uint8_t>> ops;
    auto pc{script.begin()};
    opcodetype opcode;
    for (auto from{pc}; pc != script.end(); from = pc) {
        const bool decodes{script.GetOp(pc, opcode)};
        ops.emplace_back(from, decodes ? pc : script.end());
        if (!decodes) break;
    }
    if (ops.empty() || choices.OneIn(6)) return MutateBytes(bytes, choices);

    const size_t i{choices.OneIn(3) ? ops.size() - 1 : choices.Below(ops.size())};
    auto& op{ops[i]};
    const auto here{ops.begin() + static_cast<ptrdiff_t>(i)};
    switch (choices.Below(8)) {
    case 0: ops.erase(here); break;
    case 1: ops.insert(here, std::vector<uint8_t>{op}); break;
    case 2:
        ops.insert(here, {static_cast<uint8_t>(choices.OneIn(4) ? SomeByte(choices) : choices.Between(OP_1NEGATE, OP_CHECKSIGADD))});
        break;
    case 3: std::swap(op, ops[choices.Below(ops.size())]); break;
    default: {
        // Another opcode, or other data; a push that is as long as a script may well be one.
        const CScript single{std::span<const uint8_t>{op}};
        auto single_pc{single.begin()};
        std::span<const uint8_t> data;
        if (!single.GetOp(single_pc, opcode, data) || opcode > OP_PUSHDATA4) {
            op = {static_cast<uint8_t>(choices.Between(OP_1NEGATE, OP_CHECKSIGADD))};
            break;
        }
        std::vector<uint8_t> changed(data.begin(), data.end());
        if (depth > 0 && i + 1 == ops.size()) {
            MutateScript(changed, choices, depth - 1);
        } else {
            MutateBytes(changed, choices);
        }
        op.clear();
        AppendPush(op, changed, choices.OneIn(12) ? static_cast<PushForm>(choices.Below(5)) : PushForm::SMALLEST);
        break;
    }
    }
    bytes.clear();
    for (const auto& each : ops) bytes.insert(bytes.end(), each.begin(), each.end());
}

namespace {

void MutateElements(std::vector<std::vector<uint8_t>>& stack, Choices& choices)
{
    if (stack.empty()) {
        stack.push_back(choices.Bytes(choices.Below(4)));
        return;
    }
    const size_t i{choices.Below(stack.size())};
    const auto position{stack.begin() + static_cast<ptrdiff_t>(i)};
    switch (choices.Below(12)) {
    case 0: stack.erase(position); break;
    case 1: stack.insert(position, std::vector<uint8_t>{*position}); break;
    case 2: stack.insert(position, choices.Bytes(choices.SomeSize({0, 1, 64, 520, 521}, 40))); break;
    case 3: std::swap(*position, stack[choices.Below(stack.size())]); break;
    case 4: position->clear(); break;
    case 5: position->resize(choices.SomeSize({0, 1, 32, 33, 64, 65, 520, 521, 7855, 7856, 7857, 7858}, 700)); break;
    case 6: stack.push_back({ANNEX_TAG, static_cast<uint8_t>(choices.Take(1))}); break;
    case 7: MutateBytes(*position, choices); break;
    default: MutateScript(stack[stack.size() - 1 - choices.Below(std::min<size_t>(stack.size(), 3))], choices, 0); break;
    }
}

void MutateTransaction(Spend& spend, Choices& choices)
{
    CMutableTransaction& tx{spend.tx};
    switch (choices.Below(9)) {
    case 0: tx.version = choices.Pick<uint32_t>({0, 1, 2, 3, 0xffffffff}); break;
    case 1: tx.nLockTime = SomeLockTime(choices); break;
    case 2: tx.vin[choices.Below(tx.vin.size())].nSequence = SomeSequence(choices); break;
    case 3: tx.vin[choices.Below(tx.vin.size())].prevout.n ^= 1; break;
    case 4:
        if (!tx.vout.empty()) tx.vout.pop_back();
        break;
    case 5: tx.vout.push_back(CTxOut{SomeAmount(choices), SomeScriptPubKey(choices)}); break;
    case 6: spend.spent[choices.Below(spend.spent.size())].nValue = SomeAmount(choices); break;
    case 7:
        if (tx.vin.size() < 8) {
            tx.vin.push_back(CTxIn{COutPoint{SomeHash(choices), 0}, CScript{}, SomeSequence(choices)});
            spend.spent.push_back(CTxOut{SomeAmount(choices), SomeScriptPubKey(choices)});
        }
        break;
    default:
        if (!tx.vout.empty()) tx.vout[choices.Below(tx.vout.size())].nValue = SomeAmount(choices);
        break;
    }
}

} // namespace

void MutateSpend(Spend& spend, Choices& choices)
{
    CTxIn& input{spend.tx.vin[spend.n_in]};
    const bool has_witness{!input.scriptWitness.IsNull()};
    bool fix{false};
    switch (choices.Below(has_witness ? 10 : 7)) {
    case 0: MutateTransaction(spend, choices); break;
    case 1: MutateScript(spend.spent[spend.n_in].scriptPubKey, choices, 0); break;
    case 2: case 3: case 4: case 5:
        MutateScript(input.scriptSig, choices, 1);
        fix = true;
        break;
    default:
        MutateElements(input.scriptWitness.stack, choices);
        fix = true;
        break;
    }
    if (fix && !choices.OneIn(3)) FixCommitments(spend);
}

void MutatePlan(Plan& plan, Choices& choices)
{
    const auto raw_piece{[&]() -> Piece* {
        for (size_t tries{0}; tries < 4 && !plan.script.empty(); ++tries) {
            Piece& piece{plan.script[choices.Below(plan.script.size())]};
            if (piece.slot == Piece::NO_SLOT) return &piece;
        }
        return nullptr;
    }};
    switch (choices.Below(10)) {
    case 0: case 1: case 2:
        if (Piece* piece{raw_piece()}) MutateScript(piece->bytes, choices, 0);
        break;
    case 3: case 4:
        if (!plan.stack.empty()) {
            Piece& piece{plan.stack[choices.Below(plan.stack.size())]};
            if (piece.slot == Piece::NO_SLOT) {
                MutateBytes(piece.bytes, choices);
            } else {
                MutateBytes(plan.slots[static_cast<size_t>(piece.slot)].bytes, choices);
            }
        }
        break;
    case 5:
        if (plan.stack.size() > 1) {
            std::swap(plan.stack[choices.Below(plan.stack.size())], plan.stack[choices.Below(plan.stack.size())]);
        } else {
            plan.stack.push_back({.bytes = choices.Bytes(choices.Below(3))});
        }
        break;
    case 6: MutateTransaction(plan.base, choices); break;
    case 7: MakePath(plan, choices); break;
    case 8:
        // The same script in another kind of output.
        if (plan.kind == OutputKind::P2MR || plan.kind == OutputKind::P2SH_P2MR) {
            plan.kind = choices.Pick({OutputKind::P2TR_SCRIPT, OutputKind::P2SH_P2MR});
        } else if (RulesOf(plan.kind) != Rules::TAPSCRIPT && plan.kind != OutputKind::P2WPKH && plan.kind != OutputKind::P2SH_P2WPKH) {
            plan.kind = choices.Pick({OutputKind::BARE, OutputKind::P2SH, OutputKind::P2WSH, OutputKind::P2SH_P2WSH});
        } else {
            MakePath(plan, choices);
        }
        break;
    default:
        if (!plan.stack.empty()) plan.stack.erase(plan.stack.begin() + static_cast<ptrdiff_t>(choices.Below(plan.stack.size())));
        break;
    }
}

} // namespace slhc::test
