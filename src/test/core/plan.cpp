// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <test/core/plan.h>

#include <crypto/hash.h>
#include <pqc/slhdsa/params.h>
#include <script/sighash.h>
#include <script/taptree.h>
#include <test/core/test_keys.h>

#include <algorithm>
#include <utility>

namespace slhc::test {

namespace {

std::array<uint8_t, 32> TapTweak(const TestKey& key, const uint256* root)
{
    auto hasher{TaggedHash("TapTweak")};
    hasher.Write(key.x_only);
    if (root) hasher.Write(root->Bytes());
    return hasher.Digest();
}

uint256 TreeRoot(const Plan& plan, std::span<const uint8_t> leaf_script)
{
    uint256 root{ComputeTapleafHash(plan.leaf_version, leaf_script)};
    for (const uint256& node : plan.path) root = ComputeTapbranchHash(root.Bytes(), node.Bytes());
    return root;
}

CScript ProgramScript(int version, std::span<const uint8_t> program)
{
    return CScript{} << CScript::EncodeOP_N(version) << program;
}

CScript ScriptHashScript(std::span<const uint8_t> redeem)
{
    return CScript{} << OP_HASH160 << std::span<const uint8_t>{Hash160(redeem)} << OP_EQUAL;
}

/** DER of r and s as they are, for numbers that EncodeDER would never write. */
std::vector<uint8_t> RawDER(std::span<const uint8_t> r, std::span<const uint8_t> s)
{
    std::vector<uint8_t> der(6 + r.size() + s.size());
    auto out{der.begin()};
    *out++ = 0x30;
    *out++ = static_cast<uint8_t>(4 + r.size() + s.size());
    for (const auto& number : {r, s}) {
        *out++ = 0x02;
        *out++ = static_cast<uint8_t>(number.size());
        out = std::copy(number.begin(), number.end(), out);
    }
    return der;
}

std::vector<uint8_t> FlawedDER(const CompactSignature& signature, SigFlaw flaw)
{
    std::vector<uint8_t> der{EncodeDER(signature)};
    const size_t s_tag{4U + der[3]};
    const std::span<const uint8_t> r{der.data() + 4, der[3]};
    const std::span<const uint8_t> s{der.data() + s_tag + 2, der[s_tag + 1]};
    const auto padded{[](std::span<const uint8_t> number) {
        std::vector<uint8_t> result(number.begin(), number.end());
        result.insert(result.begin(), 0);
        return result;
    }};
    switch (flaw) {
    case SigFlaw::PADDED_R: return RawDER(padded(r), s);
    case SigFlaw::PADDED_S: return RawDER(r, padded(s));
    case SigFlaw::NEGATIVE_R: return RawDER(signature.r, s);
    case SigFlaw::ZERO_R: return RawDER(std::array<uint8_t, 1>{0}, s);
    case SigFlaw::HUGE_S: {
        // 33 or 34 bytes: one more than a strict encoding can hold, if r has 33.
        std::vector<uint8_t> huge(signature.s.begin(), signature.s.end());
        huge.insert(huge.begin(), 1 + (signature.r[31] & 1), 1);
        return RawDER(r, huge);
    }
    case SigFlaw::LONG_LENGTH:
        if (signature.r[31] & 1) {
            der.insert(der.begin() + 1, 0x81);
        } else {
            der.insert(der.begin() + 3, {0x82, 0x00}); // the same length in two bytes
        }
        return der;
    case SigFlaw::WRONG_LENGTH: ++der[1]; return der;
    case SigFlaw::WRONG_TAG: der[0] = 0x31; return der;
    default: return der;
    }
}

std::vector<uint8_t> SignatureBytes(const SignatureSlot& slot, const uint256& hash, const std::array<uint8_t, 32>* tap_tweak,
                                    const SLHDSAScheme& slhdsa)
{
    switch (slot.kind) {
    case SignatureKind::ECDSA: return FlawedDER(SignECDSA(TestKeys()[slot.key], hash.Bytes(), slot.flaw == SigFlaw::HIGH_S), slot.flaw);
    case SignatureKind::SCHNORR: return SignSchnorr(TestKeys()[slot.key], hash.Bytes(), tap_tweak);
    case SignatureKind::SLHDSA: return slhdsa.sign(SLHDSATestKeys()[slot.key], hash);
    }
    return {};
}

std::vector<uint8_t> MakeSignature(const SignatureSlot& slot, uint256 hash, const std::array<uint8_t, 32>* tap_tweak,
                                   const SLHDSAScheme& slhdsa, Choices& choices)
{
    if (slot.flaw == SigFlaw::WRONG_HASH) hash.data()[choices.Below(32)] ^= 1;
    std::vector<uint8_t> bytes{SignatureBytes(slot, hash, tap_tweak, slhdsa)};
    const bool ecdsa{slot.kind == SignatureKind::ECDSA};
    if (slot.flaw == SigFlaw::FLIPPED_BIT) bytes[choices.Below(bytes.size())] ^= static_cast<uint8_t>(1 << choices.Below(8));
    if (slot.flaw == SigFlaw::TRUNCATED) bytes.pop_back();
    if (slot.flaw == SigFlaw::EXTENDED) bytes.push_back(0);
    if (ecdsa ? slot.flaw != SigFlaw::NO_HASH_TYPE : slot.hash_type != 0) bytes.push_back(slot.hash_type);
    if (!ecdsa && slot.flaw == SigFlaw::NO_HASH_TYPE && slot.hash_type == 0) bytes.push_back(0);
    if (slot.flaw == SigFlaw::OTHER_HASH_TYPE && !bytes.empty()) bytes.back() ^= choices.Pick<uint8_t>({0x80, 0x02, 0x40, 0x03});
    return bytes;
}

/** Bytes of the final length, so that sizes are right when the hashes are taken. */
std::vector<uint8_t> Placeholder(const SignatureSlot& slot)
{
    if (slot.flaw == SigFlaw::EMPTY) return {};
    const auto size{[&]() -> size_t {
        switch (slot.kind) {
        case SignatureKind::ECDSA: return 72;
        case SignatureKind::SCHNORR: return 64;
        case SignatureKind::SLHDSA: break;
        }
        return slhdsa::ParamsOf(SLHDSATestKeys()[slot.key].set).SignatureSize();
    }()};
    return std::vector<uint8_t>(size + (slot.kind != SignatureKind::ECDSA && slot.hash_type != 0), 0x11);
}

/** The part of a script after an OP_CODESEPARATOR, counted from 1, and that one's position in opcodes; all of it for 0. */
std::pair<CScript, uint32_t> AfterSeparator(const CScript& script, size_t separator)
{
    auto pc{script.begin()};
    opcodetype opcode;
    for (uint32_t position{0}; separator > 0 && script.GetOp(pc, opcode); ++position) {
        if (opcode == OP_CODESEPARATOR && --separator == 0) return {CScript(pc, script.end()), position};
    }
    return {script, 0xffffffff};
}

/** A control block with its flaw. */
void Spoil(std::vector<uint8_t>& control, ControlFlaw flaw)
{
    switch (flaw) {
    case ControlFlaw::OTHER_LOW_BIT: control[0] ^= 1; break;
    case ControlFlaw::TRUNCATED: control.pop_back(); break;
    case ControlFlaw::EXTENDED: control.push_back(0); break;
    case ControlFlaw::EMPTY: control.clear(); break;
    case ControlFlaw::OTHER_BIT: control.back() ^= 2; break;
    case ControlFlaw::NONE:
    case ControlFlaw::N_FLAWS: break;
    }
}

} // namespace

void AppendPush(std::vector<uint8_t>& script, std::span<const uint8_t> data, PushForm form)
{
    const size_t size{data.size()};
    if (form == PushForm::SMALLEST && size == 1 && ((data[0] >= 1 && data[0] <= 16) || data[0] == 0x81)) {
        script.push_back(static_cast<uint8_t>(data[0] == 0x81 ? OP_1NEGATE : OP_1 + data[0] - 1));
        return;
    }
    if (size < OP_PUSHDATA1 && form <= PushForm::PREFIXED) {
        script.push_back(static_cast<uint8_t>(size));
    } else if (size <= 0xff && form <= PushForm::PUSHDATA1) {
        script.insert(script.end(), {OP_PUSHDATA1, static_cast<uint8_t>(size)});
    } else if (size <= 0xffff && form <= PushForm::PUSHDATA2) {
        script.insert(script.end(), {OP_PUSHDATA2, static_cast<uint8_t>(size), static_cast<uint8_t>(size >> 8)});
    } else {
        script.insert(script.end(), {OP_PUSHDATA4, static_cast<uint8_t>(size), static_cast<uint8_t>(size >> 8),
                                     static_cast<uint8_t>(size >> 16), static_cast<uint8_t>(size >> 24)});
    }
    script.insert(script.end(), data.begin(), data.end());
}

int Plan::AddSlot(SignatureSlot slot)
{
    slot.bytes = Placeholder(slot);
    slots.push_back(std::move(slot));
    return static_cast<int>(slots.size()) - 1;
}

std::vector<uint8_t> Plan::ScriptBytes() const
{
    std::vector<uint8_t> bytes;
    for (const Piece& piece : script) {
        if (piece.slot == Piece::NO_SLOT) {
            bytes.insert(bytes.end(), piece.bytes.begin(), piece.bytes.end());
        } else {
            AppendPush(bytes, slots[static_cast<size_t>(piece.slot)].bytes, piece.form);
        }
    }
    return bytes;
}

Spend Plan::Build() const
{
    Spend spend{base};
    CTxIn& input{spend.tx.vin[spend.n_in]};
    CScript& script_pubkey{spend.spent[spend.n_in].scriptPubKey};
    const std::vector<uint8_t> script_bytes{ScriptBytes()};
    const auto data{[&](const Piece& piece) -> const std::vector<uint8_t>& {
        return piece.slot == Piece::NO_SLOT ? piece.bytes : slots[static_cast<size_t>(piece.slot)].bytes;
    }};
    const auto push_stack{[&] {
        for (const Piece& piece : stack) AppendPush(input.scriptSig, data(piece), piece.form);
        input.scriptSig.insert(input.scriptSig.end(), script_sig_tail.begin(), script_sig_tail.end());
    }};
    const auto witness_stack{[&] {
        for (const Piece& piece : stack) input.scriptWitness.stack.push_back(data(piece));
    }};
    // The redeem script goes into scriptSig, its hash into scriptPubKey.
    const auto wrap{[&](std::span<const uint8_t> redeem) {
        input.scriptSig << redeem;
        script_pubkey = ScriptHashScript(redeem);
    }};
    const auto key_hash_program{[&] {
        return ProgramScript(0, Hash160(stack.empty() ? std::span<const uint8_t>{} : std::span<const uint8_t>{data(stack.back())}));
    }};
    const auto merkle_root{[&] { return TreeRoot(*this, script_bytes); }};
    const auto script_path{[&](std::vector<uint8_t> control) {
        witness_stack();
        for (const uint256& node : path) control.insert(control.end(), node.begin(), node.end());
        Spoil(control, control_flaw);
        input.scriptWitness.stack.push_back(script_bytes);
        input.scriptWitness.stack.push_back(std::move(control));
        if (annex) input.scriptWitness.stack.push_back(*annex);
    }};

    switch (kind) {
    case OutputKind::BARE:
        push_stack();
        script_pubkey = CScript{script_bytes};
        break;
    case OutputKind::P2SH:
        push_stack();
        wrap(script_bytes);
        break;
    case OutputKind::P2WPKH:
        witness_stack();
        script_pubkey = key_hash_program();
        break;
    case OutputKind::P2SH_P2WPKH:
        witness_stack();
        wrap(key_hash_program());
        break;
    case OutputKind::P2WSH:
    case OutputKind::P2SH_P2WSH: {
        witness_stack();
        input.scriptWitness.stack.push_back(script_bytes);
        const CScript program_script{ProgramScript(0, Sha256(script_bytes))};
        if (kind == OutputKind::P2WSH) {
            script_pubkey = program_script;
        } else {
            wrap(program_script);
        }
        break;
    }
    case OutputKind::P2TR_KEY:
    case OutputKind::P2TR_SCRIPT: {
        const TestKey& internal{TestKeys()[key]};
        const bool with_root{kind == OutputKind::P2TR_SCRIPT || has_tree};
        const uint256 root{merkle_root()};
        const OutputKey output{TweakTapKey(internal, TapTweak(internal, with_root ? &root : nullptr))};
        script_pubkey = ProgramScript(1, output.x_only);
        if (kind == OutputKind::P2TR_SCRIPT) {
            std::vector<uint8_t> control{static_cast<uint8_t>(leaf_version | (output.odd ? 1 : 0))};
            control.insert(control.end(), internal.x_only.begin(), internal.x_only.end());
            script_path(std::move(control));
        } else {
            witness_stack();
            if (annex) input.scriptWitness.stack.push_back(*annex);
        }
        break;
    }
    case OutputKind::P2MR:
    case OutputKind::P2SH_P2MR: {
        const uint256 root{merkle_root()};
        std::vector<uint8_t> root_bytes(root.begin(), root.end());
        root_bytes.resize(root_size);
        const CScript root_script{ProgramScript(2, root_bytes)};
        script_path({static_cast<uint8_t>(leaf_version | 1)});
        if (kind == OutputKind::P2MR) {
            script_pubkey = root_script;
        } else {
            wrap(root_script);
        }
        break;
    }
    case OutputKind::WITNESS_PROGRAM:
        witness_stack();
        script_pubkey = ProgramScript(version, program);
        break;
    case OutputKind::P2SH_WITNESS_PROGRAM:
        witness_stack();
        wrap(ProgramScript(version, program));
        break;
    case OutputKind::N_KINDS:
        break;
    }
    if (kind != OutputKind::BARE && kind != OutputKind::P2SH) {
        input.scriptSig.insert(input.scriptSig.end(), script_sig_tail.begin(), script_sig_tail.end());
    }
    return spend;
}

uint256 Plan::ECDSAMessage(const SignatureSlot& slot, const Spend& spend) const
{
    CScript script_code;
    if (kind == OutputKind::P2WPKH || kind == OutputKind::P2SH_P2WPKH) {
        const std::vector<uint8_t> pubkey{stack.empty() ? std::vector<uint8_t>{} : stack.back().bytes};
        script_code << OP_DUP << OP_HASH160 << std::span<const uint8_t>{Hash160(pubkey)} << OP_EQUALVERIFY << OP_CHECKSIG;
    } else {
        // Signatures of the same check that stand in the script themselves are taken out of it first (FindAndDelete).
        Plan without{*this};
        std::erase_if(without.script, [&](const Piece& piece) {
            if (piece.slot == Piece::NO_SLOT || piece.form > PushForm::PREFIXED) return false;
            return slots[static_cast<size_t>(piece.slot)].check == slot.check;
        });
        script_code = AfterSeparator(CScript{without.ScriptBytes()}, slot.separator).first;
    }
    const bool legacy{kind == OutputKind::BARE || kind == OutputKind::P2SH};
    return SignatureHash(script_code, spend.tx, spend.n_in, slot.hash_type, spend.spent[spend.n_in].nValue,
                         legacy ? SigVersion::BASE : SigVersion::WITNESS_V0);
}

std::optional<uint256> Plan::TaprootMessage(const SignatureSlot& slot, const Spend& spend) const
{
    PrecomputedTransactionData data;
    data.Init(spend.tx, std::vector<CTxOut>{spend.spent}, /*force=*/true);
    ScriptExecutionData execution;
    execution.m_annex_init = true;
    if (annex && !annex->empty() && annex->front() == ANNEX_TAG) execution.m_annex_hash = ComputeAnnexHash(*annex);
    if (kind == OutputKind::P2TR_KEY) {
        return SignatureHashSchnorr(execution, spend.tx, spend.n_in, slot.hash_type, SigVersion::TAPROOT, data);
    }
    const CScript leaf{ScriptBytes()};
    execution.m_tapleaf_hash = ComputeTapleafHash(leaf_version, leaf);
    execution.m_codeseparator_pos = AfterSeparator(leaf, slot.separator).second;
    KeyVersion key_version{KeyVersion::BIP340};
    if (slot.kind == SignatureKind::SLHDSA) {
        const SLHDSATestKey& test_key{SLHDSATestKeys()[slot.key]};
        key_version = SLHDSAPubKey{test_key.set, test_key.pubkey}.MessageKeyVersion();
    }
    return SignatureHashSchnorr(execution, spend.tx, spend.n_in, slot.hash_type, SigVersion::TAPSCRIPT, data, key_version);
}

Spend Plan::BuildSigned(Choices& choices, const SLHDSAScheme& slhdsa)
{
    const Spend spend{Build()};
    std::optional<std::array<uint8_t, 32>> tweak;
    if (kind == OutputKind::P2TR_KEY) {
        const uint256 root{TreeRoot(*this, ScriptBytes())};
        tweak = TapTweak(TestKeys()[key], has_tree ? &root : nullptr);
    }
    for (SignatureSlot& slot : slots) {
        if (slot.bytes.empty()) continue;
        const bool whole{slot.flaw != SigFlaw::RANDOM && slot.bytes == Placeholder(slot)};
        const auto message{!whole                                ? std::optional<uint256>{}
                           : slot.kind == SignatureKind::ECDSA ? ECDSAMessage(slot, spend)
                                                               : TaprootMessage(slot, spend)};
        slot.bytes = message ? MakeSignature(slot, *message, tweak ? &*tweak : nullptr, slhdsa, choices) : choices.Bytes(slot.bytes.size());
    }
    return Build();
}

} // namespace slhc::test
