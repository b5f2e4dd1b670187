// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_PQC_VULKAN_DEVICE_H
#define SLHCONSENSUS_PQC_VULKAN_DEVICE_H

#include <pqc/device/device_choice.h>
#include <pqc/device/protocol.h>
#include <pqc/vulkan/queue_place.h>
#include <pqc/vulkan/shape.h>

// The loader is opened at run time, since the program says so where there is none.
#define VK_NO_PROTOTYPES
#define VULKAN_HPP_DISPATCH_LOADER_DYNAMIC 1
#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wextra-semi"
#pragma GCC diagnostic ignored "-Wpedantic"
#endif
#include <vulkan/vulkan_raii.hpp>
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

/** Handles of Vulkan, each owned by one object. Everything here throws vk::SystemError or std::runtime_error. */
namespace slhc::slhdsa::vulkan {

/** The loader and an instance of API version 1.1. */
class Instance
{
public:
    using OnMessage = std::function<void(const std::string& message)>;

    /** @param[in] on_message  if given, the Khronos validation layer is switched on, and each of its messages goes there; must outlive
     *                         the object
     *  @throws NoDevices if there is no loader or no driver */
    explicit Instance(const OnMessage* on_message);

    /** A device that has a compute queue and API version 1.1. */
    struct Candidate {
        DeviceDescription description;
        vk::raii::PhysicalDevice handle;
        vk::PhysicalDeviceType type;
        uint32_t queue_family; //!< one that computes, without graphics if possible
    };
    [[nodiscard]] std::vector<Candidate> Candidates() const;

private:
    vk::raii::Context m_context;
    vk::raii::Instance m_instance;
    vk::raii::DebugUtilsMessengerEXT m_messenger;
};

/** A logical device with a queue that computes and one that uploads, which may be the same. */
class Device
{
public:
    /** @param[in] flags  AS_GPU, NO_IMPORT of DeviceRequest */
    Device(const Instance::Candidate& candidate, uint32_t flags);

    const vk::raii::PhysicalDevice physical;
    const vk::PhysicalDeviceType type;
    const QueuePlace compute_place;
    const QueuePlace upload_place;
    const vk::PhysicalDeviceProperties properties;
    const uint32_t subgroup_size;
    const bool is_llvmpipe;
    const size_t import_alignment; //!< of memory of this process that the driver can use; 0: none
    const vk::raii::Device handle;
    const vk::raii::Queue compute_queue;
    const vk::raii::Queue upload_queue;

    [[nodiscard]] DeviceTraits Traits() const;
    /** See ChooseMemoryType. @throws std::runtime_error if there is none */
    [[nodiscard]] uint32_t FindMemoryType(uint32_t allowed, vk::MemoryPropertyFlags required, vk::MemoryPropertyFlags preferred) const;
    [[nodiscard]] bool CanImport(const void* memory) const
    {
        return import_alignment != 0 && reinterpret_cast<uintptr_t>(memory) % import_alignment == 0 &&
               SlotLayout::PAGE % import_alignment == 0;
    }
    /** See HasUnifiedMemory() in memory_type.h. */
    [[nodiscard]] bool HasUnifiedMemory() const;
};

} // namespace slhc::slhdsa::vulkan

#endif // SLHCONSENSUS_PQC_VULKAN_DEVICE_H
