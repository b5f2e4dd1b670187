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
#include <pqc/slhdsa/slhdsa.h>
#include <pqc/slhdsa/wots.h>
#include <util/cleanse.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <thread>
#include <vector>

namespace slhc::slhdsa::lanes {
namespace {

template <Params P>
constexpr size_t KEYS_HEIGHT{KeysHeight(P)};
template <Params P>
constexpr size_t KEYS_AT_ONCE{size_t{1} << KEYS_HEIGHT<P>};
template <Params P>
constexpr size_t PIECES_OF_TREE{size_t{1} << (P.h_prime() - KEYS_HEIGHT<P>)};

/** The height of the subtrees in which a FORS tree is made, and the number of leaves that are made together. */
template <Params P>
constexpr size_t FORS_PIECE_HEIGHT{std::min<size_t>(P.a, 12)};
template <Params P>
constexpr size_t PIECES_OF_FORS_TREE{size_t{1} << (P.a - FORS_PIECE_HEIGHT<P>)};
template <Params P>
constexpr size_t FORS_LEAVES_AT_ONCE{std::min<size_t>(size_t{1} << FORS_PIECE_HEIGHT<P>, 128)};

template <size_t COUNT>
using SecretValues = Wiped<std::array<Node, COUNT>>;

/** The kernels, the hash context and the secret seed that everything below computes with. */
struct Signer {
    const KernelSplitter& kernels;
    const HashContext hash;
    const NodeView sk_seed;

    [[nodiscard]] BlockPrefix MakeBlockPrefix(const ADRS& adrs) const { return lanes::MakeBlockPrefix(hash.SeedState(), adrs); }
};

/** A Merkle tree, or a part of one, with all its nodes: one vector of nodes for each height, the lowest first. */
class Tree
{
public:
    /** @param[in] height  of the root
     *  @param[in] lowest  height of the lowest nodes */
    explicit Tree(size_t height, size_t lowest = 0) : m_lowest{static_cast<uint32_t>(lowest)}, m_levels(1)
    {
        m_levels[0].resize(size_t{1} << (height - lowest));
    }

    [[nodiscard]] std::span<Node> Lowest() { return m_levels[0]; }
    [[nodiscard]] const Node& Root() const { return m_levels.back()[0]; }

    /** Compute all other nodes.
     *  @param[in] prefix       of the tree's address
     *  @param[in] first_index  tree index of the first of the lowest nodes */
    void Build(const Signer& signer, const BlockPrefix& prefix, uint32_t first_index)
    {
        for (uint32_t height{m_lowest}; m_levels.back().size() > 1; ++height) {
            const std::vector<Node>& below{m_levels.back()};
            std::vector<Node> level(below.size() / 2);
            m_items.clear();
            for (size_t i{0}; i < level.size(); ++i) {
                const uint32_t index{(first_index >> (height - m_lowest)) + static_cast<uint32_t>(2 * i)};
                m_items.push_back({&prefix, below[2 * i].data(), below[2 * i + 1].data(), level[i].data(), index});
            }
            signer.kernels.Paths(m_items, {.leaf = false, .first = height, .last = height + 1});
            m_levels.push_back(std::move(level));
        }
    }

