/* Copyright (c) 2026 The slhconsensus developers
 * Distributed under the MIT software license, see the accompanying
 * file COPYING or https://opensource.org/license/mit. */

#include "slhdsa_tapscript.h"

/* FIPS 205, algorithm 3, into S. */
static void toByte(uint64_t x, size_t size, uint8_t *S)
__contract__(requires(size <= 8 && memory_no_alias(S, size)) assigns(memory_slice(S, size)))
{
    for (size_t i = 0; i < size; ++i) S[size - 1 - i] = (uint8_t)(x >> 8 * i & 0xff);
}

/* Of byte strings: 0 if they are the same, else negative or positive as the first different byte is. */
static int compare(const uint8_t *x, const uint8_t *y, size_t size)
__contract__(
    requires((size == 16 || size == 32) && memory_no_alias(x, size) && memory_no_alias(y, size))
    assigns() ensures((return_value == 0) == forall(i, 0, size, x[i] == y[i])))
{
    for (size_t i = 0; i < size; ++i) {
        if (x[i] != y[i]) return x[i] < y[i] ? -1 : 1;
    }
    return 0;
}

/* SHA-256 (FIPS 180-4). Whoever has one already puts it in the place of sha256_init, sha256_update and sha256_final. */

#define MAX_HASHED ((uint64_t)1 << 60) /* bytes; FIPS 180-4 has 2^61 - 1 */

struct sha256 {
    uint32_t H[8];
    uint64_t size; /* bytes so far; those after the last full block are in M */
    uint8_t M[64];
};

static uint32_t rotr(uint32_t x, unsigned n)
__contract__(requires(n > 0 && n < 32) assigns())
{
    return x >> n | x << (32 - n);
}

/* Section 6.2.2: one block. Sums are modulo 2^32 (section 2.2.1). */
static void sha256_block(struct sha256 *hash)
__contract__(requires(memory_no_alias(hash, sizeof(struct sha256))) assigns(memory_slice(hash->H, sizeof(hash->H))))
{
    static const uint32_t K256[64] = {
        0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be,
        0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa,
        0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85,
        0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3,
        0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f,
        0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};
    uint32_t W[64], v[8]; /* v: a to h */
    for (unsigned t = 0; t < 16; ++t) {
        W[t] = 0;
        for (unsigned i = 0; i < 4; ++i) W[t] = W[t] << 8 | hash->M[4 * t + i];
    }
    for (unsigned t = 16; t < 64; ++t) {
        const uint32_t s0 = rotr(W[t - 15], 7) ^ rotr(W[t - 15], 18) ^ W[t - 15] >> 3;
        const uint32_t s1 = rotr(W[t - 2], 17) ^ rotr(W[t - 2], 19) ^ W[t - 2] >> 10;
        W[t] = s1 + W[t - 7] + s0 + W[t - 16];
    }
    for (unsigned i = 0; i < 8; ++i) v[i] = hash->H[i];
    for (unsigned t = 0; t < 64; ++t) {
        const uint32_t S1 = rotr(v[4], 6) ^ rotr(v[4], 11) ^ rotr(v[4], 25), ch = (v[4] & v[5]) ^ (~v[4] & v[6]);
        const uint32_t S0 = rotr(v[0], 2) ^ rotr(v[0], 13) ^ rotr(v[0], 22), maj = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);
        const uint32_t T1 = v[7] + S1 + ch + K256[t] + W[t], T2 = S0 + maj;
        for (unsigned i = 7; i > 0; --i) v[i] = v[i - 1];
        v[4] += T1;
        v[0] = T1 + T2;
    }
    for (unsigned i = 0; i < 8; ++i) hash->H[i] += v[i];
}

/* Sections 5.3.3, 5.1.1: the initial hash value. */
static struct sha256 sha256_init(void)
__contract__(assigns() ensures(return_value.size == 0))
{
    const struct sha256 hash = {{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19}, 0, {0}};
    return hash;
}

