// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <pqc/backends.h>

#include <pqc/cpu/dispatch.h>
#ifdef SLHC_ENABLE_VULKAN
#include <pqc/vulkan/backend.h>
#endif

#include <cstdlib>

namespace slhc::slhdsa {

namespace {

/** The part of name after "prefix:", or empty where name is prefix itself. Nothing for any other name, and for
 *  "prefix:" with nothing after it. */
std::optional<std::string_view> AfterPrefix(std::string_view name, std::string_view prefix)
{
    if (!name.starts_with(prefix)) return std::nullopt;
    name.remove_prefix(prefix.size());
    if (name.empty()) return name;
    if (name.size() < 2 || name[0] != ':') return std::nullopt;
    return name.substr(1);
}

std::string UnknownName(std::string_view name)
{
    std::string error{"unknown backend '"};
    // A name comes from outside: quote no more of it than fits a line.
    error += name.substr(0, 40);
    error += "'; known here are auto, cpu";
    for (const CpuEngine& engine : CpuEngines()) error.append(", cpu:").append(engine.isa);
    for (const DeviceFamily& family : DeviceFamilies()) error.append(", ").append(family.name).append("[:index]");
    return error;
}

} // namespace

std::span<const DeviceFamily> DeviceFamilies()
{
#ifdef SLHC_ENABLE_VULKAN
    static constexpr DeviceFamily FAMILIES[]{{"vulkan", vulkan::OpenVulkanBackend, vulkan::ListVulkanDevices}};
    return FAMILIES;
#else
    return {};
#endif
}

std::vector<BackendInfo> ListBackends()
{
    std::vector<BackendInfo> infos;
    for (const CpuEngine& engine : CpuEngines()) {
        const std::string why_not{engine.why_not()};
        infos.push_back({"cpu:" + std::string{engine.isa}, why_not.empty() ? "CPU engine" : "CPU engine, not offered: " + why_not, why_not.empty()});
    }
    for (const DeviceFamily& family : DeviceFamilies()) {
        for (const std::string& device : family.list()) {
            const size_t colon{device.find(": ")};
            infos.push_back({std::string{family.name} + ":" + device.substr(0, colon), device.substr(colon + 2), true});
        }
    }
    return infos;
}

std::optional<Backends> SelectBackends(std::string_view name, const DeviceOptions& options, std::string& error)
{
    if (name == "auto") {
        Backends backends{.cpu = CreateBestCpuEngine(), .device = nullptr};
        for (const DeviceFamily& family : DeviceFamilies()) {
            std::string reason;
            backends.device = family.open("auto", options, reason);
            if (backends.device) break;
            options.logger->Log(LogLevel::DEBUG, reason);
        }
        return backends;
    }
    if (const auto isa{AfterPrefix(name, "cpu")}) {
        if (isa->empty()) return Backends{.cpu = CreateBestCpuEngine(), .device = nullptr};
        for (const CpuEngine& engine : CpuEngines()) {
            if (engine.isa != *isa) continue;
            const std::string why_not{engine.why_not()};
            if (why_not.empty()) return Backends{.cpu = engine.create(), .device = nullptr};
            error = "backend '" + std::string{name} + "': " + why_not;
            return std::nullopt;
        }
    }
    for (const DeviceFamily& family : DeviceFamilies()) {
        const auto device{AfterPrefix(name, family.name)};
        if (!device) continue;
        Backends backends{.cpu = CreateBestCpuEngine(), .device = family.open(*device, options, error), .device_only = true};
        if (!backends.device) return std::nullopt;
        return backends;
    }
    error = UnknownName(name);
    return std::nullopt;
}

RootBackend& DefaultCpuEngine()
{
    static const std::shared_ptr<RootBackend> engine{[] {
        const char* const name{std::getenv("SLHC_BACKEND")};
        std::string error;
        if (name != nullptr && std::string_view{name}.starts_with("cpu:")) {
            if (auto backends{SelectBackends(name, {.logger = std::make_shared<Logger>(), .cache_dir = {}}, error)}) return backends->cpu;
        }
        return std::shared_ptr<RootBackend>{CreateBestCpuEngine()};
    }()};
    return *engine;
}

} // namespace slhc::slhdsa
