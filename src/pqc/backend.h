// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_PQC_BACKEND_H
#define SLHCONSENSUS_PQC_BACKEND_H

#include <pqc/slhdsa/params.h>

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace slhc::slhdsa {

/** One verification as a backend sees it: everything that slh_verify_internal (FIPS 205, algorithm 20)
 *  needs after the message is hashed and the digest is split, but for PK.root. A backend computes the root
 *  that the signature leads to; whether it is PK.root is judged where PK.root is (see judge.h). */
struct RootJob {
    const uint8_t* pk_seed;   //!< N bytes
    const uint8_t* signature; //!< SIGNATURE_SIZE bytes; its first N, the randomizer R, are not needed any more
    std::array<uint8_t, FORS_DIGEST_SIZE> md; //!< the FORS part of the digest
    uint16_t idx_leaf;        //!< below 2^H_PRIME
    uint64_t idx_tree;        //!< below 2^(H - H_PRIME)
};

using Root = std::array<uint8_t, N>;

/** What a backend says of a call as a whole. */
enum class BackendStatus {
    OK,     //!< every root is computed, as far as the backend knows
    BUSY,   //!< a device that serves another call, or that is not ready: nothing is computed, nothing is wrong
    FAILED, //!< device lost, out of memory, late: no root of this call may be used
};

/** Computes hypertree roots: the one interface between the batch and whatever does the hashing. */
class RootBackend
{
public:
    virtual ~RootBackend() = default;

    /** Short name, as SLHC_BACKEND and logs have it, e.g. "cpu:portable". */
    [[nodiscard]] virtual std::string_view Name() const noexcept = 0;

    /** The number of jobs that one call handles best; a CPU backend is given about this many a call and
     *  thread, any number is correct. */
    [[nodiscard]] virtual size_t PreferredJobs() const noexcept = 0;

    /** Whether this is a device beside the CPU. A device's roots are a proposal: one that is not PK.root is
     *  computed again on the CPU, and a device that was wrong or failed gets no further work (see verifier.h).
     *  A device is given a whole batch, or its share of one, in one call and cuts it by its own limits. */
    [[nodiscard]] virtual bool IsDevice() const noexcept { return false; }

    /** Whether a call now would be served at once: a device that still warms up or serves another call says no, and the
     *  CPU does the work meanwhile. May change at any time, either way. */
    [[nodiscard]] virtual bool IsReady() const noexcept { return true; }

    /** Whether it never will be ready again: a device that is gone, or that failed before it got any work. */
    [[nodiscard]] virtual bool IsUnusable() const noexcept { return false; }

    /** Say for good that it is unusable, since it was wrong. For devices. */
    virtual void Retire() noexcept {}

    /** What a measurement of this backend holds for: its name, and of a device also what is behind the name. */
    [[nodiscard]] virtual std::string Identity() const { return std::string{Name()}; }

    /** Compute roots[i] for jobs[i]. Safe to call from several threads at once; none of them waits for another. Keeps
     *  nothing of the arguments.
     *  @pre jobs.size() == roots.size(); any size, 0 too */
    [[nodiscard]] virtual BackendStatus ComputeRoots(std::span<const RootJob> jobs, std::span<Root> roots) = 0;
};

} // namespace slhc::slhdsa

#endif // SLHCONSENSUS_PQC_BACKEND_H
