/* Copyright (c) 2026 The slhconsensus developers
 * Distributed under the MIT software license, see the accompanying
 * file COPYING or https://opensource.org/license/mit. */

/* Uses the public header as C99 and the shared library as any program would: what compiles here compiles for users. */

#include <slhconsensus.h>

#include <stdio.h>
#include <string.h>

#define N_MESSAGES 3

static int failures = 0;

#define CHECK(condition)                                                       \
    do {                                                                       \
        if (!(condition)) {                                                    \
            slhc_error last = SLHC_ERROR_INIT;                                 \
            (void)slhc_last_error(&last);                                      \
            fprintf(stderr, "line %d: %s (%s)\n", __LINE__, #condition, last.message); \
            ++failures;                                                        \
        }                                                                      \
    } while (0)

static size_t lines = 0;

static void on_log(void* user, int level, const char* message, size_t size)
{
    *(size_t*)user += 1;
    CHECK(level >= SLHC_LOG_DEBUG && level <= SLHC_LOG_ERROR);
    CHECK(strlen(message) == size);
}

int main(void)
{
    slhc_error error = SLHC_ERROR_INIT;
    slhc_context_options options = SLHC_CONTEXT_OPTIONS_INIT;
    uint64_t failed[3] = {0, 0, 0};
    slhc_statistics statistics = SLHC_STATISTICS_INIT;
    slhc_backend_statistics backend = SLHC_BACKEND_STATISTICS_INIT;
    slhc_backend_info infos[1] = {SLHC_BACKEND_INFO_INIT};
    slhc_verify_job jobs[N_MESSAGES];
    slhc_bytes nothing = {NULL, 0};
    int verdicts[N_MESSAGES];
    unsigned char seed[SLHC_SEED_SIZE], secret_key[SLHC_SECRET_KEY_SIZE], public_key[SLHC_PUBLIC_KEY_SIZE];
    static unsigned char messages[N_MESSAGES][32], signatures[N_MESSAGES][SLHC_SIGNATURE_SIZE];
    slhc_context* context;
    slhc_batch* batch;
    size_t i, n_backends = 0;
    unsigned found = 0;
    slhc_decoded_address decoded = SLHC_DECODED_ADDRESS_INIT;
    char address[SLHC_ADDRESS_SIZE];
    unsigned char leaf[32], root[32];
    const slhc_bytes program = {root, sizeof(root)};

    CHECK(strcmp(slhc_version(), "") != 0);
    CHECK(strcmp(slhc_script_error_string(2), "SCRIPT_ERR_EVAL_FALSE") == 0);
    CHECK(strcmp(slhc_script_error_string(-1), "SCRIPT_ERR_UNKNOWN_ERROR") == 0);
    CHECK(strcmp(slhc_script_error_string(1000), "SCRIPT_ERR_UNKNOWN_ERROR") == 0);

    options.backend = "no such backend";
    CHECK(slhc_context_create(&options) == NULL);
    CHECK(slhc_last_error(&error) == SLHC_OK && error.code == SLHC_ERR_BACKEND && strstr(error.message, "no such backend") != NULL);

    options.backend = "cpu";
    options.log = on_log;
    options.log_user = &lines;
    context = slhc_context_create(&options);
    CHECK(context != NULL);
    batch = slhc_batch_create(context, 0);
    CHECK(batch != NULL);
    CHECK(slhc_list_backends(infos, 1, &n_backends) == SLHC_OK && n_backends >= 1);

    memset(seed, 7, sizeof(seed));
    CHECK(slhc_slhdsa_keygen(context, SLHC_SET_128S, seed, secret_key, public_key, NULL, NULL) == SLHC_OK);
    for (i = 0; i < N_MESSAGES; ++i) {
        const slhc_bytes message = {messages[i], sizeof(messages[i])};
        const slhc_bytes signature = {signatures[i], sizeof(signatures[i])};
        memset(messages[i], (int)i, sizeof(messages[i]));
        CHECK(slhc_slhdsa_sign(context, SLHC_SET_128S, secret_key, message, nothing, NULL, signatures[i], NULL, NULL) == SLHC_OK);
        CHECK(slhc_slhdsa_verify(SLHC_SET_128S, public_key, message, nothing, signature) == SLHC_VALID);
        jobs[i].struct_size = sizeof(jobs[i]);
        jobs[i].set = SLHC_SET_128S;
        jobs[i].public_key = public_key;
        jobs[i].message = message;
        jobs[i].ctx = nothing;
        jobs[i].signature = signature;
    }
    CHECK(slhc_slhdsa_verify_many(context, jobs, N_MESSAGES, verdicts) == SLHC_VALID);
    signatures[1][4000] ^= 1;
    CHECK(slhc_slhdsa_verify_many(context, jobs, N_MESSAGES, verdicts) == SLHC_INVALID);
    CHECK(verdicts[0] == SLHC_VALID && verdicts[1] == SLHC_INVALID && verdicts[2] == SLHC_VALID);

    for (i = 0; i < N_MESSAGES; ++i) {
        const uint64_t tag[3] = {100 + i, 0, 0};
        CHECK(slhc_batch_add(batch, SLHC_SET_128S, public_key, messages[i], jobs[i].signature, tag) == SLHC_DEFERRED);
    }
    slhc_context_destroy(context); /* the batch keeps what it needs */
    CHECK(slhc_batch_verify(batch, failed) == SLHC_INVALID);
    CHECK(failed[0] == 101);
    slhc_batch_destroy(batch);

    context = slhc_context_create(NULL);
    CHECK(context != NULL);
    CHECK(slhc_context_statistics(context, &statistics) == SLHC_OK && statistics.threads >= 1);
    CHECK(slhc_context_backend_statistics(context, 0, &backend) == SLHC_OK && backend.name[0] != '\0');
    slhc_context_destroy(context);

    CHECK(slhc_scan_leaf(nothing, NULL) == SLHC_ERROR);
    CHECK(slhc_scan_leaf(nothing, &found) == SLHC_OK && found == 0);
    CHECK(lines > 0);

    CHECK(slhc_tapleaf_hash(0xc0, nothing, leaf) == SLHC_OK && slhc_tapbranch_hash(leaf, leaf, root) == SLHC_OK);
    CHECK(slhc_address_encode("regtest", 2, program, address) == SLHC_OK && strncmp(address, "bcrt1z", 6) == 0);
    CHECK(slhc_address_decode(address, &decoded) == SLHC_OK);
    CHECK(decoded.version == 2 && decoded.program_size == sizeof(root) && memcmp(decoded.program, root, sizeof(root)) == 0);
    CHECK(slhc_p2tr_output_key(public_key, NULL, NULL, NULL) == SLHC_ERROR);
    CHECK(slhc_tx_signature_hash(NULL, 0, 0, SLHC_KEY_VERSION_SLHDSA, leaf, nothing, SLHC_NO_OPCODE, root) == SLHC_ERROR);

    if (failures == 0) puts("capi_c99: all checks passed");
    return failures == 0 ? 0 : 1;
}
