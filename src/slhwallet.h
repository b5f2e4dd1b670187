/* Copyright (c) 2026 The slhconsensus developers
 * Distributed under the MIT software license, see the accompanying
 * file COPYING or https://opensource.org/license/mit. */

#ifndef SLHWALLET_H
#define SLHWALLET_H

#include <slhconsensus.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * @file
 *
 * Descriptors and PSBTs: more functions of the library of slhconsensus.h. What slhdsa.h says holds here, but that strings live as long as
 * what they were got from.
 */

/* ------------------------------------------------------------------------------------------------------------- */
/** @name Descriptors
 *
 *  Output script descriptors (BIP 380, 385, 386, 387) for outputs with SLH-DSA keys:
 *
 *    mr(TREE)                  P2MR (formerly P2TSH); TREE is a leaf or {TREE,TREE}, and a single leaf is refused: anyone
 *                              could spend it
 *    tr(KEY), tr(KEY,TREE)     P2TR with this internal key
 *    raw(HEX), addr(ADDRESS)   an output script, and one as a segwit address
 *
 *  Leaves are pk(KEY), pk_slhdsa(KEY), multi_a(k,KEY,...), sortedmulti_a(k,KEY,...), multi_slhdsa(k,KEY,...), and
 *  miniscript's (BIP 379) and_v, v:, older, after and sha256. KEY is 64 hex digits (BIP 340: also 66), with or without its
 *  origin before it ([d34db33f/360h/1h]). SLH-DSA has no extended public keys, so there are no ranges. */
/**@{*/

/** A descriptor. Immutable, thread-safe. Views and strings that these functions give out point into it. */
typedef struct slhc_descriptor slhc_descriptor;

/* The types of keys. */
#define SLHC_KEY_SLHDSA 0         /**< SLH-DSA-SHA2-128s */
#define SLHC_KEY_SCHNORR 1        /**< BIP 340 */
#define SLHC_KEY_SLHDSA_SETS 0x100 /**< SLH-DSA with another parameter set: plus its number, SLHC_KEY_SLHDSA_SETS + SLHC_SET_128_24 */

#define SLHC_DESCRIPTOR_CHECKSUM_SIZE 9 /**< of a checksum, including its zero byte */

/** Parse a descriptor.
 *  @param[in]  text              terminated by a zero byte; a checksum in it must be right
 *  @param[in]  require_checksum  not 0: refuse a descriptor without one
 *  @return the descriptor, or NULL (with SLHC_ERR_DATA, the message gives the column, counted from 1, and the reason) */
SLHC_API slhc_descriptor* slhc_descriptor_parse(const char* text, int require_checksum) SLHC_WARN_UNUSED_RESULT;

/** Nullable. */
SLHC_API void slhc_descriptor_destroy(slhc_descriptor* descriptor);

/** Compute the checksum of a descriptor (BIP 380), which need not be one of those known here.
 *  @param[in]  text      terminated by a zero byte; without "#"
 *  @param[out] checksum  SLHC_DESCRIPTOR_CHECKSUM_SIZE bytes; terminated by a zero byte
 *  @return SLHC_OK, or SLHC_ERROR (SLHC_ERR_DATA for "#", and for a character that no descriptor has) */
SLHC_API int slhc_descriptor_checksum(const char* text, char* checksum);

/** The contents of a descriptor. */
typedef struct {
    size_t struct_size;             /**< in: sizeof(slhc_descriptor_info) */
    const char* text;               /**< in its normal form, with the checksum */
    char type[8];                   /**< "mr", "tr", "raw" or "addr" */
    size_t n_keys;                  /**< for slhc_descriptor_get_key() */
    size_t n_leaves;                /**< for slhc_descriptor_get_leaf() */
    slhc_bytes script_pubkey;
    int has_tree;                   /**< 1: merkle_root is set */
    unsigned char merkle_root[32];
    int has_internal_key;           /**< 1: internal_key is set */
    unsigned char internal_key[32]; /**< of P2TR */
} slhc_descriptor_info;
#define SLHC_DESCRIPTOR_INFO_INIT {sizeof(slhc_descriptor_info), NULL, {0}, 0, 0, {NULL, 0}, 0, {0}, 0, {0}}

