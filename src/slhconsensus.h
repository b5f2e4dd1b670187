/* Copyright (c) 2026 The slhconsensus developers
 * Distributed under the MIT software license, see the accompanying
 * file COPYING or https://opensource.org/license/mit. */

#ifndef SLHCONSENSUS_H
#define SLHCONSENSUS_H

#include <slhdsa.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * @file
 *
 * Validates Bitcoin transactions and blocks whose coins are locked with SLH-DSA-SHA2-128s (FIPS 205) through P2MR
 * outputs (BIP 360; called P2TSH before version 0.11) and the tapscript opcodes OP_CHECKSIGSLHDSA and
 * OP_CHECKSIGADDSLHDSA, and gives Bitcoin Core's verdict on everything else. What slhdsa.h says of results, errors, ownership, threads,
 * fork() and structures holds here, too; no lock is held while scripts run.
 *
 * Typical use: create one slhc_context, create an slhc_tx for each transaction, and call slhc_verify_input() for each
 * input. With a batch, slhc_verify_input() only collects the input's SLH-DSA signatures (SLHC_DEFERRED), and
 * slhc_batch_verify() verifies all of them together, which is much faster. Without a batch, it runs only in the calling thread. Nothing
 * keeps a pointer into an slhc_tx.
 *
 * Serialized transactions, outputs and blocks are in Bitcoin's network format. Transaction ids are in the byte order of the hash, the
 * reverse of the order in which they are displayed. Scripts know SLHC_SET_128S, and with SLHC_VERIFY_SLHDSA_SETS SLHC_SET_128_24 and
 * SLHC_SET_128_Q40.
 */

/* ------------------------------------------------------------------------------------------------------------- */
/** @name Transactions */
/**@{*/

/** A transaction with the outputs that it spends and the hashes that its inputs share. Immutable, thread-safe. */
typedef struct slhc_tx slhc_tx;

/** Parse a transaction.
 *  @param[in]  raw_tx         serialized, with its witness; no bytes may follow
 *  @param[in]  spent_outputs  n_spent views of one serialized CTxOut (amount, script) each: one per input, in order
 *  @param[in]  n_spent        must be the number of inputs
 *  @return the transaction, which keeps no pointer to the arguments, or NULL (with SLHC_ERR_DATA, the message names the malformed part) */
SLHC_API slhc_tx* slhc_tx_create(slhc_bytes raw_tx, const slhc_bytes* spent_outputs, size_t n_spent) SLHC_WARN_UNUSED_RESULT;

/** Nullable. */
SLHC_API void slhc_tx_destroy(slhc_tx* tx);

/**@}*/
/* ------------------------------------------------------------------------------------------------------------- */
/** @name Script verification */
/**@{*/

