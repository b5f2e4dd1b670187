// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_PQC_DEVICE_DEVICE_LINK_H
#define SLHCONSENSUS_PQC_DEVICE_DEVICE_LINK_H

#include <pqc/device/entry.h>

#include <chrono>
#include <cstddef>
#include <span>
#include <string_view>

namespace slhc::slhdsa {

enum class LinkStatus {
    OK,
    LATE,          //!< not done within the time limit
    LOST,          //!< the device is gone, or its driver is
    OUT_OF_MEMORY,
    ERROR,         //!< any other fault that a driver may report
    INTERRUPTED,   //!< no fault: the caller has no more use for the device
    UNSUPPORTED,   //!< a parameter set that it cannot be made ready for; it goes on with the others
};

/** One or two words for a log. */
[[nodiscard]] std::string_view LinkStatusName(LinkStatus status) noexcept;

/** A device that runs the verification shader, in a process of its own (process_link.h). Tests replace it. It
 *  has slots, each with memory for some entries and their roots, which work independently of one another; a slot cycles through Entries,
 *  Submit, Wait and Roots. Not thread-safe; nothing throws. */
class DeviceLink
{
public:
    virtual ~DeviceLink() = default;

    [[nodiscard]] virtual size_t Slots() const noexcept = 0; //!< at least 1

    /** Begin to make ready for a parameter set, e.g. compile the shader, beside other work, one set at a time: 128s is ready from the
     *  beginning. May be called by another thread than the one that uses the slots. */
    [[nodiscard]] virtual LinkStatus StartPreparing(ParameterSet) noexcept { return LinkStatus::OK; }

    /** True if Prepare() need not wait, as far as is known without a look at AnswerDescriptor(). */
    [[nodiscard]] virtual bool IsAnswered() const noexcept { return true; }

    /** A descriptor that is readable when there may be an answer. */
    [[nodiscard]] virtual int AnswerDescriptor() const noexcept { return -1; }

    /** End what StartPreparing() has begun. All that follows about a set is for one that is ready.
     *  @param[in] limit  for waiting */
    [[nodiscard]] virtual LinkStatus Prepare(ParameterSet set, std::chrono::nanoseconds limit) noexcept = 0;

    [[nodiscard]] virtual size_t Capacity(ParameterSet set) const noexcept = 0; //!< entries of a slot, at least 1

    /** The fewest entries, at most Capacity(), that fill the device once with full workgroups. */
    [[nodiscard]] virtual size_t FullLayout(ParameterSet set) const noexcept = 0;

    /** The fewest entries, from 1 to Capacity(), that are worth a chunk of their own: a batch is cut so that some chunks are filled while
     *  others are computed, but small ones would leave the device idle. */
    [[nodiscard]] virtual size_t LeastChunk(ParameterSet set) const noexcept { return Capacity(set); }

    /** True if the device computes on the CPU's cores, and so is slower whenever others use them. */
    [[nodiscard]] virtual bool OnCpu() const noexcept { return false; }

    /** The memory to write entries to, one behind the other: as many bytes as Capacity() entries of any set have, or more.
     *  @pre the slot is not at work */
    [[nodiscard]] virtual std::span<uint8_t> Entries(size_t slot) noexcept = 0;

    /** Start the device on the slot's first count entries. @pre 0 < count <= Capacity(set), the slot is not at work */
    [[nodiscard]] virtual LinkStatus Submit(size_t slot, ParameterSet set, size_t count) noexcept = 0;

    /** Wait until the slot's work is done. Any result other than OK and LATE means that it never will be. */
    [[nodiscard]] virtual LinkStatus Wait(size_t slot, std::chrono::nanoseconds limit) noexcept = 0;

    /** The device's results: for each entry its root XOR its mask. @pre Wait has returned OK since the last Submit */
    [[nodiscard]] virtual std::span<const Root> Roots(size_t slot) noexcept = 0;

    /** Delete what earlier runs left on disk to save work in this one. */
    virtual void ForgetCache() noexcept {}

    /** The process that runs the driver. */
    [[nodiscard]] virtual DriverProcess Process() const { return {}; }

    /** A descriptor that is readable once that process has ended; -1: there is none. */
    [[nodiscard]] virtual int ProcessDescriptor() const noexcept { return -1; }

    /** End all work, also such as was not seen to end. Nothing else is called after this. */
    virtual void Abandon() noexcept = 0;
};

} // namespace slhc::slhdsa

#endif // SLHCONSENSUS_PQC_DEVICE_DEVICE_LINK_H
