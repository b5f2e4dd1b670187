// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <bench/block_bench_util.h>

#include <pqc/signer.h>
#include <util/threadpool.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <utility>

#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <sys/resource.h>
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
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<size_t>(usage.ru_maxrss) * 1024;
}

size_t ResetPeakMemory()
{
#ifdef __GLIBC__
    malloc_trim(0); // what is free counts as free
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
        int status{1};
        try {
            close(ends[0]);
            const std::string result{f()};
            size_t done{0};
            while (done < result.size()) {
                const ssize_t n{write(ends[1], result.data() + done, result.size() - done)};
                if (n < 0 && errno != EINTR) break;
                if (n > 0) done += static_cast<size_t>(n);
            }
            if (done == result.size()) status = 0;
        } catch (const std::exception& e) {
            std::cerr << e.what() << std::endl;
        }
        _exit(status);
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
    return cpu + ", " + std::to_string(UsableCores()) + " cores, " + compiler;
}

void VerifyBlock(const test::BlockWithSpent& b, const std::shared_ptr<slhdsa::Verifier>& verifier, SignatureTiming timing)
{
    const BlockScriptResult result{
        VerifyBlockScripts(b.block, b.spent_outputs, MANDATORY_SCRIPT_VERIFY_FLAGS, verifier, {.timing = timing})};
    if (result.status != BlockScriptStatus::VALID) throw std::logic_error{"a block that should be valid is not"};
}

test::SLHDSAFunctions FastSLHDSA()
{
    return {
        .keygen = slhdsa::GenerateKey,
        .sign = [pool = std::make_shared<ThreadPool>(0)](std::span<const uint8_t> message, const slhdsa::SecretKey& sk,
                                                         const std::array<uint8_t, slhdsa::N>& addrnd, slhdsa::Signature& sig) {
            if (!slhdsa::Sign(*pool, message, {}, sk, addrnd.data(), sig)) throw std::runtime_error{"signing failed"};
        },
    };
}

} // namespace slhc::bench