static void sha256_update(struct sha256 *hash, const uint8_t *data, size_t size)
__contract__(
    requires(memory_no_alias(hash, sizeof(struct sha256))) requires(size <= SLH_MAX_SIZE && memory_no_alias(data, size))
    requires(hash->size <= MAX_HASHED - size) assigns(memory_slice(hash, sizeof(struct sha256)))
    ensures(hash->size == old(hash->size) + size))
{
    for (size_t i = 0; i < size; ++i)
    __loop__(
        assigns(i, memory_slice(hash, sizeof(struct sha256))) invariant(i <= size && hash->size == loop_entry(hash->size) + i)
        decreases(size - i))
    {
        hash->M[hash->size % 64] = data[i];
        if (++hash->size % 64 == 0) sha256_block(hash);
    }
}

static void sha256_final(struct sha256 *hash, uint8_t digest[32])
__contract__(
    requires(memory_no_alias(hash, sizeof(struct sha256))) requires(hash->size <= MAX_HASHED - 72) requires(memory_no_alias(digest, 32))
    assigns(memory_slice(hash, sizeof(struct sha256)), memory_slice(digest, 32)))
{
    static const uint8_t PADDING[64] = {0x80}; /* section 5.1.1: then the size in bits ends a block */
    uint8_t bits[8];
    toByte(8 * hash->size, 8, bits);
    sha256_update(hash, PADDING, (size_t)(1 + (119 - hash->size % 64) % 64));
    sha256_update(hash, bits, 8);
    for (unsigned i = 0; i < 32; ++i) digest[i] = (uint8_t)(hash->H[i / 4] >> (24 - 8 * (i % 4)) & 0xff);
}

/* FIPS 205: the parameters of SLH-DSA-SHA2-128s, table 2 and algorithm 1. */
enum { N = 16, H = 63, D = 7, H_PRIME = 9, A = 12, K = 14, LG_W = 4, W = 16, LEN_1 = 32, LEN_2 = 3, LEN = 35 };
enum { MD_SIZE = 21, TREE_SIZE = 7, LEAF_SIZE = 2 }; /* algorithm 20, lines 9 to 11 */
enum { XMSS_SIZE = N * (LEN + H_PRIME), FORS_SIZE = N * K * (1 + A) };

/* A string of n bytes: a hash, or a part of a signature. */
struct node {
    uint8_t bytes[N];
};

/* Section 4.2: an address. What the last two words mean depends on the type. */
struct ADRS {
    uint8_t layer, type;
    uint64_t tree;
    uint32_t key_pair, chain_or_height, hash_or_index;
};

enum { WOTS_HASH, WOTS_PK, TREE, FORS_TREE, FORS_ROOTS };

static struct node node_of(const uint8_t *bytes)
__contract__(requires(memory_no_alias(bytes, N)) assigns() ensures(forall(i, 0, N, return_value.bytes[i] == bytes[i])))
{
    struct node result;
    for (unsigned i = 0; i < N; ++i) result.bytes[i] = bytes[i];
    return result;
}

/* Algorithm 2. */
static uint64_t toInt(const uint8_t *X, size_t size)
__contract__(requires(size <= 8 && memory_no_alias(X, size)) assigns())
{
    uint64_t total = 0;
    for (size_t i = 0; i < size; ++i) total = total << 8 | X[i];
    return total;
}

/* Algorithm 4, into baseb. */
static void base_2b(const uint8_t *X, unsigned b, size_t out_len, uint32_t *baseb)
__contract__(
    requires(b == LG_W && (out_len == LEN_1 || out_len == LEN_2) || b == A && out_len == K)
    requires(memory_no_alias(X, (out_len * b + 7) / 8)) requires(memory_no_alias(baseb, out_len * sizeof(uint32_t)))
    assigns(memory_slice(baseb, out_len * sizeof(uint32_t))) ensures(forall(i, 0, out_len, baseb[i] < (uint32_t)1 << b)))
{
    size_t in = 0;
    unsigned bits = 0;
    uint32_t total = 0; /* its lowest "bits" bits; algorithm 4 keeps those above, too */
    for (size_t out = 0; out < out_len; ++out) {
        while (bits < b) {
            total = total << 8 | X[in++];
            bits += 8;
        }
        bits -= b;
        baseb[out] = total >> bits;
        total &= ((uint32_t)1 << bits) - 1;
    }
}

