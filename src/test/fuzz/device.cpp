// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

// A device that lies: any quad of an upload may get lost, any root may be wrong or change after the wait, any call may fail, at any time.
// Every verdict is the CPU's all the same, and a device that was caught gets no more work.

#include <crypto/sha256.h>
#include <pqc/device/root_computer.h>
#include <pqc/judge.h>
#include <pqc/verifier.h>
#include <test/core/choices.h>
#include <test/fuzz/fuzz.h>

#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <vector>

using namespace slhc;
using namespace slhc::slhdsa;
using slhc::test::Require;

namespace {

constexpr size_t ENTRY_SIZE{DeviceEntry::Size(PARAMS_128S)};
constexpr size_t QUADS{ENTRY_SIZE / N};
constexpr size_t MASK_AT{offsetof(DeviceEntryHead, mask)};

using Entry = std::array<Root, QUADS>;

/** Stands in for FORS and the hypertree: every bit of an entry without a mask counts. The last node counts as it is, so that a
 *  signature can be made for any root. */
Root QuickRoot(const Entry& entry)
{
    std::array<uint8_t, CSHA256::OUTPUT_SIZE> hash;
    CSHA256{}.Write(entry.front().data(), ENTRY_SIZE - N).Finalize(hash.data());
    Root root;
    for (size_t i{0}; i < N; ++i) root[i] = hash[i] ^ entry.back()[i];
    return root;
}

Root QuickRoot(const RootJob& job)
{
    Entry entry;
    FillEntry({entry.front().data(), ENTRY_SIZE}, job, Root{});
    return QuickRoot(entry);
}

class QuickCpu final : public RootBackend
{
public:
    std::string_view Name() const noexcept override { return "cpu:quick"; }
    size_t PreferredJobs() const noexcept override { return 4; }
    BackendStatus ComputeRoots(std::span<const RootJob> jobs, std::span<Root> roots) override
    {
        std::ranges::transform(jobs, roots.begin(), [](const RootJob& job) { return QuickRoot(job); });
        return BackendStatus::OK;
    }
};

/** A device's misdeeds. */
struct Record {
    bool wrong_root{false}; //!< has returned one that differs from the CPU's for the same entry
    bool failed{false};
    bool abandoned{false};
    bool used_after_failure{false};
};

/** Takes its decisions from the fuzzer. Like an honest device, it can compute roots, and does not know PK.root. */
class LyingLink final : public DeviceLink
{
public:
    LyingLink(test::Choices& choices, Record& record)
        : m_choices{choices}
        , m_record{record}
        , m_capacity{1 + choices.Below(5)}
        , m_least_chunk{1 + choices.Below(m_capacity)}
        , m_slots(1 + choices.Below(3))
    {
        for (Slot& slot : m_slots) {
            slot.given.resize(m_capacity);
            slot.seen.resize(m_capacity);
            slot.roots.resize(m_capacity);
        }
    }

    size_t Slots() const noexcept override { return m_slots.size(); }
    LinkStatus Prepare(ParameterSet) noexcept override { return LinkStatus::OK; }
    size_t Capacity(ParameterSet) const noexcept override { return m_capacity; }
    size_t FullLayout(ParameterSet) const noexcept override { return std::min<size_t>(m_capacity, 3); }
    size_t LeastChunk(ParameterSet) const noexcept override { return m_least_chunk; }
    void Abandon() noexcept override { m_record.abandoned = true; }

    std::span<uint8_t> Entries(size_t slot) noexcept override
    {
        Require(!m_slots[slot].at_work, "entries of a slot at work are left alone");
        return {m_slots[slot].given.front().front().data(), m_capacity * ENTRY_SIZE};
    }

    LinkStatus Submit(size_t slot, ParameterSet, size_t count) noexcept override
    {
        m_record.used_after_failure |= m_record.failed;
        Slot& at{m_slots[slot]};
        Require(count > 0 && count <= m_capacity && !at.at_work, "a slot is asked for what it can do");
        if (m_choices.OneIn(32)) return Fail();
        at.count = count;
        at.at_work = true;
        const bool whole{!m_choices.OneIn(4)};
        for (size_t i{0}; i < count; ++i) Upload(at, i, whole);
        return LinkStatus::OK;
    }