/** @param[out] info  filled
 *  @return SLHC_OK or SLHC_ERROR */
SLHC_API int slhc_descriptor_get_info(const slhc_descriptor* descriptor, slhc_descriptor_info* info);

/** A key of a descriptor. */
typedef struct {
    size_t struct_size;           /**< in: sizeof(slhc_descriptor_key) */
    int type;                     /**< one of SLHC_KEY_* */
    unsigned char public_key[32]; /**< without the number of a set before it */
    const char* origin;           /**< "d34db33f/360h/1h": fingerprint of the master key, and path; NULL if none is given */
} slhc_descriptor_key;
#define SLHC_DESCRIPTOR_KEY_INIT {sizeof(slhc_descriptor_key), 0, {0}, NULL}

/** @param[in]  index  below slhc_descriptor_info.n_keys, in the order in which they are written
 *  @param[out] key    filled
 *  @return SLHC_OK or SLHC_ERROR */
SLHC_API int slhc_descriptor_get_key(const slhc_descriptor* descriptor, size_t index, slhc_descriptor_key* key);

/** A leaf of a descriptor's tree. */
typedef struct {
    size_t struct_size;          /**< in: sizeof(slhc_descriptor_leaf) */
    const char* text;            /**< as the descriptor writes it */
    unsigned leaf_version;
    slhc_bytes script;
    slhc_bytes control_block;    /**< with which the leaf is spent */
    unsigned char leaf_hash[32]; /**< TapLeaf hash */
} slhc_descriptor_leaf;
#define SLHC_DESCRIPTOR_LEAF_INIT {sizeof(slhc_descriptor_leaf), NULL, 0, {NULL, 0}, {NULL, 0}, {0}}

/** @param[in]  index  below slhc_descriptor_info.n_leaves, from left to right
 *  @param[out] leaf   filled
 *  @return SLHC_OK or SLHC_ERROR */
SLHC_API int slhc_descriptor_get_leaf(const slhc_descriptor* descriptor, size_t index, slhc_descriptor_leaf* leaf);

/** The address of a descriptor's output.
 *  @param[in]  network  "mainnet", "testnet", "signet" or "regtest"
 *  @param[out] address  SLHC_ADDRESS_SIZE bytes; terminated by a zero byte
 *  @return SLHC_OK, or SLHC_ERROR (SLHC_ERR_DATA for a script without address and for an addr() of another network) */
SLHC_API int slhc_descriptor_address(const slhc_descriptor* descriptor, const char* network, char* address);

/**@}*/
/* ------------------------------------------------------------------------------------------------------------- */
/** @name Partially signed transactions
 *
 *  The roles of BIP 174, 370 and 371, for inputs that spend a leaf of a P2MR or P2TR output; other inputs, and fields that are not known,
 *  pass through. doc/psbt.md has the field for SLH-DSA signatures. */
/**@{*/

/** A PSBT. Not thread-safe. Views and strings that these functions give out are valid until the next call with it. */
typedef struct slhc_psbt slhc_psbt;

/** Creator.
 *  @param[in]  tx       the transaction, serialized without witnesses; its scriptSigs do not matter
 *  @param[in]  version  0 (BIP 174) or 2 (BIP 370)
 *  @return the PSBT, or NULL */
SLHC_API slhc_psbt* slhc_psbt_create(slhc_bytes tx, unsigned version) SLHC_WARN_UNUSED_RESULT;

/** @param[in] psbt  the bytes, not base64
 *  @return the PSBT, or NULL (with SLHC_ERR_DATA, the message gives the byte and the field) */
SLHC_API slhc_psbt* slhc_psbt_parse(slhc_bytes psbt) SLHC_WARN_UNUSED_RESULT;

