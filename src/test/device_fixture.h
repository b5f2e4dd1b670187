// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TEST_DEVICE_FIXTURE_H
#define SLHCONSENSUS_TEST_DEVICE_FIXTURE_H

#include <pqc/cpu/engines.h>
#include <pqc/device/device_backend.h>
#include <pqc/device/device_link.h>
#include <pqc/device/process_link.h>
#include <pqc/slhdsa/slhdsa.h>
#include <pqc/verifier.h>
#include <test/batch_fixture.h>
#include <test/device_entry.h>

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <bitset>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

/** Devices that fail on purpose, and the scenes in which they do: used over a device made of scalar code, and over
 *  a real one where there is one. */
namespace slhc::slhdsa::test {

/** An entry of 128s. */
struct Entry {
    DeviceEntryHead head;
    std::array<DeviceWord, 16> fors_indexes; //!< the last two are padding
    std::array<uint8_t, SIGNATURE_SIZE - N> values;
};
static_assert(sizeof(Entry) == DeviceEntry::Size(PARAMS_128S) && offsetof(Entry, fors_indexes) == DeviceEntry::INDEXES_AT &&
              offsetof(Entry, values) == DeviceEntry::ValuesAt(PARAMS_128S));

/** The number of quads in an entry of 128s, the smallest parts that may not arrive. */
inline constexpr size_t QUADS{sizeof(Entry) / N};

/** The entries of 128s in a slot. */
inline std::span<Entry> EntriesOf(std::span<uint8_t> bytes)
{
    return {reinterpret_cast<Entry*>(bytes.data()), bytes.size() / sizeof(Entry)};
}

inline constexpr size_t LARGEST_ENTRY{[] {
    size_t size{0};
    for (const ParameterSetEntry& entry : PARAMETER_SETS) size = std::max(size, DeviceEntry::Size(entry.params));
    return size;
}()};

/** A device without a device. */
class SoftwareLink final : public DeviceLink
{
public:
    /** @param[in] capacity  entries of a slot
     *  @param[in] slots     their number */
    explicit SoftwareLink(size_t capacity, size_t slots = 2)
        : m_capacity{capacity}
        , m_slots(slots, Slot{std::vector<uint8_t>(capacity * LARGEST_ENTRY), std::vector<Root>(capacity)})
    {
    }

