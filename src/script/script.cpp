// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <script/script.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <limits>
#include <string_view>

namespace slhc {

namespace {

/** Names of 0x4c to 0xba, without "OP_". */
constexpr std::array<std::string_view, OP_CHECKSIGADD - OP_PUSHDATA1 + 1> NAMES{
    "PUSHDATA1", "PUSHDATA2", "PUSHDATA4", "1NEGATE", "RESERVED",
    "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "15", "16",
    "NOP", "VER", "IF", "NOTIF", "VERIF", "VERNOTIF", "ELSE", "ENDIF", "VERIFY", "RETURN",
    "TOALTSTACK", "FROMALTSTACK", "2DROP", "2DUP", "3DUP", "2OVER", "2ROT", "2SWAP", "IFDUP", "DEPTH",
    "DROP", "DUP", "NIP", "OVER", "PICK", "ROLL", "ROT", "SWAP", "TUCK",
    "CAT", "SUBSTR", "LEFT", "RIGHT", "SIZE",
    "INVERT", "AND", "OR", "XOR", "EQUAL", "EQUALVERIFY", "RESERVED1", "RESERVED2",
    "1ADD", "1SUB", "2MUL", "2DIV", "NEGATE", "ABS", "NOT", "0NOTEQUAL",
    "ADD", "SUB", "MUL", "DIV", "MOD", "LSHIFT", "RSHIFT", "BOOLAND", "BOOLOR",
    "NUMEQUAL", "NUMEQUALVERIFY", "NUMNOTEQUAL", "LESSTHAN", "GREATERTHAN", "LESSTHANOREQUAL", "GREATERTHANOREQUAL",
    "MIN", "MAX", "WITHIN",
    "RIPEMD160", "SHA1", "SHA256", "HASH160", "HASH256", "CODESEPARATOR",
    "CHECKSIG", "CHECKSIGVERIFY", "CHECKMULTISIG", "CHECKMULTISIGVERIFY",
    "NOP1", "CHECKLOCKTIMEVERIFY", "CHECKSEQUENCEVERIFY", "NOP4", "NOP5", "NOP6", "NOP7", "NOP8", "NOP9", "NOP10",
    "CHECKSIGADD"};

constexpr std::string_view NameAt(opcodetype opcode) { return NAMES[opcode - OP_PUSHDATA1]; }
static_assert(NameAt(OP_RETURN) == "RETURN" && NameAt(OP_TUCK) == "TUCK" && NameAt(OP_RESERVED2) == "RESERVED2" &&
              NameAt(OP_WITHIN) == "WITHIN" && NameAt(OP_NOP10) == "NOP10" && NameAt(OP_CHECKSIGADD) == "CHECKSIGADD");

/** The little-endian number with its sign in the top bit. @pre at most 8 bytes */
int64_t DecodeScriptNum(std::span<const uint8_t> bytes) noexcept
{
    uint64_t magnitude{0};
    for (size_t i{0}; i < bytes.size(); ++i) magnitude |= uint64_t{bytes[i]} << (8 * i);
    if (bytes.empty() || !(bytes.back() & 0x80)) return static_cast<int64_t>(magnitude);
    magnitude &= ~(uint64_t{0x80} << (8 * (bytes.size() - 1)));
    return -static_cast<int64_t>(magnitude);
}

/** Whether the last byte is needed: for its value, or because the one before has its top bit set. */
bool IsMinimalScriptNum(std::span<const uint8_t> bytes) noexcept
{
    if (bytes.empty() || (bytes.back() & 0x7f) != 0) return true;
    return bytes.size() > 1 && (bytes[bytes.size() - 2] & 0x80) != 0;
}

} // namespace

CScriptNum::CScriptNum(std::span<const uint8_t> bytes, bool require_minimal, size_t max_size)
{
    assert(max_size <= sizeof(m_value));
    if (bytes.size() > max_size) throw scriptnum_error{"script number is too long"};
    if (require_minimal && !IsMinimalScriptNum(bytes)) throw scriptnum_error{"script number is not in its shortest form"};
    m_value = DecodeScriptNum(bytes);
}

int CScriptNum::getint() const noexcept
{
    return static_cast<int>(std::clamp<int64_t>(m_value, std::numeric_limits<int>::min(), std::numeric_limits<int>::max()));
}

bool CastToBool(std::span<const uint8_t> bytes) noexcept
{
    if (bytes.empty()) return false;
    if (bytes.back() != 0 && bytes.back() != 0x80) return true;
    return std::any_of(bytes.begin(), bytes.end() - 1, [](uint8_t byte) { return byte != 0; });
}

bool CheckMinimalPush(std::span<const uint8_t> data, opcodetype opcode) noexcept
{
    assert(opcode <= OP_PUSHDATA4);
    if (data.empty()) return opcode == OP_0;
    if (data.size() == 1 && ((data[0] >= 1 && data[0] <= 16) || data[0] == 0x81)) return false; // OP_1 to OP_16, OP_1NEGATE
    if (data.size() < OP_PUSHDATA1) return opcode == data.size();
    if (data.size() <= 0xff) return opcode == OP_PUSHDATA1;
    if (data.size() <= 0xffff) return opcode == OP_PUSHDATA2;
    return true;
}

bool IsDisabledOpcode(opcodetype opcode) noexcept
{
    switch (opcode) {
    case OP_CAT:
    case OP_SUBSTR:
    case OP_LEFT:
    case OP_RIGHT:
    case OP_INVERT:
    case OP_AND:
    case OP_OR:
    case OP_XOR:
    case OP_2MUL:
    case OP_2DIV:
    case OP_MUL:
    case OP_DIV:
    case OP_MOD:
    case OP_LSHIFT:
    case OP_RSHIFT:
        return true;
    default:
        return false;
    }
}

bool IsOpSuccess(opcodetype opcode, script_verify_flags flags) noexcept
{
    if (IsSLHDSAOpcode(opcode) && (flags & SCRIPT_VERIFY_SLHDSA)) return false;
    // BIP 342's list
    return opcode == 80 || opcode == 98 || (opcode >= 126 && opcode <= 129) || (opcode >= 131 && opcode <= 134) ||
           (opcode >= 137 && opcode <= 138) || (opcode >= 141 && opcode <= 142) || (opcode >= 149 && opcode <= 153) ||
           (opcode >= 187 && opcode <= 254);
}

std::string GetOpName(opcodetype opcode)
{
    if (opcode == OP_0) return "OP_0";
    if (opcode < OP_PUSHDATA1) return "OP_PUSHBYTES_" + std::to_string(opcode);
    if (opcode <= OP_CHECKSIGADD) return "OP_" + std::string{NameAt(opcode)};
    return opcode == OP_INVALIDOPCODE ? "OP_INVALIDOPCODE" : "OP_UNKNOWN";
}

std::string GetTapscriptOpName(opcodetype opcode, script_verify_flags flags)
{
    if (IsOpSuccess(opcode, flags)) return "OP_SUCCESS" + std::to_string(opcode);
    if (opcode == OP_CHECKSIGSLHDSA) return "OP_CHECKSIGSLHDSA";
    if (opcode == OP_CHECKSIGADDSLHDSA) return "OP_CHECKSIGADDSLHDSA";
    return GetOpName(opcode);
}

} // namespace slhc