/* Section 11.2.1: PK.seed || toByte(0, 64 - n), which begins each hash but that of the message. */
static struct sha256 seeded(const uint8_t *PK_seed)
__contract__(requires(memory_no_alias(PK_seed, N)) assigns() ensures(return_value.size == 64))
{
    static const uint8_t ZEROS[64 - N] = {0};
    struct sha256 hash = sha256_init();
    sha256_update(&hash, PK_seed, N);
    sha256_update(&hash, ZEROS, sizeof(ZEROS));
    return hash;
}

/* Section 11.2.1: T_l of l nodes; F of one; H of two. PK_seed is seeded(). ADRS is compressed to 22 bytes (section 11.2). */
static struct node T_l(const struct sha256 *PK_seed, const struct ADRS *ADRS, const struct node *M, size_t l)
__contract__(
    requires(memory_no_alias(PK_seed, sizeof(struct sha256)) && PK_seed->size == 64) requires(memory_no_alias(ADRS, sizeof(struct ADRS)))
    requires(l <= LEN && memory_no_alias(M, l * sizeof(struct node))) assigns())
{
    struct sha256 hash = *PK_seed;
    uint8_t compressed[22], digest[32];
    compressed[0] = ADRS->layer;
    toByte(ADRS->tree, 8, compressed + 1);
    compressed[9] = ADRS->type;
    toByte(ADRS->key_pair, 4, compressed + 10);
    toByte(ADRS->chain_or_height, 4, compressed + 14);
    toByte(ADRS->hash_or_index, 4, compressed + 18);
    sha256_update(&hash, compressed, sizeof(compressed));
    for (size_t i = 0; i < l; ++i)
    __loop__(assigns(i, hash) invariant(i <= l && hash.size == 64 + sizeof(compressed) + N * i) decreases(l - i))
        sha256_update(&hash, M[i].bytes, N);
    sha256_final(&hash, digest);
    return node_of(digest);
}

/* Section 11.2.1, with M in two parts: MGF1 needs one hash for 30 bytes. */
static void H_msg(const uint8_t *R, const uint8_t *PK, const uint8_t *prefix, size_t prefix_size, const uint8_t *M, size_t M_size,
                  uint8_t digest[32])
__contract__(
    requires(memory_no_alias(R, N) && memory_no_alias(PK, SLH_PUBLIC_KEY_SIZE))
    requires(prefix_size <= 2 + 255 && memory_no_alias(prefix, prefix_size)) requires(M_size <= SLH_MAX_SIZE && memory_no_alias(M, M_size))
    requires(memory_no_alias(digest, 32)) assigns(memory_slice(digest, 32)))
{
    static const uint8_t COUNTER[4] = {0};
    struct sha256 inner = sha256_init(), outer = sha256_init();
    sha256_update(&inner, R, N);
    sha256_update(&inner, PK, SLH_PUBLIC_KEY_SIZE);
    sha256_update(&inner, prefix, prefix_size);
    sha256_update(&inner, M, M_size);
    sha256_final(&inner, digest);
    sha256_update(&outer, R, N);
    sha256_update(&outer, PK, N);
    sha256_update(&outer, digest, 32);
    sha256_update(&outer, COUNTER, sizeof(COUNTER));
    sha256_final(&outer, digest);
}

/* Algorithm 5. */
static struct node chain(struct node X, uint32_t i, uint32_t s, const struct sha256 *PK_seed, struct ADRS ADRS)
__contract__(requires(i < W && s < W - i) requires(memory_no_alias(PK_seed, sizeof(struct sha256)) && PK_seed->size == 64) assigns())
{
    for (uint32_t j = i; j < i + s; ++j) {
        ADRS.hash_or_index = j;
        X = T_l(PK_seed, &ADRS, &X, 1);
    }
    return X;
}