/** Nullable. */
SLHC_API void slhc_psbt_destroy(slhc_psbt* psbt);

/** @param[out] bytes  the PSBT as it is now
 *  @return SLHC_OK or SLHC_ERROR */
SLHC_API int slhc_psbt_serialize(slhc_psbt* psbt, slhc_bytes* bytes);

/* The maps of a PSBT. */
#define SLHC_PSBT_GLOBAL 0
#define SLHC_PSBT_INPUT 1
#define SLHC_PSBT_OUTPUT 2

/** Add a field, replace its value, or remove it.
 *  @param[in] map    one of SLHC_PSBT_GLOBAL, _INPUT and _OUTPUT
 *  @param[in] index  of the input or output; 0 for the global map
 *  @param[in] key    type and key data
 *  @param[in] value  nullable: remove the field
 *  @return SLHC_OK, or SLHC_ERROR (SLHC_ERR_DATA if there is no such map, or a PSBT of this version must have the field, or cannot have it
 *          or this value) */
SLHC_API int slhc_psbt_set_field(slhc_psbt* psbt, int map, unsigned index, slhc_bytes key, const slhc_bytes* value);

/** @param[out] tx  the transaction without scriptSigs and witnesses, serialized
 *  @return SLHC_OK, or SLHC_ERROR (SLHC_ERR_DATA if no lock time suits all inputs of version 2) */
SLHC_API int slhc_psbt_unsigned_tx(slhc_psbt* psbt, slhc_bytes* tx);

/** An input of a PSBT. */
typedef struct {
    size_t struct_size;              /**< in: sizeof(slhc_psbt_input) */
    unsigned char previous_txid[32]; /**< of the output that it spends, in the order of the bytes */
    uint32_t previous_index;
    int is_final;                    /**< 1: it has its scriptSig or witness */
    int has_spent_output;            /**< 1: the next two are set */
    int64_t amount;                  /**< in satoshis */
    slhc_bytes script_pubkey;
    size_t n_leaves;                 /**< for slhc_psbt_get_leaf(); one that is not of the output that is spent does not count */
} slhc_psbt_input;
#define SLHC_PSBT_INPUT_INIT {sizeof(slhc_psbt_input), {0}, 0, 0, 0, 0, {NULL, 0}, 0}

/** @param[out] input  filled
 *  @return SLHC_OK or SLHC_ERROR */
SLHC_API int slhc_psbt_get_input(slhc_psbt* psbt, unsigned n_in, slhc_psbt_input* input);

/** A leaf that an input may spend. */
typedef struct {
    size_t struct_size;          /**< in: sizeof(slhc_psbt_leaf) */
    slhc_bytes script;
    slhc_bytes control_block;
    unsigned leaf_version;
    unsigned char leaf_hash[32]; /**< TapLeaf hash */
} slhc_psbt_leaf;
#define SLHC_PSBT_LEAF_INIT {sizeof(slhc_psbt_leaf), {NULL, 0}, {NULL, 0}, 0, {0}}

/** A leaf of the input that slhc_psbt_get_input() was last called for.
 *  @param[in]  index  below n_leaves
 *  @param[out] leaf   filled
 *  @return SLHC_OK or SLHC_ERROR */
SLHC_API int slhc_psbt_get_leaf(const slhc_psbt* psbt, size_t index, slhc_psbt_leaf* leaf);

/** Updater: a leaf that an input may spend, with the merkle root and, for P2TR, the internal key.
 *  @return SLHC_OK, or SLHC_ERROR (SLHC_ERR_DATA if the output that is spent is not known, or has no such leaf) */
SLHC_API int slhc_psbt_add_leaf(slhc_psbt* psbt, unsigned n_in, slhc_bytes control_block, unsigned leaf_version, slhc_bytes script);

/** Updater: the preimage of a SHA-256 hash for which a leaf of an input asks.
 *  @return SLHC_OK, or SLHC_ERROR (SLHC_ERR_DATA if none does) */
