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

constexpr size_t MAX_SHOWN_BYTES{36};
constexpr size_t MAX_SHOWN_SCRIPT{4000};

/** Keeps the first steps of each script and the last one. Of those between it keeps and computes nothing: there may be millions. */
class Recorder : public EvalObserver
{
public:
    Recorder(Trace& trace, const CTransaction& tx, unsigned n_in, const PrecomputedTransactionData& txdata, size_t shown)
        : m_trace{trace}, m_tx{tx}, m_n_in{n_in}, m_txdata{txdata}, m_shown{shown} {}

    /** Which step is the last shows when a script ends, too late to look at all that it found. If that matters, forget everything but
     *  how many steps each script has.
     *  @return whether the same scripts have to run once more */
    bool StartAgain()
    {
        const bool all_kept{std::ranges::all_of(m_trace.scripts, [](const TracedScript& script) { return script.skipped == 0; })};
        if ((all_kept && m_extra_left > 0) || !m_lengths.empty()) return false;
        for (const TracedScript& script : m_trace.scripts) m_lengths.push_back(script.steps.size() + script.skipped);
        m_trace.scripts.clear();
        m_extra_left = MAX_EXTRA_ELEMENTS;
        return true;
    }

    void BeginScript(const CScript& script, SigVersion version, const ScriptStack&) override
    {
        const size_t index{m_trace.scripts.size()};
        m_length = index < m_lengths.size() ? m_lengths[index] : MAX_STEPS;
        m_trace.scripts.push_back({version, FormatScript(script, MAX_SHOWN_SCRIPT), {}, 0, SCRIPT_ERR_OK, {}, {}});
        m_checks = version == SigVersion::TAPSCRIPT ? std::make_unique<SignatureChecks>(m_tx, m_n_in, m_txdata, script) : nullptr;
    }

    void BeforeOpcode(const EvalStep& step) override
    {
        auto& [version, script, steps, skipped, error, result, hint]{m_trace.scripts.back()};
        if (m_checks && step.executed && step.opcode == OP_CODESEPARATOR) m_checks->SetCodeSeparator(step.opcode_pos);
        const bool is_last{steps.size() + skipped + 1 == m_length};
        if (steps.size() + 1 >= MAX_STEPS && !is_last) {
            ++skipped;
            return;
        }
        std::optional<SignatureCheck> check;
        if (m_checks && step.executed) check = m_checks->Look(step.opcode, step.stack);
        steps.push_back({step.opcode_pos, step.byte_offset, Instruction(step), step.executed, ShowStack(step.stack, is_last),
                         ShowStack(step.altstack, is_last), step.stack.size(), step.altstack.size(), step.validation_weight_left,
                         std::move(check)});
    }

    void EndScript(ScriptError error, const ScriptStack& stack) override
    {
        TracedScript& script{m_trace.scripts.back()};
        script.error = error;
        script.result = Show(stack, m_shown);
        const bool has_last{!script.steps.empty() && script.steps.size() + script.skipped <= m_length};
        if (error != SCRIPT_ERR_OK && m_checks && has_last && script.steps.back().check) {
            script.hint = m_checks->Explain(*script.steps.back().check);
        }
    }

private:
    std::string Instruction(const EvalStep& step) const
    {
        if (step.data.size() > MAX_SHOWN_BYTES) return ShowElement(step.data);
        return FormatInstruction(step.opcode, step.data);
    }

    /** Of a step. */
    std::vector<std::string> ShowStack(const ScriptStack& stack, bool is_last)
    {
        const size_t wanted{std::min(stack.size(), m_shown)};
        if (is_last || wanted <= DEFAULT_SHOWN) return Show(stack, wanted);
        const size_t extra{std::min(wanted - DEFAULT_SHOWN, m_extra_left)};
        m_extra_left -= extra;
        return Show(stack, DEFAULT_SHOWN + extra);
    }

    static std::vector<std::string> Show(const ScriptStack& stack, size_t max)
    {
        std::vector<std::string> elements;
        for (size_t position{std::min(stack.size(), max)}; position > 0; --position) {
            elements.push_back(ShowElement(PeekForDisplay(stack, position)));
        }
        return elements;
    }

    Trace& m_trace;
    const CTransaction& m_tx;
    const unsigned m_n_in;
    const PrecomputedTransactionData& m_txdata;
    const size_t m_shown;
    size_t m_extra_left{MAX_EXTRA_ELEMENTS};
    std::vector<size_t> m_lengths; //!< steps of each script, if it has run before
    size_t m_length{MAX_STEPS};    //!< of the script that runs; until it is known, no more than are kept
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
    do {
        CScriptCheck check{m_tx, n_in, m_flags, m_txdata, *Context()->state->verifier};
        check.SetObserver(&recorder);
        trace.valid = check.VerifyNow() == ScriptVerdict::VALID;
        trace.error = check.Failure().error;
    } while (recorder.StartAgain());
    return trace;
}

} // namespace slhc::tool