/* Algorithm 8. ADRS has layer, tree and key pair. */
static struct node wots_pkFromSig(const uint8_t *sig, struct node M, const struct sha256 *PK_seed, struct ADRS ADRS)
__contract__(
    requires(memory_no_alias(sig, N * LEN)) requires(memory_no_alias(PK_seed, sizeof(struct sha256)) && PK_seed->size == 64) assigns())
{
    uint32_t msg[LEN], csum = 0;
    uint8_t csum_bytes[2];
    struct node tmp[LEN];
    base_2b(M.bytes, LG_W, LEN_1, msg);
    for (unsigned i = 0; i < LEN_1; ++i) csum += W - 1 - msg[i];
    csum <<= (8 - LEN_2 * LG_W % 8) % 8;
    toByte(csum, 2, csum_bytes);
    base_2b(csum_bytes, LG_W, LEN_2, msg + LEN_1);
    ADRS.type = WOTS_HASH;
    for (unsigned i = 0; i < LEN; ++i) {
        ADRS.chain_or_height = i;
        tmp[i] = chain(node_of(sig + N * i), msg[i], W - 1 - msg[i], PK_seed, ADRS);
    }
    ADRS.type = WOTS_PK;
    ADRS.chain_or_height = ADRS.hash_or_index = 0;
    return T_l(PK_seed, &ADRS, tmp, LEN);
}

/* The common part of algorithms 11 and 17: from a leaf with this index to the root of a tree, past the nodes of AUTH. */
static struct node climb(struct node node, uint32_t index, const uint8_t *AUTH, unsigned height,
                         const struct sha256 *PK_seed, struct ADRS ADRS)
__contract__(
    requires(height == H_PRIME || height == A) requires(memory_no_alias(AUTH, N * height))
    requires(memory_no_alias(PK_seed, sizeof(struct sha256)) && PK_seed->size == 64) assigns())
{
    for (unsigned j = 0; j < height; ++j) {
        struct node pair[2];
        pair[index & 1] = node;
        pair[1 - (index & 1)] = node_of(AUTH + N * j);
        index >>= 1;
        ADRS.chain_or_height = j + 1;
        ADRS.hash_or_index = index;
        node = T_l(PK_seed, &ADRS, pair, 2);
    }
    return node;
}

/* Algorithm 11. ADRS has layer and tree. */
static struct node xmss_pkFromSig(uint32_t idx, const uint8_t *SIG_XMSS, struct node M, const struct sha256 *PK_seed, struct ADRS ADRS)
__contract__(
    requires(idx < (uint32_t)1 << H_PRIME) requires(memory_no_alias(SIG_XMSS, XMSS_SIZE))
    requires(memory_no_alias(PK_seed, sizeof(struct sha256)) && PK_seed->size == 64) assigns())
{
    ADRS.key_pair = idx;
    M = wots_pkFromSig(SIG_XMSS, M, PK_seed, ADRS);
    ADRS.type = TREE;
    ADRS.key_pair = 0;
    return climb(M, idx, SIG_XMSS + N * LEN, H_PRIME, PK_seed, ADRS);
}

/* Algorithm 13. */
static bool ht_verify(struct node M, const uint8_t *SIG_HT, const struct sha256 *PK_seed, uint64_t idx_tree, uint32_t idx_leaf,
                      const uint8_t *PK_root)
__contract__(
    requires(memory_no_alias(SIG_HT, D * XMSS_SIZE)) requires(memory_no_alias(PK_seed, sizeof(struct sha256)) && PK_seed->size == 64)
    requires(idx_leaf < (uint32_t)1 << H_PRIME) requires(memory_no_alias(PK_root, N)) assigns())
{
    for (unsigned j = 0; j < D; ++j) {
        const struct ADRS ADRS = {(uint8_t)j, TREE, idx_tree, 0, 0, 0};
        M = xmss_pkFromSig(idx_leaf, SIG_HT + XMSS_SIZE * j, M, PK_seed, ADRS);
        idx_leaf = (uint32_t)(idx_tree & ((1 << H_PRIME) - 1));
        idx_tree >>= H_PRIME;
    }
    return compare(M.bytes, PK_root, N) == 0;
}

