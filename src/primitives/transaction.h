// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_PRIMITIVES_TRANSACTION_H
#define SLHCONSENSUS_PRIMITIVES_TRANSACTION_H

#include <primitives/amount.h>
#include <primitives/script.h>
#include <primitives/serialize.h>
#include <primitives/uint256.h>

#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace slhc {

/** An output of an earlier transaction, by transaction id and index. */
struct COutPoint {
    static constexpr uint32_t NULL_INDEX{0xffffffff};

    uint256 hash;
    uint32_t n{NULL_INDEX};

    /** True for the null outpoint, which a coinbase spends. */
    [[nodiscard]] bool IsNull() const noexcept { return hash.IsNull() && n == NULL_INDEX; }
    auto operator<=>(const COutPoint&) const noexcept = default;
};

/** The elements that a segregated witness puts on the stack, bottom first. */
struct CScriptWitness {
    std::vector<std::vector<uint8_t>> stack;

    [[nodiscard]] bool IsNull() const noexcept { return stack.empty(); }
    bool operator==(const CScriptWitness&) const = default;
};

struct CTxIn {
    //! As nSequence: the input is final, nLockTime doesn't apply to it.
    static constexpr uint32_t SEQUENCE_FINAL{0xffffffff};
    //! As nSequence: the largest that doesn't switch nLockTime off.
    static constexpr uint32_t MAX_SEQUENCE_NONFINAL{SEQUENCE_FINAL - 1};
    //! BIP 68: this bit set, nSequence is no relative lock time.
    static constexpr uint32_t SEQUENCE_LOCKTIME_DISABLE_FLAG{1U << 31};
    //! BIP 68: this bit set, the lock time is in units of 512 seconds, else in blocks.
    static constexpr uint32_t SEQUENCE_LOCKTIME_TYPE_FLAG{1U << 22};
    //! BIP 68: the bits that hold the lock time.
    static constexpr uint32_t SEQUENCE_LOCKTIME_MASK{0x0000ffff};

    COutPoint prevout;
    CScript scriptSig;
    uint32_t nSequence{SEQUENCE_FINAL};
    CScriptWitness scriptWitness; //!< serialized with the transaction, not with the input

    CTxIn() = default;
    explicit CTxIn(const COutPoint& prevout_in, CScript script_sig = {}, uint32_t sequence = SEQUENCE_FINAL)
        : prevout{prevout_in}, scriptSig{std::move(script_sig)}, nSequence{sequence} {}

    bool operator==(const CTxIn& other) const
    {
        return prevout == other.prevout && scriptSig == other.scriptSig && nSequence == other.nSequence;
    }
};

struct CTxOut {
    CAmount nValue{-1};
    CScript scriptPubKey;

    CTxOut() = default;
    CTxOut(CAmount value, CScript script_pub_key) : nValue{value}, scriptPubKey{std::move(script_pub_key)} {}

    bool operator==(const CTxOut&) const = default;
};

/** The two forms of a serialized transaction, with witnesses and without (BIP 144). */
enum class TxFormat {
    WITH_WITNESS,    //!< as on the network: the extended form if any input has a witness
    WITHOUT_WITNESS, //!< the bytes that the transaction id commits to
};

class CTransaction;

/** A transaction under construction. */
struct CMutableTransaction {
    std::vector<CTxIn> vin;
    std::vector<CTxOut> vout;
    uint32_t version{2};
    uint32_t nLockTime{0};

    CMutableTransaction() = default;
    explicit CMutableTransaction(const CTransaction& tx);

    [[nodiscard]] bool HasWitness() const noexcept;
    /** The transaction id, computed at each call. */
    [[nodiscard]] uint256 GetHash() const;
};

/** A transaction as it was received: it cannot change, and its ids are computed once. It is shared (CTransactionRef) or
 *  made in place, and never copied. */
class CTransaction
{
public:
    const std::vector<CTxIn> vin;
    const std::vector<CTxOut> vout;
    const uint32_t version;
    const uint32_t nLockTime;

    explicit CTransaction(CMutableTransaction tx);
    // With constant members, a move would be a copy.
    CTransaction(const CTransaction&) = delete;
    CTransaction& operator=(const CTransaction&) = delete;

