// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <pqc/batch_sharer.h>

#include <algorithm>
#include <utility>

namespace slhc::slhdsa {

namespace {

/** The time for a signature of a set instead of a compression. */
Pace OfSet(const Pace& pace, ParameterSet set)
{
    return {.call_ns = pace.call_ns, .each_ns = pace.each_ns * static_cast<double>(ParamsOf(set).VerifyCompressions())};
}

} // namespace

BatchSharer::BatchSharer(std::vector<std::shared_ptr<RootDevice>> devices, bool device_only, DeviceShare share)
    : m_devices{std::move(devices)}, m_device_only{device_only}, m_share{std::move(share)}
{
}

std::vector<size_t> BatchSharer::ShareOut(size_t n, ParameterSet set, std::optional<Pace> cpu_pace) const
{
    std::vector<size_t> parts(m_devices.size(), 0);
    std::vector<size_t> ready;
    std::vector<Pace> paces;
    for (size_t i = 0; i < m_devices.size(); ++i) {
        RootDevice& device{*m_devices[i]};
        if (n >= LEAST_TELLING) {
            device.Open();
        } else if (!m_device_only && !m_share) {
            continue;
        }
        const std::optional<Pace> pace{device.MeasuredPace()};
        if (!pace || device.State() != DeviceState::READY || device.PrepareSet(set) != SetState::READY) continue;
        ready.push_back(i);
        paces.push_back(OfSet(*pace, set));
    }
    if (ready.empty()) return parts;
    if (cpu_pace) cpu_pace = OfSet(*cpu_pace, set);
    const std::vector<size_t> sizes{PartsByPace(n, std::move(paces), cpu_pace)};
    for (size_t k = 0; k < ready.size(); ++k) parts[ready[k]] = sizes[k];
    return parts;
}

/** @param[in] paces  of the devices that are ready, at least one; for signatures, as the CPU's */
std::vector<size_t> BatchSharer::PartsByPace(size_t n, std::vector<Pace> paces, std::optional<Pace> cpu) const
{
    if (m_share) return slhdsa::ShareOut(std::min(n, m_share(n)), paces);
    if (m_device_only) return slhdsa::ShareOut(n, paces);
    std::vector<size_t> parts(paces.size(), 0);
    if (n < LEAST_TELLING || !cpu) return parts;
    paces.push_back(*cpu);
    const std::vector<size_t> with_cpu{slhdsa::ShareOut(n, paces)};
    double end{0};
    for (size_t i = 0; i < paces.size(); ++i) end = std::max(end, paces[i].For(with_cpu[i]));
    if (end > WORTHWHILE * cpu->For(n)) return parts;
    for (size_t i = 0; i < parts.size(); ++i) parts[i] = with_cpu[i] >= LEAST_TELLING ? with_cpu[i] : 0;
    return parts;
}

} // namespace slhc::slhdsa
