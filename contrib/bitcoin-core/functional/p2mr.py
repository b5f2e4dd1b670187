# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""P2MR outputs (BIP 360; P2TSH before its version 0.11) and SLH-DSA signatures, for functional tests of Bitcoin Core.

Works with the classes of Core's test_framework. slhdsa.py is the reference model of the BIP text.

    tree = p2mr_construct([("key", CScript([key.pubkey, OP_CHECKSIGSLHDSA])), ("closed", CScript([OP_RETURN]))])
    # ... pay to tree.scriptPubKey, and spend that output with input 0 of tx:
    signature = sign_input_slhdsa(tx, 0, [spent_output], tree.leaves["key"], key)
    tx.wit.vtxinwit[0].scriptWitness.stack = p2mr_witness(tree.leaves["key"], [signature])

Signatures are made in Python, in about two seconds each. If SLHCONSENSUS_LIBRARY names the shared library (libslhconsensus.so),
that makes them, in milliseconds. Either way the same key and message give the same signature.
"""

from collections import namedtuple
import ctypes
import functools
import os

from test_framework.address import program_to_witness
from test_framework.script import (
    CScript,
    CScriptOp,
    OP_2,
    OPCODE_NAMES,
    TaggedHash,
    TaprootLeafInfo,
    TaprootSignatureMsg,
    taproot_tree_helper,
)

import slhdsa

# Tapscript opcodes; OP_SUCCESS127 and OP_SUCCESS128 where the deployment is not active.
OP_CHECKSIGSLHDSA = CScriptOp(0x7f)
OP_CHECKSIGADDSLHDSA = CScriptOp(0x80)
OPCODE_NAMES.update({
    OP_CHECKSIGSLHDSA: 'OP_CHECKSIGSLHDSA',
    OP_CHECKSIGADDSLHDSA: 'OP_CHECKSIGADDSLHDSA',
})

SLHDSA_PUBKEY_SIZE = slhdsa.PUBLIC_KEY_SIZE
SLHDSA_SIG_SIZE = slhdsa.SIGNATURE_SIZE  # a hash type other than SIGHASH_DEFAULT is one more byte

# key_version of BIP 342's signature message
KEY_VERSION_BIP340 = 0x00
KEY_VERSION_SLHDSA = 0x02
# Its codesep_pos if no OP_CODESEPARATOR has been executed
NO_CODESEPARATOR = 0xffffffff


# Keys and signatures: SLH-DSA-SHA2-128s (FIPS 205), pure, with an empty context string

class SLHDSAKey:
    """A key pair, made from 48 bytes: SK.seed, SK.prf and PK.seed."""

    def __init__(self, seed):
        assert len(seed) == 48
        self._secret = slhdsa.slh_keygen_internal(seed[:16], seed[16:32], seed[32:])

    @property
    def pubkey(self):
        """PK.seed || PK.root, 32 bytes."""
        return self._secret[-SLHDSA_PUBKEY_SIZE:]

    def sign(self, msg):
        """The deterministic signature of a message, 7856 bytes."""
        library = _library()
        return library.sign(self._secret, msg) if library else slhdsa.slh_sign(msg, b"", self._secret)


def verify_slhdsa(pubkey, sig, msg):
    """Return true if sig is a signature of msg. Takes some milliseconds."""
    return slhdsa.slh_verify(msg, sig, b"", pubkey)


SLHC_OK = 1  # of slhdsa.h


class _Bytes(ctypes.Structure):
    """slhc_bytes of slhdsa.h"""
    _fields_ = [("data", ctypes.c_char_p), ("size", ctypes.c_size_t)]


class _Library:
    def __init__(self, path):
        self._lib = ctypes.CDLL(path)
        self._lib.slhc_context_create.restype = ctypes.c_void_p
        self._lib.slhc_slhdsa_sign.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_char_p, _Bytes, _Bytes, ctypes.c_char_p, ctypes.c_char_p,
                                               ctypes.c_void_p, ctypes.c_void_p]
        self._context = self._lib.slhc_context_create(None)
        if not self._context:
            raise RuntimeError(f"{path}: slhc_context_create failed (SLHC_LOG=error says why)")

    def sign(self, secret, msg):
        signature = ctypes.create_string_buffer(SLHDSA_SIG_SIZE)
        if self._lib.slhc_slhdsa_sign(self._context, 0, secret, _Bytes(msg, len(msg)), _Bytes(None, 0), None, signature, None, None) != SLHC_OK:
            raise RuntimeError("slhc_slhdsa_sign failed")
        return signature.raw


@functools.cache
def _library():
    path = os.environ.get("SLHCONSENSUS_LIBRARY")
    return _Library(path) if path else None


# Signature messages

def TapscriptSignatureMsg(txTo, spent_utxos, hash_type, input_index=0, *, codeseparator_pos=NO_CODESEPARATOR, **kwargs):
    """BIP 342's signature message. kwargs: those of TaprootSignatureMsg."""
    # Core's versions disagree on how to be given NO_CODESEPARATOR: 30 takes it as -1 alone, 31 does not.
    msg = TaprootSignatureMsg(txTo, spent_utxos, hash_type, input_index, scriptpath=True, codeseparator_pos=0, **kwargs)
    return msg[:-4] + codeseparator_pos.to_bytes(4, "little")


