// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <pqc/cpu/lane_engine.h>

#include <pqc/cpu/hash_layout.h>
#include <pqc/cpu/portable.h>
#include <pqc/sample_jobs.h>
#include <pqc/slhdsa/address.h>
#include <pqc/slhdsa/encoding.h>
#include <pqc/slhdsa/hash_functions.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <new>
#include <vector>

namespace slhc::slhdsa::lanes {
namespace {

/** One signature of a cohort on its way up the hypertree. */
template <Params P>
struct Walker {
    sha256::State seed_state;
    BlockPrefix chain_prefix; //!< of the layer's WOTS+ key
    BlockPrefix tree_prefix;  //!< of the layer's XMSS tree; before the first layer, of the FORS trees
    TMessage<P.len()> wots_pk;
    TMessage<P.k> fors_pk;
    Node node;     //!< what the current layer signs
    const uint8_t* signature; //!< the part that comes next
    uint64_t idx_tree;
    uint32_t idx_leaf;
};

/** Signatures that are verified together, with the space for everything that is hashed. */
class Cohort
{
public:
    virtual ~Cohort() = default;
    virtual void ComputeRoots(const KernelSplitter& kernels, std::span<const RootJob> jobs, std::span<Root> roots) = 0;
};

/** A cohort of one parameter set. */
template <Params P>
class CohortOf final : public Cohort
{
    // What the kernels take (kernels.h)
    static_assert(P.len() <= 256 && P.w() <= 256, "a chain's number and its steps have 8 bits");
    static_assert(P.h_prime() < 32 && P.a < 32 && P.k <= uint64_t{1} << (32 - P.a), "a node's index has 32 bits");

public:
    void ComputeRoots(const KernelSplitter& kernels, std::span<const RootJob> jobs, std::span<Root> roots) override
    {
        if (m_walkers.size() < jobs.size()) m_walkers.resize(jobs.size());
        m_active = std::span{m_walkers}.first(jobs.size());
        for (size_t i{0}; i < jobs.size(); ++i) Start(m_active[i], jobs[i]);
        ComputeForsKeys(kernels, jobs);
        for (size_t layer{0}; layer < P.d; ++layer) ClimbLayer(kernels, layer);
        for (size_t i{0}; i < jobs.size(); ++i) roots[i] = m_active[i].node;
    }

private:
    using Walker = lanes::Walker<P>;

    std::vector<Walker> m_walkers;
    std::span<Walker> m_active;
    std::vector<ChainKey> m_keys;
    std::vector<uint32_t> m_buckets;
    std::vector<ChainItem> m_chains;
    std::vector<PathItem> m_paths;
    std::vector<MessageItem> m_messages;

    static void Start(Walker& w, const RootJob& job)
    {
        w.seed_state = HashContext{NodeView{job.pk_seed, N}}.SeedState();
        w.signature = job.signature + N;
        w.idx_tree = job.idx_tree;
        w.idx_leaf = job.idx_leaf;
    }

    /** Algorithm 17, fors_pkFromSig, of every signature. */
    void ComputeForsKeys(const KernelSplitter& kernels, std::span<const RootJob> jobs)
    {
        m_paths.resize(m_active.size() * P.k);
        m_messages.resize(m_active.size());
        PathItem* path{m_paths.data()};
        for (size_t s{0}; s < m_active.size(); ++s) {
            Walker& w{m_active[s]};
            ADRS adrs;
            adrs.setTreeAddress(w.idx_tree);
            adrs.setTypeAndClear(ADRSType::FORS_TREE);
            adrs.setKeyPairAddress(w.idx_leaf);
            w.tree_prefix = MakeBlockPrefix(w.seed_state, adrs);
            adrs.setTypeAndClear(ADRSType::FORS_ROOTS);
            adrs.setKeyPairAddress(w.idx_leaf);
            w.fors_pk.SetAddress(adrs);

            const auto indices{base_2b<P.a, P.k>(std::span{jobs[s].md}.template first<P.MdSize()>())};
            for (size_t i{0}; i < P.k; ++i) {
                const uint32_t index{static_cast<uint32_t>(i << P.a) + indices[i]};
                *path++ = {&w.tree_prefix, w.signature, w.signature + N, w.fors_pk.Value(i), index};
                w.signature += (1 + P.a) * N;
            }
            m_messages[s] = {w.seed_state.data(), w.fors_pk.Blocks(), w.node.data()};
        }
        kernels.Paths(m_paths, {.leaf = true, .first = 0, .last = P.a});
        kernels.Messages(m_messages, TMessage<P.k>::BLOCKS);
    }

