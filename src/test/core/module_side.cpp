// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <test/core/module_side.h>

#include <script/interpreter.h>
#include <test/util/verifier.h>

#include <algorithm>
#include <span>
#include <utility>

namespace slhc::test {

namespace {

/** Believes SLH-DSA signatures by their first byte. */
class PretendingChecker : public TransactionSignatureChecker
{
public:
    PretendingChecker(const CTransaction& tx, uint32_t n_in, const PrecomputedTransactionData& data)
        : TransactionSignatureChecker{tx, n_in, data.m_spent_outputs[n_in].nValue, data, PortableVerifier()} {}

protected:
    [[nodiscard]] SLHDSACheckResult VerifySLHDSASignature(slhdsa::SignatureCheck&& check) const override
    {
        return check.signature[0] != 0 ? SLHDSACheckResult::VALID : SLHDSACheckResult::INVALID;
    }
};

/** Asks about every other signature too. */
class AskingChecker final : public PretendingChecker
{
    const std::function<bool(const CurveCheck&)>& m_check;
    mutable std::span<const uint8_t> m_pubkey; //!< of the ECDSA check under way

public:
    AskingChecker(const ModuleTx& tx, uint32_t n_in, const std::function<bool(const CurveCheck&)>& check)
        : PretendingChecker{tx.m_tx, n_in, tx.m_data}, m_check{check} {}

    [[nodiscard]] bool CheckECDSASignature(std::span<const uint8_t> sig, std::span<const uint8_t> pubkey, const CScript& script_code,
                                           SigVersion sigversion) const override
    {
        m_pubkey = pubkey;
        return PretendingChecker::CheckECDSASignature(sig, pubkey, script_code, sigversion);
    }

protected:
    [[nodiscard]] bool VerifyECDSASignature(std::span<const uint8_t> sig, const CPubKey&, const uint256& sighash) const override
    {
        return m_check({false, sig, m_pubkey, sighash});
    }
    [[nodiscard]] bool VerifySchnorrSignature(std::span<const uint8_t, 64> sig, const XOnlyPubKey& pubkey,
                                              const uint256& sighash) const override
    {
        return m_check({true, sig, pubkey.Bytes(), sighash});
    }
};

bool HasModuleOpcode(std::span<const uint8_t> leaf_script)
{
    const CScript script{leaf_script};
    auto pc{script.begin()};
    opcodetype opcode;
    while (script.GetOp(pc, opcode)) {
        if (IsSLHDSAOpcode(opcode)) return true;
    }
    return false;
}

} // namespace

ModuleTx::ModuleTx(const Spend& spend) : m_tx{spend.tx}
{
    m_data.Init(m_tx, std::vector<CTxOut>{spend.spent});
}

Verdict ModuleTx::Verify(uint32_t n_in, script_verify_flags flags) const
{
    return VerifyWith(n_in, flags, PretendingChecker{m_tx, n_in, m_data});
}

Verdict ModuleTx::VerifyWith(uint32_t n_in, script_verify_flags flags, const BaseSignatureChecker& checker) const
{
    ScriptRun run{.flags = flags, .checker = checker};
    const CTxIn& input{m_tx.vin[n_in]};
    const bool valid{VerifyScript(input.scriptSig, m_data.m_spent_outputs[n_in].scriptPubKey, &input.scriptWitness, run)};
    return {valid, run.failure.error};
}

void ModuleProbe::Run(const Spend& spend, script_verify_flags flags, const std::function<bool(const CurveCheck&)>& check) const
{
    const ModuleTx tx{spend};
    static_cast<void>(tx.VerifyWith(spend.n_in, flags | SCRIPT_VERIFY_P2MR | SCRIPT_VERIFY_SLHDSA, AskingChecker{tx, spend.n_in, check}));
}

bool ConcernsModule(const Spend& spend)
{
    if (spend.spent[spend.n_in].scriptPubKey.IsPayToMerkleRoot()) return true;
    std::span<const std::vector<uint8_t>> stack{spend.tx.vin[spend.n_in].scriptWitness.stack};
    if (stack.size() >= 2 && !stack.back().empty() && stack.back()[0] == ANNEX_TAG) stack = stack.first(stack.size() - 1);
    return stack.size() >= 2 && HasModuleOpcode(stack[stack.size() - 2]);
}

} // namespace slhc::test