def SLHDSASignatureMsg(*args, **kwargs):
    """The same with the key version of SLH-DSA."""
    msg = TapscriptSignatureMsg(*args, **kwargs)
    # It ends with the key version and the position of the last OP_CODESEPARATOR.
    assert msg[-5] == KEY_VERSION_BIP340
    return msg[:-5] + bytes([KEY_VERSION_SLHDSA]) + msg[-4:]


def SLHDSASignatureHash(*args, **kwargs):
    """The message that an SLH-DSA signature signs."""
    return TaggedHash("TapSighash", SLHDSASignatureMsg(*args, **kwargs))


def sign_input_slhdsa(tx, input_index, spent_utxos, leaf, key, hash_type=0, *, annex=None, codeseparator_pos=NO_CODESEPARATOR):
    """The signature of an input that spends a leaf (a TaprootLeafInfo) of a P2MR or P2TR output: a stack element with its hash type."""
    msg = SLHDSASignatureHash(tx, spent_utxos, hash_type, input_index, leaf_script=leaf.script, leaf_ver=leaf.version, annex=annex,
                              codeseparator_pos=codeseparator_pos)
    return key.sign(msg) + (bytes([hash_type]) if hash_type else b"")


# Outputs

# A P2MRInfo object has the following fields:
# - scriptPubKey: the scriptPubKey (witness v2 CScript)
# - leaves: a dict of name -> TaprootLeafInfo objects for all known leaves
# - merkle_root: the script tree's Merkle root
P2MRInfo = namedtuple("P2MRInfo", "scriptPubKey,leaves,merkle_root")


def p2mr_construct(scripts, *, anyone_can_spend=False):
    """Construct a P2MR output.

    scripts: a list of items as for taproot_construct, at least one.
    anyone_can_spend: make an output with a single leaf. Such an output is spent without running the script, as its control
        block has no path.

    Returns: a P2MRInfo object
    """
    tree = scripts
    while isinstance(tree, list) and len(tree) == 1:
        tree = tree[0]
    if isinstance(tree, tuple) and not anyone_can_spend:
        raise ValueError("anyone can spend a P2MR output with a single leaf: add another one, for example OP_RETURN")
    ret, merkle_root = taproot_tree_helper(scripts)
    leaves = {name: TaprootLeafInfo(script, version, merklebranch, leaf) for name, version, script, merklebranch, leaf in ret}
    return P2MRInfo(CScript([OP_2, merkle_root]), leaves, merkle_root)


def p2mr_address(tree, main=False):
    """The address of a P2MR output."""
    return program_to_witness(2, tree.merkle_root, main)


# Spends

def p2mr_control_block(leaf):
    """The control block of a leaf (a TaprootLeafInfo): its version with the low bit set, and its path."""
    return bytes([leaf.version | 1]) + leaf.merklebranch


def p2mr_witness(leaf, stack, annex=None):
    """The witness stack that spends a leaf. stack: what the script gets, its top element last."""
    return [*stack, bytes(leaf.script), p2mr_control_block(leaf)] + ([] if annex is None else [annex])