    LinkStatus Wait(size_t slot, std::chrono::nanoseconds) noexcept override
    {
        m_record.used_after_failure |= m_record.failed;
        if (m_choices.OneIn(32)) return Fail();
        Slot& at{m_slots[slot]};
        at.at_work = false;
        at.before = at.roots;
        const bool honest{!m_choices.OneIn(4)};
        for (size_t i{0}; i < at.count; ++i) {
            at.roots[i] = Masked(at.seen[i]);
            if (!honest && m_choices.Bool()) Lie(at, i);
        }
        return LinkStatus::OK;
    }

    std::span<const Root> Roots(size_t slot) noexcept override
    {
        m_record.used_after_failure |= m_record.failed;
        Slot& at{m_slots[slot]};
        Require(!at.at_work, "roots are read when they are there");
        if (m_choices.OneIn(16)) Lie(at, m_choices.Below(at.count));
        for (size_t i{0}; i < at.count; ++i) m_record.wrong_root |= at.roots[i] != Masked(at.given[i]);
        return at.roots;
    }

private:
    struct Slot {
        std::vector<Entry> given, seen;
        std::vector<Root> roots, before;
        size_t count{0};
        bool at_work{false};
    };

    static const Root& MaskOf(const Entry& masked) { return masked[MASK_AT / N]; }

    static Root Masked(const Entry& masked)
    {
        Entry entry{masked};
        for (Root& quad : entry) {
            for (size_t i{0}; i < N; ++i) quad[i] ^= MaskOf(masked)[i];
        }
        Root root{QuickRoot(entry)};
        for (size_t i{0}; i < N; ++i) root[i] ^= MaskOf(masked)[i];
        return root;
    }

    /** Some quads keep the content of an earlier upload, or are another entry's. */
    void Upload(Slot& slot, size_t i, bool whole)
    {
        const Entry kept{slot.seen[i]};
        slot.seen[i] = slot.given[i];
        if (whole) return;
        const Entry& source{m_choices.Bool() ? kept : slot.given[m_choices.Below(slot.count)]};
        const size_t begin{m_choices.Below(QUADS)}, end{begin + m_choices.Below(QUADS - begin + 1)};
        std::copy(source.begin() + begin, source.begin() + end, slot.seen[i].begin() + begin);
    }

    void Lie(Slot& slot, size_t i)
    {
        Root& root{slot.roots[i]};
        switch (m_choices.Below(6)) {
        case 0: root[m_choices.Below(N)] ^= static_cast<uint8_t>(m_choices.Below(256)); break;
        case 1: root = slot.before[m_choices.Below(slot.before.size())]; break;
        case 2: root = slot.roots[m_choices.Below(slot.roots.size())]; break;
        case 3: root = MaskOf(slot.given[i]); break;
        case 4: root.fill(static_cast<uint8_t>(m_choices.Below(256))); break;
        default: std::ranges::copy(m_choices.Bytes(N), root.begin()); break;
        }
    }

    LinkStatus Fail()
    {
        m_record.failed = true;
        return m_choices.Pick({LinkStatus::LATE, LinkStatus::LOST, LinkStatus::OUT_OF_MEMORY, LinkStatus::ERROR});
    }

    test::Choices& m_choices;
    Record& m_record;
    const size_t m_capacity, m_least_chunk;
    std::vector<Slot> m_slots;
};

/** The link behind the interface that a verifier knows, without a thread of its own. */
class LyingDevice final : public RootBackend
{
public:
    LyingDevice(test::Choices& choices, Record& record)
        : m_choices{choices}, m_computer{std::make_shared<LyingLink>(choices, record), {.least = std::chrono::seconds{1}}}
    {
    }
    std::string_view Name() const noexcept override { return "device:lying"; }
    size_t PreferredJobs() const noexcept override { return 8; }
    bool IsDevice() const noexcept override { return true; }
    BackendStatus ComputeRoots(std::span<const RootJob> jobs, std::span<Root> roots) override
    {
        if (m_choices.OneIn(16)) return BackendStatus::BUSY;
        return m_computer.Compute(jobs, roots) == LinkStatus::OK ? BackendStatus::OK : BackendStatus::FAILED;
    }

private:
    test::Choices& m_choices;
    RootComputer m_computer;
};

struct Signed {
    PublicKey public_key;
    std::array<uint8_t, 32> message;
    std::vector<uint8_t> signature;
    Verdict expected;

