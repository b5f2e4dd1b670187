// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <tool/bench.h>

#include <pqc/capi/context.h>
#include <pqc/experiment_signer.h>
#include <pqc/signer.h>
#include <tool/commands.h>
#include <tool/input.h>
#include <tool/keys.h>
#include <tool/output.h>
#include <tool/process_verifier.h>
#include <util/random.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <secp256k1.h>
#include <secp256k1_extrakeys.h>
#include <secp256k1_schnorrsig.h>

#include <sys/utsname.h>

namespace slhc::tool {
namespace {

constexpr size_t BIP340_INPUTS{64};
constexpr double PEER_SHARE{0.25}; //!< of our time, spent on BIP 340 in between
constexpr std::chrono::seconds PATIENCE{120};

double Seconds(clockid_t clock)
{
    timespec time{};
    clock_gettime(clock, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

std::vector<uint8_t> RandomBytes(size_t size)
{
    std::vector<uint8_t> bytes(size);
    GetStrongRandBytes(bytes);
    return bytes;
}

struct Sample {
    KeyPair key;
    std::vector<uint8_t> message, signature;
};

std::vector<Sample> MakeSamples(KeyType type, size_t count, slhdsa::ParameterSet set = slhdsa::ParameterSet::SHA2_128S)
{
    std::vector<Sample> samples;
    if (HasLargeTopTree(set)) { // a verifier sees no difference
        const auto seed{RandomBytes(slhdsa::KEYGEN_SEED_SIZE)};
        const slhdsa::ExperimentSigner signer{set, std::span{seed}.first<slhdsa::KEYGEN_SEED_SIZE>()};
        for (size_t i{0}; i < count; ++i) {
            const slhdsa::PublicKey key{signer.Key(i)};
            Sample sample{{type, {}, {key.begin(), key.end()}, set}, RandomBytes(32), {}};
            sample.signature.resize(slhdsa::ParamsOf(set).SignatureSize());
            signer.Sign(i, *slhdsa::MessagePieces::Pure(sample.message, {}), sample.signature);
            samples.push_back(std::move(sample));
        }
        return samples;
    }
    while (samples.size() < count) {
        Sample sample{MakeKeyPair(type, RandomBytes(SeedSize(type)), set), RandomBytes(32), {}};
        sample.signature = SignMessage(sample.key, sample.message, {}, {});
        samples.push_back(std::move(sample));
    }
    return samples;
}

/** BIP 340 verification, the denominator. */
class Bip340
{
public:
    Bip340()
    {
        for (size_t i{0}; i < m_samples.size(); ++i) {
            if (!secp256k1_xonly_pubkey_parse(secp256k1_context_static, &m_keys[i], m_samples[i].key.public_key.data())) {
                throw std::runtime_error{"libsecp256k1 refuses its own key"};
            }
        }
    }

    /** Verify until `seconds` of CPU time have gone into it in all. */
    void RunUntil(double seconds)
    {
        while (m_seconds < seconds) {
            const double begin{Seconds(CLOCK_THREAD_CPUTIME_ID)};
            for (int i{0}; i < 4; ++i) { // as many as take longer than reading the clock does
                const size_t at{m_count++ % BIP340_INPUTS};
                const Sample& sample{m_samples[at]};
                if (!secp256k1_schnorrsig_verify(secp256k1_context_static, sample.signature.data(), sample.message.data(),
                                                 sample.message.size(), &m_keys[at])) {
                    throw std::runtime_error{"libsecp256k1 refuses its own signature"};
                }
            }
            m_seconds += Seconds(CLOCK_THREAD_CPUTIME_ID) - begin;
        }
    }
    double SecondsInAll() const { return m_seconds; }
    size_t Count() const { return m_count; }

private:
    const std::vector<Sample> m_samples{MakeSamples(KeyType::SCHNORR, BIP340_INPUTS)};
    std::array<secp256k1_xonly_pubkey, BIP340_INPUTS> m_keys; //!< parsed beforehand
    double m_seconds{0};
    size_t m_count{0};
};

std::shared_ptr<slhdsa::Verifier> MakeVerifier(const std::string& backend, unsigned threads)
{
    return tool::MakeVerifier("--backend", backend.c_str(), threads);
}

/** The work of the verifier's devices. */
std::vector<slhdsa::BackendStatistics> Devices(const slhdsa::Verifier& verifier)
{
    auto backends{verifier.Statistics()};
    std::erase_if(backends, [](const auto& backend) { return !backend.is_device; });
    return backends;
}

/** @return true if all devices, if there are any, take work */
bool WaitForDevices(const slhdsa::Verifier& verifier)
{
    const auto end{std::chrono::steady_clock::now() + PATIENCE};
    while (true) {
        const auto devices{Devices(verifier)};
        if (std::ranges::all_of(devices, &slhdsa::BackendStatistics::ready)) return true;
        if (std::ranges::any_of(devices, &slhdsa::BackendStatistics::retired)) return false;
        if (std::chrono::steady_clock::now() > end) return false;
        std::this_thread::sleep_for(std::chrono::milliseconds{1});
    }
}

class Bench
{
public:
    Bench(const BenchOptions& options, std::span<const slhdsa::BackendInfo> known, const std::function<void(const BenchRow&)>& on_row)
        : m_options{options}, m_known{known}, m_on_row{on_row}, m_most{*std::ranges::max_element(options.batches)}
    {
        for (const auto& backend : options.backends) (void)MakeVerifier(backend, 1); // before anything takes long
    }

    BenchReport Run()
    {
        m_samples = MakeSamples(KeyType::SLHDSA, CountSamples(m_options), m_options.set);
        for (const auto& backend : m_options.backends) Verify(backend);
        if (m_options.backends.empty()) {
            for (const auto& backend : m_known) {
                if (backend.available) Verify(backend.name);
                // Nothing can be measured, but it must not look as if this machine lacked it.
                if (!backend.fault.empty()) AddFault(backend);
            }
        }
        // Once more on all cores, as long as that is not the same.
        const auto every_core{MakeVerifier("cpu", 0)};
        if (every_core->Pool().Threads() > 1 && m_options.backends.empty()) Verify(*every_core, "cpu", m_most);
        if (!HasLargeTopTree(m_options.set)) {
            Sign();
            Keygen();
        }
        return {std::move(m_rows), 1e6 * m_bip340.SecondsInAll() / static_cast<double>(m_bip340.Count())};
    }

private:
    /** `count` operations a call, until the time is up; BIP 340 in between, so that whatever else the machine does
     *  meanwhile hits both. */
    template <typename Operation>
    void Measure(BenchRow& row, size_t count, const Operation& operation)
    {
        const clockid_t clock{row.cpu_time ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC};
        const double bip340_seconds{m_bip340.SecondsInAll()};
        const size_t bip340_count{m_bip340.Count()};
        operation(); // the first one finds nothing in a cache
        double spent{0};
        size_t done{0};
        while (spent < m_options.seconds) {
            const double begin{Seconds(clock)};
            operation();
            spent += Seconds(clock) - begin;
            done += count;
            m_bip340.RunUntil(bip340_seconds + PEER_SHARE * spent);
        }
        row.us = 1e6 * spent / static_cast<double>(done);
        row.bip340_us = 1e6 * (m_bip340.SecondsInAll() - bip340_seconds) / static_cast<double>(m_bip340.Count() - bip340_count);
    }

    void Add(BenchRow row)
    {
        m_on_row(row);
        m_rows.push_back(std::move(row));
    }

    void AddFault(const slhdsa::BackendInfo& backend)
    {
        for (const size_t batch : m_options.batches) {
            Add({.what = "verify", .backend = backend.name, .batch = batch, .fault = backend.fault});
        }
    }

    void Verify(const std::string& backend)
    {
        const auto verifier{MakeVerifier(backend, 1)};
        for (const size_t batch : m_options.batches) Verify(*verifier, backend, batch);
    }

    void Verify(slhdsa::Verifier& verifier, const std::string& backend, size_t batch)
    {
        const bool is_named{backend != "auto"}; // which opens a device when it finds that worth it, and gives it what it finds worth it
        const bool ready{!is_named || WaitForDevices(verifier)};
        BenchRow row{.what = "verify", .backend = backend, .threads = verifier.Pool().Threads(), .batch = batch, .fault = {}};
        row.cpu_time = Devices(verifier).empty() && row.threads == 1;
        if (!ready) {
            row.fault = "a device is not ready";
            return Add(std::move(row));
        }
        std::vector<slhdsa::Verdict> verdicts(batch);
        std::vector<slhdsa::CheckView> checks;
        size_t next{0};
        bool right{true};
        Measure(row, batch, [&] {
            checks.clear();
            while (checks.size() < batch) {
                const Sample& sample{m_samples[next++ % m_samples.size()]};
                checks.push_back({sample.key.public_key.data(), *slhdsa::MessagePieces::Pure(sample.message, {}), sample.signature,
                                  m_options.set});
            }
            right &= verifier.VerifyMany(checks, verdicts) && std::ranges::count(verdicts, slhdsa::Verdict::VALID) == std::ssize(verdicts);
        });
        const auto devices{Devices(verifier)};
        if (!right) row.fault = "valid signatures were rejected";
        const bool none_worked{std::ranges::all_of(devices, [](const auto& device) { return device.calls == 0; })};
        const bool one_failed{std::ranges::any_of(devices, &slhdsa::BackendStatistics::retired)};
        if (is_named && !devices.empty() && (none_worked || one_failed)) row.fault = "a device failed, and the CPU did its work";
        Add(std::move(row));
    }

    void Sign()
    {
        const auto verifier{MakeVerifier("cpu", 1)};
        slhdsa::TopTreeCache top_trees{slhdsa::MAX_TOP_TREES};
        std::vector<uint8_t> signature(slhdsa::ParamsOf(m_options.set).SignatureSize());
        size_t next{0};
        BenchRow row{.what = "sign", .backend = "cpu", .fault = {}};
        Measure(row, 1, [&] {
            const std::span secret{m_samples[next++ % m_samples.size()].key.secret};
            (void)slhdsa::Sign(verifier->Pool(), m_options.set, RandomBytes(32), {}, secret.first<slhdsa::SECRET_KEY_SIZE>(), nullptr,
                               signature, &top_trees);
        });
        Add(std::move(row));
    }

    void Keygen()
    {
        const auto verifier{MakeVerifier("cpu", 1)};
        slhdsa::SecretKey secret_key;
        slhdsa::PublicKey public_key;
        BenchRow row{.what = "keygen", .backend = "cpu", .fault = {}};
        Measure(row, 1, [&] {
            const auto seed{RandomBytes(slhdsa::KEYGEN_SEED_SIZE)};
            (void)slhdsa::GenerateKey(verifier->Pool(), m_options.set, std::span{seed}.first<slhdsa::KEYGEN_SEED_SIZE>(), secret_key,
                                      public_key);
        });
        Add(std::move(row));
    }

    const BenchOptions& m_options;
    const std::span<const slhdsa::BackendInfo> m_known;
    const std::function<void(const BenchRow&)>& m_on_row;
    const size_t m_most; //!< in one batch
    std::vector<Sample> m_samples;
    Bip340 m_bip340;
    std::vector<BenchRow> m_rows;
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

constexpr uint64_t MAX_BATCH{4096};
constexpr uint64_t MAX_MILLISECONDS{60'000};

struct Options {
    std::vector<std::string> backends, batches{"1", "8", "64", "512"};
    std::string milliseconds{"300"}, set{"128s"};
    bool json{false};
};

/** With about three digits that count. */
std::string Number(double x)
{
    std::array<char, 32> text;
    std::snprintf(text.data(), text.size(), x < 0.1 ? "%.4f" : x < 10 ? "%.2f" : x < 100 ? "%.1f" : "%.0f", x);
    return text.data();
}

std::string Padded(const std::string& text, size_t width, bool right)
{
    const std::string space(width > text.size() ? width - text.size() : 0, ' ');
    return right ? space + text : text + space;
}

std::string Line(const std::string& what, const std::string& backend, const std::string& threads, const std::string& batch,
                 const std::string& us, const std::string& ratio, const std::string& clock)
{
    return Padded(what, 8, false) + Padded(backend, 14, false) + Padded(threads, 7, true) + Padded(batch, 7, true) + Padded(us, 12, true) +
           Padded(ratio, 11, true) + "  " + clock;
}

void PrintHeader(const BenchSetup& setup, slhdsa::ParameterSet set)
{
    PrintTable({{"machine", setup.machine + ", " + std::to_string(setup.processors) + " processors"},
                {"compiler", setup.compiler},
                {"parameter set", std::string{slhdsa::ParameterSetName(set)}},
                {"denominator", setup.denominator}});
    PrintLine("");
    PrintLine(Line("what", "backend", "threads", "batch", "us each", "x BIP 340", "clock"));
}

void PrintRow(const BenchRow& row)
{
    const bool measured{row.fault.empty()};
    PrintLine(Line(row.what, row.backend, std::to_string(row.threads), std::to_string(row.batch), measured ? Number(row.us) : "",
                   measured ? Number(row.Ratio()) : "",
                   !measured      ? "FAULT: " + row.fault
                   : row.cpu_time ? "CPU"
                                  : "wall"));
    (void)FinishOutput(); // now, not when all rows are measured
}

void PrintFooter(const BenchReport& report, size_t samples)
{
    PrintLine("");
    PrintLine("x BIP 340: how many times as fast as the denominator, which took " + Number(report.bip340_us) +
              " us and ran in turns with each row.");
    PrintLine("The " + std::to_string(samples) + " keys, messages and signatures all differ, and take turns.");
    PrintLine("CPU: processor time of the working thread; wall: elapsed time.");
}

Json ReportJson(const BenchSetup& setup, slhdsa::ParameterSet set, const BenchReport& report)
{
    Json rows = Json::array();
    for (const auto& row : report.rows) {
        Json json = {{"what", row.what}, {"backend", row.backend}, {"threads", row.threads}, {"batch", row.batch}};
        if (row.fault.empty()) {
            json["clock"] = row.cpu_time ? "cpu" : "wall";
            json["us"] = row.us;
            json["bip340_us"] = row.bip340_us;
            json["times_bip340"] = row.Ratio();
        } else {
            json["fault"] = row.fault;
        }
        rows.push_back(std::move(json));
    }
    return {{"machine", setup.machine}, {"processors", setup.processors}, {"compiler", setup.compiler}, {"denominator", setup.denominator},
            {"parameter_set", slhdsa::ParameterSetName(set)}, {"bip340_us", report.bip340_us}, {"rows", std::move(rows)}};
}

ExitStatus RunIt(const Options& options)
{
    BenchOptions bench{.backends = options.backends, .batches = {}, .seconds = 0, .set = ParseParameterSet(options.set)};
    for (const auto& batch : options.batches) {
        bench.batches.push_back(Within("--batch", [&] { return ParseNumber(batch, MAX_BATCH); }));
        if (bench.batches.back() == 0) throw InputError{"--batch", "0 is too few"};
    }
    const auto milliseconds{Within("--milliseconds", [&] { return ParseNumber(options.milliseconds, MAX_MILLISECONDS); })};
    if (milliseconds == 0) throw InputError{"--milliseconds", "0 is too few"};
    bench.seconds = static_cast<double>(milliseconds) / 1000;

    const BenchSetup setup{GetBenchSetup()};
    bool begun{false};
    // Drivers need not be asked for what nobody wants.
    std::vector<slhdsa::BackendInfo> known;
    if (bench.backends.empty()) known = slhdsa::ListBackends(capi::DeviceOptionsOfEnvironment(std::make_shared<const Logger>()));
    const BenchReport report{RunBench(bench, known, [&](const BenchRow& row) {
        if (options.json) return;
        if (!begun) PrintHeader(setup, bench.set);
        begun = true;
        PrintRow(row);
    })};
    options.json ? PrintJson(ReportJson(setup, bench.set, report)) : PrintFooter(report, CountSamples(bench));
    return std::ranges::all_of(report.rows, [](const BenchRow& row) { return row.fault.empty(); }) ? EXIT_VALID : EXIT_INVALID;
}

} // namespace

BenchSetup GetBenchSetup()
{
    return {Machine(), std::thread::hardware_concurrency(), SLHC_COMPILER,
            "secp256k1_schnorrsig_verify (BIP 340) of libsecp256k1 " SLHC_SECP256K1_VERSION ", on one thread"};
}

size_t CountSamples(const BenchOptions& options)
{
    return std::max(*std::ranges::max_element(options.batches), slhdsa::MAX_TOP_TREES + 1);
}

BenchReport RunBench(const BenchOptions& options, std::span<const slhdsa::BackendInfo> known,
                     const std::function<void(const BenchRow&)>& on_row)
{
    return Bench{options, known, on_row}.Run();
}

Action DeclareBench(CommandParser& parser)
{
    auto options{std::make_shared<Options>()};
    parser.Explain(
        "Times verification by every backend of this machine at several batch sizes, signing and key generation. The\n"
        "denominator is BIP 340 verification by libsecp256k1, which takes turns with each row in the same process. CPU\n"
        "engines run on one thread, the best one also on all. A key and a signature for each entry of the largest batch,\n"
        "and at least so many that no key signs again before its top tree is forgotten, are made first. With 128-24, where a\n"
        "key takes seconds, only verification is timed, with signatures for experiments. Exit status 1 if a backend is wrong,\n"
        "fails or rejects a valid signature.");
    parser.Add("--backend BACKEND", options->backends,
               "Measure only this one: cpu, cpu:<instruction set>, vulkan, vulkan:<index>, :<part of a name> or :all");
    parser.Add("--batch N", options->batches,
               "How many signatures are verified together, up to " + std::to_string(MAX_BATCH) + " (default: 1, 8, 64 and 512)");
    AddSetChoice(parser, options->set, "The parameter set");
    parser.Add("--milliseconds N", options->milliseconds, "How long to measure each row");
    AddJsonFlag(parser, options->json);
    parser.AddExamples({{"this machine", "slhtool bench"},
                        {"one engine, longer, as JSON", "slhtool bench --backend cpu:avx2 --batch 64 --milliseconds 3000 --json"}});
    return [options] { return RunIt(*options); };
}

} // namespace slhc::tool
