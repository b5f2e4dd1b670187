// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef BITCOIN_SLHDSA_VERIFIER_H
#define BITCOIN_SLHDSA_VERIFIER_H

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

class SLHDSAPubKey;
class uint256;
struct slhc_context;

//! In the data directory of the network.
static constexpr const char* DEFAULT_SLHDSA_CACHE_DIR{"slhdsa"};
static constexpr bool DEFAULT_SLHDSA_DEFER{true};
/** The limit of slhdsa.h. */
static constexpr int MAX_SLHDSA_THREADS{256};

/** How SLH-DSA signatures are verified. Nothing here changes a verdict. */
struct SLHDSAOptions {
    //! As slhdsa.h has it. No process with a driver is started for the default.
    std::string backend{"cpu"};
    //! The program that runs a device's driver; empty: slhgpu beside this program, in ../libexec or in ../../libexec.
    std::string device_program{};
    //! The folder of compiled pipelines, made when a device is used; empty: none.
    std::string cache_dir{};
    //! Threads that verify a batch, the calling one included; 0: as many as check scripts.
    unsigned int threads{0};
    //! Verify a block's signatures together, while and after its scripts run, instead of one by one.
    bool defer{DEFAULT_SLHDSA_DEFER};
};

/** The work of a verifier since it was made. */
struct SLHDSAStatistics {
    std::atomic<uint64_t> batches{0};          //!< with a verdict
    std::atomic<uint64_t> batches_invalid{0};  //!< of these, with an invalid signature
    std::atomic<uint64_t> batch_signatures{0}; //!< in these batches
    std::atomic<uint64_t> batch_us{0};         //!< time from the end of the scripts to these verdicts, in microseconds
    std::atomic<uint64_t> last_batch_signatures{0};
    std::atomic<uint64_t> last_batch_us{0};
    std::atomic<uint64_t> single_signatures{0}; //!< verified one by one: those that are not deferred, or cannot be
    std::atomic<uint64_t> no_verdicts{0};       //!< batches that ended without a verdict
};

/** The threads and the device, if there is one, with which a node verifies SLH-DSA signatures. Thread-safe. */
class SLHDSAVerifier
{
public:
    /** @throws std::runtime_error if the backend does not exist or cannot be used on this machine, or cache_dir cannot be made */
    explicit SLHDSAVerifier(const SLHDSAOptions& options);
    ~SLHDSAVerifier();

    SLHDSAVerifier(const SLHDSAVerifier&) = delete;
    SLHDSAVerifier& operator=(const SLHDSAVerifier&) = delete;

    /** Verify one signature now, in the calling thread or on a device that was named. There always is a verdict. */
    bool Verify(const SLHDSAPubKey& pubkey, const uint256& sighash, std::span<const unsigned char> sig) const;

    const SLHDSAOptions& Options() const { return m_options; }
    SLHDSAStatistics& Statistics() const { return m_statistics; }
    slhc_context* Context() const { return m_context.get(); }

private:
    struct Deleter {
        void operator()(slhc_context* context) const;
    };

    const SLHDSAOptions m_options;
    mutable SLHDSAStatistics m_statistics;
    std::unique_ptr<slhc_context, Deleter> m_context;
};

#endif // BITCOIN_SLHDSA_VERIFIER_H
