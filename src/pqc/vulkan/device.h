// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_PQC_VULKAN_DEVICE_H
#define SLHCONSENSUS_PQC_VULKAN_DEVICE_H

#include <pqc/vulkan/open.h>
#include <pqc/vulkan/queue_place.h>
#include <pqc/vulkan/shape.h>

// The loader is opened at run time: nothing here links to it. Vulkan-Hpp goes into our namespace, since a program
// that links this library statically may have another version of it.
#define VULKAN_HPP_NAMESPACE slhc::vk
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
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

/** Handles of Vulkan, each owned by one object. Everything here throws vk::SystemError or std::runtime_error; it
 *  ends at OpenDevice and at the link. */
namespace slhc::slhdsa::vulkan {

/** Nothing is wrong, but this machine or program has no devices. */
class NoDevices : public std::runtime_error
{
public:
    using std::runtime_error::runtime_error;
};

/** Open the loader. @throws NoDevices if there is none */
[[nodiscard]] vk::raii::Context OpenLoader();

/** The loader and an instance of API version 1.1. */
class Instance
{
public:
    using OnMessage = std::function<void(const std::string& message)>;

    /** @param[in] on_message  see OpenOptions::on_validation_message; must outlive the object
     *  @throws NoDevices if there is no loader or no driver */
    explicit Instance(const OnMessage* on_message);
    ~Instance();
    Instance(const Instance&) = delete;
    Instance& operator=(const Instance&) = delete;

    /** A device that has a compute queue and API version 1.1. */
    struct Candidate {
        DeviceDescription description;
        vk::raii::PhysicalDevice handle;
        vk::PhysicalDeviceType type;
        uint32_t queue_family; //!< one that computes, without graphics if possible
    };
    [[nodiscard]] std::vector<Candidate> Candidates() const;

private:
    vk::raii::Context m_context{OpenLoader()};
    vk::raii::Instance m_instance;
    vk::raii::DebugUtilsMessengerEXT m_messenger;
};

/** Choose as OpenDevice says. @throws std::runtime_error that names what is missing */
[[nodiscard]] Instance::Candidate ChooseDevice(const Instance& instance, std::string_view which);

/** A logical device with a queue that computes and one that uploads, which may be the same. */
class Device
{
public:
    /** @param[in] as_gpu  see OpenOptions */
    Device(const Instance::Candidate& candidate, bool as_gpu);

    const vk::raii::PhysicalDevice physical;
    const vk::PhysicalDeviceType type;
    const QueuePlace compute_place;
    const QueuePlace upload_place;
    const vk::PhysicalDeviceProperties properties;
    const uint32_t subgroup_size;
    const bool is_llvmpipe;
    const vk::raii::Device handle;
    const vk::raii::Queue compute_queue;
    const vk::raii::Queue upload_queue;

    [[nodiscard]] DeviceTraits Traits() const;
    /** See ChooseMemoryType. @throws std::runtime_error if there is none */
    [[nodiscard]] uint32_t FindMemoryType(uint32_t allowed, vk::MemoryPropertyFlags required, vk::MemoryPropertyFlags preferred) const;
    /** See HasUnifiedMemory() in memory_type.h. */
    [[nodiscard]] bool HasUnifiedMemory() const;
};

} // namespace slhc::slhdsa::vulkan

#endif // SLHCONSENSUS_PQC_VULKAN_DEVICE_H