/* Algorithm 17. ADRS has layer, tree and key pair. */
static struct node fors_pkFromSig(const uint8_t *SIG_FORS, const uint8_t *md, const struct sha256 *PK_seed, struct ADRS ADRS)
__contract__(
    requires(memory_no_alias(SIG_FORS, FORS_SIZE) && memory_no_alias(md, MD_SIZE))
    requires(memory_no_alias(PK_seed, sizeof(struct sha256)) && PK_seed->size == 64) assigns())
{
    uint32_t indices[K];
    struct node root[K];
    base_2b(md, A, K, indices);
    ADRS.type = FORS_TREE;
    for (uint32_t i = 0; i < K; ++i) {
        const uint8_t *sk = SIG_FORS + N * (1 + A) * i;
        const uint32_t index = (i << A) + indices[i];
        struct node leaf = node_of(sk);
        ADRS.chain_or_height = 0;
        ADRS.hash_or_index = index;
        leaf = T_l(PK_seed, &ADRS, &leaf, 1);
        root[i] = climb(leaf, index, sk + N, A, PK_seed, ADRS);
    }
    ADRS.type = FORS_ROOTS;
    ADRS.chain_or_height = ADRS.hash_or_index = 0;
    return T_l(PK_seed, &ADRS, root, K);
}

/* Algorithm 20, with M in two parts. */
static bool verify_parts(const uint8_t *prefix, size_t prefix_size, const uint8_t *M, size_t M_size, const uint8_t *SIG, size_t SIG_size,
                         const uint8_t *PK)
__contract__(
    requires(prefix_size <= 2 + 255 && memory_no_alias(prefix, prefix_size)) requires(M_size <= SLH_MAX_SIZE && memory_no_alias(M, M_size))
    requires(SIG_size <= SLH_MAX_SIZE && memory_no_alias(SIG, SIG_size)) requires(memory_no_alias(PK, SLH_PUBLIC_KEY_SIZE)) assigns())
{
    uint8_t digest[32];
    struct ADRS ADRS = {0, 0, 0, 0, 0, 0};
    struct sha256 PK_seed;
    struct node PK_FORS;
    if (SIG_size != SLH_SIGNATURE_SIZE) return false;
    H_msg(SIG, PK, prefix, prefix_size, M, M_size, digest);
    PK_seed = seeded(PK);
    ADRS.tree = toInt(digest + MD_SIZE, TREE_SIZE) & (((uint64_t)1 << (H - H_PRIME)) - 1);
    ADRS.key_pair = (uint32_t)(toInt(digest + MD_SIZE + TREE_SIZE, LEAF_SIZE) & ((1 << H_PRIME) - 1));
    PK_FORS = fors_pkFromSig(SIG + N, digest, &PK_seed, ADRS);
    return ht_verify(PK_FORS, SIG + N + FORS_SIZE, &PK_seed, ADRS.tree, ADRS.key_pair, PK + N);
}

bool slh_verify_internal(const uint8_t *M, size_t M_size, const uint8_t *SIG, size_t SIG_size, const uint8_t PK[SLH_PUBLIC_KEY_SIZE])
{
    return verify_parts(M, 0, M, M_size, SIG, SIG_size, PK);
}

bool slh_verify(const uint8_t *M, size_t M_size, const uint8_t *SIG, size_t SIG_size, const uint8_t *ctx, size_t ctx_size,
                const uint8_t PK[SLH_PUBLIC_KEY_SIZE])
{
    uint8_t prefix[2 + 255]; /* line 4 */
    if (ctx_size > 255) return false;
    toByte(ctx_size, 2, prefix); /* 0, and the size */
    for (size_t i = 0; i < ctx_size; ++i) prefix[2 + i] = ctx[i];
    return verify_parts(prefix, 2 + ctx_size, M, M_size, SIG, SIG_size, PK);
}

