# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Spends as a wallet makes them, and what each of them becomes when one thing about it is wrong."""

from dataclasses import dataclass, replace

from slhconsensus import (OP_0, OP_1, OP_2, OP_CHECKLOCKTIMEVERIFY, OP_CHECKSEQUENCEVERIFY, OP_CHECKSIG, OP_CHECKSIGADDSLHDSA,
                          OP_CHECKSIGSLHDSA, OP_CHECKSIGVERIFY, OP_CODESEPARATOR, OP_DROP, OP_DUP, OP_ENDIF, OP_EQUALVERIFY, OP_IF, OP_NUMEQUAL,
                          OP_RETURN, OP_SIZE, OP_VERIFY, SIGNATURE_SIZE, CScript, CScriptOp, Leaf, ScriptTree, SigHash)
from slhconsensus.tree import TreeSpec

from framework.spends import CLOSED, Spend, flip, leaf, pub, schnorr_key, single_key

# Reasons, as the mempool and as block validation give them.
UNKNOWN_INPUT = "bad-txns-nonstandard-inputs"
NONSTANDARD_WITNESS = "bad-witness-nonstandard"


def in_mempool(error: str) -> str:
    return f"mempool-script-verify-flag-failed ({error})"


def in_block(error: str) -> str:
    return f"block-script-verify-flag-failed ({error})"


# Bitcoin Core's words for script errors, and ours
BAD_SIGNATURE = "Invalid SLH-DSA signature"
BAD_SIGNATURE_SIZE = "Invalid SLH-DSA signature size"
BAD_HASH_TYPE = "Invalid SLH-DSA signature hash type"
BAD_SCHNORR_SIGNATURE = "Invalid Schnorr signature"
PUSH_SIZE = "Push value size limit exceeded"
EVAL_FALSE = "Script evaluated without error but finished with a false/empty top stack element"
VERIFY = "Script failed an OP_VERIFY operation"
STACK = "Operation not valid with the current stack size"
CLEANSTACK = "Stack size must be exactly one after execution"
WEIGHT = "Too much signature validation relative to witness weight"
EMPTY_KEY = "Empty public key in tapscript"
MISMATCH = "Witness program hash mismatch"
EMPTY_WITNESS = "Witness program was passed an empty witness"
CONTROL_SIZE = "Invalid Taproot control block size"
LOCKTIME = "Locktime requirement not satisfied"
RETURNED = "OP_RETURN was encountered"
DISCOURAGED_PROGRAM = "Witness version reserved for soft-fork upgrades"
DISCOURAGED_LEAF = "Taproot version reserved for soft-fork upgrades"
DISCOURAGED_SUCCESS = "OP_SUCCESSx reserved for soft-fork upgrades"
DISCOURAGED_KEY = "Public key version reserved for soft-fork upgrades"

