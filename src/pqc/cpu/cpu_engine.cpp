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
#include <mutex>
#include <string>

namespace slhc::slhdsa {

namespace {

/** A value that is found out when it is first needed; other threads that need it wait. */
template <typename T>
class Finding
{
public:
    template <typename FindOut>
    const T& Get(FindOut find_out)
    {
        const std::lock_guard lock{m_mutex};
        if (!m_found) m_found.emplace(find_out());
        return *m_found;
    }

    /** @return null: nobody has asked for it yet */
    [[nodiscard]] const T* Find() const
    {
        const std::lock_guard lock{m_mutex};
        return m_found ? &*m_found : nullptr;
    }

private:
    mutable std::mutex m_mutex;
    std::optional<T> m_found;
};

} // namespace

struct CpuEngine::Findings {
    Finding<std::string_view> wrong_kernel; //!< empty: none
    Finding<Proof> proof;
    Finding<bool> beats_rival;
};

CpuEngine::CpuEngine(const EngineParts& parts, const CpuEngine* narrow, const CpuEngine* rival)
    : m_parts{parts}, m_narrow{narrow}, m_rival{rival}, m_findings{std::make_unique<Findings>()} {}

CpuEngine::CpuEngine(CpuEngine&&) noexcept = default;
CpuEngine::~CpuEngine() = default;

std::string_view CpuEngine::WrongKernel() const
{
    return m_findings->wrong_kernel.Get([this] { return lanes::FindWrongKernel(*m_parts.kernels); });
}

/** Try each kernel with every lane; then all of them together, as they verify a few signatures, and as they verify many. */
CpuEngine::Proof CpuEngine::Prove() const
{
    if (m_parts.kernels == nullptr) return {}; // the others are compared with this one
    if (const std::string_view kernel{WrongKernel()}; !kernel.empty()) {
        return {.kernels = {}, .wrong = "its " + std::string{kernel} + " differ from the scalar code's"};
    }
    const lanes::Kernels& wide{*m_parts.kernels};
    Proof proof;
    const auto finds_root{[&] { return lanes::FindsSampleRoot(*lanes::CreateLaneEngine(Name(), *proof.kernels)); }};
    proof.kernels.emplace(wide);
    bool right{finds_root()};
    if (right && m_narrow && m_narrow->m_parts.lacks().empty() && m_narrow->WrongKernel().empty()) {
        const lanes::Kernels& narrow{*m_narrow->m_parts.kernels};
        proof.kernels.emplace(wide, narrow, lanes::MeasureSplitCosts(wide, narrow));
        right = finds_root();
    }
    if (!right) proof.wrong = "its roots differ from the scalar code's";
    return proof;
}

const CpuEngine::Proof& CpuEngine::Proven() const
{
    return m_findings->proof.Get([this] { return Prove(); });
}

std::string_view CpuEngine::WhyNot() const
{
    if (const std::string_view lacking{m_parts.lacks()}; !lacking.empty()) return lacking;
    return Proven().wrong;
}

bool CpuEngine::WasWrong() const
{
    const std::string_view* const kernel{m_findings->wrong_kernel.Find()};
    const Proof* const proof{m_findings->proof.Find()};
    return (kernel && !kernel->empty()) || (proof && !proof->wrong.empty());
}

bool CpuEngine::IsPreferred() const
{
    if (!m_rival || !m_rival->IsOffered()) return true;
    return m_findings->beats_rival.Get([this] {
        const lanes::ChainTimes times{lanes::CompareChains(*m_parts.kernels, *m_rival->m_parts.kernels, lanes::MAX_TIMED_CHAINS)};
        return times.first < times.second;
    });
}

const std::optional<lanes::KernelSplitter>& CpuEngine::Kernels() const
{
    assert(IsOffered());
    return Proven().kernels;
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
