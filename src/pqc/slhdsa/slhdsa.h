// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_PQC_SLHDSA_SLHDSA_H
#define SLHCONSENSUS_PQC_SLHDSA_SLHDSA_H

#include <pqc/slhdsa/declassify.h>
#include <pqc/slhdsa/encoding.h>
#include <pqc/slhdsa/fors.h>
#include <pqc/slhdsa/hash_functions.h>
#include <pqc/slhdsa/hypertree.h>
#include <pqc/slhdsa/message.h>
#include <pqc/slhdsa/params.h>
#include <util/cleanse.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>

/** SLH-DSA with SHA-256 and n = 16 as FIPS 205 writes it, one function for each algorithm, on plain scalar code. Every
 *  faster path in this project is tested against these functions. Templates take the numbers of the parameter set; the algorithms that
 *  users call, 18 to 24, are those of 128s where none is named. */
namespace slhc::slhdsa {

using SecretKey = std::array<uint8_t, SECRET_KEY_SIZE>; //!< SK.seed || SK.prf || PK.seed || PK.root; the caller wipes it
template <Params P>
using SignatureOf = std::array<uint8_t, P.SignatureSize()>; //!< R || SIG_FORS || SIG_HT
using Signature = SignatureOf<PARAMS_128S>;

/** The message digest, split as lines 6 to 10 of algorithm 19 (9 to 13 of 20) split it. */
template <Params P>
struct MessageDigestOf {
    static_assert(P.IsSupported());