/* The rules that apply. Bits 0 to 20 are Bitcoin Core's SCRIPT_VERIFY_* flags, at the same positions. */
#define SLHC_VERIFY_NONE UINT64_C(0)
/* Begin: made from src/script/verify_flags.def by contrib/lint/check_lists.py */
#define SLHC_VERIFY_P2SH (UINT64_C(1) << 0) /**< BIP 16 */
#define SLHC_VERIFY_STRICTENC (UINT64_C(1) << 1) /**< strict DER, defined hash types and key formats (policy) */
#define SLHC_VERIFY_DERSIG (UINT64_C(1) << 2) /**< strict DER signatures, BIP 66 */
#define SLHC_VERIFY_LOW_S (UINT64_C(1) << 3) /**< S is at most half the order (policy) */
#define SLHC_VERIFY_NULLDUMMY (UINT64_C(1) << 4) /**< CHECKMULTISIG's extra element is empty, BIP 147 */
#define SLHC_VERIFY_SIGPUSHONLY (UINT64_C(1) << 5) /**< scriptSig has only pushes (policy) */
#define SLHC_VERIFY_MINIMALDATA (UINT64_C(1) << 6) /**< shortest pushes and numbers (policy) */
#define SLHC_VERIFY_DISCOURAGE_UPGRADABLE_NOPS (UINT64_C(1) << 7) /**< executed NOP1, NOP4 to NOP10 fail (policy) */
#define SLHC_VERIFY_CLEANSTACK (UINT64_C(1) << 8) /**< one element is left; needs P2SH and WITNESS (policy) */
#define SLHC_VERIFY_CHECKLOCKTIMEVERIFY (UINT64_C(1) << 9) /**< BIP 65 */
#define SLHC_VERIFY_CHECKSEQUENCEVERIFY (UINT64_C(1) << 10) /**< BIP 112 */
#define SLHC_VERIFY_WITNESS (UINT64_C(1) << 11) /**< BIP 141 and 143; needs P2SH */
#define SLHC_VERIFY_DISCOURAGE_UPGRADABLE_WITNESS_PROGRAM (UINT64_C(1) << 12) /**< unknown witness programs fail (policy) */
#define SLHC_VERIFY_MINIMALIF (UINT64_C(1) << 13) /**< version 0: IF's argument is empty or 0x01 (policy) */
#define SLHC_VERIFY_NULLFAIL (UINT64_C(1) << 14) /**< a failed ECDSA check needs an empty signature (policy) */
#define SLHC_VERIFY_WITNESS_PUBKEYTYPE (UINT64_C(1) << 15) /**< version 0: compressed keys (policy) */
#define SLHC_VERIFY_CONST_SCRIPTCODE (UINT64_C(1) << 16) /**< legacy: no OP_CODESEPARATOR, no signature in scriptCode (policy) */
#define SLHC_VERIFY_TAPROOT (UINT64_C(1) << 17) /**< BIP 341 and 342 */
#define SLHC_VERIFY_DISCOURAGE_UPGRADABLE_TAPROOT_VERSION (UINT64_C(1) << 18) /**< unknown leaf versions fail (policy) */
#define SLHC_VERIFY_DISCOURAGE_OP_SUCCESS (UINT64_C(1) << 19) /**< OP_SUCCESSx fails (policy) */
#define SLHC_VERIFY_DISCOURAGE_UPGRADABLE_PUBKEYTYPE (UINT64_C(1) << 20) /**< tapscript: unknown key types fail (policy) */
#define SLHC_VERIFY_P2MR (UINT64_C(1) << 21) /**< BIP 360: witness version 2, 32 bytes (P2MR, formerly P2TSH) */
#define SLHC_VERIFY_SLHDSA (UINT64_C(1) << 22) /**< OP_CHECKSIGSLHDSA and OP_CHECKSIGADDSLHDSA in tapscript */
#define SLHC_VERIFY_SLHDSA_SETS (UINT64_C(1) << 23) /**< their keys of 33 bytes: other parameter sets (doc/bip/parameter-sets.md) */

/** The rules for blocks where P2MR and the opcodes are active: all consensus flags, no policy flags. */
#define SLHC_VERIFY_CONSENSUS \
    (SLHC_VERIFY_P2SH | SLHC_VERIFY_DERSIG | SLHC_VERIFY_NULLDUMMY | SLHC_VERIFY_CHECKLOCKTIMEVERIFY | \
     SLHC_VERIFY_CHECKSEQUENCEVERIFY | SLHC_VERIFY_WITNESS | SLHC_VERIFY_TAPROOT | SLHC_VERIFY_P2MR | \
     SLHC_VERIFY_SLHDSA)
/* End: src/script/verify_flags.def */

/* The scripts of an input that may fail, in the order in which they run. */
#define SLHC_SCRIPT_NONE 0    /**< none: the fault lies before a script is found, or in the input as a whole */
#define SLHC_SCRIPT_SIG 1     /**< scriptSig */
#define SLHC_SCRIPT_PUBKEY 2  /**< scriptPubKey */
#define SLHC_SCRIPT_REDEEM 3  /**< the redeem script of P2SH */
#define SLHC_SCRIPT_WITNESS 4 /**< the witness script of P2WSH, and the script that P2WPKH stands for */
#define SLHC_SCRIPT_LEAF 5    /**< the leaf script of P2TR or P2MR */

