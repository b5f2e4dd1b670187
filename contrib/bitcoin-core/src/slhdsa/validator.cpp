// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <slhdsa/validator.h>

#include <consensus/validation.h>
#include <primitives/block.h>
#include <primitives/transaction.h>
#include <script/interpreter.h>
#include <slhconsensus.h>
#include <slhdsa/errors.h>
#include <streams.h>
#include <tinyformat.h>
#include <util/check.h>
#include <util/log.h>
#include <util/time.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <span>
#include <string_view>
#include <utility>

namespace slhdsa {

namespace {

struct ContextDeleter {
    void operator()(slhc_context* context) const { slhc_context_destroy(context); }
};
struct TxDeleter {
    void operator()(slhc_tx* tx) const { slhc_tx_destroy(tx); }
};
struct BatchDeleter {
    void operator()(slhc_batch* batch) const { slhc_batch_destroy(batch); }
};

slhc_bytes View(std::span<const unsigned char> bytes) { return {bytes.data(), bytes.size()}; }

void LogFromModule(void*, int level, const char* message, size_t size)
{
    const std::string_view text{message, size};
    switch (level) {
    case SLHC_LOG_ERROR: LogError("slhdsa: %s", text); break;
    case SLHC_LOG_WARNING: LogWarning("slhdsa: %s", text); break;
    case SLHC_LOG_INFO: LogInfo("slhdsa: %s", text); break;
    default: LogDebug(BCLog::SLHDSA, "%s", text); break;
    }
}

std::string LastError()
{
    slhc_error error SLHC_ERROR_INIT;
    return slhc_last_error(&error) == SLHC_OK ? error.message : "unknown error";
}

slhc_tx* MakeTx(const CTransaction& tx, std::span<const CTxOut> spent_outputs)
{
    std::vector<unsigned char> raw_tx;
    VectorWriter{raw_tx, 0} << TX_WITH_WITNESS(tx);

    std::vector<unsigned char> outputs;
    std::vector<size_t> ends;
    for (const CTxOut& output : spent_outputs) {
        VectorWriter{outputs, outputs.size()} << output;
        ends.push_back(outputs.size());
    }
    std::vector<slhc_bytes> views;
    size_t begin{0};
    for (const size_t end : ends) {
        views.push_back(View(std::span{outputs}.subspan(begin, end - begin)));
        begin = end;
    }
    return slhc_tx_create(View(raw_tx), views.data(), views.size(), nullptr);
}

uint64_t MicrosecondsSince(SteadyClock::time_point start)
{
    return Ticks<std::chrono::microseconds>(SteadyClock::now() - start);
}

} // namespace

struct Validator::State {
    Options options;
    std::unique_ptr<slhc_context, ContextDeleter> context; //!< made under cs_main or before anything else runs
    std::atomic<slhc_context*> published{nullptr};         //!< context, for other threads

    std::atomic<uint64_t> inputs_verified{0};
    std::atomic<uint64_t> inputs_deferred{0};
    std::atomic<uint64_t> inputs_us{0};
    std::atomic<uint64_t> batches{0};
    std::atomic<uint64_t> batches_invalid{0};
    std::atomic<uint64_t> batch_signatures{0};
    std::atomic<uint64_t> batch_us{0};
    std::atomic<uint64_t> last_batch_signatures{0};
    std::atomic<uint64_t> last_batch_us{0};
    std::atomic<uint64_t> no_verdicts{0};

    /** @return what is wrong, or nothing */
    std::string MakeContext()
    {
        slhc_context_options module_options SLHC_CONTEXT_OPTIONS_INIT;
        module_options.backend = options.backend.c_str();
        module_options.threads = options.threads;
        module_options.cache_dir = options.cache_dir.c_str(); // never null: that would leave it to the environment
        module_options.log = LogFromModule;
        module_options.log_level = SLHC_LOG_DEBUG; // the node filters by category
        module_options.signature_cache_bytes = options.signature_cache_bytes != 0 ? options.signature_cache_bytes : SLHC_NO_SIGNATURE_CACHE;
        slhc_error error SLHC_ERROR_INIT;
        context.reset(slhc_context_create(&module_options, &error));
        published = context.get();
        return context ? "" : error.message;
    }

