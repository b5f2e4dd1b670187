// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <crypto/cpu_features.h>

#include <atomic>

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#elif defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>
#elif defined(__aarch64__) && defined(__APPLE__)
#include <sys/sysctl.h>
#endif

namespace slhc::cpu {
namespace {

#if defined(__x86_64__) || defined(__i386__)

/** Extended control register 0: which register state the operating system saves and restores. */
uint64_t ReadXCR0() noexcept
{
    uint32_t low, high;
    __asm__ __volatile__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return uint64_t{high} << 32 | low;
}

constexpr bool HasBits(uint64_t value, uint64_t bits) { return (value & bits) == bits; }

// Intel SDM volume 2, CPUID, and volume 1, section 13.2 (XCR0).
constexpr uint32_t LEAF1_ECX_SSSE3{1U << 9};
constexpr uint32_t LEAF1_ECX_SSE41{1U << 19};
constexpr uint32_t LEAF1_ECX_OSXSAVE{1U << 27};
constexpr uint32_t LEAF1_ECX_AVX{1U << 28};
constexpr uint32_t LEAF7_EBX_AVX2{1U << 5};
constexpr uint32_t LEAF7_EBX_AVX512F{1U << 16};
constexpr uint32_t LEAF7_EBX_AVX512DQ{1U << 17};
constexpr uint32_t LEAF7_EBX_SHA{1U << 29};
constexpr uint32_t LEAF7_EBX_AVX512BW{1U << 30};
constexpr uint32_t LEAF7_EBX_AVX512VL{1U << 31};
constexpr uint64_t XCR0_XMM_YMM{0x06};
constexpr uint64_t XCR0_OPMASK_ZMM{0xe0};

bool IsAmd() noexcept
{
    uint32_t eax, ebx, ecx, edx;
    return __get_cpuid(0, &eax, &ebx, &ecx, &edx) && ebx == signature_AMD_ebx && ecx == signature_AMD_ecx && edx == signature_AMD_edx;
}

FeatureMask Detect() noexcept
{
    uint32_t eax, ebx, ecx, edx;
    if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx)) return 0;
    const uint32_t leaf1_ecx{ecx};
    uint32_t leaf7_ebx{0};
    if (__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx)) leaf7_ebx = ebx;

    FeatureMask mask{0};
    if (HasBits(leaf1_ecx, LEAF1_ECX_SSSE3 | LEAF1_ECX_SSE41)) mask |= SSE41;
    if (HasBits(leaf7_ebx, LEAF7_EBX_SHA)) mask |= SHA_NI;

    const uint64_t xcr0{HasBits(leaf1_ecx, LEAF1_ECX_OSXSAVE) ? ReadXCR0() : 0};
    if (HasBits(xcr0, XCR0_XMM_YMM) && HasBits(leaf1_ecx, LEAF1_ECX_AVX)) {
        if (HasBits(leaf7_ebx, LEAF7_EBX_AVX2)) mask |= AVX2;
        if (HasBits(xcr0, XCR0_OPMASK_ZMM) &&
            HasBits(leaf7_ebx, LEAF7_EBX_AVX512F | LEAF7_EBX_AVX512BW | LEAF7_EBX_AVX512DQ | LEAF7_EBX_AVX512VL)) {
            mask |= AVX512;
            if (IsAmd()) mask |= FREE_SSE_AVX_SWITCH;
        }
    }
    return mask;
}

#elif defined(__aarch64__) && defined(__linux__)

FeatureMask Detect() noexcept
{
    constexpr unsigned long HWCAP_BIT_SHA2{1UL << 6}; // HWCAP_SHA2 of the kernel's asm/hwcap.h
    return (getauxval(AT_HWCAP) & HWCAP_BIT_SHA2) != 0 ? FeatureMask{ARM_SHA2} : 0;
}

#elif defined(__aarch64__) && defined(__APPLE__)

FeatureMask Detect() noexcept
{
    int has{0};
    size_t size{sizeof(has)};
    return sysctlbyname("hw.optional.arm.FEAT_SHA256", &has, &size, nullptr, 0) == 0 && has != 0 ? FeatureMask{ARM_SHA2} : 0;
}

#else

FeatureMask Detect() noexcept { return 0; }

#endif

FeatureMask Detected() noexcept
{
    static const FeatureMask s_detected{Detect()};
    return s_detected;
}

//! Constant-initialized: hashing may begin in another file's static constructor.
std::atomic<FeatureMask> g_override{~FeatureMask{0}};

} // namespace

FeatureMask Features() noexcept { return Detected() & g_override.load(std::memory_order_relaxed); }

ScopedFeatureMask::ScopedFeatureMask(FeatureMask mask) noexcept : m_previous{g_override.exchange(mask)} {}

ScopedFeatureMask::~ScopedFeatureMask() { g_override.store(m_previous); }

} // namespace slhc::cpu
