// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

/** Keeps the library busy for a long time with everything at once, through the C API: blocks at the weight limit, valid and not, with
 *  every backend; batches by the hundred; contexts and devices that come and go; interruptions; forks. Every verdict is compared with
 *  the known one. Once a second, a line of JSON on standard output says what memory, threads and files the process has, how often each
 *  activity came round, and who verified the signatures. contrib/soak/run.py runs it and draws the curves.
 *
 *  Exit status: 0; 1 after a wrong verdict or a call that failed; 2 if an activity has not come round for the time of --patience. */

#include <slhconsensus.h>

#include <pqc/slhdsa/slhdsa.h>
#include <primitives/block.h>
#include <primitives/transaction.h>
#include <test/child_process.h>
#include <test/sanitizer.h>
#include <test/util/block_builder.h>
#include <test/util/costly_signer.h>
#include <test/util/spends.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <malloc.h>
#include <unistd.h>

using namespace slhc;
using namespace slhc::test;
using Clock = std::chrono::steady_clock;

namespace {

using ContextPtr = std::unique_ptr<slhc_context, decltype(&slhc_context_destroy)>;
using BatchPtr = std::unique_ptr<slhc_batch, decltype(&slhc_batch_destroy)>;

slhc_bytes View(const auto& bytes) { return {bytes.data(), bytes.size()}; }

struct Options {
    double seconds{60};
    double patience{120};
    unsigned percent{100};
    unsigned most_batches{200};
    std::vector<std::string> backends{"cpu"};
    std::string cache_dir;
};

/** @throws std::runtime_error with the library's last error */
[[noreturn]] void FailWithLastError(const std::string& what)
{
    slhc_error error SLHC_ERROR_INIT;
    (void)slhc_last_error(&error);
    throw std::runtime_error{what + ": " + error.message};
}

void Expect(const std::string& what, int got, int expected)
{
    if (got == SLHC_ERROR && expected != SLHC_ERROR) FailWithLastError(what);
    if (got != expected) throw std::runtime_error{what + ": " + std::to_string(got) + " instead of " + std::to_string(expected)};
}

/** A block as slhc_verify_block_scripts takes it, and the verdict on it. */
struct RawBlock {
    std::string name;
    std::vector<uint8_t> bytes;
    std::vector<std::vector<uint8_t>> spent;
    std::vector<slhc_bytes> views;
    int expected{SLHC_VALID};

    RawBlock(std::string name_in, const BlockWithSpent& block, int expected_in)
        : name{std::move(name_in)}, bytes{SerializeToVector(block.block)}, expected{expected_in}
    {
        for (const CTxOut& output : block.spent_outputs) spent.push_back(SerializeToVector(output));
        for (const auto& output : spent) views.push_back(View(output));
    }
    RawBlock(const RawBlock&) = delete;
};

/** Fills part of a block's weight with transactions of the kinds. */
BlockWithSpent Fill(const std::vector<SpendKind>& kinds, Signer& signer, unsigned percent)
{
    BlockBuilder builder;
    const int64_t left{builder.Room() * (100 - percent) / 100};
    for (size_t key{0};; key += kinds.size()) {
        SignedSpend spend{SpendKinds(kinds, signer, key)};
        if (builder.Room() - GetTransactionWeight(CTransaction{spend.tx}) < left) return std::move(builder).Finish();
        builder.Add(std::move(spend.tx), std::move(spend.spent));
    }
}

/** Changes a bit of the first signature of the last transaction. */
BlockWithSpent Spoil(BlockWithSpent block)
{
    CMutableTransaction tx{*block.block.vtx.back()};
    tx.vin.back().scriptWitness.stack[0][40] ^= 1;
    block.block.vtx.back() = std::make_shared<const CTransaction>(std::move(tx));
    UpdateCommitments(block.block);
    return block;
}

/** Everything that is verified, made once. */
class Material
{
public:
    explicit Material(const Options& options)
    {
        RealSigner signer{CostlySLHDSA(1)};
        const std::vector<std::pair<std::string, std::vector<SpendKind>>> kinds{
            {"SLH-DSA", {SpendKind::P2MR_SLHDSA}},
            {"mixed", {SpendKind::P2WPKH, SpendKind::P2TR_SCRIPT_PATH, SpendKind::P2MR_SCHNORR, SpendKind::P2MR_SLHDSA}},
            {"Schnorr", {SpendKind::P2TR_KEY_PATH}},
        };
        for (const auto& [name, list] : kinds) {
            const BlockWithSpent block{Fill(list, signer, options.percent)};
            m_blocks.emplace_back(name, block, SLHC_VALID);
            m_blocks.emplace_back(name + ", spoiled", Spoil(block), SLHC_INVALID);
        }
        const uint256 message{};
        m_public_key = signer.SLHDSAKey(1);
        m_valid = signer.SignSLHDSA(1, message);
        m_invalid = m_valid;
        m_invalid.back() ^= 1;
    }

