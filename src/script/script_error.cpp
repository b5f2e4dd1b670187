// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#include <script/script_error.h>

#include <array>
#include <cstddef>

namespace slhc {

namespace {

constexpr std::string_view PREFIX{"SCRIPT_ERR_"};

struct Entry {
    ScriptError error;
    std::string_view name;
    std::string_view text;
};

constexpr std::array<Entry, SCRIPT_ERR_ERROR_COUNT> ENTRIES{{
    {SCRIPT_ERR_OK, "SCRIPT_ERR_OK", "No error"},
    {SCRIPT_ERR_UNKNOWN_ERROR, "SCRIPT_ERR_UNKNOWN_ERROR", "Unknown error"},
    {SCRIPT_ERR_EVAL_FALSE, "SCRIPT_ERR_EVAL_FALSE", "Script ran to its end and left false or nothing on top of the stack"},
    {SCRIPT_ERR_OP_RETURN, "SCRIPT_ERR_OP_RETURN", "OP_RETURN was executed"},
    {SCRIPT_ERR_SCRIPTNUM, "SCRIPT_ERR_SCRIPTNUM", "A number is too long or not in its shortest form"},
    {SCRIPT_ERR_SCRIPT_SIZE, "SCRIPT_ERR_SCRIPT_SIZE", "Script is longer than 10000 bytes"},
    {SCRIPT_ERR_PUSH_SIZE, "SCRIPT_ERR_PUSH_SIZE", "A stack element is too large for what is done with it"},
    {SCRIPT_ERR_OP_COUNT, "SCRIPT_ERR_OP_COUNT", "More than 201 operations"},
    {SCRIPT_ERR_STACK_SIZE, "SCRIPT_ERR_STACK_SIZE", "More than 1000 stack elements"},
    {SCRIPT_ERR_SIG_COUNT, "SCRIPT_ERR_SIG_COUNT", "Number of signatures is negative or above the number of keys"},
    {SCRIPT_ERR_PUBKEY_COUNT, "SCRIPT_ERR_PUBKEY_COUNT", "Number of keys is negative or above 20"},
    {SCRIPT_ERR_VERIFY, "SCRIPT_ERR_VERIFY", "OP_VERIFY found false"},
    {SCRIPT_ERR_EQUALVERIFY, "SCRIPT_ERR_EQUALVERIFY", "OP_EQUALVERIFY found a difference"},
    {SCRIPT_ERR_CHECKMULTISIGVERIFY, "SCRIPT_ERR_CHECKMULTISIGVERIFY", "OP_CHECKMULTISIGVERIFY found too few valid signatures"},
    {SCRIPT_ERR_CHECKSIGVERIFY, "SCRIPT_ERR_CHECKSIGVERIFY", "OP_CHECKSIGVERIFY found no valid signature"},
    {SCRIPT_ERR_NUMEQUALVERIFY, "SCRIPT_ERR_NUMEQUALVERIFY", "OP_NUMEQUALVERIFY found a difference"},
    {SCRIPT_ERR_BAD_OPCODE, "SCRIPT_ERR_BAD_OPCODE", "An opcode is unknown, reserved or cut off"},
    {SCRIPT_ERR_DISABLED_OPCODE, "SCRIPT_ERR_DISABLED_OPCODE", "A disabled opcode is present"},
    {SCRIPT_ERR_INVALID_STACK_OPERATION, "SCRIPT_ERR_INVALID_STACK_OPERATION", "Too few stack elements for an operation"},
    {SCRIPT_ERR_INVALID_ALTSTACK_OPERATION, "SCRIPT_ERR_INVALID_ALTSTACK_OPERATION", "Nothing on the alternative stack"},
    {SCRIPT_ERR_UNBALANCED_CONDITIONAL, "SCRIPT_ERR_UNBALANCED_CONDITIONAL", "OP_IF, OP_ELSE and OP_ENDIF don't match"},
    {SCRIPT_ERR_NEGATIVE_LOCKTIME, "SCRIPT_ERR_NEGATIVE_LOCKTIME", "A lock time is negative"},
    {SCRIPT_ERR_UNSATISFIED_LOCKTIME, "SCRIPT_ERR_UNSATISFIED_LOCKTIME", "A lock time is not reached by the transaction"},
    {SCRIPT_ERR_SIG_HASHTYPE, "SCRIPT_ERR_SIG_HASHTYPE", "Hash type of an ECDSA signature is missing or undefined"},
    {SCRIPT_ERR_SIG_DER, "SCRIPT_ERR_SIG_DER", "An ECDSA signature is not strict DER"},
    {SCRIPT_ERR_MINIMALDATA, "SCRIPT_ERR_MINIMALDATA", "A push is longer than it need be"},
    {SCRIPT_ERR_SIG_PUSHONLY, "SCRIPT_ERR_SIG_PUSHONLY", "scriptSig does more than push"},
    {SCRIPT_ERR_SIG_HIGH_S, "SCRIPT_ERR_SIG_HIGH_S", "S of an ECDSA signature is above half the order"},
    {SCRIPT_ERR_SIG_NULLDUMMY, "SCRIPT_ERR_SIG_NULLDUMMY", "The extra element of OP_CHECKMULTISIG is not empty"},
    {SCRIPT_ERR_PUBKEYTYPE, "SCRIPT_ERR_PUBKEYTYPE", "A public key is in neither the compressed nor the uncompressed form"},
    {SCRIPT_ERR_CLEANSTACK, "SCRIPT_ERR_CLEANSTACK", "Script left more or fewer than one stack element"},
    {SCRIPT_ERR_MINIMALIF, "SCRIPT_ERR_MINIMALIF", "Argument of OP_IF or OP_NOTIF is neither empty nor 0x01"},
    {SCRIPT_ERR_SIG_NULLFAIL, "SCRIPT_ERR_SIG_NULLFAIL", "A signature that failed is not empty"},
    {SCRIPT_ERR_DISCOURAGE_UPGRADABLE_NOPS, "SCRIPT_ERR_DISCOURAGE_UPGRADABLE_NOPS", "OP_NOP1 or OP_NOP4 to OP_NOP10, kept for soft forks, was executed"},
    {SCRIPT_ERR_DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM, "SCRIPT_ERR_DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM", "Witness program is of a kind kept for soft forks"},
    {SCRIPT_ERR_DISCOURAGE_UPGRADABLE_TAPROOT_VERSION, "SCRIPT_ERR_DISCOURAGE_UPGRADABLE_TAPROOT_VERSION", "Leaf version is kept for soft forks"},
    {SCRIPT_ERR_DISCOURAGE_OP_SUCCESS, "SCRIPT_ERR_DISCOURAGE_OP_SUCCESS", "An OP_SUCCESSx, kept for soft forks, is present"},
    {SCRIPT_ERR_DISCOURAGE_UPGRADABLE_PUBKEYTYPE, "SCRIPT_ERR_DISCOURAGE_UPGRADABLE_PUBKEYTYPE", "A public key is of a type kept for soft forks"},
    {SCRIPT_ERR_WITNESS_PROGRAM_WRONG_LENGTH, "SCRIPT_ERR_WITNESS_PROGRAM_WRONG_LENGTH", "Version 0 witness program has neither 20 nor 32 bytes"},
    {SCRIPT_ERR_WITNESS_PROGRAM_WITNESS_EMPTY, "SCRIPT_ERR_WITNESS_PROGRAM_WITNESS_EMPTY", "Witness has too few elements"},
    {SCRIPT_ERR_WITNESS_PROGRAM_MISMATCH, "SCRIPT_ERR_WITNESS_PROGRAM_MISMATCH", "Witness is not what the witness program commits to"},
    {SCRIPT_ERR_WITNESS_MALLEATED, "SCRIPT_ERR_WITNESS_MALLEATED", "scriptSig of a native witness program is not empty"},
    {SCRIPT_ERR_WITNESS_MALLEATED_P2SH, "SCRIPT_ERR_WITNESS_MALLEATED_P2SH", "scriptSig of a P2SH witness program is not exactly one push"},
    {SCRIPT_ERR_WITNESS_UNEXPECTED, "SCRIPT_ERR_WITNESS_UNEXPECTED", "There is a witness and no witness program"},
    {SCRIPT_ERR_WITNESS_PUBKEYTYPE, "SCRIPT_ERR_WITNESS_PUBKEYTYPE", "A public key in a version 0 witness is not compressed"},
    {SCRIPT_ERR_SCHNORR_SIG_SIZE, "SCRIPT_ERR_SCHNORR_SIG_SIZE", "A Schnorr signature has neither 64 nor 65 bytes"},
    {SCRIPT_ERR_SCHNORR_SIG_HASHTYPE, "SCRIPT_ERR_SCHNORR_SIG_HASHTYPE", "Hash type of a Schnorr signature is invalid"},
    {SCRIPT_ERR_SCHNORR_SIG, "SCRIPT_ERR_SCHNORR_SIG", "A Schnorr signature is invalid"},
    {SCRIPT_ERR_TAPROOT_WRONG_CONTROL_SIZE, "SCRIPT_ERR_TAPROOT_WRONG_CONTROL_SIZE", "Control block has an impossible size"},
    {SCRIPT_ERR_TAPSCRIPT_VALIDATION_WEIGHT, "SCRIPT_ERR_TAPSCRIPT_VALIDATION_WEIGHT", "More signatures than the weight of the witness pays for"},
    {SCRIPT_ERR_TAPSCRIPT_CHECKMULTISIG, "SCRIPT_ERR_TAPSCRIPT_CHECKMULTISIG", "OP_CHECKMULTISIG and OP_CHECKMULTISIGVERIFY don't exist in tapscript"},
    {SCRIPT_ERR_TAPSCRIPT_MINIMALIF, "SCRIPT_ERR_TAPSCRIPT_MINIMALIF", "Argument of OP_IF or OP_NOTIF in tapscript is neither empty nor 0x01"},
    {SCRIPT_ERR_TAPSCRIPT_EMPTY_PUBKEY, "SCRIPT_ERR_TAPSCRIPT_EMPTY_PUBKEY", "A public key in tapscript is empty"},
    {SCRIPT_ERR_OP_CODESEPARATOR, "SCRIPT_ERR_OP_CODESEPARATOR", "OP_CODESEPARATOR in a script that is no witness script"},
    {SCRIPT_ERR_SIG_FINDANDDELETE, "SCRIPT_ERR_SIG_FINDANDDELETE", "A signature occurs in the script code that it signs"},
    {SCRIPT_ERR_SLHDSA_SIG_SIZE, "SCRIPT_ERR_SLHDSA_SIG_SIZE", "An SLH-DSA signature has neither 7856 nor 7857 bytes"},
    {SCRIPT_ERR_SLHDSA_SIG_HASHTYPE, "SCRIPT_ERR_SLHDSA_SIG_HASHTYPE", "Hash type of an SLH-DSA signature is invalid"},
    {SCRIPT_ERR_SLHDSA_SIG, "SCRIPT_ERR_SLHDSA_SIG", "An SLH-DSA signature is invalid"},
}};

constexpr bool InOrder()
{
    for (size_t i{0}; i < ENTRIES.size(); ++i) {
        if (ENTRIES[i].error != static_cast<ScriptError>(i) || !ENTRIES[i].name.starts_with(PREFIX) || ENTRIES[i].text.empty()) return false;
    }
    return true;
}
static_assert(InOrder());

const Entry& Find(ScriptError error) noexcept
{
    const bool known{error >= 0 && error < SCRIPT_ERR_ERROR_COUNT};
    return ENTRIES[known ? error : SCRIPT_ERR_UNKNOWN_ERROR];
}

} // namespace

std::string_view ScriptErrorString(ScriptError error) noexcept { return Find(error).text; }

std::string_view ScriptErrorName(ScriptError error) noexcept { return Find(error).name; }

std::optional<ScriptError> ScriptErrorFromName(std::string_view name) noexcept
{
    if (name.starts_with(PREFIX)) name.remove_prefix(PREFIX.size());
    for (const Entry& entry : ENTRIES) {
        if (entry.name.substr(PREFIX.size()) == name) return entry.error;
    }
    return std::nullopt;
}

} // namespace slhc
