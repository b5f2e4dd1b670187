// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <capi/context.h>
#include <capi/error.h>
#include <capi/failure.h>
#include <capi/input.h>
#include <consensus/block_check.h>
#include <consensus/block_queue.h>
#include <consensus/block_scripts.h>
#include <consensus/validation.h>
#include <primitives/block.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

using namespace slhc;
using namespace slhc::capi;

struct slhc_block_queue {
    std::shared_ptr<ContextState> state; // outlives the queue
    BlockQueue queue;
};

static_assert(SLHC_BLOCK_CONSENSUS == static_cast<int>(BlockValidationResult::CONSENSUS));
static_assert(SLHC_BLOCK_MUTATED == static_cast<int>(BlockValidationResult::MUTATED));

namespace slhc::capi {

namespace {

SignatureCacheMode ReadCacheMode(int cache_mode)
{
    switch (cache_mode) {
    case SLHC_CACHE_NONE: return SignatureCacheMode::NONE;
    case SLHC_CACHE_STORE: return SignatureCacheMode::STORE;
    case SLHC_CACHE_ERASE_ON_HIT: return SignatureCacheMode::ERASE_ON_HIT;
    }
    ThrowArgument("cache_mode " + std::to_string(cache_mode) + " is not one of SLHC_CACHE_*");
}

/** Read the arguments of functions that verify the scripts of a block. */
QueuedBlock ReadBlock(const ContextState& state, slhc_bytes raw_block, const slhc_bytes* spent_outputs, size_t n_spent, uint64_t flags,
                      int cache_mode)
{
    QueuedBlock read{.block = {},
                     .spent_outputs = {},
                     .flags = ReadFlags(flags),
                     .cache = {.cache = state.signature_cache.get(), .mode = ReadCacheMode(cache_mode)}};
    read.block = ParseBlock(Bytes(raw_block, "raw_block.data"));
    read.spent_outputs = ReadSpentOutputs(spent_outputs, n_spent, CountBlockInputs(read.block), "the block without its coinbase");
    return read;
}

/** The result of verifying the scripts of a block. @throws ApiError if there is no verdict */
int WriteVerdict(const BlockScriptResult& result, slhc_failure* failure)
{
    switch (result.status) {
    case BlockScriptStatus::VALID: return SLHC_VALID;
    case BlockScriptStatus::INVALID:
        if (failure != nullptr && result.failure) {
            WriteStruct(*failure,
                        ToC({.tag = result.failure->tx_index, .txid = result.failure->txid.Bytes(), .input = result.failure->input},
                            result.failure->where),
                        "failure");
        }
        return SLHC_INVALID;
    case BlockScriptStatus::INTERRUPTED: break;
    }
    throw ApiError{SLHC_ERR_INTERRUPTED, "the context was interrupted"};
}

[[noreturn]] void ThrowFull() { throw ApiError{SLHC_ERR_STATE, "the queue is full; ask for a verdict first"}; }
[[noreturn]] void ThrowBusy() { throw ApiError{SLHC_ERR_STATE, "another thread is asking for a verdict, or clears the queue"}; }

} // namespace

} // namespace slhc::capi

int slhc_verify_block_scripts(const slhc_context* context, slhc_bytes raw_block, const slhc_bytes* spent_outputs, size_t n_spent,
                              uint64_t flags, int cache_mode, slhc_failure* failure)
{
    return Guarded<int>(__func__, SLHC_ERROR, nullptr, [&]() -> int {
        const ContextState& state{*RequiredOwn(context, "context").state};
        if (failure != nullptr) CheckStructSize(*failure, "failure");
        const QueuedBlock block{ReadBlock(state, raw_block, spent_outputs, n_spent, flags, cache_mode)};
        return WriteVerdict(VerifyBlockScripts(block.block, block.spent_outputs, block.flags, state.verifier, {.cache = block.cache}),
                            failure);
    });
}

slhc_block_queue* slhc_block_queue_create(const slhc_context* context, const slhc_block_queue_options* options, slhc_error* error)
{
    return Guarded<slhc_block_queue*>(__func__, nullptr, error, [&] {
        const auto& state{RequiredOwn(context, "context").state};
        const slhc_block_queue_options defaults SLHC_BLOCK_QUEUE_OPTIONS_INIT;
        const slhc_block_queue_options& read{options != nullptr ? ReadStruct(*options, "options") : defaults};
        BlockQueueLimits limits;
        if (read.max_blocks != 0) limits.blocks = read.max_blocks;
        if (read.max_bytes != 0) limits.bytes = read.max_bytes;
        return new slhc_block_queue{state, BlockQueue{state->verifier, limits}};
    });
}

