// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_WALLET_PSBT_FIELDS_H
#define SLHCONSENSUS_WALLET_PSBT_FIELDS_H

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/** The fields of partially signed transactions: BIP 174, BIP 370 (version 2), BIP 371 (taproot), and the proprietary one of doc/psbt.md. */
namespace slhc::wallet {

/** The three kinds of maps of a PSBT. */
enum class PSBTScope { GLOBAL, INPUT, OUTPUT };

// Names and numbers are the BIPs'.

enum PSBTGlobalType : uint64_t {
    PSBT_GLOBAL_UNSIGNED_TX = 0x00,
    PSBT_GLOBAL_XPUB = 0x01,
    PSBT_GLOBAL_TX_VERSION = 0x02,
    PSBT_GLOBAL_FALLBACK_LOCKTIME = 0x03,
    PSBT_GLOBAL_INPUT_COUNT = 0x04,
    PSBT_GLOBAL_OUTPUT_COUNT = 0x05,
    PSBT_GLOBAL_TX_MODIFIABLE = 0x06,
    PSBT_GLOBAL_VERSION = 0xfb,
};

enum PSBTInputType : uint64_t {
    PSBT_IN_NON_WITNESS_UTXO = 0x00,
    PSBT_IN_WITNESS_UTXO = 0x01,
    PSBT_IN_PARTIAL_SIG = 0x02,
    PSBT_IN_SIGHASH_TYPE = 0x03,
    PSBT_IN_REDEEM_SCRIPT = 0x04,
    PSBT_IN_WITNESS_SCRIPT = 0x05,
    PSBT_IN_BIP32_DERIVATION = 0x06,
    PSBT_IN_FINAL_SCRIPTSIG = 0x07,
    PSBT_IN_FINAL_SCRIPTWITNESS = 0x08,
    PSBT_IN_POR_COMMITMENT = 0x09,
    PSBT_IN_RIPEMD160 = 0x0a,
    PSBT_IN_SHA256 = 0x0b,
    PSBT_IN_HASH160 = 0x0c,
    PSBT_IN_HASH256 = 0x0d,
    PSBT_IN_PREVIOUS_TXID = 0x0e,
    PSBT_IN_OUTPUT_INDEX = 0x0f,
    PSBT_IN_SEQUENCE = 0x10,
    PSBT_IN_REQUIRED_TIME_LOCKTIME = 0x11,
    PSBT_IN_REQUIRED_HEIGHT_LOCKTIME = 0x12,
    PSBT_IN_TAP_KEY_SIG = 0x13,
    PSBT_IN_TAP_SCRIPT_SIG = 0x14,
    PSBT_IN_TAP_LEAF_SCRIPT = 0x15,
    PSBT_IN_TAP_BIP32_DERIVATION = 0x16,
    PSBT_IN_TAP_INTERNAL_KEY = 0x17,
    PSBT_IN_TAP_MERKLE_ROOT = 0x18,
};

enum PSBTOutputType : uint64_t {
    PSBT_OUT_REDEEM_SCRIPT = 0x00,
    PSBT_OUT_WITNESS_SCRIPT = 0x01,
    PSBT_OUT_BIP32_DERIVATION = 0x02,
    PSBT_OUT_AMOUNT = 0x03,
    PSBT_OUT_SCRIPT = 0x04,
    PSBT_OUT_TAP_INTERNAL_KEY = 0x05,
    PSBT_OUT_TAP_TREE = 0x06,
    PSBT_OUT_TAP_BIP32_DERIVATION = 0x07,
};

/** In every map: what belongs to one project, under its identifier. */
inline constexpr uint64_t PSBT_PROPRIETARY{0xfc};
/** Ours. */
inline constexpr std::string_view PSBT_SLHDSA_IDENTIFIER{"slhdsa"};
/** Of ours, in inputs: a signature for a leaf. Key data: public key (32 bytes, or 33 of another parameter set than 128s), TapLeaf
 *  hash (32 bytes); value: the signature, with its hash type unless that is SIGHASH_DEFAULT. What BIP 371's PSBT_IN_TAP_SCRIPT_SIG is to
 *  BIP 340, where only 64 or 65 bytes fit. */
inline constexpr uint64_t PSBT_IN_SLHDSA_SIG{0x00};

/** The bits of PSBT_GLOBAL_TX_MODIFIABLE. */
enum PSBTModifiable : uint8_t {
    PSBT_INPUTS_MODIFIABLE = 1,
    PSBT_OUTPUTS_MODIFIABLE = 2,
    PSBT_HAS_SIGHASH_SINGLE = 4,
};

/** A key of a map: the type as a compact size, then the key data. */
[[nodiscard]] std::vector<uint8_t> PSBTKey(uint64_t type, std::span<const uint8_t> key_data = {});
/** A key of a proprietary field of this project. */
[[nodiscard]] std::vector<uint8_t> PSBTSLHDSAKey(uint64_t subtype, std::span<const uint8_t> key_data);

/** The parts of a key. */
struct PSBTKeyParts {
    uint64_t type;
    std::span<const uint8_t> data; //!< of a field of ours, what comes after the subtype
    bool slhdsa{false};            //!< a proprietary field of this project: `type` is its subtype

    /** @throws ParseError if the type, or the structure of a proprietary key, cannot be read */
    static PSBTKeyParts Parse(std::span<const uint8_t> key);
};

/** "PSBT_IN_WITNESS_UTXO"; of a field that is not known: "unknown type 0x99". */
[[nodiscard]] std::string PSBTFieldName(PSBTScope scope, const PSBTKeyParts& key);

/** Why a PSBT of this version cannot have such a field; empty if it can. A field of an unknown type can hold anything.
 *  @param[in] key  not empty */
[[nodiscard]] std::string PSBTFieldError(PSBTScope scope, uint32_t version, std::span<const uint8_t> key, std::span<const uint8_t> value);

/** The types that every map of this scope must have in a PSBT of this version. */
[[nodiscard]] std::vector<uint64_t> RequiredPSBTTypes(PSBTScope scope, uint32_t version);

} // namespace slhc::wallet

#endif // SLHCONSENSUS_WALLET_PSBT_FIELDS_H