    std::array<uint8_t, P.MdSize()> md; //!< what FORS signs
    uint64_t idx_tree;                  //!< below 2^(h - h')
    uint32_t idx_leaf;                  //!< below 2^h'
};
using MessageDigest = MessageDigestOf<PARAMS_128S>;

/** Take the digest apart. */
template <Params P>
[[nodiscard]] constexpr MessageDigestOf<P> SplitDigest(std::span<const uint8_t, P.m()> digest) noexcept
{
    constexpr auto low_bits{[](uint64_t x, size_t bits) { return bits < 64 ? x & ((uint64_t{1} << bits) - 1) : x; }};
    MessageDigestOf<P> split{};
    std::copy_n(digest.begin(), P.MdSize(), split.md.begin());
    split.idx_tree = low_bits(toInt(digest.template subspan<P.MdSize(), P.TreeIndexSize()>()), P.h - P.h_prime());
    split.idx_leaf = static_cast<uint32_t>(low_bits(toInt(digest.template last<P.LeafIndexSize()>()), P.h_prime()));
    return split;
}

/** H_msg of a message under a public key and a randomizer R, split. */
template <Params P>
[[nodiscard]] MessageDigestOf<P> DigestMessage(NodeView r, std::span<const uint8_t, PUBLIC_KEY_SIZE> pk, const MessagePieces& m) noexcept
{
    std::array<uint8_t, P.m()> digest;
    H_msg(r, pk.first<N>(), pk.subspan<N>(), m, digest);
    return SplitDigest<P>(digest);
}

/** The address of the FORS key that signs a digest: lines 11 to 13 of algorithm 19, 14 to 16 of 20. */
template <Params P>
[[nodiscard]] ADRS ForsAddress(const MessageDigestOf<P>& digest) noexcept
{
    ADRS adrs;
    adrs.setTreeAddress(digest.idx_tree);
    adrs.setTypeAndClear(ADRSType::FORS_TREE);
    adrs.setKeyPairAddress(digest.idx_leaf);
    return adrs;
}

/** Algorithm 20 between the digest and the comparison with PK.root: the hypertree root under which sig signs
 *  the digest. The signature's first N bytes, R, are not read. */
template <Params P>
[[nodiscard]] Node slh_rootFromSig(const HashContext& hash, const MessageDigestOf<P>& digest,
                                   std::span<const uint8_t, P.SignatureSize()> sig) noexcept
{
    const auto sig_fors{sig.template subspan<N, P.ForsSigSize()>()};
    const Node pk_fors{fors_pkFromSig<P>(hash, sig_fors, digest.md, ForsAddress(digest))};
    return ht_rootFromSig<P>(hash, pk_fors, sig.template last<P.HtSigSize()>(), digest.idx_tree, digest.idx_leaf);
}

/** Algorithm 18, slh_keygen_internal.
 *  @param[in] seed  SK.seed || SK.prf || PK.seed, 48 bytes from a random bit generator */
template <Params P = PARAMS_128S>
void slh_keygen_internal(std::span<const uint8_t, KEYGEN_SEED_SIZE> seed, SecretKey& sk, PublicKey& pk)
{
    const NodeView sk_seed{seed.first<N>()};
    const NodeView pk_seed{seed.subspan<2 * N>()};
    ADRS adrs;
    adrs.setLayerAddress(P.d - 1);
    const Node pk_root{xmss_node<P>(HashContext{pk_seed}, sk_seed, 0, P.h_prime(), adrs)};
    Declassify(pk_root.data(), pk_root.size());

    std::copy(pk_root.begin(), pk_root.end(), std::copy(seed.begin(), seed.end(), sk.begin()));
    std::copy(sk.begin() + 2 * N, sk.end(), pk.begin());
    CleanseAfterCalls();
}

/** Algorithm 21, slh_keygen: a key from the operating system's random generator.
 *  @throws std::system_error  if that fails */
void slh_keygen(SecretKey& sk, PublicKey& pk);

/** Algorithm 19, slh_sign_internal.
 *  @param[in] m        the message as it is hashed (M' of the external interfaces)
 *  @param[in] addrnd   16 bytes of additional randomness; PK.seed for the deterministic variant */
template <Params P = PARAMS_128S>
void slh_sign_internal(const MessagePieces& m, std::span<const uint8_t, SECRET_KEY_SIZE> sk, std::span<const uint8_t, N> addrnd,
                       std::span<uint8_t, P.SignatureSize()> sig)
{
    const NodeView sk_seed{sk.first<N>()};
    const NodeView sk_prf{sk.subspan<N, N>()};
    const std::span<const uint8_t, PUBLIC_KEY_SIZE> pk{sk.subspan<2 * N>()};
    const HashContext hash{pk.first<N>()};

    const Node r{PRF_msg(sk_prf, addrnd, m)};
    Declassify(r.data(), r.size());
    std::copy(r.begin(), r.end(), sig.begin());

    const MessageDigestOf<P> digest{DigestMessage<P>(r, pk, m)};
    const ADRS adrs{ForsAddress(digest)};
    const auto sig_fors{sig.template subspan<N, P.ForsSigSize()>()};
    fors_sign<P>(hash, digest.md, sk_seed, adrs, sig_fors);
    Declassify(sig_fors.data(), sig_fors.size());

    const Node pk_fors{fors_pkFromSig<P>(hash, sig_fors, digest.md, adrs)};
    ht_sign<P>(hash, pk_fors, sk_seed, digest.idx_tree, digest.idx_leaf, sig.template last<P.HtSigSize()>());
    CleanseAfterCalls();
}

/** Algorithm 20, slh_verify_internal. A signature of any other size than the set's is invalid. */
template <Params P = PARAMS_128S>
[[nodiscard]] bool slh_verify_internal(const MessagePieces& m, std::span<const uint8_t> sig,
                                       std::span<const uint8_t, PUBLIC_KEY_SIZE> pk)
{
    if (sig.size() != P.SignatureSize()) return false;
    const auto sized{sig.first<P.SignatureSize()>()};
    const MessageDigestOf<P> digest{DigestMessage<P>(sized.template first<N>(), pk, m)};
    const Node root{slh_rootFromSig<P>(HashContext{pk.first<N>()}, digest, sized)};
    return std::equal(root.begin(), root.end(), pk.subspan<N>().begin());
}

// The sets of the list are compiled once, in slhdsa.cpp.
#define SLHC_SLHDSA_TEMPLATES(EXTERN, P)                                                                             \
    EXTERN template Node slh_rootFromSig<P>(const HashContext&, const MessageDigestOf<P>&,                           \
                                            std::span<const uint8_t, P.SignatureSize()>) noexcept;                   \
    EXTERN template void slh_keygen_internal<P>(std::span<const uint8_t, KEYGEN_SEED_SIZE>, SecretKey&, PublicKey&); \
    EXTERN template void slh_sign_internal<P>(const MessagePieces&, std::span<const uint8_t, SECRET_KEY_SIZE>,       \
                                              std::span<const uint8_t, N>, std::span<uint8_t, P.SignatureSize()>);   \
    EXTERN template bool slh_verify_internal<P>(const MessagePieces&, std::span<const uint8_t>,                      \
                                                std::span<const uint8_t, PUBLIC_KEY_SIZE>);
#define SLHC_PARAMETER_SET(id, name, number, h, d, a, k, lg_w) SLHC_SLHDSA_TEMPLATES(extern, ParamsOf(ParameterSet::id))
#include <pqc/slhdsa/parameter_sets.def>

/** Algorithms 19 and 20 again, for a message in one piece. */
template <Params P = PARAMS_128S>
void slh_sign_internal(std::span<const uint8_t> m, std::span<const uint8_t, SECRET_KEY_SIZE> sk, std::span<const uint8_t, N> addrnd,
                       std::span<uint8_t, P.SignatureSize()> sig)
{
    slh_sign_internal<P>(MessagePieces::Internal(m), sk, addrnd, sig);
}

template <Params P = PARAMS_128S>
[[nodiscard]] bool slh_verify_internal(std::span<const uint8_t> m, std::span<const uint8_t> sig,
                                       std::span<const uint8_t, PUBLIC_KEY_SIZE> pk)
{
    return slh_verify_internal<P>(MessagePieces::Internal(m), sig, pk);
}

/** Algorithm 22, slh_sign: pure SLH-DSA.
 *  @param[in] ctx      context string; more than 255 bytes is the one error
 *  @param[in] addrnd   16 bytes, or null for the deterministic variant
 *  @return false, and sig untouched, if ctx is too long */
template <Params P = PARAMS_128S>
[[nodiscard]] bool slh_sign(std::span<const uint8_t> m, std::span<const uint8_t> ctx, std::span<const uint8_t, SECRET_KEY_SIZE> sk,
                            const uint8_t* addrnd, std::span<uint8_t, P.SignatureSize()> sig)
{
    const std::optional<MessagePieces> pieces{MessagePieces::Pure(m, ctx)};
    if (!pieces) return false;
    slh_sign_internal<P>(*pieces, sk, std::span<const uint8_t, N>{addrnd ? addrnd : sk.data() + 2 * N, N}, sig);
    return true;
}

/** Algorithm 24, slh_verify: pure SLH-DSA. False also if ctx has more than 255 bytes. */
template <Params P = PARAMS_128S>
[[nodiscard]] bool slh_verify(std::span<const uint8_t> m, std::span<const uint8_t> sig, std::span<const uint8_t> ctx,
                              std::span<const uint8_t, PUBLIC_KEY_SIZE> pk)
{
    const std::optional<MessagePieces> pieces{MessagePieces::Pure(m, ctx)};
    return pieces && slh_verify_internal<P>(*pieces, sig, pk);
}

// The same for a set that is known at run time. @pre a signature to be made has the set's size

void slh_keygen_internal(ParameterSet set, std::span<const uint8_t, KEYGEN_SEED_SIZE> seed, SecretKey& sk, PublicKey& pk);
void slh_sign_internal(ParameterSet set, const MessagePieces& m, std::span<const uint8_t, SECRET_KEY_SIZE> sk,
                       std::span<const uint8_t, N> addrnd, std::span<uint8_t> sig);
[[nodiscard]] bool slh_verify_internal(ParameterSet set, const MessagePieces& m, std::span<const uint8_t> sig,
                                       std::span<const uint8_t, PUBLIC_KEY_SIZE> pk);
[[nodiscard]] bool slh_sign(ParameterSet set, std::span<const uint8_t> m, std::span<const uint8_t> ctx,
                            std::span<const uint8_t, SECRET_KEY_SIZE> sk, const uint8_t* addrnd, std::span<uint8_t> sig);
[[nodiscard]] bool slh_verify(ParameterSet set, std::span<const uint8_t> m, std::span<const uint8_t> sig, std::span<const uint8_t> ctx,
                              std::span<const uint8_t, PUBLIC_KEY_SIZE> pk);

} // namespace slhc::slhdsa

#endif // SLHCONSENSUS_PQC_SLHDSA_SLHDSA_H