    size_t Slots() const noexcept override { return m_slots.size(); }
    LinkStatus Prepare(ParameterSet, std::chrono::nanoseconds) noexcept override { return LinkStatus::OK; }
    size_t Capacity(ParameterSet) const noexcept override { return m_capacity; }
    size_t FullLayout(ParameterSet) const noexcept override { return std::min<size_t>(m_capacity, 3); }
    std::span<uint8_t> Entries(size_t slot) noexcept override { return m_slots[slot].entries; }
    std::span<const Root> Roots(size_t slot) noexcept override { return m_slots[slot].roots; }
    LinkStatus Submit(size_t slot, ParameterSet set, size_t count) noexcept override
    {
        const size_t size{DeviceEntry::Size(ParamsOf(set))};
        for (size_t i = 0; i < count; ++i) m_slots[slot].roots[i] = MaskedRoot(set, {&m_slots[slot].entries[i * size], size});
        return LinkStatus::OK;
    }
    LinkStatus Wait(size_t, std::chrono::nanoseconds) noexcept override { return LinkStatus::OK; }
    void Abandon() noexcept override {}

private:
    struct Slot {
        std::vector<uint8_t> entries;
        std::vector<Root> roots;
    };
    size_t m_capacity;
    std::vector<Slot> m_slots;
};

/** The device that tests use: the one that SLHC_BACKEND=vulkan:<device> names, else the best one. */
inline std::string DeviceToTest()
{
    const char* const name{std::getenv("SLHC_BACKEND")};
    const std::string_view prefix{"vulkan:"};
    return name && std::string_view{name}.starts_with(prefix) ? name + prefix.size() : "";
}

/** A precondition of suites, which are skipped without a device. */
inline boost::test_tools::assertion_result HasDevice(boost::unit_test::test_unit_id)
{
    boost::test_tools::assertion_result result{true};
    try {
        (void)ListDevices({});
    } catch (const std::exception& e) {
        result = false;
        result.message() << "there is no Vulkan device: " << e.what();
    }
    return result;
}

/** The first argument of a DeviceBackend::OpenLink, which most tests ignore. */
using Stop = const std::stop_token&;

/** True if there is no such process, or will be none soon, or one that is stopped. */
inline bool Ends(int64_t id)
{
    const auto end{std::chrono::steady_clock::now() + std::chrono::minutes{1}};
    while (std::chrono::steady_clock::now() < end) {
        // One that ended, but that nobody has waited for, has a state of Z. Its threads stop one by one.
        std::error_code gone;
        bool works{false};
        for (const auto& thread : std::filesystem::directory_iterator{"/proc/" + std::to_string(id) + "/task", gone}) {
            std::ifstream stat{thread.path() / "stat"};
            std::string number, name, state;
            works |= static_cast<bool>(stat >> number >> name >> state) && state != "Z" && state != "T";
        }
        if (!works) return true;
        std::this_thread::sleep_for(std::chrono::milliseconds{1});
    }
    return false;
}

/** For calls whose time does not matter. */
inline constexpr TimeLimits NO_HURRY{.least = std::chrono::minutes{2}};

/** The fault of a device. */
enum class Fault {
    NONE,
    ALL_ROOTS_WRONG,
    ONE_ROOT_WRONG,
    PREVIOUS_RESULTS, //!< those of the dispatch before
    ALL_ZERO,
    ALL_ONE,
    STALE_INPUT,      //!< the device sees the input of the dispatch before
    STALE_HEAD,       //!< ... where the first quads of an entry would be, with the mask
    STALE_TAIL,       //!< ... in the second half of an entry
    STALE_BUT_MASK,   //!< ... everywhere but in the mask
    STALE_PART,       //!< ... in the quads that FaultControl::kept names
    HANG,             //!< no call returns
    LOST_ON_SUBMIT,
    LOST_ON_WAIT,
    NO_MEMORY,
    DRIVER_ERROR,
};

inline constexpr std::array ALL_FAULTS{Fault::ALL_ROOTS_WRONG, Fault::ONE_ROOT_WRONG, Fault::PREVIOUS_RESULTS, Fault::ALL_ZERO,
                                       Fault::ALL_ONE,         Fault::STALE_INPUT,    Fault::STALE_HEAD,       Fault::STALE_TAIL,
                                       Fault::STALE_BUT_MASK,  Fault::HANG,           Fault::LOST_ON_SUBMIT,   Fault::LOST_ON_WAIT,
                                       Fault::NO_MEMORY,       Fault::DRIVER_ERROR};

inline const char* FaultName(Fault fault)
{
    static constexpr std::array NAMES{"none",           "all roots wrong",
                                      "one root wrong", "previous results",
                                      "all zero",       "all one",
                                      "stale input",    "stale head",
                                      "stale tail",     "stale but for the mask",
                                      "stale part",     "hang",
                                      "lost on submit", "lost on wait",
                                      "no memory",      "driver error"};
    return NAMES[static_cast<size_t>(fault)];
}

/** A test's control over a FaultyLink, and its observations. */
struct FaultControl {
    std::atomic<Fault> fault{Fault::NONE};
    std::bitset<QUADS> kept; //!< for STALE_PART; not changed while the device is at work
    std::atomic<size_t> submits{0};
    std::atomic<bool> abandoned{false};
    std::atomic<bool> used_after_fault{false};
};

/** Passes everything on, and does what it is told to. */
class FaultyLink final : public DeviceLink
{
public:
    FaultyLink(std::unique_ptr<DeviceLink> inner, std::shared_ptr<FaultControl> control)
        : m_inner{std::move(inner)}
        , m_control{std::move(control)}
        , m_entries(m_inner->Slots())
        , m_roots(m_inner->Slots())
        , m_counts(m_inner->Slots())
        , m_sets(m_inner->Slots())
    {
        for (size_t slot = 0; slot < m_inner->Slots(); ++slot) {
            m_entries[slot].resize(m_inner->Entries(slot).size());
            m_roots[slot].resize(m_inner->Capacity(ParameterSet::SHA2_128S));
        }
    }

