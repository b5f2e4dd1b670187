// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <script/interpreter.h>

#include <crypto/hash.h>
#include <script/p2mr.h>
#include <script/pubkey.h>
#include <script/taptree.h>
#include <util/check.h>

#include <algorithm>

namespace slhc {

namespace {

/** Elements of a witness, bottom first: all of them, or those that are left. Millions fit into a block, and most of their limits depend on
 *  the script, so nothing is copied before that is known. */
using WitnessElements = std::span<const std::vector<uint8_t>>;

/** Remove the last element and return it. @pre not empty */
std::span<const uint8_t> PopBack(WitnessElements& stack) noexcept
{
    assert(!stack.empty());
    const std::span<const uint8_t> last{stack.back()};
    stack = stack.first(stack.size() - 1);
    return last;
}

/** True if the last element has the first byte of an annex. @pre not empty */
bool EndsLikeAnnex(WitnessElements stack) noexcept { return !stack.back().empty() && stack.back()[0] == ANNEX_TAG; }

/** BIP 141: P2WSH and P2WPKH. */
bool VerifyWitnessV0(WitnessElements stack, std::span<const uint8_t> program, ScriptRun& run)
{
    if (program.size() == WITNESS_V0_SCRIPTHASH_SIZE) {
        if (stack.empty()) return run.Fail(SCRIPT_ERR_WITNESS_PROGRAM_WITNESS_EMPTY);
        const CScript witness_script{PopBack(stack)};
        if (!std::ranges::equal(Sha256(witness_script), program)) return run.Fail(SCRIPT_ERR_WITNESS_PROGRAM_MISMATCH);
        return ExecuteWitnessScript(stack, witness_script, SigVersion::WITNESS_V0, run);
    }
    if (program.size() == WITNESS_V0_KEYHASH_SIZE) {
        if (stack.size() != 2) return run.Fail(SCRIPT_ERR_WITNESS_PROGRAM_MISMATCH);
        const CScript p2pkh{CScript{} << OP_DUP << OP_HASH160 << program << OP_EQUALVERIFY << OP_CHECKSIG};
        return ExecuteWitnessScript(stack, p2pkh, SigVersion::WITNESS_V0, run);
    }
    return run.Fail(SCRIPT_ERR_WITNESS_PROGRAM_WRONG_LENGTH);
}

/** Run a leaf of P2TR or P2MR whose place in the tree is proven.
 *  @param[in] witness  the whole witness: its size determines the script's validation weight */
bool ExecuteLeaf(const CScriptWitness& witness, WitnessElements stack, std::span<const uint8_t> script, uint8_t leaf_version,
                 ScriptRun& run)
{
    // p2mr-execute
    if (leaf_version == TAPROOT_LEAF_TAPSCRIPT) {
        // p2mr-budget
        run.execdata.m_validation_weight_left = static_cast<int64_t>(GetSerializeSize(witness)) + VALIDATION_WEIGHT_OFFSET;
        return ExecuteWitnessScript(stack, CScript{script}, SigVersion::TAPSCRIPT, run);
    }
    // scope-leaf-version, policy-leaf-version
    if (run.flags & SCRIPT_VERIFY_DISCOURAGE_UPGRADABLE_TAPROOT_VERSION) return run.Fail(SCRIPT_ERR_DISCOURAGE_UPGRADABLE_TAPROOT_VERSION);
    return run.Succeed();
}

/** BIP 341: P2TR. */
bool VerifyTaproot(const CScriptWitness& witness, std::span<const uint8_t> program, ScriptRun& run)
{
    WitnessElements stack{witness.stack};
    if (stack.empty()) return run.Fail(SCRIPT_ERR_WITNESS_PROGRAM_WITNESS_EMPTY);
    if (stack.size() >= 2 && EndsLikeAnnex(stack)) run.execdata.m_annex_hash = ComputeAnnexHash(PopBack(stack));
    run.execdata.m_annex_init = true;

    if (stack.size() == 1) { // the key path
        ScriptError error{SCRIPT_ERR_UNKNOWN_ERROR};
        if (!run.checker.CheckSchnorrSignature(stack.back(), program, SigVersion::TAPROOT, run.execdata, error)) return run.Fail(error);
        return run.Succeed();
    }

    const auto control{PopBack(stack)};
    const auto script{PopBack(stack)};
    if (!ValidControlSize(control.size(), TAPROOT_CONTROL_BASE_SIZE)) return run.Fail(SCRIPT_ERR_TAPROOT_WRONG_CONTROL_SIZE);
    const uint8_t leaf_version{static_cast<uint8_t>(control[0] & TAPROOT_LEAF_MASK)};
    const bool parity{(control[0] & 1) != 0};
    const XOnlyPubKey internal_key{control.subspan<1, XOnlyPubKey::SIZE>()};
    const XOnlyPubKey output_key{program.first<XOnlyPubKey::SIZE>()};
    run.execdata.m_tapleaf_hash = ComputeTapleafHash(leaf_version, script);
    const uint256 merkle_root{ComputeTapPathRoot(control.subspan(TAPROOT_CONTROL_BASE_SIZE), *run.execdata.m_tapleaf_hash)};
    if (!output_key.CheckTapTweak(internal_key, merkle_root, parity)) return run.Fail(SCRIPT_ERR_WITNESS_PROGRAM_MISMATCH);
    return ExecuteLeaf(witness, stack, script, leaf_version, run);
}

/** BIP 360: P2MR. */
bool VerifyP2MR(const CScriptWitness& witness, std::span<const uint8_t> program, ScriptRun& run)
{
    // p2mr-count, p2mr-annex: at least a leaf script and a control block, not counting an element that looks like an annex.
    WitnessElements stack{witness.stack};
    if (stack.size() < 2) return run.Fail(SCRIPT_ERR_WITNESS_PROGRAM_WITNESS_EMPTY);
    if (EndsLikeAnnex(stack)) {
        if (stack.size() == 2) return run.Fail(SCRIPT_ERR_WITNESS_PROGRAM_WITNESS_EMPTY);
        run.execdata.m_annex_hash = ComputeAnnexHash(PopBack(stack));
    }
    run.execdata.m_annex_init = true;

    // p2mr-control
    const auto control{P2MRControlBlock::Parse(PopBack(stack))};
    if (!control) return run.Fail(SCRIPT_ERR_TAPROOT_WRONG_CONTROL_SIZE);
    if (!control->control_bit) return run.Fail(SCRIPT_ERR_WITNESS_PROGRAM_MISMATCH);

    // p2mr-root
    const auto script{PopBack(stack)};
    run.execdata.m_tapleaf_hash = ComputeTapleafHash(control->leaf_version, script);
    if (!std::ranges::equal(ComputeTapPathRoot(control->path, *run.execdata.m_tapleaf_hash), program)) {
        return run.Fail(SCRIPT_ERR_WITNESS_PROGRAM_MISMATCH);
    }

    // p2mr-depth-zero, policy-depth-zero: a tree of one leaf is reserved for soft forks, whatever its leaf version.
    if (control->PathLength() == 0) {
        if (run.flags & SCRIPT_VERIFY_DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM) {
            return run.Fail(SCRIPT_ERR_DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM);
        }
        return run.Succeed();
    }

    // p2mr-execute
    return ExecuteLeaf(witness, stack, script, control->leaf_version, run);
}

/** SCRIPT_ERR_OK if a single true element is left. @throws LargeElementError */
ScriptError JudgeFinalStack(const ScriptStack& stack)
{
    if (stack.size() != 1) return SCRIPT_ERR_CLEANSTACK;
    return CastToBool(stack.Read(1)) ? SCRIPT_ERR_OK : SCRIPT_ERR_EVAL_FALSE;
}

} // namespace

int FindAndDelete(CScript& script, const CScript& b)
{
    int found{0};
    if (b.empty()) return found;
    CScript result;
    CScript::const_iterator pc{script.begin()};
    CScript::const_iterator kept_from{pc}; // everything before it is in result or deleted
    const CScript::const_iterator end{script.end()};
    const auto matches{[&] { return static_cast<size_t>(end - pc) >= b.size() && std::equal(b.begin(), b.end(), pc); }};
    opcodetype opcode;
    do {
        if (!matches()) continue;
        result.reserve(script.size());
        result.insert(result.end(), kept_from, pc);
        do {
            pc += static_cast<std::ptrdiff_t>(b.size());
            ++found;
        } while (matches());
        kept_from = pc;
    } while (script.GetOp(pc, opcode));
    if (found > 0) {
        result.insert(result.end(), kept_from, end);
        script = std::move(result);
    }
    return found;
}

TapscriptScan ScanTapscript(const CScript& leaf_script, script_verify_flags flags)
{
    TapscriptScan scan{.outcome = TapscriptScan::Outcome::EXECUTE, .has_slhdsa_opcode = false};
    for (auto pc{leaf_script.begin()}; pc != leaf_script.end();) {
        opcodetype opcode;
        if (!leaf_script.GetOp(pc, opcode)) {
            scan.outcome = TapscriptScan::Outcome::UNDECODABLE;
            return scan;
        }
        if (IsOpSuccess(opcode, flags)) {
            scan.outcome = TapscriptScan::Outcome::OP_SUCCESS;
            return scan;
        }
        // Without the flag they are OP_SUCCESSx, and the scan has ended.
        if (IsSLHDSAOpcode(opcode)) scan.has_slhdsa_opcode = true; // scan-contains
    }
    return scan;
}

bool ExecuteWitnessScript(std::span<const std::vector<uint8_t>> stack_elements, const CScript& exec_script, SigVersion sigversion,
                          ScriptRun& run)
{
    run.script = sigversion == SigVersion::TAPSCRIPT ? ScriptRole::LEAF_SCRIPT : ScriptRole::WITNESS_SCRIPT;
    size_t max_element_size{MAX_SCRIPT_ELEMENT_SIZE};
    if (sigversion == SigVersion::TAPSCRIPT) {
        // OP_SUCCESSx takes precedence over everything, including the limits of the stack.
        const TapscriptScan scan{ScanTapscript(exec_script, run.flags)};
        switch (scan.outcome) {
        case TapscriptScan::Outcome::UNDECODABLE:
            return run.Fail(SCRIPT_ERR_BAD_OPCODE, run.script); // scan-decode
        case TapscriptScan::Outcome::OP_SUCCESS:
            // scan-success, policy-success
            if (run.flags & SCRIPT_VERIFY_DISCOURAGE_OP_SUCCESS) return run.Fail(SCRIPT_ERR_DISCOURAGE_OP_SUCCESS, run.script);
            return run.Succeed();
        case TapscriptScan::Outcome::EXECUTE:
            break;
        }
        if (stack_elements.size() > MAX_STACK_SIZE) return run.Fail(SCRIPT_ERR_STACK_SIZE, run.script); // limit-count
        max_element_size = scan.MaxElementSize();
    }
    for (const auto& element : stack_elements) {
        if (element.size() > max_element_size) return run.Fail(SCRIPT_ERR_PUSH_SIZE, run.script); // limit-element
    }

    ScriptStack stack{stack_elements};
    if (!EvalScript(stack, exec_script, sigversion, run)) return false;

    try {
        const ScriptError error{JudgeFinalStack(stack)}; // large-result
        return error == SCRIPT_ERR_OK ? run.Succeed() : run.Fail(error, run.script);
    } catch (const LargeElementError&) {
        return run.Fail(SCRIPT_ERR_PUSH_SIZE, run.script);
    }
}

bool VerifyWitnessProgram(const CScriptWitness& witness, int witversion, std::span<const uint8_t> program, bool is_p2sh, ScriptRun& run)
{
    run.execdata = {};

    if (witversion == 0) return VerifyWitnessV0(witness.stack, program, run);
    if (witversion == 1 && program.size() == WITNESS_V1_TAPROOT_SIZE && !is_p2sh) {
        if (!(run.flags & SCRIPT_VERIFY_TAPROOT)) return run.Succeed();
        return VerifyTaproot(witness, program, run);
    }
    // scope-p2mr, flag-p2mr
    if (witversion == P2MR_WITNESS_VERSION && program.size() == P2MR_PROGRAM_SIZE && !is_p2sh && (run.flags & SCRIPT_VERIFY_P2MR)) {
        return VerifyP2MR(witness, program, run);
    }
    if (!is_p2sh && CScript::IsPayToAnchor(witversion, program)) return run.Succeed();
    // All others are reserved for soft forks; policy-unknown-program
    if (run.flags & SCRIPT_VERIFY_DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM) return run.Fail(SCRIPT_ERR_DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM);
    return run.Succeed();
}

bool VerifyScript(const CScript& script_sig, const CScript& script_pub_key, const CScriptWitness* witness, ScriptRun& run)
{
    const CScriptWitness no_witness;
    if (!witness) witness = &no_witness;
    if (!ValidFlags(run.flags)) return run.Fail(SCRIPT_ERR_UNKNOWN_ERROR);
    if ((run.flags & SCRIPT_VERIFY_SIGPUSHONLY) && !script_sig.IsPushOnly()) {
        return run.Fail(SCRIPT_ERR_SIG_PUSHONLY, ScriptRole::SCRIPT_SIG);
    }

    ScriptStack stack;
    const auto evaluate{[&](const CScript& script, ScriptRole role) {
        run.script = role;
        return EvalScript(stack, script, SigVersion::BASE, run);
    }};
    const auto evaluate_true{[&](const CScript& script, ScriptRole role) {
        if (!evaluate(script, role)) return false;
        return (!stack.empty() && CastToBool(stack.Read(1))) || run.Fail(SCRIPT_ERR_EVAL_FALSE, role);
    }};
    int witness_version;
    std::span<const uint8_t> witness_program;
    bool had_witness{false};

    // One after the other on the same stack, not joined into one script (CVE-2010-5141).
    // p2mr-outer
    const bool is_p2sh{(run.flags & SCRIPT_VERIFY_P2SH) && script_pub_key.IsPayToScriptHash()};
    if (!evaluate(script_sig, ScriptRole::SCRIPT_SIG)) return false;
    ScriptStack p2sh_stack;
    if (is_p2sh) p2sh_stack = stack.Clone();
    if (!evaluate_true(script_pub_key, ScriptRole::SCRIPT_PUB_KEY)) return false;

    if ((run.flags & SCRIPT_VERIFY_WITNESS) && script_pub_key.IsWitnessProgram(witness_version, witness_program)) {
        had_witness = true;
        if (!script_sig.empty()) return run.Fail(SCRIPT_ERR_WITNESS_MALLEATED, ScriptRole::SCRIPT_SIG);
        if (!VerifyWitnessProgram(*witness, witness_version, witness_program, /*is_p2sh=*/false, run)) return false;
    }

    if (is_p2sh) {
        if (!script_sig.IsPushOnly()) return run.Fail(SCRIPT_ERR_SIG_PUSHONLY, ScriptRole::SCRIPT_SIG);
        // The redeem script is there: script_pub_key found its hash on a stack like this one.
        stack = std::move(p2sh_stack);
        const CScript redeem_script{stack.Read(1)};
        stack.Drop();
        if (!evaluate_true(redeem_script, ScriptRole::REDEEM_SCRIPT)) return false;

        if ((run.flags & SCRIPT_VERIFY_WITNESS) && redeem_script.IsWitnessProgram(witness_version, witness_program)) {
            had_witness = true;
            if (script_sig != CScript{} << static_cast<const CScript::Base&>(redeem_script)) {
                return run.Fail(SCRIPT_ERR_WITNESS_MALLEATED_P2SH, ScriptRole::SCRIPT_SIG);
            }
            if (!VerifyWitnessProgram(*witness, witness_version, witness_program, /*is_p2sh=*/true, run)) return false;
        }
    }

    // Not before P2SH is finished: its inputs are on the first stack. A witness program has its own clean stack.
    if ((run.flags & SCRIPT_VERIFY_CLEANSTACK) && !had_witness && stack.size() != 1) return run.Fail(SCRIPT_ERR_CLEANSTACK);
    if ((run.flags & SCRIPT_VERIFY_WITNESS) && !had_witness && !witness->IsNull()) return run.Fail(SCRIPT_ERR_WITNESS_UNEXPECTED);
    return run.Succeed();
}

namespace {

size_t WitnessSigOps(int witness_version, std::span<const uint8_t> program, const CScriptWitness& witness)
{
    if (witness_version != 0) return 0; // scope-sigops
    if (program.size() == WITNESS_V0_KEYHASH_SIZE) return 1;
    if (program.size() == WITNESS_V0_SCRIPTHASH_SIZE && !witness.stack.empty()) {
        return CScript{witness.stack.back()}.GetSigOpCount(/*accurate=*/true);
    }
    return 0;
}

} // namespace

size_t CountWitnessSigOps(const CScript& script_sig, const CScript& script_pub_key, const CScriptWitness& witness,
                          script_verify_flags flags)
{
    if (!(flags & SCRIPT_VERIFY_WITNESS)) return 0;

    int version;
    std::span<const uint8_t> program;
    if (script_pub_key.IsWitnessProgram(version, program)) return WitnessSigOps(version, program, witness);

    if (script_pub_key.IsPayToScriptHash() && script_sig.IsPushOnly()) {
        std::span<const uint8_t> data;
        opcodetype opcode;
        for (auto pc{script_sig.begin()}; script_sig.GetOp(pc, opcode, data) && pc != script_sig.end();) {}
        const CScript redeem_script{data};
        if (redeem_script.IsWitnessProgram(version, program)) return WitnessSigOps(version, program, witness);
    }
    return 0;
}

} // namespace slhc
