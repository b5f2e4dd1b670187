// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_PQC_CHECK_H
#define SLHCONSENSUS_PQC_CHECK_H

#include <pqc/slhdsa/message.h>
#include <pqc/slhdsa/params.h>

#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

/** The check of one signature, from the caller to the verdict. */
namespace slhc::slhdsa {

/** The caller's mark on a check, by which it recognizes the check; its meaning is the caller's business. The first failure among several is
 *  the one with the lowest ticket. */
using Ticket = std::array<uint64_t, 3>;

/** Everything needed to verify one signature. A view: what it points to must outlive it. */
struct CheckView {
    const uint8_t* public_key; //!< PUBLIC_KEY_SIZE bytes, PK.seed || PK.root
    MessagePieces message;
    std::span<const uint8_t> signature; //!< invalid if its size is not that of the set's signatures
    ParameterSet set{ParameterSet::SHA2_128S};
};

/** One check: a pure SLH-DSA signature with an empty context over a 32-byte message. It owns its data, is moved from its maker to
 *  the batch that keeps it, and is never copied. */
struct SignatureCheck {
    Ticket ticket;
    PublicKey public_key;
    std::array<uint8_t, 32> message;
    std::vector<uint8_t> signature;
    ParameterSet set;

    SignatureCheck(const Ticket& ticket_in, const PublicKey& public_key_in, const std::array<uint8_t, 32>& message_in,
                   std::vector<uint8_t>&& signature_in, ParameterSet set_in = ParameterSet::SHA2_128S)
        : ticket{ticket_in}, public_key{public_key_in}, message{message_in}, signature{std::move(signature_in)}, set{set_in}
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
        return {public_key.data(), *MessagePieces::Pure(message, {}), signature, set};
    }
};

/** The verdict on a signature. */
enum class Verdict : uint8_t {
    NONE,    //!< not verified yet: says nothing
    INVALID,
    VALID,
};

} // namespace slhc::slhdsa

#endif // SLHCONSENSUS_PQC_CHECK_H