SLHC_API int slhc_psbt_add_preimage(slhc_psbt* psbt, unsigned n_in, slhc_bytes preimage);

#define SLHC_PSBT_ASKED_HASH_TYPE (-1) /**< the PSBT's requested hash type, or DEFAULT */

/** Signer: find the signatures that a key has to make: for each leaf that asks for it, whose lock times the transaction meets, and that
 *  lacks one that will be used. An input that cannot be signed, since the PSBT asks for another hash type, or one that is undefined, or
 *  SINGLE without an output, or since the leaf is not of the output that is spent, is passed over if there is another one to sign.
 *  @param[in]  key_type   one of SLHC_KEY_*
 *  @param[in]  hash_type  or SLHC_PSBT_ASKED_HASH_TYPE
 *  @param[out] n          the number that slhc_psbt_get_to_sign() has now
 *  @return SLHC_OK, or SLHC_ERROR (SLHC_ERR_DATA if a spent output is not known, or if no input that asks for the key can be signed) */
SLHC_API int slhc_psbt_find_to_sign(slhc_psbt* psbt, int key_type, const unsigned char public_key[32], int hash_type, size_t* n);

/** A signature that is to be made. */
typedef struct {
    size_t struct_size; /**< in: sizeof(slhc_psbt_to_sign) */
    unsigned input;
    unsigned hash_type; /**< that follows the signature, unless it is 0 */
    unsigned char leaf_hash[32];
    unsigned char hash[32]; /**< the message to sign */
} slhc_psbt_to_sign;
#define SLHC_PSBT_TO_SIGN_INIT {sizeof(slhc_psbt_to_sign), 0, 0, {0}, {0}}

/** @param[in]  index    below n
 *  @param[out] to_sign  filled
 *  @return SLHC_OK or SLHC_ERROR */
SLHC_API int slhc_psbt_get_to_sign(const slhc_psbt* psbt, size_t index, slhc_psbt_to_sign* to_sign);

/** Signer: add a signature, with its hash type unless that is DEFAULT, or replace one. It is not verified.
 *  @return SLHC_OK, or SLHC_ERROR (SLHC_ERR_DATA if the input has no such leaf that asks for a signature by this key, or the size is
 *          wrong) */
SLHC_API int slhc_psbt_add_signature(slhc_psbt* psbt, unsigned n_in, const unsigned char leaf_hash[32], int key_type,
                                     const unsigned char public_key[32], slhc_bytes signature);

/** Combiner: merge another PSBT of the same transaction and version into this one. Of two signatures for one key and leaf, the first valid
 *  one is kept, rather one of the hash type that is asked for; of any other field psbt's value.
 *  @return SLHC_OK, or SLHC_ERROR (SLHC_ERR_DATA if they do not belong together); psbt is then as it was */
SLHC_API int slhc_psbt_combine(slhc_psbt* psbt, const slhc_psbt* other);

/** Finalizer: make the smallest witness of each input that is not final, from a leaf for which the valid signatures suffice and whose lock
 *  times the transaction meets. An input that does not become final keeps all its fields.
 *  @param[out] missing  nullable; a line for each input that is not final: "input 0: needs 2 signatures, but has 1"
 *  @return SLHC_VALID: every input is final; SLHC_INVALID; or SLHC_ERROR (SLHC_ERR_DATA if a spent output is not known) */
SLHC_API int slhc_psbt_finalize(slhc_psbt* psbt, const char** missing) SLHC_WARN_UNUSED_RESULT;

/** Extractor.
 *  @param[out] tx  the signed transaction, serialized; it is valid by the consensus rules
 *  @return SLHC_OK, or SLHC_ERROR (SLHC_ERR_DATA if an input is not final, or the transaction is not valid) */
SLHC_API int slhc_psbt_extract(slhc_psbt* psbt, slhc_bytes* tx);

/**@}*/

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* SLHWALLET_H */
