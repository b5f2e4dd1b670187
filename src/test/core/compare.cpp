// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <test/core/compare.h>

#include <script/interpreter.h>
#include <test/core/oracle_loader.h>
#include <util/hex.h>

#include <array>
#include <vector>

namespace slhc::test {

namespace {

std::string Describe(const Verdict& verdict)
{
    return std::string{verdict.valid ? "valid, " : "invalid, "} + std::string{ScriptErrorName(static_cast<ScriptError>(verdict.error))};
}

CoreTx MakeCoreTx(const core_oracle& oracle, const Spend& spend)
{
    const auto raw{SerializeToVector(spend.tx)};
    std::vector<uint8_t> spent;
    VectorWriter writer{spent};
    for (const CTxOut& output : spend.spent) Serialize(writer, output);
    return {oracle.tx_create(raw.data(), raw.size(), spent.data(), spent.size()), CoreTxDeleter{&oracle}};
}

} // namespace

const CoreOracles* LoadCoreOracles(OracleError& error)
{
    const core_oracle* const today{LoadCoreOracle(CoreVariant::TODAY, error)};
    if (!today) return nullptr;
    const core_oracle* const with_rules{LoadCoreOracle(CoreVariant::WITH_RULES, error)};
    if (!with_rules) return nullptr;
    static const CoreOracles oracles{*today, *with_rules};
    return &oracles;
}

SpendComparison::SpendComparison(const CoreOracles& oracles, const SLHDSAScheme& slhdsa, const Spend& spend)
    : m_oracles{oracles}, m_slhdsa{slhdsa}, m_today{MakeCoreTx(oracles.today, spend)}, m_with_rules{MakeCoreTx(oracles.with_rules, spend)},
      m_module{spend}, m_input{m_module.m_tx.vin[spend.n_in]}, m_output{m_module.m_data.m_spent_outputs[spend.n_in].scriptPubKey},
      m_n_in{spend.n_in}
{
}

std::string SpendComparison::CompareVerdict(script_verify_flags flags, Verdict& expected, Verdict& module) const
{
    if (!m_today || !m_with_rules) return "Core does not take the transaction";
    size_t n_staged{0};
    bool taken{true};
    const auto core{[&](const core_oracle& oracle, const CoreTx& tx, script_verify_flags with, int timing) -> Verdict {
        core_oracle_answer answer{};
        const int result{oracle.verify(tx.get(), m_n_in, with.as_int(), timing, m_slhdsa.verify, &answer)};
        if (result < 0) taken = false;
        n_staged = answer.n_staged;
        return {result == 1, answer.script_error};
    }};
    const auto with_rules{[&](int timing) { return core(m_oracles.with_rules, m_with_rules, flags, timing); }};

    expected = with_rules(CORE_ORACLE_EAGER);
    module = expected;
    if (!taken) return "Core does not take the input or the flags";
    const auto differs{[&](const char* who, const Verdict& verdict) {
        return "Core with the rules says " + Describe(expected) + "; " + who + ", " + Describe(verdict);
    }};
    if (const Verdict deferred{with_rules(CORE_ORACLE_DEFERRED)}; deferred != expected) return differs("the same, deferred", deferred);
    const size_t core_staged{n_staged};
    if (const Verdict cached{with_rules(CORE_ORACLE_CACHED)}; cached != expected) return differs("the same, deferred and cached", cached);
    if (expected.valid && n_staged != 0) return "Core with the rules defers a signature that is cached";

    module = m_module.Verify(m_n_in, flags, m_slhdsa);
    if (module != expected) return differs("this library", module);
    if (const Verdict deferred{m_module.VerifyDeferred(m_n_in, flags, m_slhdsa, /*cached=*/false, n_staged)}; deferred != expected) {
        return differs("this library, deferred", deferred);
    }
    if (expected.valid && n_staged != core_staged) return "different numbers of signatures are deferred";
    if (const Verdict cached{m_module.VerifyDeferred(m_n_in, flags, m_slhdsa, /*cached=*/true, n_staged)}; cached != expected) {
        return differs("this library, deferred and cached", cached);
    }
    if (expected.valid && n_staged != 0) return "this library defers a signature that is cached";

    if (flags & OWN_FLAGS) {
        // To nodes of today it is a soft fork.
        if (!expected.valid || (flags & DISCOURAGE_FLAGS)) return {};
        const Verdict today{core(m_oracles.today, m_today, flags & CORE_FLAGS, CORE_ORACLE_EAGER)};
        return today.valid ? "" : differs("Core of today", today);
    }
    const Verdict today{core(m_oracles.today, m_today, flags, CORE_ORACLE_EAGER)};
    return today == expected ? "" : differs("Core of today", today);
}

std::string SpendComparison::CompareCounts(const core_oracle& oracle, const core_oracle_tx& tx, script_verify_flags flags) const
{
    for (const CScript* script : {&m_input.scriptSig, &m_output}) {
        for (const bool accurate : {false, true}) {
            if (script->GetSigOpCount(accurate) != oracle.script_sigops(script->data(), script->size(), accurate)) {
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
        if (bits != oracle.script_properties(script->data(), script->size())) return "the script is of another kind: " + HexStr(*script);
    }
    if (m_output.IsPayToScriptHash() && m_output.GetSigOpCount(m_input.scriptSig) != oracle.p2sh_sigops(&tx, m_n_in)) {
        return "the redeem script's signature operations are counted differently";
    }
    if (CountWitnessSigOps(m_input.scriptSig, m_output, m_input.scriptWitness, flags) !=
        oracle.witness_sigops(&tx, m_n_in, flags.as_int())) {
        return "the witness's signature operations are counted differently";
    }
    return {};
}

std::string SpendComparison::CompareCounts() const
{
    if (!m_today || !m_with_rules) return "Core does not take the transaction";
    std::string what{CompareCounts(m_oracles.today, *m_today, CONSENSUS_FLAGS)};
    if (what.empty()) what = CompareCounts(m_oracles.with_rules, *m_with_rules, CONSENSUS_FLAGS | OWN_FLAGS);
    return what;
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
