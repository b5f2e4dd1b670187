// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef BITCOIN_SLHDSA_PUBKEY_H
#define BITCOIN_SLHDSA_PUBKEY_H

#include <uint256.h>

#include <cstddef>
#include <span>

/** A public key of SLH-DSA-SHA2-128s (FIPS 205): PK.seed || PK.root. Every 32 bytes are one. Where SCRIPT_VERIFY_SLHDSA_SETS is set, 33 bytes
 *  can be a key of another parameter set: the number of the set, and then the key. */
class SLHDSAPubKey
{
private:
    uint256 m_keydata;
    unsigned char m_set;

public:
    static constexpr size_t SIZE{32};
    static constexpr size_t SIZE_WITH_SET{33};
    //! SLH-DSA-SHA2-128s; no other set that scripts know has larger signatures.
    static constexpr size_t SIGNATURE_SIZE{7856};

    struct ParameterSet {
        unsigned char number;
        size_t signature_size;
        const char* name;
    };
    /** The parameter sets that scripts know. */
    static constexpr ParameterSet SETS[]{{0, SIGNATURE_SIZE, "128s"}, {24, 3856, "128-24"}, {40, 5776, "128-q40"}};

    /** The size of the signatures of a parameter set, or 0 if scripts do not know its number. */
    static constexpr size_t SignatureSizeOfSet(unsigned char number)
    {
        for (const ParameterSet& set : SETS) {
            if (set.number == number) return set.signature_size;
        }
        return 0;
    }

    /** The parameter set whose signatures have the size of an element, with or without a hash type, or nullptr. */
    static constexpr const ParameterSet* SetOfSignature(std::span<const unsigned char> element)
    {
        for (const ParameterSet& set : SETS) {
            if (element.size() == set.signature_size || element.size() == set.signature_size + 1) return &set;
        }
        return nullptr;
    }

    /** True for 33 bytes that are a key of another parameter set. */
    static constexpr bool IsOfOtherSet(std::span<const unsigned char> bytes)
    {
        return bytes.size() == SIZE_WITH_SET && bytes[0] != 0 && SignatureSizeOfSet(bytes[0]) != 0;
    }

    /** Construct a public key from exactly 32 bytes, or from 33 for which IsOfOtherSet() is true. */
    constexpr explicit SLHDSAPubKey(std::span<const unsigned char> bytes)
        : m_keydata{bytes.last(SIZE)}, m_set{bytes.size() == SIZE ? static_cast<unsigned char>(0) : bytes[0]} {}

    //! The number of the parameter set; 0 is SLH-DSA-SHA2-128s.
    unsigned char Set() const { return m_set; }
    size_t SignatureSize() const { return SignatureSizeOfSet(m_set); }

    /** Verify a signature of sighash with slh_verify (FIPS 205, algorithm 24), with an empty context.
     *
     * A signature that does not have SignatureSize() bytes is invalid. */
    bool VerifySLHDSA(const uint256& sighash, std::span<const unsigned char> sig) const;

    //! Without the number of the set.
    const unsigned char* begin() const { return m_keydata.begin(); }
    const unsigned char* end() const { return m_keydata.end(); }
    const unsigned char* data() const { return m_keydata.begin(); }
    static constexpr size_t size() { return SIZE; }

    friend bool operator==(const SLHDSAPubKey&, const SLHDSAPubKey&) = default;
    friend bool operator<(const SLHDSAPubKey& a, const SLHDSAPubKey& b) { return a.m_set != b.m_set ? a.m_set < b.m_set : a.m_keydata < b.m_keydata; }
};

#endif // BITCOIN_SLHDSA_PUBKEY_H
