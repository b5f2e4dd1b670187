// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <pqc/signer.h>

namespace slhc::slhdsa {

bool Sign(ThreadPool& pool, std::span<const uint8_t> m, std::span<const uint8_t> ctx,
          std::span<const uint8_t, SECRET_KEY_SIZE> sk, const uint8_t* addrnd, Signature& sig)
{
    // The scalar code is one thread's work.
    if (pool.Interrupted()) return false;
    return slh_sign(m, ctx, sk, addrnd, sig);
}

void GenerateKey(std::span<const uint8_t, KEYGEN_SEED_SIZE> seed, SecretKey& sk, PublicKey& pk)
{
    slh_keygen_internal(seed, sk, pk);
}

} // namespace slhc::slhdsa
