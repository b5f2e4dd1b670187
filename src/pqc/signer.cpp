// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <pqc/signer.h>

#include <pqc/cpu/engines.h>
#include <pqc/cpu/lane_signer.h>

#include <optional>

namespace slhc::slhdsa {

bool Sign(ThreadPool& pool, std::span<const uint8_t> m, std::span<const uint8_t> ctx,
          std::span<const uint8_t, SECRET_KEY_SIZE> sk, const uint8_t* addrnd, Signature& sig, TopTreeCache* cache)
{
    const std::optional<MessagePieces> pieces{MessagePieces::Pure(m, ctx)};
    if (!pieces || pool.Interrupted()) return false;
    const std::span<const uint8_t, N> addrnd_or_pk_seed{addrnd ? addrnd : sk.data() + 2 * N, N};
    if (const auto& kernels{CpuEngines().Best().Kernels()}) return lanes::Sign(*kernels, pool, *pieces, sk, addrnd_or_pk_seed, sig, cache);
    slh_sign_internal(*pieces, sk, addrnd_or_pk_seed, sig); // one thread's work
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
