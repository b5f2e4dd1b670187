// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <bench/block_bench_util.h>

#include <pqc/signer.h>
#include <test/util/peak_memory.h>
#include <test/util/verifier.h>
#include <util/threadpool.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <thread>
#include <utility>

#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <sys/wait.h>
#include <unistd.h>

namespace slhc::bench {

namespace {
double CpuSeconds()
{
    timespec t{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

/** A line of a file that has "name ... : value". Empty if there is none. */
std::string FindLine(const char* path, const std::string& name)
{
    std::ifstream file{path};
    for (std::string line; std::getline(file, line);) {
        if (!line.starts_with(name)) continue;
        const size_t colon{line.find(':')};
        const size_t begin{colon == std::string::npos ? colon : line.find_first_not_of(" \t", colon + 1)};
        if (begin != std::string::npos) return line.substr(begin);
    }
    return {};
}

/** The exit status of a child that has sent the reason of its failure. */
constexpr int SAID_WHY{3};

/** @return whether all of it was written */
bool WriteAll(int file, const std::string& text)
{
    for (size_t done{0}; done < text.size();) {
        const ssize_t n{write(file, text.data() + done, text.size() - done)};
        if (n < 0 && errno != EINTR) return false;
        if (n > 0) done += static_cast<size_t>(n);
    }
    return true;
}

/** True if devices were asked for by name. */
bool NamesDevices(std::string_view asked) { return asked != "auto" && !asked.starts_with("cpu"); }
} // namespace

ClockTimes Measure(const std::function<void()>& f)
{
    const double cpu_before{CpuSeconds()};
    const auto before{std::chrono::steady_clock::now()};
    f();
    const std::chrono::duration<double> wall{std::chrono::steady_clock::now() - before};
    return {.wall = wall.count(), .cpu = CpuSeconds() - cpu_before};
}

size_t PeakMemory()
{
    if (const std::string kib{FindLine("/proc/self/status", "VmHWM")}; !kib.empty()) return std::stoul(kib) * 1024;
    return test::PeakMemory();
}

size_t ResetPeakMemory()
{
#ifdef __GLIBC__
    malloc_trim(0); // so that free memory counts as free
#endif
    std::ofstream{"/proc/self/clear_refs"} << "5";
    return PeakMemory();
}

std::string InChildProcess(const std::function<std::string()>& f)
{
    int ends[2];
    if (pipe(ends) != 0) throw std::runtime_error{"pipe failed"};
    std::fflush(nullptr);
    const pid_t child{fork()};
    if (child < 0) throw std::runtime_error{"fork failed"};
    if (child == 0) {
        close(ends[0]);
        int status{0};
        std::string result;
        try {
            result = f();
        } catch (const std::exception& e) {
            result = e.what();
            status = SAID_WHY;
        }
        _exit(WriteAll(ends[1], result) ? status : 1);
    }
    close(ends[1]);
    std::string result;
    char buffer[4096];
    for (ssize_t n; (n = read(ends[0], buffer, sizeof(buffer))) != 0;) {
        if (n < 0 && errno != EINTR) break;
        if (n > 0) result.append(buffer, static_cast<size_t>(n));
    }
    close(ends[0]);
    int status{0};
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == SAID_WHY) throw std::runtime_error{result};
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) throw std::runtime_error{"the measuring process failed"};
    return result;
}

std::string DescribeMachine()
{
    std::string cpu{FindLine("/proc/cpuinfo", "model name")};
    if (cpu.empty()) cpu = "unknown processor";
#if defined(__clang__)
    const std::string compiler{"clang " __clang_version__};
#else
    const std::string compiler{"gcc " __VERSION__};
#endif
    return cpu + ", " + std::to_string(UsableCores()) + " cores, " + compiler + ", libsecp256k1 " SLHC_BENCH_SECP256K1_VERSION;
}

void RequireDevices(std::string_view asked, const BackendList& backends)
{
    if (!NamesDevices(asked)) return;
    const auto failed{std::ranges::find_if(backends, [](const auto& backend) { return backend.retired || backend.failed_calls > 0; })};
    if (failed == backends.end()) return;
    throw std::runtime_error{failed->name + " failed while it was measured: the CPU did the rest of its work"};
}

std::string WorkingBackends(std::string_view asked, const BackendList& backends)
{
    const bool devices{NamesDevices(asked)};
    std::string names;
    for (const slhdsa::BackendStatistics& backend : backends) {
        if (backend.is_device ? !devices && backend.jobs == 0 : devices) continue;
        names += (names.empty() ? "" : " and ") + backend.name;
    }
    return names;
}

std::shared_ptr<slhdsa::Verifier> OpenVerifier(const std::string& backend, unsigned threads)
{
    std::shared_ptr<slhdsa::Verifier> verifier;
    try {
        verifier = test::MakeVerifier(backend, threads);
    } catch (const std::runtime_error& e) {
        throw NoBackend{e.what()};
    }
    if (!NamesDevices(backend)) return verifier;
    const auto works{[](const slhdsa::BackendStatistics& each) { return !each.is_device || each.ready; }};
    for (const auto end{std::chrono::steady_clock::now() + std::chrono::seconds{30}};;) {
        const BackendList backends{verifier->Statistics()};
        if (std::ranges::all_of(backends, works)) return verifier;
        const auto failed{std::ranges::find_if(backends, &slhdsa::BackendStatistics::retired)};
        if (failed != backends.end()) throw NoBackend{failed->name + " does not open"};
        if (std::chrono::steady_clock::now() >= end) {
            throw NoBackend{std::ranges::find_if_not(backends, works)->name + " does not open in time"};
        }
        std::this_thread::sleep_for(std::chrono::milliseconds{10});
    }
}

std::string DescribeBackends(const std::string& backend)
{
    return WorkingBackends(backend, OpenVerifier(backend, 1)->Statistics());
}

void VerifyBlock(const test::BlockWithSpent& b, const std::shared_ptr<slhdsa::Verifier>& verifier, SignatureTiming timing)
{
    const BlockScriptResult result{
        VerifyBlockScripts(b.block, b.spent_outputs, MANDATORY_SCRIPT_VERIFY_FLAGS, verifier, {.timing = timing})};
    if (result.status != BlockScriptStatus::VALID) throw std::logic_error{"a block that should be valid is not"};
}

test::SLHDSAFunctions FastSLHDSA()
{
    constexpr auto SET{slhdsa::ParameterSet::SHA2_128S};
    const auto pool{std::make_shared<ThreadPool>(0)};
    return {
        .keygen = [pool](std::span<const uint8_t, slhdsa::KEYGEN_SEED_SIZE> seed, slhdsa::SecretKey& sk, slhdsa::PublicKey& pk) {
            if (!slhdsa::GenerateKey(*pool, SET, seed, sk, pk)) throw std::runtime_error{"key generation failed"};
        },
        .sign = [pool](std::span<const uint8_t> message, const slhdsa::SecretKey& sk, const std::array<uint8_t, slhdsa::N>& addrnd,
                       slhdsa::Signature& sig) {
            if (!slhdsa::Sign(*pool, SET, message, {}, sk, addrnd.data(), sig)) throw std::runtime_error{"signing failed"};
        },
    };
}

} // namespace slhc::bench