    /** The transaction id (txid): double SHA-256 without witnesses. */
    [[nodiscard]] const uint256& GetHash() const noexcept { return m_hash; }
    /** The witness transaction id (wtxid): double SHA-256 of everything; the txid if there is no witness. */
    [[nodiscard]] const uint256& GetWitnessHash() const noexcept { return m_witness_hash; }
    [[nodiscard]] bool HasWitness() const noexcept { return m_has_witness; }
    [[nodiscard]] bool IsCoinBase() const noexcept { return vin.size() == 1 && vin[0].prevout.IsNull(); }

private:
    const bool m_has_witness;
    const uint256 m_hash;
    const uint256 m_witness_hash;
};

using CTransactionRef = std::shared_ptr<const CTransaction>;

template <ByteSink S>
void Serialize(S& sink, const COutPoint& outpoint)
{
    sink.write(outpoint.hash.Bytes());
    WriteU32(sink, outpoint.n);
}

/** Without the witness. */
template <ByteSink S>
void Serialize(S& sink, const CTxIn& txin)
{
    Serialize(sink, txin.prevout);
    WriteVarBytes(sink, txin.scriptSig);
    WriteU32(sink, txin.nSequence);
}

template <ByteSink S>
void Serialize(S& sink, const CTxOut& txout)
{
    WriteU64(sink, static_cast<uint64_t>(txout.nValue));
    WriteVarBytes(sink, txout.scriptPubKey);
}

/** The number of elements, then each with its size. */
template <ByteSink S>
void Serialize(S& sink, const CScriptWitness& witness)
{
    WriteCompactSize(sink, witness.stack.size());
    for (const auto& element : witness.stack) WriteVarBytes(sink, element);
}

/** A CTransaction or a CMutableTransaction. */
template <typename T>
concept TransactionLike = requires(const T& tx) { tx.vin; tx.vout; tx.version; tx.nLockTime; tx.HasWitness(); };

template <ByteSink S, TransactionLike T>
void Serialize(S& sink, const T& tx, TxFormat format = TxFormat::WITH_WITNESS)
{
    const bool extended{format == TxFormat::WITH_WITNESS && tx.HasWitness()};
    WriteU32(sink, tx.version);
    if (extended) {
        WriteU8(sink, 0); // marker: where an old parser expects the number of inputs
        WriteU8(sink, 1); // flags: witnesses follow the outputs
    }
    WriteCompactSize(sink, tx.vin.size());
    for (const auto& txin : tx.vin) Serialize(sink, txin);
    WriteCompactSize(sink, tx.vout.size());
    for (const auto& txout : tx.vout) Serialize(sink, txout);
    if (extended) {
        for (const auto& txin : tx.vin) Serialize(sink, txin.scriptWitness);
    }
    WriteU32(sink, tx.nLockTime);
}

/** The number of bytes that Serialize writes. */
template <typename... Args>
[[nodiscard]] size_t GetSerializeSize(const Args&... args)
{
    SizeComputer sizer;
    Serialize(sizer, args...);
    return sizer.Size();
}

/** The bytes that Serialize writes, as a vector. */
template <typename... Args>
[[nodiscard]] std::vector<uint8_t> SerializeToVector(const Args&... args)
{
    std::vector<uint8_t> bytes;
    bytes.reserve(GetSerializeSize(args...));
    VectorWriter writer{bytes};
    Serialize(writer, args...);
    return bytes;
}

/** Weight units for a byte outside of witnesses; a byte of a witness is one unit (BIP 141). */
inline constexpr int64_t WITNESS_SCALE_FACTOR{4};

/** Weight units of BIP 141: three times the size without witnesses, and the size with them. */
[[nodiscard]] int64_t GetTransactionWeight(const CTransaction& tx);

/** Read one transaction from where the reader stands, by Core's rules: the extended form only if some witness isn't empty, and no other
 *  flag.
 *  @throws ParseError */
[[nodiscard]] CMutableTransaction ReadTransaction(SpanReader& reader, TxFormat format = TxFormat::WITH_WITNESS);

/** Read one output from where the reader stands. @throws ParseError */
[[nodiscard]] CTxOut ReadTxOut(SpanReader& reader);

/** Parse a transaction that takes up all of the bytes. @throws ParseError, also for trailing bytes */
[[nodiscard]] CTransaction ParseTransaction(std::span<const uint8_t> bytes);

/** Parse an output that takes up all of the bytes. @throws ParseError, also for trailing bytes */
[[nodiscard]] CTxOut ParseTxOut(std::span<const uint8_t> bytes);

} // namespace slhc

#endif // SLHCONSENSUS_PRIMITIVES_TRANSACTION_H
