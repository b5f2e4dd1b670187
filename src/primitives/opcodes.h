// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_PRIMITIVES_OPCODES_H
#define SLHCONSENSUS_PRIMITIVES_OPCODES_H

#include <cstdint>

namespace slhc {

/** The opcodes that have a name, those of opcodes.def: OP_0 to OP_CHECKSIGADD, and OP_INVALIDOPCODE, which stands for none. */
enum opcodetype : uint8_t {
#define SLHC_OPCODE(name, byte, operands) name = byte,
#define SLHC_DISABLED_OPCODE(name, byte) name = byte,
#define SLHC_SLHDSA_OPCODE(name, byte, operands) name = byte,
#define SLHC_OPCODE_ALIAS(alias, name) alias = name,
#include <primitives/opcodes.def>
};

/** The highest opcode of legacy scripts. */
inline constexpr opcodetype MAX_OPCODE{OP_NOP10};

} // namespace slhc

#endif // SLHCONSENSUS_PRIMITIVES_OPCODES_H
