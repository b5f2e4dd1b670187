// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <pqc/cpu/cpu_engine.h>

#include <pqc/cpu/kernel_timing.h>
#include <pqc/cpu/known_answers.h>
#include <pqc/cpu/lane_engine.h>
#include <pqc/cpu/portable.h>
#include <util/check.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <string>

namespace slhc::slhdsa {

/** What is found out once, and when it is needed first. */
struct CpuEngine::Findings {
    std::once_flag kernels_once;
    std::string_view wrong_kernel; //!< empty: none

    std::once_flag proof_once;
    std::optional<lanes::KernelSplitter> kernels;
    std::string wrong; //!< what is wrong; empty: nothing
    std::atomic<bool> was_wrong{false};

    std::once_flag race_once;
    bool beats_rival{true};
};

CpuEngine::CpuEngine(const EngineParts& parts, const CpuEngine* narrow, const CpuEngine* rival)
    : m_parts{parts}, m_narrow{narrow}, m_rival{rival}, m_findings{std::make_unique<Findings>()} {}

CpuEngine::CpuEngine(CpuEngine&&) noexcept = default;
CpuEngine::~CpuEngine() = default;

bool CpuEngine::HasRightKernels() const
{
    std::call_once(m_findings->kernels_once, [this] {
        m_findings->wrong_kernel = lanes::FindWrongKernel(*m_parts.kernels);
        if (!m_findings->wrong_kernel.empty()) m_findings->was_wrong = true;
    });
    return m_findings->wrong_kernel.empty();
}

/** Each kernel, which shows every lane of it; then all of them together, as a few signatures are verified and as many are. */
void CpuEngine::Prove() const
{
    if (m_parts.kernels == nullptr) return; // what the others are compared with
    const lanes::Kernels& wide{*m_parts.kernels};
    Findings& f{*m_findings};
    const auto finds_root{[&] { return lanes::FindsSampleRoot(*lanes::CreateLaneEngine(Name(), *f.kernels)); }};
    if (!HasRightKernels()) {
        f.wrong = "its " + std::string{f.wrong_kernel} + " differ from the scalar code's";
    } else {
        f.kernels.emplace(wide);
        bool right{finds_root()};
        if (right && m_narrow && m_narrow->m_parts.lacks().empty() && m_narrow->HasRightKernels()) {
            const lanes::Kernels& narrow{*m_narrow->m_parts.kernels};
            f.kernels.emplace(wide, narrow, lanes::MeasureSplitCosts(wide, narrow));
            right = finds_root();
        }
        if (!right) f.wrong = "its roots differ from the scalar code's";
    }
    if (!f.wrong.empty()) f.was_wrong = true;
}

std::string_view CpuEngine::WhyNot() const
{
    if (const std::string_view lacking{m_parts.lacks()}; !lacking.empty()) return lacking;
    std::call_once(m_findings->proof_once, [this] { Prove(); });
    return m_findings->wrong;
}

bool CpuEngine::WasWrong() const { return m_findings->was_wrong; }

bool CpuEngine::IsPreferred() const
{
    if (!m_rival || !m_rival->IsOffered()) return true;
    std::call_once(m_findings->race_once, [this] {
        const lanes::ChainTimes times{lanes::CompareChains(*m_parts.kernels, *m_rival->m_parts.kernels, lanes::MAX_TIMED_CHAINS)};
        m_findings->beats_rival = times.first < times.second;
    });
    return m_findings->beats_rival;
}

const std::optional<lanes::KernelSplitter>& CpuEngine::Kernels() const
{
    assert(IsOffered());
    return m_findings->kernels;
}

std::unique_ptr<RootBackend> CpuEngine::Create() const
{
    const auto& kernels{Kernels()};
    return kernels ? lanes::CreateLaneEngine(Name(), *kernels) : CreatePortableEngine();
}

CpuEngineSet::CpuEngineSet(std::span<const EngineParts> parts)
{
    m_engines.reserve(parts.size());
    const auto find{[&](std::string_view isa) -> const CpuEngine* {
        const auto named{
            std::ranges::find_if(parts, [&](const EngineParts& p) { return !isa.empty() && p.name == "cpu:" + std::string{isa}; })};
        return named == parts.end() ? nullptr : m_engines.data() + (named - parts.begin()); // where it will be
    }};
    for (const EngineParts& p : parts) m_engines.emplace_back(p, find(p.narrow_isa), find(p.rival_isa));
    assert(!parts.empty() && parts.back().kernels == nullptr);
}

const CpuEngine* CpuEngineSet::Find(std::string_view isa) const
{
    const auto found{std::ranges::find(m_engines, isa, &CpuEngine::Isa)};
    return found == m_engines.end() ? nullptr : &*found;
}

const CpuEngine& CpuEngineSet::Best() const
{
    const auto best{std::ranges::find_if(m_engines, [](const CpuEngine& e) { return e.IsOffered() && e.IsPreferred(); })};
    return best == m_engines.end() ? m_engines.back() : *best;
}

void CpuEngineSet::LogWrongEngines(const Logger& logger) const
{
    for (const CpuEngine& engine : m_engines) {
        if (engine.WasWrong()) logger.Log(LogLevel::ERROR, std::string{engine.Name()} + " is not used: " + std::string{engine.WhyNot()});
    }
}

} // namespace slhc::slhdsa
