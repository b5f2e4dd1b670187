/* Copyright (c) 2026 The slhconsensus developers
 * Distributed under the MIT software license, see the accompanying
 * file COPYING or https://opensource.org/license/mit. */

/* Prints the address of a P2MR output with two leaves, <key> OP_CHECKSIGSLHDSA each. */

#include <slhconsensus.h>

#include <stdio.h>
#include <string.h>

int main(void)
{
    unsigned char leaf[2][34] = {{0}}, hash[2][32], root[32];
    const slhc_bytes program = {root, sizeof(root)};
    char address[SLHC_ADDRESS_SIZE];
    slhc_error error = SLHC_ERROR_INIT;
    int i, ok = 1;

    for (i = 0; i < 2; ++i) {
        const slhc_bytes script = {leaf[i], sizeof(leaf[i])};
        leaf[i][0] = 32; /* a push of that many bytes */
        memset(leaf[i] + 1, 0x11 * (i + 1), 32); /* an example: real keys come from slhc_slhdsa_keygen() */
        leaf[i][33] = 0x7f; /* OP_CHECKSIGSLHDSA */
        ok = ok && slhc_tapleaf_hash(0xc0, script, hash[i]) == SLHC_OK;
    }
    ok = ok && slhc_tapbranch_hash(hash[0], hash[1], root) == SLHC_OK && slhc_address_encode("regtest", 2, program, address) == SLHC_OK;
    if (ok) {
        printf("%s\n", address);
    } else if (slhc_last_error(&error) == SLHC_OK) {
        fprintf(stderr, "%s\n", error.message);
    }
    return ok ? 0 : 1;
}
