// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <wallet/psbt_fields.h>

#include <crypto/hash.h>
#include <crypto/ripemd160.h>
#include <primitives/amount.h>
#include <primitives/serialize.h>
#include <primitives/transaction.h>
#include <script/pubkey.h>
#include <script/script.h>
#include <util/counted.h>
#include <wallet/key_type.h>
#include <wallet/tap_tree.h>

#include <algorithm>
#include <array>

namespace slhc::wallet {
namespace {

using Bytes = std::span<const uint8_t>;

constexpr size_t HASH_SIZE{32}, XONLY_SIZE{32}, FINGERPRINT_SIZE{4}, PATH_ELEMENT_SIZE{4}, XPUB_SIZE{78}, XPUB_DEPTH{4};
constexpr size_t TAP_SIG_KEY_SIZE{XONLY_SIZE + HASH_SIZE};
//! DER, and the hash type
constexpr size_t MIN_ECDSA_SIGNATURE_SIZE{9}, MAX_ECDSA_SIGNATURE_SIZE{73};
constexpr size_t ANY_SIZE{SIZE_MAX};
constexpr const char* AMOUNT_ERROR{"an amount below 0 or above 21,000,000 bitcoin"};

/** The versions that may have a field. */
enum class Versions : uint8_t {
    ALL,
    ONLY_2,
    REQUIRED_0, //!< and no other has it
    REQUIRED_2, //!< likewise
    REQUIRED_2_ALSO_0,
};

std::string SizeError(std::string_view what, size_t size, const std::string& expected)
{
    return std::string{what} + " of " + Counted(size, "byte") + ", not " + expected;
}

template <size_t... SIZES>
std::string OneOfSizes(Bytes value)
{
    if (((value.size() == SIZES) || ...)) return "";
    std::string expected;
    ((expected += (expected.empty() ? "" : " or ") + std::to_string(SIZES)), ...);
    return SizeError("value", value.size(), expected);
}

std::string Anything(Bytes, Bytes)
{
    return "";
}
std::string U8(Bytes, Bytes value)
{
    return OneOfSizes<1>(value);
}
std::string U32(Bytes, Bytes value)
{
    return OneOfSizes<4>(value);
}
std::string Hash(Bytes, Bytes value)
{
    return OneOfSizes<HASH_SIZE>(value);
}

std::string Count(Bytes, Bytes value)
{
    SpanReader reader{value};
    (void)reader.ReadCompactSize("count");
    reader.ExpectEnd("count");
    return "";
}

std::string UnsignedTx(Bytes, Bytes value)
{
    SpanReader reader{value};
    const CMutableTransaction tx{ReadTransaction(reader, TxFormat::WITHOUT_WITNESS)};
    reader.ExpectEnd("transaction");
    if (!std::ranges::all_of(tx.vin, [](const CTxIn& txin) { return txin.scriptSig.empty(); })) {
        return "an input of the transaction has a scriptSig";
    }
    return std::ranges::all_of(tx.vout, [](const CTxOut& txout) { return MoneyRange(txout.nValue); }) ? "" : AMOUNT_ERROR;
}

std::string Tx(Bytes, Bytes value)
{
    (void)ParseTransaction(value);
    return "";
}

std::string TxOut(Bytes, Bytes value)
{
    return MoneyRange(ParseTxOut(value).nValue) ? "" : AMOUNT_ERROR;
}

std::string Amount(Bytes, Bytes value)
{
    if (auto error{OneOfSizes<8>(value)}; !error.empty()) return error;
    return MoneyRange(static_cast<CAmount>(ReadLE64(value.data()))) ? "" : AMOUNT_ERROR;
}

std::string Version(Bytes, Bytes value)
{
    if (auto error{U32({}, value)}; !error.empty()) return error;
    const uint32_t version{ReadLE32(value.data())};
    return version == 0 || version == 2 ? "" : "version " + std::to_string(version) + ", not 0 or 2";
}

std::string TimeLock(Bytes, Bytes value)
{
    if (auto error{U32({}, value)}; !error.empty()) return error;
    return ReadLE32(value.data()) >= LOCKTIME_THRESHOLD ? "" : "a time below " + std::to_string(LOCKTIME_THRESHOLD);
}

std::string HeightLock(Bytes, Bytes value)
{
    if (auto error{U32({}, value)}; !error.empty()) return error;
    const uint32_t height{ReadLE32(value.data())};
    return height > 0 && height < LOCKTIME_THRESHOLD ? "" : "a height that is 0, or not below " + std::to_string(LOCKTIME_THRESHOLD);
}

std::string PubKeyError(Bytes key)
{
    return CPubKey{key}.IsValid() ? "" : SizeError("public key", key.size(), "a compressed or uncompressed one");
}

std::string PartialSig(Bytes key, Bytes value)
{
    if (auto error{PubKeyError(key)}; !error.empty()) return error;
    if (value.size() >= MIN_ECDSA_SIGNATURE_SIZE && value.size() <= MAX_ECDSA_SIGNATURE_SIZE) return "";
    return SizeError("value", value.size(), std::to_string(MIN_ECDSA_SIGNATURE_SIZE) + " to " + std::to_string(MAX_ECDSA_SIGNATURE_SIZE));
}

/** A fingerprint and a path. */
std::string KeyOrigin(Bytes value)
{
    const bool right{value.size() >= FINGERPRINT_SIZE && value.size() % PATH_ELEMENT_SIZE == 0};
    return right ? "" : SizeError("key origin", value.size(), "4 and 4 for each step of the path");
}

std::string Bip32Derivation(Bytes key, Bytes value)
{
    if (auto error{PubKeyError(key)}; !error.empty()) return error;
    return KeyOrigin(value);
}

std::string XPub(Bytes key, Bytes value)
{
    if (auto error{KeyOrigin(value)}; !error.empty()) return error;
    const size_t steps{(value.size() - FINGERPRINT_SIZE) / PATH_ELEMENT_SIZE};
    return steps == key[XPUB_DEPTH] ? "" :
                                      "a path of " + std::to_string(steps) + " steps to a key of depth " + std::to_string(key[XPUB_DEPTH]);
}

std::string Witness(Bytes, Bytes value)
{
    SpanReader reader{value};
    const size_t count{reader.ReadCount(1, "witness element count")};
    for (size_t i = 0; i < count; ++i) (void)reader.ReadVarBytes("witness element");
    reader.ExpectEnd("witness");
    return "";
}

std::string PreimageError(Bytes key, Bytes digest)
{
    return std::ranges::equal(key, digest) ? "" : "the value is not a preimage of the hash in the key";
}

std::string Ripemd160Preimage(Bytes key, Bytes value)
{
    std::array<uint8_t, CRIPEMD160::OUTPUT_SIZE> digest;
    CRIPEMD160{}.Write(value).Finalize(digest);
    return PreimageError(key, digest);
}
std::string Sha256Preimage(Bytes key, Bytes value)
{
    return PreimageError(key, Sha256(value));
}
std::string Hash160Preimage(Bytes key, Bytes value)
{
    return PreimageError(key, Hash160(value));
}
std::string Hash256Preimage(Bytes key, Bytes value)
{
    return PreimageError(key, Hash256(value));
}

std::string SchnorrSig(Bytes, Bytes value)
{
    return OneOfSizes<SCHNORR_SIGNATURE_SIZE, SCHNORR_SIGNATURE_SIZE + 1>(value);
}
std::string SLHDSASig(Bytes key, Bytes value)
{
    if (key.size() != TAP_SIG_KEY_SIZE && key.size() != TAP_SIG_KEY_SIZE + 1) return SizeError("key data", key.size(), "64 or 65");
    const Bytes public_key{key.first(key.size() - HASH_SIZE)};
    if (!IsKey(KeyType::SLHDSA, public_key)) return KeySetProblem(public_key);
    const size_t size{SignatureSize(KeyType::SLHDSA, public_key)};
    if (value.size() == size || value.size() == size + 1) return "";
    const std::string name{slhdsa::ParameterSetName(*SetOfKey(public_key))};
    return SizeError("value", value.size(), std::to_string(size) + " or " + std::to_string(size + 1) + " (" + name + ")");
}

/** A path of at least one step: 33 bytes and more, for P2TR after the internal key, for P2MR after the first byte. */
std::string LeafScript(Bytes key, Bytes value)
{
    constexpr size_t BASE{1 + TAPROOT_CONTROL_NODE_SIZE};
    if (!ValidControlSize(key.size(), BASE)) return SizeError("control block", key.size(), "33 and 32 for each step of the path");
    return value.empty() ? "no leaf version" : "";
}

std::string TapBip32Derivation(Bytes, Bytes value)
{
    SpanReader reader{value};
    const size_t count{reader.ReadCount(HASH_SIZE, "number of leaf hashes")};
    (void)reader.ReadBytes(count * HASH_SIZE, "leaf hashes");
    return KeyOrigin(value.subspan(reader.Offset()));
}

std::string Tree(Bytes, Bytes value)
{
    CheckTapTree(value);
    return "";
}

struct Field {
    PSBTScope scope;
    uint64_t type;
    const char* name;
    Versions versions;
    size_t key_size;                                   //!< of the key data
    std::string (*check)(Bytes key_data, Bytes value); //!< may also throw ParseError
};

#define GLOBAL_FIELD(type) PSBTScope::GLOBAL, type, #type
#define INPUT_FIELD(type) PSBTScope::INPUT, type, #type
#define OUTPUT_FIELD(type) PSBTScope::OUTPUT, type, #type
constexpr Field FIELDS[]{
    {GLOBAL_FIELD(PSBT_GLOBAL_UNSIGNED_TX), Versions::REQUIRED_0, 0, UnsignedTx},
    {GLOBAL_FIELD(PSBT_GLOBAL_XPUB), Versions::ALL, XPUB_SIZE, XPub},
    {GLOBAL_FIELD(PSBT_GLOBAL_TX_VERSION), Versions::REQUIRED_2, 0, U32},
    {GLOBAL_FIELD(PSBT_GLOBAL_FALLBACK_LOCKTIME), Versions::ONLY_2, 0, U32},
    {GLOBAL_FIELD(PSBT_GLOBAL_INPUT_COUNT), Versions::REQUIRED_2, 0, Count},
    {GLOBAL_FIELD(PSBT_GLOBAL_OUTPUT_COUNT), Versions::REQUIRED_2, 0, Count},
    {GLOBAL_FIELD(PSBT_GLOBAL_TX_MODIFIABLE), Versions::ONLY_2, 0, U8},
    {GLOBAL_FIELD(PSBT_GLOBAL_VERSION), Versions::REQUIRED_2_ALSO_0, 0, Version},

    {INPUT_FIELD(PSBT_IN_NON_WITNESS_UTXO), Versions::ALL, 0, Tx},
    {INPUT_FIELD(PSBT_IN_WITNESS_UTXO), Versions::ALL, 0, TxOut},
    {INPUT_FIELD(PSBT_IN_PARTIAL_SIG), Versions::ALL, ANY_SIZE, PartialSig},
    {INPUT_FIELD(PSBT_IN_SIGHASH_TYPE), Versions::ALL, 0, U32},
    {INPUT_FIELD(PSBT_IN_REDEEM_SCRIPT), Versions::ALL, 0, Anything},
    {INPUT_FIELD(PSBT_IN_WITNESS_SCRIPT), Versions::ALL, 0, Anything},
    {INPUT_FIELD(PSBT_IN_BIP32_DERIVATION), Versions::ALL, ANY_SIZE, Bip32Derivation},
    {INPUT_FIELD(PSBT_IN_FINAL_SCRIPTSIG), Versions::ALL, 0, Anything},
    {INPUT_FIELD(PSBT_IN_FINAL_SCRIPTWITNESS), Versions::ALL, 0, Witness},
    {INPUT_FIELD(PSBT_IN_POR_COMMITMENT), Versions::ALL, 0, Anything},
    {INPUT_FIELD(PSBT_IN_RIPEMD160), Versions::ALL, CRIPEMD160::OUTPUT_SIZE, Ripemd160Preimage},
    {INPUT_FIELD(PSBT_IN_SHA256), Versions::ALL, HASH_SIZE, Sha256Preimage},
    {INPUT_FIELD(PSBT_IN_HASH160), Versions::ALL, CHash160::OUTPUT_SIZE, Hash160Preimage},
    {INPUT_FIELD(PSBT_IN_HASH256), Versions::ALL, HASH_SIZE, Hash256Preimage},
    {INPUT_FIELD(PSBT_IN_PREVIOUS_TXID), Versions::REQUIRED_2, 0, Hash},
    {INPUT_FIELD(PSBT_IN_OUTPUT_INDEX), Versions::REQUIRED_2, 0, U32},
    {INPUT_FIELD(PSBT_IN_SEQUENCE), Versions::ONLY_2, 0, U32},
    {INPUT_FIELD(PSBT_IN_REQUIRED_TIME_LOCKTIME), Versions::ONLY_2, 0, TimeLock},
    {INPUT_FIELD(PSBT_IN_REQUIRED_HEIGHT_LOCKTIME), Versions::ONLY_2, 0, HeightLock},
    {INPUT_FIELD(PSBT_IN_TAP_KEY_SIG), Versions::ALL, 0, SchnorrSig},
    {INPUT_FIELD(PSBT_IN_TAP_SCRIPT_SIG), Versions::ALL, TAP_SIG_KEY_SIZE, SchnorrSig},
    {INPUT_FIELD(PSBT_IN_TAP_LEAF_SCRIPT), Versions::ALL, ANY_SIZE, LeafScript},
    {INPUT_FIELD(PSBT_IN_TAP_BIP32_DERIVATION), Versions::ALL, XONLY_SIZE, TapBip32Derivation},
    {INPUT_FIELD(PSBT_IN_TAP_INTERNAL_KEY), Versions::ALL, 0, Hash},
    {INPUT_FIELD(PSBT_IN_TAP_MERKLE_ROOT), Versions::ALL, 0, Hash},

    {OUTPUT_FIELD(PSBT_OUT_REDEEM_SCRIPT), Versions::ALL, 0, Anything},
    {OUTPUT_FIELD(PSBT_OUT_WITNESS_SCRIPT), Versions::ALL, 0, Anything},
    {OUTPUT_FIELD(PSBT_OUT_BIP32_DERIVATION), Versions::ALL, ANY_SIZE, Bip32Derivation},
    {OUTPUT_FIELD(PSBT_OUT_AMOUNT), Versions::REQUIRED_2, 0, Amount},
    {OUTPUT_FIELD(PSBT_OUT_SCRIPT), Versions::REQUIRED_2, 0, Anything},
    {OUTPUT_FIELD(PSBT_OUT_TAP_INTERNAL_KEY), Versions::ALL, 0, Hash},
    {OUTPUT_FIELD(PSBT_OUT_TAP_TREE), Versions::ALL, 0, Tree},
    {OUTPUT_FIELD(PSBT_OUT_TAP_BIP32_DERIVATION), Versions::ALL, XONLY_SIZE, TapBip32Derivation},
};
#undef GLOBAL_FIELD
#undef INPUT_FIELD
#undef OUTPUT_FIELD

constexpr Field SLHDSA_SIG{PSBTScope::INPUT, PSBT_IN_SLHDSA_SIG, "SLH-DSA signature", Versions::ALL, ANY_SIZE, SLHDSASig};

/** Null for a type that is not known. */
const Field* FindField(PSBTScope scope, const PSBTKeyParts& key)
{
    if (key.slhdsa) return scope == SLHDSA_SIG.scope && key.type == SLHDSA_SIG.type ? &SLHDSA_SIG : nullptr;
    const auto* const found{
        std::ranges::find_if(FIELDS, [&](const Field& field) { return field.scope == scope && field.type == key.type; })};
    return found == std::end(FIELDS) ? nullptr : found;
}

} // namespace

std::vector<uint8_t> PSBTKey(uint64_t type, std::span<const uint8_t> key_data)
{
    std::vector<uint8_t> key;
    VectorWriter writer{key};
    WriteCompactSize(writer, type);
    writer.write(key_data);
    return key;
}

std::vector<uint8_t> PSBTSLHDSAKey(uint64_t subtype, std::span<const uint8_t> key_data)
{
    std::vector<uint8_t> key;
    VectorWriter writer{key};
    WriteCompactSize(writer, PSBT_PROPRIETARY);
    WriteCompactSize(writer, PSBT_SLHDSA_IDENTIFIER.size());
    key.insert(key.end(), PSBT_SLHDSA_IDENTIFIER.begin(), PSBT_SLHDSA_IDENTIFIER.end());
    WriteCompactSize(writer, subtype);
    writer.write(key_data);
    return key;
}

PSBTKeyParts PSBTKeyParts::Parse(std::span<const uint8_t> key)
{
    SpanReader reader{key};
    PSBTKeyParts parts{.type = reader.ReadCompactSize("type"), .data = {}};
    parts.data = key.subspan(reader.Offset());
    if (parts.type != PSBT_PROPRIETARY) return parts;
    const auto identifier{reader.ReadVarBytes("identifier of a proprietary type")};
    const uint64_t subtype{reader.ReadCompactSize("subtype of a proprietary type")};
    parts.slhdsa = std::ranges::equal(identifier, PSBT_SLHDSA_IDENTIFIER);
    if (parts.slhdsa) {
        parts.type = subtype;
        parts.data = key.subspan(reader.Offset());
    }
    return parts;
}

std::string PSBTFieldName(PSBTScope scope, const PSBTKeyParts& key)
{
    if (const Field* const field{FindField(scope, key)}) return field->name;
    if (key.slhdsa) return "unknown subtype " + std::to_string(key.type) + " of 'slhdsa'";
    if (key.type == PSBT_PROPRIETARY) return "proprietary type";
    return "unknown type " + std::to_string(key.type);
}

std::string PSBTFieldError(PSBTScope scope, uint32_t version, std::span<const uint8_t> key, std::span<const uint8_t> value)
{
    try {
        const PSBTKeyParts parts{PSBTKeyParts::Parse(key)};
        const Field* const field{FindField(scope, parts)};
        if (!field) return "";
        const bool only_2{field->versions == Versions::ONLY_2 || field->versions == Versions::REQUIRED_2};
        if (version == 0 && only_2) return "not allowed in version 0";
        if (version != 0 && field->versions == Versions::REQUIRED_0) return "not allowed in version 2";
        if (field->key_size != ANY_SIZE && parts.data.size() != field->key_size) {
            return SizeError("key data", parts.data.size(), std::to_string(field->key_size));
        }
        return field->check(parts.data, value);
    } catch (const ParseError& e) {
        return e.what();
    }
}

std::vector<uint64_t> RequiredPSBTTypes(PSBTScope scope, uint32_t version)
{
    std::vector<uint64_t> types;
    for (const Field& field : FIELDS) {
        const bool required{version == 0 ? field.versions == Versions::REQUIRED_0 :
                                           field.versions == Versions::REQUIRED_2 || field.versions == Versions::REQUIRED_2_ALSO_0};
        if (field.scope == scope && required) types.push_back(field.type);
    }
    return types;
}

} // namespace slhc::wallet
