// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TEST_CORE_CORE_ORACLE_H
#define SLHCONSENSUS_TEST_CORE_CORE_ORACLE_H

/**
 * What the test-only build of Bitcoin Core's sources answers. The shared object exports one symbol,
 * core_oracle_get, which returns a table of functions; everything else in it is local, so that it can live in one
 * process with this project's library, libsecp256k1, or even another build of Bitcoin Core.
 *
 * Plain C on purpose: the two sides are compiled by different compilers, against headers of the same names.
 * All functions are thread-safe; a transaction is immutable once made. Nothing is thrown across this boundary.
 */

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Raised whenever this header changes in a way that the two sides must agree on. */
#define CORE_ORACLE_ABI 1

typedef struct core_oracle_tx core_oracle_tx;

/** BIP 341 signature message parts that come from the script execution. */
typedef struct {
    int tapscript;                     /* 0: key path, the three fields below are ignored */
    const unsigned char* tapleaf_hash; /* 32 bytes */
    uint32_t codeseparator_pos;
    const unsigned char* annex; /* with its 0x50; NULL: none. Committed to in both paths. */
    size_t annex_size;
} core_oracle_schnorr_context;

typedef struct {
    uint32_t abi; /* CORE_ORACLE_ABI */

    /** A transaction with what it spends. spent is the concatenation of one serialized CTxOut per input, in order.
     *  NULL if Core's deserialization refuses either, if bytes are left over, or if there is no input. */
    core_oracle_tx* (*tx_create)(const unsigned char* raw, size_t raw_size, const unsigned char* spent, size_t spent_size);
    void (*tx_destroy)(core_oracle_tx* tx);

    /** As above, for a transaction alone: 1 and its identifiers and sizes if Core parses it to the last byte, else 0.
     *  Also 0 if it does not serialize back to the same bytes, which Core guarantees for what it accepts. */
    int (*tx_parse)(const unsigned char* raw, size_t raw_size, unsigned char txid[32], unsigned char wtxid[32], size_t* stripped_size);

    /** VerifyScript of input n_in: 1 valid, 0 invalid, -1 if n_in or the flags are none that Core accepts (it asserts
     *  WITNESS => P2SH and CLEANSTACK => P2SH and WITNESS). *script_error is Core's ScriptError; 0 when valid. */
    int (*verify)(const core_oracle_tx* tx, uint32_t n_in, uint64_t flags, int* script_error);

    /** Signature hash before taproot. version_0: BIP 143's, with the spent output's amount; else the original one. */
    void (*sighash)(const core_oracle_tx* tx, uint32_t n_in, const unsigned char* script_code, size_t script_code_size, int32_t hash_type, int version_0, unsigned char hash[32]);
    /** BIP 341 and 342 signature hash; 0 if the hash type has none here (undefined, or SINGLE without its output). */
    int (*sighash_schnorr)(const core_oracle_tx* tx, uint32_t n_in, uint8_t hash_type, const core_oracle_schnorr_context* context, unsigned char hash[32]);

    /** GetSigOpCount(accurate) of a script alone. */
    uint32_t (*script_sigops)(const unsigned char* script, size_t size, int accurate);
    /** Signature operations of the redeem script and of the witness of one input, as Core counts them: accurately. */
    uint32_t (*p2sh_sigops)(const core_oracle_tx* tx, uint32_t n_in);
    uint32_t (*witness_sigops)(const core_oracle_tx* tx, uint32_t n_in, uint64_t flags);
    /** Bit 0: IsPushOnly, 1: IsUnspendable, 2: IsPayToScriptHash, 3: IsPayToAnchor, 4: IsPayToTaproot, 5: IsPayToWitnessScriptHash, 6: IsWitnessProgram. */
    uint32_t (*script_properties)(const unsigned char* script, size_t size);

    /** Core's spelling, as in SCRIPT_ERR_EVAL_FALSE and SCRIPT_VERIFY_P2SH; NULL past the last. */
    const char* (*script_error_name)(int script_error);
    const char* (*flag_name)(int bit);
} core_oracle;

#ifdef __cplusplus
}
#endif

#endif // SLHCONSENSUS_TEST_CORE_CORE_ORACLE_H
