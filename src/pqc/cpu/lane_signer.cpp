// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <pqc/cpu/lane_signer.h>

#include <pqc/cpu/hash_layout.h>
#include <pqc/slhdsa/address.h>
#include <pqc/slhdsa/declassify.h>
#include <pqc/slhdsa/encoding.h>
#include <pqc/slhdsa/fors.h>
#include <pqc/slhdsa/hash_functions.h>
#include <pqc/slhdsa/wots.h>
#include <util/cleanse.h>

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

namespace slhc::slhdsa::lanes {
namespace {

constexpr size_t XMSS_LEAVES{size_t{1} << H_PRIME};
constexpr size_t FORS_LEAVES{size_t{1} << A};

/** The number of WOTS+ keys that are made together: enough to fill the lanes, few enough for the first-level cache, and for several threads
 *  to share a signature evenly. */
constexpr size_t KEYS_AT_ONCE{32};
constexpr size_t PIECES_OF_TREE{XMSS_LEAVES / KEYS_AT_ONCE};

/** The number of FORS leaves that are made together. */
constexpr size_t FORS_LEAVES_AT_ONCE{128};

template <size_t COUNT>
using SecretValues = Wiped<std::array<Node, COUNT>>;

/** The kernels, the hash context and the secret seed that everything below computes with. */
struct Signer {
    const KernelSplitter& kernels;
    const HashContext hash;
    const NodeView sk_seed;

    [[nodiscard]] BlockPrefix MakeBlockPrefix(const ADRS& adrs) const { return lanes::MakeBlockPrefix(hash.SeedState(), adrs); }
};

/** A Merkle tree with all its nodes: one vector of nodes for each height, the leaves first. */
class Tree
{
public:
    explicit Tree(size_t n_leaves) : m_levels(1) { m_levels[0].resize(n_leaves); }

    [[nodiscard]] std::span<Node> Leaves() { return m_levels[0]; }
    [[nodiscard]] const Node& Root() const { return m_levels.back()[0]; }

    /** Compute all inner nodes.
     *  @param[in] prefix          of the tree's address
     *  @param[in] first_index  tree index of the first leaf: a FORS tree is one of several that count together */
    void Build(const Signer& signer, const BlockPrefix& prefix, uint32_t first_index)
    {
        for (uint32_t height{0}; m_levels.back().size() > 1; ++height) {
            const std::vector<Node>& below{m_levels.back()};
            std::vector<Node> level(below.size() / 2);
            m_items.clear();
            for (size_t i{0}; i < level.size(); ++i) {
                const uint32_t index{(first_index >> height) + static_cast<uint32_t>(2 * i)};
                m_items.push_back({&prefix, below[2 * i].data(), below[2 * i + 1].data(), level[i].data(), index});
            }
            signer.kernels.Paths(m_items, {.leaf = false, .first = height, .last = height + 1});
            m_levels.push_back(std::move(level));
        }
    }

    /** The siblings of the nodes on the way from a leaf to the root. */
    void WriteAuth(size_t leaf, std::span<uint8_t> out) const
    {
        for (size_t height{0}; height + 1 < m_levels.size(); ++height) {
            const Node& sibling{m_levels[height][(leaf >> height) ^ 1]};
            std::copy(sibling.begin(), sibling.end(), out.begin() + height * N);
        }
    }

private:
    std::vector<std::vector<Node>> m_levels;
    std::vector<PathItem> m_items;
};

/** An XMSS tree on the way of a signature: its place in the hypertree, and the leaf that signs. */
struct XmssPlace {
    uint32_t layer;
    uint64_t tree;
    uint32_t leaf;

