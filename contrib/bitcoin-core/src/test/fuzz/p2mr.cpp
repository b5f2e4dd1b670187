// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <hash.h>
#include <primitives/transaction.h>
#include <script/interpreter.h>
#include <script/script.h>
#include <script/script_error.h>
#include <slhdsa/pubkey.h>
#include <test/fuzz/FuzzedDataProvider.h>
#include <test/fuzz/fuzz.h>
#include <uint256.h>

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace {
using valtype = std::vector<unsigned char>;

/** Takes a signature for valid by a bit of it, at once or, with a list, when the script has run. */
class FuzzedChecker : public BaseSignatureChecker
{
    std::vector<valtype>* m_deferred;

public:
    explicit FuzzedChecker(std::vector<valtype>* deferred) : m_deferred{deferred} {}

    static bool IsValid(const valtype& sig) { return sig.at(0) & 1; }

    bool CheckSLHDSASignature(std::vector<unsigned char>&& sig, std::span<const unsigned char> pubkey, ScriptExecutionData& execdata, ScriptError* serror) const override
    {
        assert(pubkey.size() == SLHDSAPubKey::SIZE || SLHDSAPubKey::IsOfOtherSet(pubkey));
        assert(!sig.empty() && sig.size() <= SLHDSAPubKey::SIGNATURE_SIZE + 1);
        if (m_deferred) {
            m_deferred->push_back(std::move(sig));
            return true;
        }
        if (!IsValid(sig) && serror) *serror = SCRIPT_ERR_SLHDSA_SIG;
        return IsValid(sig);
    }
    bool CheckSchnorrSignature(std::span<const unsigned char> sig, std::span<const unsigned char> pubkey, SigVersion sigversion, ScriptExecutionData& execdata, ScriptError* serror) const override
    {
        assert(sig.size() <= MAX_SCRIPT_ELEMENT_SIZE);
        if (!(sig[0] & 1) && serror) *serror = SCRIPT_ERR_SCHNORR_SIG;
        return sig[0] & 1;
    }
    bool CheckLockTime(const CScriptNum& nLockTime) const override { return nLockTime < 1000; }
    bool CheckSequence(const CScriptNum& nSequence) const override { return nSequence < 1000; }
};

valtype ConsumePubKey(FuzzedDataProvider& provider)
{
    valtype key(SLHDSAPubKey::SIZE, provider.ConsumeIntegral<uint8_t>());
    if (provider.ConsumeBool()) key.insert(key.begin(), provider.PickValueInArray<uint8_t>({0, 1, 24, 40}));
    return key;
}

CScript ConsumeTapscript(FuzzedDataProvider& provider)
{
    CScript script;
    while (provider.remaining_bytes() > 0 && provider.ConsumeBool()) {
        switch (provider.ConsumeIntegralInRange<int>(0, 6)) {
        case 0:
            script << ConsumePubKey(provider) << (provider.ConsumeBool() ? OP_CHECKSIGSLHDSA : OP_CHECKSIGADDSLHDSA);
            break;
        case 1: // a signature that stays spends the budget again and again
            script << OP_DUP << ConsumePubKey(provider) << OP_CHECKSIGSLHDSA << OP_DROP;
            break;
        case 4:
            script << ConsumePubKey(provider);
            break;
        case 2:
            script << provider.ConsumeIntegralInRange<int64_t>(-1, 20);
            break;
        case 3:
            script << provider.ConsumeBytes<unsigned char>(provider.ConsumeIntegralInRange<size_t>(0, 530));
            break;
        default:
            script.push_back(provider.ConsumeIntegral<uint8_t>());
        }
    }
    return script;
}

valtype ConsumeElement(FuzzedDataProvider& provider)
{
    const size_t size{provider.PickValueInArray<size_t>({0, 1, 1, 2, 32, 520, 521, 3856, 3857, 5776, 5777, 7855, 7856, 7857, 7858})};
    valtype element(size, provider.ConsumeIntegral<uint8_t>());
    if (!element.empty()) element.back() = provider.ConsumeIntegral<uint8_t>();
    return element;
}
} // namespace

