// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_PQC_DEVICE_REMOTE_LINK_H
#define SLHCONSENSUS_PQC_DEVICE_REMOTE_LINK_H

#include <pqc/device/device_link.h>

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace slhc::slhdsa {

/** A link whose driver is called in another thread, the one that runs Serve(). So a caller that waits for a slot returns after at most
 *  twice its limit, wherever in the driver that thread hangs. */
class RemoteLink final : public DeviceLink
{
public:
    /** @param[in] link  from now on, only Serve() calls it, except for Entries() and Roots() */
    explicit RemoteLink(std::shared_ptr<DeviceLink> link);

    /** Do what Submit() and Wait() ask for, until Close() or Abandon(); then release the link. */
    void Serve() noexcept;

    /** Serve() ends when all submitted work is done. Nothing else may be called after this. */
    void Close() noexcept;

    size_t Slots() const noexcept override { return m_link->Slots(); }
    /** Never called: Do() it with the link itself. */
    LinkStatus Prepare(ParameterSet) noexcept override { return LinkStatus::ERROR; }
    size_t Capacity(ParameterSet set) const noexcept override { return m_link->Capacity(set); }
    size_t FullLayout(ParameterSet set) const noexcept override { return m_link->FullLayout(set); }
    size_t LeastChunk(ParameterSet set) const noexcept override { return m_link->LeastChunk(set); }
    bool OnCpu() const noexcept override { return m_link->OnCpu(); }
    std::span<uint8_t> Entries(size_t slot) noexcept override { return m_link->Entries(slot); }
    std::span<const Root> Roots(size_t slot) noexcept override { return m_link->Roots(slot); }

    /** Always OK: Wait() returns what the driver says. */
    LinkStatus Submit(size_t slot, ParameterSet set, size_t count) noexcept override;
    /** When the time is up, the driver is asked once more before that is taken for LATE, which takes no longer than limit. */
    LinkStatus Wait(size_t slot, std::chrono::nanoseconds limit) noexcept override;

    /** Let Serve() do something with the link. @pre no slot is at work, and none is submitted before it is done
     *  @throws std::bad_alloc */
    void Do(std::function<void(const std::shared_ptr<DeviceLink>&)> task);

    /** Serve() ends as soon as the driver lets it. Nothing else may be called after this. */
    void Abandon() noexcept override;

private:
    enum class Phase { IDLE, ASKED, AT_WORK, DONE };

    struct Slot {
        Phase phase{Phase::IDLE};
        uint64_t turn{0};                 //!< lower for slots that were submitted earlier
        ParameterSet set{};
        size_t count{0};                  //!< entries
        LinkStatus status{LinkStatus::OK}; //!< when DONE
        bool awaited{false};               //!< Wait() is in it
        bool overdue{false};               //!< and its time is up
        uint64_t not_done{0};              //!< how often the driver was asked and said so
    };

    std::optional<size_t> Oldest(Phase phase) const noexcept;
    bool MustWait() const noexcept;

    std::shared_ptr<DeviceLink> m_link;
    std::mutex m_mutex;               //!< guards what follows
    std::condition_variable m_asked;  //!< Serve() waits for work
    std::condition_variable m_done;   //!< Wait() waits for a slot
    std::vector<Slot> m_slots;
    std::function<void(const std::shared_ptr<DeviceLink>&)> m_task; //!< empty: none
    uint64_t m_next_turn{0};
    LinkStatus m_fault{LinkStatus::OK}; //!< after a fault, the driver is no longer called
    bool m_closed{false};
    bool m_abandoned{false};
};

} // namespace slhc::slhdsa

#endif // SLHCONSENSUS_PQC_DEVICE_REMOTE_LINK_H