    /** An address of the tree, or of one of its WOTS+ keys. */
    [[nodiscard]] ADRS Address(ADRSType type, uint32_t key_pair = 0) const
    {
        ADRS adrs;
        adrs.setLayerAddress(layer);
        adrs.setTreeAddress(tree);
        adrs.setTypeAndClear(type);
        if (type != ADRSType::TREE) adrs.setKeyPairAddress(key_pair);
        return adrs;
    }
};

/** The addresses of some neighbouring keys of a tree, and their compression. */
struct WotsKeys {
    BlockPrefix prf_prefixes[KEYS_AT_ONCE];
    BlockPrefix hash_prefixes[KEYS_AT_ONCE];
    TMessage<LEN> messages[KEYS_AT_ONCE];
};

/** Algorithm 6, wots_pkGen, for engines that have no kernel for it: the chains of all keys side by side. */
void MakeWotsKeysOfChains(const Signer& signer, WotsKeys& wots, std::span<Node, KEYS_AT_ONCE> keys)
{
    SecretValues<LEN> seeds; // SK.seed is what every PRF hashes, whatever the chain
    for (Node& seed : *seeds) std::copy(signer.sk_seed.begin(), signer.sk_seed.end(), seed.begin());

    std::vector<ChainKey> starts, chains;
    std::vector<ChainItem> first_steps, all_steps;
    std::vector<MessageItem> compress;
    for (size_t k{0}; k < KEYS_AT_ONCE; ++k) {
        TMessage<LEN>& message{wots.messages[k]};
        starts.push_back({&wots.prf_prefixes[k], seeds->front().data(), message.Value(0)});
        chains.push_back({&wots.hash_prefixes[k], message.Value(0), message.Value(0)});
        compress.push_back({signer.hash.SeedState().data(), message.Blocks(), keys[k].data()});
        for (uint8_t i{0}; i < LEN; ++i) {
            first_steps.push_back({static_cast<uint16_t>(k), i, 0, 1});
            all_steps.push_back({static_cast<uint16_t>(k), i, 0, W - 1});
        }
    }
    signer.kernels.Chains(starts, first_steps);
    signer.kernels.Chains(chains, all_steps); // no chain start is left in `messages`
    CleanseAfterCalls();
    signer.kernels.Messages(compress, TMessage<LEN>::BLOCKS);
}

/** Algorithm 6, wots_pkGen, of some neighbouring keys of a tree.
 *  @param[in] first  the first key; the others follow */
void MakeWotsKeys(const Signer& signer, const XmssPlace& place, size_t first, std::span<Node, KEYS_AT_ONCE> keys)
{
    const auto wots{std::make_unique<WotsKeys>()};
    std::array<KeyItem, KEYS_AT_ONCE> items;
    for (size_t k{0}; k < KEYS_AT_ONCE; ++k) {
        const auto key_pair{static_cast<uint32_t>(first + k)};
        wots->prf_prefixes[k] = signer.MakeBlockPrefix(place.Address(ADRSType::WOTS_PRF, key_pair));
        wots->hash_prefixes[k] = signer.MakeBlockPrefix(place.Address(ADRSType::WOTS_HASH, key_pair));
        wots->messages[k].SetAddress(place.Address(ADRSType::WOTS_PK, key_pair));
        items[k] = {.prf_prefix = &wots->prf_prefixes[k],
                    .hash_prefix = &wots->hash_prefixes[k],
                    .address = wots->messages[k].Blocks(),
                    .midstate = signer.hash.SeedState().data(),
                    .sk_seed = signer.sk_seed.data(),
                    .out = keys[k].data()};
    }
    if (signer.kernels.Keys(items)) {
        CleanseAfterCalls();
    } else {
        MakeWotsKeysOfChains(signer, *wots, keys);
    }
    for (const Node& key : keys) Declassify(key.data(), key.size());
}

/** Algorithm 7, wots_sign, in each of the trees.
 *  @param[in] messages  one for each place: what its leaf signs
 *  @param[out] out      where the signature of each place begins */
void SignWithWots(const Signer& signer, std::span<const XmssPlace> places, std::span<const Node> messages, std::span<uint8_t* const> out)
{
    SecretValues<LEN> seeds;
    for (Node& seed : *seeds) std::copy(signer.sk_seed.begin(), signer.sk_seed.end(), seed.begin());
    std::vector<BlockPrefix> prf_prefixes(places.size()), hash_prefixes(places.size());
    const auto values{std::make_unique<SecretValues<D * LEN>>()};

    std::vector<ChainKey> starts, chains;
    std::vector<ChainItem> first_steps, steps;
    for (size_t p{0}; p < places.size(); ++p) {
        prf_prefixes[p] = signer.MakeBlockPrefix(places[p].Address(ADRSType::WOTS_PRF, places[p].leaf));
        hash_prefixes[p] = signer.MakeBlockPrefix(places[p].Address(ADRSType::WOTS_HASH, places[p].leaf));
        uint8_t* const first{(**values)[p * LEN].data()};
        starts.push_back({&prf_prefixes[p], seeds->front().data(), first});
        chains.push_back({&hash_prefixes[p], first, out[p]});
        const auto digits{wots_digits(messages[p])};
        for (uint8_t i{0}; i < LEN; ++i) {
            first_steps.push_back({static_cast<uint16_t>(p), i, 0, 1});
            steps.push_back({static_cast<uint16_t>(p), i, 0, static_cast<uint8_t>(digits[i])});
        }
    }
    std::ranges::sort(steps, std::greater{}, &ChainItem::end);
    signer.kernels.Chains(starts, first_steps);
    signer.kernels.Chains(chains, steps);
    CleanseAfterCalls();
}

/** One tree of a FORS key: its part of algorithm 16, fors_sign, and its root.
 *  @param[in] tree  which of the K trees
 *  @param[in] leaf  the leaf whose secret value is given away
 *  @param[out] sig  the secret value and its authentication path: (1 + A) * N bytes
 *  @param[out] root N bytes */
void SignWithForsTree(const Signer& signer, ADRS adrs, uint32_t key_pair, size_t tree, uint32_t leaf, uint8_t* sig, uint8_t* root)
{
    adrs.setTypeAndClear(ADRSType::FORS_PRF);
    adrs.setKeyPairAddress(key_pair);
    const BlockPrefix prf_prefix{signer.MakeBlockPrefix(adrs)};
    adrs.setTypeAndClear(ADRSType::FORS_TREE);
    adrs.setKeyPairAddress(key_pair);
    const BlockPrefix tree_prefix{signer.MakeBlockPrefix(adrs)};

    const auto first_index{static_cast<uint32_t>(tree * FORS_LEAVES)};
    Tree nodes{FORS_LEAVES};
    SecretValues<FORS_LEAVES_AT_ONCE> secrets;
    std::array<PathItem, FORS_LEAVES_AT_ONCE> make_secrets, make_leaves;
    for (size_t begin{0}; begin < FORS_LEAVES; begin += FORS_LEAVES_AT_ONCE) {
        for (size_t i{0}; i < FORS_LEAVES_AT_ONCE; ++i) {
            const uint32_t index{first_index + static_cast<uint32_t>(begin + i)};
            make_secrets[i] = {&prf_prefix, signer.sk_seed.data(), nullptr, (*secrets)[i].data(), index};
            make_leaves[i] = {&tree_prefix, (*secrets)[i].data(), nullptr, nodes.Leaves()[begin + i].data(), index};
        }
        constexpr PathShape F_ALONE{.leaf = true, .first = 0, .last = 0};
        signer.kernels.Paths(make_secrets, F_ALONE);
        signer.kernels.Paths(make_leaves, F_ALONE);
        if (leaf >= begin && leaf < begin + FORS_LEAVES_AT_ONCE) std::copy_n((*secrets)[leaf - begin].begin(), N, sig);
    }
    CleanseAfterCalls();
    nodes.Build(signer, tree_prefix, first_index);
    nodes.WriteAuth(leaf, {sig + N, A * N});
    std::copy_n(nodes.Root().begin(), N, root);
    Declassify(sig, (1 + A) * N);
    Declassify(root, N);
}

} // namespace

bool Sign(const KernelSplitter& kernels, ThreadPool& pool, const MessagePieces& m, std::span<const uint8_t, SECRET_KEY_SIZE> sk,
          std::span<const uint8_t, N> addrnd, Signature& sig, TopTreeCache* cache)
{
    const Signer signer{kernels, HashContext{sk.subspan<2 * N, N>()}, sk.first<N>()};

    // Algorithm 19, lines 1 to 10: the randomizer, the digest, and where in the hypertree it leads.
    // It holds values of FORS that are secret until it is published; if it never is, it is wiped.
    const auto wiped{std::make_unique<Wiped<Signature>>()};
    Signature& made{**wiped};
    const Node r{PRF_msg(sk.subspan<N, N>(), addrnd, m)};
    CleanseAfterCalls(); // if the pool is interrupted or memory is short, nothing else may follow that overwrites it
    Declassify(r.data(), r.size());
    std::copy(r.begin(), r.end(), made.begin());
    const MessageDigest digest{DigestMessage(r, sk.subspan<2 * N>(), m)};
    const auto fors_leaves{base_2b<A, K>(digest.md)};
    std::array<XmssPlace, D> places;
    uint64_t tree{digest.idx_tree};
    uint32_t leaf{digest.idx_leaf};
    for (uint32_t layer{0}; layer < D; ++layer) {
        places[layer] = {layer, tree, leaf};
        leaf = static_cast<uint32_t>(tree % XMSS_LEAVES);
        tree /= XMSS_LEAVES;
    }

    // Everything that does not depend on a root: pieces of similar size, for all threads. The XMSS trees come first,
    // as their pieces are the larger ones.
    ADRS fors_adrs;
    fors_adrs.setTreeAddress(digest.idx_tree);
    fors_adrs.setTypeAndClear(ADRSType::FORS_ROOTS);
    fors_adrs.setKeyPairAddress(digest.idx_leaf);
    TMessage<K> fors_roots;
    fors_roots.SetAddress(fors_adrs);
    std::vector<Tree> trees(D, Tree{XMSS_LEAVES});
    const std::span<Node, XMSS_LEAVES> top_leaves{trees[D - 1].Leaves()};
    const bool cached{cache && cache->Get(sk, top_leaves)};
    const size_t n_xmss_pieces{(cached ? D - 1 : D) * PIECES_OF_TREE};
    const bool finished{pool.Run(n_xmss_pieces + K, [&](size_t piece) {
        if (piece < n_xmss_pieces) {
            const size_t layer{piece / PIECES_OF_TREE};
            const size_t first{piece % PIECES_OF_TREE * KEYS_AT_ONCE};
            MakeWotsKeys(signer, places[layer], first, std::span<Node, KEYS_AT_ONCE>{trees[layer].Leaves().subspan(first, KEYS_AT_ONCE)});
        } else {
            const size_t i{piece - n_xmss_pieces};
            SignWithForsTree(signer, fors_adrs, digest.idx_leaf, i, fors_leaves[i], made.data() + N + i * (1 + A) * N, fors_roots.Value(i));
        }
    })};
    if (!finished) return false;
    if (cache && !cached) cache->Put(sk, top_leaves);

    // The message of each layer: the FORS public key, then the roots.
    std::array<Node, D> messages;
    std::array<uint8_t*, D> layer_sigs;
    const MessageItem compress{signer.hash.SeedState().data(), fors_roots.Blocks(), messages[0].data()};
    kernels.Messages({&compress, 1}, TMessage<K>::BLOCKS);
    for (size_t layer{0}; layer < D; ++layer) {
        layer_sigs[layer] = made.data() + N + FORS_SIG_SIZE + layer * XMSS_SIG_SIZE;
        trees[layer].Build(signer, signer.MakeBlockPrefix(places[layer].Address(ADRSType::TREE)), 0);
        trees[layer].WriteAuth(places[layer].leaf, {layer_sigs[layer] + WOTS_SIG_SIZE, H_PRIME * N});
        if (layer + 1 < D) messages[layer + 1] = trees[layer].Root();
    }
    SignWithWots(signer, places, messages, layer_sigs);
    Declassify(made.data(), made.size());
    sig = made;
    return true;
}

void GenerateKey(const KernelSplitter& kernels, std::span<const uint8_t, KEYGEN_SEED_SIZE> seed, SecretKey& sk, PublicKey& pk)
{
    const Signer signer{kernels, HashContext{seed.subspan<2 * N, N>()}, seed.first<N>()};
    constexpr XmssPlace TOP{.layer = D - 1, .tree = 0, .leaf = 0};
    Tree tree{XMSS_LEAVES};
    for (size_t first{0}; first < XMSS_LEAVES; first += KEYS_AT_ONCE) {
        MakeWotsKeys(signer, TOP, first, std::span<Node, KEYS_AT_ONCE>{tree.Leaves().subspan(first, KEYS_AT_ONCE)});
    }
    tree.Build(signer, signer.MakeBlockPrefix(TOP.Address(ADRSType::TREE)), 0);

    std::copy(tree.Root().begin(), tree.Root().end(), std::copy(seed.begin(), seed.end(), sk.begin()));
    std::copy(sk.begin() + 2 * N, sk.end(), pk.begin());
}

} // namespace slhc::slhdsa::lanes
