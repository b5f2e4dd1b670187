// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <pqc/capi/arguments.h>
#include <pqc/capi/context.h>
#include <pqc/capi/error.h>
#include <pqc/signer.h>
#include <pqc/slhdsa/slhdsa.h>
#include <util/cleanse.h>

#include <algorithm>
#include <span>
#include <vector>

using namespace slhc;
using namespace slhc::capi;
using namespace slhc::slhdsa;

static_assert(SLHC_SEED_SIZE == KEYGEN_SEED_SIZE);
static_assert(SLHC_SECRET_KEY_SIZE == SECRET_KEY_SIZE);
static_assert(SLHC_PUBLIC_KEY_SIZE == PUBLIC_KEY_SIZE);
static_assert(SLHC_SIGNATURE_SIZE == SIGNATURE_SIZE);
static_assert(SLHC_ADDRND_SIZE == N);
static_assert(SLHC_SET_128S == static_cast<int>(ParameterSet::SHA2_128S) && SLHC_SET_128F == static_cast<int>(ParameterSet::SHA2_128F));
static_assert(SLHC_SET_128_24 == static_cast<int>(ParameterSet::SHA2_128_24));
static_assert(SLHC_SET_128_Q40 == static_cast<int>(ParameterSet::SHA2_128_Q40));
static_assert(SLHC_MAX_CONTEXT_SIZE == MAX_CONTEXT_SIZE);

namespace {

lanes::SigningProgress Progress(slhc_progress progress, void* data)
{
    if (!progress) return {};
    return [=](size_t done, size_t total) { progress(data, done, total); };
}

} // namespace

size_t slhc_set_signature_size(int set)
{
    const ParameterSetEntry* const entry{FindSet(set)};
    return entry ? entry->params.SignatureSize() : 0;
}

int slhc_slhdsa_keygen(const slhc_context* context, int set, const unsigned char seed[48], unsigned char secret_key[64],
                       unsigned char public_key[32], slhc_progress progress, void* data)
{
    return Guarded<int>(__func__, SLHC_ERROR, [&] {
        ContextState& state{*RequiredOwn(context, "context").state};
        const ParameterSet known{RequiredSet(set)};
        const auto seed_bytes{FixedBytes<KEYGEN_SEED_SIZE>(seed, "seed")};
        Required(secret_key, "secret_key");
        Required(public_key, "public_key");
        Wiped<SecretKey> sk;
        PublicKey pk;
        if (!GenerateKey(*state.pool, known, seed_bytes, *sk, pk, context->top_trees.get(), Progress(progress, data))) {
            throw ApiError{SLHC_ERR_INTERRUPTED, "the context was interrupted"};
        }
        std::copy(sk->begin(), sk->end(), secret_key);
        std::copy(pk.begin(), pk.end(), public_key);
        return SLHC_OK;
    });
}

int slhc_slhdsa_sign(const slhc_context* context, int set, const unsigned char secret_key[64], slhc_bytes message, slhc_bytes ctx,
                     const unsigned char* addrnd16, unsigned char* signature, slhc_progress progress, void* data)
{
    return Guarded<int>(__func__, SLHC_ERROR, [&] {
        ContextState& state{*RequiredOwn(context, "context").state};
        const ParameterSet known{RequiredSet(set)};
        const auto sk{FixedBytes<SECRET_KEY_SIZE>(secret_key, "secret_key")};
        const auto m{Bytes(message, "message.data")};
        const auto ctx_bytes{ContextString(ctx)};
        const std::span<uint8_t> sig{&Required(signature, "signature"), ParamsOf(known).SignatureSize()};
        if (!Sign(*state.pool, known, m, ctx_bytes, sk, addrnd16, sig, context->top_trees.get(), Progress(progress, data))) {
            throw ApiError{SLHC_ERR_INTERRUPTED, "the context was interrupted"};
        }
        return SLHC_OK;
    });
}

int slhc_slhdsa_verify(int set, const unsigned char public_key[32], slhc_bytes message, slhc_bytes ctx, slhc_bytes signature)
{
    return Guarded<int>(__func__, SLHC_ERROR, [&] {
        const ParameterSet known{RequiredSet(set)};
        const auto pk{FixedBytes<PUBLIC_KEY_SIZE>(public_key, "public_key")};
        const auto m{Bytes(message, "message.data")};
        const auto ctx_bytes{Bytes(ctx, "ctx.data")};
        return slh_verify(known, m, Bytes(signature, "signature.data"), ctx_bytes, pk) ? SLHC_VALID : SLHC_INVALID;
    });
}

int slhc_slhdsa_verify_many(const slhc_context* context, const slhc_verify_job* jobs, size_t n, int* verdicts)
{
    return Guarded<int>(__func__, SLHC_ERROR, [&] {
        if (n > 0) std::fill_n(&Required(verdicts, "verdicts"), n, SLHC_ERROR);
        Verifier& verifier{*RequiredOwn(context, "context").state->verifier};

        std::vector<CheckView> checks;
        checks.reserve(n);
        for (size_t i = 0; i < n; ++i) {
            const slhc_verify_job& job{Element(jobs, i, "jobs")};
            const auto pk{FixedBytes<PUBLIC_KEY_SIZE>(job.public_key, "public_key of a job")};
            const auto pieces{MessagePieces::Pure(Bytes(job.message, "message.data of a job"), Bytes(job.ctx, "ctx.data of a job"))};
            const auto signature{Bytes(job.signature, "signature.data of a job")};
            const ParameterSet set{RequiredSet(job.set)};
            // Like a signature of the wrong size, a signature with a context string that is too long is invalid.
            checks.push_back(pieces ? CheckView{pk.data(), *pieces, signature, set}
                                    : CheckView{pk.data(), MessagePieces::Internal({}), {}, set});
        }
        std::vector<Verdict> found(n);
        if (!verifier.VerifyMany(checks, found)) throw ApiError{SLHC_ERR_INTERRUPTED, "the context was interrupted"};

        std::ranges::transform(found, verdicts, [](Verdict verdict) { return verdict == Verdict::VALID ? SLHC_VALID : SLHC_INVALID; });
        return std::ranges::all_of(found, [](Verdict verdict) { return verdict == Verdict::VALID; }) ? SLHC_VALID : SLHC_INVALID;
    });
}
