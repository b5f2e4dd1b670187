// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_CRYPTO_BLOCK_HASHER_H
#define SLHCONSENSUS_CRYPTO_BLOCK_HASHER_H

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace slhc {

/** The common part of this directory's Merkle-Damgard hashes: cutting a message into blocks, and the padding
 *  (a one bit, zeros, the length in bits). Derived provides
 *      static void Compress(State&, const uint8_t* blocks, size_t n_blocks);
 *      static void WriteLength(uint8_t* end_of_block, uint64_t n_bits);  // the last LENGTH_SIZE bytes of a zeroed field
 *      static void WriteState(const State&, uint8_t* out);
 *  Messages may have up to 2^61 - 1 bytes. */
template <typename Derived, typename State, size_t BLOCK_BYTES, size_t LENGTH_BYTES, size_t OUTPUT_BYTES>
class BlockHasher
{
public:
    static constexpr size_t BLOCK_SIZE{BLOCK_BYTES};
    static constexpr size_t OUTPUT_SIZE{OUTPUT_BYTES};

    /** The state between two blocks. A hash can be continued from here any number of times, which saves work when many messages begin
     *  alike. */
    struct Midstate {
        State state;
        uint64_t bytes{0}; //!< bytes hashed so far, a multiple of BLOCK_SIZE
    };

    explicit BlockHasher(const Midstate& midstate) noexcept : m_state{midstate.state}, m_bytes{midstate.bytes} {}

    Derived& Write(const uint8_t* data, size_t size) noexcept
    {
        const size_t fill{static_cast<size_t>(m_bytes % BLOCK_SIZE)};
        m_bytes += size;
        if (fill > 0) {
            const size_t take{std::min(size, BLOCK_SIZE - fill)};
            if (take > 0) std::memcpy(m_buffer.data() + fill, data, take);
            if (fill + take < BLOCK_SIZE) return Self();
            Derived::Compress(m_state, m_buffer.data(), 1);
            data += take;
            size -= take;
        }
        if (const size_t blocks{size / BLOCK_SIZE}; blocks > 0) {
            Derived::Compress(m_state, data, blocks);
            data += blocks * BLOCK_SIZE;
            size -= blocks * BLOCK_SIZE;
        }
        if (size > 0) std::memcpy(m_buffer.data(), data, size);
        return Self();
    }

    Derived& Write(std::span<const uint8_t> data) noexcept { return Write(data.data(), data.size()); }

    /** Pad, and write OUTPUT_SIZE bytes. The object cannot be used afterwards, unless it is assigned to. */
    void Finalize(uint8_t* out) noexcept
    {
        size_t fill{static_cast<size_t>(m_bytes % BLOCK_SIZE)};
        m_buffer[fill++] = 0x80;
        if (fill > BLOCK_SIZE - LENGTH_BYTES) {
            std::memset(m_buffer.data() + fill, 0, BLOCK_SIZE - fill);
            Derived::Compress(m_state, m_buffer.data(), 1);
            fill = 0;
        }
        std::memset(m_buffer.data() + fill, 0, BLOCK_SIZE - fill);
        Derived::WriteLength(m_buffer.data() + BLOCK_SIZE, m_bytes * 8);
        Derived::Compress(m_state, m_buffer.data(), 1);
        Derived::WriteState(m_state, out);
    }

    void Finalize(std::span<uint8_t, OUTPUT_SIZE> out) noexcept { Finalize(out.data()); }

    [[nodiscard]] std::array<uint8_t, OUTPUT_SIZE> Digest() noexcept
    {
        std::array<uint8_t, OUTPUT_SIZE> digest;
        Finalize(digest.data());
        return digest;
    }

    /** @pre what was written so far is a whole number of blocks */
    [[nodiscard]] Midstate GetMidstate() const noexcept { return {m_state, m_bytes}; }

    /** Bytes written so far. */
    [[nodiscard]] uint64_t Size() const noexcept { return m_bytes; }

private:
    State m_state;
    uint64_t m_bytes;
    std::array<uint8_t, BLOCK_SIZE> m_buffer;

    Derived& Self() noexcept { return static_cast<Derived&>(*this); }
};

} // namespace slhc

#endif // SLHCONSENSUS_CRYPTO_BLOCK_HASHER_H