/** Tapscripts with large elements: they are moved, never copied, and deferring signatures changes nothing. */
FUZZ_TARGET(p2mr_eval)
{
    FuzzedDataProvider provider(buffer.data(), buffer.size());
    const CScript script{ConsumeTapscript(provider)};
    std::vector<valtype> initial;
    while (initial.size() < 12 && provider.ConsumeBool()) initial.push_back(ConsumeElement(provider));

    std::vector<valtype> stack{initial};
    std::vector<const unsigned char*> large;
    for (const valtype& element : stack) {
        if (element.size() > MAX_SCRIPT_ELEMENT_SIZE) large.push_back(element.data());
        if (element.size() > SLHDSAPubKey::SIGNATURE_SIZE + 1) return; // ExecuteWitnessScript() refuses them
    }
    ScriptExecutionData execdata;
    execdata.m_validation_weight_left = 1000;
    execdata.m_validation_weight_left_init = true;
    ScriptError error;
    const bool valid{EvalScript(stack, script, SCRIPT_VERIFY_SLHDSA | SCRIPT_VERIFY_SLHDSA_SETS, FuzzedChecker{nullptr}, SigVersion::TAPSCRIPT, execdata, &error)};
    assert(valid == (error == SCRIPT_ERR_OK));
    for (const valtype& element : stack) {
        if (element.size() > MAX_SCRIPT_ELEMENT_SIZE) {
            // One of those that were there, and only once
            assert(std::erase(large, element.data()) == 1);
        }
    }
}

/** Spends of P2MR outputs: deferring signatures changes neither verdict nor error, and the rules are soft forks. */
FUZZ_TARGET(p2mr_verify)
{
    constexpr script_verify_flags BEFORE{SCRIPT_VERIFY_P2SH | SCRIPT_VERIFY_WITNESS | SCRIPT_VERIFY_TAPROOT};
    FuzzedDataProvider provider(buffer.data(), buffer.size());
    const uint8_t leaf_version{provider.PickValueInArray<uint8_t>({0xc0, 0xc0, 0xc0, 0xc2})};
    const CScript script{ConsumeTapscript(provider)};
    CScriptWitness witness;
    while (witness.stack.size() < 12 && provider.ConsumeBool()) witness.stack.push_back(ConsumeElement(provider));
    if (provider.ConsumeIntegralInRange<int>(0, 15) == 1) witness.stack.resize(provider.ConsumeIntegralInRange<size_t>(0, 1010));

    // A program that commits to it, and sometimes a witness with a fault (not when the input has ended and 0 is all that comes)
    valtype control{static_cast<unsigned char>(leaf_version | (provider.ConsumeIntegralInRange<int>(0, 15) != 1))};
    control.resize(1 + 32 * provider.ConsumeIntegralInRange<size_t>(0, 3), provider.ConsumeIntegral<uint8_t>());
    const uint256 root{ComputeP2MRMerkleRoot(control, ComputeTapleafHash(leaf_version, script))};
    witness.stack.emplace_back(script.begin(), script.end());
    if (provider.ConsumeIntegralInRange<int>(0, 15) == 1) control.push_back(0);
    witness.stack.push_back(control);
    if (provider.ConsumeIntegralInRange<int>(0, 7) == 1) {
        witness.stack.push_back(ConsumeElement(provider));
        if (!witness.stack.back().empty() && provider.ConsumeBool()) witness.stack.back().front() = ANNEX_TAG;
    }
    const CScript script_pubkey{CScript() << OP_2 << valtype{root.begin(), root.end()}};

    constexpr script_verify_flags BOTH{BEFORE | SCRIPT_VERIFY_P2MR | SCRIPT_VERIFY_SLHDSA};
    for (const script_verify_flags flags : {BEFORE | SCRIPT_VERIFY_P2MR, BOTH, BOTH | SCRIPT_VERIFY_SLHDSA_SETS}) {
        ScriptError error, deferred_error;
        const bool valid{VerifyScript(CScript(), script_pubkey, &witness, flags, FuzzedChecker{nullptr}, &error)};
        assert(valid == (error == SCRIPT_ERR_OK));
        std::vector<valtype> deferred;
        (void)VerifyScript(CScript(), script_pubkey, &witness, flags, FuzzedChecker{&deferred}, &deferred_error);
        assert(deferred.empty() || (flags & SCRIPT_VERIFY_SLHDSA));
        if (!std::ranges::all_of(deferred, FuzzedChecker::IsValid)) deferred_error = SCRIPT_ERR_SLHDSA_SIG;
        assert(error == deferred_error);

        // Valid spends are valid without the rules too.
        if (!valid) continue;
        for (const script_verify_flags fewer : {BEFORE, BEFORE | SCRIPT_VERIFY_P2MR, BEFORE | SCRIPT_VERIFY_SLHDSA, flags & BOTH}) {
            assert(VerifyScript(CScript(), script_pubkey, &witness, fewer, FuzzedChecker{nullptr}, &error));
        }
    }
}
