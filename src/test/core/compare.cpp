// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <test/core/compare.h>

#include <script/interpreter.h>
#include <util/hex.h>

#include <array>
#include <vector>

namespace slhc::test {

SpendComparison::SpendComparison(const core_oracle& oracle, const Spend& spend)
    : m_oracle{oracle}, m_core{MakeCoreTx(oracle, spend)}, m_module{spend}, m_input{m_module.m_tx.vin[spend.n_in]},
      m_output{m_module.m_data.m_spent_outputs[spend.n_in].scriptPubKey}, m_n_in{spend.n_in}
{
}

std::string SpendComparison::Describe(const Verdict& verdict) const
{
    const char* const name{m_oracle.script_error_name(verdict.error)};
    return std::string{verdict.valid ? "valid, " : "invalid, "} +
           (name ? name : std::string{ScriptErrorName(static_cast<ScriptError>(verdict.error))});
}

std::string SpendComparison::CompareVerdict(script_verify_flags flags, Verdict& expected) const
{
    if (!m_core) return "Core does not take the transaction";
    const int answer{m_oracle.verify(m_core.get(), m_n_in, (flags & CORE_FLAGS).as_int(), &expected.error)};
    if (answer < 0) return "Core does not take the input or the flags";
    expected.valid = answer == 1;
    const Verdict got{m_module.Verify(m_n_in, flags)};
    if (got == expected) return {};
    return "Core says " + Describe(expected) + "; this library, " + ((flags & ~CORE_FLAGS) ? "with P2MR or SLHDSA set, " : "") +
           Describe(got);
}

std::string SpendComparison::CompareCounts() const
{
    if (!m_core) return "Core does not take the transaction";
    for (const CScript* script : {&m_input.scriptSig, &m_output}) {
        for (const bool accurate : {false, true}) {
            if (script->GetSigOpCount(accurate) != m_oracle.script_sigops(script->data(), script->size(), accurate)) {
                return "the script's signature operations are counted differently: " + HexStr(*script);
            }
        }
        int version;
        std::span<const uint8_t> program;
        uint32_t bits{0};
        bits |= uint32_t{script->IsPushOnly()} << 0;
        bits |= uint32_t{script->IsUnspendable()} << 1;
        bits |= uint32_t{script->IsPayToScriptHash()} << 2;
        bits |= uint32_t{script->IsPayToAnchor()} << 3;
        bits |= uint32_t{script->IsPayToTaproot()} << 4;
        bits |= uint32_t{script->IsPayToWitnessScriptHash()} << 5;
        bits |= uint32_t{script->IsWitnessProgram(version, program)} << 6;
        if (bits != m_oracle.script_properties(script->data(), script->size())) return "the script is of another kind: " + HexStr(*script);
    }
    if (m_output.IsPayToScriptHash() && m_output.GetSigOpCount(m_input.scriptSig) != m_oracle.p2sh_sigops(m_core.get(), m_n_in)) {
        return "the redeem script's signature operations are counted differently";
    }
    if (CountWitnessSigOps(m_input.scriptSig, m_output, m_input.scriptWitness, CONSENSUS_FLAGS) !=
        m_oracle.witness_sigops(m_core.get(), m_n_in, CONSENSUS_FLAGS.as_int())) {
        return "the witness's signature operations are counted differently";
    }
    return {};
}

std::string CompareParsing(const core_oracle& oracle, std::span<const uint8_t> raw)
{
    std::array<uint8_t, 32> txid, wtxid;
    size_t stripped_size;
    const bool core_parses{oracle.tx_parse(raw.data(), raw.size(), txid.data(), wtxid.data(), &stripped_size) == 1};
    try {
        const CTransaction tx{ParseTransaction(raw)};
        if (!core_parses) return "a transaction that Core refuses: " + HexStr(raw);
        if (tx.GetHash().Bytes() != txid || tx.GetWitnessHash().Bytes() != wtxid ||
            GetSerializeSize(tx, TxFormat::WITHOUT_WITNESS) != stripped_size) {
            return "the transaction's identifiers or sizes differ: " + HexStr(raw);
        }
    } catch (const ParseError& error) {
        if (core_parses) return "a transaction that Core parses is refused (" + std::string{error.what()} + "): " + HexStr(raw);
    }
    return {};
}

} // namespace slhc::test
