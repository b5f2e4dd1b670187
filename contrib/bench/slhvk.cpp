// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

/** Batches of distinct signatures verified by this project's Vulkan backend and by slhvk in turns, in one process and on
 *  the same driver; slhvk.sh builds and runs it. slhvk is used through its header alone. */

#include <bench/corpus.h>
#include <bench/median.h>
#include <pqc/backend.h>
#include <pqc/backends.h>
#include <pqc/check.h>
#include <pqc/judge.h>
#include <pqc/verifier.h>
#include <util/log.h>
#include <util/threadpool.h>

extern "C" {
#include <slhvk.h>
}

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

using namespace slhc;
using namespace slhc::slhdsa;
using slhc::bench::Corpus;
using slhc::bench::Median;

namespace {

constexpr size_t MESSAGE_SIZE{32};

/** Seconds of wall-clock time, and of CPU time of all threads. */
struct Times {
    double wall;
    double cpu;

    static Times Now()
    {
        timespec wall{}, cpu{};
        clock_gettime(CLOCK_MONOTONIC, &wall);
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
        const auto seconds{[](const timespec& t) { return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec); }};
        return {seconds(wall), seconds(cpu)};
    }
};

class Ours
{
public:
    explicit Ours(const std::string& name)
    {
        std::string error;
        auto backends{SelectBackends(name, {.logger = std::make_shared<const Logger>(), .cache_dir = {}, .pool = m_pool}, error)};
        if (!backends || backends->devices.empty()) throw std::runtime_error{backends ? name + " is no device" : error};
        m_device = backends->devices.front();
        while (m_device->State() != DeviceState::READY) {
            if (m_device->State() == DeviceState::RETIRED) throw std::runtime_error{name + " cannot be used"};
            std::this_thread::sleep_for(std::chrono::milliseconds{1});
        }
    }

    /** Its name, and what that is. */
    [[nodiscard]] std::string Identity() const
    {
        std::string identity{m_device->Name()};
        for (const BackendInfo& info : ListBackends({.logger = std::make_shared<const Logger>()})) {
            if (info.name == m_device->Name()) identity += " " + info.description;
        }
        return identity;
    }

    /** How many verdicts are right. */
    size_t Verify(std::span<const CheckView> checks, std::span<const bool> valid) const
    {
        std::vector<RootJob> jobs(checks.size());
        const std::vector<Chunk> chunks{CutChunks(checks.size(), m_pool->Threads(), 64)};
        const bool prepared{m_pool->Run(chunks.size(), [&](size_t i_chunk) {
            const auto [begin, size]{chunks[i_chunk]};
            for (size_t i{begin}; i < begin + size; ++i) jobs[i] = PrepareRootJob(checks[i]);
        })};
        if (!prepared) throw std::runtime_error{"interrupted"};
        std::vector<Root> roots(checks.size());
        if (m_device->ComputeRoots(jobs, roots) != BackendStatus::OK) throw std::runtime_error{"our device failed"};
        size_t right{0};
        for (size_t i{0}; i < checks.size(); ++i) right += RootMatches(roots[i], checks[i].public_key) == valid[i];
        return right;
    }

private:
    const std::shared_ptr<ThreadPool> m_pool{std::make_shared<ThreadPool>(0)};
    std::shared_ptr<RootDevice> m_device;
};

class Theirs
{
public:
    Theirs()
    {
        if (const int error{slhvkContextInit(&m_context)}) {
            throw std::runtime_error{"slhvk: error " + std::to_string(error) + " from slhvkContextInit"};
        }
        // Versions of it differ in what a result means, and in what an empty context adds to a message: one signature
        // that is valid and one that is not tell.
        const Corpus::Entry& entry{Corpus::Get().At(0)};
        Signature changed{entry.signature};
        changed.back() ^= 1;
        for (const bool pure : {false, true}) {
            m_prefix = pure;
            const int good{One(entry, entry.signature)};
            const int bad{One(entry, changed)};
            if ((good == 0) != (bad == 0)) {
                m_zero_is_valid = good == 0;
                return;
            }
        }
        throw std::runtime_error{"slhvk does not tell a valid signature of SLH-DSA-SHA2-128s from one that is not"};
    }
    ~Theirs() { slhvkContextFree(m_context); }
    Theirs(const Theirs&) = delete;
    Theirs& operator=(const Theirs&) = delete;

    /** Signatures as slhvk takes them. */
    struct Batch {
        std::vector<const uint8_t*> contexts, seeds, roots, signatures, messages;
        std::vector<uint8_t> context_sizes;
        std::vector<size_t> message_sizes;
        std::vector<std::array<uint8_t, 2 + MESSAGE_SIZE>> prefixed; //!< 0, 0 (FIPS 205's pure mode, an empty context), then the message
        std::vector<int> results;
    };

