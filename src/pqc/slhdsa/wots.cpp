// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <pqc/slhdsa/wots.h>

#include <pqc/slhdsa/encoding.h>
#include <util/cleanse.h>

#include <algorithm>

namespace slhc::slhdsa {
namespace {

/** The start of chain i: sk[i] in algorithms 6 and 7. */
Node ChainStart(const HashContext& hash, NodeView sk_seed, const ADRS& adrs, uint32_t i)
{
    ADRS sk_adrs{adrs};
    sk_adrs.setTypeAndClear(ADRSType::WOTS_PRF);
    sk_adrs.setKeyPairAddress(adrs.getKeyPairAddress());
    sk_adrs.setChainAddress(i);
    return hash.PRF(sk_seed, sk_adrs);
}

/** T_len over the ends of the chains: how algorithms 6 and 8 finish. */
Node CompressPublicKey(const HashContext& hash, const std::array<Node, LEN>& ends, const ADRS& adrs)
{
    ADRS pk_adrs{adrs};
    pk_adrs.setTypeAndClear(ADRSType::WOTS_PK);
    pk_adrs.setKeyPairAddress(adrs.getKeyPairAddress());
    return hash.T_l(pk_adrs, ends);
}

} // namespace

std::array<uint32_t, LEN> wots_digits(NodeView m) noexcept
{
    const auto msg{base_2b<LG_W, LEN1>(m)};
    uint32_t csum{0};
    for (const uint32_t digit : msg) {
        csum += W - 1 - digit;
    }
    constexpr size_t CSUM_SIZE{(LEN2 * LG_W + 7) / 8};
    csum <<= (8 - LEN2 * LG_W % 8) % 8;
    const auto checksum{base_2b<LG_W, LEN2>(toByte<CSUM_SIZE>(csum))};

    std::array<uint32_t, LEN> digits;
    std::copy(msg.begin(), msg.end(), digits.begin());
    std::copy(checksum.begin(), checksum.end(), digits.begin() + LEN1);
    return digits;
}

Node chain(const HashContext& hash, NodeView x, uint32_t i, uint32_t s, ADRS adrs) noexcept
{
    Node tmp;
    std::copy(x.begin(), x.end(), tmp.begin());
    for (uint32_t j{i}; j < i + s; ++j) {
        adrs.setHashAddress(j);
        tmp = hash.F(adrs, tmp);
    }
    return tmp;
}

Node wots_pkGen(const HashContext& hash, NodeView sk_seed, const ADRS& adrs) noexcept
{
    ADRS chain_adrs{adrs};
    std::array<Node, LEN> tmp;
    for (uint32_t i{0}; i < LEN; ++i) {
        const Wiped<Node> sk{ChainStart(hash, sk_seed, adrs, i)};
        chain_adrs.setChainAddress(i);
        tmp[i] = chain(hash, *sk, 0, W - 1, chain_adrs);
    }
    return CompressPublicKey(hash, tmp, adrs);
}

void wots_sign(const HashContext& hash, NodeView m, NodeView sk_seed, const ADRS& adrs, std::span<uint8_t, WOTS_SIG_SIZE> sig) noexcept
{
    const auto msg{wots_digits(m)};
    ADRS chain_adrs{adrs};
    for (uint32_t i{0}; i < LEN; ++i) {
        const Wiped<Node> sk{ChainStart(hash, sk_seed, adrs, i)};
        chain_adrs.setChainAddress(i);
        const Node value{chain(hash, *sk, 0, msg[i], chain_adrs)};
        std::copy(value.begin(), value.end(), sig.begin() + i * N);
    }
}

Node wots_pkFromSig(const HashContext& hash, std::span<const uint8_t, WOTS_SIG_SIZE> sig, NodeView m, const ADRS& adrs) noexcept
{
    const auto msg{wots_digits(m)};
    ADRS chain_adrs{adrs};
    std::array<Node, LEN> tmp;
    for (uint32_t i{0}; i < LEN; ++i) {
        chain_adrs.setChainAddress(i);
        tmp[i] = chain(hash, NodeView{sig.data() + i * N, N}, msg[i], W - 1 - msg[i], chain_adrs);
    }
    return CompressPublicKey(hash, tmp, adrs);
}

} // namespace slhc::slhdsa
