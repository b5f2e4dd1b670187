// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <pqc/device/cost_model.h>

#include <util/check.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace slhc::slhdsa {

namespace {

constexpr std::string_view TITLE{"slhconsensus dispatch 1"};
constexpr size_t MAX_SAMPLES{64};

/** Take a line off the front of text. */
std::string_view TakeLine(std::string_view& text)
{
    const size_t end{text.find('\n')};
    const std::string_view line{text.substr(0, end)};
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    return line;
}

/** Take a number above 0 and the space after it off the front of a line. */
template <typename T>
bool TakeNumber(std::string_view& line, T& out)
{
    out = 0; // and stays 0 where there is no number, or one too large
    const char* const end{std::from_chars(line.data(), line.data() + line.size(), out).ptr};
    if (out == 0) return false;
    line.remove_prefix(static_cast<size_t>(end - line.data()));
    if (line.starts_with(' ')) line.remove_prefix(1);
    return true;
}

} // namespace

CostModel::CostModel(std::vector<Sample> samples, bool may_split) : m_samples{std::move(samples)}, m_may_split{may_split}
{
    assert(!m_samples.empty() && m_samples.front().n > 0);
    assert(std::ranges::all_of(m_samples, [](const Sample& s) { return s.cpu_ns > 0 && s.device_ns > 0; }));
    assert(std::adjacent_find(m_samples.begin(), m_samples.end(), [](const Sample& a, const Sample& b) { return a.n >= b.n; }) ==
           m_samples.end());
}

double CostModel::Time(size_t n, uint64_t Sample::*column) const
{
    if (n == 0) return 0;
    const Sample& first{m_samples.front()};
    const Sample& last{m_samples.back()};
    if (n <= first.n) return static_cast<double>(first.*column);
    // Beyond what was measured, each signature costs what it does in the largest batch.
    if (n >= last.n) return static_cast<double>(last.*column) * static_cast<double>(n) / static_cast<double>(last.n);
    const auto above{std::find_if(m_samples.begin() + 1, m_samples.end(), [n](const Sample& s) { return s.n >= n; })};
    const auto below{above - 1};
    const double part{static_cast<double>(n - below->n) / static_cast<double>(above->n - below->n)};
    return static_cast<double>((*below).*column) * (1 - part) + static_cast<double>((*above).*column) * part;
}

CostModel::Parts CostModel::Split(size_t n) const
{
    const auto time{[&](size_t device) { return std::max(DeviceTime(device), CpuTime(n - device)); }};
    Parts best{0, time(0)};
    // Neither side's time is exactly monotonous as measured, so all of a grid is tried.
    constexpr size_t STEPS{64};
    for (size_t i = 1; i <= STEPS; ++i) {
        const size_t device{n / STEPS * i + n % STEPS * i / STEPS};
        if (const double t{time(device)}; t < best.time) best = {device, t};
    }
    return best;
}

size_t CostModel::DeviceShare(size_t n) const
{
    if (n < LEAST_TELLING) return 0;
    const double cpu{CpuTime(n)};
    const double device{DeviceTime(n)};
    const bool device_wins{device < WORTHWHILE * cpu};
    if (m_may_split) {
        const Parts split{Split(n)};
        if (split.device >= LEAST_TELLING && split.time < WORTHWHILE * std::min(cpu, device)) return split.device;
    }
    return device_wins ? n : 0;
}

void CostModel::Observe(Side side, size_t n, uint64_t ns)
{
    if (n < LEAST_TELLING || ns == 0) return;
    uint64_t Sample::*const column{side == Side::CPU ? &Sample::cpu_ns : &Sample::device_ns};
    // A quarter of the way, as ratios go, to what is within a factor of four.
    const double factor{std::pow(std::clamp(static_cast<double>(ns) / Time(n, column), 0.25, 4.0), 0.25)};
    for (Sample& s : m_samples) {
        // Not below 1, since 1 / sqrt(2) rounds to 1.
        s.*column = static_cast<uint64_t>(std::min(std::round(static_cast<double>(s.*column) * factor), 1e15));
    }
}

size_t CostModel::TrialShare(size_t n) const
{
    const size_t share{DeviceShare(n)};
    for (size_t part{n / 8}; part >= LEAST_TELLING; part /= 2) {
        if (share == n && CpuTime(part) <= DeviceTime(n)) return n - part;
        if (share == 0 && DeviceTime(part) <= CpuTime(n)) return part;
    }
    return share;
}

std::string CostModel::Serialize() const
{
    std::string text{std::string{TITLE} + "\nsplit " + (m_may_split ? "1" : "0") + "\n"};
    for (const Sample& s : m_samples) {
        text += std::to_string(s.n) + " " + std::to_string(s.cpu_ns) + " " + std::to_string(s.device_ns) + "\n";
    }
    return text;
}

std::optional<CostModel> CostModel::Parse(std::string_view text)
{
    if (TakeLine(text) != TITLE) return std::nullopt;
    const std::string_view split{TakeLine(text)};
    if (split != "split 0" && split != "split 1") return std::nullopt;
    std::vector<Sample> samples;
    while (!text.empty()) {
        std::string_view line{TakeLine(text)};
        Sample s;
        if (!TakeNumber(line, s.n) || !TakeNumber(line, s.cpu_ns) || !TakeNumber(line, s.device_ns) || !line.empty()) return std::nullopt;
        if ((!samples.empty() && s.n <= samples.back().n) || samples.size() == MAX_SAMPLES) return std::nullopt;
        samples.push_back(s);
    }
    if (samples.empty()) return std::nullopt;
    return CostModel{std::move(samples), split == "split 1"};
}

} // namespace slhc::slhdsa
