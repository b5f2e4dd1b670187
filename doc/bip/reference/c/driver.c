/* Copyright (c) 2026 The slhconsensus developers
 * Distributed under the MIT software license, see the accompanying
 * file COPYING or https://opensource.org/license/mit. */

/* Answers questions with slhdsa_tapscript.c, one a line, as contrib/differential/peers.py describes them, and for ../test_c.py:
 *
 *     message FIELDS HASH_TYPE            M, or "none"; FIELDS: those of struct slh_message_fields in its order, integers little-endian
 *     checksig SIG PUBKEY FIELDS BUDGET   the outcome's number and the budget that remains; BUDGET: 4 bytes
 *     budget SIZES                        4 bytes each
 *     leaf PROGRAM CONTROL SCRIPT         the tapleaf hash, or "none"
 *     branches HASH PATH                  the root */

#include "slhdsa_tapscript.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_FIELDS = 4 };

static uint8_t *field[MAX_FIELDS]; /* each in memory of just its size, for sanitizers */
static size_t size[MAX_FIELDS];
static const uint8_t *at; /* where the next integer or string of a field begins */

static void fail(const char *what)
{
    printf("error: %s\n", what);
    exit(1);
}

static void parse(unsigned i, const char *hex)
{
    size[i] = strcmp(hex, "-") == 0 ? 0 : strlen(hex) / 2;
    field[i] = malloc(size[i] + (size[i] == 0));
    if (field[i] == NULL) fail("no memory");
    for (size_t j = 0; j < size[i]; ++j) {
        unsigned byte;
        if (sscanf(hex + 2 * j, "%2x", &byte) != 1) fail("no hexadecimal digits");
        field[i][j] = (uint8_t)byte;
    }
}

static uint64_t integer(unsigned bytes)
{
    uint64_t x = 0;
    for (unsigned i = 0; i < bytes; ++i) x |= (uint64_t)*at++ << 8 * i;
    return x;
}

static void string(uint8_t *to, size_t bytes)
{
    memcpy(to, at, bytes);
    at += bytes;
}

static struct slh_message_fields message_fields(unsigned i)
{
    struct slh_message_fields f;
    if (size[i] != 5 * 4 + 8 + 5 * 32 + 36 + 34 + 2 + 3 * 32) fail("FIELDS has another size");
    at = field[i];
    f.version = (uint32_t)integer(4);
    f.lock_time = (uint32_t)integer(4);
    f.sequence = (uint32_t)integer(4);
    f.input_index = (uint32_t)integer(4);
    f.codesep_pos = (uint32_t)integer(4);
    f.amount = integer(8);
    string(f.sha_prevouts, 32);
    string(f.sha_amounts, 32);
    string(f.sha_scriptpubkeys, 32);
    string(f.sha_sequences, 32);
    string(f.sha_outputs, 32);
    string(f.outpoint, 36);
    string(f.script_pubkey, 34);
    f.has_annex = integer(1) != 0;
    f.has_single_output = integer(1) != 0;
    string(f.sha_annex, 32);
    string(f.sha_single_output, 32);
    string(f.tapleaf_hash, 32);
    return f;
}

static void print_hash(bool there, const uint8_t hash[32])
{
    for (unsigned i = 0; there && i < 32; ++i) printf("%02x", hash[i]);
    puts(there ? "" : "none");
}

static void answer(const char *name, unsigned fields)
{
    uint8_t hash[32];
    if (strcmp(name, "verify") == 0 && fields == 4 && size[0] == SLH_PUBLIC_KEY_SIZE) {
        printf("%d\n", slh_verify(field[1], size[1], field[3], size[3], field[2], size[2], field[0]));
    } else if (strcmp(name, "verify_internal") == 0 && fields == 3 && size[0] == SLH_PUBLIC_KEY_SIZE) {
        printf("%d\n", slh_verify_internal(field[1], size[1], field[2], size[2], field[0]));
    } else if (strcmp(name, "message") == 0 && fields == 2 && size[1] == 1) {
        const struct slh_message_fields f = message_fields(0);
        print_hash(slh_message(&f, field[1][0], hash), hash);
    } else if (strcmp(name, "checksig") == 0 && fields == 4 && size[3] == 4) {
        const struct slh_message_fields f = message_fields(2);
        int32_t budget;
        at = field[3];
        budget = (int32_t)integer(4);
        const int outcome = (int)slh_checksig(field[0], size[0], field[1], size[1], &f, &budget);
        printf("%d %d\n", outcome, (int)budget);
    } else if (strcmp(name, "budget") == 0 && fields == 1) {
        uint32_t *sizes = malloc(size[0] + 1);
        if (sizes == NULL) fail("no memory");
        at = field[0];
        for (size_t i = 0; i < size[0] / 4; ++i) sizes[i] = (uint32_t)integer(4);
        printf("%d\n", (int)slh_budget(sizes, size[0] / 4));
        free(sizes);
    } else if (strcmp(name, "leaf") == 0 && fields == 3 && size[0] == 32) {
        print_hash(slh_p2mr_leaf(field[0], field[1], size[1], field[2], (uint32_t)size[2], hash), hash);
    } else if (strcmp(name, "branches") == 0 && fields == 2 && size[0] == 32) {
        slh_tapbranches(field[0], field[1], size[1] / 32);
        print_hash(true, field[0]);
    } else {
        fail("this is no question");
    }
    fflush(stdout);
}

int main(int argc, char *argv[])
{
    char *line = NULL;
    size_t room = 0;
    if (argc > 1 && strcmp(argv[1], "128s") != 0) return 1; /* peers.py asks for a parameter set */
    while (getline(&line, &room, stdin) > 0) {
        const char *name = strtok(line, " \n");
        unsigned fields = 0;
        for (char *word; fields < MAX_FIELDS && (word = strtok(NULL, " \n")) != NULL; ++fields) parse(fields, word);
        answer(name == NULL ? "" : name, fields);
        while (fields > 0) free(field[--fields]);
    }
    free(line);
    return 0;
}
