// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <pqc/vulkan/device_choice.h>

#include <pqc/vulkan/device_type.h>

#include <algorithm>
#include <charconv>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace slhc::slhdsa::vulkan {

namespace {

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

size_t ChooseAmong(std::span<const NamedDevice> devices, std::string_view which)
{
    if (devices.empty()) throw std::runtime_error{"no device supports compute with Vulkan 1.1"};
    std::vector<size_t> by_rank(devices.size());
    std::iota(by_rank.begin(), by_rank.end(), size_t{0});
    std::ranges::stable_sort(by_rank, {}, [&](size_t i) { return DeviceTypeRank(devices[i].type); });
    const size_t best{by_rank.front()};
    if (which.empty()) return best;
    if (which == "auto") {
        if (devices[best].type == VK_PHYSICAL_DEVICE_TYPE_CPU) throw std::runtime_error{"no device other than the CPU"};
        return best;
    }
    const auto index{ParseIndex(which)};
    const auto with_index{index ? std::ranges::find(devices, *index, &NamedDevice::index) : devices.end()};
    if (with_index != devices.end()) return static_cast<size_t>(with_index - devices.begin());
    const auto named{std::ranges::find_if(by_rank, [&](size_t i) {
        return index ? HasNumber(devices[i].name, which) : devices[i].name.find(which) != std::string_view::npos;
    })};
    if (named != by_rank.end()) return *named;
    throw std::runtime_error{"this machine has no device '" + std::string{which.substr(0, 40)} + "'"};
}

} // namespace slhc::slhdsa::vulkan