    size_t Slots() const noexcept override { return m_inner->Slots(); }
    LinkStatus Prepare(ParameterSet set, std::chrono::nanoseconds limit) noexcept override
    {
        const LinkStatus status{m_inner->Prepare(set, limit)};
        if (status != LinkStatus::OK) return status;
        for (std::vector<Root>& roots : m_roots) roots.resize(std::max(roots.size(), m_inner->Capacity(set)));
        return status;
    }
    size_t Capacity(ParameterSet set) const noexcept override { return m_inner->Capacity(set); }
    size_t FullLayout(ParameterSet set) const noexcept override { return m_inner->FullLayout(set); }
    std::span<uint8_t> Entries(size_t slot) noexcept override { return m_entries[slot]; }
    std::span<const Root> Roots(size_t slot) noexcept override { return m_roots[slot]; }

    LinkStatus Submit(size_t slot, ParameterSet set, size_t count) noexcept override
    {
        ++m_control->submits;
        if (m_failed) m_control->used_after_fault = true;
        m_counts[slot] = count;
        m_sets[slot] = set;
        switch (m_control->fault) {
        case Fault::LOST_ON_SUBMIT: return Fail(LinkStatus::LOST);
        case Fault::NO_MEMORY: return Fail(LinkStatus::OUT_OF_MEMORY);
        case Fault::DRIVER_ERROR: return Fail(LinkStatus::ERROR);
        default: Upload(slot, count);
        }
        return m_inner->Submit(slot, set, count);
    }

    LinkStatus Wait(size_t slot, std::chrono::nanoseconds limit) noexcept override
    {
        if (m_control->fault == Fault::LOST_ON_WAIT) return Fail(LinkStatus::LOST);
        if (m_control->fault == Fault::HANG) {
            std::this_thread::sleep_for(limit);
            return LinkStatus::LATE;
        }
        const LinkStatus status{m_inner->Wait(slot, limit)};
        if (status != LinkStatus::OK) return status;
        const std::span<const Root> real{m_inner->Roots(slot)};
        std::vector<Root>& roots{m_roots[slot]};
        switch (m_control->fault) {
        case Fault::PREVIOUS_RESULTS: return status; // the copy keeps what it had
        case Fault::ALL_ZERO: std::fill_n(roots.begin(), m_counts[slot], Root{}); return status;
        case Fault::ALL_ONE:
            for (size_t i = 0; i < m_counts[slot]; ++i) roots[i].fill(0xff);
            return status;
        default: break;
        }
        std::copy_n(real.begin(), m_counts[slot], roots.begin());
        if (m_control->fault == Fault::ONE_ROOT_WRONG) roots[m_counts[slot] / 2][7] ^= 0x10;
        if (m_control->fault == Fault::ALL_ROOTS_WRONG) {
            for (size_t i = 0; i < m_counts[slot]; ++i) roots[i][i % N] ^= 0x01;
        }
        return status;
    }

    void Abandon() noexcept override
    {
        m_control->abandoned = true;
        m_inner->Abandon();
    }

private:
    [[nodiscard]] bool Keeps(size_t quad, size_t quads) const
    {
        switch (m_control->fault) {
        case Fault::STALE_INPUT: return true;
        case Fault::STALE_HEAD: return quad < sizeof(DeviceEntryHead) / N;
        case Fault::STALE_TAIL: return quad >= quads / 2;
        case Fault::STALE_BUT_MASK: return quad != MASK_QUAD;
        case Fault::STALE_PART: return m_control->kept[quad];
        default: return false;
        }
    }

    void Upload(size_t slot, size_t count)
    {
        const size_t quads{DeviceEntry::Size(ParamsOf(m_sets[slot])) / N};
        for (size_t i = 0; i < count * quads; ++i) {
            if (!Keeps(i % quads, quads)) std::copy_n(&m_entries[slot][i * N], N, &m_inner->Entries(slot)[i * N]);
        }
    }

    LinkStatus Fail(LinkStatus status)
    {
        m_failed = true;
        return status;
    }

