// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TEST_CORE_PLAN_H
#define SLHCONSENSUS_TEST_CORE_PLAN_H

#include <primitives/script.h>
#include <primitives/transaction.h>
#include <primitives/uint256.h>
#include <test/core/slhdsa_scheme.h>
#include <test/core/spend.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

/** A spend before it is built: a script whose signatures are named but not made yet. It can be changed and built again, with hashes, Merkle
 *  roots and signatures that fit. */
namespace slhc::test {

/** The form of a push. */
enum class PushForm : uint8_t {
    SMALLEST, //!< OP_0, OP_1NEGATE, OP_1 to OP_16 where they serve, else the shortest length prefix
    PREFIXED, //!< the shortest length prefix, never an opcode that stands for its value
    PUSHDATA1,
    PUSHDATA2,
    PUSHDATA4,
};

/** Append a push of data; a form too small for it grows. */
void AppendPush(std::vector<uint8_t>& script, std::span<const uint8_t> data, PushForm form);

/** The flaw of a signature. */
enum class SigFlaw : uint8_t {
    NONE,
    EMPTY,
    WRONG_HASH,      //!< signs something else
    OTHER_HASH_TYPE, //!< carries another hash type than it signed with
    RANDOM,
    TRUNCATED,
    EXTENDED,
    FLIPPED_BIT,
    NO_HASH_TYPE,     //!< for BIP 340 and SLH-DSA: hash type 0x00 written out
    HIGH_S,           //!< ECDSA from here on
    PADDED_R,         //!< one zero too many
    PADDED_S,
    NEGATIVE_R,       //!< without the zero that keeps it positive
    LONG_LENGTH,      //!< a length of two bytes where one is enough
    WRONG_LENGTH,     //!< the outer length is off by one
    WRONG_TAG,        //!< 0x31 for 0x30
    ZERO_R,
    HUGE_S,           //!< 33 bytes
    N_FLAWS,
};

struct SignatureSlot {
    SignatureKind kind{SignatureKind::ECDSA};
    size_t key{0}; //!< of TestKeys(), or of SLHDSATestKeys()
    uint8_t hash_type{1};
    SigFlaw flaw{SigFlaw::NONE};
    std::vector<uint8_t> bytes; //!< as it goes into the script or witness: a placeholder, then a signature
    size_t check{0};            //!< which of the script's checks reads it; several slots, if that is OP_CHECKMULTISIG
    size_t separator{0};        //!< which OP_CODESEPARATOR of the script is the last one executed before that, from 1; 0: none
};

/** Part of a script or one element of a witness: bytes as they are, or a slot's signature. */
struct Piece {
    static constexpr int NO_SLOT{-1};

    std::vector<uint8_t> bytes;
    int slot{NO_SLOT};
    PushForm form{PushForm::SMALLEST}; //!< of the push, if it is pushed
};

enum class OutputKind : uint8_t {
    BARE,
    P2SH,
    P2WPKH,
    P2WSH,
    P2SH_P2WPKH,
    P2SH_P2WSH,
    P2TR_KEY,
    P2TR_SCRIPT,
    P2MR,
    P2SH_P2MR,            //!< an unknown program
    WITNESS_PROGRAM,      //!< any version and program, those in Plan
    P2SH_WITNESS_PROGRAM, //!< the same, wrapped
    N_KINDS,
};

/** The flaw of a script path's control block. */
enum class ControlFlaw : uint8_t {
    NONE,
    OTHER_LOW_BIT, //!< P2TR: the other parity; P2MR: 0, where it must be 1
    TRUNCATED,     //!< by one byte
    EXTENDED,      //!< by one byte
    EMPTY,
    OTHER_BIT,     //!< one bit after the first byte, or of it if there are no others, differs from the output's commitment
    N_FLAWS,
};

struct Plan {
    OutputKind kind{OutputKind::BARE};
    Spend base; //!< everything but this input's script, scriptSig, witness and scriptPubKey

    std::vector<Piece> script; //!< scriptPubKey, redeem script, witness script or leaf script; slots in it are pushed
    std::vector<Piece> stack;  //!< the initial stack, bottom first
    std::vector<uint8_t> script_sig_tail; //!< after the pushes of scriptSig
    std::vector<SignatureSlot> slots;

    size_t key{0}; //!< P2TR: the internal key
    bool has_tree{true}; //!< P2TR_KEY: the output commits to a tree
    uint8_t leaf_version{0xc0};
    std::vector<uint256> path;
    ControlFlaw control_flaw{ControlFlaw::NONE};
    size_t root_size{32}; //!< P2MR: of the program; with another size, an unknown program
    std::optional<std::vector<uint8_t>> annex;
    int version{0};               //!< WITNESS_PROGRAM
    std::vector<uint8_t> program; //!< WITNESS_PROGRAM

    /** Add a signature with a placeholder, and return its index. */
    int AddSlot(SignatureSlot slot);

    /** The spend, with the signatures as they stand in the slots. */
    [[nodiscard]] Spend Build() const;

    /** Build, and sign: every slot gets the signature (with its flaw) that verifies where the script's maker wanted it to be checked, by
     *  its own key. Whose bytes have been changed, or whose hash type has no message, becomes random bytes. */
    [[nodiscard]] Spend BuildSigned(Choices& choices, const SLHDSAScheme& slhdsa = QuickSLHDSA());

    [[nodiscard]] std::vector<uint8_t> ScriptBytes() const;

private:
    [[nodiscard]] uint256 ECDSAMessage(const SignatureSlot& slot, const Spend& spend) const;
    [[nodiscard]] std::optional<uint256> TaprootMessage(const SignatureSlot& slot, const Spend& spend) const;
};

} // namespace slhc::test

#endif // SLHCONSENSUS_TEST_CORE_PLAN_H
