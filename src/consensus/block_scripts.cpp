// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <consensus/block_scripts.h>

#include <consensus/block_check.h>
#include <script/interpreter.h>
#include <script/observer.h>
#include <script/script_check.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace slhc {

namespace {

/** Pieces of work for each thread: enough that they end at about the same time, few enough to cost nothing. */
constexpr size_t PIECES_PER_THREAD{32};

/** Pure, with an empty context. A view of the signature. */
slhdsa::Check AsCheck(const StagedSignature& staged)
{
    return {.public_key = staged.pubkey.data(),
            .message = *slhdsa::MessagePieces::Pure(staged.message.Bytes(), {}),
            .signature = staged.signature.data()};
}

/** Remembers where a script stood when it failed. */
class FailedOpcodeObserver : public EvalObserver
{
public:
    void BeginScript(const CScript&, SigVersion, const ScriptStack&) override { m_current = BlockScriptFailure::NO_OPCODE; }
    void BeforeOpcode(const EvalStep& step) override { m_current = step.opcode_pos; }
    void EndScript(ScriptError error, const ScriptStack&) override
    {
        if (error != SCRIPT_ERR_OK) m_failed = m_current;
    }

    [[nodiscard]] uint32_t FailedOpcode() const noexcept { return m_failed; }

private:
    uint32_t m_current{BlockScriptFailure::NO_OPCODE};
    uint32_t m_failed{BlockScriptFailure::NO_OPCODE};
};

/** The check of one block. Inputs are numbered through the block, from the second transaction's first. */
class BlockScriptRun
{
public:
    BlockScriptRun(const CBlock& block, script_verify_flags flags, slhdsa::Verifier& verifier, const BlockScriptOptions& options)
        : m_block{block}, m_flags{flags}, m_verifier{verifier}, m_options{options} {}

    [[nodiscard]] BlockScriptResult Run(std::span<const CTxOut> spent_outputs);

private:
    struct Input {
        size_t tx;
        uint32_t n;
    };
    struct Failure {
        size_t input;
        ScriptError error;
        std::optional<uint32_t> slhdsa_opcode_pos; //!< if a signature is the reason
    };
    struct QueuedSignature {
        size_t input;
        StagedSignature staged;
    };
    /** Inputs that one thread works through in order, and what it finds. No other thread looks at it meanwhile. */
    struct Piece {
        size_t first{0};
        size_t end{0};
        std::vector<QueuedSignature> queue; //!< of inputs whose scripts succeeded, in order
        std::optional<Failure> failure;     //!< the piece's first, and where it stopped
        size_t inputs_run{0};
        size_t slhdsa_verified{0};          //!< at once
    };

    const CBlock& m_block;
    const script_verify_flags m_flags;
    slhdsa::Verifier& m_verifier;
    const BlockScriptOptions& m_options;

    std::vector<PrecomputedTransactionData> m_txdata; //!< by transaction
    std::vector<Input> m_inputs;
    std::vector<Piece> m_pieces;
    //! No input after this one matters any more. It only falls, and every input before it is checked.
    std::atomic<size_t> m_first_failed{std::numeric_limits<size_t>::max()};

