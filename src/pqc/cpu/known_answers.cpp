// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <pqc/cpu/known_answers.h>

#include <pqc/cpu/hash_layout.h>
#include <pqc/sample_jobs.h>
#include <pqc/slhdsa/hash_functions.h>
#include <pqc/slhdsa/wots.h>
#include <util/check.h>

#include <algorithm>
#include <array>
#include <vector>

namespace slhc::slhdsa::lanes {
namespace {

/** Enough for two groups of lanes side by side, and for two after them. */
constexpr size_t MOST{3 * MAX_LANES + 1};
/** Enough for each lane of two groups to go on to another chain. */
constexpr size_t MOST_CHAINS{4 * MAX_LANES};
/** Places in the hypertree, each with its prefix, and chains of a key. */
constexpr size_t PLACES{2};
constexpr size_t CHAINS{MOST_CHAINS / PLACES};

constexpr PathShape FROM_LEAF{.leaf = true, .first = 0, .last = 3};
constexpr PathShape FROM_NODE{.leaf = false, .first = 5, .last = 7};
constexpr size_t MESSAGE_BLOCKS{2};
constexpr KeyShape KEY_SHAPE{.chains = 2, .steps = 2};

/** The root of the first of SampleJobs, computed by the scalar code, for which that would take longer than all the rest here. */
constexpr Root SAMPLE_ROOT{0xa6, 0xc9, 0x7a, 0x4e, 0xf9, 0x68, 0x38, 0xe7, 0x73, 0xa8, 0x14, 0x0e, 0x88, 0x1b, 0xde, 0xea};

/** Inputs of the kernels, and their results by the functions of FIPS 205. */
class KnownAnswers
{
public:
    KnownAnswers()
    {
        const std::span<const RootJob> jobs{m_sample.Jobs()};
        for (size_t p{0}; p < PLACES; ++p) {
            const HashContext& hash{m_contexts.emplace_back(NodeView{jobs[p].pk_seed, N})};
            for (const ADRSType type : {ADRSType::WOTS_HASH, ADRSType::FORS_TREE}) {
                ADRS& adrs{(type == ADRSType::WOTS_HASH ? m_key_addresses : m_tree_addresses)[p]};
                adrs.setLayerAddress(static_cast<uint32_t>(p));
                adrs.setTreeAddress(jobs[p].idx_tree);
                adrs.setTypeAndClear(type);
                adrs.setKeyPairAddress(jobs[p].idx_leaf);
                (type == ADRSType::WOTS_HASH ? m_key_prefixes : m_tree_prefixes)[p] = MakeBlockPrefix(hash.SeedState(), adrs);
            }
        }
        for (size_t i{0}; i < MOST_CHAINS; ++i) AnswerChain(i);
        for (size_t i{0}; i < MOST; ++i) AnswerPaths(i);
        for (size_t i{0}; i < MOST; ++i) AnswerMessage(i);
        for (size_t p{0}; p < PLACES; ++p) AnswerKey(p);
    }

    [[nodiscard]] bool ChainsAreRight(decltype(Kernels::chains) kernel, size_t n, bool in_place) const
    {
        auto in{m_chain_starts};
        std::array<Node, MOST_CHAINS> elsewhere{};
        auto& out{in_place ? in : elsewhere};
        std::array<ChainKey, PLACES> keys{};
        for (size_t p{0}; p < PLACES; ++p) keys[p] = {&m_key_prefixes[p], in[p * CHAINS].data(), out[p * CHAINS].data()};
        kernel(keys.data(), m_chains.data(), n);
        return std::equal(out.begin(), out.begin() + n, m_chain_ends.begin());
    }

    [[nodiscard]] bool PathsAreRight(const Kernels& kernels, size_t n, PathShape shape) const
    {
        std::array<Node, MOST> out{};
        auto items{m_paths};
        for (size_t i{0}; i < n; ++i) items[i].out = out[i].data();
        kernels.paths(items.data(), n, shape);
        return std::equal(out.begin(), out.begin() + n, (shape.leaf ? m_ends_from_leaf : m_ends_from_node).begin());
    }

