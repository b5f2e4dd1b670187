// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <tool/trace.h>

#include <capi/context.h>
#include <script/observer.h>
#include <script/script_check.h>
#include <tool/api.h>
#include <tool/asm.h>
#include <tool/error.h>
#include <util/hex.h>

#include <algorithm>
#include <memory>

namespace slhc::tool {
namespace {

//! A script of a full block has some 100,000 instructions; nobody reads them all.
constexpr size_t MAX_STEPS{2000};
constexpr size_t MAX_SHOWN_BYTES{36};
constexpr size_t MAX_SHOWN_SCRIPT{4000};

class Recorder : public EvalObserver
{
public:
    Recorder(Trace& trace, const CTransaction& tx, unsigned n_in, const PrecomputedTransactionData& txdata, size_t shown)
        : m_trace{trace}, m_tx{tx}, m_n_in{n_in}, m_txdata{txdata}, m_shown{shown} {}

    void BeginScript(const CScript& script, SigVersion version, const ScriptStack&) override
    {
        m_trace.scripts.push_back({version, FormatScript(script, MAX_SHOWN_SCRIPT), {}, 0, SCRIPT_ERR_OK, {}, {}});
        m_checks = version == SigVersion::TAPSCRIPT ? std::make_unique<SignatureChecks>(m_tx, m_n_in, m_txdata, script) : nullptr;
    }

    void BeforeOpcode(const EvalStep& step) override
    {
        auto& [version, script, steps, skipped, error, result, hint]{m_trace.scripts.back()};
        if (steps.size() == MAX_STEPS) {
            steps.pop_back();
            ++skipped;
        }
        std::optional<SignatureCheck> check;
        if (m_checks && step.executed) {
            check = m_checks->Look(step.opcode, step.stack);
            if (step.opcode == OP_CODESEPARATOR) m_checks->SetCodeSeparator(step.opcode_pos);
        }
        steps.push_back({step.opcode_pos, step.byte_offset, Instruction(step), step.executed, Show(step.stack), Show(step.altstack),
                         step.stack.size(), step.altstack.size(), step.validation_weight_left, std::move(check)});
    }

    void EndScript(ScriptError error, const ScriptStack& stack) override
    {
        TracedScript& script{m_trace.scripts.back()};
        script.error = error;
        script.result = Show(stack);
        if (error != SCRIPT_ERR_OK && m_checks && !script.steps.empty() && script.steps.back().check) {
            script.hint = m_checks->Explain(*script.steps.back().check);
        }
    }

private:
    std::string Instruction(const EvalStep& step) const
    {
        if (step.data.size() > MAX_SHOWN_BYTES) return ShowElement(step.data);
        return FormatInstruction(step.opcode, step.data);
    }

    std::vector<std::string> Show(const ScriptStack& stack) const
    {
        std::vector<std::string> elements;
        for (size_t position{std::min(stack.size(), m_shown)}; position > 0; --position) {
            elements.push_back(ShowElement(PeekForDisplay(stack, position)));
        }
        return elements;
    }

    Trace& m_trace;
    const CTransaction& m_tx;
    const unsigned m_n_in;
    const PrecomputedTransactionData& m_txdata;
    const size_t m_shown;
    std::unique_ptr<SignatureChecks> m_checks; //!< of the script that runs, if it is a tapscript
};

} // namespace

std::string ShowElement(std::span<const uint8_t> bytes)
{
    if (bytes.size() <= MAX_SHOWN_BYTES) return "<" + HexStr(bytes) + ">";
    return "<" + HexStr(bytes.first(6)) + ".." + HexStr(bytes.last(4)) + " " + std::to_string(bytes.size()) + " bytes>";
}

Tracer::Tracer(const SpendFile& spend)
    : m_flags{script_verify_flags::from_int(spend.flags)}
    , m_tx{ParseTx(spend.raw_tx)}
    , m_txdata{m_tx, std::vector<CTxOut>{spend.spent_outputs}}
{
}

Trace Tracer::TraceInput(unsigned n_in, size_t shown) const
{
    Trace trace;
    Recorder recorder{trace, m_tx, n_in, m_txdata, shown};
    CScriptCheck check{m_tx, n_in, m_flags, m_txdata, *Context()->state->verifier};
    check.SetObserver(&recorder);
    trace.valid = check.VerifyNow() == ScriptVerdict::VALID;
    trace.error = check.Failure().error;
    return trace;
}

} // namespace slhc::tool
