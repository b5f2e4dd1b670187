# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""SLH-DSA-SHA2-128s signatures in Bitcoin scripts: keys, P2MR (P2TSH) outputs, spends, and their verification.

See README.md of the package for examples.
"""

from .address import DecodedAddress, Network, decode_address, encode_address
from .context import (BackendInfo, BackendStatistics, Context, LogLevel, Statistics, default_context, list_backends)
from .errors import (ArgumentError, BackendError, DataError, InternalError, InterruptedContextError, OneLeafTreeError, OutOfMemoryError,
                     SlhcError, StateError)
from .keys import (ADDRND_SIZE, MAX_CONTEXT_SIZE, PUBLIC_KEY_SIZE, SECRET_KEY_SIZE, SEED_SIZE, SIGNATURE_SIZE, PublicKey, SecretKey,
                   VerifyJob, verify_many)
from .script import *  # noqa: F403 (the opcodes)
from .script import OPCODE_NAMES, OPCODES_BY_NAME, CScript, CScriptOp, push, push_number, script_number
from .spend import SigHash, sign_input, with_hash_type
from .text import format_script, parse_hex, parse_script
from .transaction import (COIN, SEQUENCE_FINAL, SEQUENCE_LOCKTIME_DISABLE_FLAG, SEQUENCE_LOCKTIME_TYPE_FLAG, CBlock, COutPoint,
                          CScriptWitness, CTransaction, CTxIn, CTxInWitness, CTxOut, CTxWitness)
from .tree import (LEAF_VERSION_TAPSCRIPT, NUMS_KEY, Leaf, ScriptTree, TaprootOutput, TreeLeaf, p2mr_script_pubkey, tapbranch_hash,
                   tapleaf_hash)
from .verify import (KEY_VERSION_BIP340, KEY_VERSION_SLHDSA, SCRIPT_ERRORS, Batch, BlockCheck, CacheMode, Failure, InputResult,
                     LeafFeatures, Result, Transaction, Verdict, VerifyFlags, check_block, scan_leaf, script_error_name,
                     verify_block_scripts, verify_input, verify_witness_program)
from ._library import version

__all__ = [name for name in globals() if not name.startswith("_")]
