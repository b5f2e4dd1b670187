// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_PRIMITIVES_SCRIPT_H
#define SLHCONSENSUS_PRIMITIVES_SCRIPT_H

#include <primitives/opcodes.h>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <vector>

/** A script as transactions carry it: its bytes, their division into instructions, and the composition of scripts. Their meaning is the
 *  business of script/. */
namespace slhc {

/** Bytes of a script that can be executed by legacy or version 0 rules. */
inline constexpr size_t MAX_SCRIPT_SIZE{10000};
/** The most keys that OP_CHECKMULTISIG takes, and its signature operations where their number isn't known. */
inline constexpr int MAX_PUBKEYS_PER_MULTISIG{20};

/** The bytes of the number n as Script writes numbers: little-endian, sign in the top bit, as short as possible;
 *  zero is empty. */
[[nodiscard]] std::vector<uint8_t> SerializeScriptNum(int64_t n);

class CScript : public std::vector<uint8_t>
{
public:
    using Base = std::vector<uint8_t>;

    CScript() = default;
    template <std::input_iterator It>
    CScript(It first, It last) : Base(first, last)
    {
    }
    explicit CScript(std::span<const uint8_t> bytes) : Base(bytes.begin(), bytes.end()) {}

    /** Append the shortest push of the number n: OP_0, OP_1NEGATE, OP_1 to OP_16, or its bytes. */
    CScript& operator<<(int64_t n);
    /** Append an opcode. */
    CScript& operator<<(opcodetype opcode);
    /** Append a push of data with the shortest length prefix (never OP_1 and the like, as Core has it). */
    CScript& operator<<(std::span<const uint8_t> data);
    CScript& operator<<(const std::vector<uint8_t>& data) { return *this << std::span<const uint8_t>{data}; }
    /** Ambiguous: push a script's bytes, or insert() them. */
    CScript& operator<<(const CScript&) = delete;

    /** Read the instruction at pc and move pc behind it.
     *  @param[out] opcode  the opcode, OP_INVALIDOPCODE on failure
     *  @param[out] data    what it pushes, a view into this script; empty if it's no push with data
     *  @return false at the end, and if the script ends within the instruction; pc is then behind the opcode and its
     *          length, as far as they were there (a legacy signature hash depends on it) */
    [[nodiscard]] bool GetOp(const_iterator& pc, opcodetype& opcode, std::span<const uint8_t>& data) const
    {
        if (pc == end() || *pc <= OP_PUSHDATA4) return GetPush(pc, opcode, data);
        opcode = static_cast<opcodetype>(*pc++);
        data = {};
        return true;
    }
    [[nodiscard]] bool GetOp(const_iterator& pc, opcodetype& opcode) const
    {
        std::span<const uint8_t> data;
        return GetOp(pc, opcode, data);
    }

    /** The number that OP_0 or OP_1 to OP_16 pushes. @pre opcode is one of them */
    [[nodiscard]] static int DecodeOP_N(opcodetype opcode) noexcept;
    /** The opcode that pushes n. @pre 0 <= n <= 16 */
    [[nodiscard]] static opcodetype EncodeOP_N(int n) noexcept;

    /** The number of signature checks in the script, for the block's limit. CHECKMULTISIG counts as 20, or, if
     *  accurate is set and OP_1 to OP_16 comes before it, as that number. */
    [[nodiscard]] unsigned GetSigOpCount(bool accurate) const;
    /** The same for this scriptPubKey when script_sig spends it: the redeem script's count if this is P2SH. */
    [[nodiscard]] unsigned GetSigOpCount(const CScript& script_sig) const;

    [[nodiscard]] bool IsPayToScriptHash() const noexcept;
    [[nodiscard]] bool IsPayToWitnessScriptHash() const noexcept;
    [[nodiscard]] bool IsPayToTaproot() const noexcept;
    /** A version 2 program of 32 bytes: BIP 360, Pay-to-Merkle-Root (P2MR), formerly P2TSH. */
    [[nodiscard]] bool IsPayToMerkleRoot() const noexcept;
    [[nodiscard]] bool IsPayToAnchor() const noexcept;
    /** True if a witness program is that of Pay-to-Anchor. */
    [[nodiscard]] static bool IsPayToAnchor(int version, std::span<const uint8_t> program) noexcept;

    /** One opcode OP_0 or OP_1 to OP_16, then one direct push of 2 to 40 bytes (BIP 141).
     *  @param[out] program  a view into this script */
    [[nodiscard]] bool IsWitnessProgram(int& version, std::span<const uint8_t>& program) const noexcept;

    /** Nothing but pushes from pc on, OP_RESERVED among them (executing that one fails anyway). */
    [[nodiscard]] bool IsPushOnly(const_iterator pc) const;
    [[nodiscard]] bool IsPushOnly() const { return IsPushOnly(begin()); }

    /** Fails whatever comes before it: begins with OP_RETURN, or is too long to be executed. */
    [[nodiscard]] bool IsUnspendable() const noexcept;

private:
    /** GetOp where there is no instruction, or a push. */
    [[nodiscard]] bool GetPush(const_iterator& pc, opcodetype& opcode, std::span<const uint8_t>& data) const;
};

} // namespace slhc

#endif // SLHCONSENSUS_PRIMITIVES_SCRIPT_H