/* hash_tag of section "The message": SHA256(tag) || SHA256(tag), which begins each. */
static struct sha256 tagged(const char *tag, size_t size)
__contract__(requires(size <= SLH_MAX_SIZE && memory_no_alias(tag, size)) assigns() ensures(return_value.size == 64))
{
    struct sha256 hash = sha256_init();
    uint8_t digest[32];
    sha256_update(&hash, (const uint8_t *)tag, size);
    sha256_final(&hash, digest);
    hash = sha256_init();
    sha256_update(&hash, digest, 32);
    sha256_update(&hash, digest, 32);
    return hash;
}

/* An integer in "size" bytes, the lowest first. */
static void update_integer(struct sha256 *hash, uint64_t x, unsigned size)
__contract__(
    requires(size <= 8 && memory_no_alias(hash, sizeof(struct sha256)) && hash->size <= MAX_HASHED - size)
    assigns(memory_slice(hash, sizeof(struct sha256))) ensures(hash->size == old(hash->size) + size))
{
    uint8_t bytes[8];
    for (unsigned i = 0; i < size; ++i) bytes[i] = (uint8_t)(x >> 8 * i & 0xff);
    sha256_update(hash, bytes, size);
}

bool slh_message(const struct slh_message_fields *fields, uint8_t hash_type, uint8_t M[32])
{
    const bool anyone_can_pay = (hash_type & 0x80) != 0, single = (hash_type & 3) == 3, none = (hash_type & 3) == 2;
    struct sha256 hash = tagged("TapSighash", 10);
    if ((hash_type & 0x7c) != 0 || hash_type == 0x80 || (single && !fields->has_single_output)) return false;
    update_integer(&hash, 0, 1); /* epoch */
    update_integer(&hash, hash_type, 1);
    update_integer(&hash, fields->version, 4);
    update_integer(&hash, fields->lock_time, 4);
    if (!anyone_can_pay) {
        sha256_update(&hash, fields->sha_prevouts, 32);
        sha256_update(&hash, fields->sha_amounts, 32);
        sha256_update(&hash, fields->sha_scriptpubkeys, 32);
        sha256_update(&hash, fields->sha_sequences, 32);
    }
    if (!none && !single) sha256_update(&hash, fields->sha_outputs, 32);
    update_integer(&hash, fields->has_annex ? 3 : 2, 1); /* spend_type */
    if (anyone_can_pay) {
        sha256_update(&hash, fields->outpoint, sizeof(fields->outpoint));
        update_integer(&hash, fields->amount, 8);
        update_integer(&hash, sizeof(fields->script_pubkey), 1);
        sha256_update(&hash, fields->script_pubkey, sizeof(fields->script_pubkey));
        update_integer(&hash, fields->sequence, 4);
    } else {
        update_integer(&hash, fields->input_index, 4);
    }
    if (fields->has_annex) sha256_update(&hash, fields->sha_annex, 32);
    if (single) sha256_update(&hash, fields->sha_single_output, 32);
    sha256_update(&hash, fields->tapleaf_hash, 32);
    update_integer(&hash, 2, 1); /* key_version */
    update_integer(&hash, fields->codesep_pos, 4);
    sha256_final(&hash, M);
    return true;
}

