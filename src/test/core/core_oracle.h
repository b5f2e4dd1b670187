// Copyright (c) 2026 The slhconsensus developers
// Distributed under the MIT software license, see the accompanying
// file COPYING or https://opensource.org/license/mit.

#ifndef SLHCONSENSUS_TEST_CORE_CORE_ORACLE_H
#define SLHCONSENSUS_TEST_CORE_CORE_ORACLE_H

/**
 * The interface of a test-only build of Bitcoin Core's sources. The shared object exports one symbol,
 * core_oracle_get, which returns a table of functions; everything else in it is local, so that it can live in one
 * process with this project's library, libsecp256k1, or another build of Bitcoin Core. There are two of them: Core as it
 * is today, and Core with the rules of contrib/bitcoin-core in it.
 *
 * Plain C on purpose: the two sides are compiled by different compilers, against headers of the same names.
 * All functions are thread-safe; a transaction is immutable once made. Nothing is thrown across this boundary.
 */

#include <slhdsa.h>

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Raised with every change of this header that the two sides must agree on. */
#define CORE_ORACLE_ABI 5

typedef struct core_oracle_tx core_oracle_tx;

/** Kinds of signatures. */
enum {
    CORE_ORACLE_ECDSA,
    CORE_ORACLE_SCHNORR,
    CORE_ORACLE_SLHDSA
};

/** A signature check as it reaches the cryptography: everything before it, the signature hash too, is done.
 *  signature is without its hash type byte. Answers 1 if the check is to pass, else 0. */
typedef int (*core_oracle_check)(void* user, int kind, const unsigned char* signature, size_t signature_size,
                                 const unsigned char* pubkey, size_t pubkey_size, const unsigned char hash[32]);

/** slhc_slhdsa_verify, which Core with the rules calls for every SLH-DSA signature: the library's own, or something in its place. */
typedef int (*core_oracle_slhdsa_verify)(int set, const unsigned char public_key[32], slhc_bytes message, slhc_bytes ctx,
                                         slhc_bytes signature);

/** The treatment of SLH-DSA signatures. */
enum {
    CORE_ORACLE_EAGER,    /* each is verified when the script asks for it */
    CORE_ORACLE_DEFERRED, /* staged, and verified after the script, as for a block */
    CORE_ORACLE_CACHED    /* as DEFERRED, by a cache that an eager run has filled before */
};

/** The answer about an input. */
typedef struct {
    int script_error; /* Core's ScriptError; 0 when valid */
    size_t n_staged;  /* SLH-DSA signatures that were deferred */
} core_oracle_answer;

typedef struct {
    uint32_t abi;  /* CORE_ORACLE_ABI */
    int has_rules; /* 1: Core with the rules of contrib/bitcoin-core; 0: Core as it is today */

    /** A transaction with its spent outputs. spent is the concatenation of one serialized CTxOut per input, in order.
     *  NULL if Core's deserialization refuses either, if bytes are left over, or if there is no input. */
    core_oracle_tx* (*tx_create)(const unsigned char* raw, size_t raw_size, const unsigned char* spent, size_t spent_size);
    void (*tx_destroy)(core_oracle_tx* tx);

    /** As above, for a transaction alone: 1 and its identifiers and sizes if Core parses it to the last byte, else 0.
     *  Also 0 if it does not serialize back to the same bytes, which Core guarantees for what it accepts. */
    int (*tx_parse)(const unsigned char* raw, size_t raw_size, unsigned char txid[32], unsigned char wtxid[32], size_t* stripped_size);

    /** VerifyScript of input n_in: 1 valid, 0 invalid, -1 if Core would not take the question: no such input, a
     *  negative amount spent, flags that it does not have, or flags against which it asserts (WITNESS needs P2SH, CLEANSTACK needs
     *  both). timing other than EAGER is for Core with the rules. slhdsa_verify may be NULL if has_rules is 0. */
    int (*verify)(const core_oracle_tx* tx, uint32_t n_in, uint64_t flags, int timing, core_oracle_slhdsa_verify slhdsa_verify,
                  core_oracle_answer* answer);

    /** The work of a block's validation for the scripts of a transaction: the hashes that its inputs share, then VerifyScript of each, with
     *  check in the place of libsecp256k1 if it is not NULL. 1 all inputs valid, 0 one is not, -1 as above. */
    int (*verify_tx)(const core_oracle_tx* tx, uint64_t flags, core_oracle_check check, void* user);

    /** GetSigOpCount(accurate) of a script alone. */
    uint32_t (*script_sigops)(const unsigned char* script, size_t size, int accurate);
    /** Signature operations of the redeem script and of the witness of one input, as Core counts them: accurately. */
    uint32_t (*p2sh_sigops)(const core_oracle_tx* tx, uint32_t n_in);
    uint32_t (*witness_sigops)(const core_oracle_tx* tx, uint32_t n_in, uint64_t flags);
    /** Bit 0: IsPushOnly, 1: IsUnspendable, 2: IsPayToScriptHash, 3: IsPayToAnchor, 4: IsPayToTaproot, 5: IsPayToWitnessScriptHash, 6:
     *  IsWitnessProgram. */
    uint32_t (*script_properties)(const unsigned char* script, size_t size);

    /** Core's spelling, as in SCRIPT_ERR_EVAL_FALSE and SCRIPT_VERIFY_P2SH; NULL past the last. */
    const char* (*script_error_name)(int script_error);
    const char* (*flag_name)(int bit);

    /** The SHA-256 code that Core found best on this machine, and the compiler of the whole build. With SLHC_CORE_SHA256=standard in the
     *  environment it is the code in C++. */
    const char* (*sha256_implementation)(void);
    const char* (*compiler)(void);
} core_oracle;

#ifdef __cplusplus
}
#endif

#endif // SLHCONSENSUS_TEST_CORE_CORE_ORACLE_H
