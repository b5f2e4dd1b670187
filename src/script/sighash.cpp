// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <script/sighash.h>

#include <crypto/hash.h>
#include <util/check.h>

namespace slhc {

namespace {

/** The bits of a hash type that say NONE or SINGLE before taproot. All others but ANYONECANPAY are ignored, and hashed. */
constexpr int32_t LEGACY_OUTPUT_MASK{0x1f};

constexpr bool IsNone(int32_t hash_type) noexcept { return (hash_type & LEGACY_OUTPUT_MASK) == SIGHASH_NONE; }
constexpr bool IsSingle(int32_t hash_type) noexcept { return (hash_type & LEGACY_OUTPUT_MASK) == SIGHASH_SINGLE; }
constexpr bool IsAnyoneCanPay(int32_t hash_type) noexcept { return (hash_type & SIGHASH_ANYONECANPAY) != 0; }

/** SHA-256 of everything that write puts into the writer. */
template <typename F>
uint256 SHA256Of(F&& write)
{
    HashWriter writer;
    write(writer);
    return writer.GetSHA256();
}

uint256 SHA256OfHash(const uint256& hash)
{
    return SHA256Of([&](HashWriter& writer) { writer.write(hash.Bytes()); });
}

template <TransactionLike T>
uint256 PrevoutsSHA256(const T& tx)
{
    return SHA256Of([&](HashWriter& writer) { for (const auto& txin : tx.vin) Serialize(writer, txin.prevout); });
}

template <TransactionLike T>
uint256 SequencesSHA256(const T& tx)
{
    return SHA256Of([&](HashWriter& writer) { for (const auto& txin : tx.vin) WriteU32(writer, txin.nSequence); });
}

template <TransactionLike T>
uint256 OutputsSHA256(const T& tx)
{
    return SHA256Of([&](HashWriter& writer) { for (const auto& txout : tx.vout) Serialize(writer, txout); });
}

uint256 OutputSHA256(const CTxOut& txout)
{
    return SHA256Of([&](HashWriter& writer) { Serialize(writer, txout); });
}

/** True if an output has the form of a P2TR or a P2MR output. */
bool IsTaprootLike(const CScript& script_pub_key) noexcept
{
    return script_pub_key.IsPayToTaproot() || script_pub_key.IsPayToMerkleRoot();
}

/** The script code without its OP_CODESEPARATORs. If an instruction of it is cut off, the bytes after the place where decoding stopped are
 *  missing too, though the size in front counts them: it has always been hashed like this. */
void WriteScriptCode(HashWriter& writer, const CScript& script_code)
{
    opcodetype opcode;
    size_t separators{0};
    for (auto pc{script_code.begin()}; script_code.GetOp(pc, opcode);) {
        if (opcode == OP_CODESEPARATOR) ++separators;
    }
    WriteCompactSize(writer, script_code.size() - separators);

    auto piece{script_code.begin()};
    auto pc{script_code.begin()};
    while (script_code.GetOp(pc, opcode)) {
        if (opcode != OP_CODESEPARATOR) continue;
        writer.write({piece, pc - 1});
        piece = pc;
    }
    if (piece != script_code.end()) writer.write({piece, pc});
}

/** The transaction as an original signature sees it: other inputs without scripts, and, by hash type, without some
 *  inputs, sequences and outputs. */
template <TransactionLike T>
void WriteLegacyMessage(HashWriter& writer, const CScript& script_code, const T& tx, unsigned n_in, int32_t hash_type)
{
    const bool single{IsSingle(hash_type)};
    const bool none{IsNone(hash_type)};
    const auto write_input{[&](size_t i) {
        Serialize(writer, tx.vin[i].prevout);
        if (i == n_in) {
            WriteScriptCode(writer, script_code);
        } else {
            WriteCompactSize(writer, 0);
        }
        WriteU32(writer, i != n_in && (single || none) ? 0 : tx.vin[i].nSequence);
    }};

    WriteU32(writer, tx.version);
    if (IsAnyoneCanPay(hash_type)) {
        WriteCompactSize(writer, 1);
        write_input(n_in);
    } else {
        WriteCompactSize(writer, tx.vin.size());
        for (size_t i{0}; i < tx.vin.size(); ++i) write_input(i);
    }
    const size_t n_outputs{none ? 0 : single ? n_in + size_t{1} : tx.vout.size()};
    WriteCompactSize(writer, n_outputs);
    const CTxOut blank;
    for (size_t i{0}; i < n_outputs; ++i) Serialize(writer, single && i != n_in ? blank : tx.vout[i]);
    WriteU32(writer, tx.nLockTime);
}

/** BIP 143. */
template <TransactionLike T>
void WriteWitnessV0Message(HashWriter& writer, const CScript& script_code, const T& tx, unsigned n_in, int32_t hash_type, CAmount amount,
                           const PrecomputedTransactionData* cache)
{
    const bool ready{cache && cache->m_bip143_segwit_ready};
    const bool all_inputs{!IsAnyoneCanPay(hash_type)};
    const bool all_outputs{!IsSingle(hash_type) && !IsNone(hash_type)};
    uint256 prevouts;
    uint256 sequences;
    uint256 outputs;
    if (all_inputs) prevouts = ready ? cache->hashPrevouts : SHA256OfHash(PrevoutsSHA256(tx));
    if (all_inputs && all_outputs) sequences = ready ? cache->hashSequence : SHA256OfHash(SequencesSHA256(tx));
    if (all_outputs) {
        outputs = ready ? cache->hashOutputs : SHA256OfHash(OutputsSHA256(tx));
    } else if (IsSingle(hash_type) && n_in < tx.vout.size()) {
        outputs = SHA256OfHash(OutputSHA256(tx.vout[n_in]));
    }

    WriteU32(writer, tx.version);
    writer.write(prevouts.Bytes());
    writer.write(sequences.Bytes());
    Serialize(writer, tx.vin[n_in].prevout);
    WriteVarBytes(writer, script_code);
    WriteU64(writer, static_cast<uint64_t>(amount));
    WriteU32(writer, tx.vin[n_in].nSequence);
    writer.write(outputs.Bytes());
    WriteU32(writer, tx.nLockTime);
}

} // namespace

template <TransactionLike T>
void PrecomputedTransactionData::Init(const T& tx, std::vector<CTxOut>&& spent_outputs, bool force)
{
    assert(!m_spent_outputs_ready);
    m_spent_outputs = std::move(spent_outputs);
    if (!m_spent_outputs.empty()) {
        assert(m_spent_outputs.size() == tx.vin.size());
        m_spent_outputs_ready = true;
    }

    // An input with a witness that doesn't spend a P2TR or P2MR output may be a version 0 spend, native or wrapped in P2SH; a more exact
    // test would cost more than it saves.
    bool uses_bip143{force};
    bool uses_bip341{force};
    for (size_t i{0}; i < tx.vin.size() && !(uses_bip143 && uses_bip341); ++i) {
        if (tx.vin[i].scriptWitness.IsNull()) continue;
        if (m_spent_outputs_ready && IsTaprootLike(m_spent_outputs[i].scriptPubKey)) {
            uses_bip341 = true;
        } else {
            uses_bip143 = true;
        }
    }

    if (uses_bip143 || uses_bip341) {
        m_prevouts_single_hash = PrevoutsSHA256(tx);
        m_sequences_single_hash = SequencesSHA256(tx);
        m_outputs_single_hash = OutputsSHA256(tx);
    }
    if (uses_bip143) {
        hashPrevouts = SHA256OfHash(m_prevouts_single_hash);
        hashSequence = SHA256OfHash(m_sequences_single_hash);
        hashOutputs = SHA256OfHash(m_outputs_single_hash);
        m_bip143_segwit_ready = true;
    }
    if (uses_bip341 && m_spent_outputs_ready) {
        m_spent_amounts_single_hash = SHA256Of([&](HashWriter& writer) {
            for (const auto& txout : m_spent_outputs) WriteU64(writer, static_cast<uint64_t>(txout.nValue));
        });
        m_spent_scripts_single_hash = SHA256Of([&](HashWriter& writer) {
            for (const auto& txout : m_spent_outputs) WriteVarBytes(writer, txout.scriptPubKey);
        });
        m_bip341_taproot_ready = true;
    }
}

size_t SigHashCache::Index(int32_t hash_type) noexcept
{
    // No input mixes the two kinds of messages: an index for each kind isn't needed.
    return (IsAnyoneCanPay(hash_type) ? 3 : 0) + (IsSingle(hash_type) ? 2 : IsNone(hash_type) ? 1 : 0);
}

uint256 ComputeAnnexHash(std::span<const uint8_t> annex)
{
    HashWriter writer;
    WriteVarBytes(writer, annex);
    return writer.GetSHA256();
}

std::optional<HashWriter> SigHashCache::Load(int32_t hash_type, const CScript& script_code) const
{
    const auto& entry{m_entries[Index(hash_type)]};
    if (!entry || entry->first != script_code) return std::nullopt;
    return entry->second;
}

void SigHashCache::Store(int32_t hash_type, const CScript& script_code, const HashWriter& writer)
{
    m_entries[Index(hash_type)].emplace(script_code, writer);
}

template <TransactionLike T>
uint256 SignatureHash(const CScript& script_code, const T& tx, unsigned n_in, int32_t hash_type, CAmount amount, SigVersion sigversion,
                      const PrecomputedTransactionData* cache, SigHashCache* sighash_cache)
{
    assert(n_in < tx.vin.size());
    assert(sigversion == SigVersion::BASE || sigversion == SigVersion::WITNESS_V0);

    // The original algorithm signs the number one if SINGLE has no output to sign.
    if (sigversion == SigVersion::BASE && IsSingle(hash_type) && n_in >= tx.vout.size()) return uint256{uint8_t{1}};

    HashWriter writer;
    if (auto midstate{sighash_cache ? sighash_cache->Load(hash_type, script_code) : std::nullopt}) {
        writer = *midstate;
    } else {
        if (sigversion == SigVersion::WITNESS_V0) {
            WriteWitnessV0Message(writer, script_code, tx, n_in, hash_type, amount, cache);
        } else {
            WriteLegacyMessage(writer, script_code, tx, n_in, hash_type);
        }
        if (sighash_cache) sighash_cache->Store(hash_type, script_code, writer);
    }
    WriteU32(writer, static_cast<uint32_t>(hash_type));
    return writer.GetHash();
}

template <TransactionLike T>
std::optional<uint256> SignatureHashSchnorr(ScriptExecutionData& execdata, const T& tx, uint32_t n_in, uint8_t hash_type,
                                            SigVersion sigversion, const PrecomputedTransactionData& cache, KeyVersion key_version)
{
    static const CSHA256 s_tagged{TaggedHash("TapSighash")};
    static constexpr uint8_t EPOCH{0};
    assert(sigversion == SigVersion::TAPROOT || sigversion == SigVersion::TAPSCRIPT);
    assert(n_in < tx.vin.size());
    assert(execdata.m_annex_init);

    if (!cache.m_bip341_taproot_ready) return std::nullopt;
    if ((hash_type & ~(SIGHASH_OUTPUT_MASK | SIGHASH_INPUT_MASK)) != 0 || hash_type == SIGHASH_ANYONECANPAY) return std::nullopt;
    const uint8_t output_type{hash_type == SIGHASH_DEFAULT ? uint8_t{SIGHASH_ALL} : static_cast<uint8_t>(hash_type & SIGHASH_OUTPUT_MASK)};
    const bool anyone_can_pay{(hash_type & SIGHASH_INPUT_MASK) == SIGHASH_ANYONECANPAY};
    if (output_type == SIGHASH_SINGLE && n_in >= tx.vout.size()) return std::nullopt;
    const uint8_t ext_flag{sigversion == SigVersion::TAPSCRIPT ? uint8_t{1} : uint8_t{0}};

    HashWriter writer{s_tagged};
    WriteU8(writer, EPOCH);
    WriteU8(writer, hash_type);

    // The transaction
    WriteU32(writer, tx.version);
    WriteU32(writer, tx.nLockTime);
    if (!anyone_can_pay) {
        writer.write(cache.m_prevouts_single_hash.Bytes());
        writer.write(cache.m_spent_amounts_single_hash.Bytes());
        writer.write(cache.m_spent_scripts_single_hash.Bytes());
        writer.write(cache.m_sequences_single_hash.Bytes());
    }
    if (output_type == SIGHASH_ALL) writer.write(cache.m_outputs_single_hash.Bytes());

    // This input
    WriteU8(writer, static_cast<uint8_t>(2 * ext_flag + (execdata.m_annex_hash ? 1 : 0)));
    if (anyone_can_pay) {
        Serialize(writer, tx.vin[n_in].prevout);
        Serialize(writer, cache.m_spent_outputs[n_in]);
        WriteU32(writer, tx.vin[n_in].nSequence);
    } else {
        WriteU32(writer, n_in);
    }
    if (execdata.m_annex_hash) writer.write(execdata.m_annex_hash->Bytes());

    // Its output
    if (output_type == SIGHASH_SINGLE) {
        if (!execdata.m_output_hash) execdata.m_output_hash = OutputSHA256(tx.vout[n_in]);
        writer.write(execdata.m_output_hash->Bytes());
    }

    // Its script
    if (sigversion == SigVersion::TAPSCRIPT) {
        assert(execdata.m_tapleaf_hash);
        writer.write(execdata.m_tapleaf_hash->Bytes());
        WriteU8(writer, static_cast<uint8_t>(key_version)); // message-fields
        WriteU32(writer, execdata.m_codeseparator_pos);
    }
    return writer.GetSHA256();
}

template void PrecomputedTransactionData::Init(const CTransaction&, std::vector<CTxOut>&&, bool);
template void PrecomputedTransactionData::Init(const CMutableTransaction&, std::vector<CTxOut>&&, bool);
template uint256 SignatureHash(const CScript&, const CTransaction&, unsigned, int32_t, CAmount, SigVersion,
                               const PrecomputedTransactionData*, SigHashCache*);
template uint256 SignatureHash(const CScript&, const CMutableTransaction&, unsigned, int32_t, CAmount, SigVersion,
                               const PrecomputedTransactionData*, SigHashCache*);
template std::optional<uint256> SignatureHashSchnorr(ScriptExecutionData&, const CTransaction&, uint32_t, uint8_t, SigVersion,
                                                     const PrecomputedTransactionData&, KeyVersion);
template std::optional<uint256> SignatureHashSchnorr(ScriptExecutionData&, const CMutableTransaction&, uint32_t, uint8_t, SigVersion,
                                                     const PrecomputedTransactionData&, KeyVersion);

} // namespace slhc