void slhc_block_queue_destroy(slhc_block_queue* queue) { DestroyOwn(queue); }

int slhc_block_queue_add(slhc_block_queue* queue, slhc_bytes raw_block, const slhc_bytes* spent_outputs, size_t n_spent, uint64_t flags,
                         int cache_mode, uint64_t tag)
{
    return Guarded<int>(__func__, SLHC_ERROR, nullptr, [&] {
        BlockQueue& blocks{RequiredOwn(queue, "queue").queue};
        if (blocks.IsFull()) ThrowFull(); // before the work of parsing
        QueuedBlock block{ReadBlock(*queue->state, raw_block, spent_outputs, n_spent, flags, cache_mode)};
        block.tag = tag;
        block.bytes = raw_block.size;
        for (size_t i = 0; i < n_spent; ++i) block.bytes += spent_outputs[i].size;
        if (blocks.Add(std::move(block)) == BlockQueue::AddStatus::FULL) ThrowFull();
        return SLHC_DEFERRED;
    });
}

size_t slhc_block_queue_size(const slhc_block_queue* queue)
{
    return Guarded<size_t>(__func__, 0, nullptr, [&] { return queue == nullptr ? 0 : RequiredOwn(queue, "queue").queue.Size(); });
}

int slhc_block_queue_is_full(const slhc_block_queue* queue)
{
    return Guarded<int>(__func__, 0, nullptr, [&] { return queue != nullptr && RequiredOwn(queue, "queue").queue.IsFull() ? 1 : 0; });
}

int slhc_block_queue_next(slhc_block_queue* queue, uint64_t* tag, slhc_failure* failure)
{
    return Guarded<int>(__func__, SLHC_ERROR, nullptr, [&] {
        BlockQueue& blocks{RequiredOwn(queue, "queue").queue};
        if (failure != nullptr) CheckStructSize(*failure, "failure");
        std::optional<BlockQueue::Verdict> verdict;
        switch (blocks.Next(verdict)) {
        case BlockQueue::NextStatus::EMPTY: throw ApiError{SLHC_ERR_STATE, "the queue is empty"};
        case BlockQueue::NextStatus::BUSY: ThrowBusy();
        case BlockQueue::NextStatus::VERDICT: break;
        }
        const int result{WriteVerdict(verdict->result, failure)};
        if (tag != nullptr) *tag = verdict->tag;
        return result;
    });
}

int slhc_block_queue_clear(slhc_block_queue* queue)
{
    return Guarded<int>(__func__, SLHC_ERROR, nullptr, [&] {
        if (!RequiredOwn(queue, "queue").queue.Clear()) ThrowBusy();
        return SLHC_OK;
    });
}

int slhc_check_block(slhc_bytes raw_block, const slhc_bytes* spent_outputs, size_t n_spent, uint64_t flags, slhc_reject* reject)
{
    return Guarded<int>(__func__, SLHC_ERROR, nullptr, [&] {
        if (reject != nullptr) CheckStructSize(*reject, "reject");
        const script_verify_flags read_flags{ReadFlags(flags)};
        const CBlock block{ParseBlock(Bytes(raw_block, "raw_block.data"))};
        const auto spent{ReadSpentOutputs(spent_outputs, n_spent, CountBlockInputs(block), "the block without its coinbase")};

        BlockValidationState validation;
        try {
            if (CheckBlockStructure(block, read_flags, validation) && CheckBlockInputs(block, spent, read_flags, validation)) {
                return SLHC_VALID;
            }
        } catch (const std::invalid_argument& e) {
            ThrowArgument(e.what());
        }
        if (reject != nullptr) {
            slhc_reject out SLHC_REJECT_INIT;
            CopyText(out.reason, validation.GetRejectReason());
            CopyText(out.detail, validation.GetDetail());
            out.result = static_cast<int>(validation.GetResult());
            WriteStruct(*reject, out, "reject");
        }
        return SLHC_INVALID;
    });
}
