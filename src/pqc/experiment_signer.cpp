// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <pqc/experiment_signer.h>

#include <crypto/sha256.h>
#include <pqc/slhdsa/encoding.h>
#include <pqc/slhdsa/slhdsa.h>
#include <pqc/slhdsa/xmss.h>
#include <util/check.h>

#include <algorithm>
#include <array>

namespace slhc::slhdsa {

namespace {

/** t: half of the top tree, so that two values of R do on average, or 2^12 leaves of it. */
constexpr size_t RealLevels(const Params& p) { return std::min<size_t>(p.h_prime() - 1, 12); }

Node ToNode(NodeView view)
{
    Node node;
    std::ranges::copy(view, node.begin());
    return node;
}

/** Its last 8 bytes as a number, and another one added to that. */
Node Plus(NodeView node, uint64_t number)
{
    Node sum{ToNode(node)};
    std::ranges::copy(toByte<8>(toInt(node.last<8>()) + number), sum.end() - 8);
    return sum;
}

/** Pseudorandom bytes. */
void Fill(NodeView seed, std::span<uint8_t> out)
{
    for (uint64_t counter{0}; !out.empty(); ++counter) {
        const auto block{CSHA256{}.Write(seed).Write(toByte<8>(counter)).Digest()};
        const size_t size{std::min(block.size(), out.size())};
        std::copy_n(block.begin(), size, out.begin());
        out = out.subspan(size);
    }
}

/** The node that a path from a leaf reaches at a height, from the node and the sibling below. */
Node Climb(const HashContext& hash, ADRS adrs, uint32_t height, uint32_t leaf, NodeView node, NodeView sibling)
{
    adrs.setTreeHeight(height);
    adrs.setTreeIndex(leaf >> height);
    return (leaf >> (height - 1)) % 2 == 0 ? hash.H(adrs, node, sibling) : hash.H(adrs, sibling, node);
}

/** The same from a node `from` levels above the leaf to one `to` levels above it.
 *  @param[in] path  the siblings, from the leaf's on */
Node Climb(const HashContext& hash, const ADRS& adrs, uint32_t from, uint32_t to, uint32_t leaf, Node node, const uint8_t* path)
{
    for (uint32_t height{from}; height < to; ++height) {
        node = Climb(hash, adrs, height + 1, leaf, node, NodeView{path + height * N, N});
    }
    return node;
}

/** Of so many messages, each from another sibling, the one that leaves a verifier the most steps in the layer that signs it.
 *  @param[in,out] sibling  where to begin; the one that was chosen */
template <Params P, typename MakeMessage>
Node Search(uint32_t tries, std::span<uint8_t, N> sibling, const MakeMessage& make_message)
{
    const Node first{ToNode(sibling)};
    Node best{make_message(first)};
    const auto steps{[](NodeView message) {
        uint32_t sum{0};
        for (const uint32_t digit : wots_digits<P>(message)) sum += P.w() - 1 - digit;
        return sum;
    }};
    uint32_t most{steps(best)};
    for (uint32_t i{1}; i < tries; ++i) {
        const Node other{Plus(first, i)};
        const Node message{make_message(other)};
        if (const uint32_t found{steps(message)}; found > most) {
            most = found;
            best = message;
            std::ranges::copy(other, sibling.begin());
        }
    }
    return best;
}

/** The FORS public key that follows from free values: fors_pkFromSig, but for the search. */
template <Params P>
Node SignDigest(const HashContext& hash, const MessageDigestOf<P>& digest, uint32_t tries, std::span<uint8_t, P.ForsSigSize()> sig)
{
    constexpr uint32_t HEIGHT{P.a};
    const auto indices{base_2b<P.a, P.k>(digest.md)};
    ADRS adrs{ForsAddress<P>(digest)};
    ADRS roots_adrs{adrs};
    roots_adrs.setTypeAndClear(ADRSType::FORS_ROOTS);
    roots_adrs.setKeyPairAddress(digest.idx_leaf);

    std::array<Node, P.k> roots;
    for (uint32_t i{0}; i < P.k; ++i) {
        const uint32_t leaf{(i << HEIGHT) + indices[i]};
        const uint8_t* const value{sig.data() + i * (1 + P.a) * N};
        adrs.setTreeHeight(0);
        adrs.setTreeIndex(leaf);
        const uint32_t to{i + 1 < P.k ? HEIGHT : HEIGHT - 1};
        roots[i] = Climb(hash, adrs, 0, to, leaf, hash.F(adrs, NodeView{value, N}), value + N);
    }
    const Node below{roots.back()};
    return Search<P>(tries, sig.template last<N>(), [&](NodeView sibling) {
        roots.back() = Climb(hash, adrs, HEIGHT, ((P.k - 1) << HEIGHT) + indices.back(), below, sibling);
        return hash.T_l(roots_adrs, roots);
    });
}

/** The address of a one-time key. */
ADRS WotsAddress(ADRS adrs, uint32_t leaf)
{
    adrs.setTypeAndClear(ADRSType::WOTS_HASH);
    adrs.setKeyPairAddress(leaf);
    return adrs;
}

/** The root of a tree below the top one that follows from free values: xmss_pkFromSig, but for the search. */
template <Params P>
Node SignNode(const HashContext& hash, NodeView message, ADRS adrs, uint32_t leaf, uint32_t tries, std::span<uint8_t, P.XmssSigSize()> sig)
{
    const Node wots{wots_pkFromSig<P>(hash, sig.template first<P.WotsSigSize()>(), message, WotsAddress(adrs, leaf))};
    adrs.setTypeAndClear(ADRSType::TREE);
    const Node below{Climb(hash, adrs, 0, P.h_prime() - 1, leaf, wots, sig.data() + P.WotsSigSize())};
    return Search<P>(tries, sig.template last<N>(),
                     [&](NodeView sibling) { return Climb(hash, adrs, P.h_prime(), leaf, below, sibling); });
}

/** The leaf of the top tree that a digest leads to. */
template <Params P>
uint64_t TopLeaf(const MessageDigestOf<P>& digest)
{
    if constexpr (P.d == 1) return digest.idx_leaf;
    else return digest.idx_tree >> (P.h - 2 * P.h_prime());
}

} // namespace

ExperimentSigner::ExperimentSigner(ParameterSet set, std::span<const uint8_t, KEYGEN_SEED_SIZE> seed)
    : m_set{set}, m_sk_seed{ToNode(seed.first<N>())}, m_sk_prf{ToNode(seed.subspan<N, N>())}, m_pk_seed{ToNode(seed.last<N>())},
      m_hash{m_pk_seed}
{
    WithParams(set, [&]<Params P>() { MakeTopTree<P>(); });
}

template <Params P>
void ExperimentSigner::MakeTopTree()
{
    constexpr uint32_t LEVELS{RealLevels(P)};
    constexpr uint32_t LEAVES{uint32_t{1} << LEVELS};
    ADRS adrs;
    adrs.setLayerAddress(P.d - 1);
    m_real.resize(2 * LEAVES);
    for (uint32_t leaf{0}; leaf < LEAVES; ++leaf) m_real[LEAVES + leaf] = wots_pkGen<P>(m_hash, m_sk_seed, WotsAddress(adrs, leaf));
    adrs.setTypeAndClear(ADRSType::TREE);
    for (uint32_t height{1}; height <= LEVELS; ++height) {
        for (uint32_t i{0}; i < LEAVES >> height; ++i) {
            const uint32_t at{(LEAVES >> height) + i};
            m_real[at] = Climb(m_hash, adrs, height, i << height, m_real[2 * at], m_real[2 * at + 1]);
        }
    }
    m_below_root = m_real[1];
    for (uint32_t height{LEVELS}; height < P.h_prime(); ++height) {
        if (!m_free.empty()) m_below_root = Climb(m_hash, adrs, height, 0, m_below_root, m_free.back());
        adrs.setTreeHeight(height);
        adrs.setTreeIndex(1);
        m_free.push_back(m_hash.PRF(m_sk_seed, adrs));
    }
}

PublicKey ExperimentSigner::Key(uint64_t number) const
{
    const Params p{ParamsOf(m_set)};
    ADRS adrs;
    adrs.setLayerAddress(static_cast<uint32_t>(p.d - 1));
    adrs.setTypeAndClear(ADRSType::TREE);
    const Node root{Climb(m_hash, adrs, static_cast<uint32_t>(p.h_prime()), 0, m_below_root, Plus(m_free.back(), number))};
    PublicKey key;
    std::ranges::copy(root, std::ranges::copy(m_pk_seed, key.begin()).out);
    return key;
}

void ExperimentSigner::Sign(uint64_t number, const MessagePieces& message, std::span<uint8_t> sig, uint32_t tries, uint64_t variant) const
{
    assert(tries > 0);
    WithParams(m_set, [&]<Params P>() {
        assert(sig.size() == P.SignatureSize());
        SignSized<P>(number, message, sig.first<P.SignatureSize()>(), tries, variant);
    });
}

template <Params P>
void ExperimentSigner::SignSized(uint64_t number, const MessagePieces& message, std::span<uint8_t, P.SignatureSize()> sig, uint32_t tries,
                                 uint64_t variant) const
{
    constexpr uint32_t LEVELS{RealLevels(P)};
    Node distinct;
    std::ranges::copy(toByte<8>(variant), std::ranges::copy(toByte<8>(number), distinct.begin()).out);
    const Node first_r{PRF_msg(m_sk_prf, distinct, message)};
    Fill(first_r, sig);

    const PublicKey key{Key(number)};
    MessageDigestOf<P> digest{};
    for (uint64_t i{0};; ++i) {
        const Node r{Plus(first_r, i)};
        digest = DigestMessage<P>(r, key, message);
        std::ranges::copy(r, sig.begin());
        if (TopLeaf<P>(digest) >> LEVELS == 0) break;
    }

    Node node{SignDigest<P>(m_hash, digest, tries, sig.template subspan<N, P.ForsSigSize()>())};
    HypertreePosition<P> position{digest.idx_tree, digest.idx_leaf};
    uint8_t* layer_sig{sig.data() + N + P.ForsSigSize()};
    for (size_t layer{0}; layer + 1 < P.d; ++layer) {
        const std::span<uint8_t, P.XmssSigSize()> out{layer_sig, P.XmssSigSize()};
        node = SignNode<P>(m_hash, node, position.Address(), position.Leaf(), tries, out);
        layer_sig += P.XmssSigSize();
        position.MoveUp();
    }
    const uint32_t leaf{position.Leaf()};
    const std::span<uint8_t, P.WotsSigSize()> wots_sig{layer_sig, P.WotsSigSize()};
    wots_sign<P>(m_hash, node, m_sk_seed, WotsAddress(position.Address(), leaf), wots_sig);
    auto path{sig.end() - P.h_prime() * N};
    for (uint32_t level{0}; level < LEVELS; ++level) {
        path = std::ranges::copy(m_real[(((uint32_t{1} << LEVELS) + leaf) >> level) ^ 1], path).out;
    }
    for (const Node& sibling : m_free) path = std::ranges::copy(sibling, path).out;
    std::ranges::copy(Plus(m_free.back(), number), sig.end() - N);
}

} // namespace slhc::slhdsa