    [[nodiscard]] bool MessagesAreRight(const Kernels& kernels, size_t n) const
    {
        std::array<Node, MOST> out{};
        std::array<MessageItem, MOST> items{};
        for (size_t i{0}; i < n; ++i) items[i] = {m_contexts[i % PLACES].SeedState().data(), Sample(i), out[i].data()};
        kernels.messages(items.data(), n, MESSAGE_BLOCKS);
        return std::equal(out.begin(), out.begin() + n, m_hashes.begin());
    }

    [[nodiscard]] bool KeysAreRight(const Kernels& kernels, size_t n) const
    {
        std::array<Node, MOST> out{};
        std::array<KeyItem, MOST> items{};
        for (size_t i{0}; i < n; ++i) {
            const size_t p{i % PLACES};
            items[i] = {&m_prf_prefixes[p], &m_key_prefixes[p], m_pk_addresses[p].data(), m_contexts[p].SeedState().data(), Sample(p),
                        out[i].data()};
        }
        kernels.keys(items.data(), n, KEY_SHAPE);
        for (size_t i{0}; i < n; ++i) {
            if (out[i] != m_keys[i % PLACES]) return false;
        }
        return true;
    }

private:
    const SampleJobs m_sample{PLACES};
    std::vector<HashContext> m_contexts;
    std::array<ADRS, PLACES> m_key_addresses, m_tree_addresses;
    std::array<BlockPrefix, PLACES> m_key_prefixes, m_tree_prefixes, m_prf_prefixes;
    std::array<std::array<uint8_t, COMPRESSED_ADRS_SIZE>, PLACES> m_pk_addresses;
    std::array<Node, PLACES> m_keys;
    std::array<ChainItem, MOST_CHAINS> m_chains;
    std::array<Node, MOST_CHAINS> m_chain_starts, m_chain_ends;
    std::array<PathItem, MOST> m_paths; //!< but for `out`
    std::array<Node, MOST> m_ends_from_leaf, m_ends_from_node;
    std::array<Node, MOST> m_hashes;

    static_assert((MOST_CHAINS + 8) * N <= SIGNATURE_SIZE);

    /** Bytes that serve as the input of item i: nodes of a signature. */
    const uint8_t* Sample(size_t i) const { return m_sample.Jobs()[0].signature + i * N; }

    /** Pieces of one step or two. */
    void AnswerChain(size_t i)
    {
        const size_t place{i / CHAINS};
        const auto address{static_cast<uint8_t>(i % CHAINS)};
        const auto begin{static_cast<uint8_t>(i % 3 == 2 ? 251 : i % 3)};
        const auto end{static_cast<uint8_t>(begin + 1 + i % 2)};
        m_chains[i] = {static_cast<uint16_t>(place), address, begin, end};
        std::copy_n(Sample(i), N, m_chain_starts[i].begin());
        ADRS adrs{m_key_addresses[place]};
        adrs.setChainAddress(address);
        m_chain_ends[i] = chain(m_contexts[place], m_chain_starts[i], begin, uint32_t{end} - begin, adrs);
    }