/** In slhc_failure.opcode_pos: the script ran to its end, or did not start. */
#define SLHC_NO_OPCODE UINT32_C(0xffffffff)

/** The place where an input fails, and why. If a deferred check fails, its tag t, as slhc_batch_verify() hands it back, says all of this:
 *  tag is t[0], input t[1], opcode_pos t[2] / 256, opcode t[2] % 256, script SLHC_SCRIPT_LEAF, script_error SCRIPT_ERR_SLHDSA_SIG's. */
typedef struct {
    size_t struct_size;      /**< in: sizeof(slhc_failure) */
    uint64_t tag;            /**< of the transaction: as passed to slhc_verify_input(), or its index in the block */
    uint32_t input;          /**< index of the input */
    uint32_t opcode_pos;     /**< position of the opcode in its script, counted in opcodes from 0, or SLHC_NO_OPCODE */
    int script_error;        /**< see slhc_script_error_string() */
    int script;              /**< one of SLHC_SCRIPT_* */
    int opcode;              /**< the opcode at opcode_pos; 0xff if there is none or it does not decode */
} slhc_failure;
#define SLHC_FAILURE_INIT {sizeof(slhc_failure), 0, 0, 0, 0, 0, 0}

/** Signatures of every scheme (SLH-DSA, BIP 340, ECDSA) that were found valid, with their messages and keys. Thread-safe. */
typedef struct slhc_signature_cache slhc_signature_cache;

/** @param[in] bytes  most memory that it takes; 0: 16 MiB
 *  @return an empty cache, or NULL */
SLHC_API slhc_signature_cache* slhc_signature_cache_create(size_t bytes) SLHC_WARN_UNUSED_RESULT;

/** Nullable. */
SLHC_API void slhc_signature_cache_destroy(slhc_signature_cache* cache);

/** Verify one input of a transaction.
 *
 *  Without a batch, everything is verified now, in the calling thread and on the CPU. With a batch, the input's SLH-DSA
 *  signatures join it if the script succeeds on the assumption that they are valid. If the script fails, they are verified now, in
 *  order, so that the error is the same as without a batch.
 *
 *  Signatures are first looked up in the cache, if there is one. Without a batch, valid signatures are stored there, so that a
 *  transaction that was verified for the mempool costs almost nothing in a block; with a batch, none are.
 *
 *  @param[in]  n_in          index of the input
 *  @param[in]  flags         SLHC_VERIFY_*; unknown bits, and combinations that Bitcoin Core asserts against (WITNESS
 *                            without P2SH, CLEANSTACK without P2SH and WITNESS), are usage errors
 *  @param[in]  cache         nullable
 *  @param[in]  batch         nullable; must not have been verified
 *  @param[in]  tag           the caller's number for this transaction. The input's checks in the batch have the tag {tag, n_in, position of
 *                            the opcode * 256 + the opcode}, so the lowest check that fails is what verification one by one would have
 *                            met first: SCRIPT_ERR_SLHDSA_SIG at this opcode of the leaf script
 *  @param[out] failure       nullable; filled for SLHC_INVALID, else untouched
 *  @return SLHC_VALID (even with a batch, if nothing was deferred), SLHC_DEFERRED, SLHC_INVALID, or SLHC_ERROR */
SLHC_API int slhc_verify_input(const slhc_context* context, const slhc_tx* tx, unsigned n_in, uint64_t flags,
                               slhc_signature_cache* cache, slhc_batch* batch, uint64_t tag, slhc_failure* failure) SLHC_WARN_UNUSED_RESULT;

/** Name of a script error, e.g. "SCRIPT_ERR_EVAL_FALSE": Bitcoin Core's name if Core has the error.
 *  "SCRIPT_ERR_UNKNOWN_ERROR" for any unknown number. Static storage. */
SLHC_API const char* slhc_script_error_string(int script_error);

/* Findings of slhc_scan_leaf(). */
#define SLHC_LEAF_SLHDSA 1u       /**< one of the two opcodes: initial stack elements may have up to 7857 bytes */
#define SLHC_LEAF_OP_SUCCESS 2u   /**< an OP_SUCCESSx other than these two: the script succeeds without running */
#define SLHC_LEAF_UNDECODABLE 4u  /**< an instruction that does not decode, with no such OP_SUCCESSx before it */