# The same by the names of script errors
ERROR_TEXTS = {
    "SCRIPT_ERR_BAD_OPCODE": "Opcode missing or not understood",
    "SCRIPT_ERR_CHECKMULTISIGVERIFY": "Script failed an OP_CHECKMULTISIGVERIFY operation",
    "SCRIPT_ERR_CHECKSIGVERIFY": "Script failed an OP_CHECKSIGVERIFY operation",
    "SCRIPT_ERR_CLEANSTACK": CLEANSTACK,
    "SCRIPT_ERR_DISABLED_OPCODE": "Attempted to use a disabled opcode",
    "SCRIPT_ERR_DISCOURAGE_OP_SUCCESS": DISCOURAGED_SUCCESS,
    "SCRIPT_ERR_DISCOURAGE_UPGRADABLE_NOPS": "NOPx reserved for soft-fork upgrades",
    "SCRIPT_ERR_DISCOURAGE_UPGRADABLE_PUBKEYTYPE": DISCOURAGED_KEY,
    "SCRIPT_ERR_DISCOURAGE_UPGRADABLE_TAPROOT_VERSION": DISCOURAGED_LEAF,
    "SCRIPT_ERR_DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM": DISCOURAGED_PROGRAM,
    "SCRIPT_ERR_EQUALVERIFY": "Script failed an OP_EQUALVERIFY operation",
    "SCRIPT_ERR_EVAL_FALSE": EVAL_FALSE,
    "SCRIPT_ERR_INVALID_ALTSTACK_OPERATION": "Operation not valid with the current altstack size",
    "SCRIPT_ERR_INVALID_STACK_OPERATION": STACK,
    "SCRIPT_ERR_MINIMALDATA": "Data push larger than necessary",
    "SCRIPT_ERR_MINIMALIF": "OP_IF/NOTIF argument must be minimal",
    "SCRIPT_ERR_NEGATIVE_LOCKTIME": "Negative locktime",
    "SCRIPT_ERR_NUMEQUALVERIFY": "Script failed an OP_NUMEQUALVERIFY operation",
    "SCRIPT_ERR_OP_CODESEPARATOR": "Using OP_CODESEPARATOR in non-witness script",
    "SCRIPT_ERR_OP_COUNT": "Operation limit exceeded",
    "SCRIPT_ERR_OP_RETURN": RETURNED,
    "SCRIPT_ERR_PUBKEYTYPE": "Public key is neither compressed or uncompressed",
    "SCRIPT_ERR_PUBKEY_COUNT": "Pubkey count negative or limit exceeded",
    "SCRIPT_ERR_PUSH_SIZE": PUSH_SIZE,
    "SCRIPT_ERR_SCHNORR_SIG": BAD_SCHNORR_SIGNATURE,
    "SCRIPT_ERR_SCHNORR_SIG_HASHTYPE": "Invalid Schnorr signature hash type",
    "SCRIPT_ERR_SCHNORR_SIG_SIZE": "Invalid Schnorr signature size",
    "SCRIPT_ERR_SCRIPTNUM": "Script number overflowed or is non-minimally encoded",
    "SCRIPT_ERR_SCRIPT_SIZE": "Script is too big",
    "SCRIPT_ERR_SIG_COUNT": "Signature count negative or greater than pubkey count",
    "SCRIPT_ERR_SIG_DER": "Non-canonical DER signature",
    "SCRIPT_ERR_SIG_FINDANDDELETE": "Signature is found in scriptCode",
    "SCRIPT_ERR_SIG_HASHTYPE": "Signature hash type missing or not understood",
    "SCRIPT_ERR_SIG_HIGH_S": "Non-canonical signature: S value is unnecessarily high",
    "SCRIPT_ERR_SIG_NULLDUMMY": "Dummy CHECKMULTISIG argument must be zero",
    "SCRIPT_ERR_SIG_NULLFAIL": "Signature must be zero for failed CHECK(MULTI)SIG operation",
    "SCRIPT_ERR_SIG_PUSHONLY": "Only push operators allowed in signatures",
    "SCRIPT_ERR_SLHDSA_SIG": BAD_SIGNATURE,
    "SCRIPT_ERR_SLHDSA_SIG_HASHTYPE": BAD_HASH_TYPE,
    "SCRIPT_ERR_SLHDSA_SIG_SIZE": BAD_SIGNATURE_SIZE,
    "SCRIPT_ERR_STACK_SIZE": "Stack size limit exceeded",
    "SCRIPT_ERR_TAPROOT_WRONG_CONTROL_SIZE": CONTROL_SIZE,
    "SCRIPT_ERR_TAPSCRIPT_CHECKMULTISIG": "OP_CHECKMULTISIG(VERIFY) is not available in tapscript",
    "SCRIPT_ERR_TAPSCRIPT_EMPTY_PUBKEY": EMPTY_KEY,
    "SCRIPT_ERR_TAPSCRIPT_MINIMALIF": "OP_IF/NOTIF argument must be minimal in tapscript",
    "SCRIPT_ERR_TAPSCRIPT_VALIDATION_WEIGHT": WEIGHT,
    "SCRIPT_ERR_UNBALANCED_CONDITIONAL": "Invalid OP_IF construction",
    "SCRIPT_ERR_UNSATISFIED_LOCKTIME": LOCKTIME,
    "SCRIPT_ERR_VERIFY": VERIFY,
    "SCRIPT_ERR_WITNESS_MALLEATED": "Witness requires empty scriptSig",
    "SCRIPT_ERR_WITNESS_MALLEATED_P2SH": "Witness requires only-redeemscript scriptSig",
    "SCRIPT_ERR_WITNESS_PROGRAM_MISMATCH": MISMATCH,
    "SCRIPT_ERR_WITNESS_PROGRAM_WITNESS_EMPTY": EMPTY_WITNESS,
    "SCRIPT_ERR_WITNESS_PROGRAM_WRONG_LENGTH": "Witness program has incorrect length",
    "SCRIPT_ERR_WITNESS_PUBKEYTYPE": "Using non-compressed keys in segwit",
    "SCRIPT_ERR_WITNESS_UNEXPECTED": "Witness provided for non-witness script",
}