    [[nodiscard]] const RawBlock& Block(size_t i) const { return m_blocks[i % m_blocks.size()]; }

    /** Verify n signatures, of which number bad is invalid (none if that is n or above). */
    void Verify(const slhc_context* context, size_t n, size_t bad) const
    {
        std::vector<slhc_verify_job> jobs(n);
        for (size_t i{0}; i < n; ++i) {
            jobs[i] = {sizeof(slhc_verify_job), m_public_key.data(), View(m_message), {}, View(i == bad ? m_invalid : m_valid)};
        }
        std::vector<int> verdicts(n);
        Expect("verify_many", slhc_slhdsa_verify_many(context, jobs.data(), n, verdicts.data()), bad < n ? SLHC_INVALID : SLHC_VALID);
        for (size_t i{0}; i < n; ++i) Expect("a verdict", verdicts[i], i == bad ? SLHC_INVALID : SLHC_VALID);
    }

    [[nodiscard]] BatchPtr Batch(const slhc_context* context, size_t n, size_t bad) const
    {
        BatchPtr batch{slhc_batch_create(context), slhc_batch_destroy};
        if (!batch) FailWithLastError("batch_create");
        if (n % 2 != 0) Expect("batch_verify_ahead", slhc_batch_verify_ahead(batch.get()), SLHC_OK);
        for (size_t i{0}; i < n; ++i) {
            slhc_failure origin SLHC_FAILURE_INIT;
            origin.tag = i;
            const slhc_bytes signature{View(i == bad ? m_invalid : m_valid)};
            Expect("batch_add", slhc_batch_add(batch.get(), m_public_key.data(), m_message.data(), signature, &origin), SLHC_DEFERRED);
        }
        return batch;
    }

private:
    std::deque<RawBlock> m_blocks;
    slhdsa::PublicKey m_public_key{};
    const std::array<uint8_t, 32> m_message{};
    std::vector<uint8_t> m_valid, m_invalid;
};

ContextPtr Create(const Options& options, const std::string& backend, unsigned threads)
{
    slhc_context_options settings SLHC_CONTEXT_OPTIONS_INIT;
    settings.backend = backend.c_str();
    settings.threads = threads;
    if (!options.cache_dir.empty()) settings.cache_dir = options.cache_dir.c_str();
    settings.log = [](void*, int, const char*, size_t) {};
    ContextPtr context{slhc_context_create(&settings, nullptr), slhc_context_destroy};
    if (!context) FailWithLastError("context_create with " + backend);
    return context;
}

/** What the contexts of one backend have done. */
struct Work {
    uint64_t contexts{0};
    uint64_t retired{0};           //!< contexts with a device that gets no more work, or that could not be opened
    uint64_t cpu_signatures{0};
    uint64_t device_calls{0};
    uint64_t device_signatures{0}; //!< an estimate where calls failed: without the share of these calls
    uint64_t failed_calls{0};
    uint64_t wrong_roots{0};

