// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <pqc/device/device_choice.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <numeric>
#include <optional>

namespace slhc::slhdsa {

namespace {

/** The order in which devices are tried if none is named. Those that run shaders on the CPU come last. */
constexpr std::array<std::string_view, 5> TYPES{"discrete", "integrated", "virtual", "other", "cpu"};

/** All of the text as an index. */
std::optional<uint32_t> ParseIndex(std::string_view text)
{
    uint32_t index{0};
    const char* const end{text.data() + text.size()};
    const auto [rest, code]{std::from_chars(text.data(), end, index)};
    if (code != std::errc{} || rest != end) return std::nullopt;
    return index;
}

/** True if a name contains this number of at least three digits, such as "4090", not as a part of a longer one. Shorter numbers are indexes
 *  alone: the index of a device that is gone must not name another one. */
bool HasNumber(std::string_view name, std::string_view number)
{
    constexpr std::string_view DIGITS{"0123456789"};
    if (number.size() < 3) return false;
    for (size_t begin{name.find_first_of(DIGITS)}; begin != name.npos;) {
        const size_t end{name.find_first_not_of(DIGITS, begin)};
        if (name.substr(begin, end - begin) == number) return true;
        begin = name.find_first_of(DIGITS, end);
    }
    return false;
}

} // namespace

std::string Describe(const DeviceDescription& device) { return device.name + " (" + device.type + ", " + device.driver + ")"; }

std::string OneLine(std::string_view text)
{
    constexpr size_t MAX_LINE{160};
    std::string line{text.substr(0, MAX_LINE)};
    std::ranges::replace_if(line, [](unsigned char c) { return !std::isprint(c); }, '?');
    return text.size() > MAX_LINE ? line + "..." : line;
}

std::string FormatDevices(std::span<const DeviceDescription> devices)
{
    std::string lines;
    for (const DeviceDescription& device : devices) {
        lines += std::to_string(device.index) + "\t" + device.type + "\t" + device.name + "\t" + device.driver + "\n";
    }
    return lines;
}

std::vector<DeviceDescription> ParseDevices(std::string_view lines)
{
    std::vector<DeviceDescription> devices;
    while (!lines.empty() && devices.size() < MAX_DEVICES) {
        std::string_view line{lines.substr(0, lines.find('\n'))};
        lines.remove_prefix(std::min(lines.size(), line.size() + 1));
        std::array<std::string_view, 4> fields;
        for (std::string_view& field : fields) {
            field = line.substr(0, line.find('\t'));
            line.remove_prefix(std::min(line.size(), field.size() + 1));
        }
        const auto index{ParseIndex(fields[0])};
        if (!index || std::ranges::find(TYPES, fields[1]) == TYPES.end()) continue;
        if (std::ranges::find(devices, *index, &DeviceDescription::index) != devices.end()) continue;
        devices.push_back({*index, std::string{fields[1]}, OneLine(fields[2]), OneLine(fields[3])});
    }
    if (devices.empty()) throw NoDevices{"no device supports compute with Vulkan 1.1"};
    return devices;
}

DeviceDescription ChooseDevice(std::span<const DeviceDescription> devices, std::string_view which)
{
    if (devices.empty()) throw NoDevices{"no device supports compute with Vulkan 1.1"};
    std::vector<size_t> by_rank(devices.size());
    std::iota(by_rank.begin(), by_rank.end(), size_t{0});
    std::ranges::stable_sort(by_rank, {}, [&](size_t i) { return std::ranges::find(TYPES, devices[i].type) - TYPES.begin(); });
    const DeviceDescription& best{devices[by_rank.front()]};
    if (which.empty()) return best;
    if (which == "auto") {
        if (best.type == TYPES.back()) throw NoDevices{"no device other than the CPU"};
        return best;
    }
    const auto index{ParseIndex(which)};
    const auto with_index{index ? std::ranges::find(devices, *index, &DeviceDescription::index) : devices.end()};
    if (with_index != devices.end()) return *with_index;
    const auto named{std::ranges::find_if(by_rank, [&](size_t i) {
        return index ? HasNumber(devices[i].name, which) : devices[i].name.find(which) != std::string::npos;
    })};
    if (named != by_rank.end()) return devices[*named];
    throw NoDevices{"this machine has no device '" + std::string{which.substr(0, 40)} + "'"};
}

} // namespace slhc::slhdsa
