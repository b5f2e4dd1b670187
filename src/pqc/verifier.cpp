// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <pqc/verifier.h>

#include <pqc/cpu/engines.h>
#include <pqc/judge.h>
#include <util/check.h>
#include <util/thread.h>

#include <algorithm>
#include <chrono>
#include <future>
#include <optional>
#include <system_error>

namespace slhc::slhdsa {

namespace {

/** True if a signature has its set's size. Any other is invalid, and no backend sees it. */
bool HasSignatureSize(const CheckView& check) { return check.signature.size() == ParamsOf(check.set).SignatureSize(); }

/** True if all checks can go to a backend in one call. */
bool AreAlike(std::span<const CheckView> checks)
{
    return std::ranges::all_of(checks, [&](const CheckView& check) { return check.set == checks.front().set && HasSignatureSize(check); });
}

/** The time for a signature of a set instead of a compression. */
Pace OfSet(const Pace& pace, ParameterSet set)
{
    return {.call_ns = pace.call_ns, .each_ns = pace.each_ns * static_cast<double>(ParamsOf(set).VerifyCompressions())};
}

/** Give every check its verdict, by calls of `verify` for checks that are alike.
 *  @param[in] verify  f(checks, verdicts); false: interrupted
 *  @return false if a call was interrupted */
bool ForEachSet(std::span<const CheckView> checks, std::span<Verdict> verdicts,
                const std::function<bool(std::span<const CheckView>, std::span<Verdict>)>& verify)
{
    if (checks.empty()) return true;
    if (AreAlike(checks)) return verify(checks, verdicts);
    bool complete{true};
    for (const ParameterSetEntry& entry : PARAMETER_SETS) {
        std::vector<CheckView> its_checks;
        std::vector<size_t> places;
        for (size_t i = 0; i < checks.size(); ++i) {
            if (checks[i].set != entry.set) continue;
            if (!HasSignatureSize(checks[i])) {
                verdicts[i] = Verdict::INVALID;
                continue;
            }
            its_checks.push_back(checks[i]);
            places.push_back(i);
        }
        if (its_checks.empty()) continue;
        std::vector<Verdict> its_verdicts(its_checks.size(), Verdict::NONE);
        complete &= verify(its_checks, its_verdicts);
        for (size_t i = 0; i < places.size(); ++i) verdicts[places[i]] = its_verdicts[i];
    }
    return complete;
}

/** Counts the threads in a function. */
class CountedHere
{
public:
    explicit CountedHere(std::atomic<size_t>& count) : m_count{count} { ++m_count; }
    ~CountedHere() { --m_count; }
    CountedHere(const CountedHere&) = delete;
    CountedHere& operator=(const CountedHere&) = delete;

private:
    std::atomic<size_t>& m_count;
};

} // namespace

std::vector<Chunk> CutChunks(size_t n, unsigned threads, size_t preferred)
{
    std::vector<Chunk> chunks;
    preferred = std::max<size_t>(preferred, 1);
    size_t begin{0};
    const auto cut_evenly{[&](size_t total, size_t n_chunks) {
        for (size_t i{0}; i < n_chunks; ++i) {
            const size_t size{total / n_chunks + (i < total % n_chunks ? 1 : 0)};
            chunks.push_back({begin, size});
            begin += size;
        }
    }};
    if (threads <= 1) {
        cut_evenly(n, (n + preferred - 1) / preferred); // nothing to even out
        return chunks;
    }
    // Rounds of equal chunks, one for each thread, so that equally fast threads end together; each round takes two thirds of what is
    // left, so that a slower one holds up the others little. The last chunks leave some lanes of a backend empty, but few
    // signatures are in them.
    const size_t least{std::max<size_t>(preferred / 16, 1)};
    const auto rest{[&] { return n - begin; }};
    while (rest() >= 2 * least * threads || rest() > preferred * threads) {
        const size_t share{rest() / threads};
        const size_t size{std::clamp<size_t>(share * 2 / 3, 1, preferred)};
        cut_evenly(size * threads, threads);
    }
    cut_evenly(rest(), std::min<size_t>(rest(), threads));
    return chunks;
}

Verifier::Verifier(Backends backends, std::shared_ptr<ThreadPool> pool, std::shared_ptr<const Logger> logger, DeviceShare share)
    : m_cpu{std::move(backends.cpu)}
    , m_devices(backends.devices.size())
    , m_device_only{backends.device_only}
    , m_pool{std::move(pool)}
    , m_logger{std::move(logger)}
    , m_share{std::move(share)}
    , m_portable{CreatePortableEngine()}
{
    for (size_t i = 0; i < m_devices.size(); ++i) m_devices[i].backend = std::move(backends.devices[i]);
}

/** The parts of n signatures that some devices get.
 *  @param[in] paces  theirs with this set, at least one */
std::vector<size_t> Verifier::DeviceParts(size_t n, ParameterSet set, std::vector<Pace> paces) const
{
    if (m_share) return ShareOut(std::min(n, m_share(n)), paces);
    if (m_device_only) return ShareOut(n, paces);
    std::vector<size_t> parts(paces.size(), 0);
    std::optional<Pace> cpu{m_cpu_pace.Get()};
    if (n < LEAST_TELLING || !cpu) return parts;
    cpu = OfSet(*cpu, set);
    paces.push_back(*cpu);
    const std::vector<size_t> with_cpu{ShareOut(n, paces)};
    double end{0};
    for (size_t i = 0; i < paces.size(); ++i) end = std::max(end, paces[i].For(with_cpu[i]));
    if (end > WORTHWHILE * cpu->For(n)) return parts;
    for (size_t i = 0; i < parts.size(); ++i) parts[i] = with_cpu[i] >= LEAST_TELLING ? with_cpu[i] : 0;
    return parts;
}

/** The devices' parts, then the CPU's; none is empty. */
std::vector<Verifier::Part> Verifier::CutParts(size_t n, ParameterSet set)
{
    std::vector<Device*> ready;
    std::vector<Pace> paces;
    if (!std::ranges::all_of(m_devices, [](const Device& device) { return device.retired.load(); })) {
        for (Device& device : m_devices) {
            if (n >= LEAST_TELLING) device.backend->Open(); // the first batch of this size opens a device that nobody named
            const std::optional<Pace> pace{device.backend->MeasuredPace()};
            if (!pace || device.retired || !device.backend->IsReady()) continue;
            // The first question makes a device ready for a set, which takes long.
            if ((n < LEAST_TELLING && !m_device_only && !m_share) || !device.backend->Supports(set)) continue;
            ready.push_back(&device);
            paces.push_back(OfSet(*pace, set));
        }
    }
    std::vector<Part> parts;
    size_t begin{0};
    const auto cut{[&](Device* device, size_t size) {
        if (size > 0) parts.push_back({.device = device, .begin = begin, .size = size});
        begin += size;
    }};
    if (!ready.empty()) {
        const std::vector<size_t> sizes{DeviceParts(n, set, std::move(paces))};
        for (size_t i = 0; i < ready.size(); ++i) cut(ready[i], sizes[i]);
    }
    cut(nullptr, n - begin);
    return parts;
}

BackendStatus Verifier::Compute(RootBackend& backend, Counters& counters, std::span<const RootJob> jobs, std::span<Root> roots) const
{
    BackendStatus status{BackendStatus::FAILED};
    try {
        status = backend.ComputeRoots(jobs, roots);
    } catch (const std::exception& e) {
        m_logger->Log(LogLevel::WARNING, [&] { return std::string{backend.Name()} + ": " + e.what(); });
    }
    if (status == BackendStatus::BUSY) return status;
    ++counters.calls;
    counters.jobs += jobs.size();
    if (status != BackendStatus::OK) ++counters.failed_calls;
    return status;
}

void Verifier::ComputeOnCpu(std::span<const RootJob> jobs, std::span<Root> roots) const
{
    if (Compute(*m_cpu, m_cpu_counters, jobs, roots) == BackendStatus::OK) return;
    m_logger->Log(LogLevel::WARNING,
                  [&] { return std::string{m_cpu->Name()} + " failed; the portable code takes over for this call"; });
    // Scalar code on the stack: it has no way to fail.
    (void)m_portable->ComputeRoots(jobs, roots);
}

bool Verifier::VerifyNow(const CheckView& check) const
{
    if (!HasSignatureSize(check)) return false;
    const RootJob job{PrepareRootJob(check)};
    Root root;
    ComputeOnCpu({&job, 1}, {&root, 1});
    return RootMatches(root, check.public_key);
}

/** @pre the checks are alike */
void Verifier::VerifyAlikeHere(std::span<const CheckView> checks, std::span<Verdict> verdicts) const
{
    std::vector<RootJob> jobs;
    jobs.reserve(checks.size());
    for (const CheckView& check : checks) jobs.push_back(PrepareRootJob(check));
    std::vector<Root> roots(checks.size());
    ComputeOnCpu(jobs, roots);
    for (size_t i = 0; i < checks.size(); ++i) {
        verdicts[i] = RootMatches(roots[i], checks[i].public_key) ? Verdict::VALID : Verdict::INVALID;
    }
}

void Verifier::VerifyHere(std::span<const CheckView> checks, std::span<Verdict> verdicts) const
{
    const CountedHere counted{m_here};
    ForEachSet(checks, verdicts, [this](std::span<const CheckView> alike, std::span<Verdict> their_verdicts) {
        VerifyAlikeHere(alike, their_verdicts);
        return true;
    });
}

/** Call f(begin, end) for ranges that cover n jobs, of `preferred` at most, on all threads.
 *  @return false if the pool was interrupted */
bool Verifier::RunInChunks(size_t n, size_t preferred, const std::function<void(size_t begin, size_t end)>& f) const
{
    const std::vector<Chunk> chunks{CutChunks(n, m_pool->Threads(), preferred)};
    return m_pool->Run(chunks.size(), [&](size_t i) { f(chunks[i].begin, chunks[i].begin + chunks[i].size); });
}

bool Verifier::VerifyOnCpu(std::span<const CheckView> checks, std::span<Verdict> verdicts)
{
    const bool alone{m_here == 0};
    const auto begin_time{std::chrono::steady_clock::now()};
    const bool done{RunInChunks(checks.size(), m_cpu->PreferredJobs(), [&](size_t begin, size_t end) {
        VerifyAlikeHere(checks.subspan(begin, end - begin), verdicts.subspan(begin, end - begin));
    })};
    if (done && alone && checks.size() >= LEAST_TELLING) {
        m_cpu_pace.Learn(checks.size() * ParamsOf(checks.front().set).VerifyCompressions(), std::chrono::steady_clock::now() - begin_time);
    }
    return done;
}

/** Give some checks of a device's call their verdicts on the CPU.
 *  @param[in] indexes  of these checks
 *  @param[in] roots    the device's
 *  @param[out] wrong   raised for each root that the CPU computes differently, even if this throws
 *  @return false if the pool was interrupted */
bool Verifier::VerifyAgain(Device& device, std::span<const size_t> indexes, std::span<const CheckView> checks,
                           std::span<const RootJob> jobs, std::span<const Root> roots, std::span<Verdict> verdicts,
                           std::atomic<uint64_t>& wrong) const
{
    return RunInChunks(indexes.size(), m_cpu->PreferredJobs(), [&](size_t begin, size_t end) {
        std::vector<RootJob> some;
        some.reserve(end - begin);
        for (size_t k = begin; k < end; ++k) some.push_back(jobs[indexes[k]]);
        std::vector<Root> right(some.size());
        ComputeOnCpu(some, right);
        for (size_t k = begin; k < end; ++k) {
            const size_t i{indexes[k]};
            const Root& root{right[k - begin]};
            verdicts[i] = RootMatches(root, checks[i].public_key) ? Verdict::VALID : Verdict::INVALID;
            if (root == roots[i]) continue;
            ++wrong;
            ++device.counters.wrong_roots;
        }
    });
}

/** Judge a device's roots. A root that is not PK.root is a claim that only the CPU can confirm. One that is PK.root proves itself, unless
 *  the device turns out to be wrong, in this call or meanwhile in another: then none of its roots is believed.
 *  @return false if the pool was interrupted */
bool Verifier::Judge(Device& device, std::span<const CheckView> checks, std::span<const RootJob> jobs, std::span<const Root> roots,
                     std::span<Verdict> verdicts)
{
    std::vector<size_t> matching, differing;
    for (size_t i = 0; i < checks.size(); ++i) (RootMatches(roots[i], checks[i].public_key) ? matching : differing).push_back(i);

    std::atomic<uint64_t> wrong{0};
    const auto verify_again{[&](std::span<const size_t> indexes) {
        return VerifyAgain(device, indexes, checks, jobs, roots, verdicts, wrong);
    }};
    const auto retire_if_wrong{[&] {
        if (wrong == 0) return;
        Retire(device, [&] { return std::to_string(wrong) + " of " + std::to_string(checks.size()) + " roots were wrong"; });
    }};
    bool done{false};
    try {
        done = verify_again(differing);
    } catch (...) {
        retire_if_wrong(); // a wrong root found by one thread counts, though another ran out of memory
        throw;
    }
    retire_if_wrong();
    if (device.retired) return done && verify_again(matching);
    if (!done) return false;
    for (const size_t i : matching) verdicts[i] = Verdict::VALID;
    return true;
}

bool Verifier::VerifyOnDevice(Device& device, std::span<const CheckView> checks, std::span<Verdict> verdicts)
{
    constexpr size_t HASHED_AT_A_TIME{64};
    std::vector<RootJob> jobs(checks.size());
    const bool prepared{RunInChunks(checks.size(), HASHED_AT_A_TIME, [&](size_t begin, size_t end) {
        for (size_t i = begin; i < end; ++i) jobs[i] = PrepareRootJob(checks[i]);
    })};
    if (!prepared) return false;
    if (device.retired) return VerifyOnCpu(checks, verdicts); // by another call meanwhile

    std::vector<Root> roots(checks.size());
    switch (Compute(*device.backend, device.counters, jobs, roots)) {
    case BackendStatus::OK: return Judge(device, checks, jobs, roots, verdicts);
    case BackendStatus::FAILED: Retire(device, [] { return std::string{"a call failed"}; }); break;
    case BackendStatus::REOPENS:
    case BackendStatus::BUSY: break;
    }
    return VerifyOnCpu(checks, verdicts);
}

bool Verifier::VerifyMany(std::span<const CheckView> checks, std::span<Verdict> verdicts)
{
    assert(checks.size() == verdicts.size());
    std::fill(verdicts.begin(), verdicts.end(), Verdict::NONE);
    return ForEachSet(checks, verdicts, [this](std::span<const CheckView> alike, std::span<Verdict> their_verdicts) {
        return VerifyAlike(alike, their_verdicts);
    });
}

/** @pre the checks are alike, at least one, and no verdict is known */
bool Verifier::VerifyAlike(std::span<const CheckView> checks, std::span<Verdict> verdicts)
{
    const std::vector<Part> parts{CutParts(checks.size(), checks.front().set)};
    const auto verify{[&](const Part& part) {
        const auto its_checks{checks.subspan(part.begin, part.size)};
        const auto its_verdicts{verdicts.subspan(part.begin, part.size)};
        return part.device ? VerifyOnDevice(*part.device, its_checks, its_verdicts) : VerifyOnCpu(its_checks, its_verdicts);
    }};

    // Threads of their own wait for devices, so that all threads of the pool have the CPU's share to work on.
    std::vector<std::future<bool>> others;
    others.reserve(parts.size());
    bool done{true};
    for (size_t i = 0; i + 1 < parts.size(); ++i) {
        try {
            others.push_back(StartTask([&verify, part = parts[i]] { return verify(part); }));
        } catch (const std::system_error&) {
            done &= verify({.device = nullptr, .begin = parts[i].begin, .size = parts[i].size});
        }
    }
    done &= verify(parts.back());
    for (std::future<bool>& other : others) done &= other.get();
    return done;
}

void Verifier::Retire(Device& device, const std::function<std::string()>& reason)
{
    const bool first{!device.retired.exchange(true)};
    device.backend->Retire();
    if (!first) return;
    m_logger->Log(LogLevel::WARNING, [&] {
        return std::string{device.backend->Name()} + " is retired: " + reason() + "; the CPU repeats its work, and it gets no more";
    });
}

std::vector<BackendStatistics> Verifier::Statistics() const
{
    const auto describe{[](const RootBackend& backend, const Counters& counters, bool retired) {
        return BackendStatistics{
            .name = std::string{backend.Name()},
            .is_device = backend.IsDevice(),
            .ready = !retired && backend.IsReady(),
            .retired = retired,
            .state = std::string{retired ? "retired" : backend.StateName()},
            .process = backend.Process(),
            .calls = counters.calls,
            .jobs = counters.jobs,
            .failed_calls = counters.failed_calls,
            .wrong_roots = counters.wrong_roots,
        };
    }};
    std::vector<BackendStatistics> all{describe(*m_cpu, m_cpu_counters, false)};
    for (const Device& device : m_devices) {
        all.push_back(describe(*device.backend, device.counters, device.retired || device.backend->IsUnusable()));
    }
    return all;
}

} // namespace slhc::slhdsa