    void Add(const slhc_context* context)
    {
        slhc_statistics all SLHC_STATISTICS_INIT;
        Expect("statistics", slhc_context_statistics(context, &all), SLHC_OK);
        ++contexts;
        bool any_retired{false};
        for (size_t i{0}; i < all.n_backends; ++i) {
            slhc_backend_statistics one SLHC_BACKEND_STATISTICS_INIT;
            Expect("statistics of a backend", slhc_context_backend_statistics(context, i, &one), SLHC_OK);
            if (!one.is_device) {
                cpu_signatures += one.signatures;
                continue;
            }
            if (one.calls > 0) device_signatures += one.signatures * (one.calls - one.failed_calls) / one.calls;
            device_calls += one.calls;
            failed_calls += one.failed_calls;
            wrong_roots += one.wrong_roots;
            any_retired |= one.retired != 0;
        }
        retired += any_retired;
    }
};

/** Knows who verified the signatures of all contexts, those that are gone and those that are there. */
class Ledger
{
public:
    /** A context that is in the ledger for as long as it is there, and its work for ever. */
    [[nodiscard]] std::shared_ptr<slhc_context> Create(const Options& options, const std::string& backend, unsigned threads)
    {
        ContextPtr made{::Create(options, backend, threads)};
        Enter(made.get(), backend);
        return {made.release(), [this, backend](slhc_context* context) {
                    Leave(context, backend);
                    slhc_context_destroy(context);
                }};
    }

    [[nodiscard]] std::map<std::string, Work> Sum()
    {
        const std::lock_guard lock{m_mutex};
        auto sum{m_gone};
        for (const auto& [context, backend] : m_there) sum[backend].Add(context);
        return sum;
    }

private:
    void Enter(const slhc_context* context, const std::string& backend)
    {
        const std::lock_guard lock{m_mutex};
        m_there.emplace(context, backend);
    }
    void Leave(const slhc_context* context, const std::string& backend)
    {
        const std::lock_guard lock{m_mutex};
        m_gone[backend].Add(context);
        m_there.erase({context, backend});
    }

    std::mutex m_mutex;
    std::map<std::string, Work> m_gone;                            //!< by backend
    std::set<std::pair<const slhc_context*, std::string>> m_there; //!< and their backends
};

/** A context that several activities use, for as long as its device gets work. */
class SharedContext
{
public:
    SharedContext(Ledger& ledger, const Options& options, std::string backend)
        : m_ledger{ledger}, m_options{options}, m_backend{std::move(backend)}, m_context{m_ledger.Create(m_options, m_backend, 0)}
    {
    }

    /** The context of now; it lives until everybody who has it is done. */
    [[nodiscard]] std::shared_ptr<slhc_context> Get() const
    {
        const std::lock_guard lock{m_mutex};
        return m_context;
    }

    [[nodiscard]] Work GetWork() const
    {
        Work work;
        work.Add(Get().get());
        return work;
    }

    /** Take a new context if the device of this one was retired a while ago. Until then, the CPU works alone. For one thread. */
    void Renew()
    {
        const Work work{GetWork()};
        // "auto" may have no device that it would use, and would have none the next time.
        if (work.retired == 0 || (m_backend == "auto" && work.device_calls == 0)) {
            m_retired_since = {};
        } else if (m_retired_since == Clock::time_point{}) {
            m_retired_since = Clock::now();
        } else if (Clock::now() - m_retired_since >= PAUSE) {
            auto context{m_ledger.Create(m_options, m_backend, 0)};
            m_retired_since = {};
            const std::lock_guard lock{m_mutex};
            m_context.swap(context);
        }
    }

private:
    static constexpr std::chrono::seconds PAUSE{1};

    Ledger& m_ledger;
    const Options& m_options;
    const std::string m_backend;
    mutable std::mutex m_mutex;
    std::shared_ptr<slhc_context> m_context;
    Clock::time_point m_retired_since{};
};

/** Something that a thread does again and again. */
struct Activity {
    Activity(std::string name_in, std::function<void(std::mt19937_64&)> once_in) : name{std::move(name_in)}, once{std::move(once_in)} {}

