// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_SCRIPT_SCRIPT_H
#define SLHCONSENSUS_SCRIPT_SCRIPT_H

#include <primitives/script.h>  // IWYU pragma: export
#include <script/opcode_info.h> // IWYU pragma: export

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

/** Script's limits and numbers. */
namespace slhc {

/** The largest push, and the largest stack element that isn't a large element (script/stack.h), in bytes. */
inline constexpr size_t MAX_SCRIPT_ELEMENT_SIZE{520};
/** Opcodes above OP_16 in a legacy or version 0 script, executed or not, and the keys of each CHECKMULTISIG that is executed. */
inline constexpr int MAX_OPS_PER_SCRIPT{201};
/** Elements on the stack and the alternative stack together. */
inline constexpr size_t MAX_STACK_SIZE{1000};
/** nLockTime below this is a block height, otherwise a time. */
inline constexpr uint32_t LOCKTIME_THRESHOLD{500'000'000};
/** First byte of an annex (BIP 341). */
inline constexpr uint8_t ANNEX_TAG{0x50};
/** The validation weight that each non-empty signature of a tapscript costs (BIP 342). */
inline constexpr int64_t VALIDATION_WEIGHT_PER_SIGOP_PASSED{50};
/** The excess of the validation weight over the size of the witness (BIP 342). */
inline constexpr int64_t VALIDATION_WEIGHT_OFFSET{50};

/** An invalid number: too long, or not in its shortest form where that is required. */
class scriptnum_error : public std::runtime_error
{
public:
    using std::runtime_error::runtime_error;
};

/** A number of Script. Operands have up to 4 bytes (some opcodes allow 5), but results are 64 bits wide: a sum of two operands may be too
 *  long for an operand, and is still pushed. */
class CScriptNum
{
public:
    static constexpr size_t DEFAULT_MAX_SIZE{4};

    constexpr explicit CScriptNum(int64_t n) noexcept : m_value{n} {}
    /** @throws scriptnum_error if bytes has more than max_size bytes, or isn't minimal although it must be */
    CScriptNum(std::span<const uint8_t> bytes, bool require_minimal, size_t max_size = DEFAULT_MAX_SIZE);

    [[nodiscard]] constexpr int64_t GetInt64() const noexcept { return m_value; }
    /** As an int, clamped to its range. */
    [[nodiscard]] int getint() const noexcept;
    [[nodiscard]] std::vector<uint8_t> getvch() const { return SerializeScriptNum(m_value); }

    constexpr auto operator<=>(const CScriptNum&) const noexcept = default;

private:
    int64_t m_value;
};

/** False is empty, all zeros, or zero with a sign bit. */
[[nodiscard]] bool CastToBool(std::span<const uint8_t> bytes) noexcept;

/** True if opcode pushes data in the shortest possible way. @pre opcode <= OP_PUSHDATA4 */
[[nodiscard]] bool CheckMinimalPush(std::span<const uint8_t> data, opcodetype opcode) noexcept;

} // namespace slhc

#endif // SLHCONSENSUS_SCRIPT_SCRIPT_H