    [[nodiscard]] CheckView View() const { return {public_key.data(), *MessagePieces::Pure(message, {}), signature}; }
};

/** A valid signature. */
Signed MakeSigned(uint64_t seed)
{
    Signed made;
    test::SeededChoices filler{seed};
    std::ranges::copy(filler.Bytes(made.message.size()), made.message.begin());
    std::ranges::copy(filler.Bytes(made.public_key.size()), made.public_key.begin());
    made.signature = filler.Bytes(SIGNATURE_SIZE);
    const Root root{QuickRoot(PrepareRootJob(made.View()))};
    for (size_t i{0}; i < N; ++i) made.signature[SIGNATURE_SIZE - N + i] ^= root[i] ^ made.public_key[N + i];
    made.expected = Verdict::VALID;
    return made;
}

/** Valid, or invalid by a bit somewhere or by its size. Some differ from others only in that. */
Signed SomeSignature(test::Choices& choices)
{
    static const std::array<Signed, 3> s_valid{MakeSigned(0), MakeSigned(1), MakeSigned(2)};
    Signed made{choices.PickFrom(s_valid)};
    if (!choices.OneIn(3)) return made;
    made.expected = Verdict::INVALID;
    const uint8_t bit{static_cast<uint8_t>(1U << choices.Below(8))};
    switch (choices.Below(4)) {
    case 0: made.signature[choices.Below(SIGNATURE_SIZE)] ^= bit; break;
    case 1: made.public_key[choices.Below(made.public_key.size())] ^= bit; break;
    case 2: made.message[choices.Below(made.message.size())] ^= bit; break;
    default: made.signature.resize(choices.Pick<size_t>({0, N, SIGNATURE_SIZE - 1, SIGNATURE_SIZE + 1})); break;
    }
    return made;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    test::FuzzedChoices choices{{data, size}};
    Record record;
    // One thread, so that the order of the device's decisions is the input's.
    static const auto s_pool{std::make_shared<ThreadPool>(1)};
    static const auto s_cpu{std::make_shared<QuickCpu>()};
    const bool device_only{choices.Bool()};
    Verifier verifier{{.cpu = s_cpu, .devices = {std::make_shared<LyingDevice>(choices, record)}, .device_only = device_only},
                      s_pool,
                      std::make_shared<const Logger>(),
                      device_only ? Verifier::DeviceShare{} : [](size_t n) { return n - n / 4; }};
    for (uint64_t calls{1 + choices.Below(3)}; calls > 0; --calls) {
        std::vector<Signed> signatures;
        for (uint64_t n{choices.Below(12)}; n > 0; --n) signatures.push_back(SomeSignature(choices));
        std::vector<CheckView> checks;
        for (const Signed& one : signatures) checks.push_back(one.View());
        std::vector<Verdict> verdicts(checks.size());
        Require(verifier.VerifyMany(checks, verdicts), "a device holds nothing up");
        for (size_t i{0}; i < verdicts.size(); ++i) Require(verdicts[i] == signatures[i].expected, "the verdict is the CPU's");
        const BackendStatistics statistics{verifier.Statistics().at(1)};
        Require(statistics.retired == (record.failed || statistics.wrong_roots > 0), "a device that was caught, and no other, is retired");
        Require(statistics.wrong_roots == 0 || record.wrong_root, "a device that told the truth is not caught");
        Require(statistics.retired || !record.wrong_root, "a device that lied is caught");
        Require(record.abandoned == record.failed, "a link that failed, and no other, is abandoned");
    }
    Require(!record.used_after_failure, "a link that failed is not used again");
    return 0;
}
