// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_SCRIPT_SIGHASH_H
#define SLHCONSENSUS_SCRIPT_SIGHASH_H

#include <primitives/serialize.h>
#include <primitives/transaction.h>
#include <script/script.h>

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

/** The messages that signatures sign: legacy, BIP 143, BIP 341 and 342. */
namespace slhc {

/** Hash types, which choose the parts of the transaction that a signature commits to. */
enum : uint8_t {
    SIGHASH_DEFAULT = 0, //!< taproot and later, when the byte is omitted: like ALL
    SIGHASH_ALL = 1,
    SIGHASH_NONE = 2,
    SIGHASH_SINGLE = 3,
    SIGHASH_ANYONECANPAY = 0x80,

    SIGHASH_OUTPUT_MASK = 3,
    SIGHASH_INPUT_MASK = 0x80,
};

/** The rules that a script, or a key path spend, follows. */
enum class SigVersion {
    BASE,       //!< scriptSig, scriptPubKey and P2SH redeem scripts
    WITNESS_V0, //!< BIP 141 and 143
    TAPROOT,    //!< key path of BIP 341: no script
    TAPSCRIPT,  //!< BIP 342: leaf version 0xc0 of P2TR and P2MR
};

/** The key_version byte of BIP 342's signature message. */
enum class KeyVersion : uint8_t {
    BIP340 = 0x00,
    // 0x01 is BIP 118's
    SLHDSA = 0x02,
    SLHDSA_SETS = 0x03, //!< keys of other parameter sets
};

/** The state of a leaf script's execution, or of a key path spend, besides the stack. */
struct ScriptExecutionData {
    //! TapLeaf hash of the script.
    std::optional<uint256> m_tapleaf_hash;
    //! Position, in opcodes, of the last OP_CODESEPARATOR executed; EvalScript sets it.
    uint32_t m_codeseparator_pos{0xffffffff};
    //! The instruction that runs now, and its position in opcodes; EvalScript sets both.
    uint32_t m_opcode_pos{0};
    opcodetype m_opcode{OP_INVALIDOPCODE};
    //! True once it is known whether there is an annex.
    bool m_annex_init{false};
    //! SHA-256 of the annex with its size in front; nothing if there is none.
    std::optional<uint256> m_annex_hash;
    //! The remaining validation weight (BIP 342).
    std::optional<int64_t> m_validation_weight_left;
    //! SHA-256 of the output that SIGHASH_SINGLE commits to, once known: it is the same for all of an input's signatures, and hashing it
    //! each time would let a script make the work quadratic.
    std::optional<uint256> m_output_hash;
};

/** The part of an annex that signatures commit to (BIP 341): its SHA-256 with its size in front. @param[in] annex  0x50 first */
[[nodiscard]] uint256 ComputeAnnexHash(std::span<const uint8_t> annex);

/** Hashes over the whole transaction that its inputs' signature messages share. */
struct PrecomputedTransactionData {
    // BIP 341: single SHA-256
    uint256 m_prevouts_single_hash;
    uint256 m_sequences_single_hash;
    uint256 m_outputs_single_hash;
    uint256 m_spent_amounts_single_hash;
    uint256 m_spent_scripts_single_hash;
    bool m_bip341_taproot_ready{false}; //!< the five above are computed, and m_spent_outputs_ready

    // BIP 143: double SHA-256
    uint256 hashPrevouts;
    uint256 hashSequence;
    uint256 hashOutputs;
    bool m_bip143_segwit_ready{false}; //!< the three above are computed

    std::vector<CTxOut> m_spent_outputs;
    bool m_spent_outputs_ready{false}; //!< m_spent_outputs has one output for each input

    PrecomputedTransactionData() = default;
    /** Without spent outputs, and so without the hashes that taproot needs. */
    template <TransactionLike T>
    explicit PrecomputedTransactionData(const T& tx) { Init(tx, {}); }
    /** See Init. */
    template <TransactionLike T>
    PrecomputedTransactionData(const T& tx, std::vector<CTxOut>&& spent_outputs, bool force = false)
    {
        Init(tx, std::move(spent_outputs), force);
    }

    /** Compute the hashes that the inputs of tx may need. Call it once.
     *  @param[in] spent_outputs  the outputs that the inputs spend, in order; or empty, if unknown
     *  @param[in] force          compute everything, even if no input seems to need it (for signing) */
    template <TransactionLike T>
    void Init(const T& tx, std::vector<CTxOut>&& spent_outputs, bool force = false);
};

/** SHA-256 midstates of an input's ECDSA signature messages: with them, OP_CHECKMULTISIG with many keys, or a script with many checks,
 *  hashes the transaction once for each kind of hash type, not once for each signature. */
class SigHashCache
{
public:
    /** The midstate just before the hash type is hashed, if it was stored. */
    [[nodiscard]] std::optional<HashWriter> Load(int32_t hash_type, const CScript& script_code) const;
    void Store(int32_t hash_type, const CScript& script_code, const HashWriter& writer);

private:
    //! One for each of ALL, NONE and SINGLE, with and without ANYONECANPAY.
    std::array<std::optional<std::pair<CScript, HashWriter>>, 6> m_entries;

    static size_t Index(int32_t hash_type) noexcept;
};

/** The hash that an ECDSA signature signs: BIP 143's for WITNESS_V0, else the original one with all its quirks.
 *  @param[in] hash_type   any value: all its bits are hashed, but few have a meaning
 *  @param[in] amount      of the output spent; used only by BIP 143
 *  @param[in] cache       of this transaction, may be null
 *  @param[in] sighash_cache  of this input, may be null
 *  @pre n_in < tx.vin.size() */
template <TransactionLike T>
[[nodiscard]] uint256 SignatureHash(const CScript& script_code, const T& tx, unsigned n_in, int32_t hash_type, CAmount amount,
                                    SigVersion sigversion, const PrecomputedTransactionData* cache = nullptr,
                                    SigHashCache* sighash_cache = nullptr);

/** The hash that a BIP 340 or SLH-DSA signature signs: BIP 341's common signature message, for TAPSCRIPT with
 *  BIP 342's extension.
 *  @param[in,out] execdata  tapleaf hash (TAPSCRIPT), annex and code separator position; keeps the output's hash
 *  @param[in] key_version   used only for TAPSCRIPT
 *  @return nothing if the hash type is undefined, if it is SINGLE without a matching output, or if cache lacks the spent outputs
 *  @pre n_in < tx.vin.size(); sigversion is TAPROOT or TAPSCRIPT; execdata's m_annex_init is set */
template <TransactionLike T>
[[nodiscard]] std::optional<uint256> SignatureHashSchnorr(ScriptExecutionData& execdata, const T& tx, uint32_t n_in, uint8_t hash_type,
                                                          SigVersion sigversion, const PrecomputedTransactionData& cache,
                                                          KeyVersion key_version = KeyVersion::BIP340);

} // namespace slhc

#endif // SLHCONSENSUS_SCRIPT_SIGHASH_H
