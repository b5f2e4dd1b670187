// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <pqc/signer.h>

#include <pqc/cpu/engines.h>
#include <pqc/cpu/lane_signer.h>
#include <util/cleanse.h>

#include <memory>
#include <optional>

namespace slhc::slhdsa {

bool Sign(ThreadPool& pool, std::span<const uint8_t> m, std::span<const uint8_t> ctx,
          std::span<const uint8_t, SECRET_KEY_SIZE> sk, const uint8_t* addrnd, Signature& sig, TopTreeCache* cache)
{
    const std::optional<MessagePieces> pieces{MessagePieces::Pure(m, ctx)};
    if (!pieces) return false;
    const std::span<const uint8_t, N> addrnd_or_pk_seed{addrnd ? addrnd : sk.data() + 2 * N, N};
    const auto& kernels{CpuEngines().Best().Kernels()};
    return Sign(kernels ? &*kernels : nullptr, pool, *pieces, sk, addrnd_or_pk_seed, sig, cache);
}

bool Sign(const lanes::KernelSplitter* kernels, ThreadPool& pool, const MessagePieces& m, std::span<const uint8_t, SECRET_KEY_SIZE> sk,
          std::span<const uint8_t, N> addrnd, Signature& sig, TopTreeCache* cache)
{
    if (pool.Interrupted()) return false;
    const auto wiped{std::make_unique<Wiped<Signature>>()};
    Signature& made{**wiped};
    if (kernels == nullptr) {
        slh_sign_internal(m, sk, addrnd, made);
        if (pool.Interrupted()) return false;
    } else if (!lanes::Sign(*kernels, pool, m, sk, addrnd, made, cache)) {
        return false;
    }
    // By code that has no kernel in common with the engine, and takes less than a hundredth of their time.
    if (!slh_verify_internal(m, made, sk.subspan<2 * N>())) throw FaultySignature{};
    sig = made;
    return true;
}

void GenerateKey(std::span<const uint8_t, KEYGEN_SEED_SIZE> seed, SecretKey& sk, PublicKey& pk)
{
    if (const auto& kernels{CpuEngines().Best().Kernels()}) {
        lanes::GenerateKey(*kernels, seed, sk, pk);
    } else {
        slh_keygen_internal(seed, sk, pk);
    }
}

} // namespace slhc::slhdsa
