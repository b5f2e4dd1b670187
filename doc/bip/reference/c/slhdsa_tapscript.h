/* Copyright (c) 2026 The slhconsensus developers
 * Distributed under the MIT software license, see the accompanying
 * file COPYING or https://opensource.org/license/mit. */

/* Verification of SLH-DSA signatures in tapscript (../../bip-slhdsa-tapscript.mediawiki) in C99: no allocation, no global state, no
 * dependency, no header of a C library. Names in comments such as opcode-budget are the text's rules.
 *
 * Each function has a contract: what it needs and what it writes. contrib/proofs proves them; a compiler sees nothing of them. */
#ifndef SLHDSA_TAPSCRIPT_H
#define SLHDSA_TAPSCRIPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef __contract__
#define __contract__(clauses)
#define __loop__(clauses)
#endif

#define SLH_PUBLIC_KEY_SIZE 32
#define SLH_SIGNATURE_SIZE 7856
#define SLH_MAX_ELEMENT_SIZE (SLH_SIGNATURE_SIZE + 1) /* limit-element */
#define SLH_MAX_SIZE 4000000                          /* of what a block holds: a script, a message */

/* FIPS 205, algorithm 20, for SLH-DSA-SHA2-128s. */
bool slh_verify_internal(const uint8_t *M, size_t M_size, const uint8_t *SIG, size_t SIG_size, const uint8_t PK[SLH_PUBLIC_KEY_SIZE])
__contract__(
    requires(M_size <= SLH_MAX_SIZE && memory_no_alias(M, M_size)) requires(SIG_size <= SLH_MAX_SIZE && memory_no_alias(SIG, SIG_size))
    requires(memory_no_alias(PK, SLH_PUBLIC_KEY_SIZE)) assigns());

/* FIPS 205, algorithm 24: the pure version. */
bool slh_verify(const uint8_t *M, size_t M_size, const uint8_t *SIG, size_t SIG_size, const uint8_t *ctx, size_t ctx_size,
                const uint8_t PK[SLH_PUBLIC_KEY_SIZE])
__contract__(
    requires(M_size <= SLH_MAX_SIZE && memory_no_alias(M, M_size)) requires(SIG_size <= SLH_MAX_SIZE && memory_no_alias(SIG, SIG_size))
    requires(ctx_size <= SLH_MAX_SIZE && memory_no_alias(ctx, ctx_size)) requires(memory_no_alias(PK, SLH_PUBLIC_KEY_SIZE)) assigns());

/* message-fields: what a signature commits to, by the names of the text. What its hash type leaves out may have any value. */
struct slh_message_fields {
    uint32_t version, lock_time, sequence, input_index, codesep_pos;
    uint64_t amount;
    uint8_t sha_prevouts[32], sha_amounts[32], sha_scriptpubkeys[32], sha_sequences[32], sha_outputs[32];
    uint8_t outpoint[36];
    uint8_t script_pubkey[34]; /* without its size */
    bool has_annex, has_single_output;
    uint8_t sha_annex[32], sha_single_output[32];
    uint8_t tapleaf_hash[32];
};

/* The message M for a hash type; false if there is none (opcode-hashtype). */
bool slh_message(const struct slh_message_fields *fields, uint8_t hash_type, uint8_t M[32])
__contract__(
    requires(memory_no_alias(fields, sizeof(struct slh_message_fields))) requires(memory_no_alias(M, 32)) assigns(memory_slice(M, 32)));

/* An opcode's result, or the error that fails the script. */
enum slh_outcome {
    SLH_RESULT_0, SLH_RESULT_1,
    SLH_TAPSCRIPT_VALIDATION_WEIGHT, SLH_TAPSCRIPT_EMPTY_PUBKEY, SLH_SLHDSA_SIG_SIZE, SLH_SLHDSA_SIG_HASHTYPE, SLH_SLHDSA_SIG
};

/* opcode-budget to opcode-verify. What comes before concerns the stack, what comes after pushes the result. */
enum slh_outcome slh_checksig(const uint8_t *sig, size_t sig_size, const uint8_t *pubkey, size_t pubkey_size,
                              const struct slh_message_fields *fields, int32_t *budget)
__contract__(
    requires(sig_size <= SLH_MAX_ELEMENT_SIZE && memory_no_alias(sig, sig_size))
    requires(pubkey_size <= 520 && memory_no_alias(pubkey, pubkey_size))
    requires(memory_no_alias(fields, sizeof(struct slh_message_fields))) requires(memory_no_alias(budget, sizeof(int32_t)))
    assigns(*budget) ensures(*budget == old(*budget) || *budget == old(*budget) - 50) ensures(old(*budget) < 0 || *budget >= 0)
    ensures(return_value != SLH_RESULT_0 || sig_size == 0));

/* p2mr-budget: what a leaf starts with, from the sizes of all elements of the witness; -1 if they are more than a block holds. */
int32_t slh_budget(const uint32_t *sizes, size_t count)
__contract__(
    requires(count <= SLH_MAX_SIZE && memory_no_alias(sizes, count * sizeof(uint32_t))) assigns()
    ensures(return_value >= -1 && return_value <= SLH_MAX_SIZE + 50));

/* p2mr-root: the first k. */
void slh_tapleaf_hash(uint8_t version, const uint8_t *script, uint32_t script_size, uint8_t hash[32])
__contract__(
    requires(script_size <= SLH_MAX_SIZE && memory_no_alias(script, script_size)) requires(memory_no_alias(hash, 32))
    assigns(memory_slice(hash, 32)));

/* p2mr-root: k, after each of the m strings of a path. */
void slh_tapbranches(uint8_t hash[32], const uint8_t *path, size_t m)
__contract__(requires(m <= 128 && memory_no_alias(path, 32 * m)) requires(memory_no_alias(hash, 32)) assigns(memory_slice(hash, 32)));

/* p2mr-control, p2mr-root: true if the control block leads from the script to the witness program; then with the tapleaf hash. */
bool slh_p2mr_leaf(const uint8_t program[32], const uint8_t *control, size_t control_size, const uint8_t *script, uint32_t script_size,
                   uint8_t leaf_hash[32])
__contract__(
    requires(memory_no_alias(program, 32)) requires(control_size <= SLH_MAX_SIZE && memory_no_alias(control, control_size))
    requires(script_size <= SLH_MAX_SIZE && memory_no_alias(script, script_size)) requires(memory_no_alias(leaf_hash, 32))
    assigns(memory_slice(leaf_hash, 32)));

#endif
