/* Copyright (c) 2026 The slhconsensus developers
 * Distributed under the MIT software license, see the accompanying
 * file COPYING or https://opensource.org/license/mit. */

/* Signs a few messages, puts the signatures into a batch, one of them spoilt, and asks which one is bad. */

#include <slhdsa.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N_SIGNATURES 4
#define SPOILT 2

static void fail(const char* what)
{
    slhc_error error = SLHC_ERROR_INIT;
    if (slhc_last_error(&error) != SLHC_OK) error.message[0] = '\0';
    fprintf(stderr, "%s: %s\n", what, error.message);
    exit(1);
}

int main(void)
{
    static unsigned char signature[SLHC_SIGNATURE_SIZE];
    const slhc_bytes no_context_string = {NULL, 0};
    unsigned char seed[SLHC_SEED_SIZE], secret_key[SLHC_SECRET_KEY_SIZE], public_key[SLHC_PUBLIC_KEY_SIZE];
    unsigned char hash[32];
    uint64_t failed[3] = {N_SIGNATURES, 0, 0};
    slhc_context* context;
    slhc_batch* batch;
    int i, verdict;

    context = slhc_context_create(NULL); /* NULL: the best backend of this machine, all of its cores */
    if (context == NULL) fail("slhc_context_create");
    batch = slhc_batch_create(context, 0);
    if (batch == NULL) fail("slhc_batch_create");

    memset(seed, 0x42, sizeof(seed)); /* an example: real keys need 48 random bytes */
    if (slhc_slhdsa_keygen(context, SLHC_SET_128S, seed, secret_key, public_key, NULL, NULL) != SLHC_OK) {
        fail("slhc_slhdsa_keygen");
    }

    for (i = 0; i < N_SIGNATURES; ++i) {
        const slhc_bytes message = {hash, sizeof(hash)};
        const slhc_bytes signed_bytes = {signature, sizeof(signature)};
        const uint64_t tag[3] = {(uint64_t)i, 0, 0}; /* in a node: transaction, input, opcode */
        memset(hash, i, sizeof(hash)); /* in a node: the signature hash of an input */
        if (slhc_slhdsa_sign(context, SLHC_SET_128S, secret_key, message, no_context_string, NULL, signature, NULL, NULL) != SLHC_OK) {
            fail("slhc_slhdsa_sign");
        }
        if (i == SPOILT) signature[100] ^= 1;
        if (slhc_batch_add(batch, SLHC_SET_128S, public_key, hash, signed_bytes, tag) != SLHC_DEFERRED) fail("slhc_batch_add");
    }

    verdict = slhc_batch_verify(batch, failed);
    if (verdict == SLHC_ERROR) fail("slhc_batch_verify");
    printf("slhdsa %s: %d signatures, %s", slhc_version(), N_SIGNATURES, verdict == SLHC_VALID ? "all valid\n" : "");
    if (verdict == SLHC_INVALID) printf("number %u is not\n", (unsigned)failed[0]);

    slhc_batch_destroy(batch);
    slhc_context_destroy(context);
    return verdict == SLHC_INVALID && failed[0] == SPOILT ? 0 : 1;
}
