// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <pqc/cpu/portable.h>

#include <pqc/slhdsa/hash_functions.h>
#include <pqc/slhdsa/slhdsa.h>

#include <algorithm>

namespace slhc::slhdsa {

namespace {

/** One signature after the other, through the functions that FIPS 205 names. */
class PortableEngine final : public RootBackend
{
public:
    std::string_view Name() const noexcept override { return "cpu:portable"; }

    /** Nothing is gained by more; a few keep the overhead of a call out of sight. */
    size_t PreferredJobs() const noexcept override { return 8; }

    BackendStatus ComputeRoots(std::span<const RootJob> jobs, std::span<Root> roots) override
    {
        for (size_t i{0}; i < jobs.size(); ++i) {
            const RootJob& job{jobs[i]};
            roots[i] = WithParams(job.set, [&]<Params P>() {
                MessageDigestOf<P> digest{.md{}, .idx_tree = job.idx_tree, .idx_leaf = job.idx_leaf};
                std::copy_n(job.md.begin(), digest.md.size(), digest.md.begin());
                return slh_rootFromSig<P>(HashContext{NodeView{job.pk_seed, N}}, digest,
                                          std::span<const uint8_t, P.SignatureSize()>{job.signature, P.SignatureSize()});
            });
        }
        return BackendStatus::OK;
    }
};

} // namespace

std::unique_ptr<RootBackend> CreatePortableEngine()
{
    return std::make_unique<PortableEngine>();
}

} // namespace slhc::slhdsa