    [[nodiscard]] bool Precompute(std::span<const CTxOut> spent_outputs);
    void CutPieces();
    void RunPiece(Piece& piece);
    [[nodiscard]] bool VerifyQueue(std::optional<Failure>& failure, BlockScriptResult& result);
    [[nodiscard]] BlockScriptFailure Describe(const Failure& failure) const;
};

bool BlockScriptRun::Precompute(std::span<const CTxOut> spent_outputs)
{
    m_inputs.reserve(spent_outputs.size());
    m_txdata.resize(m_block.vtx.size());
    std::vector<size_t> first_spent(m_block.vtx.size());
    for (size_t i = 1; i < m_block.vtx.size(); ++i) {
        first_spent[i] = m_inputs.size();
        for (uint32_t n = 0; n < m_block.vtx[i]->vin.size(); ++n) m_inputs.push_back({.tx = i, .n = n});
    }
    const size_t n_tx{m_block.vtx.size() - (m_block.vtx.empty() ? 0 : 1)};
    const size_t stride{n_tx / (m_verifier.Pool().Threads() * PIECES_PER_THREAD) + 1};
    return m_verifier.Pool().Run((n_tx + stride - 1) / stride, [&](size_t piece) {
        const size_t end{std::min((piece + 1) * stride, n_tx)};
        for (size_t i = 1 + piece * stride; i <= end; ++i) {
            const auto spent{spent_outputs.subspan(first_spent[i], m_block.vtx[i]->vin.size())};
            m_txdata[i].Init(*m_block.vtx[i], {spent.begin(), spent.end()});
        }
    });
}

void BlockScriptRun::CutPieces()
{
    const size_t stride{m_inputs.size() / (m_verifier.Pool().Threads() * PIECES_PER_THREAD) + 1};
    for (size_t first = 0; first < m_inputs.size(); first += stride) {
        Piece& piece{m_pieces.emplace_back()};
        piece.first = first;
        piece.end = std::min(first + stride, m_inputs.size());
    }
}

void BlockScriptRun::RunPiece(Piece& piece)
{
    const auto verify{[this, &piece](const StagedSignature& signature) {
        ++piece.slhdsa_verified;
        return m_verifier.VerifyNow(AsCheck(signature));
    }};
    std::vector<StagedSignature> staged;
    for (size_t i = piece.first; i < piece.end && i < m_first_failed; ++i) {
        const Input& input{m_inputs[i]};
        CScriptCheck check{*m_block.vtx[input.tx], input.n, m_flags, m_txdata[input.tx], m_options.cache, m_options.cache_mode};
        check.SetSLHDSAVerifier(verify);
        const ScriptVerdict verdict{m_options.timing == SignatureTiming::EAGER ? check() : check(staged)};
        ++piece.inputs_run;
        if (verdict == ScriptVerdict::INVALID) {
            piece.failure = Failure{.input = i, .error = check.GetScriptError(), .slhdsa_opcode_pos = check.FailedOpcodePos()};
            size_t first_failed{m_first_failed};
            while (i < first_failed && !m_first_failed.compare_exchange_weak(first_failed, i)) {
            }
            return;
        }
        if (verdict == ScriptVerdict::DEFERRED) {
            for (StagedSignature& signature : staged) piece.queue.push_back({.input = i, .staged = std::move(signature)});
            staged.clear();
        }
    }
}

bool BlockScriptRun::VerifyQueue(std::optional<Failure>& failure, BlockScriptResult& result)
{
    std::vector<const QueuedSignature*> queue;
    std::vector<slhdsa::Check> checks;
    for (const Piece& piece : m_pieces) {
        for (const QueuedSignature& queued : piece.queue) {
            if (queued.input > m_first_failed) break;
            queue.push_back(&queued);
            checks.push_back(AsCheck(queued.staged));
        }
    }
    std::vector<slhdsa::Verdict> verdicts(checks.size(), slhdsa::Verdict::NONE);
    const bool complete{m_verifier.VerifyMany(checks, verdicts)};

    for (size_t i = 0; i < queue.size(); ++i) {
        if (verdicts[i] == slhdsa::Verdict::NONE) continue;
        ++result.slhdsa_verified;
        const StagedSignature& staged{queue[i]->staged};
        if (verdicts[i] == slhdsa::Verdict::VALID) {
            if (m_options.cache && m_options.cache_mode == SignatureCacheMode::STORE) {
                m_options.cache->Insert(AsSignedMessage(staged));
            }
        } else if (!failure || queue[i]->input < failure->input) {
            failure = Failure{.input = queue[i]->input, .error = SCRIPT_ERR_SLHDSA_SIG, .slhdsa_opcode_pos = staged.opcode_pos};
        }
    }
    return complete;
}

BlockScriptFailure BlockScriptRun::Describe(const Failure& failure) const
{
    const Input& input{m_inputs[failure.input]};
    const CTransaction& tx{*m_block.vtx[input.tx]};
    BlockScriptFailure description{.tx_index = input.tx,
                                   .txid = tx.GetHash(),
                                   .input = input.n,
                                   .opcode_pos = BlockScriptFailure::NO_OPCODE,
                                   .error = failure.error};
    if (failure.slhdsa_opcode_pos) {
        description.opcode_pos = *failure.slhdsa_opcode_pos;
        return description;
    }
    // Run the script once more, watched, to see where it fails. The signatures that it stages are no reason for its
    // failure: that is known by now, so nobody verifies them again.
    const CTxIn& txin{tx.vin[input.n]};
    const CTxOut& spent{m_txdata[input.tx].m_spent_outputs[input.n]};
    const DeferringTransactionSignatureChecker checker{tx, input.n, spent.nValue, m_txdata[input.tx]};
    FailedOpcodeObserver observer;
    ScriptError error{SCRIPT_ERR_OK};
    if (!VerifyScript(txin.scriptSig, spent.scriptPubKey, &txin.scriptWitness, m_flags, checker, error, &observer)) {
        description.opcode_pos = observer.FailedOpcode();
    }
    return description;
}

BlockScriptResult BlockScriptRun::Run(std::span<const CTxOut> spent_outputs)
{
    BlockScriptResult result;
    if (!Precompute(spent_outputs)) return result;
    CutPieces();
    if (!m_verifier.Pool().Run(m_pieces.size(), [&](size_t i) { RunPiece(m_pieces[i]); })) return result;

    std::optional<Failure> failure;
    for (const Piece& piece : m_pieces) {
        result.inputs += piece.inputs_run;
        result.slhdsa_verified += piece.slhdsa_verified;
        if (piece.failure && !failure) failure = piece.failure; // the pieces are in order
    }
    if (!VerifyQueue(failure, result)) return result;

    result.status = failure ? BlockScriptStatus::INVALID : BlockScriptStatus::VALID;
    if (failure) result.failure = Describe(*failure);
    return result;
}

} // namespace

BlockScriptResult VerifyBlockScripts(const CBlock& block, std::span<const CTxOut> spent_outputs, script_verify_flags flags,
                                     slhdsa::Verifier& verifier, const BlockScriptOptions& options)
{
    if (const auto problem{CheckFlags(flags)}) throw std::invalid_argument{*problem};
    if (const size_t n_inputs{CountBlockInputs(block)}; spent_outputs.size() != n_inputs) {
        throw std::invalid_argument{"the block has " + std::to_string(n_inputs) + " inputs beside the coinbase's, " +
                                    std::to_string(spent_outputs.size()) + " spent outputs were given"};
    }
    return BlockScriptRun{block, flags, verifier, options}.Run(spent_outputs);
}

} // namespace slhc
