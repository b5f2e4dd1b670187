// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <pqc/signer.h>

#include <pqc/cpu/engines.h>
#include <pqc/cpu/lane_signer.h>
#include <pqc/slhdsa/address.h>
#include <util/check.h>
#include <util/cleanse.h>

#include <algorithm>
#include <optional>
#include <vector>

namespace slhc::slhdsa {

bool Sign(ThreadPool& pool, ParameterSet set, std::span<const uint8_t> m, std::span<const uint8_t> ctx,
          std::span<const uint8_t, SECRET_KEY_SIZE> sk, const uint8_t* addrnd, std::span<uint8_t> sig, TopTreeCache* cache,
          const lanes::SigningProgress& progress)
{
    const std::optional<MessagePieces> pieces{MessagePieces::Pure(m, ctx)};
    if (!pieces) return false;
    const std::span<const uint8_t, N> addrnd_or_pk_seed{addrnd ? addrnd : sk.data() + 2 * N, N};
    const auto& kernels{CpuEngines().Best().Kernels()};
    return Sign(kernels ? &*kernels : nullptr, pool, set, *pieces, sk, addrnd_or_pk_seed, sig, cache, progress);
}

bool Sign(const lanes::KernelSplitter* kernels, ThreadPool& pool, ParameterSet set, const MessagePieces& m,
          std::span<const uint8_t, SECRET_KEY_SIZE> sk, std::span<const uint8_t, N> addrnd, std::span<uint8_t> sig, TopTreeCache* cache,
          const lanes::SigningProgress& progress)
{
    if (pool.Interrupted()) return false;
    // Nobody gets to see it before it is verified; if it is not published, it is wiped.
    std::vector<uint8_t> made(sig.size());
    const struct Wipe {
        std::span<uint8_t> bytes;
        ~Wipe() { memory_cleanse(bytes.data(), bytes.size()); }
    } wipe{made};
    if (kernels == nullptr) {
        slh_sign_internal(set, m, sk, addrnd, made);
        if (progress) progress(1, 1);
        if (pool.Interrupted()) return false;
    } else if (!lanes::Sign(*kernels, pool, set, m, sk, addrnd, made, cache, progress)) {
        return false;
    }
    // By code that has no kernel in common with the engine, and takes less than a hundredth of their time.
    if (!slh_verify_internal(set, m, made, sk.subspan<2 * N>())) throw FaultySignature{};
    std::ranges::copy(made, sig.begin());
    return true;
}

bool GenerateKey(ThreadPool& pool, ParameterSet set, std::span<const uint8_t, KEYGEN_SEED_SIZE> seed, SecretKey& sk, PublicKey& pk,
                 TopTreeCache* cache, const lanes::SigningProgress& progress)
{
    if (pool.Interrupted()) return false;
    if (const auto& kernels{CpuEngines().Best().Kernels()}) {
        return lanes::GenerateKey(*kernels, pool, set, seed, sk, pk, cache, progress);
    }
    slh_keygen_internal(set, seed, sk, pk);
    if (progress) progress(1, 1);
    return true;
}

namespace {

/** True if these are the nodes of a key's top tree. */
bool IsTopTree(const Params& p, std::span<const uint8_t, PUBLIC_KEY_SIZE> pk, std::span<const Node> nodes)
{
    const HashContext hash{pk.first<N>()};
    ADRS adrs;
    adrs.setLayerAddress(static_cast<uint32_t>(p.d - 1));
    adrs.setTypeAndClear(ADRSType::TREE);
    std::vector<Node> level(nodes.begin(), nodes.end());
    for (size_t height{lanes::KeysHeight(p) + 1}; height <= p.h_prime(); ++height) {
        adrs.setTreeHeight(static_cast<uint32_t>(height));
        for (size_t i{0}; i < level.size() / 2; ++i) {
            adrs.setTreeIndex(static_cast<uint32_t>(i));
            level[i] = hash.H(adrs, level[2 * i], level[2 * i + 1]);
        }
        level.resize(level.size() / 2);
    }
    return std::ranges::equal(level.front(), pk.subspan<N>());
}

} // namespace

size_t TopTreeSize(ParameterSet set)
{
    return N << (ParamsOf(set).h_prime() - lanes::KeysHeight(ParamsOf(set)));
}

bool SaveTopTree(TopTreeCache& cache, ParameterSet set, TopTreeCache::SecretKeyView sk, std::span<uint8_t> tree)
{
    assert(tree.size() == TopTreeSize(set));
    std::vector<Node> nodes(tree.size() / N);
    if (!cache.Get(ParamsOf(set), sk, nodes)) return false;
    auto out{tree.begin()};
    for (const Node& node : nodes) out = std::ranges::copy(node, out).out;
    return true;
}

bool LoadTopTree(TopTreeCache& cache, ParameterSet set, TopTreeCache::SecretKeyView sk, std::span<const uint8_t> tree)
{
    assert(tree.size() == TopTreeSize(set));
    std::vector<Node> nodes(tree.size() / N);
    for (size_t i{0}; i < nodes.size(); ++i) std::ranges::copy(tree.subspan(i * N, N), nodes[i].begin());
    if (!IsTopTree(ParamsOf(set), sk.last<PUBLIC_KEY_SIZE>(), nodes)) return false;
    cache.Put(ParamsOf(set), sk, nodes);
    return true;
}

} // namespace slhc::slhdsa
