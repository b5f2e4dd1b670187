// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <test/util/costly_signer.h>

#include <pqc/slhdsa/encoding.h>
#include <pqc/slhdsa/fors.h>
#include <pqc/slhdsa/xmss.h>
#include <test/numbers_128s.h>

#include <algorithm>
#include <array>

namespace slhc::test {

using namespace slhdsa;

namespace {

/** The leaf of the top tree that PK.root commits to, and the only one. */
constexpr uint32_t TOP_LEAF{0};
constexpr Node FREE{};

uint32_t Steps(NodeView message)
{
    uint32_t steps{0};
    for (const uint32_t digit : wots_digits(message)) steps += W - 1 - digit;
    return steps;
}

Node NodeFrom(uint64_t number)
{
    Node node{};
    const auto low{toByte<8>(number)};
    std::ranges::copy(low, node.end() - low.size());
    return node;
}

/** One step from a leaf towards a root, from what is `height - 1` levels above the leaf. */
Node Climb(const HashContext& hash, ADRS& adrs, uint32_t height, uint32_t index, NodeView node, NodeView sibling)
{
    adrs.setTreeHeight(height);
    adrs.setTreeIndex(index >> height);
    return (index >> (height - 1)) % 2 == 0 ? hash.H(adrs, node, sibling) : hash.H(adrs, sibling, node);
}

struct Found {
    Node sibling{};
    Node message{};
};

/** The sibling that makes the most expensive message. */
template <typename MakeMessage>
Found Search(uint32_t tries, const MakeMessage& make_message)
{
    Found best;
    uint32_t most{0};
    for (uint32_t i = 0; i < tries; ++i) {
        const Node sibling{NodeFrom(i)};
        const Node message{make_message(sibling)};
        if (const uint32_t steps{Steps(message)}; steps > most) {
            most = steps;
            best = {sibling, message};
        }
    }
    return best;
}

/** A FORS signature of zeros but for the last sibling, and the public key that follows. */
Node SignFors(const HashContext& hash, const MessageDigest& digest, uint32_t tries, std::span<uint8_t, FORS_SIG_SIZE> sig)
{
    std::ranges::fill(sig, uint8_t{0});
    const auto indices{base_2b<A, K>(digest.md)};
    ADRS adrs{ForsAddress(digest)};
    ADRS roots_adrs{adrs};
    roots_adrs.setTypeAndClear(ADRSType::FORS_ROOTS);
    roots_adrs.setKeyPairAddress(digest.idx_leaf);

    std::array<Node, K> roots;
    uint32_t index{0};
    for (uint32_t i{0}; i < K; ++i) {
        index = (i << A) + indices[i];
        adrs.setTreeHeight(0);
        adrs.setTreeIndex(index);
        roots[i] = hash.F(adrs, FREE);
        const size_t free_levels{i + 1 < K ? A : A - 1};
        for (uint32_t height{1}; height <= free_levels; ++height) roots[i] = Climb(hash, adrs, height, index, roots[i], FREE);
    }
    const Node below{roots[K - 1]};
    const Found found{Search(tries, [&](NodeView sibling) {
        roots[K - 1] = Climb(hash, adrs, A, index, below, sibling);
        return hash.T_l(roots_adrs, roots);
    })};
    std::ranges::copy(found.sibling, sig.end() - N);
    return found.message;
}

/** The node below the root of a tree that has one leaf and siblings of zeros. */
Node BelowRoot(const HashContext& hash, NodeView sk_seed, ADRS adrs, uint32_t leaf)
{
    adrs.setTypeAndClear(ADRSType::WOTS_HASH);
    adrs.setKeyPairAddress(leaf);
    Node node{wots_pkGen(hash, sk_seed, adrs)};
    adrs.setTypeAndClear(ADRSType::TREE);
    for (uint32_t height{1}; height < H_PRIME; ++height) node = Climb(hash, adrs, height, leaf, node, FREE);
    return node;
}

Node Root(const HashContext& hash, ADRS adrs, uint32_t leaf, NodeView below, NodeView sibling)
{
    adrs.setTypeAndClear(ADRSType::TREE);
    return Climb(hash, adrs, H_PRIME, leaf, below, sibling);
}

void MakeKey(std::span<const uint8_t, KEYGEN_SEED_SIZE> seed, SecretKey& sk, PublicKey& pk)
{
    const HashContext hash{seed.subspan<2 * N, N>()};
    ADRS adrs;
    adrs.setLayerAddress(D - 1);
    const Node root{Root(hash, adrs, TOP_LEAF, BelowRoot(hash, seed.first<N>(), adrs, TOP_LEAF), FREE)};
    std::ranges::copy(root, std::ranges::copy(seed, sk.begin()).out);
    std::copy(sk.begin() + 2 * N, sk.end(), pk.begin());
}

void SignCostly(const MessagePieces& message, const SecretKey& secret_key, NodeView addrnd, uint32_t tries, Signature& sig)
{
    const std::span<const uint8_t, SECRET_KEY_SIZE> sk{secret_key};
    const NodeView sk_seed{sk.first<N>()};
    const auto pk{sk.subspan<2 * N>()};
    const HashContext hash{pk.first<N>()};
    const std::span<uint8_t, SIGNATURE_SIZE> out{sig};

    MessageDigest digest{};
    for (uint64_t number{toInt(addrnd.first(8))};; ++number) {
        const Node r{NodeFrom(number)};
        digest = DigestMessage(r, pk, message);
        std::ranges::copy(r, out.begin());
        if (digest.idx_tree >> (H_PRIME * (D - 2)) == TOP_LEAF) break;
    }
    Node signed_node{SignFors(hash, digest, tries, out.subspan<N, FORS_SIG_SIZE>())};
    auto layer_sig{out.subspan<N + FORS_SIG_SIZE>()};
    uint64_t tree{digest.idx_tree};
    uint32_t leaf{digest.idx_leaf};
    for (uint32_t layer{0}; layer < D; ++layer) {
        ADRS adrs;
        adrs.setLayerAddress(layer);
        adrs.setTreeAddress(tree);
        ADRS wots_adrs{adrs};
        wots_adrs.setTypeAndClear(ADRSType::WOTS_HASH);
        wots_adrs.setKeyPairAddress(leaf);
        const auto xmss_sig{layer_sig.subspan(layer * XMSS_SIG_SIZE).first<XMSS_SIG_SIZE>()};
        wots_sign(hash, signed_node, sk_seed, wots_adrs, xmss_sig.first<WOTS_SIG_SIZE>());
        std::ranges::fill(xmss_sig.subspan<WOTS_SIG_SIZE>(), uint8_t{0});
        const Node below{BelowRoot(hash, sk_seed, adrs, leaf)};
        const Found found{Search(layer + 1 < D ? tries : 1, [&](NodeView sibling) { return Root(hash, adrs, leaf, below, sibling); })};
        std::ranges::copy(found.sibling, xmss_sig.end() - N);
        signed_node = found.message;
        leaf = static_cast<uint32_t>(tree & ((1 << H_PRIME) - 1));
        tree >>= H_PRIME;
    }
}

} // namespace

SLHDSAFunctions CostlySLHDSA(uint32_t tries)
{
    return {
        .keygen = MakeKey,
        .sign = [tries](std::span<const uint8_t> message, const SecretKey& sk, const std::array<uint8_t, N>& addrnd, Signature& sig) {
            SignCostly(*MessagePieces::Pure(message, {}), sk, addrnd, tries, sig);
        },
    };
}

size_t VerificationCompressions(std::span<const uint8_t, PUBLIC_KEY_SIZE> pk, std::span<const uint8_t> message,
                                std::span<const uint8_t, SIGNATURE_SIZE> sig)
{
    const HashContext hash{pk.first<N>()};
    const MessageDigest digest{DigestMessage(sig.first<N>(), pk, *MessagePieces::Pure(message, {}))};
    Node signed_node{fors_pkFromSig(hash, sig.subspan<N, FORS_SIG_SIZE>(), digest.md, ForsAddress(digest))};

    const auto blocks{[](size_t n_nodes) { return (COMPRESSED_ADRS_SIZE + n_nodes * N + 9 + 63) / 64; }};
    size_t compressions{1 + 4 + K * (1 + A) + blocks(K)}; // PK.seed, H_msg, FORS
    uint64_t tree{digest.idx_tree};
    uint32_t leaf{digest.idx_leaf};
    for (uint32_t layer{0}; layer < D; ++layer) {
        compressions += Steps(signed_node) + blocks(LEN) + H_PRIME;
        ADRS adrs;
        adrs.setLayerAddress(layer);
        adrs.setTreeAddress(tree);
        signed_node =
            xmss_pkFromSig(hash, leaf, sig.subspan(N + FORS_SIG_SIZE + layer * XMSS_SIG_SIZE).first<XMSS_SIG_SIZE>(), signed_node, adrs);
        leaf = static_cast<uint32_t>(tree & ((1 << H_PRIME) - 1));
        tree >>= H_PRIME;
    }
    return compressions;
}

} // namespace slhc::test
