// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_PQC_CHECK_H
#define SLHCONSENSUS_PQC_CHECK_H

#include <pqc/slhdsa/message.h>
#include <pqc/slhdsa/params.h>

#include <array>
#include <compare>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

/** The check of one signature, from the opcode that asks for it to the verdict. */
namespace slhc::slhdsa {

/** Where a check comes from. Origins compare in the order in which a caller that verified everything at once would meet them: by tag, then
 *  input, then opcode position. */
struct CheckOrigin {
    uint64_t tag{0};                //!< the caller's, e.g. the transaction's index in its block
    std::array<uint8_t, 32> txid{}; //!< as hashed, i.e. the reverse of how it is displayed
    uint32_t input{0};              //!< index of the input
    uint32_t opcode_pos{0};         //!< of the opcode in its leaf script, counted in opcodes
    uint8_t opcode{0};              //!< the opcode at that position

    friend std::strong_ordering operator<=>(const CheckOrigin& a, const CheckOrigin& b)
    {
        if (const auto by_tag{a.tag <=> b.tag}; by_tag != 0) return by_tag;
        if (const auto by_input{a.input <=> b.input}; by_input != 0) return by_input;
        return a.opcode_pos <=> b.opcode_pos;
    }
    friend bool operator==(const CheckOrigin& a, const CheckOrigin& b) { return (a <=> b) == 0; }
};

/** Everything needed to verify one signature. A view: what it points to must outlive it. */
struct CheckView {
    const uint8_t* public_key; //!< PUBLIC_KEY_SIZE bytes, PK.seed || PK.root
    MessagePieces message;
    std::span<const uint8_t> signature; //!< invalid if its size is not SIGNATURE_SIZE
};

/** One check: a pure SLH-DSA-SHA2-128s signature with an empty context over a 32-byte message. It owns its data, is
 *  moved from the checker that makes it to the batch that keeps it, and is never copied. */
struct SignatureCheck {
    CheckOrigin origin;
    PublicKey public_key;
    std::array<uint8_t, 32> message;
    std::vector<uint8_t> signature;

    SignatureCheck(const CheckOrigin& origin_in, const PublicKey& public_key_in, const std::array<uint8_t, 32>& message_in,
                   std::vector<uint8_t>&& signature_in)
        : origin{origin_in}, public_key{public_key_in}, message{message_in}, signature{std::move(signature_in)}
    {
    }
    SignatureCheck(SignatureCheck&&) noexcept = default;
    SignatureCheck& operator=(SignatureCheck&&) noexcept = default;
    SignatureCheck(const SignatureCheck&) = delete;
    SignatureCheck& operator=(const SignatureCheck&) = delete;
    ~SignatureCheck() = default;

    [[nodiscard]] CheckView View() const noexcept
    {
        // An empty context is never too long.
        return {public_key.data(), *MessagePieces::Pure(message, {}), signature};
    }
};

/** What is known about a signature. */
enum class Verdict : uint8_t {
    NONE,    //!< not verified yet: says nothing
    INVALID,
    VALID,
};

} // namespace slhc::slhdsa

#endif // SLHCONSENSUS_PQC_CHECK_H
