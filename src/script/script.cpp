// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <script/script.h>

#include <util/check.h>

#include <algorithm>
#include <limits>

namespace slhc {

namespace {

/** The little-endian number with its sign in the top bit. @pre at most 8 bytes */
int64_t DecodeScriptNum(std::span<const uint8_t> bytes) noexcept
{
    uint64_t magnitude{0};
    for (size_t i{0}; i < bytes.size(); ++i) magnitude |= uint64_t{bytes[i]} << (8 * i);
    if (bytes.empty() || !(bytes.back() & 0x80)) return static_cast<int64_t>(magnitude);
    magnitude &= ~(uint64_t{0x80} << (8 * (bytes.size() - 1)));
    return -static_cast<int64_t>(magnitude);
}

/** True if the last byte is needed: for its value, or because the one before has its top bit set. */
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

} // namespace slhc
