// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_SCRIPT_CHECK_ORIGIN_H
#define SLHCONSENSUS_SCRIPT_CHECK_ORIGIN_H

#include <pqc/check.h>

#include <cstdint>

namespace slhc {

/** The opcode that asked for a check, which a checker writes on the check's ticket. Tickets compare in the order in which eager
 *  verification would meet the checks: by tag, then input, then opcode position. */
struct CheckOrigin {
    uint64_t tag{0};        //!< the caller's, e.g. the transaction's index in its block
    uint32_t input{0};      //!< index of the input
    uint32_t opcode_pos{0}; //!< of the opcode in its leaf script, counted in opcodes
    uint8_t opcode{0};      //!< the opcode at that position

    [[nodiscard]] slhdsa::Ticket ToTicket() const noexcept { return {tag, input, uint64_t{opcode_pos} << 8 | opcode}; }

    [[nodiscard]] static CheckOrigin FromTicket(const slhdsa::Ticket& ticket) noexcept
    {
        return {.tag = ticket[0],
                .input = static_cast<uint32_t>(ticket[1]),
                .opcode_pos = static_cast<uint32_t>(ticket[2] >> 8),
                .opcode = static_cast<uint8_t>(ticket[2])};
    }
};

} // namespace slhc

#endif // SLHCONSENSUS_SCRIPT_CHECK_ORIGIN_H
