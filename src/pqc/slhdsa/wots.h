// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_PQC_SLHDSA_WOTS_H
#define SLHCONSENSUS_PQC_SLHDSA_WOTS_H

#include <pqc/slhdsa/encoding.h>
#include <pqc/slhdsa/hash_functions.h>
#include <util/cleanse.h>

#include <algorithm>

/** WOTS+, the one-time signatures of FIPS 205, section 5. In every function, adrs names the key pair: its
 *  layer, tree and key pair address are set, and its type is WOTS_HASH. */
namespace slhc::slhdsa {

/** The message as len digits of lg_w bits, its checksum last: lines 1 to 7 of algorithms 7 and 8. */
template <Params P>
[[nodiscard]] std::array<uint32_t, P.len()> wots_digits(NodeView m) noexcept
{
    const auto msg{base_2b<P.lg_w, P.len1()>(m)};
    uint32_t csum{0};
    for (const uint32_t digit : msg) {
        csum += P.w() - 1 - digit;
    }
    constexpr size_t CSUM_BITS{P.len2() * P.lg_w};
    csum <<= (8 - CSUM_BITS % 8) % 8;
    const auto checksum{base_2b<P.lg_w, P.len2()>(toByte<(CSUM_BITS + 7) / 8>(csum))};

    std::array<uint32_t, P.len()> digits;
    std::copy(checksum.begin(), checksum.end(), std::copy(msg.begin(), msg.end(), digits.begin()));
    return digits;
}

/** Algorithm 5, chain: F applied s times to x, which stands at step i of the chain that adrs names.
 *  @pre i + s < w */
[[nodiscard]] inline Node chain(const HashContext& hash, NodeView x, uint32_t i, uint32_t s, ADRS adrs) noexcept
{
    Node tmp;
    std::copy(x.begin(), x.end(), tmp.begin());
    for (uint32_t j{i}; j < i + s; ++j) {
        adrs.setHashAddress(j);
        tmp = hash.F(adrs, tmp);
    }
    return tmp;
}

/** The start of chain i: sk[i] in algorithms 6 and 7. */
[[nodiscard]] inline Node wots_chainStart(const HashContext& hash, NodeView sk_seed, const ADRS& adrs, uint32_t i) noexcept
{
    ADRS sk_adrs{adrs};
    sk_adrs.setTypeAndClear(ADRSType::WOTS_PRF);
    sk_adrs.setKeyPairAddress(adrs.getKeyPairAddress());
    sk_adrs.setChainAddress(i);
    return hash.PRF(sk_seed, sk_adrs);
}

/** T_len over the ends of the chains: how algorithms 6 and 8 finish. */
[[nodiscard]] inline Node wots_compress(const HashContext& hash, std::span<const Node> ends, const ADRS& adrs) noexcept
{
    ADRS pk_adrs{adrs};
    pk_adrs.setTypeAndClear(ADRSType::WOTS_PK);
    pk_adrs.setKeyPairAddress(adrs.getKeyPairAddress());
    return hash.T_l(pk_adrs, ends);
}

/** Algorithm 6, wots_pkGen: the compressed public key. */
template <Params P>
[[nodiscard]] Node wots_pkGen(const HashContext& hash, NodeView sk_seed, const ADRS& adrs) noexcept
{
    ADRS chain_adrs{adrs};
    std::array<Node, P.len()> tmp;
    for (uint32_t i{0}; i < P.len(); ++i) {
        const Wiped<Node> sk{wots_chainStart(hash, sk_seed, adrs, i)};
        chain_adrs.setChainAddress(i);
        tmp[i] = chain(hash, *sk, 0, P.w() - 1, chain_adrs);
    }
    return wots_compress(hash, tmp, adrs);
}

/** Algorithm 7, wots_sign. */
template <Params P>
void wots_sign(const HashContext& hash, NodeView m, NodeView sk_seed, const ADRS& adrs, std::span<uint8_t, P.WotsSigSize()> sig) noexcept
{
    const auto msg{wots_digits<P>(m)};
    ADRS chain_adrs{adrs};
    for (uint32_t i{0}; i < P.len(); ++i) {
        const Wiped<Node> sk{wots_chainStart(hash, sk_seed, adrs, i)};
        chain_adrs.setChainAddress(i);
        const Node value{chain(hash, *sk, 0, msg[i], chain_adrs)};
        std::copy(value.begin(), value.end(), sig.begin() + i * N);
    }
}

/** Algorithm 8, wots_pkFromSig: the compressed public key under which sig signs m. */
template <Params P>
[[nodiscard]] Node wots_pkFromSig(const HashContext& hash, std::span<const uint8_t, P.WotsSigSize()> sig, NodeView m,
                                  const ADRS& adrs) noexcept
{
    const auto msg{wots_digits<P>(m)};
    ADRS chain_adrs{adrs};
    std::array<Node, P.len()> tmp;
    for (uint32_t i{0}; i < P.len(); ++i) {
        chain_adrs.setChainAddress(i);
        tmp[i] = chain(hash, NodeView{sig.data() + i * N, N}, msg[i], P.w() - 1 - msg[i], chain_adrs);
    }
    return wots_compress(hash, tmp, adrs);
}

} // namespace slhc::slhdsa

#endif // SLHCONSENSUS_PQC_SLHDSA_WOTS_H