    void Add(Batch& batch, const Corpus::Entry& entry, const Signature& signature, size_t capacity) const
    {
        batch.prefixed.reserve(capacity); // its elements are pointed to
        auto& prefixed{batch.prefixed.emplace_back()};
        std::copy(entry.message.begin(), entry.message.end(), prefixed.begin() + 2);
        batch.contexts.push_back(prefixed.data());
        batch.context_sizes.push_back(0);
        batch.seeds.push_back(entry.public_key.data());
        batch.roots.push_back(entry.public_key.data() + N);
        batch.signatures.push_back(signature.data());
        batch.messages.push_back(prefixed.data() + (m_prefix ? 0 : 2));
        batch.message_sizes.push_back(MESSAGE_SIZE + (m_prefix ? 2 : 0));
        batch.results.push_back(0);
    }

    size_t Verify(Batch& batch, std::span<const bool> valid) const
    {
        Run(batch);
        size_t right{0};
        for (size_t i{0}; i < valid.size(); ++i) right += ((batch.results[i] == 0) == m_zero_is_valid) == valid[i];
        return right;
    }

private:
    void Run(Batch& batch) const
    {
        const int error{slhvkVerifyPure(m_context, static_cast<uint32_t>(batch.results.size()), batch.contexts.data(),
                                        batch.context_sizes.data(), batch.seeds.data(), batch.roots.data(), batch.signatures.data(),
                                        batch.messages.data(), batch.message_sizes.data(), batch.results.data())};
        if (error) throw std::runtime_error{"slhvk: error " + std::to_string(error) + " from slhvkVerifyPure"};
    }

    int One(const Corpus::Entry& entry, const Signature& signature) const
    {
        Batch batch;
        Add(batch, entry, signature, 1);
        Run(batch);
        return batch.results[0];
    }

    SlhvkContext m_context{};
    bool m_prefix{false};
    bool m_zero_is_valid{true};
};

/** A line for one size: medians of times of one signature in microseconds, and of the ratios of neighbours in time. */
void Compare(const Ours& ours, const Theirs& theirs, size_t n, double seconds)
{
    const Corpus& corpus{Corpus::Get()};
    const std::span<const CheckView> checks{corpus.Slice(n, 0)};
    const auto valid{std::make_unique<bool[]>(n)};
    Theirs::Batch batch;
    // A slice that begins the corpus has its valid ones first.
    for (size_t i{0}; i < n; ++i) {
        valid[i] = i < corpus.ValidCount();
        theirs.Add(batch, corpus.Entries()[i], corpus.Entries()[i].signature, n);
    }
    const std::span<const bool> expected{valid.get(), n};
    struct Series { std::vector<double> wall, cpu; };
    Series a, b, ratio;
    size_t wrong_ours{0}, wrong_theirs{0}, rounds{0};
    const double per_us{1e6 / static_cast<double>(n)};
    for (const double end{Times::Now().wall + seconds}; rounds < 4 || Times::Now().wall < end; ++rounds) {
        const Times t0{Times::Now()};
        wrong_ours += n - ours.Verify(checks, expected);
        const Times t1{Times::Now()};
        wrong_theirs += n - theirs.Verify(batch, expected);
        const Times t2{Times::Now()};
        if (rounds == 0) continue; // warms both up
        a.wall.push_back(per_us * (t1.wall - t0.wall));
        a.cpu.push_back(per_us * (t1.cpu - t0.cpu));
        b.wall.push_back(per_us * (t2.wall - t1.wall));
        b.cpu.push_back(per_us * (t2.cpu - t1.cpu));
        ratio.wall.push_back(b.wall.back() / a.wall.back());
        ratio.cpu.push_back(b.cpu.back() / a.cpu.back());
    }
    std::printf("| %zu | %.1f | %.1f | %.2f | %.1f | %.1f | %.2f | %zu | %zu of %zu |\n", n, Median(a.cpu), Median(b.cpu),
                Median(ratio.cpu), Median(a.wall), Median(b.wall), Median(ratio.wall), wrong_ours, wrong_theirs, n * rounds);
    std::fflush(stdout);
}

} // namespace

int main(int argc, char** argv)
{
    try {
        const char* const backend{std::getenv("SLHC_BACKEND")};
        const Ours ours{backend ? backend : "vulkan"};
        const Theirs theirs;
        const double seconds{argc > 1 ? std::stod(argv[1]) : 5.0};
        std::printf("ours: %s\n\n", ours.Identity().c_str());
        std::printf("| batch | our CPU us | slhvk CPU us | ratio | our us | slhvk us | ratio | wrong, ours | wrong, slhvk "
                    "|\n|---|---|---|---|---|---|---|---|---|\n");
        for (const size_t n : {1, 8, 64, 512, 4096}) Compare(ours, theirs, n, seconds);
        return 0;
    } catch (const std::exception& e) {
        std::fprintf(stderr, "slhvk: %s\n", e.what());
        return 1;
    }
}
