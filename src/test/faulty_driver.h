// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TEST_FAULTY_DRIVER_H
#define SLHCONSENSUS_TEST_FAULTY_DRIVER_H

#include <pqc/backends.h>
#include <test/saved_variable.h>
#include <test/temp_dir.h>
#include <test/vulkan_fixture.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

namespace slhc::slhdsa::vulkan::test {

/** A device that works until it is told otherwise, and again from the end of this object on, so that no thread stays in its driver. */
class FaultyDriver
{
public:
    ~FaultyDriver() { Mend(); }
    FaultyDriver() = default;
    FaultyDriver(const FaultyDriver&) = delete;
    FaultyDriver& operator=(const FaultyDriver&) = delete;

    /** @param[in] fault  see fault_layer.cpp */
    void Break(const std::string& fault) const { std::ofstream{m_file} << fault; }
    void Mend() const { std::filesystem::remove(m_file); }
    /** True if "blob" had something to refuse. */
    [[nodiscard]] bool HasRefused() const { return std::filesystem::exists(m_file + ".refused"); }

    /** Select the device that is tested. */
    [[nodiscard]] std::optional<Backends> Select(std::string& error, const std::string& cache_dir = {},
                                                 std::chrono::milliseconds listing_limit = LISTING_LIMIT)
    {
        const std::string device{DeviceToTest()};
        return SelectBackends("vulkan" + (device.empty() ? "" : ":" + device),
                              {.logger = log.MakeLogger(), .cache_dir = cache_dir, .listing_limit = listing_limit}, error);
    }

    LogRecord log;

private:
    const slhc::test::TempDir m_dir;
    const std::string m_file{m_dir.Path() + "/fault"};
    // The validation layer may be there, too
    const slhc::test::SavedVariable m_path{
        "VK_LAYER_PATH", SLHC_FAULT_LAYER_DIR
        ":/usr/share/vulkan/explicit_layer.d:/usr/local/share/vulkan/explicit_layer.d:/etc/vulkan/explicit_layer.d"};
    const slhc::test::SavedVariable m_layers{"VK_INSTANCE_LAYERS", "VK_LAYER_SLHC_fault"};
    const slhc::test::SavedVariable m_variable{"SLHC_FAULT_FILE", m_file.c_str()};
};

} // namespace slhc::slhdsa::vulkan::test

#endif // SLHCONSENSUS_TEST_FAULTY_DRIVER_H
