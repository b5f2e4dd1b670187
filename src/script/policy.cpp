// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <script/policy.h>

#include <script/checker.h>
#include <script/interpreter.h>
#include <script/p2mr.h>
#include <script/taptree.h>
#include <util/check.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

namespace slhc {

namespace {

/** Bytes that spending an output takes, about: an input, and a key with its signature in the scriptSig or the witness. */
constexpr size_t INPUT_SIZE{32 + 4 + 1 + 4};
constexpr size_t SATISFACTION_SIZE{107};

using WitnessStack = std::span<const std::vector<uint8_t>>;

/** What a scriptSig leaves on top of the stack; nothing if it fails or leaves nothing. */
std::optional<CScript> RedeemScript(const CScript& script_sig, ScriptError& error)
{
    const BaseSignatureChecker checker;
    ScriptRun run{.flags = SCRIPT_VERIFY_NONE, .checker = checker};
    ScriptStack stack;
    const bool ran{EvalScript(stack, script_sig, SigVersion::BASE, run)};
    error = run.failure.error;
    if (!ran || stack.empty()) return std::nullopt;
    return CScript{stack.Read(1)};
}

bool AreP2WSHSizesStandard(WitnessStack stack)
{
    if (stack.back().size() > MAX_STANDARD_P2WSH_SCRIPT_SIZE) return false;
    const WitnessStack items{stack.first(stack.size() - 1)};
    return items.size() <= MAX_STANDARD_P2WSH_STACK_ITEMS &&
           std::all_of(items.begin(), items.end(), [](const auto& item) { return item.size() <= MAX_STANDARD_P2WSH_STACK_ITEM_SIZE; });
}

/** The items below a leaf script. */
bool AreTapscriptItemsStandard(WitnessStack items, const CScript& leaf_script)
{
    const TapscriptScan scan{ScanTapscript(leaf_script, STANDARD_SCRIPT_VERIFY_FLAGS)};
    const bool signatures{scan.outcome == TapscriptScan::Outcome::EXECUTE && scan.has_slhdsa_opcode};
    return std::all_of(items.begin(), items.end(), [&](const auto& item) {
        if (item.size() <= MAX_STANDARD_TAPSCRIPT_STACK_ITEM_SIZE) return true;
        return signatures && (item.size() == slhdsa::SIGNATURE_SIZE || item.size() == MAX_SLHDSA_ELEMENT_SIZE);
    });
}

/** What is not standard about a spend of P2TR or P2MR; nothing if all is. */
std::string_view WhyTaprootNonstandard(WitnessStack stack, bool has_key_path)
{
    if (stack.size() >= 2 && !stack.back().empty() && stack.back()[0] == ANNEX_TAG) return "annex";
    if (stack.size() == 1 && has_key_path) return {};
    if (stack.size() < 2) return "too few witness elements";
    const auto& control{stack.back()};
    if (control.empty()) return "empty control block";
    if ((control[0] & TAPROOT_LEAF_MASK) != TAPROOT_LEAF_TAPSCRIPT) return {};
    const CScript leaf_script{stack[stack.size() - 2]};
    return AreTapscriptItemsStandard(stack.first(stack.size() - 2), leaf_script) ? std::string_view{} : "tapscript stack item size";
}

std::string_view WhyWitnessNonstandard(const CTxIn& txin, const CScript& script_pub_key)
{
    if (script_pub_key.IsPayToAnchor()) return "witness of an anchor";

    CScript script{script_pub_key};
    const bool is_p2sh{script_pub_key.IsPayToScriptHash()};
    if (is_p2sh) {
        // Neither that it has nothing but pushes nor that its hash is right is checked: validation will.
        ScriptError error;
        auto redeem_script{RedeemScript(txin.scriptSig, error)};
        if (!redeem_script) return "no redeem script";
        script = *std::move(redeem_script);
    }
    int version;
    std::span<const uint8_t> program;
    if (!script.IsWitnessProgram(version, program)) return "witness without a witness program";

    const WitnessStack stack{txin.scriptWitness.stack};
    if (version == 0 && program.size() == WITNESS_V0_SCRIPTHASH_SIZE && !AreP2WSHSizesStandard(stack)) return "P2WSH sizes";
    if (version == 1 && program.size() == WITNESS_V1_TAPROOT_SIZE && !is_p2sh) return WhyTaprootNonstandard(stack, /*has_key_path=*/true);
    if (version == P2MR_WITNESS_VERSION && program.size() == P2MR_PROGRAM_SIZE && !is_p2sh) return WhyTaprootNonstandard(stack, /*has_key_path=*/false);
    return {};
}

/** What is not standard about the output that an input spends; nothing if all is. */
std::string WhyInputNonstandard(const CTxIn& txin, const CScript& script_pub_key)
{
    std::vector<std::vector<uint8_t>> solutions;
    switch (Solver(script_pub_key, solutions)) {
    case TxoutType::NONSTANDARD:
        return "script unknown";
    case TxoutType::WITNESS_UNKNOWN:
        return "witness program is undefined";
    case TxoutType::SCRIPTHASH: {
        ScriptError error;
        const auto redeem_script{RedeemScript(txin.scriptSig, error)};
        if (error != SCRIPT_ERR_OK) return "scriptSig of P2SH fails: " + std::string{ScriptErrorName(error)};
        if (!redeem_script) return "redeem script is missing";
        const unsigned sigops{redeem_script->GetSigOpCount(/*accurate=*/true)};
        return sigops > MAX_P2SH_SIGOPS ? std::to_string(sigops) + " signature checks in the redeem script" : "";
    }
    default:
        return {};
    }
}

} // namespace

bool IsStandard(const CScript& script_pub_key, TxoutType& type)
{
    constexpr uint8_t MAX_BARE_MULTISIG_KEYS{3};
    std::vector<std::vector<uint8_t>> solutions;
    type = Solver(script_pub_key, solutions);
    if (type == TxoutType::MULTISIG) return solutions.back()[0] <= MAX_BARE_MULTISIG_KEYS;
    return type != TxoutType::NONSTANDARD;
}

CAmount GetDustThreshold(const CTxOut& txout, CAmount dust_relay_fee)
{
    if (txout.scriptPubKey.IsUnspendable()) return 0;
    int version;
    std::span<const uint8_t> program;
    const bool witness{txout.scriptPubKey.IsWitnessProgram(version, program)};
    // As for P2WPKH whatever the witness program: this is a threshold for all, not the cost of this one.
    const size_t size{GetSerializeSize(txout) + INPUT_SIZE + (witness ? SATISFACTION_SIZE / WITNESS_SCALE_FACTOR : SATISFACTION_SIZE)};
    return (static_cast<CAmount>(size) * dust_relay_fee + 999) / 1000; // rounded up
}

bool IsStandardTx(const CTransaction& tx, const StandardnessOptions& options, std::string& reason)
{
    const auto fail{[&](std::string_view why) {
        reason = why;
        return false;
    }};
    if (tx.version < TX_MIN_STANDARD_VERSION || tx.version > TX_MAX_STANDARD_VERSION) return fail("version");
    if (GetTransactionWeight(tx) > MAX_STANDARD_TX_WEIGHT) return fail("tx-size");
    for (const CTxIn& txin : tx.vin) {
        if (txin.scriptSig.size() > MAX_STANDARD_SCRIPTSIG_SIZE) return fail("scriptsig-size");
        if (!txin.scriptSig.IsPushOnly()) return fail("scriptsig-not-pushonly");
    }
    size_t datacarrier_bytes_left{options.max_datacarrier_bytes};
    size_t dust_outputs{0};
    for (const CTxOut& txout : tx.vout) {
        TxoutType type;
        if (!IsStandard(txout.scriptPubKey, type)) return fail("scriptpubkey");
        if (type == TxoutType::NULL_DATA) {
            if (txout.scriptPubKey.size() > datacarrier_bytes_left) return fail("datacarrier");
            datacarrier_bytes_left -= txout.scriptPubKey.size();
        } else if (type == TxoutType::MULTISIG && !options.permit_bare_multisig) {
            return fail("bare-multisig");
        }
        if (txout.nValue < GetDustThreshold(txout, options.dust_relay_fee)) ++dust_outputs;
    }
    if (dust_outputs > MAX_DUST_OUTPUTS_PER_TX) return fail("dust");
    return true;
}

bool AreInputsStandard(const CTransaction& tx, std::span<const CTxOut> spent_outputs, std::string& reason)
{
    if (tx.IsCoinBase()) return true;
    assert(spent_outputs.size() == tx.vin.size());
    unsigned sigops{0};
    for (size_t i{0}; i < tx.vin.size(); ++i) {
        sigops += tx.vin[i].scriptSig.GetSigOpCount(/*accurate=*/true);
        sigops += spent_outputs[i].scriptPubKey.GetSigOpCount(tx.vin[i].scriptSig);
        if (sigops > MAX_TX_LEGACY_SIGOPS) {
            reason = "more than " + std::to_string(MAX_TX_LEGACY_SIGOPS) + " signature checks outside of witnesses at input " + std::to_string(i);
            return false;
        }
    }
    for (size_t i{0}; i < tx.vin.size(); ++i) {
        if (const std::string why{WhyInputNonstandard(tx.vin[i], spent_outputs[i].scriptPubKey)}; !why.empty()) {
            reason = "input " + std::to_string(i) + ": " + why;
            return false;
        }
    }
    return true;
}

bool IsWitnessStandard(const CTransaction& tx, std::span<const CTxOut> spent_outputs, std::string& reason)
{
    if (tx.IsCoinBase()) return true;
    assert(spent_outputs.size() == tx.vin.size());
    for (size_t i{0}; i < tx.vin.size(); ++i) {
        if (tx.vin[i].scriptWitness.IsNull()) continue; // if one is missing, validation will say so
        if (const auto why{WhyWitnessNonstandard(tx.vin[i], spent_outputs[i].scriptPubKey)}; !why.empty()) {
            reason = "input " + std::to_string(i) + ": " + std::string{why};
            return false;
        }
    }
    return true;
}

} // namespace slhc