    const std::unique_ptr<DeviceLink> m_inner;
    const std::shared_ptr<FaultControl> m_control;
    std::vector<std::vector<uint8_t>> m_entries;
    std::vector<std::vector<Root>> m_roots;
    std::vector<size_t> m_counts;
    std::vector<ParameterSet> m_sets;
    bool m_failed{false};
};

/** Keeps what is logged. */
class LogRecord
{
public:
    [[nodiscard]] std::shared_ptr<const Logger> MakeLogger()
    {
        return std::make_shared<const Logger>(LogLevel::DEBUG, [this](LogLevel level, std::string_view message) {
            const std::lock_guard lock{m_mutex};
            m_lines.push_back(std::string{LogLevelName(level)} + ": " + std::string{message});
        });
    }

    /** True if a warning contains this. */
    [[nodiscard]] bool HasWarning(std::string_view part) const
    {
        const std::lock_guard lock{m_mutex};
        return std::any_of(m_lines.begin(), m_lines.end(),
                           [&](const std::string& line) { return line.starts_with("warning: ") && line.find(part) != std::string::npos; });
    }

    /** True if a line of any level begins like this, with its level in front. */
    [[nodiscard]] bool HasLine(std::string_view beginning) const
    {
        const std::lock_guard lock{m_mutex};
        return std::any_of(m_lines.begin(), m_lines.end(), [&](const std::string& line) { return line.starts_with(beginning); });
    }

    [[nodiscard]] std::string All() const
    {
        const std::lock_guard lock{m_mutex};
        std::string all;
        for (const std::string& line : m_lines) all += line + "\n";
        return all;
    }

    [[nodiscard]] size_t Lines() const
    {
        const std::lock_guard lock{m_mutex};
        return m_lines.size();
    }

private:
    mutable std::mutex m_mutex;
    std::vector<std::string> m_lines;
};

/** Checks with known verdicts: real signatures, and some with one byte changed, each somewhere else. */
struct MixedChecks {
    explicit MixedChecks(size_t n)
    {
        const auto& real{slhdsa::test::RealSignatures()};
        for (size_t i = 0; i < n; ++i) {
            m_signed.push_back(real[i % real.size()]);
            const bool valid{i % 4 != 1};
            if (!valid) m_signed.back().signature[(i * 977) % SIGNATURE_SIZE] ^= static_cast<uint8_t>(1 << (i % 8));
            expected.push_back(valid ? Verdict::VALID : Verdict::INVALID);
        }
        for (const slhdsa::test::Signed& s : m_signed) checks.push_back(CheckOf(s));
    }
    std::vector<CheckView> checks;
    std::vector<Verdict> expected;

private:
    static CheckView CheckOf(const slhdsa::test::Signed& s)
    {
        return {s.public_key.data(), *MessagePieces::Pure(s.message, {}), s.signature, ParameterSet::SHA2_128S};
    }

