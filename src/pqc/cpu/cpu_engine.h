// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_PQC_CPU_CPU_ENGINE_H
#define SLHCONSENSUS_PQC_CPU_CPU_ENGINE_H

#include <pqc/backend.h>
#include <pqc/cpu/kernel_splitter.h>
#include <util/log.h>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace slhc::slhdsa {

/** The parts of an engine. All strings live as long as the program. */
struct EngineParts {
    std::string_view name;            //!< "cpu:<isa>", as in SLHC_BACKEND
    std::string_view how;             //!< which instructions do what, for people
    std::string_view (*lacks)();      //!< why this machine cannot run it; empty: it can
    const lanes::Kernels* kernels{};  //!< null: the scalar code
    std::string_view narrow_isa{};    //!< the engine whose kernels take items too few to fill lanes; empty: none
    std::string_view rival_isa{};     //!< the engine that this one has to beat in a measurement to be preferred; empty: none
};

/** One way to compute roots on the CPU. Before it is used for the first time, it proves itself on known answers
 *  (known_answers.h). Thread-safe. */
class CpuEngine
{
public:
    /** @param[in] narrow  the engine named in parts, if any; outlives this one
     *  @param[in] rival   likewise */
    CpuEngine(const EngineParts& parts, const CpuEngine* narrow, const CpuEngine* rival);
    CpuEngine(CpuEngine&&) noexcept;
    ~CpuEngine();

    [[nodiscard]] std::string_view Name() const { return m_parts.name; }
    [[nodiscard]] std::string_view How() const { return m_parts.how; }
    [[nodiscard]] std::string_view Isa() const { return m_parts.name.substr(m_parts.name.find(':') + 1); }

    /** The reason why it is not offered here: the machine lacks something, or it was wrong. Empty if it is offered. */
    [[nodiscard]] std::string_view WhyNot() const;
    [[nodiscard]] bool IsOffered() const { return WhyNot().empty(); }
    /** True if it was tried and found to be wrong; does not try it. */
    [[nodiscard]] bool WasWrong() const;
    /** True if it is faster here than those that follow. @pre IsOffered() */
    [[nodiscard]] bool IsPreferred() const;

    /** Its kernels, which also sign; nothing for the scalar code. @pre IsOffered() */
    [[nodiscard]] const std::optional<lanes::KernelSplitter>& Kernels() const;
    /** @pre IsOffered() */
    [[nodiscard]] std::unique_ptr<RootBackend> Create() const;

private:
    struct Proof {
        std::optional<lanes::KernelSplitter> kernels{};
        std::string wrong{}; //!< what is wrong; empty: nothing
    };
    struct Findings;

    /** @return the first of its kernels that is wrong; empty: none */
    [[nodiscard]] std::string_view WrongKernel() const;
    [[nodiscard]] Proof Prove() const;
    [[nodiscard]] const Proof& Proven() const;

    const EngineParts m_parts;
    const CpuEngine* const m_narrow;
    const CpuEngine* const m_rival;
    std::unique_ptr<Findings> m_findings;
};

/** Some engines, the one to prefer first; the scalar code, which every machine can run, is the last. */
class CpuEngineSet
{
public:
    /** @param[in] parts  in order of preference; the last one is the scalar code */
    explicit CpuEngineSet(std::span<const EngineParts> parts);
    CpuEngineSet(const CpuEngineSet&) = delete;
    CpuEngineSet& operator=(const CpuEngineSet&) = delete;

    [[nodiscard]] std::span<const CpuEngine> All() const { return m_engines; }
    /** @return null if there is none of that name */
    [[nodiscard]] const CpuEngine* Find(std::string_view isa) const;
    /** The first one that is offered and preferred on this machine. */
    [[nodiscard]] const CpuEngine& Best() const;
    /** Warn of each engine that was found to be wrong. */
    void LogWrongEngines(const Logger& logger) const;

private:
    std::vector<CpuEngine> m_engines;
};

} // namespace slhc::slhdsa

#endif // SLHCONSENSUS_PQC_CPU_CPU_ENGINE_H
