// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <capi/context.h>
#include <capi/error.h>
#include <pqc/signer.h>
#include <pqc/slhdsa/slhdsa.h>
#include <util/cleanse.h>

#include <algorithm>
#include <vector>

using namespace slhc;
using namespace slhc::capi;
using namespace slhc::slhdsa;

static_assert(SLHC_SEED_SIZE == KEYGEN_SEED_SIZE);
static_assert(SLHC_SECRET_KEY_SIZE == SECRET_KEY_SIZE);
static_assert(SLHC_PUBLIC_KEY_SIZE == PUBLIC_KEY_SIZE);
static_assert(SLHC_SIGNATURE_SIZE == SIGNATURE_SIZE);
static_assert(SLHC_ADDRND_SIZE == N);
static_assert(SLHC_MAX_CONTEXT_SIZE == MAX_CONTEXT_SIZE);

int slhc_slhdsa_keygen(const unsigned char seed[48], unsigned char secret_key[64], unsigned char public_key[32])
{
    return Guarded<int>(__func__, SLHC_ERROR, nullptr, [&] {
        const auto seed_bytes{FixedBytes<KEYGEN_SEED_SIZE>(seed, "seed")};
        Required(secret_key, "secret_key");
        Required(public_key, "public_key");
        SecretKey sk;
        PublicKey pk;
        ThreadPool here{1};
        if (!GenerateKey(here, ParameterSet::SHA2_128S, seed_bytes, sk, pk)) throw std::logic_error{"a pool that nobody interrupts"};
        std::copy(sk.begin(), sk.end(), secret_key);
        std::copy(pk.begin(), pk.end(), public_key);
        memory_cleanse(sk.data(), sk.size());
        return SLHC_OK;
    });
}

int slhc_slhdsa_sign(const slhc_context* context, const unsigned char secret_key[64], slhc_bytes message, slhc_bytes ctx,
                     const unsigned char* addrnd16, unsigned char signature[7856])
{
    return Guarded<int>(__func__, SLHC_ERROR, nullptr, [&] {
        ContextState& state{*RequiredOwn(context, "context").state};
        const auto sk{FixedBytes<SECRET_KEY_SIZE>(secret_key, "secret_key")};
        const auto m{Bytes(message, "message.data")};
        const auto ctx_bytes{Bytes(ctx, "ctx.data")};
        Required(signature, "signature");
        if (ctx_bytes.size() > MAX_CONTEXT_SIZE) {
            ThrowArgument("ctx has " + std::to_string(ctx_bytes.size()) + " bytes; the maximum is " + std::to_string(MAX_CONTEXT_SIZE));
        }
        Signature sig;
        if (!Sign(*state.pool, ParameterSet::SHA2_128S, m, ctx_bytes, sk, addrnd16, sig, context->top_trees.get())) {
            throw ApiError{SLHC_ERR_INTERRUPTED, "the context was interrupted"};
        }
        std::copy(sig.begin(), sig.end(), signature);
        return SLHC_OK;
    });
}

int slhc_slhdsa_verify(const unsigned char public_key[32], slhc_bytes message, slhc_bytes ctx, slhc_bytes signature)
{
    return Guarded<int>(__func__, SLHC_ERROR, nullptr, [&] {
        const auto pk{FixedBytes<PUBLIC_KEY_SIZE>(public_key, "public_key")};
        const auto m{Bytes(message, "message.data")};
        const auto ctx_bytes{Bytes(ctx, "ctx.data")};
        return slh_verify(m, Bytes(signature, "signature.data"), ctx_bytes, pk) ? SLHC_VALID : SLHC_INVALID;
    });
}

int slhc_slhdsa_verify_internal(const unsigned char public_key[32], slhc_bytes message, slhc_bytes signature)
{
    return Guarded<int>(__func__, SLHC_ERROR, nullptr, [&] {
        const auto pk{FixedBytes<PUBLIC_KEY_SIZE>(public_key, "public_key")};
        const auto m{Bytes(message, "message.data")};
        return slh_verify_internal(m, Bytes(signature, "signature.data"), pk) ? SLHC_VALID : SLHC_INVALID;
    });
}

int slhc_slhdsa_verify_many(const slhc_context* context, const slhc_verify_job* jobs, size_t n, int* verdicts)
{
    return Guarded<int>(__func__, SLHC_ERROR, nullptr, [&] {
        if (n > 0) std::fill_n(&Required(verdicts, "verdicts"), n, SLHC_ERROR);
        Verifier& verifier{*RequiredOwn(context, "context").state->verifier};

        std::vector<CheckView> checks;
        checks.reserve(n);
        for (size_t i = 0; i < n; ++i) {
            const slhc_verify_job& job{Element(jobs, i, "jobs")};
            const auto pk{FixedBytes<PUBLIC_KEY_SIZE>(job.public_key, "public_key of a job")};
            const auto pieces{MessagePieces::Pure(Bytes(job.message, "message.data of a job"), Bytes(job.ctx, "ctx.data of a job"))};
            const auto signature{Bytes(job.signature, "signature.data of a job")};
            // Like a signature of the wrong size, a signature with a context string that is too long is invalid.
            checks.push_back(pieces ? CheckView{pk.data(), *pieces, signature, ParameterSet::SHA2_128S}
                                    : CheckView{pk.data(), MessagePieces::Internal({}), {}, ParameterSet::SHA2_128S});
        }
        std::vector<Verdict> found(n);
        if (!verifier.VerifyMany(checks, found)) throw ApiError{SLHC_ERR_INTERRUPTED, "the context was interrupted"};

        std::ranges::transform(found, verdicts, [](Verdict verdict) { return verdict == Verdict::VALID ? SLHC_VALID : SLHC_INVALID; });
        return std::ranges::all_of(found, [](Verdict verdict) { return verdict == Verdict::VALID; }) ? SLHC_VALID : SLHC_INVALID;
    });
}