    const std::string name;
    const std::function<void(std::mt19937_64&)> once;
    std::atomic<uint64_t> rounds{0};
    std::atomic<Clock::rep> last{Clock::now().time_since_epoch().count()};
};

void VerifyBlock(const slhc_context* context, const RawBlock& block, int cache_mode)
{
    slhc_failure failure SLHC_FAILURE_INIT;
    const int verdict{slhc_verify_block_scripts(context, View(block.bytes), block.views.data(), block.views.size(), SLHC_VERIFY_CONSENSUS,
                                                cache_mode, &failure)};
    Expect("block: " + block.name, verdict, block.expected);
}

void AddActivities(std::deque<Activity>& activities, const Options& options, const Material& material, Ledger& ledger,
                   std::deque<SharedContext>& contexts)
{
    for (size_t i{0}; i < contexts.size(); ++i) {
        const SharedContext& shared{contexts[i]};
        activities.emplace_back("blocks, " + options.backends[i], [&shared, &material](std::mt19937_64& random) {
            const auto context{shared.Get()};
            VerifyBlock(context.get(), material.Block(random()), static_cast<int>(random() % 3));
        });
        activities.emplace_back("batches, " + options.backends[i], [&shared, &material, &options](std::mt19937_64& random) {
            const auto context{shared.Get()};
            std::vector<std::pair<BatchPtr, bool>> batches;
            for (auto n{1 + random() % options.most_batches}; n > 0; --n) {
                const auto size{static_cast<size_t>(random() % 6)}, bad{static_cast<size_t>(random() % 12)};
                batches.emplace_back(material.Batch(context.get(), size, bad), bad < size);
            }
            for (const auto& [batch, spoiled] : batches) {
                if (random() % 8 != 0) Expect("batch", slhc_batch_verify(batch.get(), nullptr), spoiled ? SLHC_INVALID : SLHC_VALID);
            }
        });
        activities.emplace_back("contexts, " + options.backends[i], [i, &ledger, &material, &options](std::mt19937_64& random) {
            const auto own{ledger.Create(options, options.backends[i], 1 + random() % 4)};
            // At once, while a device opens, or after it has had the time.
            std::this_thread::sleep_for(std::chrono::milliseconds{random() % 2 * (random() % 300)});
            const auto n{static_cast<size_t>(random() % 70)};
            material.Verify(own.get(), n, random() % 140);
        });
    }
    activities.emplace_back("looks for retired devices", [&contexts](std::mt19937_64&) {
        std::this_thread::sleep_for(std::chrono::milliseconds{200});
        for (SharedContext& context : contexts) context.Renew();
    });
    activities.emplace_back("interruptions", [&material, &options](std::mt19937_64& random) {
        const ContextPtr own{Create(options, "cpu", 2)};
        const BatchPtr batch{material.Batch(own.get(), 200, 250)};
        const auto delay{std::chrono::microseconds{random() % 5000}};
        std::thread other{[&] {
            std::this_thread::sleep_for(delay);
            (void)slhc_context_interrupt(own.get());
        }};
        const int verdict{slhc_batch_verify(batch.get(), nullptr)};
        slhc_error error SLHC_ERROR_INIT;
        (void)slhc_last_error(&error);
        other.join();
        if (verdict == SLHC_ERROR && error.code == SLHC_ERR_INTERRUPTED) return;
        Expect("an interrupted batch", verdict, SLHC_VALID);
    });
#if SLHC_CAN_FORK_BUSY_THREADS
    // A child makes a context of its own, whatever the threads of this process are doing.
    activities.emplace_back("forks", [&material, &options](std::mt19937_64& random) {
        const std::string said{InChildProcess([&]() -> std::string {
            material.Verify(Create(options, "cpu", 2).get(), 9, 4);
            return {};
        })};
        if (!said.empty()) throw std::runtime_error{"a child " + said};
        std::this_thread::sleep_for(std::chrono::milliseconds{random() % 100});
    });
#endif
    // A device that fails now and then: src/test/fault_layer reads this file.
    if (const char* const file{std::getenv("SLHC_FAULT_FILE")}) {
        activities.emplace_back("faults", [file, &contexts](std::mt19937_64& random) {
            constexpr std::array FAULTS{"lost", "late", "memory", "stale", "tail", "blob"};
            // Most faults meet a device that has been at work, some one that opens.
            const auto has_worked{[](const SharedContext& context) {
                const Work work{context.GetWork()};
                return work.device_calls > 0 && work.retired == 0;
            }};
            if (random() % 8 != 0) {
                for (int i{0}; i < 100 && std::ranges::none_of(contexts, has_worked); ++i) {
                    std::this_thread::sleep_for(std::chrono::milliseconds{100});
                }
            }
            std::this_thread::sleep_for(std::chrono::milliseconds{random() % 8000});
            std::ofstream{file} << FAULTS[random() % FAULTS.size()];
            std::this_thread::sleep_for(std::chrono::milliseconds{random() % 500});
            std::filesystem::remove(file);
        });
    }
}

size_t CountEntries(const char* directory)
{
    size_t n{0};
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator{directory}) ++n;
    return n;
}

