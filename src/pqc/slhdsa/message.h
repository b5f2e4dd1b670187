// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_PQC_SLHDSA_MESSAGE_H
#define SLHCONSENSUS_PQC_SLHDSA_MESSAGE_H

#include <pqc/slhdsa/params.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace slhc::slhdsa {

/** A message as it enters H_msg, M' in FIPS 205, in pieces, so that nothing needs to be copied together. A view: the pieces must outlive
 *  it. */
class MessagePieces
{
public:
    /** The message of the internal interface (algorithms 19 and 20), hashed as it is. */
    [[nodiscard]] static MessagePieces Internal(std::span<const uint8_t> m) noexcept { return {{}, 0, {}, m}; }

    /** M' of pure SLH-DSA (algorithms 22 and 24): toByte(0, 1) || toByte(|ctx|, 1) || ctx || m.
     *  @return nothing if ctx has more than 255 bytes */
    [[nodiscard]] static std::optional<MessagePieces> Pure(std::span<const uint8_t> m, std::span<const uint8_t> ctx) noexcept
    {
        if (ctx.size() > MAX_CONTEXT_SIZE) return std::nullopt;
        return MessagePieces{{0, static_cast<uint8_t>(ctx.size())}, 2, ctx, m};
    }

    /** Hash all of it. */
    template <typename Hasher>
    void WriteTo(Hasher& hasher) const
    {
        hasher.Write(Header());
        hasher.Write(m_ctx);
        hasher.Write(m_body);
    }

    [[nodiscard]] std::span<const uint8_t> Header() const noexcept { return std::span{m_header}.first(m_header_size); }
    [[nodiscard]] std::span<const uint8_t> Context() const noexcept { return m_ctx; }
    [[nodiscard]] std::span<const uint8_t> Body() const noexcept { return m_body; }

private:
    MessagePieces(std::array<uint8_t, 2> header, size_t header_size, std::span<const uint8_t> ctx, std::span<const uint8_t> body) noexcept
        : m_header{header}, m_header_size{header_size}, m_ctx{ctx}, m_body{body}
    {
    }

    std::array<uint8_t, 2> m_header; //!< domain separator and context length
    size_t m_header_size;            //!< 0 for the internal interface
    std::span<const uint8_t> m_ctx;
    std::span<const uint8_t> m_body;
};

} // namespace slhc::slhdsa

#endif // SLHCONSENSUS_PQC_SLHDSA_MESSAGE_H
