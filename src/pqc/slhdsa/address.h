// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_PQC_SLHDSA_ADDRESS_H
#define SLHCONSENSUS_PQC_SLHDSA_ADDRESS_H

#include <crypto/endian.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace slhc::slhdsa {

/** FIPS 205, section 4.2: the use of an address. The numbers are the standard's. */
enum class ADRSType : uint32_t {
    WOTS_HASH = 0,
    WOTS_PK = 1,
    TREE = 2,
    FORS_TREE = 3,
    FORS_ROOTS = 4,
    WOTS_PRF = 5,
    FORS_PRF = 6,
};

inline constexpr size_t ADRS_SIZE{32};
inline constexpr size_t COMPRESSED_ADRS_SIZE{22};

/** FIPS 205, sections 4.2 and 4.3: the address that makes every call of a hash function different from every
 *  other. 32 bytes: layer (4), tree (12), type (4), and three words whose meaning depends on the type:
 *
 *      type                | word 1           | word 2       | word 3
 *      WOTS_HASH, WOTS_PRF | key pair address | chain        | hash (0 for WOTS_PRF)
 *      WOTS_PK, FORS_ROOTS | key pair address | 0            | 0
 *      TREE                | 0                | tree height  | tree index
 *      FORS_TREE, FORS_PRF | key pair address | tree height (0 for FORS_PRF) | tree index
 *
 *  The member functions are those of table 1, by the standard's names. */
class ADRS
{
public:
    void setLayerAddress(uint32_t l) noexcept { SetWord(LAYER, l); }

    /** The field has 12 bytes; no index of a supported set needs more than the last 8. */
    void setTreeAddress(uint64_t t) noexcept { WriteBE64(m_bytes.data() + TREE_LOW, t); }

    void setTypeAndClear(ADRSType type) noexcept
    {
        SetWord(TYPE, static_cast<uint32_t>(type));
        std::fill(m_bytes.begin() + WORD1, m_bytes.end(), uint8_t{0});
    }

    void setKeyPairAddress(uint32_t i) noexcept { SetWord(WORD1, i); }
    void setChainAddress(uint32_t i) noexcept { SetWord(WORD2, i); }
    void setTreeHeight(uint32_t i) noexcept { SetWord(WORD2, i); }
    void setHashAddress(uint32_t i) noexcept { SetWord(WORD3, i); }
    void setTreeIndex(uint32_t i) noexcept { SetWord(WORD3, i); }
    [[nodiscard]] uint32_t getKeyPairAddress() const noexcept { return ReadBE32(m_bytes.data() + WORD1); }
    [[nodiscard]] uint32_t getTreeIndex() const noexcept { return ReadBE32(m_bytes.data() + WORD3); }

    [[nodiscard]] const std::array<uint8_t, ADRS_SIZE>& Bytes() const noexcept { return m_bytes; }

    /** ADRS^c of section 11.2: ADRS[3] || ADRS[8:16] || ADRS[19] || ADRS[20:32], what the SHA-2 functions hash. */
    [[nodiscard]] std::array<uint8_t, COMPRESSED_ADRS_SIZE> Compressed() const noexcept
    {
        std::array<uint8_t, COMPRESSED_ADRS_SIZE> c;
        c[0] = m_bytes[LAYER + 3];
        std::memcpy(&c[1], &m_bytes[TREE_LOW], 8);
        std::memcpy(&c[9], &m_bytes[TYPE + 3], 13); // the type's last byte and all that follows
        return c;
    }

private:
    static constexpr size_t LAYER{0};
    static constexpr size_t TREE_LOW{8}; //!< the last 8 of the 12 bytes that begin at 4
    static constexpr size_t TYPE{16};
    static constexpr size_t WORD1{20};
    static constexpr size_t WORD2{24};
    static constexpr size_t WORD3{28};

    std::array<uint8_t, ADRS_SIZE> m_bytes{};

    void SetWord(size_t at, uint32_t value) noexcept { WriteBE32(m_bytes.data() + at, value); }
};

} // namespace slhc::slhdsa

#endif // SLHCONSENSUS_PQC_SLHDSA_ADDRESS_H
