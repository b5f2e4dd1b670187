/* Copyright (c) 2026 The slhconsensus developers
 * Distributed under the MIT software license, see the accompanying
 * file COPYING or https://opensource.org/license/mit. */

#ifndef SLHCONSENSUS_TEST_CORE_SPEND_GENERATOR_H
#define SLHCONSENSUS_TEST_CORE_SPEND_GENERATOR_H

/**
 * Spends for fuzzers: a fuzzer's bytes are decisions, by which a transaction is made whose scripts, commitments, signatures and budgets
 * mostly hold. The same bytes make the same spend, on every machine. There is no script interpreter in this library (doc/fuzzing.md).
 */

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum slhc_spend_scope {
    SLHC_SPEND_CORE, /* outputs and opcodes of Bitcoin Core's rules, and its flags */
    SLHC_SPEND_ALL,  /* also P2MR outputs, the SLH-DSA opcodes, and their flags */
    SLHC_SPEND_QUICK /* as ALL, with a quick stand-in for SLH-DSA that only this project's targets verify (slhdsa_scheme.h) */
};

struct slhc_spent_output {
    int64_t amount; /* may be out of range, for SLHC_SPEND_CORE, too */
    const unsigned char* script_pubkey;
    size_t script_pubkey_size;
};

struct slhc_spend {
    const unsigned char* tx; /* with witnesses, as in a block */
    size_t tx_size;
    const struct slhc_spent_output* spent_outputs; /* of each input */
    size_t n_spent_outputs;
    uint32_t input; /* the one that this is about */
    uint32_t flags; /* SCRIPT_VERIFY_..., by their places in Bitcoin Core 31; never WITNESS without P2SH, nor CLEANSTACK without both */
};

/** Make a spend. It is the caller's until the next call in the same thread.
 *  @return 1; 0 if there is no memory */
int slhc_generate_spend(const unsigned char* data, size_t size, enum slhc_spend_scope scope, struct slhc_spend* spend);

#ifdef __cplusplus
}
#endif

#endif /* SLHCONSENSUS_TEST_CORE_SPEND_GENERATOR_H */