    std::deque<slhdsa::test::Signed> m_signed;
};

/** One fault of one device, and its expected outcome. */
struct Scene {
    static constexpr std::chrono::milliseconds PATIENCE{60'000};
    using MakeLink = std::function<std::unique_ptr<DeviceLink>()>;

    /** @param[in] limit  the time to wait for the device; the default is for tests that do not wait in vain */
    explicit Scene(const MakeLink& make_link, std::chrono::milliseconds limit = PATIENCE, Fault at_start = Fault::NONE)
    {
        control->fault = at_start;
        backend = std::make_shared<DeviceBackend>(
            "vulkan:faulty",
            [&](Stop, std::string& about) {
                about = "a device that fails";
                return std::make_unique<FaultyLink>(make_link(), control);
            },
            DeviceBackend::Options{.logger = logger,
                                   .least_limit = limit,
                                   .least_limit_on_cpu = limit,
                                   .opening_limit = at_start == Fault::HANG ? limit : PATIENCE,
                                   .reopenings = 0});
        opened = backend->WaitUntilOpened();
        verifier.emplace(Backends{.cpu = CreatePortableEngine(), .devices = {backend}, .device_only = true},
                         std::make_shared<ThreadPool>(2), logger);
    }

    /** Verify all checks; true if every verdict is right. */
    [[nodiscard]] bool VerdictsAreRight(const MixedChecks& mixed)
    {
        std::vector<Verdict> verdicts(mixed.checks.size());
        return verifier->VerifyMany(mixed.checks, verdicts) && verdicts == mixed.expected;
    }

    [[nodiscard]] BackendStatistics Device() const { return verifier->Statistics().at(1); }

    std::shared_ptr<FaultControl> control{std::make_shared<FaultControl>()};
    LogRecord log;
    std::shared_ptr<const Logger> logger{log.MakeLogger()};
    std::shared_ptr<DeviceBackend> backend;
    bool opened{false};
    std::optional<Verifier> verifier;
};

/** A device that works, then fails: every verdict stays right, the device gets no more work, and the log has it all. */
inline void CheckFaultAtWork(Fault fault, const Scene::MakeLink& make_link)
{
    const MixedChecks mixed{23};
    Scene scene{make_link, fault == Fault::HANG ? std::chrono::milliseconds{500} : Scene::PATIENCE};
    BOOST_REQUIRE(scene.opened);
    BOOST_CHECK(scene.VerdictsAreRight(mixed));
    BOOST_CHECK_EQUAL(scene.Device().jobs, mixed.checks.size());
    BOOST_CHECK(scene.Device().ready && !scene.Device().retired && scene.Device().is_device);

    scene.control->fault = fault;
    BOOST_CHECK(scene.VerdictsAreRight(mixed));
    const BackendStatistics after{scene.Device()};
    BOOST_CHECK(after.retired && !after.ready);
    BOOST_CHECK_EQUAL(after.jobs, 2 * mixed.checks.size());
    BOOST_CHECK(scene.backend->State() == DeviceState::RETIRED);
    BOOST_CHECK(scene.log.HasWarning("vulkan:faulty is retired"));
    const bool call_failed{fault >= Fault::HANG};
    BOOST_CHECK_EQUAL(after.failed_calls, call_failed ? 1U : 0U);
    BOOST_CHECK_EQUAL(after.wrong_roots > 0, !call_failed);
    const bool all_wrong{fault == Fault::ALL_ROOTS_WRONG || fault == Fault::PREVIOUS_RESULTS ||
                         (fault >= Fault::STALE_INPUT && fault <= Fault::STALE_PART)};
    if (all_wrong) BOOST_CHECK_EQUAL(after.wrong_roots, mixed.checks.size());

    const size_t submits{scene.control->submits};
    scene.control->fault = Fault::NONE;
    BOOST_CHECK(scene.VerdictsAreRight(mixed));
    BOOST_CHECK_EQUAL(scene.control->submits, submits);
    BOOST_CHECK(!scene.control->used_after_fault);
    scene.verifier.reset();
    scene.backend.reset();
    BOOST_CHECK_EQUAL(scene.control->abandoned, call_failed);
}

/** A device that fails from the start is never given any work. */
inline void CheckFaultAtStart(Fault fault, const Scene::MakeLink& make_link)
{
    const MixedChecks mixed{5};
    Scene scene{make_link, fault == Fault::HANG ? std::chrono::milliseconds{50} : Scene::PATIENCE, fault};
    BOOST_CHECK(!scene.opened);
    const std::string_view fault_found{[&]() -> std::string_view {
        switch (fault) {
        case Fault::HANG: return LinkStatusName(LinkStatus::LATE);
        case Fault::LOST_ON_SUBMIT:
        case Fault::LOST_ON_WAIT: return LinkStatusName(LinkStatus::LOST);
        case Fault::NO_MEMORY: return LinkStatusName(LinkStatus::OUT_OF_MEMORY);
        case Fault::DRIVER_ERROR: return LinkStatusName(LinkStatus::ERROR);
        default: return "its known answers are wrong";
        }
    }()};
    BOOST_CHECK(scene.log.HasWarning("is not used: " + std::string{fault_found}));
    BOOST_CHECK(scene.VerdictsAreRight(mixed));
    BOOST_CHECK_EQUAL(scene.Device().jobs, 0U);
    BOOST_CHECK(!scene.Device().ready && scene.Device().retired);
}

} // namespace slhc::slhdsa::test

#endif // SLHCONSENSUS_TEST_DEVICE_FIXTURE_H
