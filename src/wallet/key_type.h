// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_WALLET_KEY_TYPE_H
#define SLHCONSENSUS_WALLET_KEY_TYPE_H

#include <pqc/slhdsa/params.h>
#include <script/sighash.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

/** Keys whose signatures tapscript checks. A public key here is as a script has it: 32 bytes, or 33 of an SLH-DSA key of another parameter
 *  set than 128s, the first of which is the number of the set (SLHDSAPubKey). */
namespace slhc::wallet {

enum class KeyType {
    SLHDSA,  //!< 64-byte secret
    SCHNORR, //!< BIP 340: 32-byte secret
};

//! Without a hash type
inline constexpr size_t SCHNORR_SIGNATURE_SIZE{64};

/** The set of an SLH-DSA key; nothing if it is of none that scripts know. */
[[nodiscard]] std::optional<slhdsa::ParameterSet> SetOfKey(std::span<const uint8_t> public_key);
/** Can a script have such a key of this type? */
[[nodiscard]] bool IsKey(KeyType type, std::span<const uint8_t> public_key);
/** Why 33 bytes are no SLH-DSA key. */
[[nodiscard]] std::string KeySetProblem(std::span<const uint8_t> public_key);

/** Bytes of a signature without a hash type. @pre IsKey(type, public_key) */
[[nodiscard]] size_t SignatureSize(KeyType type, std::span<const uint8_t> public_key);
/** The key version in the signature message. @pre IsKey(type, public_key) */
[[nodiscard]] KeyVersion KeyVersionOf(KeyType type, std::span<const uint8_t> public_key);
/** "3856 (128-24)": the size of a set's signatures, and the set if it is not 128s. */
[[nodiscard]] std::string DescribeSignatureSize(KeyType type, std::span<const uint8_t> public_key);
/** The set that scripts know whose signatures have this size, or this without a hash type. */
[[nodiscard]] std::optional<slhdsa::ParameterSet> SetOfSignature(size_t size);

/** "schnorr-bip340", or "slh-dsa-sha2-" and the name of the set. */
[[nodiscard]] std::string KeyTypeName(KeyType type, slhdsa::ParameterSet set);
/** @pre IsKey(type, public_key) */
[[nodiscard]] std::string KeyTypeName(KeyType type, std::span<const uint8_t> public_key);

} // namespace slhc::wallet

#endif // SLHCONSENSUS_WALLET_KEY_TYPE_H