enum slh_outcome slh_checksig(const uint8_t *sig, size_t sig_size, const uint8_t *pubkey, size_t pubkey_size,
                              const struct slh_message_fields *fields, int32_t *budget)
{
    uint8_t M[32], hash_type = 0;
    if (sig_size != 0) { /* opcode-budget */
        if (*budget < 50) return SLH_TAPSCRIPT_VALIDATION_WEIGHT;
        *budget -= 50;
    }
    if (pubkey_size == 0) return SLH_TAPSCRIPT_EMPTY_PUBKEY; /* opcode-key-empty */
    if (sig_size == 0) return SLH_RESULT_0; /* opcode-sig-empty, opcode-key-unknown */
    if (pubkey_size != SLH_PUBLIC_KEY_SIZE) return SLH_RESULT_1; /* opcode-key-unknown */
    if (sig_size != SLH_SIGNATURE_SIZE && sig_size != SLH_SIGNATURE_SIZE + 1) return SLH_SLHDSA_SIG_SIZE; /* opcode-sig-size */
    if (sig_size == SLH_SIGNATURE_SIZE + 1) hash_type = sig[SLH_SIGNATURE_SIZE];
    if (sig_size == SLH_SIGNATURE_SIZE + 1 && hash_type == 0) return SLH_SLHDSA_SIG_HASHTYPE; /* opcode-hashtype */
    if (!slh_message(fields, hash_type, M)) return SLH_SLHDSA_SIG_HASHTYPE;
    return slh_verify(M, 32, sig, SLH_SIGNATURE_SIZE, M, 0, pubkey) ? SLH_RESULT_1 : SLH_SLHDSA_SIG; /* opcode-verify, message-verify */
}

/* Bytes of a compact size. */
static unsigned compact_size_bytes(uint32_t size)
__contract__(assigns() ensures(return_value == 1 || return_value == 3 || return_value == 5))
{
    return size < 253 ? 1 : size <= 0xffff ? 3 : 5;
}

int32_t slh_budget(const uint32_t *sizes, size_t count)
{
    uint32_t total = 50;
    if (count > SLH_MAX_SIZE) return -1;
    total += compact_size_bytes((uint32_t)count);
    for (size_t i = 0; i < count; ++i)
    __loop__(assigns(i, total) invariant(i <= count && total <= SLH_MAX_SIZE + 50) decreases(count - i))
    {
        if (sizes[i] > SLH_MAX_SIZE) return -1;
        total += compact_size_bytes(sizes[i]) + sizes[i];
        if (total > SLH_MAX_SIZE + 50) return -1;
    }
    return (int32_t)total;
}

void slh_tapleaf_hash(uint8_t version, const uint8_t *script, uint32_t script_size, uint8_t hash[32])
{
    const unsigned size_bytes = compact_size_bytes(script_size);
    struct sha256 leaf = tagged("TapLeaf", 7);
    update_integer(&leaf, version, 1);
    if (size_bytes > 1) update_integer(&leaf, size_bytes == 3 ? 253 : 254, 1);
    update_integer(&leaf, script_size, size_bytes > 1 ? size_bytes - 1 : 1);
    sha256_update(&leaf, script, script_size);
    sha256_final(&leaf, hash);
}

/* hash_TapBranch of both, the smaller one first. */
static void tapbranch(uint8_t hash[32], const uint8_t *e)
__contract__(requires(memory_no_alias(hash, 32) && memory_no_alias(e, 32)) assigns(memory_slice(hash, 32)))
{
    struct sha256 branch = tagged("TapBranch", 9);
    const bool first = compare(hash, e, 32) < 0;
    sha256_update(&branch, first ? hash : e, 32);
    sha256_update(&branch, first ? e : hash, 32);
    sha256_final(&branch, hash);
}

void slh_tapbranches(uint8_t hash[32], const uint8_t *path, size_t m)
{
    for (size_t i = 0; i < m; ++i)
    __loop__(assigns(i, memory_slice(hash, 32)) invariant(i <= m) decreases(m - i))
        tapbranch(hash, path + 32 * i);
}

bool slh_p2mr_leaf(const uint8_t program[32], const uint8_t *control, size_t control_size, const uint8_t *script, uint32_t script_size,
                   uint8_t leaf_hash[32])
{
    uint8_t root[32];
    if (control_size > 1 + 32 * 128 || control_size % 32 != 1 || (control[0] & 1) == 0) return false; /* p2mr-control */
    slh_tapleaf_hash(control[0] & 0xfe, script, script_size, leaf_hash);
    for (unsigned i = 0; i < 32; ++i) root[i] = leaf_hash[i];
    slh_tapbranches(root, control + 1, control_size / 32);
    return compare(root, program, 32) == 0;
}