    /** Algorithm 11, xmss_pkFromSig, of every signature, and the step to the tree above. */
    void ClimbLayer(const KernelSplitter& kernels, size_t layer)
    {
        m_keys.resize(m_active.size());
        m_paths.resize(m_active.size());
        for (size_t s{0}; s < m_active.size(); ++s) {
            Walker& w{m_active[s]};
            ADRS adrs;
            adrs.setLayerAddress(static_cast<uint32_t>(layer));
            adrs.setTreeAddress(w.idx_tree);
            adrs.setTypeAndClear(ADRSType::WOTS_HASH);
            adrs.setKeyPairAddress(w.idx_leaf);
            w.chain_prefix = MakeBlockPrefix(w.seed_state, adrs);
            adrs.setTypeAndClear(ADRSType::WOTS_PK);
            adrs.setKeyPairAddress(w.idx_leaf);
            w.wots_pk.SetAddress(adrs);
            adrs.setTypeAndClear(ADRSType::TREE);
            w.tree_prefix = MakeBlockPrefix(w.seed_state, adrs);

            m_keys[s] = {&w.chain_prefix, w.signature, w.wots_pk.Value(0)};
            m_messages[s] = {w.seed_state.data(), w.wots_pk.Blocks(), w.node.data()};
            m_paths[s] = {&w.tree_prefix, w.node.data(), w.signature + P.WotsSigSize(), w.node.data(), w.idx_leaf};
        }
        SortChains();
        kernels.Chains(m_keys, m_chains);
        kernels.Messages(m_messages, TMessage<P.len()>::BLOCKS);
        kernels.Paths(m_paths, {.leaf = false, .first = 0, .last = P.h_prime()});
        for (Walker& w : m_active) {
            w.signature += P.XmssSigSize();
            w.idx_leaf = static_cast<uint32_t>(w.idx_tree % (uint64_t{1} << P.h_prime()));
            w.idx_tree >>= P.h_prime();
        }
    }

    /** The chains of a layer (algorithm 8), the longest first: a bucket for each digit. The digits are those of
     *  wots_digits(), whose array would cost 1 to 2 % of a verification. */
    void SortChains()
    {
        static_assert(8 % P.lg_w == 0, "no digit is in two bytes");
        constexpr uint32_t MAX_DIGIT{P.w() - 1};
        const size_t n{m_active.size() * P.len()};
        if (m_buckets.size() < P.w() * n) m_buckets.resize(P.w() * n);
        std::array<uint32_t*, P.w()> ends;
        for (size_t digit{0}; digit < P.w(); ++digit) ends[digit] = &m_buckets[digit * n];
        for (size_t s{0}; s < m_active.size(); ++s) {
            auto key_and_chain{static_cast<uint32_t>(s << 16)};
            const auto put{[&](uint32_t digit) { *ends[digit]++ = key_and_chain++; }};
            uint32_t csum{0};
            for (const uint8_t byte : m_active[s].node) {
                for (int shift{8 - P.lg_w}; shift >= 0; shift -= P.lg_w) {
                    const uint32_t digit{byte >> shift & MAX_DIGIT};
                    csum += MAX_DIGIT - digit;
                    put(digit);
                }
            }
            for (int shift{P.lg_w * (P.len2() - 1)}; shift >= 0; shift -= P.lg_w) put(csum >> shift & MAX_DIGIT);
        }
        m_chains.resize(n);
        ChainItem* next{m_chains.data()};
        for (size_t digit{0}; digit < P.w(); ++digit) {
            for (const uint32_t* p{&m_buckets[digit * n]}; p != ends[digit]; ++p) {
                *next++ = {static_cast<uint16_t>(*p >> 16), static_cast<uint8_t>(*p), static_cast<uint8_t>(digit), MAX_DIGIT};
            }
        }
    }
};

class LaneEngine final : public RootBackend
{
public:
    LaneEngine(std::string_view name, KernelSplitter kernels) : m_name{name}, m_kernels{kernels} {}

