// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <tool/trace.h>

#include <script/observer.h>
#include <script/script_check.h>
#include <script/verify_flags.h>
#include <tool/asm.h>
#include <tool/error.h>
#include <util/hex.h>

#include <algorithm>

namespace slhc::tool {
namespace {

//! A script of a full block has some 100,000 instructions; nobody reads them all.
constexpr size_t MAX_STEPS{2000};
constexpr size_t MAX_SHOWN_BYTES{36};
constexpr size_t MAX_SHOWN_SCRIPT{4000};

std::string Abbreviated(std::string text)
{
    if (text.size() > MAX_SHOWN_SCRIPT) text = text.substr(0, MAX_SHOWN_SCRIPT) + "...";
    return text;
}

class Recorder : public EvalObserver
{
public:
    Recorder(Trace& trace, size_t shown) : m_trace{trace}, m_shown{shown} {}

    void BeginScript(const CScript& script, SigVersion version, const ScriptStack&) override
    {
        m_trace.scripts.push_back({version, Abbreviated(FormatScript(script)), {}, 0, SCRIPT_ERR_OK, {}});
    }

    void BeforeOpcode(const EvalStep& step) override
    {
        auto& [version, script, steps, skipped, error, result]{m_trace.scripts.back()};
        if (steps.size() == MAX_STEPS) {
            steps.pop_back();
            ++skipped;
        }
        steps.push_back({step.opcode_pos, step.byte_offset, Instruction(step), step.executed, Show(step.stack), Show(step.altstack),
                         step.stack.size(), step.altstack.size(), step.validation_weight_left});
    }

    void EndScript(ScriptError error, const ScriptStack& stack) override
    {
        m_trace.scripts.back().error = error;
        m_trace.scripts.back().result = Show(stack);
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
    const size_t m_shown;
};

} // namespace

std::string ShowElement(std::span<const uint8_t> bytes)
{
    if (bytes.size() <= MAX_SHOWN_BYTES) return "<" + HexStr(bytes) + ">";
    return "<" + HexStr(bytes.first(6)) + ".." + HexStr(bytes.last(4)) + " " + std::to_string(bytes.size()) + " bytes>";
}

std::optional<uint32_t> Trace::FailedPosition() const
{
    if (valid || scripts.empty() || scripts.back().error == SCRIPT_ERR_OK || scripts.back().steps.empty()) return std::nullopt;
    return scripts.back().steps.back().position;
}

std::optional<std::string> Trace::FailedInstruction() const
{
    if (!FailedPosition()) return std::nullopt;
    return scripts.back().steps.back().instruction;
}

Trace TraceInput(const SpendFile& spend, unsigned n_in, size_t shown)
{
    const CTransaction tx{ParseTx(spend.raw_tx)};
    const PrecomputedTransactionData txdata{tx, std::vector<CTxOut>{spend.spent_outputs}};
    Trace trace;
    Recorder recorder{trace, shown};
    CScriptCheck check{tx, n_in, script_verify_flags::from_int(spend.flags), txdata};
    check.SetObserver(&recorder);
    trace.valid = check() == ScriptVerdict::VALID;
    trace.error = check.GetScriptError();
    return trace;
}

} // namespace slhc::tool
