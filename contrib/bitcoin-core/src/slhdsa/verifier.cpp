// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <slhdsa/verifier.h>

#include <slhdsa/pubkey.h>
#include <uint256.h>
#include <util/fs.h>
#include <util/log.h>

#include <slhdsa.h>

#include <cstdint>
#include <stdexcept>
#include <string_view>

namespace {

void LogFromModule(void*, int level, const char* message, size_t size)
{
    const std::string_view text{message, size};
    switch (level) {
    case SLHC_LOG_ERROR: LogError("slhdsa: %s", text); break;
    case SLHC_LOG_WARNING: LogWarning("slhdsa: %s", text); break;
    case SLHC_LOG_INFO: LogInfo("slhdsa: %s", text); break;
    default: LogDebug(BCLog::SLHDSA, "%s", text); break;
    }
}

} // namespace

void SLHDSAVerifier::Deleter::operator()(slhc_context* context) const { slhc_context_destroy(context); }

SLHDSAVerifier::SLHDSAVerifier(const SLHDSAOptions& options) : m_options{options}
{
    slhc_context_options module_options SLHC_CONTEXT_OPTIONS_INIT;
    // None is ever null: that would leave the choice to environment variables.
    module_options.backend = m_options.backend.c_str();
    module_options.device_program = m_options.device_program.c_str();
    module_options.cache_dir = m_options.cache_dir.c_str();
    module_options.threads = m_options.threads;
    module_options.log = LogFromModule;
    module_options.log_level = SLHC_LOG_DEBUG; // filtered by category
    m_context.reset(slhc_context_create(&module_options));
    slhc_error error SLHC_ERROR_INIT;
    if (!m_context && slhc_last_error(&error) == SLHC_OK) throw std::runtime_error{std::string{"-slhdsabackend, -slhdsadeviceprogram: "} + error.message};

    slhc_statistics module_statistics SLHC_STATISTICS_INIT;
    const bool has_device{slhc_context_statistics(m_context.get(), &module_statistics) == SLHC_OK && module_statistics.n_backends > 1};
    // Opening the device goes on in a thread of its own, and takes much longer than this.
    if (has_device && !m_options.cache_dir.empty()) fs::create_directories(fs::PathFromString(m_options.cache_dir));
}

SLHDSAVerifier::~SLHDSAVerifier() = default;

bool SLHDSAVerifier::Verify(const SLHDSAPubKey& pubkey, const uint256& sighash, std::span<const unsigned char> sig) const
{
    ++m_statistics.single_signatures;
    // A batch of one goes to a device that was named, and is verified in this thread otherwise, with the instructions that this machine has.
    static constexpr uint64_t TAG[3]{};
    const std::unique_ptr<slhc_batch, decltype(&slhc_batch_destroy)> batch{slhc_batch_create(m_context.get(), 0), slhc_batch_destroy};
    if (batch && slhc_batch_add(batch.get(), pubkey.Set(), pubkey.data(), sighash.begin(), {sig.data(), sig.size()}, TAG) == SLHC_DEFERRED) {
        const int verdict{slhc_batch_verify(batch.get(), /*tag=*/nullptr)};
        if (verdict == SLHC_VALID || verdict == SLHC_INVALID) return verdict == SLHC_VALID;
    }
    // Out of memory: this always gives a verdict.
    return pubkey.VerifySLHDSA(sighash, sig);
}