    /** The siblings of the nodes on the way from one of the lowest to the root. */
    void WriteAuth(size_t lowest, uint8_t* out) const
    {
        for (size_t height{0}; height + 1 < m_levels.size(); ++height) {
            const Node& sibling{m_levels[height][(lowest >> height) ^ 1]};
            out = std::copy(sibling.begin(), sibling.end(), out);
        }
    }

private:
    const uint32_t m_lowest;
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
template <Params P>
struct WotsKeys {
    BlockPrefix prf_prefixes[KEYS_AT_ONCE<P>];
    BlockPrefix hash_prefixes[KEYS_AT_ONCE<P>];
    TMessage<P.len()> messages[KEYS_AT_ONCE<P>];
};

/** Algorithm 6, wots_pkGen, for engines that have no kernel for it: the chains of all keys side by side. */
template <Params P>
void MakeWotsKeysOfChains(const Signer& signer, WotsKeys<P>& wots, std::span<Node> keys)
{
    SecretValues<P.len()> seeds; // SK.seed is what every PRF hashes, whatever the chain
    for (Node& seed : *seeds) std::copy(signer.sk_seed.begin(), signer.sk_seed.end(), seed.begin());

    std::vector<ChainKey> starts, chains;
    std::vector<ChainItem> first_steps, all_steps;
    std::vector<MessageItem> compress;
    for (size_t k{0}; k < KEYS_AT_ONCE<P>; ++k) {
        TMessage<P.len()>& message{wots.messages[k]};
        starts.push_back({&wots.prf_prefixes[k], seeds->front().data(), message.Value(0)});
        chains.push_back({&wots.hash_prefixes[k], message.Value(0), message.Value(0)});
        compress.push_back({signer.hash.SeedState().data(), message.Blocks(), keys[k].data()});
        for (size_t i{0}; i < P.len(); ++i) {
            first_steps.push_back({static_cast<uint16_t>(k), static_cast<uint8_t>(i), 0, 1});
            all_steps.push_back({static_cast<uint16_t>(k), static_cast<uint8_t>(i), 0, P.w() - 1});
        }
    }
    signer.kernels.Chains(starts, first_steps);
    signer.kernels.Chains(chains, all_steps); // no chain start is left in `messages`
    CleanseAfterCalls();
    signer.kernels.Messages(compress, TMessage<P.len()>::BLOCKS);
}

/** Algorithm 6, wots_pkGen, of some neighbouring keys of a tree.
 *  @param[in] first  the first key; the others follow */
template <Params P>
void MakeWotsKeys(const Signer& signer, const XmssPlace& place, size_t first, std::span<Node> keys)
{
    const auto wots{std::make_unique<WotsKeys<P>>()};
    std::array<KeyItem, KEYS_AT_ONCE<P>> items;
    for (size_t k{0}; k < items.size(); ++k) {
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
    if (signer.kernels.Keys(items, {.chains = P.len(), .steps = P.w() - 1})) {
        CleanseAfterCalls();
    } else {
        MakeWotsKeysOfChains<P>(signer, *wots, keys);
    }
    for (const Node& key : keys) Declassify(key.data(), key.size());
}

/** A subtree of an XMSS tree.
 *  @param[in] piece  which one
 *  @param[out] auth  if the leaf of `place` is in it: where its authentication path begins; null: nowhere
 *  @return its root */
template <Params P>
Node MakeXmssPiece(const Signer& signer, const XmssPlace& place, size_t piece, uint8_t* auth)
{
    Tree subtree{KEYS_HEIGHT<P>};
    MakeWotsKeys<P>(signer, place, piece * KEYS_AT_ONCE<P>, subtree.Lowest());
    subtree.Build(signer, signer.MakeBlockPrefix(place.Address(ADRSType::TREE)), static_cast<uint32_t>(piece * KEYS_AT_ONCE<P>));
    if (auth && place.leaf / KEYS_AT_ONCE<P> == piece) subtree.WriteAuth(place.leaf % KEYS_AT_ONCE<P>, auth);
    return subtree.Root();
}

/** The tree above the subtrees, whose roots are its lowest nodes. */
template <Params P>
Tree MakeUpperTree(const Signer& signer, const XmssPlace& place, std::span<const Node> roots)
{
    Tree tree{P.h_prime(), KEYS_HEIGHT<P>};
    std::ranges::copy(roots, tree.Lowest().begin());
    tree.Build(signer, signer.MakeBlockPrefix(place.Address(ADRSType::TREE)), 0);
    return tree;
}

/** Algorithm 7, wots_sign, in each of the trees.
 *  @param[in] messages  one for each place: what its leaf signs
 *  @param[out] out      where the signature of each place begins */
template <Params P>
void SignWithWots(const Signer& signer, std::span<const XmssPlace, P.d> places, std::span<const Node, P.d> messages,
                  std::span<uint8_t* const, P.d> out)
{
    SecretValues<P.len()> seeds;
    for (Node& seed : *seeds) std::copy(signer.sk_seed.begin(), signer.sk_seed.end(), seed.begin());
    std::vector<BlockPrefix> prf_prefixes(places.size()), hash_prefixes(places.size());
    const auto values{std::make_unique<SecretValues<P.d * P.len()>>()};

    std::vector<ChainKey> starts, chains;
    std::vector<ChainItem> first_steps, steps;
    for (size_t p{0}; p < places.size(); ++p) {
        prf_prefixes[p] = signer.MakeBlockPrefix(places[p].Address(ADRSType::WOTS_PRF, places[p].leaf));
        hash_prefixes[p] = signer.MakeBlockPrefix(places[p].Address(ADRSType::WOTS_HASH, places[p].leaf));
        uint8_t* const first{(**values)[p * P.len()].data()};
        starts.push_back({&prf_prefixes[p], seeds->front().data(), first});
        chains.push_back({&hash_prefixes[p], first, out[p]});
        const auto digits{wots_digits<P>(messages[p])};
        for (size_t i{0}; i < P.len(); ++i) {
            first_steps.push_back({static_cast<uint16_t>(p), static_cast<uint8_t>(i), 0, 1});
            steps.push_back({static_cast<uint16_t>(p), static_cast<uint8_t>(i), 0, static_cast<uint8_t>(digits[i])});
        }
    }
    std::ranges::sort(steps, std::greater{}, &ChainItem::end);
    signer.kernels.Chains(starts, first_steps);
    signer.kernels.Chains(chains, steps);
    CleanseAfterCalls();
}

/** Where in the FORS trees a signature is made. */
struct ForsPlace {
    uint64_t idx_tree;
    uint32_t idx_leaf;

    [[nodiscard]] ADRS Address(ADRSType type) const
    {
        ADRS adrs;
        adrs.setTreeAddress(idx_tree);
        adrs.setTypeAndClear(type);
        adrs.setKeyPairAddress(idx_leaf);
        return adrs;
    }
};

/** A subtree of a FORS tree: its part of algorithm 16, fors_sign.
 *  @param[in] tree   which of the k trees
 *  @param[in] piece  which subtree
 *  @param[in] leaf   the leaf of the tree whose secret value is given away
 *  @param[out] sig   if the leaf is in this subtree: the secret value, and its authentication path as far as it is in there
 *  @return its root */
template <Params P>
Node MakeForsPiece(const Signer& signer, const ForsPlace& place, size_t tree, size_t piece, uint32_t leaf, uint8_t* sig)
{
    constexpr size_t LEAVES{size_t{1} << FORS_PIECE_HEIGHT<P>};
    constexpr size_t AT_ONCE{FORS_LEAVES_AT_ONCE<P>};
    const BlockPrefix prf_prefix{signer.MakeBlockPrefix(place.Address(ADRSType::FORS_PRF))};
    const BlockPrefix tree_prefix{signer.MakeBlockPrefix(place.Address(ADRSType::FORS_TREE))};

    const auto first_index{static_cast<uint32_t>((tree << P.a) + piece * LEAVES)};
    const bool signs{leaf / LEAVES == piece};
    const size_t leaf_here{leaf % LEAVES};
    Tree subtree{FORS_PIECE_HEIGHT<P>};
    SecretValues<AT_ONCE> secrets;
    std::array<PathItem, AT_ONCE> make_secrets, make_leaves;
    for (size_t begin{0}; begin < LEAVES; begin += AT_ONCE) {
        for (size_t i{0}; i < AT_ONCE; ++i) {
            const uint32_t index{first_index + static_cast<uint32_t>(begin + i)};
            make_secrets[i] = {&prf_prefix, signer.sk_seed.data(), nullptr, (*secrets)[i].data(), index};
            make_leaves[i] = {&tree_prefix, (*secrets)[i].data(), nullptr, subtree.Lowest()[begin + i].data(), index};
        }
        constexpr PathShape F_ALONE{.leaf = true, .first = 0, .last = 0};
        signer.kernels.Paths(make_secrets, F_ALONE);
        signer.kernels.Paths(make_leaves, F_ALONE);
        if (signs && leaf_here >= begin && leaf_here < begin + AT_ONCE) std::copy_n((*secrets)[leaf_here - begin].begin(), N, sig);
    }
    CleanseAfterCalls();
    subtree.Build(signer, tree_prefix, first_index);
    if (signs) {
        subtree.WriteAuth(leaf_here, sig + N);
        Declassify(sig, (1 + FORS_PIECE_HEIGHT<P>) * N);
    }
    Declassify(subtree.Root().data(), N);
    return subtree.Root();
}

/** Call f(i) for each of n pieces, on all threads, and report how many are done, in this thread alone, and at the end that all are: this
 *  thread may have got no piece.
 *  @return false if the pool was interrupted */
bool RunPieces(ThreadPool& pool, size_t n, const std::function<void(size_t)>& f, const SigningProgress& progress)
{
    std::atomic<size_t> done{0};
    const auto caller{std::this_thread::get_id()};
    if (!pool.Run(n, [&](size_t i) {
            f(i);
            const size_t now{++done};
            if (progress && now < n && std::this_thread::get_id() == caller) progress(now, n);
        })) {
        return false;
    }
    if (progress) progress(n, n);
    return true;
}

template <Params P>
bool SignWithSet(const KernelSplitter& kernels, ThreadPool& pool, const MessagePieces& m, std::span<const uint8_t, SECRET_KEY_SIZE> sk,
                 std::span<const uint8_t, N> addrnd, std::span<uint8_t, P.SignatureSize()> sig, TopTreeCache* cache,
                 const SigningProgress& progress)
{
    const Signer signer{kernels, HashContext{sk.subspan<2 * N, N>()}, sk.first<N>()};

    // Algorithm 19, lines 1 to 10: the randomizer, the digest, and where in the hypertree it leads.
    // It holds values of FORS that are secret until it is published; if it never is, it is wiped.
    const auto wiped{std::make_unique<Wiped<SignatureOf<P>>>()};
    SignatureOf<P>& made{**wiped};
    const Node r{PRF_msg(sk.subspan<N, N>(), addrnd, m)};
    CleanseAfterCalls(); // if the pool is interrupted or memory is short, nothing else may follow that overwrites it
    Declassify(r.data(), r.size());
    std::copy(r.begin(), r.end(), made.begin());
    const MessageDigestOf<P> digest{DigestMessage<P>(r, sk.subspan<2 * N>(), m)};
    const auto fors_leaves{base_2b<P.a, P.k>(digest.md)};
    std::array<XmssPlace, P.d> places;
    std::array<uint8_t*, P.d> layer_sigs;
    uint64_t tree{digest.idx_tree};
    uint32_t leaf{digest.idx_leaf};
    for (uint32_t layer{0}; layer < P.d; ++layer) {
        places[layer] = {layer, tree, leaf};
        layer_sigs[layer] = made.data() + N + P.ForsSigSize() + layer * P.XmssSigSize();
        leaf = static_cast<uint32_t>(tree % (uint64_t{1} << P.h_prime()));
        tree >>= P.h_prime();
    }

    // Everything that does not depend on a root: pieces of similar size, for all threads. The XMSS trees come first, as their pieces are
    // the larger ones. Of a top tree that is known, the one piece with the leaf is made again.
    std::vector<Node> roots(P.d * PIECES_OF_TREE<P>), fors_roots(P.k * PIECES_OF_FORS_TREE<P>);
    const auto top_roots{std::span{roots}.last(PIECES_OF_TREE<P>)};
    const bool cached{cache && cache->Get(P, sk, top_roots)};
    const size_t n_xmss{cached ? (P.d - 1) * PIECES_OF_TREE<P> + 1 : roots.size()};
    const ForsPlace fors{digest.idx_tree, digest.idx_leaf};
    const auto fors_sig{[&](size_t i) { return made.data() + N + i * (1 + P.a) * N; }};
    const auto make_piece{[&](size_t i) {
        if (i < n_xmss) {
            const size_t layer{i / PIECES_OF_TREE<P>};
            const size_t piece{cached && layer == P.d - 1 ? places[layer].leaf / KEYS_AT_ONCE<P> : i % PIECES_OF_TREE<P>};
            roots[layer * PIECES_OF_TREE<P> + piece] = MakeXmssPiece<P>(signer, places[layer], piece, layer_sigs[layer] + P.WotsSigSize());
        } else {
            const size_t j{i - n_xmss}, fors_tree{j / PIECES_OF_FORS_TREE<P>};
            fors_roots[j] =
                MakeForsPiece<P>(signer, fors, fors_tree, j % PIECES_OF_FORS_TREE<P>, fors_leaves[fors_tree], fors_sig(fors_tree));
        }
    }};
    if (!RunPieces(pool, n_xmss + fors_roots.size(), make_piece, progress)) return false;
    if (cache && !cached) cache->Put(P, sk, top_roots);

    // The message of each layer: the FORS public key, then the roots.
    TMessage<P.k> fors_pk;
    fors_pk.SetAddress(fors.Address(ADRSType::FORS_ROOTS));
    const BlockPrefix fors_prefix{signer.MakeBlockPrefix(fors.Address(ADRSType::FORS_TREE))};
    for (size_t i{0}; i < P.k; ++i) {
        Tree upper{P.a, FORS_PIECE_HEIGHT<P>};
        std::ranges::copy(std::span{fors_roots}.subspan(i * PIECES_OF_FORS_TREE<P>, PIECES_OF_FORS_TREE<P>), upper.Lowest().begin());
        upper.Build(signer, fors_prefix, static_cast<uint32_t>(i * PIECES_OF_FORS_TREE<P>));
        upper.WriteAuth(fors_leaves[i] >> FORS_PIECE_HEIGHT<P>, fors_sig(i) + (1 + FORS_PIECE_HEIGHT<P>) * N);
        std::ranges::copy(upper.Root(), fors_pk.Value(i));
    }
    std::array<Node, P.d> messages;
    const MessageItem compress{signer.hash.SeedState().data(), fors_pk.Blocks(), messages[0].data()};
    kernels.Messages({&compress, 1}, TMessage<P.k>::BLOCKS);
    for (size_t layer{0}; layer < P.d; ++layer) {
        const Tree upper{MakeUpperTree<P>(signer, places[layer],
                                          std::span{roots}.subspan(layer * PIECES_OF_TREE<P>, PIECES_OF_TREE<P>))};
        upper.WriteAuth(places[layer].leaf >> KEYS_HEIGHT<P>, layer_sigs[layer] + P.WotsSigSize() + KEYS_HEIGHT<P> * N);
        if (layer + 1 < P.d) messages[layer + 1] = upper.Root();
    }
    SignWithWots<P>(signer, places, messages, layer_sigs);
    Declassify(made.data(), made.size());
    std::ranges::copy(made, sig.begin());
    return true;
}

template <Params P>
bool GenerateKeyOfSet(const KernelSplitter& kernels, ThreadPool& pool, std::span<const uint8_t, KEYGEN_SEED_SIZE> seed, SecretKey& sk,
                      PublicKey& pk, TopTreeCache* cache, const SigningProgress& progress)
{
    const Signer signer{kernels, HashContext{seed.subspan<2 * N, N>()}, seed.first<N>()};
    constexpr XmssPlace TOP{.layer = P.d - 1, .tree = 0, .leaf = 0};
    std::vector<Node> roots(PIECES_OF_TREE<P>);
    if (!RunPieces(pool, roots.size(), [&](size_t i) { roots[i] = MakeXmssPiece<P>(signer, TOP, i, nullptr); }, progress)) return false;
    if constexpr (P != PARAMS_128S) {
        ADRS adrs;
        adrs.setLayerAddress(P.d - 1);
        if (roots.front() != xmss_node<P>(signer.hash, signer.sk_seed, 0, KEYS_HEIGHT<P>, adrs)) throw FaultyKey{};
    }
    const Tree upper{MakeUpperTree<P>(signer, TOP, roots)};
    std::ranges::copy(upper.Root(), std::ranges::copy(seed, sk.begin()).out);
    std::copy(sk.begin() + 2 * N, sk.end(), pk.begin());
    if (cache) cache->Put(P, sk, roots);
    return true;
}

} // namespace

bool Sign(const KernelSplitter& kernels, ThreadPool& pool, ParameterSet set, const MessagePieces& m,
          std::span<const uint8_t, SECRET_KEY_SIZE> sk, std::span<const uint8_t, N> addrnd, std::span<uint8_t> sig, TopTreeCache* cache,
          const SigningProgress& progress)
{
    return WithParams(set, [&]<Params P>() {
        assert(sig.size() == P.SignatureSize());
        return SignWithSet<P>(kernels, pool, m, sk, addrnd, sig.first<P.SignatureSize()>(), cache, progress);
    });
}

bool GenerateKey(const KernelSplitter& kernels, ThreadPool& pool, ParameterSet set, std::span<const uint8_t, KEYGEN_SEED_SIZE> seed,
                 SecretKey& sk, PublicKey& pk, TopTreeCache* cache, const SigningProgress& progress)
{
    return WithParams(set, [&]<Params P>() { return GenerateKeyOfSet<P>(kernels, pool, seed, sk, pk, cache, progress); });
}

} // namespace slhc::slhdsa::lanes
