// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <consensus/block_scripts.h>

#include <consensus/block_check.h>
#include <pqc/batch.h>
#include <util/check.h>

#include <algorithm>
#include <atomic>
#include <iterator>
#include <limits>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace slhc {

namespace {

/** Pieces of work for each thread: enough that they end at about the same time, few enough to cost nothing. */
constexpr size_t PIECES_PER_THREAD{32};

/** Places compare in the order of the block. */
auto PlaceOf(const BlockScriptFailure& failure) { return std::tuple{failure.tx_index, failure.input, failure.where.opcode_pos}; }

/** A block whose scripts have run. It is valid if nothing has failed and every check is valid. */
struct StagedBlock {
    std::optional<BlockScriptFailure> failure;  //!< the first of a script
    std::vector<slhdsa::SignatureCheck> checks; //!< deferred by scripts before it, in block order; the tag is the transaction's index
    size_t inputs{0};
    size_t slhdsa_verified{0};
};

/** Runs the scripts of one block. Inputs are numbered through the block, from the second transaction's first. */
class BlockScriptRun
{
public:
    BlockScriptRun(const CBlock& block, script_verify_flags flags, slhdsa::Verifier& verifier, const BlockScriptOptions& options)
        : m_block{block}
        , m_flags{flags}
        , m_verifier{verifier}
        , m_options{options}
    {
    }

    /** @return nothing if it was interrupted */
    [[nodiscard]] std::optional<StagedBlock> Run(std::span<const CTxOut> spent_outputs);

private:
    struct Input {
        size_t tx;
        uint32_t n;
    };
    /** Inputs that one thread works through in order, and its findings. No other thread looks at them meanwhile. */
    struct Piece {
        size_t first{0};
        size_t end{0};
        std::optional<BlockScriptFailure> failure;  //!< the piece's first, at which it stopped
        std::vector<slhdsa::SignatureCheck> staged; //!< of inputs whose scripts succeeded; the tag is the transaction's index
        size_t inputs_run{0};
        size_t slhdsa_verified{0};                  //!< at once
    };

    const CBlock& m_block;
    const script_verify_flags m_flags;
    slhdsa::Verifier& m_verifier;
    const BlockScriptOptions& m_options;

    std::vector<PrecomputedTransactionData> m_txdata; //!< by transaction
    std::vector<Input> m_inputs;
    std::vector<Piece> m_pieces;
    //! No input after this one matters any more. The number only falls, and every input before it is checked.
    std::atomic<size_t> m_first_failed{std::numeric_limits<size_t>::max()};

    [[nodiscard]] bool Precompute(std::span<const CTxOut> spent_outputs);
    void CutPieces();
    void RunPiece(Piece& piece);
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
    for (size_t i = piece.first; i < piece.end && i < m_first_failed; ++i) {
        const Input& input{m_inputs[i]};
        const CTransaction& tx{*m_block.vtx[input.tx]};
        CScriptCheck check{tx, input.n, m_flags, m_txdata[input.tx], m_verifier, m_options.cache, /*tag=*/input.tx};
        const ScriptVerdict verdict{m_options.timing == SignatureTiming::EAGER ? check.VerifyNow() : check.RunDeferring(piece.staged)};
        ++piece.inputs_run;
        piece.slhdsa_verified += check.VerifiedNow();
        if (verdict != ScriptVerdict::INVALID) continue;
        piece.failure = BlockScriptFailure{.tx_index = input.tx, .input = input.n, .where = check.Failure()};
        size_t first_failed{m_first_failed};
        while (i < first_failed && !m_first_failed.compare_exchange_weak(first_failed, i)) {
        }
        break;
    }
}

std::optional<StagedBlock> BlockScriptRun::Run(std::span<const CTxOut> spent_outputs)
{
    if (!Precompute(spent_outputs)) return std::nullopt;
    CutPieces();
    if (!m_verifier.Pool().Run(m_pieces.size(), [&](size_t i) { RunPiece(m_pieces[i]); })) return std::nullopt;

    StagedBlock result;
    size_t n_checks{0};
    for (const Piece& piece : m_pieces) n_checks += piece.staged.size();
    result.checks.reserve(n_checks);
    for (Piece& piece : m_pieces) { // in order
        result.inputs += piece.inputs_run;
        result.slhdsa_verified += piece.slhdsa_verified;
        // Inputs after the first whose scripts fail do not matter any more. That input itself has deferred nothing.
        if (result.failure) continue;
        std::ranges::move(piece.staged, std::back_inserter(result.checks));
        result.failure = piece.failure;
    }
    return result;
}

/** Apply the verdict on a check. @param[in,out] failure  the first so far; replaced if the check is not valid and comes before it */
void ApplyVerdict(const slhdsa::SignatureCheck& check, slhdsa::Verdict verdict, SignatureCacheUse cache,
                  std::optional<BlockScriptFailure>& failure)
{
    if (verdict == slhdsa::Verdict::VALID) {
        if (cache.cache && cache.mode == SignatureCacheMode::STORE) cache.cache->Insert(AsSignedMessage(check));
        return;
    }
    const CheckOrigin origin{CheckOrigin::FromTicket(check.ticket)};
    const BlockScriptFailure found{.tx_index = static_cast<size_t>(origin.tag), .input = origin.input, .where = SLHDSAFailure(origin)};
    if (!failure || PlaceOf(*failure) >= PlaceOf(found)) failure = found;
}

} // namespace

BlockScriptResult VerifyBlockScripts(const CBlock& block, std::span<const CTxOut> spent_outputs, script_verify_flags flags,
                                     const std::shared_ptr<slhdsa::Verifier>& verifier, const BlockScriptOptions& options)
{
    if (const auto problem{CheckFlags(flags)}) throw std::invalid_argument{*problem};
    if (const size_t n_inputs{CountBlockInputs(block)}; spent_outputs.size() != n_inputs) {
        throw std::invalid_argument{"the block has " + std::to_string(n_inputs) + " inputs besides the coinbase's, but " +
                                    std::to_string(spent_outputs.size()) + " spent outputs were given"};
    }
    BlockScriptResult result;
    std::optional<StagedBlock> staged{BlockScriptRun{block, flags, *verifier, options}.Run(spent_outputs)};
    if (!staged) return result;
    result.inputs = staged->inputs;
    result.slhdsa_verified = staged->slhdsa_verified;

    slhdsa::Batch batch{verifier};
    const bool added{batch.Add(std::move(staged->checks))};
    assert(added); // nobody else knows it
    if (!slhdsa::HasVerdicts(batch.Verify())) return result;
    result.slhdsa_verified += batch.Size();
    result.failure = staged->failure;
    batch.ForEachVerdict([&](const slhdsa::SignatureCheck& check, slhdsa::Verdict verdict) {
        ApplyVerdict(check, verdict, options.cache, result.failure);
    });
    result.status = result.failure ? BlockScriptStatus::INVALID : BlockScriptStatus::VALID;
    return result;
}

} // namespace slhc