/** Scan a tapscript as the interpreter does before it runs one with SLHC_VERIFY_SLHDSA.
 *  @param[out] found  SLHC_LEAF_* bits
 *  @return SLHC_OK or SLHC_ERROR */
SLHC_API int slhc_scan_leaf(slhc_bytes leaf_script, unsigned* found);

/**@}*/
/* ------------------------------------------------------------------------------------------------------------- */
/** @name Making spends
 *
 *  Everything that a wallet or a test needs to make an output and sign for it. The two hash functions fold a script tree from its
 *  leaves. The control block that spends a leaf of a P2MR output is the leaf version with its low bit set, followed by
 *  the sibling hashes from the leaf up. */
/**@{*/

/* The opcodes that verify a signature, as BIP 342's signature message names them. */
#define SLHC_KEY_VERSION_BIP340 0 /**< OP_CHECKSIG, OP_CHECKSIGVERIFY, OP_CHECKSIGADD, and the key path */
#define SLHC_KEY_VERSION_SLHDSA 2 /**< OP_CHECKSIGSLHDSA, OP_CHECKSIGADDSLHDSA */
#define SLHC_KEY_VERSION_SLHDSA_SETS 3 /**< the same, with a key of another parameter set (SLHC_VERIFY_SLHDSA_SETS) */

/** Compute the hash that a signature in a P2TR or P2MR input signs (BIP 341, BIP 342).
 *  @param[in]  n_in           index of the input
 *  @param[in]  hash_type      0 (DEFAULT: like ALL, but no byte follows the signature), 1, 2, 3, 0x81, 0x82 or 0x83
 *  @param[in]  key_version    one of SLHC_KEY_VERSION_*; for the key path it must be SLHC_KEY_VERSION_BIP340
 *  @param[in]  leaf_hash      32 bytes, see slhc_tapleaf_hash(); NULL: the key path of a P2TR output
 *  @param[in]  annex          the whole element, 0x50 first; size 0: there is none
 *  @param[in]  codeseparator  position, counted in opcodes from 0, of the last OP_CODESEPARATOR executed;
 *                             SLHC_NO_OPCODE: none. No effect on the key path
 *  @param[out] hash           32 bytes
 *  @return SLHC_OK, or SLHC_ERROR (SLHC_ERR_ARGUMENT also for hash type SINGLE if no output has the input's index) */
SLHC_API int slhc_tx_signature_hash(const slhc_tx* tx, unsigned n_in, unsigned hash_type, unsigned key_version,
                                    const unsigned char* leaf_hash, slhc_bytes annex, uint32_t codeseparator,
                                    unsigned char hash[32]) SLHC_WARN_UNUSED_RESULT;

/** Compute a TapLeaf hash (BIP 341).
 *  @param[in]  leaf_version  even, at most 0xfe; 0xc0 is tapscript
 *  @param[out] hash          32 bytes
 *  @return SLHC_OK or SLHC_ERROR */
SLHC_API int slhc_tapleaf_hash(unsigned leaf_version, slhc_bytes script, unsigned char hash[32]);

/** Compute the TapBranch hash (BIP 341) of two nodes, in any order. The result may overwrite an argument.
 *  @return SLHC_OK or SLHC_ERROR */
SLHC_API int slhc_tapbranch_hash(const unsigned char a[32], const unsigned char b[32], unsigned char hash[32]);

/** Compute the key of a P2TR output (BIP 341): the internal key tweaked with the root of a script tree. P2MR has no
 *  such key.
 *  @param[in]  internal_key  32 bytes: the x coordinate of a point; SLHC_ERR_ARGUMENT if there is no such point
 *  @param[in]  root          32 bytes; nullable: an output without scripts
 *  @param[out] output_key    32 bytes: the witness program
 *  @param[out] parity        nullable; 0 or 1: the low bit of the control block's first byte
 *  @return SLHC_OK or SLHC_ERROR */
