// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef BITCOIN_SLHDSA_PUBKEY_H
#define BITCOIN_SLHDSA_PUBKEY_H

#include <uint256.h>

#include <cstddef>
#include <span>

/** A public key of SLH-DSA-SHA2-128s (FIPS 205): PK.seed || PK.root. Every 32 bytes are one. */
class SLHDSAPubKey
{
private:
    uint256 m_keydata;

public:
    static constexpr size_t SIZE{32};
    static constexpr size_t SIGNATURE_SIZE{7856};

    /** Construct a public key from exactly 32 bytes. */
    constexpr explicit SLHDSAPubKey(std::span<const unsigned char> bytes) : m_keydata{bytes} {}

    /** Verify a signature of sighash with slh_verify (FIPS 205, algorithm 24), with an empty context.
     *
     * A signature that does not have SIGNATURE_SIZE bytes is invalid. */
    bool VerifySLHDSA(const uint256& sighash, std::span<const unsigned char> sig) const;

    const unsigned char* begin() const { return m_keydata.begin(); }
    const unsigned char* end() const { return m_keydata.end(); }
    const unsigned char* data() const { return m_keydata.begin(); }
    static constexpr size_t size() { return SIZE; }

    friend bool operator==(const SLHDSAPubKey&, const SLHDSAPubKey&) = default;
    friend bool operator<(const SLHDSAPubKey& a, const SLHDSAPubKey& b) { return a.m_keydata < b.m_keydata; }
};

#endif // BITCOIN_SLHDSA_PUBKEY_H