    void NoVerdict(std::string_view what)
    {
        ++no_verdicts;
        LogError("slhdsa: no verdict on %s: %s", what, LastError());
    }
};

struct BlockBatch::State {
    std::unique_ptr<slhc_batch, BatchDeleter> batch; //!< null until something may be deferred
    std::atomic<bool> no_verdict{false};             //!< set by any script check of the block
};

/** The TxVerifier of a transaction of which at least one input is handed over. */
class ModuleTxVerifier final : public TxVerifier
{
public:
    /** @param[in] block  the batch of the transaction's block, or null: then nothing is deferred
     *  @param[in] defer  whether signatures join it */
    ModuleTxVerifier(Validator::State& validator, slhc_tx* tx, BlockBatch::State* block, bool defer, uint64_t tx_index)
        : m_validator{validator}, m_tx{tx}, m_block{block}, m_batch{defer ? block->batch.get() : nullptr}, m_tx_index{tx_index} {}

    bool VerifyInput(unsigned int n_in, int witversion, const std::vector<unsigned char>& program, const CScriptWitness& witness,
                     script_verify_flags flags, ScriptError& error) const override
    {
        error = SCRIPT_ERR_UNKNOWN_ERROR;
        const auto start{SteadyClock::now()};
        std::vector<slhc_bytes> stack;
        stack.reserve(witness.stack.size());
        for (const auto& element : witness.stack) stack.push_back(View(element));

        int module_error{0};
        const int verdict{m_tx ? slhc_verify_witness_program(m_validator.context.get(), m_tx.get(), n_in, witversion, View(program),
                                                             stack.data(), stack.size(), flags.as_int(), m_batch, m_tx_index, &module_error)
                               : SLHC_ERROR};
        m_validator.inputs_us += MicrosecondsSince(start);
        switch (verdict) {
        case SLHC_VALID:
            ++m_validator.inputs_verified;
            return true;
        case SLHC_DEFERRED:
            // Only with a batch, which ConnectBlock verifies before it judges.
            ++m_validator.inputs_deferred;
            return m_batch != nullptr;
        case SLHC_INVALID:
            ++m_validator.inputs_verified;
            error = ScriptErrorFromModule(module_error);
            return false;
        default:
            m_validator.NoVerdict(strprintf("input %u of a transaction", n_in));
            if (m_block) m_block->no_verdict = true;
            return false;
        }
    }

private:
    Validator::State& m_validator;
    const std::unique_ptr<slhc_tx, TxDeleter> m_tx; //!< null if there was no memory for it: no verdict
    BlockBatch::State* const m_block;
    slhc_batch* const m_batch; //!< null: everything is verified at once
    const uint64_t m_tx_index;
};

Validator::Validator() : m_state{std::make_unique<State>()} {}
Validator::~Validator() = default;

util::Result<void> Validator::Start(const Options& options)
{
    Assert(!m_state->context);
    m_state->options = options;
    if (const std::string error{m_state->MakeContext()}; !error.empty()) return util::Error{Untranslated("slhdsa: " + error)};
    return {};
}

void Validator::Prepare(const CTransaction& tx, script_verify_flags flags, bool may_defer, PrecomputedTransactionData& txdata)
{
    const Deferral deferral{txdata.m_slhdsa_deferral};
    // Of a transaction that is checked again with other flags, what was made serves again, unless it has to do with a block.
    if (txdata.m_slhdsa && deferral.batch == nullptr) return;
    const auto handed_over{[&](size_t i) { return IsHandedOver(txdata.m_spent_outputs[i].scriptPubKey, tx.vin[i].scriptWitness, flags); }};
    size_t first{0};
    while (first < tx.vin.size() && !handed_over(first)) ++first;
    if (first == tx.vin.size()) return;

    if (!m_state->context) {
        if (const std::string error{m_state->MakeContext()}; !error.empty()) LogError("slhdsa: %s", error);
    }
    BlockBatch::State* const block{deferral.batch ? deferral.batch->m_state.get() : nullptr};
    bool defer{block && may_defer && m_state->options.defer};
    if (defer && !block->batch) {
        block->batch.reset(slhc_batch_create(m_state->context.get()));
        defer = block->batch != nullptr; // else one by one
    }
    slhc_tx* const module_tx{m_state->context ? MakeTx(tx, txdata.m_spent_outputs) : nullptr};
    if (m_state->context && !module_tx) {
        LogError("slhdsa: transaction %s: %s", tx.GetHash().ToString(), LastError()); // its inputs get no verdict
    }
    txdata.m_slhdsa = std::make_shared<ModuleTxVerifier>(*m_state, module_tx, block, defer, deferral.tx_index);
}

slhc_context* Validator::Context() const { return m_state->published; }
const Options& Validator::GetOptions() const { return m_state->options; }

Statistics Validator::GetStatistics() const
{
    const State& state{*m_state};
    return {
        .inputs_verified = state.inputs_verified,
        .inputs_deferred = state.inputs_deferred,
        .inputs_us = state.inputs_us,
        .batches = state.batches,
        .batches_invalid = state.batches_invalid,
        .batch_signatures = state.batch_signatures,
        .batch_us = state.batch_us,
        .last_batch_signatures = state.last_batch_signatures,
        .last_batch_us = state.last_batch_us,
        .no_verdicts = state.no_verdicts,
    };
}

BlockBatch::BlockBatch(Validator& validator) : m_validator{validator}, m_state{std::make_unique<State>()} {}
BlockBatch::~BlockBatch() = default;

bool BlockBatch::Verify(const CBlock& block, bool in_order, BlockValidationState& state)
{
    if (m_state->no_verdict) return false;
    slhc_batch* const batch{m_state->batch.get()};
    if (batch == nullptr || (!state.IsValid() && !in_order)) return true;

    Validator::State& validator{*m_validator.m_state};
    const auto start{SteadyClock::now()};
    slhc_failure failure SLHC_FAILURE_INIT;
    // Whatever its size is said to be: the size is for people, the verdict decides.
    const int verdict{slhc_batch_verify(batch, &failure)};
    const uint64_t us{MicrosecondsSince(start)};
    const size_t signatures{slhc_batch_size(batch)};
    if (verdict != SLHC_VALID && verdict != SLHC_INVALID) {
        validator.NoVerdict(strprintf("the %u signatures of block %s", signatures, block.GetHash().ToString()));
        return false;
    }
    if (verdict == SLHC_VALID && signatures == 0) return true;
    ++validator.batches;
    validator.batch_signatures += signatures;
    validator.batch_us += us;
    validator.last_batch_signatures = signatures;
    validator.last_batch_us = us;
    LogDebug(BCLog::SLHDSA, "Verified %u signatures of block %s in %.2f ms: %s", signatures, block.GetHash().ToString(), us / 1000.0,
             verdict == SLHC_VALID ? "valid" : "invalid");
    if (verdict == SLHC_VALID) return true;

    ++validator.batches_invalid;
    const CTransaction& tx{*Assert(block.vtx.at(failure.tag))};
    const COutPoint& spent{tx.vin.at(failure.input).prevout};
    state = {};
    state.Invalid(BlockValidationResult::BLOCK_CONSENSUS,
                  strprintf("block-script-verify-flag-failed (%s)", ScriptErrorString(ScriptErrorFromModule(failure.script_error))),
                  strprintf("input %u of %s (wtxid %s), spending %s:%u", failure.input, tx.GetHash().ToString(),
                            tx.GetWitnessHash().ToString(), spent.hash.ToString(), spent.n));
    return true;
}

} // namespace slhdsa
