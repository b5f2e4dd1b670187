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
namespace {

/** Sign with the scalar code, where no engine can. It takes what a layer signs from the signature that it is making, as FIPS 205
 *  says. So after a fault in one layer, those above sign what is wrong, and everything verifies: only a second computation shows it.
 *  @return whether both signatures are the same; nothing if the pool is interrupted, which is seen after each of them */
[[nodiscard]] std::optional<bool> SignTwice(const ThreadPool& pool, const MessagePieces& m, std::span<const uint8_t, SECRET_KEY_SIZE> sk,
                                            std::span<const uint8_t, N> addrnd, Signature& sig)
{
    const auto again{std::make_unique<Wiped<Signature>>()};
    for (Signature* made : {&sig, &**again}) {
        slh_sign_internal(m, sk, addrnd, *made);
        if (pool.Interrupted()) return std::nullopt;
    }
    return **again == sig;
}

} // namespace

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
    bool agreed{true};
    if (kernels == nullptr) {
        const auto both_agree{SignTwice(pool, m, sk, addrnd, made)};
        if (!both_agree) return false;
        agreed = *both_agree;
    } else if (!lanes::Sign(*kernels, pool, m, sk, addrnd, made, cache)) {
        return false;
    }
    // By code that has no kernel in common with the engine, and takes less than a hundredth of their time.
    if (!agreed || !slh_verify_internal(m, made, sk.subspan<2 * N>())) {
        if (cache) cache->Forget(sk);
        throw FaultySignature{};
    }
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
