// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

// A device that lies: any quad of an upload may get lost, any root may be wrong or change after the wait, any call may fail, at any time.
// Every verdict is the scalar code's all the same, and a device that was caught gets no more work.

#include <pqc/cpu/portable.h>
#include <pqc/device/root_computer.h>
#include <pqc/verifier.h>
#include <test/core/choices.h>
#include <test/device_entry.h>
#include <test/fuzz/fuzz.h>
#include <test/test_sets.h>

#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <vector>

using namespace slhc;
using namespace slhc::slhdsa;
using slhc::test::Require;

namespace {

/** An entry of any of the signatures has no more. */
constexpr size_t MAX_QUADS{std::max(DeviceEntry::Size(test::TINY), DeviceEntry::Size(test::TINY_W4)) / N};

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
            slot.given.resize(m_capacity * MAX_QUADS);
            slot.seen.resize(m_capacity * MAX_QUADS);
            slot.roots.resize(m_capacity);
        }
    }

    size_t Slots() const noexcept override { return m_slots.size(); }
    LinkStatus Prepare(ParameterSet, std::chrono::nanoseconds) noexcept override { return LinkStatus::OK; }
    size_t Capacity(ParameterSet) const noexcept override { return m_capacity; }
    size_t FullLayout(ParameterSet) const noexcept override { return std::min<size_t>(m_capacity, 3); }
    size_t LeastChunk(ParameterSet) const noexcept override { return m_least_chunk; }
    void Abandon() noexcept override { m_record.abandoned = true; }

    std::span<uint8_t> Entries(size_t slot) noexcept override
    {
        Require(!m_slots[slot].at_work, "entries of a slot at work are left alone");
        return {m_slots[slot].given.front().data(), m_capacity * MAX_QUADS * N};
    }

    LinkStatus Submit(size_t slot, ParameterSet set, size_t count) noexcept override
    {
        m_record.used_after_failure |= m_record.failed;
        Slot& at{m_slots[slot]};
        Require(count > 0 && count <= m_capacity && !at.at_work, "a slot is asked for what it can do");
        if (m_choices.OneIn(32)) return Fail();
        at.set = set;
        at.count = count;
        at.at_work = true;
        const bool whole{!m_choices.OneIn(4)};
        for (size_t i{0}; i < count; ++i) Upload(at, i, whole);
        return LinkStatus::OK;
    }

    LinkStatus Wait(size_t slot, std::chrono::nanoseconds) noexcept override
    {
        if (m_late) return LinkStatus::LATE; // it is looked at again until its time is over
        m_record.used_after_failure |= m_record.failed;
        if (m_choices.OneIn(32)) {
            const LinkStatus status{Fail()};
            m_late = status == LinkStatus::LATE;
            return status;
        }
        Slot& at{m_slots[slot]};
        at.at_work = false;
        at.before = at.roots;
        const bool honest{!m_choices.OneIn(4)};
        for (size_t i{0}; i < at.count; ++i) {
            at.roots[i] = RootOf(at, at.seen, i);
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
        for (size_t i{0}; i < at.count; ++i) m_record.wrong_root |= at.roots[i] != RootOf(at, at.given, i);
        return at.roots;
    }

private:
    struct Slot {
        std::vector<Root> given, seen; //!< the entries, in quads
        std::vector<Root> roots, before;
        ParameterSet set{};
        size_t count{0};
        bool at_work{false};

        size_t Quads() const { return DeviceEntry::Size(ParamsOf(set)) / N; } //!< of an entry
    };

    static Root RootOf(const Slot& slot, const std::vector<Root>& entries, size_t i)
    {
        return MaskedRoot(slot.set, {entries[i * slot.Quads()].data(), slot.Quads() * N});
    }

    /** Some quads keep the content of an earlier upload, or are another entry's. */
    void Upload(Slot& slot, size_t i, bool whole)
    {
        const size_t quads{slot.Quads()};
        const auto given{slot.given.begin() + i * quads}, seen{slot.seen.begin() + i * quads};
        const std::vector<Root> kept(seen, seen + quads);
        std::copy_n(given, quads, seen);
        if (whole) return;
        const auto source{m_choices.Bool() ? kept.begin() : slot.given.cbegin() + m_choices.Below(slot.count) * quads};
        const size_t begin{m_choices.Below(quads)}, end{begin + m_choices.Below(quads - begin + 1)};
        std::copy(source + begin, source + end, seen + begin);
    }

    void Lie(Slot& slot, size_t i)
    {
        Root& root{slot.roots[i]};
        switch (m_choices.Below(6)) {
        case 0: root[m_choices.Below(N)] ^= static_cast<uint8_t>(m_choices.Below(256)); break;
        case 1: root = slot.before[m_choices.Below(slot.before.size())]; break;
        case 2: root = slot.roots[m_choices.Below(slot.roots.size())]; break;
        case 3: root = slot.given[i * slot.Quads() + MASK_QUAD]; break;
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
    bool m_late{false};
};

/** The link behind the interface that a verifier knows, without a thread of its own. */
class LyingDevice final : public RootDevice
{
public:
    LyingDevice(test::Choices& choices, Record& record)
        : m_choices{choices}, m_computer{std::make_shared<LyingLink>(choices, record), {.least = std::chrono::milliseconds{1}}}
    {
    }
    std::string_view Name() const noexcept override { return "device:lying"; }
    size_t PreferredJobs() const noexcept override { return 8; }
    DeviceState State() const noexcept override { return m_retired ? DeviceState::RETIRED : DeviceState::READY; }
    SetState PrepareSet(ParameterSet) noexcept override { return SetState::READY; }
    std::optional<Pace> MeasuredPace() const noexcept override { return Pace{}; }
    bool Retire() noexcept override { return !m_retired.exchange(true); }
    BackendStatus ComputeRoots(std::span<const RootJob> jobs, std::span<Root> roots) override
    {
        if (m_choices.OneIn(16)) return BackendStatus::BUSY;
        return m_computer.Compute(jobs, roots) == LinkStatus::OK ? BackendStatus::OK : BackendStatus::FAILED;
    }

private:
    test::Choices& m_choices;
    RootComputer m_computer;
    std::atomic<bool> m_retired{false};
};

struct Signed {
    ParameterSet set;
    PublicKey public_key;
    std::array<uint8_t, 32> message;
    std::vector<uint8_t> signature;

    [[nodiscard]] CheckView View() const { return {public_key.data(), *MessagePieces::Pure(message, {}), signature, set}; }
};

/** A valid signature. */
Signed MakeSigned(ParameterSet set, uint64_t seed)
{
    Signed made{.set = set, .public_key = {}, .message = {}, .signature = std::vector<uint8_t>(ParamsOf(set).SignatureSize())};
    test::SeededChoices filler{seed};
    std::ranges::copy(filler.Bytes(made.message.size()), made.message.begin());
    const auto seed_bytes{filler.Bytes(KEYGEN_SEED_SIZE)};
    SecretKey sk;
    slh_keygen_internal(set, std::span{seed_bytes}.first<KEYGEN_SEED_SIZE>(), sk, made.public_key);
    Require(slh_sign(set, made.message, {}, sk, nullptr, made.signature), "an empty context is short enough");
    return made;
}

/** Valid, or with another bit somewhere, or of another size. Some differ from others only in that. */
Signed SomeSignature(test::Choices& choices)
{
    static const std::array<Signed, 3> s_valid{MakeSigned(ParameterSet::TINY_W4, 0), MakeSigned(ParameterSet::TINY, 1),
                                               MakeSigned(ParameterSet::TINY_W4, 2)};
    Signed made{choices.PickFrom(s_valid)};
    if (!choices.OneIn(3)) return made;
    const size_t signature_size{made.signature.size()};
    const uint8_t bit{static_cast<uint8_t>(1U << choices.Below(8))};
    switch (choices.Below(4)) {
    case 0: made.signature[choices.Below(signature_size)] ^= bit; break;
    case 1: made.public_key[choices.Below(made.public_key.size())] ^= bit; break;
    case 2: made.message[choices.Below(made.message.size())] ^= bit; break;
    default: made.signature.resize(choices.Pick<size_t>({0, N, signature_size - 1, signature_size + 1})); break;
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
    static const std::shared_ptr<RootBackend> s_cpu{CreatePortableEngine()};
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
        for (size_t i{0}; i < verdicts.size(); ++i) {
            // With a tiny set, a change of the message may leave the digest as it is.
            const Signed& one{signatures[i]};
            const bool valid{slh_verify(one.set, one.message, one.signature, {}, one.public_key)};
            Require(verdicts[i] == (valid ? Verdict::VALID : Verdict::INVALID), "the verdict is the scalar code's");
        }
        const BackendStatistics statistics{verifier.Statistics().at(1)};
        Require(statistics.retired == (record.failed || statistics.wrong_roots > 0), "a device that was caught, and no other, is retired");
        Require(statistics.wrong_roots == 0 || record.wrong_root, "a device that told the truth is not caught");
        Require(statistics.retired || !record.wrong_root, "a device that lied is caught");
        Require(record.abandoned == record.failed, "a link that failed, and no other, is abandoned");
    }
    Require(!record.used_after_failure, "a link that failed is not used again");
    return 0;
}
