// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_PQC_DEVICE_PROTOCOL_H
#define SLHCONSENSUS_PQC_DEVICE_PROTOCOL_H

#include <pqc/device/device_link.h>
#include <pqc/device/entry.h>
#include <pqc/slhdsa/params.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

/** The conversation of the library with slhgpu, the program that runs a device's driver. Both are parts of one build on one machine, so a
 *  message is a structure as it lies in memory, followed by some text; it is one packet of a socket. The program says first who it is. */
namespace slhc::slhdsa {

/** What the program says first: the version of the library, and of these messages, of an entry's layout and of a slot's. */
extern const std::string_view DEVICE_GREETING;

/** The descriptor under which the program finds the socket. */
inline constexpr int DEVICE_SOCKET{3};
/** And a descriptor of the library's process (pidfd_open(2)): a child that this has forked keeps the socket open when it ends. */
inline constexpr int DEVICE_PARENT{4};

inline constexpr size_t MAX_MESSAGE_TEXT{16'384}; //!< bytes

struct DeviceRequest {
    enum class Kind : uint32_t {
        LIST,         //!< answered by DEVICES
        OPEN,         //!< device `index`; the text is the folder for pipeline caches, or empty; answered by OPENED
        MEMORY,       //!< with a descriptor of memory for all slots (SlotLayout); answered by PREPARED for 128s
        PREPARE,      //!< for a set, beside other work; answered by PREPARED
        SUBMIT,       //!< the first `count` entries of a slot; answered by DONE when their roots are there
        FORGET_CACHE, //!< delete what was kept on disk for the device; not answered
    };
    // For tests.
    static constexpr uint32_t VALIDATE{1};  //!< LIST: switch on the Khronos validation layer
    static constexpr uint32_t AS_GPU{2};    //!< OPEN: as if the device were a discrete GPU, with memory of its own
    static constexpr uint32_t NO_IMPORT{4}; //!< OPEN: the driver does not use the shared memory itself

    Kind kind{};
    uint32_t index{0};    //!< of the device, or the slot
    ParameterSet set{};
    uint32_t flags{0};
    uint64_t count{0};    //!< SUBMIT: entries; OPEN: the most entries of a slot, 0: as suits the device
};

struct DeviceReply {
    enum class Kind : uint32_t {
        GREETING,
        DEVICES,  //!< the text has a line for each device, see DescribeDevice(); or says why there are none
        OPENED,   //!< the text is empty, or says why not
        PREPARED,
        DONE,
        SAYS,     //!< a message of the validation layer, at any time
    };
    Kind kind{};
    LinkStatus status{LinkStatus::OK};
    uint32_t slot{0};         //!< DONE
    uint32_t slots{0};        //!< OPENED
    uint32_t on_cpu{0};       //!< OPENED
    uint32_t is_fault{0};     //!< DEVICES: something is wrong; otherwise this machine just has none
    uint64_t capacity{0};     //!< OPENED: see SlotLayout; PREPARED: see DeviceLink
    uint64_t full_layout{0};  //!< PREPARED
    uint64_t least_chunk{0};  //!< PREPARED
};

/** The parts of a slot in the shared memory: entries, written by the library, then roots, written by the program. */
struct SlotLayout {
    /** Twice what slhgpu asks for on its largest device: together 260 MB, or 32,768 signatures of 128s. */
    static constexpr size_t MAX_SLOTS{4}, MAX_CAPACITY{8'192};
    static constexpr size_t PAGE{65'536}; //!< at least the alignment that drivers ask for

    /** @param[in] capacity  the most entries of any set, and how many of 128s there is room for */
    explicit constexpr SlotLayout(size_t capacity)
        : entries_size{capacity * DeviceEntry::Size(PARAMS_128S)}
    {
        for (const ParameterSetEntry& entry : PARAMETER_SETS) entries_size = std::max(entries_size, DeviceEntry::Size(entry.params));
        roots_at = RoundUp(entries_size);
        stride = roots_at + RoundUp(capacity * sizeof(Root));
    }

    size_t entries_size;
    size_t roots_at; //!< from a slot's beginning
    size_t stride;   //!< from slot to slot

    /** The entries of another set that a slot has room for. */
    static constexpr size_t CapacityFor(const Params& params, size_t capacity)
    {
        return std::min(SlotLayout{capacity}.entries_size / DeviceEntry::Size(params), capacity);
    }

    static constexpr size_t RoundUp(size_t size) { return (size + PAGE - 1) / PAGE * PAGE; }
};

} // namespace slhc::slhdsa

#endif // SLHCONSENSUS_PQC_DEVICE_PROTOCOL_H