nlohmann::json Sample(double seconds, const std::deque<Activity>& activities, Ledger& ledger)
{
    size_t pages{0}, resident{0};
    std::ifstream{"/proc/self/statm"} >> pages >> resident;
    nlohmann::json sample{{"seconds", seconds},
                          {"rss_bytes", resident * static_cast<size_t>(sysconf(_SC_PAGESIZE))},
                          {"threads", CountEntries("/proc/self/task")},
                          {"files", CountEntries("/proc/self/fd")}};
#ifdef __GLIBC__ // another C library does not have the macro of the next line either
#if __GLIBC_PREREQ(2, 33)
    const auto heap{mallinfo2()};
    sample["heap_bytes"] = heap.uordblks + heap.hblkhd;
#endif
#endif
    for (const Activity& activity : activities) sample["rounds"][activity.name] = activity.rounds.load();
    for (const auto& [backend, work] : ledger.Sum()) {
        sample["work"][backend] = {
            {"contexts", work.contexts},
            {"retired", work.retired},
            {"cpu_signatures", work.cpu_signatures},
            {"device_calls", work.device_calls},
            {"device_signatures", work.device_signatures},
            {"failed_calls", work.failed_calls},
            {"wrong_roots", work.wrong_roots},
        };
    }
    return sample;
}

int Run(const Options& options)
{
    const Material material{options};
    Ledger ledger;
    std::deque<SharedContext> contexts;
    for (const std::string& backend : options.backends) contexts.emplace_back(ledger, options, backend);
    std::deque<Activity> activities;
    AddActivities(activities, options, material, ledger, contexts);

    std::atomic<bool> stop{false};
    std::atomic<int> status{0};
    std::atomic<size_t> running{activities.size()};
    std::vector<std::thread> threads;
    for (size_t i{0}; i < activities.size(); ++i) {
        threads.emplace_back([&, i] {
            Activity& activity{activities[i]};
            std::mt19937_64 random{i};
            try {
                while (!stop) {
                    activity.once(random);
                    ++activity.rounds;
                    activity.last = Clock::now().time_since_epoch().count();
                }
            } catch (const std::exception& e) {
                std::cerr << "soak: " << activity.name << ": " << e.what() << std::endl;
                status = 1;
                stop = true;
            }
            --running;
        });
    }
    const auto begin{Clock::now()};
    const auto seconds{[begin] { return std::chrono::duration<double>{Clock::now() - begin}.count(); }};
    for (; running > 0; std::this_thread::sleep_for(std::chrono::seconds{1})) {
        if (seconds() >= options.seconds) stop = true;
        std::cout << Sample(seconds(), activities, ledger).dump() << std::endl;
        for (const Activity& activity : activities) {
            const std::chrono::duration<double> since{Clock::now() - Clock::time_point{Clock::duration{activity.last}}};
            if (since.count() < options.patience) continue;
            std::cerr << "soak: " << activity.name << ": has not come round for " << since.count() << " s" << std::endl;
            std::_Exit(2); // its thread cannot be joined
        }
    }
    for (std::thread& thread : threads) thread.join();
    std::cout << Sample(seconds(), activities, ledger).dump() << std::endl;
    return status;
}

} // namespace

int main(int argc, char** argv)
{
    Options options;
    CLI::App app{"Keep the library busy with everything at once, and watch its memory"};
    app.add_option("--seconds", options.seconds, "how long")->capture_default_str()->check(CLI::PositiveNumber);
    app.add_option("--patience", options.patience, "seconds without progress of one activity that count as a hang")
        ->capture_default_str()
        ->check(CLI::PositiveNumber);
    app.add_option("--percent", options.percent, "how full the blocks are")->capture_default_str()->check(CLI::Range(1, 100));
    app.add_option("--most-batches", options.most_batches, "at once, for each backend")->capture_default_str()->check(CLI::PositiveNumber);
    app.add_option("--backends", options.backends, "names as in slhc_context_options")->capture_default_str()->delimiter(',');
    app.add_option("--cache-dir", options.cache_dir, "for pipelines and calibration");
    CLI11_PARSE(app, argc, argv);
    try {
        return Run(options);
    } catch (const std::exception& e) {
        std::cerr << "soak: " << e.what() << std::endl;
        return 1;
    }
}
