// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <primitives/script.h>

#include <crypto/endian.h>
#include <util/check.h>

#include <array>

namespace slhc {

std::vector<uint8_t> SerializeScriptNum(int64_t n)
{
    const bool negative{n < 0};
    uint64_t magnitude{negative ? ~static_cast<uint64_t>(n) + 1 : static_cast<uint64_t>(n)};
    std::array<uint8_t, sizeof(magnitude) + 1> bytes;
    size_t size{0};
    for (; magnitude > 0; magnitude >>= 8) bytes[size++] = static_cast<uint8_t>(magnitude & 0xff);
    if (size > 0) {
        // If the top bit is taken, the sign needs a byte of its own.
        if (bytes[size - 1] & 0x80) bytes[size++] = 0;
        if (negative) bytes[size - 1] |= 0x80;
    }
    return {bytes.begin(), bytes.begin() + size};
}

CScript& CScript::operator<<(int64_t n)
{
    if (n == 0) return *this << OP_0;
    if (n == -1) return *this << OP_1NEGATE;
    if (n >= 1 && n <= 16) return *this << EncodeOP_N(static_cast<int>(n));
    return *this << SerializeScriptNum(n);
}

CScript& CScript::operator<<(opcodetype opcode)
{
    push_back(opcode);
    return *this;
}

CScript& CScript::operator<<(std::span<const uint8_t> data)
{
    std::array<uint8_t, 4> size;
    WriteLE32(size.data(), static_cast<uint32_t>(data.size()));
    size_t size_bytes{1};
    if (data.size() > 0xffff) {
        push_back(OP_PUSHDATA4);
        size_bytes = 4;
    } else if (data.size() > 0xff) {
        push_back(OP_PUSHDATA2);
        size_bytes = 2;
    } else if (data.size() >= OP_PUSHDATA1) {
        push_back(OP_PUSHDATA1);
    }
    insert(end(), size.begin(), size.begin() + size_bytes);
    insert(end(), data.begin(), data.end());
    return *this;
}

bool CScript::GetPush(const_iterator& pc, opcodetype& opcode, std::span<const uint8_t>& data) const
{
    opcode = OP_INVALIDOPCODE;
    data = {};
    const auto available{[&] { return static_cast<size_t>(end() - pc); }};
    if (available() == 0) return false;

    const uint8_t first{*pc++};
    assert(first <= OP_PUSHDATA4);
    size_t size{first};
    if (first >= OP_PUSHDATA1) {
        const size_t size_bytes{size_t{1} << (first - OP_PUSHDATA1)};
        if (available() < size_bytes) return false;
        size = 0;
        for (size_t i{0}; i < size_bytes; ++i) size |= static_cast<size_t>(*pc++) << (8 * i);
    }
    if (available() < size) return false;
    data = std::span{pc, size};
    pc += static_cast<std::ptrdiff_t>(size);
    opcode = static_cast<opcodetype>(first);
    return true;
}

int CScript::DecodeOP_N(opcodetype opcode) noexcept
{
    assert(opcode == OP_0 || (opcode >= OP_1 && opcode <= OP_16));
    return opcode == OP_0 ? 0 : opcode - OP_1 + 1;
}

opcodetype CScript::EncodeOP_N(int n) noexcept
{
    assert(n >= 0 && n <= 16);
    return n == 0 ? OP_0 : static_cast<opcodetype>(OP_1 + n - 1);
}

unsigned CScript::GetSigOpCount(bool accurate) const
{
    unsigned count{0};
    opcodetype opcode;
    opcodetype previous{OP_INVALIDOPCODE};
    for (auto pc{begin()}; GetOp(pc, opcode); previous = opcode) {
        if (opcode == OP_CHECKSIG || opcode == OP_CHECKSIGVERIFY) {
            ++count;
        } else if (opcode == OP_CHECKMULTISIG || opcode == OP_CHECKMULTISIGVERIFY) {
            const bool known{accurate && previous >= OP_1 && previous <= OP_16};
            count += static_cast<unsigned>(known ? DecodeOP_N(previous) : MAX_PUBKEYS_PER_MULTISIG);
        }
    }
    return count;
}

unsigned CScript::GetSigOpCount(const CScript& script_sig) const
{
    if (!IsPayToScriptHash()) return GetSigOpCount(/*accurate=*/true);

    // The redeem script is the data of the last push, in a scriptSig that has nothing but pushes.
    std::span<const uint8_t> data;
    for (auto pc{script_sig.begin()}; pc != script_sig.end();) {
        opcodetype opcode;
        if (!script_sig.GetOp(pc, opcode, data) || opcode > OP_16) return 0;
    }
    return CScript{data}.GetSigOpCount(/*accurate=*/true);
}

bool CScript::IsPayToScriptHash() const noexcept
{
    return size() == 23 && (*this)[0] == OP_HASH160 && (*this)[1] == 20 && (*this)[22] == OP_EQUAL;
}

bool CScript::IsPayToWitnessScriptHash() const noexcept { return size() == 34 && (*this)[0] == OP_0 && (*this)[1] == 32; }

bool CScript::IsPayToTaproot() const noexcept { return size() == 34 && (*this)[0] == OP_1 && (*this)[1] == 32; }

bool CScript::IsPayToMerkleRoot() const noexcept { return size() == 34 && (*this)[0] == OP_2 && (*this)[1] == 32; }

bool CScript::IsPayToAnchor() const noexcept
{
    int version;
    std::span<const uint8_t> program;
    return IsWitnessProgram(version, program) && IsPayToAnchor(version, program);
}

bool CScript::IsPayToAnchor(int version, std::span<const uint8_t> program) noexcept
{
    return version == 1 && program.size() == 2 && program[0] == 0x4e && program[1] == 0x73;
}

bool CScript::IsWitnessProgram(int& version, std::span<const uint8_t>& program) const noexcept
{
    if (size() < 4 || size() > 42) return false;
    const auto opcode{static_cast<opcodetype>((*this)[0])};
    if (opcode != OP_0 && (opcode < OP_1 || opcode > OP_16)) return false;
    if ((*this)[1] != size() - 2) return false;
    version = DecodeOP_N(opcode);
    program = std::span{*this}.subspan(2);
    return true;
}

bool CScript::IsPushOnly(const_iterator pc) const
{
    while (pc != end()) {
        opcodetype opcode;
        if (!GetOp(pc, opcode) || opcode > OP_16) return false;
    }
    return true;
}

bool CScript::IsUnspendable() const noexcept
{
    return (!empty() && front() == OP_RETURN) || size() > MAX_SCRIPT_SIZE;
}

} // namespace slhc
