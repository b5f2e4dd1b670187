// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <pqc/backends.h>

#include <pqc/device/devices.h>

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

std::string UnknownName(std::string_view name, const CpuEngineSet& engines)
{
    std::string error{"unknown backend '"};
    // A name comes from outside: quote no more of it than fits a line.
    error += name.substr(0, 40);
    error += "'; known here are auto, cpu";
    for (const CpuEngine& engine : engines.All()) error.append(", ").append(engine.Name());
    return error + ", vulkan[:index|:name|:all]";
}

} // namespace

std::vector<BackendInfo> ListEngines(const CpuEngineSet& engines)
{
    std::vector<BackendInfo> infos;
    for (const CpuEngine& engine : engines.All()) {
        const std::string why_not{engine.WhyNot()};
        const bool offered{why_not.empty()};
        infos.push_back({std::string{engine.Name()},
                         offered ? "CPU engine: " + std::string{engine.How()} : "CPU engine, not offered: " + why_not, offered,
                         engine.WasWrong() ? why_not : ""});
    }
    return infos;
}

std::vector<BackendInfo> ListBackends(const DeviceOptions& options)
{
    std::vector<BackendInfo> infos{ListEngines(CpuEngines())};
    std::string error;
    bool is_fault{false};
    for (const DeviceDescription& device : ListDeviceBackends(options, error, is_fault)) {
        infos.push_back({std::string{VULKAN} + ":" + std::to_string(device.index), Describe(device), true, {}});
    }
    if (!error.empty()) infos.push_back({std::string{VULKAN}, (is_fault ? "" : "not offered: ") + error, false, is_fault ? error : ""});
    return infos;
}

std::optional<Backends> SelectBackends(std::string_view name, const DeviceOptions& options, std::string& error, const CpuEngineSet& engines)
{
    const auto create_best{[&] {
        auto best{engines.Best().Create()};
        engines.LogWrongEngines(*options.logger);
        return best;
    }};
    if (name == "auto") {
        Backends backends{.cpu = create_best(), .devices = OpenDeviceBackends("auto", options, error)};
        if (backends.devices.empty()) options.logger->Log(LogLevel::DEBUG, error);
        return backends;
    }
    if (const auto isa{AfterPrefix(name, "cpu")}) {
        if (isa->empty()) return Backends{.cpu = create_best()};
        if (const CpuEngine* const engine{engines.Find(*isa)}) {
            error = engine->WhyNot();
            engines.LogWrongEngines(*options.logger);
            if (error.empty()) return Backends{.cpu = engine->Create()};
            error = "backend '" + std::string{name} + "': " + error;
            return std::nullopt;
        }
    }
    if (const auto device{AfterPrefix(name, VULKAN)}; device && *device != "auto") { // which is not a device's name
        Backends backends{.cpu = create_best(), .devices = OpenDeviceBackends(*device, options, error), .device_only = true};
        if (backends.devices.empty()) return std::nullopt;
        return backends;
    }
    error = UnknownName(name, engines);
    return std::nullopt;
}

} // namespace slhc::slhdsa
