// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_PQC_CPU_HASH_LAYOUT_H
#define SLHCONSENSUS_PQC_CPU_HASH_LAYOUT_H

#include <crypto/sha256.h>
#include <pqc/cpu/kernels.h>
#include <pqc/slhdsa/address.h>
#include <pqc/slhdsa/params.h>

#include <array>
#include <cstdint>

/** The layout of hashes for the kernels. */
namespace slhc::slhdsa::lanes {

/** An address, as the kernels need it (without its last two words, which vary along chains and paths), combined with the state after the
 *  block of PK.seed. */
[[nodiscard]] BlockPrefix MakeBlockPrefix(const sha256::State& seed_state, const ADRS& adrs) noexcept;

/** The blocks that T_l hashes after that of PK.seed, for l values: address, values, padding. */
template <size_t L>
class TMessage
{
    static constexpr size_t PADDED_AT{COMPRESSED_ADRS_SIZE + L * N};

public:
    static constexpr size_t BLOCKS{(PADDED_AT + 1 + 8 + 63) / 64};

    /** The padding, which is the same for every message. */
    TMessage() noexcept
    {
        m_bytes[PADDED_AT] = 0x80;
        WriteBE64(m_bytes.data() + m_bytes.size() - 8, 8 * (64 + PADDED_AT));
    }

    void SetAddress(const ADRS& adrs) noexcept
    {
        const auto c{adrs.Compressed()};
        std::copy(c.begin(), c.end(), m_bytes.begin());
    }

    [[nodiscard]] uint8_t* Value(size_t i) noexcept { return m_bytes.data() + COMPRESSED_ADRS_SIZE + i * N; }
    [[nodiscard]] const uint8_t* Blocks() const noexcept { return m_bytes.data(); }

private:
    std::array<uint8_t, 64 * BLOCKS> m_bytes{};
};

} // namespace slhc::slhdsa::lanes

#endif // SLHCONSENSUS_PQC_CPU_HASH_LAYOUT_H
