// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_SCRIPT_SIG_ENCODING_H
#define SLHCONSENSUS_SCRIPT_SIG_ENCODING_H

#include <script/script_error.h>
#include <script/sighash.h>
#include <script/verify_flags.h>

#include <cstdint>
#include <span>

/** The flags' requirements on the encoding of ECDSA signatures and their keys. */
namespace slhc {

/** True if a signature with its hash type is strict DER (BIP 66). */
[[nodiscard]] bool IsValidSignatureEncoding(std::span<const uint8_t> sig) noexcept;

/** SCRIPT_ERR_OK, or which of DERSIG, LOW_S and STRICTENC the signature violates. An empty signature violates none of them: it is the short
 *  form of an invalid signature. */
[[nodiscard]] ScriptError CheckSignatureEncoding(std::span<const uint8_t> sig, script_verify_flags flags);

/** SCRIPT_ERR_OK, or which of STRICTENC and WITNESS_PUBKEYTYPE the key violates. */
[[nodiscard]] ScriptError CheckPubKeyEncoding(std::span<const uint8_t> pubkey, script_verify_flags flags, SigVersion sigversion) noexcept;

} // namespace slhc

#endif // SLHCONSENSUS_SCRIPT_SIG_ENCODING_H
