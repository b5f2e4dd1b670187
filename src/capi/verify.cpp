// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <capi/failure.h>
#include <capi/input.h>
#include <capi/signature_cache.h>
#include <capi/tx.h>
#include <pqc/capi/context.h>
#include <pqc/capi/error.h>
#include <script/checker.h>
#include <script/interpreter.h>
#include <script/script_check.h>
#include <script/script_error.h>
#include <script/verify_flags.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

using namespace slhc;
using namespace slhc::capi;

namespace slhc::capi {

namespace {

// slhconsensus.h has the same flags.
#define SLHC_VERIFY_FLAG(name, use) static_assert(SLHC_VERIFY_##name == script_verify_flags{SCRIPT_VERIFY_##name}.as_int());
#define SLHC_OWN_VERIFY_FLAG(name, use) SLHC_VERIFY_FLAG(name, use)
#include <script/verify_flags.def>
static_assert(SLHC_VERIFY_CONSENSUS == MANDATORY_SCRIPT_VERIFY_FLAGS.as_int());

[[noreturn]] void ThrowBatchClosed() { throw ApiError{SLHC_ERR_STATE, "the batch is being or has been verified"}; }

} // namespace

} // namespace slhc::capi

// Everything is precomputed, since slhc_tx_signature_hash() may need hashes that the transaction's own witnesses, if any, do not.
slhc_tx::slhc_tx(std::span<const uint8_t> raw_tx, const slhc_bytes* spent_outputs, size_t n_spent)
    : tx{ParseTransaction(raw_tx)}, txdata{tx, ReadSpentOutputs(spent_outputs, n_spent, tx.vin.size(), "the transaction"), /*force=*/true}
{
}

slhc_tx* slhc_tx_create(slhc_bytes raw_tx, const slhc_bytes* spent_outputs, size_t n_spent)
{
    return GuardedParse<slhc_tx*>(__func__, nullptr, [&] {
        return new slhc_tx{Bytes(raw_tx, "raw_tx.data"), spent_outputs, n_spent};
    });
}

void slhc_tx_destroy(slhc_tx* tx) { delete tx; }

slhc_signature_cache* slhc_signature_cache_create(size_t bytes)
{
    return GuardedParse<slhc_signature_cache*>(__func__, nullptr, [&] {
        return new slhc_signature_cache{SignatureCache{bytes != 0 ? bytes : DEFAULT_SIGNATURE_CACHE_BYTES}};
    });
}

void slhc_signature_cache_destroy(slhc_signature_cache* cache) { delete cache; }

int slhc_verify_input(const slhc_context* context, const slhc_tx* tx, unsigned n_in, uint64_t flags, slhc_signature_cache* cache,
                      slhc_batch* batch, uint64_t tag, slhc_failure* failure)
{
    return GuardedParse<int>(__func__, SLHC_ERROR, [&] {
        if (failure != nullptr) CheckStructSize(*failure, "failure");
        const ContextState& state{*RequiredOwn(context, "context").state};
        const slhc_tx& spender{Required(tx, "tx")};
        CheckInputIndex(spender.tx, n_in);
        const script_verify_flags read_flags{ReadFlags(flags)};
        if (batch != nullptr && !RequiredOwn(batch, "batch").batch.IsOpen()) ThrowBatchClosed();

        // With a batch, look up in the cache but store nothing: usually its signatures are a block's, which are not needed again.
        const SignatureCacheMode cache_mode{batch != nullptr ? SignatureCacheMode::ASK : SignatureCacheMode::STORE};
        const SignatureCacheUse use{.cache = CacheOf(cache), .mode = cache_mode};
        CScriptCheck check{spender.tx, n_in, read_flags, spender.txdata, *state.verifier, use, tag};

        std::vector<slhdsa::SignatureCheck> staged;
        switch (batch != nullptr ? check.RunDeferring(staged) : check.VerifyNow()) {
        case ScriptVerdict::VALID: return SLHC_VALID;
        case ScriptVerdict::INVALID:
            if (failure != nullptr) *failure = ToC(tag, n_in, check.Failure());
            return SLHC_INVALID;
        case ScriptVerdict::DEFERRED: break;
        }
        if (batch == nullptr) throw ApiError{SLHC_ERR_INTERNAL, "a check without a batch was deferred"};
        if (!batch->batch.Add(std::move(staged))) ThrowBatchClosed();
        return SLHC_DEFERRED;
    });
}

int slhc_scan_leaf(slhc_bytes leaf_script, unsigned* found)
{
    return GuardedParse<int>(__func__, SLHC_ERROR, [&] {
        const auto bytes{Bytes(leaf_script, "leaf_script.data")};
        unsigned& out{Required(found, "found")};
        const TapscriptScan scan{ScanTapscript(CScript{bytes}, SCRIPT_VERIFY_SLHDSA)};
        unsigned bits{0};
        if (scan.has_slhdsa_opcode) bits |= SLHC_LEAF_SLHDSA;
        if (scan.outcome == TapscriptScan::Outcome::OP_SUCCESS) bits |= SLHC_LEAF_OP_SUCCESS;
        if (scan.outcome == TapscriptScan::Outcome::UNDECODABLE) bits |= SLHC_LEAF_UNDECODABLE;
        out = bits;
        return SLHC_OK;
    });
}

const char* slhc_script_error_string(int script_error)
{
    // The names are literals, so they end with a zero byte.
    return slhc::ScriptErrorName(static_cast<slhc::ScriptError>(script_error)).data();
}
