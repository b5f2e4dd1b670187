// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <pqc/capi/arguments.h>
#include <pqc/capi/context.h>
#include <pqc/capi/error.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

using namespace slhc;
using namespace slhc::capi;
using namespace slhc::slhdsa;

slhc_batch* slhc_batch_create(const slhc_context* context, unsigned flags)
{
    return Guarded<slhc_batch*>(__func__, nullptr, [&] {
        const auto& state{RequiredOwn(context, "context").state};
        if ((flags & ~SLHC_BATCH_AHEAD) != 0) ThrowArgument("flags is " + std::to_string(flags) + ", not SLHC_BATCH_AHEAD or 0");
        auto made{std::make_unique<slhc_batch>(state, state->verifier)};
        if ((flags & SLHC_BATCH_AHEAD) != 0) made->batch.VerifyAhead();
        return made.release();
    });
}

void slhc_batch_destroy(slhc_batch* batch) { DestroyOwn(batch); }

int slhc_batch_add(slhc_batch* batch, int set, const unsigned char public_key[32], const unsigned char message[32], slhc_bytes signature,
                   const uint64_t tag[3])
{
    return Guarded<int>(__func__, SLHC_ERROR, [&] {
        Batch& entries{RequiredOwn(batch, "batch").batch};
        const ParameterSet known{RequiredSet(set)};
        const auto pk{FixedBytes<PUBLIC_KEY_SIZE>(public_key, "public_key")};
        const auto m{FixedBytes<32>(message, "message")};
        const auto sig{Bytes(signature, "signature.data")};
        Required(tag, "tag");
        PublicKey entry_pk;
        std::copy(pk.begin(), pk.end(), entry_pk.begin());
        std::array<uint8_t, 32> entry_message;
        std::copy(m.begin(), m.end(), entry_message.begin());
        // A signature of the wrong size is invalid whatever its bytes are: keep just enough of them to show that.
        const auto kept{sig.first(std::min(sig.size(), ParamsOf(known).SignatureSize() + 1))};
        if (!entries.Add(SignatureCheck{Ticket{tag[0], tag[1], tag[2]}, entry_pk, entry_message, {kept.begin(), kept.end()}, known})) {
            throw ApiError{SLHC_ERR_STATE, "the batch is being or has been verified"};
        }
        return SLHC_DEFERRED;
    });
}

size_t slhc_batch_size(const slhc_batch* batch)
{
    return Guarded<size_t>(__func__, 0, [&] { return batch == nullptr ? 0 : RequiredOwn(batch, "batch").batch.Size(); });
}

int slhc_batch_verify(slhc_batch* batch, uint64_t tag[3])
{
    return Guarded<int>(__func__, SLHC_ERROR, [&] {
        Batch& entries{RequiredOwn(batch, "batch").batch};
        std::optional<Ticket> first;
        switch (entries.Verify(&first)) {
        case BatchResult::VALID: return SLHC_VALID;
        case BatchResult::INVALID: break;
        case BatchResult::INTERRUPTED: throw ApiError{SLHC_ERR_INTERRUPTED, "the context was interrupted"};
        }
        if (tag != nullptr) std::ranges::copy(*first, tag);
        return SLHC_INVALID;
    });
}

int slhc_batch_verdict(const slhc_batch* batch, size_t index, uint64_t tag[3])
{
    return Guarded<int>(__func__, SLHC_ERROR, [&] {
        const Batch& entries{RequiredOwn(batch, "batch").batch};
        const auto verdict{entries.VerdictAt(index)};
        if (!verdict) {
            ThrowArgument("index is " + std::to_string(index) + ", but the batch has " + std::to_string(entries.Size()) + " checks");
        }
        if (tag != nullptr) std::ranges::copy(verdict->ticket, tag);
        switch (verdict->verdict) {
        case Verdict::NONE: return SLHC_DEFERRED;
        case Verdict::INVALID: return SLHC_INVALID;
        case Verdict::VALID: return SLHC_VALID;
        }
        throw ApiError{SLHC_ERR_INTERNAL, "an unknown verdict"};
    });
}
