// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <pqc/slhdsa/slhdsa.h>

#include <pqc/slhdsa/declassify.h>
#include <pqc/slhdsa/encoding.h>
#include <pqc/slhdsa/fors.h>
#include <pqc/slhdsa/hypertree.h>
#include <pqc/slhdsa/xmss.h>
#include <util/cleanse.h>
#include <util/random.h>

#include <algorithm>
#include <optional>

namespace slhc::slhdsa {
namespace {

/** The address of the FORS key that signs a digest: lines 11 to 13 of algorithm 19, 14 to 16 of 20. */
ADRS ForsAddress(const MessageDigest& digest)
{
    ADRS adrs;
    adrs.setTreeAddress(digest.idx_tree);
    adrs.setTypeAndClear(ADRSType::FORS_TREE);
    adrs.setKeyPairAddress(digest.idx_leaf);
    return adrs;
}

constexpr uint64_t LowBits(uint64_t x, size_t bits) { return x & ((uint64_t{1} << bits) - 1); }

} // namespace

MessageDigest SplitDigest(std::span<const uint8_t, M> digest) noexcept
{
    constexpr size_t TREE_SIZE{(H - H_PRIME + 7) / 8};
    constexpr size_t LEAF_SIZE{(H_PRIME + 7) / 8};
    MessageDigest split;
    std::copy_n(digest.begin(), FORS_DIGEST_SIZE, split.md.begin());
    split.idx_tree = LowBits(toInt(digest.subspan<FORS_DIGEST_SIZE, TREE_SIZE>()), H - H_PRIME);
    split.idx_leaf = static_cast<uint16_t>(LowBits(toInt(digest.subspan<FORS_DIGEST_SIZE + TREE_SIZE, LEAF_SIZE>()), H_PRIME));
    return split;
}

MessageDigest DigestMessage(std::span<const uint8_t, N> r, std::span<const uint8_t, PUBLIC_KEY_SIZE> pk, const MessagePieces& m) noexcept
{
    return SplitDigest(H_msg(r, pk.first<N>(), pk.subspan<N>(), m));
}

Node slh_rootFromSig(const HashContext& hash, const MessageDigest& digest, std::span<const uint8_t, SIGNATURE_SIZE> sig) noexcept
{
    const Node pk_fors{fors_pkFromSig(hash, sig.subspan<N, FORS_SIG_SIZE>(), digest.md, ForsAddress(digest))};
    return ht_rootFromSig(hash, pk_fors, sig.subspan<N + FORS_SIG_SIZE>(), digest.idx_tree, digest.idx_leaf);
}

void slh_keygen_internal(std::span<const uint8_t, KEYGEN_SEED_SIZE> seed, SecretKey& sk, PublicKey& pk)
{
    const NodeView sk_seed{seed.first<N>()};
    const NodeView pk_seed{seed.subspan<2 * N>()};
    ADRS adrs;
    adrs.setLayerAddress(D - 1);
    const Node pk_root{xmss_node(HashContext{pk_seed}, sk_seed, 0, H_PRIME, adrs)};
    Declassify(pk_root.data(), pk_root.size());

    std::copy(pk_root.begin(), pk_root.end(), std::copy(seed.begin(), seed.end(), sk.begin()));
    std::copy(sk.begin() + 2 * N, sk.end(), pk.begin());
    CleanseAfterCalls();
}

void slh_keygen(SecretKey& sk, PublicKey& pk)
{
    std::array<uint8_t, KEYGEN_SEED_SIZE> seed;
    GetStrongRandBytes(seed);
    slh_keygen_internal(seed, sk, pk);
    memory_cleanse(seed.data(), seed.size());
}

void slh_sign_internal(const MessagePieces& m, std::span<const uint8_t, SECRET_KEY_SIZE> sk, std::span<const uint8_t, N> addrnd,
                       Signature& sig)
{
    const NodeView sk_seed{sk.first<N>()};
    const NodeView sk_prf{sk.subspan<N, N>()};
    const std::span<const uint8_t, PUBLIC_KEY_SIZE> pk{sk.subspan<2 * N>()};
    const HashContext hash{pk.first<N>()};
    const std::span<uint8_t, SIGNATURE_SIZE> out{sig};

    const Node r{PRF_msg(sk_prf, addrnd, m)};
    Declassify(r.data(), r.size());
    std::copy(r.begin(), r.end(), out.begin());

    const MessageDigest digest{DigestMessage(r, pk, m)};
    const ADRS adrs{ForsAddress(digest)};
    const auto sig_fors{out.subspan<N, FORS_SIG_SIZE>()};
    fors_sign(hash, digest.md, sk_seed, adrs, sig_fors);
    Declassify(sig_fors.data(), sig_fors.size());

    const Node pk_fors{fors_pkFromSig(hash, sig_fors, digest.md, adrs)};
    ht_sign(hash, pk_fors, sk_seed, digest.idx_tree, digest.idx_leaf, out.subspan<N + FORS_SIG_SIZE>());
    CleanseAfterCalls();
}

void slh_sign_internal(std::span<const uint8_t> m, std::span<const uint8_t, SECRET_KEY_SIZE> sk, std::span<const uint8_t, N> addrnd,
                       Signature& sig)
{
    slh_sign_internal(MessagePieces::Internal(m), sk, addrnd, sig);
}

bool slh_verify_internal(const MessagePieces& m, std::span<const uint8_t> sig, std::span<const uint8_t, PUBLIC_KEY_SIZE> pk)
{
    if (sig.size() != SIGNATURE_SIZE) return false;
    const auto sized{sig.first<SIGNATURE_SIZE>()};
    const MessageDigest digest{DigestMessage(sized.first<N>(), pk, m)};
    const Node root{slh_rootFromSig(HashContext{pk.first<N>()}, digest, sized)};
    return std::equal(root.begin(), root.end(), pk.subspan<N>().begin());
}

bool slh_verify_internal(std::span<const uint8_t> m, std::span<const uint8_t> sig, std::span<const uint8_t, PUBLIC_KEY_SIZE> pk)
{
    return slh_verify_internal(MessagePieces::Internal(m), sig, pk);
}

bool slh_sign(std::span<const uint8_t> m, std::span<const uint8_t> ctx, std::span<const uint8_t, SECRET_KEY_SIZE> sk, const uint8_t* addrnd,
              Signature& sig)
{
    const std::optional<MessagePieces> pieces{MessagePieces::Pure(m, ctx)};
    if (!pieces) return false;
    slh_sign_internal(*pieces, sk, std::span<const uint8_t, N>{addrnd ? addrnd : sk.data() + 2 * N, N}, sig);
    return true;
}

bool slh_verify(std::span<const uint8_t> m, std::span<const uint8_t> sig, std::span<const uint8_t> ctx,
                std::span<const uint8_t, PUBLIC_KEY_SIZE> pk)
{
    const std::optional<MessagePieces> pieces{MessagePieces::Pure(m, ctx)};
    return pieces && slh_verify_internal(*pieces, sig, pk);
}

} // namespace slhc::slhdsa