SLHC_API int slhc_p2tr_output_key(const unsigned char internal_key[32], const unsigned char* root,
                                  unsigned char output_key[32], int* parity);

#define SLHC_ADDRESS_SIZE 91            /**< of the longest address, including its zero byte */
#define SLHC_MAX_WITNESS_PROGRAM_SIZE 40

/** Encode the address of a witness program (BIP 173, BIP 350). P2MR (formerly P2TSH) is version 2 with a tree's
 *  root. If the tree has only one leaf, anyone can spend the output. The root does not show this, so the caller must
 *  check.
 *  @param[in]  network  "mainnet", "testnet", "signet" or "regtest"
 *  @param[in]  version  0 to 16
 *  @param[in]  program  2 to 40 bytes; 20 or 32 for version 0
 *  @param[out] address  SLHC_ADDRESS_SIZE bytes; terminated by a zero byte
 *  @return SLHC_OK or SLHC_ERROR */
SLHC_API int slhc_address_encode(const char* network, unsigned version, slhc_bytes program, char* address);

/** The contents of an address. */
typedef struct {
    size_t struct_size;  /**< in: sizeof(slhc_decoded_address) */
    char prefix[8];      /**< of the network: "bc", "tb" (testnet and signet) or "bcrt" (regtest) */
    unsigned version;    /**< of the witness program */
    size_t program_size;
    unsigned char program[SLHC_MAX_WITNESS_PROGRAM_SIZE];
} slhc_decoded_address;
#define SLHC_DECODED_ADDRESS_INIT {sizeof(slhc_decoded_address), {0}, 0, 0, {0}}

/** Decode an address of any network.
 *  @param[in]  address  terminated by a zero byte
 *  @param[out] decoded  filled
 *  @return SLHC_OK, or SLHC_ERROR (SLHC_ERR_DATA if it is not an address; the message says why) */
SLHC_API int slhc_address_decode(const char* address, slhc_decoded_address* decoded);

/**@}*/
/* ------------------------------------------------------------------------------------------------------------- */
/** @name Blocks */
/**@{*/

/* The uses of a cache in the verification of a block. */
#define SLHC_CACHE_STORE 1        /**< looks up, and stores what was verified: for a block that may come again */
/** Looks up, and marks what was found as erasable, so that later signatures may replace it (until then it can still
 *  be found, even if this block fails or is disconnected again); stores nothing: for a block that joins the chain. */
#define SLHC_CACHE_ERASE_ON_HIT 2

/** Verify the scripts of all inputs of a block except the coinbase's, on all threads of the context, with one batch
 *  for all SLH-DSA signatures. The failure reported is the first in block order, whatever the number of threads and the
 *  backend.
 *
 *  This says nothing about the block's header: it does not check whether the header commits to these transactions and
 *  witnesses, or whether the first transaction is a coinbase. Only if the header does does SLHC_INVALID mean that every block with this
 *  header is invalid.
 *
 *  @param[in]  raw_block      serialized, with witnesses; no bytes may follow
 *  @param[in]  spent_outputs  n_spent views of one serialized CTxOut each: the outputs that the inputs spend, in block order
 *  @param[in]  n_spent        must be the number of inputs of all transactions except the coinbase
 *  @param[in]  flags          as in slhc_verify_input()
 *  @param[in]  cache          nullable
 *  @param[in]  cache_mode     one of SLHC_CACHE_*; without a cache it does not matter
 *  @param[out] failure        nullable; filled for SLHC_INVALID: the first input that fails; the coinbase is transaction 0
 *  @return SLHC_VALID, SLHC_INVALID or SLHC_ERROR */
SLHC_API int slhc_verify_block_scripts(const slhc_context* context, slhc_bytes raw_block, const slhc_bytes* spent_outputs, size_t n_spent,
                                       uint64_t flags, slhc_signature_cache* cache, int cache_mode,
                                       slhc_failure* failure) SLHC_WARN_UNUSED_RESULT;

/**@}*/

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* SLHCONSENSUS_H */
