// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <test/core/module_side.h>

#include <pqc/batch.h>
#include <script/interpreter.h>
#include <script/script_check.h>
#include <test/util/verifier.h>

#include <optional>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

namespace slhc::test {

namespace {

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

Verdict ModuleTx::Verify(uint32_t n_in, script_verify_flags flags, const SLHDSAScheme& slhdsa) const
{
    CScriptCheck check{m_tx, n_in, flags, m_data, *slhdsa.verifier};
    const bool valid{check.VerifyNow() == ScriptVerdict::VALID};
    return {valid, check.Failure().error};
}

Verdict ModuleTx::VerifyDeferred(uint32_t n_in, script_verify_flags flags, const SLHDSAScheme& slhdsa, bool cached, size_t& n_staged) const
{
    std::optional<SignatureCache> cache;
    SignatureCacheUse use;
    if (cached) {
        use = {.cache = &cache.emplace(size_t{1} << 12), .mode = SignatureCacheMode::STORE};
        static_cast<void>(CScriptCheck{m_tx, n_in, flags, m_data, *slhdsa.verifier, use}.VerifyNow());
        use.mode = SignatureCacheMode::ERASE_ON_HIT;
    }
    CScriptCheck check{m_tx, n_in, flags, m_data, *slhdsa.verifier, use};
    std::vector<slhdsa::SignatureCheck> staged;
    const ScriptVerdict verdict{check.RunDeferring(staged)};
    n_staged = staged.size();
    if (verdict != ScriptVerdict::DEFERRED) return {verdict == ScriptVerdict::VALID, check.Failure().error};
    slhdsa::Batch batch{slhdsa.verifier};
    if (!batch.Add(std::move(staged))) throw std::logic_error{"a new batch is open"};
    switch (batch.Verify()) {
    case slhdsa::BatchResult::VALID: return {true, SCRIPT_ERR_OK};
    case slhdsa::BatchResult::INVALID: return {false, SCRIPT_ERR_SLHDSA_SIG};
    case slhdsa::BatchResult::INTERRUPTED: break;
    }
    throw std::logic_error{"nobody interrupts"};
}

bool HasSLHDSALeaf(const Spend& spend)
{
    std::span<const std::vector<uint8_t>> stack{spend.tx.vin[spend.n_in].scriptWitness.stack};
    if (stack.size() >= 2 && !stack.back().empty() && stack.back()[0] == ANNEX_TAG) stack = stack.first(stack.size() - 1);
    return stack.size() >= 2 && HasModuleOpcode(stack[stack.size() - 2]);
}

bool ConcernsModule(const Spend& spend) { return spend.spent[spend.n_in].scriptPubKey.IsPayToMerkleRoot() || HasSLHDSALeaf(spend); }

} // namespace slhc::test
