// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <tool/bench.h>

#include <tool/api.h>
#include <tool/error.h>
#include <tool/keys.h>
#include <util/random.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <fstream>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <thread>

#include <sys/utsname.h>
#include <time.h>

#include <secp256k1.h>
#include <secp256k1_extrakeys.h>
#include <secp256k1_schnorrsig.h>

namespace slhc::tool {
namespace {

constexpr size_t BIP340_INPUTS{64};
constexpr double PEER_SHARE{0.25}; //!< of our time, spent on BIP 340 in between
constexpr std::chrono::seconds PATIENCE{120};

double Read(clockid_t clock)
{
    timespec time{};
    clock_gettime(clock, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}
double ThreadTime() { return Read(CLOCK_THREAD_CPUTIME_ID); }
double WallTime() { return Read(CLOCK_MONOTONIC); }

/** Not for keys that anyone shall use: it tells them apart, no more. */
template <size_t SIZE>
std::array<uint8_t, SIZE> Random()
{
    std::array<uint8_t, SIZE> bytes;
    GetStrongRandBytes(bytes);
    return bytes;
}

struct Sample {
    std::array<uint8_t, SLHC_SECRET_KEY_SIZE> secret_key;
    std::array<uint8_t, SLHC_PUBLIC_KEY_SIZE> public_key;
    std::array<uint8_t, 32> message;
    std::vector<uint8_t> signature;
};

Sample MakeSample(const slhc_context* context)
{
    Sample sample{{}, {}, Random<32>(), std::vector<uint8_t>(SLHC_SIGNATURE_SIZE)};
    const auto seed{Random<SLHC_SEED_SIZE>()};
    Checked(slhc_slhdsa_keygen(seed.data(), sample.secret_key.data(), sample.public_key.data()));
    Checked(slhc_slhdsa_sign(context, sample.secret_key.data(), View(sample.message), {}, nullptr, sample.signature.data()));
    return sample;
}

/** BIP 340 verification, the denominator; each with its own key, message and signature. */
class Bip340
{
public:
    Bip340()
    {
        for (size_t i{0}; i < BIP340_INPUTS; ++i) {
            const auto seed{Random<32>()};
            const KeyPair key{MakeKeyPair(KeyType::SCHNORR, seed)};
            const auto message{Random<32>()};
            Input& input{m_inputs.emplace_back()};
            input.message = message;
            input.signature = SignMessage(key, message, {}, {});
            if (!secp256k1_xonly_pubkey_parse(secp256k1_context_static, &input.key, key.public_key.data())) throw std::runtime_error{"libsecp256k1 refuses its own key"};
        }
    }

    /** Verify until so many seconds of CPU time have gone into it since the beginning of this row. */
    void CatchUp(double seconds)
    {
        while (m_seconds < seconds) {
            const double begin{ThreadTime()};
            for (int i{0}; i < 4; ++i) { // as many as take longer than reading the clock does
                const Input& input{m_inputs[m_count++ % BIP340_INPUTS]};
                if (!secp256k1_schnorrsig_verify(secp256k1_context_static, input.signature.data(), input.message.data(), input.message.size(), &input.key)) throw std::runtime_error{"libsecp256k1 refuses its own signature"};
            }
            m_seconds += ThreadTime() - begin;
        }
    }
    void Begin()
    {
        m_all_seconds += m_seconds;
        m_all_count += m_count;
        m_seconds = 0;
        m_count = 0;
    }
    double Microseconds() const { return 1e6 * m_seconds / static_cast<double>(m_count); }
    double AllMicroseconds() const { return 1e6 * (m_all_seconds + m_seconds) / static_cast<double>(m_all_count + m_count); }

private:
    struct Input {
        secp256k1_xonly_pubkey key; //!< parsed beforehand
        std::array<uint8_t, 32> message;
        std::vector<uint8_t> signature;
    };
    std::vector<Input> m_inputs;
    double m_seconds{0}, m_all_seconds{0};
    size_t m_count{0}, m_all_count{0};
};

ContextPtr MakeContext(const std::string& backend, unsigned threads)
{
    slhc_context_options options SLHC_CONTEXT_OPTIONS_INIT;
    options.backend = backend.c_str();
    options.threads = threads;
    options.signature_cache_bytes = SLHC_NO_SIGNATURE_CACHE;
    ContextPtr context{slhc_context_create(&options, nullptr)};
    if (!context) ThrowApiError();
    return context;
}

unsigned Threads(const slhc_context* context)
{
    slhc_statistics statistics SLHC_STATISTICS_INIT;
    Checked(slhc_context_statistics(context, &statistics));
    return statistics.threads;
}

/** What the context's device has done; nothing if it has none. */
std::optional<slhc_backend_statistics> Device(const slhc_context* context)
{
    slhc_statistics all SLHC_STATISTICS_INIT;
    Checked(slhc_context_statistics(context, &all));
    for (size_t i{0}; i < all.n_backends; ++i) {
        slhc_backend_statistics one SLHC_BACKEND_STATISTICS_INIT;
        Checked(slhc_context_backend_statistics(context, i, &one));
        if (one.is_device == 1) return one;
    }
    return {};
}

/** @return whether the device, if there is one, takes work */
bool WaitForDevice(const slhc_context* context)
{
    const auto end{std::chrono::steady_clock::now() + PATIENCE};
    while (true) {
        const auto device{Device(context)};
        if (!device || device->ready == 1) return true;
        if (device->retired == 1 || std::chrono::steady_clock::now() > end) return false;
        std::this_thread::sleep_for(std::chrono::milliseconds{1});
    }
}

class Bench
{
public:
    Bench(const BenchOptions& options, Progress& progress) : m_options{options}, m_progress{progress} {}

    BenchReport Run()
    {
        const auto backends{Backends()};
        const size_t most{*std::ranges::max_element(m_options.batches)};
        MakeSamples(most);
        // Once more on all cores, as long as that is not the same.
        const ContextPtr every_core{MakeContext("cpu", 0)};
        const bool many{Threads(every_core.get()) > 1 && m_options.backends.empty()};
        m_progress.Start("measuring", backends.size() * m_options.batches.size() + many + 2);
        for (const auto& backend : backends) {
            const ContextPtr context{MakeContext(backend, 1)};
            for (const size_t batch : m_options.batches) Verify(context.get(), backend, batch);
        }
        if (many) Verify(every_core.get(), "cpu", most);
        Sign();
        Keygen();
        m_report.bip340_us = m_bip340.AllMicroseconds();
        return std::move(m_report);
    }

private:
    std::vector<std::string> Backends() const
    {
        if (!m_options.backends.empty()) {
            for (const auto& backend : m_options.backends) (void)MakeContext(backend, 1);
            return m_options.backends;
        }
        std::vector<slhc_backend_info> infos(64, slhc_backend_info SLHC_BACKEND_INFO_INIT);
        size_t count{0};
        Checked(slhc_list_backends(infos.data(), infos.size(), &count));
        infos.resize(std::min(count, infos.size()));
        std::vector<std::string> backends;
        for (const auto& info : infos) {
            if (info.available == 1) backends.emplace_back(info.name);
        }
        return backends;
    }

    void MakeSamples(size_t count)
    {
        m_progress.Start("making keys and signatures", count);
        const ContextPtr context{MakeContext("cpu", 0)};
        for (size_t i{0}; i < count; ++i) {
            m_samples.push_back(MakeSample(context.get()));
            m_progress.Done(i + 1);
        }
    }

    /** `count` operations a call, until the time is up; BIP 340 in between, so that whatever else the machine does
     *  meanwhile hits both. */
    void Measure(BenchRow row, size_t count, const std::function<void()>& operation)
    {
        m_bip340.Begin();
        operation(); // the first one finds nothing in a cache
        double spent{0};
        size_t done{0};
        while (spent < m_options.seconds) {
            const double begin{row.cpu_time ? ThreadTime() : WallTime()};
            operation();
            spent += (row.cpu_time ? ThreadTime() : WallTime()) - begin;
            done += count;
            m_bip340.CatchUp(PEER_SHARE * spent);
        }
        row.us = 1e6 * spent / static_cast<double>(done);
        row.bip340_us = m_bip340.Microseconds();
        Add(std::move(row));
    }

    void Add(BenchRow row)
    {
        m_report.rows.push_back(std::move(row));
        m_progress.Done(m_report.rows.size());
    }

    void Verify(const slhc_context* context, const std::string& backend, size_t batch)
    {
        BenchRow row{.what = "verify", .backend = backend, .threads = Threads(context), .batch = batch, .cpu_time = false, .fault = {}};
        if (!WaitForDevice(context)) row.fault = "the device does not get ready";
        const bool device{Device(context).has_value()};
        row.cpu_time = !device && row.threads == 1;
        if (!row.fault.empty()) return Add(std::move(row));

        std::vector<int> verdicts(batch);
        std::vector<slhc_verify_job> jobs(batch, slhc_verify_job SLHC_VERIFY_JOB_INIT);
        size_t next{0};
        bool right{true};
        Measure(std::move(row), batch, [&] {
            for (auto& job : jobs) {
                const Sample& sample{m_samples[next++ % m_samples.size()]};
                job.public_key = sample.public_key.data();
                job.message = View(sample.message);
                job.signature = View(sample.signature);
            }
            right &= Checked(slhc_slhdsa_verify_many(context, jobs.data(), batch, verdicts.data())) == SLHC_VALID;
        });
        const auto after{Device(context)};
        if (!right) m_report.rows.back().fault = "valid signatures were refused";
        if (after && (after->retired == 1 || after->calls == 0)) m_report.rows.back().fault = "the device failed, the CPU did its work";
    }

    void Sign()
    {
        const ContextPtr context{MakeContext("cpu", 1)};
        std::vector<uint8_t> signature(SLHC_SIGNATURE_SIZE);
        size_t next{0};
        Measure({.what = "sign", .backend = "cpu", .fault = {}}, 1, [&] {
            const Sample& sample{m_samples[next++ % m_samples.size()]};
            const auto message{Random<32>()};
            Checked(slhc_slhdsa_sign(context.get(), sample.secret_key.data(), View(message), {}, nullptr, signature.data()));
        });
    }

    void Keygen()
    {
        std::array<uint8_t, SLHC_SECRET_KEY_SIZE> secret_key;
        std::array<uint8_t, SLHC_PUBLIC_KEY_SIZE> public_key;
        Measure({.what = "keygen", .backend = "cpu", .fault = {}}, 1, [&] {
            const auto seed{Random<SLHC_SEED_SIZE>()};
            Checked(slhc_slhdsa_keygen(seed.data(), secret_key.data(), public_key.data()));
        });
    }

    const BenchOptions& m_options;
    Progress& m_progress;
    std::vector<Sample> m_samples;
    Bip340 m_bip340;
    BenchReport m_report;
};

std::string Machine()
{
    std::ifstream file{"/proc/cpuinfo"};
    for (std::string line; std::getline(file, line);) {
        const size_t colon{line.find(": ")};
        if (line.starts_with("model name") && colon != line.npos) return line.substr(colon + 2);
    }
    utsname system{};
    return uname(&system) == 0 ? system.machine : "unknown";
}

} // namespace

BenchReport RunBench(const BenchOptions& options, Progress& progress)
{
    BenchReport report{Bench{options, progress}.Run()};
    report.machine = Machine();
    report.processors = std::thread::hardware_concurrency();
    report.compiler = SLHC_COMPILER;
    report.denominator = "secp256k1_schnorrsig_verify (BIP 340) of libsecp256k1 " SLHC_SECP256K1_VERSION ", on one thread";
    return report;
}

} // namespace slhc::tool
