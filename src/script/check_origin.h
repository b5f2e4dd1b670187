// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_SCRIPT_CHECK_ORIGIN_H
#define SLHCONSENSUS_SCRIPT_CHECK_ORIGIN_H

#include <pqc/check.h>

#include <algorithm>
#include <array>
#include <cstdint>

namespace slhc {

/** The opcode that asked for a check, which a checker writes on the check's ticket. Tickets compare in the order in which eager
 *  verification would meet the checks: by tag, then input, then opcode position. */
struct CheckOrigin {
    uint64_t tag{0};                //!< the caller's, e.g. the transaction's index in its block
    std::array<uint8_t, 32> txid{}; //!< as hashed, i.e. the reverse of how it is displayed
    uint32_t input{0};              //!< index of the input
    uint32_t opcode_pos{0};         //!< of the opcode in its leaf script, counted in opcodes
    uint8_t opcode{0};              //!< the opcode at that position

    [[nodiscard]] slhdsa::Ticket ToTicket() const noexcept
    {
        slhdsa::Ticket ticket{.order = {tag, input, opcode_pos}};
        std::ranges::copy(txid, ticket.note.begin());
        ticket.note.back() = opcode;
        return ticket;
    }

    [[nodiscard]] static CheckOrigin FromTicket(const slhdsa::Ticket& ticket) noexcept
    {
        const auto& [tag, input, opcode_pos]{ticket.order};
        CheckOrigin origin{.tag = tag,
                           .input = static_cast<uint32_t>(input),
                           .opcode_pos = static_cast<uint32_t>(opcode_pos),
                           .opcode = ticket.note.back()};
        std::copy_n(ticket.note.begin(), origin.txid.size(), origin.txid.begin());
        return origin;
    }
};

} // namespace slhc

#endif // SLHCONSENSUS_SCRIPT_CHECK_ORIGIN_H