@dataclass(frozen=True)
class Valid:
    """A spend that a block may have. mempool: why policy refuses it all the same; None if it does not."""

    name: str
    spend: Spend
    mempool: str | None = None


@dataclass(frozen=True)
class Invalid:
    """A spend that no block may have, and why. mempool: what the mempool says, if that is not the same."""

    name: str
    spend: Spend
    error: str
    mempool: str | None = None


RECOVERY_DELAY = 5  # blocks
TWO_OF_THREE = (pub(0), OP_CHECKSIGSLHDSA, pub(1), OP_CHECKSIGADDSLHDSA, pub(2), OP_CHECKSIGADDSLHDSA, OP_2, OP_NUMEQUAL)
HYBRID = (schnorr_key(0).public, OP_CHECKSIGVERIFY, pub(0), OP_CHECKSIGSLHDSA)
EITHER = ScriptTree([CScript([schnorr_key(0).public, OP_CHECKSIG]), CScript([pub(0), OP_CHECKSIGSLHDSA])])
RECOVERABLE = ScriptTree([CScript([pub(0), OP_CHECKSIGSLHDSA]),
                          CScript([RECOVERY_DELAY, OP_CHECKSEQUENCEVERIFY, OP_DROP, pub(1), OP_CHECKSIGSLHDSA])])
ANNEX = b"\x50annex"
UNKNOWN_LEAF_VERSION = 0xC2
UNKNOWN_KEY = b"\x02" + pub(0)
OP_SUCCESS80 = CScriptOp(80)


def two_of_three(first: int | None, second: int | None, third: int | None) -> Spend:
    """Signatures by these keys, where the script expects keys 0, 1 and 2; None: an empty one."""
    return leaf(*TWO_OF_THREE, stack=lambda s: [b"" if n is None else s.slhdsa(n) for n in (third, second, first)])


def one_leaf(script: CScript) -> Spend:
    return Spend(ScriptTree(script), stack=lambda s: [], anyone_can_spend=True)


def deep(depth: int) -> ScriptTree:
    """The leaf of key 0 below so many branches."""
    tree: TreeSpec = CScript([pub(0), OP_CHECKSIGSLHDSA])
    for _ in range(depth):
        tree = [tree, CLOSED]
    return ScriptTree(tree)


VALID = [
    Valid("single_key", single_key()),
    Valid("two_of_three_first_two", two_of_three(0, 1, None)),
    Valid("two_of_three_last_two", two_of_three(None, 1, 2)),
    Valid("hybrid_in_one_leaf", leaf(*HYBRID, stack=lambda s: [s.slhdsa(), s.schnorr()])),
    Valid("hybrid_in_two_leaves_by_schnorr", Spend(EITHER, leaf=0, stack=lambda s: [s.schnorr()])),
    Valid("hybrid_in_two_leaves_by_slhdsa", Spend(EITHER, leaf=1, stack=lambda s: [s.slhdsa()])),
    Valid("recovery_early_by_owner", Spend(RECOVERABLE, leaf=0, stack=lambda s: [s.slhdsa(0)])),
    Valid("recovery_after_timelock", Spend(RECOVERABLE, leaf=1, stack=lambda s: [s.slhdsa(1)], sequence=RECOVERY_DELAY)),
    Valid("absolute_timelock", leaf(50, OP_CHECKLOCKTIMEVERIFY, OP_DROP, pub(0), OP_CHECKSIGSLHDSA, stack=lambda s: [s.slhdsa()], locktime=50)),
    Valid("deepest_leaf", Spend(deep(128), stack=lambda s: [s.slhdsa()])),
    Valid("after_code_separator", leaf(OP_CODESEPARATOR, pub(0), OP_CHECKSIGSLHDSA, stack=lambda s: [s.slhdsa(codeseparator=0)])),
    *(Valid(f"hash_type_{hash_type:02x}", single_key(stack=lambda s, hash_type=hash_type: [s.slhdsa(0, hash_type)]))
      for hash_type in (0x01, 0x02, 0x03, 0x81, 0x82, 0x83)),
    Valid("signature_measured", leaf(OP_SIZE, SIGNATURE_SIZE, OP_EQUALVERIFY, pub(0), OP_CHECKSIGSLHDSA, stack=lambda s: [s.slhdsa()])),
    Valid("no_signature", leaf(OP_1, OP_NUMEQUAL, stack=lambda s: [b"\x01"])),
    Valid("p2tr_single_key", single_key(p2tr=True)),
    Valid("p2tr_two_of_three", replace(two_of_three(0, None, 2), p2tr=True)),
    # Things that a later soft fork may give a meaning are not relayed.
    Valid("annex", single_key(annex=ANNEX), NONSTANDARD_WITNESS),  # policy-annex
    Valid("p2tr_adding_opcode_alone", leaf(OP_0, pub(0), OP_CHECKSIGADDSLHDSA, stack=lambda s: [s.slhdsa()], p2tr=True)),
    Valid("p2tr_annex", single_key(annex=ANNEX, p2tr=True), NONSTANDARD_WITNESS),
    Valid("unknown_leaf_version", Spend(ScriptTree([Leaf(CScript([OP_RETURN]), UNKNOWN_LEAF_VERSION), CLOSED]), stack=lambda s: []),
          in_mempool(DISCOURAGED_LEAF)),
    Valid("unknown_key_type", leaf(UNKNOWN_KEY, OP_CHECKSIGSLHDSA, stack=lambda s: [b"\x01"]), in_mempool(DISCOURAGED_KEY)),
    Valid("op_success", leaf(OP_SUCCESS80, OP_RETURN, stack=lambda s: []), in_mempool(DISCOURAGED_SUCCESS)),
    Valid("op_success_beside_ours", leaf(pub(0), OP_CHECKSIGSLHDSA, OP_SUCCESS80, stack=lambda s: []), in_mempool(DISCOURAGED_SUCCESS)),
    Valid("tree_of_one_leaf", one_leaf(CLOSED), in_mempool(DISCOURAGED_PROGRAM)),
    # Larger than what is relayed, smaller than what is valid.
    Valid("large_element_without_signature", leaf(OP_DROP, OP_1, stack=lambda s: [bytes(81)]), NONSTANDARD_WITNESS),
]