    std::string_view Name() const noexcept override { return m_name; }
    size_t PreferredJobs() const noexcept override { return m_kernels.CohortSize(); }

    BackendStatus ComputeRoots(std::span<const RootJob> jobs, std::span<Root> roots) override
    try {
        if (jobs.empty()) return BackendStatus::OK;
        OfSet& of_set{m_sets[IndexOf(jobs.front().set)]};
        std::call_once(of_set.tried, [&] { of_set.right = FindsRootOf(jobs.front().set); });
        if (!of_set.right) return BackendStatus::FAILED;
        auto cohort{Take(of_set, jobs.front().set)};
        // Cohorts of about the same size: a small one at the end would leave lanes empty.
        const size_t n_cohorts{(jobs.size() + m_kernels.CohortSize() - 1) / m_kernels.CohortSize()};
        for (size_t i{0}; i < n_cohorts; ++i) {
            const size_t begin{jobs.size() * i / n_cohorts};
            const size_t size{jobs.size() * (i + 1) / n_cohorts - begin};
            cohort->ComputeRoots(m_kernels, jobs.subspan(begin, size), roots.subspan(begin, size));
        }
        Return(of_set, std::move(cohort));
        return BackendStatus::OK;
    } catch (const std::bad_alloc&) {
        return BackendStatus::FAILED;
    }

private:
    struct OfSet {
        std::once_flag tried;
        bool right{false}; //!< it finds the root of a sample
        std::vector<std::unique_ptr<Cohort>> idle; //!< for the next call: one for each thread that was ever here at the same time
    };

    static std::unique_ptr<Cohort> MakeCohort(ParameterSet set)
    {
        return WithParams(set, []<Params P>() -> std::unique_ptr<Cohort> { return std::make_unique<CohortOf<P>>(); });
    }

    /** Compare with the scalar code. The set of the rules is tried by a known answer before there is an engine, which takes less time. */
    bool FindsRootOf(ParameterSet set) const
    {
        if (set == ParameterSet::SHA2_128S) return true;
        const SampleJobs sample{1, set};
        Root expected, found;
        (void)CreatePortableEngine()->ComputeRoots(sample.Jobs(), {&expected, 1});
        MakeCohort(set)->ComputeRoots(m_kernels, sample.Jobs(), {&found, 1});
        return found == expected;
    }

    std::unique_ptr<Cohort> Take(OfSet& of_set, ParameterSet set)
    {
        if (const std::lock_guard lock{m_mutex}; !of_set.idle.empty()) {
            auto cohort{std::move(of_set.idle.back())};
            of_set.idle.pop_back();
            return cohort;
        }
        return MakeCohort(set);
    }

    void Return(OfSet& of_set, std::unique_ptr<Cohort> cohort)
    {
        const std::lock_guard lock{m_mutex};
        of_set.idle.push_back(std::move(cohort));
    }

    const std::string_view m_name;
    const KernelSplitter m_kernels;
    std::mutex m_mutex;
    std::array<OfSet, PARAMETER_SETS.size()> m_sets;
};

} // namespace

std::unique_ptr<RootBackend> CreateLaneEngine(std::string_view name, KernelSplitter kernels)
{
    return std::make_unique<LaneEngine>(name, kernels);
}

} // namespace slhc::slhdsa::lanes
