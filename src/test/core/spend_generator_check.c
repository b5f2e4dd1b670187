/* Copyright (c) 2026 The slhconsensus developers
 * Distributed under the MIT software license, see the accompanying
 * file COPYING or https://opensource.org/license/mit. */

/* Of the spends that the generator makes of arbitrary bytes, most hold, in each scope and with real signatures; the same bytes make the same. */

#include <slhconsensus.h>
#include <test/core/spend_generator.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N_SPENDS 2000
#define MAX_OUTPUTS 16

static void must(int holds, const char* what)
{
    if (holds) return;
    fprintf(stderr, "spend_generator_check: does not hold: %s\n", what);
    exit(1);
}

static int verify(const slhc_context* context, const struct slhc_spend* spend)
{
    static unsigned char serialized[MAX_OUTPUTS][20000];
    slhc_bytes outputs[MAX_OUTPUTS];
    const slhc_bytes raw = {spend->tx, spend->tx_size};
    slhc_failure failure = SLHC_FAILURE_INIT;
    slhc_tx* tx;
    size_t i, j;
    int verdict;

    must(spend->n_spent_outputs <= MAX_OUTPUTS && spend->input < spend->n_spent_outputs, "as many outputs as inputs");
    for (i = 0; i < spend->n_spent_outputs; ++i) {
        const struct slhc_spent_output* const output = &spend->spent_outputs[i];
        unsigned char* const to = serialized[i];
        must(output->script_pubkey_size < 20000 - 11, "scripts are not too long");
        for (j = 0; j < 8; ++j) to[j] = (unsigned char)((uint64_t)output->amount >> (8 * j));
        to[8] = output->script_pubkey_size < 253 ? (unsigned char)output->script_pubkey_size : 253;
        to[9] = (unsigned char)output->script_pubkey_size;
        to[10] = (unsigned char)(output->script_pubkey_size >> 8);
        outputs[i].size = (to[8] < 253 ? 9U : 11U) + output->script_pubkey_size;
        outputs[i].data = to;
        if (output->script_pubkey_size > 0) memcpy(to + (to[8] < 253 ? 9 : 11), output->script_pubkey, output->script_pubkey_size);
    }
    tx = slhc_tx_create(raw, outputs, spend->n_spent_outputs);
    must(tx != NULL, "a transaction that parses");
    verdict = slhc_verify_input(context, tx, spend->input, spend->flags, NULL, NULL, 0, &failure);
    must(verdict == SLHC_VALID || verdict == SLHC_INVALID, "flags that can be asked for");
    slhc_tx_destroy(tx);
    return verdict == SLHC_VALID;
}

int main(void)
{
    static const enum slhc_spend_scope scopes[] = {SLHC_SPEND_CORE, SLHC_SPEND_ALL};
    static const int n_valid[] = {1278, 1591}; /* by any compiler */
    slhc_context_options options = SLHC_CONTEXT_OPTIONS_INIT;
    slhc_context* context;
    size_t scope;

    options.backend = "cpu";
    context = slhc_context_create(&options);
    must(context != NULL, "a context");
    for (scope = 0; scope < 2; ++scope) {
        uint64_t state = 1;
        int n, valid = 0, large = 0;
        for (n = 0; n < N_SPENDS; ++n) {
            unsigned char input[160] = {0}; /* the usual flags, and a plan */
            unsigned char* copy;
            struct slhc_spend spend;
            size_t i, size;
            for (i = 5; i < sizeof(input); ++i) {
                state = state * 6364136223846793005u + 1442695040888963407u;
                input[i] = (unsigned char)(state >> 56);
            }
            must(slhc_generate_spend(input, sizeof(input), scopes[scope], &spend), "memory");
            must(scope > 0 || spend.flags < 1u << 21, "no flag that Bitcoin Core does not have");
            valid += verify(context, &spend);
            large += spend.tx_size > SLHC_SIGNATURE_SIZE;
            size = spend.tx_size;
            copy = malloc(size);
            must(copy != NULL, "memory");
            memcpy(copy, spend.tx, size);
            must(slhc_generate_spend(input, sizeof(input), scopes[scope], &spend) && spend.tx_size == size && memcmp(copy, spend.tx, size) == 0,
                 "the same bytes make the same spend");
            free(copy);
        }
        printf("%s: %d of %d valid, %d with room for an SLH-DSA signature\n", scope ? "all" : "core", valid, N_SPENDS, large);
        must(valid == n_valid[scope], "as many are valid as ever: the same bytes make the same spend");
        must(scope == 0 || large > N_SPENDS / 40, "some have an SLH-DSA signature");
    }
    slhc_context_destroy(context);
    return 0;
}
