// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <pqc/slhdsa/slhdsa.h>

#include <util/check.h>
#include <util/random.h>

namespace slhc::slhdsa {

#define SLHC_PARAMETER_SET(id, name, number, h, d, a, k, lg_w) SLHC_SLHDSA_TEMPLATES(, ParamsOf(ParameterSet::id))
#include <pqc/slhdsa/parameter_sets.def>

void slh_keygen(SecretKey& sk, PublicKey& pk)
{
    Wiped<std::array<uint8_t, KEYGEN_SEED_SIZE>> seed;
    GetStrongRandBytes(*seed);
    slh_keygen_internal(*seed, sk, pk);
}

void slh_keygen_internal(ParameterSet set, std::span<const uint8_t, KEYGEN_SEED_SIZE> seed, SecretKey& sk, PublicKey& pk)
{
    WithParams(set, [&]<Params P>() { slh_keygen_internal<P>(seed, sk, pk); });
}

void slh_sign_internal(ParameterSet set, const MessagePieces& m, std::span<const uint8_t, SECRET_KEY_SIZE> sk,
                       std::span<const uint8_t, N> addrnd, std::span<uint8_t> sig)
{
    WithParams(set, [&]<Params P>() {
        assert(sig.size() == P.SignatureSize());
        slh_sign_internal<P>(m, sk, addrnd, sig.first<P.SignatureSize()>());
    });
}

bool slh_verify_internal(ParameterSet set, const MessagePieces& m, std::span<const uint8_t> sig,
                         std::span<const uint8_t, PUBLIC_KEY_SIZE> pk)
{
    return WithParams(set, [&]<Params P>() { return slh_verify_internal<P>(m, sig, pk); });
}

bool slh_sign(ParameterSet set, std::span<const uint8_t> m, std::span<const uint8_t> ctx, std::span<const uint8_t, SECRET_KEY_SIZE> sk,
              const uint8_t* addrnd, std::span<uint8_t> sig)
{
    return WithParams(set, [&]<Params P>() {
        assert(sig.size() == P.SignatureSize());
        return slh_sign<P>(m, ctx, sk, addrnd, sig.first<P.SignatureSize()>());
    });
}

bool slh_verify(ParameterSet set, std::span<const uint8_t> m, std::span<const uint8_t> sig, std::span<const uint8_t> ctx,
                std::span<const uint8_t, PUBLIC_KEY_SIZE> pk)
{
    return WithParams(set, [&]<Params P>() { return slh_verify<P>(m, sig, ctx, pk); });
}

} // namespace slhc::slhdsa
