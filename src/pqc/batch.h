// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_PQC_BATCH_H
#define SLHCONSENSUS_PQC_BATCH_H

#include <pqc/judge.h>
#include <pqc/slhdsa.h>
#include <pqc/verifier.h>

#include <array>
#include <compare>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace slhc::slhdsa {

/** Where a deferred signature check comes from. The order of two is the order in which a caller that verified
 *  everything at once would have met them: by tag, then input, then opcode position. */
struct BatchOrigin {
    uint64_t tag{0};                    //!< the caller's, e.g. the transaction's index in its block
    std::array<uint8_t, 32> txid{};     //!< as hashed, i.e. the reverse of how it is displayed
    uint32_t input{0};                  //!< index of the input
    uint32_t opcode_pos{0};             //!< index of the opcode in its leaf script, counted in opcodes

    friend std::strong_ordering operator<=>(const BatchOrigin& a, const BatchOrigin& b)
    {
        if (const auto by_tag{a.tag <=> b.tag}; by_tag != 0) return by_tag;
        if (const auto by_input{a.input <=> b.input}; by_input != 0) return by_input;
        return a.opcode_pos <=> b.opcode_pos;
    }
    friend bool operator==(const BatchOrigin& a, const BatchOrigin& b) { return (a <=> b) == 0; }
};

/** One deferred check: a pure SLH-DSA-SHA2-128s signature with an empty context over a 32-byte message. Owns all
 *  its data. */
struct BatchEntry {
    BatchOrigin origin;
    PublicKey public_key;
    std::array<uint8_t, 32> message;
    std::vector<uint8_t> signature; //!< moved in, never copied; any size but SIGNATURE_SIZE is invalid

    BatchEntry(const BatchOrigin& origin_in, const PublicKey& public_key_in, const std::array<uint8_t, 32>& message_in,
               std::vector<uint8_t>&& signature_in)
        : origin{origin_in}, public_key{public_key_in}, message{message_in}, signature{std::move(signature_in)}
    {
    }
    BatchEntry(BatchEntry&&) noexcept = default;
    BatchEntry& operator=(BatchEntry&&) noexcept = default;
    BatchEntry(const BatchEntry&) = delete;
    BatchEntry& operator=(const BatchEntry&) = delete;
    ~BatchEntry() = default;

    /** The check that this entry stands for, as a view of it; nothing if the signature's size makes it invalid. */
    [[nodiscard]] std::optional<Check> AsCheck() const;
};

/** What Batch::Verify says. */
enum class BatchResult {
    VALID,       //!< every entry verifies; so for an empty batch
    INVALID,     //!< at least one does not
    INTERRUPTED, //!< the thread pool was interrupted: nothing may be concluded, the batch is as before the call
};

/** A verdict and whose it is. */
struct BatchVerdict {
    BatchOrigin origin;
    Verdict verdict;
};

/** Signature checks that were put off, to be verified together.
 *
 *  A batch is open until it is verified: entries are added from any number of threads. Verify() closes it and gives
 *  every entry its verdict; from then on nothing can be added, and verifying again gives the same answer without
 *  computing anything. Clear() empties and opens it again. All functions may be called from any thread; no lock is
 *  held while signatures are verified. Destroying a batch that another thread still uses is the one thing forbidden. */
class Batch
{
public:
    explicit Batch(std::shared_ptr<Verifier> verifier);

    /** Add one entry, or all of several (or none, if it throws).
     *  @return false, and nothing is added or moved from, if the batch is being or has been verified */
    [[nodiscard]] bool Add(BatchEntry&& entry);
    [[nodiscard]] bool Add(std::vector<BatchEntry>&& entries);

    /** Verify every entry. If another thread is at it, its result is waited for.
     *  @throws std::bad_alloc; the batch is then as before the call */
    [[nodiscard]] BatchResult Verify();

    /** Empty the batch and open it.
     *  @return false if it is being verified: nothing is changed */
    [[nodiscard]] bool Clear();

    /** Whether entries can be added. */
    [[nodiscard]] bool IsOpen() const;
    [[nodiscard]] size_t Size() const;

    /** The lowest entry (by origin) that did not verify; nothing before Verify() or if there is none. */
    [[nodiscard]] std::optional<BatchOrigin> FirstFailure() const;

    /** The verdict of every entry, in the order in which they were added; NONE before Verify(). */
    [[nodiscard]] std::vector<BatchVerdict> Verdicts() const;

    /** One of these verdicts; nothing if index >= Size(). */
    [[nodiscard]] std::optional<BatchVerdict> VerdictAt(size_t index) const;

private:
    enum class State { OPEN, VERIFYING, VERIFIED };

    BatchResult ResultLocked() const;
    BatchVerdict VerdictLocked(size_t index) const;
    void WaitWhileVerifying(std::unique_lock<std::mutex>& lock) const;

    const std::shared_ptr<Verifier> m_verifier;
    mutable std::mutex m_mutex;
    mutable std::condition_variable m_verified; //!< the state is VERIFYING no more
    State m_state{State::OPEN};
    std::vector<BatchEntry> m_entries;          //!< not touched by others while VERIFYING
    std::vector<Verdict> m_verdicts;            //!< when VERIFIED, one for each entry
    std::optional<BatchOrigin> m_first_failure;
};

} // namespace slhc::slhdsa

#endif // SLHCONSENSUS_PQC_BATCH_H