    void AnswerPaths(size_t i)
    {
        const size_t place{i % PLACES};
        const auto index{static_cast<uint32_t>(i * 2'654'435'761)}; // odd and even ones at every height, of all 32 bits
        m_paths[i] = {&m_tree_prefixes[place], Sample(i), Sample(i + 1), nullptr, index};
        m_ends_from_leaf[i] = Walk(place, i, index, FROM_LEAF);
        m_ends_from_node[i] = Walk(place, i, index, FROM_NODE);
    }

    /** Algorithm 17, lines 3 to 17, or a part of it. */
    Node Walk(size_t place, size_t i, uint32_t index, PathShape shape) const
    {
        const HashContext& hash{m_contexts[place]};
        ADRS adrs{m_tree_addresses[place]};
        adrs.setTreeIndex(index);
        const NodeView start{Sample(i), N};
        Node node;
        std::copy(start.begin(), start.end(), node.begin());
        if (shape.leaf) node = hash.F(adrs, start);
        for (uint32_t height{shape.first + 1}; height <= shape.last; ++height) {
            const NodeView sibling{Sample(i + height - shape.first), N};
            const bool odd{index % 2 == 1};
            index /= 2;
            adrs.setTreeHeight(height);
            adrs.setTreeIndex(index);
            node = odd ? hash.H(adrs, sibling, node) : hash.H(adrs, node, sibling);
        }
        return node;
    }

    void AnswerMessage(size_t i)
    {
        sha256::State state{m_contexts[i % PLACES].SeedState()};
        sha256::Transform(state, Sample(i), MESSAGE_BLOCKS);
        std::array<uint8_t, CSHA256::OUTPUT_SIZE> hash;
        CSHA256::WriteState(state, hash.data());
        std::copy_n(hash.begin(), N, m_hashes[i].begin());
    }

    /** Algorithm 6 with fewer and shorter chains. */
    void AnswerKey(size_t place)
    {
        const HashContext& hash{m_contexts[place]};
        const auto address{[&](ADRSType type) {
            ADRS adrs{m_key_addresses[place]};
            adrs.setTypeAndClear(type);
            adrs.setKeyPairAddress(m_sample.Jobs()[place].idx_leaf);
            return adrs;
        }};
        m_prf_prefixes[place] = MakeBlockPrefix(hash.SeedState(), address(ADRSType::WOTS_PRF));
        m_pk_addresses[place] = address(ADRSType::WOTS_PK).Compressed();
        std::array<Node, KEY_SHAPE.chains> ends;
        for (uint32_t i{0}; i < KEY_SHAPE.chains; ++i) {
            ADRS prf{address(ADRSType::WOTS_PRF)}, along{address(ADRSType::WOTS_HASH)};
            prf.setChainAddress(i);
            along.setChainAddress(i);
            ends[i] = chain(hash, hash.PRF(NodeView{Sample(place), N}, prf), 0, KEY_SHAPE.steps, along);
        }
        m_keys[place] = hash.T_l(address(ADRSType::WOTS_PK), ends);
    }
};

const KnownAnswers& Answers()
{
    static const KnownAnswers s_answers;
    return s_answers;
}

} // namespace

std::string_view FindWrongKernel(const Kernels& kernels)
{
    assert(kernels.lanes <= MAX_LANES);
    const KnownAnswers& answers{Answers()};
    // Lanes stand in groups, two groups may advance side by side, and of streams there may be two or one instead of four.
    // Full groups of each kind, and groups with spare lanes, which are filled up; two groups after two others.
    const size_t lanes{kernels.lanes};
    for (const size_t n : {size_t{1}, size_t{2}, size_t{3}, lanes + 1, 3 * lanes - 1, 3 * lanes, 3 * lanes + 1}) {
        for (const bool in_place : {false, true}) {
            if (!answers.ChainsAreRight(kernels.chains, n, in_place)) return "chains";
        }
        for (const PathShape& shape : {FROM_LEAF, FROM_NODE}) {
            if (!answers.PathsAreRight(kernels, n, shape)) return "paths";
        }
        if (!answers.MessagesAreRight(kernels, n)) return "messages";
    }
    for (const size_t n : {size_t{1}, 3 * lanes}) {
        if (kernels.keys && !answers.KeysAreRight(kernels, n)) return "keys";
    }
    // One lane that goes on to another chain, and all of them.
    for (const FoldedKernel& folded : {kernels.folded, kernels.folded_side_by_side}) {
        if (folded.chains == nullptr) continue;
        for (const size_t n : {folded.lanes + 1, 2 * folded.lanes}) {
            for (const bool in_place : {false, true}) {
                if (!answers.ChainsAreRight(folded.chains, n, in_place)) return "folded chains";
            }
        }
    }
    return {};
}

bool FindsSampleRoot(RootBackend& engine)
{
    const SampleJobs sample{1};
    Root root{};
    return engine.ComputeRoots(sample.Jobs(), {&root, 1}) == BackendStatus::OK && root == SAMPLE_ROOT;
}

} // namespace slhc::slhdsa::lanes
