// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_PQC_VULKAN_GPU_H
#define SLHCONSENSUS_PQC_VULKAN_GPU_H

#include <pqc/device/device_choice.h>
#include <pqc/device/protocol.h>

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace slhc::slhdsa::vulkan {

/** The devices of this machine, one of which can be opened and told to work: what DeviceServer asks for. Everything throws; the texts of
 *  exceptions go to the library. */
class Gpu
{
public:
    using OnMessage = std::function<void(const std::string& message)>;

    Gpu();
    ~Gpu();
    Gpu(const Gpu&) = delete;
    Gpu& operator=(const Gpu&) = delete;

    /** @param[in] on_message  if it is one, the Khronos validation layer is switched on, and each of its messages comes here
     *  @throws NoDevices if there is no loader, no driver or no suitable device */
    [[nodiscard]] std::vector<DeviceDescription> List(OnMessage on_message);

    /** Open a device and compile what 128s needs.
     *  @pre List()
     *  @param[in] flags  AS_GPU, NO_IMPORT of DeviceRequest
     *  @return capacity, slots, on_cpu */
    [[nodiscard]] DeviceReply Open(uint32_t index, uint32_t flags, size_t capacity, const std::string& cache_dir);

    /** Make all slots of memory that the library writes entries to, see SlotLayout. @pre Open() */
    void UseMemory(uint8_t* memory);

    /** Make ready for a set. @return capacity, full_layout, least_chunk */
    [[nodiscard]] DeviceReply Prepare(ParameterSet set);

    void Submit(size_t slot, ParameterSet set, size_t count);

    /** Wait for the slot's work, and write its roots to the shared memory. From another thread than the rest. */
    void Collect(size_t slot);

    void ForgetCache() noexcept;

    /** The kind of fault that an exception of these stands for. */
    [[nodiscard]] static LinkStatus StatusOf(const std::exception& e) noexcept;

private:
    struct Drivers;
    struct Opened;
    std::unique_ptr<Drivers> m_drivers;
    std::unique_ptr<Opened> m_opened;
};

} // namespace slhc::slhdsa::vulkan

#endif // SLHCONSENSUS_PQC_VULKAN_GPU_H
