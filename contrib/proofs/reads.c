/* Copyright (c) 2026 The slhconsensus developers
 * Distributed under the MIT software license, see the accompanying
 * file COPYING or https://opensource.org/license/mit. */

/* Whichever byte of a signature is chosen, verification reads it once as part of a node, or hashes it in the first block, which begins
 * with R. proofs.toml puts these functions in the place of those that compute; that node_of takes all of its bytes is its contract. */
#include "slhdsa_tapscript.c"

static uint8_t SIG[SLH_SIGNATURE_SIZE];
static size_t chosen;
static unsigned reads, blocks;

void counting_sha256_block(struct sha256 *hash)
{
    if (blocks++ == 0 && chosen < N && hash->M[chosen] == SIG[chosen]) ++reads;
}

struct node counting_node_of(const uint8_t *bytes)
{
    struct node anything;
    if (__CPROVER_same_object(bytes, SIG) && bytes <= SIG + chosen && SIG + chosen < bytes + N) ++reads;
    return anything;
}

struct node any_chain(struct node X, uint32_t i, uint32_t s, const struct sha256 *PK_seed, struct ADRS ADRS)
{
    struct node anything;
    return anything;
}

struct node any_T_l(const struct sha256 *PK_seed, const struct ADRS *ADRS, const struct node *M, size_t l)
{
    struct node anything;
    return anything;
}

void harness(void)
{
    uint8_t M[32], PK[SLH_PUBLIC_KEY_SIZE];
    __CPROVER_havoc_object(SIG);
    __CPROVER_havoc_object(&chosen);
    __CPROVER_assume(chosen < sizeof(SIG));
    slh_verify_internal(M, sizeof(M), SIG, sizeof(SIG), PK);
    __CPROVER_assert(reads == 1, "each byte of a signature is read");
}
