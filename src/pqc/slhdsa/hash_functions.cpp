// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <pqc/slhdsa/hash_functions.h>

#include <crypto/hmac_sha256.h>
#include <pqc/slhdsa/encoding.h>
#include <util/cleanse.h>

#include <algorithm>

namespace slhc::slhdsa {
namespace {

using Digest = std::array<uint8_t, CSHA256::OUTPUT_SIZE>;

/** Trunc_n */
Node Truncate(const Digest& digest)
{
    Node node;
    std::copy_n(digest.begin(), N, node.begin());
    return node;
}

} // namespace

HashContext::HashContext(NodeView pk_seed) noexcept
{
    const std::array<uint8_t, CSHA256::BLOCK_SIZE - N> zeros{};
    m_after_seed = CSHA256{}.Write(pk_seed).Write(zeros).GetMidstate();
}

Node HashContext::Hash(const ADRS& adrs, std::span<const uint8_t> m, std::span<const uint8_t> more) const noexcept
{
    Digest digest;
    CSHA256 sha{m_after_seed};
    sha.Write(adrs.Compressed()).Write(m).Write(more).Finalize(digest);
    const Node node{Truncate(digest)};
    // The inputs of F and PRF may be secret; wiping costs little beside the compression.
    memory_cleanse(&sha, sizeof(sha));
    memory_cleanse(digest.data(), digest.size());
    return node;
}

Node HashContext::T_l(const ADRS& adrs, std::span<const Node> m) const noexcept
{
    return Hash(adrs, {m.data()->data(), m.size() * N}, {});
}

Node PRF_msg(NodeView sk_prf, NodeView opt_rand, const MessagePieces& m) noexcept
{
    CHMAC_SHA256 hmac{sk_prf};
    hmac.Write(opt_rand);
    m.WriteTo(hmac);
    Digest digest;
    hmac.Finalize(digest);
    const Node r{Truncate(digest)};
    memory_cleanse(digest.data(), digest.size());
    return r;
}

void H_msg(NodeView r, NodeView pk_seed, NodeView pk_root, const MessagePieces& m, std::span<uint8_t> digest) noexcept
{
    CSHA256 inner;
    inner.Write(r).Write(pk_seed).Write(pk_root);
    m.WriteTo(inner);
    const Digest inner_digest{inner.Digest()};

    // MGF1 (RFC 8017, B.2.1): SHA-256(seed || counter) for counter 0, 1, ...
    for (uint32_t counter{0}; !digest.empty(); ++counter) {
        const Digest t{CSHA256{}.Write(r).Write(pk_seed).Write(inner_digest).Write(toByte<4>(counter)).Digest()};
        const size_t size{std::min(t.size(), digest.size())};
        std::copy_n(t.begin(), size, digest.begin());
        digest = digest.subspan(size);
    }
}

} // namespace slhc::slhdsa