INVALID = [
    Invalid("signature_with_a_wrong_bit", single_key(stack=lambda s: [flip(s.slhdsa())]), BAD_SIGNATURE),
    Invalid("signature_of_another_key", single_key(stack=lambda s: [s.slhdsa(1)]), BAD_SIGNATURE),
    Invalid("signature_for_another_hash_type", single_key(stack=lambda s: [s.slhdsa(0, SigHash.ALL)[:-1] + b"\x02"]), BAD_SIGNATURE),
    Invalid("signature_before_code_separator", leaf(OP_CODESEPARATOR, pub(0), OP_CHECKSIGSLHDSA, stack=lambda s: [s.slhdsa()]), BAD_SIGNATURE),
    Invalid("annex_not_signed", single_key(change=lambda witness: [*witness, ANNEX]), BAD_SIGNATURE, NONSTANDARD_WITNESS),
    Invalid("p2tr_signature_with_a_wrong_bit", single_key(p2tr=True, stack=lambda s: [flip(s.slhdsa(), 0)]), BAD_SIGNATURE),
    Invalid("second_of_three_signatures", leaf(*TWO_OF_THREE, stack=lambda s: [b"", flip(s.slhdsa(1)), s.slhdsa(0)]), BAD_SIGNATURE),
    Invalid("signature_empty", single_key(stack=lambda s: [b""]), EVAL_FALSE),
    Invalid("signature_one_byte_short", single_key(stack=lambda s: [s.slhdsa()[:-1]]), BAD_SIGNATURE_SIZE, NONSTANDARD_WITNESS),
    Invalid("signature_of_one_byte", single_key(stack=lambda s: [b"\x01"]), BAD_SIGNATURE_SIZE),
    Invalid("signature_two_bytes_long", single_key(stack=lambda s: [s.slhdsa() + bytes(2)]), PUSH_SIZE, NONSTANDARD_WITNESS),
    Invalid("hash_type_default_written_out", single_key(stack=lambda s: [s.slhdsa() + b"\x00"]), BAD_HASH_TYPE),
    Invalid("hash_type_unknown", single_key(stack=lambda s: [s.slhdsa() + b"\x04"]), BAD_HASH_TYPE),
    Invalid("schnorr_signature_for_slhdsa", single_key(stack=lambda s: [s.schnorr()]), BAD_SIGNATURE_SIZE),
    Invalid("hybrid_with_a_wrong_schnorr_signature", leaf(*HYBRID, stack=lambda s: [s.slhdsa(), flip(s.schnorr())]), BAD_SCHNORR_SIGNATURE),
    Invalid("hybrid_with_a_wrong_slhdsa_signature", leaf(*HYBRID, stack=lambda s: [flip(s.slhdsa()), s.schnorr()]), BAD_SIGNATURE),
    Invalid("one_of_three", two_of_three(0, None, None), EVAL_FALSE),
    Invalid("three_of_three", two_of_three(0, 1, 2), EVAL_FALSE),
    Invalid("two_of_three_in_wrong_order", two_of_three(1, 0, None), BAD_SIGNATURE),
    # The script fails by itself: an invalid signature that ran before is what it fails with, a valid one is not.
    Invalid("verify_after_valid_signature", leaf(pub(0), OP_CHECKSIGSLHDSA, OP_VERIFY, OP_0, OP_VERIFY, stack=lambda s: [s.slhdsa()]), VERIFY),
    Invalid("verify_after_invalid_signature", leaf(pub(0), OP_CHECKSIGSLHDSA, OP_VERIFY, OP_0, OP_VERIFY, stack=lambda s: [flip(s.slhdsa())]),
            BAD_SIGNATURE),
    Invalid("recovery_by_wrong_key", Spend(RECOVERABLE, leaf=1, stack=lambda s: [s.slhdsa(0)], sequence=RECOVERY_DELAY), BAD_SIGNATURE),
    Invalid("recovery_without_relative_locktime", Spend(RECOVERABLE, leaf=1, stack=lambda s: [s.slhdsa(1)]), LOCKTIME),
    Invalid("absolute_timelock_too_low", leaf(50, OP_CHECKLOCKTIMEVERIFY, OP_DROP, pub(0), OP_CHECKSIGSLHDSA, stack=lambda s: [s.slhdsa()], locktime=49),
            LOCKTIME),
    Invalid("signature_copied", leaf(OP_DUP, OP_DROP, pub(0), OP_CHECKSIGSLHDSA, stack=lambda s: [s.slhdsa()]), PUSH_SIZE),
    Invalid("signature_as_result", leaf(OP_0, OP_IF, pub(0), OP_CHECKSIGSLHDSA, OP_ENDIF, stack=lambda s: [s.slhdsa()]), PUSH_SIZE),
    Invalid("element_of_521_bytes_without_opcode", leaf(OP_DROP, OP_1, stack=lambda s: [bytes(521)]), PUSH_SIZE, NONSTANDARD_WITNESS),
    Invalid("element_of_7858_bytes", leaf(OP_DROP, pub(0), OP_CHECKSIGSLHDSA, stack=lambda s: [s.slhdsa(), bytes(SIGNATURE_SIZE + 2)]), PUSH_SIZE,
            NONSTANDARD_WITNESS),
    Invalid("too_few_elements", single_key(stack=lambda s: []), STACK),
    Invalid("too_many_elements", single_key(stack=lambda s: [b"\x01", s.slhdsa()]), CLEANSTACK),
    Invalid("empty_key", leaf(OP_0, OP_CHECKSIGSLHDSA, stack=lambda s: [s.slhdsa()]), EMPTY_KEY),
    Invalid("more_checks_than_weight", leaf(*(OP_DUP, schnorr_key(0).public, OP_CHECKSIGVERIFY) * 20, schnorr_key(0).public, OP_CHECKSIG,
                                            stack=lambda s: [s.schnorr()]), WEIGHT),
    Invalid("closed_leaf", Spend(single_key().tree, leaf=1, stack=lambda s: []), RETURNED),
    Invalid("other_script_than_committed", single_key(change=lambda w: [*w[:-2], flip(w[-2], 5), w[-1]]), MISMATCH),
    Invalid("other_path_than_committed", single_key(change=lambda w: [*w[:-1], flip(w[-1])]), MISMATCH),
    Invalid("control_byte_is_even", single_key(change=lambda w: [*w[:-1], flip(w[-1], 0)]), MISMATCH),
    Invalid("control_block_too_long", single_key(change=lambda w: [*w[:-1], w[-1] + b"\x00"]), CONTROL_SIZE),
    Invalid("control_block_too_deep", single_key(change=lambda w: [*w[:-1], w[-1] + bytes(32 * 128)]), CONTROL_SIZE),
    Invalid("control_block_empty", single_key(change=lambda w: [*w[:-1], b""]), CONTROL_SIZE, NONSTANDARD_WITNESS),
    Invalid("no_witness", single_key(change=lambda w: []), EMPTY_WITNESS),
    Invalid("one_witness_element", single_key(change=lambda w: w[-1:]), EMPTY_WITNESS),
    Invalid("key_path_there_is_none", single_key(change=lambda w: [bytes(64)]), EMPTY_WITNESS),
    Invalid("annex_and_one_element", single_key(change=lambda w: [w[-1], ANNEX]), EMPTY_WITNESS, NONSTANDARD_WITNESS),
]
