// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_WALLET_KEY_TYPE_H
#define SLHCONSENSUS_WALLET_KEY_TYPE_H

#include <pqc/slhdsa/params.h>

#include <cstddef>

namespace slhc::wallet {

/** The two kinds of keys whose signatures tapscript checks. Public keys of both have 32 bytes. */
enum class KeyType {
    SLHDSA,  //!< SLH-DSA-SHA2-128s: 64-byte secret
    SCHNORR, //!< BIP 340: 32-byte secret
};

/** Bytes of a signature without a hash type. */
[[nodiscard]] constexpr size_t SignatureSize(KeyType type) noexcept
{
    return type == KeyType::SLHDSA ? slhdsa::SIGNATURE_SIZE : 64;
}

} // namespace slhc::wallet

#endif // SLHCONSENSUS_WALLET_KEY_TYPE_H
